/* verify_match.h - what an index says of records, compared with the records.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VERIFY_VERIFY_MATCH_H
#define CFS_VERIFY_VERIFY_MATCH_H

#include "verify_rows.h"
#include "verify_internal.h"

#define CFS_MATCH_ROWS 64u

/* The entries of a part, which its records meet in their order; one
 * thread's. */
struct cfs_match {
	const struct cfs_verify_reader *r;
	struct cfs_verify_part *p;
	uint64_t at, end;		/* of the entries still to come */
	uint64_t shift;			/* of their offsets, into the archive */
	struct cfs_verify_row rows[CFS_MATCH_ROWS];
	size_t row, n_rows;		/* of those that were read */
	bool has_damage;		/* what begins from there on cannot
					 * be */
	uint64_t damage_at;		/* compared */
};

/* For the entries of a part. */
void cfs_match_init(struct cfs_match *m, const struct cfs_verify_reader *r,
		    struct cfs_verify_part *p);

/* The entry that is next: 0; CFS_END; CFS_EIO.  It is lent. */
int cfs_match_peek(struct cfs_match *m, const struct cfs_verify_row **out,
		   struct cfs_error *err);

/* Compares a record with the entries of its place; those before it are of no
 * record.  0, CFS_EIO, CFS_ENOMEM. */
int cfs_match_record(struct cfs_match *m, const struct cfs_scan_item *item,
		     struct cfs_error *err);

/* There is damage, which is reported. */
void cfs_match_damage(struct cfs_match *m, uint64_t offset);

/* No record comes before this place; all: none comes any more. */
int cfs_match_pass(struct cfs_match *m, uint64_t offset, bool all,
		   struct cfs_error *err);

/* The rest of the entries cannot be compared: their archive cannot be read. */
void cfs_match_give_up(struct cfs_match *m);

#endif
