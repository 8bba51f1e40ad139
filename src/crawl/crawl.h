/* crawl.h - an opened SOURCE: its index, its archives, its options.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_CRAWL_H
#define CFS_CRAWL_CRAWL_H

#include <limits.h>

#include "cache/cache.h"
#include "cache/sizes_batch.h"
#include "index/conditions.h"
#include "index/index_walk.h"
#include "index/part.h"
#include "indexing/indexer.h"
#include "record/store.h"
#include "view/view.h"

struct cfs_bases;
struct cfs_hidden;
struct cfs_seqstore;
struct cfs_sizes;
struct cfs_web_folder;
struct cfs_word_lists;

struct cfs_crawl_opts {
	const char *data;		/* -o data=: folder of the archives;
					 * NULL: beside the index */
	const char *base;		/* folder or URL of Common Crawl's data,
					 * for crawls by name; NULL: the public
					 * one */
	const char *cache_dir;		/* for kept indexes, and for data read
					 * of remote crawls; NULL: default */
	const char *temp_dir;		/* for temporary files; NULL: default */
	uint64_t cache_bytes;		/* limit of that data on disk; 0:
					 * default */
	uint64_t list_max_bytes;	/* of a remote index that a listing may
					 * fetch (list_max.h); 0: default;
					 * UINT64_MAX: all */
	bool no_cache;			/* keep none of that data on disk */
	bool reads_anew;		/* read from servers again, ignoring
					 * what the disk cache has */
	bool kept_only;			/* where an index would be built, take
					 * the kept one, even if it is outdated;
					 * else CFS_ENOTFOUND */
	uint64_t mem_bytes;		/* for index blocks and records; 0:
					 * default */
	/* Accounts for all of that memory; NULL: nothing does.  Owned by the
	 * caller; must outlive the crawl. */
	struct cfs_budget *budget;
	bool keeps_records;		/* nobody else keeps what was read:
					 * up to three quarters of mem_bytes are
					 * for records */
	uint64_t max_record_bytes;	/* 0: default */
	bool words;			/* make a list of words beside an index
					 * that is kept */
	/* Pick the captures that exist; borrowed while the crawl is opened.
	 * NULL: all do. */
	const struct cfs_conditions *conditions;
	/* All sources that are opened together; borrowed while the crawl is
	 * opened.  Files among them are not reported as missing. */
	const char *const *beside;
	size_t n_beside;
	const char *prefixes;		/* only what these cover, one a line or
					 * in lists with commas (target.h);
					 * NULL: everything */
	const char *within;		/* and of that only what these cover;
					 * as `prefixes` */
	unsigned dedup;			/* CFS_DEDUP_NONE, or _DIGEST, _NEAR:
					 * only the first capture, in index
					 * order, of each payload, or of main
					 * contents that are near */
	struct cfs_part part;		/* the part of the crawl that is
					 * wanted */
	/* Called while an index is built on first use; p is NULL when it is
	 * done.  May be NULL. */
	void (*building)(void *arg, const char *source,
			 const struct cfs_progress *p);
	void *arg;
	const struct cfs_cancel *cancel;
	/* For a member of a union: counts its requests; NULL: its own. */
	struct cfs_cache_counters *counters;
};
/* The low byte of `dedup`.  REVISIT: for copy, to which all captures exist.
 * NEAR: the byte above is the number of bits plus 1; 0: CFS_SIMILAR_BITS. */
enum { CFS_DEDUP_NONE, CFS_DEDUP_DIGEST, CFS_DEDUP_NEAR, CFS_DEDUP_REVISIT };
#define CFS_DEDUP_BYTE 8u
#define CFS_CRAWL_MEM_DEFAULT (256ull << 20)

/* Immutable once open; threads share it. */
#define CFS_NAMED_BITS 8
struct cfs_crawl {
	char *source;			/* as the user named it */
	const struct cfs_crawl_opts *opts;	/* set only while opening */
	struct cfs_web_folder *web;	/* likewise; NULL: the source is no web
					 * folder */
	struct cfs_index *index;
	struct cfs_holes holes;		/* damage of the index that was met */
	bool damage_is_told;		/* that of archives: the index was made
					 * just now */
	bool has_no_page;		/* its index was made on first use, and
					 * is empty */
	struct cfs_store *store;
	struct cfs_bases *bases;	/* where the store looks */
	struct cfs_budget *budget;	/* opts->budget */
	struct cfs_seqstore *pairs;	/* the SequenceFiles' pairs */
	unsigned picked_by;		/* the conditions by which captures are
					 * picked (index/conditions.h); 0:
					 * all exist */
	struct cfs_similar *clusters;	/* the first hash of each cluster, once
					 * cfs_clusters_find has found them */
	int64_t mtime;			/* of directories: that of the index */
	bool finds_sizes;		/* an index is being built: its sizes of
					 * revisits are outdated */
	struct cfs_lru *pages;		/* the cache of captures.h */
	struct cfs_lru *cuts;		/* the cache of cuts.h */
	uint64_t list_max_bytes;	/* as in the options, and */
	struct cfs_memo *lists;		/* the table of list_max.h; NULL:
					 * listings have no limit */
	struct cfs_memo *needed;	/* the table of revisit.h */
	/* Lists of words (search.h); NULL: not opened yet. */
	struct cfs_word_lists *_Atomic words;
	/* Reads what is remote; NULL: nothing is. */
	struct cfs_cache *cache;
	struct cfs_cache_opener opener;
	struct cfs_cache_counters *counters;
	/* Sizes kept of its files (file_info.h); NULL: none are kept.  They
	 * hold the cache, also where nothing is remote. */
	struct cfs_sizes *sizes;
	struct cfs_cache *sizes_cache;
	struct cfs_sizes_id sizes_id;	/* state 0: the source has no identity
					 * that would be recognised later */
	/* How views are rendered, which decides their sizes.  Set before the
	 * crawl is used. */
	struct cfs_view_opts view;
	/* Likewise: files without a body are empty, one whose body is cut
	 * inside its coding ends there, and nothing of that is a failure. */
	bool absent_is_empty;
	/* All crawls of the same mount, this one among them: a revisit that
	 * names another file may find its body there.  Borrowed; n 0: none. */
	struct cfs_crawl *const *together;
	size_t n_together;
	/* Hashes of archives found to be named by an index that has no table of
	 * its archives (record_at.h). */
	_Atomic uint64_t named[1u << CFS_NAMED_BITS];
	/* For a union: its members, without indexes and stores of their own. */
	struct cfs_crawl **members;
	size_t n_members;
};

/* Suffix for messages of what is missing: " at that time" or " among what is
 * picked" if captures are picked, else "". */
static inline const char *cfs_crawl_pick_suffix(const struct cfs_crawl *c)
{
	if (c->picked_by == 0)
		return "";
	return c->picked_by == CFS_CONDITION_TIME ? " at that time" :
						    " among what is picked";
}

/*
 * Opens `source`, which is recognised by its bytes, not its name: a crawlfs
 * index, a PB-tree, CDX files, an archive, a WACZ or a folder of them (indexed
 * on first use, the index kept in the cache folder and reused while size and
 * mtime of every archive are unchanged), a list of archives, a URL of any of
 * these, or the name of a Common Crawl crawl; or several of them (sources.h),
 * which are opened as one.  CFS_ENOTFOUND, CFS_EFORMAT, ...; err has a
 * sentence.  Archives without a page fail only if there are no other sources.
 */
int cfs_crawl_open(struct cfs_crawl **out, const char *source,
		   const struct cfs_crawl_opts *opts, struct cfs_error *err);

/*
 * Opens several sources as one crawl (index/union.h).  opts->data may be a list
 * with a folder for each of them.  Fails like cfs_crawl_open and
 * cfs_union_open.
 */
int cfs_crawl_open_all(struct cfs_crawl **out, const char *const *sources,
		       size_t n, const struct cfs_crawl_opts *opts,
		       struct cfs_error *err);

void cfs_crawl_close(struct cfs_crawl *c);	/* accepts NULL */

/* Logs which of several crawls have no page.  CFS_ENOTFOUND if none has. */
int cfs_crawl_need_page(struct cfs_crawl *const *v, size_t n,
			struct cfs_error *err);

/* Tells a crawl which crawls are mounted together; `sources` are their names.
 * Call it before sizes of its files are kept; `all` may be filled later, but
 * before the crawl is used. */
void cfs_crawl_mount_together(struct cfs_crawl *c, struct cfs_crawl *const *all,
			      const char *const *sources, size_t n);

/* Sets *yes if a SOURCE (sources.h) includes plain archives, which opening it
 * would have to index first.  Does not open it.  0 or a failure. */
int cfs_crawl_is_archives(const char *source, const struct cfs_crawl_opts *opts,
			  bool *yes, struct cfs_error *err);

/* The next calls are the steps of opening.  This one makes a crawl that has
 * only the name of its source. */
int cfs_crawl_new(struct cfs_crawl **out, const char *source,
		  const struct cfs_crawl_opts *opts, struct cfs_error *err);

/* Opens the block cache of the process, or adds a holder to it; the options of
 * the first one apply. */
int cfs_crawl_hold_cache(struct cfs_cache **out,
			 const struct cfs_crawl_opts *opts,
			 struct cfs_error *err);
/* Gives the crawl the block cache, which reading from servers needs. */
int cfs_crawl_use_cache(struct cfs_crawl *c, struct cfs_error *err);

/* Opens the index in src, which it takes over and whose format and size are
 * known, and a store over its archives.  After a failure, or before trying
 * another index, call cfs_crawl_close_index. */
int cfs_crawl_open_index(struct cfs_crawl *c, struct cfs_source *src,
			 enum cfs_index_format format,
			 const struct cfs_bases *bases, struct cfs_error *err);
void cfs_crawl_close_index(struct cfs_crawl *c);

/* Does that for a union of open crawls: makes a store with the bases of all
 * members, and the union of their indexes. */
int cfs_crawl_join(struct cfs_crawl *c, struct cfs_error *err);

/*
 * Does the last step: wraps the index of a crawl that is open with all its
 * captures, as the options say: conditions, prefixes, dedup, part.  Names,
 * inodes and positions stay those of the whole.  0; CFS_EUNSUPPORTED if the
 * index does not have what is asked about; CFS_ENOTFOUND for a prefix that can
 * name nothing; CFS_ENOMEM, CFS_EINTR, failures of reading.
 */
int cfs_crawl_limit(struct cfs_crawl *c, const struct cfs_crawl_opts *opts,
		    struct cfs_error *err);

/*
 * Reads all captures that c->index shows, in its order, and adds to *hidden
 * each one with the payload digest of one before it; or, for CFS_DEDUP_NEAR,
 * with a simhash near that of one before it that is not hidden.  A capture
 * without a digest or hash is not hidden.  Logs how many are.  Uses a part of
 * opts->mem_bytes, and temporary files.
 *
 * 0; CFS_EUNSUPPORTED if none of the first captures has one, with what to
 * do; CFS_ELIMIT (more than CFS_HIDDEN_MAX); CFS_ENOMEM, CFS_EINTR, failures of
 * reading and of temporary files.
 */
int cfs_dedup_find(struct cfs_crawl *c, struct cfs_hidden *hidden,
		   const struct cfs_crawl_opts *opts, struct cfs_error *err);

/*
 * Finds the clusters of the whole crawl, whatever is picked of it: in index
 * order, a capture whose simhash is near to none of those that began a cluster
 * begins one.  They take memory_bytes at most, and differ in `bits` or less
 * from the first.
 *
 * 0; CFS_EUNSUPPORTED: the index has no hashes, with what to do; CFS_ELIMIT:
 * there are too many; CFS_ENOMEM, CFS_EINTR, failures of reading.
 */
int cfs_clusters_find(struct cfs_crawl *c, unsigned bits, size_t memory_bytes,
		      struct cfs_ctx ctx);

/* The cluster of a capture: the simhash of its first one.  False: it has none,
 * or they were not found. */
bool cfs_cluster_of(const struct cfs_crawl *c, const struct cfs_capture *cap,
		    uint64_t *out);

/* Opens a single source (no list), all parts of it.  Fails like
 * cfs_crawl_open. */
int cfs_crawl_open_one(struct cfs_crawl **out, const char *source,
		       const struct cfs_crawl_opts *opts,
		       struct cfs_error *err);

/* The name of the cache folder: `named` unless that is NULL, else
 * $XDG_CACHE_HOME/crawlfs, ~/.cache/crawlfs or /var/cache/crawlfs, written to
 * `usual`.  NULL if it does not fit there. */
const char *cfs_crawl_cache_name(const char *named, char usual[PATH_MAX]);
/* The same if it may be used.  NULL, which is logged, if others than this user
 * control the folder (base/trust.h). */
const char *cfs_crawl_cache_dir(const char *named, char usual[PATH_MAX]);
/* Appends suggestions for a crawl's name that is none, from the list that
 * crawlfs collections keeps (net/collections.h). */
void cfs_crawl_suggest(const char *name, const struct cfs_crawl_opts *opts,
		       struct cfs_buf *out);
/* Returns CFS_OK if the folder may be used, else CFS_EACCESS with the
 * reason. */
int cfs_crawl_judge_cache(const char *dir, struct cfs_error *err);
/* A writable folder for temporary files: that of the options; or the cache
 * folder, unless nothing is to be kept there, else $TMPDIR, /var/tmp or /tmp.
 * NULL: none. */
const char *cfs_crawl_temp_dir(const struct cfs_crawl_opts *opts,
			       char usual[PATH_MAX]);
/* A folder for inflating archives that a ZIP file holds compressed; NULL:
 * none. */
const char *cfs_crawl_inflate_dir(const struct cfs_crawl_opts *opts,
				  char usual[PATH_MAX]);

#endif
