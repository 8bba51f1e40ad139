/* postings.h - codes lists of documents with frequencies (words_format.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_WORDS_POSTINGS_H
#define CFS_WORDS_POSTINGS_H

#include "base/buf.h"
#include "words_format.h"

/* A list that is being written. */
struct cfs_postings_out {
	struct cfs_buf *out;		/* borrowed */
	uint64_t bits;			/* ... that do not fill a byte yet */
	unsigned n_bits;
	uint32_t next;			/* least document that may come */
	uint32_t n;			/* postings of the run so far */
	uint32_t gaps[CFS_WORDS_RUN];
	uint32_t frequencies[CFS_WORDS_RUN];
};

/* Begins a list that is appended to `out`. */
void cfs_postings_begin(struct cfs_postings_out *o, struct cfs_buf *out);
/* Adds a document, greater than the one before.  Failures are kept by `out`. */
void cfs_postings_add(struct cfs_postings_out *o, uint32_t doc,
		      uint32_t frequency);
/* Writes what is left, up to a whole byte. */
void cfs_postings_end(struct cfs_postings_out *o);

/* Bytes that must be readable behind a list that is decoded. */
#define CFS_POSTINGS_PAD 8u

/* True if a list of so many bytes can have d postings of n documents: what is
 * asked before memory is allocated for them. */
bool cfs_postings_fit(uint64_t bytes, uint64_t d, uint64_t n);

/*
 * Decodes a list of d postings, whose documents are less than n.
 *
 * docs, frequencies  room for d each; frequencies may be NULL
 *
 * 0, or CFS_EFORMAT.
 */
int cfs_postings_decode(struct cfs_slice list, uint32_t d, uint32_t n,
			uint32_t *docs, uint32_t *frequencies);

#endif
