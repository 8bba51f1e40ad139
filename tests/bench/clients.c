/* clients.c - the readers that `make bench` sets on a mount.
 *
 *     clients time CMD ARG...        runs it, output to /dev/null; COUNT is
 *                                    its exit status
 *     clients peak CMD ARG...        the same; COUNT is the most memory that it
 *                                    had, in KiB
 *     clients drain CMD ARG...       the same, output through a pipe and
 *                                    counted (grep and tar look for /dev/null)
 *     clients getdents FOLDER BYTES  entries, by buffers of BYTES
 *     clients readall ROOT LIST N    files: open, read by 128 KiB, close
 *     clients read4k ROOT LIST N     files: open, read 4 KiB, close
 *     clients stat ROOT LIST N       files: stat
 *     clients first ROOT LIST        files: open, read a byte, close; SECONDS
 *                                    is the median of one
 *     clients seq FILE               bytes: read by 128 KiB
 *     clients shadow FROM TO         makes TO a tree of the same names and
 *                                    sizes whose files are holes
 *
 * LIST names files below ROOT, one a line; N processes share them, every
 * Nth each.  All print "COUNT SECONDS" (see bench.h); readall also checks
 * that no file is empty.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define READ_BYTES 131072u
#define PROCESSES_MAX 64u
#define WALK_FDS 32
/* struct linux_dirent64: u64 inode, u64 offset, u16 length, ... */
#define DIRENT_LENGTH_OFF 16u

extern char **environ;
static uint8_t block[READ_BYTES];

/* ---- other programs --------------------------------------------------- */

static pid_t start(char **argv, int out)
{
	posix_spawn_file_actions_t fa;
	pid_t pid;
	int rc;

	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_adddup2(&fa, out, STDOUT_FILENO);
	rc = posix_spawnp(&pid, argv[0], &fa, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&fa);
	if (rc != 0)
		bench_die("cannot run '%s': %s", argv[0], strerror(rc));
	return pid;
}

static int finish(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			bench_die("cannot wait: %s", strerror(errno));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

static void time_command(char **argv)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	double t0 = bench_now_s();
	int status = finish(start(argv, null));

	bench_print((uint64_t)status, bench_now_s() - t0);
	close(null);
}

static void peak_command(char **argv)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	double t0 = bench_now_s();
	struct rusage used;

	if (finish(start(argv, null)) != 0)
		bench_die("'%s' failed", argv[0]);
	getrusage(RUSAGE_CHILDREN, &used);
	bench_print((uint64_t)used.ru_maxrss, bench_now_s() - t0);
	close(null);
}

static void drain_command(char **argv)
{
	double t0;
	uint64_t bytes = 0;
	ssize_t n;
	int fds[2];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) != 0)
		bench_die("cannot make a pipe: %s", strerror(errno));
	t0 = bench_now_s();
	pid = start(argv, fds[1]);
	close(fds[1]);
	while ((n = read(fds[0], block, sizeof(block))) > 0)
		bytes += (uint64_t)n;
	if (finish(pid) > 1)	/* 1: grep found nothing */
		bench_die("'%s' failed", argv[0]);
	bench_print(bytes, bench_now_s() - t0);
	close(fds[0]);
}

/* ---- one folder, one file --------------------------------------------- */

static void list_folder(const char *path, size_t bytes)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	uint8_t *buf = malloc(bytes);
	double t0 = bench_now_s();
	uint64_t entries = 0;
	long n;

	if (fd < 0 || buf == NULL)
		bench_die("cannot open '%s': %s", path, strerror(errno));
	while ((n = syscall(SYS_getdents64, fd, buf, bytes)) > 0) {
		for (long i = 0; i < n; entries++) {
			uint16_t step;

			memcpy(&step, buf + i + DIRENT_LENGTH_OFF, sizeof(step));
			i += step;
		}
	}
	if (n < 0)
		bench_die("cannot list '%s': %s", path, strerror(errno));
	bench_print(entries, bench_now_s() - t0);
	free(buf);
	close(fd);
}

static uint64_t read_whole(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint64_t bytes = 0;
	ssize_t n;

	if (fd < 0)
		bench_die("cannot open '%s': %s", path, strerror(errno));
	while ((n = read(fd, block, sizeof(block))) > 0)
		bytes += (uint64_t)n;
	if (n < 0)
		bench_die("cannot read '%s': %s", path, strerror(errno));
	close(fd);
	return bytes;
}

static void read_sequentially(const char *path)
{
	double t0 = bench_now_s();
	uint64_t bytes = read_whole(path);

	bench_print(bytes, bench_now_s() - t0);
}

/* ---- a list of files -------------------------------------------------- */

struct list {
	char *text;
	const char **name;
	size_t n;
};

static char *load_text(const char *path, size_t *bytes)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text;
	size_t n = 0;
	ssize_t got;

	if (fd < 0 || fstat(fd, &st) != 0)
		bench_die("cannot open '%s': %s", path, strerror(errno));
	text = malloc((size_t)st.st_size + 1);
	if (text == NULL)
		bench_die("out of memory");
	while (n < (size_t)st.st_size &&
	       (got = read(fd, text + n, (size_t)st.st_size - n)) > 0)
		n += (size_t)got;
	text[n] = '\0';
	close(fd);
	*bytes = n;
	return text;
}

static void load_list(struct list *l, const char *path)
{
	size_t bytes, lines = 0;
	char *text = load_text(path, &bytes), *p, *end;

	for (size_t i = 0; i < bytes; i++)
		lines += text[i] == '\n';
	l->text = text;
	l->name = calloc(lines + 1, sizeof(*l->name));
	l->n = 0;
	if (l->name == NULL)
		bench_die("out of memory");
	for (p = text; l->n < lines; p = end + 1) {
		end = strchr(p, '\n');
		*end = '\0';
		l->name[l->n++] = p;
	}
	if (l->n == 0)
		bench_die("'%s' names no file", path);
}

static void touch_all(const char *path)
{
	if (read_whole(path) == 0)
		bench_die("'%s' is empty", path);
}

static void touch_4k(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || pread(fd, block, 4096, 0) <= 0)
		bench_die("cannot read '%s': %s", path, strerror(errno));
	close(fd);
}

static void touch_stat(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		bench_die("no '%s': %s", path, strerror(errno));
}

static void visit(void (*touch)(const char *path), const char *root,
		  const char *list, unsigned n)
{
	struct list l;
	pid_t pid[PROCESSES_MAX];
	double t0;

	load_list(&l, list);
	if (chdir(root) != 0 || n == 0 || n > PROCESSES_MAX)
		bench_die("cannot go to '%s': %s", root, strerror(errno));
	t0 = bench_now_s();
	for (unsigned k = 0; k < n; k++) {
		pid[k] = fork();
		if (pid[k] < 0)
			bench_die("cannot fork: %s", strerror(errno));
		if (pid[k] > 0)
			continue;
		for (size_t i = k; i < l.n; i += n)
			touch(l.name[i]);
		_exit(0);
	}
	for (unsigned k = 0; k < n; k++)
		if (finish(pid[k]) != 0)
			exit(1);
	bench_print(l.n, bench_now_s() - t0);
	free(l.name);
	free(l.text);
}

/* The time until each file has given a byte; they are read once, in turn. */
static double first_byte_s(const char *path)
{
	double t0 = bench_now_s(), t;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, block, 1) != 1)
		bench_die("cannot read '%s': %s", path, strerror(errno));
	t = bench_now_s() - t0;
	close(fd);
	return t;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void first_bytes(const char *root, const char *list)
{
	struct list l;
	double *v;

	load_list(&l, list);
	if (chdir(root) != 0)
		bench_die("cannot go to '%s': %s", root, strerror(errno));
	v = calloc(l.n, sizeof(*v));
	if (v == NULL)
		bench_die("out of memory");
	for (size_t i = 0; i < l.n; i++)
		v[i] = first_byte_s(l.name[i]);
	qsort(v, l.n, sizeof(*v), by_value);
	bench_print(l.n, (v[(l.n - 1) / 2] + v[l.n / 2]) / 2);
	free(v);
	free(l.name);
	free(l.text);
}

/* ---- a tree of holes -------------------------------------------------- */

static size_t from_n;		/* nftw has no argument */
static const char *shadow_to;
static uint64_t shadow_files;

static int shadow_one(const char *path, const struct stat *st, int type,
		      struct FTW *ftw)
{
	char to[PATH_MAX];
	int fd;

	(void)ftw;
	if (snprintf(to, sizeof(to), "%s%s", shadow_to, path + from_n) >=
	    (int)sizeof(to))
		bench_die("'%s' is too long", path);
	if (type == FTW_D) {
		if (mkdir(to, 0777) != 0 && errno != EEXIST)
			bench_die("cannot make '%s': %s", to, strerror(errno));
		return 0;
	}
	if (type != FTW_F)
		bench_die("cannot read '%s'", path);
	fd = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0 || ftruncate(fd, st->st_size) != 0)
		bench_die("cannot write '%s': %s", to, strerror(errno));
	close(fd);
	shadow_files++;
	return 0;
}

static void shadow(const char *from, const char *to)
{
	double t0 = bench_now_s();

	from_n = strlen(from);
	shadow_to = to;
	if (nftw(from, shadow_one, WALK_FDS, FTW_PHYS) != 0)
		bench_die("cannot walk '%s': %s", from, strerror(errno));
	bench_print(shadow_files, bench_now_s() - t0);
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";

	if (strcmp(what, "time") == 0)
		time_command(argv + 2);
	else if (strcmp(what, "peak") == 0)
		peak_command(argv + 2);
	else if (strcmp(what, "drain") == 0)
		drain_command(argv + 2);
	else if (strcmp(what, "seq") == 0)
		read_sequentially(argv[2]);
	else if (strcmp(what, "getdents") == 0 && argc == 4)
		list_folder(argv[2], bench_number(argv[3]));
	else if (strcmp(what, "shadow") == 0 && argc == 4)
		shadow(argv[2], argv[3]);
	else if (strcmp(what, "readall") == 0 && argc == 5)
		visit(touch_all, argv[2], argv[3], (unsigned)bench_number(argv[4]));
	else if (strcmp(what, "read4k") == 0 && argc == 5)
		visit(touch_4k, argv[2], argv[3], (unsigned)bench_number(argv[4]));
	else if (strcmp(what, "first") == 0 && argc == 4)
		first_bytes(argv[2], argv[3]);
	else if (strcmp(what, "stat") == 0 && argc == 5)
		visit(touch_stat, argv[2], argv[3], (unsigned)bench_number(argv[4]));
	else
		bench_die("wrong usage (see the head of clients.c)");
	return 0;
}
