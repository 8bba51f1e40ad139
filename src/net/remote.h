/* remote.h - one remote object: where it is asked for, and which state of it
 * the answers must be of.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_NET_REMOTE_H
#define CFS_NET_REMOTE_H

#include <pthread.h>

#include "hosts.h"
#include "s3.h"
#include "source/source.h"

struct cfs_remote {
	struct cfs_source *src;		/* that embeds it; set by its owner */
	/* Changed by the event thread only, once it has found the region: */
	struct cfs_host *host;
	char *url;			/* to ask; owned */
	char region[CFS_S3_REGION_BYTES];	/* empty: that of the
						 * settings */
	char *user;			/* "name:password" or NULL; owned */
	bool sign;			/* for S3 */
	bool has_answered;		/* with bytes; the event thread's */
	atomic_uint abandoned;		/* times; see cfs_fetch_abandon */
	pthread_mutex_t lock;
	/* guarded by lock: the state all answers must be of; empty and
	 * CFS_SIZE_UNKNOWN until an answer reports it */
	char etag[CFS_ETAG_MAX], modified[40];
	uint64_t total;
};

/*
 * Finds out where to ask for the object at `loc`, and appends to `name` the
 * URL that the object is known by, the same whichever of its names `loc` is.
 * CFS_ENOMEM, CFS_ELIMIT, or CFS_EFORMAT from the settings; to be released
 * either way.
 */
int cfs_remote_init(struct cfs_remote *r, struct cfs_source *src,
		    const struct cfs_location *loc, struct cfs_buf *name,
		    struct cfs_error *err);
void cfs_remote_release(struct cfs_remote *r);

/*
 * Notes what an answer says of the object and compares it with what earlier
 * ones said.  a may be NULL, total CFS_SIZE_UNKNOWN.  CFS_ECHANGED when it is
 * another state of it.
 */
int cfs_remote_learn(struct cfs_remote *r, const struct cfs_answer *a,
		     uint64_t total, struct cfs_error *err);

/*
 * The answer to a request that was signed for region `from` (empty: that of
 * the settings) names `to` as the region of the bucket: the remote is asked for
 * there from now on.  False if `to` is not a region, or not another one.  Event
 * thread.
 */
bool cfs_remote_move(struct cfs_remote *r, const char *from, const char *to);

#endif
