/* memory.c - a source over bytes in memory.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "source.h"

struct memory_source {
	struct cfs_source base;
	uint8_t bytes[];
};

static int memory_read_at(struct cfs_source *src, void *buf, size_t n,
			  uint64_t off, size_t *got,
			  const struct cfs_cancel *cancel,
			  struct cfs_error *err)
{
	struct memory_source *m = (struct memory_source *)src;
	uint64_t left = off < src->size ? src->size - off : 0;

	(void)cancel;
	(void)err;
	*got = n < left ? n : (size_t)left;
	if (*got > 0)
		memcpy(buf, m->bytes + off, *got);
	return CFS_OK;
}

static void memory_close(struct cfs_source *src)
{
	free(src);
}

static const struct cfs_source_ops memory_ops = {
	.read_at = memory_read_at, .close = memory_close,
};

int cfs_source_open_memory(struct cfs_source **out, struct cfs_slice bytes,
			   const char *name, struct cfs_error *err)
{
	struct memory_source *m;
	int rc;

	*out = NULL;
	m = calloc(1, sizeof(*m) + bytes.n);
	if (m == NULL)
		return cfs_error_nomem(err);
	memcpy(m->bytes, bytes.p, bytes.n);
	m->base.is_local = true;
	rc = cfs_source_init(&m->base, &memory_ops, bytes.n, name, err);
	if (rc != CFS_OK) {
		free(m);
		return rc;
	}
	*out = &m->base;
	return CFS_OK;
}
