/* streams.h - recognises readers that read pages in order, and decides how far
 * ahead of each to fetch, and which pages.
 *
 * A reader is sequential after three steps of a few entries each in the index;
 * random reads of a small crawl hardly ever take three.  A program that has
 * listed a folder and then reads its first page counts as sequential at once,
 * as long as most of these read on.  From then on a stream keeps the entries
 * ahead of its reader in their order, so that each read shows which of them
 * were passed over.  Pages that the reader does not read, by the suffix of
 * their names, else by MIME type, are not fetched, and the window does not grow
 * while the reader passes over most of the fetched ones.  Nothing here waits,
 * locks or reads.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_STREAMS_H
#define CFS_CRAWL_STREAMS_H

#include "index/index.h"
#include "view/view.h"

#define CFS_STREAMS 8u
/* Suffixes and MIME types are known by their hashes, taken modulo this. */
#define CFS_SORTS 256u
/* Reads that are remembered while a window is filled. */
#define CFS_RECENT 16u

/* How many entries with one suffix or type were read, or passed
 * over, lately. */
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
	bool is_counted;	/* counted among the habits */
};

/* Is an entry with this suffix and MIME type likely to be read? */
bool cfs_habits_want(const struct cfs_habits *h,
		     const struct cfs_stream_ahead *e);

struct cfs_stream {
	bool is_used;
	cfs_pos last;		/* position read last */
	unsigned steps;
	unsigned run;		/* the last of them, none of which passed over
				 * an entry */
	unsigned window;	/* records; 0: not recognised yet */
	bool is_believed;	/* recognised without steps, and not yet
				 * proven by some */
	uint64_t serial;	/* which stream this is */
	uint64_t clock;		/* time of the last read, for replacement */
	/* Views (bit 1 << view) read since the window was last moved, and in
	 * the period before: those wanted of each page. */
	unsigned views, views_before;
	bool is_wanted;		/* its window should be filled */
	bool is_filling;	/* and is being filled */
	bool is_at_end;		/* the window reaches the end of the index */
	bool is_beyond;		/* the reader has left the entries in v */
	/* Entries in the order of the index; the reader is just behind v[at
	 * - 1]. */
	struct cfs_stream_ahead *v;	/* owned */
	unsigned n, at;
	cfs_pos recent[CFS_RECENT];	/* positions read since filling began */
	unsigned n_recent;
	struct cfs_habits habits;
};

/* All zero at first, except max, step_max and refill_part. */
struct cfs_streams {
	struct cfs_stream v[CFS_STREAMS];
	uint64_t clock, serial;
	uint64_t recognised;	/* streams recognised so far */
	bool has_expected;
	cfs_pos expected;	/* with has_expected: of cfs_streams_expect */
	unsigned believed;	/* streams without a proof so far, less those
				 * that proven ones make up for */
	unsigned max;		/* most records ahead of each reader */
	/* Entries that one step of a reader may pass over while nothing was
	 * read ahead for it: other captures, pages it does not want. */
	unsigned step_max;
	/* The window is refilled when 1 / refill_part of it has been read:
	 * more parts keep more loading under way at any time, but less of it
	 * can be joined. */
	unsigned refill_part;
};

void cfs_streams_release(struct cfs_streams *all);

/* A request to fill the window of a stream. */
struct cfs_stream_want {
	struct cfs_stream *stream;
	uint64_t serial;
	cfs_pos from;		/* begin after this entry, */
	unsigned looks;		/* look at so many at most, */
	unsigned entries;	/* take so many of those wanted at most, */
	unsigned views;		/* and of each these views (bit 1 << view) */
	struct cfs_habits habits;
};

/* Notes that who reads this entry next has listed the folder whose first page
 * it is. */
void cfs_streams_expect(struct cfs_streams *all, cfs_pos pos);

/* Notes that this view of this entry is about to be read.  True if a stream
 * wants its window filled. */
bool cfs_streams_note(struct cfs_streams *all, cfs_pos pos, enum cfs_view view);

/* How many entries the reader of this one, who has read it last, has read
 * without passing over any. */
unsigned cfs_streams_run(const struct cfs_streams *all, cfs_pos pos);

/* Gets the entries to fetch next, for the stream read last, which is then
 * marked as being filled.  False: none. */
bool cfs_streams_take(struct cfs_streams *all, struct cfs_stream_want *out);

/* Ends the filling: v has the n entries (want->looks at most) after want->from,
 * with those that are fetched marked.  is_at_end: the index ends with them. */
void cfs_streams_done(struct cfs_streams *all,
		      const struct cfs_stream_want *want,
		      const struct cfs_stream_ahead *v, unsigned n,
		      bool is_at_end);

#endif
