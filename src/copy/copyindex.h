/* copyindex.h - the index of an archive that is being written, made while its
 * records are checked: so they need not be inflated again.
 *
 * The archive comes in stretches, and each is walked as a whole file would be
 * (scan.h).  Where a stretch is nothing but whole records, that finds what a
 * walk through the finished file finds.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_COPY_COPYINDEX_H
#define CFS_COPY_COPYINDEX_H

#include "build/builder.h"
#include "build/indexer_record.h"

/* A stretch of the archive, as it will be written. */
struct cfs_copyindex_stretch {
	const char *name;		/* of the archive, borrowed as all here */
	struct cfs_slice bytes;
	const size_t *ends;		/* where its pieces end; each follows */
	size_t n;			/* the one before */
	enum cfs_archive_format format;
	uint64_t max_record_bytes;
	const struct cfs_cancel *cancel;
};

/* What a look at one found. */
struct cfs_copyindex_found {
	struct cfs_buf captures;	/* for cfs_copyindex_add */
	bool is_arc2;			/* its first record is ARC version 2 */
	/* Not all there is for an index is in captures: it can only be made of
	 * the finished file. */
	bool is_odd;
};

void cfs_copyindex_found_init(struct cfs_copyindex_found *f);
void cfs_copyindex_found_release(struct cfs_copyindex_found *f);

/*
 * Inflates and parses all of a stretch.  0: a record of the format begins
 * each piece, none reaches past its own, and checksums and lengths hold.
 * CFS_EFORMAT: some piece is not so, and f is empty; CFS_ENOMEM; CFS_EINTR.
 * Any thread.
 */
int cfs_copyindex_look(struct cfs_copyindex_found *f,
		       const struct cfs_copyindex_stretch *s,
		       struct cfs_error *err);

struct cfs_copyindex;			/* used by one thread */

struct cfs_copyindex_opts {
	const char *archive, *path;	/* the file, and its index beside it */
	const struct cfs_cancel *cancel;
	/* As that of struct cfs_builder_opts. */
	void (*merged)(void *arg, uint64_t done, uint64_t total);
	void *arg;
};

/* opts are copied.  Failures as of cfs_builder_new. */
int cfs_copyindex_new(struct cfs_copyindex **out,
		      const struct cfs_copyindex_opts *opts,
		      struct cfs_error *err);

/* Takes what was found in the stretch that begins at `at` of the archive. */
int cfs_copyindex_add(struct cfs_copyindex *x,
		      const struct cfs_copyindex_found *f, uint64_t at,
		      struct cfs_error *err);

/* Writes the index of the finished archive; *archive_bytes is its size.
 * CFS_ENOTFOUND: nothing was added that has a place in an index. */
int cfs_copyindex_finish(struct cfs_copyindex *x, uint64_t *archive_bytes,
			 struct cfs_error *err);

void cfs_copyindex_free(struct cfs_copyindex *x);	/* accepts NULL */

#endif
