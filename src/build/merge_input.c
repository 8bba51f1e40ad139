/* merge_input.c - reads an index that is merged with others.
 *
 * References stand in an index by their hashes; here they are wanted by
 * position.  So they are sorted once: key position, big-endian, value hash.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "merge_input.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "codec/json.h"
#include "index/cfx.h"
#include "index/related.h"
#include "net/open.h"

#define BLOCK_CACHE_BYTES ((size_t)1 << 20)

struct sorting {
	struct cfs_merge_reader *r;
	const struct cfs_extsort_opts *opts;
};

static int sort_ref(void *arg, uint64_t hash, cfs_pos pos,
		    struct cfs_error *err)
{
	struct sorting *s = arg;
	uint8_t key[8], value[8];
	int rc = CFS_OK;

	if (s->r->refs == NULL)
		rc = cfs_extsort_new(&s->r->refs, s->opts, err);
	cfs_be64_put(key, pos);
	cfs_be64_put(value, hash);
	return rc != CFS_OK ? rc :
	       cfs_extsort_add(s->r->refs, 0, cfs_slice_of(key, sizeof(key)),
			       cfs_slice_of(value, sizeof(value)), err);
}

static int next_ref(struct cfs_merge_reader *r, struct cfs_error *err)
{
	int rc = cfs_extsort_next(r->refs, &r->ref_key, &r->ref_hash, err);

	r->has_ref = rc == CFS_OK;
	return rc == CFS_END ? CFS_OK : rc;
}

/* Bytes that a string comes to in JSON. */
static uint64_t json_bytes(const char *s)
{
	struct cfs_buf b;
	struct cfs_json j = { .out = &b };
	uint64_t n;

	cfs_buf_init(&b, SIZE_MAX);
	cfs_json_str(&j, cfs_slice_str(s));
	n = b.n - 2;		/* without the quotation marks */
	cfs_buf_release(&b);
	return n;
}

int cfs_merge_reader_open(struct cfs_merge_reader *r,
			  const struct cfs_merge_input *input,
			  const struct cfs_extsort_opts *sort,
			  const struct cfs_cancel *cancel,
			  struct cfs_error *err)
{
	struct sorting s = { r, sort };
	struct cfs_source *src;
	int rc;

	*r = (struct cfs_merge_reader){ .input = input,
					.longer = json_bytes(input->folder) };
	cfs_iter_init(&r->it);
	cfs_buf_init(&r->related, CFS_RELATED_LIST_MAX);
	rc = cfs_location_open(&src, input->location, err);
	if (rc == CFS_OK)
		rc = cfs_cfx_open(&r->ix, src, BLOCK_CACHE_BYTES, err);
	if (rc == CFS_OK)
		rc = cfs_cfx_for_each_ref(r->ix, sort_ref, &s, cancel, err);
	if (rc == CFS_OK && r->refs != NULL)
		rc = cfs_extsort_merge(r->refs, err);
	if (rc == CFS_OK && r->refs != NULL)
		rc = next_ref(r, err);
	return rc;
}

void cfs_merge_reader_close(struct cfs_merge_reader *r)
{
	cfs_iter_release(&r->it);
	cfs_buf_release(&r->related);
	cfs_extsort_free(r->refs);
	cfs_index_close(r->ix);
	free(r->numbers);
	*r = (struct cfs_merge_reader){ .ix = NULL };
}

int cfs_merge_reader_first(struct cfs_merge_reader *r,
			   const struct cfs_cancel *cancel,
			   struct cfs_error *err)
{
	int rc = cfs_index_seek(r->ix, CFS_SLICE_EMPTY, &r->it, cancel, err);

	return rc == CFS_OK ? cfs_index_capture(&r->it, &r->cap, err) : rc;
}

int cfs_merge_reader_next(struct cfs_merge_reader *r,
			  const struct cfs_cancel *cancel,
			  struct cfs_error *err)
{
	int rc = cfs_index_next(&r->it, cancel, err);

	return rc == CFS_OK ? cfs_index_capture(&r->it, &r->cap, err) : rc;
}

/* ---- archives ---- */

/* Metadata has the archive's name, with the folder from now on.  What it says
 * of ARC files depends on their names in other ways, too. */
static void lengthen(struct cfs_merge_reader *r)
{
	if (r->input->folder[0] == '\0')
		return;
	if (r->cap.kind == CFS_KIND_ARC)
		r->cap.has_view_bytes = false;
	r->cap.meta_bytes += r->longer;
}

static int new_number(struct cfs_merge_reader *r, const struct cfs_span *span,
		      struct cfs_strtab *names, uint32_t *out,
		      struct cfs_error *err)
{
	struct cfs_buf name;
	int rc;

	cfs_buf_init(&name, CFS_KEY_MAX);
	cfs_buf_adds(&name, r->input->folder);
	rc = cfs_index_archive_name(r->ix, span, &name, err);
	cfs_buf_addc(&name, '\0');
	if (rc == CFS_OK)
		rc = name.failed;
	if (rc == CFS_OK)
		rc = cfs_strtab_add(names, cfs_buf_slice(&name), out);
	cfs_buf_release(&name);
	if (rc == CFS_ELIMIT)
		cfs_error_at(err, rc, r->input->location, 0,
			     "too many names of archives");
	return rc == CFS_ENOMEM ? cfs_error_nomem(err) : rc;
}

static int renumber(struct cfs_merge_reader *r, struct cfs_span *span,
		    struct cfs_strtab *names, struct cfs_error *err)
{
	uint64_t old = span->file[0];
	uint32_t number;
	int rc;

	if (old >= r->room || r->numbers[old] == 0) {
		rc = new_number(r, span, names, &number, err);
		if (rc == CFS_OK && old >= r->room) {
			size_t from = r->room;

			if (cfs_array_reserve((void **)&r->numbers, &r->room,
					      old + 1, sizeof(*r->numbers),
					      UINT32_MAX) != CFS_OK)
				return cfs_error_nomem(err);
			memset(r->numbers + from, 0,
			       (r->room - from) * sizeof(*r->numbers));
		}
		if (rc != CFS_OK)
			return rc;
		r->numbers[old] = number + 1;
	}
	span->file[0] = r->numbers[old] - 1;
	return CFS_OK;
}

/* The list of related records, made again: `old` has the capture's place under
 * its old number. */
static int renumber_related(struct cfs_merge_reader *r,
			    const struct cfs_capture *old,
			    struct cfs_strtab *names, struct cfs_error *err)
{
	struct cfs_related_near near = cfs_related_near(&r->cap.loc);
	int rc = CFS_OK;

	cfs_buf_reset(&r->related);
	for (unsigned what = 0; what < CFS_RELATED_COUNT && rc == CFS_OK;
	     what++) {
		struct cfs_side side;

		if (!cfs_related_listed(old, what, &side))
			continue;
		rc = renumber(r, &side.loc, names, err);
		if (rc == CFS_OK &&
		    cfs_related_put(&r->related, &near, what, &side) != CFS_OK)
			rc = cfs_error_nomem(err);
	}
	r->cap.related = cfs_buf_slice(&r->related);
	return rc;
}

int cfs_merge_reader_renumber(struct cfs_merge_reader *r,
			      struct cfs_strtab *names, struct cfs_error *err)
{
	struct cfs_capture *c = &r->cap;
	const struct cfs_capture old = *c;
	int rc = renumber(r, &c->loc, names, err);

	lengthen(r);
	if (rc == CFS_OK && c->text.kind != CFS_SIDE_NONE)
		rc = renumber(r, &c->text.loc, names, err);
	if (rc == CFS_OK && c->meta.kind != CFS_SIDE_NONE)
		rc = renumber(r, &c->meta.loc, names, err);
	if (rc == CFS_OK && c->related.n > 0)
		rc = renumber_related(r, &old, names, err);
	return rc;
}

/* ---- references ---- */

int cfs_merge_reader_refs(struct cfs_merge_reader *r,
			  int (*fn)(void *arg, struct cfs_slice hash,
				    struct cfs_error *err),
			  void *arg, struct cfs_error *err)
{
	int rc = CFS_OK;

	while (rc == CFS_OK && r->has_ref) {
		uint64_t pos = cfs_be64_get(r->ref_key.p);

		if (pos > r->it.pos)
			break;
		if (pos == r->it.pos)
			rc = fn(arg, r->ref_hash, err);
		if (rc == CFS_OK)
			rc = next_ref(r, err);
	}
	return rc;
}
