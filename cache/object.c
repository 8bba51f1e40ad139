/* object.c - what the cache knows of a URL: its state and its extents.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "object.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "extents.h"
#include "segment.h"

static struct cfs_object **bucket(struct cfs_cache *c, const char *url)
{
	uint64_t h = cfs_hash64(cfs_slice_str(url), 0);

	return &c->objects[h % CFS_CACHE_BUCKETS];
}

static void take_out(struct cfs_cache *c, struct cfs_object *o)
{
	struct cfs_object **p = bucket(c, o->url);

	if (!o->in_table)
		return;
	while (*p != o)
		p = &(*p)->chain;
	*p = o->chain;
	o->in_table = false;
}

struct cfs_cache_meta cfs_object_meta(const struct cfs_object *o)
{
	return (struct cfs_cache_meta){
		.size = o->size,
		.mtime = o->mtime,
		.learnt_ns = o->learnt_ns,
		.validator = cfs_slice_str(o->validator),
		.url = cfs_slice_str(o->url),
	};
}

static void object_set_state(struct cfs_object *o, struct cfs_slice validator,
			     uint64_t size, int64_t mtime, uint64_t learnt_ns)
{
	struct cfs_cache_meta m;

	snprintf(o->validator, sizeof(o->validator), "%.*s", (int)validator.n,
		 (const char *)validator.p);
	o->size = size;
	o->mtime = mtime;
	o->learnt_ns = learnt_ns;
	o->is_known = true;
	o->is_loaded = false;
	o->meta_seg = NULL;
	m = cfs_object_meta(o);
	cfs_cache_id_of_data(&m, &o->id);
}

struct cfs_object *cfs_object_get(struct cfs_cache *c, const char *url,
				  bool *is_new)
{
	struct cfs_object **p = bucket(c, url), *o = *p, *old = NULL;

	*is_new = false;
	while (o != NULL && strcmp(o->url, url) != 0)
		o = o->chain;
	if (o != NULL && o->is_changed) {
		take_out(c, o);		/* sources that use it keep it */
		old = o;
		o = NULL;
	}
	if (o != NULL) {
		o->refs++;
		return o;
	}
	o = calloc(1, sizeof(*o));
	if (o == NULL)
		return NULL;
	o->url = strdup(url);
	if (o->url == NULL) {
		free(o);
		return NULL;
	}
	o->size = CFS_SIZE_UNKNOWN;
	o->refs = 1;
	o->in_table = true;
	o->chain = *p;
	*p = o;
	if (old != NULL) {	/* keep what the answer has shown */
		object_set_state(o, cfs_slice_str(old->validator), old->size,
				 old->mtime, old->learnt_ns);
		o->is_checked = true;
	}
	*is_new = old == NULL;
	return o;
}

void cfs_object_put(struct cfs_cache *c, struct cfs_object *o)
{
	assert(o->refs > 0);
	if (--o->refs > 0)
		return;
	take_out(c, o);
	cfs_extents_release(&o->x);
	free(o->url);
	free(o);
}

/* ---- its state -------------------------------------------------------- */

void cfs_object_recall_unlocks(struct cfs_cache *c, struct cfs_object *o)
{
	struct cfs_cache_meta m;
	CFS_BUF(b, CFS_SEG_DATA_MAX);
	int rc;

	if (c->disk == NULL)
		return;
	o->is_loading = true;
	pthread_mutex_unlock(&c->lock);
	cfs_disk_refresh(c->disk);
	rc = cfs_disk_meta(c->disk, cfs_slice_str(o->url), &b, &m);
	pthread_mutex_lock(&c->lock);
	o->is_loading = false;
	pthread_cond_broadcast(&c->loaded);
	if (rc == CFS_OK && !o->is_known && m.size != CFS_SIZE_UNKNOWN)
		object_set_state(o, m.validator, m.size, m.mtime, m.learnt_ns);
}

/* Drops the old bytes; requests in flight will bring new ones. */
static void drop_old(struct cfs_object *o)
{
	struct cfs_extent *e;
	uint64_t off = 0;

	while ((e = cfs_extents_next(&o->x, &off, UINT64_MAX)) != NULL) {
		if (e->blob != NULL && e->blob->state == CFS_BLOB_IN_FLIGHT)
			e->seg = NULL;
		else
			cfs_extents_remove(&o->x, e->off);
	}
}

int cfs_object_error_changed(const struct cfs_object *o, struct cfs_error *err)
{
	return cfs_error_at(err, CFS_ECHANGED, o->url, 0,
			    "has changed since it was cached: open it again");
}

int cfs_object_confirm(struct cfs_object *o, const char *validator,
		       uint64_t size, int64_t mtime, struct cfs_error *err)
{
	struct cfs_slice v = cfs_slice_str(validator);

	if (o->is_known && size == o->size &&
	    strcmp(validator, o->validator) == 0) {
		o->is_checked = true;
		return CFS_OK;
	}
	if (o->is_known && (o->is_served || o->is_checked)) {
		o->is_changed = true;
		o->wants_meta = true;
		object_set_state(o, v, size, mtime, cfs_segment_now_ns());
		drop_old(o);
		return cfs_object_error_changed(o, err);
	}
	if (o->is_known)
		cfs_log(CFS_LOG_INFO, "%s: has changed since it was cached",
			o->url);
	drop_old(o);
	object_set_state(o, v, size, mtime, cfs_segment_now_ns());
	o->wants_meta = true;
	o->is_checked = true;
	return CFS_OK;
}

/* ---- its extents on disk ---------------------------------------------- */

/* Drops extents in segments that were deleted. */
static void drop_dead(struct cfs_object *o)
{
	struct cfs_extent *e;
	uint64_t off = 0;

	while ((e = cfs_extents_next(&o->x, &off, UINT64_MAX)) != NULL) {
		if (e->seg == NULL || !e->seg->is_dead)
			continue;
		e->seg = NULL;
		if (e->blob == NULL)
			cfs_extents_remove(&o->x, e->off);
	}
}

static int object_fill(struct cfs_object *o, const struct cfs_disk_record *v,
		       size_t n)
{
	int rc = CFS_OK;

	for (size_t i = 0; i < n && rc == CFS_OK; i++) {
		const struct cfs_cache_entry *e = &v[i].e;
		struct cfs_extent x = {
			.off = e->off, .n = e->n, .seg = v[i].seg,
			.rec_off = e->off, .rec_n = e->n, .rec_pos = e->pos,
			.rec_sum = e->sum,
		};

		if (e->kind == CFS_CACHE_DATA && e->off < o->size &&
		    e->n <= o->size - e->off && !v[i].seg->is_dead)
			rc = cfs_extents_fill(&o->x, &x);
	}
	return rc;
}

int cfs_object_load_unlocks(struct cfs_cache *c, struct cfs_object *o,
			    struct cfs_ctx ctx)
{
	struct cfs_disk_record *v;
	struct cfs_cache_id id;
	uint64_t generation;
	size_t n;
	int rc;

	while (o->is_loading) {
		rc = cfs_cancel_check(ctx.cancel, 0, ctx.err);
		if (rc != CFS_OK)
			return rc;
		cfs_cond_wait(&c->loaded, &c->lock, ctx.cancel);
	}
	if (o->is_loaded || !o->is_known || o->is_changed || c->disk == NULL)
		return CFS_OK;
	o->is_loading = true;
	id = o->id;
	pthread_mutex_unlock(&c->lock);
	generation = cfs_disk_refresh(c->disk);
	rc = cfs_disk_find(c->disk, &id, &v, &n);
	pthread_mutex_lock(&c->lock);
	o->is_loading = false;
	if (rc == CFS_OK && memcmp(&id, &o->id, sizeof(id)) == 0) {
		drop_dead(o);
		rc = object_fill(o, v, n);
		o->is_loaded = true;
		o->generation = generation;
	}
	free(v);
	pthread_cond_broadcast(&c->loaded);
	return rc == CFS_OK ? rc : cfs_error_nomem(ctx.err);
}

void cfs_object_drop_record(struct cfs_object *o,
			    const struct cfs_disk_record *r)
{
	uint64_t off = r->e.off, end = r->e.off + r->e.n;
	struct cfs_extent *e;

	while ((e = cfs_extents_next(&o->x, &off, end)) != NULL) {
		if (e->seg != r->seg || e->rec_pos != r->e.pos)
			continue;
		if (e->blob != NULL)
			e->seg = NULL;
		else
			cfs_extents_remove(&o->x, e->off);
	}
}
