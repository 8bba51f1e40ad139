/* cache_measure.c - how fast are hits, next to the same reads of a file?
 *
 *     cache_measure [FOLDER]
 *
 * Reads of 2,000 to 65,536 bytes at random places of 200 MB that are all in
 * the cache, and of a local file.  "First time": each read compares checksums.
 * Times are of the processor, medians of five runs that take turns.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "cache_source.h"
#include "rng.h"

#define TOTAL (UINT64_C(200) << 20)
#define RUNS 5

static double cpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Reads/s of `count` records of n bytes in random order. */
static double rate(struct cfs_source *src, size_t n, unsigned count)
{
	uint8_t *buf = malloc(n);
	uint64_t seed = n;
	double t = cpu_now();

	for (unsigned i = 0; i < count; i++)
		if (cfs_source_read(src, buf, n,
				    rng_below(&seed, TOTAL / n) * n,
				    CFS_CTX(NULL, NULL)) != CFS_OK)
			exit(1);
	t = cpu_now() - t;
	free(buf);
	return count / t;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double v[RUNS])
{
	qsort(v, RUNS, sizeof(v[0]), by_value);
	return v[RUNS / 2];
}

static void one_size(const char *dir, size_t n)
{
	struct far f = { .size = TOTAL };
	char cache_dir[300], path[300];
	struct cfs_cache_opts o = { .dir = cache_dir, .mem_bytes = 1 };
	struct cfs_cached_opts co = { .url = "http://far/o" };
	struct cfs_source *src, *file;
	double a[RUNS], b[RUNS], first;
	struct cfs_cache *c;
	uint8_t *buf = malloc(n);
	FILE *out;

	snprintf(cache_dir, sizeof(cache_dir), "%s/%zu", dir, n);
	snprintf(path, sizeof(path), "%s/%zu.file", dir, n);
	f.no_start = true;
	cfs_cache_open(&c, &o, NULL);
	cfs_cached_open(&src, c, far_open(&f), &co, CFS_CTX(NULL, NULL));
	out = fopen(path, "w");
	for (uint64_t off = 0; off + n <= TOTAL; off += n) {
		if (cfs_source_read(src, buf, n, off,
				    CFS_CTX(NULL, NULL)) != CFS_OK)
			exit(1);
		fwrite(buf, 1, n, out);
	}
	fclose(out);
	cfs_source_close(src);
	cfs_cache_close(c);

	f.down = true;
	cfs_cache_open(&c, &o, NULL);
	cfs_cached_open(&src, c, far_open(&f), &co, CFS_CTX(NULL, NULL));
	cfs_source_open_file(&file, path, NULL);
	first = rate(src, n, (unsigned)(TOTAL / n));
	for (unsigned i = 0; i < RUNS; i++) {
		a[i] = rate(src, n, (unsigned)(TOTAL / n));
		b[i] = rate(file, n, (unsigned)(TOTAL / n));
	}
	printf("%6zu bytes: cache %7.0f/s, file %7.0f/s: %.0f %%; first time %.0f %%\n",
	       n, median(a), median(b), 100 * median(a) / median(b),
	       100 * first / median(b));
	cfs_source_close(src);
	cfs_source_close(file);
	cfs_cache_close(c);
	free(buf);
}

int main(int argc, char **argv)
{
	static const size_t sizes[] = { 2000, 10000, 20000, 65536 };
	char dir[256] = "/tmp/cache-measure-XXXXXX", cmd[300];

	if (argc > 1)
		snprintf(dir, sizeof(dir), "%s/cache-measure-XXXXXX", argv[1]);
	if (mkdtemp(dir) == NULL)
		return 1;
	for (unsigned i = 0; i < 4; i++)
		one_size(dir, sizes[i]);
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	return system(cmd);
}
