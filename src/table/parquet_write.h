/* parquet_write.h - writes rows as a Parquet file, with DuckDB's library.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_TABLE_PARQUET_WRITE_H
#define CFS_TABLE_PARQUET_WRITE_H

#include "base/cancel.h"
#include "base/error.h"
#include "base/slice.h"

/* Types of columns, with those of Parquet. */
enum cfs_parquet_type {
	CFS_PARQUET_TEXT,	/* VARCHAR: valid UTF-8 */
	CFS_PARQUET_WORDS,	/* VARCHAR[]: several, with commas between
				 * them */
	CFS_PARQUET_STRUCT,	/* STRUCT: a VARCHAR for each of the column's
				 * members */
	CFS_PARQUET_STRUCTS,	/* STRUCT[]: several of them */
	CFS_PARQUET_BYTES,	/* BLOB */
	CFS_PARQUET_INT,	/* INTEGER */
	CFS_PARQUET_LONG,	/* BIGINT */
	CFS_PARQUET_HUNDREDTHS,	/* DOUBLE, of a number of hundredths */
	CFS_PARQUET_TIME,	/* an instant: microseconds since 1970 */
};

/* How values are compressed. */
enum cfs_parquet_codec {
	CFS_PARQUET_ZSTD, CFS_PARQUET_SNAPPY, CFS_PARQUET_GZIP,
	CFS_PARQUET_PLAIN,	/* not at all */
};

struct cfs_parquet_column {
	const char *name;
	enum cfs_parquet_type type;
	const char *const *members;	/* of structs: their names, the last
					 * one NULL; CFS_PARQUET_MEMBERS_MAX
					 * or fewer */
};

struct cfs_parquet_value {
	bool has;		/* false: NULL */
	/* For TEXT, WORDS and BYTES.  For structs, a varint for each member of
	 * each struct: 0 for NULL, else its bytes and 1; they follow. */
	struct cfs_slice text;
	int64_t number;		/* for the other types */
};

/* Most columns, and most bytes of a value: DuckDB has each several times in
 * memory, and a page of Parquet at most 2 GiB. */
#define CFS_PARQUET_COLUMNS_MAX 64u
#define CFS_PARQUET_VALUE_MAX ((size_t)256 << 20)
#define CFS_PARQUET_MEMBERS_MAX 8u

/* Gets the values of the next row, in the order of columns, lent until the next
 * call.  0; CFS_END; a failure, which ends the writing. */
typedef int cfs_parquet_next_fn(void *arg, struct cfs_parquet_value *values,
				struct cfs_ctx ctx);

/* A name and a value of the file's key-value metadata. */
struct cfs_parquet_note {
	const char *name;	/* letters and dots */
	struct cfs_slice value;	/* valid UTF-8 without NUL */
};

struct cfs_parquet_opts {
	const char *path;	/* a file that is overwritten */
	const struct cfs_parquet_column *columns;
	size_t n_columns;
	cfs_parquet_next_fn *next;
	void *arg;
	const struct cfs_parquet_note *notes;
	size_t n_notes;
	enum cfs_parquet_codec codec;
	const char *temp_dir;	/* for what does not fit in memory */
	uint64_t mem_bytes;	/* for DuckDB; rows of a group have at most an
				 * eighth of it, or GROUP_ROWS rows */
};

/* Makes sure that DuckDB's library is there.  0; CFS_EUNSUPPORTED: it is not
 * installed, and err says how to get it. */
int cfs_parquet_begin(struct cfs_error *err);

/* Writes the file.  The same rows give the same bytes.  0; CFS_EUNSUPPORTED as
 * above; failures of `next`; CFS_EIO, CFS_ENOMEM, CFS_ELIMIT. */
int cfs_parquet_write(const struct cfs_parquet_opts *opts, struct cfs_ctx ctx);

#endif
