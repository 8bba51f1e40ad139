/* outbox.c - a folder of this machine for an output that goes to S3.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "outbox.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/hash.h"
#include "base/trust.h"
#include "crawl/crawl.h"
#include "progress_line.h"

#define PARALLEL_USUAL 8u		/* parts sent at a time */

bool cfs_outbox_is_s3(const char *output)
{
	return output != NULL && strncmp(output, "s3://", 5) == 0;
}

int cfs_outbox_open(struct cfs_outbox *b, const char *url,
		    const struct cfs_options *options, struct cfs_ctx ctx)
{
	char usual[PATH_MAX], upload[PATH_MAX], name[17];
	const char *names[] = { name, NULL };
	const char *folder = options->tmp;

	*b = (struct cfs_outbox){ .options = options, .cancel = ctx.cancel };
	if (folder == NULL)
		folder = cfs_crawl_cache_dir(options->crawl.cache_dir, usual);
	if (folder == NULL)
		return cfs_error_set(ctx.err, CFS_EUSAGE,
				     "there is no cache folder to use: --tmp "
				     "names another");
	snprintf(name, sizeof(name), "%016" PRIx64,
		 cfs_hash64(cfs_slice_str(url), 0));
	if (snprintf(upload, sizeof(upload), "%s/upload", folder) >
	    (int)(PATH_MAX - CFS_OUTBOX_NAME_MAX) - 64)
		return cfs_error_set(ctx.err, CFS_EUSAGE, "'%.80s...' is too long "
				     "for a name", folder);
	snprintf(b->dir, sizeof(b->dir), "%.3900s/%s", upload, name);
	if (cfs_make_folders(b->dir, cfs_trust_mode(0700)) != 0)
		return cfs_error_at(ctx.err, CFS_EIO, b->dir, 0,
				    "cannot make this folder: %s",
				    strerror(errno));
	return cfs_trust_folder(upload, names, ctx.err);
}

int cfs_outbox_check(const struct cfs_outbox *b, const char *url,
		     const char *journal, struct cfs_error *err)
{
	bool force = b->options->force;
	struct cfs_error e = CFS_ERROR_INIT;
	int rc = cfs_s3_object_find(url, CFS_CTX(b->cancel, &e));

	if (rc == CFS_ENOTFOUND || (rc == CFS_EACCESS && force))
		return CFS_OK;
	if (rc != CFS_OK)
		return cfs_error_pass(err, &e, rc);
	return force || access(journal, F_OK) == 0 ? CFS_OK :
	       cfs_error_set(err, CFS_EIO,
			     "'%.180s' exists (--force replaces it)", url);
}

static void show_sent(void *arg, uint64_t done, uint64_t total)
{
	struct cfs_progress p = { .bytes_done = done,
				  .bytes_total = total };

	cfs_progress_called(arg, &p);
}

int cfs_outbox_send(const struct cfs_outbox *b, const char *path,
		    const char *url, bool force, const char *mark,
		    struct cfs_error *err)
{
	char journal[PATH_MAX], what[] = "upload";
	struct cfs_s3_upload_opts uo = {
		.url = url, .path = path, .journal = journal,
		.parallel = b->options->http.parallel > 0 ?
			    b->options->http.parallel : PARALLEL_USUAL,
		.force = force, .mark = mark, .cancel = b->cancel,
		.progress = b->is_quiet ? NULL : show_sent, .arg = what,
	};

	snprintf(journal, sizeof(journal), "%.4080s.upload", path);
	return cfs_s3_upload(&uo, err);
}
