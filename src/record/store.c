/* store.c - records by their place in an archive.
 *
 * A cache (base/lru.h) of inflated records over the open archives
 * (archives.h).  A record is inflated into one block of memory (extract.h)
 * that the parsed record borrows from.
 *
 * Whatever the index says is checked against the bytes: the range must lie
 * in the file, its members must be whole and begin with a record.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "store.h"

#include <stdlib.h>

#include "base/lru.h"
#include "body.h"
#include "codec/member.h"
#include "extract.h"
#include "parse.h"

#define CACHE_DEFAULT ((size_t)64 << 20)
/* Inflated from the start of a member to see whether it holds a record. */
#define PEEK 2048u
/* What the fields of a record's heads take, about. */
#define FIELDS_COST 3072u

/* What the record cache holds.  A struct cfs_stored is the cache's pin. */
struct object {
	struct cfs_record record;
	uint8_t *bytes;			/* inflated, or as read */
	size_t n;
};

struct cfs_store {
	struct cfs_archives archives;
	struct cfs_lru *records;
	struct cfs_extractor extractor;
};

/* What a loader needs to know. */
struct request {
	struct cfs_store *store;
	struct cfs_archive_query archive;
	const struct cfs_span *span;
};

static struct request request_of(struct cfs_store *s, struct cfs_slice name,
				 const struct cfs_span *span)
{
	return (struct request){ s, cfs_archives_query(&s->archives, name),
				 span };
}

static int get_archive(const struct request *q, struct cfs_lru_ref **out,
		       const struct cfs_cancel *cancel, struct cfs_error *err)
{
	return cfs_archives_get(&q->store->archives, &q->archive, out, cancel,
				err);
}

/* True if the archive of q turned out to be missing where it was expected:
 * then q is to be tried once more, and the report is forgotten. */
static bool archive_is_missing(struct request *q, int rc, struct cfs_error *err)
{
	if (!cfs_archives_search_further(&q->archive, rc))
		return false;
	cfs_error_clear(err);
	return true;
}

/* ---- files ---- */

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
	*out = cfs_source_ref(
			((const struct cfs_archive *)cfs_lru_obj(ref))->src);
	cfs_lru_put(ref);
	return CFS_OK;
}

int cfs_store_use(struct cfs_store *s, struct cfs_slice archive_name,
		  cfs_store_user *use, void *arg,
		  const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct request q = request_of(s, archive_name, NULL);
	int rc;

	do {
		const struct cfs_archive *a;
		struct cfs_lru_ref *ref;

		rc = get_archive(&q, &ref, cancel, err);
		if (rc != CFS_OK)
			continue;
		a = cfs_lru_obj(ref);
		rc = use(arg, a->src, cancel, err);
		cfs_lru_put(ref);
	} while (archive_is_missing(&q, rc, err));
	return rc;
}

struct stretch {
	uint64_t offset;
	void *buf;
	size_t n;
};

static int read_stretch(void *arg, struct cfs_source *src,
			const struct cfs_cancel *cancel, struct cfs_error *err)
{
	const struct stretch *p = arg;

	return cfs_source_read(src, p->buf, p->n, p->offset, cancel, err);
}

int cfs_store_read(struct cfs_store *s, struct cfs_slice archive_name,
		   uint64_t offset, void *buf, size_t n,
		   const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct stretch p = { offset, buf, n };
	int rc = cfs_store_use(s, archive_name, read_stretch, &p, cancel, err);

	if (rc == CFS_OK)
		atomic_fetch_add_explicit(&s->extractor.read_bytes, n,
					  memory_order_relaxed);
	return rc;
}

void cfs_store_prefetch(struct cfs_store *s, struct cfs_slice archive_name,
			const struct cfs_span *span)
{
	struct request q = request_of(s, archive_name, span);
	struct cfs_lru_ref *ref;
	const struct cfs_archive *a;

	if (get_archive(&q, &ref, NULL, NULL) != CFS_OK)
		return;
	a = cfs_lru_obj(ref);
	if (span->length > 0 && span->length <= s->extractor.max_record)
		cfs_source_prefetch(a->src, span->offset, (size_t)span->length);
	cfs_lru_put(ref);
}

/* ---- the record cache ---- */

static void free_object(void *p)
{
	struct object *o = p;

	cfs_record_release(&o->record);
	free(o->bytes);
	free(o);
}

static int no_record(const struct cfs_archive *a, const struct cfs_span *span,
		     struct cfs_error *err)
{
	return cfs_error_at(err, CFS_EFORMAT, a->src->name, span->offset,
			    "no record begins here");
}

static int parse_object(struct cfs_archive *a, const struct request *q,
			struct object *o, enum cfs_extract_end end,
			const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct cfs_record_limits limits = { q->store->extractor.max_record };
	struct cfs_slice bytes = cfs_slice_of(o->bytes, o->n);
	bool is_cc;
	int rc = cfs_archive_is_common_crawl(a, &is_cc, cancel, err);

	if (rc != CFS_OK)
		return rc;
	if (!cfs_record_is_start(bytes))
		return no_record(a, q->span, err);
	rc = cfs_record_parse(&o->record, bytes,
			      is_cc ? CFS_PARSE_COMMON_CRAWL : 0, &limits,
			      NULL, err);
	cfs_error_where(err, a->src->name, q->span->offset);
	if (rc == CFS_OK && (end == CFS_EXTRACT_CUT ||
			     (end == CFS_EXTRACT_SHORT &&
			      !cfs_record_has_all_of_body(&o->record))))
		o->record.is_cut_off = o->record.is_cut = true;
	return rc;
}

static int load_record(void *arg, struct cfs_lru_key key, void **obj,
		       size_t *obj_bytes, const struct cfs_cancel *cancel,
		       struct cfs_error *err)
{
	const struct request *q = arg;
	struct cfs_extractor *x = &q->store->extractor;
	enum cfs_extract_end end;
	struct cfs_lru_ref *ref;
	struct cfs_buf out;
	struct object *o;
	int rc;

	(void)key;
	rc = get_archive(q, &ref, cancel, err);
	if (rc != CFS_OK)
		return rc;
	o = calloc(1, sizeof(*o));
	if (o == NULL) {
		rc = cfs_error_nomem(err);
		goto out;
	}
	cfs_buf_init(&out, x->max_record > SIZE_MAX / 2 ?
			SIZE_MAX / 2 : (size_t)x->max_record);
	rc = cfs_extract_record(x, cfs_lru_obj(ref), q->span, &out, &end,
				cancel, err);
	o->bytes = out.p;
	o->n = out.n;
	if (rc == CFS_OK)
		rc = parse_object(cfs_lru_obj(ref), q, o, end, cancel, err);
	if (rc != CFS_OK)
		goto out;
	*obj = o;
	*obj_bytes = sizeof(*o) + out.cap + FIELDS_COST +
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
	return (struct cfs_lru_key){ q->span->offset, q->span->length,
				     q->span->inner_offset,
				     q->span->inner_length, q->archive.name };
}

int cfs_store_get(struct cfs_store *s, struct cfs_slice archive_name,
		  const struct cfs_span *span, struct cfs_stored **out,
		  const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct request q = request_of(s, archive_name, span);
	struct cfs_lru_ref *ref;
	int rc;

	do
		rc = cfs_lru_get(s->records, record_key(&q), load_record, &q,
				 &ref, cancel, err);
	while (archive_is_missing(&q, rc, err));
	*out = rc == CFS_OK ? (struct cfs_stored *)ref : NULL;
	return rc;
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

/* A record as one member of its own: what ends a record is added where the
 * file had it differently. */
static int fresh_member(const struct request *q,
			const struct cfs_member_form *form, struct cfs_buf *out,
			const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct cfs_stored *st;
	struct cfs_buf plain;
	const struct object *o;
	size_t n;
	int rc = cfs_store_get(q->store, q->archive.name, q->span, &st, cancel,
			       err);

	if (rc != CFS_OK)
		return rc;
	o = cfs_lru_obj((struct cfs_lru_ref *)st);
	if (o->record.is_cut_off) {
		cfs_stored_put(st);
		return cfs_error_set(err, CFS_EFORMAT, CFS_CUT_OFF_TEXT);
	}
	cfs_buf_init(&plain, SIZE_MAX / 2);
	n = (size_t)(o->record.block.p + o->record.block.n - o->bytes);
	cfs_buf_append(&plain, o->bytes, n);
	cfs_buf_adds(&plain, o->record.format == CFS_ARCHIVE_WARC ?
		     "\r\n\r\n" : "\n");
	rc = plain.failed == CFS_OK ?
	     cfs_member_compress(form->coding, cfs_buf_slice(&plain),
				 form->dict, out, err) :
	     cfs_error_nomem(err);
	cfs_buf_release(&plain);
	cfs_stored_put(st);
	return rc;
}

/* True if the compressed bytes hold a record. */
static bool begins_record(struct cfs_slice in, const struct cfs_zst_dict *dict)
{
	uint8_t head[PEEK];

	return cfs_record_is_start(cfs_slice_of(head,
			cfs_member_peek(in, dict, head, sizeof(head))));
}

static int read_member(const struct request *q,
		       const struct cfs_member_form *form, struct cfs_buf *out,
		       const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct cfs_zst_dict *dict = NULL;
	struct cfs_lru_ref *ref;
	struct cfs_slice in;
	uint8_t *raw;
	size_t n;
	int rc = get_archive(q, &ref, cancel, err);

	if (rc != CFS_OK)
		return rc;
	rc = cfs_extract_stored(&q->store->extractor, cfs_lru_obj(ref), q->span,
				&raw, &n, &dict, cancel, err);
	if (rc != CFS_OK)
		goto out;
	in = cfs_slice_of(raw, n);
	if (cfs_coding_of(in) != form->coding ||
	    !(form->with_dict || cfs_zst_dict_is_same(dict, form->dict))) {
		rc = fresh_member(q, form, out, cancel, err);
	} else if (!begins_record(in, dict)) {
		rc = no_record(cfs_lru_obj(ref), q->span, err);
	} else {
		if (form->with_dict && !cfs_zst_is_dict(in))
			cfs_buf_add(out, cfs_zst_dict_frame(dict));
		rc = cfs_buf_add(out, in);
		if (rc != CFS_OK)
			cfs_error_set(err, rc, "no room for %zu bytes", in.n);
	}
out:
	cfs_zst_dict_put(dict);
	free(raw);
	cfs_lru_put(ref);
	return rc;
}

int cfs_store_member(struct cfs_store *s, struct cfs_slice archive_name,
		     const struct cfs_span *span,
		     const struct cfs_member_form *form, struct cfs_buf *out,
		     const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct request q = request_of(s, archive_name, span);
	int rc;

	do
		rc = span->inner_length > 0 ?
		     fresh_member(&q, form, out, cancel, err) :
		     read_member(&q, form, out, cancel, err);
	while (archive_is_missing(&q, rc, err));
	return rc;
}

int cfs_store_dict(struct cfs_store *s, struct cfs_slice archive_name,
		   struct cfs_zst_dict **out, const struct cfs_cancel *cancel,
		   struct cfs_error *err)
{
	struct request q = request_of(s, archive_name, NULL);
	int rc;

	*out = NULL;
	do {
		struct cfs_lru_ref *ref;

		rc = get_archive(&q, &ref, cancel, err);
		if (rc != CFS_OK)
			continue;
		rc = cfs_archive_dict(cfs_lru_obj(ref), out, cancel, err);
		cfs_lru_put(ref);
	} while (archive_is_missing(&q, rc, err));
	return rc;
}

/* ---- sizes ---- */

int cfs_store_body_bytes(struct cfs_store *s, struct cfs_slice archive_name,
			 const struct cfs_span *span, uint64_t *bytes,
			 bool *is_exact, const struct cfs_cancel *cancel,
			 struct cfs_error *err)
{
	struct request q = request_of(s, archive_name, span);
	struct cfs_lru_ref *ref = cfs_lru_peek(s->records, record_key(&q));
	struct cfs_stored *st = (struct cfs_stored *)ref;
	struct cfs_archive *a;
	bool is_local, is_cc;
	int rc = CFS_OK;

	*is_exact = false;
	if (ref != NULL)
		goto known;
	/* nothing is known without a request */
	if (q.archive.place->expects_base)
		return CFS_OK;
	rc = get_archive(&q, &ref, cancel, err);
	if (rc != CFS_OK)
		return rc;
	a = cfs_lru_obj(ref);
	is_local = a->src->is_local;
	if (is_local && span->inner_length == 0 &&
	    cfs_archive_is_common_crawl(a, &is_cc, cancel, NULL) == CFS_OK)
		*is_exact = cfs_body_size_peek(a->src, span, is_cc, bytes);
	cfs_lru_put(ref);
	if (*is_exact || !is_local)
		return CFS_OK;
	rc = cfs_store_get(s, archive_name, span, &st, cancel, err);
	if (rc != CFS_OK)
		return rc;
known:
	*bytes = cfs_stored_record(st)->body.n;
	*is_exact = !cfs_stored_record(st)->is_cut_off;
	cfs_stored_put(st);
	return rc;
}

bool cfs_store_member_bytes(struct cfs_store *s, struct cfs_slice archive_name,
			    const struct cfs_span *span, uint64_t *bytes,
			    const struct cfs_cancel *cancel)
{
	struct request q = request_of(s, archive_name, span);
	struct cfs_zst_dict *dict;
	struct cfs_lru_ref *ref;
	bool is_known;

	*bytes = span->length;
	if (!cfs_slice_ends(archive_name, CFS_SLICE_LIT(".zst")))
		return true;
	if (q.archive.place->expects_base ||
	    get_archive(&q, &ref, cancel, NULL) != CFS_OK)
		return false;
	is_known = ((const struct cfs_archive *)cfs_lru_obj(ref))->src->is_local &&
		   cfs_archive_dict(cfs_lru_obj(ref), &dict, cancel, NULL) ==
		   CFS_OK;
	cfs_lru_put(ref);
	if (!is_known)
		return false;
	*bytes += cfs_zst_dict_frame(dict).n;
	cfs_zst_dict_put(dict);
	return true;
}

/* ---- the store ---- */

void cfs_store_free(struct cfs_store *s)
{
	if (s == NULL)
		return;
	cfs_lru_free(s->records);
	cfs_archives_release(&s->archives);
	free(s);
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
				 CACHE_DEFAULT, free_object);
	rc = cfs_archives_init(&s->archives, opts->bases, opts->place_of,
			       opts->n_bases, opts->opener, opts->cache_dir);
	if (s->records == NULL || rc != CFS_OK) {
		cfs_store_free(s);
		return cfs_error_nomem(err);
	}
	*out = s;
	return CFS_OK;
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
