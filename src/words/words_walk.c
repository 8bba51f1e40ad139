/* words_walk.c - all words of a list, in order.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "base/lru.h"
#include "words_internal.h"

#define BLOCKS_AHEAD 32u

struct cfs_words_walk {
	struct cfs_words *w;
	struct cfs_lru_ref *ref;	/* of the block; NULL: the next one is
					 * not read yet */
	uint64_t next;			/* block */
	struct cfs_words_entry e;
	struct cfs_words_window postings;
	uint8_t from[CFS_WORD_MAX];	/* words before it are passed over */
	size_t from_n;
};

int cfs_words_walk_begin(struct cfs_words_walk **out, struct cfs_words *w,
			 struct cfs_slice from, struct cfs_error *err)
{
	struct cfs_words_walk *walk = calloc(1, sizeof(*walk));

	*out = walk;
	if (walk == NULL)
		return cfs_error_nomem(err);
	from = cfs_slice_sub(from, 0, CFS_WORD_MAX);
	memcpy(walk->from, from.p, from.n);
	walk->from_n = from.n;
	walk->w = w;
	walk->next = cfs_words_block_of(w, from);
	return CFS_OK;
}

void cfs_words_walk_end(struct cfs_words_walk *walk)
{
	if (walk == NULL)
		return;
	cfs_lru_put(walk->ref);
	cfs_words_window_release(&walk->postings);
	free(walk);
}

const struct cfs_words_entry *
cfs_words_walk_entry(const struct cfs_words_walk *walk)
{
	return &walk->e;
}

/* Hints at blocks that a walk will read, so that a server is asked for many at
 * once. */
static void blocks_ahead(const struct cfs_words_walk *walk)
{
	const struct cfs_words *w = walk->w;
	uint64_t n = w->head.blocks - walk->next;
	const struct cfs_words_top *from = &w->top[walk->next], *last;

	if (n > BLOCKS_AHEAD)
		n = BLOCKS_AHEAD;
	last = from + n - 1;
	cfs_source_prefetch(w->src, from->file_off,
			    (size_t)(last->file_off - from->file_off) +
				    last->bytes + CFS_WORDS_SUM_BYTES);
}

/* Moves to the next block.  CFS_END. */
static int next_block(struct cfs_words_walk *walk, struct cfs_ctx ctx)
{
	int rc;

	cfs_lru_put(walk->ref);
	walk->ref = NULL;
	if (walk->next >= walk->w->head.blocks)
		return CFS_END;
	if (walk->next % BLOCKS_AHEAD == 0)
		blocks_ahead(walk);
	if (cfs_cancelled(ctx.cancel))
		return cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
	rc = cfs_words_block_get(walk->w, walk->next++, &walk->ref, ctx);
	if (rc == CFS_OK)
		cfs_words_entry_begin(&walk->e, cfs_lru_obj(walk->ref));
	else
		walk->ref = NULL;
	return rc;
}

int cfs_words_next(struct cfs_words_walk *walk, struct cfs_slice *word,
		   uint32_t *docs, struct cfs_ctx ctx)
{
	struct cfs_slice from = cfs_slice_of(walk->from, walk->from_n);

	for (;;) {
		int rc = CFS_END;

		if (walk->ref != NULL)
			rc = cfs_words_entry_next(walk->w, &walk->e, ctx.err);
		if (rc == CFS_END) {
			rc = next_block(walk, ctx);
			if (rc != CFS_OK)
				return rc;
			continue;
		}
		if (rc != CFS_OK)
			return rc;
		*word = cfs_slice_of(walk->e.word, walk->e.n);
		*docs = walk->e.docs;
		if (from.n == 0 || cfs_slice_cmp(*word, from) >= 0)
			break;
	}
	walk->from_n = 0;
	return CFS_OK;
}

int cfs_words_postings(struct cfs_words_walk *walk, struct cfs_hits *docs,
		       struct cfs_hits *frequencies, struct cfs_ctx ctx)
{
	return cfs_words_entry_list(walk->w, &walk->e, &walk->postings, docs,
				    frequencies, ctx);
}
