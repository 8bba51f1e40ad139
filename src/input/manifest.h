/* manifest.h - reads the JSON lists of WACZ files that make up a collection.
 *
 * Spec: doc/formats.md, "WACZ".
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INPUT_MANIFEST_H
#define CFS_INPUT_MANIFEST_H

#include "source/source.h"

/*
 * Calls `each` with the location of every file of the list in src, which is at
 * `location`, a path or a URL.  Names are relative to the list's folder; URLs
 * are passed as they are, unless the list is on a server and may not lead to
 * them (reach.h).  Members that are neither archives nor WACZ files are
 * skipped; names that would lead out of the folder are logged and left out.
 *
 * 0; the first result that is not 0; CFS_EFORMAT, CFS_ELIMIT, CFS_ENOMEM,
 * failures to read.
 */
int cfs_manifest_read(struct cfs_source *src, const char *location,
		      int (*each)(void *arg, const char *file), void *arg,
		      struct cfs_ctx ctx);

#endif
