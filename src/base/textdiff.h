/* textdiff.h - finds the differences of two sequences of numbers, or of two
 * texts by their lines or words.
 *
 * The differences are the fewest possible (Myers 1986, "An O(ND) Difference
 * Algorithm and Its Variations", section 4b), unless that would take more work
 * than the caller allows; then parts are taken as wholly different.  Memory is
 * linear in the lengths.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_TEXTDIFF_H
#define CFS_BASE_TEXTDIFF_H

#include "cancel.h"
#include "slice.h"
#include "strtab.h"

/* The most items of both sequences. */
#define CFS_DIFF_MAX ((size_t)1 << 24)

/* Items are equal if their numbers are. */
struct cfs_diff_items {
	const uint32_t *v;
	size_t n;
	bool *differs;			/* n of them, false before: set for
					 * items that the other lacks */
};

/*
 * Compares a with b.
 *
 * work   steps that may be taken; what is left of them afterwards.  0: parts
 *        were taken as wholly different
 *
 * 0; CFS_EINTR; CFS_ENOMEM; CFS_ELIMIT.
 */
int cfs_diff(const struct cfs_diff_items *a, const struct cfs_diff_items *b,
	     uint64_t *work, struct cfs_ctx ctx);

/* A text as items: lines, or words. */
struct cfs_diff_text {
	struct cfs_slice *v;		/* borrow from the text */
	uint32_t *ids;			/* equal items have equal ones */
	bool *differs;
	size_t n, room;
};

/* Frees what it owns.  It begins as all 0. */
void cfs_diff_text_release(struct cfs_diff_text *t);

/* Adds an item.  0 or CFS_ENOMEM. */
int cfs_diff_text_add(struct cfs_diff_text *t, struct cfs_slice s);

/* Numbers the items, equal ones alike, by a table that both texts have in
 * common.  0 or CFS_ENOMEM. */
int cfs_diff_text_number(struct cfs_diff_text *t, struct cfs_strtab *table);

/* Makes items of the lines of a text, at most so many, and numbers them; *text
 * is shortened to these lines.  0 or CFS_ENOMEM. */
int cfs_diff_text_lines(struct cfs_slice *text, size_t lines_max,
			struct cfs_diff_text *out, struct cfs_strtab *table);

/* As cfs_diff, of two texts whose items are numbered. */
int cfs_diff_texts(struct cfs_diff_text *a, struct cfs_diff_text *b,
		   uint64_t *work, struct cfs_ctx ctx);

#endif
