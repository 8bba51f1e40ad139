/* charset.h - finds the character set of a document, and converts to UTF-8.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_CHARSET_H
#define CFS_VIEW_CHARSET_H

#include "base/ascii.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/spill.h"
#include "base/utf8.h"

/* How it was found: the `charset_detector` codes of the 2012 metadata
 * (doc/formats.md, "Charsets"). */
enum cfs_charset_by {
	CFS_CHARSET_BY_HEADER = 0,	/* charset= of the HTTP Content-Type */
	CFS_CHARSET_BY_META = 1,	/* byte order mark, <meta>, <?xml?> */
	CFS_CHARSET_BY_ICU = 2,		/* ICU's detector; valid UTF-8 */
	CFS_CHARSET_BY_MOZILLA = 3,	/* uchardet */
	CFS_CHARSET_BY_DEFAULT = 10,	/* none of these: ISO-8859-1 */
};

/* Both names are static. */
struct cfs_charset {
	const char *name;	/* as reported: "ISO-8859-1" */
	const char *icu;	/* its decoder: "windows-1252"; mostly an ICU
				 * name */
	enum cfs_charset_by by;
	/* A detector ran out of memory: the other fields must not be used, and
	 * conversion returns CFS_ENOMEM. */
	bool no_memory;
};

/* Looks a label up in the table of the WHATWG Encoding Standard (and a few more
 * that crawls contain), ignoring case and outer blanks.  Sets all of `out`
 * except out->by.  False, and nothing set, if the label is unknown. */
bool cfs_charset_by_label(struct cfs_slice label, struct cfs_charset *out);

/* The value of charset= in a header value, without its quotes if any.  Empty if
 * there is none. */
struct cfs_slice cfs_charset_param(struct cfs_slice header);

/* The text in the quotes at the start of s.  Empty if there are none, or they
 * are not closed. */
struct cfs_slice cfs_charset_quoted(struct cfs_slice s);

static inline struct cfs_slice cfs_skip_spaces(struct cfs_slice s)
{
	return cfs_slice_from(s, cfs_slice_run(s, cfs_is_space));
}

struct cfs_charset_input {
	struct cfs_slice content_type;	/* the whole HTTP value, may be empty */
	struct cfs_slice body;
	bool is_html;			/* look for <meta> */
	enum cfs_pages pages;		/* the body's */
};

/* Finds the set of a document: tries the steps in the order of enum
 * cfs_charset_by, and always finds one.  Reads at most 128 KiB for a
 * declaration and 256 KiB for a sample of the text, but all of a body to see
 * whether it is ASCII or UTF-8. */
void cfs_charset_find(const struct cfs_charset_input *in,
		      struct cfs_charset *out);

/* The bytes without a byte order mark at their start, if the set is UTF-8. */
struct cfs_slice cfs_charset_skip_mark(const struct cfs_charset *cs,
				       struct cfs_slice bytes);

/*
 * Converts `bytes` to UTF-8 and appends them.  Invalid bytes become U+FFFD and
 * are never an error; a byte order mark at the start is dropped.
 * 0; CFS_ELIMIT or CFS_ENOMEM from out.
 */
int cfs_charset_to_utf8(const struct cfs_charset *cs, struct cfs_slice bytes,
			enum cfs_pages pages, struct cfs_buf *out,
			struct cfs_error *err);

/* True if the bytes, without a byte order mark, need no conversion: they are
 * valid UTF-8 already, also as ASCII in another set. */
bool cfs_charset_is_utf8(const struct cfs_charset *cs, struct cfs_slice bytes,
			 enum cfs_pages pages);

#endif
