/* source_names.c - makes the names of folders for sources side by side.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "source_names.h"

#include <stdio.h>
#include <string.h>

#include "names.h"
#include "net/location.h"

/* The last component of a source, without trailing slashes or suffixes. */
static struct cfs_slice source_base_name(const char *source)
{
	static const char *const suffixes[] = {
		".gz", ".zst", ".warc", ".arc", ".wat", ".wet", ".cfx", ".warc",
		".wacz",
	};
	struct cfs_slice s = cfs_slice_str(source);
	ptrdiff_t slash;

	if (cfs_location_has_query(s))
		s = cfs_slice_sub(s, 0, (size_t)cfs_slice_find(s, '?'));
	while (s.n > 1 && s.p[s.n - 1] == '/')
		s.n--;
	slash = cfs_slice_rfind(s, '/');
	if (slash >= 0 && s.n > 1)
		s = cfs_slice_from(s, (size_t)slash + 1);
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		struct cfs_slice x = cfs_slice_str(suffixes[i]);

		if (s.n > x.n && cfs_slice_ends(s, x))
			s.n -= x.n;
	}
	if (s.n == 0 || cfs_slice_eq(s, CFS_SLICE_LIT("/")) ||
	    cfs_slice_eq(s, CFS_SLICE_LIT(".")) ||
	    cfs_slice_eq(s, CFS_SLICE_LIT("..")) ||
	    cfs_slice_eq(s, CFS_SLICE_LIT(".crawlfs")))
		s = CFS_SLICE_LIT("crawl");
	return s.n > 200 ? cfs_slice_sub(s, 0, 200) : s;
}

static bool source_name_is_used(char *const *names, unsigned n,
				const char *name)
{
	for (unsigned i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

int cfs_source_names(char **names, unsigned n, const char *const *sources,
		     struct cfs_error *err)
{
	for (unsigned i = 0; i < n; i++) {
		struct cfs_slice base = source_base_name(sources[i]);
		char name[CFS_NAME_MAX];

		snprintf(name, sizeof(name), "%.*s", (int)base.n,
			 (const char *)base.p);
		for (unsigned k = 2; source_name_is_used(names, i, name); k++)
			snprintf(name, sizeof(name), "%.*s~%u", (int)base.n,
				 (const char *)base.p, k);
		names[i] = strdup(name);
		if (names[i] == NULL)
			return cfs_error_nomem(err);
	}
	return CFS_OK;
}
