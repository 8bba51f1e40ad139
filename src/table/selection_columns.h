/* selection_columns.h - maps the names of a selection's columns to roles.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_TABLE_SELECTION_COLUMNS_H
#define CFS_TABLE_SELECTION_COLUMNS_H

#include "base/buf.h"

enum cfs_selection_role {
	CFS_COLUMN_OTHER, CFS_COLUMN_ARCHIVE, CFS_COLUMN_OFFSET,
	CFS_COLUMN_LENGTH, CFS_COLUMN_URL, CFS_COLUMN_TIME, CFS_COLUMN_STATUS,
	CFS_COLUMN_MIME, CFS_COLUMN_DIGEST, CFS_COLUMN_ROLES
};

/* rank: of several columns with one role, the lowest one in which a row has a
 * value counts. */
struct cfs_selection_column {
	enum cfs_selection_role role;
	unsigned rank;
};

/* Finds a column's role by its name, in upper or lower case. */
struct cfs_selection_column cfs_selection_column_of(struct cfs_slice name);

/* The roles, as bits, that make a table a selection. */
#define CFS_COLUMNS_NEEDED (1u << CFS_COLUMN_ARCHIVE | \
			    1u << CFS_COLUMN_OFFSET | 1u << CFS_COLUMN_LENGTH)

/* Appends the names of the needed columns whose bits are not set in roles: "the
 * columns warc_filename, warc_record_length". */
void cfs_selection_columns_lacking(unsigned roles, struct cfs_buf *out);

#endif
