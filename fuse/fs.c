/* fs.c - names the sources of a file system, and finds the node of an inode
 * number in them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fs.h"

#include <stdio.h>
#include <string.h>

#include "crawl/names.h"
#include "crawl/tree.h"
#include "net/location.h"

/* ---- names of sources ------------------------------------------------- */

/* The last component of a source, without trailing slashes or suffixes. */
static struct cfs_slice fs_base_name(const char *source)
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

static bool name_is_used(const struct cfs_fs *fs, unsigned n, const char *name)
{
	for (unsigned i = 0; i < n; i++)
		if (strcmp(fs->names[i], name) == 0)
			return true;
	return false;
}

int cfs_fs_name_sources(struct cfs_fs *fs, const char *const *sources,
			struct cfs_error *err)
{
	for (unsigned i = 0; i < fs->n_crawls && fs->n_crawls > 1; i++) {
		struct cfs_slice base = fs_base_name(sources[i]);
		char name[CFS_NAME_MAX];

		snprintf(name, sizeof(name), "%.*s", (int)base.n,
			 (const char *)base.p);
		for (unsigned k = 2; name_is_used(fs, i, name); k++)
			snprintf(name, sizeof(name), "%.*s~%u", (int)base.n,
				 (const char *)base.p, k);
		fs->names[i] = strdup(name);
		if (fs->names[i] == NULL)
			return cfs_error_nomem(err);
	}
	return CFS_OK;
}

/* ---- nodes ------------------------------------------------------------ */

bool cfs_fs_node(const struct cfs_fs *fs, uint64_t ino, struct cfs_node *out)
{
	if (ino == CFS_INO_ROOT && fs->n_crawls == 1) {
		*out = cfs_tree_root(0);
		return true;
	}
	if (fs->n_crawls > 1 && ino >= CFS_INO_SOURCES &&
	    ino < CFS_INO_SOURCES + fs->n_crawls) {
		*out = cfs_tree_root((unsigned)ino - CFS_INO_SOURCES);
		return true;
	}
	return cfs_ino_node(ino, out) && out->source < fs->n_crawls;
}

uint64_t cfs_fs_ino(const struct cfs_fs *fs, const struct cfs_node *n)
{
	if (n->type == CFS_NODE_DIR && n->depth == 0)
		return fs->n_crawls == 1 ? CFS_INO_ROOT
					 : CFS_INO_SOURCES + n->source;
	return cfs_ino_of(n);
}
