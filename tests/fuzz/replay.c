/* replay.c - runs a fuzz target over every file of its corpus folder.
 *
 *     fuzz_X [FILE|FOLDER ...]
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

static fuzz_one *run_one;
static unsigned long done;

static void run_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *exact;
	size_t n = 0, cap = 1 << 16;
	uint8_t *buf = malloc(cap);

	if (f == NULL || buf == NULL) {
		perror(path);
		exit(1);
	}
	for (;;) {
		size_t got = fread(buf + n, 1, cap - n, f);

		n += got;
		if (got == 0)
			break;
		if (n == cap && (buf = realloc(buf, cap *= 2)) == NULL)
			exit(1);
	}
	fclose(f);
	exact = malloc(n ? n : 1);	/* so that ASan sees one byte too far */
	if (exact == NULL)
		exit(1);
	memcpy(exact, buf, n);
	run_one(exact, n);
	free(exact);
	free(buf);
	done++;
}

static void run_path(const char *path)
{
	struct dirent *e;
	struct stat st;
	DIR *d;

	if (stat(path, &st) != 0) {
		perror(path);
		exit(1);
	}
	if (!S_ISDIR(st.st_mode)) {
		run_file(path);
		return;
	}
	d = opendir(path);
	if (d == NULL) {
		perror(path);
		exit(1);
	}
	while ((e = readdir(d)) != NULL) {
		char sub[4096];

		if (e->d_name[0] == '.')
			continue;
		snprintf(sub, sizeof(sub), "%s/%s", path, e->d_name);
		run_file(sub);
	}
	closedir(d);
}

int fuzz_replay(int argc, char **argv, fuzz_one *one)
{
	const char *base = strrchr(argv[0], '/');
	const char *top = getenv("CFS_SRCDIR");
	char corpus[4096];

	base = base ? base + 1 : argv[0];
	run_one = one;
	for (int i = 1; i < argc; i++)
		run_path(argv[i]);
	if (argc == 1) {
		if (strncmp(base, "fuzz_", 5) == 0)
			base += 5;
		snprintf(corpus, sizeof(corpus), "%s/tests/fuzz/corpus/%s",
			 top ? top : CFS_TOP_SRCDIR, base);
		run_path(corpus);
	}
	printf("%lu inputs replayed\n", done);
	return done == 0;
}
