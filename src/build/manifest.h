/* manifest.h - collections of WACZ files that are a list in JSON: where the
 * files are.
 *
 * Spec: doc/formats.md, "WACZ".
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_MANIFEST_H
#define CFS_BUILD_MANIFEST_H

#include "source/source.h"

/*
 * Calls `each` with the location of every file of the list in src, which is at
 * `location`, a path or a URL: names are below the list's folder; URLs stand as
 * they are, unless the list is on a server and may not lead to them (reach.h).
 * Members of a WACZ that are neither archives nor WACZ files are
 * passed over; what would lead out of the folder is logged and left out.  0;
 * the first result that is not 0; CFS_EFORMAT, CFS_ELIMIT, CFS_ENOMEM, failures
 * to read.
 */
int cfs_manifest_read(struct cfs_source *src, const char *location,
		      int (*each)(void *arg, const char *file), void *arg,
		      const struct cfs_cancel *cancel, struct cfs_error *err);

#endif
