/* strtab.h - strings kept once, known by number.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_STRTAB_H
#define CFS_BASE_STRTAB_H

#include "error.h"
#include "slice.h"

struct cfs_strtab;		/* threads share it */

/* Holds at most max_bytes of strings. */
struct cfs_strtab *cfs_strtab_new(size_t max_bytes);
void cfs_strtab_free(struct cfs_strtab *t);	/* accepts NULL */

/* The number of a string, which is added if it is new: from 0, in the order
 * of adding.  CFS_ENOMEM, CFS_ELIMIT. */
int cfs_strtab_add(struct cfs_strtab *t, struct cfs_slice s, uint32_t *out);
/* The same; CFS_ELIMIT for a new one when there are max_strings already. */
int cfs_strtab_add_up_to(struct cfs_strtab *t, struct cfs_slice s,
			 uint32_t max_strings, uint32_t *out);

/* Lends string i, until free; empty if there is none. */
struct cfs_slice cfs_strtab_get(struct cfs_strtab *t, uint32_t i);
uint32_t cfs_strtab_count(struct cfs_strtab *t);

#endif
