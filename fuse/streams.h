/* streams.h - which readers read pages in order, how far ahead of each should
 * be fetched, and which of the pages there.
 *
 * A reader in order is known by positions in the index: each a few entries
 * after the one before.  Three such steps make a stream; random reads of a
 * small crawl hardly ever take three.  From then on the entries ahead of it are
 * kept here in their order, so that each of its reads shows which of them it
 * has passed over: what it does not read, by suffix of the name, else by MIME
 * type, is not fetched, and the window does not grow while it passes over most
 * of what was.  Nothing here waits, locks or reads.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_STREAMS_H
#define CFS_FUSE_STREAMS_H

#include "index/index.h"
#include "view/view.h"

#define CFS_STREAMS 8u
/* Suffixes and MIME types are known by numbers below this, from their
 * hashes. */
#define CFS_SORTS 256u
/* Reads that are remembered while a window is filled. */
#define CFS_RECENT 16u

/* How many of some sort were read and passed over lately. */
struct cfs_habit {
	uint8_t read, passed;
};

struct cfs_habits {
	struct cfs_habit suffix[CFS_SORTS], mime[CFS_SORTS], all;
};

/* An entry of the index ahead of a reader, or a little behind it. */
struct cfs_stream_ahead {
	cfs_pos pos;
	uint8_t suffix, mime;
	bool is_asked;		/* it is being fetched */
	bool is_read;
	bool is_counted;	/* among the habits */
};

/* Is an entry of these sorts likely to be read? */
bool cfs_habits_want(const struct cfs_habits *h,
		     const struct cfs_stream_ahead *e);

struct cfs_stream {
	bool is_used;
	cfs_pos last;		/* read last */
	unsigned steps;
	unsigned window;	/* records; 0: not recognised yet */
	uint64_t serial;	/* which stream this is */
	uint64_t clock;		/* when, for replacement */
	/* Views (bit 1 << view) read since the window was last moved, and in
	 * the time before that: what of each page is wanted. */
	unsigned views, views_before;
	bool is_wanted;		/* its window is to be filled */
	bool is_filling;	/* and that is under way */
	bool is_at_end;		/* of the index */
	bool is_beyond;		/* the reader has left what is known of it */
	/* Entries in the order of the index, the reader behind v[at - 1]. */
	struct cfs_stream_ahead *v;	/* owned */
	unsigned n, at;
	cfs_pos recent[CFS_RECENT];	/* read since the filling began */
	unsigned n_recent;
	struct cfs_habits habits;
};

/* All zero at first, but for max, step_max and refill_part. */
struct cfs_streams {
	struct cfs_stream v[CFS_STREAMS];
	uint64_t clock, serial;
	uint64_t recognised;	/* how many streams there have been */
	unsigned max;		/* records ahead of each */
	/* Entries one step of a reader may pass over as long as nothing was
	 * read ahead for it: other captures, pages it does not want. */
	unsigned step_max;
	/* More is asked for when one in so many of the window has been read:
	 * the more parts, the more loading is under way at any time, and the
	 * less of it can be done at once. */
	unsigned refill_part;
};

void cfs_streams_release(struct cfs_streams *all);

/* What is to be fetched for a stream. */
struct cfs_stream_want {
	struct cfs_stream *stream;
	uint64_t serial;
	cfs_pos from;		/* of the entries after this one, */
	unsigned looks;		/* so many at most, */
	unsigned entries;	/* so many that habits want, at most, */
	unsigned views;		/* these views (bit 1 << view) */
	struct cfs_habits habits;
};

/* This view of this entry is about to be read.  True if something is to be
 * fetched. */
bool cfs_streams_note(struct cfs_streams *all, cfs_pos pos, enum cfs_view view);

/* What is to be fetched next, for the stream read last; it is then no longer
 * wanted.  False: nothing. */
bool cfs_streams_take(struct cfs_streams *all, struct cfs_stream_want *out);

/* The n entries (want->looks at most) after want->from, those that are fetched
 * marked; they end with the index or not. */
void cfs_streams_done(struct cfs_streams *all,
		      const struct cfs_stream_want *want,
		      const struct cfs_stream_ahead *v, unsigned n,
		      bool is_at_end);

#endif
