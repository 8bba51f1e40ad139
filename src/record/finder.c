/* finder.c - opens an archive in the first base that has it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "finder.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/hash.h"
#include "net/location.h"
#include "net/open.h"

int cfs_finder_init(struct cfs_finder *f, const char *const *paths, size_t n,
		    const struct cfs_opener *opener)
{
	static const char *const here[] = { "." };
	size_t n_urls = 0;

	memset(f, 0, sizeof(*f));
	f->opener = cfs_opener_or_plain(opener);
	if (n == 0) {
		paths = here;
		n = 1;
	}
	f->bases = calloc(n, sizeof(*f->bases));
	if (f->bases == NULL)
		return CFS_ENOMEM;
	for (; f->n_bases < n; f->n_bases++) {
		struct cfs_base *base = &f->bases[f->n_bases];

		base->path = strdup(paths[f->n_bases]);
		if (base->path == NULL)
			return CFS_ENOMEM;
		base->fd = open(base->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
		n_urls += cfs_location_is_url(base->path);
	}
	f->expects_base = n > 1 && n_urls == n;
	return CFS_OK;
}

void cfs_finder_release(struct cfs_finder *f)
{
	for (size_t i = 0; i < f->n_bases; i++) {
		free(f->bases[i].path);
		if (f->bases[i].fd >= 0)
			close(f->bases[i].fd);
	}
	free(f->bases);
	f->bases = NULL;
	f->n_bases = 0;
}

/* ---- names ---- */

int cfs_finder_check_name(struct cfs_slice name, struct cfs_error *err)
{
	if (cfs_name_stays_below(name))
		return CFS_OK;
	return cfs_error_set(err, CFS_EFORMAT,
			     "archive name '%.*s' does not lie below a folder",
			     (int)(name.n < 80 ? name.n : 80),
			     (const char *)name.p);
}

/* ".warc.gz", ".arc.gz"; of textData-00012, "textData". */
static unsigned kind_of(struct cfs_slice name)
{
	struct cfs_slice base = cfs_slice_from(name, (size_t)
					(cfs_slice_rfind(name, '/') + 1));
	ptrdiff_t point = cfs_slice_find(base, '.');
	ptrdiff_t dash = cfs_slice_find(base, '-');

	if (point >= 0)
		base = cfs_slice_from(base, (size_t)point);
	else if (dash >= 0)
		base.n = (size_t)dash;
	return (unsigned)(cfs_hash64(base, 0) % CFS_ARCHIVE_KINDS);
}

struct cfs_archive_query cfs_finder_query(const struct cfs_finder *f,
					  struct cfs_slice name)
{
	return (struct cfs_archive_query){
		.name = name,
		.expected_base = f->expects_base ?
				 f->last_base[kind_of(name)] : 0,
	};
}

bool cfs_finder_search_further(const struct cfs_finder *f,
			       struct cfs_archive_query *q, int rc)
{
	if (rc != CFS_ENOTFOUND || !f->expects_base || q->search_all_bases)
		return false;
	q->search_all_bases = true;
	return true;
}

/* ---- opening ---- */

/* A remote object is opened without a request: where there are several
 * places to look in, whether it is there has to be asked. */
static int open_remote(struct cfs_finder *f, const char *path, bool ask,
		       struct cfs_source **out, const struct cfs_cancel *cancel,
		       struct cfs_error *err)
{
	int rc = f->opener.open(f->opener.arg, path, out, cancel, err);

	if (rc != CFS_OK || !ask || (*out)->size != CFS_SIZE_UNKNOWN)
		return rc;
	rc = cfs_source_find_size(*out, cancel, err);
	if (rc != CFS_OK) {
		cfs_source_close(*out);
		*out = NULL;
	}
	return rc;
}

static int open_in(struct cfs_finder *f, const struct cfs_base *base, bool ask,
		   struct cfs_slice name, struct cfs_source **out,
		   const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct cfs_buf path;
	const char *p;
	int rc;

	cfs_buf_init(&path, 4 * CFS_NAME_BYTES_MAX);
	if (cfs_location_is_url(base->path)) {
		cfs_location_join(&path, base->path, name);
	} else {
		cfs_buf_adds(&path, base->path);
		if (path.n > 0 && path.p[path.n - 1] != '/')
			cfs_buf_addc(&path, '/');
		cfs_buf_add(&path, name);
	}
	cfs_buf_addc(&path, '\0');
	p = (const char *)path.p;
	if (path.failed != CFS_OK)
		rc = cfs_error_set(err, path.failed,
				   "archive name is too long");
	else if (base->fd >= 0)
		rc = cfs_source_open_file_at(out, base->fd,
					     p + path.n - 1 - name.n, p, err);
	else
		rc = open_remote(f, p, ask, out, cancel, err);
	cfs_buf_release(&path);
	return rc;
}

int cfs_finder_open(struct cfs_finder *f, const struct cfs_archive_query *q,
		    struct cfs_source **out, const struct cfs_cancel *cancel,
		    struct cfs_error *err)
{
	struct cfs_error e = CFS_ERROR_INIT;
	int rc = CFS_ENOTFOUND;

	if (f->expects_base && !q->search_all_bases)
		return open_in(f, &f->bases[q->expected_base], false, q->name,
			       out, cancel, err);
	for (unsigned i = 0; i < f->n_bases && rc == CFS_ENOTFOUND; i++) {
		if (f->expects_base && i == q->expected_base)
			continue;
		e = CFS_ERROR_INIT;
		rc = open_in(f, &f->bases[i], f->n_bases > 1, q->name, out,
			     cancel, &e); 
		if (rc == CFS_OK && f->expects_base)
			atomic_store(&f->last_base[kind_of(q->name)], i);
	}
	return rc == CFS_OK ? rc :
	       cfs_error_at(err, rc, e.where, 0, "%s", e.text);
}
