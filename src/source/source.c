/* source.c - what all sources share: counting owners, reading whole ranges.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "source.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int cfs_source_init(struct cfs_source *src, const struct cfs_source_ops *ops,
		    uint64_t size, const char *name, struct cfs_error *err)
{
	src->ops = ops;
	atomic_init(&src->size, size);
	src->name = strdup(name);
	atomic_init(&src->refs, 1);
	if (src->name == NULL)
		return cfs_error_nomem(err);
	return CFS_OK;
}

struct cfs_source *cfs_source_ref(struct cfs_source *src)
{
	atomic_fetch_add_explicit(&src->refs, 1, memory_order_relaxed);
	return src;
}

void cfs_source_close(struct cfs_source *src)
{
	if (src == NULL)
		return;
	if (atomic_fetch_sub_explicit(&src->refs, 1, memory_order_acq_rel) != 1)
		return;
	free(src->name);
	src->name = NULL;
	free(src->url);
	src->url = NULL;
	src->ops->close(src);
}

/* The failure as it is reported to readers. */
static int failure(const struct cfs_source *src, int rc, struct cfs_error *err)
{
	if (rc != CFS_ENOTFOUND || !src->must_exist)
		return rc;
	if (err != NULL)
		err->code = CFS_EIO;
	return CFS_EIO;
}

int cfs_source_read_some(struct cfs_source *src, void *buf, size_t n,
			 uint64_t off, size_t *got,
			 const struct cfs_cancel *cancel,
			 struct cfs_error *err)
{
	uint64_t size = src->size;
	uint8_t *p = buf;
	size_t done = 0;

	*got = 0;
	if (off >= size)
		return CFS_OK;
	if (n > size - off)
		n = (size_t)(size - off);
	while (done < n) {
		size_t now = 0;
		int rc;

		if (cfs_cancelled(cancel))
			return cfs_error_set(err, CFS_EINTR, "interrupted");
		rc = src->ops->read_at(src, p + done, n - done, off + done,
				       &now, cancel, err);
		if (rc != CFS_OK) {
			cfs_error_where(err, src->name, off + done);
			return failure(src, rc, err);
		}
		if (now == 0)
			break;
		done += now;
	}
	*got = done;
	return CFS_OK;
}

int cfs_source_read(struct cfs_source *src, void *buf, size_t n, uint64_t off,
		    const struct cfs_cancel *cancel, struct cfs_error *err)
{
	size_t got;
	int rc = cfs_source_read_some(src, buf, n, off, &got, cancel, err);

	if (rc == CFS_OK && got < n)
		rc = cfs_error_at(err, CFS_EFORMAT, src->name, off,
				  "ends at byte %" PRIu64 ", %zu wanted at %"
				  PRIu64, off > src->size ? src->size : off + got,
				  n, off);
	return rc;
}

int cfs_source_find_size(struct cfs_source *src,
			 const struct cfs_cancel *cancel,
			 struct cfs_error *err)
{
	if (src->size != CFS_SIZE_UNKNOWN)
		return CFS_OK;
	if (src->ops->find_size == NULL)
		return cfs_error_at(err, CFS_EUNSUPPORTED, src->name, 0,
				    "its size is unknown");
	return failure(src, src->ops->find_size(src, cancel, err), err);
}

void cfs_source_prefetch(struct cfs_source *src, uint64_t off, size_t n)
{
	if (src->ops->prefetch != NULL && n > 0)
		src->ops->prefetch(src, off, n);
}

bool cfs_source_validator(struct cfs_source *src,
			  char out[CFS_VALIDATOR_BYTES])
{
	return src->ops->validator != NULL && src->ops->validator(src, out);
}

int cfs_source_pin(struct cfs_source *src, const char *validator,
		   struct cfs_error *err)
{
	if (src->ops->pin == NULL)
		return cfs_error_at(err, CFS_EUNSUPPORTED, src->name, 0,
				    "has no validator");
	return src->ops->pin(src, validator, err);
}

void cfs_source_abandon(struct cfs_source *src)
{
	if (src->ops->abandon != NULL)
		src->ops->abandon(src);
}
