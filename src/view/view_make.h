/* view_make.h - makes one view each, from a record.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VIEW_VIEW_MAKE_H
#define CFS_VIEW_VIEW_MAKE_H

#include "base/buf.h"
#include "base/cancel.h"
#include "base/error.h"
#include "record/record.h"
#include "source/span.h"

struct cfs_doc;		/* doc.h */

/* What a view is made from.  Borrowed during the call. */
struct cfs_view_input {
	const struct cfs_record *record;
	struct cfs_slice url;		/* the record's own, or the index's */
	struct cfs_slice archive_name;	/* as the index gives it */
	struct cfs_span loc;
	/* Of a revisit whose body is elsewhere: why there is none, or NULL. */
	const char *no_body_reason;
	/* For a revisit whose target was found: the record that has the body,
	 * else NULL (then record's own body counts). */
	const struct cfs_record *body_record;
	/* What the index has noted of it, whose members end the metadata: a
	 * JSON object, or empty. */
	struct cfs_slice notes;
	/* Only the view's length counts: what has a fixed length (the MD5, the
	 * simhash) may have any value. */
	bool only_length;
	/* Its document, if that was looked at before; else NULL. */
	const struct cfs_doc *doc;
};

/* The record whose body the views show: a revisit's target where there is
 * one, else the record itself. */
static inline const struct cfs_record *
cfs_view_body_of(const struct cfs_view_input *in)
{
	return in->body_record != NULL ? in->body_record : in->record;
}

/* Appended to out; codes as cfs_view_render, but for a failed append, which out
 * remembers. */
int cfs_view_text(const struct cfs_view_input *in, struct cfs_buf *out,
		  const struct cfs_cancel *cancel, struct cfs_error *err);
int cfs_view_meta(const struct cfs_view_input *in, bool compact,
		  struct cfs_buf *out, const struct cfs_cancel *cancel,
		  struct cfs_error *err);

#endif
