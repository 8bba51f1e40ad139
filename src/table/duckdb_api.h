/* duckdb_api.h - the part of DuckDB's C interface, version 1.2 and newer, that
 * crawlfs uses.
 *
 * It is declared here so that crawlfs builds without DuckDB; the library is
 * loaded when it is needed (sql.c).  Names are DuckDB's without "duckdb_";
 * sizes and layouts are those of its binary interface.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_TABLE_DUCKDB_API_H
#define CFS_TABLE_DUCKDB_API_H

#include <stdint.h>

#include "base/error.h"

/* Handles.  Functions that create or destroy one take a pointer to it;
 * destroying NULL is allowed. */
typedef struct cfs_duckdb_config *cfs_duckdb_config;
typedef struct cfs_duckdb_database *cfs_duckdb_database;
typedef struct cfs_duckdb_connection *cfs_duckdb_connection;
typedef struct cfs_duckdb_extracted *cfs_duckdb_extracted;
typedef struct cfs_duckdb_prepared *cfs_duckdb_prepared;
typedef struct cfs_duckdb_pending *cfs_duckdb_pending;
typedef struct cfs_duckdb_chunk *cfs_duckdb_chunk;
typedef struct cfs_duckdb_vector *cfs_duckdb_vector;	/* owned by the chunk */
typedef struct cfs_duckdb_type *cfs_duckdb_type;
typedef struct cfs_duckdb_table_function *cfs_duckdb_table_function;
/* Lent to the functions of a table function. */
typedef struct cfs_duckdb_bind *cfs_duckdb_bind;
typedef struct cfs_duckdb_init *cfs_duckdb_init;
typedef struct cfs_duckdb_call *cfs_duckdb_call;

/* Numbers of types. */
enum {
	CFS_DUCKDB_INTEGER = 4, CFS_DUCKDB_BIGINT = 5, CFS_DUCKDB_DOUBLE = 11,
	CFS_DUCKDB_VARCHAR = 17, CFS_DUCKDB_BLOB = 18,
	CFS_DUCKDB_TIMESTAMP_TZ = 31
};

/* A list in a vector: where its items are in the vector of all items. */
struct cfs_duckdb_list { uint64_t at, n; };

typedef int cfs_duckdb_state;		/* 0, or 1 for a failure */

/* Passed by value; only `internal` is meaningful. */
struct cfs_duckdb_result {
	uint64_t old_counts[3];
	void *old_columns;
	char *old_message;
	void *internal;
};

struct cfs_duckdb_progress {
	double percent;			/* negative: unknown */
	uint64_t rows, rows_total;	/* rows read, and all */
};

/* A VARCHAR or BLOB in a vector: up to CFS_DUCKDB_INLINE bytes are stored
 * inline, longer values elsewhere. */
#define CFS_DUCKDB_INLINE 12u
union cfs_duckdb_string {
	struct {
		uint32_t n;
		char bytes[CFS_DUCKDB_INLINE];
	} near;
	struct {
		uint32_t n;
		char prefix[4];
		const char *p;
	} far;
};
_Static_assert(sizeof(union cfs_duckdb_string) == 16, "DuckDB's string_t");

#define CFS_DUCKDB_FUNCTIONS(F) \
	F(const char *, library_version, (void)) \
	F(void, free, (void *p)) \
	F(cfs_duckdb_state, create_config, (cfs_duckdb_config *out)) \
	F(cfs_duckdb_state, set_config, \
	  (cfs_duckdb_config c, const char *name, const char *value)) \
	F(void, destroy_config, (cfs_duckdb_config *c)) \
	F(cfs_duckdb_state, open_ext, \
	  (const char *path, cfs_duckdb_database *out, cfs_duckdb_config c, \
	   char **message)) \
	F(void, close, (cfs_duckdb_database *db)) \
	F(cfs_duckdb_state, connect, \
	  (cfs_duckdb_database db, cfs_duckdb_connection *out)) \
	F(void, disconnect, (cfs_duckdb_connection *c)) \
	F(cfs_duckdb_state, query, \
	  (cfs_duckdb_connection c, const char *sql, \
	   struct cfs_duckdb_result *out)) \
	F(void, interrupt, (cfs_duckdb_connection c)) \
	F(struct cfs_duckdb_progress, query_progress, \
	  (cfs_duckdb_connection c)) \
	F(uint64_t, extract_statements, \
	  (cfs_duckdb_connection c, const char *sql, \
	   cfs_duckdb_extracted *out)) \
	F(const char *, extract_statements_error, (cfs_duckdb_extracted e)) \
	F(void, destroy_extracted, (cfs_duckdb_extracted *e)) \
	F(cfs_duckdb_state, prepare_extracted_statement, \
	  (cfs_duckdb_connection c, cfs_duckdb_extracted e, uint64_t i, \
	   cfs_duckdb_prepared *out)) \
	F(const char *, prepare_error, (cfs_duckdb_prepared p)) \
	F(void, destroy_prepare, (cfs_duckdb_prepared *p)) \
	F(cfs_duckdb_state, pending_prepared_streaming, \
	  (cfs_duckdb_prepared p, cfs_duckdb_pending *out)) \
	F(const char *, pending_error, (cfs_duckdb_pending p)) \
	F(void, destroy_pending, (cfs_duckdb_pending *p)) \
	F(cfs_duckdb_state, execute_pending, \
	  (cfs_duckdb_pending p, struct cfs_duckdb_result *out)) \
	F(const char *, result_error, (struct cfs_duckdb_result *r)) \
	F(void, destroy_result, (struct cfs_duckdb_result *r)) \
	F(uint64_t, column_count, (struct cfs_duckdb_result *r)) \
	F(cfs_duckdb_chunk, fetch_chunk, (struct cfs_duckdb_result r)) \
	F(void, destroy_data_chunk, (cfs_duckdb_chunk *c)) \
	F(uint64_t, data_chunk_get_size, (cfs_duckdb_chunk c)) \
	F(cfs_duckdb_vector, data_chunk_get_vector, \
	  (cfs_duckdb_chunk c, uint64_t column)) \
	F(void *, vector_get_data, (cfs_duckdb_vector v)) \
	/* A bit per row, set if the row has a value; NULL: all have. */ \
	F(uint64_t *, vector_get_validity, (cfs_duckdb_vector v)) \
	/* Those that writing needs: */ \
	F(uint64_t, vector_size, (void)) \
	F(void, data_chunk_set_size, (cfs_duckdb_chunk c, uint64_t rows)) \
	F(void, vector_ensure_validity_writable, (cfs_duckdb_vector v)) \
	F(void, validity_set_row_invalid, (uint64_t *validity, uint64_t row)) \
	F(void, vector_assign_string_element_len, \
	  (cfs_duckdb_vector v, uint64_t row, const char *s, uint64_t n)) \
	F(cfs_duckdb_vector, list_vector_get_child, (cfs_duckdb_vector v)) \
	F(uint64_t, list_vector_get_size, (cfs_duckdb_vector v)) \
	F(cfs_duckdb_state, list_vector_set_size, \
	  (cfs_duckdb_vector v, uint64_t n)) \
	F(cfs_duckdb_state, list_vector_reserve, \
	  (cfs_duckdb_vector v, uint64_t n)) \
	F(cfs_duckdb_type, create_logical_type, (int type)) \
	F(cfs_duckdb_vector, struct_vector_get_child, \
	  (cfs_duckdb_vector v, uint64_t member)) \
	F(cfs_duckdb_type, create_list_type, (cfs_duckdb_type t)) \
	F(cfs_duckdb_type, create_struct_type, \
	  (cfs_duckdb_type *types, const char **names, uint64_t n)) \
	F(void, destroy_logical_type, (cfs_duckdb_type *t)) \
	F(cfs_duckdb_table_function, create_table_function, (void)) \
	F(void, destroy_table_function, (cfs_duckdb_table_function *t)) \
	F(void, table_function_set_name, \
	  (cfs_duckdb_table_function t, const char *name)) \
	F(void, table_function_set_extra_info, \
	  (cfs_duckdb_table_function t, void *extra, \
	   void (*destroy)(void *extra))) \
	F(void, table_function_set_bind, \
	  (cfs_duckdb_table_function t, void (*fn)(cfs_duckdb_bind b))) \
	F(void, table_function_set_init, \
	  (cfs_duckdb_table_function t, void (*fn)(cfs_duckdb_init i))) \
	F(void, table_function_set_function, \
	  (cfs_duckdb_table_function t, \
	   void (*fn)(cfs_duckdb_call f, cfs_duckdb_chunk c))) \
	F(cfs_duckdb_state, register_table_function, \
	  (cfs_duckdb_connection c, cfs_duckdb_table_function t)) \
	F(void *, bind_get_extra_info, (cfs_duckdb_bind b)) \
	F(void, bind_add_result_column, \
	  (cfs_duckdb_bind b, const char *name, cfs_duckdb_type t)) \
	F(void, init_set_max_threads, (cfs_duckdb_init i, uint64_t n)) \
	F(void *, function_get_extra_info, (cfs_duckdb_call f)) \
	F(void, function_set_error, (cfs_duckdb_call f, const char *message))

struct cfs_duckdb_api {
#define CFS_DUCKDB_MEMBER(type, name, parameters) type (*name) parameters;
	CFS_DUCKDB_FUNCTIONS(CFS_DUCKDB_MEMBER)
#undef CFS_DUCKDB_MEMBER
};

/*
 * Returns the functions of libduckdb.so, or of the file that the environment
 * variable CRAWLFS_DUCKDB names; lent until the program ends.  From any thread.
 * NULL with CFS_EUNSUPPORTED and a message: the library is not installed (how
 * to get it), or cannot be used.
 */
const struct cfs_duckdb_api *cfs_duckdb_load(struct cfs_error *err);

/* The same once they were loaded, for functions that DuckDB calls. */
const struct cfs_duckdb_api *cfs_duckdb_loaded(void);

#endif
