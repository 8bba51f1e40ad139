/* file_tag.h - what files and archives are known by.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SERVE_FILE_TAG_H
#define CFS_SERVE_FILE_TAG_H

#include "crawl/entry.h"
#include "crawl/node.h"
#include "ranges.h"

/* Finds what a file is known by.  The entry must have been loaded;
 * b: the bytes of the file, or NULL: then the tag is empty where it cannot be
 * told without them. */
void cfs_file_validators(struct cfs_crawl *c, const struct cfs_node *file,
			 const struct cfs_entry *e,
			 const struct cfs_file_bytes *b,
			 struct cfs_validators *out, struct cfs_ctx ctx);

/* Adds the name and the state of an archive to a hash.  False: the state is not
 * known, at least not before something was read. */
bool cfs_archive_hash(struct cfs_crawl *c, struct cfs_slice archive,
		      uint64_t *hash);

/* Makes the tag of a hash of all that bytes are made of. */
void cfs_tag_write(struct cfs_validators *v, uint64_t hash);

#endif
