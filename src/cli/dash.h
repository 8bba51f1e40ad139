/* dash.h - `-` as the name of an output that has to be a file while it is made.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CLI_DASH_H
#define CFS_CLI_DASH_H

#include "base/tempdir.h"
#include "crawl/crawl.h"

/* A file in a temporary folder, whose bytes go to standard output.  {0}: there
 * is none. */
struct cfs_dash {
	struct cfs_tempdir dir;
	char *path;			/* of the file; owned */
};

/* True if `name` is that of standard output. */
bool cfs_dash_is(const char *name);

/* Makes the folder, and finds the path of a file of that name in it.  0;
 * CFS_EIO; CFS_ENOMEM. */
int cfs_dash_open(struct cfs_dash *d, const struct cfs_crawl_opts *o,
		  const char *name, struct cfs_error *err);

/* Writes the file to standard output; output.h remembers if that fails.  0, or
 * a failure to read the file. */
int cfs_dash_send(const struct cfs_dash *d, struct cfs_error *err);

/* Removes the folder. */
void cfs_dash_close(struct cfs_dash *d);

#endif
