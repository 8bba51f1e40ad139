/* parked.c - the few gzip streams of an archive that were stopped last.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parked.h"

#include <string.h>

void cfs_parking_init(struct cfs_parking *p)
{
	memset(p, 0, sizeof(*p));
	pthread_mutex_init(&p->lock, NULL);
}

void cfs_parking_release(struct cfs_parking *p)
{
	for (size_t i = 0; i < CFS_PARKED_MAX; i++)
		cfs_gz_stream_free(p->v[i].z);
	pthread_mutex_destroy(&p->lock);
}

struct cfs_parked cfs_parking_take(struct cfs_parking *p, uint64_t start,
				   uint64_t pos)
{
	struct cfs_parked got = { NULL, start, 0, 0 }, *best = NULL;

	pthread_mutex_lock(&p->lock);
	for (size_t i = 0; i < CFS_PARKED_MAX; i++) {
		struct cfs_parked *s = &p->v[i];

		if (s->z != NULL && s->start == start && s->pos <= pos &&
		    (best == NULL || s->pos > best->pos))
			best = s;
	}
	if (best != NULL) {
		got = *best;
		best->z = NULL;
	}
	pthread_mutex_unlock(&p->lock);
	return got;
}

void cfs_parking_put(struct cfs_parking *p, struct cfs_parked stream)
{
	struct cfs_parked *oldest = &p->v[0];
	struct cfs_gz_stream *dead;

	pthread_mutex_lock(&p->lock);
	for (size_t i = 0; i < CFS_PARKED_MAX; i++) {
		if (p->v[i].z == NULL) {
			oldest = &p->v[i];
			break;
		}
		if (p->v[i].used < oldest->used)
			oldest = &p->v[i];
	}
	dead = oldest->z;
	stream.used = ++p->clock;
	*oldest = stream;
	pthread_mutex_unlock(&p->lock);
	cfs_gz_stream_free(dead);
}
