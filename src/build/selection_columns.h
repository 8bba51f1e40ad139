/* selection_columns.h - what the columns of a selection are, by their names.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_SELECTION_COLUMNS_H
#define CFS_BUILD_SELECTION_COLUMNS_H

#include "base/buf.h"

enum cfs_selection_role {
	CFS_COLUMN_OTHER, CFS_COLUMN_ARCHIVE, CFS_COLUMN_OFFSET,
	CFS_COLUMN_LENGTH, CFS_COLUMN_URL, CFS_COLUMN_TIME, CFS_COLUMN_STATUS,
	CFS_COLUMN_MIME, CFS_COLUMN_DIGEST, CFS_COLUMN_ROLES
};

/* rank: of several columns of one role the lowest counts in which a row has a
 * value. */
struct cfs_selection_column {
	enum cfs_selection_role role;
	unsigned rank;
};

/* By a column's name, in any case. */
struct cfs_selection_column cfs_selection_column_of(struct cfs_slice name);

/* Bits of roles.  A table that has these columns is a selection. */
#define CFS_COLUMNS_NEEDED (1u << CFS_COLUMN_ARCHIVE | \
			    1u << CFS_COLUMN_OFFSET | 1u << CFS_COLUMN_LENGTH)

/* Appends the names of the columns of CFS_COLUMNS_NEEDED whose bits are not
 * set: "the columns warc_filename, warc_record_length". */
void cfs_selection_columns_lacking(unsigned roles, struct cfs_buf *out);

#endif
