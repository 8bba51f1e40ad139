/* builder_merge.c - the end of a build: sorted entries become an index.
 *
 * Where texts or metadata are to be joined to captures, the entries of a key
 * are held together (join.h); of a key with more than GROUP_MAX that many at a
 * time.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "builder_merge.h"

#include <stdlib.h>

#include "builder_value.h"
#include "index/pbtree_format.h"
#include "pbtree_write.h"

/* Entries between two calls of `merged`. */
#define MERGED_EVERY 16384u
#define PBTREE_BLOCK_BYTES 65536u
/* Entries of one key, and their bytes, that are joined at a time. */
#define GROUP_MAX 65536u
#define GROUP_BYTES ((size_t)32 << 20)

static void count_merged(struct cfs_builder_merge *m)
{
	if (++m->done % MERGED_EVERY == 0 || m->done == m->total)
		if (m->merged != NULL)
			m->merged(m->arg, m->done, m->total);
}

static int damaged(const struct cfs_builder_merge *m, struct cfs_error *err)
{
	return cfs_error_at(err, CFS_EIO, m->tmp_dir, 0,
			    "temporary file is damaged");
}

static int write_entry(struct cfs_builder_merge *m, struct cfs_cfx_writer *w,
		       struct cfs_slice key, struct cfs_join_item *item,
		       struct cfs_error *err)
{
	struct cfs_capture *e = &item->e;
	cfs_pos pos;
	int rc;

	/* the crawl's own are shown instead of views that would be made */
	if (e->text.kind != CFS_SIDE_NONE && e->meta.kind != CFS_SIDE_NONE)
		e->has_view_bytes = false;
	rc = cfs_cfx_writer_add(w, key, e, &pos, err);
	if (rc == CFS_OK && cfs_builder_refs_any(m->refs))
		rc = cfs_builder_refs_add(m->refs, e->kind == CFS_KIND_REVISIT,
					  item->ref, pos, err);
	return rc;
}

/* ---- entries of one key ---- */

struct group {
	struct cfs_buf key, values, spans;	/* spans: le32 lengths */
	size_t n;
};

static void group_init(struct group *g)
{
	*g = (struct group){ .n = 0 };
	cfs_buf_init(&g->key, CFS_KEY_MAX);
	cfs_buf_init(&g->values, GROUP_BYTES);
	cfs_buf_init(&g->spans, 4 * GROUP_MAX);
}

static void group_release(struct group *g)
{
	cfs_buf_release(&g->key);
	cfs_buf_release(&g->values);
	cfs_buf_release(&g->spans);
}

static bool group_takes(const struct group *g, struct cfs_slice key,
			struct cfs_slice value)
{
	return g->n == 0 || (g->n < GROUP_MAX &&
			     value.n <= GROUP_BYTES - g->values.n &&
			     cfs_slice_eq(key, cfs_buf_slice(&g->key)));
}

static int group_add(struct group *g, struct cfs_slice key,
		     struct cfs_slice value)
{
	if (g->n++ == 0) {
		cfs_buf_reset(&g->key);
		cfs_buf_add(&g->key, key);
	}
	cfs_buf_add(&g->values, value);
	cfs_buf_le32(&g->spans, (uint32_t)value.n);
	return g->key.failed != CFS_OK ? g->key.failed :
	       g->values.failed != CFS_OK ? g->values.failed : g->spans.failed;
}

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int in_index_order(const void *a, const void *b)
{
	const struct cfs_capture *x = &((const struct cfs_join_item *)a)->e;
	const struct cfs_capture *y = &((const struct cfs_join_item *)b)->e;
	int c = (x->time > y->time) - (x->time < y->time);

	if (c == 0)
		c = compare(x->loc.file[0], y->loc.file[0]);
	if (c == 0)
		c = compare(x->loc.offset, y->loc.offset);
	if (c == 0)
		c = compare(x->loc.inner_offset, y->loc.inner_offset);
	return c != 0 ? c : compare(x->text.loc.inner_offset,
				    y->text.loc.inner_offset);
}

static int join_group(struct cfs_builder_merge *m, struct group *g,
		      struct cfs_join_item *items,
		      struct cfs_builder_counts *counts, struct cfs_error *err)
{
	struct cfs_cursor v = { cfs_buf_slice(&g->values), false };
	struct cfs_cursor n = { cfs_buf_slice(&g->spans), false };
	bool joins = false;

	for (size_t i = 0; i < g->n; i++) {
		if (!cfs_builder_value_decode(
				cfs_cursor_take(&v, cfs_cursor_le32(&n)),
				&items[i]))
			return damaged(m, err);
		joins |= items[i].what != CFS_JOIN_PAGE;
	}
	if (!joins)
		return CFS_OK;
	if (cfs_join(items, g->n, m->origins, counts) != CFS_OK)
		return cfs_error_nomem(err);
	if (g->n > 1)
		qsort(items, g->n, sizeof(*items), in_index_order);
	return CFS_OK;
}

static int write_group(struct cfs_builder_merge *m, struct cfs_cfx_writer *w,
		       struct group *g, struct cfs_builder_counts *counts,
		       struct cfs_error *err)
{
	struct cfs_join_item one = { .is_dropped = false }, *items = &one;
	int rc;

	if (g->n == 0)
		return CFS_OK;
	if (g->n > 1)
		items = calloc(g->n, sizeof(*items));
	if (items == NULL)
		return cfs_error_nomem(err);
	rc = join_group(m, g, items, counts, err);
	for (size_t i = 0; i < g->n && rc == CFS_OK; i++) {
		if (!items[i].is_dropped)
			rc = write_entry(m, w, cfs_buf_slice(&g->key),
					 &items[i], err);
		count_merged(m);
	}
	if (items != &one)
		free(items);
	g->n = 0;
	cfs_buf_reset(&g->values);
	cfs_buf_reset(&g->spans);
	return rc;
}

/* ---- a crawlfs index ---- */

static int merge_joining(struct cfs_builder_merge *m, struct cfs_cfx_writer *w,
			 struct cfs_builder_counts *counts,
			 struct cfs_error *err)
{
	struct cfs_slice key, value;
	struct group g;
	int rc;

	group_init(&g);
	while ((rc = cfs_extsort_next(m->sort, &key, &value, err)) == CFS_OK) {
		if (!group_takes(&g, key, value))
			rc = write_group(m, w, &g, counts, err);
		if (rc == CFS_OK && group_add(&g, key, value) != CFS_OK)
			rc = cfs_error_nomem(err);
		if (rc != CFS_OK)
			break;
	}
	if (rc == CFS_END)
		rc = write_group(m, w, &g, counts, err);
	group_release(&g);
	return rc;
}

static int merge_plain(struct cfs_builder_merge *m, struct cfs_cfx_writer *w,
		       struct cfs_error *err)
{
	struct cfs_slice key, value;
	int rc = CFS_OK;

	while (rc == CFS_OK) {
		struct cfs_join_item item = { .is_dropped = false };

		rc = cfs_extsort_next(m->sort, &key, &value, err);
		if (rc != CFS_OK)
			break;
		if (!cfs_builder_value_decode(value, &item))
			return damaged(m, err);
		rc = write_entry(m, w, key, &item, err);
		count_merged(m);
	}
	return rc == CFS_END ? CFS_OK : rc;
}

int cfs_builder_merge_cfx(struct cfs_builder_merge *m,
			  const struct cfs_cfx_params *params,
			  struct cfs_builder_counts *counts,
			  struct cfs_error *err)
{
	struct cfs_cfx_writer *w;
	int rc = cfs_cfx_writer_new(&w, params, err);

	if (rc == CFS_OK)
		rc = m->joins ? merge_joining(m, w, counts, err) :
				merge_plain(m, w, err);
	if (rc == CFS_OK && cfs_builder_refs_any(m->refs))
		rc = cfs_builder_refs_write(m->refs, w, err);
	if (rc == CFS_OK)
		rc = cfs_cfx_writer_finish(w, counts, err);
	cfs_cfx_writer_free(w);
	return rc;
}

/* ---- a PB-tree ---- */

int cfs_builder_merge_pbtree(struct cfs_builder_merge *m, int fd,
			     struct cfs_builder_counts *counts,
			     struct cfs_error *err)
{
	struct cfs_pbtree_writer *w;
	struct cfs_slice key, value;
	int rc = cfs_pbtree_writer_new(&w, fd, PBTREE_BLOCK_BYTES,
				       CFS_PBTREE_VALUE_BYTES, m->tmp_dir, err);

	while (rc == CFS_OK) {
		rc = cfs_extsort_next(m->sort, &key, &value, err);
		if (rc != CFS_OK)
			break;
		rc = cfs_pbtree_writer_add(w, key, value, err);
		counts->captures++;
		count_merged(m);
	}
	if (rc == CFS_END)
		rc = cfs_pbtree_writer_finish(w, &counts->file_bytes, err);
	cfs_pbtree_writer_free(w);
	return rc;
}
