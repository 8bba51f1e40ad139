/* zipnum_internal.h - the two parts of a ZipNum index: the lines of its
 * cluster.idx, and the shards that these name.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CDX_ZIPNUM_INTERNAL_H
#define CFS_CDX_ZIPNUM_INTERNAL_H

#include "base/lru.h"
#include "cdx_line.h"
#include "net/open_location.h"

/* ---- cluster.idx, read one stretch at a time (cluster.c) ---- */

/* Bits that number the lines of a stretch (stretch.h): a line has at least
 * eight bytes. */
#define CFS_CLUSTER_LINE_BITS 13u
#define CFS_CLUSTER_LINES_MAX (1u << CFS_CLUSTER_LINE_BITS)

/* A line out of order: the key in it, and its number. */
struct cfs_cluster_stray {
	struct cfs_slice key;
	uint32_t number;
};

/* The lines of a stretch.  A damaged line has no shard, and its `offset` is its
 * own in cluster.idx instead of one in a shard. */
struct cfs_cluster_lines {
	uint32_t n;
	struct cfs_cluster_line *v;	/* keys ascending */
	uint32_t n_good;		/* lines that are not damaged */
	uint32_t n_strays;
	struct cfs_cluster_stray *strays;
	uint32_t skipped;		/* lines damaged or out of order */
	uint8_t *text;			/* malloced; the lines borrow from it */
};

/*
 * Reads stretch `number` of src, whose size is known; *bytes is the memory
 * that the result takes.  0; CFS_EFORMAT if too many lines are out of order,
 * CFS_ELIMIT if there are too many lines; CFS_ENOMEM; failures to read.
 */
int cfs_cluster_load(struct cfs_source *src, uint64_t number,
		     struct cfs_cluster_lines **out, size_t *bytes,
		     struct cfs_ctx ctx);
void cfs_cluster_free(void *lines);		/* accepts NULL */

bool cfs_cluster_is_damaged(const struct cfs_cluster_line *line);

/* False for damaged lines that no good one follows in the stretch: they count
 * as greater than any key. */
bool cfs_cluster_has_key(const struct cfs_cluster_line *line);

/* The last line whose key is less than `key`, else line 0. */
uint32_t cfs_cluster_find(const struct cfs_cluster_lines *l,
			  struct cfs_slice key);

/* Fails if a line that is out of order might lead to `key`; `at` is the line
 * that cfs_cluster_find gave.  That is ruled out if the stray's key is greater
 * than `key`, or less than the key of line `at`.  0 or CFS_EFORMAT. */
int cfs_cluster_check_strays(const struct cfs_cluster_lines *l, uint32_t at,
			     struct cfs_slice key, const char *where,
			     struct cfs_error *err);

/* ---- shards, which are found and kept open (shards.c) ---- */

struct cfs_shards;		/* threads share it */

/* location: of cluster.idx.  opener: copied; NULL stands for cfs_location_open.
 * Returns NULL if out of memory. */
struct cfs_shards *cfs_shards_new(const char *location,
				  const struct cfs_opener *opener);
void cfs_shards_free(struct cfs_shards *s);	/* accepts NULL */

/*
 * Gets a shard, opened if need be, and pins it: cfs_lru_obj(*out) is a struct
 * cfs_source, cfs_lru_put ends the pin.  It is looked for beside cluster.idx,
 * then where the .loc file says.  CFS_EFORMAT if it is nowhere: the index is
 * incomplete.
 */
int cfs_shards_get(struct cfs_shards *s, struct cfs_slice name,
		   struct cfs_lru_ref **out, struct cfs_ctx ctx);

/* The same, if no request is needed for it; else NULL. */
struct cfs_lru_ref *cfs_shards_peek(struct cfs_shards *s,
				    struct cfs_slice name);

#endif
