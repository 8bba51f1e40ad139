/* args.h - a command, and its command line.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CLI_ARGS_H
#define CFS_CLI_ARGS_H

#include "messages.h"
#include "options.h"

struct cfs_command {
	const char *name;
	unsigned by;		/* its bit in options.h */
	const char *summary;	/* one line, for `crawlfs help` */
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

#endif
