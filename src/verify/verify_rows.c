/* verify_rows.c - sorts the entries of an index by the places of their records.
 *
 * The key of the sort is the archive's number, offset and inner offset, all
 * big-endian; the value is the rest of the row.  Sorted, they are written to
 * a temporary file as rows of one size, so that threads can read those of any
 * stretch.
 * Another file has the texts of lines of lists, for reports of wrong ones:
 * lengths of URL, digest and MIME type, 4 bytes each, then the texts.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "verify_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/fileio.h"
#include "base/hash.h"
#include "base/mime.h"
#include "record/digest.h"
#include "record/http_head.h"
#include "sort/extsort.h"

#define SORT_BYTES ((size_t)64 << 20)
#define KEY_BYTES 20u
#define MIME_MAX 256u		/* bytes that are hashed */
#define VALUE_AT offsetof(struct cfs_verify_row, length)
#define VALUE_BYTES (sizeof(struct cfs_verify_row) - VALUE_AT)
#define ROWS 1024u		/* written at a time */
#define TEXT_HEAD 12u
#define TEXTS_BYTES ((size_t)256 << 10)	/* bytes written at a time */

struct cfs_verify_rows {
	const struct cfs_verify_opts *opts;
	struct cfs_extsort *sort;	/* NULL once sorted */
	int fd;
	uint64_t n;			/* rows in fd */
	int texts_fd;			/* -1: there are none */
	struct cfs_buf texts;		/* texts not yet written there */
	uint64_t texts_at;		/* offset of the next texts */
};

static int io_failed(const struct cfs_verify_rows *e, struct cfs_error *err)
{
	return cfs_error_at(err, CFS_EIO, e->opts->tmp_dir, 0, "a temporary "
			    "file: %s", strerror(errno != 0 ? errno : EIO));
}

int cfs_verify_rows_new(struct cfs_verify_rows **out,
			const struct cfs_verify_opts *opts,
			struct cfs_error *err)
{
	struct cfs_extsort_opts so = { .memory_bytes = SORT_BYTES, .feeders = 1,
		.tmp_dir = opts->tmp_dir, .cancel = opts->cancel };
	struct cfs_verify_rows *e = calloc(1, sizeof(*e));
	int rc;

	*out = NULL;
	if (e == NULL)
		return cfs_error_nomem(err);
	e->opts = opts;
	e->fd = e->texts_fd = -1;
	cfs_buf_init(&e->texts, SIZE_MAX / 2);
	rc = cfs_extsort_new(&e->sort, &so, err);
	if (rc == CFS_OK)
		*out = e;
	else
		free(e);
	return rc;
}

void cfs_verify_rows_free(struct cfs_verify_rows *e)
{
	if (e == NULL)
		return;
	cfs_extsort_free(e->sort);
	if (e->fd >= 0)
		close(e->fd);
	if (e->texts_fd >= 0)
		close(e->texts_fd);
	cfs_buf_release(&e->texts);
	free(e);
}

void cfs_verify_label(struct cfs_slice digest, struct cfs_buf *out)
{
	if (cfs_slice_find(digest, ':') < 0)
		cfs_buf_adds(out, "sha1:");
	cfs_buf_add(out, digest);
}

uint64_t cfs_verify_hash_digest(struct cfs_slice digest)
{
	CFS_BUF(usual, CFS_VERIFY_DIGEST_MAX);
	CFS_BUF(labelled, CFS_VERIFY_DIGEST_MAX);

	if (digest.n == 0)
		return 0;
	cfs_verify_label(digest, &labelled);
	cfs_digest_add(&usual, cfs_buf_slice(&labelled));
	return cfs_hash64(cfs_buf_slice(&usual), 0);
}

uint64_t cfs_verify_hash_mime(struct cfs_slice mime)
{
	struct cfs_slice s = cfs_mime_type(mime);
	uint8_t lower[MIME_MAX];
	size_t n = s.n < MIME_MAX ? s.n : MIME_MAX;

	for (size_t i = 0; i < n; i++)
		lower[i] = cfs_ascii_lower(s.p[i]);
	return n > 0 ? cfs_hash64(cfs_slice_of(lower, n), 0) : 0;
}

static int add(struct cfs_verify_rows *e, uint32_t archive,
	       const struct cfs_verify_row *row, struct cfs_error *err)
{
	struct cfs_slice value = cfs_slice_of((const uint8_t *)row + VALUE_AT,
					      VALUE_BYTES);
	uint8_t key[KEY_BYTES];

	cfs_be32_put(key, archive);
	cfs_be64_put(key + 4, row->offset);
	cfs_be64_put(key + 12, row->inner_offset);
	return cfs_extsort_add(e->sort, 0, cfs_slice_of(key, sizeof(key)),
			       value, err);
}

int cfs_verify_rows_add(struct cfs_verify_rows *e, uint32_t archive,
			const struct cfs_iter *it,
			const struct cfs_capture *cap, struct cfs_error *err)
{
	struct cfs_verify_row row = {
		.offset = cap->loc.offset,
		.inner_offset = cap->loc.inner_offset,
		.length = cap->loc.length,
		.inner_length = cap->loc.inner_length,
		.pos = it->pos,
		.key = cfs_hash64(it->key, 0),
		.digest = cfs_verify_hash_digest(cap->digest),
		.time = cap->time,
		.url = cap->url.n > 0 ? cfs_hash64(cap->url, 0) : 0
	};

	return add(e, archive, &row, err);
}

/* ---- texts --------------------------------------------------------------- */

static int write_texts(struct cfs_verify_rows *e, struct cfs_error *err)
{
	if (e->texts.failed != CFS_OK)
		return cfs_error_nomem(err);
	if (e->texts_fd < 0 && e->texts.n > 0)
		e->texts_fd = cfs_temp_file(e->opts->tmp_dir);
	if (e->texts.n > 0 &&
	    (e->texts_fd < 0 || cfs_write_at(e->texts_fd, e->texts.p,
					     e->texts.n, e->texts_at) !=
				e->texts.n))
		return io_failed(e, err);
	e->texts_at += e->texts.n;
	cfs_buf_reset(&e->texts);
	return CFS_OK;
}

int cfs_verify_rows_add_line(struct cfs_verify_rows *e, uint32_t archive,
			     struct cfs_verify_row *row,
			     const struct cfs_verify_text *text,
			     struct cfs_error *err)
{
	uint8_t head[TEXT_HEAD];
	int rc;

	row->pos = e->texts_at + e->texts.n;
	cfs_le32_put(head, (uint32_t)text->url.n);
	cfs_le32_put(head + 4, (uint32_t)text->digest.n);
	cfs_le32_put(head + 8, (uint32_t)text->mime.n);
	cfs_buf_append(&e->texts, head, sizeof(head));
	cfs_buf_add(&e->texts, text->url);
	cfs_buf_add(&e->texts, text->digest);
	cfs_buf_add(&e->texts, text->mime);
	rc = e->texts.n < TEXTS_BYTES && e->texts.failed == CFS_OK ? CFS_OK :
	     write_texts(e, err);
	return rc == CFS_OK ? add(e, archive, row, err) : rc;
}

int cfs_verify_rows_text(const struct cfs_verify_rows *e,
			 const struct cfs_verify_row *row, struct cfs_buf *buf,
			 struct cfs_verify_text *out, struct cfs_error *err)
{
	uint8_t head[TEXT_HEAD];
	size_t n[3], all = 0;

	errno = 0;
	if (cfs_read_at(e->texts_fd, head, TEXT_HEAD, row->pos) != TEXT_HEAD)
		return io_failed(e, err);
	for (size_t i = 0; i < 3; i++) {
		n[i] = cfs_le32_get(head + 4 * i);
		all += n[i];
	}
	cfs_buf_reset(buf);
	if (cfs_buf_reserve(buf, all) != CFS_OK)
		return cfs_error_nomem(err);
	if (cfs_read_at(e->texts_fd, buf->p, all, row->pos + TEXT_HEAD) != all)
		return io_failed(e, err);
	buf->n = all;
	out->url = cfs_slice_sub(cfs_buf_slice(buf), 0, n[0]);
	out->digest = cfs_slice_sub(cfs_buf_slice(buf), n[0], n[1]);
	out->mime = cfs_slice_sub(cfs_buf_slice(buf), n[0] + n[1], n[2]);
	return CFS_OK;
}

/* ---- sorting ------------------------------------------------------------- */

static void decode(const uint8_t *key, const uint8_t *value,
		   struct cfs_verify_row *out)
{
	out->offset = cfs_be64_get(key + 4);
	out->inner_offset = cfs_be64_get(key + 12);
	memcpy((uint8_t *)out + VALUE_AT, value, VALUE_BYTES);
}

static int write_rows(struct cfs_verify_rows *e,
		      const struct cfs_verify_row *rows, size_t n,
		      struct cfs_error *err)
{
	if (cfs_write_at(e->fd, rows, n * sizeof(*rows),
			 e->n * sizeof(*rows)) != n * sizeof(*rows))
		return io_failed(e, err);
	e->n += n;
	return CFS_OK;
}

/* Takes the rows from the sort and writes them. */
static int write_all(struct cfs_verify_rows *e, struct cfs_verify_row *rows,
		     struct cfs_verify_row_run *runs, size_t n,
		     struct cfs_error *err)
{
	struct cfs_slice key, value;
	size_t held = 0;
	int rc;

	for (;;) {
		struct cfs_verify_row_run *run;
		uint32_t archive;

		rc = cfs_extsort_next(e->sort, &key, &value, err);
		if (rc != CFS_OK)
			break;
		archive = cfs_be32_get(key.p);
		if (archive >= n)
			continue;
		run = &runs[archive];
		if (run->n++ == 0)
			run->first = e->n + held;
		run->hash = cfs_hash64(cfs_slice_sub(value, 0, VALUE_BYTES -
						     sizeof(cfs_pos)),
				       cfs_hash64(cfs_slice_from(key, 4),
						  run->hash));
		decode(key.p, value.p, &rows[held++]);
		if (held < ROWS)
			continue;
		rc = write_rows(e, rows, held, err);
		held = 0;
		if (rc != CFS_OK)
			return rc;
	}
	return rc == CFS_END ? write_rows(e, rows, held, err) : rc;
}

int cfs_verify_rows_sort(struct cfs_verify_rows *e,
			 struct cfs_verify_row_run *runs, size_t n,
			 struct cfs_error *err)
{
	struct cfs_verify_row *rows = calloc(ROWS, sizeof(*rows));
	int rc = rows != NULL ? CFS_OK : cfs_error_nomem(err);

	e->fd = cfs_temp_file(e->opts->tmp_dir);
	if (rc == CFS_OK && e->fd < 0)
		rc = io_failed(e, err);
	if (rc == CFS_OK)
		rc = write_texts(e, err);
	if (rc == CFS_OK)
		rc = cfs_extsort_merge(e->sort, err);
	if (rc == CFS_OK)
		rc = write_all(e, rows, runs, n, err);
	cfs_extsort_free(e->sort);
	e->sort = NULL;
	free(rows);
	return rc;
}

int cfs_verify_rows_read(const struct cfs_verify_rows *e, uint64_t first,
			 struct cfs_verify_row *out, size_t n,
			 struct cfs_error *err)
{
	errno = 0;
	return cfs_read_at(e->fd, out, n * sizeof(*out),
			   first * sizeof(*out)) == n * sizeof(*out) ?
	       CFS_OK : io_failed(e, err);
}

int cfs_verify_rows_find(const struct cfs_verify_rows *e,
			 const struct cfs_verify_row_run *run, uint64_t offset,
			 uint64_t *out, struct cfs_error *err)
{
	uint64_t lo = run->first, hi = run->first + run->n;
	struct cfs_verify_row row;

	while (lo < hi) {
		uint64_t mid = lo + (hi - lo) / 2;
		int rc = cfs_verify_rows_read(e, mid, &row, 1, err);

		if (rc != CFS_OK)
			return rc;
		if (row.offset < offset)
			lo = mid + 1;
		else
			hi = mid;
	}
	*out = lo;
	return CFS_OK;
}
