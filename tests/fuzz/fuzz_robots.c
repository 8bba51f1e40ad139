/* fuzz_robots.c - any bytes as the name and the content of a <meta>, which a line
 * end divides, and as a head: statements are whole, and not much longer.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>

#include "base/ascii.h"
#include "fuzz.h"
#include "view/robots.h"

/* The shortest statement of a head is "a:" behind a comma; it becomes this. */
#define LONGEST 32u

static void must(bool ok)
{
	if (!ok)
		abort();
}

/* One line without control characters, in lower case if so it should be. */
static void check_text(struct cfs_slice s, bool lower)
{
	must(s.n > 0 && s.p[0] != ' ' && s.p[s.n - 1] != ' ');
	for (size_t i = 0; i < s.n; i++)
		must(s.p[i] >= ' ' && s.p[i] != 0x7f &&
		     (!lower || cfs_ascii_lower(s.p[i]) == s.p[i]));
}

/* Returns the number of statements. */
static size_t check(struct cfs_slice s, const char *source, size_t bytes)
{
	struct cfs_robots_item item;
	size_t n = 0;

	must(s.n <= LONGEST * bytes + LONGEST);
	must(s.n == 0 || s.p[s.n - 1] == '\0');
	for (; cfs_robots_next(&s, &item); n++) {
		must(cfs_slice_eq(item.source, cfs_slice_str(source)));
		check_text(item.name, true);
		check_text(item.agent, true);
		must(item.rules.n == 0 ||
		     item.rules.p[item.rules.n - 1] == '\n');
		while (item.rules.n > 0)
			check_text(cfs_slice_split(&item.rules, '\n'), false);
	}
	return n;
}

FUZZ_TARGET(data, size)
{
	struct cfs_slice all = cfs_slice_of(data, size), rest = all;
	struct cfs_slice name = cfs_slice_split(&rest, '\n');
	struct cfs_fields fields;
	struct cfs_buf out;

	cfs_buf_init(&out, SIZE_MAX / 2);
	cfs_robots_of_meta(name, rest, &out);
	must(out.failed == CFS_OK);
	must(check(cfs_buf_slice(&out), "meta", size) <= 1);
	cfs_buf_reset(&out);
	if (cfs_head_fields(all, &fields) == CFS_OK) {
		cfs_robots_of_head(&fields, &out);
		must(out.failed == CFS_OK);
		check(cfs_buf_slice(&out), "header", size);
		cfs_fields_release(&fields);
	}
	cfs_buf_release(&out);
	return 0;
}
