/* fuzz_crawl.h - a small crawl in the folder of fuzz_folder.h, which a target
 * opens once.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_TESTS_FUZZ_CRAWL_H
#define CFS_TESTS_FUZZ_CRAWL_H

#include "base/log.h"
#include "crawl/crawl.h"
#include "fuzz_folder.h"

static inline void fuzz_no_line(enum cfs_log_level level, const char *line,
				void *arg)
{
	(void)level;
	(void)line;
	(void)arg;
}

/* Opens what was written under a name.  Nothing is logged from now on. */
static inline struct cfs_crawl *fuzz_open_crawl(const char *name)
{
	struct cfs_crawl_opts o = { .cache_dir = fuzz_path("cache"),
				    .mem_bytes = 8 << 20 };
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_crawl *c;

	cfs_log_to(fuzz_no_line, NULL, CFS_LOG_ERROR);
	must(cfs_crawl_open(&c, fuzz_path(name), &o, &err) == CFS_OK);
	return c;
}

#endif
