/* cfx_joindata_write.c - writes one list of joindata for a crawlfs index.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cfx_joindata.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/hash.h"
#include "cfx_notes_write.h"
#include "codec/gzip.h"

#define HEAD_BYTES 12u

void cfs_cfx_joindata_writer_init(struct cfs_cfx_joindata_writer *w,
				  enum cfs_cfx_joindata_of which,
				  const char *tmp_dir)
{
	*w = (struct cfs_cfx_joindata_writer){ .which = which,
					       .tmp_dir = tmp_dir, .fd = -1 };
	cfs_buf_init(&w->text, CFS_CFX_JOINDATA_BLOCK_BYTES);
	cfs_buf_init(&w->block, 2 * CFS_CFX_JOINDATA_BLOCK_BYTES);
}

void cfs_cfx_joindata_writer_release(struct cfs_cfx_joindata_writer *w)
{
	if (w->fd >= 0)
		close(w->fd);
	cfs_buf_release(&w->text);
	cfs_buf_release(&w->block);
}

static int cfx_joindata_write_write_block(struct cfs_cfx_joindata_writer *w,
					  struct cfs_error *err)
{
	static const uint8_t head[HEAD_BYTES];
	struct cfs_slice member;
	int rc;

	cfs_buf_reset(&w->block);
	cfs_buf_append(&w->block, head, sizeof(head));
	rc = cfs_gz_compress(cfs_buf_slice(&w->text), &w->block, err);
	if (rc != CFS_OK)
		return rc;
	member = cfs_slice_from(cfs_buf_slice(&w->block), HEAD_BYTES);
	cfs_le32_put(w->block.p, (uint32_t)member.n);
	cfs_le64_put(w->block.p + 4, cfs_hash64(member,
			cfs_cfx_seed(CFS_CFX_LEVEL_JOINDATA + w->which,
				     (uint32_t)w->n)));
	if ((w->fd < 0 && (w->fd = cfs_temp_file(w->tmp_dir)) < 0) ||
	    cfs_write_at(w->fd, w->block.p, w->block.n, w->bytes) < w->block.n)
		return cfs_error_at(err, CFS_EIO, w->tmp_dir, 0,
				    "temporary file: %s", strerror(errno));
	w->bytes += w->block.n;
	w->n++;
	cfs_buf_reset(&w->text);
	return CFS_OK;
}

bool cfs_cfx_joindata_begins_block(const struct cfs_cfx_joindata_writer *w,
				   size_t n)
{
	return w->text.n == 0 || w->text.n + n > CFS_CFX_JOINDATA_BLOCK_BYTES;
}

int cfs_cfx_joindata_put(struct cfs_cfx_joindata_writer *w,
			 struct cfs_slice item, struct cfs_error *err)
{
	int rc = CFS_OK;

	if (item.n > CFS_CFX_JOINDATA_BLOCK_BYTES)
		return cfs_error_set(err, CFS_EFORMAT, "what is joined is "
				     "damaged: an item of %zu bytes", item.n);
	if (w->text.n + item.n > CFS_CFX_JOINDATA_BLOCK_BYTES)
		rc = cfx_joindata_write_write_block(w, err);
	if (rc == CFS_OK && cfs_buf_add(&w->text, item) != CFS_OK)
		rc = cfs_error_nomem(err);
	return rc;
}

int cfs_cfx_joindata_finish(struct cfs_cfx_joindata_writer *w,
			    int (*put)(void *arg, const void *p, size_t n,
				       struct cfs_error *err),
			    void *arg, struct cfs_error *err)
{
	int rc = w->text.n > 0 ? cfx_joindata_write_write_block(w,
								err) : CFS_OK;

	return rc == CFS_OK && w->fd >= 0 ?
	       cfs_cfx_copy_blocks(w->fd, w->bytes, w->tmp_dir, put, arg, err) :
	       rc;
}
