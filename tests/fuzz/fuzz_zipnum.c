/* fuzz_zipnum.c - any lines as the blocks of a ZipNum index: each is a member of
 * a shard, and the line of cluster.idx that leads to it has the key that it
 * begins with.
 *
 * The lines of a block end with an empty line.  The first byte damages one byte
 * of the shard, or none.  An index that opens steps forward through ascending
 * positions, and finds each of its entries again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>

#include "fuzz.h"
#include "codec/gzip.h"
#include "format/open_index.h"
#include "index/index.h"
#include "net/open_location.h"

#define STEPS_MAX 300
#define BLOCKS_MAX 64

static void must(bool is_so)
{
	if (!is_so)
		abort();
}

static int open_shard(void *arg, const char *location, struct cfs_source **out,
		      struct cfs_ctx ctx)
{
	const struct cfs_buf *shard = arg;

	return cfs_source_open_memory(out, cfs_buf_slice(shard), location,
				      ctx.err);
}

/* The two words that a line begins with. */
static struct cfs_slice key_of(struct cfs_slice line)
{
	size_t n = 0;
	unsigned blanks = 0;

	while (n < line.n && line.p[n] != '\n' && line.p[n] != '\t' &&
	       (line.p[n] != ' ' || ++blanks < 2))
		n++;
	return cfs_slice_sub(line, 0, n);
}

/* Takes the lines up to an empty one. */
static struct cfs_slice take_block(struct cfs_slice *s)
{
	ptrdiff_t end = cfs_slice_search(*s, CFS_SLICE_LIT("\n\n"));
	struct cfs_slice block = cfs_slice_sub(*s, 0, end < 0 ? s->n :
					       (size_t)end + 1);

	*s = cfs_slice_from(*s, block.n + (end >= 0));
	return block;
}

static void make(struct cfs_slice s, struct cfs_buf *cluster,
		 struct cfs_buf *shard)
{
	for (unsigned i = 1; s.n > 0 && i <= BLOCKS_MAX; i++) {
		struct cfs_slice block = take_block(&s);
		size_t from = shard->n;

		must(cfs_gz_compress(block, shard, NULL) == CFS_OK);
		cfs_buf_add(cluster, key_of(block));
		cfs_buf_addf(cluster, "\tshard.gz\t%zu\t%zu\t%u\n", from,
			     shard->n - from, i);
	}
}

static void check_entry(struct cfs_index *ix, struct cfs_iter *it,
			struct cfs_iter *other)
{
	struct cfs_capture cap;

	if (cfs_index_at(ix, it->pos, other, CFS_CTX(NULL, NULL)) == CFS_OK)
		must(cfs_slice_eq(it->value, other->value));
	cfs_index_capture(it, &cap, NULL);
	if (cfs_index_seek(ix, it->key, other, CFS_CTX(NULL, NULL)) == CFS_OK)
		must(cfs_slice_cmp(other->key, it->key) >= 0);
}

static void walk(struct cfs_index *ix)
{
	struct cfs_iter *it = malloc(sizeof(*it));
	struct cfs_iter *other = malloc(sizeof(*other));
	cfs_pos last = 0;
	int rc;

	cfs_iter_init(it);
	cfs_iter_init(other);
	rc = cfs_index_seek(ix, CFS_SLICE_EMPTY, it, CFS_CTX(NULL, NULL));
	for (int i = 0; rc == CFS_OK && i < STEPS_MAX; i++) {
		must(i == 0 || it->pos > last);
		last = it->pos;
		check_entry(ix, it, other);
		rc = cfs_index_next(it, CFS_CTX(NULL, NULL));
	}
	cfs_iter_release(it);
	cfs_iter_release(other);
	free(it);
	free(other);
}

FUZZ_TARGET(data, size)
{
	struct cfs_buf cluster, shard;
	struct cfs_opener opener = { open_shard, &shard };
	struct cfs_index_opts opts = { .block_cache_bytes = 1 << 20,
				       .location = "f/cluster.idx",
				       .opener = &opener };
	struct cfs_source *src;
	struct cfs_index *ix;

	if (size < 2 || size > 65536)
		return 0;
	cfs_buf_init(&cluster, 1 << 24);
	cfs_buf_init(&shard, 1 << 24);
	make(cfs_slice_of(data + 1, size - 1), &cluster, &shard);
	if (data[0] >= 128)
		shard.p[data[0] % shard.n] ^= 0x10;
	if (cfs_source_open_memory(&src, cfs_buf_slice(&cluster),
				   "f/cluster.idx", NULL) == CFS_OK &&
	    cfs_index_open_at(&ix, src, &opts, NULL) == CFS_OK) {
		walk(ix);
		cfs_index_close(ix);
	}
	cfs_buf_release(&cluster);
	cfs_buf_release(&shard);
	return 0;
}
