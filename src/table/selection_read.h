/* selection_read.h - recognizes files that are selections, and reads their
 * rows.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_TABLE_SELECTION_READ_H
#define CFS_TABLE_SELECTION_READ_H

#include "record/unsupported.h"
#include "selection_rows.h"
#include "selection_table.h"
#include "source/source.h"

#define CFS_PARQUET_MAGIC "PAR1"

/* Recognizes a selection by its first bytes, as for cfs_index_detect; of zstd
 * more is read.  *kind: NONE if it is not one, PARQUET for any Parquet file
 * (read by selection_sql.c).  0, CFS_EIO, CFS_ENOMEM, CFS_EINTR. */
int cfs_selection_look_at(struct cfs_source *src, struct cfs_slice head,
			  enum cfs_table_kind *kind, struct cfs_ctx ctx);

/* Describes a file that is neither an archive, an index nor a selection: the
 * columns that a table of captures lacks, or as cfs_unsupported_describe. */
void cfs_selection_describe(struct cfs_source *src,
			    char out[CFS_UNSUPPORTED_BYTES],
			    const struct cfs_cancel *cancel);

/*
 * Reads the rows of a text file, plain or compressed.  Damage is reported; a
 * compressed file is read up to where it is damaged.
 *
 * kind       as cfs_selection_look_at found
 * advanced   called with bytes of the file as they are read
 *
 * 0; CFS_EFORMAT if it is not a selection; failures of reading, and of
 * cfs_selection_rows_take.
 */
int cfs_selection_read(struct cfs_source *src, enum cfs_table_kind kind,
		       struct cfs_selection_rows *rows,
		       void (*advanced)(void *arg, uint64_t bytes), void *arg,
		       struct cfs_ctx ctx);

#endif
