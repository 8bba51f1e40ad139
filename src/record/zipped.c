/* zipped.c - opens members of ZIP files; compressed ones are inflated into
 *     CACHE/inflated/<XXH64 of file, its state and the member>-<CRC>
 * Directories of ZIP files are cached, by file and state: a WACZ may have
 * thousands of members that are opened one by one.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "zipped.h"

#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fileio.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/lru.h"
#include "base/trust.h"
#include "inflated.h"

/* Cache of directories that are not in use: a large one takes an eighth. */
#define DIRECTORIES_BYTES ((size_t)256 << 20)

bool cfs_zipped_split(struct cfs_slice name, struct cfs_slice *file,
		      struct cfs_slice *member)
{
	ptrdiff_t at = cfs_slice_search(name, CFS_SLICE_LIT(CFS_WACZ_MARK));

	if (at <= 0)
		return false;
	*file = cfs_slice_sub(name, 0, (size_t)at);
	*member = cfs_slice_from(name, (size_t)at + strlen(CFS_WACZ_MARK));
	return true;
}

/* Identifies a file in its present state. */
static uint64_t id_of(struct cfs_source *file)
{
	char state[CFS_VALIDATOR_BYTES + 64], validator[CFS_VALIDATOR_BYTES];
	uint64_t h;

	if (!cfs_source_validator(file, validator))
		validator[0] = '\0';
	snprintf(state, sizeof(state), "%" PRIu64 " %" PRId64 " %s",
		 (uint64_t)file->size, file->mtime, validator);
	h = cfs_hash64(cfs_slice_str(file->url ? file->url : file->name), 0);
	return cfs_hash64(cfs_slice_str(state), h);
}

/* ---- directories --------------------------------------------------------- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct cfs_lru *directories;	/* NULL: there was no memory */

static void free_directory(void *obj)
{
	cfs_zip_close(obj);
	free(obj);
}

static void make_directories(void)
{
	directories = cfs_lru_new(DIRECTORIES_BYTES, free_directory);
}

static int load_directory(void *arg, struct cfs_lru_key key, void **obj,
			  size_t *obj_bytes, struct cfs_ctx ctx)
{
	struct cfs_zip *z = malloc(sizeof(*z));
	int rc = z != NULL ? cfs_zip_open(z, arg, ctx) :
			     cfs_error_nomem(ctx.err);

	(void)key;
	if (rc != CFS_OK) {
		free(z);
		return rc;
	}
	z->src = NULL;
	*obj = z;
	*obj_bytes = sizeof(*z) + z->n * (sizeof(*z->v) + 64);
	return CFS_OK;
}

/* Gets the directory of a file; *ref lends it. */
static int find_directory(struct cfs_lru_ref **ref, struct cfs_zip *z,
			  struct cfs_source *file, struct cfs_ctx ctx)
{
	struct cfs_lru_key key = { id_of(file), file->mtime_nsec, 0, 0,
		cfs_slice_str(file->url ? file->url : file->name) };
	int rc;

	pthread_once(&once, make_directories);
	rc = directories == NULL ? cfs_error_nomem(ctx.err) :
	     cfs_lru_get(directories, key, load_directory, file, ref, ctx);
	if (rc != CFS_OK)
		return rc;
	*z = *(const struct cfs_zip *)cfs_lru_obj(*ref);
	z->src = file;
	return CFS_OK;
}

/* ---- inflating ----------------------------------------------------------- */

static int inflate_to(const char *path, struct cfs_source *src,
		      const struct cfs_zip_place *at, const char *name,
		      struct cfs_ctx ctx)
{
	struct cfs_replacement r;
	int rc = cfs_replacement_open(&r, path, cfs_trust_mode(0600), ctx.err);

	r.need_not_last = true;
	if (rc == CFS_OK) {
		rc = cfs_zip_extract(src, at, name, cfs_inflated_room(), r.fd,
				     path, ctx);
		if (rc == CFS_OK)
			rc = cfs_replacement_commit(&r, ctx.err);
		else
			cfs_replacement_drop(&r);
	}
	return rc;
}

/* Finds where an inflated member is kept; false if nothing can be kept. */
static bool find_place(const struct cfs_zip *z, const struct cfs_zip_member *m,
		       const char *cache_dir, char dir[PATH_MAX], char *path,
		       size_t path_bytes)
{
	if (cache_dir == NULL ||
	    snprintf(dir, PATH_MAX, "%s/" CFS_INFLATED_FOLDER, cache_dir) >=
	    PATH_MAX)
		return false;
	snprintf(path, path_bytes, "%s/%016" PRIx64 "-%08" PRIx32, dir,
		 cfs_hash64(m->name, id_of(z->src)), m->crc);
	return cfs_make_folders(dir, cfs_trust_mode(0700)) == 0 &&
	       access(dir, W_OK) == 0;
}

static int open_inflated(struct cfs_source **out, const struct cfs_zip *z,
			 const struct cfs_zip_member *m,
			 const struct cfs_zip_place *at, const char *name,
			 const char *cache_dir, struct cfs_ctx ctx)
{
	char dir[PATH_MAX], path[PATH_MAX + 64];
	bool is_kept = find_place(z, m, cache_dir, dir, path, sizeof(path));
	int rc = is_kept ? cfs_inflated_open(out, path, at, ctx) :
			   CFS_ENOTFOUND;

	if (rc != CFS_ENOTFOUND)
		return rc;
	if (!is_kept) {
		cfs_log(CFS_LOG_INFO, "%s: '%.200s' is inflated: %" PRIu64
			" bytes", z->src->name, name, at->size);
		return cfs_wacz_open_copy(out, cfs_source_ref(z->src), at, name,
					  cfs_inflated_room(), ctx);
	}
	cfs_log(CFS_LOG_INFO, "%s: '%.200s' is inflated: %" PRIu64
		" bytes, kept as %s", z->src->name, name, at->size, path);
	cfs_inflated_make_room(dir, at->size);
	rc = inflate_to(path, z->src, at, name, ctx);
	return rc == CFS_OK ? cfs_source_open_file(out, path, ctx.err) : rc;
}

/* Opens a member of z, which stays with the caller. */
static int open_member(struct cfs_source **out, struct cfs_zip *z,
		       struct cfs_slice name, const char *cache_dir,
		       struct cfs_ctx ctx)
{
	const struct cfs_zip_member *m = cfs_zip_find(z, name);
	struct cfs_zip_place at;
	CFS_BUF(whole, (size_t)1 << 20);
	int rc;

	if (m == NULL)
		return cfs_error_at(ctx.err, CFS_ENOTFOUND, z->src->name, 0,
				    "the ZIP file has no member '%.*s'",
				    (int)(name.n < 120 ? name.n : 120),
				    (const char *)name.p);
	rc = cfs_zip_locate(z, m, &at, ctx);
	if (rc != CFS_OK)
		return rc;
	cfs_buf_adds(&whole, z->src->name);
	cfs_buf_adds(&whole, CFS_WACZ_MARK);
	cfs_buf_add(&whole, name);
	if (at.method == CFS_ZIP_STORED)
		rc = cfs_source_open_window(out, cfs_source_ref(z->src),
					    at.offset, at.stored,
					    cfs_buf_str(&whole), ctx.err);
	else
		rc = open_inflated(out, z, m, &at,
				   cfs_buf_str(&whole) + whole.n - name.n,
				   cache_dir, ctx);
	return rc;
}

int cfs_zipped_open(struct cfs_source **out, struct cfs_source *file,
		    struct cfs_slice member, const char *cache_dir,
		    struct cfs_ctx ctx)
{
	struct cfs_slice name, rest = member;
	struct cfs_source *next = NULL;
	struct cfs_lru_ref *ref;
	struct cfs_zip z;
	int rc = cfs_source_find_size(file, ctx);

	*out = NULL;
	for (unsigned depth = 0; rc == CFS_OK && rest.n > 0; depth++) {
		if (!cfs_zipped_split(rest, &name, &rest)) {
			name = rest;
			rest = CFS_SLICE_EMPTY;
		}
		if (depth > CFS_WACZ_DEPTH_MAX)
			rc = cfs_error_at(ctx.err, CFS_ELIMIT, file->name, 0,
					  "too many ZIP files in each other");
		if (rc == CFS_OK)
			rc = find_directory(&ref, &z, file, ctx);
		if (rc != CFS_OK)
			break;
		rc = open_member(&next, &z, name, cache_dir, ctx);
		cfs_lru_put(ref);
		if (rc != CFS_OK)
			break;
		cfs_source_close(file);
		file = next;
	}
	if (rc == CFS_OK)
		*out = file;
	else
		cfs_source_close(file);
	return rc;
}
