/* record_at.c - reads records that are in no index, by archive and offset.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "record_at.h"

int cfs_record_at_load(struct cfs_crawl *c, struct cfs_slice archive,
		       uint64_t offset, struct cfs_file_bytes *out,
		       const struct cfs_cancel *cancel, struct cfs_error *err)
{
	const struct cfs_span span = { .offset = offset };	/* of any length */
	const struct cfs_record *r;
	int rc;

	*out = (struct cfs_file_bytes){ .bytes = CFS_SLICE_EMPTY };
	cfs_buf_init(&out->own, CFS_VIEW_MAX_BYTES);
	rc = cfs_store_get(c->store, archive, &span, &out->record, cancel, err);
	if (rc == CFS_EFORMAT) {	/* it is the name that is wrong */
		cfs_error_clear(err);
		rc = cfs_error_set(err, CFS_ENOTFOUND, "no record begins there");
	}
	if (rc != CFS_OK)
		return rc;
	r = cfs_stored_record(out->record);
	out->bytes = cfs_slice_of(r->head.p, (size_t)(r->block.p - r->head.p) +
					     r->block.n);
	out->is_cut_off = r->is_cut_off;
	return CFS_OK;
}

/* Is the last name of a path one of a record? */
static bool is_number(struct cfs_slice path)
{
	while (path.n > 0 && path.p[path.n - 1] >= '0' &&
	       path.p[path.n - 1] <= '9')
		path.n--;
	return path.n == 0 || path.p[path.n - 1] == '/';
}

bool cfs_record_at_is_path(struct cfs_crawl *c, struct cfs_slice path)
{
	struct cfs_span span = { .offset = 0 };
	struct cfs_buf name;
	bool is_one = false;

	cfs_buf_init(&name, CFS_URL_MAX);
	for (; span.file[0] < c->index->archives && !is_one; span.file[0]++) {
		struct cfs_slice s;

		cfs_buf_reset(&name);
		if (cfs_index_archive_name(c->index, &span, &name, NULL) !=
		    CFS_OK)
			break;
		s = cfs_buf_slice(&name);
		is_one = cfs_slice_starts(s, path) &&
			 (s.n == path.n || s.p[path.n] == '/');
	}
	cfs_buf_release(&name);
	return is_one || (c->index->archives == 0 && !is_number(path));
}
