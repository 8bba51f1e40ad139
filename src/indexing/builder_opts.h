/* builder_opts.h - the options of building an index from sorted captures.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_INDEXING_BUILDER_OPTS_H
#define CFS_INDEXING_BUILDER_OPTS_H

#include "index/index.h"
#include "index/language_codes.h"
#include "join/capture_input.h"

struct cfs_merge_input;
struct cfs_pick;

#define CFS_BUILDER_MEMORY_DEFAULT ((size_t)256 << 20)

struct cfs_builder_sizes {
	/* Set by the caller: is given the page's text; or NULL. */
	const struct cfs_text_taker *taker;
	uint32_t slots;		/* likewise: which of them to find */
	uint64_t body;
	bool lacks_body;	/* or some of it: the sizes of its views are
				 * known */
	struct cfs_view_bytes views;
	struct cfs_languages languages;		/* not only sizes: made of the
						 * same text */
};

struct cfs_builder_sizer_opts {
	const char *base;	/* archives are below that folder */
	const char *temp_dir;	/* for records that are too long for memory */
	size_t memory_bytes;	/* for blocks, records and views */
};

/* Finds the sizes of revisits; implemented by what serves pages, above. */
struct cfs_builder_sizer {
	/* Opens an index from src, which it takes over; *ix is lent until
	 * close. */
	int (*open)(void **sizer, struct cfs_index **ix, struct cfs_source *src,
		    const struct cfs_builder_sizer_opts *opts,
		    struct cfs_error *err);
	/* Finds the sizes of the page at pos, on any thread.  0; CFS_EINTR or
	 * CFS_ENOMEM; after another failure the sizes are unknown. */
	int (*find)(void *sizer, cfs_pos pos, struct cfs_builder_sizes *out,
		    struct cfs_ctx ctx);
	/* Gives the text of the page at pos, as a mount shows it, to `taker`.
	 * 0; a failure to read it, or that of `taker`. */
	int (*read)(void *sizer, cfs_pos pos,
		    const struct cfs_text_taker *taker, struct cfs_ctx ctx);
	void (*close)(void *sizer);		/* accepts NULL */
};

struct cfs_part_about;

struct cfs_builder_opts {
	const char *path;
	/* NULL: writes a file.  Else a crawlfs index, without sizes of
	 * revisits, goes into this buffer, and `path` is its name for
	 * messages. */
	struct cfs_buf *memory;
	enum cfs_index_format format;
	unsigned shards;	/* of a ZipNum cluster (zipnum_write.h) */
	size_t memory_bytes;	/* for all runs together; 0:
				 * CFS_BUILDER_MEMORY_DEFAULT */
	unsigned threads;	/* feeders, at least 1 */
	const char *tmp_dir;	/* for sorted runs; NULL: beside path */
	const struct cfs_builder_archive *archives;	/* borrowed until
							 * finish */
	uint32_t n_archives;
	/* One for each archive; borrowed likewise.  NULL: none is known. */
	const struct cfs_builder_origin *origins;
	uint32_t view_version;	/* of the captures' view sizes; 0: they have
				 * none */
	const char *home;	/* as in struct cfs_index; borrowed until
				 * finish */
	bool keeps_languages;	/* of revisits, for which the sizer finds
				 * them */
	bool drops_repeats;	/* keep one capture of a URL per place and time,
				 * whatever its length */
	/* Crawlfs indexes that are merged into the new one, and which of their
	 * captures to take; their archives are among `archives`.  Borrowed
	 * until finish. */
	const struct cfs_merge_input *inputs;
	size_t n_inputs;
	const struct cfs_pick *pick;
	bool keeps_joins;	/* write the joindata */
	/* Leave out texts and metadata without a capture in the index, which
	 * would become pages of their own. */
	bool no_lone_annexes;
	/* Creates the temporary file only in finish, for a program that may be
	 * killed long before. */
	bool is_late;
	/* Finds the sizes of revisits; NULL: they have none.  `base` is the
	 * folder of the archives; the first n_at_hand of them can be read. */
	const struct cfs_builder_sizer *sizer;
	uint32_t view_slots;	/* that it fills: 1 << enum cfs_view_slot */
	const char *base;
	uint32_t n_at_hand;
	/* Make a list of words beside the index, of texts of this version of
	 * views.  `reader` reads those texts that nobody adds, but for a part;
	 * NULL: they count as unread. */
	bool with_words;
	uint32_t text_version;
	const struct cfs_builder_sizer *reader;
	/* The index will be merged with other parts (part_merge.c): all that
	 * joins could need is in the joindata. */
	bool is_part;
	/* The part says this of itself, and finish sets the counts; NULL: the
	 * index is no part, or a temporary one. */
	struct cfs_part_about *part;
	bool may_be_empty;	/* no capture is no failure */
	bool are_parts;		/* the inputs are parts, which may be empty;
				 * their revisits have no sizes yet */
	const bool *at_hand;	/* by archive of the index: can it be read; set
				 * by the builder */
	const struct cfs_cancel *cancel;
	/* Reports the number of entries merged so far, now and then during
	 * finish.  May be NULL. */
	void (*merged)(void *arg, uint64_t done, uint64_t total);
	void *arg;
};

#endif
