/* readdir_helper.c - listings through the bare system calls, for
 * readdir_test.sh.
 *
 *     readdir_helper list BYTES DIR        "offset inode name" of every entry,
 *                                          read with a buffer of BYTES
 *     readdir_helper seek BYTES DIR FILE   FILE holds such a list: from each
 *                                          offset, in random order, the next
 *                                          entry is the one of the next line
 *     readdir_helper save PATHS FILE       lists all directories that PATHS
 *                                          names (each ended by a NUL) into FILE
 *     readdir_helper seek-all BYTES PATHS FILE
 *                                          seek, in all of these directories
 *     readdir_helper two A B DIR           two readers in turn, with buffers
 *                                          of A and B bytes, see the same
 *     readdir_helper rewind BYTES DIR      three times from the beginning to
 *                                          the end by one handle, at first from
 *                                          the middle: the same each time
 *     readdir_helper handles PATHS         each directory that PATHS names,
 *                                          opened by its file handle after the
 *                                          kernel forgot it, as NFS servers do:
 *                                          listed as by its name
 *     readdir_helper threads N FILE        FILE holds paths, each ended by a
 *                                          NUL: N threads list or read all of
 *                                          them, and all see the same
 *
 * Exit status 1 and a line at the first difference.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/hash.h"
#include "tests/program.h"

#define BUFFER_MAX (1u << 20)
#define LIST_MAX (1u << 28)

/* struct linux_dirent64 of getdents(2). */
struct entry64 {
	uint64_t ino;
	int64_t off;
	unsigned short reclen;
	unsigned char type;
	char name[];
};

struct item {
	int64_t off;		/* to seek to, for what comes after */
	uint64_t ino;
	char *name;
};

struct items {
	struct item *v;
	size_t n, room;
};

_Noreturn static void die(const char *what, const char *which)
{
	fprintf(stderr, "readdir_helper: %s '%s': %s\n", what, which,
		errno ? strerror(errno) : "different");
	exit(1);
}

static size_t number(const char *s, size_t max)
{
	uint64_t v;

	if (cfs_slice_parse_u64(cfs_slice_str(s), max, &v) != CFS_OK)
		die("not a number:", s);
	return (size_t)v;
}

static void add(struct items *l, int64_t off, uint64_t ino, const char *name)
{
	if (l->n == l->room) {
		l->room = l->room ? l->room * 2 : 1024;
		l->v = reallocarray(l->v, l->room, sizeof(l->v[0]));
		if (l->v == NULL)
			die("out of memory at", name);
	}
	l->v[l->n].off = off;
	l->v[l->n].ino = ino;
	l->v[l->n].name = strdup(name);
	if (l->v[l->n++].name == NULL)
		die("out of memory at", name);
}

static void release(struct items *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i].name);
	free(l->v);
}

static int open_dir(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY);

	if (fd < 0)
		die("cannot open", path);
	return fd;
}

/* One call of getdents; the entries are added.  False at the end. */
static bool read_some(int fd, char *buf, size_t bytes, const char *dir,
		      struct items *out)
{
	long n = syscall(SYS_getdents64, fd, buf, bytes);

	if (n < 0)
		die("cannot list", dir);
	for (long at = 0; at < n;) {
		struct entry64 *e = (struct entry64 *)(void *)(buf + at);

		add(out, e->off, e->ino, e->name);
		at += e->reclen;
	}
	return n > 0;
}

static char *buffer(void)
{
	char *buf = malloc(BUFFER_MAX);

	if (buf == NULL)
		die("out of memory for", "a buffer");
	return buf;
}

static void list_all(const char *dir, size_t bytes, struct items *out)
{
	char *buf = buffer();
	int fd = open_dir(dir);

	while (read_some(fd, buf, bytes, dir, out))
		;
	close(fd);
	free(buf);
}

static int cmd_list(size_t bytes, const char *dir)
{
	struct items l = { NULL, 0, 0 };

	list_all(dir, bytes, &l);
	for (size_t i = 0; i < l.n; i++)
		printf("%" PRId64 " %" PRIu64 " %s\n", l.v[i].off, l.v[i].ino,
		       l.v[i].name);
	release(&l);
	return 0;
}

static void read_list(const char *path, struct items *out)
{
	FILE *f = fopen(path, "r");
	char *line = NULL, *end;
	size_t room = 0;

	if (f == NULL)
		die("cannot open", path);
	while (getline(&line, &room, f) > 0) {
		int64_t off = strtoll(line, &end, 10);
		uint64_t ino = strtoull(end, &end, 10);

		line[strcspn(line, "\n")] = '\0';
		add(out, off, ino, end + 1);
	}
	free(line);
	fclose(f);
}

/* A reader that begins at offset v[i].off must see v[i + 1] first. */
static void check_seek(int fd, char *buf, size_t bytes, const char *dir,
		       const struct items *l, size_t i)
{
	struct items got = { NULL, 0, 0 };

	errno = 0;
	if (lseek(fd, l->v[i].off, SEEK_SET) != l->v[i].off)
		die("cannot seek after", l->v[i].name);
	read_some(fd, buf, bytes, dir, &got);
	errno = 0;
	if ((got.n == 0) != (i + 1 == l->n))
		die("too much or too little after", l->v[i].name);
	for (size_t k = 0; k < got.n; k++) {
		const struct item *want = &l->v[i + 1 + k];

		if (i + 1 + k >= l->n)
			die("more than the list after", l->v[i].name);
		if (strcmp(got.v[k].name, want->name) != 0 ||
		    got.v[k].ino != want->ino || got.v[k].off != want->off)
			die("something else where there was", want->name);
	}
	release(&got);
}

static void seek_about(size_t bytes, const char *dir, const struct items *l,
		       char *buf)
{
	uint64_t rng = 88172645463325252u;
	int fd = open_dir(dir);

	if (l->n == 0)
		die("nothing was listed in", dir);
	for (size_t turn = 0; turn < l->n && turn < 3000; turn++) {
		rng ^= rng << 13;
		rng ^= rng >> 7;
		rng ^= rng << 17;
		check_seek(fd, buf, bytes, dir, l, (size_t)(rng % l->n));
		if (turn % 100 == 99) {		/* a position outlives a handle */
			close(fd);
			fd = open_dir(dir);
		}
	}
	check_seek(fd, buf, bytes, dir, l, l->n - 1);
	close(fd);
}

static int cmd_seek(size_t bytes, const char *dir, const char *file)
{
	struct items l = { NULL, 0, 0 };
	char *buf = buffer();

	read_list(file, &l);
	seek_about(bytes, dir, &l, buf);
	printf("%zu positions\n", l.n);
	free(buf);
	release(&l);
	return 0;
}

/* ---- many directories ------------------------------------------------- */

/* The next string of a file of strings that each end with a NUL. */
static bool next_path(FILE *f, char **line, size_t *room)
{
	return getdelim(line, room, '\0', f) > 0;
}

static FILE *open_list(const char *path, const char *mode)
{
	FILE *f = fopen(path, mode);

	if (f == NULL)
		die("cannot open", path);
	return f;
}

/* Saves of every directory "offset inode name" NUL ..., and an empty string. */
static int cmd_save(const char *paths, const char *file)
{
	FILE *in = open_list(paths, "r"), *out = open_list(file, "w");
	char *line = NULL;
	size_t room = 0;

	while (next_path(in, &line, &room)) {
		struct items l = { NULL, 0, 0 };

		list_all(line, 4096, &l);
		for (size_t i = 0; i < l.n; i++)
			fprintf(out, "%" PRId64 " %" PRIu64 " %s%c",
				l.v[i].off, l.v[i].ino, l.v[i].name, '\0');
		fputc('\0', out);
		release(&l);
	}
	free(line);
	fclose(in);
	if (fclose(out) != 0)
		die("cannot write", file);
	return 0;
}

static void read_saved(FILE *f, struct items *out)
{
	char *line = NULL, *end;
	size_t room = 0;

	while (next_path(f, &line, &room) && line[0] != '\0') {
		int64_t off = strtoll(line, &end, 10);
		uint64_t ino = strtoull(end, &end, 10);

		add(out, off, ino, end + 1);
	}
	free(line);
}

static int cmd_seek_all(size_t bytes, const char *paths, const char *file)
{
	FILE *in = open_list(paths, "r"), *saved = open_list(file, "r");
	char *line = NULL, *buf = buffer();
	size_t room = 0, n = 0;

	while (next_path(in, &line, &room)) {
		struct items l = { NULL, 0, 0 };

		read_saved(saved, &l);
		seek_about(bytes, line, &l, buf);
		release(&l);
		n++;
	}
	printf("%zu directories\n", n);
	free(line);
	free(buf);
	fclose(in);
	fclose(saved);
	return n == 0;
}

static void must_be_same(const struct items *a, const struct items *b)
{
	errno = 0;
	if (a->n != b->n)
		die("listings of unlike length, last", a->v[a->n - 1].name);
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->v[i].name, b->v[i].name) != 0 ||
		    a->v[i].ino != b->v[i].ino || a->v[i].off != b->v[i].off)
			die("listings differ at", a->v[i].name);
}

static int cmd_two(size_t a_bytes, size_t b_bytes, const char *dir)
{
	struct items whole = { NULL, 0, 0 }, a = whole, b = whole;
	char *buf = buffer();
	int fa = open_dir(dir), fb = open_dir(dir);
	bool more_a = true, more_b = true;

	while (more_a || more_b) {
		more_a = more_a && read_some(fa, buf, a_bytes, dir, &a);
		more_b = more_b && read_some(fb, buf, b_bytes, dir, &b);
	}
	list_all(dir, BUFFER_MAX, &whole);
	must_be_same(&a, &b);
	must_be_same(&a, &whole);
	printf("%zu entries\n", a.n);
	close(fa);
	close(fb);
	free(buf);
	release(&a);
	release(&b);
	release(&whole);
	return 0;
}

static void read_rest(int fd, char *buf, size_t bytes, const char *dir,
		      struct items *out)
{
	while (read_some(fd, buf, bytes, dir, out))
		;
}

static int cmd_rewind(size_t bytes, const char *dir)
{
	struct items whole = { NULL, 0, 0 }, begin = { NULL, 0, 0 };
	char *buf = buffer();
	int fd = open_dir(dir);

	list_all(dir, BUFFER_MAX, &whole);
	read_some(fd, buf, bytes, dir, &begin);
	if (begin.n == 0 || begin.n >= whole.n)
		die("is not read in parts:", dir);
	for (unsigned pass = 0; pass < 3; pass++) {
		struct items got = { NULL, 0, 0 };

		if (lseek(fd, 0, SEEK_SET) != 0)
			die("cannot rewind", dir);
		read_rest(fd, buf, bytes, dir, &got);
		must_be_same(&got, &whole);
		release(&got);
	}
	printf("%zu entries\n", whole.n);
	close(fd);
	free(buf);
	release(&begin);
	release(&whole);
	return 0;
}

#define HANDLE_BYTES 128u
#define HANDLES_MAX 4096u

union handle {
	struct file_handle h;
	char room[sizeof(struct file_handle) + HANDLE_BYTES];
};

static void drop_dentries(void)
{
	int fd = open("/proc/sys/vm/drop_caches", O_WRONLY);

	if (fd >= 0) {
		if (write(fd, "2", 1) != 1)
			die("cannot write", "/proc/sys/vm/drop_caches");
		close(fd);
	}
}

static void check_handle(int mount, union handle *h, const char *path)
{
	struct items by_name = { NULL, 0, 0 }, by_handle = by_name;
	int fd = open_by_handle_at(mount, &h->h, O_RDONLY | O_DIRECTORY);
	char *buf = buffer();

	if (fd < 0)
		die("cannot open by its handle", path);
	read_rest(fd, buf, 4096, path, &by_handle);
	close(fd);
	list_all(path, 4096, &by_name);
	must_be_same(&by_handle, &by_name);
	free(buf);
	release(&by_handle);
	release(&by_name);
}

static int cmd_handles(const char *paths)
{
	union handle *v = calloc(HANDLES_MAX, sizeof(*v));
	char *line = NULL;
	size_t room = 0, n = 0;
	FILE *in = open_list(paths, "r");
	int mount = -1, id;

	if (v == NULL)
		die("out of memory for", "handles");
	while (n < HANDLES_MAX && next_path(in, &line, &room)) {
		if (mount < 0)
			mount = open_dir(line);
		v[n].h.handle_bytes = HANDLE_BYTES;
		if (name_to_handle_at(AT_FDCWD, line, &v[n++].h, &id, 0) != 0)
			die("there is no handle of", line);
	}
	rewind(in);
	drop_dentries();
	for (size_t i = 0; i < n && next_path(in, &line, &room); i++)
		check_handle(mount, &v[i], line);
	printf("%zu directories\n", n);
	if (mount >= 0)
		close(mount);
	fclose(in);
	free(line);
	free(v);
	return n == 0;
}

/* ---- threads ---------------------------------------------------------- */

struct crowd {
	struct cfs_buf paths;
	const char **path;
	size_t n;
	unsigned threads;
	_Atomic uint64_t *seen;		/* hash of each path's contents; 0: none */
	_Atomic unsigned next;		/* number of the next thread */
	_Atomic unsigned faults;
};

static uint64_t hash_file(const char *path, char *buf)
{
	int fd = open(path, O_RDONLY);
	uint64_t h = 1;
	ssize_t n = -1;

	if (fd >= 0)
		while ((n = read(fd, buf, 8000)) > 0)
			h = cfs_hash64(cfs_slice_of(buf, (size_t)n), h);
	if (n < 0)
		h = 2 + (uint64_t)errno;
	if (fd >= 0)
		close(fd);
	return h | 1;
}

static uint64_t hash_dir(const char *path)
{
	struct items l = { NULL, 0, 0 };
	uint64_t h = 1;

	list_all(path, 4096, &l);
	for (size_t i = 0; i < l.n; i++)
		h = cfs_hash64(cfs_slice_str(l.v[i].name), h ^ l.v[i].ino);
	release(&l);
	return h | 1;
}

static void *walk(void *arg)
{
	struct crowd *c = arg;
	unsigned me = atomic_fetch_add(&c->next, 1);
	size_t begin = c->n / c->threads * me;
	char *buf = buffer();

	for (size_t k = 0; k < c->n; k++) {
		size_t i = (begin + (me % 2 ? c->n - k : k)) % c->n;
		uint64_t none = 0, h;
		struct stat st;

		if (stat(c->path[i], &st) != 0)
			h = (uint64_t)errno << 1 | 1;
		else
			h = S_ISDIR(st.st_mode) ? hash_dir(c->path[i])
						: hash_file(c->path[i], buf);
		if (!atomic_compare_exchange_strong(&c->seen[i], &none, h) &&
		    none != h && atomic_fetch_add(&c->faults, 1) < 10)
			fprintf(stderr, "seen differently: %s\n", c->path[i]);
	}
	free(buf);
	return NULL;
}

static void read_paths(struct crowd *c, const char *file)
{
	int fd = open(file, O_RDONLY);
	char *buf = buffer();
	ssize_t n;

	if (fd < 0)
		die("cannot open", file);
	cfs_buf_init(&c->paths, LIST_MAX);
	while ((n = read(fd, buf, BUFFER_MAX)) > 0)
		cfs_buf_append(&c->paths, buf, (size_t)n);
	close(fd);
	free(buf);
	for (size_t i = 0; i < c->paths.n; i++)
		c->n += c->paths.p[i] == 0;
	c->path = calloc(c->n + 1, sizeof(c->path[0]));
	c->seen = calloc(c->n + 1, sizeof(c->seen[0]));
	if (c->path == NULL || c->seen == NULL || c->n == 0)
		die("no paths in", file);
	for (size_t i = 0, at = 0; i < c->n; i++) {
		c->path[i] = (const char *)c->paths.p + at;
		at += strlen(c->path[i]) + 1;
	}
}

#define THREADS_MAX 64u

static int cmd_threads(unsigned threads, const char *file)
{
	struct crowd c = { .threads = threads };
	pthread_t t[THREADS_MAX];

	read_paths(&c, file);
	for (unsigned i = 0; i < threads; i++)
		if (pthread_create(&t[i], NULL, walk, &c) != 0)
			die("cannot start a thread for", file);
	for (unsigned i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
	printf("%u threads, %zu paths, %u faults\n", threads, c.n, c.faults);
	cfs_buf_release(&c.paths);
	free(c.path);
	free((void *)(uintptr_t)c.seen);
	return c.faults > 0;
}

PROGRAM(argc, argv)
{
	if (argc == 4 && strcmp(argv[1], "list") == 0)
		return cmd_list(number(argv[2], BUFFER_MAX), argv[3]);
	if (argc == 5 && strcmp(argv[1], "seek") == 0)
		return cmd_seek(number(argv[2], BUFFER_MAX), argv[3], argv[4]);
	if (argc == 4 && strcmp(argv[1], "save") == 0)
		return cmd_save(argv[2], argv[3]);
	if (argc == 5 && strcmp(argv[1], "seek-all") == 0)
		return cmd_seek_all(number(argv[2], BUFFER_MAX), argv[3],
				    argv[4]);
	if (argc == 5 && strcmp(argv[1], "two") == 0)
		return cmd_two(number(argv[2], BUFFER_MAX),
			       number(argv[3], BUFFER_MAX), argv[4]);
	if (argc == 4 && strcmp(argv[1], "rewind") == 0)
		return cmd_rewind(number(argv[2], BUFFER_MAX), argv[3]);
	if (argc == 3 && strcmp(argv[1], "handles") == 0)
		return cmd_handles(argv[2]);
	if (argc == 4 && strcmp(argv[1], "threads") == 0)
		return cmd_threads((unsigned)number(argv[2], THREADS_MAX),
				   argv[3]);
	fprintf(stderr, "usage: readdir_helper list|seek|save|seek-all|two|"
		"rewind|handles|threads ...\n");
	return 2;
}
