/* partfile.c - writes and reads the file of one part of an index.
 *
 * An index (format/cfx/cfx_format.h), then one gzip member of tables
 * (part_tables.h).  Header fields, which are zero in an index:
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
#include "parts.h"

#include <errno.h>
#include <string.h>

#include "base/fileio.h"
#include "base/hash.h"
#include "codec/gzip.h"
#include "format/cfx/cfx.h"
#include "format/cfx/cfx_format.h"

/* ---- writing ---- */

static int write_tables(struct cfs_partfile *p, int fd, struct cfs_error *err)
{
	struct cfs_partfile_head *h = &p->head;
	CFS_BUF(out, CFS_PARTFILE_TABLES_MAX);
	int rc;

	if (p->tables.failed != CFS_OK)
		return cfs_error_nomem(err);
	rc = cfs_gz_compress(cfs_buf_slice(&p->tables), &out, err);
	h->tables_bytes = out.n;
	h->tables_hash = cfs_hash64(cfs_buf_slice(&out), h->seal);
	if (rc == CFS_OK &&
	    cfs_write_at(fd, out.p, out.n, h->tables_off) != out.n)
		rc = cfs_error_set(err, CFS_EIO, "cannot write: %s",
				   strerror(errno));
	return rc;
}

static void encode_head(const struct cfs_partfile_head *h, uint8_t *p)
{
	uint8_t *q = p + CFS_CFX_OFF_PART;

	cfs_le32_put(q, h->part.k);
	cfs_le32_put(q + 4, h->part.n);
	cfs_le64_put(q + 8, h->seal);
	cfs_le64_put(q + 16, h->tables_off);
	cfs_le64_put(q + 48, h->tables_bytes);
	cfs_le64_put(q + 56, h->tables_hash);
	cfs_le64_put(p + CFS_CFX_OFF_FILE_BYTES,
		     h->tables_off + h->tables_bytes);
	cfs_le64_put(p + CFS_CFX_OFF_CHECKSUM,
		     cfs_hash64(cfs_slice_of(p, CFS_CFX_OFF_CHECKSUM), 0));
}

int cfs_partfile_finish(struct cfs_partfile *p, int fd, uint64_t *bytes,
			struct cfs_error *err)
{
	uint8_t head[CFS_CFX_HEADER_BYTES];
	int rc;

	p->head.tables_off = *bytes;
	rc = write_tables(p, fd, err);
	if (rc != CFS_OK)
		return rc;
	*bytes += p->head.tables_bytes;
	if (cfs_read_at(fd, head, sizeof(head), 0) < sizeof(head))
		return cfs_error_set(err, CFS_EIO, "cannot read again");
	encode_head(&p->head, head);
	return cfs_write_at(fd, head, sizeof(head), 0) == sizeof(head) ?
	       CFS_OK : cfs_error_set(err, CFS_EIO, "cannot write: %s",
				      strerror(errno));
}

/* ---- reading ---- */

static int bad_part(const struct cfs_source *src, uint64_t at,
			  const char *what, struct cfs_error *err)
{
	return cfs_error_at(err, CFS_EFORMAT, src->name, at, "%s", what);
}

static int decode_head(const struct cfs_source *src, const uint8_t *p,
		       struct cfs_partfile_head *h, struct cfs_error *err)
{
	const uint8_t *q = p + CFS_CFX_OFF_PART;

	if (!cfs_cfx_is_magic(cfs_slice_of(p, CFS_CFX_MAGIC_BYTES)))
		return bad_part(src, 0, "is not a crawlfs index", err);
	if (cfs_hash64(cfs_slice_of(p, CFS_CFX_OFF_CHECKSUM), 0) !=
	    cfs_le64_get(p + CFS_CFX_OFF_CHECKSUM))
		return bad_part(src, 0, "header is damaged (checksum)",
				      err);
	*h = (struct cfs_partfile_head){
		.part = { cfs_le32_get(q), cfs_le32_get(q + 4) },
		.seal = cfs_le64_get(q + 8),
		.tables_off = cfs_le64_get(q + 16),
		.tables_bytes = cfs_le64_get(q + 48),
		.tables_hash = cfs_le64_get(q + 56),
		.view_version = cfs_le32_get(p + CFS_CFX_OFF_VIEW_VERSION) };
	for (unsigned k = 0; k < CFS_SKIPPED_KINDS; k++)
		h->skipped[k] = cfs_le64_get(p + CFS_CFX_OFF_SKIPPED + 8 * k);
	if (h->part.k < 1 || h->part.k > h->part.n)
		return bad_part(src, CFS_CFX_OFF_PART,
				      "is an index, but not a part of one",
				      err);
	if (cfs_le64_get(q + 24) != 0 || cfs_le64_get(q + 32) != 0 ||
	    cfs_le64_get(q + 40) != 0)
		return bad_part(src, CFS_CFX_OFF_PART,
				      "was made by an earlier version", err);
	if (cfs_le64_get(p + CFS_CFX_OFF_FILE_BYTES) != src->size ||
	    h->tables_off > src->size ||
	    h->tables_bytes != src->size - h->tables_off)
		return bad_part(src, src->size, "is cut off, or too long",
				      err);
	return CFS_OK;
}

int cfs_partfile_open(struct cfs_source **out, const char *path,
		      struct cfs_partfile_head *head, struct cfs_error *err)
{
	uint8_t p[CFS_CFX_HEADER_BYTES];
	size_t got = 0;
	int rc = cfs_source_open_file(out, path, err);

	if (rc != CFS_OK)
		return rc;
	rc = cfs_source_read_some(*out, p, sizeof(p), 0, &got,
				  CFS_CTX(NULL, err));
	if (rc == CFS_OK && got < sizeof(p))
		rc = bad_part(*out, got, "is not a crawlfs index", err);
	if (rc == CFS_OK)
		rc = decode_head(*out, p, head, err);
	if (rc != CFS_OK) {
		cfs_source_close(*out);
		*out = NULL;
	}
	return rc;
}

int cfs_partfile_tables(struct cfs_source *src,
			const struct cfs_partfile_head *head,
			struct cfs_buf *out, struct cfs_error *err)
{
	uint64_t at = head->tables_off;
	CFS_BUF(in, CFS_PARTFILE_TABLES_MAX);
	size_t used;
	int rc = head->tables_bytes > CFS_PARTFILE_TABLES_MAX ?
		 cfs_error_set(err, CFS_ELIMIT, "tables are too long") :
		 cfs_buf_reserve(&in, (size_t)head->tables_bytes) != CFS_OK ?
		 cfs_error_nomem(err) :
		 cfs_source_read(src, in.p, (size_t)head->tables_bytes, at,
				 CFS_CTX(NULL, err));

	in.n = rc == CFS_OK ? (size_t)head->tables_bytes : 0;
	if (rc == CFS_OK && cfs_hash64(cfs_buf_slice(&in), head->seal) !=
	    head->tables_hash)
		rc = bad_part(src, at, "tables are damaged (checksum)",
				    err);
	if (rc == CFS_OK)
		rc = cfs_gz_member(cfs_buf_slice(&in), out, 0, &used, err);
	return rc;
}
