/* stretches.h - cuts an archive into stretches, which threads read side by
 * side.
 *
 * A file of members is cut where a record begins, about every so many bytes,
 * and by its bytes alone: so the stretches are the same whatever the number of
 * threads.  Such a place may still lie inside another record (an archive that
 * is kept in an archive).  The walk through the stretch before it finds that
 * out, and reads on in place of the later ones (struct cfs_scan_opts).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_STRETCHES_H
#define CFS_RECORD_STRETCHES_H

#include "scan.h"

/* The plan of one archive.  The caller zeroes it, sets the first part, and
 * releases it in any case. */
struct cfs_stretches {
	/* The bytes of each stretch, but for the last one, which has half to
	 * one and a half times as many; 0: the archive is not cut. */
	uint64_t every;
	/* The bytes of the first stretch, if it is shorter; each has twice as
	 * many as the one before then.  0: all are of one length. */
	uint64_t first;
	uint64_t bytes;			/* of the archive */
	/* The last stretch ends there, where a record does; 0: with the
	 * archive. */
	uint64_t end;
	uint64_t from;			/* where the next stretch begins */
	/* Opens the archive, once, before the first cut. */
	int (*open)(void *arg, struct cfs_source **out, struct cfs_ctx ctx);
	/* Finds the place of a cut; NULL: cfs_scan_split. */
	int (*find)(struct cfs_source *src, uint64_t at, uint64_t *out,
		    struct cfs_ctx ctx);
	/* Waits until the archive, which still comes, has more than `at` bytes.
	 * False: it has fewer.  NULL: `bytes` says it. */
	bool (*reaches)(void *arg, uint64_t at, struct cfs_ctx ctx);
	void *arg;			/* of open and reaches */
	/* Private: */
	struct cfs_source *src;
	bool is_done;
};

/* Gets the next stretch.  False behind the last one.  What cannot be opened or
 * searched is not cut. */
bool cfs_stretches_next(struct cfs_stretches *s, struct cfs_scan_stretch *out,
			struct cfs_ctx ctx);

/* Has the next stretch begin at `from`; 0, or the archive's end: there is
 * none. */
void cfs_stretches_go(struct cfs_stretches *s, uint64_t from);

void cfs_stretches_release(struct cfs_stretches *s);

#endif
