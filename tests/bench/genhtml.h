/* genhtml.h - stands in for the limit's own file of this name: its made-up
 * pages are cut from $BENCH_PAGES, so that it inflates the same text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BENCH_GENHTML_H
#define BENCH_GENHTML_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Page `seed`, from 1 on, of `size` bytes. */
static void genhtml(char *buf, size_t size, uint32_t seed)
{
	static FILE *f;
	const char *path = getenv("BENCH_PAGES");

	memset(buf, ' ', size);
	if (f == NULL && path != NULL)
		f = fopen(path, "rb");
	if (f == NULL)
		return;
	if (fseeko(f, (off_t)(seed - 1) * (off_t)size, SEEK_SET) != 0 ||
	    fread(buf, 1, size, f) != size) {
		fprintf(stderr, "too few bytes in '%s'\n", path);
		exit(1);
	}
}

#endif
