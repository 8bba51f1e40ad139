/* charset_find.h - which character set a document is in.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_CHARSET_FIND_H
#define CFS_VIEW_CHARSET_FIND_H

#include "charset.h"

struct cfs_charset_input {
	struct cfs_slice content_type;	/* the whole HTTP value, may be empty */
	struct cfs_slice body;
	bool is_html;			/* look for <meta> */
};

/* Tries each step in the order of enum cfs_charset_by; always finds one.  Reads
 * at most 128 KiB for a declaration and 256 KiB for a sample of the text, but
 * all of a body that may be UTF-8. */
void cfs_charset_find(const struct cfs_charset_input *in,
		      struct cfs_charset *out);

#endif
