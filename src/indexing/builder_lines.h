/* builder_lines.h - captures as lines of CDXJ: their pairs in the builder's
 * sort, and writing the sorted lines as one file or as a ZipNum cluster.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEXING_BUILDER_LINES_H
#define CFS_INDEXING_BUILDER_LINES_H

#include "builder_opts.h"

/* The archives' names as they are written in lines, and their sort order. */
struct cfs_line_names;

/* The archives are borrowed until the call returns.  0 or CFS_ENOMEM. */
int cfs_line_names_new(struct cfs_line_names **out,
		       const struct cfs_builder_archive *archives, uint32_t n);
void cfs_line_names_free(struct cfs_line_names *n);	/* accepts NULL */

/* True for a format that consists of lines. */
static inline bool cfs_is_lines(enum cfs_index_format format)
{
	return format == CFS_INDEX_ZIPNUM || format == CFS_INDEX_CDX;
}

/* Appends key and value of a capture.  Pairs sorted by cfs_extsort are in the
 * byte order of their lines.  scratch is overwritten.  0; CFS_ENOTFOUND: the
 * URL has no SURT; failures of the buffers. */
int cfs_builder_line(struct cfs_buf *key, struct cfs_buf *value,
		     const struct cfs_builder_capture *c,
		     const struct cfs_line_names *names,
		     struct cfs_buf *scratch);

/* Makes the line of a sorted pair, with its LF; out is emptied first and
 * records failures.  False if the pair is damaged. */
bool cfs_builder_line_text(const struct cfs_line_names *names,
			   struct cfs_slice key, struct cfs_slice value,
			   struct cfs_buf *out);

struct cfs_lines_writer;	/* used by one thread */

struct cfs_lines_opts {
	enum cfs_index_format format;	/* CFS_INDEX_ZIPNUM or CFS_INDEX_CDX */
	const struct cfs_line_names *names;
	int fd;			/* of the CDXJ file, written from byte 0 */
	const char *path;	/* of that file, for messages; or of
				 * cluster.idx */
	uint64_t lines;		/* see struct cfs_zipnum_opts, as for the next
				 * two */
	unsigned shards, threads;
	mode_t mode;		/* likewise */
	const struct cfs_cancel *cancel;
};

/* opts are copied.  All three return the codes of zipnum_write.h. */
int cfs_lines_writer_new(struct cfs_lines_writer **out,
			 const struct cfs_lines_opts *opts,
			 struct cfs_error *err);
/* Adds the next sorted pair; a line equal to the last one is only counted as
 * repeated.  CFS_EIO if the pair is damaged. */
int cfs_lines_writer_add(struct cfs_lines_writer *w, struct cfs_slice key,
			 struct cfs_slice value, struct cfs_error *err);
/* Completes the file or cluster; sets counts->captures, repeated and
 * file_bytes. */
int cfs_lines_writer_finish(struct cfs_lines_writer *w,
			    struct cfs_builder_counts *counts,
			    struct cfs_error *err);
void cfs_lines_writer_free(struct cfs_lines_writer *w);	/* accepts NULL */

#endif
