/* formats.c - the table of formats.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "formats.h"

const struct cfs_export_format cfs_export_formats[] = {
	{ "jsonl", cfs_row_put_json, 0 },
	{ NULL, NULL, 0 }
};

const struct cfs_export_format *cfs_export_format_find(struct cfs_slice name)
{
	const struct cfs_export_format *f = cfs_export_formats;

	while (f->name != NULL && !cfs_slice_eq(name, cfs_slice_str(f->name)))
		f++;
	return f->name != NULL ? f : NULL;
}
