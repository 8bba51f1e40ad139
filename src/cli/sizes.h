/* sizes.h - how large many archives are together, as far as a server can be
 * asked.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CLI_SIZES_H
#define CFS_CLI_SIZES_H

#include "base/strtab.h"
#include "record/store.h"

/* What an archive is taken to be when nobody knows: Common Crawl's ARC files
 * were closed after 10^8 bytes. */
#define CFS_SIZES_GUESS 100000000u

/* Up to so many archives are asked for one by one: at Common Crawl's 8 requests
 * at a time that is ten seconds.  Of more, a sample: their sizes differ by a
 * tenth or two, so the mean of a hundred is off by one in fifty. */
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
	uint64_t guessed;	/* taken as CFS_SIZES_GUESS */
	uint64_t as_mean;	/* taken as the mean of those known */
	struct cfs_error why;	/* what ended the asking; code 0: nothing */
};

/* Shows progress.  An archive that is not there is guessed; another failure
 * ends the asking, and is no failure of this.  0; CFS_EINTR; CFS_ENOMEM. */
int cfs_sizes_ask(struct cfs_sizes *out, const struct cfs_sizes_opts *opts,
		  struct cfs_error *err);

#endif
