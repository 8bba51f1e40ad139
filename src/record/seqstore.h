/* seqstore.h - gets pairs of SequenceFiles by their place; caches their units.
 *
 * The counterpart of record/store.h.  A unit (seqfile.h) holds some thousand
 * texts, so a few units are kept.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_SEQSTORE_H
#define CFS_RECORD_SEQSTORE_H

#include "seqfile.h"
#include "store.h"

struct cfs_seqstore;		/* threads share it */
struct cfs_pinned_unit;

/* files: opens the files; borrowed for the life of the store.  budget: the
 * account of the cache's memory, or NULL. */
int cfs_seqstore_new(struct cfs_seqstore **out, struct cfs_store *files,
		     size_t cache_bytes, struct cfs_budget *budget,
		     struct cfs_error *err);
void cfs_seqstore_free(struct cfs_seqstore *s);	/* accepts NULL */

/*
 * Gets pair number loc->inner_offset of the unit at loc in the file named.  key
 * and value are the bytes without serialisation, lent until
 * cfs_pinned_unit_put.  CFS_EFORMAT and failures to read, with file and offset
 * in err.
 */
int cfs_seqstore_get(struct cfs_seqstore *s, struct cfs_slice name,
		     const struct cfs_span *loc, struct cfs_pinned_unit **out,
		     struct cfs_slice *key, struct cfs_slice *value,
		     struct cfs_ctx ctx);
void cfs_pinned_unit_put(struct cfs_pinned_unit *u);	/* accepts NULL */

#endif
