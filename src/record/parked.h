/* parked.h - streams of gzip members that stopped, kept to be resumed.
 *
 * Records that share a member with others are reached by inflating from the
 * member's start.  A few streams are kept where they stopped, so that reading
 * such records in order is linear.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_PARKED_H
#define CFS_RECORD_PARKED_H

#include <pthread.h>

#include "gzmember.h"

#define CFS_PARKED_MAX 4u

/* A stream that stopped at `pos` of what inflates from file offset `start`. */
struct cfs_parked {
	struct cfs_gz_stream *z;	/* owned; NULL: there is none */
	uint64_t start, pos, used;	/* used: when, for replacement */
};

/* The streams of one archive; threads share it. */
struct cfs_parking {
	pthread_mutex_t lock;
	struct cfs_parked v[CFS_PARKED_MAX];	/* guarded by lock */
	uint64_t clock;				/* guarded by lock */
};

void cfs_parking_init(struct cfs_parking *p);
void cfs_parking_release(struct cfs_parking *p);

/* Takes out the stream from `start` that stopped nearest before pos: the
 * caller's.  z is NULL if there is none. */
struct cfs_parked cfs_parking_take(struct cfs_parking *p, uint64_t start,
				   uint64_t pos);
/* Keeps a stream, in place of the one unused for longest. */
void cfs_parking_put(struct cfs_parking *p, struct cfs_parked stream);

#endif
