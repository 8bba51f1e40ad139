/* zipped.c - members of ZIP files as files; compressed ones are inflated into
 *     CACHE/inflated/<XXH64 of file, its state and the member>-<CRC>
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "zipped.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fileio.h"
#include "base/hash.h"
#include "base/log.h"

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

/* Another name where the file has changed. */
static uint64_t id_of(struct cfs_source *file, const struct cfs_zip_member *m)
{
	char state[CFS_VALIDATOR_BYTES + 64], validator[CFS_VALIDATOR_BYTES];
	uint64_t h;

	if (!cfs_source_validator(file, validator))
		validator[0] = '\0';
	snprintf(state, sizeof(state), "%" PRIu64 " %" PRId64 " %s",
		 (uint64_t)file->size, file->mtime, validator);
	h = cfs_hash64(cfs_slice_str(file->url ? file->url : file->name), 0);
	return cfs_hash64(m->name, cfs_hash64(cfs_slice_str(state), h));
}

static int inflate_to(const char *path, struct cfs_source *src,
		      const struct cfs_zip_place *at, const char *name,
		      const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct cfs_replacement r;
	int rc = cfs_replacement_open(&r, path, 0600, err);

	if (rc == CFS_OK) {
		rc = cfs_zip_extract(src, at, name, CFS_ZIPPED_MAX, r.fd, path,
				     cancel, err);
		if (rc == CFS_OK)
			rc = cfs_replacement_commit(&r, err);
		else
			cfs_replacement_drop(&r);
	}
	return rc;
}

/* Where an inflated member is kept; false if nothing can be kept. */
static bool find_place(const struct cfs_zip *z, const struct cfs_zip_member *m,
		       const char *cache_dir, char *path, size_t path_bytes)
{
	char dir[PATH_MAX];

	if (cache_dir == NULL ||
	    snprintf(dir, sizeof(dir), "%s/" CFS_ZIPPED_FOLDER, cache_dir) >=
	    (int)sizeof(dir))
		return false;
	snprintf(path, path_bytes, "%s/%016" PRIx64 "-%08" PRIx32, dir,
		 id_of(z->src, m), m->crc);
	return cfs_make_folders(dir, 0700) == 0 && access(dir, W_OK) == 0;
}

static int open_inflated(struct cfs_source **out, const struct cfs_zip *z,
			 const struct cfs_zip_member *m,
			 const struct cfs_zip_place *at, const char *name,
			 const char *cache_dir, const struct cfs_cancel *cancel,
			 struct cfs_error *err)
{
	char path[PATH_MAX + 64];
	bool is_kept = find_place(z, m, cache_dir, path, sizeof(path));
	int rc;

	if (is_kept && cfs_source_open_file(out, path, NULL) == CFS_OK) {
		if ((*out)->size == at->size)
			return CFS_OK;
		cfs_source_close(*out);
	}
	cfs_log(CFS_LOG_INFO, "%s: '%.200s' is inflated: %" PRIu64 " bytes%s%s",
		z->src->name, name, at->size, is_kept ? ", kept as " : "",
		is_kept ? path : "");
	if (!is_kept)
		return cfs_wacz_open_copy(out, cfs_source_ref(z->src), at, name,
					  CFS_ZIPPED_MAX, cancel, err);
	rc = inflate_to(path, z->src, at, name, cancel, err);
	return rc == CFS_OK ? cfs_source_open_file(out, path, err) : rc;
}

/* A member of z, which stays with the caller. */
static int open_member(struct cfs_source **out, struct cfs_zip *z,
		       struct cfs_slice name, const char *cache_dir,
		       const struct cfs_cancel *cancel, struct cfs_error *err)
{
	const struct cfs_zip_member *m = cfs_zip_find(z, name);
	struct cfs_zip_place at;
	struct cfs_buf whole;
	int rc;

	if (m == NULL)
		return cfs_error_at(err, CFS_ENOTFOUND, z->src->name, 0,
				    "the ZIP file has no member '%.*s'",
				    (int)(name.n < 120 ? name.n : 120),
				    (const char *)name.p);
	rc = cfs_zip_locate(z, m, &at, cancel, err);
	if (rc != CFS_OK)
		return rc;
	cfs_buf_init(&whole, (size_t)1 << 20);
	cfs_buf_adds(&whole, z->src->name);
	cfs_buf_adds(&whole, CFS_WACZ_MARK);
	cfs_buf_add(&whole, name);
	if (at.method == CFS_ZIP_STORED)
		rc = cfs_source_open_window(out, cfs_source_ref(z->src),
					    at.offset, at.stored,
					    cfs_buf_str(&whole), err);
	else
		rc = open_inflated(out, z, m, &at, cfs_buf_str(&whole) +
				   whole.n - name.n, cache_dir, cancel, err);
	cfs_buf_release(&whole);
	return rc;
}

int cfs_zipped_open(struct cfs_source **out, struct cfs_source *file,
		    struct cfs_slice member, const char *cache_dir,
		    const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct cfs_slice name, rest = member;
	struct cfs_source *next;
	struct cfs_zip z;
	int rc = cfs_source_find_size(file, cancel, err);

	*out = NULL;
	for (unsigned depth = 0; rc == CFS_OK && rest.n > 0; depth++) {
		if (!cfs_zipped_split(rest, &name, &rest)) {
			name = rest;
			rest = CFS_SLICE_EMPTY;
		}
		if (depth > CFS_WACZ_DEPTH_MAX)
			rc = cfs_error_at(err, CFS_ELIMIT, file->name, 0,
					  "too many ZIP files in each other");
		if (rc == CFS_OK)
			rc = cfs_zip_open(&z, file, cancel, err);
		if (rc != CFS_OK)
			break;
		rc = open_member(&next, &z, name, cache_dir, cancel, err);
		cfs_zip_close(&z);
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
