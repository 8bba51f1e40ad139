/* s3_out.c - makes an archive in a folder of its own, sends it to S3 and removes
 * the folder.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "s3_out.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/hash.h"
#include "crawl/crawl.h"
#include "progress.h"
#include "net/s3_upload.h"

#define NAME_MAX_BYTES 200u	/* the longest suffix must fit, too */

/* The suffixes of the files in the folder. */
static const char *const suffixes[] = {
	"", ".part", ".journal", ".cfx", ".upload", ".cfx.upload"
};

bool cfs_s3_out_is(const char *output)
{
	return strncmp(output, "s3://", 5) == 0;
}

int cfs_s3_out_init(struct cfs_s3_out *o, const char *url, const char *folder,
		    struct cfs_error *err)
{
	const char *name = strrchr(url, '/') + 1;
	char usual[PATH_MAX];

	o->url = url;
	if (folder == NULL) {
		if (!cfs_crawl_cache_dir(usual, sizeof(usual)))
			return cfs_error_set(err, CFS_EUSAGE,
					     "the name of the cache folder is too long");
		folder = usual;
	}
	if (strlen(name) > NAME_MAX_BYTES || strlen(name) < 8 ||
	    snprintf(o->dir, sizeof(o->dir), "%s/upload/%016" PRIx64, folder,
		     cfs_hash64(cfs_slice_str(url), 0)) >=
		    (int)(sizeof(o->dir) - NAME_MAX_BYTES) - 32)
		return cfs_error_set(err, CFS_EUSAGE,
				     "'%.80s' is not a name for an archive", url);
	snprintf(o->path, sizeof(o->path), "%.3800s/%.200s", o->dir, name);
	return cfs_make_folders(o->dir, 0700) == 0 ? CFS_OK :
	       cfs_error_at(err, CFS_EIO, o->dir, 0,
			    "cannot make this folder: %s", strerror(errno));
}

/* The name of one of its files; 32 bytes were left for the suffix. */
static void name_of(char out[PATH_MAX], const struct cfs_s3_out *o,
		    const char *suffix)
{
	snprintf(out, PATH_MAX, "%.4060s%s", o->path, suffix);
}

int cfs_s3_out_check(const struct cfs_s3_out *o, struct cfs_error *err)
{
	struct cfs_error e = CFS_ERROR_INIT;
	char path[PATH_MAX];
	int rc;

	name_of(path, o, ".journal");
	rc = cfs_s3_object_find(o->url, o->cancel, &e);
	if (rc == CFS_ENOTFOUND || (rc == CFS_EACCESS && o->force))
		return CFS_OK;
	if (rc != CFS_OK)
		return cfs_error_copy(err, &e);
	/* where there is a journal, an earlier run may have sent the object */
	return o->force || access(path, F_OK) == 0 ? CFS_OK :
	       cfs_error_set(err, CFS_EIO,
			     "'%.180s' exists (--force replaces it)", o->url);
}

static void show(void *arg, uint64_t done, uint64_t total)
{
	struct cfs_indexer_progress p = { .bytes_done = done,
					  .bytes_total = total };

	cfs_progress_show(arg, &p);
}

static int send(const struct cfs_s3_out *o, const char *suffix, bool force,
		struct cfs_error *err)
{
	char path[PATH_MAX], journal[PATH_MAX], url[PATH_MAX], what[] = "upload";
	struct cfs_s3_upload_opts uo = {
		.url = url, .path = path, .journal = journal,
		.parallel = o->parallel, .force = force, .cancel = o->cancel,
		.progress = show, .arg = what,
	};
	char both[32];

	snprintf(both, sizeof(both), "%s.upload", suffix);
	name_of(path, o, suffix);
	name_of(journal, o, both);
	if (snprintf(url, sizeof(url), "%s%s", o->url, suffix) >=
	    (int)sizeof(url))
		return cfs_error_set(err, CFS_EUSAGE, "the URL is too long");
	return cfs_s3_upload(&uo, err);
}

int cfs_s3_out_send(void *arg, struct cfs_error *err)
{
	const struct cfs_s3_out *o = arg;
	int rc = send(o, "", o->force, err);

	/* the index goes last: without its archive it is useless */
	return rc == CFS_OK ? send(o, ".cfx", true, err) : rc;
}

void cfs_s3_out_remove(const struct cfs_s3_out *o)
{
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		name_of(path, o, suffixes[i]);
		unlink(path);
	}
	rmdir(o->dir);
}

int cfs_s3_out_abort(const struct cfs_s3_out *o, struct cfs_error *err)
{
	static const char *const all[] = { "", ".cfx" };
	char path[PATH_MAX], url[PATH_MAX];
	bool any = false;

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		name_of(path, o, suffixes[i]);
		any = any || access(path, F_OK) == 0;
	}
	for (size_t i = 0; i < 2; i++) {
		char both[32];
		int rc;

		snprintf(both, sizeof(both), "%s.upload", all[i]);
		name_of(path, o, both);
		snprintf(url, sizeof(url), "%.4000s%s", o->url, all[i]);
		rc = cfs_s3_upload_abort(url, path, o->cancel, err);
		if (rc != CFS_OK && rc != CFS_ENOTFOUND)
			return rc;
	}
	cfs_s3_out_remove(o);
	return any ? CFS_OK : cfs_error_set(err, CFS_ENOTFOUND,
					    "no copy to '%.180s' was begun",
					    o->url);
}
