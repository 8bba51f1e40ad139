/* selection_read.h - files that are selections: recognised, and their rows
 * taken.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_SELECTION_READ_H
#define CFS_BUILD_SELECTION_READ_H

#include "record/unsupported.h"
#include "selection_rows.h"
#include "selection_table.h"
#include "source/source.h"

#define CFS_PARQUET_MAGIC "PAR1"

/* Is it a selection, by what it begins with?  *kind is NONE where not, PARQUET
 * for any Parquet file (selection_sql.h reads it).  0,
 * CFS_EIO, CFS_ENOMEM, CFS_EINTR. */
int cfs_selection_look_at(struct cfs_source *src, enum cfs_table_kind *kind,
			  const struct cfs_cancel *cancel,
			  struct cfs_error *err);

/* What a file is that is neither an archive, an index nor a selection: as
 * cfs_unsupported_describe, or which columns a table of captures lacks. */
void cfs_selection_describe(struct cfs_source *src,
			    char out[CFS_UNSUPPORTED_BYTES],
			    const struct cfs_cancel *cancel);

/*
 * Takes the rows of a file that is text, plain or compressed.  Damage is
 * reported (and a compressed file read up to where it is damaged).
 *
 * kind       as cfs_selection_look_at has found
 * advanced   called with bytes of the file as they are read
 *
 * 0; CFS_EFORMAT for what is no selection; failures of reading, and of
 * cfs_selection_rows_take.
 */
int cfs_selection_read(struct cfs_source *src, enum cfs_table_kind kind,
		       struct cfs_selection_rows *rows,
		       void (*advanced)(void *arg, uint64_t bytes), void *arg,
		       const struct cfs_cancel *cancel, struct cfs_error *err);

#endif
