/* page_tree.c - a folder of the tree as a list for people: sorted, in pages of
 * CFS_PAGE_ROWS rows.
 *
 * A row is a folder, or a page with all its captures.  Of a folder of host
 * labels the rows are all hosts below; a folder in which is nothing but another
 * one is one row with it.  In the order of names, which is that of the tree,
 * rows are read up to the end of the page that is shown, and on to count them.
 * For any other order all rows are held, so there is a limit to them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>

#include "base/array.h"
#include "crawl/file_info.h"
#include "crawl/tree.h"
#include "folder.h"
#include "page_tree_internal.h"
#include "routes.h"
#include "url/lenient_url.h"

/* Rows of a folder that is sorted: some 20 MB of them. */
#define SORTED_MAX ((size_t)100000)
/* Rows that are counted behind the page that is shown: a second's work. */
#define COUNTED_MAX ((uint64_t)1000000)
/* The longest type that is kept, and the longest filter. */
#define MIME_MAX ((size_t)80)
#define FILTER_MAX ((size_t)1000)
#define NAMES_MAX_BYTES (2 * SORTED_MAX * CFS_NAME_CLASH_MAX)

const char *const cfs_page_tree_sorts[] = { "name", "size", "date",
					    "none of name, size and date" };

/* The bytes of .crawlfs/search/QUERY/ at the beginning of a path; without that
 * slash, all. */
static size_t search_path_n(struct cfs_slice path)
{
	struct cfs_slice rest = path;

	for (unsigned i = 0; i < 3; i++)
		cfs_slice_split(&rest, '/');
	return path.n - rest.n;
}

/* ---- rows ---------------------------------------------------------------- */

static int tree_keep(struct tree_page *t, struct cfs_slice name,
		     const struct cfs_node *node)
{
	struct tree_row *row;

	if (cfs_array_reserve((void **)&t->v, &t->room, t->n + 1,
			      sizeof(*t->v), SORTED_MAX + CFS_PAGE_ROWS) !=
		    CFS_OK ||
	    cfs_buf_add(&t->names, name) != CFS_OK)
		return CFS_ENOMEM;
	row = &t->v[t->n++];
	*row = (struct tree_row){ .name_at = t->names.n - name.n,
		.name_n = name.n, .node = *node, .number = t->seen };
	row->node.cap = NULL;
	row->captures = node->type == CFS_NODE_FILE;
	t->has_pages |= row->captures > 0;
	return CFS_OK;
}

void cfs_page_tree_show(struct tree_page *t, struct cfs_slice name)
{
	cfs_buf_reset(&t->shown);
	if (!t->by_host) {
		cfs_url_add_readable(name, &t->shown);
		return;
	}
	if (name.n > 1)			/* before the "/_" */
		cfs_path_reverse_labels(&t->shown,
					cfs_slice_sub(name, 0, name.n - 2),
					'/', '.');
	if (t->shown.n > 0 && t->host.n > 0)
		cfs_buf_addc(&t->shown, '.');
	cfs_buf_add(&t->shown, cfs_buf_slice(&t->host));
}

/* True if a name has what is filtered for, as it is or as it is shown. */
static bool tree_matches(struct tree_page *t, struct cfs_slice name)
{
	struct cfs_slice wanted = cfs_buf_slice(&t->filter);

	if (wanted.n == 0 || cfs_slice_search_nocase(name, wanted) >= 0)
		return true;
	cfs_page_tree_show(t, name);
	return cfs_slice_search_nocase(cfs_buf_slice(&t->shown), wanted) >= 0;
}

/* Adds a capture to the last row: the one without a number is the page's. */
static int tree_add_capture(struct tree_page *t, struct cfs_slice name,
			    const struct cfs_node *node, uint64_t number)
{
	struct tree_row *row = t->is_last_kept ? &t->v[t->n - 1] : NULL;

	if (row == NULL)
		return CFS_OK;
	row->captures++;
	if (number > 0)
		return CFS_OK;
	row->node = *node;
	row->node.cap = NULL;
	row->name_at = t->names.n;
	row->name_n = name.n;
	return cfs_buf_add(&t->names, name);
}

/* True if a name is that of a capture of the last row's page, whose captures
 * follow each other. */
static bool is_page_of_last(struct tree_page *t, struct cfs_slice name,
			 uint64_t *number)
{
	struct cfs_name parsed;
	struct cfs_slice base = name;
	bool is_same;

	*number = 0;
	if (cfs_name_parse(name, CFS_ZONE_PATH, &parsed)) {
		*number = parsed.capture;
		if (parsed.is_full)
			base.n = (size_t)cfs_slice_rfind(name, '#');
	}
	is_same = t->is_last_page &&
		  cfs_slice_eq(base, cfs_buf_slice(&t->last));
	cfs_buf_reset(&t->last);
	cfs_buf_add(&t->last, base);
	return is_same;
}

/* CFS_END: no more names are wanted. */
static int tree_on_name(struct tree_page *t, struct cfs_slice name,
			const struct cfs_node *node)
{
	bool is_file = node->type == CFS_NODE_FILE;
	uint64_t number;

	if (is_file && is_page_of_last(t, name, &number))
		return tree_add_capture(t, name, node, number);
	t->is_last_page = is_file;
	t->is_last_kept = false;
	if (t->read == t->to + COUNTED_MAX) {
		t->has_more = true;
		return CFS_END;
	}
	t->read++;
	if (!tree_matches(t, name))
		return CFS_OK;
	t->is_last_kept = t->seen >= t->from && t->seen < t->to;
	if (t->is_last_kept && tree_keep(t, name, node) != CFS_OK)
		return CFS_ENOMEM;
	t->seen++;
	return CFS_OK;
}

static int tree_read(struct tree_page *t)
{
	bool is_whole = cfs_page_tree_is_whole(t);
	const struct cfs_folder_name *name;
	struct cfs_folder folder;
	int rc;

	cfs_error_clear(&t->hole);
	t->from = is_whole ? 0 : (t->page - 1) * CFS_PAGE_ROWS;
	t->to = is_whole ? SORTED_MAX : t->from + CFS_PAGE_ROWS;
	cfs_folder_init(&folder, t->x->site, &t->place, 1u << CFS_VIEW_RAW);
	folder.by_host = t->by_host;
	do {
		rc = cfs_folder_next(&folder, &name,
				     CFS_CTX(t->ctx.cancel, &t->hole));
		if (rc == CFS_OK)
			rc = tree_on_name(t, name->name, &name->node);
	} while (rc == CFS_OK);
	cfs_folder_release(&folder);
	cfs_error_hide_folder(&t->hole);
	/* all names that can be listed have come before damage */
	if (rc == CFS_EFORMAT && t->seen > 0)
		rc = CFS_END;
	else if (rc < CFS_OK)
		rc = cfs_error_pass(t->ctx.err, &t->hole, rc);
	if (rc == CFS_END)
		rc = CFS_OK;
	else if (rc == CFS_ENOMEM)
		cfs_error_nomem(t->ctx.err);
	t->too_many = rc == CFS_OK && is_whole && t->seen > t->n;
	return rc;
}

/* Sets what the index says of a row's page. */
static int row_load(struct tree_page *t, struct tree_row *row,
		    struct cfs_entry *e, struct cfs_ctx ctx)
{
	struct cfs_node file = row->node;
	struct cfs_file_info info;
	struct cfs_slice mime;
	int rc = cfs_entry_read(t->place.crawl, file.pos, e, ctx);

	if (rc != CFS_OK)
		return rc;
	mime = cfs_slice_sub(e->cap.mime, 0, MIME_MAX);
	row->status = e->cap.status;
	row->mime_at = t->names.n;
	row->mime_n = mime.n;
	file.cap = &e->cap;
	rc = cfs_buf_add(&t->names, mime);
	if (rc == CFS_OK)
		rc = cfs_file_info_get(t->place.crawl, &file, &info, ctx);
	if (rc != CFS_OK)
		return rc;
	row->has_info = true;
	row->is_guess = info.size_kind == CFS_SIZE_GUESS;
	row->size = info.size;
	row->time = info.mtime;
	return CFS_OK;
}

int cfs_page_tree_info(struct tree_page *t, struct tree_row *row)
{
	struct cfs_error own = CFS_ERROR_INIT;
	struct cfs_entry *e;
	int rc;

	if (row->has_info || row->node.type == CFS_NODE_DIR)
		return CFS_OK;
	e = cfs_entry_new(t->ctx.err);
	if (e == NULL)
		return CFS_ENOMEM;
	rc = row_load(t, row, e, CFS_CTX(t->ctx.cancel, &own));
	cfs_entry_free(e);
	/* a record that cannot be read is a row all the same */
	return rc == CFS_EINTR || rc == CFS_ENOMEM || rc == CFS_ETIMEOUT ?
	       cfs_error_pass(t->ctx.err, &own, rc) : CFS_OK;
}

/* ---- order --------------------------------------------------------------- */

static int rows_by_number(const void *a, const void *b)
{
	const struct tree_row *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static int rows_by_size(const void *a, const void *b)
{
	const struct tree_row *x = a, *y = b;

	if (x->size != y->size)
		return x->size > y->size ? 1 : -1;
	return rows_by_number(a, b);
}

static int rows_by_date(const void *a, const void *b)
{
	const struct tree_row *x = a, *y = b;

	if (x->time != y->time)
		return x->time > y->time ? 1 : -1;
	return rows_by_number(a, b);
}

static int tree_order(struct tree_page *t)
{
	static int (*const orders[])(const void *, const void *) = {
		rows_by_number, rows_by_size, rows_by_date };
	int rc = CFS_OK;

	if (!cfs_page_tree_is_whole(t) || t->too_many)
		return CFS_OK;
	for (size_t i = 0; t->sort != SORT_NAME && rc == CFS_OK && i < t->n;
	     i++)
		rc = cfs_page_tree_info(t, &t->v[i]);
	if (rc != CFS_OK || t->n == 0)
		return rc;
	qsort(t->v, t->n, sizeof(*t->v), orders[t->sort]);
	for (size_t i = 0; t->descends && i < t->n / 2; i++) {
		struct tree_row row = t->v[i];

		t->v[i] = t->v[t->n - 1 - i];
		t->v[t->n - 1 - i] = row;
	}
	return CFS_OK;
}

/* ---- the page ------------------------------------------------------------ */

static int tree_answer(struct tree_page *t)
{
	uint64_t last = (t->seen + CFS_PAGE_ROWS - 1) / CFS_PAGE_ROWS;
	struct cfs_page_frame frame = { .kind = "Folder", .at = "/tree/",
					.search = CFS_SLICE_EMPTY };
	struct cfs_buf out;
	CFS_BUF(name, 4 * CFS_REPLY_HEAD_MAX);
	CFS_BUF(query, CFS_REPLY_HEAD_MAX);
	int rc;

	if (t->page > 1 && t->page > last)
		return cfs_page_none(t->x, "folder", t->page, last, t->ctx.err);
	if (t->by_host)
		frame.kind = t->host.n > 0 ? "Domain" : "Hosts";
	cfs_page_tree_name(&name, t);
	frame.title = cfs_buf_slice(&name);
	cfs_page_begin(&out, t->x->site, &frame);
	cfs_page_tree_heading(&out, t, frame.title);
	rc = cfs_page_tree_table(&out, t);
	CFS_HTML(&query, "$sort=$&amp;order=$&amp;", cfs_page_tree_query(t),
		 cfs_page_tree_sorts[t->sort], t->descends ? "desc" : "asc");
	cfs_page_pager(&out, cfs_buf_slice(&query), t->page,
		       t->has_more ? 0 : last, t->page < last);
	return cfs_page_end(t->x, rc, cfs_status_of(t->hole.code), &out);
}

/* ---- the request --------------------------------------------------------- */

static int tree_take_query(struct tree_page *t)
{
	static const char *const orders[] = { "asc", "desc",
					      "neither asc nor desc" };
	unsigned sort = SORT_NAME, order = 0;
	int rc = cfs_page_number(t->x->query, "page", 0, &t->page, t->ctx.err);

	if (rc == CFS_OK)
		rc = cfs_page_choice(t->x->query, "sort", cfs_page_tree_sorts,
				     3, &sort, t->ctx.err);
	if (rc == CFS_OK)
		rc = cfs_page_choice(t->x->query, "order", orders, 2, &order,
				     t->ctx.err);
	t->sort = (enum tree_sort)sort;
	t->descends = order == 1;
	cfs_query_get(t->x->query, "filter", &t->filter);
	if (rc == CFS_OK && t->filter.failed != CFS_OK)
		rc = cfs_error_set(t->ctx.err, CFS_EUSAGE, "filter: longer "
				   "than any name");
	return rc;
}

/* Finds the host that the path begins with, and whether the rows are hosts:
 * those of a crawl on a server would each take a request. */
static void tree_find_host(struct tree_page *t)
{
	struct cfs_slice path = cfs_buf_slice(&t->path);
	struct cfs_slice marker = CFS_SLICE_LIT("_");
	bool is_path = false;

	t->rest = cfs_page_host(&t->host, t->x->site, path);
	path = cfs_slice_from(path, t->above_n);
	while (path.n > 0)
		is_path |= cfs_slice_eq(cfs_slice_split(&path, '/'), marker);
	t->by_host = !is_path && !t->place.is_top &&
		     t->place.crawl->cache == NULL;
}

/* Sorting what is too much: by name instead. */
static int tree_read_again(struct tree_page *t)
{
	int rc;

	t->sort = SORT_NAME;
	t->descends = false;
	t->n = 0;
	t->seen = t->read = 0;
	cfs_buf_reset(&t->names);
	rc = tree_read(t);
	t->too_many = true;
	return rc;
}

/* Accounts for the memory of the rows, once they have been read. */
static uint64_t tree_account(const struct tree_page *t)
{
	uint64_t bytes = t->room * sizeof(*t->v) + t->names.cap;

	cfs_budget_add(t->x->site->budget, CFS_MEM_VIEWS, bytes);
	cfs_budget_relieve(t->x->site->budget);
	return bytes;
}

static int tree_make(struct tree_page *t)
{
	int rc = tree_take_query(t);
	uint64_t accounted;

	if (rc == CFS_OK)
		rc = cfs_page_path(t->x->rest, &t->path);
	if (rc == CFS_OK && t->place.is_search)
		t->above_n = search_path_n(cfs_buf_slice(&t->path));
	tree_find_host(t);
	if (rc == CFS_OK)
		rc = tree_read(t);
	if (rc == CFS_OK && t->too_many)
		rc = tree_read_again(t);
	if (rc != CFS_OK)
		return rc;
	accounted = tree_account(t);
	rc = tree_order(t);
	if (rc == CFS_OK)
		rc = tree_answer(t);
	cfs_budget_sub(t->x->site->budget, CFS_MEM_VIEWS, accounted);
	return rc;
}

static int tree_answer_place(struct tree_page *t)
{
	struct cfs_exchange *x = t->x;
	int rc;

	if (!t->place.is_top && t->place.node.type == CFS_NODE_FILE) {
		if (t->place.is_search)	/* the page is the same */
			x->rest = cfs_slice_from(x->rest,
						 search_path_n(x->rest));
		return cfs_page_redirect(x, "page/", "");
	}
	if (!t->place.has_slash || x->path.p[x->path.n - 1] != '/')
		return cfs_page_redirect(x, "tree/", x->rest.n > 0 ? "/" : "");
	if (!x->may_take_long)
		return CFS_ROUTE_TAKES_LONG;
	cfs_buf_init(&t->path, CFS_REPLY_HEAD_MAX);
	cfs_buf_init(&t->names, NAMES_MAX_BYTES);
	cfs_buf_init(&t->last, PATH_MAX_BYTES);
	cfs_buf_init(&t->host, PATH_MAX_BYTES);
	cfs_buf_init(&t->filter, FILTER_MAX);
	cfs_buf_init(&t->shown, PATH_MAX_BYTES);
	rc = tree_make(t);
	free(t->v);
	cfs_buf_release(&t->shown);
	cfs_buf_release(&t->filter);
	cfs_buf_release(&t->host);
	cfs_buf_release(&t->last);
	cfs_buf_release(&t->names);
	cfs_buf_release(&t->path);
	return rc;
}

int cfs_answer_tree(struct cfs_exchange *x, struct cfs_ctx ctx)
{
	struct tree_page t = { .x = x, .ctx = ctx, .page = 1 };
	int rc;

	if (cfs_site_is_search(x->rest) && !x->may_take_long)
		return CFS_ROUTE_TAKES_LONG;
	rc = cfs_site_walk_search(x->site, x->rest, &t.place, ctx);
	if (rc == CFS_OK)
		rc = tree_answer_place(&t);
	cfs_site_place_release(x->site, &t.place);
	return rc;
}
