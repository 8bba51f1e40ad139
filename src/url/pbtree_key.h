/* pbtree_key.h - keys of trivio's PB-tree: from URLs, to tree components.
 *
 *     com.example.www/path?query[:tail]:scheme
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_URL_PBTREE_KEY_H
#define CFS_URL_PBTREE_KEY_H

#include "path.h"

/* Segments spelled "%2E" or "%2E%2E" that one key may have: each doubles the
 * runs of keys that a path may be in. */
#define CFS_PBTREE_ALIAS_MAX 4u

/* The published key of a URL: reversed.host/path?query[:tail]:scheme. */
int cfs_pbtree_url_key(struct cfs_slice url, struct cfs_buf *out);

/* The codec: as split, ranges and key_url of struct cfs_index_ops. */
int cfs_pbtree_split(struct cfs_slice key, struct cfs_path *out);
int cfs_pbtree_ranges(const struct cfs_path *path, enum cfs_below below,
		      struct cfs_ranges *out);
int cfs_pbtree_key_url(struct cfs_slice key, struct cfs_buf *out);
/* enum cfs_scheme of a key; CFS_SCHEME_NONE for junk. */
uint8_t cfs_pbtree_key_scheme(struct cfs_slice key);

#endif
