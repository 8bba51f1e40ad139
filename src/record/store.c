/* store.c - records by their place in an archive.
 *
 * Two caches (base/lru.h): open archives, and inflated records.  A record is
 * one read of exactly its byte range, inflated into one block of memory that
 * the parsed record borrows from.  Records that share a member with others
 * are reached by inflating from the member's start; a few streams are kept
 * where they stopped, so that reading in order is linear.
 *
 * Whatever the index says is checked against the bytes: the range must lie
 * in the file, its members must be whole and begin with a record.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "store.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arc.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/lru.h"
#include "body.h"
#include "gzmember.h"
#include "record_internal.h"
#include "scan.h"
#include "net/location.h"
#include "net/open.h"

#define CACHE_DEFAULT ((size_t)64 << 20)
/* Open archives kept: far below any limit of open files. */
#define ARCHIVES_MAX 128u
#define ARCHIVE_COST ((size_t)1 << 20)	/* of a cache of ARCHIVES_MAX such */
#define NAME_MAX_BYTES 4096u
/* Kinds of archives, told apart to know in which base they are. */
#define KINDS 16u
/* Streams kept in an archive whose members hold many records. */
#define STREAMS 4u
/* Inflating this much to reach a record deserves a warning. */
#define SLOW_BYTES (1u << 20)
/* Inflated from the start of a record to see its heads: most are shorter than
 * the first, few are longer than the second. */
#define PEEK_SHORT 2048u
#define PEEK_LONG 16384u

/* A stream that stopped at `pos` of what inflates from file offset `start`. */
struct parked {
	struct cfs_gz_stream *z;
	uint64_t start, pos, used;	/* used: when, for replacement */
};

struct archive {
	struct cfs_source *src;
	atomic_int is_cc;	/* Common Crawl's own ARC (record.h); -1: to be
				 * seen, by a request where it is remote */
	pthread_mutex_t lock;
	struct parked parked[STREAMS];	/* guarded by lock */
	uint64_t clock;			/* guarded by lock */
	bool warned;			/* guarded by lock */
};

/* What the record cache holds.  A struct cfs_stored is the cache's pin. */
struct object {
	struct cfs_record record;
	uint8_t *bytes;			/* inflated, or as read */
	size_t n;
	struct cfs_span loc;
};

/* Where archives are looked for.  A folder is held open: the crawl may be
 * mounted over it. */
struct base {
	char *path;
	int fd;		/* -1: none yet, or it is an URL */
};

struct cfs_store {
	struct cfs_lru *archives, *records;
	uint64_t max_record;
	struct base *bases;
	size_t n_bases;
	/* Several bases, all of them URLs: asking where an archive is costs a
	 * request for each base.  So archives of a kind are taken to be where
	 * the last one was that had to be looked for (at first, in the first
	 * base); the others are asked when it is not there. */
	bool may_assume;
	atomic_uint home[KINDS];
	struct cfs_opener opener;
	atomic_uint_least64_t inflated_bytes, read_bytes;
};

/* What a loader needs to know. */
struct request {
	struct cfs_store *store;
	struct cfs_slice name;
	const struct cfs_span *loc;
	bool is_sure;	/* the archive is looked for, wherever others are; */
	unsigned home;	/* but not in this base: it was not there */
};

/* ---- archives ---- */

static void free_archive(void *p)
{
	struct archive *a = p;

	for (size_t i = 0; i < STREAMS; i++)
		cfs_gz_stream_free(a->parked[i].z);
	cfs_source_close(a->src);
	pthread_mutex_destroy(&a->lock);
	free(a);
}

/* Names come from indexes: they must stay below the base. */
static int check_name(struct cfs_slice name, struct cfs_error *err)
{
	struct cfs_slice rest = name;

	if (name.n == 0 || name.n > NAME_MAX_BYTES || name.p[0] == '/' ||
	    cfs_slice_find(name, '\0') >= 0)
		return cfs_error_set(err, CFS_EFORMAT,
				     "archive name '%.*s' is not usable",
				     (int)(name.n < 80 ? name.n : 80),
				     (const char *)name.p);
	while (rest.n > 0) {
		ptrdiff_t slash = cfs_slice_find(rest, '/');
		size_t n = slash < 0 ? rest.n : (size_t)slash;

		if (cfs_slice_eq(cfs_slice_sub(rest, 0, n),
				 CFS_SLICE_LIT("..")))
			return cfs_error_set(err, CFS_EFORMAT,
				"archive name '%.*s' leaves its folder",
				(int)(name.n < 80 ? name.n : 80),
				(const char *)name.p);
		rest = cfs_slice_from(rest, n + 1);
	}
	return CFS_OK;
}

static int open_file(void *arg, const char *location, struct cfs_source **out,
		     const struct cfs_cancel *cancel, struct cfs_error *err)
{
	(void)arg;
	(void)cancel;
	return cfs_location_open(out, location, err);
}

/* A remote object is opened without a request: where there are several
 * places to look in, whether it is there has to be asked. */
static int open_elsewhere(struct cfs_store *s, const char *path, bool ask,
			  struct cfs_source **out,
			  const struct cfs_cancel *cancel,
			  struct cfs_error *err)
{
	int rc = s->opener.open(s->opener.arg, path, out, cancel, err);

	if (rc != CFS_OK || !ask || (*out)->size != CFS_SIZE_UNKNOWN)
		return rc;
	rc = cfs_source_find_size(*out, cancel, err);
	if (rc != CFS_OK) {
		cfs_source_close(*out);
		*out = NULL;
	}
	return rc;
}

static int open_in(struct cfs_store *s, const struct base *base, bool ask,
		   struct cfs_slice name, struct cfs_source **out,
		   const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct cfs_buf path;
	const char *p;
	int rc;

	cfs_buf_init(&path, 4 * NAME_MAX_BYTES);
	if (cfs_location_is_url(base->path)) {
		cfs_location_join(&path, base->path, name);
	} else {
		cfs_buf_adds(&path, base->path);
		if (path.n > 0 && path.p[path.n - 1] != '/')
			cfs_buf_addc(&path, '/');
		cfs_buf_add(&path, name);
	}
	cfs_buf_addc(&path, '\0');
	p = (const char *)path.p;
	if (path.failed != CFS_OK)
		rc = cfs_error_set(err, path.failed,
				   "archive name is too long");
	else if (base->fd >= 0)
		rc = cfs_source_open_file_at(out, base->fd,
					     p + path.n - 1 - name.n, p, err);
	else
		rc = open_elsewhere(s, p, ask, out, cancel, err);
	cfs_buf_release(&path);
	return rc;
}

/* ".warc.gz", ".arc.gz"; of textData-00012, "textData". */
static unsigned kind_of(struct cfs_slice name)
{
	struct cfs_slice base = cfs_slice_from(name, (size_t)
					(cfs_slice_rfind(name, '/') + 1));
	ptrdiff_t point = cfs_slice_find(base, '.');
	ptrdiff_t dash = cfs_slice_find(base, '-');

	if (point >= 0)
		base = cfs_slice_from(base, (size_t)point);
	else if (dash >= 0)
		base.n = (size_t)dash;
	return (unsigned)(cfs_hash64(base, 0) % KINDS);
}

static struct request request_of(struct cfs_store *s, struct cfs_slice name,
				 const struct cfs_span *loc)
{
	return (struct request){ .store = s, .name = name, .loc = loc,
				 .home = s->may_assume ?
					 s->home[kind_of(name)] : 0 };
}

/* It was not where it was taken to be: true if it may be elsewhere, and then
 * q is to be tried once more. */
static bool look_elsewhere(struct request *q, int rc)
{
	if (rc != CFS_ENOTFOUND || !q->store->may_assume || q->is_sure)
		return false;
	q->is_sure = true;
	return true;
}

static int open_below(const struct request *q, struct cfs_source **out,
		      const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct cfs_store *s = q->store;
	struct cfs_error e = CFS_ERROR_INIT;
	int rc = CFS_ENOTFOUND;

	if (s->may_assume && !q->is_sure)
		return open_in(s, &s->bases[q->home], false, q->name, out,
			       cancel, err);
	for (unsigned i = 0; i < s->n_bases && rc == CFS_ENOTFOUND; i++) {
		if (s->may_assume && i == q->home)
			continue;
		e = CFS_ERROR_INIT;
		rc = open_in(s, &s->bases[i], s->n_bases > 1, q->name, out,
			     cancel, &e);
		if (rc == CFS_OK && s->may_assume)
			atomic_store(&s->home[kind_of(q->name)], i);
	}
	return rc == CFS_OK ? rc :
	       cfs_error_at(err, rc, e.where, 0, "%s", e.text);
}

static int load_archive(void *arg, struct cfs_lru_key key, void **obj,
			size_t *obj_bytes, const struct cfs_cancel *cancel,
			struct cfs_error *err)
{
	const struct request *q = arg;
	struct archive *a;
	int rc;

	(void)key;
	a = calloc(1, sizeof(*a));
	if (a == NULL)
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	pthread_mutex_init(&a->lock, NULL);
	atomic_init(&a->is_cc, -1);
	rc = open_below(q, &a->src, cancel, err);
	if (rc != CFS_OK) {
		free_archive(a);
		return rc;
	}
	*obj = a;
	*obj_bytes = ARCHIVE_COST;
	return CFS_OK;
}

static int look_at_archive(struct archive *a, const struct cfs_cancel *cancel,
			   struct cfs_error *err)
{
	bool yes;
	int rc;

	if (a->is_cc >= 0)
		return CFS_OK;
	rc = cfs_scan_is_common_crawl(a->src, &yes, cancel, err);
	if (rc == CFS_OK)
		a->is_cc = yes;
	return rc;
}

/* Keeps the first report, as all do: of several tries, the last one's. */
static int pass_error(int rc, const struct cfs_error *e, struct cfs_error *err)
{
	if (rc != CFS_OK && err != NULL && err->code == CFS_OK)
		*err = *e;
	return rc;
}

/* where: 0, or the number of the base it is taken to be in, from 1. */
static struct cfs_lru_key archive_key(struct cfs_slice name, unsigned where)
{
	return (struct cfs_lru_key){ where, 0, 0, 0, name };
}

static int get_archive(const struct request *q, struct cfs_lru_ref **out,
		       const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct request copy = *q;
	struct cfs_lru *archives = q->store->archives;
	struct cfs_lru_key sure = archive_key(q->name, 0), key = sure;
	int rc = check_name(q->name, err);

	*out = NULL;
	if (rc != CFS_OK)
		return rc;
	if (q->store->may_assume && !q->is_sure) {
		*out = cfs_lru_peek(archives, sure);
		key = archive_key(q->name, q->home + 1);
	}
	return *out != NULL ? CFS_OK : cfs_lru_get(archives, key, load_archive,
						   &copy, out, cancel, err);
}

int cfs_store_source(struct cfs_store *s, struct cfs_slice archive_name,
		     struct cfs_source **out, const struct cfs_cancel *cancel,
		     struct cfs_error *err)
{
	struct request q = request_of(s, archive_name, NULL);
	struct cfs_lru_ref *ref;
	int rc = get_archive(&q, &ref, cancel, err);

	*out = NULL;
	if (rc != CFS_OK)
		return rc;
	*out = cfs_source_ref(((const struct archive *)cfs_lru_obj(ref))->src);
	cfs_lru_put(ref);
	return CFS_OK;
}

int cfs_store_use(struct cfs_store *s, struct cfs_slice archive_name,
		  cfs_store_user *use, void *arg,
		  const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct request q = request_of(s, archive_name, NULL);
	struct cfs_error e;
	int rc;

	do {
		struct cfs_lru_ref *ref;

		e = CFS_ERROR_INIT;
		rc = get_archive(&q, &ref, cancel, &e);
		if (rc != CFS_OK)
			continue;
		rc = use(arg, ((const struct archive *)cfs_lru_obj(ref))->src,
			 cancel, &e);
		cfs_lru_put(ref);
	} while (look_elsewhere(&q, rc));
	return pass_error(rc, &e, err);
}

/* ---- records that have members (or a stretch of file) to themselves ---- */

static int damaged(const struct archive *a, const struct cfs_span *loc,
		   struct cfs_error *err, const char *why)
{
	return cfs_error_at(err, CFS_EFORMAT, a->src->name, loc->offset, "%s",
			    why);
}

/* The range of the record as the file has it.  *out is malloced. */
static int read_range(struct cfs_store *s, const struct archive *a,
		      const struct cfs_span *loc, uint8_t **out,
		      const struct cfs_cancel *cancel, struct cfs_error *err)
{
	size_t n;
	int rc;

	*out = NULL;
	if (loc->length == 0 || loc->offset >= a->src->size ||
	    loc->length > a->src->size - loc->offset)
		return cfs_error_at(err, CFS_EFORMAT, a->src->name, loc->offset,
			"file of %llu bytes has no record of %llu bytes here",
			(unsigned long long)a->src->size,
			(unsigned long long)loc->length);
	if (loc->length > s->max_record || loc->length > SIZE_MAX / 2)
		return cfs_error_at(err, CFS_ELIMIT, a->src->name, loc->offset,
				    "record of more than %llu bytes",
				    (unsigned long long)s->max_record);
	n = (size_t)loc->length;
	*out = malloc(n);
	if (*out == NULL)
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	rc = cfs_source_read(a->src, *out, n, loc->offset, cancel, err);
	if (rc != CFS_OK) {
		free(*out);
		*out = NULL;
		return rc;
	}
	atomic_fetch_add_explicit(&s->read_bytes, n, memory_order_relaxed);
	return CFS_OK;
}

/* All members of the range, quickly.  CFS_EFORMAT: look closer. */
static int inflate_fast(struct cfs_slice in, struct cfs_gz_out *out)
{
	size_t used, hint = cfs_gz_declared_size(in);
	int rc = CFS_OK;

	if (hint / 1032 > in.n || hint > out->max)
		hint = 0;	/* deflate cannot do that */
	while (rc == CFS_OK && in.n > 0) {
		rc = cfs_gz_member(in, out, hint, &used, NULL);
		hint = 0;
		if (rc == CFS_OK)
			in = cfs_slice_from(in, used);
	}
	return rc;
}

/* The same where that failed: tells damage from a cut-off file. */
static int inflate_slow(const struct archive *a, const struct cfs_span *loc,
			struct cfs_gz_out *out, const struct cfs_cancel *cancel,
			struct cfs_error *err)
{
	enum cfs_gz_state state = CFS_GZ_MORE;
	uint64_t end = loc->offset + loc->length;
	struct cfs_gz_stream *z;
	size_t got;
	int rc;

	out->n = 0;
	rc = cfs_gz_stream_new(&z, a->src, loc->offset, end, err);
	while (rc == CFS_OK && (state == CFS_GZ_MORE ||
				state == CFS_GZ_MEMBER_END)) {
		if (state == CFS_GZ_MEMBER_END) {
			rc = cfs_gz_stream_next(z, cancel, err);
			if (rc != CFS_OK)
				break;
		}
		rc = cfs_gz_out_reserve(out, 65536);
		if (rc != CFS_OK) {
			cfs_error_at(err, rc, a->src->name, loc->offset,
				     rc == CFS_ELIMIT ?
				     "record inflates to more than %zu bytes" :
				     "out of memory", out->max);
			break;
		}
		rc = cfs_gz_stream_read(z, out->p + out->n, out->cap - out->n,
					&got, &state, cancel, err);
		out->n += got;
	}
	if (rc == CFS_END)
		rc = CFS_OK;
	if (rc == CFS_OK && state == CFS_GZ_CUT && end != a->src->size)
		rc = damaged(a, loc, err, "gzip member is longer than the index says");
	else if (rc == CFS_OK && state == CFS_GZ_BAD)
		rc = damaged(a, loc, err, cfs_gz_stream_why(z));
	cfs_gz_stream_free(z);
	return rc;
}

static int read_own(struct cfs_store *s, const struct archive *a,
		    const struct cfs_span *loc, struct cfs_gz_out *out,
		    const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct cfs_slice in;
	uint8_t *raw;
	int rc = read_range(s, a, loc, &raw, cancel, err);

	if (rc != CFS_OK)
		return rc;
	in = cfs_slice_of(raw, (size_t)loc->length);
	if (!cfs_gz_is_start(in)) {
		out->p = raw;
		out->n = out->cap = in.n;
		return CFS_OK;
	}
	rc = inflate_fast(in, out);
	free(raw);
	if (rc != CFS_OK)
		rc = inflate_slow(a, loc, out, cancel, err);
	atomic_fetch_add_explicit(&s->inflated_bytes, out->n,
				  memory_order_relaxed);
	return rc;
}

/* Some indexes do not tell a record's length: its member does, where it has
 * one.  *out is loc with its length. */
static int settle_length(const struct cfs_store *s, const struct archive *a,
			 const struct cfs_span *loc,
			 struct cfs_span *out,
			 const struct cfs_cancel *cancel, struct cfs_error *err)
{
	enum cfs_gz_state state = CFS_GZ_MORE;
	struct cfs_gz_stream *z;
	uint64_t all = 0;
	uint8_t drop[16384];
	size_t got;
	int rc;

	*out = *loc;
	if (loc->length > 0 || loc->inner_length > 0)
		return CFS_OK;
	rc = cfs_gz_stream_new(&z, a->src, loc->offset, a->src->size, err);
	if (rc != CFS_OK)
		return rc;
	while (rc == CFS_OK && state == CFS_GZ_MORE) {
		rc = cfs_gz_stream_read(z, drop, sizeof(drop), &got, &state,
					cancel, err);
		all += got;
		if (rc == CFS_OK && all > s->max_record)
			rc = cfs_error_at(err, CFS_ELIMIT, a->src->name,
					  loc->offset, "record of more than"
					  " %llu bytes",
					  (unsigned long long)s->max_record);
	}
	if (rc == CFS_OK && state != CFS_GZ_MEMBER_END)
		rc = damaged(a, loc, err, "the index does not tell the record's"
			     " length, and no whole gzip member does");
	if (rc == CFS_OK)
		out->length = cfs_gz_stream_offset(z) - loc->offset;
	cfs_gz_stream_free(z);
	return rc;
}

/* ---- records that share a member ---- */

/* Takes the stream that stopped nearest before the record; z NULL: none. */
static struct parked take_stream(struct archive *a,
				 const struct cfs_span *loc, bool *warn)
{
	struct parked got = { NULL, loc->offset, 0, 0 }, *best = NULL;

	pthread_mutex_lock(&a->lock);
	for (size_t i = 0; i < STREAMS; i++) {
		struct parked *p = &a->parked[i];

		if (p->z != NULL && p->start == loc->offset &&
		    p->pos <= loc->inner_offset &&
		    (best == NULL || p->pos > best->pos))
			best = p;
	}
	if (best != NULL) {
		got = *best;
		best->z = NULL;
	}
	*warn = loc->inner_offset > SLOW_BYTES && !a->warned;
	a->warned = a->warned || *warn;
	pthread_mutex_unlock(&a->lock);
	return got;
}

static void park_stream(struct archive *a, struct parked p)
{
	struct parked *oldest = &a->parked[0];
	struct cfs_gz_stream *dead;

	pthread_mutex_lock(&a->lock);
	for (size_t i = 0; i < STREAMS; i++) {
		if (a->parked[i].z == NULL) {
			oldest = &a->parked[i];
			break;
		}
		if (a->parked[i].used < oldest->used)
			oldest = &a->parked[i];
	}
	dead = oldest->z;
	p.used = ++a->clock;
	*oldest = p;
	pthread_mutex_unlock(&a->lock);
	cfs_gz_stream_free(dead);
}

/* Reads exactly n bytes of the stream, over member ends, into buf; NULL:
 * drops them. */
static int stream_bytes(struct archive *a, struct parked *p, uint8_t *buf,
			uint64_t n, const struct cfs_span *loc,
			const struct cfs_cancel *cancel, struct cfs_error *err)
{
	enum cfs_gz_state state = CFS_GZ_MORE;
	uint8_t drop[16384];
	int rc = CFS_OK;

	while (rc == CFS_OK && n > 0) {
		size_t want = buf != NULL ? (n < SIZE_MAX ? (size_t)n : SIZE_MAX) :
			      n < sizeof(drop) ? (size_t)n : sizeof(drop), got;

		rc = cfs_gz_stream_read(p->z, buf != NULL ? buf : drop, want,
					&got, &state, cancel, err);
		if (rc != CFS_OK)
			break;
		n -= got;
		p->pos += got;
		buf = buf != NULL ? buf + got : NULL;
		if (state == CFS_GZ_MEMBER_END && n > 0)
			rc = cfs_gz_stream_next(p->z, cancel, err);
		else if (state != CFS_GZ_MORE && n > 0)
			return damaged(a, loc, err, cfs_gz_stream_why(p->z));
		if (rc == CFS_END)
			return damaged(a, loc, err, "member ends before the record");
	}
	return rc;
}

static int read_shared(struct cfs_store *s, struct archive *a,
		       const struct cfs_span *loc, struct cfs_gz_out *out,
		       const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct parked p;
	bool warn;
	int rc;

	if (loc->inner_length > s->max_record ||
	    loc->inner_length > SIZE_MAX / 2)
		return cfs_error_at(err, CFS_ELIMIT, a->src->name, loc->offset,
				    "record of more than %llu bytes",
				    (unsigned long long)s->max_record);
	rc = cfs_gz_out_reserve(out, (size_t)loc->inner_length);
	if (rc != CFS_OK)
		return cfs_error_set(err, rc, "out of memory");
	p = take_stream(a, loc, &warn);
	if (warn)
		cfs_log(CFS_LOG_WARNING, "%s: many records share a gzip member: "
			"each is reached by inflating all before it",
			a->src->name);
	if (p.z == NULL)
		rc = cfs_gz_stream_new(&p.z, a->src, loc->offset, a->src->size,
				       err);
	if (rc == CFS_OK)
		rc = stream_bytes(a, &p, NULL, loc->inner_offset - p.pos, loc,
				  cancel, err);
	if (rc == CFS_OK)
		rc = stream_bytes(a, &p, out->p, loc->inner_length, loc,
				  cancel, err);
	if (rc != CFS_OK) {
		cfs_gz_stream_free(p.z);
		return rc;
	}
	out->n = (size_t)loc->inner_length;
	atomic_fetch_add_explicit(&s->inflated_bytes, out->n,
				  memory_order_relaxed);
	park_stream(a, p);
	return CFS_OK;
}

/* ---- the record cache ---- */

static void free_object(void *p)
{
	struct object *o = p;

	cfs_record_release(&o->record);
	free(o->bytes);
	free(o);
}

static int parse_object(struct cfs_store *s, const struct archive *a,
			struct object *o, struct cfs_error *err)
{
	struct cfs_record_limits limits = { s->max_record };
	struct cfs_slice bytes = cfs_slice_of(o->bytes, o->n);
	struct cfs_error e = CFS_ERROR_INIT;
	int rc;

	if (!cfs_record_is_start(bytes))
		return damaged(a, &o->loc, err, "no record begins here");
	rc = cfs_record_parse(&o->record, bytes,
			      a->is_cc > 0 ? CFS_PARSE_COMMON_CRAWL : 0, &limits,
			      NULL, &e);
	return rc == CFS_OK ? rc :
	       cfs_error_at(err, rc, a->src->name, o->loc.offset, "%s", e.text);
}

static int load_record(void *arg, struct cfs_lru_key key, void **obj,
		       size_t *obj_bytes, const struct cfs_cancel *cancel,
		       struct cfs_error *err)
{
	const struct request *q = arg;
	struct cfs_span place;
	struct cfs_lru_ref *ref;
	struct cfs_gz_out out;
	struct archive *a;
	struct object *o;
	int rc;

	(void)key;
	rc = get_archive(q, &ref, cancel, err);
	if (rc != CFS_OK)
		return rc;
	a = cfs_lru_obj(ref);
	cfs_gz_out_init(&out, q->store->max_record > SIZE_MAX / 2 ?
			SIZE_MAX / 2 : (size_t)q->store->max_record);
	o = malloc(sizeof(*o));
	if (o == NULL) {
		rc = cfs_error_set(err, CFS_ENOMEM, "out of memory");
		goto out;
	}
	memset(o, 0, sizeof(*o));
	o->loc = *q->loc;
	rc = settle_length(q->store, a, q->loc, &place, cancel, err);
	if (rc == CFS_OK)
		rc = place.inner_length > 0 ?
		     read_shared(q->store, a, &place, &out, cancel, err) :
		     read_own(q->store, a, &place, &out, cancel, err);
	o->bytes = out.p;
	o->n = out.n;
	if (rc == CFS_OK)
		rc = look_at_archive(a, cancel, err);
	if (rc == CFS_OK)
		rc = parse_object(q->store, a, o, err);
	if (rc != CFS_OK)
		goto out;
	*obj = o;
	*obj_bytes = sizeof(*o) + out.cap +
		     sizeof(struct cfs_record_own) +
		     (o->record.body_was_decoded ? o->record.body.n : 0);
	o = NULL;
out:
	if (o != NULL)
		free_object(o);
	cfs_lru_put(ref);
	return rc;
}

static struct cfs_lru_key record_key(const struct request *q)
{
	return (struct cfs_lru_key){ q->loc->offset, q->loc->length,
				     q->loc->inner_offset,
				     q->loc->inner_length, q->name };
}

int cfs_store_get(struct cfs_store *s, struct cfs_slice archive_name,
		  const struct cfs_span *loc, struct cfs_stored **out,
		  const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct request q = request_of(s, archive_name, loc);
	struct cfs_lru_ref *ref;
	struct cfs_error e;
	int rc;

	*out = NULL;
	do {
		e = CFS_ERROR_INIT;
		rc = cfs_lru_get(s->records, record_key(&q), load_record, &q,
				 &ref, cancel, &e);
	} while (look_elsewhere(&q, rc));
	if (rc != CFS_OK)
		return pass_error(rc, &e, err);
	*out = (struct cfs_stored *)ref;
	return CFS_OK;
}

void cfs_stored_put(struct cfs_stored *r)
{
	cfs_lru_put((struct cfs_lru_ref *)r);
}

const struct cfs_record *cfs_stored_record(const struct cfs_stored *r)
{
	const struct object *o = cfs_lru_obj((const struct cfs_lru_ref *)r);

	return &o->record;
}

/* ---- members ---- */

/* A record without a member of its own, as one: what ends a record is added
 * where the file had it differently. */
static int fresh_member(struct cfs_store *s, const struct request *q,
			struct cfs_buf *out, const struct cfs_cancel *cancel,
			struct cfs_error *err)
{
	struct cfs_stored *st;
	struct cfs_buf plain;
	const struct object *o;
	size_t n;
	int rc = cfs_store_get(s, q->name, q->loc, &st, cancel, err);

	if (rc != CFS_OK)
		return rc;
	o = cfs_lru_obj((struct cfs_lru_ref *)st);
	cfs_buf_init(&plain, SIZE_MAX / 2);
	n = (size_t)(o->record.block.p + o->record.block.n - o->bytes);
	cfs_buf_append(&plain, o->bytes, n);
	cfs_buf_adds(&plain, o->record.format == CFS_ARCHIVE_WARC ?
		     "\r\n\r\n" : "\n");
	rc = plain.failed == CFS_OK ?
	     cfs_gz_compress(cfs_buf_slice(&plain), out, err) :
	     cfs_error_set(err, plain.failed, "out of memory");
	cfs_buf_release(&plain);
	cfs_stored_put(st);
	return rc;
}

/* True if the compressed bytes hold a record. */
static bool begins_record(struct cfs_slice in)
{
	uint8_t head[PEEK_SHORT];

	return cfs_record_is_start(
		cfs_slice_of(head, cfs_gz_peek(in, head, sizeof(head))));
}

static int read_member(struct cfs_store *s, const struct request *q,
		       struct cfs_buf *out, const struct cfs_cancel *cancel,
		       struct cfs_error *err)
{
	const struct cfs_span *loc = q->loc;
	struct cfs_lru_ref *ref = NULL;
	struct cfs_span place;
	const struct archive *a;
	struct cfs_slice in;
	uint8_t *raw = NULL;
	int rc = get_archive(q, &ref, cancel, err);

	if (rc != CFS_OK)
		return rc;
	a = cfs_lru_obj(ref);
	rc = settle_length(s, a, loc, &place, cancel, err);
	if (rc == CFS_OK)
		rc = read_range(s, a, &place, &raw, cancel, err);
	if (rc != CFS_OK)
		goto out;
	in = cfs_slice_of(raw, (size_t)place.length);
	if (!cfs_gz_is_start(in)) {
		rc = fresh_member(s, q, out, cancel, err);
	} else if (!begins_record(in)) {
		rc = damaged(a, loc, err, "no record begins here");
	} else {
		rc = cfs_buf_add(out, in);
		if (rc != CFS_OK)
			cfs_error_set(err, rc, "no room for %zu bytes", in.n);
	}
out:
	free(raw);
	cfs_lru_put(ref);
	return rc;
}

int cfs_store_member(struct cfs_store *s, struct cfs_slice archive_name,
		     const struct cfs_span *loc, struct cfs_buf *out,
		     const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct request q = request_of(s, archive_name, loc);
	struct cfs_error e;
	int rc;

	do {
		e = CFS_ERROR_INIT;
		rc = loc->inner_length > 0 ?
		     fresh_member(s, &q, out, cancel, &e) :
		     read_member(s, &q, out, cancel, &e);
	} while (look_elsewhere(&q, rc));
	return pass_error(rc, &e, err);
}

struct span {
	uint64_t offset;
	void *buf;
	size_t n;
};

static int read_span(void *arg, struct cfs_source *src,
		     const struct cfs_cancel *cancel, struct cfs_error *err)
{
	const struct span *p = arg;

	return cfs_source_read(src, p->buf, p->n, p->offset, cancel, err);
}

int cfs_store_read(struct cfs_store *s, struct cfs_slice archive_name,
		   uint64_t offset, void *buf, size_t n,
		   const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct span p = { offset, buf, n };
	int rc = cfs_store_use(s, archive_name, read_span, &p, cancel, err);

	if (rc == CFS_OK)
		atomic_fetch_add_explicit(&s->read_bytes, n,
					  memory_order_relaxed);
	return rc;
}

/* ---- sizes ---- */

/*
 * The start of a record, at most `peek` bytes of it, and its whole length,
 * without inflating it all.  False: no cheap way.
 */
static bool peek_record(const struct archive *a, const struct cfs_span *loc,
			uint8_t head[PEEK_LONG], size_t peek, size_t *head_n,
			uint64_t *total)
{
	size_t n = loc->length < peek ? (size_t)loc->length : peek;
	uint8_t raw[PEEK_LONG], tail[4];
	struct cfs_slice in;

	if (loc->offset >= a->src->size || loc->length < CFS_GZ_MEMBER_MIN ||
	    loc->length > a->src->size - loc->offset ||
	    cfs_source_read(a->src, raw, n, loc->offset, NULL, NULL) != CFS_OK)
		return false;
	in = cfs_slice_of(raw, n);
	if (!cfs_gz_is_start(in)) {
		memcpy(head, raw, n);
		*head_n = n;
		*total = loc->length;
		return true;
	}
	if (n == loc->length)
		memcpy(tail, raw + n - 4, 4);
	else if (cfs_source_read(a->src, tail, 4, loc->offset + loc->length - 4,
				 NULL, NULL) != CFS_OK)
		return false;
	*head_n = cfs_gz_peek(in, head, peek);
	*total = cfs_le32_get(tail);
	return *total >= *head_n && *total / 1032 <= loc->length;
}

/* The body's size of a WARC record: all lengths must agree. */
static bool warc_body(const struct cfs_record *r, uint64_t head,
		      uint64_t total, uint64_t *bytes)
{
	uint64_t before = r->has_http ? r->http_head.n : 0;

	if (head + r->declared_bytes + 4 != total || r->declared_bytes < before)
		return false;
	*bytes = r->declared_bytes - before;
	return true;
}

/* The same for ARC, by the rules of arc.c, with a LF taken to be last. */
static bool arc_body(const struct cfs_record *r, bool is_cc, uint64_t head,
		     uint64_t total, uint64_t *bytes)
{
	uint64_t before = r->has_http ? r->http_head.n : 0, content, all, n = 0;
	bool identity;

	if (total < head + before + 1)
		return false;
	content = total - head;
	all = content - before;
	identity = r->has_http && !cfs_body_has_encoding(&r->http) &&
		   cfs_slice_parse_u64(cfs_fields_get(&r->http,
						      "Content-Length", NULL),
				       UINT64_MAX / 2, &n) == CFS_OK;
	if (identity && (n == all || n == all - 1)) {
		*bytes = n;
		return true;
	}
	if (r->declared_bytes > content || content - r->declared_bytes > 3 ||
	    (!is_cc && content - r->declared_bytes > 1))
		return false;
	*bytes = !is_cc && r->declared_bytes == content ? all : all - 1;
	return true;
}

static bool head_is_whole(const struct cfs_record *r)
{
	return !r->has_http ||
	       cfs_slice_ends(r->http_head, CFS_SLICE_LIT("\n\r\n")) ||
	       cfs_slice_ends(r->http_head, CFS_SLICE_LIT("\n\n"));
}

static bool size_from_head(const struct archive *a, struct cfs_slice s,
			   uint64_t total, uint64_t *bytes)
{
	struct cfs_record_shape shape;
	struct cfs_record r;
	uint64_t before;
	bool ok;

	if (!cfs_record_is_start(s) ||
	    cfs_record_measure(s, &shape, NULL) != CFS_OK ||
	    !shape.has_declared || shape.declared > UINT64_MAX / 4 ||
	    cfs_record_parse(&r, s, CFS_PARSE_HEAD_ONLY, NULL, NULL, NULL) !=
	    CFS_OK)
		return false;
	before = shape.skip + shape.head_bytes;
	/* the HTTP head must be all there, with some of the body after it */
	ok = (r.stored_body.n > 16 || total == s.n) && head_is_whole(&r) &&
	     !cfs_body_may_decode(r.stored_body, &r.http);
	if (ok && shape.format == CFS_ARCHIVE_WARC)
		ok = warc_body(&r, before, total, bytes);
	else if (ok)
		ok = arc_body(&r, a->is_cc > 0 || cfs_arc_has_own_field(&r), before,
			      total, bytes);
	cfs_record_release(&r);
	return ok;
}

static bool cheap_size(const struct archive *a, const struct cfs_span *loc,
		       uint64_t *bytes)
{
	static const size_t peeks[] = { PEEK_SHORT, PEEK_LONG };
	uint8_t head[PEEK_LONG];
	uint64_t total;
	bool ok = false;
	size_t n = 0;

	for (size_t i = 0; !ok && i < 2; i++) {
		if (i > 0 && n < peeks[0])
			break;		/* that was all there is */
		if (!peek_record(a, loc, head, peeks[i], &n, &total))
			break;
		ok = size_from_head(a, cfs_slice_of(head, n), total, bytes);
	}
	return ok;
}

int cfs_store_body_bytes(struct cfs_store *s, struct cfs_slice archive_name,
			 const struct cfs_span *loc, uint64_t *bytes,
			 bool *is_exact, const struct cfs_cancel *cancel,
			 struct cfs_error *err)
{
	struct request q = request_of(s, archive_name, loc);
	struct cfs_lru_ref *ref = cfs_lru_peek(s->records, record_key(&q));
	struct cfs_stored *st = (struct cfs_stored *)ref;
	struct archive *a;
	bool is_local;
	int rc = CFS_OK;

	*is_exact = false;
	if (ref != NULL)
		goto known;
	if (s->may_assume)	/* nothing is known without a request */
		return CFS_OK;
	rc = get_archive(&q, &ref, cancel, err);
	if (rc != CFS_OK)
		return rc;
	a = cfs_lru_obj(ref);
	is_local = a->src->is_local;
	if (is_local && loc->inner_length == 0 &&
	    look_at_archive(a, cancel, NULL) == CFS_OK)
		*is_exact = cheap_size(a, loc, bytes);
	cfs_lru_put(ref);
	if (*is_exact || !is_local)
		return CFS_OK;
	rc = cfs_store_get(s, archive_name, loc, &st, cancel, err);
	if (rc != CFS_OK)
		return rc;
known:
	*bytes = cfs_stored_record(st)->body.n;
	*is_exact = true;
	cfs_stored_put(st);
	return rc;
}

/* ---- the store ---- */

void cfs_store_free(struct cfs_store *s)
{
	if (s == NULL)
		return;
	cfs_lru_free(s->records);
	cfs_lru_free(s->archives);
	for (size_t i = 0; s->bases != NULL && i < s->n_bases; i++) {
		free(s->bases[i].path);
		if (s->bases[i].fd >= 0)
			close(s->bases[i].fd);
	}
	free(s->bases);
	free(s);
}

static int copy_bases(struct cfs_store *s, const struct cfs_store_opts *opts)
{
	static const char *const here[] = { "." };
	const char *const *from = opts->n_bases > 0 ? opts->bases : here;
	size_t n_urls = 0;

	s->n_bases = opts->n_bases > 0 ? opts->n_bases : 1;
	s->bases = calloc(s->n_bases, sizeof(*s->bases));
	if (s->bases == NULL)
		return CFS_ENOMEM;
	for (size_t i = 0; i < s->n_bases; i++)
		s->bases[i].fd = -1;
	for (size_t i = 0; i < s->n_bases; i++) {
		s->bases[i].path = strdup(from[i]);
		if (s->bases[i].path == NULL)
			return CFS_ENOMEM;
		s->bases[i].fd = open(from[i],
				      O_PATH | O_DIRECTORY | O_CLOEXEC);
		n_urls += cfs_location_is_url(from[i]);
	}
	s->may_assume = s->n_bases > 1 && n_urls == s->n_bases;
	return CFS_OK;
}

int cfs_store_new(struct cfs_store **out, const struct cfs_store_opts *opts,
		  struct cfs_error *err)
{
	struct cfs_store *s = calloc(1, sizeof(*s));

	*out = NULL;
	if (s == NULL)
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	s->max_record = opts->max_record_bytes > 0 ? opts->max_record_bytes :
						     CFS_RECORD_MAX_DEFAULT;
	s->opener = opts->opener != NULL ? *opts->opener :
					   (struct cfs_opener){ open_file, NULL };
	s->archives = cfs_lru_new(ARCHIVES_MAX * ARCHIVE_COST, free_archive);
	s->records = cfs_lru_new(opts->cache_bytes > 0 ? opts->cache_bytes :
				 CACHE_DEFAULT, free_object);
	if (s->archives == NULL || s->records == NULL ||
	    copy_bases(s, opts) != CFS_OK) {
		cfs_store_free(s);
		return cfs_error_set(err, CFS_ENOMEM, "out of memory");
	}
	*out = s;
	return CFS_OK;
}

void cfs_store_prefetch(struct cfs_store *s, struct cfs_slice archive_name,
			const struct cfs_span *loc)
{
	struct request q = request_of(s, archive_name, loc);
	struct cfs_lru_ref *ref;
	const struct archive *a;

	if (get_archive(&q, &ref, NULL, NULL) != CFS_OK)
		return;
	a = cfs_lru_obj(ref);
	if (loc->length > 0 && loc->length <= s->max_record)
		cfs_source_prefetch(a->src, loc->offset, (size_t)loc->length);
	cfs_lru_put(ref);
}

void cfs_store_get_stats(struct cfs_store *s, struct cfs_store_stats *out)
{
	struct cfs_lru_stats l;

	cfs_lru_get_stats(s->records, &l);
	*out = (struct cfs_store_stats){
		.hits = l.hits, .misses = l.misses, .evicted = l.evicted,
		.bytes = l.bytes,
		.inflated_bytes = atomic_load(&s->inflated_bytes),
		.read_bytes = atomic_load(&s->read_bytes),
	};
}
