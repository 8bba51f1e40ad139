/* cluster.h - the lines of a cluster.idx, by stretches.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_CLUSTER_H
#define CFS_INDEX_CLUSTER_H

#include "base/cancel.h"
#include "base/error.h"
#include "cdx_line.h"
#include "source/source.h"

/* Lines of a stretch (stretch.h): each has eight bytes at least. */
#define CFS_CLUSTER_LINE_BITS 13u
#define CFS_CLUSTER_LINES_MAX (1u << CFS_CLUSTER_LINE_BITS)

/* A line out of order: the key that it has, and its number. */
struct cfs_cluster_stray {
	struct cfs_slice key;
	uint32_t number;
};

/* A stretch.  A damaged line has no shard, and its offset in cluster.idx in
 * place of that in a shard. */
struct cfs_cluster_lines {
	uint32_t n;
	struct cfs_cluster_line *v;	/* keys ascending */
	uint32_t n_good;		/* that are not damaged */
	uint32_t n_strays;
	struct cfs_cluster_stray *strays;
	uint32_t skipped;		/* damaged, or out of order */
	uint8_t *text;			/* malloced; the lines borrow from it */
};

/*
 * Reads stretch `number` of src, whose size is known; *bytes is the memory
 * that it takes.  0; CFS_EFORMAT where too many lines are out of order,
 * CFS_ELIMIT where they are too many; CFS_ENOMEM; failures to read.
 */
int cfs_cluster_load(struct cfs_source *src, uint64_t number,
		     struct cfs_cluster_lines **out, size_t *bytes,
		     const struct cfs_cancel *cancel, struct cfs_error *err);
void cfs_cluster_free(void *lines);		/* accepts NULL */

bool cfs_cluster_is_damaged(const struct cfs_cluster_line *line);

/* False for damaged lines behind which there is no good one in the stretch:
 * their keys are greater than any. */
bool cfs_cluster_has_key(const struct cfs_cluster_line *line);

/* The last line whose key is less, else line 0. */
uint32_t cfs_cluster_find(const struct cfs_cluster_lines *l,
			  struct cfs_slice key);

/* Might a line that is out of order have what is looked for?  Not if its key
 * is greater, or that of line `at`, where the key was found, is between them.
 * 0 or CFS_EFORMAT. */
int cfs_cluster_check_strays(const struct cfs_cluster_lines *l, uint32_t at,
			     struct cfs_slice key, const char *where,
			     struct cfs_error *err);

#endif
