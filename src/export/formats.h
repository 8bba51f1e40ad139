/* formats.h - the formats that rows are written in.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_EXPORT_FORMATS_H
#define CFS_EXPORT_FORMATS_H

#include "row.h"

/* Appends a row to out, whose failure is reported there.  0, or a failure that
 * leaves out unchanged. */
typedef int cfs_export_put_fn(const struct cfs_export_row *r,
			      cfs_export_set set, struct cfs_buf *out,
			      struct cfs_ctx ctx);

struct cfs_export_format {
	const char *name;		/* of --format */
	cfs_export_put_fn *put;
	cfs_export_set needs;		/* fields that it is made of; 0: those
					 * that the user names */
};

/* Ended by one without a name. */
extern const struct cfs_export_format cfs_export_formats[];

/* NULL: no format has that name. */
const struct cfs_export_format *cfs_export_format_find(struct cfs_slice name);

cfs_export_put_fn cfs_row_put_json;

#endif
