/* record_at.c - reads records that are in no index, by archive and offset.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "record_at.h"

#include "base/ascii.h"
#include "record/archives.h"
#include "record/scan.h"

#define FOUND 100

/* A search through the records of a member. */
struct search {
	struct cfs_span span;	/* of the record wanted, once it is found */
	uint64_t offset, behind;
	bool has_first;
};

static int one_record(void *arg, const struct cfs_scan_item *item)
{
	struct search *s = arg;

	if (item->span.offset != s->offset || item->span.inner_length == 0)
		return CFS_ENOTFOUND;
	if (!s->has_first) {
		s->has_first = true;
		return item->span.inner_offset == 0 ? CFS_OK : CFS_ENOTFOUND;
	}
	s->span = item->span;
	return --s->behind == 0 ? FOUND : CFS_OK;
}

static int look_through(void *arg, struct cfs_source *src,
			const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct search *s = arg;
	struct cfs_scan_counts counts = { 0 };
	const struct cfs_scan_opts opts = {
		.from = s->offset, .to = s->offset > 0 ? src->size : 0,
		.cancel = cancel, .arg = s };
	int rc = s->offset >= src->size ? CFS_ENOTFOUND :
		 cfs_scan_archive(src, &opts, one_record, &counts, err);

	return rc == CFS_OK ? CFS_ENOTFOUND : rc == FOUND ? CFS_OK : rc;
}

/* The span of a record that shares a member with others. */
static int find_behind(struct cfs_crawl *c, struct cfs_slice archive,
		       uint64_t offset, uint64_t behind, struct cfs_span *out,
		       const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct search s = { .offset = offset, .behind = behind };
	int rc = cfs_store_use(c->store, archive, look_through, &s, cancel,
			       err);

	*out = s.span;
	return rc;
}

static int get_record(struct cfs_crawl *c, struct cfs_slice archive,
		      uint64_t offset, uint64_t behind, struct cfs_stored **out,
		      const struct cfs_cancel *cancel, struct cfs_error *err)
{
	struct cfs_span span = { .offset = offset };	/* of any length */
	int rc = CFS_OK;

	if (behind > 0)
		rc = find_behind(c, archive, offset, behind, &span, cancel,
				 err);
	return rc != CFS_OK ? rc :
	       cfs_store_get(c->store, archive, &span, out, cancel, err);
}

/* In whichever place has that archive. */
static int get_anywhere(struct cfs_crawl *c, struct cfs_slice archive,
			uint64_t offset, uint64_t behind,
			struct cfs_stored **out,
			const struct cfs_cancel *cancel, struct cfs_error *err)
{
	size_t n = cfs_store_places(c->store);
	int rc = CFS_ENOTFOUND;
	struct cfs_buf name;

	if (n < 2)
		return get_record(c, archive, offset, behind, out, cancel, err);
	cfs_buf_init(&name, CFS_URL_MAX);
	for (size_t i = 0; i < n && rc != CFS_OK && rc != CFS_EINTR; i++) {
		cfs_buf_reset(&name);
		cfs_buf_addc(&name, (uint8_t)(CFS_PLACE_TAG + i));
		if (cfs_buf_add(&name, archive) != CFS_OK)
			break;
		cfs_error_clear(err);
		rc = get_record(c, cfs_buf_slice(&name), offset, behind, out,
				cancel, err);
	}
	cfs_buf_release(&name);
	return rc;
}

int cfs_record_at_load(struct cfs_crawl *c, struct cfs_slice archive,
		       uint64_t offset, uint64_t behind,
		       struct cfs_file_bytes *out,
		       const struct cfs_cancel *cancel, struct cfs_error *err)
{
	const struct cfs_record *r;
	int rc;

	*out = (struct cfs_file_bytes){ .bytes = CFS_SLICE_EMPTY };
	cfs_buf_init(&out->own, CFS_VIEW_MAX_BYTES);
	rc = get_anywhere(c, archive, offset, behind, &out->record, cancel,
			  err);
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

/* May the last name of a path be one of a record? */
static bool is_number(struct cfs_slice path)
{
	while (path.n > 0 && (cfs_is_digit(path.p[path.n - 1]) ||
			      path.p[path.n - 1] == '.'))
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
