/* builder_revisits.h - the sizes of revisits, which are found once an index can
 * be asked what they refer to.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_BUILDER_REVISITS_H
#define CFS_BUILD_BUILDER_REVISITS_H

#include "cfx_write.h"

struct cfs_builder_sizes {
	uint64_t body, text, meta;
};

/* How they are found: by what serves pages, above this layer. */
struct cfs_builder_sizer {
	/* Opens an index, whose source it takes over; the archives are below
	 * the folder base.  *ix is lent until close. */
	int (*open)(void **sizer, struct cfs_index **ix, struct cfs_source *src,
		    const char *base, struct cfs_error *err);
	/* The sizes of the page at pos, on any thread.  0; CFS_EINTR or
	 * CFS_ENOMEM; another failure: they are not known. */
	int (*find)(void *sizer, cfs_pos pos, struct cfs_builder_sizes *out,
		    const struct cfs_cancel *cancel, struct cfs_error *err);
	void (*close)(void *sizer);		/* accepts NULL */
};

/* All of it borrowed. */
struct cfs_builder_revisits {
	const struct cfs_builder_sizer *sizer;
	const char *base;		/* folder of the archives */
	uint32_t n_archives;		/* the first ones, which are at hand */
	unsigned threads;
	const struct cfs_cancel *cancel;
};

/*
 * Writes a crawlfs index again, with the sizes of its revisits.
 *
 * src     the index; taken over
 * params  of the new one: as they were for src
 * counts  as of cfs_cfx_writer_finish
 *
 * 0, CFS_ENOMEM, CFS_EIO, CFS_EINTR, CFS_ELIMIT.
 */
int cfs_builder_revisits_write(const struct cfs_builder_revisits *r,
			       struct cfs_source *src,
			       const struct cfs_cfx_params *params,
			       struct cfs_builder_counts *counts,
			       struct cfs_error *err);

#endif
