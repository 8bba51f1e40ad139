/* grep.h - searches the files of a crawl's tree, as grep -r does a mount's.
 *
 * Jobs of some pages each are searched on many threads; what they print is
 * written in the order of the index, which is that of the tree.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_GREP_GREP_H
#define CFS_GREP_GREP_H

#include "base/progress.h"
#include "crawl/crawl.h"
#include "page_lines.h"

/* Threads beyond processors, for pages on a server. */
#define CFS_GREP_THREADS_REMOTE 14u

struct cfs_grep_opts {
	const struct cfs_matcher *matcher;	/* borrowed, as all is here */
	struct cfs_page_lines_opts lines;
	enum cfs_view view;		/* which file of each capture */
	bool has_urls;			/* lines begin with the URL, not the
					 * path in the tree */
	bool hides_errors;		/* -s: do not tell what cannot be
					 * read */
	unsigned threads;		/* 0: one for each processor */
	/* Takes what is printed, in order.  CFS_END: no more is wanted. */
	int (*write)(void *write_arg, struct cfs_slice bytes);
	void *write_arg;
	/* Called about ten times a second.  May be NULL. */
	cfs_progress_fn *progress;
	void *arg;
};

struct cfs_grep_report {
	uint64_t matched;	/* texts with a selected line */
	uint64_t looked_at;	/* captures: all, or those that a list of words
				 * named */
	uint64_t errors;	/* texts that could not be read or searched,
				 * which was logged unless hides_errors */
};

/*
 * Searches all captures that c->index shows.  With lines.is_quiet it ends at
 * the first match.  Texts that cannot be read are counted, and the rest is
 * searched.
 *
 * 0, also if write wants no more; CFS_EINTR, CFS_ENOMEM; failures of the index.
 */
int cfs_grep_run(struct cfs_crawl *c, const struct cfs_grep_opts *opts,
		 struct cfs_grep_report *report, struct cfs_ctx ctx);

#endif
