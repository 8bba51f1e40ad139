/* views.c - views by name.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "views.h"

/* In the order of the views; the ARC spelling of RECORD is the last. */
struct cfs_slice cfs_suffix_nth(unsigned i)
{
	bool is_arc = CFS_VIEW_META + i == CFS_VIEW_COUNT;

	if (CFS_VIEW_META + i > CFS_VIEW_COUNT)
		return CFS_SLICE_EMPTY;
	return cfs_slice_str(cfs_view_suffix(is_arc ? CFS_VIEW_RECORD :
				(enum cfs_view)(CFS_VIEW_META + i), is_arc));
}

bool cfs_suffix_parse(struct cfs_slice suffix, struct cfs_suffix *out)
{
	*out = (struct cfs_suffix){ .view = CFS_VIEW_RAW };
	if (suffix.n == 0)
		return true;
	for (unsigned v = CFS_VIEW_META; v < CFS_VIEW_COUNT; v++) {
		struct cfs_slice arc = cfs_slice_str(cfs_view_suffix(v, true));
		struct cfs_slice warc = cfs_slice_str(cfs_view_suffix(v, false));

		out->view = (enum cfs_view)v;
		out->only_arc = !cfs_slice_eq(suffix, warc);
		out->only_warc = !cfs_slice_eq(suffix, arc);
		if (!out->only_arc || !out->only_warc)
			return true;
	}
	return false;
}
