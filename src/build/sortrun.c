/* sortrun.c - runs of sorted pairs in temporary files.
 *
 * A run is a sequence of
 *     varint bytes shared with the key before, varint bytes of the rest of
 *     the key, varint bytes of the value, rest, value
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sortrun.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fileio.h"

void cfs_sortrun_file_close(struct cfs_sortrun_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

/* ---- writing ---- */

int cfs_sortrun_begin(struct cfs_sortrun_writer *w,
		      struct cfs_sortrun_file *file, struct cfs_error *err)
{
	*w = (struct cfs_sortrun_writer){ .file = file, .start = file->bytes };
	cfs_buf_init(&w->out, CFS_SORTRUN_BUFFER_MAX);
	cfs_buf_init(&w->last, CFS_PAIRS_ITEM_MAX);
	if (file->fd < 0)
		file->fd = cfs_temp_file(file->dir);
	if (file->fd < 0)
		return cfs_error_at(err, CFS_EIO, file->dir, 0,
				    "cannot make a temporary file: %s",
				    strerror(errno));
	return CFS_OK;
}

static int flush(struct cfs_sortrun_writer *w, struct cfs_error *err)
{
	struct cfs_sortrun_file *f = w->file;
	size_t done;

	if (w->out.failed != CFS_OK || w->last.failed != CFS_OK)
		return cfs_error_nomem(err);
	done = cfs_write_at(f->fd, w->out.p, w->out.n, f->bytes);
	f->bytes += done;
	if (done < w->out.n)
		return cfs_error_at(err, CFS_EIO, f->dir, 0,
				    "cannot write a temporary file (%" PRIu64
				    " bytes so far): %s", f->bytes,
				    strerror(errno));
	cfs_buf_reset(&w->out);
	return CFS_OK;
}

int cfs_sortrun_put(struct cfs_sortrun_writer *w, struct cfs_slice key,
		    struct cfs_slice value, struct cfs_error *err)
{
	size_t shared = cfs_slice_common(key, cfs_buf_slice(&w->last));
	int rc = CFS_OK;

	if (w->out.n > CFS_SORTRUN_BUFFER_MAX - CFS_SORTRUN_BUFFER_MIN)
		rc = flush(w, err);
	if (rc != CFS_OK)
		return rc;
	cfs_buf_varint(&w->out, shared);
	cfs_buf_varint(&w->out, key.n - shared);
	cfs_buf_varint(&w->out, value.n);
	cfs_buf_add(&w->out, cfs_slice_from(key, shared));
	cfs_buf_add(&w->out, value);
	w->last.n = shared;
	cfs_buf_add(&w->last, cfs_slice_from(key, shared));
	return CFS_OK;
}

int cfs_sortrun_end(struct cfs_sortrun_writer *w, int rc,
		    struct cfs_sortrun *run, struct cfs_error *err)
{
	if (rc == CFS_OK)
		rc = flush(w, err);
	cfs_buf_release(&w->out);
	cfs_buf_release(&w->last);
	*run = (struct cfs_sortrun){ w->file->fd, w->start,
				 w->file->bytes - w->start };
	return rc;
}

/* ---- reading ---- */

int cfs_sortrun_reader_init(struct cfs_sortrun_reader *r,
			    const struct cfs_sortrun *run, const char *dir,
			    size_t buffer_bytes)
{
	*r = (struct cfs_sortrun_reader){ .left = *run, .dir = dir,
				      .cap = buffer_bytes };
	cfs_buf_init(&r->key, CFS_PAIRS_ITEM_MAX);
	r->buf = malloc(buffer_bytes);
	return r->buf != NULL ? CFS_OK : CFS_ENOMEM;
}

void cfs_sortrun_reader_release(struct cfs_sortrun_reader *r)
{
	free(r->buf);
	r->buf = NULL;
	cfs_buf_release(&r->key);
}

/* Makes sure that the next pair is in the buffer, if there is one. */
static int refill(struct cfs_sortrun_reader *r, struct cfs_error *err)
{
	size_t want;

	if (r->n - r->pos >= CFS_SORTRUN_BUFFER_MIN - 1024 || r->left.bytes == 0)
		return CFS_OK;
	memmove(r->buf, r->buf + r->pos, r->n - r->pos);
	r->n -= r->pos;
	r->pos = 0;
	want = r->cap - r->n;
	if (want > r->left.bytes)
		want = (size_t)r->left.bytes;
	if (cfs_read_at(r->left.fd, r->buf + r->n, want, r->left.off) < want)
		return cfs_error_at(err, CFS_EIO, r->dir, 0,
				    "cannot read a temporary file: %s",
				    errno != 0 ? strerror(errno) :
						 "it has shrunk");
	r->n += want;
	r->left.off += want;
	r->left.bytes -= want;
	return CFS_OK;
}

int cfs_sortrun_next(struct cfs_sortrun_reader *r, struct cfs_slice *key,
		     struct cfs_slice *value, struct cfs_error *err)
{
	struct cfs_cursor c;
	uint64_t shared, rest_n, value_n;
	int rc = refill(r, err);

	if (rc != CFS_OK)
		return rc;
	if (r->n == r->pos)
		return CFS_END;
	c = (struct cfs_cursor){ { r->buf + r->pos, r->n - r->pos }, false };
	shared = cfs_cursor_varint(&c);
	rest_n = cfs_cursor_varint(&c);
	value_n = cfs_cursor_varint(&c);
	if (shared > r->key.n)
		c.bad = true;
	r->key.n = c.bad ? 0 : (size_t)shared;
	cfs_buf_add(&r->key, cfs_cursor_take(&c, rest_n));
	*value = cfs_cursor_take(&c, value_n);
	*key = cfs_buf_slice(&r->key);
	r->pos = r->n - c.rest.n;
	if (r->key.failed == CFS_ENOMEM)
		return cfs_error_nomem(err);
	if (c.bad || r->key.failed != CFS_OK)
		return cfs_error_at(err, CFS_EIO, r->dir, 0,
				    "temporary file is damaged");
	return CFS_OK;
}
