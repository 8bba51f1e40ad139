/* part.c - opens a part of an index.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "part.h"

#include <stdlib.h>

#include "filter.h"

struct key_piece {
	struct cfs_index base;		/* `whole` is owned */
	struct cfs_index_ops ops;
	struct cfs_buf from, to;	/* hold base.from and base.to */
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
				     "%u parts at most", text, CFS_PARTS_MAX);
	if (rc != CFS_OK || k == 0 || k > n)
		return cfs_error_set(err, CFS_EUSAGE, "'%.40s' is not K/N, the "
				     "K-th of N parts, with K from 1 to N",
				     text);
	*out = (struct cfs_part){ (uint32_t)k, (uint32_t)n };
	return CFS_OK;
}

/* ---- calls that stay within the part ---- */

static int within(const struct cfs_index *ix, const struct cfs_iter *it, int rc)
{
	return rc == CFS_OK && !ix->to_open &&
	       cfs_slice_cmp(it->key, ix->to) >= 0 ? CFS_END : rc;
}

static int part_seek(struct cfs_index *ix, struct cfs_slice key,
		     struct cfs_iter *it, struct cfs_ctx ctx)
{
	if (cfs_slice_cmp(key, ix->from) < 0)
		key = ix->from;
	if (!ix->to_open && cfs_slice_cmp(key, ix->to) >= 0)
		return CFS_END;
	return within(ix, it, cfs_filter_seek(ix, key, it, ctx));
}

static int part_next(struct cfs_iter *it, struct cfs_ctx ctx)
{
	return within(it->ix, it, cfs_filter_next(it, ctx));
}

static void part_close(struct cfs_index *ix)
{
	struct key_piece *p = (struct key_piece *)ix;

	cfs_filter_close(ix);
	cfs_buf_release(&p->from);
	cfs_buf_release(&p->to);
	free(p);
}

/* ---- opening ---- */

/* The key at which the first k of n parts end.  CFS_END: the index ends. */
static int part_cut(struct cfs_index *whole, struct cfs_part part, uint32_t k,
		    struct cfs_buf *out, struct cfs_ctx ctx)
{
	int rc = CFS_OK;

	if (k == part.n)
		return CFS_END;
	if (k > 0)
		rc = cfs_index_cut(whole, k, part.n, out, ctx);
	return rc == CFS_OK && out->failed != CFS_OK ?
		       cfs_error_nomem(ctx.err) :
		       rc;
}

/* Finds both ends of a part.  A part is empty if it begins where the index
 * ends, or ends where it begins. */
static int cut_both(struct key_piece *p, struct cfs_part part,
		    struct cfs_ctx ctx)
{
	struct cfs_index *ix = &p->base;
	int rc = part_cut(ix->whole, part, part.k - 1, &p->from, ctx);

	ix->from = ix->to = CFS_SLICE_EMPTY;
	if (rc == CFS_OK)
		rc = part_cut(ix->whole, part, part.k, &p->to, ctx);
	else if (rc == CFS_END)
		return CFS_OK;
	ix->to_open = rc == CFS_END;
	ix->from = cfs_buf_slice(&p->from);
	ix->to = cfs_buf_slice(&p->to);
	if (rc == CFS_OK && cfs_slice_cmp(ix->from, ix->to) > 0)
		return cfs_error_at(ctx.err, CFS_EFORMAT, ix->src->name, 0,
				    "keys are out of order: it cannot be cut "
				    "into parts");
	return rc == CFS_END ? CFS_OK : rc;
}

int cfs_part_open(struct cfs_index **out, struct cfs_index *whole,
		  struct cfs_part part, struct cfs_ctx ctx)
{
	struct key_piece *p;
	int rc;

	*out = whole;
	if (part.n == 0)
		return CFS_OK;
	*out = NULL;
	p = calloc(1, sizeof(*p));
	if (p == NULL) {
		cfs_index_close(whole);
		return cfs_error_nomem(ctx.err);
	}
	cfs_buf_init(&p->from, CFS_KEY_MAX);
	cfs_buf_init(&p->to, CFS_KEY_MAX);
	p->ops = cfs_filter_ops(whole->ops);
	p->ops.seek = part_seek;
	p->ops.next = part_next;
	p->ops.close = part_close;
	p->base = *whole;		/* its entries have the same traits */
	p->base.ops = &p->ops;
	p->base.whole = whole;
	p->base.captures = p->base.blocks = 0;
	rc = cut_both(p, part, ctx);
	if (rc != CFS_OK)
		part_close(&p->base);
	else
		*out = &p->base;
	return rc;
}
