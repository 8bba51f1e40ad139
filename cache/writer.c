/* writer.c - the thread that writes to disk what requests have brought.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "state.h"

#include <stdlib.h>
#include <string.h>

#include "blob.h"
#include "extents.h"
#include "format.h"
#include "object.h"
#include "segment.h"

/* A disk slower than the network must not fill the memory: while more bytes
 * than this, or than most of the cache's memory, wait to be written, blobs are
 * dropped from the queue unwritten. */
#define QUEUE_MAX ((size_t)64 << 20)

/* A stretch of a blob's bytes to be written as one record. */
struct write_stretch {
	uint64_t off;
	uint32_t n;
};

static bool next_stretch(const struct cfs_blob *b, uint64_t from,
			 struct write_stretch *out)
{
	uint64_t end = b->off + b->n;
	const struct cfs_extent *e;

	while ((e = cfs_extents_next(&b->obj->x, &from, end)) != NULL) {
		if (e->blob != b || e->seg != NULL)
			continue;
		out->off = e->off;
		out->n = e->n < CFS_SEG_DATA_MAX ? e->n : CFS_SEG_DATA_MAX;
		return true;
	}
	return false;
}

/* Notes in the extents that the stretch is on disk. */
static void note_stretch(struct cfs_blob *b, const struct write_stretch *p,
			 const struct cfs_disk_record *r)
{
	uint64_t off = p->off, end = p->off + p->n;
	struct cfs_extent *e;

	if (cfs_extents_split(&b->obj->x, end) != CFS_OK)
		return;
	while ((e = cfs_extents_next(&b->obj->x, &off, end)) != NULL) {
		if (e->blob != b || e->seg != NULL || e->off < p->off)
			continue;
		e->seg = r->seg;
		e->rec_off = r->e.off;
		e->rec_n = r->e.n;
		e->rec_pos = r->e.pos;
		e->rec_sum = r->e.sum;
	}
}

/* A copy of what is written to disk about an object, so that no lock
 * is needed. */
struct snapshot {
	char *url;
	char validator[CFS_SEG_VALIDATOR_MAX + 1];
	struct cfs_cache_meta meta;
	struct cfs_cache_id id;
};

static bool take_snapshot(const struct cfs_object *o, struct snapshot *s)
{
	s->url = strdup(o->url);
	if (s->url == NULL)
		return false;
	memcpy(s->validator, o->validator, sizeof(s->validator));
	s->meta = cfs_object_meta(o);
	s->meta.url = cfs_slice_str(s->url);
	s->meta.validator = cfs_slice_str(s->validator);
	s->id = o->id;
	return true;
}

static bool is_keepable(const struct cfs_object *o)
{
	return o->is_known && o->validator[0] != '\0' &&
	       strlen(o->url) <= CFS_SEG_URL_MAX &&
	       strlen(o->validator) <= CFS_SEG_VALIDATOR_MAX;
}

/* Writes metadata alone, so that the next mount does not trust an old state. */
static void write_meta_unlocks(struct cfs_cache *c, struct cfs_object *o)
{
	struct cfs_segment *meta_seg = NULL;
	struct cfs_disk_record r;
	struct snapshot s;

	o->wants_meta = false;
	if (!is_keepable(o) || !take_snapshot(o, &s))
		return;
	pthread_mutex_unlock(&c->lock);
	if (cfs_disk_put(c->disk, &s.meta, &meta_seg, NULL, 0, CFS_SLICE_EMPTY,
			 &r) != CFS_OK)
		meta_seg = NULL;
	pthread_mutex_lock(&c->lock);
	if (memcmp(&s.id, &o->id, sizeof(s.id)) == 0)
		o->meta_seg = meta_seg;
	free(s.url);
}

static void write_stretches_unlocks(struct cfs_cache *c, struct cfs_blob *b)
{
	struct cfs_object *o = b->obj;
	struct snapshot s;
	struct write_stretch p;
	uint64_t from = b->off;

	if (!is_keepable(o) || o->is_changed || !take_snapshot(o, &s))
		return;
	while (next_stretch(b, from, &p)) {
		struct cfs_segment *meta_seg = o->meta_seg;
		struct cfs_disk_record r;
		int rc;

		from = p.off + p.n;
		pthread_mutex_unlock(&c->lock);
		rc = cfs_disk_put(c->disk, &s.meta, &meta_seg, &s.id, p.off,
				  cfs_slice_of(b->data + (p.off - b->off), p.n),
				  &r);
		pthread_mutex_lock(&c->lock);
		if (rc != CFS_OK || memcmp(&s.id, &o->id, sizeof(s.id)) != 0)
			break;
		o->meta_seg = meta_seg;
		note_stretch(b, &p, &r);
		CFS_CACHE_COUNT(b, disk_bytes, p.n);
	}
	free(s.url);
}

static size_t queue_max(const struct cfs_cache *c)
{
	size_t most = c->mem_max / 4 * 3;

	return c->budget == NULL || most > QUEUE_MAX ? QUEUE_MAX : most;
}

static void write_blob_unlocks(struct cfs_cache *c, struct cfs_blob *b)
{
	struct cfs_source *inner = b->inner;

	if (c->disk != NULL && b->obj->wants_meta)
		write_meta_unlocks(c, b->obj);
	if (c->disk != NULL && b->state == CFS_BLOB_READY && b->n > 0 &&
	    c->queued <= queue_max(c))
		write_stretches_unlocks(c, b);
	b->inner = NULL;
	pthread_mutex_unlock(&c->lock);
	cfs_source_close(inner);
	pthread_mutex_lock(&c->lock);
}

static void *writer_writer(void *arg)
{
	struct cfs_cache *c = arg;
	struct cfs_blob *b;

	pthread_mutex_lock(&c->lock);
	for (;;) {
		while (c->queue == NULL && !c->stop)
			pthread_cond_wait(&c->work, &c->lock);
		b = c->queue;
		if (b == NULL)
			break;
		c->queue = b->next;
		if (c->queue == NULL)
			c->queue_end = &c->queue;
		c->is_writing = true;
		write_blob_unlocks(c, b);
		c->queued -= b->n;
		cfs_blob_unpin(b);
		c->is_writing = false;
		if (c->queue == NULL)
			pthread_cond_broadcast(&c->idle);
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

int cfs_writer_start(struct cfs_cache *c)
{
	if (!c->has_writer)
		c->has_writer = cfs_thread_start(&c->writer, writer_writer, c);
	return c->has_writer ? CFS_OK : CFS_ENOMEM;
}
