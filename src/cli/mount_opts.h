/* mount_opts.h - the words after -o.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CLI_MOUNT_OPTS_H
#define CFS_CLI_MOUNT_OPTS_H

#include "common.h"
#include "fuse/fs.h"

/* Owns its strings; what `mount` borrows lives as long as it. */
struct cfs_mount_words {
	struct cfs_mount_opts mount;	/* crawl, fs, threads are filled */
	struct cfs_buf kernel;		/* words for the kernel and libfuse */
	char *data, *cache, *base;	/* absolute */
	char *endpoint;
	bool is_helper;		/* as mount(8) calls: `rw` means nothing */
	bool is_sloppy;		/* words not known are left out */
};

void cfs_mount_words_init(struct cfs_mount_words *w);
void cfs_mount_words_release(struct cfs_mount_words *w);

/* Takes a list "WORD,WORD=VALUE,..."; `\,` is a comma inside a value.
 * 0; CFS_EUSAGE naming the word; CFS_ENOMEM. */
int cfs_mount_words_take(struct cfs_mount_words *w, const char *list,
			 struct cfs_error *err);

/* Takes NAME=VALUE, in two parts and without `\,`.  The same. */
int cfs_mount_words_set(struct cfs_mount_words *w, const char *name,
			const char *value, struct cfs_error *err);

#endif
