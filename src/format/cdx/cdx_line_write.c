/* cdx_line_write.c - writes lines of CDXJ files in Common Crawl's form.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cdx_line_write.h"

#include "codec/json.h"

void cfs_cdx_add_field(struct cfs_buf *out, const char *name,
		       struct cfs_slice s)
{
	if (s.n == 0)
		return;
	if (out->n > 0 && out->p[out->n - 1] == '{')
		cfs_buf_addc(out, '"');
	else
		cfs_buf_adds(out, ", \"");
	cfs_buf_adds(out, name);
	cfs_buf_adds(out, "\": ");
	cfs_json_add_ascii(out, s, CFS_JSON_ODD_PERCENT);
}
