/* page_results.c - the pages that a search has found, as a page for people and
 * as JSON.
 *
 * Only the results that are shown are looked at more closely: their titles are
 * those of .meta, their lines those of .txt.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "codec/json.h"
#include "crawl/captures.h"
#include "crawl/tree.h"
#include "page_frame.h"
#include "url/lenient_url.h"

/* Values of a facet that are shown. */
#define VALUES_SHOWN 10u
#define JSON_VALUES_MAX 100u
/* The longest title. */
#define TITLE_BYTES ((size_t)200)
#define PATH_MAX_BYTES (4 * (size_t)CFS_KEY_MAX)

static const char *const filter_titles[CFS_FILTERS] = {
	"Host", "Type", "Year", "Language", "Status" };

/* ---- one result ---------------------------------------------------------- */

/* A result as it is shown. */
struct shown_result {
	const struct cfs_result *r;
	struct cfs_crawl *crawl;
	struct cfs_entry *entry;
	struct cfs_buf url, path;
	uint64_t captures;		/* of the page, in all */
	struct cfs_preview preview;	/* title */
	struct cfs_file_bytes text;
	struct cfs_snippet snippets[CFS_SNIPPETS_MAX];
	unsigned n_snippets;
};

static int shown_begin(struct shown_result *s, struct cfs_error *err)
{
	*s = (struct shown_result){ .text.bytes = CFS_SLICE_EMPTY };
	cfs_buf_init(&s->url, 2 * CFS_KEY_MAX + 64);
	cfs_buf_init(&s->path, PATH_MAX_BYTES);
	cfs_preview_init(&s->preview);
	s->entry = cfs_entry_new(err);
	return s->entry != NULL ? CFS_OK : CFS_ENOMEM;
}

static void shown_end(struct shown_result *s)
{
	cfs_entry_free(s->entry);
	cfs_buf_release(&s->url);
	cfs_buf_release(&s->path);
	cfs_preview_release(&s->preview);
	cfs_file_bytes_release(&s->text);
}

/* Counts the captures of the page, and makes its path. */
static int find_page(struct shown_result *s, const struct cfs_site *site,
		     struct cfs_ctx ctx)
{
	const struct cfs_node file = { .type = CFS_NODE_FILE,
		.pos = s->r->pos, .view = CFS_VIEW_RAW };
	const struct cfs_captures *all;
	struct cfs_walk *w;
	int rc = cfs_walk_begin(&w, s->crawl, NULL, ctx);

	s->captures = s->r->captures;
	if (rc == CFS_OK)
		rc = cfs_index_split(s->crawl->index, s->entry->it.key,
				     &w->other);
	if (rc == CFS_OK)
		rc = cfs_captures_get(w, &w->other, &all);
	if (rc == CFS_OK && all->n > s->captures)
		s->captures = all->n;
	cfs_walk_end(w);
	if (rc != CFS_OK)
		return rc;
	cfs_site_add_crawl(site, s->r->source, &s->path);
	return cfs_tree_path(s->crawl, &file, &s->path, ctx);
}

/* Reads all that is shown of a result.  A capture that cannot be read is no
 * failure: s->preview.error says why. */
static int shown_load(struct shown_result *s, const struct cfs_page_search *f,
		      const struct cfs_result *r, struct cfs_ctx ctx)
{
	struct cfs_ctx own = CFS_CTX(ctx.cancel, &s->preview.error);
	int rc;

	s->r = r;
	s->crawl = f->site->crawls[r->source];
	rc = cfs_entry_read(s->crawl, r->pos, s->entry, own);
	if (rc == CFS_OK)
		rc = cfs_index_key_url(s->crawl->index, s->entry->it.key,
				       &s->entry->cap, &s->url);
	if (rc == CFS_OK)
		rc = find_page(s, f->site, own);
	if (rc == CFS_OK)
		rc = cfs_preview_load(&s->preview, s->crawl, r->pos, own);
	if (rc == CFS_OK)
		rc = cfs_preview_snippets(s->crawl, r->pos, f->results.query,
					  &s->text, s->snippets,
					  &s->n_snippets, own);
	if (rc == CFS_EINTR || rc == CFS_ENOMEM)
		return cfs_error_pass(ctx.err, &s->preview.error, rc);
	return CFS_OK;
}

/* Fetches from servers the records of all results that are shown, at the same
 * time.  What fails will fail again when it is read. */
static void fetch_shown(const struct cfs_page_search *f, struct cfs_ctx ctx)
{
	uint64_t from = (f->page - 1) * CFS_RESULTS_SHOWN;
	struct cfs_entry *e = cfs_entry_new(NULL);

	for (uint64_t i = from; e != NULL && i < f->results.n &&
				i < from + CFS_RESULTS_SHOWN; i++) {
		const struct cfs_result *r = &f->results.v[i];
		struct cfs_crawl *c = f->site->crawls[r->source];

		if (c->cache != NULL &&
		    cfs_entry_load(c, r->pos, e,
				   CFS_CTX(ctx.cancel, NULL)) == CFS_OK &&
		    e->cap.kind != CFS_KIND_ANNEX)
			cfs_store_prefetch(c->store, cfs_buf_slice(&e->archive),
					   &e->cap.loc);
	}
	cfs_entry_free(e);
}

/* Calls fn with the results of the page that is shown. */
static int each_shown(const struct cfs_page_search *f, void *arg,
		      void (*fn)(void *arg, const struct cfs_page_search *f,
				 const struct shown_result *s),
		      struct cfs_ctx ctx)
{
	uint64_t from = (f->page - 1) * CFS_RESULTS_SHOWN;
	struct shown_result s;
	int rc = CFS_OK;

	fetch_shown(f, ctx);
	for (uint64_t i = from; rc == CFS_OK && i < f->results.n &&
				i < from + CFS_RESULTS_SHOWN; i++) {
		rc = shown_begin(&s, ctx.err);
		if (rc == CFS_OK)
			rc = shown_load(&s, f, &f->results.v[i], ctx);
		if (rc == CFS_OK)
			fn(arg, f, &s);
		shown_end(&s);
	}
	return rc;
}

/* ---- links --------------------------------------------------------------- */

/* p->of: the search; p->n: the filter that has the value p->text instead. */
static void add_query(struct cfs_buf *out, const struct cfs_html_part *p)
{
	const struct cfs_page_search *f = p->of;

	CFS_HTML(out, "q=$", cfs_html_query(f->typed));
	for (unsigned i = 0; i < CFS_FILTERS; i++) {
		struct cfs_slice v = i == p->n ? p->text : f->filters[i];

		if (v.n > 0)
			CFS_HTML(out, "&amp;$=$", cfs_filter_names[i],
				 cfs_html_query(v));
	}
	CFS_HTML(out, "&amp;in=$$", f->is_of_names ? "names" : "words",
		 CFS_HTML_IF(f->wants_all, "&amp;all=1"));
}

/* The query of the search, with the value of one filter replaced (CFS_FILTERS:
 * none). */
static struct cfs_html_part search_query(const struct cfs_page_search *f,
					 unsigned facet, struct cfs_slice value)
{
	return (struct cfs_html_part){ .add = add_query, .of = f, .n = facet,
				       .text = value };
}

/* ---- HTML: results ------------------------------------------------------- */

static void add_address(struct cfs_buf *out, const struct cfs_html_part *p)
{
	struct cfs_slice rest = p->text, host;
	CFS_BUF(readable, 4 * (size_t)CFS_KEY_MAX);

	cfs_url_take_scheme(&rest);
	host = cfs_slice_sub(rest, 0, cfs_url_find_slash(rest, false));
	cfs_url_add_readable(cfs_slice_from(rest, host.n), &readable);
	CFS_HTML(out, "<b>$</b>$", host,
		 cfs_html_short(cfs_buf_slice(&readable), 200));
}

struct cfs_html_part cfs_page_address(struct cfs_slice url)
{
	return (struct cfs_html_part){ .add = add_address, .text = url };
}

/* The title of a result; without one, its URL. */
static struct cfs_slice shown_title(const struct shown_result *s)
{
	struct cfs_slice title = cfs_slice_trim(
		cfs_buf_slice(&s->preview.title));

	return title.n > 0 ? title : cfs_buf_slice(&s->url);
}

/* Appends the title with the words marked. */
static void html_title(struct cfs_buf *out, const struct cfs_page_search *f,
		       const struct shown_result *s)
{
	struct cfs_slice title = shown_title(s);
	struct cfs_mark marks[CFS_SNIPPET_MARKS_MAX];
	size_t n = 0;

	if (title.n <= TITLE_BYTES)
		cfs_marks_find(f->results.query, title, marks,
			       CFS_SNIPPET_MARKS_MAX, &n, NULL);
	CFS_HTML(out, "$", title.n <= TITLE_BYTES ?
		 cfs_page_marked(title, marks, n) :
		 cfs_html_short(title, TITLE_BYTES));
}

/* Appends the lines with the words, but for that of the title. */
static void html_snippets(struct cfs_buf *out, const struct shown_result *s)
{
	for (unsigned i = 0; i < s->n_snippets; i++) {
		const struct cfs_snippet *part = &s->snippets[i];

		if (cfs_slice_eq(cfs_slice_trim(part->text), shown_title(s)))
			continue;
		CFS_HTML(out, "<p class='snippet'>$$$</p>\n",
			 CFS_HTML_IF(part->is_cut_before, "\u2026 "),
			 cfs_page_marked(part->text, part->marks,
					 part->n_marks),
			 CFS_HTML_IF(part->is_cut_behind, " \u2026"));
	}
}

/* The line with the time, the number of captures and the type. */
static void html_facts(struct cfs_buf *out, const struct shown_result *s)
{
	struct cfs_slice mime = s->entry->cap.mime;

	CFS_HTML(out, "<p class='note'>$", cfs_html_time(s->entry->cap.time));
	if (s->captures > 1)
		CFS_HTML(out, " \u00b7 <span class='captures'>$</span>",
			 cfs_html_count(s->captures, "capture"));
	if (s->r->captures > 1 && s->r->captures < s->captures)
		CFS_HTML(out, ", $ of them with these words",
			 cfs_html_figure(s->r->captures));
	if (mime.n > 0 &&
	    !cfs_slice_eq_nocase(mime, CFS_SLICE_LIT("text/html")))
		CFS_HTML(out, " \u00b7 $", cfs_html_short(mime, 60));
	CFS_HTML(out, "</p>\n");
}

static void html_result(void *arg, const struct cfs_page_search *f,
			const struct shown_result *s)
{
	struct cfs_buf *out = arg;

	CFS_HTML(out, "<li>\n<h2>");
	if (s->path.n > 0)
		CFS_HTML(out, "<a href='$?q=$'>", cfs_page_url(f->site, "page/",
				cfs_buf_slice(&s->path)),
			 cfs_html_query(f->typed));
	html_title(out, f, s);
	CFS_HTML(out, "$</h2>\n<p class='address'>$</p>\n",
		 CFS_HTML_IF(s->path.n > 0, "</a>"),
		 cfs_page_address(cfs_buf_slice(&s->url)));
	html_facts(out, s);
	if (s->preview.error.code != CFS_OK)
		CFS_HTML(out, "<p class='problem'>This capture cannot be read: "
			 "$.</p>\n", s->preview.error.text);
	html_snippets(out, s);
	CFS_HTML(out, "</li>\n");
}

/* ---- HTML: filters ------------------------------------------------------- */

void cfs_page_search_chosen(struct cfs_buf *out,
			    const struct cfs_page_search *f)
{
	if (!cfs_page_search_filters(f))
		return;
	CFS_HTML(out, "<ul class='chosen' aria-label='Filters'>\n");
	for (unsigned i = 0; i < CFS_FILTERS; i++)
		if (f->filters[i].n > 0)
			CFS_HTML(out, "<li>$: $ <a href='?$'>any $</a></li>\n",
				 filter_titles[i],
				 cfs_html_short(f->filters[i], 80),
				 search_query(f, i, CFS_SLICE_EMPTY),
				 cfs_filter_names[i]);
	CFS_HTML(out, "</ul>\n");
}

static void html_facet(struct cfs_buf *out, const struct cfs_page_search *f,
		       enum cfs_facet facet)
{
	const struct cfs_facet_value *v;
	size_t n;

	v = cfs_results_values(&f->results, facet, &n);
	if (n <= 1)			/* nothing is narrowed by it */
		return;
	CFS_HTML(out, "<h2>$</h2>\n<ul class='found' id='by-$'>\n",
		 filter_titles[facet], cfs_filter_names[facet]);
	for (size_t i = 0; i < n && i < VALUES_SHOWN; i++)
		CFS_HTML(out, "<li><a href='?$'>$</a> <data class='note' "
			 "value='$'>$</data></li>\n",
			 search_query(f, facet, v[i].text),
			 cfs_html_short(v[i].text, 60), v[i].pages,
			 cfs_html_figure(v[i].pages));
	CFS_HTML(out, "</ul>\n");
	if (n > VALUES_SHOWN)
		CFS_HTML(out, "<p class='note'>and $ more</p>\n",
			 cfs_html_figure(n - VALUES_SHOWN));
}

void cfs_page_search_form(struct cfs_buf *out, const struct cfs_page_search *f)
{
	CFS_HTML(out, "<details>\n<summary>Filter by other values</summary>\n"
		 "<form class='filters' action='$/search'>\n"
		 "<input type='hidden' name='q' value='$'>\n"
		 "<input type='hidden' name='in' value='$'>\n",
		 f->site->prefix, f->typed, f->is_of_names ? "names" : "words");
	for (unsigned i = 0; i < CFS_FILTERS; i++)
		CFS_HTML(out, "<label>$ <input type='search' name='$' "
			 "value='$'></label>\n", filter_titles[i],
			 cfs_filter_names[i], f->filters[i]);
	CFS_HTML(out, "<button>Filter</button>\n</form>\n</details>\n");
}

static void html_filters(struct cfs_buf *out, const struct cfs_page_search *f)
{
	if (f->results.n == 0)
		return;
	CFS_HTML(out, "<aside id='filters' aria-label='Narrow the search'>\n");
	for (unsigned i = 0; i < CFS_FACETS; i++)
		html_facet(out, f, i);
	cfs_page_search_form(out, f);
	CFS_HTML(out, "</aside>\n");
}

/* ---- HTML: the page ------------------------------------------------------ */

/* Appends a sentence about captures that may be missing. */
static void html_lost(struct cfs_buf *out, const struct cfs_results *r)
{
	if (r->hole.code != CFS_OK)
		CFS_HTML(out, "<p class='problem' role='alert'>More may be "
			 "there: $.</p>\n", r->hole.text);
	else if (r->unread > 0)
		CFS_HTML(out, "<p class='problem' role='alert'>More may be "
			 "there: $ captures cannot be read.</p>\n",
			 cfs_html_figure(r->unread));
}

static void html_total(struct cfs_buf *out, const struct cfs_page_search *f)
{
	const struct cfs_results *r = &f->results;
	bool is_many = cfs_word_query_terms(r->query) > 1;
	struct cfs_page_search all = *f;

	CFS_HTML(out, "<p class='note' role='status'><data id='total' "
		 "value='$'>$</data>$ page$", r->n,
		 r->n > 0 ? cfs_html_figure(r->n) : CFS_HTML_PART("No"),
		 CFS_HTML_IF(r->has_more, " and more"),
		 CFS_HTML_IF(r->n > 1, "s"));
	if (r->captures > r->n)
		CFS_HTML(out, " with $ captures", cfs_html_figure(r->captures));
	CFS_HTML(out, " $$ this.", r->n > 1 ? "have" : "has",
		 CFS_HTML_IF(is_many, " all of"));
	all.wants_all = true;
	if (r->texts_left > 0)
		CFS_HTML(out, " <a href='?$'>Count all</a>",
			 search_query(&all, CFS_FILTERS, CFS_SLICE_EMPTY));
	CFS_HTML(out, "$</p>\n",
		 CFS_HTML_IF(r->n > 0, " <a class='to-filters' "
			     "href='#filters'>Narrow the search</a>"));
	html_lost(out, r);
}

/* Appends links to searches for words that are there. */
static void html_near(struct cfs_buf *out, const struct cfs_page_search *f)
{
	struct cfs_page_search other = *f;
	struct cfs_slice rest = cfs_buf_slice(&f->near);

	CFS_HTML(out, "$", CFS_HTML_IF(rest.n > 0, "<p id='near'>Did you mean "));
	while (rest.n > 0) {
		other.typed = cfs_slice_split(&rest, '\0');
		CFS_HTML(out, "<a href='?$'>$</a>$",
			 search_query(&other, CFS_FILTERS, CFS_SLICE_EMPTY),
			 cfs_html_short(other.typed, 100),
			 rest.n > 0 ? ", " : "");
	}
	CFS_HTML(out, "$$", CFS_HTML_IF(f->near.n > 0, "?</p>\n"),
		 CFS_HTML_IF(f->near.n + f->names.n + f->results.n == 0,
			     "<p class='note'>Words are looked for in the "
			     "texts of pages. A URL, its beginning with a * "
			     "behind it, or a host can be searched, too."
			     "</p>\n"));
}

static void html_names(struct cfs_buf *out, const struct cfs_page_search *f)
{
	if (f->names.n > 0)
		CFS_HTML(out, "<section id='names'>\n<h2>$</h2>\n"
			 "<ul class='found'>\n$</ul>\n</section>\n",
			 f->results.n > 0 ? "Named so" : "Names that contain it",
			 cfs_html_made(f->names));
}

void cfs_page_search_pager(struct cfs_buf *out,
			   const struct cfs_page_search *f, uint64_t last,
			   bool has_more)
{
	CFS_BUF(query, CFS_REPLY_HEAD_MAX);

	CFS_HTML(&query, "$&amp;",
		 search_query(f, CFS_FILTERS, CFS_SLICE_EMPTY));
	cfs_page_pager(out, cfs_buf_slice(&query), f->page, last, has_more);
}

int cfs_page_search_html(struct cfs_buf *out, const struct cfs_page_search *f,
		    struct cfs_ctx ctx)
{
	uint64_t last = cfs_page_search_pages(f);
	int rc;

	html_total(out, f);
	cfs_page_search_chosen(out, f);
	html_near(out, f);
	CFS_HTML(out, "<div class='results'>\n<div>\n");
	html_names(out, f);
	CFS_HTML(out, "<ol id='results' start='$'>\n",
		 (f->page - 1) * CFS_RESULTS_SHOWN + 1);
	rc = each_shown(f, out, html_result, ctx);
	CFS_HTML(out, "</ol>\n");
	cfs_page_search_pager(out, f, last, f->page < last);
	CFS_HTML(out, "</div>\n");
	html_filters(out, f);
	CFS_HTML(out, "</div>\n");
	return rc;
}

/* ---- JSON ---------------------------------------------------------------- */

static void json_part(struct cfs_json *j, struct cfs_slice text, size_t from,
		      size_t to)
{
	cfs_json_item(j);
	cfs_json_str(j, cfs_slice_sub(text, from, to - from));
}

/* Writes the parts of a line: plain and marked ones by turns. */
static void json_line(struct cfs_json *j, const struct cfs_snippet *line)
{
	size_t at = 0;

	cfs_json_begin(j, NULL, '{');
	cfs_json_put_uint(j, "line", line->line);
	cfs_json_begin(j, "parts", '[');
	for (size_t i = 0; i < line->n_marks; i++) {
		json_part(j, line->text, at, line->marks[i].from);
		json_part(j, line->text, line->marks[i].from,
			  line->marks[i].to);
		at = line->marks[i].to;
	}
	json_part(j, line->text, at, line->text.n);
	cfs_json_close(j, ']');
	cfs_json_close(j, '}');
}

static void json_result(void *arg, const struct cfs_page_search *f,
			const struct shown_result *s)
{
	const struct cfs_capture *cap = &s->entry->cap;
	struct cfs_slice languages = cap->languages;
	struct cfs_json *j = arg;

	(void)f;
	cfs_json_begin(j, NULL, '{');
	cfs_json_put_ascii(j, "url", cfs_buf_slice(&s->url),
			   CFS_JSON_ODD_PERCENT);
	cfs_json_put_ascii(j, "path", cfs_buf_slice(&s->path),
			   CFS_JSON_ODD_SURROGATE);
	if (s->preview.title.n > 0)
		cfs_json_put_str(j, "title", cfs_buf_slice(&s->preview.title));
	if (cap->time != 0)
		cfs_json_put_time(j, "timestamp", cap->time);
	if (cap->status != 0)
		cfs_json_put_uint(j, "status", cap->status);
	if (cap->mime.n > 0)
		cfs_json_put_str(j, "mime", cap->mime);
	if (languages.n > 0)
		cfs_json_put_words(j, "languages", languages, ',');
	cfs_json_put_uint(j, "captures", s->captures);
	cfs_json_put_uint(j, "matching", s->r->captures);
	if (s->preview.error.code != CFS_OK)
		cfs_json_put_str(j, "error",
				 cfs_slice_str(s->preview.error.text));
	cfs_json_begin(j, "lines", '[');
	for (unsigned i = 0; i < s->n_snippets; i++)
		json_line(j, &s->snippets[i]);
	cfs_json_close(j, ']');
	cfs_json_close(j, '}');
}

/* Writes the values of a facet as a member: "by_host". */
static void json_facet(struct cfs_json *j, const struct cfs_results *r,
		       enum cfs_facet facet)
{
	const struct cfs_facet_value *v;
	char key[32];
	size_t n;

	v = cfs_results_values(r, facet, &n);
	snprintf(key, sizeof(key), "by_%s", cfs_filter_names[facet]);
	cfs_json_begin(j, key, '[');
	for (size_t i = 0; i < n && i < JSON_VALUES_MAX; i++) {
		cfs_json_begin(j, NULL, '{');
		cfs_json_put_str(j, "key", v[i].text);
		cfs_json_put_uint(j, "pages", v[i].pages);
		cfs_json_close(j, '}');
	}
	cfs_json_close(j, ']');
}

/* Writes all but the results. */
static void json_figures(struct cfs_json *j, const struct cfs_page_search *f)
{
	const struct cfs_results *r = &f->results;

	cfs_json_put_str(j, "query", f->typed);
	cfs_json_put_uint(j, "pages", r->n);
	cfs_json_put_uint(j, "captures", r->captures);
	cfs_json_put_uint(j, "unread", r->unread);
	cfs_json_put_uint(j, "texts_left", r->texts_left);
	cfs_json_put_bool(j, "complete", !r->has_more && r->unread == 0 &&
			  r->hole.code == CFS_OK &&
			  f->no_words.code == CFS_OK);
	if (r->hole.code != CFS_OK)
		cfs_json_put_str(j, "message", cfs_slice_str(r->hole.text));
	else if (f->no_words.code != CFS_OK)
		cfs_json_put_str(j, "message",
				 cfs_slice_str(f->no_words.text));
	cfs_json_put_uint(j, "page", f->page);
	cfs_json_put_uint(j, "last_page", cfs_page_search_pages(f));
	for (unsigned i = 0; i < CFS_FACETS; i++)
		json_facet(j, r, i);
	if (f->near.n > 0)
		cfs_json_put_words(j, "near", cfs_buf_slice(&f->near), '\0');
}

int cfs_page_search_json(struct cfs_buf *out, const struct cfs_page_search *f,
			 struct cfs_ctx ctx)
{
	CFS_BUF(text, CFS_REPLY_BODY_MAX);
	struct cfs_json j = { .out = &text };
	int rc;

	cfs_json_begin(&j, NULL, '{');
	json_figures(&j, f);
	cfs_json_begin(&j, "results", '[');
	rc = each_shown(f, &j, json_result, ctx);
	cfs_json_close(&j, ']');
	cfs_json_close(&j, '}');
	cfs_buf_addc(&text, '\n');
	if (rc == CFS_OK && text.failed != CFS_OK)
		rc = cfs_error_nomem(ctx.err);
	cfs_json_add_escaped(out, cfs_buf_slice(&text));
	return rc;
}
