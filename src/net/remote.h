/* remote.h - one remote object: where it is requested, and which state its
 * answers must show.
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
	struct cfs_source *src;		/* that embeds this; set by its owner */
	/* Changed only by the event thread, when it learns the region: */
	struct cfs_host *host;
	char *url;			/* to request; owned */
	char region[CFS_S3_REGION_BYTES];	/* empty: that of the
						 * settings */
	char *user;			/* "name:password" or NULL; owned */
	bool sign;			/* sign requests, for S3 */
	bool is_page;			/* it may be of HTML; immutable */
	bool has_answered, has_ranges;	/* it has sent bytes, and those of a
					 * range; event thread */
	unsigned in_flight;		/* requests; event thread */
	atomic_uint abandoned;		/* how often; see cfs_fetch_abandon */
	pthread_mutex_t lock;
	/* guarded by lock: the state that all answers must show; empty and
	 * CFS_SIZE_UNKNOWN until the first one */
	char etag[CFS_ETAG_MAX], modified[40];
	uint64_t total;
};

/*
 * Finds out where to request the object at `loc`, and appends to `name` the URL
 * that identifies the object, whichever of its names `loc` is.  CFS_ENOMEM,
 * CFS_ELIMIT, or CFS_EFORMAT from the settings; release r in any case.
 */
int cfs_remote_init(struct cfs_remote *r, struct cfs_source *src,
		    const struct cfs_location *loc, struct cfs_buf *name,
		    struct cfs_error *err);
void cfs_remote_release(struct cfs_remote *r);

/*
 * Notes the state that an answer shows and compares it with earlier answers. a
 * may be NULL, total CFS_SIZE_UNKNOWN.  CFS_ECHANGED if it is another state.
 */
int cfs_remote_learn(struct cfs_remote *r, const struct cfs_answer *a,
		     uint64_t total, struct cfs_error *err);

/* Notes that bytes of the object came as a range. */
void cfs_remote_note_range(struct cfs_remote *r, int64_t now_ms);

/* True if an object of `total` bytes, which came whole, is another one: ranges
 * of this one came before, lately also to another source of the same URL, and
 * what has changed would come as one, too. */
bool cfs_remote_is_other(const struct cfs_remote *r, uint64_t total,
			 int64_t now_ms);

/*
 * Called when the answer to a request signed for region `from` (empty: that of
 * the settings) names `to` as the region of the bucket: requests go there from
 * now on.  False if `to` is not a region, or not another one.  Event thread.
 */
bool cfs_remote_move(struct cfs_remote *r, const char *from, const char *to);

#endif
