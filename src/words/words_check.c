/* words_check.c - reads all of a list of words, and compares it with what its
 * header says.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "base/fileio.h"
#include "words_internal.h"

#define COMPARED_BYTES ((size_t)1 << 18)

static int differs(const struct cfs_words *w, const char *what,
		   struct cfs_error *err)
{
	return cfs_error_at(err, CFS_EFORMAT, w->src->name, 0, "%s", what);
}

/* Words that ascend, and their lists. */
static int check_words(struct cfs_words *w, struct cfs_hits *docs,
		       struct cfs_ctx ctx)
{
	uint8_t before[CFS_WORD_MAX] = { 0 };
	struct cfs_words_walk *walk;
	struct cfs_slice word;
	uint64_t postings = 0;
	size_t n = 0;
	uint32_t d;
	int rc = cfs_words_walk_begin(&walk, w, CFS_SLICE_EMPTY, ctx.err);

	while (rc == CFS_OK) {
		rc = cfs_words_next(walk, &word, &d, ctx);
		if (rc != CFS_OK)
			break;
		if (cfs_slice_cmp(cfs_slice_of(before, n), word) >= 0)
			rc = differs(w, "words are out of order", ctx.err);
		memcpy(before, word.p, word.n);
		n = word.n;
		postings += d;
		if (rc == CFS_OK)
			rc = cfs_words_postings(walk, docs, NULL, ctx);
	}
	cfs_words_walk_end(walk);
	if (rc == CFS_END && postings != w->head.postings)
		return differs(w, "number of postings is not that of the "
			       "header", ctx.err);
	return rc == CFS_END ? CFS_OK : rc;
}

static int check_lengths(struct cfs_words *w, struct cfs_ctx ctx)
{
	uint8_t *codes = malloc(CFS_WORDS_PART_BYTES);
	uint64_t sum = 0;
	int rc = codes == NULL ? cfs_error_nomem(ctx.err) : CFS_OK;

	for (uint64_t d = 0, n; rc == CFS_OK && d < w->head.docs; d += n) {
		n = w->head.docs - d;
		if (n > CFS_WORDS_PART_BYTES)
			n = CFS_WORDS_PART_BYTES;
		rc = cfs_words_lengths(w, (uint32_t)d, (uint32_t)n, codes, ctx);
		for (uint64_t i = 0; rc == CFS_OK && i < n; i++)
			sum += cfs_words_length(codes[i]);
	}
	free(codes);
	if (rc == CFS_OK && sum != w->head.length_sum)
		rc = differs(w, "sum of lengths is not that of the header",
			     ctx.err);
	return rc;
}

int cfs_words_check(struct cfs_words *w, struct cfs_ctx ctx)
{
	struct cfs_hits docs = { 0 };
	int rc = cfs_words_docs_in(w, CFS_WORDS_UNREAD, &docs, ctx.err);

	if (rc == CFS_OK)
		rc = cfs_words_docs_in(w, CFS_WORDS_LONG, &docs, ctx.err);
	if (rc == CFS_OK)
		rc = check_lengths(w, ctx);
	if (rc == CFS_OK)
		rc = check_words(w, &docs, ctx);
	cfs_hits_release(&docs);
	return rc;
}

int cfs_words_compare(struct cfs_words *w, int fd, uint64_t n,
		      struct cfs_ctx ctx)
{
	uint8_t *own = malloc(2 * COMPARED_BYTES);
	int rc = own == NULL ? cfs_error_nomem(ctx.err) : CFS_OK;

	if (rc == CFS_OK && n != w->head.file_bytes)
		rc = CFS_END;
	for (uint64_t at = 0, now; rc == CFS_OK && at < n; at += now) {
		uint8_t *other = own + COMPARED_BYTES;

		now = n - at;
		if (now > COMPARED_BYTES)
			now = COMPARED_BYTES;
		rc = cfs_source_read(w->src, own, (size_t)now, at, ctx);
		if (rc == CFS_OK &&
		    (cfs_read_at(fd, other, (size_t)now, at) != now ||
		     memcmp(own, other, (size_t)now) != 0))
			rc = CFS_END;
	}
	free(own);
	return rc;
}
