/* seqstore.c - gets pairs from a cache of units over the files of a store.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "seqstore.h"

#include <stdlib.h>

#include "base/lru.h"

struct cfs_seqstore {
	struct cfs_store *files;
	struct cfs_lru *units;
};

/* An entry of the cache.  A struct cfs_pinned_unit is the cache's pin. */
struct object {
	struct cfs_seq_head head;
	struct cfs_seq_unit unit;
	uint8_t *bytes;			/* as stored */
	uint64_t offset, length;
};

struct pair_request {
	struct cfs_seqstore *s;
	struct cfs_slice name;
	const struct cfs_span *loc;
};

static void free_object(void *p)
{
	struct object *o = p;

	cfs_seq_unit_release(&o->unit);
	free(o->bytes);
	free(o);
}

static int read_unit(void *arg, struct cfs_source *src, struct cfs_ctx ctx)
{
	struct object *o = arg;
	int rc = cfs_seq_head_read(src, &o->head, ctx);

	if (rc != CFS_OK)
		return rc;
	if (o->length == 0 || o->length > CFS_SEQ_UNIT_MAX ||
	    o->offset >= src->size || o->length > src->size - o->offset)
		return cfs_error_at(ctx.err, CFS_EFORMAT, src->name, o->offset,
			"file of %llu bytes has no block of %llu bytes here",
			(unsigned long long)src->size,
			(unsigned long long)o->length);
	free(o->bytes);		/* left from another base */
	o->bytes = malloc((size_t)o->length);
	if (o->bytes == NULL)
		return cfs_error_nomem(ctx.err);
	rc = cfs_source_read(src, o->bytes, (size_t)o->length, o->offset, ctx);
	if (rc != CFS_OK)
		return rc;
	rc = cfs_seq_unit_parse(&o->head,
				cfs_slice_of(o->bytes, (size_t)o->length),
				&o->unit, ctx.err);
	cfs_error_where(ctx.err, src->name, o->offset);
	return rc;
}

static int load(void *arg, struct cfs_lru_key key, void **obj,
		size_t *obj_bytes, struct cfs_ctx ctx)
{
	const struct pair_request *q = arg;
	struct object *o = calloc(1, sizeof(*o));
	int rc;

	(void)key;
	if (o == NULL)
		return cfs_error_nomem(ctx.err);
	cfs_seq_unit_init(&o->unit);
	o->offset = q->loc->offset;
	o->length = q->loc->length;
	rc = cfs_store_use(q->s->files, q->name, read_unit, o, ctx);
	if (rc == CFS_OK && o->head.is_block) {	/* the unit has copies */
		free(o->bytes);
		o->bytes = NULL;
	}
	if (rc != CFS_OK) {
		free_object(o);
		return rc;
	}
	*obj = o;
	*obj_bytes = sizeof(*o) + o->unit.own.cap +
		     (o->bytes != NULL ? (size_t)o->length : 0);
	return CFS_OK;
}

static bool take_pair(const struct object *o, uint64_t number,
		      struct cfs_slice *key, struct cfs_slice *value)
{
	struct cfs_slice k, v;

	return number < o->unit.n &&
	       cfs_seq_unit_get(&o->unit, (uint32_t)number, &k, &v) == CFS_OK &&
	       cfs_seq_unwrap(o->head.key_class, k, key) &&
	       cfs_seq_unwrap(o->head.value_class, v, value);
}

int cfs_seqstore_get(struct cfs_seqstore *s, struct cfs_slice name,
		     const struct cfs_span *loc, struct cfs_pinned_unit **out,
		     struct cfs_slice *key, struct cfs_slice *value,
		     struct cfs_ctx ctx)
{
	struct pair_request q = { s, name, loc };
	struct cfs_lru_ref *ref;
	int rc;

	*out = NULL;
	rc = cfs_lru_get(s->units, (struct cfs_lru_key){ loc->offset,
							 loc->length, 0, 0,
							 name },
			 load, &q, &ref, ctx);
	if (rc != CFS_OK)
		return rc;
	if (!take_pair(cfs_lru_obj(ref), loc->inner_offset, key, value)) {
		cfs_lru_put(ref);
		return cfs_error_set(ctx.err, CFS_EFORMAT, "block has no pair %llu",
				     (unsigned long long)loc->inner_offset);
	}
	*out = (struct cfs_pinned_unit *)ref;
	return CFS_OK;
}

void cfs_pinned_unit_put(struct cfs_pinned_unit *u)
{
	cfs_lru_put((struct cfs_lru_ref *)u);
}

int cfs_seqstore_new(struct cfs_seqstore **out, struct cfs_store *files,
		     size_t cache_bytes, struct cfs_budget *budget,
		     struct cfs_error *err)
{
	struct cfs_seqstore *s = calloc(1, sizeof(*s));

	*out = NULL;
	if (s != NULL)
		s->units = cfs_lru_new(cache_bytes, free_object);
	if (s == NULL || s->units == NULL) {
		free(s);
		return cfs_error_nomem(err);
	}
	cfs_lru_charge_to(s->units, budget, CFS_MEM_RECORDS, false);
	s->files = files;
	*out = s;
	return CFS_OK;
}

void cfs_seqstore_free(struct cfs_seqstore *s)
{
	if (s == NULL)
		return;
	cfs_lru_free(s->units);
	free(s);
}
