/* cdx_line_write.c - writes lines of CDXJ files in Common Crawl's form.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cdx_line_write.h"

#include "base/utf8.h"

/* Number of bytes at the start of s that need no escape. */
static size_t plain_bytes(struct cfs_slice s)
{
	size_t n = 0;

	while (n < s.n && s.p[n] >= 0x20 && s.p[n] < 0x7f && s.p[n] != '"' &&
	       s.p[n] != '\\')
		n++;
	return n;
}

static void cdx_line_write_add_unit(struct cfs_buf *out, uint32_t u)
{
	cfs_buf_addf(out, "\\u%04x", u);
}

static void add_code_point(struct cfs_buf *out, uint32_t cp)
{
	if (cp == '"' || cp == '\\') {
		cfs_buf_addc(out, '\\');
		cfs_buf_addc(out, (uint8_t)cp);
	} else if (cp < 0x10000) {
		cdx_line_write_add_unit(out, cp);
	} else {
		cdx_line_write_add_unit(out, 0xd7c0 + (cp >> 10));
		cdx_line_write_add_unit(out, 0xdc00 | (cp & 0x3ff));
	}
}

void cfs_cdx_add_string(struct cfs_buf *out, struct cfs_slice s,
			enum cfs_cdx_odd odd)
{
	cfs_buf_addc(out, '"');
	for (;;) {
		size_t n = plain_bytes(s);
		uint32_t cp = 0;

		cfs_buf_append(out, s.p, n);
		s = cfs_slice_from(s, n);
		if (s.n == 0)
			break;
		n = cfs_utf8_decode(s, &cp);
		if (n > 0)
			add_code_point(out, cp);
		else
			cfs_buf_addf(out, odd == CFS_CDX_ODD_SURROGATE ?
				     "\\udc%02x" : "%%%02X", s.p[0]);
		s = cfs_slice_from(s, n > 0 ? n : 1);
	}
	cfs_buf_addc(out, '"');
}

void cfs_cdx_add_field(struct cfs_buf *out, const char *name,
		       struct cfs_slice s)
{
	if (s.n == 0)
		return;
	cfs_buf_adds(out, ", \"");
	cfs_buf_adds(out, name);
	cfs_buf_adds(out, "\": ");
	cfs_cdx_add_string(out, s, CFS_CDX_ODD_PERCENT);
}
