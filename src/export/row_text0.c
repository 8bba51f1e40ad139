/* row_text0.c - writes the URL and the text of a row, for pipes:
 *
 *     URL LF TEXT NUL
 *
 * xargs -0, sort -z and the like take one text at a time.  A NUL in a text
 * becomes U+FFFD, and a row without text is left out.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/spill.h"
#include "export.h"

/* Appends text with U+FFFD for each NUL. */
static void add_without_nul(struct cfs_slice s, struct cfs_buf *out,
			    enum cfs_pages pages)
{
	while (s.n > 0) {
		struct cfs_slice piece = cfs_slice_sub(s, 0, CFS_SPILL_STEP);
		ptrdiff_t nul = cfs_slice_find(piece, 0);

		if (nul >= 0)
			piece.n = (size_t)nul;
		cfs_buf_add(out, piece);
		cfs_pages_passed(pages, piece);
		cfs_spill_settle(out);
		if (nul >= 0)
			cfs_buf_append(out, "\xef\xbf\xbd", 3);
		s = cfs_slice_from(s, piece.n + (nul >= 0));
	}
}

int cfs_row_put_text0(const struct cfs_export_row *r,
		      const struct cfs_export_opts *opts, struct cfs_buf *out,
		      struct cfs_ctx ctx)
{
	(void)opts;
	(void)ctx;
	if ((r->has & CFS_EXPORT_BIT(CFS_EXPORT_TEXT)) == 0 ||
	    (r->has & CFS_EXPORT_BIT(CFS_EXPORT_URL)) == 0)
		return CFS_OK;
	add_without_nul(r->text[CFS_EXPORT_URL], out, CFS_PAGES_STAY);
	cfs_buf_addc(out, '\n');
	add_without_nul(r->text[CFS_EXPORT_TEXT], out,
			cfs_export_row_pages(r, CFS_EXPORT_TEXT));
	cfs_buf_addc(out, 0);
	return CFS_OK;
}
