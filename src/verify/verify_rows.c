/* verify_rows.c - sorts the entries of an index, and the lines of lists, by the
 * places of their records.
 *
 * The key of the sort is the archive's number, offset and inner offset, all
 * big-endian; the value is the rest of the row: numbers and texts as
 * cfs_buf_varint and cfs_buf_text write them.  Sorted, the rows are written one
 * behind the other, without the archive's number, to a temporary file that is
 * mapped, so that threads can walk through those of any archive.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "verify_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clamp.h"
#include "base/hash.h"
#include "base/spill.h"
#include "sort/extsort.h"

#define SORT_BYTES ((size_t)64 << 20)
#define KEY_BYTES 20u
/* Texts of lines are cut off there: four of them fit into the value of a
 * sort. */
#define TEXT_MAX 16000u

struct cfs_verify_rows {
	const struct cfs_verify_opts *opts;
	struct cfs_extsort *sort;	/* NULL once sorted */
	struct cfs_buf value;		/* of the row that is added */
	size_t bytes;			/* of all rows, sorted */
	struct cfs_buf all;		/* the sorted rows; spilled */
};

int cfs_verify_rows_new(struct cfs_verify_rows **out,
			const struct cfs_verify_opts *opts,
			struct cfs_error *err)
{
	struct cfs_extsort_opts so = { .memory_bytes = SORT_BYTES, .feeders = 1,
		.tmp_dir = opts->tmp_dir, .cancel = opts->cancel };
	struct cfs_verify_rows *e = calloc(1, sizeof(*e));

	*out = e;
	if (e == NULL)
		return cfs_error_nomem(err);
	e->opts = opts;
	cfs_buf_init(&e->value, CFS_EXTSORT_ITEM_MAX);
	cfs_buf_init(&e->all, SIZE_MAX / 2);
	return cfs_extsort_new(&e->sort, &so, err);
}

void cfs_verify_rows_free(struct cfs_verify_rows *e)
{
	if (e == NULL)
		return;
	cfs_extsort_free(e->sort);
	cfs_buf_release(&e->value);
	cfs_buf_release(&e->all);
	free(e);
}

int cfs_verify_rows_add(struct cfs_verify_rows *e, uint32_t archive,
			const struct cfs_verify_row *row, struct cfs_error *err)
{
	const struct cfs_slice texts[] = { row->key, row->url, row->digest,
					   row->mime };
	struct cfs_buf *v = &e->value;
	uint8_t key[KEY_BYTES];

	cfs_be32_put(key, archive);
	cfs_be64_put(key + 4, cfs_clamp_u64(row->offset, 0, INT64_MAX));
	cfs_be64_put(key + 12, row->inner_offset);
	cfs_buf_reset(v);
	cfs_buf_varint(v, row->length);
	cfs_buf_varint(v, row->inner_length);
	cfs_buf_le64(v, (uint64_t)row->time);
	cfs_buf_varint(v, row->status);
	cfs_buf_varint(v, row->scheme);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		cfs_buf_text(v, cfs_slice_sub(texts[i], 0, TEXT_MAX));
	if (v->failed != CFS_OK)
		return cfs_error_nomem(err);
	e->bytes += sizeof(key) - 4 + v->n;
	return cfs_extsort_add(e->sort, 0, cfs_slice_of(key, sizeof(key)),
			       cfs_buf_slice(v), err);
}

/* Takes the rows from the sort; units[i] gets the number of its bytes. */
static int write_all(struct cfs_verify_rows *e, struct cfs_verify_unit *units,
		     struct cfs_error *err)
{
	struct cfs_slice key, value;
	int rc;

	cfs_buf_reserve(&e->all, e->bytes);
	while ((rc = cfs_extsort_next(e->sort, &key, &value, err)) == CFS_OK) {
		struct cfs_verify_unit *u = &units[cfs_be32_get(key.p)];

		key = cfs_slice_from(key, 4);
		cfs_buf_add(&e->all, key);
		cfs_buf_add(&e->all, value);
		cfs_spill_settle(&e->all);
		u->rows.rest.n += key.n + value.n;
		u->rows_hash = cfs_hash64(value, cfs_hash64(key, u->rows_hash));
	}
	if (rc == CFS_END && e->all.failed != CFS_OK)
		return cfs_error_at(err, CFS_EIO, e->opts->tmp_dir, 0,
				    "a temporary file: %s", strerror(ENOSPC));
	cfs_spill_finish(&e->all);
	return rc == CFS_END ? CFS_OK : rc;
}

int cfs_verify_rows_sort(struct cfs_verify_rows *e,
			 struct cfs_verify_unit *units, size_t n,
			 struct cfs_error *err)
{
	size_t at = 0;
	int rc = CFS_OK;

	if (cfs_extsort_count(e->sort) > 0) {
		rc = cfs_spill_begin(&e->all, e->opts->tmp_dir, err);
		if (rc == CFS_OK)
			rc = cfs_extsort_merge(e->sort, err);
		if (rc == CFS_OK)
			rc = write_all(e, units, err);
	}
	cfs_extsort_free(e->sort);
	e->sort = NULL;
	for (size_t i = 0; i < n; i++) {
		struct cfs_slice *rest = &units[i].rows.rest;

		*rest = cfs_slice_sub(cfs_buf_slice(&e->all), at, rest->n);
		at += rest->n;
	}
	return rc;
}

bool cfs_verify_row_next(struct cfs_verify_walk *w, uint64_t to,
			 struct cfs_verify_row *out)
{
	struct cfs_cursor c = { w->rest, false };
	struct cfs_slice place = cfs_cursor_take(&c, KEY_BYTES - 4);
	size_t n;

	if (c.bad || cfs_be64_get(place.p) >= to)
		return false;
	out->offset = cfs_be64_get(place.p);
	out->inner_offset = cfs_be64_get(place.p + 8);
	out->length = cfs_cursor_varint(&c);
	out->inner_length = cfs_cursor_varint(&c);
	out->time = (int64_t)cfs_cursor_le64(&c);
	out->status = cfs_cursor_varint(&c);
	out->scheme = (uint32_t)cfs_cursor_varint(&c);
	out->key = cfs_cursor_text(&c);
	out->url = cfs_cursor_text(&c);
	out->digest = cfs_cursor_text(&c);
	out->mime = cfs_cursor_text(&c);
	n = w->rest.n - c.rest.n;
	w->rest = c.rest;
	w->passed += n;
	if (w->passed >= CFS_SPILL_STEP) {
		cfs_spill_out(cfs_slice_of(c.rest.p - w->passed, w->passed));
		w->passed = 0;
	}
	return !c.bad;
}
