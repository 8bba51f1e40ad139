/* cached.c - a source wrapped round a source: reads, hints, and sharing one
 * request among many readers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "state.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clamp.h"
#include "base/log.h"
#include "blob.h"
#include "extents.h"
#include "object.h"

/* Missing parts closer together than this become one request. */
#define GAP_BYTES (16u << 10)
/* Most bytes of one request, */
#define FETCH_MAX (UINT32_C(4) << 20)
/* but no more than this part of the cache's memory, */
#define FETCH_PART 8u
/* and at least so many even if memory is scarce. */
#define FETCH_MIN ((size_t)256 << 10)
/* Most requests that one read starts at once. */
#define PARTS_MAX 4u
/* For how long a checksum that was compared is trusted: the kernel still has
 * the pages that were compared, or has read them again from a disk that was
 * right a moment ago. */
#define TRUST_S 10u

struct cached_part {
	uint64_t off;
	uint32_t n;
	struct cfs_blob *blob;
};

static uint32_t cached_now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return (uint32_t)t.tv_sec + TRUST_S + 1;
}

/* ---- fetching --------------------------------------------------------- */

static uint32_t fetch_max(const struct cfs_cache *c)
{
	if (c->budget == NULL)
		return FETCH_MAX;
	return (uint32_t)cfs_clamp_u64(c->mem_max / FETCH_PART, FETCH_MIN,
				       FETCH_MAX);
}

/* Finds what is missing of [off, end), in parts of at most `max` bytes; parts
 * close together are joined. */
static unsigned cached_find_parts(const struct cfs_object *o, uint64_t off,
				  uint64_t end, uint32_t max,
				  struct cached_part v[PARTS_MAX])
{
	unsigned n = 0;

	while (off < end) {
		const struct cfs_extent *e = cfs_extents_at(&o->x, off);
		uint64_t stop = e != NULL && e->off < end ? e->off : end;
		struct cached_part *last = n > 0 ? &v[n - 1] : NULL;

		if (e != NULL && e->off <= off) {
			off = e->off + e->n;
			continue;
		}
		if (last != NULL && off - (last->off + last->n) <= GAP_BYTES &&
		    off - last->off < max) {
			if (stop - last->off > max)
				stop = last->off + max;
			last->n = (uint32_t)(stop - last->off);
		} else if (n == PARTS_MAX) {
			break;
		} else {
			if (stop - off > max)
				stop = off + max;
			v[n++] = (struct cached_part){ off,
						       (uint32_t)(stop - off),
						       NULL };
		}
		off = stop;
	}
	return n;
}

/* Reads on this thread, from a source that cannot start a read. */
static void fetch_here(struct cfs_cached *h, struct cfs_blob *b,
		       const struct cfs_cancel *cancel)
{
	struct cfs_error err = CFS_ERROR_INIT;
	uint8_t *p = malloc(b->n > 0 ? b->n : 1);
	size_t got = 0;
	int rc;

	rc = p == NULL ? cfs_error_nomem(&err) :
	     cfs_source_read_some(h->inner, p, b->n, b->off, &got,
				  CFS_CTX(cancel, &err));
	b->data = p;
	cfs_blob_complete(b, rc, cfs_slice_of(p, got), &err);
}

static void start_blob(struct cfs_cached *h, struct cfs_blob *b)
{
	struct cfs_error err = CFS_ERROR_INIT;
	const struct cfs_source_ops *ops = h->inner->ops;
	int rc = b->is_ahead || ops->start_urgent == NULL ?
		 ops->start(h->inner, b->off, b->n, cfs_blob_complete, b,
			    &b->came, &err) :
		 ops->start_urgent(h->inner, b->off, b->n, cfs_blob_complete, b,
				   &b->came, &err);

	if (rc != CFS_OK)
		cfs_blob_complete(b, rc, CFS_SLICE_EMPTY, &err);
}

struct read {
	struct cfs_cached *h;
	struct cfs_ctx ctx;
	bool has_refreshed;	/* has looked what others cached */
	bool has_requested;	/* this read is a miss */
	struct cfs_blob *held[PARTS_MAX];	/* its requests, pinned */
	unsigned n_held;
};

static void let_go(struct read *r)
{
	while (r->n_held > 0)
		cfs_blob_unpin(r->held[--r->n_held]);
}

/* Waits for memory for at least the first bytes of n, as long as other requests
 * are in flight or being written. */
static int await_room_unlocks(struct read *r, size_t n, bool *has_waited)
{
	struct cfs_cache *c = r->h->cache;

	*has_waited = false;
	n = n < FETCH_MIN ? n : FETCH_MIN;
	while (!cfs_blob_has_room(c, n) &&
	       (c->in_flight > 0 || c->queue != NULL || c->is_writing)) {
		int64_t from = cfs_monotonic_ms();

		if (cfs_cancelled(r->ctx.cancel))
			return cfs_error_set(r->ctx.err, CFS_EINTR, "interrupted");
		*has_waited = true;
		cfs_cond_wait_ms(&c->room, &c->lock, CFS_WAIT_SLICE_MS);
		cfs_cancel_waited(r->ctx.cancel,
				  (unsigned)(cfs_monotonic_ms() - from));
	}
	return CFS_OK;
}

/* Requests what is missing of [off, off + n), at least its beginning.  Requests
 * are held until let_go, unless made on a hint.  None are made if this had to
 * wait for memory: the caller tries again. */
static int fetch_unlocks(struct read *r, uint64_t off, size_t n, bool is_ahead)
{
	struct cfs_cached *h = r->h;
	bool can_start = h->inner->ops->start != NULL;
	struct cfs_cache *c = h->cache;
	struct cached_part v[PARTS_MAX];
	uint64_t end = off + n;
	bool has_waited = false;
	unsigned k;
	int rc;

	let_go(r);
	rc = is_ahead ? CFS_OK : await_room_unlocks(r, n, &has_waited);
	if (rc != CFS_OK || has_waited)
		return rc;
	if (end > h->obj->size)
		end = h->obj->size;
	k = cached_find_parts(h->obj, off, end, fetch_max(c), v);
	if (!can_start && k > 1)
		k = 1;
	for (unsigned i = 1; i < k; i++)	/* more parts only if there
						 * is room */
		if (!cfs_blob_has_room(c, (size_t)(v[i].off + v[i].n - off)))
			k = i;
	for (unsigned i = 0; i < k; i++) {
		v[i].blob = cfs_blob_new(h, v[i].off, v[i].n, is_ahead);
		if (v[i].blob == NULL) {
			k = i;
		} else if (!is_ahead) {
			cfs_blob_pin(v[i].blob);
			r->held[r->n_held++] = v[i].blob;
		}
	}
	if (k == 0)
		return cfs_error_nomem(r->ctx.err);
	pthread_mutex_unlock(&c->lock);
	for (unsigned i = 0; i < k; i++) {
		if (can_start)
			start_blob(h, v[i].blob);
		else
			fetch_here(h, v[i].blob, r->ctx.cancel);
	}
	cfs_budget_relieve(c->budget);
	pthread_mutex_lock(&c->lock);
	return CFS_OK;
}

/* ---- reading ---------------------------------------------------------- */

/* Copies bytes that are in memory, from a pinned blob. */
static void copy_unlocks(struct cfs_blob *b, void *buf, size_t n, uint64_t off,
		 size_t *got)
{
	size_t skip = (size_t)(off - b->off);

	cfs_blob_use(b);
	*got = n < b->n - skip ? n : b->n - skip;
	pthread_mutex_unlock(&b->cache->lock);
	memcpy(buf, b->data + skip, *got);
	pthread_mutex_lock(&b->cache->lock);
}

/* Waits for a pinned blob and copies the bytes it brought from off on.  CFS_OK
 * without bytes: try again. */
static int await_unlocks(struct read *r, struct cfs_blob *b, void *buf,
			 size_t n, uint64_t off, size_t *got)
{
	uint64_t before = b->came;
	int rc = CFS_OK;

	while (b->state == CFS_BLOB_IN_FLIGHT && rc == CFS_OK) {
		rc = cfs_cancel_check(r->ctx.cancel, b->came - before,
				      r->ctx.err);
		if (rc == CFS_OK)
			cfs_cond_wait(&b->done, &b->cache->lock, r->ctx.cancel);
	}
	cfs_cancel_came(r->ctx.cancel, b->came - before);
	if (b->state == CFS_BLOB_READY) {
		if (off >= b->off && off - b->off < b->n)
			copy_unlocks(b, buf, n, off, got);
		return CFS_OK;
	}
	if (rc != CFS_OK)
		return rc;
	if (b->rc == CFS_EINTR)
		return CFS_OK;		/* another reader cancelled it */
	if (b->err == NULL)
		return cfs_error_set(r->ctx.err, b->rc, "cannot read");
	return cfs_error_pass(r->ctx.err, b->err, b->rc);
}

/* Reads part of a record, and checks the whole record. */
static int read_through(const struct cfs_disk_record *rec, uint32_t skip,
			void *buf, size_t n)
{
	uint8_t *p = malloc(rec->e.n);
	int rc = p != NULL ? cfs_disk_read(rec, p) : CFS_ENOMEM;

	if (rc == CFS_OK)
		memcpy(buf, p + skip, n);
	free(p);
	return rc;
}

static void cached_note_checked(struct cfs_object *o, uint64_t off,
				const struct cfs_disk_record *rec)
{
	struct cfs_extent *e = cfs_extents_at(&o->x, off);

	if (e != NULL && e->seg == rec->seg && e->rec_pos == rec->e.pos)
		e->checked_s = cached_now_s();
}

static struct cfs_disk_record record_of(const struct cfs_object *o,
					const struct cfs_extent *e)
{
	return (struct cfs_disk_record){ e->seg, {
		.id = o->id, .off = e->rec_off, .n = e->rec_n,
		.pos = e->rec_pos, .sum = e->rec_sum } };
}

/* Reads bytes from disk; *got stays 0 if the record turns out to be damaged
 * or gone. */
static int read_disk_unlocks(struct read *r, const struct cfs_extent *e,
			     void *buf, size_t n, uint64_t off, size_t *got)
{
	struct cfs_cache *c = r->h->cache;
	struct cfs_object *o = r->h->obj;
	struct cfs_disk_record rec = record_of(o, e);
	bool is_checked = cached_now_s() - e->checked_s < TRUST_S;
	uint32_t skip = (uint32_t)(off - e->rec_off);
	int rc;

	o->is_served = o->is_served || !o->is_checked;
	pthread_mutex_unlock(&c->lock);
	if (is_checked)
		rc = cfs_disk_read_part(&rec, skip, buf, n);
	else if (n == rec.e.n)
		rc = cfs_disk_read(&rec, buf);
	else
		rc = read_through(&rec, skip, buf, n);
	if (rc == CFS_OK && is_checked) {
		pthread_mutex_lock(&c->lock);
		*got = n;
		return CFS_OK;
	}
	if (rc != CFS_OK && rc != CFS_ENOMEM)
		cfs_disk_forget(c->disk, &rec);
	pthread_mutex_lock(&c->lock);
	if (rc == CFS_OK) {
		cached_note_checked(o, off, &rec);
		*got = n;
	} else if (rc == CFS_ENOMEM) {
		return cfs_error_nomem(r->ctx.err);
	} else {
		CFS_CACHE_COUNT(r->h, damaged, rc == CFS_EFORMAT);
		cfs_object_drop_record(o, &rec);
		if (rc != CFS_ENOTFOUND)	/* there may be
						 * another record */
			o->is_loaded = false;
	}
	return CFS_OK;
}

/* Picks up what other processes have cached.  True: try again. */
static bool refresh_unlocks(struct read *r)
{
	struct cfs_object *o = r->h->obj;
	struct cfs_cache *c = r->h->cache;
	uint64_t generation;

	if (c->disk == NULL || r->has_refreshed)
		return false;
	r->has_refreshed = true;
	pthread_mutex_unlock(&c->lock);
	generation = cfs_disk_refresh(c->disk);
	pthread_mutex_lock(&c->lock);
	if (!o->is_known && o->in_table && !o->is_loading)
		cfs_object_recall_unlocks(c, o);
	else if (generation != o->generation)
		o->is_loaded = false;
	return true;
}

/* Copies some bytes from off on, wherever they are, or makes the next
 * attempt possible. */
static int step_unlocks(struct read *r, void *buf, size_t n, uint64_t off,
			size_t *got, bool *is_end)
{
	struct cfs_object *o = r->h->obj;
	struct cfs_blob *b = NULL;
	struct cfs_extent *e;
	size_t have;
	int rc;

	if (o->is_changed)
		return cfs_object_error_changed(o, r->ctx.err);
	rc = cfs_object_load_unlocks(r->h->cache, o, r->ctx);
	if (rc != CFS_OK)
		return rc;
	r->h->base.size = o->size;
	r->h->base.mtime = o->mtime;
	*is_end = off >= o->size;
	if (*is_end)
		return CFS_OK;
	e = cfs_extents_at(&o->x, off);
	if (e == NULL || e->off > off) {
		rc = cfs_cancel_before_wait(r->ctx);
		if (rc != CFS_OK)	/* for a server */
			return rc;
		if (refresh_unlocks(r))
			return CFS_OK;
		rc = cfs_cancel_check(r->ctx.cancel, 0, r->ctx.err);
		if (rc != CFS_OK)
			return rc;
		r->has_requested = true;
		rc = fetch_unlocks(r, off, n, false);
		if (rc != CFS_OK || r->n_held == 0)
			return rc;
		b = r->held[0];
	} else {
		have = (size_t)(e->off + e->n - off);
		have = have < n ? have : n;
		if (e->blob == NULL)
			return read_disk_unlocks(r, e, buf, have, off, got);
		b = e->blob;
	}
	cfs_blob_pin(b);
	rc = await_unlocks(r, b, buf, n, off, got);
	cfs_blob_unpin(b);
	return rc;
}

/* Splits extents that are not yet on disk where a read begins and ends, so that
 * they are written as records with these bounds. */
static void note_bounds(struct cfs_object *o, uint64_t off, size_t n)
{
	uint64_t ends[2] = { off, off + n };

	if (o->x.n == 0)
		return;
	for (unsigned i = 0; i < 2; i++) {
		const struct cfs_extent *e = cfs_extents_at(&o->x, ends[i]);

		if (e != NULL && e->blob != NULL && e->seg == NULL)
			cfs_extents_split(&o->x, ends[i]);
	}
}

/* A shortcut for common cases: part of a record on disk that was checked a
 * moment ago, or a whole record. */
static bool read_fast(struct cfs_cached *h, void *buf, size_t n, uint64_t off)
{
	struct cfs_object *o = h->obj;
	bool ok = false, is_checked = false;
	struct cfs_disk_record rec;
	const struct cfs_extent *e;

	pthread_mutex_lock(&h->cache->lock);
	e = o->is_loaded && !o->is_changed ? cfs_extents_at(&o->x, off) : NULL;
	if (e != NULL && e->off <= off && off + n <= e->off + e->n &&
	    e->blob == NULL) {
		rec = record_of(o, e);
		is_checked = cached_now_s() - e->checked_s < TRUST_S;
		ok = is_checked || (off == e->rec_off && n == e->rec_n);
		o->is_served = o->is_served || (ok && !o->is_checked);
	}
	pthread_mutex_unlock(&h->cache->lock);
	if (!ok || is_checked)
		return ok && cfs_disk_read_part(&rec,
						(uint32_t)(off - rec.e.off),
						buf, n) == CFS_OK;
	if (cfs_disk_read(&rec, buf) != CFS_OK)
		return false;
	pthread_mutex_lock(&h->cache->lock);
	cached_note_checked(o, off, &rec);
	pthread_mutex_unlock(&h->cache->lock);
	return true;
}

static int cached_read_at(struct cfs_source *src, void *buf, size_t n,
			  uint64_t off, size_t *got, struct cfs_ctx ctx)
{
	struct cfs_cached *h = (struct cfs_cached *)src;
	struct read r = { .h = h, .ctx = ctx };
	bool is_end = false;
	int rc = cfs_cancel_before_file(ctx);

	*got = 0;
	if (rc != CFS_OK)	/* most of what is cached is on disk */
		return rc;
	if (n <= CFS_SEG_DATA_MAX && read_fast(h, buf, n, off)) {
		CFS_CACHE_COUNT(h, hits, 1);
		CFS_CACHE_COUNT(h, hit_bytes, n);
		*got = n;
		return CFS_OK;
	}
	if (n > UINT64_MAX - off)
		n = (size_t)(UINT64_MAX - off);
	pthread_mutex_lock(&h->cache->lock);
	note_bounds(h->obj, off, n);
	while (*got < n && !is_end && rc == CFS_OK) {
		size_t now = 0;

		if (cfs_cancelled(ctx.cancel))
			rc = cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
		else
			rc = step_unlocks(&r, (uint8_t *)buf + *got, n - *got,
				  off + *got, &now, &is_end);
		*got += now;
	}
	let_go(&r);
	pthread_mutex_unlock(&h->cache->lock);
	if (r.has_requested) {
		CFS_CACHE_COUNT(h, misses, 1);
		CFS_CACHE_COUNT(h, miss_bytes, *got);
	} else if (rc == CFS_OK) {
		CFS_CACHE_COUNT(h, hits, 1);
		CFS_CACHE_COUNT(h, hit_bytes, *got);
	}
	return rc;
}

static void cached_prefetch(struct cfs_source *src, uint64_t off, size_t n)
{
	struct cfs_cached *h = (struct cfs_cached *)src;
	struct cfs_cache *c = h->cache;
	struct cfs_object *o = h->obj;
	struct read r = { .h = h };
	struct cached_part v[PARTS_MAX];
	uint64_t end = off + n;

	if (h->inner->ops->start == NULL || n > c->mem_max / 2 || end < off)
		return;
	pthread_mutex_lock(&c->lock);
	if (o->is_changed ||
	    cfs_object_load_unlocks(c, o, CFS_CTX(NULL, NULL)) != CFS_OK)
		goto out;
	if (refresh_unlocks(&r) &&
	    cfs_object_load_unlocks(c, o, CFS_CTX(NULL, NULL)) != CFS_OK)
		goto out;
	if (end > o->size)
		end = o->size;
	note_bounds(o, off, n);
	if (off < end && c->ahead + n <= c->mem_max / 2 &&
	    cached_find_parts(o, off, end, fetch_max(c), v) > 0 &&
	    cfs_blob_has_room(c, n))
		fetch_unlocks(&r, off, (size_t)(end - off), true);
out:
	pthread_mutex_unlock(&c->lock);
}

static int cached_find_size(struct cfs_source *src, struct cfs_ctx ctx)
{
	struct cfs_cached *h = (struct cfs_cached *)src;
	char validator[CFS_VALIDATOR_BYTES] = "";
	struct cfs_object *o = h->obj;
	bool has_validator;
	int rc = CFS_OK;

	pthread_mutex_lock(&h->cache->lock);
	if (o->is_changed)
		rc = cfs_object_error_changed(o, ctx.err);
	else if (o->size != CFS_SIZE_UNKNOWN)
		src->size = o->size;
	pthread_mutex_unlock(&h->cache->lock);
	if (rc != CFS_OK || src->size != CFS_SIZE_UNKNOWN)
		return rc;
	rc = cfs_source_find_size(h->inner, ctx);
	if (rc != CFS_OK)
		return rc;
	has_validator = cfs_source_validator(h->inner, validator);
	pthread_mutex_lock(&h->cache->lock);
	if (has_validator)
		rc = cfs_object_confirm(o, validator, h->inner->size,
					h->inner->mtime, ctx.err);
	else if (!o->is_known)
		o->size = h->inner->size;
	src->size = o->size;
	src->mtime = h->inner->mtime;
	pthread_mutex_unlock(&h->cache->lock);
	return rc;
}

/* The validator of the state being read: the one seen last, until an answer
 * has come. */
static bool cached_validator(struct cfs_source *src,
			     char out[CFS_VALIDATOR_BYTES])
{
	struct cfs_cached *h = (struct cfs_cached *)src;
	const struct cfs_object *o = h->obj;
	bool is_known;

	pthread_mutex_lock(&h->cache->lock);
	is_known = o->is_known && !o->is_changed && o->validator[0] != '\0' &&
		   strlen(o->validator) < CFS_VALIDATOR_BYTES;
	if (is_known)
		memcpy(out, o->validator, strlen(o->validator) + 1);
	pthread_mutex_unlock(&h->cache->lock);
	return is_known;
}

/* Drops extents in [off, end), except those in flight.  True if there
 * were any. */
static bool drop_range(struct cfs_object *o, uint64_t off, uint64_t end)
{
	struct cfs_extent *e;
	bool any = false;

	while ((e = cfs_extents_next(&o->x, &off, end)) != NULL) {
		if (e->blob != NULL && e->blob->state == CFS_BLOB_IN_FLIGHT)
			continue;
		cfs_extents_remove(&o->x, e->off);
		any = true;
	}
	return any;
}

/* Forgets all records of a range: the older ones are as wrong. */
static void forget_on_disk(struct cfs_disk *d, const struct cfs_cache_id *id,
			   uint64_t off, uint64_t end)
{
	struct cfs_disk_record *v;
	size_t n;

	if (cfs_disk_find(d, id, &v, &n) != CFS_OK)
		return;
	for (size_t i = 0; i < n; i++)
		if (v[i].e.kind == CFS_CACHE_DATA && v[i].e.off < end &&
		    v[i].e.off + v[i].e.n > off)
			cfs_disk_forget(d, &v[i]);
	free(v);
}

static bool cached_forget(struct cfs_source *src, uint64_t off, uint64_t n)
{
	struct cfs_cached *h = (struct cfs_cached *)src;
	uint64_t end = n < UINT64_MAX - off ? off + n : UINT64_MAX;
	struct cfs_cache *c = h->cache;
	struct cfs_cache_id id;
	bool any;

	pthread_mutex_lock(&c->lock);
	any = drop_range(h->obj, off, end);
	id = h->obj->id;
	pthread_mutex_unlock(&c->lock);
	CFS_CACHE_COUNT(h, damaged, any);
	if (any && c->disk != NULL)
		forget_on_disk(c->disk, &id, off, end);
	return any;
}

/* ---- opening and closing ---------------------------------------------- */

/* Requests stay in flight: the cache waits for them, and so does a source
 * that opens the object again.  If they were ended here, they would be
 * sent twice. */
static void cached_close(struct cfs_source *src)
{
	struct cfs_cached *h = (struct cfs_cached *)src;
	bool is_changed = false;

	if (h->obj != NULL) {
		pthread_mutex_lock(&h->cache->lock);
		is_changed = h->obj->is_changed;
		cfs_object_put(h->cache, h->obj);
		pthread_mutex_unlock(&h->cache->lock);
	}
	if (is_changed)
		cfs_source_abandon(h->inner);
	cfs_source_close(h->inner);
	free(h);
}

static const struct cfs_source_ops cached_ops = {
	.read_at = cached_read_at, .close = cached_close,
	.prefetch = cached_prefetch, .find_size = cached_find_size,
	.validator = cached_validator, .forget = cached_forget,
};

/* Requests one byte, to learn whether what is cached still holds; waits for at
 * most ms. */
static int validate(struct cfs_cached *h, unsigned ms, struct cfs_ctx ctx)
{
	int64_t until_ms = cfs_monotonic_ms() + ms;
	struct cfs_cache *c = h->cache;
	struct cfs_blob *b;
	int rc = CFS_OK;

	pthread_mutex_lock(&c->lock);
	if (!h->obj->is_known || h->obj->is_checked || h->obj->size == 0 ||
	    h->inner->ops->start == NULL)
		goto out;
	b = cfs_blob_new(h, 0, 0, false);
	if (b == NULL)
		goto out;
	cfs_blob_pin(b);
	pthread_mutex_unlock(&c->lock);
	rc = h->inner->ops->start(h->inner, 0, 1, cfs_blob_complete, b,
				  &b->came, NULL);
	if (rc != CFS_OK)
		cfs_blob_complete(b, rc, CFS_SLICE_EMPTY, NULL);
	pthread_mutex_lock(&c->lock);
	while (b->state == CFS_BLOB_IN_FLIGHT && !cfs_cancelled(ctx.cancel) &&
	       cfs_monotonic_ms() < until_ms)
		cfs_cond_wait_ms(&b->done, &c->lock, CFS_WAIT_SLICE_MS);
	rc = b->state == CFS_BLOB_FAILED && b->rc == CFS_ENOTFOUND ? b->rc :
								     CFS_OK;
	if (rc != CFS_OK)
		cfs_error_at(ctx.err, rc, h->obj->url, 0, "%s", b->err != NULL ?
			     b->err->text : "is no longer there");
	else if (!h->obj->is_checked)
		cfs_log(CFS_LOG_INFO, "%s: no answer: what is cached is shown",
			h->obj->url);
	cfs_blob_unpin(b);
out:
	h->base.size = h->obj->size;
	pthread_mutex_unlock(&c->lock);
	return rc;
}

int cfs_cached_open(struct cfs_source **out, struct cfs_cache *c,
		    struct cfs_source *inner,
		    const struct cfs_cached_opts *opts, struct cfs_ctx ctx)
{
	struct cfs_cached *h = calloc(1, sizeof(*h));
	bool is_new = false;
	int rc;

	*out = NULL;
	if (h == NULL) {
		cfs_source_close(inner);
		return cfs_error_nomem(ctx.err);
	}
	h->cache = c;
	h->inner = inner;
	h->counters = opts->counters;
	if (c->disk != NULL)
		cfs_disk_get_ready(c->disk);
	pthread_mutex_lock(&c->lock);
	if (cfs_writer_start(c) == CFS_OK)
		h->obj = cfs_object_get(c, opts->url, &is_new);
	if (h->obj != NULL && is_new)
		cfs_object_recall_unlocks(c, h->obj);
	while (h->obj != NULL && h->obj->is_loading)
		pthread_cond_wait(&c->loaded, &c->lock);
	pthread_mutex_unlock(&c->lock);
	rc = h->obj == NULL ? cfs_error_nomem(ctx.err) :
	     cfs_source_init(&h->base, &cached_ops, inner->size, inner->name,
			     ctx.err);
	if (rc != CFS_OK) {
		cached_close(&h->base);
		return rc;
	}
	h->base.url = strdup(opts->url);
	h->base.mtime = inner->mtime;
	pthread_mutex_lock(&c->lock);
	if (h->obj->size != CFS_SIZE_UNKNOWN) {
		h->base.size = h->obj->size;
		h->base.mtime = h->obj->mtime;
	}
	pthread_mutex_unlock(&c->lock);
	if (opts->validate_ms > 0)
		rc = validate(h, opts->validate_ms, ctx);
	if (rc != CFS_OK) {
		cfs_source_close(&h->base);
		return rc;
	}
	*out = &h->base;
	return CFS_OK;
}
