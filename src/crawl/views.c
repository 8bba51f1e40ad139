/* views.c - views by name.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "views.h"

int cfs_view_set_parse(const char *list, cfs_view_set *out,
		       struct cfs_error *err)
{
	struct cfs_slice rest = cfs_slice_str(list);
	cfs_view_set set = 0;

	while (rest.n > 0) {
		ptrdiff_t colon = cfs_slice_find(rest, ':');
		size_t n = colon < 0 ? rest.n : (size_t)colon;
		enum cfs_view v = cfs_view_by_name(cfs_slice_sub(rest, 0, n));

		if (v == CFS_VIEW_NONE)
			return cfs_error_set(err, CFS_EUSAGE,
				"'%.*s' is no view; there are raw, meta, txt, headers and record",
				(int)n, (const char *)rest.p);
		set |= 1u << v;
		rest = cfs_slice_from(rest, n + 1);
	}
	if (set == 0)
		return cfs_error_set(err, CFS_EUSAGE, "no view is named");
	*out = set;
	return CFS_OK;
}

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
