/* source_args.h - opens a command's SOURCE and goes through its other operands.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CLI_SOURCE_ARGS_H
#define CFS_CLI_SOURCE_ARGS_H

#include "crawl/target.h"
#include "options.h"
#include "serve/site.h"

/* Checks that the folders of archives and of Common Crawl's data exist, if they
 * are local.  CFS_ENOTFOUND, CFS_EIO. */
int cfs_cli_check_folders(const struct cfs_crawl_opts *o,
			  struct cfs_error *err);

/* Does what comes before a SOURCE is looked at: configures requests, checks the
 * folders, and makes *out the options for opening it, which signals end.  0 or
 * a failure. */
int cfs_cli_begin(struct cfs_crawl_opts *out, const struct cfs_options *o,
		  struct cfs_error *err);

/* Closes a crawl.  Returns the exit status: `status`, or, if that is 0 and part
 * of the index could not be read, which was told, CFS_EXIT_FAILURE.  Says so if
 * no archive is there, which may be why the command has failed. */
int cfs_cli_close(struct cfs_crawl *crawl, int status);
/* The same without a word. */
int cfs_cli_close_quietly(struct cfs_crawl *crawl, int status);

/* Opens a SOURCE, showing progress if it is indexed first.  Prints errors.  0
 * or the exit status. */
int cfs_cli_open(struct cfs_crawl **out, const char *source,
		 const struct cfs_options *o);

/* True if an operand behind the first is a further SOURCE: a file or folder
 * that exists (but "/" is all of the tree), a crawl's name, or a URL of an
 * archive or an index. */
bool cfs_cli_is_source(const char *text);

/*
 * Refuses an operand that was typed as a prefix, covers nothing, and looks like
 * the name of a file, a folder or a crawl: a misspelt one must not become a
 * prefix.
 *
 * texts, n  the operands
 * crawl     what they may cover; NULL: archives that are yet to be read
 *
 * 0; CFS_ENOTFOUND; failures to look.
 */
int cfs_cli_check_prefixes(char *const *texts, size_t n,
			   struct cfs_crawl *crawl, struct cfs_ctx ctx);

/* Opens the SOURCE of a command whose other operands are prefixes, and checks
 * these.  limits: the crawl has only what these cover, so that all threads go
 * through it; else it has more, unless the first of equal captures is wanted.
 * As cfs_cli_open. */
int cfs_cli_open_prefixed(struct cfs_crawl **out, struct cfs_options *o,
			  bool limits);

/* Limits crawls that are opened with o to what these prefixes cover, which end
 * with NULL.  0 or CFS_ENOMEM. */
int cfs_cli_limit(struct cfs_options *o, char *const *prefixes,
		  struct cfs_error *err);

/* Warns in one line of the damage that the crawl's index records, unless that
 * was told as the index was made.  True if it records any. */
bool cfs_cli_warn_of_damage(const struct cfs_crawl *crawl);

/* The options for serving the crawls that are the operands; they borrow from
 * `o`.  Sets the room on disk for what is inflated. */
struct cfs_served_opts cfs_cli_served(const struct cfs_options *o);

/* Makes the memory account of a command that serves its SOURCEs, which the
 * caller frees, and sets how servers are asked.  0 or a failure. */
int cfs_cli_begin_site(struct cfs_options *o, struct cfs_error *err);

/* Opens the SOURCEs that are the operands of such a command, showing progress.
 * Sites may be open at a time.  0 or a failure. */
int cfs_cli_open_site(struct cfs_site **out, const struct cfs_options *o,
		      struct cfs_ctx ctx);

/* Handles one operand.  Returns the exit status. */
typedef int cfs_cli_text_fn(void *arg, struct cfs_crawl *crawl,
			    const char *text, const struct cfs_cancel *cancel);

/*
 * Opens the SOURCE that is the first operand and calls fn for each of the
 * others, until one is interrupted or standard output fails; without others,
 * once with NULL.  Returns the exit status: that of the last failure.
 */
int cfs_cli_each_text(const struct cfs_options *o, cfs_cli_text_fn *fn,
		      void *arg);

/* The same for operands that are TARGETs; failures are printed. */
int cfs_cli_each_target(const struct cfs_options *o, cfs_target_with_fn *fn,
			void *arg);

#endif
