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

/* As cfs_reopening: opens the crawls again. */
static int open_sources(void *arg, struct cfs_site **out, struct cfs_ctx ctx)
{
	return cfs_cli_open_site(out, arg, ctx);
}

static bool is_hangup(void *arg)
{
	(void)arg;
	return cfs_cli_take_hangup();
}

static void on_reopened(void *arg)
{
	(void)arg;
	cfs_out_f("opened again\n");
	fflush(stdout);
}

/* Checks the value of an option; NULL: it was not given. */
static bool is_url(const struct cfs_options *o, const char *option,
		   const char *url)
{
	struct cfs_slice s;

	if (url == NULL)
		return true;
	s = cfs_slice_str(url);
	if ((cfs_slice_starts(s, CFS_SLICE_LIT("http://")) && s.n > 7) ||
	    (cfs_slice_starts(s, CFS_SLICE_LIT("https://")) && s.n > 8))
		return true;
	cfs_cli_usage(o->command, "option '--%s': '%.100s' is not a URL of "
		      "http or https", option, url);
	return false;
}

static int cmd_serve_run(struct cfs_options *o)
{
	const struct cfs_cancel *cancel = cfs_cli_catch_signals();
	const struct cfs_server_opts so = {
		.threads = o->threads,
		.ready = on_serving,
		.reopening = { .open = open_sources, .is_asked = is_hangup,
			       .done = on_reopened, .arg = o,
			       .sources = (const char *const *)o->operands,
			       .n_sources = (unsigned)o->n_operands },
	};
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_listener listener;
	struct cfs_site *site = NULL;
	int rc;

	if (!is_url(o, "base-url", o->base_url) ||
	    !is_url(o, "replay-url", o->replay_url))
		return CFS_EXIT_USAGE;
	cfs_cli_hear_hangup();
	cfs_cli_fail_writes();
	cfs_cli_log_to_stderr(CFS_LOG_WARNING);
	cfs_daemon_fill_standard();	/* the lines on standard output are no
					 * result */
	/* first, since to open a source may take long */
	rc = cfs_listener_open(&listener, o->listen, &err);
	if (rc == CFS_OK)
		rc = cfs_cli_begin_site(o, &err);
	if (rc == CFS_OK)
		rc = cfs_cli_open_site(&site, o, CFS_CTX(cancel, &err));
	if (rc == CFS_OK)
		rc = cfs_server_run(site, &listener, &so,
				    CFS_CTX(cancel, &err));
	else
		cfs_site_close(site);
	cfs_notify_stopping();
	cfs_listener_close(&listener);
	cfs_budget_free(o->crawl.budget);
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
