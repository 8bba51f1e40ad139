/* page_tree.c - a folder of the tree as a list for people: sorted, in pages of
 * CFS_PAGE_ROWS rows.
 *
 * A row is a folder, or a page with all its captures.  In the order of names,
 * which is that of the tree, rows are read up to the end of the page that is
 * shown, and on to count them.  For any other order all rows are held, so there
 * is a limit to them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "crawl/file_info.h"
#include "crawl/tree.h"
#include "folder.h"
#include "page_frame.h"
#include "routes.h"

/* Rows of a folder that is sorted: some 20 MB of them. */
#define SORTED_MAX ((size_t)100000)
/* Rows that are counted behind the page that is shown: a second's work. */
#define COUNTED_MAX ((uint64_t)1000000)
#define NAMES_MAX_BYTES (2 * SORTED_MAX * CFS_NAME_CLASH_MAX)

enum tree_sort { SORT_NAME, SORT_SIZE, SORT_DATE };
static const char *const sort_names[] = { "name", "size", "date",
					  "none of name, size and date" };

struct tree_row {
	size_t name_at, name_n;		/* in the names */
	struct cfs_node node;
	uint64_t captures;		/* of a page; 0: a folder */
	uint64_t number;		/* in the order of the tree */
	bool has_info, is_guess;
	uint64_t size;
	int64_t time;
};

struct tree_page {
	struct cfs_exchange *x;
	struct cfs_site_place place;
	struct cfs_ctx ctx;
	enum tree_sort sort;
	bool descends;
	uint64_t page;			/* from 1 */
	struct cfs_buf path;		/* decoded, without a slash behind */
	size_t above_n;			/* its bytes before the tree's: those of
					 * the folder of a search, with a
					 * slash */
	/* Rows: those of the page, or all if they are sorted. */
	struct tree_row *v;
	size_t n, room;
	struct cfs_buf names;
	uint64_t seen;			/* rows so far */
	uint64_t from, to;		/* numbers of the rows that are kept */
	bool is_last_kept;		/* the last row that was seen is */
	bool is_last_page;		/* it is a page, with this name */
	struct cfs_buf last;
	bool has_more;			/* there are rows that were not read */
	bool too_many;			/* to be sorted */
	struct cfs_error hole;		/* damage may hide further rows */
};

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

static struct cfs_slice row_name(const struct tree_page *t,
				 const struct tree_row *row)
{
	return cfs_slice_of(t->names.p + row->name_at, row->name_n);
}

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
	return CFS_OK;
}

/* Adds a capture of the page that the last row is: the one without a number is
 * the page's own. */
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

	if (is_file && is_page_of_last(t, name, &number)) {
		return tree_add_capture(t, name, node, number);
	}
	t->is_last_page = is_file;
	if (t->seen == t->to + COUNTED_MAX) {
		t->has_more = true;
		return CFS_END;
	}
	t->is_last_kept = t->seen >= t->from && t->seen < t->to;
	if (t->is_last_kept && tree_keep(t, name, node) != CFS_OK)
		return CFS_ENOMEM;
	t->seen++;
	return CFS_OK;
}

static int tree_read(struct tree_page *t)
{
	bool is_whole = t->sort != SORT_NAME || t->descends;
	const struct cfs_folder_name *name;
	struct cfs_folder folder;
	int rc;

	cfs_error_clear(&t->hole);
	t->from = is_whole ? 0 : (t->page - 1) * CFS_PAGE_ROWS;
	t->to = is_whole ? SORTED_MAX : t->from + CFS_PAGE_ROWS;
	cfs_folder_init(&folder, t->x->site, &t->place, 1u << CFS_VIEW_RAW);
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

/* Finds size and time of a row's page. */
static int row_info(struct tree_page *t, struct tree_row *row)
{
	struct cfs_error own = CFS_ERROR_INIT;
	struct cfs_file_info info;
	int rc;

	if (row->has_info || row->node.type == CFS_NODE_DIR)
		return CFS_OK;
	rc = cfs_file_info_get(t->place.crawl, &row->node, &info,
			       CFS_CTX(t->ctx.cancel, &own));
	if (rc == CFS_OK) {
		row->has_info = true;
		row->is_guess = info.size_kind == CFS_SIZE_GUESS;
		row->size = info.size;
		row->time = info.mtime;
	}
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

	if ((t->sort == SORT_NAME && !t->descends) || t->too_many)
		return CFS_OK;
	for (size_t i = 0; t->sort != SORT_NAME && rc == CFS_OK && i < t->n;
	     i++)
		rc = row_info(t, &t->v[i]);
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

/* The other order for the column that is sorted by; sizes and dates begin with
 * the greatest. */
static bool link_descends(const struct tree_page *t, enum tree_sort sort)
{
	return t->sort == sort ? !t->descends : sort != SORT_NAME;
}

static void tree_column(struct cfs_buf *out, const struct tree_page *t,
			enum tree_sort sort, const char *text)
{
	cfs_buf_adds(out, sort == SORT_DATE ?
		     "<th scope=\"col\" class=\"when\"" : "<th scope=\"col\"");
	if (t->sort == sort)
		cfs_buf_addf(out, " aria-sort=\"%s\"", t->descends ?
			     "descending" : "ascending");
	cfs_buf_addf(out, "><a href=\"?sort=%s&amp;order=%s\">%s</a></th>\n",
		     sort_names[sort], link_descends(t, sort) ? "desc" : "asc",
		     text);
}

/* Appends the path of a row below the root: that of a page is the same in a
 * search. */
static void row_path(const struct tree_page *t, const struct tree_row *row,
		     struct cfs_buf *out)
{
	struct cfs_slice path = cfs_buf_slice(&t->path);

	if (row->node.type == CFS_NODE_FILE)
		path = cfs_slice_from(path, t->above_n);
	cfs_buf_reset(out);
	cfs_buf_add(out, path);
	if (path.n > 0)
		cfs_buf_addc(out, '/');
	cfs_buf_add(out, row_name(t, row));
	if (row->node.type == CFS_NODE_DIR)
		cfs_buf_addc(out, '/');
}

static void tree_row_cells(struct cfs_buf *out, const struct tree_row *row)
{
	cfs_buf_adds(out, "<td>");
	if (row->captures > 0)
		cfs_html_figure(out, row->captures);
	cfs_buf_adds(out, "</td><td>");
	if (row->has_info) {
		cfs_buf_addf(out, "<data value=\"%" PRIu64 "\">%s", row->size,
			     row->is_guess ? "about " : "");
		cfs_html_size(out, row->size);
		cfs_buf_adds(out, "</data>");
	}
	cfs_buf_adds(out, "</td><td>");
	if (row->has_info)
		cfs_page_time(out, row->time);
	cfs_buf_adds(out, "</td></tr>\n");
}

static int tree_row_add(struct cfs_buf *out, struct tree_page *t,
			struct tree_row *row, struct cfs_buf *path)
{
	bool is_dir = row->node.type == CFS_NODE_DIR;
	struct cfs_slice name = row_name(t, row);
	int rc = row_info(t, row);

	row_path(t, row, path);
	/* the page of a folder's name is NAME#, which is told by its kind */
	if (!is_dir && name.n > 1 && name.p[name.n - 1] == '#' &&
	    name.p[name.n - 2] != '#')
		name.n--;
	cfs_buf_addf(out, "<tr class=\"%s\"><th scope=\"row\"><a href=\"",
		     is_dir ? "folder" : "page");
	cfs_page_url(out, t->x->site, is_dir ? "tree/" : "page/",
		     cfs_buf_slice(path));
	cfs_buf_adds(out, "\">");
	cfs_html_text(out, name);
	cfs_buf_addf(out, "%s</a></th>", is_dir ? "/" : "");
	tree_row_cells(out, row);
	return rc;
}

static int tree_table(struct cfs_buf *out, struct tree_page *t)
{
	bool is_whole = t->sort != SORT_NAME || t->descends;
	size_t at = is_whole ? (t->page - 1) * CFS_PAGE_ROWS : 0;
	struct cfs_buf path;
	int rc = CFS_OK;

	cfs_buf_init(&path, t->path.n + CFS_NAME_CLASH_MAX + 2);
	cfs_buf_adds(out, "<div class=\"wide\" tabindex=\"0\" role=\"region\" "
		     "aria-label=\"Entries\">\n<table id=\"entries\">\n<thead>"
		     "<tr>\n");
	tree_column(out, t, SORT_NAME, "Name");
	cfs_buf_adds(out, "<th scope=\"col\">Captures</th>\n");
	tree_column(out, t, SORT_SIZE, "Size");
	tree_column(out, t, SORT_DATE, "Captured");
	cfs_buf_adds(out, "</tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < CFS_PAGE_ROWS && at < t->n && rc == CFS_OK;
	     i++, at++)
		rc = tree_row_add(out, t, &t->v[at], &path);
	cfs_buf_adds(out, "</tbody>\n</table>\n</div>\n");
	cfs_buf_release(&path);
	return rc;
}

/* Appends a field for words on a host and those below it, if the crawl has a
 * list of words. */
static void tree_search(struct cfs_buf *out, const struct tree_page *t,
			struct cfs_slice host)
{
	const struct cfs_word_lists *lists;

	if (t->place.is_top || host.n == 0 ||
	    cfs_crawl_words(t->place.crawl, &lists,
			    CFS_CTX(t->ctx.cancel, NULL)) != CFS_OK)
		return;
	cfs_buf_adds(out, "<form class=\"on-host\" action=\"");
	cfs_html_text(out, cfs_slice_str(t->x->site->prefix));
	cfs_buf_adds(out, "/search\">\n<input type=\"hidden\" name=\"in\" "
		     "value=\"words\">\n<input type=\"hidden\" name=\"host\" "
		     "value=\"*.");
	cfs_html_text(out, host);
	cfs_buf_adds(out, "\">\n<input type=\"search\" name=\"q\" required "
		     "aria-label=\"Words on this host\" "
		     "placeholder=\"Words on this host\">\n"
		     "<button>Search</button>\n</form>\n");
}

static void tree_heading(struct cfs_buf *out, const struct tree_page *t)
{
	struct cfs_slice path = cfs_buf_slice(&t->path), rest;
	struct cfs_buf host;

	cfs_buf_init(&host, path.n + 1);
	rest = cfs_page_host(&host, t->x->site, path);
	cfs_page_trail(out, t->x->site, path);
	cfs_buf_adds(out, "<h1>");
	path = cfs_slice_from(path, t->above_n);
	if (path.n == 0 && t->place.is_search)
		cfs_buf_adds(out, "Pages that match");
	else if (path.n == 0)
		cfs_buf_adds(out, "All pages");
	else if (t->place.is_top)
		cfs_html_text(out, path);
	else if (t->x->site->n_crawls > 1 && cfs_slice_find(path, '/') < 0)
		cfs_html_text(out, path);
	cfs_html_text(out, cfs_buf_slice(&host));
	cfs_buf_adds(out, rest.n > 0 ? "/" : "");
	cfs_html_text(out, rest);
	cfs_buf_adds(out, "</h1>\n");
	tree_search(out, t, cfs_buf_slice(&host));
	cfs_buf_release(&host);
	cfs_buf_adds(out, "<p class=\"note\">");
	cfs_html_figure(out, t->seen);
	cfs_buf_adds(out, t->has_more ? " and more" : "");
	cfs_buf_adds(out, t->seen == 1 ? " entry" : " entries");
	if (t->too_many)
		cfs_buf_adds(out, ": too many to be sorted in this way, so they "
			     "are in the order of names");
	cfs_buf_adds(out, ".</p>\n");
	if (t->hole.code == CFS_OK)
		return;
	cfs_buf_adds(out, "<p class=\"problem\" role=\"alert\">More may be "
		     "there: ");
	if (t->hole.where[0] != '\0') {
		cfs_html_text(out, cfs_slice_str(t->hole.where));
		cfs_buf_adds(out, ": ");
	}
	cfs_html_text(out, cfs_slice_str(t->hole.text));
	cfs_buf_adds(out, "</p>\n");
}

static int tree_answer(struct tree_page *t)
{
	uint64_t last = (t->seen + CFS_PAGE_ROWS - 1) / CFS_PAGE_ROWS;
	struct cfs_page_frame frame = { .kind = "Folder", .at = "/tree/",
		.title = cfs_buf_slice(&t->path), .search = CFS_SLICE_EMPTY };
	char query[80];
	struct cfs_buf out;
	int rc;

	if (t->page > 1 && t->page > last)
		return cfs_error_set(t->ctx.err, CFS_ENOTFOUND,
				     "the folder has no page %" PRIu64,
				     t->page);
	if (t->path.n == 0)
		frame.title = CFS_SLICE_LIT("All pages");
	cfs_buf_init(&out, CFS_REPLY_BODY_MAX);
	cfs_page_begin(&out, t->x->site, &frame);
	tree_heading(&out, t);
	rc = tree_table(&out, t);
	snprintf(query, sizeof(query), "sort=%s&amp;order=%s&amp;",
		 sort_names[t->sort], t->descends ? "desc" : "asc");
	cfs_page_pager(&out, cfs_slice_str(query), t->page,
		       t->has_more ? 0 : last, t->page < last);
	return cfs_page_end(t->x, rc, cfs_status_of(t->hole.code), &out);
}

/* ---- the request --------------------------------------------------------- */

static int tree_take_query(struct tree_page *t)
{
	static const char *const orders[] = { "asc", "desc",
					      "neither asc nor desc" };
	unsigned sort = SORT_NAME, order = 0;
	int rc = cfs_page_number(t->x->query, &t->page, t->ctx.err);

	if (rc == CFS_OK)
		rc = cfs_page_choice(t->x->query, "sort", sort_names, 3, &sort,
				     t->ctx.err);
	if (rc == CFS_OK)
		rc = cfs_page_choice(t->x->query, "order", orders, 2, &order,
				     t->ctx.err);
	t->sort = (enum tree_sort)sort;
	t->descends = order == 1;
	return rc;
}

/* Sorting what is too much: by name instead. */
static int tree_read_again(struct tree_page *t)
{
	int rc;

	t->sort = SORT_NAME;
	t->descends = false;
	t->n = 0;
	t->seen = 0;
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
	cfs_buf_init(&t->last, CFS_NAME_CLASH_MAX);
	rc = tree_make(t);
	free(t->v);
	cfs_buf_release(&t->last);
	cfs_buf_release(&t->names);
	cfs_buf_release(&t->path);
	return rc;
}

int cfs_answer_tree(struct cfs_exchange *x, struct cfs_ctx ctx)
{
	struct tree_page t = { .x = x, .ctx = ctx };
	int rc;

	if (cfs_site_is_search(x->rest) && !x->may_take_long)
		return CFS_ROUTE_TAKES_LONG;
	rc = cfs_site_walk_search(x->site, x->rest, &t.place, ctx);
	if (rc == CFS_OK)
		rc = tree_answer_place(&t);
	cfs_site_place_release(x->site, &t.place);
	return rc;
}
