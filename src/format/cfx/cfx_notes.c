/* cfx_notes.c - reads the notes of captures in a crawlfs index, and its home.
 *
 * A block takes two reads: its directory entry, and the block.  Both are
 * checked by the block's checksum, since its seed is the block's number.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cfx_notes.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "codec/gzip.h"

/* Stored bytes of a block: a checksum, and text that deflate cannot shrink. */
#define STORED_MAX (8u + CFS_CFX_NOTES_BLOCK_BYTES + 1024u)

static int cfx_notes_bad(const struct cfs_cfx *x, uint64_t off,
			 const char *what, struct cfs_error *err)
{
	return cfs_error_at(err, CFS_EFORMAT, x->base.src->name, off, "%s",
			    what);
}

void cfs_cfx_notes_decode(const uint8_t *header, struct cfs_cfx_header *out)
{
	const uint8_t *p = header + CFS_CFX_OFF_HOME;
	size_t n = cfs_le16_get(p);

	out->notes_off = cfs_le64_get(header + CFS_CFX_OFF_NOTES);
	out->n_notes = cfs_le64_get(header + CFS_CFX_OFF_NOTES + 8);
	if (n <= CFS_CFX_HOME_MAX && memchr(p + 2, 0, n) == NULL)
		memcpy(out->home, p + 2, n);
}

bool cfs_cfx_notes_fit(const struct cfs_cfx_header *h)
{
	return h->n_notes == 0 ||
	       (h->notes_off <= h->file_bytes &&
		h->n_notes < (h->file_bytes - h->notes_off) / 8);
}

void cfs_cfx_notes_take(const struct cfs_cfx_header *h, struct cfs_cursor *c,
			struct cfs_notes_at *out)
{
	uint64_t block = cfs_cursor_varint(c), off = cfs_cursor_varint(c);
	uint64_t n = cfs_cursor_varint(c);

	if (block >= h->n_notes || n > CFS_NOTES_MAX ||
	    off > CFS_CFX_NOTES_BLOCK_BYTES)
		c->bad = true;
	else
		*out = (struct cfs_notes_at){ block, (uint32_t)off,
					      (uint32_t)n };
}

/* Reads the stored bytes of a block; *out is malloced. */
static int read_stored(const struct cfs_cfx *x, uint64_t number, uint8_t **out,
		       uint64_t *off, size_t *n, struct cfs_ctx ctx)
{
	const struct cfs_cfx_header *h = &x->head;
	uint64_t at = h->notes_off + 8 * number, end;
	uint8_t place[16];
	int rc = cfs_source_read(x->base.src, place, sizeof(place), at, ctx);

	if (rc != CFS_OK)
		return rc;
	*off = cfs_le64_get(place);
	end = cfs_le64_get(place + 8);
	if (end > h->file_bytes || *off > end || end - *off > STORED_MAX ||
	    end - *off < 8 + CFS_GZ_MEMBER_MIN)
		return cfx_notes_bad(x, at, "place of notes is wrong", ctx.err);
	*n = (size_t)(end - *off);
	*out = malloc(*n);
	if (*out == NULL)
		return cfs_error_nomem(ctx.err);
	return cfs_source_read(x->base.src, *out, *n, *off, ctx);
}

int cfs_cfx_notes_load(struct cfs_cfx *x, uint64_t number, void **out,
		       size_t *bytes, struct cfs_ctx ctx)
{
	struct cfs_cfx_notes *b = NULL;
	CFS_BUF(text, CFS_CFX_NOTES_BLOCK_BYTES);
	uint8_t *p = NULL;
	uint64_t off = 0;
	size_t n = 0, used;
	int rc = read_stored(x, number, &p, &off, &n, ctx);

	if (rc == CFS_OK && cfs_hash64(cfs_slice_of(p + 8, n - 8),
			cfs_cfx_seed(CFS_CFX_LEVEL_NOTES, (uint32_t)number)) !=
			    cfs_le64_get(p))
		rc = cfx_notes_bad(x, off, "notes are damaged (checksum)",
				   ctx.err);
	if (rc == CFS_OK) {
		rc = cfs_gz_member(cfs_slice_of(p + 8, n - 8), &text,
				   CFS_CFX_NOTES_BLOCK_BYTES, &used, ctx.err);
		cfs_error_where(ctx.err, x->base.src->name, off + 8);
		rc = rc == CFS_ELIMIT ? CFS_EFORMAT : rc;
	}
	if (rc == CFS_OK && (b = malloc(sizeof(*b) + text.n)) == NULL)
		rc = cfs_error_nomem(ctx.err);
	if (rc == CFS_OK) {
		b->file_off = off;
		b->n = text.n;
		if (text.n > 0)
			memcpy(b->p, text.p, text.n);
		*out = b;
		*bytes = sizeof(*b) + text.n;
	}
	free(p);
	return rc;
}

int cfs_cfx_notes_add(const struct cfs_cfx *x, const struct cfs_cfx_notes *b,
		      const struct cfs_notes_at *at, struct cfs_buf *out,
		      struct cfs_error *err)
{
	if (at->offset > b->n || at->bytes > b->n - at->offset)
		return cfx_notes_bad(x, b->file_off,
				     "notes lie outside their block", err);
	if (cfs_buf_append(out, b->p + at->offset, at->bytes) != CFS_OK)
		return cfs_error_set(err, out->failed, "no room for notes");
	return CFS_OK;
}
