/* builder_internal.h - the parts of the builder: samples of keys, the damage of
 * archives, and the index written again with the sizes of revisits.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEXING_BUILDER_INTERNAL_H
#define CFS_INDEXING_BUILDER_INTERNAL_H

#include "base/fileio.h"
#include "base/pool.h"
#include "builder.h"
#include "builder_archives.h"
#include "codec/symbols.h"
#include "format/cfx/cfx_write.h"
#include "sort/extsort.h"
#include "sort/kv_array.h"

/* ---- samples of an index's keys, to train the symbols that compress them
 * (codec/symbols.h, builder_sample.c) ---- */

/* The sampled keys of one feeder; used by one thread at a time. */
struct cfs_builder_sample {
	struct cfs_kv_array keys; /* big-endian hash, and the part of the key
				   * that would be written */
	uint64_t hash_max;	/* keys with greater hashes are not in the
				 * sample */
	int failed;		/* 0 or CFS_ENOMEM, which train returns */
};

void cfs_builder_sample_init(struct cfs_builder_sample *s);
void cfs_builder_sample_release(struct cfs_builder_sample *s);

/* Takes a key if it belongs to the sample. */
void cfs_builder_sample_take(struct cfs_builder_sample *s,
			     struct cfs_slice key);

/* Trains symbols from n samples; the result depends only on all their keys
 * together.  Afterwards the samples can only be released.  0 or CFS_ENOMEM. */
int cfs_builder_sample_train(struct cfs_builder_sample *v, unsigned n,
			     struct cfs_symbols *out);

/* ---- the damage found while archives are read, encoded for an index
 * (format/cfx/cfx_damage.h, builder_damage.c) ---- */

struct cfs_damages;		/* shared by threads */

/* NULL: out of memory. */
struct cfs_damages *cfs_damages_new(uint32_t n_archives);
void cfs_damages_free(struct cfs_damages *d);	/* accepts NULL */

/* Adds what a report of another index has of lists that name archive `n`.  0 or
 * CFS_ENOMEM. */
int cfs_damages_learn(struct cfs_damages *d, uint32_t n,
		      struct cfs_slice report);

/* Adds the damage of archive `n` at an offset.  What is kept does not depend on
 * the order of calls.  0 or CFS_ENOMEM. */
int cfs_damages_add(struct cfs_damages *d, uint32_t n, uint64_t offset,
		    const char *what);
/* Counts further places in lists, of which some were added. */
void cfs_damages_add_more(struct cfs_damages *d, uint32_t n, uint64_t more);

/* Appends the table of all archives, within an index's limits.  is_part: with
 * the first report beyond them, so that merged parts end where one index does.
 * Codes as cfs_buf_add. */
int cfs_damages_table(const struct cfs_damages *d,
		      const struct cfs_builder_archives *a, bool is_part,
		      struct cfs_buf *out);

/* ---- captures as entries of a PB-tree (builder_pbtree.c) ---- */

/* The places of all archives of opts in the crawl of 2012. */
struct cfs_pb_places;

/* Logs the archives that a PB-tree cannot name, except the first n_at_hand, and
 * where the others are if that is not the base.  0 or CFS_ENOMEM; free *out in
 * any case. */
int cfs_pb_places_new(struct cfs_pb_places **out,
		      const struct cfs_builder_opts *opts);
void cfs_pb_places_free(struct cfs_pb_places *p);	/* accepts NULL */

/* Can the PB-tree name this archive of opts? */
bool cfs_pb_places_have(const struct cfs_pb_places *p, uint32_t archive);

/* Appends key and value of a capture of such an archive for the sort.  0;
 * CFS_ENOTFOUND: the URL has no key; failures of the buffers. */
int cfs_pb_pair(const struct cfs_pb_places *p,
		const struct cfs_builder_capture *c, struct cfs_buf *key,
		struct cfs_buf *value);

/* Writes the tree of the sorted pairs to fd, in which equal ones are once;
 * calls advanced(arg) for each.  Sets captures, repeated and file_bytes.  Codes
 * of cfs_extsort_next and cfs_pbtree_writer_add. */
int cfs_pb_write(struct cfs_extsort *sort, int fd,
		 const struct cfs_builder_opts *opts,
		 void (*advanced)(void *arg), void *arg,
		 struct cfs_builder_counts *counts, struct cfs_error *err);

struct cfs_builder_words;

/* ---- revisits, whose sizes are written once the index is complete
 * (builder_revisits.c) ---- */

/*
 * Writes a crawlfs index again, with the sizes of revisits; does nothing if
 * `again` is empty.
 *
 * opts    of the build: sizer, base, at_hand, threads and cancel
 * file    the index, complete but not committed; replaced by the new one
 * again   positions of revisits from cfs_builder_refs_write, not merged yet
 * words   gets the texts of revisits; or NULL
 * params  of the new index: those of the old one except fd
 * counts  captures and file_bytes are set, skipped is written
 *
 * 0, CFS_ENOMEM, CFS_EIO, CFS_EINTR, CFS_ELIMIT.
 */
int cfs_builder_revisits_write(const struct cfs_builder_opts *opts,
			       struct cfs_replacement *file,
			       struct cfs_extsort *again,
			       struct cfs_builder_words *words,
			       const struct cfs_cfx_params *params,
			       struct cfs_builder_counts *counts,
			       struct cfs_error *err);

/* ---- the list of words beside an index (builder_words.c) ---- */

/* opts are borrowed.  0 or CFS_ENOMEM; free *out in any case. */
int cfs_builder_words_new(struct cfs_builder_words **out,
			  const struct cfs_builder_opts *opts,
			  struct cfs_error *err);
void cfs_builder_words_free(struct cfs_builder_words *w);  /* accepts NULL */

/* Adds a text; archive: number in the index.  Codes as cfs_words_build_add. */
int cfs_builder_words_add(struct cfs_builder_words *w, unsigned feeder,
			  uint32_t archive, const struct cfs_span *loc,
			  struct cfs_slice text, struct cfs_error *err);

/* Makes the list of the index that was written to a file, which is complete;
 * mode: as in cfs_replacement_open.  Sets what counts say of it.  0,
 * CFS_ENOMEM, CFS_ELIMIT, CFS_EIO, CFS_EINTR. */
int cfs_builder_words_write(struct cfs_builder_words *w, const char *written,
			    mode_t mode, struct cfs_builder_counts *counts,
			    struct cfs_error *err);
/* Puts it in place, before the index. */
int cfs_builder_words_commit(struct cfs_builder_words *w,
			     struct cfs_error *err);

#endif
