/* verify_rows.h - the entries of an index, or the lines of the lists in WACZ
 * files, by archive and offset.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VERIFY_VERIFY_ROWS_H
#define CFS_VERIFY_VERIFY_ROWS_H

#include "base/buf.h"
#include "verify.h"

/* What is kept of one.  The index has the rest, at `pos`; of a line of a list,
 * which no index is opened for, that is where cfs_verify_rows_text finds it. */
struct cfs_verify_row {
	uint64_t offset, inner_offset;
	uint64_t length, inner_length;
	cfs_pos pos;
	uint64_t key;			/* a hash */
	uint64_t url;			/* a hash, of one that has its URL
					 * beside its key; else 0 */
	uint64_t digest;		/* a hash of it in its one form; 0:
					 * none */
	int64_t time;			/* 0: not known */
	/* Of a line of a list only: */
	uint64_t mime;			/* a hash (cfs_verify_hash_mime); 0:
					 * none */
	uint64_t status;		/* 0: not known */
};

/* What a line of a list says, as text. */
struct cfs_verify_text {
	struct cfs_slice url, digest, mime;
};

/* Those of one archive. */
struct cfs_verify_row_run {
	uint64_t first, n;
	uint64_t hash;			/* of all of them */
};

/* Digests, with their labels. */
#define CFS_VERIFY_DIGEST_MAX 1024u
/* Appends a digest, with the label that CDX files leave out. */
void cfs_verify_label(struct cfs_slice digest, struct cfs_buf *out);
/* A hash of its one form, with or without that label; 0: of none. */
uint64_t cfs_verify_hash_digest(struct cfs_slice digest);
/* A hash of a MIME type, without parameters and in lower case; 0: of none. */
uint64_t cfs_verify_hash_mime(struct cfs_slice mime);

struct cfs_verify_rows;		/* threads share it once it is sorted */

/* 0 or CFS_ENOMEM. */
int cfs_verify_rows_new(struct cfs_verify_rows **out,
			const struct cfs_verify_opts *opts,
			struct cfs_error *err);
void cfs_verify_rows_free(struct cfs_verify_rows *e);	/* accepts NULL */

/* Adds an entry of an archive with a number of its own.  Failures as of
 * cfs_extsort_add. */
int cfs_verify_rows_add(struct cfs_verify_rows *e, uint32_t archive,
			const struct cfs_iter *it,
			const struct cfs_capture *cap, struct cfs_error *err);

/* The same of a line of a list: row->pos is set. */
int cfs_verify_rows_add_line(struct cfs_verify_rows *e, uint32_t archive,
			     struct cfs_verify_row *row,
			     const struct cfs_verify_text *text,
			     struct cfs_error *err);

/* Ends adding; runs gets those of archives 0 .. n-1.  0, CFS_EIO, CFS_ENOMEM,
 * CFS_EINTR. */
int cfs_verify_rows_sort(struct cfs_verify_rows *e,
			 struct cfs_verify_row_run *runs, size_t n,
			 struct cfs_error *err);

/* Reads n entries.  0 or CFS_EIO. */
int cfs_verify_rows_read(const struct cfs_verify_rows *e, uint64_t first,
			 struct cfs_verify_row *out, size_t n,
			 struct cfs_error *err);

/* The text of a line, which is in `buf`.  0, CFS_EIO or CFS_ENOMEM. */
int cfs_verify_rows_text(const struct cfs_verify_rows *e,
			 const struct cfs_verify_row *row, struct cfs_buf *buf,
			 struct cfs_verify_text *out, struct cfs_error *err);

/* The first entry of a run that is at or after an offset.  0 or CFS_EIO. */
int cfs_verify_rows_find(const struct cfs_verify_rows *e,
			 const struct cfs_verify_row_run *run, uint64_t offset,
			 uint64_t *out, struct cfs_error *err);

#endif
