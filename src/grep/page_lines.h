/* page_lines.h - what grep prints of one text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_GREP_PAGE_LINES_H
#define CFS_GREP_PAGE_LINES_H

#include "matcher.h"

enum cfs_grep_list {
	CFS_GREP_LIST_NONE,
	CFS_GREP_LIST_WITH,		/* -l: names of texts with a match */
	CFS_GREP_LIST_WITHOUT,		/* -L */
};

/* The treatment of texts with a NUL, and lines that are not UTF-8. */
enum cfs_grep_binary {
	CFS_GREP_BINARY_REPORT,		/* "binary file matches" */
	CFS_GREP_BINARY_SKIP,		/* -I */
	CFS_GREP_BINARY_TEXT,		/* -a */
};

/* How results are printed.  Zeroed, but for max_count and the context. */
struct cfs_page_lines_opts {
	bool inverts;			/* -v */
	bool counts;			/* -c */
	enum cfs_grep_list list;
	bool is_quiet;			/* -q */
	bool only_matching;		/* -o */
	bool has_numbers, has_offsets;	/* -n, -b */
	bool no_names;			/* -h */
	bool nul_after_names;		/* -Z */
	bool has_colors;
	bool is_json;
	enum cfs_grep_binary binary;
	uint64_t max_count;		/* -m; UINT64_MAX: any */
	int64_t before, after;		/* lines of context; -1: not given */
	const char *separator;		/* between groups of lines; NULL:
					 * none */
};

/* The output of one text.  Owned by the caller; used by one thread. */
struct cfs_page_lines {
	const struct cfs_page_lines_opts *opts;
	struct cfs_matching *matching;	/* borrowed, as is `out` */
	struct cfs_buf *out;
	/* Gets the name that lines begin with, when one is needed: once for a
	 * text.  It adds members to an object if that is open. */
	int (*name)(void *arg, struct cfs_buf *out, struct cfs_error *err);
	/* Called when out has grown; may write and empty it. */
	int (*more)(void *arg, struct cfs_error *err);
	void *arg;
	/* Results of a search: */
	uint64_t lines;			/* selected */
	bool is_binary;			/* "binary file matches" is to be
					 * told */
	bool begins_group;		/* a separator belongs in front, if any
					 * text before has lines */
	bool has_groups;		/* and one in front of the next */
	/* Private: */
	struct cfs_buf copy, label;
	bool has_label;
	struct cfs_slice text;
	size_t begin;			/* of what is searched now */
	size_t last_out, numbered;
	bool has_last;			/* last_out counts */
	uint64_t number, pending, left;
	bool stops_at_first, is_silent, has_error_output;
	int rc;
	struct cfs_ctx ctx;
};

/* Sets p up, whose first fields the caller has set.  Release it in any case. */
void cfs_page_lines_init(struct cfs_page_lines *p);
void cfs_page_lines_release(struct cfs_page_lines *p);

/* Searches a text, and appends to p->out what grep prints of it.  0; failures
 * of the matching, of p->name and of p->more. */
int cfs_page_lines_search(struct cfs_page_lines *p, struct cfs_slice text,
			  struct cfs_ctx ctx);

#endif
