/* dash.c - `-` as the name of an output that has to be a file while it is made:
 * an index, which is written at offsets; a copy, which has an index; a report.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "dash.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"

#define STEP_BYTES 65536u

bool cfs_dash_is(const char *name)
{
	return name != NULL && strcmp(name, "-") == 0;
}

int cfs_dash_open(struct cfs_dash *d, const struct cfs_crawl_opts *o,
		  const char *name, struct cfs_error *err)
{
	char usual[PATH_MAX];
	const char *dir = cfs_crawl_temp_dir(o, usual);

	if (dir == NULL || cfs_tempdir_make(&d->dir, dir, "output") != 0)
		return cfs_error_set(err, CFS_EIO, "cannot make a temporary "
				     "folder for standard output in '%s': %s",
				     dir != NULL ? dir : "TMPDIR",
				     strerror(errno));
	if (asprintf(&d->path, "%s/%s", d->dir.path, name) < 0)
		d->path = NULL;
	return d->path != NULL ? CFS_OK : cfs_error_nomem(err);
}

int cfs_dash_send(const struct cfs_dash *d, struct cfs_error *err)
{
	struct cfs_source *src;
	uint8_t bytes[STEP_BYTES];
	int rc = cfs_source_open_file(&src, d->path, err);

	if (rc != CFS_OK)
		return rc;
	for (uint64_t at = 0; rc == CFS_OK && at < src->size;) {
		uint64_t left = src->size - at;
		size_t n = left < STEP_BYTES ? (size_t)left : STEP_BYTES;

		rc = cfs_source_read(src, bytes, n, at, CFS_CTX(NULL, err));
		if (rc == CFS_OK && !cfs_out_bytes(cfs_slice_of(bytes, n)))
			break;
		at += n;
	}
	cfs_source_close(src);
	return rc;
}

void cfs_dash_close(struct cfs_dash *d)
{
	if (d->dir.path != NULL)
		cfs_tempdir_remove(&d->dir);
	free(d->path);
	*d = (struct cfs_dash){ .path = NULL };
}
