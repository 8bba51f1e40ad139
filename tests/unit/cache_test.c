/* cache_test.c - the block cache's promises (DESIGN section 8).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include <cmocka.h>

#include "base/log.h"
#include "cache/disk.h"
#include "cache_source.h"
#include "rng.h"

#define MB (UINT64_C(1) << 20)

static char dir[64];		/* a fresh cache folder for each test */
static unsigned warnings;

static void on_log(enum cfs_log_level level, const char *line, void *arg)
{
	(void)line;
	(void)arg;
	warnings += level == CFS_LOG_WARNING;
}

static int new_dir(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/cfs-cache-XXXXXX");
	assert_non_null(mkdtemp(dir));
	warnings = 0;
	cfs_log_to(on_log, NULL, CFS_LOG_INFO);
	return 0;
}

static int rm_dir(void **state)
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

static struct cfs_cached_opts opts_of(struct mnt *m)
{
	return (struct cfs_cached_opts){
		.url = "http://far/object", .counters = m->n,
	};
}

static struct mnt mnt_open(struct far *f, uint64_t disk, size_t mem)
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
	assert_int_equal(cfs_cached_open(&m.src, m.c, far_open(f), &co, NULL,
					 NULL), 0);
	return m;
}

static void mnt_close(struct mnt *m)
{
	cfs_source_close(m->src);
	cfs_cache_close(m->c);
}

static int get(struct cfs_source *src, uint64_t off, size_t n, unsigned version)
{
	uint8_t *buf = malloc(n + 1);
	size_t got = 0;
	int rc = cfs_source_read_some(src, buf, n, off, &got, NULL, NULL);

	if (rc == CFS_OK) {
		assert_int_equal(got, n);
		assert_true(far_same(buf, off, n, version));
	}
	free(buf);
	return rc;
}

#define GET(m, off, n) assert_int_equal(get((m).src, off, n, f.version), 0)

/* ---- reading ---------------------------------------------------------- */

static void exactly_as_asked(void **state)
{
	struct far f = { .size = MB };
	struct mnt m = mnt_open(&f, 0, 0);

	(void)state;
	GET(m, 1000, 500);
	assert_int_equal(f.requests, 1);
	assert_int_equal(f.bytes, 500);
	GET(m, 1000, 500);
	GET(m, 1100, 100);
	assert_int_equal(f.requests, 1);
	assert_int_equal(m.n->hits, 2);
	assert_int_equal(m.n->misses, 1);
	GET(m, 1200, 500);		/* only the rest */
	assert_int_equal(f.requests, 2);
	assert_int_equal(f.bytes, 700);
	GET(m, 500000, 20000);
	/* two missing parts, far from each other: two requests */
	GET(m, 400000, 200000);
	assert_int_equal(f.requests, 5);
	assert_int_equal(f.bytes, 200700);
	/* near: one */
	GET(m, 700000, 10);
	GET(m, 699000, 2000);
	assert_int_equal(f.requests, 7);
	assert_int_equal(f.bytes, 200700 + 10 + 2000);
	mnt_close(&m);
}

static void ends(void **state)
{
	struct far f = { .size = 100000 };
	struct mnt m = mnt_open(&f, 0, 0);
	uint8_t buf[1000];
	size_t got;

	(void)state;
	assert_true(m.src->size == CFS_SIZE_UNKNOWN);
	assert_int_equal(cfs_source_read_some(m.src, buf, 1000, 99900, &got, NULL, NULL), 0);
	assert_int_equal(got, 100);
	assert_true(far_same(buf, 99900, 100, 0));
	assert_int_equal(m.src->size, 100000);
	assert_int_equal(cfs_source_read_some(m.src, buf, 1, 100000, &got, NULL, NULL), 0);
	assert_int_equal(got, 0);
	assert_int_equal(cfs_source_find_size(m.src, NULL, NULL), 0);
	mnt_close(&m);

	f.requests = 0;
	rm_dir(NULL);
	m = mnt_open(&f, 0, 0);
	assert_int_equal(cfs_source_find_size(m.src, NULL, NULL), 0);
	assert_int_equal(m.src->size, 100000);
	/* an empty answer past the end does not make it ask for ever */
	mnt_close(&m);
	f.size = 0;
	f.version++;
	m = mnt_open(&f, UINT64_MAX, 0);
	assert_int_equal(cfs_source_read_some(m.src, buf, 10, 0, &got, NULL, NULL), 0);
	assert_int_equal(got, 0);
	mnt_close(&m);
}

static void large(void **state)
{
	struct far f = { .size = 40 * MB };
	struct mnt m = mnt_open(&f, 0, 4 * MB);

	(void)state;
	GET(m, 5, 30 * MB);
	assert_int_equal(f.bytes, 30 * MB);
	mnt_close(&m);
	f.down = true;
	m = mnt_open(&f, 0, 4 * MB);
	GET(m, 5, 30 * MB);
	mnt_close(&m);
}

/* ---- between mounts --------------------------------------------------- */

static void warm_without_network(void **state)
{
	struct far f = { .size = 10 * MB };
	struct mnt m = mnt_open(&f, 0, 0);
	uint64_t seed = 1;

	(void)state;
	for (unsigned i = 0; i < 300; i++)
		GET(m, rng_below(&seed, 9 * MB), 1 + rng_below(&seed, 20000));
	mnt_close(&m);
	f.down = true;
	f.requests = 0;
	for (unsigned k = 0; k < 2; k++) {
		m = mnt_open(&f, 0, 0);
		assert_int_equal(m.src->size, 10 * MB);
		seed = 1;
		for (unsigned i = 0; i < 300; i++)
			GET(m, rng_below(&seed, 9 * MB), 1 + rng_below(&seed, 20000));
		assert_int_equal(f.requests, 0);
		assert_int_equal(m.n->misses, 0);
		mnt_close(&m);
	}
	assert_int_equal(warnings, 0);
}

static void same_url_twice(void **state)
{
	struct far f = { .size = MB };
	struct mnt m = mnt_open(&f, 0, 0);
	struct cfs_cached_opts o = opts_of(&m);
	struct cfs_source *other;

	(void)state;
	assert_int_equal(cfs_cached_open(&other, m.c, far_open(&f), &o, NULL, NULL), 0);
	GET(m, 0, 1000);
	assert_int_equal(get(other, 0, 1000, 0), 0);
	assert_int_equal(f.requests, 1);
	cfs_source_close(other);
	/* bytes outlive the source */
	cfs_source_close(m.src);
	assert_int_equal(cfs_cached_open(&m.src, m.c, far_open(&f), &o, NULL, NULL), 0);
	GET(m, 0, 1000);
	assert_int_equal(f.requests, 1);
	mnt_close(&m);
}

/* No validator, or none to be had: nothing on disk, and no old bytes. */
static void without_validator(void **state)
{
	struct far f = { .size = MB, .no_validator = true };
	struct mnt m = mnt_open(&f, 0, 0);

	(void)state;
	GET(m, 0, 1000);
	GET(m, 0, 1000);
	assert_int_equal(f.requests, 1);
	mnt_close(&m);
	f.version++;
	m = mnt_open(&f, 0, 0);
	GET(m, 0, 1000);
	assert_int_equal(f.requests, 2);
	mnt_close(&m);
}

/* ---- an object that changes ------------------------------------------- */

static void changed_and_validated(void **state)
{
	struct far f = { .size = MB };
	struct mnt m = mnt_open(&f, 0, 0);
	struct cfs_cached_opts o = opts_of(&m);
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_source *src;

	(void)state;
	GET(m, 0, 50000);
	mnt_close(&m);
	f.version++;
	f.size = MB / 2;
	m = mnt_open(&f, 0, 0);
	o = opts_of(&m);
	cfs_source_close(m.src);
	o.validate_ms = 5000;
	assert_int_equal(cfs_cached_open(&m.src, m.c, far_open(&f), &o, NULL, NULL), 0);
	assert_int_equal(m.src->size, MB / 2);
	GET(m, 0, 50000);
	mnt_close(&m);
	/* with the server down there is no answer, and no waiting for it */
	f.down = true;
	m = mnt_open(&f, 0, 0);
	o = opts_of(&m);
	o.validate_ms = 5000;
	assert_int_equal(cfs_cached_open(&src, m.c, far_open(&f), &o, NULL, &err), 0);
	assert_int_equal(get(src, 0, 50000, 1), 0);
	cfs_source_close(src);
	mnt_close(&m);
}

static void changed_before_use(void **state)
{
	struct far f = { .size = MB };
	struct mnt m = mnt_open(&f, 0, 0);

	(void)state;
	GET(m, 0, 50000);
	mnt_close(&m);
	f.version++;
	m = mnt_open(&f, 0, 0);
	GET(m, 100000, 100);	/* not cached: the answer tells */
	GET(m, 0, 50000);	/* the new bytes */
	mnt_close(&m);
	f.down = true;
	m = mnt_open(&f, 0, 0);
	GET(m, 0, 50000);
	mnt_close(&m);
}

static void changed_in_use(void **state)
{
	struct far f = { .size = MB };
	struct mnt m = mnt_open(&f, 0, 0);
	struct cfs_error err = CFS_ERROR_INIT;
	uint8_t buf[100];

	(void)state;
	GET(m, 0, 50000);
	mnt_close(&m);
	f.version++;
	m = mnt_open(&f, 0, 0);
	assert_int_equal(get(m.src, 0, 50000, 0), 0);	/* as it was */
	assert_int_equal(cfs_source_read(m.src, buf, 100, 100000, NULL, &err), CFS_ECHANGED);
	assert_non_null(strstr(err.text, "changed"));
	assert_int_equal(get(m.src, 0, 100, 0), CFS_ECHANGED);
	/* opened again, it is right, and stays so */
	cfs_source_close(m.src);
	{
		struct cfs_cached_opts o = opts_of(&m);

		assert_int_equal(cfs_cached_open(&m.src, m.c, far_open(&f), &o, NULL, NULL), 0);
	}
	GET(m, 0, 50000);
	mnt_close(&m);
	m = mnt_open(&f, 0, 0);
	GET(m, 0, 50000);
	GET(m, 200000, 100);
	mnt_close(&m);
}

/* ---- failures --------------------------------------------------------- */

static void failures_are_not_kept(void **state)
{
	struct far f = { .size = MB, .fail_next = 1 };
	struct mnt m = mnt_open(&f, 0, 0);

	for (unsigned k = 0; k < 2; k++) {
		f.no_start = k == 1;
		f.fail_next = 1;
		mnt_close(&m);
		m = mnt_open(&f, 0, 0);
		assert_int_equal(get(m.src, k * 5000, 100, 0), CFS_EIO);
		GET(m, k * 5000, 100);
		assert_int_equal(m.n->failures, 1);
	}
	(void)state;
	mnt_close(&m);
}

static bool asked(void *arg)
{
	return *(atomic_bool *)arg;
}

struct reader {
	struct cfs_source *src;
	const struct cfs_cancel *cancel;
	uint64_t off;
	size_t n;
	int rc;
	double seconds;
	unsigned version;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void *read_run(void *arg)
{
	struct reader *r = arg;
	uint8_t *buf = malloc(r->n);
	double t = now();

	r->rc = cfs_source_read(r->src, buf, r->n, r->off, r->cancel, NULL);
	r->seconds = now() - t;
	if (r->rc == CFS_OK && !far_same(buf, r->off, r->n, r->version))
		r->rc = -100;
	free(buf);
	return NULL;
}

static void single_flight(void **state)
{
	(void)state;
	for (unsigned k = 0; k < 2; k++) {
		struct far f = { .size = MB, .delay_us = 300000, .no_start = k == 1 };
		struct mnt m = mnt_open(&f, UINT64_MAX, 0);
		atomic_bool stop = false;
		struct cfs_cancel cancel = { .asked = asked, .arg = &stop };
		struct reader r[8];
		pthread_t t[8];

		for (unsigned i = 0; i < 8; i++) {
			r[i] = (struct reader){ .src = m.src, .off = 1000 + i, .n = 5000 - 2 * i,
						.cancel = i == 7 ? &cancel : NULL };
			pthread_create(&t[i], NULL, read_run, &r[i]);
			if (i == 0)
				usleep(50000);
		}
		usleep(50000);
		stop = true;
		for (unsigned i = 0; i < 8; i++)
			pthread_join(t[i], NULL);
		for (unsigned i = 0; i < 7; i++)
			assert_int_equal(r[i].rc, 0);
		assert_int_equal(r[7].rc, CFS_EINTR);
		assert_true(r[7].seconds < 0.25);
		assert_int_equal(f.requests, 1);
		mnt_close(&m);
	}
}

/* He who asked first gives up: the others, and later ones, get the bytes. */
static void asker_gives_up(void **state)
{
	struct far f = { .size = MB, .delay_us = 300000 };
	struct mnt m = mnt_open(&f, UINT64_MAX, 0);
	atomic_bool stop = false;
	struct cfs_cancel cancel = { .asked = asked, .arg = &stop };
	struct reader a = { .src = m.src, .off = 0, .n = 1000, .cancel = &cancel };
	struct reader b = { .src = m.src, .off = 0, .n = 1000 };
	pthread_t ta, tb;

	(void)state;
	pthread_create(&ta, NULL, read_run, &a);
	usleep(50000);
	pthread_create(&tb, NULL, read_run, &b);
	stop = true;
	pthread_join(ta, NULL);
	pthread_join(tb, NULL);
	assert_int_equal(a.rc, CFS_EINTR);
	assert_int_equal(b.rc, 0);
	assert_int_equal(f.requests, 1);
	mnt_close(&m);
}

/* ---- read ahead ------------------------------------------------------- */

static void prefetch(void **state)
{
	(void)state;
	for (unsigned k = 0; k < 2; k++) {
		struct far f = { .size = 64 * MB, .delay_us = 20000 };
		struct mnt m = mnt_open(&f, k == 0 ? 0 : UINT64_MAX, 8 * MB);
		double t = now();

		for (unsigned i = 0; i < 20; i++)
			cfs_source_prefetch(m.src, i * 100000, 5000);
		for (unsigned i = 0; i < 20; i++)
			GET(m, i * 100000, 5000);
		t = now() - t;
		assert_true(f.most > 5);
		assert_int_equal(f.requests, 20);
		assert_int_equal(m.n->misses, 0);
		assert_int_equal(m.n->ahead_used, 20);
		/* what is there or on its way is not asked for again */
		cfs_source_prefetch(m.src, 0, 5000);
		cfs_source_prefetch(m.src, 5000000, 5000);
		cfs_source_prefetch(m.src, 5000000, 5000);
		assert_int_equal(m.n->ahead, 21);
		/* never more than half of the memory is for what may be unread */
		for (unsigned i = 0; i < 200; i++)
			cfs_source_prefetch(m.src, 10 * MB + i * 100000, 65536);
		assert_true(m.n->ahead_bytes < 4 * MB + 21 * 5000);
		cfs_cache_flush(m.c);
		/* reading much else drops it */
		GET(m, 40 * MB, 20 * MB);
		assert_true(m.n->ahead_wasted > 50);
		mnt_close(&m);
	}
}

/* One request for several records: each is then found as it was asked for. */
static void joined_then_single(void **state)
{
	struct far f = { .size = MB };
	struct mnt m = mnt_open(&f, 0, 0);

	(void)state;
	f.delay_us = 50000;
	cfs_source_prefetch(m.src, 1000, 100000);
	for (unsigned i = 0; i < 10; i++)
		cfs_source_prefetch(m.src, 1000 + i * 10000, 10000);
	assert_int_equal(m.n->fetches, 1);
	for (unsigned i = 0; i < 10; i++)
		GET(m, 1000 + i * 10000, 10000);
	mnt_close(&m);
	f.down = true;
	m = mnt_open(&f, 0, 0);
	for (unsigned i = 0; i < 10; i++)
		GET(m, 1000 + i * 10000, 10000);
	mnt_close(&m);
	{
		struct cfs_disk_info info;
		struct cfs_disk *d;

		assert_int_equal(cfs_disk_open(&d, dir, 0, NULL), 0);
		assert_int_equal(cfs_disk_get_info(d, &info, NULL), 0);
		assert_int_equal(info.records, 10);
		assert_int_equal(info.data_bytes, 100000);
		cfs_disk_close(d);
	}
}

/* ---- the folder ------------------------------------------------------- */

static uint64_t folder_bytes(char path[400], unsigned *n)
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

static void bound(void **state)
{
	struct far f = { .size = 100 * MB };
	struct mnt m = mnt_open(&f, 4 * MB, MB);
	char path[400];
	unsigned n;
	uint64_t at_end;

	(void)state;
	for (uint64_t off = 0; off < 20 * MB; off += 10000) {
		GET(m, off, 10000);
		assert_true(folder_bytes(path, &n) <= 4 * MB);
	}
	cfs_cache_flush(m.c);
	at_end = folder_bytes(path, &n);
	assert_true(at_end > 3 * MB);
	mnt_close(&m);
	/* what was read last is there */
	f.down = true;
	m = mnt_open(&f, 4 * MB, MB);
	GET(m, 19 * MB / 10000 * 10000, 10000);
	GET(m, (20 * MB - 1) / 10000 * 10000, 10000);
	assert_int_equal(get(m.src, 0, 10000, 0), CFS_EIO);
	mnt_close(&m);
	assert_int_equal(warnings, 0);
}

static void tiny_bound(void **state)
{
	struct far f = { .size = 10 * MB };
	struct mnt m = mnt_open(&f, 1000, 100000);

	(void)state;
	for (uint64_t off = 0; off < 2 * MB; off += 50000)
		GET(m, off, 50000);
	GET(m, 0, MB);
	mnt_close(&m);
	assert_int_equal(warnings, 1);
}

/* Every byte of every file damaged in turn, in steps: never a wrong byte. */
static void flipped_bits(void **state)
{
	struct far f = { .size = MB };
	struct mnt m = mnt_open(&f, 0, 0);
	char path[400];
	uint64_t size, seed = 5, damaged = 0;
	unsigned n;

	(void)state;
	for (uint64_t off = 0; off < 200000; off += 10000)
		GET(m, off, 10000);
	mnt_close(&m);
	size = folder_bytes(path, &n);
	assert_int_equal(n, 1);
	for (unsigned k = 0; k < 60; k++) {
		uint64_t at = rng_below(&seed, size);
		int fd = open(path, O_RDWR);
		uint8_t b;

		assert_int_equal(pread(fd, &b, 1, (off_t)at), 1);
		b ^= (uint8_t)(1 << k % 8);
		assert_int_equal(pwrite(fd, &b, 1, (off_t)at), 1);
		close(fd);
		m = mnt_open(&f, 0, 0);
		for (uint64_t off = 0; off < 200000; off += 10000)
			GET(m, off, 10000);
		GET(m, 5000, 150000);
		damaged += m.n->damaged;
		mnt_close(&m);
		/* and it has been put right */
		f.down = true;
		m = mnt_open(&f, 0, 0);
		for (uint64_t off = 0; off < 200000; off += 10000)
			GET(m, off, 10000);
		mnt_close(&m);
		f.down = false;
		folder_bytes(path, &n);
	}
	print_message("    %u found\n", (unsigned)damaged);
	assert_true(damaged > 10);	/* of 20 records */
}

/* Damage is also seen while it is mounted, once the last check is old; a
 * segment that is cut off or deleted under us is a miss. */
static void truncated_and_removed(void **state)
{
	struct far f = { .size = MB };
	struct mnt m = mnt_open(&f, 0, 0);
	char path[400];
	unsigned n;

	(void)state;
	GET(m, 0, 200000);
	mnt_close(&m);
	m = mnt_open(&f, 0, 0);
	GET(m, 0, 200000);
	folder_bytes(path, &n);
	assert_int_equal(truncate(path, 30000), 0);
	GET(m, 0, 200000);
	assert_true(f.requests > 1);
	cfs_cache_flush(m.c);
	folder_bytes(path, &n);
	unlink(path);
	GET(m, 0, 200000);
	GET(m, 300000, 200000);
	mnt_close(&m);
	m = mnt_open(&f, 0, 0);
	GET(m, 0, 500000);
	mnt_close(&m);
}

/* Things with a segment's name that are none. */
static void foreign_files(void **state)
{
	static const char *const names[] = {
		"0000000000000001-00000000.seg", "0000000000000002-00000000.seg",
		"x", "0000000000000002-00000000.seg.old",
	};
	struct far f = { .size = MB };
	struct mnt m = mnt_open(&f, 0, 0);
	char path[400];
	FILE *o;

	(void)state;
	mnt_close(&m);
	for (unsigned i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "%s/blocks/%s", dir, names[i]);
		o = fopen(path, "w");
		assert_non_null(o);
		if (i == 1)
			fprintf(o, "this is no segment, though its name says so");
		fclose(o);
	}
	snprintf(path, sizeof(path), "%s/blocks/0000000000000003-00000000.seg", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	m = mnt_open(&f, 0, 0);
	GET(m, 0, 200000);
	mnt_close(&m);
	snprintf(path, sizeof(path), "%s/blocks/x", dir);
	assert_int_equal(access(path, F_OK), 0);
	f.down = true;
	m = mnt_open(&f, 0, 0);
	GET(m, 0, 200000);
	mnt_close(&m);
}

/* ---- several at once -------------------------------------------------- */

static void two_mounts(void **state)
{
	struct far f = { .size = 10 * MB };
	struct mnt a = mnt_open(&f, 0, 0), b = mnt_open(&f, 0, 0);

	(void)state;
	GET(a, 0, 100000);
	cfs_cache_flush(a.c);
	usleep(350000);			/* the longest it may take to be seen */
	GET(b, 0, 100000);
	assert_int_equal(f.requests, 1);
	assert_int_equal(b.n->misses, 0);
	GET(b, 200000, 100000);
	cfs_cache_flush(b.c);
	usleep(350000);
	GET(a, 200000, 100000);
	assert_int_equal(f.requests, 2);
	mnt_close(&a);
	mnt_close(&b);
	f.down = true;
	a = mnt_open(&f, 0, 0);
	GET(a, 0, 100000);
	GET(a, 200000, 100000);
	mnt_close(&a);
}

/* Random reads, hints and failures, compared byte by byte. */
struct storm {
	struct mnt *m;
	struct far *f;
	uint64_t seed;
	unsigned rounds, wrong;
};

static void *storm_run(void *arg)
{
	struct storm *s = arg;
	uint8_t *buf = malloc(300000);

	for (unsigned i = 0; i < s->rounds; i++) {
		uint64_t off = rng_below(&s->seed, s->f->size);
		size_t n = 1 + rng_below(&s->seed, rng_below(&s->seed, 8) ? 20000 : 300000);
		size_t got = 0;

		if (rng_below(&s->seed, 4) == 0) {
			cfs_source_prefetch(s->m->src, off, n);
			continue;
		}
		if (rng_below(&s->seed, 50) == 0)
			s->f->fail_next = 1;
		if (cfs_source_read_some(s->m->src, buf, n, off, &got, NULL, NULL) != CFS_OK)
			continue;
		if (got != (n < s->f->size - off ? n : s->f->size - off) ||
		    !far_same(buf, off, got, s->f->version))
			s->wrong++;
	}
	free(buf);
	return NULL;
}

static void storm_with(uint64_t disk, size_t mem, bool two)
{
	struct far f = { .size = 8 * MB, .delay_us = 200 };
	struct mnt m[2];
	struct storm s[4];
	pthread_t t[4];

	m[0] = mnt_open(&f, disk, mem);
	m[1] = mnt_open(&f, disk, mem);
	for (unsigned i = 0; i < 4; i++) {
		s[i] = (struct storm){ &m[two ? i % 2 : 0], &f, i, 400, 0 };
		pthread_create(&t[i], NULL, storm_run, &s[i]);
	}
	for (unsigned i = 0; i < 4; i++) {
		pthread_join(t[i], NULL);
		assert_int_equal(s[i].wrong, 0);
	}
	mnt_close(&m[0]);
	mnt_close(&m[1]);
}

static void storms(void **state)
{
	(void)state;
	storm_with(0, 0, false);
	storm_with(UINT64_MAX, 1, true);
	storm_with(2 * MB, 200000, true);
	storm_with(4 * MB, MB, true);
}

static void child_storm(unsigned seed, uint64_t disk, unsigned rounds)
{
	struct far f = { .size = 4 * MB };
	struct mnt m = mnt_open(&f, disk, MB);
	struct storm s = { &m, &f, seed, rounds, 0 };

	storm_run(&s);
	mnt_close(&m);
	_exit(s.wrong == 0 ? 0 : 1);
}

static void two_processes(void **state)
{
	pid_t pid[3];

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		pid[i] = fork();
		if (pid[i] == 0)
			child_storm(i, 3 * MB, 400);
	}
	for (unsigned i = 0; i < 3; i++) {
		int status;

		assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
}

/* 200 times: a process that writes is killed at any moment; then every byte
 * that the cache serves is right, and it goes on being used. */
static void killed(void **state)
{
	struct far f = { .size = 4 * MB };
	uint64_t seed = 9, served = 0;
	uint8_t *buf = malloc(4 * MB);
	char path[400];
	unsigned n;

	(void)state;
	for (unsigned k = 0; k < 200; k++) {
		pid_t pid = fork();
		struct mnt m;
		int status;

		if (pid == 0)
			child_storm(k, 2 * MB, 1000000);
		usleep((useconds_t)(500 + rng_below(&seed, 30000)));
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		f.down = true;		/* only what is cached */
		m = mnt_open(&f, 2 * MB, MB);
		for (uint64_t off = 0; off < 4 * MB; off += 5000) {
			size_t got = 0;

			if (cfs_source_read_some(m.src, buf, 5000, off, &got, NULL, NULL) != CFS_OK)
				continue;
			assert_true(far_same(buf, off, got, 0));
			served += got;
		}
		mnt_close(&m);
		assert_true(folder_bytes(path, &n) <= 2 * MB);
	}
	free(buf);
	print_message("    %llu MB served after kills\n", (unsigned long long)(served / MB));
	assert_true(served > 20 * MB);
	f.down = false;
	{
		struct mnt m = mnt_open(&f, 2 * MB, MB);

		GET(m, 0, 4 * MB);
		mnt_close(&m);
	}
}

/* ---- disks that will not ---------------------------------------------- */

static bool can_mount(void)
{
	if (geteuid() == 0 && mount("none", dir, "tmpfs", 0, "size=3m") == 0)
		return true;
	print_message("    skipped: cannot mount a tmpfs\n");
	return false;
}

static void full_disk(void **state)
{
	struct far f = { .size = 20 * MB };
	struct mnt m;

	(void)state;
	if (!can_mount())
		skip();
	m = mnt_open(&f, 0, MB);
	for (uint64_t off = 0; off < 10 * MB; off += 30000)
		GET(m, off, 30000);
	mnt_close(&m);
	assert_int_equal(warnings, 1);
	m = mnt_open(&f, 0, MB);
	for (uint64_t off = 0; off < 10 * MB; off += 30000)
		GET(m, off, 30000);
	assert_true(m.n->hits > 30);
	mnt_close(&m);
	assert_int_equal(umount(dir), 0);
}

static void read_only(void **state)
{
	struct far f = { .size = 20 * MB };
	struct mnt m;

	(void)state;
	if (!can_mount())
		skip();
	m = mnt_open(&f, 2 * MB, MB);
	GET(m, 0, 500000);
	mnt_close(&m);
	assert_int_equal(mount("none", dir, "tmpfs", MS_REMOUNT | MS_RDONLY, "size=3m"), 0);
	f.requests = 0;
	m = mnt_open(&f, 2 * MB, MB);
	GET(m, 0, 500000);
	assert_int_equal(f.requests, 0);
	GET(m, MB, 500000);
	assert_int_equal(f.requests, 1);
	mnt_close(&m);
	assert_int_equal(warnings, 1);
	assert_int_equal(umount(dir), 0);
}

static void no_folder(void **state)
{
	struct far f = { .size = MB };
	struct mnt m;
	FILE *o;

	(void)state;
	rm_dir(NULL);
	o = fopen(dir, "w");		/* a file where the folder should be */
	fclose(o);
	m = mnt_open(&f, 0, 0);
	GET(m, 0, 1000);
	GET(m, 0, 1000);
	assert_int_equal(f.requests, 1);
	mnt_close(&m);
	assert_int_equal(warnings, 1);
	unlink(dir);
}

/* ---- size ------------------------------------------------------------- */

/* A million entries: what does opening cost? */
static void million(void **state)
{
	struct cfs_cache_meta meta = { .size = UINT64_MAX / 2, .learnt_ns = 1,
				       .validator = CFS_SLICE_LIT("\"v\""),
				       .url = CFS_SLICE_LIT("http://far/object") };
	struct cfs_segment *meta_seg = NULL;
	struct cfs_disk_record r;
	struct cfs_disk_info info;
	struct cfs_cache_id id;
	struct cfs_disk *d;
	double best = 1e9;
	uint8_t data[48];

	(void)state;
	assert_int_equal(cfs_disk_open(&d, dir, 0x40000000, NULL), 0);
	for (unsigned i = 0; i < 1000000; i++) {
		if (i % 100 == 0) {
			meta.size = UINT64_MAX / 2 - i / 100 % 1000;
			cfs_cache_id_of_data(&meta, &id);
		}
		memset(data, (int)i, sizeof(data));
		assert_int_equal(cfs_disk_put(d, &meta, &meta_seg, &id, (uint64_t)i * 1000,
					      cfs_slice_of(data, sizeof(data)), &r), 0);
	}
	cfs_disk_close(d);
	for (unsigned k = 0; k < 3; k++) {
		double t = now();

		assert_int_equal(cfs_disk_open(&d, dir, 0x40000000, NULL), 0);
		t = now() - t;
		best = t < best ? t : best;
		if (k == 2) {
			struct cfs_disk_record *v;
			size_t n;

			assert_int_equal(cfs_disk_get_info(d, &info, NULL), 0);
			t = now();
			assert_int_equal(cfs_disk_find(d, &id, &v, &n), 0);
			print_message("    1,000,000 entries: open %.1f ms, find %zu in %.1f ms\n",
				      best * 1e3, n, (now() - t) * 1e3);
			assert_true(n >= 1000);
			free(v);
		}
		cfs_disk_close(d);
	}
	assert_int_equal(info.records, 1000000);
	assert_true(best < 0.2);
}

/* One small record of each of many archives: what is kept of it besides its
 * bytes keeps to the bound, too.  (mallinfo2 tells nothing in a sanitized
 * program.) */
static void many_objects(void **state)
{
	struct far f = { .size = MB, .no_start = true };
	struct mnt m = mnt_open(&f, UINT64_MAX, 4 * MB);
	size_t before = mallinfo2().uordblks, most = 0;
	struct cfs_cache_stats stats;

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		struct cfs_cached_opts o = opts_of(&m);
		struct cfs_source *src;
		char url[64];
		size_t now;

		snprintf(url, sizeof(url), "http://far/archive-%u", i);
		o.url = url;
		assert_int_equal(cfs_cached_open(&src, m.c, far_open(&f), &o,
						 NULL, NULL), 0);
		assert_int_equal(get(src, i, 10, 0), 0);
		cfs_source_close(src);
		now = mallinfo2().uordblks;
		most = now > before + most ? now - before : most;
	}
	cfs_cache_get_stats(m.c, &stats);
	print_message("%llu bytes accounted for, %zu taken\n",
		      (unsigned long long)stats.mem_bytes, most);
	assert_true(stats.mem_bytes > 2 * MB && stats.mem_bytes <= 4 * MB);
	assert_true(most < 8 * MB);
	mnt_close(&m);
}

static void verify_and_clear(void **state)
{
	struct far f = { .size = 4 * MB };
	struct mnt m = mnt_open(&f, 0, 0);
	struct cfs_disk_damage damage;
	uint64_t deleted, in_use;
	struct cfs_disk *d;
	char path[400];
	unsigned n;
	int fd;

	(void)state;
	GET(m, 0, MB);
	cfs_cache_flush(m.c);
	assert_int_equal(cfs_disk_open(&d, dir, 0, NULL), 0);
	assert_int_equal(cfs_disk_verify(d, false, NULL, NULL, &damage, NULL, NULL), 0);
	assert_int_equal(damage.bad_records + damage.bad_indexes, 0);
	assert_true(damage.bytes > MB);
	assert_int_equal(cfs_disk_clear(d, &deleted, &in_use, NULL), 0);
	assert_int_equal(deleted, 0);
	assert_int_equal(in_use, 1);	/* m may write */
	mnt_close(&m);
	folder_bytes(path, &n);
	fd = open(path, O_RDWR);
	assert_int_equal(pwrite(fd, "xxx", 3, 200000), 3);
	close(fd);
	assert_int_equal(cfs_disk_verify(d, true, NULL, NULL, &damage, NULL, NULL), 0);
	assert_int_equal(damage.bad_records, 1);
	assert_true(folder_bytes(path, &n) == 0);
	cfs_disk_close(d);
	m = mnt_open(&f, 0, 0);
	GET(m, 0, MB);
	mnt_close(&m);
	assert_int_equal(cfs_disk_open(&d, dir, 0, NULL), 0);
	assert_int_equal(cfs_disk_clear(d, &deleted, &in_use, NULL), 0);
	assert_int_equal(deleted, 1);
	cfs_disk_close(d);
	f.requests = 0;
	m = mnt_open(&f, 0, 0);
	GET(m, 0, MB);
	assert_true(f.requests > 0);
	mnt_close(&m);
}

#define T(f) cmocka_unit_test_setup_teardown(f, new_dir, rm_dir)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(exactly_as_asked), T(ends), T(large), T(warm_without_network),
		T(same_url_twice), T(without_validator),
		T(changed_and_validated), T(changed_before_use),
		T(changed_in_use), T(failures_are_not_kept), T(single_flight),
		T(asker_gives_up), T(prefetch), T(joined_then_single), T(bound),
		T(tiny_bound), T(flipped_bits), T(truncated_and_removed),
		T(foreign_files), T(two_mounts), T(storms), T(two_processes),
		T(killed), T(full_disk), T(read_only), T(no_folder),
		T(million), T(many_objects), T(verify_and_clear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
