/* descriptors.c - raises the limit of descriptors, counts files that are kept
 * open, and opens files when the limit is reached.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <time.h>

#include "clamp.h"
#include "sync.h"

/* Files that may be kept open, at the least and at most: more would only make
 * tables of the kernel longer. */
#define KEPT_LEAST 8u
#define KEPT_MOST 1024u
#define KEPT_PART 4u
/* Pauses double from one millisecond: a quarter of a second in all. */
#define TRIES_MAX 8u

static pthread_once_t account_once = PTHREAD_ONCE_INIT;
static struct cfs_budget *account;	/* kept until the process ends */

void cfs_descriptors_raise(void)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim) == 0 &&
	    lim.rlim_cur < lim.rlim_max) {
		lim.rlim_cur = lim.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &lim);
	}
}

static void make_account(void)
{
	struct rlimit lim = { .rlim_cur = 0 };

	(void)getrlimit(RLIMIT_NOFILE, &lim);
	account = cfs_budget_new(CFS_DESCRIPTOR_COST *
				 cfs_clamp_u64(lim.rlim_cur / KEPT_PART,
					       KEPT_LEAST, KEPT_MOST));
}

struct cfs_budget *cfs_descriptors_account(void)
{
	pthread_once(&account_once, make_account);
	return account;
}

/* Another thread may take what was closed here, or close something soon. */
static void descriptors_pause(unsigned tries)
{
	struct timespec t = { .tv_nsec = 1000000L << tries };

	nanosleep(&t, NULL);
}

int cfs_openat(int dirfd, const char *path, int flags, unsigned mode)
{
	for (unsigned tries = 0;; tries++) {
		int fd = openat(dirfd, path, flags | O_CLOEXEC, mode);
		int reason = errno;

		if (fd >= 0 || (reason != EMFILE && reason != ENFILE) ||
		    tries == TRIES_MAX)
			return fd;
		cfs_budget_squeeze(cfs_descriptors_account());
		if (tries > 0)
			descriptors_pause(tries - 1);
	}
}
