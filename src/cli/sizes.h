/* sizes.h - how large many archives are together, as far as servers report it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CLI_SIZES_H
#define CFS_CLI_SIZES_H

#include "base/strtab.h"
#include "record/store.h"

/* The assumed size of an archive where none is known: Common Crawl's ARC files
 * were closed after 10^8 bytes. */
#define CFS_SIZES_GUESS 100000000u

/* The sizes of up to so many archives are requested one by one: at Common
 * Crawl's 8 requests at a time that takes ten seconds.  Of more archives a
 * sample is requested: their sizes differ by a tenth or two, so the mean of a
 * hundred is off by one in fifty. */
#define CFS_SIZES_ASK_MAX 1000u
#define CFS_SIZES_SAMPLE 100u

struct cfs_sizes_opts {
	struct cfs_store *store;	/* borrowed, as all here */
	struct cfs_strtab *names;	/* of the archives */
	unsigned parallel;		/* requests at a time; 0: the most */
	const struct cfs_cancel *cancel;
};

struct cfs_sizes {
	uint64_t bytes;		/* of all; known + guessed + as_mean are all */
	uint64_t known;		/* of these the size is known */
	uint64_t guessed;	/* counted as CFS_SIZES_GUESS */
	uint64_t as_mean;	/* counted as the mean of those known */
	struct cfs_error why;	/* what ended the requests; code 0: nothing */
};

/* Shows progress.  An archive that is missing is guessed; another failure ends
 * the requests, and is reported in `why` only.  0; CFS_EINTR; CFS_ENOMEM. */
int cfs_sizes_ask(struct cfs_sizes *out, const struct cfs_sizes_opts *opts,
		  struct cfs_error *err);

#endif
