/* list_max.c - estimates folders, and ends listings that would fetch too much.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "list_max.h"

#include <inttypes.h>

#include "base/clamp.h"
#include "base/hash.h"
#include "base/memo.h"
#include "base/text.h"
#include "index/ahead.h"
#include "index/union.h"
#include "tree.h"
#include "walk.h"

/* Fractions of an index are counted in so many parts: more than Common Crawl's
 * largest index has blocks. */
#define PARTS (1u << 20)
/* Blocks by which names are estimated; a folder of few blocks has no estimate,
 * since much of each is outside of it. */
#define SAMPLES 8u
#define SAMPLED_MIN (4 * SAMPLES)
/* Bytes read of a cluster.idx, unless it has less: to find a folder in it, and
 * for an estimate, which reads two blocks at a sample, too.  With a limit below
 * twice what it fetches nothing is estimated. */
#define FOUND_BYTES (UINT64_C(768) << 10)
#define ESTIMATED_BYTES (UINT64_C(4) << 20)
#define ESTIMATED_BLOCKS (2 * SAMPLES + 1)
/* Bytes of a line in a cluster.idx, of which blocks have one each, and the part
 * of a listing's bytes that such lines have at most. */
#define LINE_BYTES 128u
#define LINES_PART 16u
#define COOKIES_BITS 10u	/* 2^10 cookies are remembered */

/* ---- the size of a folder ------------------------------------------------ */

/* Finds how many parts of the index precede a key. */
static int parts_before(struct cfs_index *ix, struct cfs_slice key,
			uint32_t *out, struct cfs_ctx ctx)
{
	uint32_t lo = 0, hi = PARTS;
	CFS_BUF(cut, CFS_KEY_MAX);
	int rc = CFS_OK;

	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;

		cfs_buf_reset(&cut);
		rc = cfs_index_cut(ix, mid, PARTS, &cut, ctx);
		if (rc < 0)
			break;
		if (rc == CFS_OK && cfs_slice_cmp(cfs_buf_slice(&cut), key) < 0)
			lo = mid;
		else
			hi = mid;
	}
	*out = lo;
	return rc < 0 ? rc : CFS_OK;
}

/* Some parts of an index. */
struct parts {
	uint32_t from, n;
};

/* Adds up the ranges of w->dir, and finds the largest of them. */
static int parts_of_dir(struct cfs_walk *w, struct cfs_index *ix,
			struct parts *largest, uint32_t *all)
{
	struct cfs_ranges *g = &w->probe.ranges;
	int rc = cfs_index_ranges(ix, &w->dir, CFS_BELOW_DIR, g);

	*largest = (struct parts){ 0, 0 };
	*all = 0;
	for (unsigned i = 0; rc == CFS_OK && i < g->n; i++) {
		struct parts p;
		uint32_t to = PARTS;

		rc = parts_before(ix, g->v[i].lo, &p.from, w->ctx);
		if (rc == CFS_OK && !g->v[i].hi_open)
			rc = parts_before(ix, g->v[i].hi, &to, w->ctx);
		if (rc != CFS_OK)
			break;
		p.n = to - p.from;
		*all += p.n;
		if (p.n > largest->n)
			*largest = p;
	}
	return rc;
}

/* Entries of blocks, pairs of neighbours among them, and pairs that are of two
 * names. */
struct sampled {
	uint64_t entries, pairs, changes;
};

/* Counts the changes from one name in w->dir to the next in one block. */
static int sample_block(struct cfs_walk *w, struct cfs_index *ix,
			struct cfs_slice key, struct sampled *s)
{
	struct cfs_iter *it = &w->probe.it;
	uint64_t last = 0;
	int rc = cfs_index_seek(ix, key, it, w->ctx);
	uint32_t block = cfs_pos_block(it->pos);

	for (; rc == CFS_OK && cfs_pos_block(it->pos) == block;
	     rc = cfs_index_next(it, w->ctx)) {
		uint64_t hash = 0;

		if (cfs_index_split(ix, it->key, &w->other) == CFS_OK &&
		    cfs_path_is_below(&w->dir, &w->other))
			hash = cfs_hash64(w->other.comp[w->dir.n], 0) | 1;
		s->entries++;
		s->pairs += last != 0;
		s->changes += hash != 0 && last != 0 && hash != last;
		last = hash != 0 ? hash : last;
	}
	return rc == CFS_END || cfs_index_is_at_hole(it, rc) ? CFS_OK : rc;
}

/* Estimates the names by blocks at even distances. */
static int sample_names(struct cfs_walk *w, struct cfs_index *ix,
			const struct parts *p, struct cfs_folder_size *out)
{
	struct sampled s = { .pairs = 0 };
	CFS_BUF(key, CFS_KEY_MAX);
	int rc = CFS_OK;

	for (unsigned i = 0; i < SAMPLES && rc == CFS_OK; i++) {
		uint64_t at = p->from +
			      (uint64_t)p->n * (2 * i + 1) / (2 * SAMPLES);

		cfs_buf_reset(&key);
		rc = cfs_index_cut(ix, at > 0 ? at : 1, PARTS, &key, w->ctx);
		if (rc == CFS_OK)
			rc = sample_block(w, ix, cfs_buf_slice(&key), &s);
	}
	if (s.pairs > 0)
		out->names = (uint64_t)((double)out->blocks / SAMPLES *
					(double)s.entries *
					(double)s.changes / (double)s.pairs);
	return rc == CFS_END ? CFS_OK : rc;
}

int cfs_folder_size(struct cfs_crawl *c, const struct cfs_node *dir,
		    struct cfs_folder_size *out, struct cfs_ctx ctx)
{
	struct cfs_index *ix = cfs_index_unpicked(c->index);
	struct cfs_index_extent extent;
	struct cfs_walk *w;
	struct parts largest;
	uint32_t all = 0;
	int rc = cfs_walk_begin(&w, c, dir, ctx);

	*out = (struct cfs_folder_size){ .names = 0 };
	if (rc == CFS_OK)
		rc = parts_of_dir(w, ix, &largest, &all);
	if (rc == CFS_OK) {
		cfs_index_get_extent(ix, &extent);
		out->blocks = (uint64_t)((double)extent.blocks * all / PARTS);
		out->bytes = (uint64_t)((double)extent.bytes * all / PARTS);
		if (out->blocks >= SAMPLED_MIN)
			rc = sample_names(w, ix, &largest, out);
	}
	cfs_walk_end(w);
	return rc;
}

/* ---- the limit ----------------------------------------------------------- */

struct kept_need {
	uint64_t bytes;
	bool is_unlimited;
};

struct cfs_memo *cfs_list_needs_new(void)
{
	return cfs_memo_new(COOKIES_BITS, sizeof(struct kept_need));
}

static uint64_t need_key(const struct cfs_list_need *n, uint64_t cookie)
{
	const uint64_t of[] = { n->dir->pos, n->dir->depth, cookie };

	return cfs_hash64(cfs_slice_of(of, sizeof(of)), 0);
}

/* False if the block was among those counted last. */
static bool mark_seen(struct cfs_list_need *n, uint64_t block)
{
	uint64_t *seen = &n->seen[block % CFS_LIST_MAX_SEEN];
	bool is_new = *seen != block + 1;

	*seen = block + 1;
	return is_new;
}

void cfs_list_need_begin(struct cfs_list_need *n, struct cfs_crawl *c,
			 const struct cfs_node *dir, uint64_t cookie)
{
	struct cfs_index_extent extent;
	struct kept_need kept = { .bytes = 0 };

	*n = (struct cfs_list_need){ .c = c, .dir = dir };
	cfs_index_get_extent(c->index, &extent);
	n->is_unlimited = !extent.is_remote || dir->hits != NULL ||
			  c->lists == NULL || c->list_max_bytes == UINT64_MAX;
	if (n->is_unlimited)
		return;
	if (cookie != 0)
		(void)cfs_memo_get(c->lists, need_key(n, cookie), &kept);
	n->bytes = kept.bytes;
	if (cookie != 0)	/* its block has been counted */
		mark_seen(n, cfs_pos_block(cfs_tree_cookie_pos(cookie)));
	n->is_unlimited = kept.is_unlimited;
}

void cfs_list_need_end(const struct cfs_list_need *n, uint64_t cookie)
{
	const struct kept_need kept = { n->bytes, n->is_unlimited };

	if (n->bytes > 0 && cookie != 0)
		cfs_memo_put(n->c->lists, need_key(n, cookie), &kept);
}

/* Returns the bytes of an average block. */
static uint64_t block_bytes(const struct cfs_index_extent *extent)
{
	uint64_t n = extent->blocks > 0 ? extent->blocks : 1;

	return cfs_clamp_u64(extent->bytes / n, 0, UINT32_MAX);
}

/* Returns the bytes of lines of a cluster.idx, but at most `max`. */
static uint64_t line_bytes(const struct cfs_index_extent *extent, uint64_t max)
{
	return cfs_clamp_u64(extent->blocks, 0, max / LINE_BYTES) * LINE_BYTES;
}

/* Returns what an estimate fetches at most, or 0 if there will be none. */
static uint64_t estimate_bytes(const struct cfs_list_need *n,
			       const struct cfs_index_extent *extent)
{
	uint64_t bytes = line_bytes(extent, ESTIMATED_BYTES) +
			 ESTIMATED_BLOCKS * block_bytes(extent);

	return bytes > n->c->list_max_bytes / 2 ? 0 : bytes;
}

/* Ends the listing, unless all of the folder is within the limit. */
static int end_or_go_on(struct cfs_list_need *n,
			const struct cfs_index_extent *extent,
			struct cfs_ctx ctx)
{
	char bytes[CFS_TEXT_SIZE_BYTES], max[CFS_TEXT_SIZE_BYTES];
	char names[CFS_TEXT_FIGURE_BYTES];
	struct cfs_folder_size size;
	uint64_t unit = 1;
	int rc;

	cfs_text_size((double)n->c->list_max_bytes, max);
	if (estimate_bytes(n, extent) == 0)
		return cfs_error_set(ctx.err, CFS_ETOOLARGE, "the folder is in "
				     "more of the index than a listing may "
				     "fetch with list_max=%s: go to a name "
				     "below it, or set a higher limit", max);
	rc = cfs_folder_size(n->c, n->dir, &size, ctx);
	if (rc != CFS_OK)
		return rc;
	n->is_unlimited = size.bytes <= n->c->list_max_bytes;
	if (n->is_unlimited)
		return CFS_OK;
	while (size.names / unit >= 100)
		unit *= 10;
	cfs_text_figure((size.names + unit / 2) / unit * unit, names);
	cfs_text_size((double)size.bytes, bytes);
	return cfs_error_set(ctx.err, CFS_ETOOLARGE, "the folder has about %s "
			     "names, in %s of the index, of which a listing "
			     "may fetch %s: go to a name below it, or set "
			     "list_max=off", names, bytes, max);
}

/* The most bytes that may be fetched besides the blocks that a listing has
 * needed so far: ahead of it, of a cluster.idx, and for the estimate. */
static uint64_t bytes_besides(const struct cfs_list_need *n,
			      const struct cfs_index_extent *extent)
{
	uint64_t max = n->c->list_max_bytes;
	uint64_t ahead = cfs_clamp_u64(n->bytes / 4 * 3, 0,
				       CFS_AHEAD_MAX_BYTES);

	ahead = cfs_clamp_u64(block_bytes(extent) * CFS_AHEAD_MAX, ahead,
			      UINT64_MAX);
	ahead += line_bytes(extent, FOUND_BYTES) + max / LINES_PART;
	ahead += estimate_bytes(n, extent);
	return cfs_clamp_u64(ahead, 0, max / 8 * 7);
}

int cfs_list_need_block(struct cfs_list_need *n, cfs_pos pos,
			struct cfs_ctx ctx)
{
	struct cfs_index_extent extent;
	uint64_t max;

	if (n->is_unlimited || !mark_seen(n, cfs_pos_block(pos)))
		return CFS_OK;
	cfs_index_get_extent(n->c->index, &extent);
	n->bytes += block_bytes(&extent);
	max = n->c->list_max_bytes - bytes_besides(n, &extent);
	return n->bytes <= max ? CFS_OK : end_or_go_on(n, &extent, ctx);
}
