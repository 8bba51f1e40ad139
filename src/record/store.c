/* store.c - gets records by their place in an archive, and their sizes.
 *
 * A cache (base/lru.h) of inflated records over the open archives (archives.h).
 * A record is inflated into one block of memory (extract.h), from which the
 * parsed record borrows.
 *
 * Everything the index says is checked against the bytes: the range must lie in
 * the file, its members must be whole and begin with a record.
 * Elsewhere: records as members (store_member.c).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "store_internal.h"

#include <stdlib.h>

#include "base/clamp.h"
#include "base/spill.h"
#include "body.h"
#include "extract.h"
#include "parse.h"

#define CACHE_DEFAULT ((size_t)64 << 20)
/* Estimated memory for the fields of a record's heads. */
#define FIELDS_COST 3072u

/* First guess at a record's inflated size, as a multiple of its stored size. */
#define GUESS_RATIO 16u
#define GUESS_MIN ((size_t)64 << 10)
/* Records longer than this part of the budget are put into files, within the
 * two limits below: many can be loaded at once. */
#define SPILL_PART 16u
#define SPILL_MIN ((size_t)1 << 20)
#define SPILL_MAX ((size_t)32 << 20)
/* This part of a record in a file counts as memory, for its room on disk. */
#define SPILLED_PART 256u
/* Records in files that nobody uses any more are kept up to so many bytes, of
 * all stores: what is inflated is no measure of what was sent. */
#define SPILLED_KEPT_MAX ((uint64_t)128 << 20)

static _Atomic uint64_t spilled_bytes;

struct cfs_wanted cfs_wanted_of(struct cfs_store *s, struct cfs_slice name,
				const struct cfs_span *span)
{
	return (struct cfs_wanted){ s, cfs_archives_query(&s->archives, name),
				    span };
}

int cfs_wanted_archive(const struct cfs_wanted *q, struct cfs_lru_ref **out,
		       struct cfs_ctx ctx)
{
	return cfs_archives_get(&q->store->archives, &q->archive, out, ctx);
}

bool cfs_wanted_retry_next_base(struct cfs_wanted *q, int rc,
				struct cfs_error *err)
{
	if (!cfs_archives_search_further(&q->archive, rc))
		return false;
	cfs_error_clear(err);
	return true;
}

/* ---- files ---- */

int cfs_store_source(struct cfs_store *s, struct cfs_slice archive_name,
		     struct cfs_source **out, struct cfs_ctx ctx)
{
	struct cfs_wanted q = cfs_wanted_of(s, archive_name, NULL);
	struct cfs_lru_ref *ref;
	int rc = cfs_wanted_archive(&q, &ref, ctx);

	*out = NULL;
	if (rc != CFS_OK)
		return rc;
	*out = cfs_source_ref(
			((const struct cfs_archive *)cfs_lru_obj(ref))->src);
	cfs_lru_put(ref);
	return CFS_OK;
}

int cfs_store_use(struct cfs_store *s, struct cfs_slice archive_name,
		  cfs_store_user *use, void *arg, struct cfs_ctx ctx)
{
	struct cfs_wanted q = cfs_wanted_of(s, archive_name, NULL);
	int rc;

	do {
		const struct cfs_archive *a;
		struct cfs_lru_ref *ref;

		rc = cfs_wanted_archive(&q, &ref, ctx);
		if (rc != CFS_OK)
			continue;
		a = cfs_lru_obj(ref);
		rc = use(arg, a->src, ctx);
		cfs_lru_put(ref);
	} while (cfs_wanted_retry_next_base(&q, rc, ctx.err));
	return rc;
}

struct file_stretch {
	uint64_t offset;
	void *buf;
	size_t n;
};

static int read_stretch(void *arg, struct cfs_source *src, struct cfs_ctx ctx)
{
	const struct file_stretch *p = arg;

	return cfs_source_read(src, p->buf, p->n, p->offset, ctx);
}

int cfs_store_read(struct cfs_store *s, struct cfs_slice archive_name,
		   uint64_t offset, void *buf, size_t n, struct cfs_ctx ctx)
{
	struct file_stretch p = { offset, buf, n };
	int rc = cfs_store_use(s, archive_name, read_stretch, &p, ctx);

	if (rc == CFS_OK)
		atomic_fetch_add_explicit(&s->extractor.read_bytes, n,
					  memory_order_relaxed);
	return rc;
}

void cfs_store_prefetch(struct cfs_store *s, struct cfs_slice archive_name,
			const struct cfs_span *span)
{
	struct cfs_wanted q = cfs_wanted_of(s, archive_name, span);
	struct cfs_lru_ref *ref;
	const struct cfs_archive *a;

	if (cfs_wanted_archive(&q, &ref, CFS_CTX(NULL, NULL)) != CFS_OK)
		return;
	a = cfs_lru_obj(ref);
	if (span->length > 0 && span->length <= s->extractor.max_record)
		cfs_source_prefetch(a->src, span->offset, (size_t)span->length);
	cfs_lru_put(ref);
}

/* ---- the record cache ---- */

void cfs_stored_free(void *object)
{
	struct cfs_stored_object *o = object;

	if (o == NULL)
		return;
	spilled_bytes -= o->spilled;
	cfs_record_release(&o->record);
	cfs_buf_release(&o->bytes);
	free(o);
}

static int no_record(const struct cfs_archive *a, const struct cfs_span *span,
		     struct cfs_error *err)
{
	return cfs_error_at(err, CFS_EFORMAT, a->src->name, span->offset,
			    "no record begins here");
}

/* Limits of a load, and its destination. */
struct room {
	size_t inflated;		/* most inflated, and most decoded */
	size_t total;			/* most bytes of both */
	const char *dir;		/* for a file; NULL: memory */
};

static int parse_object(struct cfs_archive *a, const struct cfs_wanted *q,
			const struct room *room, struct cfs_stored_object *o,
			enum cfs_extract_end end, struct cfs_ctx ctx)
{
	size_t left = room->total - o->bytes.cap;
	struct cfs_record_limits limits = {
		.max_body_bytes = left < room->inflated ? left : room->inflated,
		.spill_dir = room->dir,
	};
	struct cfs_slice bytes = cfs_buf_slice(&o->bytes);
	bool is_cc;
	int rc = cfs_archive_is_common_crawl(a, &is_cc, ctx);

	if (rc != CFS_OK)
		return rc;
	if (!cfs_record_is_start(bytes))
		return no_record(a, q->span, ctx.err);
	rc = cfs_record_parse(&o->record, bytes,
			      is_cc ? CFS_PARSE_COMMON_CRAWL : 0, &limits,
			      NULL, ctx.err);
	cfs_error_where(ctx.err, a->src->name, q->span->offset);
	if (rc == CFS_OK && (end == CFS_EXTRACT_CUT ||
			     (end == CFS_EXTRACT_SHORT &&
			      cfs_record_ends_short(&o->record))))
		o->record.is_cut_off = o->record.is_cut = true;
	return rc;
}

static uint64_t on_disk(const struct cfs_buf *b)
{
	return b->spill != NULL ? b->cap : 0;
}

/* Makes one attempt.  CFS_ELIMIT: the room is not enough. */
static int load_into(const struct cfs_wanted *q, struct cfs_archive *a,
		     const struct room *room, struct cfs_stored_object **out,
		     struct cfs_ctx ctx)
{
	struct cfs_stored_object *o = calloc(1, sizeof(*o));
	enum cfs_extract_end end;
	int rc = CFS_OK;

	cfs_error_clear(ctx.err);
	if (o == NULL)
		return cfs_error_nomem(ctx.err);
	cfs_buf_init(&o->bytes, room->inflated);
	if (room->dir != NULL)
		rc = cfs_spill_begin(&o->bytes, room->dir, ctx.err);
	if (rc == CFS_OK)
		rc = cfs_extract_record(&q->store->extractor, a, q->span,
					&o->bytes, &end, ctx);
	if (rc == CFS_OK && room->dir != NULL)
		cfs_spill_finish(&o->bytes);
	if (rc == CFS_OK)
		rc = parse_object(a, q, room, o, end, ctx);
	if (rc != CFS_OK) {
		cfs_stored_free(o);
		return rc;
	}
	o->spilled = on_disk(&o->bytes) + on_disk(&o->record.decoded);
	spilled_bytes += o->spilled;
	*out = o;
	return CFS_OK;
}

static size_t cost_of(const struct cfs_buf *b)
{
	return b->spill == NULL ? b->cap : b->cap / SPILLED_PART;
}

size_t cfs_stored_cost(const struct cfs_stored_object *o)
{
	return sizeof(*o) + FIELDS_COST + cost_of(&o->bytes) +
	       cost_of(&o->record.decoded);
}

/*
 * Loads into memory, which is reserved first: for the stored bytes, and a
 * multiple of them for the inflated ones.  If that is not enough, and more is
 * to be had without waiting, loads once more.  CFS_ELIMIT: it must be spilled.
 */
static int load_in_memory(const struct cfs_wanted *q, struct cfs_archive *a,
			  struct cfs_stored_object **out, struct cfs_ctx ctx)
{
	size_t most = q->store->spill_bytes, stored;
	size_t max = cfs_store_max_record(q->store);
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_budget_load load;
	struct room room;
	int rc;

	most = max < most ? max : most;
	if (q->span->length > most || q->span->inner_length > most)
		return CFS_ELIMIT;
	stored = (size_t)(q->span->inner_length > 0 ? q->span->inner_length :
			  q->span->length);
	room.inflated = stored > most / GUESS_RATIO ? most :
			stored * GUESS_RATIO + GUESS_MIN;
	room.inflated = room.inflated < most ? room.inflated : most;
	room.total = room.inflated + stored;
	room.dir = NULL;
	rc = cfs_budget_begin(&load, q->store->budget, CFS_MEM_RECORDS,
			      room.total, ctx);
	if (rc != CFS_OK)
		return rc;
	rc = load_into(q, a, &room, out, CFS_CTX(ctx.cancel, &e));
	if (rc == CFS_ELIMIT && cfs_budget_grow(&load, 2 * most)) {
		room.inflated = most;
		room.total += 2 * most;
		rc = load_into(q, a, &room, out, CFS_CTX(ctx.cancel, &e));
	}
	cfs_budget_end(&load, rc == CFS_OK ? cfs_stored_cost(*out) : 0);
	return rc == CFS_ELIMIT ? rc : cfs_error_pass(ctx.err, &e, rc);
}

/* Loads into a file: this takes the same little memory for any size. */
static int load_spilled(const struct cfs_wanted *q, struct cfs_archive *a,
			struct cfs_stored_object **out, struct cfs_ctx ctx)
{
	struct cfs_store *s = q->store;
	struct room room = { cfs_store_max_record(s), SIZE_MAX, s->spill_dir };
	struct cfs_budget_load load;
	int rc = cfs_cancel_before_wait(ctx);

	if (rc != CFS_OK)		/* for the disk */
		return rc;
	if (s->spill_dir == NULL && cfs_store_max_record(s) > s->spill_bytes)
		return cfs_error_at(ctx.err, CFS_ELIMIT, a->src->name,
				    q->span->offset, "record of more than %zu "
				    "bytes: raise -o mem=, or name a folder "
				    "with room by -o cache=", s->spill_bytes);
	rc = cfs_budget_begin(&load, s->budget, CFS_MEM_RECORDS,
			      CFS_STORE_SPILLING_BYTES, ctx);
	if (rc != CFS_OK)
		return rc;
	rc = load_into(q, a, &room, out, ctx);
	cfs_budget_end(&load, rc == CFS_OK ? cfs_stored_cost(*out) : 0);
	return rc;
}

static int load_object(const struct cfs_wanted *q, struct cfs_archive *a,
		       struct cfs_stored_object **out, struct cfs_ctx ctx)
{
	struct room any = { cfs_store_max_record(q->store), SIZE_MAX, NULL };
	int rc;

	if (q->store->budget == NULL)
		return load_into(q, a, &any, out, ctx);
	rc = load_in_memory(q, a, out, ctx);
	return rc == CFS_ELIMIT ? load_spilled(q, a, out, ctx) : rc;
}

static int load_record(void *arg, struct cfs_lru_key key, void **obj,
		       size_t *obj_bytes, struct cfs_ctx ctx)
{
	struct cfs_error e = CFS_ERROR_INIT;
	const struct cfs_wanted *q = arg;
	struct cfs_archive *a;
	struct cfs_lru_ref *ref;
	struct cfs_stored_object *o;
	int rc;

	(void)key;
	rc = cfs_wanted_archive(q, &ref, ctx);
	if (rc != CFS_OK)
		return rc;
	a = cfs_lru_obj(ref);
	rc = load_object(q, a, &o, CFS_CTX(ctx.cancel, &e));
	if (cfs_source_may_read_again(a->src, q->span->offset, q->span->length,
				      rc, &e))
		rc = load_object(q, a, &o, CFS_CTX(ctx.cancel, &e));
	if (rc == CFS_OK) {
		*obj = o;
		*obj_bytes = cfs_stored_cost(o);
	} else {
		cfs_error_pass(ctx.err, &e, rc);
	}
	cfs_lru_put(ref);
	return rc;
}

static struct cfs_lru_key record_key(const struct cfs_wanted *q)
{
	return (struct cfs_lru_key){ q->span->offset, q->span->length,
				     q->span->inner_offset,
				     q->span->inner_length, q->archive.name };
}

int cfs_store_get(struct cfs_store *s, struct cfs_slice archive_name,
		  const struct cfs_span *span, struct cfs_stored **out,
		  struct cfs_ctx ctx)
{
	struct cfs_wanted q = cfs_wanted_of(s, archive_name, span);
	struct cfs_lru_ref *ref;
	int rc;

	do
		rc = cfs_lru_get(s->records, record_key(&q), load_record, &q,
				 &ref, ctx);
	while (cfs_wanted_retry_next_base(&q, rc, ctx.err));
	*out = rc == CFS_OK ? (struct cfs_stored *)ref : NULL;
	return rc;
}

void cfs_stored_put(struct cfs_stored *r)
{
	struct cfs_lru_ref *ref = (struct cfs_lru_ref *)r;
	const struct cfs_stored_object *o = ref != NULL ? cfs_lru_obj(ref) :
							  NULL;

	if (o != NULL && o->spilled > 0 && spilled_bytes > SPILLED_KEPT_MAX)
		cfs_lru_drop(ref);
	else
		cfs_lru_put(ref);
}

const struct cfs_record *cfs_stored_record(const struct cfs_stored *r)
{
	const struct cfs_stored_object *o =
		cfs_lru_obj((const struct cfs_lru_ref *)r);

	return &o->record;
}

void cfs_stored_release_part(const struct cfs_buf *b, struct cfs_slice part)
{
	if (b->spill != NULL && part.p >= b->p && part.p < b->p + b->n)
		cfs_spill_out_around(b, part);
}

/* ---- sizes ---- */

/* Tells the size of the body of a record, which is put. */
static void known_bytes(struct cfs_stored *st, uint64_t *bytes, bool *is_exact)
{
	*bytes = cfs_stored_record(st)->body.n;
	*is_exact = !cfs_stored_record(st)->is_cut_off &&
		    !cfs_record_body_is_cut(cfs_stored_record(st));
	cfs_stored_put(st);
}

int cfs_store_body_known(struct cfs_store *s, struct cfs_slice archive_name,
			 const struct cfs_span *span, uint64_t *bytes,
			 bool *is_exact, bool *is_local, struct cfs_ctx ctx)
{
	struct cfs_wanted q = cfs_wanted_of(s, archive_name, span);
	struct cfs_lru_ref *ref = cfs_lru_peek(s->records, record_key(&q));
	struct cfs_archive *a;
	bool is_cc;
	int rc;

	*is_exact = *is_local = false;
	if (ref != NULL) {
		known_bytes((struct cfs_stored *)ref, bytes, is_exact);
		return CFS_OK;
	}
	/* finding the archive would take a request */
	if (q.archive.place->expects_base)
		return CFS_OK;
	rc = cfs_wanted_archive(&q, &ref, ctx);
	if (rc != CFS_OK)
		return rc;
	a = cfs_lru_obj(ref);
	*is_local = a->src->is_local;
	if (*is_local && span->inner_length == 0 &&
	    cfs_archive_is_common_crawl(a, &is_cc,
					CFS_CTX(ctx.cancel, NULL)) == CFS_OK)
		*is_exact = cfs_body_size_peek(a->src, span, is_cc, bytes);
	cfs_lru_put(ref);
	return CFS_OK;
}

int cfs_store_body_bytes(struct cfs_store *s, struct cfs_slice archive_name,
			 const struct cfs_span *span, uint64_t *bytes,
			 bool *is_exact, struct cfs_ctx ctx)
{
	struct cfs_stored *st;
	bool is_local;
	int rc = cfs_store_body_known(s, archive_name, span, bytes, is_exact,
				      &is_local, ctx);

	if (rc != CFS_OK || *is_exact || !is_local)
		return rc;
	rc = cfs_store_get(s, archive_name, span, &st, ctx);
	if (rc == CFS_OK)
		known_bytes(st, bytes, is_exact);
	return rc;
}

/* ---- the store ---- */

void cfs_store_free(struct cfs_store *s)
{
	if (s == NULL)
		return;
	cfs_lru_free(s->records);
	cfs_archives_release(&s->archives);
	free(s->spill_dir);
	free(s);
}

static int draw_on(struct cfs_store *s, const struct cfs_store_opts *opts)
{
	uint64_t n = cfs_budget_max(opts->budget) / SPILL_PART;

	s->budget = opts->budget;
	s->spill_bytes = (size_t)cfs_clamp_u64(n, SPILL_MIN, SPILL_MAX);
	if (opts->spill_dir != NULL)
		s->spill_dir = strdup(opts->spill_dir);
	cfs_lru_charge_to(s->records, s->budget, CFS_MEM_RECORDS, true);
	return opts->spill_dir == NULL || s->spill_dir != NULL ? CFS_OK :
								 CFS_ENOMEM;
}

bool cfs_stored_is_spilled(const struct cfs_stored *r)
{
	const struct cfs_stored_object *o;

	if (r == NULL)
		return false;
	o = cfs_lru_obj((const struct cfs_lru_ref *)r);
	return o->bytes.spill != NULL;
}

int cfs_store_spill(const struct cfs_store *s, struct cfs_buf *b,
		    struct cfs_error *err)
{
	return cfs_spill_begin(b, s->spill_dir, err);
}

void cfs_stored_release_pages(const struct cfs_stored *r, struct cfs_slice part)
{
	const struct cfs_stored_object *o;

	if (r == NULL)
		return;
	o = cfs_lru_obj((const struct cfs_lru_ref *)r);
	cfs_stored_release_part(&o->bytes, part);
	cfs_stored_release_part(&o->record.decoded, part);
}

size_t cfs_store_places(const struct cfs_store *s)
{
	return s->archives.n_places;
}

int cfs_store_new(struct cfs_store **out, const struct cfs_store_opts *opts,
		  struct cfs_error *err)
{
	struct cfs_store *s = calloc(1, sizeof(*s));
	int rc;

	*out = NULL;
	if (s == NULL)
		return cfs_error_nomem(err);
	s->extractor.max_record = opts->max_record_bytes > 0 ?
				  opts->max_record_bytes :
				  CFS_RECORD_MAX_DEFAULT;
	s->records = cfs_lru_new(opts->cache_bytes > 0 ? opts->cache_bytes :
				 CACHE_DEFAULT, cfs_stored_free);
	rc = s->records != NULL && opts->budget != NULL ? draw_on(s, opts) :
							  CFS_OK;
	if (rc == CFS_OK)
		rc = cfs_archives_init(&s->archives, opts->bases,
				       opts->place_of, opts->n_bases,
				       opts->opener, opts->cache_dir);
	if (s->records == NULL || rc != CFS_OK) {
		cfs_store_free(s);
		return cfs_error_nomem(err);
	}
	*out = s;
	return CFS_OK;
}

bool cfs_store_lacks(const struct cfs_store *s, struct cfs_slice archive)
{
	return cfs_archives_lack(&s->archives, archive);
}

bool cfs_store_lacked_all(const struct cfs_store *s)
{
	return atomic_load(&s->archives.has_lacked) &&
	       !atomic_load(&s->archives.has_opened);
}

void cfs_store_get_stats(struct cfs_store *s, struct cfs_store_stats *out)
{
	struct cfs_lru_stats l;

	cfs_lru_get_stats(s->records, &l);
	*out = (struct cfs_store_stats){
		.hits = l.hits, .misses = l.misses, .evicted = l.evicted,
		.bytes = l.bytes,
		.inflated_bytes = atomic_load(&s->extractor.inflated_bytes),
		.read_bytes = atomic_load(&s->extractor.read_bytes),
	};
}
