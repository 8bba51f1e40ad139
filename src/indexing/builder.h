/* builder.h - sorts captures that come in any order into one index file.
 *
 * A parallel external sort in bounded memory: each feeding thread fills and
 * spills sorted runs of its own, which are merged into the index at the end.
 * The complete file replaces the one at `path`.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEXING_BUILDER_H
#define CFS_INDEXING_BUILDER_H

#include "base/pool.h"
#include "builder_opts.h"

struct cfs_builder;

/* Starts a build; opts are copied.  0; CFS_EUSAGE for an archive name that
 * leads out of the index's folder; CFS_ENOMEM; CFS_EACCESS, CFS_EIO. */
int cfs_builder_new(struct cfs_builder **out,
		    const struct cfs_builder_opts *opts, struct cfs_error *err);

/* Adds a capture from thread `feeder` (0 .. threads-1); different feeders may
 * add at the same time.  A capture without a place in the tree is counted, not
 * an error.  0, or failures as of cfs_extsort_add. */
int cfs_builder_add(struct cfs_builder *b, unsigned feeder,
		    const struct cfs_builder_capture *cap,
		    struct cfs_error *err);

/* False if the index cannot name archive `n` of opts: a PB-tree has places for
 * those of the crawl of 2012 only. */
bool cfs_builder_names_archive(const struct cfs_builder *b, uint32_t n);

/* Logs the archives' location, home, for formats that cannot record it (a
 * crawlfs index stores it).  home may be NULL. */
void cfs_builder_warn_no_home(enum cfs_index_format format, const char *home);

/* Logs that an archive is left out of a PB-tree. */
void cfs_builder_no_place(const char *archive);

/* The same for a text or metadata record; not for a PB-tree. */
int cfs_builder_add_annex(struct cfs_builder *b, unsigned feeder,
			 const struct cfs_builder_annex *annex,
			 struct cfs_error *err);

/* Are the texts of captures wanted, for a list of words?  And adds the text of
 * the capture, or of the text record, at a place in archive `n` of opts, as a
 * mount shows it.  0, or failures as of cfs_words_build_add. */
bool cfs_builder_wants_texts(const struct cfs_builder *b);
int cfs_builder_add_text(struct cfs_builder *b, unsigned feeder, uint32_t n,
			 const struct cfs_span *loc, struct cfs_slice text,
			 struct cfs_error *err);

/* Records in the index that archive `n` of opts is damaged at an offset, unless
 * it has no archives.  From any thread.  0 or CFS_ENOMEM. */
int cfs_builder_damaged(struct cfs_builder *b, uint32_t n, uint64_t offset,
			const char *what);
/* Records that there are more places in a list, some of which were recorded
 * (CFS_DAMAGE_OF_LIST). */
void cfs_builder_damaged_more(struct cfs_builder *b, uint32_t n, uint64_t more);

/* Sets the size and modification time (Unix seconds) of archive `n` of opts, if
 * they were not known before. */
void cfs_builder_know_archive(struct cfs_builder *b, uint32_t n, uint64_t size,
			      int64_t mtime);

/* Says that the index goes into another file of the same folder.  0 or
 * CFS_ENOMEM. */
int cfs_builder_redirect(struct cfs_builder *b, const char *path,
			 struct cfs_error *err);

/* Why captures of that kind are left out: "the path is too deep". */
const char *cfs_skipped_reason(enum cfs_skipped_kind kind);

/* True if nothing was added that has a place.  Appends what was left out, as
 * the end of a sentence (cfs_schemes_reason).  Call it once all is added. */
bool cfs_builder_is_empty(struct cfs_builder *b, struct cfs_buf *why);

/* Merges, writes, syncs and renames.  After a failure (CFS_ENOMEM, CFS_EIO,
 * CFS_EINTR, CFS_ELIMIT) the file at `path` is as it was. */
int cfs_builder_finish(struct cfs_builder *b, struct cfs_builder_counts *out,
		       struct cfs_error *err);

/* Removes the temporary files of an unfinished build.  Accepts NULL. */
void cfs_builder_free(struct cfs_builder *b);

/* Calls `one` with the numbers 0 to n - 1, on as many threads as there are
 * feeders.  Codes as of cfs_pool_each. */
int cfs_builder_each(const struct cfs_builder_opts *opts, size_t n,
		     cfs_pool_one *one, void *arg, struct cfs_error *err);

#endif
