/* sizes_test.c - kept sizes: found again, bounded, shared with other processes
 * and with the block cache, and never wrong, whatever happened to the files.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cache_fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "base/hash.h"
#include "cache/sizes.h"
#include "rng.h"

#define CODE 77u
#define ID ((struct cfs_sizes_id){ 0x1111, 0x2222 })

/* The size that the tests put under a key. */
static uint64_t true_size(uint64_t key)
{
	return key * 1000003 % 5000011;
}

/* The disk caches of open sizes: each is opened as by a process of its own. */
static struct kept {
	struct cfs_sizes *s;
	struct cfs_disk *d;
} kept[8];

static struct cfs_sizes *open_within(struct cfs_sizes_id id, uint32_t code,
				     uint64_t max_bytes)
{
	struct kept *k = kept;

	while (k->s != NULL)
		k++;
	assert_true(k < kept + 8);
	assert_int_equal(cfs_disk_open(&k->d, dir, max_bytes, NULL), 0);
	assert_int_equal(cfs_sizes_open(&k->s, k->d, &id, code, NULL), 0);
	return k->s;
}

static struct cfs_sizes *open_code(struct cfs_sizes_id id, uint32_t code)
{
	return open_within(id, code, 1024 * MB);
}

static void close_sizes(struct cfs_sizes *s)
{
	struct kept *k = kept;

	while (k->s != s)
		k++;
	cfs_sizes_close(s);
	cfs_disk_close(k->d);
	*k = (struct kept){ NULL, NULL };
}

static void put(struct cfs_sizes *s, uint64_t key)
{
	struct cfs_sizes_entry e = { key, true_size(key), key % 2 == 1 };

	cfs_sizes_put(s, &e);
}

/* How many of the keys below n are known; those that are must be right. */
static unsigned known(struct cfs_sizes *s, uint64_t n)
{
	unsigned found = 0;
	uint64_t size;

	for (uint64_t key = 0; key < n; key++) {
		if (!cfs_sizes_get(s, key, &size))
			continue;
		assert_int_equal(size, true_size(key));
		found++;
	}
	return found;
}

static unsigned known_by(uint32_t code, uint64_t n)
{
	struct cfs_sizes *s = open_code(ID, code);
	unsigned found = known(s, n);

	close_sizes(s);
	return found;
}

static void keep(uint64_t from, uint64_t to)
{
	struct cfs_sizes *s = open_code(ID, CODE);

	for (uint64_t key = from; key < to; key++) {
		put(s, key);
		if (key % 1000 == 999)
			cfs_sizes_flush(s);
	}
	close_sizes(s);
}

/* ---- the format --------------------------------------------------------- */

/* The example of crawlfs-cache(5). */
static const uint8_t page_batch[] = {
	77, 0, 0, 0, 0, 0, 0, 0,
	5, 0, 2, 0, 0, 0, 1, 0x40, 0x39, 0x30, 0, 0, 0, 0, 0, 0,
};
static const uint8_t page_id[] = {
	0x6d, 0x3e, 0x56, 0xb7, 0xed, 0x7e, 0x16, 0x84,
	0x46, 0xcb, 0x33, 0xf3, 0x9d, 0xf2, 0x55, 0x67,
};

static void page_example(void **state)
{
	const struct cfs_sizes_entry e = { UINT64_C(1) << 48 | 2 << 16 | 5,
					   12345, true };
	struct cfs_sizes_batch b;
	struct cfs_sizes_entry got;
	struct cfs_cache_id id;
	struct cfs_buf out;

	(void)state;
	cfs_cache_id_of_sizes(&ID, &id);
	assert_memory_equal(id.b, page_id, sizeof(page_id));
	cfs_buf_init(&out, 1000);
	assert_int_equal(cfs_sizes_batch_encode(CODE, &e, 1, &out), 0);
	assert_int_equal(out.n, sizeof(page_batch));
	assert_memory_equal(out.p, page_batch, out.n);
	cfs_buf_release(&out);
	assert_int_equal(cfs_sizes_batch_parse(cfs_slice_of(page_batch,
							    sizeof(page_batch)),
					       &b), 0);
	assert_int_equal(b.code, CODE);
	assert_int_equal(b.n, 1);
	got = cfs_sizes_entry_at(&b, 0);
	assert_int_equal(got.key, e.key);
	assert_int_equal(got.size, 12345);
	assert_true(got.holds_for_any_code);
}

static void prefixes(void **state)
{
	(void)state;
	for (size_t n = 0; n < sizeof(page_batch); n++) {
		struct cfs_slice copy = exact_copy(page_batch, n);
		struct cfs_sizes_batch b;

		assert_int_equal(cfs_sizes_batch_parse(copy, &b), CFS_EFORMAT);
		exact_free(copy);
	}
}

/* ---- keeping ------------------------------------------------------------ */

static void found_again(void **state)
{
	char path[400];
	unsigned n;

	(void)state;
	assert_int_equal(known_by(CODE, 5000), 0);
	assert_int_equal(folder_bytes(path, &n), 0);	/* nothing is made for nothing */
	keep(0, 5000);
	assert_int_equal(known_by(CODE, 6000), 5000);
	keep(0, 5000);				/* known: nothing is written */
	keep(5000, 6000);
	assert_int_equal(known_by(CODE, 6000), 6000);
	assert_true(folder_bytes(path, &n) < 6000 * 16 + 100 * 64);
	assert_int_equal(n, 1);
	assert_int_equal(warnings, 0);
}

static void at_once_in_memory(void **state)
{
	struct cfs_sizes *s = open_code(ID, CODE);
	uint64_t size;

	(void)state;
	for (uint64_t key = 0; key < 20000; key++) {
		put(s, key);
		assert_true(cfs_sizes_get(s, key, &size));
		assert_int_equal(size, true_size(key));
	}
	assert_int_equal(known(s, 30000), 20000);
	close_sizes(s);
}

/* The size of a key can change: the last one holds. */
static void last_one_holds(void **state)
{
	struct cfs_sizes *s = open_code(ID, CODE);
	uint64_t size = 0;

	(void)state;
	for (uint64_t i = 0; i < 10; i++) {
		cfs_sizes_put(s, &(struct cfs_sizes_entry){ 3, 100 + i, false });
		cfs_sizes_flush(s);
	}
	close_sizes(s);
	s = open_code(ID, CODE);
	assert_true(cfs_sizes_get(s, 3, &size));
	assert_int_equal(size, 109);
	close_sizes(s);
}

static void not_kept(void **state)
{
	struct cfs_sizes *s = open_code(ID, CODE);
	uint64_t size;

	(void)state;
	cfs_sizes_put(s, &(struct cfs_sizes_entry){ 3, UINT64_MAX, false });
	cfs_sizes_put(s, &(struct cfs_sizes_entry){ CFS_SIZES_ANY_CODE, 3, false });
	assert_false(cfs_sizes_get(s, 3, &size));
	close_sizes(s);
}

/* Odd keys hold for any code. */
static void another_code(void **state)
{
	(void)state;
	keep(0, 1000);
	assert_int_equal(known_by(CODE + 1, 1000), 500);
	assert_int_equal(known_by(CODE, 1000), 1000);
}

static void another_state(void **state)
{
	const struct cfs_sizes_id others[] = { { 0x1111, 0x2223 },
					       { 0x1112, 0x2222 } };

	(void)state;
	keep(0, 1000);
	for (unsigned i = 0; i < 2; i++) {
		struct cfs_sizes *s = open_code(others[i], CODE);

		assert_int_equal(known(s, 1000), 0);
		put(s, 1);
		close_sizes(s);
		s = open_code(others[i], CODE);
		assert_int_equal(known(s, 1000), 1);
		close_sizes(s);
	}
	assert_int_equal(known_by(CODE, 1000), 1000);
}

/* Gives the records of a segment another id, as damage or malice would: the
 * checksums of their headers are made good. */
static unsigned give_to(const char *path, const struct cfs_cache_id *id)
{
	static uint8_t p[100000];
	int fd = open(path, O_RDWR);
	ssize_t bytes = pread(fd, p, sizeof(p), 0);
	unsigned n = 0;

	for (size_t i = CFS_SEG_HEADER_BYTES;
	     i + CFS_SEG_RECORD_BYTES <= (size_t)bytes;
	     i += 8) {
		if (cfs_le32_get(p + i) != CFS_SEG_RECORD_MAGIC)
			continue;
		memcpy(p + i + 8, id->b, CFS_SEG_ID_BYTES);
		cfs_le64_put(p + i + 48,
			     cfs_hash64(cfs_slice_of(p + i, 48), 0));
		n++;
	}
	assert_int_equal(pwrite(fd, p, (size_t)bytes, 0), bytes);
	close(fd);
	return n;
}

static void given_away(void **state)
{
	struct cfs_sizes_id other = { 0x1111, 0x3333 };
	struct cfs_cache_id id;
	struct cfs_sizes *s;
	char path[400];
	unsigned n;

	(void)state;
	keep(0, 1000);
	folder_bytes(path, &n);
	cfs_cache_id_of_sizes(&other, &id);
	assert_true(give_to(path, &id) > 0);
	s = open_code(other, CODE);
	assert_int_equal(known(s, 1000), 0);
	put(s, 5);
	close_sizes(s);
	s = open_code(other, CODE);
	assert_int_equal(known(s, 1000), 1);
	close_sizes(s);
}

/* Keeps one size with the time of another clock. */
static void put_at(uint64_t found_ns, uint64_t key, uint64_t size)
{
	struct cfs_sizes_entry e = { key, size, false };
	struct cfs_cache_id id;
	struct cfs_disk *d;
	struct cfs_buf b;

	cfs_cache_id_of_sizes(&ID, &id);
	cfs_buf_init(&b, 1000);
	assert_int_equal(cfs_sizes_batch_encode(CODE, &e, 1, &b), 0);
	assert_int_equal(cfs_disk_open(&d, dir, 1024 * MB, NULL), 0);
	assert_int_equal(cfs_disk_put_sizes(d, &id, found_ns, cfs_buf_slice(&b)),
			 0);
	cfs_disk_close(d);
	cfs_buf_release(&b);
}

/* Sizes that were kept when the clock was ahead give way to later ones; what
 * has no date that can be is left out. */
static void other_clocks(void **state)
{
	const uint64_t hour = UINT64_C(3600000000000);
	struct cfs_sizes *s;
	uint64_t size = 0;

	(void)state;
	put_at(cfs_segment_now_ns() + hour, 3, 100);
	put_at(cfs_segment_now_ns(), 3, 99);
	put_at(UINT64_MAX - 1000, 3, 98);
	for (unsigned i = 0; i < 3; i++) {
		s = open_code(ID, CODE);
		assert_true(cfs_sizes_get(s, 3, &size));
		assert_int_equal(size, 100 + i);
		cfs_sizes_put(s, &(struct cfs_sizes_entry){ 3, 101 + i, false });
		close_sizes(s);
	}
}

/* ---- bounds ------------------------------------------------------------- */

/* Puts the keys below `all` into s, and asserts that the folder stays below
 * max_bytes. */
static void fill(struct cfs_sizes *s, uint64_t all, uint64_t max_bytes)
{
	char path[400];
	unsigned n;

	for (uint64_t key = 0; key < all; key++) {
		put(s, key);
		if (key % 4000 == 3999) {
			cfs_sizes_flush(s);
			assert_true(folder_bytes(path, &n) <= max_bytes);
		}
	}
}

static void are_known(struct cfs_sizes *s, uint64_t from, uint64_t to)
{
	for (uint64_t key = from; key < to; key++) {
		uint64_t size;

		assert_true(cfs_sizes_get(s, key, &size));
	}
}

/* The folder keeps to its bound: the oldest sizes go. */
static void bound(void **state)
{
	struct cfs_sizes *s = open_within(ID, CODE, 4 * MB);
	const uint64_t all = 500000;
	unsigned n;

	(void)state;
	fill(s, all, 4 * MB);
	close_sizes(s);
	s = open_within(ID, CODE, 4 * MB);
	n = known(s, all);
	print_message("    %u of %u known\n", n, (unsigned)all);
	assert_true(n > 180000 && n < 4 * MB / 16);
	are_known(s, all - 180000, all);
	close_sizes(s);
	assert_int_equal(warnings, 0);
}

/* So does memory: the newest half million are read. */
static void newest(void **state)
{
	const uint64_t all = 1000000;
	struct cfs_sizes *s = open_code(ID, CODE);
	unsigned n;

	(void)state;
	fill(s, all, 1024 * MB);
	n = known(s, all);
	print_message("    %u of %u in memory\n", n, (unsigned)all);
	assert_true(n > 250000 && n < 700000);
	close_sizes(s);
	s = open_code(ID, CODE);
	assert_int_in_range(known(s, all), 520000, 1u << 19);
	are_known(s, all - 520000, all);
	close_sizes(s);
}

static void many_indexes(void **state)
{
	char path[400];
	unsigned n;

	(void)state;
	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 0; i < 128; i++) {
			struct cfs_sizes *s =
				open_code((struct cfs_sizes_id){ i, 1 }, CODE);

			assert_int_equal(known(s, 2), round);
			put(s, 1);
			close_sizes(s);
		}
	folder_bytes(path, &n);
	assert_int_equal(n, 1);
}

/* ---- damage ------------------------------------------------------------- */

/* Every bit that is turned and every cut: sizes are missing, never wrong, and
 * new ones are kept. */
static void damaged(void **state)
{
	char path[400];
	unsigned n, least = 400;
	uint64_t bytes, seed = 9;

	(void)state;
	for (unsigned round = 0; round < 300; round++) {
		unsigned found;
		uint64_t at;
		uint8_t b;
		int fd;

		rm_dir(NULL);
		mkdir(dir, 0700);
		for (uint64_t from = 0; from < 400; from += 40)
			keep(from, from + 40);
		bytes = folder_bytes(path, &n);
		at = round < 100 ? round : rng_below(&seed, bytes);
		if (round % 2 == 0) {
			assert_int_equal(truncate(path, (off_t)at), 0);
		} else {
			fd = open(path, O_RDWR);
			assert_int_equal(pread(fd, &b, 1, (off_t)at), 1);
			b ^= (uint8_t)(1 << round % 8);
			assert_int_equal(pwrite(fd, &b, 1, (off_t)at), 1);
			close(fd);
		}
		found = known_by(CODE, 500);
		assert_true(found < 400);
		least = found < least ? found : least;
		keep(450, 460);
		assert_int_equal(known_by(CODE, 500), found + 10);
	}
	assert_int_equal(least, 0);
	assert_int_equal(warnings, 0);
}

/* Files that are cut off or deleted while in use, and the whole folder. */
static void taken_away(void **state)
{
	struct cfs_sizes *s = open_code(ID, CODE);
	char path[400];
	unsigned n;

	(void)state;
	for (uint64_t key = 0; key < 1000; key++)
		put(s, key);
	cfs_sizes_flush(s);
	folder_bytes(path, &n);
	assert_int_equal(unlink(path), 0);
	put(s, 1000);
	cfs_sizes_flush(s);
	assert_int_equal(known_by(CODE, 2000), 1);
	folder_bytes(path, &n);
	assert_int_equal(truncate(path, 50), 0);
	put(s, 1001);
	cfs_sizes_flush(s);
	assert_int_equal(known_by(CODE, 2000), 1);
	rm_dir(NULL);
	put(s, 1002);
	cfs_sizes_flush(s);
	assert_int_equal(known_by(CODE, 2000), 1);
	assert_int_equal(known(s, 2000), 1003);
	close_sizes(s);
	assert_int_equal(warnings, 0);
}

/* A writer that is killed at any moment. */
static void killed(void **state)
{
	uint64_t seed = 3, total = 0;

	(void)state;
	for (unsigned round = 0; round < 40; round++) {
		uint64_t from = round * UINT64_C(1000000), found;
		pid_t pid = fork();

		if (pid == 0) {
			struct cfs_sizes *s = open_code(ID, CODE);

			for (uint64_t key = from;; key++) {
				put(s, key);
				if (key % 500 == 0)
					cfs_sizes_flush(s);
			}
		}
		assert_true(pid > 0);
		usleep((useconds_t)rng_below(&seed, 20000));
		assert_int_equal(kill(pid, SIGKILL), 0);
		waitpid(pid, NULL, 0);
		found = 0;
		{
			struct cfs_sizes *s = open_code(ID, CODE);
			uint64_t size;

			for (uint64_t key = from; cfs_sizes_get(s, key, &size);
			     key++, found++)
				assert_int_equal(size, true_size(key));
			close_sizes(s);
		}
		total += found;
	}
	print_message("    %u kept\n", (unsigned)total);
}

/* ---- several processes -------------------------------------------------- */

#define SHARERS 4u

static void shared(void **state)
{
	pid_t pids[SHARERS];

	(void)state;
	for (unsigned i = 0; i < SHARERS; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			struct cfs_sizes *s = open_code(ID, CODE);

			for (uint64_t key = i; key < 8000; key += SHARERS) {
				put(s, key);
				if (key % 100 == i)
					cfs_sizes_flush(s);
			}
			close_sizes(s);
			_exit(warnings > 0);
		}
		assert_true(pids[i] > 0);
	}
	for (unsigned i = 0; i < SHARERS; i++) {
		int status = 1;

		waitpid(pids[i], &status, 0);
		assert_int_equal(status, 0);
	}
	assert_int_equal(known_by(CODE, 8000), 8000);
}

/* A mount learns what others have kept when it keeps something itself, and does
 * not hold on to a segment. */
static void seen_by_others(void **state)
{
	struct cfs_sizes *a = open_code(ID, CODE), *b = open_code(ID, CODE);
	char path[400];
	unsigned n;

	(void)state;
	put(a, 1);
	cfs_sizes_flush(a);
	assert_int_equal(known(b, 100), 0);
	put(b, 2);
	cfs_sizes_flush(b);
	assert_int_equal(known(b, 100), 2);
	folder_bytes(path, &n);
	assert_int_equal(n, 1);
	close_sizes(a);
	close_sizes(b);
}

/* The block cache writes to its segment as long as it is open: sizes go there,
 * too, or to another segment. */
static void beside_blocks(void **state)
{
	struct far f = { .size = 4 * MB };
	struct mnt m = mnt_open(&f, 0, 0);
	struct cfs_sizes *other = open_code((struct cfs_sizes_id){ 7, 7 }, CODE);
	struct cfs_sizes *mine;
	char path[400];
	unsigned n;

	(void)state;
	assert_int_equal(cfs_sizes_open(&mine, cfs_cache_disk(m.c), &ID, CODE,
					NULL), 0);
	for (uint64_t key = 0; key < 30; key++) {
		GET(m, key * 100000, 50000);
		cfs_cache_flush(m.c);
		put(mine, key);
		put(other, key);
		cfs_sizes_flush(mine);
		cfs_sizes_flush(other);
	}
	cfs_sizes_close(mine);
	mnt_close(&m);
	close_sizes(other);
	folder_bytes(path, &n);
	assert_int_equal(n, 2);
	assert_int_equal(known_by(CODE, 100), 30);
	f.down = true;
	m = mnt_open(&f, 0, 0);
	for (uint64_t key = 0; key < 30; key++)
		GET(m, key * 100000, 50000);
	mnt_close(&m);
	assert_int_equal(warnings, 0);
}

/* Sizes of several sources, and blocks, are written at once, in a folder with
 * room for few of them: what was kept last is there. */
#define SOURCES 3u

static void *put_many(void *arg)
{
	for (uint64_t key = 0; key < 60000; key++) {
		put(arg, key);
		if (key % 3000 == 0)
			cfs_sizes_flush(arg);
	}
	return NULL;
}

static void all_at_once(void **state)
{
	struct far f = { .size = 8 * MB };
	struct mnt m = mnt_open(&f, 3 * MB, MB);
	struct cfs_disk *d = cfs_cache_disk(m.c);
	struct cfs_sizes *s[SOURCES];
	pthread_t t[SOURCES];
	char path[400];
	unsigned n;

	(void)state;
	for (unsigned i = 0; i < SOURCES; i++) {
		const struct cfs_sizes_id id = { i, 1 };

		assert_int_equal(cfs_sizes_open(&s[i], d, &id, CODE, NULL), 0);
		pthread_create(&t[i], NULL, put_many, s[i]);
	}
	for (uint64_t off = 0; off < 8 * MB; off += 30000)
		GET(m, off, 30000 < f.size - off ? 30000 : f.size - off);
	for (unsigned i = 0; i < SOURCES; i++) {
		pthread_join(t[i], NULL);
		cfs_sizes_flush(s[i]);
		for (uint64_t key = 60000; key < 61000; key++)
			put(s[i], key);
		cfs_sizes_close(s[i]);
	}
	mnt_close(&m);
	assert_true(folder_bytes(path, &n) <= 3 * MB);
	for (unsigned i = 0; i < SOURCES; i++) {
		s[0] = open_code((struct cfs_sizes_id){ i, 1 }, CODE);
		known(s[0], 60000);
		are_known(s[0], 60000, 61000);
		close_sizes(s[0]);
	}
	assert_int_equal(warnings, 0);
}

/* ---- folders that cannot be written to ---------------------------------- */

static bool can_mount(void)
{
	if (geteuid() == 0 && mount("none", dir, "tmpfs", 0, "size=64k") == 0)
		return true;
	print_message("    skipped: cannot mount a tmpfs\n");
	return false;
}

static void full_disk(void **state)
{
	struct cfs_sizes *s;
	unsigned n;

	(void)state;
	if (!can_mount())
		skip();
	s = open_code(ID, CODE);
	for (uint64_t key = 0; key < 10000; key++) {
		put(s, key);
		if (key % 400 == 0)
			cfs_sizes_flush(s);
	}
	assert_int_equal(known(s, 10000), 10000);	/* as long as it lasts */
	close_sizes(s);
	assert_int_equal(warnings, 1);
	n = known_by(CODE, 10000);
	assert_true(n > 1000 && n < 4100);
	assert_int_equal(umount(dir), 0);
}

static void read_only(void **state)
{
	(void)state;
	if (!can_mount())
		skip();
	keep(0, 100);
	assert_int_equal(mount("none", dir, "tmpfs", MS_REMOUNT | MS_RDONLY,
			       "size=64k"), 0);
	keep(100, 200);
	assert_int_equal(warnings, 1);
	assert_int_equal(known_by(CODE, 200), 100);
	assert_int_equal(umount(dir), 0);
}

static void no_folder(void **state)
{
	FILE *o;

	(void)state;
	rm_dir(NULL);
	o = fopen(dir, "w");		/* a file where the folder should be */
	assert_non_null(o);
	fclose(o);
	keep(0, 5000);
	assert_int_equal(warnings, 1);
	assert_int_equal(known_by(CODE, 5000), 0);
}

UNIT_PROGRAM
{
	UNIT_TEST(page_example);
	UNIT_TEST(prefixes);
	UNIT_TEST_HERE(found_again);
	UNIT_TEST_HERE(at_once_in_memory);
	UNIT_TEST_HERE(last_one_holds);
	UNIT_TEST_HERE(not_kept);
	UNIT_TEST_HERE(another_code);
	UNIT_TEST_HERE(another_state);
	UNIT_TEST_HERE(given_away);
	UNIT_TEST_HERE(other_clocks);
	UNIT_TEST_HERE(bound);
	UNIT_TEST_HERE(newest);
	UNIT_TEST_HERE(many_indexes);
	UNIT_TEST_HERE(damaged);
	UNIT_TEST_HERE(taken_away);
	UNIT_TEST_HERE(killed);
	UNIT_TEST_HERE(shared);
	UNIT_TEST_HERE(seen_by_others);
	UNIT_TEST_HERE(beside_blocks);
	UNIT_TEST_HERE(all_at_once);
	UNIT_TEST_HERE(full_disk);
	UNIT_TEST_HERE(read_only);
	UNIT_TEST_HERE(no_folder);
	return unit_run("sizes");
}
