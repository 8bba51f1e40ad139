/* commands.h - the commands of the program, one file each.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CFS_CLI_COMMANDS_H
#define CFS_CLI_COMMANDS_H

#include "args.h"

extern const struct cfs_command cfs_cmd_mount, cfs_cmd_umount, cfs_cmd_index,
	cfs_cmd_ls, cfs_cmd_cat, cfs_cmd_lookup, cfs_cmd_path, cfs_cmd_url,
	cfs_cmd_check, cfs_cmd_copy, cfs_cmd_cache, cfs_cmd_collections,
	cfs_cmd_version, cfs_cmd_help;

/* mount.crawlfs(8), as mount(8) calls it. */
extern const struct cfs_command cfs_cmd_mount_helper;

/* All that can be typed, in the order of `crawlfs help`; NULL ends them. */
extern const struct cfs_command *const cfs_commands[];

/* NULL if there is none of that name. */
const struct cfs_command *cfs_command_find(const char *name);

/* Reports an unknown command, with the nearest that there is.  Returns
 * CFS_EXIT_USAGE. */
int cfs_command_unknown(const char *name);

#endif
