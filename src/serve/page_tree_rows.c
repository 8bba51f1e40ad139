/* page_tree_rows.c - the rows of a folder as HTML (see page_tree_internal.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <string.h>

#include "base/memo.h"
#include "crawl/tree.h"
#include "page_tree_internal.h"
#include "replayed.h"
#include "url/lenient_url.h"

/* Captures below a folder that are counted one by one, and those of a page: a
 * few hundredths of a second's work.  The others are estimated. */
#define TOTAL_MAX ((uint64_t)10000)
#define TOTALS_MAX ((uint64_t)100000)
/* Folders of a page that are looked into for a single folder. */
#define CHAINED_MAX 2000u
/* Pages of a list whose titles are read, and their bytes: a few hundredths of a
 * second's work. */
#define TITLES_MAX 60u
#define TITLED_BYTES_MAX ((uint64_t)2 << 20)
/* The longest title that is shown. */
#define TITLE_CHARS 100u
/* Fewer rows have no field to choose from them. */
#define FILTERED_MIN ((uint64_t)12)

static struct cfs_slice row_name(const struct tree_page *t,
				 const struct tree_row *row)
{
	return cfs_slice_of(t->names.p + row->name_at, row->name_n);
}

/* The other order for the column that is sorted by; sizes and dates begin with
 * the greatest. */
static bool link_descends(const struct tree_page *t, enum tree_sort sort)
{
	return t->sort == sort ? !t->descends : sort != SORT_NAME;
}

static void add_query(struct cfs_buf *out, const struct cfs_html_part *p)
{
	if (p->text.n > 0)
		CFS_HTML(out, "filter=$&amp;", cfs_html_query(p->text));
}

struct cfs_html_part cfs_page_tree_query(const struct tree_page *t)
{
	return (struct cfs_html_part){ .add = add_query,
				       .text = cfs_buf_slice(&t->filter) };
}

static void tree_column(struct cfs_buf *out, const struct tree_page *t,
			enum tree_sort sort, const char *class,
			const char *text)
{
	CFS_HTML(out, "<th scope='col' class='$'", class);
	if (t->sort == sort)
		CFS_HTML(out, " aria-sort='$'", t->descends ? "descending" :
							      "ascending");
	CFS_HTML(out, "><a href='?$sort=$&amp;order=$'>$</a></th>\n",
		 cfs_page_tree_query(t), cfs_page_tree_sorts[sort],
		 link_descends(t, sort) ? "desc" : "asc", text);
}

static void tree_columns(struct cfs_buf *out, const struct tree_page *t)
{
	tree_column(out, t, SORT_NAME, "name", t->by_host ? "Host" : "Name");
	if (t->has_pages)
		CFS_HTML(out, "<th scope='col' class='type'>Type</th>\n"
			 "<th scope='col' class='fact'>Status</th>\n");
	CFS_HTML(out, "<th scope='col' class='fact'>Captures</th>\n");
	if (!t->has_pages)
		return;
	tree_column(out, t, SORT_SIZE, "size", "Size");
	tree_column(out, t, SORT_DATE, "when", "Captured");
}

/* ---- rows of folders ---- */

/* The names of a folder, as far as there is one. */
struct single {
	struct cfs_buf *path;
	struct cfs_node node;
	size_t path_n;
	unsigned n;
};

static int single_see(void *arg, struct cfs_slice name,
		      const struct cfs_node *node, uint64_t cookie)
{
	struct single *s = arg;

	(void)cookie;
	if (s->n++ > 0 || node->type != CFS_NODE_DIR)
		return 1;
	s->node = *node;
	cfs_buf_add(s->path, name);
	cfs_buf_addc(s->path, '/');
	return 0;
}

/* Goes down from a folder as long as nothing is in it but another one, whose
 * names are appended to `path`. */
static int row_chain(struct tree_page *t, struct tree_row *row,
		     struct cfs_buf *path)
{
	struct cfs_error own = CFS_ERROR_INIT;
	int rc = CFS_OK;

	if (t->place.is_top || t->by_host || t->place.crawl->cache != NULL)
		return CFS_OK;
	while (rc == CFS_OK && t->chains_left > 0) {
		struct single s = { .path = path, .path_n = path->n };

		t->chains_left--;
		rc = cfs_tree_list(t->place.crawl, &row->node,
				   1u << CFS_VIEW_RAW, 0, 0, single_see, &s,
				   CFS_CTX(t->ctx.cancel, &own));
		if (rc != CFS_OK || s.n != 1 || path->n == s.path_n) {
			path->n = s.path_n;
			break;
		}
		row->node = s.node;
	}
	return rc == CFS_EINTR || rc == CFS_ENOMEM ?
	       cfs_error_pass(t->ctx.err, &own, rc) : CFS_OK;
}

/* A number that is not exact, with two digits that count. */
static uint64_t rounded(uint64_t n)
{
	uint64_t unit = 1;

	while (n / unit >= 100)
		unit *= 10;
	return n / unit * unit;
}

/* Appends a number of captures; their name is for narrow windows, where the
 * column has no heading. */
static void row_captures(struct cfs_buf *out, const char *before, uint64_t n)
{
	CFS_HTML(out, "$$<span class='unit'> capture$</span>", before,
		 cfs_html_figure(n), n == 1 ? "" : "s");
}

/* Appends how many captures a crawl of several has. */
static void row_crawl_total(struct cfs_buf *out, const struct tree_page *t,
			    const struct tree_row *row)
{
	struct cfs_index_stats stats;

	if (t->place.top != CFS_TOP_CRAWLS)
		return;
	cfs_index_get_stats(t->x->site->crawls[row->node.source]->index,
			    &stats);
	if (stats.captures > 0)
		row_captures(out, "", stats.captures);
}

/* Appends how many captures are below a folder. */
static int row_total(struct cfs_buf *out, struct tree_page *t,
		     const struct tree_row *row)
{
	uint64_t max = t->totals_left < TOTAL_MAX ? t->totals_left : TOTAL_MAX;
	struct cfs_error own = CFS_ERROR_INIT;
	struct cfs_tree_total total;
	int rc;

	if (t->place.is_top)
		row_crawl_total(out, t, row);
	if (t->place.is_top || t->place.crawl->cache != NULL)
		return CFS_OK;
	rc = cfs_tree_count(t->place.crawl, &row->node, max, &total,
			    CFS_CTX(t->ctx.cancel, &own));
	t->totals_left -= total.n;
	if (rc == CFS_OK && !total.is_all && total.more > total.n)
		row_captures(out, "about ", rounded(total.n + total.more));
	else if (total.n > 0)
		row_captures(out, rc == CFS_OK && total.is_all ? "" : "over ",
			     total.n);
	return rc == CFS_EINTR || rc == CFS_ENOMEM ?
	       cfs_error_pass(t->ctx.err, &own, rc) : CFS_OK;
}

/* ---- rows ---- */

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

static struct cfs_slice row_mime(const struct tree_page *t,
				 const struct tree_row *row)
{
	return cfs_slice_of(t->names.p + row->mime_at, row->mime_n);
}

static void row_page_cells(struct cfs_buf *out, const struct tree_page *t,
			   const struct tree_row *row)
{
	CFS_HTML(out, "<td class='type'>$</td><td$>", row_mime(t, row),
		 CFS_HTML_IF(row->status / 100 > 2, " class='odd'"));
	if (row->status != 0)
		CFS_HTML(out, "$", row->status);
	CFS_HTML(out, "</td><td>");
	row_captures(out, "", row->captures);
	CFS_HTML(out, "</td><td>");
	if (row->has_info)
		CFS_HTML(out, "<data value='$'>$$</data>", row->size,
			 row->is_guess ? "about " : "",
			 cfs_html_size(row->size));
	CFS_HTML(out, "</td><td class='when'>$</td></tr>\n",
		 cfs_html_time(row->has_info ? row->time : 0));
}

/* Appends the cells behind the name of a folder. */
static int row_folder_cells(struct cfs_buf *out, struct tree_page *t,
			    const struct tree_row *row)
{
	int rc;

	CFS_HTML(out, "$<td>",
		 CFS_HTML_IF(t->has_pages, "<td></td><td></td>"));
	rc = row_total(out, t, row);
	CFS_HTML(out, "</td>$</tr>\n",
		 CFS_HTML_IF(t->has_pages, "<td></td><td></td>"));
	return rc;
}

/* Appends a name; of several, the first and the last one. */
static void row_name_text(struct cfs_buf *out, struct cfs_slice name)
{
	ptrdiff_t first = cfs_slice_find(name, '/');
	ptrdiff_t last = cfs_slice_rfind(name, '/');

	if (first == last)
		CFS_HTML(out, "$", name);
	else
		CFS_HTML(out, "$/\u2026$",
			 cfs_slice_sub(name, 0, (size_t)first),
			 cfs_slice_from(name, (size_t)last));
}

/* Appends the cell of the name with its link; `name` is that behind the
 * folder's path. */
static void row_link(struct cfs_buf *out, struct tree_page *t,
		     const struct tree_row *row, struct cfs_slice path,
		     struct cfs_slice name)
{
	bool is_dir = row->node.type == CFS_NODE_DIR;
	const char *kind = is_dir ? "folder" : "page";

	/* the page of a folder's name is NAME#, which is told by its kind */
	if (!is_dir && name.n > 1 && name.p[name.n - 1] == '#' &&
	    name.p[name.n - 2] != '#')
		name.n--;
	cfs_page_tree_show(t, name);
	CFS_HTML(out, "<tr class='$'><th scope='row'><a href='$'",
		 kind, cfs_page_url(t->x->site, is_dir ? "tree/" : "page/",
				    path));
	if (!cfs_slice_eq(name, cfs_buf_slice(&t->shown)) ||
	    cfs_slice_find(name, '/') >= 0)
		CFS_HTML(out, " title='$'", name);
	CFS_HTML(out, ">");
	row_name_text(out, cfs_buf_slice(&t->shown));
	CFS_HTML(out, "$</a>", is_dir && !t->by_host ? "/" : "");
}

/* Reads the title of a row's page.  Codes as cfs_preview_load. */
static int read_title(struct tree_page *t, const struct tree_row *row,
		      struct cfs_known_title *out)
{
	CFS_BUF(title, CFS_TITLE_MAX + sizeof(out->text));
	int rc = cfs_preview_title(t->place.crawl, row->node.pos, &title,
				   t->ctx);

	memset(out->text, 0, sizeof(out->text));
	out->n = title.n < sizeof(out->text) ? title.n : sizeof(out->text);
	memcpy(out->text, cfs_buf_str(&title), out->n);
	return rc;
}

/* Appends the title of a row's page, which its record says, as long as there
 * are few and small ones.  Those on servers would each take a request. */
static int row_title(struct cfs_buf *out, struct tree_page *t,
		     const struct tree_row *row)
{
	struct cfs_memo *titles = t->x->site->titles;
	uint64_t key = (uint64_t)row->node.source << 48 | row->node.pos;
	struct cfs_known_title known;
	int rc = CFS_OK;

	if (t->titles_left == 0 || row->size > t->titled_bytes_left ||
	    t->place.crawl->cache != NULL ||
	    !cfs_replayed_is_type(row_mime(t, row)))
		return CFS_OK;
	t->titles_left--;
	t->titled_bytes_left -= row->size;
	if (!cfs_memo_get(titles, key, &known)) {
		rc = read_title(t, row, &known);
		if (rc != CFS_OK)
			return rc;
		cfs_memo_put(titles, key, &known);
	}
	if (known.n > 0)
		CFS_HTML(out, " <span class='title'>$</span>",
			 cfs_html_short(cfs_slice_of(known.text, known.n),
					TITLE_CHARS));
	return CFS_OK;
}

static int tree_row_add(struct cfs_buf *out, struct tree_page *t,
			struct tree_row *row, struct cfs_buf *path)
{
	bool is_dir = row->node.type == CFS_NODE_DIR;
	size_t above;
	int rc;

	row_path(t, row, path);
	above = path->n - is_dir - row->name_n;
	rc = is_dir ? row_chain(t, row, path) : cfs_page_tree_info(t, row);
	if (rc != CFS_OK)
		return rc;
	row_link(out, t, row, cfs_buf_slice(path),
		 cfs_slice_sub(cfs_buf_slice(path), above,
			       path->n - above - is_dir));
	if (!is_dir)
		rc = row_title(out, t, row);
	CFS_HTML(out, "</th>");
	if (is_dir)
		return row_folder_cells(out, t, row);
	row_page_cells(out, t, row);
	return rc;
}

int cfs_page_tree_table(struct cfs_buf *out, struct tree_page *t)
{
	size_t at = cfs_page_tree_is_whole(t) ?
			    (t->page - 1) * CFS_PAGE_ROWS : 0;
	CFS_BUF(path, PATH_MAX_BYTES);
	int rc = CFS_OK;

	t->totals_left = TOTALS_MAX;
	t->chains_left = CHAINED_MAX;
	t->titles_left = TITLES_MAX;
	t->titled_bytes_left = TITLED_BYTES_MAX;
	CFS_HTML(out, "<div class='wide$' tabindex='0' role='region' "
		 "aria-label='Entries'>\n<table id='entries'>\n<thead><tr>\n",
		 t->has_pages ? "" : " names");
	tree_columns(out, t);
	CFS_HTML(out, "</tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < CFS_PAGE_ROWS && at < t->n && rc == CFS_OK;
	     i++, at++)
		rc = tree_row_add(out, t, &t->v[at], &path);
	CFS_HTML(out, "</tbody>\n</table>\n</div>\n");
	return rc;
}

/* Appends a field for words on a host and those below it, if the crawl has a
 * list of words. */
static void tree_search(struct cfs_buf *out, const struct tree_page *t)
{
	const struct cfs_word_lists *lists;

	if (t->place.is_top || t->host.n == 0 ||
	    cfs_crawl_words(t->place.crawl, &lists,
			    CFS_CTX(t->ctx.cancel, NULL)) != CFS_OK)
		return;
	CFS_HTML(out, "<form class='on-host' action='$/search'>\n"
		 "<input type='hidden' name='in' value='words'>\n"
		 "<input type='hidden' name='host' value='*.$'>\n"
		 "<input type='search' name='q' required "
		 "aria-label='Words on this host' "
		 "placeholder='Words on this host'>\n"
		 "<button>Search</button>\n</form>\n", t->x->site->prefix,
		 &t->host);
}

/* Appends a field for a part of names, where there are some to choose from. */
static void tree_filter(struct cfs_buf *out, const struct tree_page *t)
{
	if (t->filter.n == 0 && t->seen < FILTERED_MIN)
		return;
	CFS_HTML(out, "<form class='on-host'>\n<input type='search' "
		 "name='filter' aria-label='Part of a name' "
		 "placeholder='Part of a name' value='$'>\n"
		 "<button class='second'>Filter</button>\n</form>\n",
		 &t->filter);
}

/* Appends a link to the captures below this folder as CDX. */
static void tree_cdx(struct cfs_buf *out, const struct tree_page *t,
		     struct cfs_slice rest)
{
	if (t->host.n == 0)
		return;
	CFS_HTML(out, "<a href='$/cdx?url=", t->x->site->prefix);
	if (t->by_host)
		CFS_HTML(out, "*.$", cfs_html_query(cfs_buf_slice(&t->host)));
	else
		CFS_HTML(out, "$/$$", cfs_html_query(cfs_buf_slice(&t->host)),
			 cfs_html_query(rest), rest.n > 0 ? "/*" : "*");
	CFS_HTML(out, "'>CDX</a>\n");
}

/* Appends a link to the pages of this host, or of those below this domain,
 * which can be filtered by what they are. */
static void tree_by_traits(struct cfs_buf *out, const struct tree_page *t)
{
	if (t->host.n > 0 && !t->place.is_top && !t->place.is_search)
		CFS_HTML(out, "<a href='$/search?host=$$'>By type, status, "
			 "year</a>\n", t->x->site->prefix,
			 CFS_HTML_IF(t->by_host, "*."),
			 cfs_html_query(cfs_buf_slice(&t->host)));
}

/* Appends links to all below this folder as one archive. */
static void tree_downloads(struct cfs_buf *out, const struct tree_page *t)
{
	CFS_BUF(path, PATH_MAX_BYTES);

	if (t->place.is_top || t->place.is_search)
		return;
	cfs_buf_add(&path, cfs_buf_slice(&t->path));
	cfs_buf_adds(&path, path.n > 0 ? "/" : "");
	cfs_page_downloads(out, t->x->site, "", cfs_buf_slice(&path));
}

/* Appends the number of rows, and the way to all of them. */
static void tree_count(struct cfs_buf *out, const struct tree_page *t,
		       struct cfs_slice rest)
{
	const char *one = t->by_host ? " host" : " entry";
	const char *several = t->by_host ? " hosts" : " entries";

	CFS_HTML(out, "<p class='note ways' role='status'><span>$$$",
		 cfs_html_figure(t->seen),
		 CFS_HTML_IF(t->has_more, " and more"),
		 t->seen == 1 ? one : several);
	if (t->filter.n > 0)
		CFS_HTML(out, " with \u201c$\u201d: <a href='?'>show all</a>",
			 cfs_html_short(cfs_buf_slice(&t->filter), 60));
	if (t->too_many)
		CFS_HTML(out, ": too many to be sorted in this way, so they "
			 "are in the order of names");
	CFS_HTML(out, ".</span>\n");
	tree_by_traits(out, t);
	tree_cdx(out, t, rest);
	tree_downloads(out, t);
	CFS_HTML(out, "</p>\n");
}

/* Says that folders are not only those of what is picked; a page of pages alone
 * needs no such words. */
static void tree_whole(struct cfs_buf *out, const struct tree_page *t)
{
	bool has_folder = false;

	for (size_t i = 0; i < t->n; i++)
		has_folder |= t->v[i].captures == 0;
	if (has_folder && !t->place.is_top && t->place.crawl->picked_by != 0)
		CFS_HTML(out, "<p class='note' id='whole'>Hosts, folders and "
			 "their numbers are those of the whole crawl: some "
			 "may have nothing$.</p>\n",
			 cfs_crawl_pick_suffix(t->place.crawl));
}

void cfs_page_tree_name(struct cfs_buf *out, const struct tree_page *t)
{
	struct cfs_slice path = cfs_slice_from(cfs_buf_slice(&t->path),
					       t->above_n);

	if (path.n == 0 && t->place.is_search)
		path = CFS_SLICE_LIT("Pages that match");
	else if (path.n == 0)
		path = CFS_SLICE_LIT("All pages");
	else if (!t->place.is_top && t->host.n > 0)
		path = cfs_buf_slice(&t->host);
	cfs_url_add_readable(path, out);
	if (t->rest.n > 0)
		cfs_buf_addc(out, '/');
	cfs_url_add_readable(t->rest, out);
}

void cfs_page_tree_heading(struct cfs_buf *out, const struct tree_page *t,
			   struct cfs_slice name)
{
	if (t->path.n > 0)
		cfs_page_trail(out, t->x->site, cfs_buf_slice(&t->path));
	CFS_HTML(out, "<h1>$</h1>\n<div class='tools'>\n", name);
	tree_search(out, t);
	tree_filter(out, t);
	CFS_HTML(out, "</div>\n");
	tree_count(out, t, t->rest);
	tree_whole(out, t);
	cfs_page_hole(out, &t->hole);
}
