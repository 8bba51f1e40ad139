/* cache_fixture.h - a cache in a folder of its own, over a far object.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_TESTS_CACHE_FIXTURE_H
#define CFS_TESTS_CACHE_FIXTURE_H

#include "unit.h"

#include <dirent.h>
#include <sys/stat.h>

#include "base/log.h"
#include "cache/disk.h"
#include "cache_source.h"

#define MB (UINT64_C(1) << 20)

static char dir[64];		/* a fresh cache folder for each test */
static unsigned warnings;

static inline void on_log(enum cfs_log_level level, const char *line, void *arg)
{
	(void)line;
	(void)arg;
	warnings += level == CFS_LOG_WARNING;
}

static inline int new_dir(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/cfs-cache-XXXXXX");
	assert_non_null(mkdtemp(dir));
	warnings = 0;
	cfs_log_to(on_log, NULL, CFS_LOG_INFO);
	return 0;
}

static inline int rm_dir(void **state)
{
	char cmd[128];

	(void)state;
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	return system(cmd);
}

/* A cache, a source wrapped in it, its counters. */
struct mnt {
	struct cfs_cache *c;
	struct cfs_source *src;
	struct cfs_cache_counters *n;
};

static inline struct cfs_cached_opts opts_of(struct mnt *m)
{
	return (struct cfs_cached_opts){
		.url = "http://far/object", .counters = m->n,
	};
}

static inline struct mnt mnt_open(struct far *f, uint64_t disk, size_t mem)
{
	struct cfs_cache_opts o = { .dir = dir, .disk_bytes = disk,
				    .mem_bytes = mem };
	struct cfs_cached_opts co;
	struct mnt m;

	if (disk == UINT64_MAX)
		o.dir = NULL;
	assert_int_equal(cfs_cache_open(&m.c, &o, NULL), 0);
	m.n = cfs_cache_counters_new(m.c);
	co = opts_of(&m);
	assert_int_equal(cfs_cached_open(&m.src, m.c, far_open(f), &co,
					 CFS_CTX(NULL, NULL)), 0);
	return m;
}

static inline void mnt_close(struct mnt *m)
{
	cfs_source_close(m->src);
	cfs_cache_close(m->c);
}

static inline int get(struct cfs_source *src, uint64_t off, size_t n, unsigned version)
{
	uint8_t *buf = malloc(n + 1);
	size_t got = 0;
	int rc = cfs_source_read_some(src, buf, n, off, &got,
				      CFS_CTX(NULL, NULL));

	if (rc == CFS_OK) {
		assert_int_equal(got, n);
		assert_true(far_same(buf, off, n, version));
	}
	free(buf);
	return rc;
}

#define GET(m, off, n) assert_int_equal(get((m).src, off, n, f.version), 0)

static inline uint64_t folder_bytes(char path[400], unsigned *n)
{
	uint64_t bytes = 0;
	char blocks[80];
	struct dirent *e;
	struct stat st;
	DIR *d;

	snprintf(blocks, sizeof(blocks), "%s/blocks", dir);
	d = opendir(blocks);
	*n = 0;
	while (d != NULL && (e = readdir(d)) != NULL) {
		if (strstr(e->d_name, ".seg") == NULL)
			continue;
		snprintf(path, 400, "%s/%s", blocks, e->d_name);
		if (stat(path, &st) == 0) {
			bytes += (uint64_t)st.st_size;
			++*n;
		}
	}
	if (d != NULL)
		closedir(d);
	return bytes;
}

#define UNIT_TEST_HERE(fn) unit_add_with(#fn, fn, new_dir, rm_dir)

#endif
