/* language_hints.h - what a page says itself about its language.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_LANGUAGE_HINTS_H
#define CFS_VIEW_LANGUAGE_HINTS_H

#include "cld2.h"
#include "doc.h"

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
