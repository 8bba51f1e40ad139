/* words_write.h - writes a list of words (words_format.h).
 *
 * Words come in order, each with its documents in order; what is known of
 * documents, at the end.  Memory does not grow with the list: the dictionary is
 * in a temporary file until the end.  The bytes depend on what comes alone.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_WORDS_WORDS_WRITE_H
#define CFS_WORDS_WORDS_WRITE_H

#include "base/buf.h"
#include "base/error.h"
#include "words_format.h"

struct cfs_words_writer;	/* used by one thread at a time */

/*
 * Begins a list.
 *
 * fd       the file, written with pwrite from byte 0; not synced or closed
 * memory   written instead of fd, unless NULL; borrowed until the end
 * name     of the file, for messages; borrowed
 * tmp_dir  for the dictionary; borrowed during the call
 *
 * 0, CFS_ENOMEM, CFS_EIO.
 */
int cfs_words_writer_new(struct cfs_words_writer **out, int fd,
			 struct cfs_buf *memory, const char *name,
			 const char *tmp_dir, struct cfs_error *err);
void cfs_words_writer_free(struct cfs_words_writer *w);	/* accepts NULL */

/* Begins a word, of 1 to CFS_WORD_MAX bytes and greater than the one before as
 * bytes.  A word without postings is left out.  0, CFS_ENOMEM, CFS_EIO,
 * CFS_ELIMIT (of `memory`). */
int cfs_words_writer_word(struct cfs_words_writer *w, struct cfs_slice word,
			  struct cfs_error *err);

/* Adds a document of that word, greater than the one before, with its number of
 * occurrences, at least 1.  Failures as above. */
int cfs_words_writer_posting(struct cfs_words_writer *w, uint32_t doc,
			     uint32_t frequency, struct cfs_error *err);

/* The documents of a list.  All is borrowed. */
struct cfs_words_docs {
	uint64_t tie;			/* cfs_words_tie */
	uint32_t view_version;		/* of the texts */
	const uint8_t *lengths;		/* one a document: the codes of
					 * cfs_words_length_code */
	uint32_t n;			/* documents */
	const uint16_t *leaves;		/* entries of each leaf of the index,
					 * n in all */
	uint32_t n_leaves;
	/* Ascending: documents whose text could not be made, and those with a
	 * word that was cut. */
	const uint32_t *unread, *longs;
	size_t n_unread, n_longs;
};

/* Ends the list.  *file_bytes is its size.  Failures as above. */
int cfs_words_writer_finish(struct cfs_words_writer *w,
			    const struct cfs_words_docs *docs,
			    uint64_t *file_bytes, struct cfs_error *err);

#endif
