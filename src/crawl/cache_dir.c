/* cache_dir.c - finds the cache folder, and decides whether it may be used.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "crawl.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/log.h"
#include "base/trust.h"
#include "net/collections.h"

/* The names that crawlfs uses in a cache folder. */
static const char *const cache_names[] = { "blocks", "index", "inflated",
	"upload", CFS_COLLINFO_NAME, NULL };

static pthread_mutex_t judged_lock = PTHREAD_MUTEX_INITIALIZER;
static char *judged;		/* the folder judged last; guarded by
				 * judged_lock */
static bool judged_good;	/* guarded by judged_lock */

int cfs_crawl_judge_cache(const char *dir, struct cfs_error *err)
{
	int rc = cfs_trust_folder(dir, cache_names, err);

	pthread_mutex_lock(&judged_lock);
	free(judged);
	judged = strdup(dir);
	judged_good = rc == CFS_OK;
	pthread_mutex_unlock(&judged_lock);
	return rc;
}

/* Judges a folder once: if it is good, only this user can change it. */
static bool is_trusted(const char *dir)
{
	struct cfs_error e = CFS_ERROR_INIT;
	bool known, good;

	pthread_mutex_lock(&judged_lock);
	known = judged != NULL && strcmp(judged, dir) == 0;
	good = judged_good;
	pthread_mutex_unlock(&judged_lock);
	if (known)
		return good;
	good = cfs_crawl_judge_cache(dir, &e) == CFS_OK;
	if (!good)
		cfs_log(CFS_LOG_WARNING,
			"%s: %s: the cache folder is not used%s%s", e.where,
			e.text, strcmp(dir, e.where) == 0 ? "" : ": ",
			strcmp(dir, e.where) == 0 ? "" : dir);
	return good;
}

const char *cfs_crawl_cache_name(const char *named, char usual[PATH_MAX])
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	struct stat st;
	int n;

	if (named != NULL)
		return named;
	if (xdg != NULL && xdg[0] == '/')
		n = snprintf(usual, PATH_MAX, "%s/crawlfs", xdg);
	else if (home != NULL && home[0] == '/' && stat(home, &st) == 0)
		n = snprintf(usual, PATH_MAX, "%s/.cache/crawlfs", home);
	else
		n = snprintf(usual, PATH_MAX, "/var/cache/crawlfs");
	return n > 0 && n < PATH_MAX ? usual : NULL;
}

const char *cfs_crawl_cache_dir(const char *named, char usual[PATH_MAX])
{
	const char *dir = cfs_crawl_cache_name(named, usual);

	return dir != NULL && is_trusted(dir) ? dir : NULL;
}

const char *cfs_crawl_inflate_dir(const struct cfs_crawl_opts *opts,
				  char usual[PATH_MAX])
{
	return opts->no_cache ? NULL :
	       cfs_crawl_cache_dir(opts->cache_dir, usual);
}

const char *cfs_crawl_temp_dir(const struct cfs_crawl_opts *opts,
			       char usual[PATH_MAX])
{
	const char *cache = opts->no_cache ? NULL :
			    cfs_crawl_cache_dir(opts->cache_dir, usual);
	const char *const dirs[] = { cache, getenv("TMPDIR"), "/var/tmp",
				     "/tmp" };

	if (opts->temp_dir != NULL)
		return opts->temp_dir;
	if (cache != NULL)
		(void)cfs_make_folders(cache, 0700);
	for (size_t i = 0; i < sizeof(dirs) / sizeof(*dirs); i++)
		if (dirs[i] != NULL && dirs[i][0] == '/' &&
		    access(dirs[i], W_OK | X_OK) == 0)
			return dirs[i];
	return NULL;
}
