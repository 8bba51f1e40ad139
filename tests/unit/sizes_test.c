/* sizes_test.c - kept sizes: found again, bounded, shared with other
 * processes, and never wrong, whatever happened to their file.
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
#include "cache/sizes_log.h"
#include "rng.h"

#define CODE 77u
#define ID ((struct cfs_sizes_id){ 0x1111, 0x2222 })

/* What the tests put under a key. */
static uint64_t true_size(uint64_t key)
{
	return key * 1000003 % 5000011;
}

static struct cfs_sizes *open_code(struct cfs_sizes_id id, uint32_t code)
{
	struct cfs_sizes *s;

	assert_int_equal(cfs_sizes_open(&s, dir, &id, code, NULL), 0);
	return s;
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

	cfs_sizes_close(s);
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
	cfs_sizes_close(s);
}

/* The files of sizes: how many, the size of all, the path of the last. */
static uint64_t files(char path[400], unsigned *n)
{
	uint64_t bytes = 0;
	char folder[80];
	struct dirent *e;
	struct stat st;
	DIR *d;

	snprintf(folder, sizeof(folder), "%s/sizes", dir);
	d = opendir(folder);
	*n = 0;
	while (d != NULL && (e = readdir(d)) != NULL) {
		if (e->d_name[0] == '.')
			continue;
		assert_true(cfs_sizes_is_name(e->d_name));
		snprintf(path, 400, "%s/%s", folder, e->d_name);
		assert_int_equal(stat(path, &st), 0);
		bytes += (uint64_t)st.st_size;
		++*n;
	}
	if (d != NULL)
		closedir(d);
	return bytes;
}

/* ---- the format --------------------------------------------------------- */

/* The example of crawlfs-cache(5). */
static const uint8_t page_file[] = {
	'C', 'F', 'S', 'S', 'I', 'Z', 'E', '1', 1, 0, 0, 0, 40, 0, 0, 0,
	0x11, 0x11, 0, 0, 0, 0, 0, 0, 0x22, 0x22, 0, 0, 0, 0, 0, 0,
	0x69, 0xcc, 0x66, 0xb8, 0x1e, 0x2f, 0xe1, 0x06,
	0x63, 0x66, 0x53, 0x7a, 1, 0, 0, 0, 77, 0, 0, 0, 0, 0, 0, 0,
	0xaa, 0xc0, 0x13, 0x64, 0xc3, 0x41, 0x63, 0xca,
	5, 0, 2, 0, 0, 0, 1, 0x40, 0x39, 0x30, 0, 0, 0, 0, 0, 0,
};

static void page_example(void **state)
{
	const struct cfs_sizes_entry e = { UINT64_C(1) << 48 | 2 << 16 | 5,
					   12345, true };
	struct cfs_slice rest = cfs_slice_of(page_file, sizeof(page_file));
	uint8_t head[CFS_SIZES_HEADER_BYTES];
	struct cfs_sizes_batch b;
	struct cfs_sizes_entry got;
	struct cfs_sizes_id id;
	struct cfs_buf out;
	uint64_t seed;

	(void)state;
	cfs_buf_init(&out, 1000);
	seed = cfs_sizes_header_encode(&ID, head);
	cfs_buf_append(&out, head, sizeof(head));
	assert_int_equal(cfs_sizes_batch_encode(seed, CODE, &e, 1, &out), 0);
	assert_int_equal(out.n, sizeof(page_file));
	assert_memory_equal(out.p, page_file, out.n);
	cfs_buf_release(&out);
	assert_int_equal(cfs_sizes_header_parse(&rest, &id, &seed), 0);
	assert_int_equal(id.place, 0x1111);
	assert_int_equal(id.state, 0x2222);
	assert_int_equal(cfs_sizes_batch_parse(&rest, seed, &b), 0);
	assert_int_equal(b.code, CODE);
	assert_int_equal(b.n, 1);
	got = cfs_sizes_entry_at(&b, 0);
	assert_int_equal(got.key, e.key);
	assert_int_equal(got.size, 12345);
	assert_true(got.holds_for_any_code);
	assert_int_equal(cfs_sizes_batch_parse(&rest, seed, &b), CFS_END);
}

static void prefixes(void **state)
{
	(void)state;
	for (size_t n = 0; n < sizeof(page_file); n++) {
		struct cfs_slice copy = exact_copy(page_file, n), rest = copy;
		struct cfs_sizes_batch b;
		struct cfs_sizes_id id;
		uint64_t seed = 0;
		int rc = cfs_sizes_header_parse(&rest, &id, &seed);

		assert_int_equal(rc, n < CFS_SIZES_HEADER_BYTES ? CFS_EFORMAT :
								  CFS_OK);
		if (rc == CFS_OK)
			assert_int_equal(cfs_sizes_batch_parse(&rest, seed, &b),
					 n == CFS_SIZES_HEADER_BYTES ? CFS_END :
								       CFS_EFORMAT);
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
	assert_int_equal(files(path, &n), 0);	/* nothing is made for nothing */
	keep(0, 5000);
	assert_int_equal(known_by(CODE, 6000), 5000);
	keep(0, 5000);				/* known: nothing is written */
	keep(5000, 6000);
	assert_int_equal(known_by(CODE, 6000), 6000);
	assert_true(files(path, &n) < 6000 * 16 + 100 * 24);
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
	cfs_sizes_close(s);
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
	cfs_sizes_close(s);
	s = open_code(ID, CODE);
	assert_true(cfs_sizes_get(s, 3, &size));
	assert_int_equal(size, 109);
	cfs_sizes_close(s);
}

static void not_kept(void **state)
{
	struct cfs_sizes *s = open_code(ID, CODE);
	uint64_t size;

	(void)state;
	cfs_sizes_put(s, &(struct cfs_sizes_entry){ 3, UINT64_MAX, false });
	cfs_sizes_put(s, &(struct cfs_sizes_entry){ CFS_SIZES_ANY_CODE, 3, false });
	assert_false(cfs_sizes_get(s, 3, &size));
	cfs_sizes_close(s);
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
	struct cfs_sizes *s;
	char path[400];
	unsigned n;

	(void)state;
	keep(0, 1000);
	s = open_code((struct cfs_sizes_id){ 0x1111, 0x2223 }, CODE);
	assert_int_equal(known(s, 1000), 0);
	put(s, 1);
	cfs_sizes_close(s);
	files(path, &n);		/* of the old state no more */
	assert_int_equal(n, 1);
	assert_non_null(strstr(path, "2223.sizes"));
	s = open_code((struct cfs_sizes_id){ 0x1112, 0x2222 }, CODE);
	assert_int_equal(known(s, 1000), 0);
	put(s, 1);
	cfs_sizes_close(s);
	files(path, &n);
	assert_int_equal(n, 2);
}

/* A file that has the name of another index's is none of it. */
static void renamed(void **state)
{
	struct cfs_sizes_id other = { 0x1111, 0x3333 };
	struct cfs_sizes *s;
	char path[400], to[400];
	unsigned n;

	(void)state;
	keep(0, 1000);
	files(path, &n);
	snprintf(to, sizeof(to), "%.*s3333.sizes",
		 (int)(strlen(path) - strlen("2222.sizes")), path);
	assert_int_equal(rename(path, to), 0);
	s = open_code(other, CODE);
	assert_int_equal(known(s, 1000), 0);
	put(s, 5);
	cfs_sizes_close(s);
	s = open_code(other, CODE);
	assert_int_equal(known(s, 1000), 1);
	cfs_sizes_close(s);
}

/* ---- bounds ------------------------------------------------------------- */

static void bound(void **state)
{
	const uint64_t all = 1000000;
	struct cfs_sizes *s = open_code(ID, CODE);
	char path[400];
	unsigned n, in_memory;

	(void)state;
	for (uint64_t key = 0; key < all; key++) {
		put(s, key);
		if (key % 4000 == 3999) {
			cfs_sizes_flush(s);
			assert_true(files(path, &n) <= CFS_SIZES_FILE_BYTES_MAX);
		}
	}
	in_memory = known(s, all);
	cfs_sizes_close(s);
	s = open_code(ID, CODE);
	n = known(s, all);
	print_message("    %u of %u known, in memory %u\n", n, (unsigned)all,
		      in_memory);
	assert_true(n > 250000 && n < 530000);
	for (uint64_t key = all - 250000; key < all; key++) {
		uint64_t size;

		assert_true(cfs_sizes_get(s, key, &size));
	}
	cfs_sizes_close(s);
}

static void many_indexes(void **state)
{
	char path[400];
	unsigned n;

	(void)state;
	for (unsigned i = 0; i < 2 * CFS_SIZES_FILES_MAX; i++) {
		struct cfs_sizes *s = open_code((struct cfs_sizes_id){ i, 1 },
						CODE);

		put(s, 1);
		cfs_sizes_close(s);
		files(path, &n);
		assert_true(n <= CFS_SIZES_FILES_MAX);
	}
	assert_int_equal(n, CFS_SIZES_FILES_MAX);
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
		bytes = files(path, &n);
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

/* Cut off or deleted while it is in use. */
static void taken_away(void **state)
{
	struct cfs_sizes *s = open_code(ID, CODE);
	char path[400];
	unsigned n;

	(void)state;
	for (uint64_t key = 0; key < 1000; key++)
		put(s, key);
	cfs_sizes_flush(s);
	files(path, &n);
	assert_int_equal(unlink(path), 0);
	put(s, 1000);
	cfs_sizes_flush(s);
	assert_int_equal(known_by(CODE, 2000), 1);
	assert_int_equal(truncate(path, 50), 0);
	put(s, 1001);
	cfs_sizes_flush(s);
	assert_int_equal(known_by(CODE, 2000), 1);
	assert_int_equal(known(s, 2000), 1002);
	cfs_sizes_close(s);
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
			cfs_sizes_close(s);
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
			cfs_sizes_close(s);
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

/* A mount learns what others have kept when it keeps something itself. */
static void seen_by_others(void **state)
{
	struct cfs_sizes *a = open_code(ID, CODE), *b = open_code(ID, CODE);

	(void)state;
	put(a, 1);
	cfs_sizes_flush(a);
	assert_int_equal(known(b, 100), 0);
	put(b, 2);
	cfs_sizes_flush(b);
	assert_int_equal(known(b, 100), 2);
	cfs_sizes_close(a);
	cfs_sizes_close(b);
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
	cfs_sizes_close(s);
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

int main(void)
{
	UNIT_TEST(page_example);
	UNIT_TEST(prefixes);
	UNIT_TEST_HERE(found_again);
	UNIT_TEST_HERE(at_once_in_memory);
	UNIT_TEST_HERE(last_one_holds);
	UNIT_TEST_HERE(not_kept);
	UNIT_TEST_HERE(another_code);
	UNIT_TEST_HERE(another_state);
	UNIT_TEST_HERE(renamed);
	UNIT_TEST_HERE(bound);
	UNIT_TEST_HERE(many_indexes);
	UNIT_TEST_HERE(damaged);
	UNIT_TEST_HERE(taken_away);
	UNIT_TEST_HERE(killed);
	UNIT_TEST_HERE(shared);
	UNIT_TEST_HERE(seen_by_others);
	UNIT_TEST_HERE(full_disk);
	UNIT_TEST_HERE(read_only);
	UNIT_TEST_HERE(no_folder);
	return unit_run("sizes");
}
