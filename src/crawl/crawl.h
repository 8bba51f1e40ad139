/* crawl.h - one SOURCE, opened: its index, its archives, its options.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_CRAWL_H
#define CFS_CRAWL_CRAWL_H

#include <limits.h>

#include "build/indexer.h"
#include "cache/cache.h"
#include "cache/sizes_file.h"
#include "index/dates.h"
#include "index/part.h"
#include "record/seqstore.h"
#include "record/store.h"
#include "view/view.h"

struct cfs_bases;
struct cfs_sizes;
struct cfs_web_folder;

struct cfs_crawl_opts {
	const char *data;		/* -o data=: folder of the archives;
					 * NULL: beside the index */
	const char *base;		/* folder or URL of Common Crawl's data,
					 * for crawls by name; NULL: the public
					 * one */
	const char *cache_dir;		/* for indexes we build, and what is
					 * read of remote crawls; NULL:
					 * default */
	uint64_t cache_bytes;		/* of the latter on disk; 0: default */
	bool no_cache;			/* nothing of it on disk */
	bool reads_anew;		/* what servers have, not what the disk
					 * cache has of it */
	bool kept_only;			/* an index that would be built is one
					 * that is kept, of the source as it is
					 * or was; else CFS_ENOTFOUND */
	uint64_t mem_bytes;		/* index blocks and records; 0:
					 * default */
	/* What all of it is accounted for in; NULL: nothing.  The caller's, and
	 * outlives the crawl. */
	struct cfs_budget *budget;
	uint64_t max_record_bytes;	/* 0: default */
	struct cfs_dates dates;		/* captures that exist; zeroed: all */
	struct cfs_part part;		/* the piece that is wanted */
	/* Called while an index is built on first use; p is NULL when it is
	 * done.  May be NULL. */
	void (*building)(void *arg, const char *source,
			 const struct cfs_indexer_progress *p);
	void *arg;
	const struct cfs_cancel *cancel;
	/* Of a member of a union: what counts its requests; NULL: its own. */
	struct cfs_cache_counters *counters;
};
#define CFS_CRAWL_MEM_DEFAULT (256ull << 20)

/* Immutable once open; threads share it. */
#define CFS_NAMED_BITS 8
struct cfs_crawl {
	char *source;			/* as the user named it */
	const struct cfs_crawl_opts *opts;	/* while it is being opened */
	struct cfs_web_folder *web;	/* likewise: the source, if it is one */
	struct cfs_index *index;
	struct cfs_store *store;
	struct cfs_bases *bases;	/* of the store */
	struct cfs_budget *budget;	/* opts->budget */
	struct cfs_seqstore *pairs;	/* of SequenceFiles */
	int64_t mtime;			/* of directories: the index's */
	bool is_ordered;		/* key order is tree order: a page comes
					 * directly before what lies below it */
	bool finds_sizes;		/* the index is being made: the sizes
					 * it gives of revisits are old ones */
	struct cfs_lru *pages;		/* of captures.h */
	struct cfs_lru *cuts;		/* of cuts.h */
	/* What is remote is read through this; NULL: nothing is. */
	struct cfs_cache *cache;
	struct cfs_cache_opener opener;
	struct cfs_cache_counters *counters;
	/* Sizes learnt of its files (file_info.h); NULL: none are kept. */
	struct cfs_sizes *sizes;
	struct cfs_sizes_id sizes_id;	/* state 0: it cannot be known again */
	/* How views are rendered, on which their sizes depend.  Set before the
	 * crawl is used. */
	struct cfs_view_opts view;
	/* All that are mounted together, this one among them: a revisit that
	 * names another file may find its body there.  Borrowed; n 0: none. */
	struct cfs_crawl *const *together;
	size_t n_together;
	/* Hashes of archives that an index without a table of them has been
	 * found to name (record_at.h). */
	_Atomic uint64_t named[1u << CFS_NAMED_BITS];
	/* Of a union: its members, without indexes and stores of their own. */
	struct cfs_crawl **members;
	size_t n_members;
};

/* For messages, behind what is not there: " at that time", or nothing. */
static inline const char *cfs_crawl_time_suffix(const struct cfs_crawl *c)
{
	return c->index->undated != NULL ? " at that time" : "";
}

/*
 * Opens `source`, which is recognised by its bytes, not its name: a crawlfs
 * index, a PB-tree, CDX files, an archive, a WACZ or a folder of them (indexed
 * on first use, the index kept in the cache folder and reused while size and
 * mtime of every archive hold), a list of archives, a URL of any of these, or
 * the name of a crawl of Common Crawl's; or several of them (sources.h), which
 * are opened as one.  CFS_ENOTFOUND, CFS_EFORMAT, ... with
 * a sentence.
 */
int cfs_crawl_open(struct cfs_crawl **out, const char *source,
		   const struct cfs_crawl_opts *opts, struct cfs_error *err);

/*
 * Opens all of them as one crawl (index/union.h).  opts->data may be a list
 * with a folder for each of them.  Failures as above, and those of
 * cfs_union_open.
 */
int cfs_crawl_open_all(struct cfs_crawl **out, const char *const *sources,
		       size_t n, const struct cfs_crawl_opts *opts,
		       struct cfs_error *err);

void cfs_crawl_close(struct cfs_crawl *c);	/* accepts NULL */

/* Tells a crawl what it is mounted together with, `sources` being their names:
 * before sizes of its files are learnt.  `all` is filled before it is used. */
void cfs_crawl_mount_together(struct cfs_crawl *c,
			      struct cfs_crawl *const *all,
			      const char *const *sources, size_t n);

/* Is one of the sources of a SOURCE (sources.h) archives, so that opening it
 * would make an index of them first?  It is not opened.  0 or a failure. */
int cfs_crawl_is_archives(const char *source, const struct cfs_crawl_opts *opts,
			  bool *yes, struct cfs_error *err);

/* The steps of opening.  A crawl that has nothing yet but the name of its
 * source. */
int cfs_crawl_new(struct cfs_crawl **out, const char *source,
		  const struct cfs_crawl_opts *opts, struct cfs_error *err);

/* Gives it the block cache, for what is not on this machine. */
int cfs_crawl_use_cache(struct cfs_crawl *c, struct cfs_error *err);

/* Opens the index in src, which it takes over, and a store over its archives.
 * After a failure, or to try another index: cfs_crawl_close_index. */
int cfs_crawl_open_index(struct cfs_crawl *c, struct cfs_source *src,
			 const struct cfs_bases *bases, struct cfs_error *err);
void cfs_crawl_close_index(struct cfs_crawl *c);

/* The same of indexes that are open: makes a store with the bases of all
 * members, and the union of their indexes. */
int cfs_crawl_join(struct cfs_crawl *c, struct cfs_error *err);

/* What is a source by itself, all of it.  As cfs_crawl_open. */
int cfs_crawl_open_one(struct cfs_crawl **out, const char *source,
		       const struct cfs_crawl_opts *opts,
		       struct cfs_error *err);

/* The cache folder: `named`, unless that is NULL, else $XDG_CACHE_HOME/crawlfs,
 * ~/.cache/crawlfs or /var/cache/crawlfs, written to `usual`.  NULL if it does
 * not fit there. */
const char *cfs_crawl_cache_name(const char *named, char usual[PATH_MAX]);
/* The same if it may be used; NULL, and a line, if it is not in the hands of
 * this user alone (base/trust.h). */
const char *cfs_crawl_cache_dir(const char *named, char usual[PATH_MAX]);
/* CFS_OK if it may be used; CFS_EACCESS with the reason. */
int cfs_crawl_judge_cache(const char *dir, struct cfs_error *err);
/* A folder that can be written to, for temporary files: the cache folder,
 * unless nothing is to be kept there, else $TMPDIR, /var/tmp or /tmp.  NULL:
 * none. */
const char *cfs_crawl_temp_dir(const struct cfs_crawl_opts *opts,
			       char usual[PATH_MAX]);
/* That for archives that are compressed in a ZIP file; NULL: none. */
const char *cfs_crawl_inflate_dir(const struct cfs_crawl_opts *opts,
				  char usual[PATH_MAX]);

#endif
