/* cmd_help.c - crawlfs help, the list of commands, and suggestions.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "commands.h"
#include "output.h"

/* All documented commands, in the order of `crawlfs help`. */
static const struct cfs_command *const commands[] = {
	&cfs_cmd_mount, &cfs_cmd_umount, &cfs_cmd_index, &cfs_cmd_ls,
	&cfs_cmd_cat, &cfs_cmd_lookup, &cfs_cmd_path, &cfs_cmd_url,
	&cfs_cmd_check, &cfs_cmd_verify, &cfs_cmd_copy, &cfs_cmd_export,
	&cfs_cmd_grep, &cfs_cmd_serve,
	&cfs_cmd_mcp,
	&cfs_cmd_summary,
	&cfs_cmd_cache,	&cfs_cmd_collections, &cfs_cmd_version, &cfs_cmd_help
};
#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

const struct cfs_command *cfs_command_at(size_t i)
{
	return i < COMMANDS ? commands[i] : NULL;
}

const struct cfs_command *cfs_command_find(const char *name)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return strcmp(name, cfs_cmd_complete.name) == 0 ? &cfs_cmd_complete :
							  NULL;
}

/* ---- suggestions ------------------------------------------------------ */

/* Maps words that people may try to the commands that they mean. */
static const char *synonym(const char *name)
{
	static const char *const pairs[][2] = {
		{ "unmount", "umount" }, { "list", "ls" }, { "dir", "ls" },
		{ "get", "cat" }, { "build", "index" }, { "find", "lookup" },
		{ "search", "grep" }, { "remote_copy", "copy" },
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (strcmp(pairs[i][0], name) == 0)
			return pairs[i][1];
	return NULL;
}

int cfs_command_unknown(const char *name)
{
	struct cfs_nearest near =
		CFS_NEAREST(cfs_slice_str(name + strspn(name, "-")));
	const char *meant = synonym(name);

	for (size_t i = 0; i < COMMANDS; i++)
		cfs_nearest_try(&near, commands[i]->name);
	if (meant == NULL)
		meant = near.word;
	if (meant != NULL)
		return cfs_cli_usage(
			NULL, "unknown command '%s' (did you mean '%s'?)", name,
			meant);
	return cfs_cli_usage(NULL, "unknown command '%s'", name);
}

/* ---- help ------------------------------------------------------------- */

static void list_commands(void)
{
	cfs_out_f(
		"usage: crawlfs COMMAND [ARGUMENT]...\n\n"
		"Mounts a web crawl (ARC and WARC files and their URL indexes) as a\n"
		"directory tree, and looks into it.\n\n");
	for (size_t i = 0; i < COMMANDS; i++)
		cfs_out_f("  %-11s %s\n", commands[i]->name,
			  commands[i]->summary);
	cfs_out_f(
		"\nExample:\n"
		"  crawlfs mount crawl.warc.gz /mnt/crawl\n\n"
		"'crawlfs help COMMAND' explains a command; see also crawlfs(1).\n");
}

static int cmd_help_run(struct cfs_options *o)
{
	const struct cfs_command *about;

	if (o->n_operands > 1)
		return cfs_cli_usage(o->command, "takes one command at most");
	if (o->n_operands == 0) {
		list_commands();
		return CFS_EXIT_OK;
	}
	about = cfs_command_find(o->operands[0]);
	if (about == NULL)
		return cfs_command_unknown(o->operands[0]);
	cfs_args_help(about);
	return CFS_EXIT_OK;
}

const struct cfs_command cfs_cmd_help = {
	.name = "help",
	.by = CFS_BY_HELP,
	.summary = "explain a command",
	.usage =
	"crawlfs help [COMMAND]\n\n"
	"Lists the commands, or explains one.",
	.example =
	"  crawlfs help mount\n",
	.run = cmd_help_run,
};
