/* pbtree_key.h - keys of trivio's PB-tree: from URLs, to tree components and
 * back to URLs.
 *
 *     com.example.www/path?query[:tail]:scheme
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_URL_PBTREE_KEY_H
#define CFS_URL_PBTREE_KEY_H

#include "path.h"

/* The most segments "%2E" or "%2E%2E" in one path: each doubles the ranges of
 * keys to search. */
#define CFS_PBTREE_ALIAS_MAX 4u

/* Appends the key of a URL as the published index has it:
 * reversed.host/path?query[:tail]:scheme.  CFS_ENOTFOUND for other schemes, a
 * NUL, or more than CFS_URL_MAX bytes. */
int cfs_pbtree_url_key(struct cfs_slice url, struct cfs_buf *out);

/* These implement split, ranges and key_url of struct cfs_index_ops. */
int cfs_pbtree_split(struct cfs_slice key, struct cfs_path *out);
int cfs_pbtree_ranges(const struct cfs_path *path, enum cfs_below below,
		      struct cfs_ranges *out);
int cfs_pbtree_key_url(struct cfs_slice key, struct cfs_buf *out);
/* The enum cfs_scheme of a key; CFS_SCHEME_NONE for an invalid key. */
uint8_t cfs_pbtree_key_scheme(struct cfs_slice key);

#endif
