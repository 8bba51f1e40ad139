/* archive_row.h - what an index says of one of its archives, and how many of
 * the archive's captures it left out.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEX_ARCHIVE_ROW_H
#define CFS_INDEX_ARCHIVE_ROW_H

#include "base/slice.h"

/* Why a capture has no place in an index. */
enum cfs_skipped_kind { CFS_SKIPPED_SCHEME, CFS_SKIPPED_LONG, CFS_SKIPPED_DEEP,
			CFS_SKIPPED_NUL, CFS_SKIPPED_KINDS };

/* One archive named in the index. */
struct cfs_builder_archive {
	const char *name;	/* relative to the index file's folder */
	uint64_t size;		/* file bytes and modification time: an index */
	int64_t mtime;		/* is reused only while both hold */
	uint32_t mtime_nsec;
	uint64_t skipped[CFS_SKIPPED_KINDS];	/* as another index says */
	struct cfs_slice damage;	/* likewise: the archive's report
					 * (cfx_damage.h) */
	bool is_indexed;	/* another index has read it, so it can be
				 * read */
};

#endif
