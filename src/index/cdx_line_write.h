/* cdx_line_write.h - writes lines of CDXJ files as Common Crawl has them.
 *
 * Format: doc/formats.md, "CDXJ lines".
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_CDX_LINE_WRITE_H
#define CFS_INDEX_CDX_LINE_WRITE_H

#include "base/buf.h"

/* What stands for a byte that is not UTF-8. */
enum cfs_cdx_odd {
	CFS_CDX_ODD_PERCENT,	/* %XX: of a URL, the same one to a server */
	CFS_CDX_ODD_SURROGATE,	/* \udcXX, as Python has it: of a path */
};

/* Appends a JSON string in ASCII: all else is \uXXXX. */
void cfs_cdx_add_string(struct cfs_buf *out, struct cfs_slice s,
			enum cfs_cdx_odd odd);

/* Appends `, "name": ` and the string; nothing if it is empty. */
void cfs_cdx_add_field(struct cfs_buf *out, const char *name,
		       struct cfs_slice s);

#endif
