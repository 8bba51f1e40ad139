/* stream.c - a remote source read from front to back, in whole blocks that are
 * fetched ahead.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/sync.h"
#include "source.h"

/* Blocks are fetched after so many reads in sequence: the first reads of a file
 * are short, and jump. */
#define IN_ORDER_MIN 2u

/* Bytes returned by the first read at 0 are kept, up to this many: files are
 * first read there to recognise their format, then as a whole from there. */
#define HEAD_MAX (64u << 10)

enum block_state { BLOCK_EMPTY, BLOCK_UNDER_WAY, BLOCK_READY, BLOCK_FAILED };

struct stream_block {
	struct stream *stream;
	enum block_state state;	/* guarded by lock, as is the rest; the bytes */
	uint64_t no;		/* belong to the fetch while under way */
	uint8_t *p;		/* CFS_STREAM_BLOCK, or NULL */
	size_t n;
	int code;
	struct cfs_error err;
};

struct stream {
	struct cfs_source base;
	struct cfs_source *inner;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct stream_block blocks[CFS_STREAM_SLOTS];
	uint64_t next;		/* where a read in sequence begins */
	unsigned in_order;
	unsigned under_way;
	uint8_t *head;		/* the file's first bytes, or NULL */
	size_t head_n;
};

static void stream_on_done(void *arg, int code, struct cfs_slice bytes,
			   const struct cfs_error *err)
{
	struct stream_block *b = arg;
	struct stream *s = b->stream;

	if (code == CFS_OK && bytes.n <= CFS_STREAM_BLOCK)
		memcpy(b->p, bytes.p, bytes.n);
	pthread_mutex_lock(&s->lock);
	b->state = code == CFS_OK ? BLOCK_READY : BLOCK_FAILED;
	b->n = bytes.n;
	b->code = code;
	if (err != NULL)
		b->err = *err;
	s->under_way--;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
}

static struct stream_block *stream_find_locked(struct stream *s, uint64_t no)
{
	for (unsigned i = 0; i < CFS_STREAM_SLOTS; i++)
		if (s->blocks[i].state != BLOCK_EMPTY && s->blocks[i].no == no)
			return &s->blocks[i];
	return NULL;
}

/* A slot not needed to read on from block `no`. */
static struct stream_block *free_locked(struct stream *s, uint64_t no)
{
	for (unsigned i = 0; i < CFS_STREAM_SLOTS; i++) {
		struct stream_block *b = &s->blocks[i];

		if (b->state == BLOCK_EMPTY ||
		    (b->state != BLOCK_UNDER_WAY &&
		     (b->no < no || b->no >= no + CFS_STREAM_SLOTS)))
			return b;
	}
	return NULL;
}

/* Starts the fetch of a block.  If that fails, the slot stays empty, and a read
 * of the block goes to the inner source. */
static void start_unlocks(struct stream *s, struct stream_block *b, uint64_t no)
{
	int rc;

	if (b->p == NULL && (b->p = malloc(CFS_STREAM_BLOCK)) == NULL)
		return;
	b->no = no;
	b->state = BLOCK_UNDER_WAY;
	cfs_error_clear(&b->err);
	s->under_way++;
	pthread_mutex_unlock(&s->lock);
	rc = s->inner->ops->start(s->inner, no * CFS_STREAM_BLOCK,
				  CFS_STREAM_BLOCK, stream_on_done, b, NULL,
				  NULL);
	pthread_mutex_lock(&s->lock);
	if (rc != CFS_OK) {
		b->state = BLOCK_EMPTY;
		s->under_way--;
		pthread_cond_broadcast(&s->changed);
	}
}

static void fetch_ahead_unlocks(struct stream *s, uint64_t no)
{
	for (uint64_t k = no; k < no + CFS_STREAM_SLOTS; k++) {
		struct stream_block *b;

		if (k * CFS_STREAM_BLOCK >= s->base.size)
			return;
		if (stream_find_locked(s, k) != NULL)
			continue;
		b = free_locked(s, no);
		if (b == NULL)
			return;
		start_unlocks(s, b, k);
	}
}

/* Waits for a block and copies bytes.  CFS_END if there is no such block; the
 * failure of its fetch. */
static int stream_take_locked(struct stream *s, uint8_t *buf, size_t n,
			      uint64_t off, size_t *got, struct cfs_ctx ctx)
{
	uint64_t no = off / CFS_STREAM_BLOCK;
	size_t skip = (size_t)(off % CFS_STREAM_BLOCK), left;
	struct stream_block *b;

	while ((b = stream_find_locked(s, no)) != NULL &&
	       b->state == BLOCK_UNDER_WAY) {
		if (!cfs_cancel_may_wait(ctx.cancel) ||
		    cfs_cancelled(ctx.cancel))
			return cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
		cfs_cond_wait_ms(&s->changed, &s->lock, CFS_WAIT_SLICE_MS);
	}
	if (b == NULL)
		return CFS_END;
	if (b->state == BLOCK_FAILED) {
		b->state = BLOCK_EMPTY;		/* the next read may
						 * try again */
		return cfs_error_pass(ctx.err, &b->err, b->code);
	}
	left = b->n > skip ? b->n - skip : 0;
	*got = n < left ? n : left;
	if (*got > 0)
		memcpy(buf, b->p + skip, *got);
	return CFS_OK;
}

/* ---- the first bytes ---- */

static void keep_head_locked(struct stream *s, const uint8_t *p, size_t n)
{
	if (s->head != NULL || n == 0 || n > HEAD_MAX)
		return;
	s->head = malloc(n);
	if (s->head == NULL)
		return;		/* then they are read again */
	memcpy(s->head, p, n);
	s->head_n = n;
}

/* Copies bytes from the head, as many as it has; false if it has none
 * at off. */
static bool take_head_locked(const struct stream *s, uint8_t *buf, size_t n,
			     uint64_t off, size_t *got)
{
	size_t left;

	if (s->head == NULL || off >= s->head_n)
		return false;
	left = s->head_n - (size_t)off;
	*got = n < left ? n : left;
	memcpy(buf, s->head + off, *got);
	return true;
}

/* ---- reading ---- */

static int stream_read_at(struct cfs_source *src, void *buf, size_t n,
			  uint64_t off, size_t *got, struct cfs_ctx ctx)
{
	struct stream *s = (struct stream *)src;
	uint64_t no = off / CFS_STREAM_BLOCK;
	int rc = CFS_END;

	*got = 0;
	pthread_mutex_lock(&s->lock);
	s->in_order = off == s->next ? s->in_order + 1 : 0;
	if (s->in_order >= IN_ORDER_MIN)
		fetch_ahead_unlocks(s, no);
	if (take_head_locked(s, buf, n, off, got))
		rc = CFS_OK;
	else if (stream_find_locked(s, no) != NULL)
		rc = stream_take_locked(s, buf, n, off, got, ctx);
	pthread_mutex_unlock(&s->lock);
	if (rc == CFS_END)
		rc = s->inner->ops->read_at(s->inner, buf, n, off, got, ctx);
	pthread_mutex_lock(&s->lock);
	if (rc == CFS_OK && off == 0)
		keep_head_locked(s, buf, *got);
	s->next = off + *got;
	pthread_mutex_unlock(&s->lock);
	return rc;
}

static void stream_close(struct cfs_source *src)
{
	struct stream *s = (struct stream *)src;

	cfs_source_abandon(s->inner);
	pthread_mutex_lock(&s->lock);
	while (s->under_way > 0)
		cfs_cond_wait_ms(&s->changed, &s->lock, CFS_WAIT_SLICE_MS);
	pthread_mutex_unlock(&s->lock);
	for (unsigned i = 0; i < CFS_STREAM_SLOTS; i++)
		free(s->blocks[i].p);
	free(s->head);
	cfs_source_close(s->inner);
	pthread_cond_destroy(&s->changed);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

static bool stream_validator(struct cfs_source *src,
			     char out[CFS_VALIDATOR_BYTES])
{
	return cfs_source_validator(((struct stream *)src)->inner, out);
}

static const struct cfs_source_ops stream_ops = {
	.read_at = stream_read_at, .close = stream_close,
	.validator = stream_validator,
};

int cfs_source_open_stream(struct cfs_source **out, struct cfs_source *inner,
			   struct cfs_ctx ctx)
{
	struct stream *s;
	int rc = cfs_source_find_size(inner, ctx);

	*out = NULL;
	if (rc == CFS_OK && inner->ops->start == NULL) {
		*out = inner;
		return CFS_OK;
	}
	s = rc == CFS_OK ? calloc(1, sizeof(*s)) : NULL;
	if (s == NULL) {
		cfs_source_close(inner);
		return rc != CFS_OK ? rc :
		       cfs_error_nomem(ctx.err);
	}
	for (unsigned i = 0; i < CFS_STREAM_SLOTS; i++)
		s->blocks[i].stream = s;
	s->inner = inner;
	s->base.mtime = inner->mtime;
	pthread_mutex_init(&s->lock, NULL);
	cfs_cond_init(&s->changed);
	return cfs_source_open(out, &s->base, &stream_ops, inner->size,
			       inner->name, ctx.err);
}
