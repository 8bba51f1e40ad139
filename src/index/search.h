/* search.h - where a key is in a sorted text file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_SEARCH_H
#define CFS_INDEX_SEARCH_H

#include "base/buf.h"
#include "base/cancel.h"
#include "base/error.h"

/*
 * Where keys are in a sorted text file (stretch.h): a binary search that
 * remembers the first keys of stretches it has seen, so that later ones begin
 * where it got to.
 */
struct cfs_search;		/* defined in search.c; threads share it */

struct cfs_search *cfs_search_new(uint32_t stretches);
void cfs_search_free(struct cfs_search *s);	/* accepts NULL */

/* Appends the first key of a stretch.  CFS_END: it has none. */
typedef int cfs_search_first(void *arg, uint32_t number, struct cfs_buf *key,
			     const struct cfs_cancel *cancel,
			     struct cfs_error *err);

/* Finds the last stretch whose first key is less than `key`, else stretch 0:
 * what comes first of the entries >= key is in it or after it. */
int cfs_search_find(struct cfs_search *s, struct cfs_slice key,
		    cfs_search_first *first, void *arg, uint32_t *out,
		    const struct cfs_cancel *cancel, struct cfs_error *err);

#endif
