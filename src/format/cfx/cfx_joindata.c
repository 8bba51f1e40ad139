/* cfx_joindata.c - reads the joindata of a crawlfs index, by which archives are
 * added to it later (layout: cfx_joindata.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cfx_joindata.h"

#include "base/hash.h"
#include "cfx_block.h"
#include "codec/gzip.h"

#define HEAD_BYTES 12u
/* Stored bytes of a block that deflate cannot make smaller. */
#define MEMBER_MAX (CFS_CFX_JOINDATA_BLOCK_BYTES + 1024u)

void cfs_cfx_joindata_all_decode(const uint8_t *header,
				 struct cfs_cfx_header *out)
{
	const uint8_t *p = header + CFS_CFX_OFF_JOINS;

	/* joindata of another version counts as none */
	out->has_joins = cfs_le32_get(p) == CFS_CFX_JOINS;
	for (unsigned i = 0; out->has_joins && i < CFS_CFX_JOINDATA_LISTS; i++)
		out->lists[i] = (struct cfs_cfx_joindata_at){
			cfs_le64_get(p + 8 + 16 * i),
			cfs_le64_get(p + 16 + 16 * i) };
}

bool cfs_cfx_joindata_all_fit(const struct cfs_cfx_header *h)
{
	for (unsigned i = 0; i < CFS_CFX_JOINDATA_LISTS; i++)
		if (h->lists[i].file_off > h->file_bytes ||
		    h->lists[i].bytes > h->file_bytes - h->lists[i].file_off)
			return false;
	return true;
}

bool cfs_cfx_has_joins(const struct cfs_index *ix)
{
	return ((const struct cfs_cfx *)ix)->head.has_joins;
}

void cfs_cfx_archive(const struct cfs_index *ix, uint32_t i,
		     struct cfs_cfx_archive *out)
{
	const struct cfs_cfx *x = (const struct cfs_cfx *)ix;
	const uint8_t *p = x->archives[i];

	*out = (struct cfs_cfx_archive){ (const char *)p + CFS_CFX_ROW_BYTES,
					 cfs_le64_get(p),
					 (int64_t)cfs_le64_get(p + 8) };
}

bool cfs_cfx_part(const struct cfs_index *ix, struct cfs_part *part,
		  uint64_t *seal)
{
	const struct cfs_cfx_header *h = &((const struct cfs_cfx *)ix)->head;

	*part = h->part;
	*seal = h->part_seal;
	return !h->is_old_part;
}

void cfs_cfx_joindata_init(struct cfs_cfx_joindata *t, struct cfs_index *ix,
			   enum cfs_cfx_joindata_of which)
{
	*t = (struct cfs_cfx_joindata){ .ix = ix, .which = which,
				    .in = { CFS_SLICE_EMPTY, false } };
	cfs_buf_init(&t->text, CFS_CFX_JOINDATA_BLOCK_BYTES);
}

void cfs_cfx_joindata_release(struct cfs_cfx_joindata *t)
{
	cfs_buf_release(&t->text);
}

static const struct cfs_cfx_joindata_at *cfx_joindata_place_of(
		     const struct cfs_cfx_joindata *t)
{
	return &((const struct cfs_cfx *)t->ix)->head.lists[t->which];
}

int cfs_cfx_joindata_bad(const struct cfs_cfx_joindata *t,
			 struct cfs_error *err)
{
	return cfs_error_at(err, CFS_EFORMAT, t->ix->src->name,
			    cfx_joindata_place_of(t)->file_off + t->at, "joins are damaged");
}

/* Reads the member of the block whose 12-byte head is given. */
static int cfx_joindata_read_member(const struct cfs_cfx_joindata *t,
				    const uint8_t *head, struct cfs_buf *member,
				    struct cfs_ctx ctx)
{
	const struct cfs_cfx_joindata_at *at = cfx_joindata_place_of(t);
	uint32_t n = cfs_le32_get(head);
	int rc;

	if (n < CFS_GZ_MEMBER_MIN || n > MEMBER_MAX ||
	    n > at->bytes - t->at - HEAD_BYTES)
		return cfs_cfx_joindata_bad(t, ctx.err);
	if (cfs_buf_reserve(member, n) != CFS_OK)
		return cfs_error_nomem(ctx.err);
	rc = cfs_source_read(t->ix->src, member->p, n,
			     at->file_off + t->at + HEAD_BYTES, ctx);
	member->n = n;
	if (rc == CFS_OK && cfs_hash64(cfs_buf_slice(member),
			cfs_cfx_seed(CFS_CFX_LEVEL_JOINDATA + t->which,
				     (uint32_t)t->number)) !=
			    cfs_le64_get(head + 4))
		rc = cfs_cfx_joindata_bad(t, ctx.err);
	return rc;
}

int cfs_cfx_joindata_fill(struct cfs_cfx_joindata *t, bool *is_new,
			  struct cfs_ctx ctx)
{
	const struct cfs_cfx_joindata_at *at = cfx_joindata_place_of(t);
	uint8_t head[HEAD_BYTES];
	CFS_BUF(member, MEMBER_MAX);
	size_t used;
	int rc;

	if (is_new != NULL)
		*is_new = t->in.rest.n == 0;
	if (t->in.rest.n > 0)
		return CFS_OK;
	if (t->at == at->bytes)
		return CFS_END;
	if (at->bytes - t->at < HEAD_BYTES)
		return cfs_cfx_joindata_bad(t, ctx.err);
	rc = cfs_source_read(t->ix->src, head, sizeof(head),
			     at->file_off + t->at, ctx);
	if (rc != CFS_OK)
		return rc;
	cfs_buf_reset(&t->text);
	rc = cfx_joindata_read_member(t, head, &member, ctx);
	if (rc == CFS_OK) {
		rc = cfs_gz_member(cfs_buf_slice(&member), &t->text,
				   CFS_CFX_JOINDATA_BLOCK_BYTES, &used,
				   ctx.err);
		if (rc == CFS_ELIMIT || (rc == CFS_OK && t->text.n == 0))
			rc = cfs_cfx_joindata_bad(t, ctx.err);
	}
	t->at += HEAD_BYTES + member.n;
	t->number++;
	t->in = (struct cfs_cursor){ cfs_buf_slice(&t->text), false };
	return rc;
}
