/* summary_html.c - a summary as a page with charts (see summary_print.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"

#include "summary_print.h"

#include <stdlib.h>

#include "base/timestamp.h"
#include "html_out.h"
#include "url/lenient_url.h"
#include "url/url.h"

/* Bars of a chart: what has more rows has them in its table. */
#define BARS_MAX 12u
/* Years that are columns; more are bars. */
#define COLUMNS_MAX 100u
/* Records that are shown at once; the others are folded. */
#define LARGEST_SHOWN 10u
/* Characters of their URLs. */
#define URL_SHOWN 200u
/* Links of the rows of a group, escaped. */
#define LINKS_MAX ((size_t)16 << 20)

static const struct {
	const char *id, *title, *keys, *about;
} by_texts[CFS_SUMMARY_BYS] = {
	{ "by-domain", "Domains", "domains", "Captures by domain" },
	{ "by-host", "Hosts", "hosts", "Captures by host" },
	{ "by-type", "Types", "media types", "Captures by media type" },
	{ "by-status", "Statuses", "statuses", "Captures by HTTP status" },
	{ "by-language", "Languages", "languages", "Captures by language" },
	{ "by-year", "Years", "years", "Captures by year" },
};

/* ---- totals -------------------------------------------------------------- */

static void html_total(struct cfs_buf *out, const char *id, const char *name,
		       uint64_t n, bool is_size)
{
	CFS_HTML(out, "<div><dt>$</dt><dd><data id='$' value='$'>$</data></dd>"
		 "</div>\n", name, id, n,
		 is_size ? cfs_html_size(n) : cfs_html_figure(n));
}

static void html_day(struct cfs_buf *out, const char *id, int64_t time)
{
	char iso[CFS_TIME_ISO_BYTES];
	struct cfs_slice s = cfs_slice_str(cfs_time_format_iso(time, iso));

	CFS_HTML(out, "<time id='$' datetime='$'>$</time>", id, s,
		 cfs_slice_sub(s, 0, 10));
}

static void html_totals(struct cfs_buf *out, const struct cfs_summary *s)
{
	CFS_HTML(out, "<dl class='totals'>\n");
	html_total(out, "captures", "captures", s->captures, false);
	html_total(out, "pages", "pages", s->pages, false);
	html_total(out, "hosts", "hosts", s->hosts, false);
	html_total(out, "domains", "domains", s->domains, false);
	html_total(out, "bytes", "stored", s->bytes, true);
	if (s->bodies > 0)
		html_total(out, "body-bytes", "served", s->body_bytes, true);
	CFS_HTML(out, "</dl>\n");
	if (s->first != 0) {
		CFS_HTML(out, "<p class='span'>Captured from ");
		html_day(out, "first", s->first);
		CFS_HTML(out, " to ");
		html_day(out, "last", s->last);
		CFS_HTML(out, ".</p>\n");
	} else if (s->captures == 0) {
		CFS_HTML(out, "<p class='span'>There are no captures.</p>\n");
	}
}

/* ---- groups -------------------------------------------------------------- */

static void html_table_row(struct cfs_buf *out,
			   const struct cfs_summary_row *row,
			   struct cfs_slice link, bool has_pages)
{
	CFS_HTML(out, "<tr><th scope='row'>");
	if (link.n > 0)
		CFS_HTML(out, "<a href='$'>$</a>", cfs_html_made(link),
			 row->key);
	else
		CFS_HTML(out, "$", row->key);
	CFS_HTML(out, "</th><td>$$", cfs_html_figure(row->captures),
		 row->lacks > 0 ? "+" : "");
	if (has_pages)
		CFS_HTML(out, "</td><td>$", cfs_html_figure(row->pages));
	CFS_HTML(out, "</td><td>$</td></tr>\n", cfs_html_size(row->bytes));
}

static void html_table(struct cfs_buf *out, enum cfs_summary_by by,
		       const struct cfs_summary_group *g, size_t n,
		       const struct cfs_html_bar *bars)
{
	bool has_pages = by == CFS_SUMMARY_DOMAIN || by == CFS_SUMMARY_HOST;

	CFS_HTML(out, "<details><summary>Figures</summary>\n<div class='wide' "
		 "tabindex='0' role='region' aria-label='$'><table>\n<thead>"
		 "<tr><th scope='col'>$</th><th scope='col'>captures</th>$"
		 "<th scope='col'>stored</th></tr></thead>\n<tbody>\n",
		 by_texts[by].about, cfs_summary_by_name(by),
		 CFS_HTML_IF(has_pages, "<th scope='col'>pages</th>"));
	for (size_t i = 0; i < n; i++)
		html_table_row(out, &g->v[i], bars[i].link, has_pages);
	CFS_HTML(out, "</tbody>\n</table></div></details>\n");
}

static void html_note(struct cfs_buf *out, const struct cfs_summary *s,
		      enum cfs_summary_by by, size_t shown)
{
	const struct cfs_summary_group *g = &s->by[by];

	CFS_HTML(out, "<p class='note'>");
	if (g->keys > shown)
		CFS_HTML(out, "The most frequent of $ $. ",
			 cfs_html_figure(g->keys), by_texts[by].keys);
	if (by == CFS_SUMMARY_DOMAIN && !s->has_suffixes)
		CFS_HTML(out, "By a plain rule, for there is no public suffix "
			 "list: two labels, or three below a country.");
	if (by == CFS_SUMMARY_HOST && s->strips_www)
		CFS_HTML(out, "Without the www. in front.");
	if (g->lacks > 0)
		CFS_HTML(out, "Too many to count all: what has fewer than $ "
			 "captures may be missing; + is at least.",
			 cfs_html_figure(g->lacks + 1));
	CFS_HTML(out, "</p>\n");
}

/* Makes the bars of a group's rows; links are kept in *links. */
static struct cfs_html_bar *html_make_bars(
	const struct cfs_summary_print_opts *opts, enum cfs_summary_by by,
	const struct cfs_summary_group *g, size_t n, struct cfs_buf *links)
{
	struct cfs_html_bar *v = calloc(n + 1, sizeof(*v));
	size_t at = 0;

	if (v == NULL)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		size_t before = links->n;

		v[i].key = g->v[i].key;
		v[i].count = g->v[i].captures;
		v[i].keeps_end = by == CFS_SUMMARY_DOMAIN ||
				 by == CFS_SUMMARY_HOST;
		if (opts->link != NULL)
			opts->link(opts->arg, by, v[i].key, links);
		v[i].link.n = links->n - before;
	}
	for (size_t i = 0; i < n; i++) {
		size_t bytes = v[i].link.n;

		v[i].link = cfs_slice_sub(cfs_buf_slice(links), at, bytes);
		at += bytes;
	}
	return v;
}

/* True if a group says nothing: one value, which is not known or is told
 * elsewhere. */
static bool is_vain(const struct cfs_summary_group *g, enum cfs_summary_by by)
{
	return g->n == 0 || (g->n == 1 &&
		(by == CFS_SUMMARY_YEAR ||
		 cfs_slice_eq(g->v[0].key, CFS_SUMMARY_UNKNOWN)));
}

/* The number of a year, or -1. */
static int year_of(const struct cfs_html_bar *b)
{
	uint64_t year;

	return cfs_slice_parse_u64(b->key, 9999, &year) == CFS_OK ? (int)year :
								   -1;
}

/* Puts room for the years without captures between the others, at least one, if
 * all are few.  Returns how many columns there are then; *bars may be
 * replaced. */
static size_t fill_years(struct cfs_html_bar **bars, size_t n)
{
	struct cfs_html_bar *v = *bars, *all;
	size_t at = 0, first = year_of(&v[0]) < 0, columns;

	columns = first + (size_t)(year_of(&v[n - 1]) - year_of(&v[first])) + 1;
	if (columns > COLUMNS_MAX)
		return n;
	all = calloc(columns, sizeof(*all));
	if (all == NULL)
		return n;
	for (size_t i = 0; i < n; i++) {
		if (i > first)
			at += (size_t)(year_of(&v[i]) - year_of(&v[i - 1]));
		else
			at = i;
		all[at] = v[i];
	}
	free(v);
	*bars = all;
	return columns;
}

static void html_time(struct cfs_buf *out, const struct cfs_summary *s,
		      const struct cfs_summary_print_opts *opts)
{
	bool has_months = s->months.n > 1;
	const struct cfs_summary_group *g = has_months ?
		&s->months : &s->by[CFS_SUMMARY_YEAR];
	const char *id = has_months ? "by-month" : "by-year";
	struct cfs_html_bar *bars;
	size_t n;
	CFS_BUF(links, LINKS_MAX);

	if (is_vain(g, CFS_SUMMARY_YEAR))
		return;
	bars = html_make_bars(opts, CFS_SUMMARY_YEAR, g, g->n, &links);
	if (bars == NULL || links.failed != CFS_OK) {
		out->failed = CFS_ENOMEM;
	} else {
		n = has_months ? g->n : fill_years(&bars, g->n);
		CFS_HTML(out, "<section id='$' class='full'>\n<h2>$</h2>\n", id,
			 has_months ? "Months" : "Years");
		if (n <= COLUMNS_MAX)
			cfs_html_columns(out, id, "Captures by time", bars,
					 n, s->captures);
		else
			cfs_html_bars(out, id, "Captures by time", bars, g->n,
				      s->captures);
		CFS_HTML(out, "</section>\n");
	}
	free(bars);
}

static void html_group(struct cfs_buf *out, const struct cfs_summary *s,
		       enum cfs_summary_by by,
		       const struct cfs_summary_print_opts *opts)
{
	const struct cfs_summary_group *g = &s->by[by];
	size_t n = g->n <= opts->top ? g->n : opts->top, shown = n;
	struct cfs_html_bar *bars;
	CFS_BUF(links, LINKS_MAX);

	if (is_vain(g, by))
		return;
	if (n > BARS_MAX)
		shown = BARS_MAX;
	bars = html_make_bars(opts, by, g, n, &links);
	if (bars == NULL || links.failed != CFS_OK) {
		out->failed = CFS_ENOMEM;
	} else {
		CFS_HTML(out, "<section id='$'>\n<h2>$</h2>\n",
			 by_texts[by].id, by_texts[by].title);
		html_note(out, s, by, shown);
		cfs_html_bars(out, by_texts[by].id, by_texts[by].about, bars,
			      shown, s->captures);
		html_table(out, by, g, n, bars);
		CFS_HTML(out, "</section>\n");
	}
	free(bars);
}

/* ---- records, and the page ----------------------------------------------- */

static void html_record(struct cfs_buf *out, const struct cfs_summary_record *r,
			const struct cfs_summary_print_opts *opts)
{
	struct cfs_html_part shown;
	CFS_BUF(url, 4 * (size_t)CFS_URL_MAX);

	cfs_url_add_readable(r->url, &url);
	shown = cfs_html_short(cfs_buf_slice(&url), URL_SHOWN);
	CFS_HTML(out, "<tr><td><data value='$'>$</data></td><td class='url'>",
		 r->bytes, cfs_html_size(r->bytes));
	if (opts->link_record != NULL && r->url.n > 0) {
		CFS_HTML(out, "<a href='");
		opts->link_record(opts->arg, r, out);
		CFS_HTML(out, "'>$</a>", shown);
	} else {
		CFS_HTML(out, "$", shown);
	}
	CFS_HTML(out, "</td><td>$</td><td>$</td></tr>\n", r->mime,
		 cfs_html_day(r->time));
}

static void html_records(struct cfs_buf *out, const struct cfs_summary *s,
			 size_t from, size_t to,
			 const struct cfs_summary_print_opts *opts)
{
	CFS_HTML(out, "<div class='wide' tabindex='0' role='region' "
		 "aria-label='$'><table>\n<thead><tr><th scope='col'>stored"
		 "</th><th scope='col'>URL</th><th scope='col'>type</th>"
		 "<th scope='col'>captured</th></tr></thead>\n<tbody>\n",
		 from > 0 ? "More records" : "Largest records");
	for (size_t i = from; i < to; i++)
		html_record(out, &s->largest[i], opts);
	CFS_HTML(out, "</tbody>\n</table></div>\n");
}

static void html_largest(struct cfs_buf *out, const struct cfs_summary *s,
			 const struct cfs_summary_print_opts *opts)
{
	size_t n = s->n_largest < opts->top ? s->n_largest : opts->top;
	size_t shown = n < LARGEST_SHOWN ? n : LARGEST_SHOWN;

	if (n == 0)
		return;
	CFS_HTML(out, "<section id='largest' class='full'>\n"
		 "<h2>Largest records</h2>\n");
	html_records(out, s, 0, shown, opts);
	if (shown < n) {
		CFS_HTML(out, "<details><summary>$ more</summary>\n",
			 n - shown);
		html_records(out, s, shown, n, opts);
		CFS_HTML(out, "</details>\n");
	}
	CFS_HTML(out, "</section>\n");
}

void cfs_summary_html_main(const struct cfs_summary *s,
			   const struct cfs_summary_print_opts *opts,
			   struct cfs_buf *out)
{
	static const enum cfs_summary_by order[] = {
		CFS_SUMMARY_DOMAIN, CFS_SUMMARY_HOST, CFS_SUMMARY_TYPE,
		CFS_SUMMARY_STATUS, CFS_SUMMARY_LANGUAGE };

	html_totals(out, s);
	CFS_HTML(out, "<div class='cards'>\n");
	html_time(out, s, opts);
	for (unsigned i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		html_group(out, s, order[i], opts);
	html_largest(out, s, opts);
	CFS_HTML(out, "</div>\n");
}

void cfs_summary_html(const struct cfs_summary *s,
		      const struct cfs_summary_print_opts *opts,
		      struct cfs_buf *out)
{
	struct cfs_slice name = cfs_slice_str(opts->name);

	cfs_html_open(out, CFS_SUMMARY_HTML_MARK, "<meta http-equiv=\"Content-"
		       "Security-Policy\" content=\"default-src 'none'; "
		       "style-src 'unsafe-inline'\">\n", name);
	CFS_HTML(out, "</title>\n<style>\n$</style>\n</head>\n<body>\n<main>\n"
		 "<p class='kind'>Crawl</p>\n<h1>$</h1>\n",
		 cfs_html_made(cfs_slice_str(cfs_html_style)), name);
	cfs_summary_html_main(s, opts, out);
	CFS_HTML(out, "</main>\n<footer><p>Counted by crawlfs "
		 PACKAGE_VERSION " from the index; no archive was read.</p>"
		 "</footer>\n</body>\n</html>\n");
}
