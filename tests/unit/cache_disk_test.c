/* cache_disk_test.c - the block cache's promises about its folder: bounded, checked, shared
 * with other processes, and whole after any of them was killed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
/* Holds K3, K4. */
#include "cache_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "rng.h"

/* SANITIZED programs take a fifth of the entries; all of them are for the tests
 * of the distribution archive, which look for this word. */
#if defined(__SANITIZE_ADDRESS__)
#define ENTRIES 200000u
#else
#define ENTRIES 1000000u
#endif

/* ---- the folder ------------------------------------------------------- */

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
	/* the bytes read last are there */
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
/* Holds K2. */
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
/* Holds K2. */
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
/* Holds K2. */
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

/* Holds K5. */
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
		if (cfs_source_read_some(s->m->src, buf, n, off, &got,
					 CFS_CTX(NULL, NULL)) != CFS_OK)
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

/* Holds K5. */
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

/* 50 times and more: a process that writes is killed at any moment; then every byte
 * that the cache serves is right, and it goes on being used. */
static void killed(void **state)
{
	struct far f = { .size = 4 * MB };
	uint64_t seed = 9, served = 0;
	uint8_t *buf = malloc(4 * MB);
	char path[400];
	unsigned n;

	(void)state;
	for (unsigned k = 0; k < 50 || (served <= 20 * MB && k < 20000); k++) {
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

			if (cfs_source_read_some(m.src, buf, 5000, off, &got,
						 CFS_CTX(NULL, NULL)) != CFS_OK)
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

/* Holds K6. */
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

/* Holds K6. */
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

/* Holds K6. */
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

/* A million entries, fewer in a sanitized program: what does opening cost? */
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
	double best = 1e9, limit = 200 * unit_slowness() * ENTRIES / 1e6;
	uint8_t data[48];

	(void)state;
	assert_int_equal(cfs_disk_open(&d, dir, 0x40000000, NULL), 0);
	for (unsigned i = 0; i < ENTRIES; i++) {
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
		double t = unit_cpu_ms();

		assert_int_equal(cfs_disk_open(&d, dir, 0x40000000, NULL), 0);
		t = unit_cpu_ms() - t;
		best = t < best ? t : best;
		if (k == 2) {
			struct cfs_disk_record *v;
			size_t n;

			assert_int_equal(cfs_disk_get_info(d, &info, NULL), 0);
			t = unit_cpu_ms();
			assert_int_equal(cfs_disk_find(d, &id, &v, &n), 0);
			print_message("    %u entries: open %.1f ms, find %zu in %.1f ms\n",
				      ENTRIES, best, n, unit_cpu_ms() - t);
			assert_true(n >= ENTRIES / 1000);
			free(v);
		}
		cfs_disk_close(d);
	}
	assert_int_equal(info.records, ENTRIES);
	assert_true(best < limit);
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
						 CFS_CTX(NULL, NULL)), 0);
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
	assert_int_equal(cfs_disk_verify(d, false, NULL, NULL, &damage,
					 CFS_CTX(NULL, NULL)), 0);
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
	assert_int_equal(cfs_disk_verify(d, true, NULL, NULL, &damage,
					 CFS_CTX(NULL, NULL)), 0);
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

UNIT_PROGRAM
{
	UNIT_TEST_HERE(bound);
	UNIT_TEST_HERE(tiny_bound);
	UNIT_TEST_HERE(flipped_bits);
	UNIT_TEST_HERE(truncated_and_removed);
	UNIT_TEST_HERE(foreign_files);
	UNIT_TEST_HERE(two_mounts);
	UNIT_TEST_HERE(storms);
	UNIT_TEST_HERE(two_processes);
	UNIT_TEST_HERE(killed);
	UNIT_TEST_HERE(full_disk);
	UNIT_TEST_HERE(read_only);
	UNIT_TEST_HERE(no_folder);
	UNIT_TEST_HERE(million);
	UNIT_TEST_HERE(many_objects);
	UNIT_TEST_HERE(verify_and_clear);
	return unit_run("cache_disk");
}
