/* archive_probe.h - checks whether a sample of a crawl's archives is there.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_ARCHIVE_PROBE_H
#define CFS_CRAWL_ARCHIVE_PROBE_H

#include "crawl.h"

/* How many archives are looked for, spread over all that the index names. */
#define CFS_MISSING_LOOKS 16u
/* Bytes kept of an example's name; a longer one keeps its end. */
#define CFS_MISSING_EXAMPLE 128u

struct cfs_archive_probe {
	unsigned looked;	/* different archives looked for */
	unsigned missing;	/* how many of them are missing */
	char example[CFS_MISSING_EXAMPLE];
};

/*
 * Looks for a sample of archives in the crawl's local folders.  Servers are not
 * asked: if any archive may be on one, none is looked for.  Archives whose
 * names cannot be read from the index are not counted.
 */
void cfs_archive_probe_look(struct cfs_crawl *c, struct cfs_archive_probe *out,
			    const struct cfs_cancel *cancel);

/*
 * Refuses a crawl of which none of these archives is there: it could be listed,
 * but not read.  If only some are missing, a warning is logged.
 *
 * option  what precedes the name of an option in the command that opens the
 *         crawl, for the message: "-o " or "--"
 *
 * Returns 0 or CFS_ENOTFOUND.
 */
int cfs_archive_probe_check(struct cfs_crawl *c, const char *option,
			    struct cfs_ctx ctx);

#endif
