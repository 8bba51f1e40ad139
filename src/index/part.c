/* part.c - a piece of an index.
 *
 * It has no iterator of its own: one that stands in it is lent to the whole
 * index for each step.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "part.h"

#include <stdlib.h>

struct piece {
	struct cfs_index base;		/* `whole` is owned */
	struct cfs_index_ops ops;
	struct cfs_buf from, to;	/* what base.from and base.to lend */
};

/* ---- K/N ---- */

int cfs_part_parse(const char *text, struct cfs_part *out,
		   struct cfs_error *err)
{
	struct cfs_slice rest = cfs_slice_str(text);
	struct cfs_slice first = cfs_slice_split(&rest, '/');
	uint64_t k = 0, n = 0;
	int rc = cfs_slice_parse_u64(first, CFS_PARTS_MAX, &k);

	if (rc == CFS_OK)
		rc = cfs_slice_parse_u64(rest, CFS_PARTS_MAX, &n);
	if (rc == CFS_ELIMIT)
		return cfs_error_set(err, CFS_EUSAGE, "'%.40s': there can be "
				     "%u pieces at most", text, CFS_PARTS_MAX);
	if (rc != CFS_OK || k == 0 || k > n)
		return cfs_error_set(err, CFS_EUSAGE, "'%.40s' is not K/N, the "
				     "K-th of N pieces, with K from 1 to N",
				     text);
	*out = (struct cfs_part){ (uint32_t)k, (uint32_t)n };
	return CFS_OK;
}

/* ---- calls that stay within the piece ---- */

static int within(struct cfs_index *ix, struct cfs_iter *it, int rc)
{
	it->ix = ix;
	return rc == CFS_OK && !ix->to_open &&
	       cfs_slice_cmp(it->key, ix->to) >= 0 ? CFS_END : rc;
}

static int part_seek(struct cfs_index *ix, struct cfs_slice key,
		     struct cfs_iter *it, const struct cfs_cancel *cancel,
		     struct cfs_error *err)
{
	if (cfs_slice_cmp(key, ix->from) < 0)
		key = ix->from;
	if (!ix->to_open && cfs_slice_cmp(key, ix->to) >= 0)
		return CFS_END;
	it->ix = ix->whole;
	return within(ix, it, ix->whole->ops->seek(ix->whole, key, it, cancel,
						   err));
}

static int part_next(struct cfs_iter *it, const struct cfs_cancel *cancel,
		     struct cfs_error *err)
{
	struct cfs_index *ix = it->ix;

	it->ix = ix->whole;
	return within(ix, it, ix->whole->ops->next(it, cancel, err));
}

/* ---- calls that the whole index answers ---- */

static int part_at(struct cfs_index *ix, cfs_pos pos, struct cfs_iter *it,
		   const struct cfs_cancel *cancel, struct cfs_error *err)
{
	int rc;

	it->ix = ix->whole;
	rc = ix->whole->ops->at(ix->whole, pos, it, cancel, err);
	it->ix = ix;
	return rc;
}

static int part_capture(struct cfs_iter *it, struct cfs_capture *out,
			struct cfs_error *err)
{
	struct cfs_index *ix = it->ix;
	int rc;

	it->ix = ix->whole;
	rc = ix->whole->ops->capture(it, out, err);
	it->ix = ix;
	return rc;
}

static int part_notes(struct cfs_index *ix, const struct cfs_notes_at *at,
		      struct cfs_buf *out, const struct cfs_cancel *cancel,
		      struct cfs_error *err)
{
	return ix->whole->ops->notes(ix->whole, at, out, cancel, err);
}

static int part_archive_name(struct cfs_index *ix, const struct cfs_span *loc,
			     struct cfs_buf *out, struct cfs_error *err)
{
	return ix->whole->ops->archive_name(ix->whole, loc, out, err);
}

static int part_split(struct cfs_index *ix, struct cfs_slice key,
		      struct cfs_path *out)
{
	return ix->whole->ops->split(ix->whole, key, out);
}

static int part_ranges(struct cfs_index *ix, const struct cfs_path *path,
		       enum cfs_below below, struct cfs_ranges *out)
{
	return ix->whole->ops->ranges(ix->whole, path, below, out);
}

static int part_find_ref(struct cfs_index *ix, struct cfs_slice ref,
			 cfs_pos *out, size_t max, size_t *n,
			 const struct cfs_cancel *cancel, struct cfs_error *err)
{
	return ix->whole->ops->find_ref(ix->whole, ref, out, max, n, cancel,
					err);
}

static void part_close(struct cfs_index *ix)
{
	struct piece *p = (struct piece *)ix;

	cfs_index_close(ix->whole);
	cfs_buf_release(&p->from);
	cfs_buf_release(&p->to);
	free(p);
}

/* What the whole index has no call for, a piece has none for either. */
static struct cfs_index_ops ops_for(const struct cfs_index_ops *whole)
{
	return (struct cfs_index_ops){
		.seek = part_seek,
		.at = part_at,
		.next = part_next,
		.capture = part_capture,
		.notes = whole->notes != NULL ? part_notes : NULL,
		.archive_name = part_archive_name,
		.split = part_split,
		.ranges = part_ranges,
		.url_key = whole->url_key,
		.key_url = whole->key_url,
		.find_ref = whole->find_ref != NULL ? part_find_ref : NULL,
		.close = part_close,
	};
}

/* ---- opening ---- */

/* The end of the first k of n pieces.  CFS_END: that of the index. */
static int cut(struct cfs_index *whole, struct cfs_part part, uint32_t k,
	       struct cfs_buf *out, const struct cfs_cancel *cancel,
	       struct cfs_error *err)
{
	int rc = CFS_OK;

	if (k == part.n)
		return CFS_END;
	if (k > 0)
		rc = cfs_index_cut(whole, k, part.n, out, cancel, err);
	return rc == CFS_OK && out->failed != CFS_OK ? cfs_error_nomem(err) : rc;
}

/* A piece that begins where the index ends is empty: so is one that ends where
 * it begins. */
static int cut_both(struct piece *p, struct cfs_part part,
		    const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct cfs_index *ix = &p->base;
	int rc = cut(ix->whole, part, part.k - 1, &p->from, cancel, err);

	ix->from = ix->to = CFS_SLICE_EMPTY;
	if (rc == CFS_OK)
		rc = cut(ix->whole, part, part.k, &p->to, cancel, err);
	else if (rc == CFS_END)
		return CFS_OK;
	ix->to_open = rc == CFS_END;
	ix->from = cfs_buf_slice(&p->from);
	ix->to = cfs_buf_slice(&p->to);
	if (rc == CFS_OK && cfs_slice_cmp(ix->from, ix->to) > 0)
		return cfs_error_at(err, CFS_EFORMAT, ix->src->name, 0,
				    "keys are out of order: it cannot be cut "
				    "into pieces");
	return rc == CFS_END ? CFS_OK : rc;
}

int cfs_part_open(struct cfs_index **out, struct cfs_index *whole,
		  struct cfs_part part, const struct cfs_cancel *cancel,
		  struct cfs_error *err)
{
	struct piece *p;
	int rc;

	*out = whole;
	if (part.n == 0)
		return CFS_OK;
	*out = NULL;
	p = calloc(1, sizeof(*p));
	if (p == NULL) {
		cfs_index_close(whole);
		return cfs_error_nomem(err);
	}
	cfs_buf_init(&p->from, CFS_KEY_MAX);
	cfs_buf_init(&p->to, CFS_KEY_MAX);
	p->ops = ops_for(whole->ops);
	p->base = *whole;		/* all that is said of its entries */
	p->base.ops = &p->ops;
	p->base.whole = whole;
	p->base.captures = p->base.blocks = 0;
	rc = cut_both(p, part, cancel, err);
	if (rc != CFS_OK)
		part_close(&p->base);
	else
		*out = &p->base;
	return rc;
}
