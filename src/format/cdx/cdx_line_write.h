/* cdx_line_write.h - writes lines of CDXJ files in Common Crawl's form.
 *
 * Format: doc/formats.md, "CDXJ lines".
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CDX_CDX_LINE_WRITE_H
#define CFS_CDX_CDX_LINE_WRITE_H

#include "base/buf.h"

/* How a byte that is not UTF-8 is written. */
enum cfs_cdx_odd {
	CFS_CDX_ODD_PERCENT,	/* %XX, for URLs: the same to a server */
	CFS_CDX_ODD_SURROGATE,	/* \udcXX, as Python does, for paths */
};

/* Appends a JSON string in ASCII: other characters become \uXXXX. */
void cfs_cdx_add_string(struct cfs_buf *out, struct cfs_slice s,
			enum cfs_cdx_odd odd);

/* Appends `, "name": ` and the string; nothing if it is empty. */
void cfs_cdx_add_field(struct cfs_buf *out, const char *name,
		       struct cfs_slice s);

#endif
