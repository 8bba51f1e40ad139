/* disk_check.c - counts, verifies and empties the folder of segments, for
 * `crawlfs cache`.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "disk_internal.h"
#include "sizes_batch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int count_entry(void *arg, struct cfs_segment *s,
		       const struct cfs_cache_entry *e)
{
	struct cfs_disk_info *info = arg;

	(void)s;
	if (e->kind == CFS_CACHE_DATA) {
		info->records++;
		info->data_bytes += e->n;
	} else if (e->kind == CFS_CACHE_SIZES) {
		info->sizes += cfs_sizes_batch_count(e->n);
	} else if (e->kind == CFS_CACHE_META) {
		info->objects++;
	}
	return CFS_OK;
}

int cfs_disk_get_info(struct cfs_disk *d, struct cfs_disk_info *out,
		      struct cfs_error *err)
{
	int rc = CFS_OK;

	*out = (struct cfs_disk_info){ 0 };
	pthread_mutex_lock(&d->lock);
	for (struct cfs_segment *s = d->segs; s != NULL && rc == CFS_OK;
	     s = s->next) {
		struct stat st;
		int fd = d->dir_fd < 0 ? -1 : cfs_disk_own(d, s->name, &st);

		if (fd >= 0)
			close(fd);
		else
			out->in_use++;
		out->segments++;
		out->sealed += s->is_sealed;
		rc = cfs_segment_find(s, NULL, count_entry, out);
		if (fstat(s->fd, &st) != 0)
			continue;
		out->bytes += (uint64_t)st.st_size;
		if (out->oldest_s == 0 || st.st_mtim.tv_sec < out->oldest_s)
			out->oldest_s = st.st_mtim.tv_sec;
	}
	pthread_mutex_unlock(&d->lock);
	return rc == CFS_OK ? rc : cfs_error_at(err, rc, d->dir, 0,
						"cannot read the cache");
}

struct disk_check {
	struct cfs_disk_damage *out;
	void (*bad)(void *arg, const char *segment, uint32_t pos,
		    const char *why);
	void *arg;
	const struct cfs_cancel *cancel;
	uint8_t *buf;
	uint64_t bad_here;
};

static int disk_check_entry(void *arg, struct cfs_segment *s,
			    const struct cfs_cache_entry *e)
{
	struct disk_check *c = arg;

	if (cfs_cancelled(c->cancel))
		return CFS_EINTR;
	c->out->records++;
	c->out->bytes += e->n;
	if (cfs_segment_read(s, e, c->buf) == CFS_OK)
		return CFS_OK;
	c->out->bad_records++;
	c->bad_here++;
	if (c->bad != NULL)
		c->bad(c->arg, s->name, e->pos, "record is damaged");
	return CFS_OK;
}

static int check_segment(struct cfs_segment *s, struct disk_check *c)
{
	c->bad_here = 0;
	if (s->is_sealed && cfs_segment_verify_index(s) != CFS_OK) {
		c->out->bad_indexes++;
		c->bad_here++;
		if (c->bad != NULL)
			c->bad(c->arg, s->name, s->index_pos,
			       "index is damaged");
	}
	return cfs_segment_find(s, NULL, disk_check_entry, c);
}

int cfs_disk_verify(struct cfs_disk *d, bool repair,
		    void (*bad)(void *arg, const char *segment, uint32_t pos,
				const char *why),
		    void *arg, struct cfs_disk_damage *out,
		    struct cfs_ctx ctx)
{
	struct disk_check c = { .out = out,
				.bad = bad,
				.arg = arg,
				.cancel = ctx.cancel,
				.buf = malloc(CFS_SEG_DATA_MAX) };
	int rc = CFS_OK;

	*out = (struct cfs_disk_damage){ 0 };
	if (c.buf == NULL)
		return cfs_error_nomem(ctx.err);
	pthread_mutex_lock(&d->lock);
	for (struct cfs_segment *s = d->segs, *next;
	     s != NULL && rc == CFS_OK; s = next) {
		struct stat st;
		int fd;

		next = s->next;
		rc = check_segment(s, &c);
		if (rc != CFS_OK || c.bad_here == 0 || !repair)
			continue;
		fd = cfs_disk_own(d, s->name, &st);
		if (fd >= 0 && cfs_disk_delete_owned(d, fd, s->name))
			cfs_disk_kill_locked(d, s);
	}
	pthread_mutex_unlock(&d->lock);
	free(c.buf);
	if (rc == CFS_OK)
		return CFS_OK;
	return cfs_error_at(ctx.err, rc, d->dir, 0, rc == CFS_EINTR ?
			    "interrupted" : "cannot read the cache");
}

int cfs_disk_clear(struct cfs_disk *d, uint64_t *deleted, uint64_t *in_use,
		   struct cfs_error *err)
{
	int lock_fd, rc = CFS_OK;

	*deleted = *in_use = 0;
	if (d->dir_fd < 0)
		return CFS_OK;
	lock_fd = cfs_disk_lock_folder(d, err);
	if (lock_fd < 0)
		return CFS_EIO;
	pthread_mutex_lock(&d->lock);
	cfs_disk_list_locked(d);
	cfs_disk_sweep_locked(d);
	for (struct cfs_segment *s = d->segs, *next; s != NULL; s = next) {
		struct stat st;
		int fd = cfs_disk_own(d, s->name, &st);

		next = s->next;
		if (fd < 0) {
			(*in_use)++;
		} else if (cfs_disk_delete_owned(d, fd, s->name)) {
			(*deleted)++;
			cfs_disk_kill_locked(d, s);
		} else {
			rc = cfs_error_at(err, CFS_EIO, d->dir, 0,
					  "cannot delete '%s': %s", s->name,
					  strerror(errno));
		}
	}
	pthread_mutex_unlock(&d->lock);
	close(lock_fd);
	return rc;
}
