/* store_join.c - joins a record that was divided with the segments that
 * continue it (ISO 28500, section 7).
 *
 * The bytes are the first segment's header and block, and the blocks of the
 * others.  As with any record, they are put into a file if they are too long
 * for memory and there is a folder for that.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>

#include "base/clamp.h"
#include "base/spill.h"
#include "parse.h"
#include "store_internal.h"

struct joining {
	struct cfs_store *store;
	const struct cfs_record_part *parts;
	unsigned n;
	size_t max;			/* bytes in all, and as many decoded */
	const char *dir;		/* NULL: in memory */
	struct cfs_stored_object *object;
	struct cfs_buf id;		/* the first segment's record id */
	uint64_t total;			/* length as the last one states it; 0:
					 * not stated */
	size_t head_bytes;
	bool is_broken;			/* a segment cannot be read */
};

static int append(struct joining *j, struct cfs_slice s, struct cfs_error *err)
{
	struct cfs_buf *b = &j->object->bytes;

	while (s.n > 0 && b->failed == CFS_OK) {
		struct cfs_slice step = cfs_slice_sub(s, 0, CFS_SPILL_STEP);

		cfs_buf_add(b, step);
		cfs_spill_settle(b);
		s = cfs_slice_from(s, step.n);
	}
	if (b->failed == CFS_ELIMIT)
		return cfs_error_set(err, CFS_ELIMIT, "the segments of the "
				     "record are too long together");
	if (b->failed == CFS_EIO)
		return cfs_error_set(err, CFS_EIO, "no room for the segments "
				     "of the record");
	return b->failed == CFS_OK ? CFS_OK : cfs_error_nomem(err);
}

static int append_first(struct joining *j, const struct cfs_record *r,
			struct cfs_error *err)
{
	int rc = append(j, r->head, err);

	j->head_bytes = r->head.n;
	cfs_buf_add(&j->id, cfs_record_warc_field(r, "WARC-Record-ID"));
	if (rc == CFS_OK && j->id.failed != CFS_OK)
		rc = cfs_error_nomem(err);
	return rc == CFS_OK ? append(j, r->block, err) : rc;
}

static bool continues(const struct joining *j, const struct cfs_record *r,
		      unsigned number)
{
	return r->type == CFS_RECORD_CONTINUATION && r->segment == number &&
	       cfs_slice_eq(cfs_record_warc_field(r, "WARC-Segment-Origin-ID"),
			    cfs_buf_slice(&j->id));
}

static int append_part(struct joining *j, unsigned i, struct cfs_ctx ctx)
{
	const struct cfs_record_part *part = &j->parts[i];
	const struct cfs_record *r;
	struct cfs_stored *st;
	int rc = cfs_store_get(j->store, part->archive, &part->span, &st, ctx);

	if (rc != CFS_OK)
		return rc;
	r = cfs_stored_record(st);
	if (i == 0)
		rc = append_first(j, r, ctx.err);
	else if (continues(j, r, i + 1))
		rc = append(j, r->block, ctx.err);
	else
		rc = cfs_error_set(ctx.err, CFS_EFORMAT, "segment %u of the record "
				   "is not where it should be", i + 1);
	if (rc == CFS_OK && r->is_cut_off)
		j->is_broken = true;
	if (rc == CFS_OK && i > 0 &&
	    cfs_slice_parse_u64(cfs_record_warc_field(r,
				"WARC-Segment-Total-Length"), UINT64_MAX,
				&j->total) != CFS_OK)
		j->total = 0;
	cfs_stored_put(st);
	return rc;
}

/* Appends all segments, up to one that is missing or damaged. */
static int append_all(struct joining *j, struct cfs_ctx ctx)
{
	int rc = append_part(j, 0, ctx);

	for (unsigned i = 1; i < j->n && rc == CFS_OK && !j->is_broken; i++) {
		rc = append_part(j, i, ctx);
		if (rc != CFS_EFORMAT && rc != CFS_ENOTFOUND)
			continue;
		cfs_error_clear(ctx.err);
		j->is_broken = true;
		rc = CFS_OK;
	}
	return rc;
}

static int store_join_parse(struct joining *j, struct cfs_ctx ctx)
{
	struct cfs_stored_object *o = j->object;
	bool in_file = o->bytes.spill != NULL;
	struct cfs_budget_load load;
	struct cfs_record_limits limits = {
		.max_body_bytes = j->max, .spill_dir = j->dir };
	bool is_whole = !j->is_broken && j->total > 0 &&
			j->total == o->bytes.n - j->head_bytes;
	int rc = cfs_budget_begin(&load, j->store->budget, CFS_MEM_RECORDS,
				  in_file ? CFS_STORE_SPILLING_BYTES :
				  2 * (uint64_t)o->bytes.cap, ctx);

	if (rc != CFS_OK)
		return rc;
	if (in_file)
		cfs_spill_finish(&o->bytes);
	rc = cfs_record_parse(&o->record, cfs_buf_slice(&o->bytes),
			      CFS_PARSE_JOINED |
			      cfs_flag(is_whole, CFS_PARSE_WHOLE), &limits,
			      NULL, ctx.err);
	if (rc == CFS_OK && j->is_broken)
		o->record.is_cut_off = o->record.is_cut = true;
	cfs_budget_end(&load, rc == CFS_OK ? cfs_stored_cost(o) : 0);
	return rc;
}

static int store_join_begin(struct joining *j, struct cfs_error *err)
{
	j->object = calloc(1, sizeof(*j->object));
	if (j->object == NULL)
		return cfs_error_nomem(err);
	cfs_buf_init(&j->object->bytes, j->max);
	cfs_buf_init(&j->id, CFS_HEAD_MAX);
	return j->dir == NULL ? CFS_OK :
	       cfs_spill_begin(&j->object->bytes, j->dir, err);
}

/* One attempt.  CFS_ELIMIT: the room does not do. */
static int load_into(struct joining j, struct cfs_stored_object **out,
		     struct cfs_ctx ctx)
{
	int rc = store_join_begin(&j, ctx.err);

	if (rc == CFS_OK)
		rc = append_all(&j, ctx);
	if (rc == CFS_OK)
		rc = store_join_parse(&j, ctx);
	cfs_buf_release(&j.id);
	if (rc == CFS_OK)
		*out = j.object;
	else
		cfs_stored_free(j.object);
	return rc;
}

/* Into memory, or else into a file. */
static int store_join_load(void *arg, struct cfs_lru_key key, void **obj,
			   size_t *obj_bytes, struct cfs_ctx ctx)
{
	struct joining j = *(const struct joining *)arg;
	size_t most = cfs_store_max_record(j.store);
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_stored_object *o;
	int rc;

	(void)key;
	j.max = j.store->budget != NULL && most > j.store->spill_bytes ?
		j.store->spill_bytes : most;
	rc = load_into(j, &o, CFS_CTX(ctx.cancel, &e));
	if (rc == CFS_ELIMIT && j.max < most && j.store->spill_dir != NULL) {
		cfs_error_clear(&e);
		j.max = most;
		j.dir = j.store->spill_dir;
		rc = load_into(j, &o, CFS_CTX(ctx.cancel, &e));
	}
	if (rc != CFS_OK)
		return cfs_error_pass(ctx.err, &e, rc);
	*obj = o;
	*obj_bytes = cfs_stored_cost(o);
	return CFS_OK;
}

int cfs_store_get_joined(struct cfs_store *s,
			 const struct cfs_record_part *parts, unsigned n,
			 struct cfs_stored **out, struct cfs_ctx ctx)
{
	const struct cfs_span *span = &parts[0].span;
	struct joining j = { .store = s, .parts = parts, .n = n };
	/* no record has so large an inner length */
	struct cfs_lru_key key = { span->offset, span->length,
		span->inner_offset, UINT64_MAX - n,
		cfs_wanted_of(s, parts[0].archive, span).archive.name };
	struct cfs_lru_ref *ref;
	int rc = cfs_lru_get(s->records, key, store_join_load, &j, &ref, ctx);

	*out = rc == CFS_OK ? (struct cfs_stored *)ref : NULL;
	return rc;
}
