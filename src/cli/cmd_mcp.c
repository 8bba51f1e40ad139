/* cmd_mcp.c - crawlfs mcp: answers programs that talk to language models, on
 * standard input and output.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <unistd.h>

#include "base/daemon.h"
#include "commands.h"
#include "mcp/mcp.h"
#include "signals.h"
#include "source_args.h"

static int cmd_mcp_run(struct cfs_options *o)
{
	const struct cfs_cancel *cancel = cfs_cli_catch_signals();
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_site *site = NULL;
	struct cfs_mcp m;
	int rc;

	cfs_cli_fail_writes();
	cfs_cli_log_to_stderr(CFS_LOG_WARNING);
	cfs_daemon_fill_standard();
	rc = cfs_cli_begin_site(o, &err);
	if (rc == CFS_OK)
		rc = cfs_cli_open_site(&site, o, CFS_CTX(cancel, &err));
	if (rc == CFS_OK) {
		m = cfs_site_mcp(site);
		rc = cfs_mcp_serve(&m, STDIN_FILENO, STDOUT_FILENO,
				   site->timeout_ms, CFS_CTX(cancel, &err));
	}
	cfs_site_close(site);
	cfs_budget_free(o->crawl.budget);
	return cfs_cli_end(rc, &err);
}

const struct cfs_command cfs_cmd_mcp = {
	.name = "mcp",
	.by = CFS_BY_MCP,
	.summary = "let language models read crawls (Model Context Protocol)",
	.usage =
	"crawlfs mcp SOURCE... [OPTION...]\n\n"
	"Speaks the Model Context Protocol on standard input and output: programs that\n"
	"talk to language models start it.  Its tools list folders, read pages, search\n"
	"texts, and find and compare captures.  Nothing can be changed.",
	.example =
	"  crawlfs mcp crawl.warc.gz\n",
	.operands = { "SOURCE" },
	.run = cmd_mcp_run,
};
