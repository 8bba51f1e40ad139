/* verify_match.h - compares records with the entries of an index.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VERIFY_VERIFY_MATCH_H
#define CFS_VERIFY_VERIFY_MATCH_H

#include "verify_rows.h"
#include "verify_internal.h"

#define CFS_MATCH_ROWS 64u

/* The entries of a part, matched with its records in order.  Used by one
 * thread. */
struct cfs_match {
	const struct cfs_verify_reader *r;
	struct cfs_verify_part *p;
	uint64_t at, end;		/* entries still to be read: next,
					 * end */
	uint64_t shift;			/* subtracted from their offsets to get
					 * those in the archive */
	struct cfs_verify_row rows[CFS_MATCH_ROWS];
	size_t row, n_rows;		/* position in rows, rows read */
	bool has_damage;		/* entries from damage_at on cannot be
					 * compared */
	uint64_t damage_at;		/* an offset in the archive */
};

/* Begins with the first entry of a part. */
void cfs_match_init(struct cfs_match *m, const struct cfs_verify_reader *r,
		    struct cfs_verify_part *p);

/* Lends the next entry.  0; CFS_END; CFS_EIO. */
int cfs_match_peek(struct cfs_match *m, const struct cfs_verify_row **out,
		   struct cfs_error *err);

/* Compares a record with the entries of its place; entries before it match no
 * record.  0, CFS_EIO, CFS_ENOMEM. */
int cfs_match_record(struct cfs_match *m, const struct cfs_scan_item *item,
		     struct cfs_error *err);

/* Notes that there is damage at an offset, reported by the caller. */
void cfs_match_damage(struct cfs_match *m, uint64_t offset);

/* Reports entries before this offset as without a record; all: the rest of
 * them, too. */
int cfs_match_pass(struct cfs_match *m, uint64_t offset, bool all,
		   struct cfs_error *err);

/* Gives up the remaining entries: their archive cannot be read. */
void cfs_match_give_up(struct cfs_match *m);

#endif
