/* copy_first.h - the first record of a copy, which says what the copy is.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_COPY_COPY_FIRST_H
#define CFS_COPY_COPY_FIRST_H

#include "base/buf.h"
#include "base/error.h"
#include "record/record.h"

struct cfs_copy_first {
	const char *output;		/* path of the copy */
	const char *described;		/* what is copied */
	enum cfs_archive_format format;
	bool is_arc2;			/* ARC version 2 */
	int64_t time;			/* Unix seconds */
	uint64_t sum;			/* another one for other records */
};

/* Appends a warcinfo or filedesc: record as one gzip member; the same bytes
 * for the same values.  0, CFS_ENOMEM, CFS_ELIMIT. */
int cfs_copy_first_write(const struct cfs_copy_first *f, struct cfs_buf *out,
			 struct cfs_error *err);

#endif
