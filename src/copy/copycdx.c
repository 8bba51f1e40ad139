/* copycdx.c - the index inside a WACZ: sorted lines of CDXJ, compressed in
 * blocks, and a list of the blocks.
 *
 * Spec: WACZ 1.1.1, "indexes"; pywb's CDXJ and ZipNum.
 *
 *     indexes/index.cdx.gz   gzip members of BLOCK_LINES lines each, the last
 *                            one of fewer
 *     indexes/index.idx      !meta 0 {"format": "cdxj-gzip-1.0", "filename":
 *                            "index.cdx.gz"}
 *                            key SP time SP {"offset": ..., "length": ...,
 *                            "digest": "sha256:...", "filename":
 *                            "index.cdx.gz"}
 *                            of each member's first line
 *
 * A reader gets the list, and then the members that it needs.  It grows by
 * about 200 bytes a block, in memory.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "copy_internal.h"

#include <inttypes.h>
#include <nettle/sha2.h>
#include <stdlib.h>

#include "base/hex.h"
#include "codec/gzip.h"
#include "indexing/builder_lines.h"
#include "source/zip_write.h"

#define BLOCK_LINES 1024u	/* as py-wacz has */
#define BLOCK_MAX ((size_t)4 << 20)	/* a block ends early beyond this */
#define COPYCDX_LINE_MAX ((size_t)256 << 10)
#define SORT_BYTES ((size_t)64 << 20)
#define PROGRESS_LINES 65536u
#define CDX_MEMBER "indexes/index.cdx.gz"
#define IDX_MEMBER "indexes/index.idx"

struct cfs_copycdx {
	struct cfs_extsort *sort;
	struct cfs_line_names *names;
	struct cfs_buf key, value, scratch;	/* a pair of the sort */
	struct cfs_buf line, last;
	struct cfs_buf first;		/* key and time of the block's first
					 * line */
	struct cfs_buf block, gz, idx;
	unsigned lines;			/* of the block */
	uint64_t bytes;			/* of the blocks before */
};

int cfs_copycdx_new(struct cfs_copycdx **out, const char *archive,
		    const char *tmp_dir, struct cfs_ctx ctx)
{
	struct cfs_builder_archive a = { .name = archive };
	struct cfs_extsort_opts so = { .memory_bytes = SORT_BYTES,
		.feeders = 1, .tmp_dir = tmp_dir, .cancel = ctx.cancel };
	struct cfs_copycdx *x = calloc(1, sizeof(*x));
	int rc;

	*out = x;
	if (x == NULL)
		return cfs_error_nomem(ctx.err);
	cfs_buf_init(&x->key, CFS_EXTSORT_ITEM_MAX);
	cfs_buf_init(&x->value, CFS_EXTSORT_ITEM_MAX);
	cfs_buf_init(&x->scratch, COPYCDX_LINE_MAX);
	cfs_buf_init(&x->line, COPYCDX_LINE_MAX);
	cfs_buf_init(&x->last, COPYCDX_LINE_MAX);
	cfs_buf_init(&x->first, COPYCDX_LINE_MAX);
	cfs_buf_init(&x->block, BLOCK_MAX + COPYCDX_LINE_MAX);
	cfs_buf_init(&x->gz, 2 * BLOCK_MAX);
	cfs_buf_init(&x->idx, SIZE_MAX / 2);
	rc = cfs_extsort_new(&x->sort, &so, ctx.err);
	if (rc == CFS_OK && cfs_line_names_new(&x->names, &a, 1) != CFS_OK)
		rc = cfs_error_nomem(ctx.err);
	return rc;
}

void cfs_copycdx_free(struct cfs_copycdx *x)
{
	if (x == NULL)
		return;
	cfs_extsort_free(x->sort);
	cfs_line_names_free(x->names);
	cfs_buf_release(&x->key);
	cfs_buf_release(&x->value);
	cfs_buf_release(&x->scratch);
	cfs_buf_release(&x->line);
	cfs_buf_release(&x->last);
	cfs_buf_release(&x->first);
	cfs_buf_release(&x->block);
	cfs_buf_release(&x->gz);
	cfs_buf_release(&x->idx);
	free(x);
}

int cfs_copycdx_add(struct cfs_copycdx *x, const struct cfs_builder_capture *c,
		    struct cfs_error *err)
{
	int rc;

	cfs_buf_reset(&x->key);
	cfs_buf_reset(&x->value);
	rc = cfs_builder_line(&x->key, &x->value, c, x->names, &x->scratch);
	if (rc == CFS_ENOTFOUND || rc == CFS_ELIMIT || rc == CFS_EFORMAT) {
		x->key.failed = x->value.failed = CFS_OK;
		return CFS_OK;
	}
	return rc != CFS_OK ? cfs_error_nomem(err) :
	       cfs_extsort_add(x->sort, 0, cfs_buf_slice(&x->key),
			       cfs_buf_slice(&x->value), err);
}

/* ---- blocks ------------------------------------------------------------- */

static int end_block(struct cfs_copycdx *x, struct cfs_zip_writer *zip,
		     struct cfs_error *err)
{
	struct sha256_ctx sha;
	uint8_t digest[SHA256_DIGEST_SIZE];
	int rc;

	if (x->lines == 0)
		return CFS_OK;
	cfs_buf_reset(&x->gz);
	rc = cfs_gz_compress(cfs_buf_slice(&x->block), &x->gz, err);
	if (rc != CFS_OK)
		return rc;
	sha256_init(&sha);
	sha256_update(&sha, x->gz.n, x->gz.p);
	sha256_digest(&sha, sizeof(digest), digest);
	cfs_buf_add(&x->idx, cfs_buf_slice(&x->first));
	cfs_buf_addf(&x->idx, " {\"offset\": %" PRIu64 ", \"length\": %zu, "
		     "\"digest\": \"sha256:", x->bytes, x->gz.n);
	cfs_hex_add(&x->idx, digest, sizeof(digest));
	cfs_buf_adds(&x->idx, "\", \"filename\": \"index.cdx.gz\"}\n");
	x->bytes += x->gz.n;
	x->lines = 0;
	cfs_buf_reset(&x->block);
	return cfs_zip_writer_add(zip, cfs_buf_slice(&x->gz), err);
}

static int add_line(struct cfs_copycdx *x, struct cfs_slice key,
		    struct cfs_slice value, struct cfs_zip_writer *zip,
		    struct cfs_error *err)
{
	struct cfs_buf last = x->last;

	if (!cfs_builder_line_text(x->names, key, value, &x->line))
		return cfs_error_set(err, CFS_EIO, "temporary file is damaged");
	if (cfs_slice_eq(cfs_buf_slice(&x->line), cfs_buf_slice(&last)))
		return CFS_OK;
	if (x->lines == 0) {
		cfs_buf_reset(&x->first);
		cfs_buf_add(&x->first, key);
	}
	cfs_buf_add(&x->block, cfs_buf_slice(&x->line));
	x->last = x->line;
	x->line = last;
	x->lines++;
	if (x->block.failed != CFS_OK || x->last.failed != CFS_OK ||
	    x->first.failed != CFS_OK)
		return cfs_error_nomem(err);
	return x->lines < BLOCK_LINES && x->block.n < BLOCK_MAX ? CFS_OK :
	       end_block(x, zip, err);
}

int cfs_copycdx_write(struct cfs_copycdx *x, struct cfs_zip_writer *zip,
		      void (*progress)(void *arg, uint64_t done,
				       uint64_t total),
		      void *arg, struct cfs_error *err)
{
	uint64_t done = 0, total = cfs_extsort_count(x->sort);
	struct cfs_slice key, value;
	int rc = cfs_extsort_merge(x->sort, err);

	cfs_buf_adds(&x->idx, "!meta 0 {\"format\": \"cdxj-gzip-1.0\", "
		     "\"filename\": \"index.cdx.gz\"}\n");
	if (rc == CFS_OK)
		rc = cfs_zip_writer_begin(zip, CDX_MEMBER, err);
	while (rc == CFS_OK) {
		rc = cfs_extsort_next(x->sort, &key, &value, err);
		if (rc == CFS_OK)
			rc = add_line(x, key, value, zip, err);
		if (++done % PROGRESS_LINES == 0 && progress != NULL)
			progress(arg, done, total);
	}
	if (rc == CFS_END)
		rc = end_block(x, zip, err);
	if (rc == CFS_OK)
		rc = cfs_zip_writer_end(zip, err);
	if (rc == CFS_OK && x->idx.failed != CFS_OK)
		rc = cfs_error_nomem(err);
	if (rc == CFS_OK)
		rc = cfs_zip_writer_begin(zip, IDX_MEMBER, err);
	if (rc == CFS_OK)
		rc = cfs_zip_writer_add(zip, cfs_buf_slice(&x->idx), err);
	return rc == CFS_OK ? cfs_zip_writer_end(zip, err) : rc;
}
