/* search.h - the captures of a crawl whose text has certain words.
 *
 * Lists of words (words/words.h) lie beside the indexes of a crawl, one beside
 * each member of a union.  What they say of entries becomes positions in the
 * crawl here, in the order of the tree, and only of captures that the crawl
 * shows.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_SEARCH_H
#define CFS_CRAWL_SEARCH_H

#include "crawl.h"
#include "index/union.h"
#include "words/words.h"

/* The lists of a crawl, by member; n is 1 if it is no union. */
struct cfs_word_lists {
	struct cfs_words *v[CFS_UNION_MAX];
	unsigned n;
	struct cfs_lru *answers;	/* struct cfs_search_answer by query */
};

/*
 * Gets the lists of a crawl, which are opened when they are first asked for and
 * stay open until it is closed.
 *
 * 0; CFS_ENOWORDS if an index has none that can be used, with a sentence that
 * says how to make one; CFS_EIO, CFS_ENOMEM, CFS_EINTR, CFS_ETIMEOUT.
 */
int cfs_crawl_words(struct cfs_crawl *c, const struct cfs_word_lists **out,
		    struct cfs_ctx ctx);
void cfs_crawl_close_words(struct cfs_crawl *c);

/*
 * Makes the list of a member again, of all texts, on all processors, and
 * compares it with the one there is.
 *
 * lists    of the crawl, which shows all captures
 * tmp_dir  for temporary files
 *
 * 0; CFS_EFORMAT: another list belongs to these texts; CFS_EIO, CFS_ENOMEM,
 * CFS_EINTR.
 */
int cfs_crawl_compare_words(struct cfs_crawl *c,
			    const struct cfs_word_lists *lists,
			    unsigned member, const char *tmp_dir,
			    struct cfs_ctx ctx);

/* Captures that were found.  All 0: empty. */
struct cfs_found {
	cfs_pos *v;		/* in the order of the tree; owned */
	size_t n, room;
	uint64_t unread;	/* captures besides that may match, whose text
				 * cannot be read */
	uint64_t absent;	/* those besides of which the index knows that
				 * they have no text: cfs_crawl_candidates */
};
void cfs_found_release(struct cfs_found *f);	/* f is then empty */

/*
 * Finds the captures whose text matches a query.  Where the lists do not decide
 * that, the texts are read, on all processors.
 *
 * out  its old contents are replaced
 *
 * 0; failures of cfs_crawl_words; trouble while texts were read.
 */
int cfs_crawl_find(struct cfs_crawl *c, const struct cfs_word_query *q,
		   struct cfs_found *out, struct cfs_ctx ctx);

/* Bytes that a text must have for an expression to match, their letters in any
 * case. */
struct cfs_literal {
	struct cfs_slice bytes;
	unsigned group;		/* literals with the same number are neighbours,
				 * and one of them suffices */
};

/*
 * Finds the captures whose text may have one literal of each group, and those
 * whose text could not be read when the lists were made, but for revisits that
 * are known to have no original, which out->absent counts; out->unread counts
 * entries of damaged blocks of the index.  No text is read.
 *
 * n    0: all captures
 *
 * 0; failures of cfs_crawl_words.
 */
int cfs_crawl_candidates(struct cfs_crawl *c, const struct cfs_literal *v,
			 size_t n, struct cfs_found *out, struct cfs_ctx ctx);

/* ---- answers (search_answer.c) ------------------------------------------- */

enum cfs_text_says { CFS_TEXT_UNKNOWN, CFS_TEXT_OTHER, CFS_TEXT_MATCHES };

/* The answer of the lists to a query, and as much of the texts as is known.  It
 * is kept for the next time; threads share it. */
struct cfs_search_answer {
	struct cfs_found found;		/* captures whose text may match */
	double *scores;			/* of each: cfs_words_score */
	bool is_sure;			/* all of them match */
	_Atomic uint8_t *texts;		/* of each: enum cfs_text_says */
};

/* Makes an empty cache of answers.  0 or CFS_ENOMEM. */
int cfs_answers_new(struct cfs_lru **out, struct cfs_budget *budget,
		    struct cfs_error *err);

/* Gets the answer to a query, pinned: the object of *out, which cfs_lru_put
 * unpins.  0; failures of cfs_crawl_words. */
int cfs_crawl_answer(struct cfs_crawl *c, const struct cfs_word_query *q,
		     struct cfs_lru_ref **out, struct cfs_ctx ctx);

/*
 * Reads, on all processors, the texts of captures of an answer of which it is
 * not known what they say.  That of a text that cannot be read stays unknown.
 *
 * which   numbers of n captures
 * unread  texts that cannot be read are added
 *
 * 0; trouble while texts were read.
 */
int cfs_crawl_ask_texts(struct cfs_crawl *c, const struct cfs_word_query *q,
			struct cfs_search_answer *a, const size_t *which,
			size_t n, uint64_t *unread, struct cfs_ctx ctx);

/* As cfs_crawl_find, but reads no text.  *surely: all that is found matches. */
int cfs_crawl_find_maybe(struct cfs_crawl *c, const struct cfs_word_query *q,
			 struct cfs_found *out, bool *surely,
			 struct cfs_ctx ctx);

/* Scores what was found (cfs_words_score); scores has room for found->n. */
int cfs_crawl_score(struct cfs_crawl *c, const struct cfs_word_query *q,
		    const struct cfs_found *found, double *scores,
		    struct cfs_ctx ctx);

#endif
