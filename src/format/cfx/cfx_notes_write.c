/* cfx_notes_write.c - writes the notes of captures for a crawlfs index (layout:
 * format/cfx/cfx_format.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cfx_notes_write.h"

#include <assert.h>
#include <errno.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/hash.h"
#include "cfx_format.h"
#include "codec/gzip.h"

/* Bytes of the blocks' offsets: enough for some billion captures. */
#define ENDS_MAX ((size_t)1 << 30)
#define COPY_BYTES ((size_t)256 << 10)

void cfs_cfx_notes_writer_init(struct cfs_cfx_notes_writer *w,
			       const char *tmp_dir)
{
	*w = (struct cfs_cfx_notes_writer){ .tmp_dir = tmp_dir, .fd = -1 };
	cfs_buf_init(&w->text, CFS_CFX_NOTES_BLOCK_BYTES);
	cfs_buf_init(&w->block, 2 * CFS_CFX_NOTES_BLOCK_BYTES);
	cfs_buf_init(&w->ends, ENDS_MAX);
}

void cfs_cfx_notes_writer_release(struct cfs_cfx_notes_writer *w)
{
	if (w->fd >= 0)
		close(w->fd);
	cfs_buf_release(&w->text);
	cfs_buf_release(&w->block);
	cfs_buf_release(&w->ends);
}

static int cfx_notes_write_io_failed(const char *tmp_dir, struct cfs_error *err)
{
	return cfs_error_at(err, CFS_EIO, tmp_dir, 0,
			    "temporary file: %s", strerror(errno));
}

static int cfx_notes_write_write_block(struct cfs_cfx_notes_writer *w,
				       struct cfs_error *err)
{
	int rc;

	if (w->fd < 0 && (w->fd = cfs_temp_file(w->tmp_dir)) < 0)
		return cfx_notes_write_io_failed(w->tmp_dir, err);
	cfs_buf_reset(&w->block);
	cfs_buf_le64(&w->block, 0);
	rc = cfs_gz_compress(cfs_buf_slice(&w->text), &w->block, err);
	if (rc != CFS_OK)
		return rc;
	cfs_le64_put(w->block.p, cfs_hash64(
			cfs_slice_from(cfs_buf_slice(&w->block), 8),
			cfs_cfx_seed(CFS_CFX_LEVEL_NOTES, (uint32_t)w->n)));
	if (cfs_write_at(w->fd, w->block.p, w->block.n, w->bytes) < w->block.n)
		return cfx_notes_write_io_failed(w->tmp_dir, err);
	w->bytes += w->block.n;
	w->n++;
	cfs_buf_reset(&w->text);
	if (cfs_buf_le64(&w->ends, w->bytes) != CFS_OK)
		return cfs_error_set(err, w->ends.failed, "too many notes");
	return CFS_OK;
}

int cfs_cfx_notes_put(struct cfs_cfx_notes_writer *w, struct cfs_slice notes,
		      struct cfs_notes_at *at, struct cfs_error *err)
{
	int rc = CFS_OK;

	assert(notes.n > 0 && notes.n <= CFS_NOTES_MAX);
	if (w->text.n + notes.n > CFS_CFX_NOTES_BLOCK_BYTES)
		rc = cfx_notes_write_write_block(w, err);
	if (rc != CFS_OK)
		return rc;
	*at = (struct cfs_notes_at){ w->n, (uint32_t)w->text.n,
				     (uint32_t)notes.n };
	return cfs_buf_add(&w->text, notes) == CFS_OK ? CFS_OK :
	       cfs_error_nomem(err);
}

int cfs_cfx_copy_blocks(int fd, uint64_t bytes, const char *tmp_dir,
			int (*put)(void *arg, const void *p, size_t n,
				   struct cfs_error *err),
			void *arg, struct cfs_error *err)
{
	CFS_BUF(part, COPY_BYTES);
	int rc = CFS_OK;

	if (cfs_buf_reserve(&part, COPY_BYTES) != CFS_OK)
		return cfs_error_nomem(err);
	for (uint64_t off = 0; rc == CFS_OK && off < bytes;
	     off += COPY_BYTES) {
		size_t n = bytes - off < COPY_BYTES ?
			   (size_t)(bytes - off) : COPY_BYTES;

		rc = cfs_read_at(fd, part.p, n, off) == n ?
			     put(arg, part.p, n, err) :
			     cfx_notes_write_io_failed(tmp_dir, err);
	}
	return rc;
}

int cfs_cfx_notes_finish(struct cfs_cfx_notes_writer *w, uint64_t file_off,
			 int (*put)(void *arg, const void *p, size_t n,
				    struct cfs_error *err),
			 void *arg, uint64_t *directory, struct cfs_error *err)
{
	uint8_t place[8];
	int rc = cfx_notes_write_write_block(w, err);

	if (rc == CFS_OK)
		rc = cfs_cfx_copy_blocks(w->fd, w->bytes, w->tmp_dir, put, arg,
					 err);
	if (rc != CFS_OK)
		return rc;
	*directory = file_off + w->bytes;
	for (size_t i = 0; i < w->n; i++) {
		uint8_t *end = w->ends.p + 8 * i;

		cfs_le64_put(end, file_off + cfs_le64_get(end));
	}
	cfs_le64_put(place, file_off);
	rc = put(arg, place, sizeof(place), err);
	return rc == CFS_OK ? put(arg, w->ends.p, w->ends.n, err) : rc;
}
