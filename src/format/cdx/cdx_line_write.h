/* cdx_line_write.h - writes lines of CDXJ files in Common Crawl's form.
 *
 * Format: doc/formats.md, "CDXJ lines".
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CDX_CDX_LINE_WRITE_H
#define CFS_CDX_CDX_LINE_WRITE_H

#include "base/buf.h"

/* Appends `, "name": ` and the string, without the comma behind a `{`; nothing
 * if the string is empty. */
void cfs_cdx_add_field(struct cfs_buf *out, const char *name,
		       struct cfs_slice s);

#endif
