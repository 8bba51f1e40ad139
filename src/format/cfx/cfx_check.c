/* cfx_check.c - reads a whole crawlfs index and verifies its checksums.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include <inttypes.h>
#include <stdlib.h>

#include "cfx.h"
#include "cfx_damage.h"
#include "cfx_joindata.h"

struct tree_check {
	struct cfs_index *ix;
	struct cfs_iter it, way;
	struct cfs_buf notes, last_key;
	cfs_pos last;
	uint64_t n;
	const struct cfs_cancel *cancel;
};

/* Checks that a leaf is reached from the root by its first entry's key. */
static int cfx_check_check_way(struct tree_check *k, struct cfs_error *err)
{
	int rc = cfs_cancel_check(k->cancel, 0, err);

	if (rc == CFS_OK)
		rc = cfs_index_seek(k->ix, k->it.key, &k->way,
				    CFS_CTX(k->cancel, err));
	return rc != CFS_END ? rc :
	       cfs_error_at(err, CFS_EFORMAT, k->ix->src->name, 0,
			    "an entry is not found by its key");
}

/* Checks the entry under the iterator: its value, order and notes. */
static int cfx_check_check_entry(struct tree_check *k, struct cfs_error *err)
{
	bool is_first = k->n == 0 ||
			cfs_pos_block(k->it.pos) != cfs_pos_block(k->last);
	struct cfs_capture c;
	int rc = cfs_index_capture(&k->it, &c, err);

	if (rc == CFS_OK && cfs_slice_cmp(k->it.key,
					  cfs_buf_slice(&k->last_key)) < 0)
		rc = cfs_error_at(err, CFS_EFORMAT, k->ix->src->name, 0,
				  "keys are out of order");
	cfs_buf_reset(&k->last_key);
	if (rc == CFS_OK && cfs_buf_add(&k->last_key, k->it.key) != CFS_OK)
		rc = cfs_error_nomem(err);
	cfs_buf_reset(&k->notes);
	if (rc == CFS_OK)
		rc = cfs_index_notes(k->ix, &c, &k->notes,
				     CFS_CTX(k->cancel, err));
	if (rc == CFS_OK && is_first)
		rc = cfx_check_check_way(k, err);
	k->last = k->it.pos;
	k->n += rc == CFS_OK;
	return rc;
}

static int cfx_check_check_entries(struct tree_check *k, struct cfs_error *err)
{
	int rc = cfs_index_seek(k->ix, CFS_SLICE_EMPTY, &k->it,
				CFS_CTX(k->cancel, err));

	while (rc == CFS_OK) {
		rc = cfx_check_check_entry(k, err);
		if (rc == CFS_OK)
			rc = cfs_index_next(&k->it, CFS_CTX(k->cancel, err));
	}
	if (rc == CFS_END && k->n != k->ix->captures)
		return cfs_error_at(err, CFS_EFORMAT, k->ix->src->name,
				    CFS_CFX_OFF_CAPTURES, "has %" PRIu64
				    " captures, its header says %" PRIu64,
				    k->n, k->ix->captures);
	return rc == CFS_END ? CFS_OK : rc;
}

static int pass_ref(void *arg, uint64_t hash, cfs_pos pos,
		    struct cfs_error *err)
{
	(void)arg;
	(void)hash;
	(void)pos;
	(void)err;
	return CFS_OK;
}

static int check_joindata(struct cfs_index *ix, enum cfs_cfx_joindata_of which,
		      struct cfs_ctx ctx)
{
	struct cfs_cfx_joindata t;
	int rc;

	cfs_cfx_joindata_init(&t, ix, which);
	while ((rc = cfs_cfx_joindata_fill(&t, NULL, ctx)) == CFS_OK)
		t.in.rest.n = 0;	/* to the next block */
	cfs_cfx_joindata_release(&t);
	return rc == CFS_END ? CFS_OK : rc;
}

static int check_damage(struct cfs_index *ix, struct cfs_ctx ctx)
{
	CFS_BUF(table, CFS_CFX_DAMAGE_TABLE_MAX);

	return cfs_cfx_damage_read(ix, &table, ctx);
}

int cfs_cfx_check(struct cfs_index *ix, uint64_t *n, struct cfs_ctx ctx)
{
	struct tree_check *k = calloc(1, sizeof(*k));
	int rc;

	*n = 0;
	if (k == NULL)
		return cfs_error_nomem(ctx.err);
	k->ix = ix;
	k->cancel = ctx.cancel;
	cfs_iter_init(&k->it);
	cfs_iter_init(&k->way);
	cfs_buf_init(&k->notes, CFS_NOTES_MAX);
	cfs_buf_init(&k->last_key, CFS_KEY_MAX);
	rc = cfx_check_check_entries(k, ctx.err);
	if (rc == CFS_OK && cfs_cfx_is_upper_damaged(ix))
		rc = cfs_error_at(ctx.err, CFS_EFORMAT, ix->src->name, 0,
				  "a block above the leaves is damaged");
	*n = k->n;
	cfs_iter_release(&k->it);
	cfs_iter_release(&k->way);
	cfs_buf_release(&k->notes);
	cfs_buf_release(&k->last_key);
	free(k);
	if (rc == CFS_OK)
		rc = cfs_cfx_for_each_ref(ix, pass_ref, NULL, ctx);
	for (unsigned i = 0; rc == CFS_OK && i < CFS_CFX_JOINDATA_LISTS; i++)
		rc = check_joindata(ix, (enum cfs_cfx_joindata_of)i, ctx);
	return rc == CFS_OK ? check_damage(ix, ctx) : rc;
}
