/* charset.h - character sets: their names on the web, and their text in UTF-8.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_CHARSET_H
#define CFS_VIEW_CHARSET_H

#include "base/ascii.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/utf8.h"

/* How it was found: the `charset_detector` codes of the 2012 metadata
 * (doc/formats.md, "Charsets"). */
enum cfs_charset_by {
	CFS_CHARSET_BY_HEADER = 0,	/* charset= of the HTTP Content-Type */
	CFS_CHARSET_BY_META = 1,	/* byte order mark, <meta>, <?xml?> */
	CFS_CHARSET_BY_ICU = 2,		/* ICU's detector; valid UTF-8 */
	CFS_CHARSET_BY_MOZILLA = 3,	/* uchardet */
	CFS_CHARSET_BY_DEFAULT = 10,	/* nothing said so: ISO-8859-1 */
};

/* Both names are static. */
struct cfs_charset {
	const char *name;	/* as reported: "ISO-8859-1" */
	const char *icu;	/* what decodes it: "windows-1252", mostly
				 * ICU's */
	enum cfs_charset_by by;
	/* A detector had no memory: the rest is a guess not to be used, and
	 * conversion gives CFS_ENOMEM. */
	bool no_memory;
};

/* A label by the table of the WHATWG Encoding Standard (and a few more that
 * crawls have), without case and outer blanks.  Sets all of `out` but out->by,
 * and nothing when the label is unknown. */
bool cfs_charset_by_label(struct cfs_slice label, struct cfs_charset *out);

/* What charset= of a header value says, "utf-8" in quotes or not.  Empty where
 * there is none. */
struct cfs_slice cfs_charset_param(struct cfs_slice header);

/* What stands in the quotes that s begins with.  Empty where it begins with
 * none, or they do not end. */
struct cfs_slice cfs_charset_quoted(struct cfs_slice s);

static inline struct cfs_slice cfs_skip_spaces(struct cfs_slice s)
{
	while (s.n > 0 && cfs_is_space(s.p[0]))
		s = cfs_slice_from(s, 1);
	return s;
}

struct cfs_charset_input {
	struct cfs_slice content_type;	/* the whole HTTP value, may be empty */
	struct cfs_slice body;
	bool is_html;			/* look for <meta> */
};

/* Which set a document is in: tries each step in the order of enum
 * cfs_charset_by; always finds one.  Reads at most 128 KiB for a declaration
 * and
 * 256 KiB for a sample of the text, but all of a body that may be UTF-8. */
void cfs_charset_find(const struct cfs_charset_input *in,
		      struct cfs_charset *out);

/* The bytes without the byte order mark that they may have in UTF-8. */
struct cfs_slice cfs_charset_skip_mark(const struct cfs_charset *cs,
				       struct cfs_slice bytes);

/*
 * Appends `bytes` in UTF-8.  Bytes that mean nothing give U+FFFD, never an
 * error; a byte order mark at the start is dropped.
 * 0; CFS_ELIMIT or CFS_ENOMEM from out.
 */
int cfs_charset_to_utf8(const struct cfs_charset *cs, struct cfs_slice bytes,
			struct cfs_buf *out, struct cfs_error *err);

/* Are the bytes, without a byte order mark in front, their own text in UTF-8?
 * Then there is nothing to convert. */
bool cfs_charset_is_utf8(const struct cfs_charset *cs, struct cfs_slice bytes);

#endif
