/* share_file.c - writes and reads the file of one part of an index.
 *
 * An index (format/cfx/cfx_format.h), then the pairs of its sort, each
 *
 *     varint bytes shared with the key before, varint bytes of the rest of
 *     the key, varint bytes of the value, rest, value
 *
 * then one gzip member of tables (share_tables.h).  Header fields, which are
 * zero in an index:
 *
 *     off size
 *    4024    4  number of the part, from 1
 *    4028    4  number of parts
 *    4032    8  seal: the same for parts of the same inputs and options
 *    4040    8  file offset of the pairs
 *    4048    8  bytes of the pairs
 *    4056    8  number of pairs
 *    4064    8  XXH3 of the pairs, by stretches of 1 MiB, each seeded with the
 *               hash of the one before, the first with the seal
 *    4072    8  bytes of the tables
 *    4080    8  XXH64 of the tables, seed seal
 *
 * Pairs come while the index is written, so they wait in a temporary file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "share_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/hash.h"
#include "codec/gzip.h"
#include "format/cfx/cfx.h"
#include "format/cfx/cfx_format.h"
#include "sort/extsort.h"

#define STRETCH ((size_t)1 << 20)
#define PAIR_MAX (2 * CFS_EXTSORT_ITEM_MAX + 64u)
/* Tables take some 15 MB for a crawl of 100,000 archives. */
#define TABLES_MAX ((size_t)1 << 30)

struct cfs_share_writer {
	const char *tmp_dir;		/* borrowed */
	int fd;
	struct cfs_share_head head;
	struct cfs_buf out, last, tables;
};

/* ---- writing ---- */

int cfs_share_writer_new(struct cfs_share_writer **out, const char *tmp_dir,
			 struct cfs_part share, uint64_t seal,
			 struct cfs_error *err)
{
	struct cfs_share_writer *w = calloc(1, sizeof(*w));

	*out = w;
	if (w == NULL)
		return cfs_error_nomem(err);
	w->tmp_dir = tmp_dir;
	w->head.share = share;
	w->head.seal = w->head.pairs_hash = seal;
	cfs_buf_init(&w->out, STRETCH + PAIR_MAX);
	cfs_buf_init(&w->last, CFS_EXTSORT_ITEM_MAX);
	cfs_buf_init(&w->tables, TABLES_MAX);
	w->fd = cfs_temp_file(tmp_dir);
	return w->fd >= 0 ? CFS_OK :
	       cfs_error_at(err, CFS_EIO, tmp_dir, 0,
			    "cannot make a temporary file: %s",
			    strerror(errno));
}

void cfs_share_writer_free(struct cfs_share_writer *w)
{
	if (w == NULL)
		return;
	if (w->fd >= 0)
		close(w->fd);
	cfs_buf_release(&w->out);
	cfs_buf_release(&w->last);
	cfs_buf_release(&w->tables);
	free(w);
}

struct cfs_buf *cfs_share_writer_tables(struct cfs_share_writer *w)
{
	return &w->tables;
}

/* Writes one stretch, the first n waiting bytes. */
static int flush(struct cfs_share_writer *w, size_t n, struct cfs_error *err)
{
	struct cfs_share_head *h = &w->head;

	if (cfs_write_at(w->fd, w->out.p, n, h->pairs_bytes) < n)
		return cfs_error_at(err, CFS_EIO, w->tmp_dir, 0,
				    "cannot write a temporary file: %s",
				    strerror(errno));
	h->pairs_hash = cfs_hash_fast(cfs_slice_of(w->out.p, n), h->pairs_hash);
	h->pairs_bytes += n;
	w->out.n -= n;
	memmove(w->out.p, w->out.p + n, w->out.n);
	return CFS_OK;
}

int cfs_share_writer_add(struct cfs_share_writer *w, struct cfs_slice key,
			 struct cfs_slice value, struct cfs_error *err)
{
	size_t shared = cfs_slice_common(key, cfs_buf_slice(&w->last));

	cfs_buf_varint(&w->out, shared);
	cfs_buf_varint(&w->out, key.n - shared);
	cfs_buf_varint(&w->out, value.n);
	cfs_buf_add(&w->out, cfs_slice_from(key, shared));
	cfs_buf_add(&w->out, value);
	w->last.n = shared;
	cfs_buf_add(&w->last, cfs_slice_from(key, shared));
	w->head.n_pairs++;
	if (w->out.failed != CFS_OK || w->last.failed != CFS_OK)
		return cfs_error_nomem(err);
	return w->out.n < STRETCH ? CFS_OK : flush(w, STRETCH, err);
}

/* Appends the pairs to the file. */
static int copy_pairs(struct cfs_share_writer *w, int fd, struct cfs_error *err)
{
	const struct cfs_share_head *h = &w->head;
	uint64_t done = 0;

	if (cfs_buf_reserve(&w->out, STRETCH) != CFS_OK)
		return cfs_error_nomem(err);
	while (done < h->pairs_bytes) {
		size_t n = h->pairs_bytes - done < STRETCH ?
			   (size_t)(h->pairs_bytes - done) : STRETCH;

		if (cfs_read_at(w->fd, w->out.p, n, done) < n)
			return cfs_error_at(err, CFS_EIO, w->tmp_dir, 0,
					    "cannot read a temporary file");
		if (cfs_write_at(fd, w->out.p, n, h->pairs_off + done) < n)
			return cfs_error_set(err, CFS_EIO, "cannot write: %s",
					     strerror(errno));
		done += n;
	}
	return CFS_OK;
}

static int write_tables(struct cfs_share_writer *w, int fd,
			struct cfs_error *err)
{
	struct cfs_share_head *h = &w->head;
	struct cfs_slice s;

	cfs_buf_reset(&w->out);
	w->out.max = TABLES_MAX;
	if (w->tables.failed != CFS_OK)
		return cfs_error_nomem(err);
	if (cfs_gz_compress(cfs_buf_slice(&w->tables), &w->out, err) != CFS_OK)
		return err->code;
	s = cfs_buf_slice(&w->out);
	h->tables_bytes = s.n;
	h->tables_hash = cfs_hash64(s, h->seal);
	return cfs_write_at(fd, s.p, s.n, h->pairs_off + h->pairs_bytes) ==
			       s.n ?
		       CFS_OK :
		       cfs_error_set(err, CFS_EIO, "cannot write: %s",
				     strerror(errno));
}

static void encode_head(const struct cfs_share_head *h, uint8_t *p)
{
	uint8_t *q = p + CFS_CFX_OFF_SHARE;

	cfs_le32_put(q, h->share.k);
	cfs_le32_put(q + 4, h->share.n);
	cfs_le64_put(q + 8, h->seal);
	cfs_le64_put(q + 16, h->pairs_off);
	cfs_le64_put(q + 24, h->pairs_bytes);
	cfs_le64_put(q + 32, h->n_pairs);
	cfs_le64_put(q + 40, h->pairs_hash);
	cfs_le64_put(q + 48, h->tables_bytes);
	cfs_le64_put(q + 56, h->tables_hash);
	cfs_le64_put(p + CFS_CFX_OFF_FILE_BYTES,
		     h->pairs_off + h->pairs_bytes + h->tables_bytes);
	cfs_le64_put(p + CFS_CFX_OFF_CHECKSUM,
		     cfs_hash64(cfs_slice_of(p, CFS_CFX_OFF_CHECKSUM), 0));
}

int cfs_share_writer_finish(struct cfs_share_writer *w, int fd, uint64_t *bytes,
			    struct cfs_error *err)
{
	uint8_t head[CFS_CFX_HEADER_BYTES];
	int rc = w->out.n > 0 ? flush(w, w->out.n, err) : CFS_OK;

	w->head.pairs_off = *bytes;
	if (rc == CFS_OK)
		rc = copy_pairs(w, fd, err);
	if (rc == CFS_OK)
		rc = write_tables(w, fd, err);
	if (rc != CFS_OK)
		return rc;
	*bytes += w->head.pairs_bytes + w->head.tables_bytes;
	if (cfs_read_at(fd, head, sizeof(head), 0) < sizeof(head))
		return cfs_error_set(err, CFS_EIO, "cannot read again");
	encode_head(&w->head, head);
	return cfs_write_at(fd, head, sizeof(head), 0) == sizeof(head) ?
	       CFS_OK : cfs_error_set(err, CFS_EIO, "cannot write: %s",
				      strerror(errno));
}

/* ---- reading ---- */

static int bad(const struct cfs_source *src, uint64_t at, const char *what,
	       struct cfs_error *err)
{
	return cfs_error_at(err, CFS_EFORMAT, src->name, at, "%s", what);
}

static int decode_head(const struct cfs_source *src, const uint8_t *p,
		       struct cfs_share_head *h, struct cfs_error *err)
{
	const uint8_t *q = p + CFS_CFX_OFF_SHARE;

	if (!cfs_cfx_is_magic(cfs_slice_of(p, CFS_CFX_MAGIC_BYTES)))
		return bad(src, 0, "is not a crawlfs index", err);
	if (cfs_hash64(cfs_slice_of(p, CFS_CFX_OFF_CHECKSUM), 0) !=
	    cfs_le64_get(p + CFS_CFX_OFF_CHECKSUM))
		return bad(src, 0, "header is damaged (checksum)", err);
	*h = (struct cfs_share_head){
		.share = { cfs_le32_get(q), cfs_le32_get(q + 4) },
		.seal = cfs_le64_get(q + 8),
		.pairs_off = cfs_le64_get(q + 16),
		.pairs_bytes = cfs_le64_get(q + 24),
		.n_pairs = cfs_le64_get(q + 32),
		.pairs_hash = cfs_le64_get(q + 40),
		.tables_bytes = cfs_le64_get(q + 48),
		.tables_hash = cfs_le64_get(q + 56),
		.view_version = cfs_le32_get(p + CFS_CFX_OFF_VIEW_VERSION) };
	for (unsigned k = 0; k < CFS_SKIPPED_KINDS; k++)
		h->skipped[k] = cfs_le64_get(p + CFS_CFX_OFF_SKIPPED + 8 * k);
	if (h->share.k < 1 || h->share.k > h->share.n)
		return bad(src, CFS_CFX_OFF_SHARE,
			   "is an index, but not a part of one", err);
	if (cfs_le64_get(p + CFS_CFX_OFF_FILE_BYTES) != src->size ||
	    h->pairs_off > src->size ||
	    h->pairs_bytes > src->size - h->pairs_off ||
	    h->tables_bytes != src->size - h->pairs_off - h->pairs_bytes)
		return bad(src, src->size, "is cut off, or too long", err);
	return CFS_OK;
}

int cfs_share_open(struct cfs_source **out, const char *path,
		   struct cfs_share_head *head, struct cfs_error *err)
{
	uint8_t p[CFS_CFX_HEADER_BYTES];
	size_t got = 0;
	int rc = cfs_source_open_file(out, path, err);

	if (rc != CFS_OK)
		return rc;
	rc = cfs_source_read_some(*out, p, sizeof(p), 0, &got,
				  CFS_CTX(NULL, err));
	if (rc == CFS_OK && got < sizeof(p))
		rc = bad(*out, got, "is not a crawlfs index", err);
	if (rc == CFS_OK)
		rc = decode_head(*out, p, head, err);
	if (rc != CFS_OK) {
		cfs_source_close(*out);
		*out = NULL;
	}
	return rc;
}

int cfs_share_tables(struct cfs_source *src, const struct cfs_share_head *head,
		     struct cfs_buf *out, struct cfs_error *err)
{
	uint64_t at = head->pairs_off + head->pairs_bytes;
	struct cfs_buf in;
	size_t used;
	int rc;

	cfs_buf_init(&in, TABLES_MAX);
	rc = head->tables_bytes > TABLES_MAX ?
	     cfs_error_set(err, CFS_ELIMIT, "tables are too long") :
	     cfs_buf_reserve(&in, (size_t)head->tables_bytes) != CFS_OK ?
	     cfs_error_nomem(err) :
	     cfs_source_read(src, in.p, (size_t)head->tables_bytes, at,
			     CFS_CTX(NULL, err));
	in.n = rc == CFS_OK ? (size_t)head->tables_bytes : 0;
	if (rc == CFS_OK && cfs_hash64(cfs_buf_slice(&in), head->seal) !=
	    head->tables_hash)
		rc = bad(src, at, "tables are damaged (checksum)", err);
	if (rc == CFS_OK)
		rc = cfs_gz_member(cfs_buf_slice(&in), out, 0, &used, err);
	cfs_buf_release(&in);
	return rc;
}

struct pairs_reading {
	struct cfs_source *src;
	const struct cfs_share_head *head;
	uint64_t at, hash, n;		/* bytes read; pairs */
	struct cfs_buf in, key;
	size_t pos;			/* in `in` */
};

/* Reads until the next pair, if there is one, is in the buffer. */
static int refill(struct pairs_reading *r, struct cfs_ctx ctx)
{
	uint64_t left = r->head->pairs_bytes - r->at;
	size_t n = left < STRETCH ? (size_t)left : STRETCH;
	struct cfs_slice s;
	int rc;

	if (r->in.n - r->pos >= PAIR_MAX || left == 0)
		return CFS_OK;
	r->in.n -= r->pos;
	memmove(r->in.p, r->in.p + r->pos, r->in.n);
	r->pos = 0;
	if (cfs_cancelled(ctx.cancel))
		return cfs_error_set(ctx.err, CFS_EINTR, "interrupted");
	s = cfs_slice_of(r->in.p + r->in.n, n);
	rc = cfs_source_read(r->src, r->in.p + r->in.n, n,
			     r->head->pairs_off + r->at, ctx);
	if (rc != CFS_OK)
		return rc;
	r->hash = cfs_hash_fast(s, r->hash);
	r->in.n += n;
	r->at += n;
	return CFS_OK;
}

/* Reads a pair; CFS_END after the last one. */
static int next_pair(struct pairs_reading *r, struct cfs_slice *value,
		     struct cfs_ctx ctx)
{
	int rc = refill(r, ctx);
	struct cfs_cursor c = { cfs_slice_from(cfs_buf_slice(&r->in), r->pos),
				false };
	uint64_t shared, rest, bytes;

	if (rc != CFS_OK)
		return rc;
	if (c.rest.n == 0)
		return CFS_END;
	shared = cfs_cursor_varint(&c);
	rest = cfs_cursor_varint(&c);
	bytes = cfs_cursor_varint(&c);
	if (shared > r->key.n || rest > CFS_EXTSORT_ITEM_MAX ||
	    bytes > CFS_EXTSORT_ITEM_MAX)
		c.bad = true;
	else
		r->key.n = (size_t)shared;
	cfs_buf_add(&r->key, cfs_cursor_take(&c, c.bad ? 0 : (size_t)rest));
	*value = cfs_cursor_take(&c, c.bad ? 0 : (size_t)bytes);
	if (r->key.failed == CFS_ENOMEM)
		return cfs_error_nomem(ctx.err);
	if (c.bad || r->key.failed != CFS_OK)
		return bad(r->src, r->head->pairs_off + r->at,
			   "pairs are damaged", ctx.err);
	r->pos = r->in.n - c.rest.n;
	r->n++;
	return CFS_OK;
}

int cfs_share_each_pair(struct cfs_source *src,
			const struct cfs_share_head *head,
			int (*fn)(void *arg, struct cfs_slice key,
				  struct cfs_slice value,
				  struct cfs_error *err),
			void *arg, struct cfs_ctx ctx)
{
	struct pairs_reading r = { .src = src,
				   .head = head,
				   .hash = head->seal };
	struct cfs_slice value = CFS_SLICE_EMPTY;
	int rc;

	cfs_buf_init(&r.in, STRETCH + PAIR_MAX);
	cfs_buf_init(&r.key, CFS_EXTSORT_ITEM_MAX);
	rc = cfs_buf_reserve(&r.in, STRETCH + PAIR_MAX) == CFS_OK ? CFS_OK :
	     cfs_error_nomem(ctx.err);
	while (rc == CFS_OK) {
		rc = next_pair(&r, &value, ctx);
		if (rc == CFS_OK)
			rc = fn(arg, cfs_buf_slice(&r.key), value, ctx.err);
	}
	if (rc == CFS_END && (r.hash != head->pairs_hash ||
			      r.n != head->n_pairs))
		rc = bad(src, head->pairs_off, "pairs are damaged (checksum)",
			 ctx.err);
	cfs_buf_release(&r.in);
	cfs_buf_release(&r.key);
	return rc == CFS_END ? CFS_OK : rc;
}
