/* words_build.h - collects the words of texts, and makes the list of words of
 * an index of them.
 *
 * While archives are read, threads add texts, each with its place in an
 * archive.  Once the index is written, a walk through it finds the number of
 * each place; texts that it has besides are read then.
 *
 * The list depends on the index and on the texts alone: not on threads, memory,
 * or the lists that it is made of.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_WORDS_WORDS_BUILD_H
#define CFS_WORDS_WORDS_BUILD_H

#include "base/pool.h"
#include "words.h"

struct cfs_words_build;

/* The name of the list beside the index at a path or URL: ".cfw" instead of
 * ".cfx", or behind another name.  Malloced; NULL: out of memory. */
char *cfs_words_path(const char *index);

struct cfs_words_build_opts {
	size_t memory_bytes;	/* for all feeders, and for sorting */
	unsigned feeders;	/* threads that add texts, at least 1 */
	const char *tmp_dir;	/* for what does not fit; borrowed */
	const struct cfs_cancel *cancel;	/* may be NULL; borrowed */
};

/* opts are copied.  0 or CFS_ENOMEM. */
int cfs_words_build_new(struct cfs_words_build **out,
			const struct cfs_words_build_opts *opts,
			struct cfs_error *err);
void cfs_words_build_free(struct cfs_words_build *b);	/* accepts NULL */

/*
 * Adds the text of a capture from feeder 0 .. feeders - 1; different feeders
 * may add at the same time.
 *
 * archive  number of its archive in the index that is made
 * loc      where the record is whose text it is, or that is the text
 * text     as a mount shows it; its length in bytes is what the index says of
 *          it, else it is not used
 *
 * 0; CFS_ENOMEM, CFS_ELIMIT (2^32 texts), CFS_EINTR, CFS_EIO.
 */
int cfs_words_build_add(struct cfs_words_build *b, unsigned feeder,
			uint32_t archive, const struct cfs_span *loc,
			struct cfs_slice text, struct cfs_error *err);

/* The list of an index whose captures are in the new one as well.  It was
 * checked, and is of the same version of texts, as are the sizes in ix. */
struct cfs_words_old {
	struct cfs_words *list;		/* of ix; NULL: there is none */
	struct cfs_index *ix;
	/* By archive of ix: its number in the new one, or UINT32_MAX. */
	const uint32_t *numbers;
};

struct cfs_words_build_end {
	struct cfs_index *ix;		/* the index, complete */
	int fd;				/* the list, to be written */
	const char *name;		/* of the list, for messages */
	uint32_t view_version;		/* of the texts */
	const struct cfs_words_old *old;
	size_t n_old;
	/* Gives the text of the entry at pos to the taker, on any thread, as a
	 * mount shows it; it is unread after a failure but CFS_EINTR and
	 * CFS_ENOMEM.  NULL: no text can be read. */
	int (*read)(void *arg, cfs_pos pos, const struct cfs_text_taker *taker,
		    struct cfs_ctx ctx);
	/* Calls `one` with the numbers 0 to n - 1, on the threads of the
	 * feeders, as cfs_pool_each does. */
	int (*each)(void *arg, size_t n, cfs_pool_one *one, void *one_arg,
		    struct cfs_ctx ctx);
	/* Reports the texts that were read, out of those to read.  May be
	 * NULL. */
	void (*advanced)(void *arg, uint64_t done, uint64_t total);
	void *arg;
	/* Results: bytes of the list; words; texts that could not be read. */
	uint64_t file_bytes, words, unread;
};

/* Makes the list of what was added, once: then b can only be freed.  0;
 * CFS_ENOMEM, CFS_ELIMIT (2^32 entries), CFS_EINTR, CFS_EIO. */
int cfs_words_build_finish(struct cfs_words_build *b,
			   struct cfs_words_build_end *end,
			   struct cfs_error *err);

#endif
