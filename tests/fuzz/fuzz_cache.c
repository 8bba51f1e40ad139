/* fuzz_cache.c - any bytes as a segment of the block cache, and as metadata.
 *
 * Checksums of headers and of the footer are made good first, so that what
 * lies behind them is reached.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "base/hash.h"
#include "cache/segment.h"

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void mend(uint8_t *p, size_t size)
{
	memcpy(p, CFS_SEG_MAGIC, 8);
	cfs_le32_put(p + 8, CFS_SEG_VERSION);
	cfs_le32_put(p + 12, CFS_SEG_HEADER_BYTES);
	memset(p + 16, 0, 8);
	cfs_le64_put(p + 24, cfs_hash64(cfs_slice_of(p, 24), 0));
	for (size_t i = CFS_SEG_HEADER_BYTES; i + CFS_SEG_RECORD_BYTES <= size; i += 8)
		if (cfs_le32_get(p + i) == CFS_SEG_RECORD_MAGIC)
			cfs_le64_put(p + i + 48,
				     cfs_hash64(cfs_slice_of(p + i, 48), 0));
	if (size >= CFS_SEG_HEADER_BYTES + CFS_SEG_FOOTER_BYTES &&
	    memcmp(p + size - CFS_SEG_FOOTER_BYTES, CFS_SEG_END_MAGIC, 8) == 0)
		cfs_le64_put(p + size - 8,
			     cfs_hash64(cfs_slice_of(p + size - CFS_SEG_FOOTER_BYTES, 32), 0));
}

static int look(void *arg, struct cfs_segment *s, const struct cfs_cache_entry *e)
{
	uint8_t *buf = malloc(e->n);
	struct cfs_cache_meta m;

	(void)arg;
	must(e->n <= CFS_SEG_DATA_MAX);
	if (buf != NULL && cfs_segment_read(s, e, buf) == CFS_OK &&
	    cfs_cache_meta_parse(cfs_slice_of(buf, e->n), &m) == CFS_OK)
		must(m.url.n > 0);
	free(buf);
	return CFS_OK;
}

static void meta(const uint8_t *data, size_t size)
{
	struct cfs_cache_meta m;
	struct cfs_cache_id id;
	struct cfs_buf b;

	if (cfs_cache_meta_parse(cfs_slice_of(data, size), &m) != CFS_OK)
		return;
	cfs_buf_init(&b, CFS_SEG_DATA_MAX);
	must(cfs_cache_meta_encode(&m, &b) == CFS_OK);
	must(cfs_slice_eq(cfs_buf_slice(&b), cfs_slice_of(data, size)));
	cfs_cache_id_of_data(&m, &id);
	cfs_buf_release(&b);
}

FUZZ_TARGET(data, size)
{
	size_t n = size < CFS_SEG_HEADER_BYTES ? CFS_SEG_HEADER_BYTES : size;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	uint8_t *p = calloc(1, n);
	struct cfs_segment *s;

	meta(data, size);
	if (p == NULL || fd < 0) {
		free(p);
		return 0;
	}
	memcpy(p, data, size);
	mend(p, n);
	if (pwrite(fd, p, n, 0) == (ssize_t)n &&
	    cfs_segment_open(&s, fd, "fuzz", false, NULL) == CFS_OK) {
		struct cfs_cache_id id;

		must(s->n <= CFS_SEG_ENTRIES_MAX && s->end <= n + 8);
		cfs_segment_find(s, NULL, look, NULL);
		memcpy(id.b, p, CFS_SEG_ID_BYTES);
		cfs_segment_find(s, &id, look, NULL);
		if (s->is_sealed)
			cfs_segment_verify_index(s);
		cfs_segment_free(s);
	}
	free(p);
	return 0;
}
