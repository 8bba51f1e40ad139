/* seqstore.h - pairs of SequenceFiles by their place, units inflated once.
 *
 * What record/store.h is for archives.  A unit (seqfile.h) holds some
 * thousand texts, so a few are kept.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_SEQSTORE_H
#define CFS_RECORD_SEQSTORE_H

#include "seqfile.h"
#include "store.h"

struct cfs_seqstore;		/* threads share it */
struct cfs_pinned_unit;

/* files: opens the files; borrowed for the life of the store.  budget: what its
 * memory is accounted for in, or NULL. */
int cfs_seqstore_new(struct cfs_seqstore **out, struct cfs_store *files,
		     size_t cache_bytes, struct cfs_budget *budget,
		     struct cfs_error *err);
void cfs_seqstore_free(struct cfs_seqstore *s);	/* accepts NULL */

/*
 * The pair of that number in the unit at loc (inner_offset: its number) of
 * the file named.  key and value are the bytes inside their classes, lent
 * until cfs_pinned_unit_put.  CFS_EFORMAT and whatever reading gives, with
 * file and offset in err.
 */
int cfs_seqstore_get(struct cfs_seqstore *s, struct cfs_slice name,
		     const struct cfs_span *loc,
		     struct cfs_pinned_unit **out, struct cfs_slice *key,
		     struct cfs_slice *value, const struct cfs_cancel *cancel,
		     struct cfs_error *err);
void cfs_pinned_unit_put(struct cfs_pinned_unit *u);	/* accepts NULL */

#endif
