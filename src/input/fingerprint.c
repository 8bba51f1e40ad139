/* fingerprint.c - a number that differs once a file, or any below a folder, has
 * changed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fingerprint.h"

#include <ftw.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"

#define WALK_FDS 32

static pthread_mutex_t walk_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t walk_sum;	/* guarded by walk_lock: nftw has no argument */
static size_t walk_skip;	/* guarded by walk_lock */

static int fingerprint_add_file(const char *path, const struct stat *st,
				int type, struct FTW *ftw)
{
	char line[PATH_MAX + 96];
	int n;

	(void)ftw;
	if (type != FTW_F || strlen(path) < walk_skip)
		return 0;
	n = snprintf(line, sizeof(line), "%s %lld %lld.%ld", path + walk_skip,
		     (long long)st->st_size, (long long)st->st_mtim.tv_sec,
		     st->st_mtim.tv_nsec);
	if (n > 0)	/* a sum, so that the order of the walk does not
			 * matter */
		walk_sum += cfs_hash64(cfs_slice_of(line, (size_t)n), 0);
	return 0;
}

uint64_t cfs_input_fingerprint(const char *path)
{
	uint64_t sum;

	pthread_mutex_lock(&walk_lock);
	walk_sum = 0;
	walk_skip = strlen(path);
	nftw(path, fingerprint_add_file, WALK_FDS, 0);
	sum = walk_sum;
	pthread_mutex_unlock(&walk_lock);
	return sum;
}
