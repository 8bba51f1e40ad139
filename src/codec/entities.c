/* entities.c - resolves character references of HTML and XML.
 *
 * The names come from libxml2's table of HTML 4, whose lookup by name is
 * linear: they are sorted here, on first use.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "entities.h"

#include <libxml/HTMLparser.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/ascii.h"

#define NAMES_MAX 256		/* HTML 4 has 253 with apos */
#define NAME_BYTES_MAX 8	/* "thetasym" */
#define CODE_MAX 0x2666		/* "diams", the highest code point */

static const htmlEntityDesc *names[NAMES_MAX];
static size_t n_names;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int cmp_names(const void *a, const void *b)
{
	const htmlEntityDesc *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

static void sort_names(void)
{
	for (unsigned c = 1; c <= CODE_MAX && n_names < NAMES_MAX; c++) {
		const htmlEntityDesc *d = htmlEntityValueLookup(c);

		if (d != NULL)
			names[n_names++] = d;
	}
	qsort(names, n_names, sizeof(names[0]), cmp_names);
}

static uint32_t by_name(struct cfs_slice name)
{
	size_t at = 0;

	pthread_once(&once, sort_names);
	CFS_LOWER_BOUND(at, n_names, i,
			cfs_slice_cmp(cfs_slice_str(names[i]->name), name) < 0);
	return at < n_names && cfs_slice_eq(cfs_slice_str(names[at]->name),
					    name) ?
		       names[at]->value :
		       0;
}

static size_t numeric(struct cfs_slice s, uint32_t *out)
{
	static const uint16_t high[32] = {
		0x20ac, 0x81, 0x201a, 0x192, 0x201e, 0x2026, 0x2020, 0x2021,
		0x2c6, 0x2030, 0x160, 0x2039, 0x152, 0x8d, 0x17d, 0x8f,
		0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
		0x2dc, 0x2122, 0x161, 0x203a, 0x153, 0x9d, 0x17e, 0x178,
	};
	bool is_hex = s.n > 2 && (s.p[2] | 0x20) == 'x';
	size_t start = is_hex ? 3 : 2, i;
	uint32_t c = 0;

	for (i = start; i < s.n; i++) {
		int d = cfs_xdigit_value(s.p[i]);

		if (d < 0 || (d > 9 && !is_hex))
			break;
		if (c <= 0x10ffff)
			c = c * (is_hex ? 16 : 10) + (uint32_t)d;
	}
	if (i == start)
		return 0;
	*out = c >= 0x80 && c < 0xa0 ? high[c - 0x80] : c;
	return i + (i < s.n && s.p[i] == ';');
}

size_t cfs_entity_ref(struct cfs_slice s, uint32_t *c)
{
	size_t n = 1;

	if (s.n > 1 && s.p[1] == '#')
		return numeric(s, c);
	while (n < s.n && n <= NAME_BYTES_MAX && cfs_is_alnum(s.p[n]))
		n++;
	if (n == 1 || n >= s.n || s.p[n] != ';')
		return 0;
	*c = by_name(cfs_slice_sub(s, 1, n - 1));
	return *c != 0 ? n + 1 : 0;
}
