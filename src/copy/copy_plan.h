/* copy_plan.h - which bytes of which archives a copy reads, in which order.
 *
 * What to copy is sorted by archive and offset.  Neighbours are read in one
 * stretch.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_COPY_COPY_PLAN_H
#define CFS_COPY_COPY_PLAN_H

#include "build/extsort.h"
#include "copyindex.h"
#include "index/index.h"

/* Bytes of a stretch, unless one record alone is larger. */
#define CFS_COPY_STRETCH_BYTES ((uint64_t)1 << 20)

/* Neighbours in one archive, and what has come of them. */
struct cfs_copy_stretch {
	struct cfs_copy_stretch *next;	/* in order of writing */
	char *archive;
	struct cfs_span *items;		/* `file` is not used */
	size_t n, room;
	uint64_t from, to;		/* bytes of the archive */
	/* Set by cfs_copy_read: */
	struct cfs_buf out;
	size_t *ends;			/* of the records written, in out */
	uint64_t written;
	struct cfs_copyindex_found found;
	int rc;
	struct cfs_error error;
	bool is_read;			/* guarded by the copy's lock */
};

void cfs_copy_stretch_free(struct cfs_copy_stretch *s);	/* accepts NULL */

struct cfs_copy_plan {			/* used by one thread at a time */
	/* Of what was added, each item as often as it was added: */
	uint64_t items, bytes;
	uint64_t sum;			/* a hash that no order changes */
	/* After NULL from cfs_copy_plan_next: 0, or why it ended. */
	int rc;
	struct cfs_error error;
	/* The plan's own: */
	struct cfs_extsort *sort;
	struct cfs_buf key;
	bool has_item;			/* after the last stretch */
	struct cfs_span item, last;
	struct cfs_buf item_archive, last_archive;
	uint64_t planned;
	uint64_t allowed;		/* bytes of holes */
	unsigned allowed_percent;
};

/* tmp_dir: for the sort.  parallel: requests that will be made at a time.
 * 0 or CFS_ENOMEM; released in any case. */
int cfs_copy_plan_init(struct cfs_copy_plan *p, const char *tmp_dir,
		       unsigned parallel, const struct cfs_cancel *cancel,
		       struct cfs_error *err);
void cfs_copy_plan_release(struct cfs_copy_plan *p);

/* Adds a capture of the index.  Failures as of cfs_extsort_add, and of
 * cfs_index_archive_name. */
int cfs_copy_plan_add(struct cfs_copy_plan *p, struct cfs_index *index,
		      const struct cfs_capture *cap, struct cfs_error *err);

/* Ends adding, and goes past the first `done` items; *done_bytes grows by
 * their bytes.  0, CFS_EIO, CFS_ENOMEM, CFS_EINTR. */
int cfs_copy_plan_begin(struct cfs_copy_plan *p, uint64_t done,
			uint64_t *done_bytes, const struct cfs_cancel *cancel,
			struct cfs_error *err);

/* The next stretch, the caller's.  NULL: that was all, or p->rc says what
 * failed. */
struct cfs_copy_stretch *cfs_copy_plan_next(struct cfs_copy_plan *p);

#endif
