/* streams.h - which readers read pages in order, and how far ahead of each
 * should be fetched.
 *
 * A reader in order is known by positions in the index: each a few entries
 * after the one before.  Three such steps make a stream; random reads of a
 * small crawl hardly ever take three.  Nothing here waits, locks or reads.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_STREAMS_H
#define CFS_FUSE_STREAMS_H

#include "index/index.h"
#include "view/view.h"

#define CFS_STREAMS 8u

struct cfs_stream {
	bool is_used;
	cfs_pos last;		/* read last */
	cfs_pos ahead;		/* hinted up to this one; 0: nothing */
	unsigned steps;
	unsigned window;	/* records; 0: not recognised yet */
	unsigned left;		/* of those hinted, not reached yet, about */
	uint64_t serial;	/* which stream this is */
	uint64_t clock;		/* when, for replacement */
	/* Views (bit 1 << view) read since the window was last moved, and in
	 * the time before that: what of each page is wanted. */
	unsigned views, views_before;
	bool is_wanted;		/* its window is to be filled */
	bool is_at_end;		/* of the index */
};

/* All zero at first, but for max and step_max. */
struct cfs_streams {
	struct cfs_stream v[CFS_STREAMS];
	uint64_t clock, serial;
	uint64_t recognised;	/* how many streams there have been */
	unsigned max;		/* records ahead of each */
	/* Entries one step of a reader may pass over as long as nothing was
	 * read ahead for it: other captures, pages it does not want. */
	unsigned step_max;
};

/* What is to be fetched for a stream. */
struct cfs_stream_want {
	struct cfs_stream *stream;
	uint64_t serial;
	cfs_pos from;		/* the entries after this one, */
	unsigned entries;	/* so many of them, */
	unsigned views;		/* and these views (bit 1 << view) */
};

/* This view of this entry is about to be read.  True if something is to be
 * fetched. */
bool cfs_streams_note(struct cfs_streams *all, cfs_pos pos, enum cfs_view view);

/* What is to be fetched next, for the stream read last; it is then no longer
 * wanted.  False: nothing. */
bool cfs_streams_take(struct cfs_streams *all, struct cfs_stream_want *out);

/* It has been asked for: up to `last`, the end of the index or not. */
void cfs_streams_done(const struct cfs_stream_want *want, cfs_pos last,
		      bool is_at_end);

#endif
