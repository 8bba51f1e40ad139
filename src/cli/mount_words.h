/* mount_words.h - the lists of words after -o of mount and mount.crawlfs.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CLI_MOUNT_WORDS_H
#define CFS_CLI_MOUNT_WORDS_H

#include "options.h"

/*
 * Takes a list "WORD,WORD=VALUE,..."; `\,` is a comma inside a value.  Words
 * for the kernel and libfuse go to o->kernel.
 *
 * for_helper  as mount(8) calls: `rw` is accepted without effect, and the
 *             first unknown word is left in o->unknown_word
 *
 * 0; CFS_EUSAGE naming the word; CFS_ENOMEM.
 */
int cfs_mount_words_take(struct cfs_options *o, const char *list,
			 bool for_helper, struct cfs_error *err);

#endif
