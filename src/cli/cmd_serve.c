/* cmd_serve.c - crawlfs serve: serves crawls by HTTP.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>

#include "base/daemon.h"
#include "base/slice.h"
#include "commands.h"
#include "output.h"
#include "serve/listener.h"
#include "serve/server.h"
#include "signals.h"
#include "source_args.h"

static void on_serving(void *arg, const char *url)
{
	(void)arg;
	cfs_out_f("serving on %s\n", url);
	fflush(stdout);
	cfs_notify_ready();
}

static bool is_base_url(const char *url)
{
	struct cfs_slice s = cfs_slice_str(url);

	return (cfs_slice_starts(s, CFS_SLICE_LIT("http://")) && s.n > 7) ||
	       (cfs_slice_starts(s, CFS_SLICE_LIT("https://")) && s.n > 8);
}

static int cmd_serve_run(struct cfs_options *o)
{
	const struct cfs_cancel *cancel = cfs_cli_catch_signals();
	const struct cfs_server_opts so = { .threads = o->threads,
					    .ready = on_serving };
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_listener listener;
	struct cfs_site *site = NULL;
	int rc;

	if (o->base_url != NULL && !is_base_url(o->base_url))
		return cfs_cli_usage(o->command, "option '--base-url': "
				     "'%.100s' is not a URL of http or https",
				     o->base_url);
	cfs_cli_fail_writes();
	cfs_cli_log_to_stderr(CFS_LOG_WARNING);
	cfs_daemon_fill_standard();	/* the lines on standard output are no
					 * result */
	/* first, since to open a source may take long */
	rc = cfs_listener_open(&listener, o->listen, &err);
	if (rc == CFS_OK)
		rc = cfs_cli_open_site(&site, o, CFS_CTX(cancel, &err));
	if (rc == CFS_OK)
		rc = cfs_overview_begin(site, &err);
	if (rc == CFS_OK)
		rc = cfs_server_run(site, &listener, &so,
				    CFS_CTX(cancel, &err));
	cfs_notify_stopping();
	cfs_listener_close(&listener);
	cfs_overview_end(site);
	cfs_site_close(site);
	return cfs_cli_end(rc, &err);
}

const struct cfs_command cfs_cmd_serve = {
	.name = "serve",
	.by = CFS_BY_SERVE,
	.summary = "serve crawls by HTTP: WebDAV, CDX and pages for people",
	.usage =
	"crawlfs serve SOURCE... [--listen=ADDRESS] [OPTION...]\n\n"
	"Serves what 'crawlfs mount' would show, to this machine unless --listen says\n"
	"otherwise, until it is interrupted.  Several SOURCEs are folders side by side,\n"
	"or one tree: --merge, or a list A,B,C as one SOURCE.",
	.example =
	"  crawlfs serve crawl.warc.gz\n"
	"  crawlfs serve crawl.cfx --listen=:8080 --base-url=https://crawl.example/\n",
	.operands = { "SOURCE" },
	.run = cmd_serve_run,
};
