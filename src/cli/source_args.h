/* source_args.h - opens the SOURCE of a command and goes through the operands
 * behind it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CLI_SOURCE_ARGS_H
#define CFS_CLI_SOURCE_ARGS_H

#include "crawl/target.h"
#include "options.h"

/* Are the folders of archives and of Common Crawl's data there, where they are
 * on this machine?  CFS_ENOTFOUND, CFS_EIO. */
int cfs_cli_check_folders(const struct cfs_crawl_opts *o,
			  struct cfs_error *err);

/* Opens a SOURCE, showing progress when it is indexed first.  Prints what
 * goes wrong.  0 or the exit status. */
int cfs_cli_open(struct cfs_crawl **out, const char *source,
		 const struct cfs_options *o);

/* What is done with one operand.  Returns the exit status. */
typedef int cfs_cli_text_fn(void *arg, struct cfs_crawl *crawl,
			    const char *text, const struct cfs_cancel *cancel);

/*
 * Opens the SOURCE that is the first operand and calls fn for each of the
 * others, until one is interrupted or standard output fails; without any,
 * once with NULL.  Returns the exit status: that of the last failure.
 */
int cfs_cli_each_text(const struct cfs_options *o, cfs_cli_text_fn *fn,
		      void *arg);

/* What is done with one TARGET.  0 or a failure. */
typedef int cfs_cli_target_fn(void *arg, const struct cfs_target *t,
			      const struct cfs_cancel *cancel,
			      struct cfs_error *err);

/* The same for operands that are TARGETs; failures are printed. */
int cfs_cli_each_target(const struct cfs_options *o, cfs_cli_target_fn *fn,
			void *arg);

/* Calls fn with the TARGET that `text` is.  0, or a failure of either. */
int cfs_cli_with_target(struct cfs_crawl *crawl, const char *text,
			cfs_cli_target_fn *fn, void *arg,
			const struct cfs_cancel *cancel, struct cfs_error *err);

#endif
