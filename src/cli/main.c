/* main.c - finds the command and runs it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clamp.h"
#include "base/descriptors.h"
#include "base/pool.h"
#include "base/start_folder.h"
#include "commands.h"
#include "output.h"
#include "signals.h"

#define OUT_BUFFER_BYTES 65536
#define HEAPS_MIN 2

/* Lets dozens of threads that wait for servers share a heap for each processor,
 * so that memory freed by one of them can serve another. */
static void share_heaps(void)
{
#ifdef __GLIBC__
	mallopt(M_ARENA_MAX, (int)cfs_clamp_u64(cfs_processors(), HEAPS_MIN,
						INT_MAX));
#endif
}

/* True if called as `mount.crawlfs`, a link to the program. */
static bool is_mount_helper(const char *argv0)
{
	const char *slash = strrchr(argv0, '/');

	return strncmp(slash ? slash + 1 : argv0, "mount.", 6) == 0;
}

/* True if called by mount.fuse3(8), which runs the program instead of
 * mount(8)'s helper, for type fuse.crawlfs and for crawlfs#SOURCE: SOURCE
 * MOUNTPOINT -o OPTIONS. */
static bool is_mount_call(int argc, char **argv)
{
	if (argc < 3 || argv[1][0] == '-' || argv[2][0] == '-' ||
	    cfs_command_find(argv[1]) != NULL)
		return false;
	return strchr(argv[1], '/') != NULL ||
	       (argc > 3 && strncmp(argv[3], "-o", 2) == 0);
}

static const struct cfs_command *main_choose(int *argc, char ***argv)
{
	const struct cfs_command *cmd;
	const char *word;

	if (is_mount_helper((*argv)[0]) || is_mount_call(*argc, *argv))
		return &cfs_cmd_mount_helper;
	if (*argc < 2)
		return &cfs_cmd_help;
	(*argc)--;
	(*argv)++;
	word = (*argv)[0];
	if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0)
		cmd = &cfs_cmd_help;
	else if (strcmp(word, "-V") == 0 || strcmp(word, "--version") == 0)
		cmd = &cfs_cmd_version;
	else
		return cfs_command_find(word);
	*argc = 1;
	return cmd;
}

int main(int argc, char **argv)
{
	const struct cfs_command *cmd;
	bool is_bare = argc < 2;
	int status;

	if (argc < 1)
		return CFS_EXIT_USAGE;
	share_heaps();
	cfs_start_folder_note();
	cfs_cli_fail_writes();
	cfs_descriptors_raise();
	if (!isatty(STDOUT_FILENO))
		setvbuf(stdout, NULL, _IOFBF, OUT_BUFFER_BYTES);
	cfs_cli_log_to_stderr(CFS_LOG_WARNING);
	cmd = main_choose(&argc, &argv);
	if (cmd == NULL)
		return cfs_command_unknown(argv[0]);
	status = cfs_args_run(cmd, argc, argv);
	status = cfs_out_end(status);
	return is_bare && cmd == &cfs_cmd_help ? CFS_EXIT_USAGE : status;
}
