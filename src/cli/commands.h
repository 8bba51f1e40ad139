/* commands.h - the commands of the program, one file each, and their command
 * lines.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CLI_COMMANDS_H
#define CFS_CLI_COMMANDS_H

#include "messages.h"
#include "options.h"

struct cfs_command {
	const char *name;
	unsigned by;		/* its bit in options.h */
	const char *summary;	/* one line, for `crawlfs help`; NULL: it is
				 * not listed there */
	const char *usage;	/* how it is called, and what it does */
	const char *example;	/* command lines */
	/* Operands it cannot do without, as messages name them; with
	 * takes_none there must be none. */
	const char *operands[2];
	bool takes_none;
	/* Returns the exit status. */
	int (*run)(struct cfs_options *o);
};

/* Reads the command line (argv[0] is the command), then runs the command.
 * Returns the exit status. */
int cfs_args_run(const struct cfs_command *cmd, int argc, char **argv);

/* Prints usage, options and examples. */
void cfs_args_help(const struct cfs_command *cmd);

extern const struct cfs_command cfs_cmd_mount, cfs_cmd_umount, cfs_cmd_index,
	cfs_cmd_ls, cfs_cmd_cat, cfs_cmd_lookup, cfs_cmd_path, cfs_cmd_url,
	cfs_cmd_check, cfs_cmd_verify, cfs_cmd_copy, cfs_cmd_cache,
	cfs_cmd_collections, cfs_cmd_version, cfs_cmd_help, cfs_cmd_complete;

/* mount.crawlfs(8), as mount(8) calls it. */
extern const struct cfs_command cfs_cmd_mount_helper;

/* NULL if there is none of that name. */
const struct cfs_command *cfs_command_find(const char *name);

/* Those that are listed, in that order; NULL behind the last. */
const struct cfs_command *cfs_command_at(size_t i);

/* Reports an unknown command, with the nearest that there is.  Returns
 * CFS_EXIT_USAGE. */
int cfs_command_unknown(const char *name);

#endif
