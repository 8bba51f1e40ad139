/* program.c - the main of a file with many test programs: runs the one that it
 * is called by the name of, or that its first argument names.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "program.h"

static struct program *programs;

void program_add(struct program *p)
{
	p->next = programs;
	programs = p;
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

static bool has_name(const struct program *p, const char *name)
{
	const char *file = base_of(p->file);
	size_t n = strlen(name);

	return strncmp(file, name, n) == 0 && strcmp(file + n, ".c") == 0;
}

static const struct program *find(const char *path)
{
	const struct program *p = programs;

	while (p != NULL && !has_name(p, base_of(path)))
		p = p->next;
	return p;
}

int main(int argc, char **argv)
{
	const struct program *p = find(argv[0]);

	if (p != NULL)
		return p->main(argc, argv);
	if (argc > 1)
		p = find(argv[1]);
	if (p != NULL)
		return p->main(argc - 1, argv + 1);
	fprintf(stderr, "usage: %s PROGRAM [ARGUMENT...]; the programs are\n",
		base_of(argv[0]));
	for (p = programs; p != NULL; p = p->next)
		fprintf(stderr, "    %.*s\n", (int)strlen(base_of(p->file)) - 2,
			base_of(p->file));
	return 2;
}
