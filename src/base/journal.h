/* journal.h - a file of checked lines that records how far work has come, so
 * that it can be resumed.
 *
 *     MARK ...           the first line: whose file it is, and of which work
 *     WORDS CHECK        one line for each step that is done
 *
 * CHECK is the XXH64 of WORDS as 16 hex digits, seeded with a number that
 * identifies the work.  Nothing is synced: a line that a crash has cut off or
 * damaged does not agree with its CHECK, and what a line says must be verified
 * by its reader.
 *
 * A journal is locked while it is open, so that one process does the work.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_BASE_JOURNAL_H
#define CFS_BASE_JOURNAL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "buf.h"
#include "error.h"

#define CFS_JOURNAL_WORDS_MAX 1024u	/* bytes of the words of a line */

struct cfs_journal {			/* zeroed: not open */
	bool is_open;
	const char *path;		/* borrowed */
	int fd;
	uint64_t seed;			/* of the checks of its lines */
	pthread_mutex_t lock;
	uint64_t end;			/* where the next line goes; guarded by
					 * lock */
};

/* Opens and locks the journal at path, or creates an empty one, with the rules
 * of cfs_file_take for `mark` and `mode`.  Before lines are added,
 * cfs_journal_begin or cfs_journal_keep must be called.  `what` is being
 * written, for messages.  0; CFS_EIO, also if another process has it open;
 * CFS_EACCESS. */
int cfs_journal_open(struct cfs_journal *j, const char *path, const char *mark,
		     mode_t mode, const char *what, struct cfs_error *err);
/* Leaves the file as it is.  Does nothing if the journal is not open. */
void cfs_journal_close(struct cfs_journal *j);

/* Appends the journal at path to `text`, whose ceiling limits it; nothing if
 * there is none.  0, CFS_EIO, CFS_ELIMIT or CFS_ENOMEM. */
int cfs_journal_read(const char *path, struct cfs_buf *text,
		     struct cfs_error *err);
/* Removes the next line from *rest.  CFS_OK: *words are its words; CFS_EFORMAT:
 * it does not agree with its check; CFS_END: there is no complete line, and
 * *rest is unchanged. */
int cfs_journal_next(struct cfs_slice *rest, uint64_t seed,
		     struct cfs_slice *words);

/* Empties the journal and writes its first line, which ends in a line feed.
 * 0 or CFS_EIO. */
int cfs_journal_begin(struct cfs_journal *j, uint64_t seed, const char *first,
		      struct cfs_error *err);
/* Resumes: keeps the first n bytes, which are whole lines.  0 or CFS_EIO. */
int cfs_journal_keep(struct cfs_journal *j, uint64_t seed, uint64_t n,
		     struct cfs_error *err);
/* Adds a line; several threads may.  0, CFS_ELIMIT or CFS_EIO: what was written
 * of the line is then overwritten by the next one. */
int cfs_journal_add(struct cfs_journal *j, const char *words,
		    struct cfs_error *err);

#endif
