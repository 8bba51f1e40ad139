/* dedup.c - finds captures with equal payload digests, or with similar main
 * content.
 *
 * Equal digests are found by sorting:
 *
 *     first sort    key: digest; value: numbers of the capture and of its page
 *                   in index order, position
 *     second sort   key: position of each but the first of a digest
 *
 * Numbers and positions are big-endian, so that bytes sort as they do.
 *
 * Similar content is found in the order of the index: a capture whose simhash
 * is near to that of one that is kept is hidden, else it is kept.  The hashes
 * of those that are kept are in memory.  When that is full, what is near to
 * none of them waits in a file for another turn, in which the next ones are in
 * memory; so the result is the same in any memory.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "base/text.h"
#include "crawl.h"
#include "index/similar.h"
#include "index/picked.h"
#include "record/digest.h"
#include "sort/extsort.h"

/* Part of the crawl's memory for one sort. */
#define DEDUP_MEM_PART 8u
/* A crawl of which so many captures have no digest has none. */
#define LOOKS_MAX 10000u
#define NUMBER_BYTES 8u
#define VALUE_BYTES (3u * NUMBER_BYTES)
/* Pages of which it is known whether a capture is left: a bit each. */
#define PAGES_MAX ((size_t)1 << 33)
/* Bytes of a digest that is compared; longer ones are no digests. */
#define DIGEST_MAX 256u
/* SHA-1 in base32, as CDX files have it without its label. */
#define SHA1_BASE32_BYTES 32u

struct dedup {
	struct cfs_index *ix;
	struct cfs_ctx ctx;
	struct cfs_extsort *digests, *positions;
	struct cfs_similar *near;		/* NULL: digests are compared */
	struct cfs_extsort *rest;	/* NULL: there was room for all */
	const struct cfs_crawl_opts *opts;
	struct cfs_buf label;		/* a digest with its label */
	struct cfs_buf digest;		/* in its normal form */
	uint64_t n;			/* captures read */
	uint64_t known;			/* of these, with a digest or hash */
	struct cfs_buf key;		/* of the current page */
	size_t n_pages;
	uint8_t *left;			/* a bit for each page: it keeps a
					 * capture */
	size_t left_room;		/* bytes */
};

static size_t dedup_memory(const struct cfs_crawl_opts *opts)
{
	uint64_t mem = opts->mem_bytes ? opts->mem_bytes :
					 CFS_CRAWL_MEM_DEFAULT;

	return (size_t)(mem / DEDUP_MEM_PART);
}

static int dedup_sort_new(struct cfs_extsort **out,
			  const struct cfs_crawl_opts *opts,
			  struct cfs_error *err)
{
	char usual[PATH_MAX];
	struct cfs_extsort_opts so = {
		.memory_bytes = dedup_memory(opts), .feeders = 1,
		.tmp_dir = cfs_crawl_temp_dir(opts, usual),
		.cancel = opts->cancel };

	if (so.tmp_dir == NULL)
		return cfs_error_set(err, CFS_EIO, "no folder for temporary "
				     "files: set TMPDIR");
	return cfs_extsort_new(out, &so, err);
}

/* Counts the page of an entry, if it is another one than that before. */
static int dedup_page(struct dedup *d, struct cfs_slice key)
{
	size_t had = d->left_room;
	int rc;

	if (d->n_pages > 0 && cfs_slice_eq(key, cfs_buf_slice(&d->key)))
		return CFS_OK;
	cfs_buf_reset(&d->key);
	rc = cfs_buf_add(&d->key, key);
	if (rc == CFS_OK)
		rc = cfs_array_reserve((void **)&d->left, &d->left_room,
				       d->n_pages / 8 + 1, 1, PAGES_MAX / 8);
	if (rc != CFS_OK)
		return rc == CFS_ELIMIT ?
		       cfs_error_set(d->ctx.err, rc, "too many pages") :
		       cfs_error_nomem(d->ctx.err);
	memset(d->left + had, 0, d->left_room - had);
	d->n_pages++;
	return CFS_OK;
}

static void dedup_keep(struct dedup *d, uint64_t page)
{
	d->left[page / 8] |= (uint8_t)(1u << page % 8);
}

static uint64_t pages_left(const struct dedup *d)
{
	uint64_t n = 0;

	for (size_t i = 0; i < d->n_pages; i++)
		n += d->left[i / 8] >> i % 8 & 1;
	return n;
}

/* Hides the capture with this value: its number, its page, its position. */
static int dedup_drop(struct dedup *d, struct cfs_slice value)
{
	return cfs_extsort_add(d->positions, 0,
			       cfs_slice_from(value, 2 * NUMBER_BYTES),
			       CFS_SLICE_EMPTY, d->ctx.err);
}

/* Keeps the capture with this value or hides it. */
static int near_take(struct dedup *d, struct cfs_slice value, uint64_t hash)
{
	uint8_t rest[VALUE_BYTES];
	uint64_t first;
	int rc;

	if (cfs_similar_find(d->near, hash, &first))
		return dedup_drop(d, value);
	rc = cfs_similar_add(d->near, hash);
	if (rc == CFS_OK)
		dedup_keep(d, cfs_be64_get(value.p + NUMBER_BYTES));
	if (rc != CFS_ELIMIT)
		return rc == CFS_OK ? rc : cfs_error_nomem(d->ctx.err);
	if (d->rest == NULL &&
	    (rc = dedup_sort_new(&d->rest, d->opts, d->ctx.err)) != CFS_OK)
		return rc;
	memcpy(rest, value.p + NUMBER_BYTES, 2 * NUMBER_BYTES);
	cfs_be64_put(rest + 2 * NUMBER_BYTES, hash);
	return cfs_extsort_add(d->rest, 0,
			       cfs_slice_sub(value, 0, NUMBER_BYTES),
			       cfs_slice_of(rest, sizeof(rest)), d->ctx.err);
}

/* Compares those that were near to none of the kept ones with the next ones
 * that are kept. */
static int near_again(struct dedup *d)
{
	struct cfs_extsort *of = d->rest;
	struct cfs_slice key, value;
	int rc = cfs_extsort_merge(of, d->ctx.err);

	d->rest = NULL;
	cfs_similar_clear(d->near);
	while (rc == CFS_OK &&
	       (rc = cfs_extsort_next(of, &key, &value, d->ctx.err)) ==
	       CFS_OK) {
		uint8_t whole[VALUE_BYTES];

		memcpy(whole, key.p, NUMBER_BYTES);
		memcpy(whole + NUMBER_BYTES, value.p, 2 * NUMBER_BYTES);
		rc = near_take(d, cfs_slice_of(whole, sizeof(whole)),
			       cfs_be64_get(value.p + 2 * NUMBER_BYTES));
	}
	cfs_extsort_free(of);
	return rc == CFS_END ? CFS_OK : rc;
}

static int digest_take(struct dedup *d, struct cfs_slice value,
		       struct cfs_slice digest)
{
	cfs_buf_reset(&d->label);
	cfs_buf_reset(&d->digest);
	if (digest.n == SHA1_BASE32_BYTES && cfs_slice_find(digest, ':') < 0)
		cfs_buf_adds(&d->label, "sha1:");
	cfs_buf_add(&d->label, digest);
	if (d->label.failed != CFS_OK ||
	    cfs_digest_add(&d->digest, cfs_buf_slice(&d->label)) != CFS_OK)
		return cfs_error_nomem(d->ctx.err);
	return cfs_extsort_add(d->digests, 0, cfs_buf_slice(&d->digest), value,
			       d->ctx.err);
}

/* Takes an entry of the current page; one without digest or hash is kept. */
static int dedup_take(struct dedup *d, const struct cfs_iter *it,
		      const struct cfs_capture *cap)
{
	uint8_t b[VALUE_BYTES];
	const struct cfs_slice value = { b, sizeof(b) };
	uint64_t hash = 0;
	bool has = cap->digest.n > 0 && cap->digest.n <= DIGEST_MAX;

	if (d->near != NULL)
		has = cfs_view_bytes_simhash(&cap->views, &hash);
	if (!has) {
		dedup_keep(d, d->n_pages - 1);
		return CFS_OK;
	}
	d->known++;
	cfs_be64_put(b, d->n);
	cfs_be64_put(b + NUMBER_BYTES, d->n_pages - 1);
	cfs_be64_put(b + 2 * NUMBER_BYTES, it->pos);
	return d->near != NULL ? near_take(d, value, hash) :
				 digest_take(d, value, cap->digest);
}

static int no_hashes(const struct cfs_index *ix, struct cfs_error *err)
{
	return cfs_error_at(err, CFS_EUNSUPPORTED, ix->src->name, 0,
			    "has no hashes to find similar captures by: "
			    "'crawlfs index --simhash' keeps them");
}

static int dedup_no_digests(const struct dedup *d)
{
	if (d->near != NULL)
		return no_hashes(d->ix, d->ctx.err);
	return cfs_error_at(d->ctx.err, CFS_EUNSUPPORTED, d->ix->src->name, 0,
			    "has no digests to find equal captures by: 'crawlfs "
			    "index --digests' keeps them; CDX and ZipNum "
			    "indexes have them");
}

static int dedup_read_all(struct dedup *d, struct cfs_holes *holes)
{
	struct cfs_index_walk *w;
	int rc = cfs_index_walk_new(&w, d->ix, holes, d->ctx);

	while (rc == CFS_OK && (rc = cfs_index_walk_capture(w)) == CFS_OK) {
		d->n++;
		rc = dedup_page(d, w->it.key);
		if (rc == CFS_OK)
			rc = dedup_take(d, &w->it, &w->cap);
		if (rc == CFS_OK && d->n == LOOKS_MAX && d->known == 0)
			break;
	}
	cfs_index_walk_free(w);
	if ((rc == CFS_OK || rc == CFS_END) && d->n > 0 && d->known == 0)
		return dedup_no_digests(d);
	return rc == CFS_END ? CFS_OK : rc;
}

/* Collects the positions of all but the first capture of each digest. */
static int dedup_compare(struct dedup *d)
{
	struct cfs_slice key, value;
	int rc = cfs_extsort_merge(d->digests, d->ctx.err);

	cfs_buf_reset(&d->digest);	/* the digest before */
	while (rc == CFS_OK) {
		rc = cfs_extsort_next(d->digests, &key, &value, d->ctx.err);
		if (rc != CFS_OK)
			break;
		if (cfs_slice_eq(key, cfs_buf_slice(&d->digest))) {
			rc = dedup_drop(d, value);
			continue;
		}
		dedup_keep(d, cfs_be64_get(value.p + NUMBER_BYTES));
		cfs_buf_reset(&d->digest);
		rc = cfs_buf_add(&d->digest, key);
	}
	return rc == CFS_END ? CFS_OK : rc;
}

static int dedup_hide(struct dedup *d, struct cfs_hidden *hidden)
{
	struct cfs_slice key, value;
	int rc = cfs_extsort_merge(d->positions, d->ctx.err);

	while (rc == CFS_OK) {
		rc = cfs_extsort_next(d->positions, &key, &value, d->ctx.err);
		if (rc == CFS_OK)
			rc = cfs_hidden_add(hidden, cfs_be64_get(key.p));
		if (rc == CFS_ELIMIT)
			cfs_error_set(d->ctx.err, rc, "more than %u captures "
				      "are copies of others: narrow them with "
				      "--prefix or --part", CFS_HIDDEN_MAX);
		else if (rc == CFS_ENOMEM)
			cfs_error_nomem(d->ctx.err);
	}
	return rc == CFS_END ? CFS_OK : rc;
}

/* Says how much is hidden. */
static void dedup_tell(const struct dedup *d, const char *as)
{
	uint64_t n = cfs_extsort_count(d->positions);
	uint64_t gone = d->n_pages - pages_left(d);
	char captures[CFS_TEXT_COUNT_BYTES], pages[CFS_TEXT_COUNT_BYTES];

	if (n > 0)
		cfs_log(CFS_LOG_WARNING, "%s: left out: %s with %s of one "
			"before, and with them %s", d->ix->src->name,
			cfs_text_count(n, "capture", captures), as,
			cfs_text_count(gone, "URL", pages));
}

int cfs_dedup_find(struct cfs_crawl *c, struct cfs_hidden *hidden,
		   const struct cfs_crawl_opts *opts, struct cfs_error *err)
{
	const unsigned plus_1 = opts->dedup >> CFS_DEDUP_BYTE;
	struct dedup d = { .ix = c->index, .opts = opts,
			   .ctx = CFS_CTX(opts->cancel, err) };
	int rc;

	cfs_buf_init(&d.label, 2 * DIGEST_MAX);
	cfs_buf_init(&d.digest, 4 * DIGEST_MAX);
	cfs_buf_init(&d.key, CFS_KEY_MAX);
	rc = dedup_sort_new(&d.positions, opts, err);
	if (opts->dedup % (1u << CFS_DEDUP_BYTE) != CFS_DEDUP_NEAR)
		rc = rc == CFS_OK ? dedup_sort_new(&d.digests, opts, err) : rc;
	else if (rc == CFS_OK &&
		 (d.near = cfs_similar_new(plus_1 > 0 ? plus_1 - 1 :
							CFS_SIMILAR_BITS,
					   dedup_memory(opts))) == NULL)
		rc = cfs_error_nomem(err);
	if (rc == CFS_OK)
		rc = dedup_read_all(&d, &c->holes);
	while (rc == CFS_OK && d.rest != NULL)
		rc = near_again(&d);
	if (rc == CFS_OK && d.near == NULL)
		rc = dedup_compare(&d);
	cfs_extsort_free(d.rest);
	cfs_extsort_free(d.digests);	/* its memory goes to the second one */
	if (rc == CFS_OK)
		rc = dedup_hide(&d, hidden);
	if (rc == CFS_OK)
		dedup_tell(&d, d.near != NULL ? "main content near that" :
						"the payload");
	cfs_similar_free(d.near);
	cfs_extsort_free(d.positions);
	cfs_buf_release(&d.label);
	cfs_buf_release(&d.digest);
	cfs_buf_release(&d.key);
	free(d.left);
	return rc;
}

int cfs_clusters_find(struct cfs_crawl *c, unsigned bits, size_t memory_bytes,
		      struct cfs_ctx ctx)
{
	struct cfs_index *all = cfs_index_unpicked(c->index);
	struct cfs_similar *near = cfs_similar_new(bits, memory_bytes);
	struct cfs_index_walk *w = NULL;
	uint64_t hash, first, n = 0;
	int rc = near == NULL ? cfs_error_nomem(ctx.err) :
		 cfs_index_walk_new(&w, all, &c->holes, ctx);

	while (rc == CFS_OK && (rc = cfs_index_walk_capture(w)) == CFS_OK) {
		if (!cfs_view_bytes_simhash(&w->cap.views, &hash))
			continue;
		n++;
		if (!cfs_similar_find(near, hash, &first))
			rc = cfs_similar_add(near, hash);
		if (rc == CFS_ELIMIT)
			cfs_error_at(ctx.err, rc, all->src->name, 0, "has "
				     "more clusters than fit into memory: give "
				     "it more --mem");
		else if (rc == CFS_ENOMEM)
			cfs_error_nomem(ctx.err);
	}
	cfs_index_walk_free(w);
	if (rc == CFS_END)
		rc = n == 0 ? no_hashes(all, ctx.err) : CFS_OK;
	if (rc == CFS_OK)
		c->clusters = near;
	else
		cfs_similar_free(near);
	return rc;
}

bool cfs_cluster_of(const struct cfs_crawl *c, const struct cfs_capture *cap,
		    uint64_t *out)
{
	uint64_t hash;

	return c->clusters != NULL &&
	       cfs_view_bytes_simhash(&cap->views, &hash) &&
	       cfs_similar_find(c->clusters, hash, out);
}
