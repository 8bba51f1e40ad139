/* pbout.h - the PB-tree of an ARC crawl: keys sorted on disk, then written.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MKCRAWL_PBOUT_H
#define MKCRAWL_PBOUT_H

#include "archive.h"

/* Below the folder that `segment/` is in, so that it finds its records. */
#define MK_PBTREE_NAME "parse-output/url-index.1356128792"
#define MK_PBTREE_BLOCK 65536u

struct mk_pbout;

struct mk_pbout *mk_pbout_new(const struct mk_config *cfg);
/* Adds the record of a URL, in the file `a` stands in. */
void mk_pbout_add(struct mk_pbout *o, struct cfs_slice url,
		  const struct mk_archive *a, const struct mk_place *at);
/* Writes the tree and frees o. */
void mk_pbout_finish(struct mk_pbout *o);

/* The published key of a URL: reversed.host/path?query[:tail]:scheme. */
void mk_pbout_key(struct cfs_slice url, struct cfs_buf *out);

#endif
