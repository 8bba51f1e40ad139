/* pathlist.c - reads lists of archives.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "pathlist.h"

#include <stdlib.h>

#include "base/fileio.h"
#include "codec/gzip.h"
#include "net/open.h"

bool cfs_pathlist_is_name(const char *location)
{
	struct cfs_slice s = cfs_slice_str(location);

	return cfs_slice_ends(s, CFS_SLICE_LIT(".paths")) ||
	       cfs_slice_ends(s, CFS_SLICE_LIT(".paths.gz"));
}

/* True for a name below some folder. */
static bool is_name(struct cfs_slice line)
{
	for (size_t i = 0; i < line.n; i++)
		if (line.p[i] < 0x20 || line.p[i] == 0x7f)
			return false;
	return cfs_name_stays_below(line);
}

int cfs_pathlist_parse(struct cfs_slice text, const char *where,
		       int (*each)(void *arg, struct cfs_slice name), void *arg,
		       struct cfs_error *err)
{
	const uint8_t *start = text.p;
	int rc = CFS_OK;

	while (rc == CFS_OK && text.n > 0) {
		ptrdiff_t nl = cfs_slice_find(text, '\n');
		size_t n = nl < 0 ? text.n : (size_t)nl;
		struct cfs_slice line = cfs_slice_trim(cfs_slice_sub(text, 0,
								     n));

		if (line.n > 0 && !is_name(line))
			return cfs_error_at(err, CFS_EFORMAT, where,
				(uint64_t)(text.p - start),
				"'%.*s' is not the name of a file",
				(int)(line.n < 60 ? line.n : 60),
				(const char *)line.p);
		if (line.n > 0)
			rc = each(arg, line);
		text = cfs_slice_from(text, nl < 0 ? n : n + 1);
	}
	return rc;
}

/* The file as it is. */
static int read_file(const char *location, uint8_t **out, size_t *n,
		     const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct cfs_source *src;
	int rc = cfs_location_open_whole(&src, location, cancel, err);

	*out = NULL;
	if (rc != CFS_OK)
		return rc;
	*n = (size_t)src->size;
	if (src->size > CFS_PATHLIST_MAX)
		rc = cfs_error_at(err, CFS_ELIMIT, location, 0,
				  "is too large for a list of files");
	else if ((*out = malloc(*n + 1)) == NULL)
		rc = cfs_error_nomem(err);
	else
		rc = cfs_source_read(src, *out, *n, 0, cancel, err);
	cfs_source_close(src);
	if (rc != CFS_OK) {
		free(*out);
		*out = NULL;
	}
	return rc;
}

int cfs_pathlist_read(const char *location,
		      int (*each)(void *arg, struct cfs_slice name), void *arg,
		      const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct cfs_buf text;
	uint8_t *raw;
	size_t n = 0;
	int rc = read_file(location, &raw, &n, cancel, err);

	if (rc != CFS_OK)
		return rc;
	cfs_buf_init(&text, CFS_PATHLIST_MAX);
	if (!cfs_gz_is_start(cfs_slice_of(raw, n))) {
		text.p = raw;
		text.n = n;
		raw = NULL;
	} else {
		rc = cfs_gz_members(cfs_slice_of(raw, n), &text, cancel, err);
		cfs_error_where(err, location, 0);
	}
	free(raw);
	if (rc == CFS_OK)
		rc = cfs_pathlist_parse(cfs_buf_slice(&text), location,
					each, arg, err);
	cfs_buf_release(&text);
	return rc;
}
