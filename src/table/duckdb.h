/* duckdb.h - loads DuckDB's library when it is first needed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_TABLE_DUCKDB_H
#define CFS_TABLE_DUCKDB_H

#include "base/error.h"
#include "duckdb_api.h"

/*
 * Returns the functions of libduckdb.so, or of the file that the environment
 * variable CRAWLFS_DUCKDB names; lent until the program ends.  From any thread.
 * NULL with CFS_EUNSUPPORTED and a message: the library is not installed (how
 * to get it), or cannot be used.
 */
const struct cfs_duckdb_api *cfs_duckdb_load(struct cfs_error *err);

#endif
