/* counts.h - what one thread counts: captures, and the hosts and domains that
 * it has not done with.
 *
 * Threads count different ranges of keys.  A host whose bytes the first key of
 * a range, or the key at its end, begins with may have captures in the ranges
 * beside it: it is an edge, and put together once all ranges are counted.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SUMMARY_COUNTS_H
#define CFS_SUMMARY_COUNTS_H

#include "summary.h"

/* ---- sums ----
 *
 * Figures come from outside: they stop at the greatest number instead of
 * wrapping round. */

static inline uint64_t cfs_sum(uint64_t a, uint64_t b)
{
	uint64_t out;

	return __builtin_add_overflow(a, b, &out) ? UINT64_MAX : out;
}

/* ---- tallies (tally.c) ----
 *
 * Captures are counted by a text of which there are few, such as their media
 * type, in bounded memory.
 *
 * Up to CFS_TALLY_MAX texts are counted exactly.  Hostile crawls declare more:
 * then the rarer half is dropped, and a text that comes (again) later may have
 * been counted before.  So a row has, beside its count, how many captures it
 * may lack at most; what was frequent from the start lacks none.  (The method
 * is lossy counting, Manku and Motwani 2002.) */

/* Real crawls declare some ten thousand types; this many need 12 MiB. */
#define CFS_TALLY_MAX 65536u
/* Longer texts are cut: as many bytes of a type count in conditions. */
#define CFS_TALLY_TEXT_MAX 127u

struct cfs_tally_row {
	uint64_t captures, bytes;
	uint64_t lacks;			/* captures that may not be counted */
	uint8_t n;
	uint8_t text[CFS_TALLY_TEXT_MAX];
};

/* Zeroed: empty.  One thread uses it. */
struct cfs_tally {
	struct cfs_tally_row *v;
	size_t n, room;
	uint32_t *slots;		/* the number of a row + 1, by hash; 0:
					 * free */
	size_t last;			/* the row that was counted last */
	uint64_t dropped;		/* the most captures that a text which
					 * is in no row may have had; 0: none
					 * was dropped */
};

void cfs_tally_release(struct cfs_tally *t);

/* Adds captures and bytes to a text's row.  0 or CFS_ENOMEM. */
int cfs_tally_add(struct cfs_tally *t, struct cfs_slice text,
		  uint64_t captures, uint64_t bytes);

/* Adds what another tally, of other captures, has.  0 or CFS_ENOMEM. */
int cfs_tally_merge(struct cfs_tally *t, const struct cfs_tally *from);

/* Sorts the rows: most captures first, equal ones by their text.  Nothing can
 * be added any more. */
void cfs_tally_sort(struct cfs_tally *t);

/* ---- the greatest of many items (top.c) ---- */

struct cfs_top_item {
	uint64_t value;			/* the greatest are kept */
	uint64_t rank;			/* of equal values, the lowest are;
					 * then the lowest texts */
	uint64_t pages, bytes;		/* for the caller */
	struct cfs_slice text;
	uint8_t *own;			/* the memory of text, in the items of a
					 * cfs_top; else not used */
};

/* Zeroed but for max: empty. */
struct cfs_top {
	size_t max;
	struct cfs_top_item *v;		/* the greatest first */
	size_t n, room;
};

void cfs_top_release(struct cfs_top *t);

/* Keeps the item, with a copy of its text, if it is one of the greatest.  0 or
 * CFS_ENOMEM. */
int cfs_top_offer(struct cfs_top *t, const struct cfs_top_item *item);

/* Offers all items of another one. */
int cfs_top_merge(struct cfs_top *t, const struct cfs_top *from);

/* ---- the counts of a thread ---- */

#define CFS_COUNTS_STATUSES 1000u	/* 0 to 999 */
#define CFS_COUNTS_YEARS 10000u		/* 0 to 9999; 0: not known */
#define CFS_COUNTS_MONTHS (12u * 80u)	/* since January 1990 */

struct cfs_count {
	uint64_t captures, pages, bytes;
};

/* A host, a domain, or both, whose labels are the first n bytes of the key. */
struct cfs_counts_place {
	size_t n;
	bool is_host, is_domain;
	struct cfs_count host, domain;	/* the latter with subdomains */
};

struct cfs_counts_edge {
	uint8_t *name;			/* owned */
	struct cfs_counts_place place;
};

struct cfs_counts {
	struct cfs_count all;
	uint64_t hosts, domains;
	uint64_t without_bytes, body_bytes, bodies;
	int64_t first, last;		/* 0: none */
	struct cfs_count by_status[CFS_COUNTS_STATUSES];
	struct cfs_count by_year[CFS_COUNTS_YEARS];
	struct cfs_count by_month[CFS_COUNTS_MONTHS];
	struct cfs_tally types, languages;
	struct cfs_top top_hosts, top_domains, largest;
	struct cfs_counts_edge *edges;
	size_t n_edges, edges_room;
	/* The range being counted: */
	const struct cfs_suffixes *suffixes;
	struct cfs_slice from, to;	/* keys; empty: the ends of the index */
	struct cfs_counts_place *open;	/* each begins with the one before */
	size_t n_open, open_room;
	size_t host_at, domain_at;	/* in `open`: of the last key */
	struct cfs_buf key;		/* the last one */
	size_t host_n;			/* its first bytes: the labels */
	bool is_shown;			/* it is one of the tree */
	bool has_page;
	uint64_t page;			/* a hash of the last page's path */
	struct cfs_path path;		/* scratch */
};

/* NULL: out of memory.  top: rows of hosts, domains and records. */
struct cfs_counts *cfs_counts_new(size_t top,
				  const struct cfs_suffixes *suffixes);
void cfs_counts_free(struct cfs_counts *c);		/* accepts NULL */

/* Begins a range; keys are borrowed until it ends. */
void cfs_counts_begin(struct cfs_counts *c, struct cfs_slice from,
		      struct cfs_slice to);
/* Counts the capture on which `it` stands, unless its key is none of the
 * tree's.  Keys ascend.  0 or CFS_ENOMEM. */
int cfs_counts_add(struct cfs_counts *c, const struct cfs_iter *it,
		   const struct cfs_capture *cap);
/* Ends the range.  0 or CFS_ENOMEM. */
int cfs_counts_end(struct cfs_counts *c);

/* Adds what another thread has counted, but for its edges, which are taken
 * over.  0 or CFS_ENOMEM. */
int cfs_counts_merge(struct cfs_counts *c, struct cfs_counts *from);
/* Puts the edges together: the last step.  0 or CFS_ENOMEM. */
int cfs_counts_settle(struct cfs_counts *c);

/* Fills the figures and rows of a summary with what was counted in ix
 * (summary_rows.c).  Nothing can be counted any more.  0, CFS_ENOMEM; failures
 * of reading. */
int cfs_counts_take(struct cfs_counts *c, struct cfs_index *ix,
		    struct cfs_summary *s, struct cfs_ctx ctx);

#endif
