/* pathlist.c - reads lists of archives such as warc.paths.gz.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "pathlist.h"

#include "base/fileio.h"
#include "codec/gzip.h"
#include "net/open_location.h"

bool cfs_pathlist_is_name(const char *location)
{
	struct cfs_slice s = cfs_slice_str(location);

	return cfs_slice_ends(s, CFS_SLICE_LIT(".paths")) ||
	       cfs_slice_ends(s, CFS_SLICE_LIT(".paths.gz"));
}

/* True for a name that stays below its folder. */
static bool pathlist_is_name(struct cfs_slice line)
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
		uint64_t off = (uint64_t)(text.p - start);
		struct cfs_slice line =
			cfs_slice_trim(cfs_slice_split(&text, '\n'));

		if (line.n > 0 && !pathlist_is_name(line))
			return cfs_error_at(err, CFS_EFORMAT, where, off,
				"'%.*s' is not the name of a file",
				(int)(line.n < 60 ? line.n : 60),
				(const char *)line.p);
		if (line.n > 0)
			rc = each(arg, line);
	}
	return rc;
}

/* Appends the file's bytes. */
static int pathlist_read_file(const char *location, struct cfs_buf *out,
			      struct cfs_ctx ctx)
{
	struct cfs_source *src;
	int rc = cfs_location_open_whole(&src, location, ctx);

	if (rc != CFS_OK)
		return rc;
	if (src->size > CFS_PATHLIST_MAX)
		rc = cfs_error_at(ctx.err, CFS_ELIMIT, location, 0,
				  "is too large for a list of files");
	else if (cfs_buf_reserve(out, (size_t)src->size) != CFS_OK)
		rc = cfs_error_nomem(ctx.err);
	else
		rc = cfs_source_read(src, out->p, (size_t)src->size, 0, ctx);
	if (rc == CFS_OK)
		out->n = (size_t)src->size;
	cfs_source_close(src);
	return rc;
}

int cfs_pathlist_read(const char *location,
		      int (*each)(void *arg, struct cfs_slice name), void *arg,
		      struct cfs_ctx ctx)
{
	CFS_BUF(text, CFS_PATHLIST_MAX);
	CFS_BUF(raw, CFS_PATHLIST_MAX);
	struct cfs_slice list;
	int rc = pathlist_read_file(location, &raw, ctx);

	list = cfs_buf_slice(&raw);
	if (rc == CFS_OK && cfs_gz_is_start(list)) {
		rc = cfs_gz_members(list, &text, ctx);
		cfs_error_where(ctx.err, location, 0);
		list = cfs_buf_slice(&text);
	}
	if (rc == CFS_OK)
		rc = cfs_pathlist_parse(list, location, each, arg, ctx.err);
	return rc;
}
