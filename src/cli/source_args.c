/* source_args.c - opens a command's SOURCE and handles its other operands.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "source_args.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "crawl/crawl.h"
#include "crawl/sources.h"
#include "messages.h"
#include "net/location.h"
#include "output.h"
#include "progress.h"
#include "signals.h"

static int source_args_check_folder(const char *name, const char *folder,
				    struct cfs_error *err)
{
	struct stat st;
	int rc;

	if (folder == NULL || cfs_location_is_url(folder))
		return CFS_OK;
	if (stat(folder, &st) == 0) {
		if (S_ISDIR(st.st_mode))
			return CFS_OK;
		errno = ENOTDIR;
	}
	rc = errno == ENOENT ? CFS_ENOTFOUND : CFS_EIO;
	return cfs_error_set(err, rc, "%s: '%.100s': %s", name, folder,
			     strerror(errno));
}

int cfs_cli_check_folders(const struct cfs_crawl_opts *o, struct cfs_error *err)
{
	struct cfs_sources data = { .n = 0 };
	int rc = CFS_OK;

	if (o->data != NULL)
		rc = cfs_sources_split(&data, o->data, err);
	for (size_t i = 0; i < data.n && rc == CFS_OK; i++)
		rc = source_args_check_folder("data", data.v[i], err);
	cfs_sources_release(&data);
	return rc == CFS_OK ? source_args_check_folder("base", o->base,
						       err) : rc;
}

int cfs_cli_open(struct cfs_crawl **out, const char *source,
		 const struct cfs_options *o)
{
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_crawl_opts opts = o->crawl;
	int rc;

	opts.building = cfs_progress_building;
	opts.cancel = cfs_cli_catch_signals();
	rc = cfs_http_configure(&o->http, &err);
	if (rc == CFS_OK)
		rc = cfs_cli_check_folders(&opts, &err);
	if (rc == CFS_OK)
		rc = cfs_crawl_open(out, source, &opts, &err);
	cfs_progress_end();
	return cfs_cli_end(rc, &err);
}

int cfs_cli_each_text(const struct cfs_options *o, cfs_cli_text_fn *fn,
		      void *arg)
{
	char **operands = o->operands;
	const struct cfs_cancel *cancel;
	struct cfs_crawl *crawl;
	int i = 1, status = cfs_cli_open(&crawl, operands[0], o);

	if (status != CFS_EXIT_OK)
		return status;
	cancel = cfs_cli_catch_signals();
	do {
		int one = fn(arg, crawl, operands[i], cancel);

		status = one != CFS_EXIT_OK ? one : status;
	} while (operands[i] != NULL && operands[++i] != NULL &&
		 status != CFS_EXIT_INTERRUPTED && cfs_out_ok());
	cfs_crawl_close(crawl);
	return status;
}

int cfs_cli_with_target(struct cfs_crawl *crawl, const char *text,
			cfs_cli_target_fn *fn, void *arg, struct cfs_ctx ctx)
{
	struct cfs_target *t = malloc(sizeof(*t));
	int rc;

	if (t == NULL)
		return cfs_error_nomem(ctx.err);
	rc = cfs_target_init(t, crawl, text, ctx);
	if (rc == CFS_OK)
		rc = fn(arg, t, ctx);
	cfs_target_release(t);
	free(t);
	return rc;
}

struct each_target {
	cfs_cli_target_fn *fn;
	void *arg;
};

static int do_target(void *arg, struct cfs_crawl *crawl, const char *text,
		     const struct cfs_cancel *cancel)
{
	const struct each_target *each = arg;
	struct cfs_error err = CFS_ERROR_INIT;
	int rc = cfs_cli_with_target(crawl, text, each->fn, each->arg,
				     CFS_CTX(cancel, &err));

	return cfs_cli_end(rc, &err);
}

int cfs_cli_each_target(const struct cfs_options *o, cfs_cli_target_fn *fn,
			void *arg)
{
	struct each_target each = { fn, arg };

	return cfs_cli_each_text(o, do_target, &each);
}
