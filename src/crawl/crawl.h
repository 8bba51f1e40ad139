/* crawl.h - one SOURCE, opened: its index, its archives, its options.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_CRAWL_H
#define CFS_CRAWL_CRAWL_H

#include "cache/cache.h"
#include "index/index.h"
#include "build/indexer.h"
#include "record/seqstore.h"
#include "record/store.h"
#include "view/view.h"

/* Sources mounted side by side: five bits of an inode number. */
#define CFS_SOURCES_MAX 32u

struct cfs_crawl_opts {
	const char *data;		/* -o data=: folder of the archives; NULL:
					 * beside the index */
	const char *base;		/* folder or URL of Common Crawl's data,
					 * for crawls by name; NULL: the public
					 * one */
	const char *cache_dir;		/* for indexes we build, and what is read
					 * of remote crawls; NULL: default */
	uint64_t cache_bytes;		/* of the latter on disk; 0: default */
	bool no_cache;			/* nothing of it on disk */
	uint64_t mem_bytes;		/* index blocks and records; 0: default */
	uint64_t max_record_bytes;	/* 0: default */
	/* Told while an index is built on first use.  May be NULL. */
	void (*building)(void *arg, const char *source,
			 const struct cfs_indexer_progress *p);
	void *arg;
	const struct cfs_cancel *cancel;
};
#define CFS_CRAWL_MEM_DEFAULT (256ull << 20)

/* Immutable once open; threads share it. */
struct cfs_crawl {
	char *source;			/* as the user named it */
	struct cfs_index *index;
	struct cfs_store *store;
	struct cfs_seqstore *pairs;	/* of SequenceFiles */
	int64_t mtime;			/* of directories: the index's */
	bool is_ordered;		/* key order is tree order: a page comes
					 * directly before what lies below it */
	struct cfs_pages *pages;	/* memo of tree.c */
	/* What is remote is read through this; NULL: nothing is. */
	struct cfs_cache *cache;
	struct cfs_cache_opener opener;
	struct cfs_cache_counters *counters;
	/* How a mount renders views, on which their sizes depend.  Set before
	 * the crawl is used. */
	struct cfs_view_opts view;
};

/*
 * Finds out what `source` is by looking and opens it: a crawlfs index, a
 * PB-tree, an archive or a folder of archives (indexed on first use, the
 * index kept in the cache folder and reused while size and mtime of every
 * archive hold), or the URL of an index.  CFS_ENOTFOUND, CFS_EFORMAT, ... with
 * a sentence.
 */
int cfs_crawl_open(struct cfs_crawl **out, const char *source,
		   const struct cfs_crawl_opts *opts, struct cfs_error *err);
void cfs_crawl_close(struct cfs_crawl *c);	/* accepts NULL */

/* $XDG_CACHE_HOME/crawlfs, else ~/.cache/crawlfs, else /var/cache/crawlfs.
 * False if it does not fit. */
bool cfs_crawl_cache_dir(char *out, size_t out_bytes);

#endif
