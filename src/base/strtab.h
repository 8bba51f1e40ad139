/* strtab.h - a string table: each string is stored once and has a number.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_STRTAB_H
#define CFS_BASE_STRTAB_H

#include "error.h"
#include "slice.h"

struct cfs_strtab;		/* threads share it */

/* Holds at most max_bytes of strings.  NULL: out of memory. */
struct cfs_strtab *cfs_strtab_new(size_t max_bytes);
void cfs_strtab_free(struct cfs_strtab *t);	/* accepts NULL */

/* Sets *out to the number of a string, which is added if it is new.  Numbers
 * begin at 0, in the order of adding.  0, CFS_ENOMEM or CFS_ELIMIT. */
int cfs_strtab_add(struct cfs_strtab *t, struct cfs_slice s, uint32_t *out);
/* The same, but CFS_ELIMIT for a new string if there are max_strings. */
int cfs_strtab_add_up_to(struct cfs_strtab *t, struct cfs_slice s,
			 uint32_t max_strings, uint32_t *out);

/* String i, borrowed until the table is freed; empty if there is none. */
struct cfs_slice cfs_strtab_get(struct cfs_strtab *t, uint32_t i);
uint32_t cfs_strtab_count(struct cfs_strtab *t);

#endif
