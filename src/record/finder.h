/* finder.h - finds an archive in one of several folders or URLs, "bases", that
 * the names of archives are relative to.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_RECORD_FINDER_H
#define CFS_RECORD_FINDER_H

#include <stdatomic.h>

#include "net/open.h"
#include "source/source.h"

/* Kinds of archives; all of one kind are expected in one base. */
#define CFS_ARCHIVE_KINDS 16u

/* A folder is held open: the crawl may be mounted over it. */
struct cfs_base {
	char *path;
	int fd;		/* -1: none yet, or it is a URL */
};

/* Immutable after init but for last_base; threads share it. */
struct cfs_finder {
	struct cfs_base *bases;
	size_t n_bases;
	struct cfs_opener opener;
	/* Several bases, all of them URLs: asking where an archive is costs a
	 * request for each base.  So an archive is expected in the base where
	 * the last of its kind was found by asking (at first, in the first);
	 * the others are asked once it is found to be missing there. */
	bool expects_base;
	atomic_uint last_base[CFS_ARCHIVE_KINDS];
};

/* A search for one archive. */
struct cfs_archive_query {
	struct cfs_slice name;
	unsigned expected_base;
	/* Set once the archive was found missing in expected_base, which is
	 * then left out. */
	bool search_all_bases;
};

/* paths: copied; none: the working directory.  opener: NULL for
 * cfs_location_open; copied.  0 or CFS_ENOMEM (release it all the same). */
int cfs_finder_init(struct cfs_finder *f, const char *const *paths, size_t n,
		    const struct cfs_opener *opener);
void cfs_finder_release(struct cfs_finder *f);

/* A first search for an archive, whose name is borrowed. */
struct cfs_archive_query cfs_finder_query(const struct cfs_finder *f,
					  struct cfs_slice name);

/*
 * rc is what came of using the archive that was opened for q.  True if that
 * was missing where it was expected and may be in another base: q is changed
 * so that it is looked for there, and is to be used once more.
 */
bool cfs_finder_search_further(const struct cfs_finder *f,
			       struct cfs_archive_query *q, int rc);

/* 0, or CFS_EFORMAT for a name that would lead out of the bases. */
int cfs_finder_check_name(struct cfs_slice name, struct cfs_error *err);

/* Opens the archive of q, whose name was checked; the caller closes *out.
 * CFS_ENOTFOUND if it is in none of the bases asked; failures of opening. */
int cfs_finder_open(struct cfs_finder *f, const struct cfs_archive_query *q,
		    struct cfs_source **out, const struct cfs_cancel *cancel,
		    struct cfs_error *err);

#endif
