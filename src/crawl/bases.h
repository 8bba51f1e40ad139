/* bases.h - the folders in which the archives of an index are looked for.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_BASES_H
#define CFS_CRAWL_BASES_H

#include <limits.h>

#include "index/index.h"

#define CFS_BASES_MAX 4

struct cfs_bases {
	char text[CFS_BASES_MAX][PATH_MAX];
	const char *list[CFS_BASES_MAX];
	size_t n;
};

/* Adds the folder `below`, relative to `dir`, which is a folder or URL; "../x"
 * is beside dir.  One whose name is too long is left out. */
void cfs_bases_add(struct cfs_bases *b, const char *dir, const char *below);

/* Sets the folders for an index file of format `look` in the folder or URL
 * `dir`: that of -o data (NULL: not given), or where software that makes such
 * indexes keeps archives. */
void cfs_bases_of_index(struct cfs_bases *b, const char *dir,
			enum cfs_index_format look, const char *data);

/* Returns a malloced copy; NULL: out of memory. */
struct cfs_bases *cfs_bases_copy(const struct cfs_bases *b);

/* True if every archive name means the same file in both. */
bool cfs_bases_are_equal(const struct cfs_bases *a, const struct cfs_bases *b);

#endif
