/* verify_rows.h - the entries of an index, or the lines of lists in WACZ files,
 * sorted by archive and offset.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_VERIFY_VERIFY_ROWS_H
#define CFS_VERIFY_VERIFY_ROWS_H

#include "base/buf.h"
#include "verify.h"

/* The sorted form of one entry.  The rest is in the index, at `pos`; for a line
 * of a list, cfs_verify_rows_text finds it there. */
struct cfs_verify_row {
	uint64_t offset, inner_offset;
	uint64_t length, inner_length;
	cfs_pos pos;
	uint64_t key;			/* a hash */
	uint64_t url;			/* a hash, if the URL is stored beside
					 * the key; else 0 */
	uint64_t digest;		/* a hash of its canonical form; 0:
					 * none */
	int64_t time;			/* 0: not known */
	/* Set for lines of lists only: */
	uint64_t mime;			/* a hash (cfs_verify_hash_mime); 0:
					 * none */
	uint64_t status;		/* 0: not known */
};

/* The text fields of a line of a list. */
struct cfs_verify_text {
	struct cfs_slice url, digest, mime;
};

/* The rows of one archive. */
struct cfs_verify_row_run {
	uint64_t first, n;
	uint64_t hash;			/* a hash of all of them */
};

/* Most bytes of a digest with its label. */
#define CFS_VERIFY_DIGEST_MAX 1024u
/* Appends a digest, adding the label that CDX files leave out. */
void cfs_verify_label(struct cfs_slice digest, struct cfs_buf *out);
/* A hash of a digest's canonical form, with or without label; 0: empty. */
uint64_t cfs_verify_hash_digest(struct cfs_slice digest);
/* A hash of a MIME type in lower case without parameters; 0: empty. */
uint64_t cfs_verify_hash_mime(struct cfs_slice mime);

struct cfs_verify_rows;		/* threads share it once it is sorted */

/* 0 or CFS_ENOMEM. */
int cfs_verify_rows_new(struct cfs_verify_rows **out,
			const struct cfs_verify_opts *opts,
			struct cfs_error *err);
void cfs_verify_rows_free(struct cfs_verify_rows *e);	/* accepts NULL */

/* Adds an entry of the archive with that number.  Fails like
 * cfs_extsort_add. */
int cfs_verify_rows_add(struct cfs_verify_rows *e, uint32_t archive,
			const struct cfs_iter *it,
			const struct cfs_capture *cap, struct cfs_error *err);

/* The same for a line of a list: row->pos is set. */
int cfs_verify_rows_add_line(struct cfs_verify_rows *e, uint32_t archive,
			     struct cfs_verify_row *row,
			     const struct cfs_verify_text *text,
			     struct cfs_error *err);

/* Ends adding; runs[i] gets the rows of archive i, below n.  0, CFS_EIO,
 * CFS_ENOMEM, CFS_EINTR. */
int cfs_verify_rows_sort(struct cfs_verify_rows *e,
			 struct cfs_verify_row_run *runs, size_t n,
			 struct cfs_error *err);

/* Reads n entries.  0 or CFS_EIO. */
int cfs_verify_rows_read(const struct cfs_verify_rows *e, uint64_t first,
			 struct cfs_verify_row *out, size_t n,
			 struct cfs_error *err);

/* Reads the text of a line into `buf`, from which out borrows.  0, CFS_EIO or
 * CFS_ENOMEM. */
int cfs_verify_rows_text(const struct cfs_verify_rows *e,
			 const struct cfs_verify_row *row, struct cfs_buf *buf,
			 struct cfs_verify_text *out, struct cfs_error *err);

/* Finds the first entry of a run at or after an offset.  0 or CFS_EIO. */
int cfs_verify_rows_find(const struct cfs_verify_rows *e,
			 const struct cfs_verify_row_run *run, uint64_t offset,
			 uint64_t *out, struct cfs_error *err);

#endif
