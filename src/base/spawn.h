/* spawn.h - starts a program.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_SPAWN_H
#define CFS_SPAWN_H

#include <sys/types.h>

struct cfs_spawn {
	char **argv;		/* argv[0] without '/' is looked for in PATH */
	char **env;
	int in;			/* its standard input; -1: /dev/null */
	int out;		/* its standard output */
	const char *folder;	/* where it begins; NULL: where this one is */
};

/* Starts a program with the signals that a shell would give it: this thread may
 * have blocked some.  All other descriptors of this one must be closed on exec.
 * Returns 0 or an error number; the caller waits for *pid. */
int cfs_spawn(pid_t *pid, const struct cfs_spawn *how);

#endif
