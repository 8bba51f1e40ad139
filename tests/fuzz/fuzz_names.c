/* fuzz_names.c - any bytes as a tree component, and as a name in a directory.
 *
 * What escape writes fits, is safe as a name, and parse gives the component
 * back; two components never share a name; what parse takes is spelled in the
 * one way there is; a name that clash finds is the one it was asked for.  All
 * of it twice: with names as bytes, and as UTF-8.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"
#include "base/ascii.h"
#include "base/utf8.h"
#include "crawl/names.h"

#define MARK_BYTES 18u	/* "#x" and a hash */

static bool are_utf8;

static void must(bool ok)
{
	if (!ok)
		abort();
}

/* The index gives only these: its codecs spell other components differently. */
static bool can_be(struct cfs_slice comp)
{
	return cfs_slice_find(comp, '/') < 0 && cfs_slice_find(comp, 0) < 0 &&
	       !cfs_slice_eq(comp, CFS_SLICE_LIT(".")) &&
	       !cfs_slice_eq(comp, CFS_SLICE_LIT(".."));
}

static struct cfs_slice comp_of(const struct cfs_name *name)
{
	return cfs_slice_of(name->comp, name->comp_n);
}

static void check_component(struct cfs_slice comp, enum cfs_zone zone)
{
	char out[CFS_NAME_MAX];
	size_t n = cfs_name_escape(comp, zone, out);
	struct cfs_slice name = cfs_slice_of(out, n);
	struct cfs_name back;

	must(n > 0 && n <= CFS_NAME_WHOLE_MAX);
	must(can_be(name));
	must(!are_utf8 || cfs_utf8_is_valid(name));
	must(cfs_name_parse(name, zone, &back));
	must(!back.is_full && back.suffix.n == 0);
	must(cfs_name_is_of(&back, comp, zone));
	if (back.is_cut) {
		must(n <= CFS_NAME_CUT + MARK_BYTES);
		must(n >= CFS_NAME_CUT - 4 + MARK_BYTES);
		must(comp.n >= CFS_NAME_WHOLE_MAX / (are_utf8 ? 4 : 2));
	} else {
		must(cfs_slice_eq(comp_of(&back), comp));
	}
}

static void check_two(struct cfs_slice a, struct cfs_slice b, enum cfs_zone zone)
{
	char x[CFS_NAME_MAX], y[CFS_NAME_MAX];
	struct cfs_slice name = cfs_slice_of(x, cfs_name_escape(a, zone, x));

	must(cfs_slice_eq(name, cfs_slice_of(y, cfs_name_escape(b, zone, y))) ==
	     cfs_slice_eq(a, b));
}

static void check_clash(struct cfs_slice comp, struct cfs_slice suffix)
{
	char plain[CFS_NAME_MAX + 16], got[CFS_NAME_MAX];
	uint8_t other[CFS_NAME_CLASH_MAX];
	size_t n, other_n;

	if (!cfs_name_clash(comp, suffix, other, &other_n))
		return;
	n = cfs_name_escape(comp, CFS_ZONE_PATH, plain);
	memcpy(plain + n, suffix.p, suffix.n);
	must(cfs_slice_eq(cfs_slice_of(plain, n + suffix.n),
			  cfs_slice_of(got, cfs_name_escape(
				cfs_slice_of(other, other_n), CFS_ZONE_PATH,
				got))));
}

/* Where "#x" and the hash begin: behind whole `##` and `#%XX` only. */
static size_t find_mark(struct cfs_slice name, uint64_t hash)
{
	char mark[MARK_BYTES + 1];
	size_t i = 0;

	snprintf(mark, sizeof(mark), "#x%016llx", (unsigned long long)hash);
	while (i < name.n && !(name.p[i] == '#' && i + 1 < name.n &&
			       name.p[i + 1] != '#' &&
			       (name.p[i + 1] != '%' || !are_utf8)))
		i += name.p[i] == '#' ? 2 : 1;
	must(cfs_slice_starts(cfs_slice_from(name, i), cfs_slice_str(mark)));
	return i;
}

/* Copies the digits of a date, which may be as short as a year. */
static size_t copy_date(struct cfs_slice in, char *out)
{
	size_t n = 0;

	out[n++] = '@';
	for (; n < in.n && cfs_is_digit(in.p[n]); n++)
		out[n] = (char)in.p[n];
	must(n >= 1 + 4 && n <= 1 + 14);
	return n;
}

/* The name written out again from its parts. */
static void check_name(struct cfs_slice name, enum cfs_zone zone)
{
	struct cfs_name p;
	char back[2 * CFS_NAME_MAX + 32];
	size_t n = 0;

	if (!cfs_name_parse(name, zone, &p))
		return;
	must(p.comp_n <= CFS_NAME_MAX);
	if (p.is_cut) {
		n = find_mark(name, p.hash) + MARK_BYTES;
		must(n <= name.n);
		memcpy(back, name.p, n);
	} else {
		n = cfs_name_escape(comp_of(&p), zone, back);
	}
	if (p.is_full) {
		back[n++] = '#';
		if (p.is_dated)
			n += copy_date(cfs_slice_from(name, n), back + n);
		else if (p.capture > 0)
			n += (size_t)snprintf(back + n, 24, "%llu",
					(unsigned long long)p.capture);
	}
	memcpy(back + n, p.suffix.p, p.suffix.n);
	n += p.suffix.n;
	must(cfs_slice_eq(cfs_slice_of(back, n), name));
}

static void check_all(struct cfs_slice in)
{
	ptrdiff_t at = cfs_slice_find(in, '/');
	struct cfs_slice a = cfs_slice_sub(in, 0, at < 0 ? in.n : (size_t)at);
	struct cfs_slice b = cfs_slice_from(in, a.n + 1);

	cfs_names_escape_bytes(are_utf8);
	for (int z = 0; z < 2; z++) {
		enum cfs_zone zone = z == 0 ? CFS_ZONE_HOST : CFS_ZONE_PATH;

		check_name(in, zone);
		check_name(a, zone);
		if (!can_be(a))
			continue;
		check_component(a, zone);
		if (can_be(b))
			check_two(a, b, zone);
	}
	check_clash(a, CFS_SLICE_LIT(".meta"));
	check_clash(a, CFS_SLICE_LIT(".warc.gz"));
}

FUZZ_TARGET(data, size)
{
	for (int i = 0; i < 2; i++) {
		are_utf8 = i == 0;
		check_all(cfs_slice_of(data, size));
	}
	return 0;
}
