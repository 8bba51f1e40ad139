/* target.h - what a user means by URL, PREFIX or TREEPATH.
 *
 * One rule for ls, cat, lookup, check and url:
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
 * What is not in the crawl as it stands is read otherwise (url/lenient_url.h):
 * a URL as a browser would send it, a domain as usual or a SURT as the PREFIX
 * that it stands for, which is logged.
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

struct cfs_target {
	enum cfs_target_kind kind;
	const char *text;		/* as typed; borrowed */
	struct cfs_crawl *crawl;
	struct cfs_node node;		/* NODE only */
	struct cfs_buf url;		/* URL, PREFIX: the URL */
	/* Which entries are meant: those of page `path`, those below it, those
	 * of pages beside it that are it with a query or fragment, and those
	 * below it whose next component begins with `begin`. */
	struct cfs_path path;		/* borrows from key */
	struct cfs_buf key;
	bool page, below, queries, begins;
	struct cfs_slice begin;		/* borrows from key */
};

/*
 * Finds out what `text` means in a crawl; NULL or "" is the root.
 * 0, also of what is well-formed and not there; CFS_ENOTFOUND (err says what is
 * wrong); failures of reading.  Release it in any case.
 */
int cfs_target_init(struct cfs_target *t, struct cfs_crawl *crawl,
		    const char *text, const struct cfs_cancel *cancel,
		    struct cfs_error *err);
void cfs_target_release(struct cfs_target *t);

/* An entry that is meant; nonzero stops with that code. */
typedef int cfs_target_fn(void *arg, const struct cfs_iter *it,
			  const struct cfs_capture *cap);

/* Calls fn for every entry, in index order.  0, fn's code, or a failure. */
int cfs_target_each(const struct cfs_target *t, cfs_target_fn *fn, void *arg,
		    const struct cfs_cancel *cancel, struct cfs_error *err);

/* Is an entry with these components meant? */
bool cfs_target_covers(const struct cfs_target *t, const struct cfs_path *entry,
		       cfs_pos pos);

/* The directory that is meant (of a URL its page's directory).
 * CFS_ENOTFOUND if it is a page only, or nothing. */
int cfs_target_dir(const struct cfs_target *t, struct cfs_node *out,
		   const struct cfs_cancel *cancel, struct cfs_error *err);

/* The one file that is meant.  CFS_ENOTFOUND with a sentence. */
int cfs_target_file(const struct cfs_target *t, struct cfs_node *out,
		    const struct cfs_cancel *cancel, struct cfs_error *err);

#endif
