/* indexer_opts.h - the options of the indexer: its inputs, and the index to
 * build.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEXING_INDEXER_OPTS_H
#define CFS_INDEXING_INDEXER_OPTS_H

#include "base/progress.h"
#include "index/part.h"
#include "merge_input.h"
#include "net/open_location.h"
#include "record/scan.h"

/* Bump when the indexer's output changes: kept indexes are then rebuilt. */
#define CFS_INDEXER_VERSION 14u

struct cfs_part_about;
struct cfs_web_folder;

/* Finds what these slots (1 << enum cfs_view_slot) have of a record, sizes of
 * its views and the hash of its main content, on any thread, and its languages,
 * unless they are known; gives its text to `taker`, unless that is NULL.  0;
 * CFS_ELIMIT: it has no sizes; a failure that ends the build. */
typedef int cfs_indexer_measure(const struct cfs_scan_item *item,
				const char *archive, uint32_t slots,
				const struct cfs_text_taker *taker,
				struct cfs_view_bytes *out,
				struct cfs_languages *languages,
				struct cfs_ctx ctx);

/* Finds the languages of a record's page alone.  Likewise. */
typedef int cfs_indexer_languages(const struct cfs_scan_item *item,
				  struct cfs_languages *out,
				  struct cfs_ctx ctx);

struct cfs_indexer_opts {
	/* Files and directories, URLs of archives, and lists of archives
	 * (pathlist.h) with names relative to `base`, or else to Common Crawl's
	 * public folder. */
	const char *const *inputs;
	size_t n_inputs;
	/* Sources that are used together with the index; borrowed.  A WACZ
	 * among them is not missing. */
	const char *const *beside;
	size_t n_beside;
	bool may_be_empty;	/* inputs without a page are no failure */
	/* The only input, if it is a web folder that was read already; else
	 * NULL.  Sizes and states that it lacks are requested and stored in
	 * it. */
	struct cfs_web_folder *web;
	/* If not 0: read about so many bytes of that folder, at least a few
	 * archives.  What is left for an update of the index is counted in
	 * `web`. */
	uint64_t web_batch_bytes;
	const char *output;
	const char *shown;		/* its name in messages; NULL: output */
	/* Folder or URL that archive names are made relative to; NULL:
	 * output's. */
	const char *base;
	/* How WACZ files on servers are opened, NULL: by cfs_location_open; and
	 * the cache folder for archives that are compressed in them, or
	 * NULL. */
	const struct cfs_opener *opener;
	const char *cache_dir;
	/* Folder or URL that the archive names of selections are relative to,
	 * NULL: Common Crawl's; and where to read the records of rows without a
	 * URL, NULL: the former. */
	const char *selection_base, *selection_data;
	/* A SELECT whose rows are a selection too, NULL: none; and folders
	 * whose files it may read besides the current one's, one per line. */
	const char *sql, *sql_folders;
	enum cfs_index_format format;	/* a PB-tree can name few archives */
	unsigned shards;		/* of a ZipNum cluster; 0: by size */
	size_t memory_bytes;		/* 0: a default */
	unsigned threads;		/* 0: one per processor */
	uint64_t max_record_bytes;	/* 0: a default */
	/* NULL: the index has no sizes of views.  view_version identifies the
	 * code that makes the views. */
	cfs_indexer_measure *view_bytes;
	uint32_t view_version;
	uint32_t view_slots;		/* 1 << enum cfs_view_slot */
	const struct cfs_builder_sizer *revisits;	/* likewise: sizes of
							 * revisits */
	/* Make a list of words beside the index, of these views; also made of
	 * indexes that all have one.  Not in memory. */
	bool with_words;
	/* NULL: pages of archives have no languages that could be kept or
	 * picked by. */
	cfs_indexer_languages *languages;
	/* The index has the languages of its pages: those that were found, and
	 * those that lines of CDXJ state.  Those that rows of selections state
	 * it always has. */
	bool keeps_languages;
	/* A crawlfs index has the digests of its pages' payloads: those that
	 * records and lines state, else computed of the records. */
	bool keeps_digests;
	/* Crawlfs indexes to merge into this one; the indexer sets their
	 * `numbers`. */
	struct cfs_merge_input *indexes;
	size_t n_indexes;
	/* The indexes are parts of one that say this of themselves
	 * (part_merge.c); NULL: they are not. */
	const struct cfs_part_about *parts;
	bool is_step;		/* merge some of them into a temporary index,
				 * which is merged again */
	/* Update the one index in `indexes`, which was built from `inputs`:
	 * unchanged files are not read again, and archives that are gone are
	 * left out. */
	bool is_update;
	/* For cfs_make_index: the index to update, which need not exist; names
	 * in it are relative to the same folder.  NULL: no update. */
	const char *update_of;
	/* Archives on servers that cannot be read, but perhaps later.  By
	 * default those that are refused are left out, and other trouble ends
	 * the build.  Not NULL: all are left out, and the index goes into this
	 * file in place of `output`, from which cfs_make_index resumes. */
	const char *unfinished;
	bool reads_archives;	/* those in a WACZ on a server, even if there is
				 * an index beside them */
	bool needs_all;		/* each of them ends the build */
	bool no_joins;		/* write no joindata */
	/* NULL: writes `output`.  Else a crawlfs index, without joindata and
	 * sizes of revisits, goes into this buffer. */
	struct cfs_buf *memory;
	struct cfs_pick *pick;	/* selects the captures to index; or NULL */
	/* If n is not 0: build only the k-th of n parts of the inputs
	 * (parts.h).  `output` is then a part's file, for cfs_parts_merge.  A
	 * complete part that exists is left alone, unless is_again. */
	struct cfs_part part;
	/* Bytes that are the same for parts made with the same options, and
	 * only for those; borrowed. */
	struct cfs_slice part_options;
	bool is_again;
	const struct cfs_cancel *cancel;
	/* Called with arg, besides logging, for an archive that cannot be read
	 * or is a damaged ZIP file; why->where is its location.  May be
	 * NULL. */
	void (*refused)(void *arg, const struct cfs_error *why);
	/* Called about ten times a second, on any thread.  May be NULL. */
	cfs_progress_fn *progress;
	void *arg;
};

/* Will all pages have the languages that can be found? */
static inline bool cfs_indexer_finds_languages(const struct cfs_indexer_opts *o)
{
	return o->keeps_languages && o->languages != NULL;
}

#endif
