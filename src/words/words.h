/* words.h - an open list of words: which documents have a word?
 *
 * A list lies beside an index (X.cfw beside X.cfx) and says which entries of it
 * have a word in their text (words_format.h).  A document is an entry, by its
 * number in the order of the index.
 *
 * What a list gives is never too little: documents whose text could not be made
 * are given apart (CFS_WORDS_UNREAD), and where a block of the list is damaged,
 * all documents may have what it would say; that is reported once, in the log.
 *
 * Threads share an open list.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_WORDS_WORDS_H
#define CFS_WORDS_WORDS_H

#include "base/buf.h"
#include "index/index.h"
#include "word_query.h"
#include "words_format.h"

#define CFS_WORDS_SUFFIX ".cfw"

/* ---- sets of documents ---- */

/* All 0: empty.  The numbers ascend, none is there twice. */
struct cfs_hits {
	uint32_t *v;		/* owned */
	size_t n, room;
};

void cfs_hits_release(struct cfs_hits *h);	/* h is then empty */

/* Makes room for n documents in all.  0 or CFS_ENOMEM. */
int cfs_hits_reserve(struct cfs_hits *h, size_t n);
/* Makes h the documents 0 to n - 1.  0 or CFS_ENOMEM. */
int cfs_hits_all(struct cfs_hits *h, uint32_t n);

/* Keep in a what is in both; add to a what is in b.  0 or CFS_ENOMEM; after a
 * failure a is unchanged. */
int cfs_hits_and(struct cfs_hits *a, const struct cfs_hits *b);
int cfs_hits_or(struct cfs_hits *a, const struct cfs_hits *b);

/* ---- a list ---- */

struct cfs_words;

/*
 * Opens a list.
 *
 * src   taken, also on failure
 * ix    the index it lies beside, borrowed until close; what wraps it (a part,
 *       picked entries) does not matter.  NULL: it is not compared
 *
 * 0; CFS_ECHANGED if it belongs to another state of the index; CFS_EFORMAT,
 * CFS_EUNSUPPORTED (another version of the format, or another kind of index),
 * CFS_EIO, CFS_ENOMEM, CFS_EINTR.
 */
int cfs_words_open(struct cfs_words **out, struct cfs_source *src,
		   struct cfs_index *ix, struct cfs_ctx ctx);
void cfs_words_close(struct cfs_words *w);	/* accepts NULL */

/* The number that ties a list to an index: XXH64 of its header.
 * CFS_EUNSUPPORTED if it is not a crawlfs index; CFS_EIO. */
int cfs_words_tie(struct cfs_index *ix, uint64_t *tie, struct cfs_ctx ctx);

/* The header; lent.  A list of other rules (CFS_WORDS_VERSION), or of texts
 * that another version of views made, is not for searching: the caller
 * compares view_version. */
const struct cfs_words_header *cfs_words_info(const struct cfs_words *w);

/* Position in the index and number of a document.  doc is less than the number
 * of documents; UINT32_MAX for a position that is none of an entry. */
cfs_pos cfs_words_pos(const struct cfs_words *w, uint32_t doc);
uint32_t cfs_words_doc(const struct cfs_words *w, cfs_pos pos);

/*
 * Finds the documents that may match a query: all that do, but for the unread.
 *
 * out     its old contents are replaced
 * surely  true: all of them match, and their texts need not be asked
 *
 * 0, CFS_EIO, CFS_ENOMEM, CFS_EINTR.
 */
int cfs_words_find(struct cfs_words *w, const struct cfs_word_query *q,
		   struct cfs_hits *out, bool *surely, struct cfs_ctx ctx);

/*
 * Finds the documents whose text may contain the literal, its letters in any
 * case, but for the unread.  A literal without a letter or digit, and one that
 * too many words contain, are in all documents.
 *
 * out and the result are as above.
 */
int cfs_words_part(struct cfs_words *w, struct cfs_slice literal,
		   struct cfs_hits *out, struct cfs_ctx ctx);

/* The documents of a section: those whose text could not be made when the
 * list was (CFS_WORDS_UNREAD), or with a word that was cut (CFS_WORDS_LONG). */
int cfs_words_docs_of(struct cfs_words *w, enum cfs_words_section which,
		      struct cfs_hits *out, struct cfs_error *err);

/*
 * Scores hits by BM25 (k1 1.2, b 0.75) of the words of a query: the greater,
 * the better.
 *
 * out  room for hits->n
 *
 * Damage of the list makes scores worse, and is no failure.  0, CFS_EIO,
 * CFS_ENOMEM, CFS_EINTR.
 */
int cfs_words_score(struct cfs_words *w, const struct cfs_word_query *q,
		    const struct cfs_hits *hits, double *out,
		    struct cfs_ctx ctx);

/*
 * Appends the words of the list that are nearest to `word` in their letters
 * (those in most documents first among equal ones), at most max, a NUL behind
 * each.  None if none is near.  0, CFS_EIO, CFS_ENOMEM, CFS_EINTR.
 */
int cfs_words_near(struct cfs_words *w, struct cfs_slice word, size_t max,
		   struct cfs_buf *out, struct cfs_ctx ctx);

/* ---- all words, in order ---- */

/* A walk through the words; used by one thread. */
struct cfs_words_walk;

/* Begins before the first word that is not less than `from`.  0, CFS_ENOMEM. */
int cfs_words_walk_begin(struct cfs_words_walk **out, struct cfs_words *w,
			 struct cfs_slice from, struct cfs_error *err);
void cfs_words_walk_end(struct cfs_words_walk *walk);	/* accepts NULL */

/*
 * Moves to the next word, which is lent until the next move.
 *
 * docs  receives the number of documents that have it
 *
 * 0; CFS_END; CFS_EFORMAT for a damaged block, behind which the walk may be
 * continued; CFS_EIO, CFS_ENOMEM, CFS_EINTR.
 */
int cfs_words_next(struct cfs_words_walk *walk, struct cfs_slice *word,
		   uint32_t *docs, struct cfs_ctx ctx);

/* The list of the word that the walk is at: its documents are added to `docs`,
 * and their frequencies to `frequencies` (NULL: they are not wanted), which is
 * then an array as long.  Both are emptied before.  0, CFS_EFORMAT, CFS_EIO,
 * CFS_ENOMEM, CFS_EINTR. */
int cfs_words_postings(struct cfs_words_walk *walk, struct cfs_hits *docs,
		       struct cfs_hits *frequencies, struct cfs_ctx ctx);

/* The codes of the lengths of n documents from `first` on.  Failures as
 * above. */
int cfs_words_lengths(struct cfs_words *w, uint32_t first, uint32_t n,
		      uint8_t *out, struct cfs_ctx ctx);

/* Reads all of the list.  0, or the first fault: CFS_EFORMAT, CFS_EIO,
 * CFS_ENOMEM, CFS_EINTR. */
int cfs_words_check(struct cfs_words *w, struct cfs_ctx ctx);

/* Compares the list with another of n bytes, in a file.  CFS_OK, CFS_END if a
 * byte differs, CFS_EIO, CFS_ENOMEM, CFS_EINTR. */
int cfs_words_compare(struct cfs_words *w, int fd, uint64_t n,
		      struct cfs_ctx ctx);

#endif
