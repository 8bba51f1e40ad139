/* formats.h - the formats that rows are written in.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_EXPORT_FORMATS_H
#define CFS_EXPORT_FORMATS_H

#include "codec/member.h"
#include "row.h"

struct cfs_export_opts;

/* Appends a row to out, where failures of appending are recorded; nothing, if
 * such a row has no place in the format.  0, or a failure that ends the run. */
typedef int cfs_export_put_fn(const struct cfs_export_row *r,
			      const struct cfs_export_opts *opts,
			      struct cfs_buf *out, struct cfs_ctx ctx);
/* Appends what stands before all rows. */
typedef void cfs_export_begin_fn(const struct cfs_export_opts *opts,
				 struct cfs_buf *out);

/* Makes the file `to`, which exists and is overwritten, of the rows in the
 * first `bytes` bytes of the file `from`.  0, or a failure. */
typedef int cfs_export_convert_fn(const struct cfs_export_opts *opts,
				  const char *from, uint64_t bytes,
				  const char *to, struct cfs_ctx ctx);

struct cfs_export_format {
	const char *name;		/* of --format */
	cfs_export_put_fn *put;
	cfs_export_begin_fn *begin;	/* NULL: nothing stands there */
	cfs_export_set made_of;		/* the fields that it is made of; 0:
					 * those that the user names.  Users may
					 * have MAIN in place of TEXT */
	bool has_members;		/* each row is a member by itself */
	const char *suffix;		/* of file names: ".jsonl" */
	const char *about;		/* a phrase for help texts */
	/* Rows are first gathered in a file of their own, compressed with zstd,
	 * of which this makes the output; NULL: they are the output. */
	cfs_export_convert_fn *convert;
	uint64_t value_max;		/* bytes of a value; 0: any */
};

/* Ended by one without a name. */
extern const struct cfs_export_format cfs_export_formats[];

/* The same for a name that may have ".gz" or ".zst" behind it, for *coding. */
const struct cfs_export_format *
cfs_export_format_find_coded(const char *name, enum cfs_coding *coding);

/* The suffix of files with a compression: ".gz", or nothing. */
const char *cfs_export_coding_suffix(enum cfs_coding coding);

/*
 * Finds the format and the compression that the name of a file stands for.
 * False if its suffix is none of theirs.
 */
bool cfs_export_format_of(const char *name,
			  const struct cfs_export_format **format,
			  enum cfs_coding *coding);

cfs_export_put_fn cfs_row_put_json, cfs_row_put_wet, cfs_row_put_warc,
	cfs_row_put_parquet;
cfs_export_convert_fn cfs_row_convert_parquet;
cfs_export_begin_fn cfs_row_begin_wet, cfs_row_begin_warc;

#endif
