/* view_internal.h - what the files of this folder share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_VIEW_INTERNAL_H
#define CFS_VIEW_VIEW_INTERNAL_H

#include "view.h"

/* The record whose body the views show: a revisit's target where there is
 * one, else the record itself. */
static inline const struct cfs_record *
cfs_view_body_of(const struct cfs_view_input *in)
{
	return in->body_record != NULL ? in->body_record : in->record;
}

/* One view each, appended to out; codes as cfs_view_render. */
int cfs_view_headers(const struct cfs_view_input *in, struct cfs_buf *out,
		     struct cfs_error *err);
int cfs_view_text(const struct cfs_view_input *in, struct cfs_buf *out,
		  const struct cfs_cancel *cancel, struct cfs_error *err);
int cfs_view_meta(const struct cfs_view_input *in, bool compact,
		  struct cfs_buf *out, const struct cfs_cancel *cancel,
		  struct cfs_error *err);

/* Turns a failed append into an error: CFS_OK, CFS_ELIMIT, CFS_ENOMEM. */
int cfs_view_out_error(const struct cfs_buf *out, struct cfs_error *err);

#endif
