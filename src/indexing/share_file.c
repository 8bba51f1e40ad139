/* share_file.c - writes and reads the file of one part of an index.
 *
 * An index (format/cfx/cfx_format.h), then one gzip member of tables
 * (share_tables.h).  Header fields, which are zero in an index:
 *
 *     off size
 *    4024    4  number of the part, from 1
 *    4028    4  number of parts
 *    4032    8  seal: the same for parts of the same inputs and options
 *    4040    8  file offset of the tables
 *    4048   24  zero; not in parts of crawlfs 0.1.0, which are refused
 *    4072    8  bytes of the tables
 *    4080    8  XXH64 of the tables, seed seal
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "share_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fileio.h"
#include "base/hash.h"
#include "codec/gzip.h"
#include "format/cfx/cfx.h"
#include "format/cfx/cfx_format.h"

/* Tables take some 15 MB for a crawl of 100,000 archives. */
#define TABLES_MAX ((size_t)1 << 30)

struct cfs_share_writer {
	struct cfs_share_head head;
	struct cfs_buf tables;
};

/* ---- writing ---- */

int cfs_share_writer_new(struct cfs_share_writer **out, struct cfs_part share,
			 uint64_t seal, struct cfs_error *err)
{
	struct cfs_share_writer *w = calloc(1, sizeof(*w));

	*out = w;
	if (w == NULL)
		return cfs_error_nomem(err);
	w->head.share = share;
	w->head.seal = seal;
	cfs_buf_init(&w->tables, TABLES_MAX);
	return CFS_OK;
}

void cfs_share_writer_free(struct cfs_share_writer *w)
{
	if (w == NULL)
		return;
	cfs_buf_release(&w->tables);
	free(w);
}

struct cfs_buf *cfs_share_writer_tables(struct cfs_share_writer *w)
{
	return &w->tables;
}

static int share_file_write_tables(struct cfs_share_writer *w, int fd,
				   struct cfs_error *err)
{
	struct cfs_share_head *h = &w->head;
	struct cfs_buf out;
	int rc;

	if (w->tables.failed != CFS_OK)
		return cfs_error_nomem(err);
	cfs_buf_init(&out, TABLES_MAX);
	rc = cfs_gz_compress(cfs_buf_slice(&w->tables), &out, err);
	h->tables_bytes = out.n;
	h->tables_hash = cfs_hash64(cfs_buf_slice(&out), h->seal);
	if (rc == CFS_OK &&
	    cfs_write_at(fd, out.p, out.n, h->tables_off) != out.n)
		rc = cfs_error_set(err, CFS_EIO, "cannot write: %s",
				   strerror(errno));
	cfs_buf_release(&out);
	return rc;
}

static void share_file_encode_head(const struct cfs_share_head *h, uint8_t *p)
{
	uint8_t *q = p + CFS_CFX_OFF_SHARE;

	cfs_le32_put(q, h->share.k);
	cfs_le32_put(q + 4, h->share.n);
	cfs_le64_put(q + 8, h->seal);
	cfs_le64_put(q + 16, h->tables_off);
	cfs_le64_put(q + 48, h->tables_bytes);
	cfs_le64_put(q + 56, h->tables_hash);
	cfs_le64_put(p + CFS_CFX_OFF_FILE_BYTES,
		     h->tables_off + h->tables_bytes);
	cfs_le64_put(p + CFS_CFX_OFF_CHECKSUM,
		     cfs_hash64(cfs_slice_of(p, CFS_CFX_OFF_CHECKSUM), 0));
}

int cfs_share_writer_finish(struct cfs_share_writer *w, int fd, uint64_t *bytes,
			    struct cfs_error *err)
{
	uint8_t head[CFS_CFX_HEADER_BYTES];
	int rc;

	w->head.tables_off = *bytes;
	rc = share_file_write_tables(w, fd, err);
	if (rc != CFS_OK)
		return rc;
	*bytes += w->head.tables_bytes;
	if (cfs_read_at(fd, head, sizeof(head), 0) < sizeof(head))
		return cfs_error_set(err, CFS_EIO, "cannot read again");
	share_file_encode_head(&w->head, head);
	return cfs_write_at(fd, head, sizeof(head), 0) == sizeof(head) ?
	       CFS_OK : cfs_error_set(err, CFS_EIO, "cannot write: %s",
				      strerror(errno));
}

/* ---- reading ---- */

static int share_file_bad(const struct cfs_source *src, uint64_t at,
			  const char *what, struct cfs_error *err)
{
	return cfs_error_at(err, CFS_EFORMAT, src->name, at, "%s", what);
}

static int decode_head(const struct cfs_source *src, const uint8_t *p,
		       struct cfs_share_head *h, struct cfs_error *err)
{
	const uint8_t *q = p + CFS_CFX_OFF_SHARE;

	if (!cfs_cfx_is_magic(cfs_slice_of(p, CFS_CFX_MAGIC_BYTES)))
		return share_file_bad(src, 0, "is not a crawlfs index", err);
	if (cfs_hash64(cfs_slice_of(p, CFS_CFX_OFF_CHECKSUM), 0) !=
	    cfs_le64_get(p + CFS_CFX_OFF_CHECKSUM))
		return share_file_bad(src, 0, "header is damaged (checksum)",
				      err);
	*h = (struct cfs_share_head){
		.share = { cfs_le32_get(q), cfs_le32_get(q + 4) },
		.seal = cfs_le64_get(q + 8),
		.tables_off = cfs_le64_get(q + 16),
		.tables_bytes = cfs_le64_get(q + 48),
		.tables_hash = cfs_le64_get(q + 56),
		.view_version = cfs_le32_get(p + CFS_CFX_OFF_VIEW_VERSION) };
	for (unsigned k = 0; k < CFS_SKIPPED_KINDS; k++)
		h->skipped[k] = cfs_le64_get(p + CFS_CFX_OFF_SKIPPED + 8 * k);
	if (h->share.k < 1 || h->share.k > h->share.n)
		return share_file_bad(src, CFS_CFX_OFF_SHARE,
				      "is an index, but not a part of one",
				      err);
	if (cfs_le64_get(q + 24) != 0 || cfs_le64_get(q + 32) != 0 ||
	    cfs_le64_get(q + 40) != 0)
		return share_file_bad(src, CFS_CFX_OFF_SHARE,
				      "was made by an earlier version", err);
	if (cfs_le64_get(p + CFS_CFX_OFF_FILE_BYTES) != src->size ||
	    h->tables_off > src->size ||
	    h->tables_bytes != src->size - h->tables_off)
		return share_file_bad(src, src->size, "is cut off, or too long",
				      err);
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
		rc = share_file_bad(*out, got, "is not a crawlfs index", err);
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
	uint64_t at = head->tables_off;
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
		rc = share_file_bad(src, at, "tables are damaged (checksum)",
				    err);
	if (rc == CFS_OK)
		rc = cfs_gz_member(cfs_buf_slice(&in), out, 0, &used, err);
	cfs_buf_release(&in);
	return rc;
}
