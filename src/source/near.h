/* near.h - which ranges of a file that lie near one another become one request.
 *
 * A server that is asked for many ranges refuses sooner than one that sends
 * what lies between them, up to a few times of what is wanted.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SOURCE_NEAR_H
#define CFS_SOURCE_NEAR_H

#include <stdbool.h>
#include <stdint.h>

struct cfs_near_rule {
	uint64_t gap;		/* most bytes between two of them */
	uint64_t most;		/* most bytes of the request */
	uint64_t waste;		/* most bytes between them for each byte that is
				 * wanted; 0: any number */
};

/* Where all that is wanted is known before: any of it may be read, in any
 * order. */
extern const struct cfs_near_rule cfs_near_many;

/* Ranges that are joined, in the order of their offsets; all zero: none. */
struct cfs_near {
	uint64_t from, to;
	uint64_t wanted;	/* bytes of the ranges, at least */
	bool has_any;		/* one of unknown length has no bytes */
};

/* Adds a range of `length` bytes, which may overlap others.  False, and nothing
 * is changed: it needs a request of its own. */
bool cfs_near_add(struct cfs_near *j, uint64_t offset, uint64_t length,
		  const struct cfs_near_rule *rule);

#endif
