/* words_internal.h - an open list of words, as its functions share it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_WORDS_WORDS_INTERNAL_H
#define CFS_WORDS_WORDS_INTERNAL_H

#include <stdatomic.h>

#include "words.h"

/* A row of the top list: a block of the dictionary. */
struct cfs_words_top {
	struct cfs_slice first;		/* its first word, in `tail` */
	uint64_t file_off;		/* of its checksum */
	uint32_t bytes;			/* without it */
	uint32_t words;
	uint64_t postings;		/* bytes before the first one's */
};

struct cfs_words {
	struct cfs_source *src;
	struct cfs_words_header head;
	uint8_t *tail;			/* the sections, as in the file */
	struct cfs_words_top *top;	/* head.blocks of them */
	uint32_t *leaf_first;		/* number of each leaf's first entry,
					 * and of all entries */
	uint32_t n_leaves;
	struct cfs_lru *blocks;
	atomic_bool is_damaged;		/* it was reported */
};

/* A block of the dictionary in memory, checked; CFS_POSTINGS_PAD bytes can be
 * read behind it. */
struct cfs_words_block {
	const struct cfs_words_top *top;
	uint8_t p[];
};

/* An entry of a block, and how to go on behind it. */
struct cfs_words_entry {
	struct cfs_cursor rest;
	uint32_t left;			/* words behind it */
	uint64_t postings;		/* bytes before its list, or before that
					 * of the next one that has one there */
	/* The word: */
	uint8_t word[CFS_WORD_MAX];
	size_t n, shared;		/* bytes; as many as before */
	uint32_t docs;
	uint64_t list_bytes;
	struct cfs_slice list;		/* n 0: it is in the postings */
};

/* A stretch of a stream in memory. */
struct cfs_words_window {		/* all 0: it is empty */
	uint8_t *p;
	uint64_t from, n;		/* bytes of the stream */
};

void cfs_words_window_release(struct cfs_words_window *in);

/* Reports damage in the log, once for a list. */
void cfs_words_damaged(struct cfs_words *w, const struct cfs_error *why);

/* As cfs_words_docs_of, but CFS_EFORMAT if the section is damaged. */
int cfs_words_docs_in(struct cfs_words *w, enum cfs_words_section which,
		      struct cfs_hits *out, struct cfs_error *err);

/* The entry that a walk is at. */
const struct cfs_words_entry *
cfs_words_walk_entry(const struct cfs_words_walk *walk);

/* Gets block i of the dictionary, which cfs_lru_put gives back.
 * 0, CFS_EFORMAT, CFS_EIO, CFS_ENOMEM, CFS_EINTR. */
int cfs_words_block_get(struct cfs_words *w, uint64_t i,
			struct cfs_lru_ref **out, struct cfs_ctx ctx);

/* Begins before the first entry of a block. */
void cfs_words_entry_begin(struct cfs_words_entry *e,
			   const struct cfs_words_block *b);
/* Moves to the next one: 0, CFS_END, or CFS_EFORMAT. */
int cfs_words_entry_next(struct cfs_words *w, struct cfs_words_entry *e,
			 struct cfs_error *err);

/* The block in which a word is, if it is in the list: that with the last first
 * word that is not greater; 0 if there is none. */
uint64_t cfs_words_block_of(const struct cfs_words *w, struct cfs_slice word);

/* Finds a word.  0; CFS_ENOTFOUND; failures as above.  *ref holds the block
 * that e lies in, and is to be put. */
int cfs_words_entry_find(struct cfs_words *w, struct cfs_slice word,
			 struct cfs_words_entry *e, struct cfs_lru_ref **ref,
			 struct cfs_ctx ctx);

/* The list of an entry, by a window that has what was read for the one before.
 * frequencies may be NULL.  Failures as above. */
int cfs_words_entry_list(struct cfs_words *w, const struct cfs_words_entry *e,
			 struct cfs_words_window *in, struct cfs_hits *docs,
			 struct cfs_hits *frequencies, struct cfs_ctx ctx);

#endif
