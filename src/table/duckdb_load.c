/* duckdb_load.c - loads DuckDB's library when it is first needed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "duckdb_api.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#define LIBRARY "libduckdb.so"

static pthread_mutex_t api_lock = PTHREAD_MUTEX_INITIALIZER;
/* Guarded by api_lock until is_loaded: */
static struct cfs_duckdb_api loaded;
static bool is_loaded;			/* guarded by api_lock */

/* Returns NULL, or the name of the first function that is missing. */
static const char *find_functions(void *library)
{
	/* dlsym returns functions as `void *`, which ISO C cannot convert. */
#define FIND(type, name, parameters) \
	if ((*(void **)&loaded.name = dlsym(library, "duckdb_" #name)) == NULL) \
		return "duckdb_" #name;
	CFS_DUCKDB_FUNCTIONS(FIND)
#undef FIND
	return NULL;
}

/* The library stays loaded: its threads may still be ending. */
static int duckdb_load(struct cfs_error *err)
{
	const char *given = secure_getenv("CRAWLFS_DUCKDB"), *missing;
	void *library;

	if (given != NULL && *given == '\0')
		given = NULL;
	library =
		dlopen(given != NULL ? given : LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (library == NULL && given != NULL)
		return cfs_error_set(err, CFS_EUNSUPPORTED,
				     "CRAWLFS_DUCKDB: %s", dlerror());
	if (library == NULL)
		return cfs_error_set(
			err, CFS_EUNSUPPORTED,
			"Parquet and SQL need DuckDB, whose " LIBRARY
			" is not installed: get it from duckdb.org or with "
			"contrib/getduckdb, and set CRAWLFS_DUCKDB to its path");
	missing = find_functions(library);
	if (missing != NULL) {
		dlclose(library);
		return cfs_error_set(err, CFS_EUNSUPPORTED,
			"%s has no function %s: DuckDB 1.2 or newer is needed",
			given != NULL ? given : LIBRARY, missing);
	}
	is_loaded = true;
	return CFS_OK;
}

const struct cfs_duckdb_api *cfs_duckdb_load(struct cfs_error *err)
{
	int rc = CFS_OK;

	pthread_mutex_lock(&api_lock);
	if (!is_loaded)
		rc = duckdb_load(err);
	pthread_mutex_unlock(&api_lock);
	return rc == CFS_OK ? &loaded : NULL;
}

const struct cfs_duckdb_api *cfs_duckdb_loaded(void)
{
	return &loaded;
}
