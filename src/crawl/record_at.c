/* record_at.c - reads records by archive and offset, indexed or not.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "record_at.h"

#include <stdlib.h>

#include "base/ascii.h"
#include "base/hash.h"
#include "base/memo.h"
#include "index/union.h"
#include "record/archives.h"
#include "record/scan.h"

#define FOUND 100

/* A search through the records of a member. */
struct record_search {
	struct cfs_span span;	/* place of the record, once found */
	uint64_t offset, behind;
	bool has_first;
};

static int record_at_one_record(void *arg, const struct cfs_scan_item *item)
{
	struct record_search *s = arg;

	if (item->span.offset != s->offset || item->span.inner_length == 0)
		return CFS_ENOTFOUND;
	if (!s->has_first) {
		s->has_first = true;
		return item->span.inner_offset == 0 ? CFS_OK : CFS_ENOTFOUND;
	}
	s->span = item->span;
	return --s->behind == 0 ? FOUND : CFS_OK;
}

static int record_at_look_through(void *arg, struct cfs_source *src,
				  struct cfs_ctx ctx)
{
	struct record_search *s = arg;
	struct cfs_scan_counts counts = { 0 };
	const struct cfs_scan_opts opts = {
		.at = { s->offset, s->offset > 0 ? src->size : 0, 0 },
		.cancel = ctx.cancel, .arg = s };
	int rc = s->offset >= src->size ? CFS_ENOTFOUND :
			 cfs_scan_archive(src, &opts, record_at_one_record,
					  &counts, ctx.err);

	if (rc == CFS_OK)
		return CFS_ENOTFOUND;
	return rc == FOUND ? CFS_OK : rc;
}

/* Finds the place of a record that shares a member with others. */
static int find_behind(struct cfs_crawl *c, struct cfs_slice archive,
		       uint64_t offset, uint64_t behind, struct cfs_span *out,
		       struct cfs_ctx ctx)
{
	struct record_search s = { .offset = offset, .behind = behind };
	int rc = cfs_store_use(c->store, archive, record_at_look_through, &s,
			       ctx);

	*out = s.span;
	return rc;
}

static int get_record(struct cfs_crawl *c, struct cfs_slice archive,
		      uint64_t offset, uint64_t behind, struct cfs_stored **out,
		      struct cfs_ctx ctx)
{
	struct cfs_span span = { .offset = offset };	/* length unknown */
	int rc = CFS_OK;

	if (behind > 0)
		rc = find_behind(c, archive, offset, behind, &span, ctx);
	return rc != CFS_OK ? rc :
	       cfs_store_get(c->store, archive, &span, out, ctx);
}

/* Gets the record from any place that has the archive. */
static int get_anywhere(struct cfs_crawl *c, struct cfs_slice archive,
			uint64_t offset, uint64_t behind,
			struct cfs_stored **out, struct cfs_ctx ctx)
{
	size_t n = cfs_store_places(c->store);
	int rc = CFS_ENOTFOUND;
	CFS_BUF(name, CFS_URL_MAX);

	if (n < 2)
		return get_record(c, archive, offset, behind, out, ctx);
	for (size_t i = 0; i < n && rc != CFS_OK && rc != CFS_EINTR; i++) {
		cfs_buf_reset(&name);
		cfs_buf_addc(&name, (uint8_t)(CFS_PLACE_TAG + i));
		if (cfs_buf_add(&name, archive) != CFS_OK)
			break;
		cfs_error_clear(ctx.err);
		rc = get_record(c, cfs_buf_slice(&name), offset, behind, out,
				ctx);
	}
	return rc;
}

int cfs_record_at_load(struct cfs_crawl *c, struct cfs_slice archive,
		       uint64_t offset, uint64_t behind,
		       struct cfs_file_bytes *out, struct cfs_ctx ctx)
{
	const struct cfs_record *r;
	int rc;

	*out = (struct cfs_file_bytes){ .bytes = CFS_SLICE_EMPTY };
	cfs_buf_init(&out->own, CFS_VIEW_MAX_BYTES);
	rc = get_anywhere(c, archive, offset, behind, &out->record, ctx);
	if (rc == CFS_EFORMAT) {	/* the name is wrong, not the archive */
		cfs_error_clear(ctx.err);
		rc = cfs_error_set(ctx.err, CFS_ENOTFOUND,
				   "no record begins there");
	}
	if (rc != CFS_OK)
		return rc;
	r = cfs_stored_record(out->record);
	out->bytes = cfs_slice_of(r->head.p, (size_t)(r->block.p - r->head.p) +
					     r->block.n);
	out->is_cut_off = r->is_cut_off;
	return CFS_OK;
}

/* True if the last component of a path may name a record. */
static bool record_at_is_number(struct cfs_slice path)
{
	while (path.n > 0 && (cfs_is_digit(path.p[path.n - 1]) ||
			      path.p[path.n - 1] == '.'))
		path.n--;
	return path.n == 0 || path.p[path.n - 1] == '/';
}

/* True if `path` is the archive name at `loc`, or a folder that contains it. */
static bool is_name_of(struct cfs_index *ix, const struct cfs_span *loc,
		       struct cfs_slice path, bool or_folder,
		       struct cfs_buf *name)
{
	struct cfs_slice s;

	cfs_buf_reset(name);
	if (cfs_index_archive_name(ix, loc, name, NULL) != CFS_OK)
		return false;
	s = cfs_archive_plain(cfs_buf_slice(name));
	return cfs_slice_starts(s, path) &&
	       (s.n == path.n || (or_folder && s.p[path.n] == '/'));
}

/* Looks in the tables of archives of the index, or of a union's members.
 * *has_all: all of them have one. */
static bool is_in_tables(struct cfs_crawl *c, struct cfs_slice path,
			 bool or_folder, bool *has_all)
{
	struct cfs_index *ix = cfs_index_unpicked(c->index);
	size_t members = c->n_members > 0 ? c->n_members : 1;
	bool is_there = false;
	CFS_BUF(name, CFS_URL_MAX + 1);

	*has_all = true;
	for (unsigned i = 0; i < members && !is_there; i++) {
		uint32_t n = c->n_members > 0 ? cfs_union_archives(ix, i) :
						ix->archives;

		*has_all &= n > 0;
		for (uint32_t k = 0; k < n && !is_there; k++) {
			struct cfs_span loc = { .file = { k, 0, 0, i } };

			is_there = is_name_of(ix, &loc, path, or_folder, &name);
		}
	}
	return is_there;
}

bool cfs_record_at_is_path(struct cfs_crawl *c, struct cfs_slice path)
{
	bool has_all;

	return is_in_tables(c, path, true, &has_all) ||
	       (!has_all && !record_at_is_number(path));
}

/* ---- whether the index names an archive --------------------------------- */

/* How many records, and captures of each one's page, are tried. */
#define RECORDS_MAX 64u
#define CAPTURES_MAX 4096u

/* A search for a record of the archive that the index has. */
struct proof {
	struct cfs_crawl *c;
	struct cfs_slice archive;
	const struct cfs_cancel *cancel;
	uint64_t from;
	unsigned seen;
};

/* True if the index has a capture of that URL in the archive. */
static bool is_indexed(const struct proof *p, struct cfs_slice url)
{
	struct cfs_index *ix = cfs_index_unpicked(p->c->index);
	struct cfs_iter *it = malloc(sizeof(*it));
	CFS_BUF(name, CFS_URL_MAX + 1);
	CFS_BUF(key, CFS_KEY_MAX);
	struct cfs_capture cap;
	bool is_one = false;
	int rc;

	if (it == NULL)
		return false;
	cfs_iter_init(it);
	rc = cfs_index_url_key(ix, url, &key);
	if (rc == CFS_OK)
		rc = cfs_index_seek(ix, cfs_buf_slice(&key), it,
				    CFS_CTX(p->cancel, NULL));
	for (unsigned i = 0; rc == CFS_OK && !is_one && i < CAPTURES_MAX &&
	     cfs_slice_eq(it->key, cfs_buf_slice(&key)); i++) {
		is_one = cfs_index_capture(it, &cap, NULL) == CFS_OK &&
			 is_name_of(ix, &cap.loc, p->archive, false, &name);
		rc = cfs_index_next(it, CFS_CTX(p->cancel, NULL));
	}
	cfs_iter_release(it);
	free(it);
	return is_one;
}

static int look_it_up(void *arg, const struct cfs_scan_item *item)
{
	struct proof *p = arg;

	if (item->record->url.n > 0 && is_indexed(p, item->record->url))
		return FOUND;
	return ++p->seen < RECORDS_MAX ? CFS_OK : CFS_ENOTFOUND;
}

static int look_for_proof(void *arg, struct cfs_source *src, struct cfs_ctx ctx)
{
	struct proof *p = arg;
	struct cfs_scan_counts counts = { 0 };
	const struct cfs_scan_opts opts = {
		.at = { p->from, p->from > 0 ? src->size : 0, 0 },
		.no_bodies = true, .cancel = ctx.cancel, .arg = p };
	int rc = p->from >= src->size ? CFS_ENOTFOUND :
		 cfs_scan_archive(src, &opts, look_it_up, &counts, ctx.err);

	if (rc == CFS_OK)
		return CFS_ENOTFOUND;
	return rc == FOUND ? CFS_OK : rc;
}

bool cfs_record_at_is_named(struct cfs_crawl *c, struct cfs_slice archive,
			    uint64_t offset, const struct cfs_cancel *cancel)
{
	uint64_t hash = cfs_hash64(archive, 0) | 1;
	size_t places = cfs_store_places(c->store);
	bool has_all, is_named = is_in_tables(c, archive, false, &has_all);
	CFS_BUF(name, CFS_URL_MAX);

	if (is_named || has_all || cfs_memo_has(c->named, CFS_NAMED_BITS, hash))
		return is_named || !has_all;
	for (size_t i = 0; i < places && !is_named; i++) {
		struct proof p = { .c = c, .archive = archive,
				   .cancel = cancel, .from = offset };

		cfs_buf_reset(&name);
		if (places > 1)
			cfs_buf_addc(&name, (uint8_t)(CFS_PLACE_TAG + i));
		cfs_buf_add(&name, archive);
		is_named = name.failed == CFS_OK &&
			   cfs_store_use(c->store, cfs_buf_slice(&name),
					 look_for_proof, &p,
					 CFS_CTX(cancel, NULL)) ==
				   CFS_OK;
	}
	if (is_named)
		cfs_memo_add(c->named, CFS_NAMED_BITS, hash);
	return is_named;
}
