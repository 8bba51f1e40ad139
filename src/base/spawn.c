/* spawn.c - starts a program.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

/* Adds which descriptors and which folder the program has. */
static int add_files(posix_spawn_file_actions_t *files,
		     const struct cfs_spawn *how)
{
	int rc;

	if (how->in < 0)
		rc = posix_spawn_file_actions_addopen(files, STDIN_FILENO,
						      "/dev/null", O_RDONLY, 0);
	else
		rc = posix_spawn_file_actions_adddup2(files, how->in,
						      STDIN_FILENO);
	if (rc == 0)
		rc = posix_spawn_file_actions_adddup2(files, how->out,
						      STDOUT_FILENO);
	if (rc == 0 && how->folder != NULL)
		rc = posix_spawn_file_actions_addchdir_np(files, how->folder);
	return rc;
}

static int spawn_with(pid_t *pid, const struct cfs_spawn *how,
		      const posix_spawnattr_t *attr)
{
	posix_spawn_file_actions_t files;
	int rc = posix_spawn_file_actions_init(&files);

	if (rc != 0)
		return rc;
	rc = add_files(&files, how);
	if (rc == 0)
		rc = posix_spawnp(pid, how->argv[0], &files, attr, how->argv,
				  how->env);
	posix_spawn_file_actions_destroy(&files);
	return rc;
}

int cfs_spawn(pid_t *pid, const struct cfs_spawn *how)
{
	posix_spawnattr_t attr;
	sigset_t none, all;
	int rc = posix_spawnattr_init(&attr);

	if (rc != 0)
		return rc;
	sigemptyset(&none);
	sigfillset(&all);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &all);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK |
					POSIX_SPAWN_SETSIGDEF);
	rc = spawn_with(pid, how, &attr);
	posix_spawnattr_destroy(&attr);
	return rc;
}
