/* input.c - recognises what a command is given to read.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "input.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/hash.h"
#include "format/open_index.h"
#include "net/collections.h"
#include "net/location.h"
#include "pathlist.h"
#include "record/wacz.h"
#include "web_folder.h"

enum cfs_input_kind cfs_input_of_name(const char *location)
{
	struct stat st;

	if (cfs_collection_is_name(location) && access(location, F_OK) != 0)
		return CFS_INPUT_COLLECTION;
	if (cfs_web_folder_is_url(location))
		return CFS_INPUT_WEB_FOLDER;
	if (cfs_pathlist_is_name(location))
		return CFS_INPUT_PATHS;
	return !cfs_location_is_url(location) && stat(location, &st) == 0 &&
	       S_ISDIR(st.st_mode) ? CFS_INPUT_FOLDER : CFS_INPUT_FILE;
}

int cfs_input_exists(const char *location, struct cfs_error *err)
{
	int rc;

	if (cfs_location_is_url(location) || access(location, F_OK) == 0 ||
	    cfs_collection_is_name(location))
		return CFS_OK;
	rc = errno == ENOENT || errno == ENOTDIR ? CFS_ENOTFOUND : CFS_EIO;
	return cfs_error_at(err, rc, location, 0, "%s", strerror(errno));
}

bool cfs_input_is_wacz_name(const char *location)
{
	struct cfs_slice name = cfs_slice_str(location);

	if (cfs_location_is_url(location))
		name = cfs_slice_sub(name, 0,
				     cfs_slice_find_any(name, 0, "?#"));
	return cfs_wacz_role_of(name) == CFS_WACZ_INSIDE;
}

/* ---- by the first bytes ---- */

static enum cfs_input_kind kind_of_file(enum cfs_file_kind kind)
{
	switch (kind) {
	case CFS_FILE_ARC:
	case CFS_FILE_WARC:
		return CFS_INPUT_ARCHIVE;
	case CFS_FILE_SEQFILE:
		return CFS_INPUT_PAIRS;
	case CFS_FILE_ZIP:
		return CFS_INPUT_WACZ;
	case CFS_FILE_PACKAGE:
		return CFS_INPUT_PACKAGES;
	default:
		return CFS_INPUT_UNKNOWN;
	}
}

static int look_for_archive(struct cfs_input *in, struct cfs_slice head,
			    enum cfs_sniff_depth depth, struct cfs_ctx ctx)
{
	struct cfs_sniffed found;
	int rc = cfs_sniff_head(in->src, head, depth, &found, ctx);

	if (rc == CFS_OK)
		in->kind = kind_of_file(found.kind);
	cfs_sniffed_release(&found);
	return rc;
}

static int look_for_rows(struct cfs_input *in, struct cfs_slice head,
			 struct cfs_ctx ctx)
{
	enum cfs_index_format format = cfs_index_detect(head, in->src->size);
	int rc = CFS_OK;

	in->table = CFS_TABLE_NONE;
	if (format != CFS_INDEX_CFX && format != CFS_INDEX_PBTREE &&
	    format != CFS_INDEX_ZIPNUM)
		rc = cfs_selection_look_at(in->src, head, &in->table, ctx);
	in->format = format;
	if (in->table != CFS_TABLE_NONE)
		in->kind = CFS_INPUT_TABLE;
	else if (rc == CFS_OK && format != CFS_INDEX_UNKNOWN)
		in->kind = CFS_INPUT_INDEX;
	return rc;
}

/* The search for a record in the midst of a file comes last, because it may
 * read a large part of it. */
static int input_recognise(struct cfs_input *in, struct cfs_slice head,
			   enum cfs_sniff_depth depth, struct cfs_ctx ctx)
{
	enum cfs_sniff_depth first =
		depth == CFS_SNIFF_HEAD ? depth : CFS_SNIFF_START;
	struct cfs_error damage = CFS_ERROR_INIT;
	int rc = look_for_archive(in, head, first,
				  CFS_CTX(ctx.cancel, &damage));

	if (rc != CFS_OK && rc != CFS_EFORMAT)
		return cfs_error_pass(ctx.err, &damage, rc);
	if (in->kind != CFS_INPUT_UNKNOWN)
		return CFS_OK;
	rc = look_for_rows(in, head, ctx);
	if (rc != CFS_OK || in->kind != CFS_INPUT_UNKNOWN)
		return rc;
	return look_for_archive(in, head, depth, ctx);
}

int cfs_input_recognise(struct cfs_input *in, struct cfs_source *src,
			const struct cfs_input_look *how, struct cfs_ctx ctx)
{
	size_t n = src->is_local ? CFS_INDEX_HEAD_BYTES : how->remote_bytes;
	uint8_t *head = malloc(n);
	size_t got = 0;
	int rc = head != NULL ? CFS_OK : cfs_error_nomem(ctx.err);

	in->src = src;
	in->kind = CFS_INPUT_UNKNOWN;
	if (rc == CFS_OK)	/* the answer also states the size */
		rc = cfs_source_read_some(src, head, n, 0, &got, ctx);
	if (rc == CFS_OK)
		rc = cfs_source_find_size(src, ctx);
	if (rc == CFS_OK)
		rc = input_recognise(in,
				     cfs_slice_sub(cfs_slice_of(head, got), 0,
						   CFS_INDEX_HEAD_BYTES),
				     how->depth, ctx);
	free(head);
	return rc;
}

/* ---- an open input ---- */

void cfs_input_close(struct cfs_input *in)
{
	cfs_source_close(in->src);
	in->src = NULL;
}

struct cfs_source *cfs_input_take(struct cfs_input *in)
{
	struct cfs_source *src = in->src;

	in->src = NULL;
	return src;
}

char *cfs_input_folder(const struct cfs_input *in)
{
	struct cfs_slice url = cfs_location_folder(in->location);

	return url.n > 0 ? strndup((const char *)url.p, url.n) :
			   cfs_folder_of(in->location);
}

uint64_t cfs_input_state(const struct cfs_input *in)
{
	char v[CFS_VALIDATOR_BYTES];

	if (!cfs_location_is_url(in->location))
		return cfs_input_fingerprint(in->location);
	return cfs_source_validator(in->src, v) ?
	       cfs_hash64(cfs_slice_str(v), 0) : (uint64_t)in->src->size;
}

/* ---- the state of files here ------------------------------------------- */

#define FUSE_MAGIC 0x65735546	/* f_type, as in statfs(2) */

bool cfs_input_is_mount(const char *folder)
{
	char name[PATH_MAX];
	struct statfs fs;
	int n = snprintf(name, sizeof(name), "%s/.crawlfs/version", folder);

	return n > 0 && (size_t)n < sizeof(name) &&
	       statfs(folder, &fs) == 0 && fs.f_type == FUSE_MAGIC &&
	       access(name, F_OK) == 0;
}

#define WALK_FDS 32

static pthread_mutex_t walk_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t walk_sum;	/* guarded by walk_lock: nftw has no argument */
static size_t walk_skip;	/* guarded by walk_lock */

static int add_file(const char *path, const struct stat *st,
				int type, struct FTW *ftw)
{
	char line[PATH_MAX + 96];
	int n;

	if (type == FTW_D && ftw->level > 0 && cfs_input_is_mount(path))
		return FTW_SKIP_SUBTREE;
	if (type != FTW_F || strlen(path) < walk_skip)
		return 0;
	n = snprintf(line, sizeof(line), "%s %lld %lld.%ld", path + walk_skip,
		     (long long)st->st_size, (long long)st->st_mtim.tv_sec,
		     st->st_mtim.tv_nsec);
	if (n > 0)	/* a sum, so that the order of the walk does not
			 * matter */
		walk_sum += cfs_hash64(cfs_slice_of(line, (size_t)n), 0);
	return 0;
}

uint64_t cfs_input_fingerprint(const char *path)
{
	uint64_t sum;

	pthread_mutex_lock(&walk_lock);
	walk_sum = 0;
	walk_skip = strlen(path);
	nftw(path, add_file, WALK_FDS, FTW_ACTIONRETVAL);
	sum = walk_sum;
	pthread_mutex_unlock(&walk_lock);
	return sum;
}
