/* store_internal.h - what the files of the store share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_STORE_INTERNAL_H
#define CFS_RECORD_STORE_INTERNAL_H

#include "base/lru.h"
#include "extract.h"
#include "store.h"

/* Memory for inflating into a file: one step, and a zstd window. */
#define CFS_STORE_SPILLING_BYTES ((uint64_t)10 << 20)

/* An entry of the record cache.  A struct cfs_stored is the cache's pin. */
struct cfs_stored_object {
	struct cfs_record record;
	struct cfs_buf bytes;		/* inflated, or as read */
	uint64_t spilled;		/* bytes of files */
};

struct cfs_store {
	struct cfs_archives archives;
	struct cfs_lru *records;
	struct cfs_extractor extractor;
	struct cfs_budget *budget;	/* NULL: none */
	size_t spill_bytes;		/* with a budget, longer records are */
	char *spill_dir;		/* put into files here; NULL: none */
};

static inline size_t cfs_store_max_record(const struct cfs_store *s)
{
	return s->extractor.max_record > SIZE_MAX / 2 ? SIZE_MAX / 2 :
	       (size_t)s->extractor.max_record;
}

/* A request for a record. */
struct cfs_wanted {
	struct cfs_store *store;
	struct cfs_archive_query archive;
	const struct cfs_span *span;
};

struct cfs_wanted cfs_wanted_of(struct cfs_store *s, struct cfs_slice name,
				const struct cfs_span *span);

/* Opens the record's archive; the caller puts *out. */
int cfs_wanted_archive(const struct cfs_wanted *q, struct cfs_lru_ref **out,
		       struct cfs_ctx ctx);

/* True if the archive turned out to be missing where it was expected: then q is
 * to be tried once more, and err has been cleared. */
bool cfs_wanted_retry_next_base(struct cfs_wanted *q, int rc,
				struct cfs_error *err);

/* The memory that an object of the record cache is counted for. */
size_t cfs_stored_cost(const struct cfs_stored_object *o);
void cfs_stored_free(void *object);

/* Releases the memory of bytes that have been read, if they are in a file. */
void cfs_stored_release_part(const struct cfs_buf *b, struct cfs_slice part);

#endif
