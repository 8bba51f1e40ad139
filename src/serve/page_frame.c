/* page_frame.c - the frame of pages for people (see page_frame.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "page_frame.h"

#include <inttypes.h>
#include <string.h>

#include "base/hex.h"
#include "base/timestamp.h"
#include "config.h"
#include "dav_internal.h"
#include "routes.h"
#include "url/lenient_url.h"

/* The most pages of a list: what has more rows is not counted. */
#define PAGES_MAX ((uint64_t)1 << 32)
/* The most steps of a trail behind the host, and the longest one. */
#define STEPS_MAX 3u
#define STEP_CHARS 60u

/* ---- beginning and end --------------------------------------------------- */

static void frame_link(struct cfs_buf *out, const struct cfs_site *site,
		       const char *path, const char *text, const char *at)
{
	bool is_there = at != NULL && strcmp(at, path) == 0;

	CFS_HTML(out, "<a href='$$'$>$</a>\n", site->prefix, path,
		 CFS_HTML_IF(is_there, " aria-current='page'"), text);
}

static void frame_head(struct cfs_buf *out, const struct cfs_site *site,
		       const struct cfs_page_frame *f)
{
	CFS_BUF(refresh, CFS_REPLY_HEAD_MAX);

	if (f->refresh_seconds > 0)
		CFS_HTML(&refresh, "<meta http-equiv='refresh' content='$'>\n",
			 f->refresh_seconds);
	cfs_html_open(out, "<!DOCTYPE html>\n", cfs_buf_str(&refresh),
		      f->title);
	CFS_HTML(out, " \u2013 crawlfs</title>\n"
		 "<link rel='icon' href='data:,'>\n"
		 "<link rel='stylesheet' href='$/style.css'>\n"
		 "<link rel='search' "
		 "type='application/opensearchdescription+xml' "
		 "title='crawlfs' href='$/opensearch.xml'>\n</head>\n",
		 site->prefix, site->prefix);
}

void cfs_page_begin(struct cfs_buf *out, const struct cfs_site *site,
		    const struct cfs_page_frame *f)
{
	cfs_buf_init(out, CFS_REPLY_BODY_MAX);
	frame_head(out, site, f);
	CFS_HTML(out, "<body>\n<a class='skip' href='#main'>Skip to the content"
		 "</a>\n<header class='top'>\n<nav aria-label='Crawl'>\n");
	frame_link(out, site, "/", "Overview", f->at);
	frame_link(out, site, "/tree/", "Pages", f->at);
	CFS_HTML(out, "</nav>\n<form role='search' action='$/search'>\n"
		 "<input type='search' name='q' "
		 "aria-label='Words, URL or host' "
		 "placeholder='Words, URL or host' required value='$'>\n"
		 "<button>Find</button>\n</form>\n</header>\n"
		 "<main id='main'>\n", site->prefix, f->search);
	if (f->kind != NULL)
		CFS_HTML(out, "<p class='kind'>$</p>\n", f->kind);
}

int cfs_page_end(struct cfs_exchange *x, int rc, unsigned status,
		 struct cfs_buf *out)
{
	if (rc != CFS_OK) {
		cfs_buf_release(out);
		return rc;
	}
	CFS_HTML(out, "</main>\n<footer><p>crawlfs " PACKAGE_VERSION
		 ", read-only. What is archived is shown without its "
		 "scripts, and nothing is loaded from elsewhere.</p>"
		 "</footer>\n</body>\n</html>\n");
	return cfs_reply_page(x, status, "text/html; charset=utf-8", out);
}

/* ---- links --------------------------------------------------------------- */

/* p->of: the site; p->word: the route. */
static void add_url(struct cfs_buf *out, const struct cfs_html_part *p)
{
	const struct cfs_site *site = p->of;

	CFS_HTML(out, "$/$$", site->prefix, p->word, cfs_dav_href(p->text));
}

struct cfs_html_part cfs_page_url(const struct cfs_site *site,
				  const char *route, struct cfs_slice path)
{
	return (struct cfs_html_part){ .add = add_url, .of = site,
				       .word = route, .text = path };
}

static void add_search_url(struct cfs_buf *out, const struct cfs_html_part *p)
{
	const struct cfs_site *site = p->of;
	char at[CFS_TIME_14_BYTES];

	CFS_HTML(out, "$/search?q=$", site->prefix, cfs_html_query(p->text));
	cfs_time_format_14((int64_t)p->n, at);
	if (p->n != 0)
		CFS_HTML(out, "&amp;at=$", at);
}

struct cfs_html_part cfs_page_search_url(const struct cfs_site *site,
					 struct cfs_slice text, int64_t time)
{
	return (struct cfs_html_part){ .add = add_search_url, .of = site,
				       .text = text, .n = (uint64_t)time };
}

/* Takes the names off the front of *path that stand for no part of a URL: of
 * several crawls, and of a search. */
static void skip_to_hosts(const struct cfs_site *site, struct cfs_slice *path)
{
	unsigned names = site->n_crawls > 1;

	if (cfs_slice_starts(*path, CFS_SLICE_LIT(".crawlfs/search/")))
		names += 3;
	while (names-- > 0)
		cfs_slice_split(path, '/');
}

struct cfs_slice cfs_page_host(struct cfs_buf *out, const struct cfs_site *site,
			       struct cfs_slice path)
{
	struct cfs_slice rest, label;

	skip_to_hosts(site, &path);
	rest = path;
	while (rest.n > 0) {
		label = cfs_slice_split(&rest, '/');
		if (cfs_slice_eq(label, CFS_SLICE_LIT("_")))
			break;
		path.n = (size_t)(label.p + label.n - path.p);
	}
	cfs_path_reverse_labels(out, path, '/', '.');
	return rest;
}

void cfs_page_downloads(struct cfs_buf *out, const struct cfs_site *site,
			const char *what, struct cfs_slice path)
{
	static const char *const formats[] = { "wacz", "warc" };
	static const char *const names[] = { "WACZ", "WARC" };

	for (unsigned i = 0; i < 2 && site->download_bytes > 0; i++)
		CFS_HTML(out, "<a rel='nofollow' href='$?format=$'>$$</a>\n",
			 cfs_page_url(site, "download/", path), formats[i],
			 what, names[i]);
}

void cfs_page_place(struct cfs_buf *out, const struct cfs_site *site,
		    struct cfs_slice path)
{
	struct cfs_slice rest = cfs_page_host(out, site, path);

	if (rest.n > 0)
		cfs_buf_addc(out, '/');
	cfs_buf_add(out, rest);
}

/* Appends a step of the trail: a link to the folder that ends at `end`, by what
 * it is called; the last step is none. */
static void trail_step(struct cfs_buf *out, const struct cfs_site *site,
		       struct cfs_slice path, size_t end, struct cfs_slice name)
{
	if (end >= path.n && end > 0)
		CFS_HTML(out, "<li aria-current='page'>$</li>\n",
			 cfs_html_short(name, STEP_CHARS));
	else
		CFS_HTML(out, "<li><a href='$$'>$</a></li>\n",
			 cfs_page_url(site, "tree/",
				      cfs_slice_sub(path, 0, end)),
			 end > 0 ? "/" : "", cfs_html_short(name, STEP_CHARS));
}

/* Appends the steps behind the host; many are only the last ones. */
static void trail_names(struct cfs_buf *out, const struct cfs_site *site,
			struct cfs_slice path, struct cfs_slice rest)
{
	size_t names = 1;
	CFS_BUF(name, CFS_REPLY_HEAD_MAX);

	for (size_t i = 0; i < rest.n; i++)
		names += rest.p[i] == '/';
	for (; rest.n > 0; names--) {
		struct cfs_slice one = cfs_slice_split(&rest, '/');
		size_t end = (size_t)(one.p + one.n - path.p);

		if (names > STEPS_MAX + 1)
			continue;
		cfs_buf_reset(&name);
		cfs_url_add_readable(one, &name);
		trail_step(out, site, path, end, names == STEPS_MAX + 1 ?
			   CFS_SLICE_LIT("\u2026") : cfs_buf_slice(&name));
	}
}

void cfs_page_trail(struct cfs_buf *out, const struct cfs_site *site,
		    struct cfs_slice path)
{
	struct cfs_slice inner = path, rest;
	CFS_BUF(host, CFS_REPLY_HEAD_MAX);
	size_t begin;

	skip_to_hosts(site, &inner);
	begin = path.n - inner.n;
	rest = cfs_page_host(&host, site, path);
	CFS_HTML(out, "<nav class='trail' aria-label='Path'><ol>\n");
	trail_step(out, site, path, 0, CFS_SLICE_LIT("All pages"));
	if (begin > 0)		/* of several crawls, or of a search */
		trail_names(out, site, path,
			    cfs_slice_sub(path, 0, begin - (inner.n > 0)));
	if (host.n > 0)
		trail_step(out, site, path, path.n - rest.n - (rest.n > 0),
			   cfs_buf_slice(&host));
	trail_names(out, site, path, rest);
	CFS_HTML(out, "</ol></nav>\n");
}

static void add_marked(struct cfs_buf *out, const struct cfs_html_part *p)
{
	const struct cfs_mark *marks = p->of;
	size_t at = 0;

	for (uint64_t i = 0; i < p->n; i++) {
		size_t from = marks[i].from, to = marks[i].to;

		CFS_HTML(out, "$<mark>$</mark>",
			 cfs_slice_sub(p->text, at, from - at),
			 cfs_slice_sub(p->text, from, to - from));
		at = to;
	}
	cfs_html_text(out, cfs_slice_from(p->text, at));
}

struct cfs_html_part cfs_page_marked(struct cfs_slice text,
				     const struct cfs_mark *marks, size_t n)
{
	return (struct cfs_html_part){ .add = add_marked, .text = text,
				       .of = marks, .n = n };
}

int cfs_page_path(struct cfs_slice rest, struct cfs_buf *out)
{
	while (rest.n > 0 && rest.p[rest.n - 1] == '/')
		rest.n--;
	return cfs_percent_decode(rest, false, out);
}

void cfs_page_hole(struct cfs_buf *out, const struct cfs_error *hole)
{
	if (hole->code != CFS_OK)
		CFS_HTML(out, "<p class='problem' role='alert'>More may be "
			 "there: $$$.</p>\n", hole->where,
			 hole->where[0] != '\0' ? ": " : "", hole->text);
}

int cfs_page_lead(struct cfs_exchange *x, const char *route,
		  struct cfs_slice path)
{
	struct cfs_buf url;

	cfs_buf_init(&url, CFS_REPLY_HEAD_MAX);
	cfs_buf_addf(&url, "/%s", route);
	cfs_path_encode(path, &url);
	return cfs_reply_redirect(x, 302, &url);
}

int cfs_page_redirect(struct cfs_exchange *x, const char *route,
		      const char *end)
{
	struct cfs_slice rest = x->rest;
	struct cfs_buf url;

	while (rest.n > 0 && rest.p[rest.n - 1] == '/')
		rest.n--;
	cfs_buf_init(&url, CFS_REPLY_HEAD_MAX);
	cfs_buf_addf(&url, "/%s", route);
	cfs_buf_add(&url, rest);
	cfs_buf_adds(&url, end);
	return cfs_reply_redirect(x, 301, &url);
}

/* ---- lists in pages ------------------------------------------------------ */

int cfs_page_number(struct cfs_slice query, const char *name, uint64_t max,
		    uint64_t *out, struct cfs_error *err)
{
	CFS_BUF(text, query.n + 1);
	bool is_bad = false;

	if (cfs_query_get(query, name, &text) && text.n > 0)
		is_bad = cfs_slice_parse_u64(cfs_buf_slice(&text),
					     max > 0 ? max : PAGES_MAX, out) !=
				 CFS_OK ||
			 *out == 0;
	if (!is_bad)
		return CFS_OK;
	if (max == 0)
		return cfs_error_set(err, CFS_EUSAGE,
				     "%s: not a number from 1 on", name);
	return cfs_error_set(err, CFS_EUSAGE, "%s: not a number from 1 to %"
			     PRIu64, name, max);
}

int cfs_page_choice(struct cfs_slice query, const char *name,
		    const char *const *choices, unsigned n, unsigned *out,
		    struct cfs_error *err)
{
	CFS_BUF(text, query.n + 1);
	unsigned i = 0;

	if (cfs_query_get(query, name, &text) && text.n > 0)
		while (i < n && !cfs_slice_eq(cfs_buf_slice(&text),
					      cfs_slice_str(choices[i])))
			i++;
	*out = i < n ? i : 0;
	return i < n ? CFS_OK :
	       cfs_error_set(err, CFS_EUSAGE, "%s: %s", name, choices[n]);
}

static void pager_link(struct cfs_buf *out, struct cfs_slice query,
		       uint64_t page, const char *rel, const char *text)
{
	CFS_HTML(out, "<a href='?$page=$'", cfs_html_made(query), page);
	if (rel != NULL)
		CFS_HTML(out, " rel='$'", rel);
	CFS_HTML(out, ">$</a>\n", text);
}

void cfs_page_pager(struct cfs_buf *out, struct cfs_slice query, uint64_t page,
		    uint64_t last, bool has_more)
{
	if (page == 1 && !has_more)
		return;
	CFS_HTML(out, "<nav class='pager' aria-label='Pages of the list'>\n");
	if (page > 2)
		pager_link(out, query, 1, NULL, "First");
	if (page > 1)
		pager_link(out, query, page - 1, "prev", "Previous");
	CFS_HTML(out, "<span>Page $", cfs_html_figure(page));
	if (last > 0)
		CFS_HTML(out, " of $", cfs_html_figure(last));
	CFS_HTML(out, "</span>\n");
	if (has_more)
		pager_link(out, query, page + 1, "next", "Next");
	if (last > page + 1)
		pager_link(out, query, last, NULL, "Last");
	CFS_HTML(out, "</nav>\n");
}

int cfs_page_none(struct cfs_exchange *x, const char *list, uint64_t page,
		  uint64_t last, struct cfs_error *err)
{
	x->last_page = last > 0 ? last : 1;
	return cfs_error_set(err, CFS_ENOTFOUND, "the %s has no page %" PRIu64,
			     list, page);
}

int cfs_answer_style(struct cfs_exchange *x, struct cfs_ctx ctx)
{
	struct cfs_buf out;

	(void)ctx;
	cfs_buf_init(&out, CFS_REPLY_BODY_MAX);
	cfs_buf_adds(&out, cfs_html_style);
	cfs_reply_header(x, "Cache-Control", CFS_SLICE_LIT("max-age=300"));
	return cfs_reply_page(x, 200, "text/css; charset=utf-8", &out);
}
