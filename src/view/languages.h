/* languages.h - finds the languages that the text of a page is in.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_LANGUAGES_H
#define CFS_VIEW_LANGUAGES_H

#include "cld2.h"
#include "doc.h"
#include "index/language_codes.h"
#include "view_make.h"

/* The name and version of the library that detects languages, or NULL: this
 * program was built without it and detects none. */
const char *cfs_languages_finder(void);

/*
 * Finds the languages of a page: those that were found already (in->languages),
 * those that a WARC record of text states, else those of the text.
 *
 * doc    the page's document
 * text   all of its .txt, if it was made already; or NULL
 *
 * Of the text a sample of bounded length is looked at (languages.c), which is
 * the same in any case.  0; CFS_ENOMEM; CFS_EINTR; CFS_ELIMIT as
 * cfs_text_of_doc; then none is found.
 */
int cfs_languages_find(const struct cfs_view_input *in,
		       const struct cfs_doc *doc, const struct cfs_slice *text,
		       struct cfs_languages *out, struct cfs_ctx ctx);

/* Finds the languages of the text, whatever is stated or known, and the part of
 * it that is in each.  The same codes. */
int cfs_languages_measure(const struct cfs_view_input *in,
			  const struct cfs_doc *doc,
			  const struct cfs_slice *text,
			  struct cfs_languages *out, struct cfs_ctx ctx);

/* True if cfs_languages_find looks into the text of that page. */
bool cfs_languages_need_text(const struct cfs_view_input *in,
			     const struct cfs_doc *doc);

/* ---- what a page says itself --------------------------------------------- */

/* Language tags that are taken of a page, and the bytes of one: more say
 * nothing of its text ("x-pig-latin" has 11, "sr-Latn-RS" 10). */
#define CFS_LANGUAGE_HINTS_MAX 4u
#define CFS_LANGUAGE_HINT_BYTES 12u
/* A page is read so far for its `lang`, which is in its first tags. */
#define CFS_LANGUAGE_HINT_READ ((size_t)8 << 10)

struct cfs_language_hints {
	unsigned n;		/* tags, in lower case, with commas between: */
	char tags[CFS_LANGUAGE_HINTS_MAX * (CFS_LANGUAGE_HINT_BYTES + 1u) + 1u];
	enum cfs_cld2_charset charset;
};

/* Finds the hints of a document: Content-Language of HTTP and of <meta>, `lang`
 * of <html> and <body>, the language of a feed, the charset.  The same document
 * has the same hints, whatever else is known of it.  0 or CFS_ENOMEM. */
int cfs_language_hints_find(const struct cfs_view_input *in,
			    const struct cfs_doc *doc,
			    struct cfs_language_hints *out,
			    struct cfs_error *err);

#endif
