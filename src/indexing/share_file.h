/* share_file.h - writes and reads the file of one part of an index: an index
 * with all that joins need, and tables that say what its archives are.
 *
 * Layout: crawlfs-index(5), "Parts".
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEXING_SHARE_FILE_H
#define CFS_INDEXING_SHARE_FILE_H

#include "base/buf.h"
#include "index/archive_row.h"
#include "index/part.h"
#include "source/source.h"

/* Header fields of a part's file that an index does not have. */
struct cfs_share_head {
	struct cfs_part share;
	uint64_t seal;		/* of struct cfs_share_cut */
	uint64_t tables_off, tables_bytes, tables_hash;	/* one gzip member */
	uint32_t view_version;
	uint64_t skipped[CFS_SKIPPED_KINDS];
};

/* ---- writing ---- */

struct cfs_share_writer;

/* share, seal: those of the part.  0, CFS_ENOMEM. */
int cfs_share_writer_new(struct cfs_share_writer **out, struct cfs_part share,
			 uint64_t seal, struct cfs_error *err);
/* The buffer for the tables; lent, to be filled before finish. */
struct cfs_buf *cfs_share_writer_tables(struct cfs_share_writer *w);
/* Turns the complete index in fd into a part's file; *bytes is the file's size,
 * before and after. */
int cfs_share_writer_finish(struct cfs_share_writer *w, int fd, uint64_t *bytes,
			    struct cfs_error *err);
void cfs_share_writer_free(struct cfs_share_writer *w);	/* accepts NULL */

/* ---- reading ---- */

/* Opens a part's file with a valid header and complete contents.  0;
 * CFS_ENOTFOUND: there is no such file; CFS_EFORMAT: it is not a part of an
 * index, or damaged; CFS_EIO, CFS_ENOMEM. */
int cfs_share_open(struct cfs_source **out, const char *path,
		   struct cfs_share_head *head, struct cfs_error *err);

/* Appends the tables, after checking them.  0, CFS_EFORMAT, CFS_EIO,
 * CFS_ENOMEM. */
int cfs_share_tables(struct cfs_source *src, const struct cfs_share_head *head,
		     struct cfs_buf *out, struct cfs_error *err);

#endif
