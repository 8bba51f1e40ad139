/* auto_index.h - indexes built on first use, and kept in the cache folder.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_AUTO_INDEX_H
#define CFS_CRAWL_AUTO_INDEX_H

#include "bases.h"
#include "crawl.h"

/*
 * Opens the kept index of an archive, a folder, a list of archives or a CDX
 * file.  If no usable one is kept, it is built first.
 *
 * input  what is indexed: a path without links, or a URL
 * state  a number that differs once the archives have changed
 * base   the folder or URL to which the index's archive names are relative
 * bases  the folders in which to look for the archives
 */
int cfs_crawl_open_kept(struct cfs_crawl *c, const char *input, uint64_t state,
			const char *base, const struct cfs_bases *bases,
			struct cfs_error *err);

/* Opens the last kept index of an input, even if the input has changed since.
 * CFS_ENOTFOUND: there is no usable one. */
int cfs_crawl_open_last_kept(struct cfs_crawl *c, const char *input,
			     const struct cfs_bases *bases);

/* Makes the indexer measure text and metadata of every page, and what these
 * slots have besides (1 << enum cfs_view_slot; view_sizes.c). */
void cfs_view_sizes_ask(struct cfs_indexer_opts *opts, uint32_t more_slots);

/* Gives the text of an entry of a crawl (struct cfs_crawl) to the taker, as a
 * list of words has it.  Besides failures to load it: CFS_ENOTFOUND for that of
 * a revisit whose original may be elsewhere; CFS_EFORMAT if it is cut off. */
int cfs_view_sizes_text(void *crawl, cfs_pos pos,
			const struct cfs_text_taker *taker, struct cfs_ctx ctx);

/* Makes it able to find the languages of pages of archives, if this program
 * is. */
void cfs_languages_ask(struct cfs_indexer_opts *opts);

#endif
