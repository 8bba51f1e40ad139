/* fs_make.c - makes the parts of a file system, and frees them in an order in
 * which none uses another that is gone.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fs_make.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "callers.h"
#include "failures.h"
#include "handles.h"
#include "loads.h"
#include "preload.h"
#include "readahead.h"

/* For all paths below .crawlfs/records that were asked for. */
#define RECORD_PATHS_BYTES ((size_t)64 << 20)

/* For all names in the root. */
#define ROOT_NAMES_BYTES ((size_t)64 << 20)

struct cfs_fs *cfs_fs_new(const struct cfs_fs_opts *opts)
{
	struct cfs_fs *fs = calloc(1, sizeof(*fs));

	if (fs == NULL)
		return NULL;
	fs->opts = *opts;
	fs->uid = getuid();
	fs->gid = getgid();
	fs->mounted_at = time(NULL);
	fs->budget = cfs_budget_new(opts->mem_bytes);
	fs->handles = cfs_handles_new(fs->crawls, fs->budget);
	fs->loads = cfs_loads_new(fs);
	fs->callers = cfs_callers_new();
	fs->root_names = cfs_strtab_new(ROOT_NAMES_BYTES);
	fs->record_paths = cfs_strtab_new(RECORD_PATHS_BYTES);
	fs->failures = cfs_failures_new();
	if (cfs_dircache_init(&fs->listings) != CFS_OK ||
	    fs->budget == NULL || fs->handles == NULL || fs->loads == NULL ||
	    fs->callers == NULL || fs->root_names == NULL ||
	    fs->record_paths == NULL ||
	    fs->failures == NULL) {
		cfs_fs_free(fs);
		return NULL;
	}
	return fs;
}

void cfs_fs_free(struct cfs_fs *fs)
{
	if (fs == NULL)
		return;
	cfs_loads_free(fs->loads);
	cfs_strtab_free(fs->record_paths);
	for (unsigned i = 0; i < CFS_SOURCES_MAX; i++)
		cfs_preload_free(fs->prepare[i]);
	cfs_handles_free(fs->handles);
	for (unsigned i = 0; i < CFS_SOURCES_MAX; i++) {
		cfs_readahead_free(fs->ahead[i]);
		cfs_crawl_close(fs->crawls[i]);
		free(fs->names[i]);
	}
	free(fs->config);
	cfs_callers_free(fs->callers);
	cfs_strtab_free(fs->root_names);
	cfs_failures_free(fs->failures);
	cfs_dircache_release(&fs->listings);
	cfs_budget_free(fs->budget);
	free(fs);
}
