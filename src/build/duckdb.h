/* duckdb.h - DuckDB's library, loaded when something asks for it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BUILD_DUCKDB_H
#define CFS_BUILD_DUCKDB_H

#include "base/error.h"
#include "duckdb_api.h"

/*
 * The functions of libduckdb.so, or of the file that the environment's
 * CRAWLFS_DUCKDB names; lent for as long as the program runs.  From any thread.
 * NULL with CFS_EUNSUPPORTED: it is not here, with a sentence that says how to
 * get it; or it is not one that can be used.
 */
const struct cfs_duckdb_api *cfs_duckdb_load(struct cfs_error *err);

#endif
