/* readahead.h - finds what a program that reads pages in order reads next,
 * fetches it from servers, and loads its files.
 *
 * grep -r, tar, cat * and find -exec open the pages of a tree in its order,
 * perhaps several files of each (.meta, .txt), and leave some out.  Once a few
 * neighbours have been read one after the other, or the first page of a folder
 * by who has listed it, the records that follow in the index are requested in
 * parallel, twice as many each time while the reader continues; a read
 * elsewhere requests nothing.
 *
 * While the program reads one page, spare processors inflate and render the
 * next: of a crawl on a server, what was fetched.  These files are then in use
 * like any other (handles.h), and a request for one finds its bytes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_READAHEAD_H
#define CFS_CRAWL_READAHEAD_H

#include "handles.h"
#include "searches.h"

struct cfs_readahead;		/* threads share it */
struct cfs_stream_listed;

/* Records: twice as many as are on their way at a time to one host
 * (http_settings.h), so that those that have arrived leave no gap. */
#define CFS_READAHEAD_DEFAULT 128u

struct cfs_readahead_stats {
	uint64_t streams;	/* times a reader in order was recognised */
	uint64_t records;	/* records asked for */
	uint64_t requests;	/* ranges they were joined into: at most one
				 * request each */
	uint64_t passed;	/* entries not asked for, as the reader leaves
				 * such pages out */
	bool loads;		/* files are loaded ahead, if there is reason */
	uint64_t files;		/* loaded ahead */
	uint64_t files_used;	/* and then read */
};

/*
 * Makes the read-ahead of one index and its archives, which outlive it.  Starts
 * no thread before one is needed.
 *
 * store   NULL: the archives are here, and nothing is fetched
 * window  the most records ahead of each reader; 0: default
 */
int cfs_readahead_new(struct cfs_readahead **out, struct cfs_index *index,
		      struct cfs_store *store, unsigned window,
		      struct cfs_error *err);
/* Has files loaded ahead as well, if a processor can be spared: those of
 * `source`, which is c; and what searches have found in it be read ahead, if
 * `searches` is not NULL.  All are borrowed.  Call it before all below. */
void cfs_readahead_load_for(struct cfs_readahead *ra,
			    struct cfs_handles *handles,
			    struct cfs_searches *searches, struct cfs_crawl *c,
			    unsigned source);
/* Ends the threads first.  Accepts NULL. */
void cfs_readahead_free(struct cfs_readahead *ra);

/* As cfs_streams_listed. */
void cfs_readahead_listed(struct cfs_readahead *ra,
			  const struct cfs_stream_listed *l, cfs_pos to);
/* Notes that a process (0: not known) is about to read this file, and whether
 * it was ready.  Never waits. */
void cfs_readahead_note(struct cfs_readahead *ra, pid_t reader,
			const struct cfs_node *file, bool was_ready);
/* The same for a file whose lock is held, and takes its bytes: true if they
 * were ready.  ra may be NULL. */
bool cfs_readahead_take(struct cfs_readahead *ra, struct cfs_handle *h,
			pid_t reader, const struct cfs_node *file);

/* Opens a file that is ready and that a process will read next.  NULL: none is,
 * or it passes over pages, or another process reads as well.  reader 0: for any
 * process, in the folder that was listed last. */
struct cfs_handle *cfs_readahead_next(struct cfs_readahead *ra, pid_t reader);

void cfs_readahead_get_stats(struct cfs_readahead *ra,
			     struct cfs_readahead_stats *out);

/* ---- readers (streams.c) ------------------------------------------------- */

/*
 * This is what is known of readers: which of them read pages in order; and how
 * far ahead of each to fetch, which pages, and which of them to load.
 *
 * A reader is sequential after three steps of a few entries each in the index;
 * random reads of a small crawl hardly ever take three.  A program that has
 * listed a folder and then reads its first page counts as sequential at once,
 * as long as most of these read on.  From then on a stream keeps the entries
 * ahead of its reader in their order, so that each read shows which of them
 * were passed over.  Pages that the reader does not read, by the suffix of
 * their names, else by MIME type, are not fetched, and the window does not grow
 * while the reader passes over most of the fetched ones.  None of this waits,
 * locks or reads.
 */

#define CFS_STREAMS 8u
/* Suffixes and MIME types are known by their hashes, taken modulo this. */
#define CFS_SORTS 256u
/* Reads that are remembered while a window is filled. */
#define CFS_RECENT 16u
/* First pages of folders that are remembered, with the processes that have
 * listed them. */
#define CFS_LISTED 64u
/* Entries ahead of a reader that are loaded: what it does not read is loaded in
 * vain. */
#define CFS_LOADED_AHEAD 16u

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
	bool is_asked;		/* it is being fetched, or to be loaded */
	bool is_single;		/* the only capture of its page: of several, it
				 * is not known which will be read */
	unsigned loaded;	/* views (bit 1 << view) being loaded */
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
	unsigned search;	/* the search, from 1 on, of whose hits the
				 * entries in v are; 0: all of the index */
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
	struct cfs_stream_listed {
		pid_t reader;		/* that has listed a folder */
		cfs_pos pos;		/* its first page */
		unsigned search;	/* whose folder it is, from 1 on; 0:
					 * one of the tree */
	} listed[CFS_LISTED];	/* of cfs_streams_listed; a ring */
	unsigned n_listed;	/* so far */
	cfs_pos listed_to;	/* the last page of the latest of them */
	pid_t reader;		/* the process that has read last, */
	unsigned alone;		/* and so often since another one did */
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
	unsigned search;	/* only of its hits, as in struct cfs_stream */
	struct cfs_habits habits;
};

/* Notes that a folder was listed, of whose pages up to `to` the kernel has
 * nodes (0: of none). */
void cfs_streams_listed(struct cfs_streams *all,
			const struct cfs_stream_listed *l, cfs_pos to);

/* Notes that a process (0: not known) is about to read this view of this entry.
 * True if a stream wants its window filled. */
bool cfs_streams_note(struct cfs_streams *all, pid_t reader, cfs_pos pos,
		      enum cfs_view view);

/* The latest reads. */
struct cfs_stream_run {
	unsigned n;		/* entries, without passing over any */
	cfs_pos last;		/* the last of them */
	cfs_pos to;		/* it will read on at least up to this one */
};
/* reader: the process that must have read all of it, with no other that read
 * beside it; 0: any, which reads the folder that was listed last. */
struct cfs_stream_run cfs_streams_run(const struct cfs_streams *all,
				      pid_t reader);

/* A file to be loaded before its reader asks for it. */
struct cfs_stream_file {
	cfs_pos pos;
	enum cfs_view view;
};

/* Gets the next file to load, ahead of the reader that has read last: never of
 * the page that it reads, nor of the next one, which it may begin to load at
 * the same time.  views_only: none that is the page itself.  False: none. */
bool cfs_streams_load(struct cfs_streams *all, bool views_only,
		      struct cfs_stream_file *out);
/* Gives back a file that could not be loaded yet. */
void cfs_streams_load_later(struct cfs_streams *all,
			    const struct cfs_stream_file *file);

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
