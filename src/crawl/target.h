/* target.h - finds what the user means by a URL, PREFIX or TREEPATH.
 *
 * The same rule for ls, cat, lookup, check and url:
 *
 *     1. "://" in front of any other slash: a URL.  A `*` at its end makes
 *        it a beginning: all URLs of that host whose path begins so.
 *     2. a path that begins with `/`, or holds a component `_` below one
 *        without dots, or can be walked from the root: a TREEPATH.
 *     3. anything else: a PREFIX, a reversed domain with or without a path
 *        (com.example.www, com.example/some/path).  It covers whole labels
 *        and segments: the domain and its subdomains; or the page with that
 *        path, its queries, and what lies below it.  With a `/` at the end
 *        (com.example/, com.example/a/) only what lies below.
 *
 * A pattern that stands for one prefix is that prefix (url/wildcard.h).
 *
 * A URL, or its beginning, also covers what is the same URL in another spelling
 * (url/same_url.h).
 *
 * Text that names nothing in the crawl is reinterpreted (url/lenient_url.h),
 * which is logged: a URL as a browser would send it, a plain domain or a SURT
 * as the PREFIX that it stands for.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CRAWL_TARGET_H
#define CFS_CRAWL_TARGET_H

#include "tree.h"

enum cfs_target_kind {
	CFS_TARGET_NODE,	/* TREEPATH */
	CFS_TARGET_URL,		/* one URL */
	CFS_TARGET_PREFIX,	/* reversed domain */
	CFS_TARGET_BEGIN,	/* URL with `*` */
};

/* The same URL in another spelling. */
struct cfs_target_twin {
	struct cfs_buf url, key;
	struct cfs_path path;		/* borrows from key */
	struct cfs_slice begin;		/* likewise */
};

struct cfs_target {
	enum cfs_target_kind kind;
	const char *text;		/* as typed; borrowed */
	struct cfs_crawl *crawl;
	struct cfs_node node;		/* NODE only */
	struct cfs_buf url;		/* URL, PREFIX: the URL */
	/* Which entries are covered: those of page `path`; those below it;
	 * those of `path` with a query or fragment added; those below it whose
	 * next component begins with `begin`. */
	struct cfs_path path;		/* borrows from key */
	struct cfs_buf key;
	bool page, below, queries, begins;
	struct cfs_slice begin;		/* borrows from key */
	/* URL, BEGIN: those whose paths differ from it and from each other. */
	struct cfs_target_twin *twins;
	unsigned n_twins;
};

/*
 * Finds out what `text` means in a crawl; NULL or "" is the root.  0, even if
 * it is well-formed but not there; CFS_ENOTFOUND (err says what is wrong);
 * failures of reading.  Release it in any case.
 */
int cfs_target_init(struct cfs_target *t, struct cfs_crawl *crawl,
		    const char *text, struct cfs_ctx ctx);
/* The same, but text that names nothing is not reinterpreted. */
int cfs_target_init_typed(struct cfs_target *t, struct cfs_crawl *crawl,
			  const char *text, struct cfs_ctx ctx);
void cfs_target_release(struct cfs_target *t);

/* Makes a target that is one capture its page, with all captures. */
void cfs_target_make_page(struct cfs_target *t);

/* Calls fn with the target that `text` means.  0, or a failure to find it or of
 * fn. */
typedef int cfs_target_with_fn(void *arg, const struct cfs_target *t,
			       struct cfs_ctx ctx);
int cfs_target_with(struct cfs_crawl *crawl, const char *text,
		    cfs_target_with_fn *fn, void *arg, struct cfs_ctx ctx);

/* Makes *out, which borrows everything, what spelling i of a target covers; two
 * of them cover no entry in common.  False: it has no more. */
bool cfs_target_spelling(const struct cfs_target *t, unsigned i,
			 struct cfs_target *out);

/* Called for an entry that is covered; nonzero stops with that code. */
typedef int cfs_target_fn(void *arg, const struct cfs_iter *it,
			  const struct cfs_capture *cap);

/* Calls fn for every entry, in index order; damage is told to holes
 * (index/index_walk.h), or, if that is NULL, ends the walk.  0, fn's code, or a
 * failure. */
int cfs_target_each(const struct cfs_target *t, struct cfs_holes *holes,
		    cfs_target_fn *fn, void *arg, struct cfs_ctx ctx);

/* The same for all entries, also those that are not picked: fn gets no
 * capture. */
int cfs_target_each_entry(const struct cfs_target *t, struct cfs_holes *holes,
			  cfs_target_fn *fn, void *arg, struct cfs_ctx ctx);

/* Finds out whether the target covers an entry, picked or not.  0: it does, or
 * damage may hide one; CFS_ENOTFOUND: it does not; failures of reading. */
int cfs_target_is_there(const struct cfs_target *t, struct cfs_ctx ctx);

/* Adds the ranges of keys that hold all that the target covers, and perhaps
 * more, unless it is one file.  0, CFS_ENOMEM or a failure to read. */
int cfs_target_runs(const struct cfs_target *t, struct cfs_key_runs *out,
		    struct cfs_ctx ctx);

/* True if the target covers an entry with these components. */
bool cfs_target_covers(const struct cfs_target *t, const struct cfs_path *entry,
		       cfs_pos pos);

/* The directory that the target means (for a URL, its page's directory).
 * CFS_ENOTFOUND if it means only a page, or nothing. */
int cfs_target_dir(const struct cfs_target *t, struct cfs_node *out,
		   struct cfs_ctx ctx);

/* The one file that the target means.  CFS_ENOTFOUND with a sentence in err. */
int cfs_target_file(const struct cfs_target *t, struct cfs_node *out,
		    struct cfs_ctx ctx);

#endif
