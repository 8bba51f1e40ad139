/* listings.h - what is remembered of listings: which of them should have
 * attributes, and parts that were made before the kernel asks.
 *
 * The kernel keeps every listing, but of one without nodes only the names.
 * When a process then wants attributes, no listing is made: the kernel looks up
 * each file.  So processes that look up what they list are remembered, and so
 * are listings that the kernel keeps without nodes; these are taken back when a
 * process begins to look up files one after the other.  This is lossy: what is
 * forgotten costs look-ups, but never makes an answer wrong.
 *
 * A long listing is a chain of requests: the kernel asks for a part, waits for
 * it, and gives the reader what is in it, before it asks for the next one.  So
 * that the server works meanwhile, it makes the next part once it has replied
 * (fuse/ops_dir.c).  A part that nobody asks for is forgotten.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_FUSE_LISTINGS_H
#define CFS_FUSE_LISTINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "dirents.h"
#include "index/index.h"

struct cfs_listings;			/* threads share it */

struct cfs_listings *cfs_listings_new(void);	/* NULL: out of memory */
void cfs_listings_free(struct cfs_listings *l);	/* accepts NULL */

/* Has the process looked up a file? */
bool cfs_listings_is_statter(const struct cfs_listings *l, pid_t pid);

/*
 * Notes that process `pid` has looked up a file in `folder`.  True if it is
 * time to take listings back: the caller then asks cfs_listings_take_back for
 * one folder after the other.
 */
bool cfs_listings_note_look_up(struct cfs_listings *l, pid_t pid,
			       uint64_t folder);
/* The next folder to take back, from slot *at on, which is advanced; 0 at
 * the end. */
uint64_t cfs_listings_take_back(struct cfs_listings *l, size_t *at);

/* note_nodes: the listing of `folder`, from its beginning, had nodes for all
 * files.  note_bare: some of its files had none. */
void cfs_listings_note_nodes(struct cfs_listings *l, uint64_t folder);
void cfs_listings_note_bare(struct cfs_listings *l, uint64_t folder);

/* How many subfolders of `folder` the requests of its listing have had nodes
 * for so far.  Kept only for listings that take several requests. */
uint64_t cfs_listings_subfolders(struct cfs_listings *l, uint64_t folder);
void cfs_listings_note_subfolders(struct cfs_listings *l, uint64_t folder,
				  uint64_t n);

/* A part of a listing. */
struct cfs_listing_part {
	/* the request */
	uint64_t folder;
	int64_t off;			/* the position behind the last part */
	bool has_nodes;			/* for files too */

	/* the answer */
	struct cfs_dirents out;
	int64_t next;			/* the position behind it */
	bool is_full;			/* a name did not fit */
	bool is_bare;			/* some file has no node */
	uint64_t subfolders;		/* with nodes, in all parts so far */
	bool has_pages;
	cfs_pos first, last;		/* its pages, */
	unsigned source;		/* of this source */
};

/* Keeps a part, whose out.buf was allocated by malloc() and is taken over. */
void cfs_listings_put_part(struct cfs_listings *l,
			const struct cfs_listing_part *part);

/* Fills in p, whose folder, off, has_nodes, out.size and out.plus say what is
 * asked for, from a part that was kept; the caller then owns out.buf.  False:
 * there is none. */
bool cfs_listings_take_part(struct cfs_listings *l, struct cfs_listing_part *p);

#endif
