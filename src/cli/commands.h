/* commands.h - the program's commands, one file each, and the reading of their
 * command lines.
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
	const char *summary;	/* one line, for `crawlfs help`; NULL: not
				 * listed there */
	const char *usage;	/* how it is called, and what it does */
	const char *example;	/* command lines */
	/* Names of required operands, for messages; with takes_none no operand
	 * is allowed. */
	const char *operands[2];
	bool takes_none;
	/* Returns the exit status. */
	int (*run)(struct cfs_options *o);
};

/* Reads the command line (argv[0] is the command), then runs the command.
 * Returns the exit status. */
int cfs_args_run(const struct cfs_command *cmd, int argc, char **argv);

/*
 * Reads the words of a command line before one that is being typed, as far as
 * they are right: into *o, which is initialised, the values of options and the
 * operands.  Returns the option whose value the next word is, or NULL.
 * options_end: set to whether no word can be an option any more.
 */
const struct cfs_option *cfs_args_scan(const struct cfs_command *cmd, int argc,
				       char **argv, struct cfs_options *o,
				       bool *options_end);

/* Prints usage, options and examples, and names the manual page. */
void cfs_args_help(const struct cfs_command *cmd);

extern const struct cfs_command cfs_cmd_mount, cfs_cmd_umount, cfs_cmd_index,
	cfs_cmd_ls, cfs_cmd_cat, cfs_cmd_lookup, cfs_cmd_path, cfs_cmd_url,
	cfs_cmd_check, cfs_cmd_verify, cfs_cmd_copy, cfs_cmd_export,
	cfs_cmd_grep, cfs_cmd_serve, cfs_cmd_mcp,
	cfs_cmd_summary, cfs_cmd_cache, cfs_cmd_collections,
	cfs_cmd_version, cfs_cmd_help, cfs_cmd_complete;

/* mount.crawlfs(8), called by mount(8) */
extern const struct cfs_command cfs_cmd_mount_helper;

/* Finds a command by name; NULL if there is none. */
const struct cfs_command *cfs_command_find(const char *name);

/* The i-th listed command; NULL past the last. */
const struct cfs_command *cfs_command_at(size_t i);

/* Reports an unknown command and suggests the nearest known one.  Returns
 * CFS_EXIT_USAGE. */
int cfs_command_unknown(const char *name);

#endif
