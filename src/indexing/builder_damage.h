/* builder_damage.h - collects the damage found while archives are read, and
 * encodes it for an index (format/cfx/cfx_damage.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEXING_BUILDER_DAMAGE_H
#define CFS_INDEXING_BUILDER_DAMAGE_H

#include "builder_archives.h"

struct cfs_damages;		/* shared by threads */

/* NULL: out of memory. */
struct cfs_damages *cfs_damages_new(uint32_t n_archives);
void cfs_damages_free(struct cfs_damages *d);	/* accepts NULL */

/* Adds the damage of archive `n` at an offset.  What is kept does not depend on
 * the order of calls.  0 or CFS_ENOMEM. */
int cfs_damages_add(struct cfs_damages *d, uint32_t n, uint64_t offset,
		    const char *what);

/* Appends the report of archive i: its added damage, else the report that
 * another index has of it; nothing if it is not damaged.  Codes as
 * cfs_buf_add. */
int cfs_damages_report(const struct cfs_damages *d,
		       const struct cfs_builder_archives *a, uint32_t i,
		       struct cfs_buf *out);

/* Appends the table of all archives; is_bounded: within an index's limits.
 * Codes as cfs_buf_add. */
int cfs_damages_table(const struct cfs_damages *d,
		      const struct cfs_builder_archives *a, bool is_bounded,
		      struct cfs_buf *out);

#endif
