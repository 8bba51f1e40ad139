/* archive_probe.h - a look for some of the archives of a crawl.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_ARCHIVE_PROBE_H
#define CFS_CRAWL_ARCHIVE_PROBE_H

#include "crawl.h"

/* Archives that are looked for, spread over all that the index names. */
#define CFS_MISSING_LOOKS 16u
/* Bytes of a name that is an example; of a longer one the end. */
#define CFS_MISSING_EXAMPLE 128u

struct cfs_archive_probe {
	unsigned looked;	/* different archives */
	unsigned missing;	/* of these */
	char example[CFS_MISSING_EXAMPLE];
};

/*
 * Looks in the folders that a crawl's archives are in.  Servers are not asked:
 * of a crawl that is on one, or has archives there, none is looked for.  What
 * cannot be told, as the index cannot be read there, is left out.
 */
void cfs_archive_probe_look(struct cfs_crawl *c, struct cfs_archive_probe *out,
			    const struct cfs_cancel *cancel);

#endif
