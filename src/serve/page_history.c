/* page_history.c - all captures of a page: bars by year, the months of a year
 * with their days, and a list, of which two are chosen to be compared.
 *
 * A page may have half a million captures.  Bars and months are made of their
 * times, which are in memory (crawl/captures.h); entries are read for the rows
 * of the list alone.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>

#include "base/timestamp.h"
#include "page_captures_internal.h"

/* Bars: the last years that have captures.  Fifteen have room at 320 pixels. */
#define YEARS_MAX 60u
/* Years that are written below the bars of a narrow window, and of any. */
#define LABELS_NARROW 5u
#define LABELS_WIDE 20u
/* The height of the bars, and all together, in pixels. */
#define BARS_HIGH 64u
#define CHART_HIGH 92u
/* Days of so many captures, and more, are coloured as such. */
#define DAY_SOME 2u
#define DAY_MANY 5u

static const char *const month_names[] = {
	"January", "February", "March", "April", "May", "June", "July",
	"August", "September", "October", "November", "December" };

/* ---- by time ------------------------------------------------------------- */

/* The number of the capture that is `at` by time. */
static uint64_t number_at(const struct cfs_history *h, uint64_t at)
{
	return h->order != NULL ? h->order[at] : at;
}

uint64_t cfs_history_number(const struct cfs_history *h, uint64_t at)
{
	uint64_t k = number_at(h, at);

	return k == h->all->preferred_number ? 0 :
	       k + 1 - (k > h->all->preferred_number);
}

static const struct cfs_kept_capture *kept_at(const struct cfs_history *h,
					      uint64_t at)
{
	return &h->all->v[number_at(h, at) >> h->all->shift];
}

static int64_t time_at(const struct cfs_history *h, uint64_t at)
{
	return kept_at(h, at)->time;
}

/* The first capture that is not before a time. */
static uint64_t first_since(const struct cfs_history *h, int64_t time)
{
	uint64_t low = 0, high = h->all->n;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (time_at(h, middle) < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Those of a month, or (0) of a whole year. */
static void find_period(const struct cfs_history *h, int year, int month,
			uint64_t *from, uint64_t *to)
{
	int next_year = year + (month == 0 || month == 12);
	int next_month = month == 0 || month == 12 ? 1 : month + 1;

	*from = first_since(h, cfs_time_from_utc(year, month > 0 ? month : 1,
						 1, 0, 0, 0));
	*to = first_since(h, cfs_time_from_utc(next_year, next_month, 1, 0, 0,
					       0));
	if (*to < *from)
		*to = *from;
}

/* Numbers mostly are by time; if not, those of many captures are in order
 * already, and those of few are put in order here. */
static void find_order(struct cfs_history *h)
{
	const struct cfs_captures *all = h->all;
	size_t sorted = 1;

	while (sorted < all->n_v &&
	       all->v[sorted - 1].time <= all->v[sorted].time)
		sorted++;
	if (sorted >= all->n_v || all->shift > 0)
		return;
	h->order = all->by_time;
	if (h->order != NULL || all->n_v > CFS_CAPTURES_FEW)
		return;
	for (uint32_t i = 0; i < all->n_v; i++) {
		uint32_t to = i;

		for (; to > 0 && all->v[h->few[to - 1]].time > all->v[i].time;
		     to--)
			h->few[to] = h->few[to - 1];
		h->few[to] = i;
	}
	h->order = h->few;
}

static int find_shown(struct cfs_captures_page *p)
{
	struct cfs_history *h = &p->history;
	uint64_t number;
	int rc = cfs_captures_number(p->walk, h->all, &p->walk->child,
				     p->place.node.pos, &number);

	h->shown = number;
	for (uint64_t at = 0; rc == CFS_OK && h->order != NULL &&
			      at < h->all->n; at++)
		if (h->order[at] == number)
			h->shown = at;
	if (rc == CFS_OK && number >= h->all->n)
		rc = cfs_error_set(p->ctx.err, CFS_ENOTFOUND,
				   "the page has no captures there");
	return rc;
}

/* ---- the list ------------------------------------------------------------ */

/* The number of pages of the list. */
static uint64_t last_page(const struct cfs_history *h)
{
	return (h->to - h->from + CFS_HISTORY_ROWS - 1) / CFS_HISTORY_ROWS;
}

/* Finds the captures of the period, and the page of the list: that of the
 * capture that is shown, unless another is asked for. */
static int take_query(struct cfs_captures_page *p)
{
	struct cfs_history *h = &p->history;
	struct cfs_slice query = p->x->query;
	uint64_t year = 0, month = 0;
	int rc = cfs_page_number(query, "year", 9999, &year, p->ctx.err);

	if (rc == CFS_OK)
		rc = cfs_page_number(query, "month", 12, &month, p->ctx.err);
	if (rc == CFS_OK)
		rc = cfs_page_number(query, "page", 0, &h->page, p->ctx.err);
	if (rc != CFS_OK)
		return rc;
	h->to = h->all->n;
	if (year > 0) {
		h->year = (int)year;
		h->month = (int)month;
		find_period(h, h->year, h->month, &h->from, &h->to);
	}
	if (h->page == 0 && h->shown >= h->from && h->shown < h->to)
		h->page = (h->shown - h->from) / CFS_HISTORY_ROWS + 1;
	else if (h->page == 0)
		h->page = 1;
	if (h->page > 1 && h->page > last_page(h))
		rc = cfs_page_none(p->x, "list", h->page, last_page(h),
				   p->ctx.err);
	return rc;
}

static int read_entry(struct cfs_captures_page *p, uint64_t at,
		      struct cfs_entry *e)
{
	cfs_pos pos;
	int rc = cfs_captures_pos(p->walk, p->history.all, &p->walk->child,
				  number_at(&p->history, at), &pos);

	return rc == CFS_OK ? cfs_entry_read(p->place.crawl, pos, e, p->ctx) :
			      rc;
}

/* Adds a row.  before: the digest of the capture before it, or empty; it
 * becomes that of this one. */
static int add_row(struct cfs_captures_page *p, uint64_t at,
		   struct cfs_entry *e, struct cfs_buf *before)
{
	struct cfs_history *h = &p->history;
	struct cfs_history_row *row = &h->v[h->n_v];
	int rc = read_entry(p, at, e);

	if (rc != CFS_OK)
		return rc;
	h->n_v++;
	row->at = at;
	row->number = cfs_history_number(h, at);
	row->time = e->cap.time;
	row->status = e->cap.status;
	row->bytes = e->cap.loc.length;
	row->is_revisit = e->cap.kind == CFS_KIND_REVISIT;
	row->is_same = e->cap.digest.n > 0 &&
		       cfs_slice_eq(e->cap.digest, cfs_buf_slice(before));
	cfs_buf_init(&row->mime, CFS_KEY_MAX);
	cfs_buf_add(&row->mime, e->cap.mime);
	cfs_buf_reset(before);
	cfs_buf_add(before, e->cap.digest);
	return CFS_OK;
}

/* The captures that are chosen to be compared at first: the one that is shown
 * and the one before it. */
static uint64_t older_chosen(const struct cfs_history *h)
{
	return h->shown > 0 ? h->shown - 1 : 0;
}

static bool is_chosen(const struct cfs_history *h, uint64_t at)
{
	return h->all->n > 1 && at >= older_chosen(h) &&
	       at <= older_chosen(h) + 1;
}

/* Reads the rows of the page of the list; those that are chosen are in each. */
static int read_rows(struct cfs_captures_page *p)
{
	struct cfs_history *h = &p->history;
	uint64_t from = h->from + (h->page - 1) * CFS_HISTORY_ROWS;
	uint64_t to = from + CFS_HISTORY_ROWS, at = older_chosen(h);
	struct cfs_entry *e = cfs_entry_new(p->ctx.err);
	CFS_BUF(digest, CFS_KEY_MAX);
	int rc = e != NULL ? CFS_OK : CFS_ENOMEM;

	h->v = calloc(CFS_HISTORY_ROWS + CFS_HISTORY_CHOSEN, sizeof(*h->v));
	if (h->v == NULL)
		rc = cfs_error_nomem(p->ctx.err);
	if (to > h->to)
		to = h->to;
	for (unsigned i = 0; i < CFS_HISTORY_CHOSEN && rc == CFS_OK; i++, at++)
		if (is_chosen(h, at) && (at < from || at >= to))
			rc = add_row(p, at, e, &digest);
	cfs_buf_reset(&digest);
	if (rc == CFS_OK && from > 0 && from < to) {
		rc = read_entry(p, from - 1, e);
		if (rc == CFS_OK)
			cfs_buf_add(&digest, e->cap.digest);
	}
	for (at = from; at < to && rc == CFS_OK; at++)
		rc = add_row(p, at, e, &digest);
	cfs_entry_free(e);
	return rc;
}

int cfs_history_load(struct cfs_captures_page *p,
		     const struct cfs_captures *all)
{
	int rc;

	p->history.all = all;
	find_order(&p->history);
	rc = find_shown(p);
	return rc == CFS_OK ? take_query(p) : rc;
}

void cfs_history_release(struct cfs_history *h)
{
	for (size_t i = 0; i < h->n_v; i++)
		cfs_buf_release(&h->v[i].mime);
	free(h->v);
}

/* ---- years --------------------------------------------------------------- */

struct year_bar {
	int year;
	uint64_t n, other;		/* other: with another status */
};

struct year_chart {
	struct year_bar v[YEARS_MAX];
	unsigned n;
	uint64_t most;			/* captures of a year */
	bool has_other;
	int first, last;
};

static int year_of(int64_t time)
{
	int year, month, day;

	cfs_time_to_date(time, &year, &month, &day);
	return year;
}

static bool is_other(const struct cfs_captures_page *p, uint64_t at)
{
	return p->place.crawl->index->has_status &&
	       !cfs_kept_is_good(kept_at(&p->history, at));
}

/* Counts the captures whose time is known, from the last year on, until there
 * is no room for more. */
static void count_years(const struct cfs_captures_page *p, struct year_chart *c)
{
	const struct cfs_history *h = &p->history;
	uint64_t known = first_since(h, 1), to = h->all->n;
	uint64_t step = UINT64_C(1) << h->all->shift;

	while (to > known && c->n < YEARS_MAX) {
		struct year_bar *bar = &c->v[c->n++];
		uint64_t from, end;

		bar->year = year_of(time_at(h, to - 1));
		find_period(h, bar->year, 0, &from, &end);
		if (from < known)
			from = known;
		if (from >= to)		/* a sample out of order */
			from = to - 1;
		bar->n = to - from;
		for (uint64_t at = from; at < to; at += step)
			bar->other += is_other(p, at) ? step : 0;
		to = from;
		c->has_other = c->has_other || bar->other > 0;
		if (bar->n > c->most)
			c->most = bar->n;
	}
	if (c->n == 0)
		return;
	c->last = c->v[0].year;
	c->first = c->v[c->n - 1].year;
	/* years without captures have their places, unless they are many */
	if (c->last - c->first >= (int)YEARS_MAX)
		c->first = c->last = 0;
}

static void bar_rect(struct cfs_buf *out, const char *kind, double x,
		     double width, uint64_t from, uint64_t n, uint64_t most)
{
	double high = BARS_HIGH * (double)n / (double)most;
	double down = BARS_HIGH * (double)from / (double)most;

	if (n > 0)
		CFS_HTML(out, "<rect class='$' x='$%' y='$' width='$%' "
			 "height='$'", kind, cfs_html_decimal(x, 2),
			 cfs_html_decimal(BARS_HIGH + 6 - down - high, 1),
			 cfs_html_decimal(width, 2), cfs_html_decimal(high, 1));
}

static void year_label(struct cfs_buf *out, int year, double x, unsigned i,
		       unsigned n)
{
	const char *anchor = "middle";

	if (n > LABELS_NARROW && (i == 0 || i + 1 == n)) {
		anchor = i == 0 ? "end" : "start";	/* inside the chart */
		x = i == 0 ? 100 : 0;
	}
	if (i % (n / LABELS_WIDE + 1) == 0)
		CFS_HTML(out, "<text$ x='$%' y='$' text-anchor='$'>$</text>",
			 CFS_HTML_IF(i % (n / LABELS_NARROW + 1) != 0,
				     " class='more'"), cfs_html_decimal(x, 2),
			 CHART_HIGH - 4, anchor, year);
}

/* i: from the right, as the last year is the one that always has a label. */
static void year_bar(struct cfs_buf *out, const struct cfs_history *h,
		     const struct year_chart *c, const struct year_bar *bar,
		     unsigned i, unsigned n)
{
	double step = 100.0 / n, x = step * (n - 1 - i);
	bool is_shown = year_of(time_at(h, h->shown)) == bar->year;

	CFS_HTML(out, "<a href='?year=$#history'$$ aria-label='$: $ capture$$'"
		 "><title>$: $</title>", bar->year,
		 CFS_HTML_IF(bar->year == h->year, " class='chosen'"),
		 CFS_HTML_IF(is_shown, " aria-current='true'"), bar->year,
		 cfs_html_figure(bar->n), CFS_HTML_IF(bar->n != 1, "s"),
		 is_shown ? ", one of them shown" : "", bar->year,
		 cfs_html_figure(bar->n));
	bar_rect(out, "hit", x, step, 0, c->most, c->most);
	CFS_HTML(out, "/>");
	bar_rect(out, "bar", x + step * .1, step * .8, 0, bar->n, c->most);
	CFS_HTML(out, " data-key='$' data-count='$'/>", bar->year, bar->n);
	bar_rect(out, "other", x + step * .1, step * .8, bar->n - bar->other,
		 bar->other, c->most);
	CFS_HTML(out, "$", CFS_HTML_IF(bar->other > 0, "/>"));
	year_label(out, bar->year, x + step / 2, i, n);
	CFS_HTML(out, "</a>\n");
}

static void years_chart(struct cfs_buf *out, const struct cfs_captures_page *p)
{
	struct year_chart c = { .n = 0 };
	unsigned n;

	count_years(p, &c);
	if (c.n == 0 || p->history.all->n == 1)
		return;
	n = c.last > 0 ? (unsigned)(c.last - c.first + 1) : c.n;
	CFS_HTML(out, "<svg id='years' role='group' "
		 "aria-label='Captures by year' width='100%' height='$'>\n"
		 "<line class='axis' x1='0' x2='100%' y1='$' y2='$'/>\n",
		 CHART_HIGH, BARS_HIGH + 7, BARS_HIGH + 7);
	for (unsigned i = c.n; i-- > 0;)
		year_bar(out, &p->history, &c, &c.v[i], c.last > 0 ?
			 (unsigned)(c.last - c.v[i].year) : i, n);
	CFS_HTML(out, "</svg>\n$",
		 CFS_HTML_IF(c.has_other, "<p class='note'>The tops of bars: "
			     "captures with another status than 200.</p>\n"));
}

/* ---- months -------------------------------------------------------------- */

struct day_count {
	uint64_t n;
	int64_t time;			/* of the first one, if possible good */
	bool is_good;
};

static void count_days(const struct cfs_captures_page *p, uint64_t from,
		       uint64_t to, struct day_count days[12][31])
{
	uint64_t step = UINT64_C(1) << p->history.all->shift;

	for (; from < to; from += step) {
		int64_t time = time_at(&p->history, from);
		bool is_good = !is_other(p, from);
		int year, month, day;
		struct day_count *d;

		cfs_time_to_date(time, &year, &month, &day);
		d = &days[month - 1][day - 1];
		if (d->n == 0 || (is_good && !d->is_good)) {
			d->time = time;
			d->is_good = is_good;
		}
		d->n += step;
	}
}

/* The days are a comfort of the mouse, whose captures the list has: keys and
 * screen readers pass them. */
static void month_days(struct cfs_buf *out, const struct day_count days[31],
		       int year, int month, int64_t shown)
{
	int64_t first = cfs_time_from_utc(year, month, 1, 0, 0, 0) / 86400;
	int last = cfs_time_month_days(year, month);
	char at[CFS_TIME_14_BYTES];

	/* 1970 began on a Thursday */
	CFS_HTML(out, "<div class='days o$' aria-hidden='true'>",
		 (first + 3) % 7 + 1);
	for (int i = 0; i < last; i++) {
		const struct day_count *d = &days[i];
		int kind = 1 + (d->n >= DAY_SOME) + (d->n >= DAY_MANY);

		cfs_time_format_14(d->time, at);
		if (d->n > 0)
			CFS_HTML(out, "<a tabindex='-1' class='c$$$' "
				 "href='?at=$'>$</a>", kind,
				 CFS_HTML_IF(!d->is_good, " other"),
				 CFS_HTML_IF(first + i == shown / 86400,
					     " now"), at, i + 1);
		else
			CFS_HTML(out, "<i>$</i>", i + 1);
	}
	CFS_HTML(out, "</div>");
}

static void months_calendar(struct cfs_buf *out,
			    const struct cfs_captures_page *p)
{
	const struct cfs_history *h = &p->history;
	int64_t shown = time_at(h, h->shown);
	int year = h->year > 0 ? h->year : year_of(shown);
	struct day_count days[12][31] = { { { .n = 0 } } };
	uint64_t from, to;

	if (h->all->n <= CFS_HISTORY_ROWS || year < 1970)
		return;
	find_period(h, year, 0, &from, &to);
	if (from < first_since(h, 1))
		from = first_since(h, 1);
	count_days(p, from, to, days);
	CFS_HTML(out, "<h3>$</h3>\n<ol id='months'>\n", year);
	for (int m = 1; m <= 12; m++) {
		uint64_t n = 0;

		for (unsigned d = 0; d < 31; d++)
			n += days[m - 1][d].n;
		CFS_HTML(out, "<li$><p>",
			 CFS_HTML_IF(m == h->month, " class='chosen'"));
		if (n > 0)
			CFS_HTML(out, "<a href='?year=$&amp;month=$#history'>$"
				 "</a> <span class='note'>$</span>", year, m,
				 month_names[m - 1], n);
		else
			CFS_HTML(out, "$", month_names[m - 1]);
		CFS_HTML(out, "</p>");
		month_days(out, days[m - 1], year, m, shown);
		CFS_HTML(out, "</li>\n");
	}
	CFS_HTML(out, "</ol>\n");
}

/* ---- the table ----------------------------------------------------------- */

/* True for one of several of the same second. */
static bool is_twin(const struct cfs_history *h, uint64_t at)
{
	int64_t time = time_at(h, at);

	return (at > 0 && time_at(h, at - 1) == time) ||
	       (at + 1 < h->all->n && time_at(h, at + 1) == time);
}

/* A button of the choice of two captures to compare. */
static void choice(struct cfs_buf *out, struct cfs_captures_page *p,
		   const char *name, const char *as,
		   const struct cfs_history_row *row, bool is_checked)
{
	char iso[CFS_TIME_ISO_BYTES];
	struct cfs_slice time = cfs_slice_str(cfs_time_format_iso(row->time,
								  iso));

	CFS_HTML(out, "<td class='choice'><input type='radio' name='$' "
		 "value='$' aria-label='$ $", name,
		 cfs_captures_page_path(p, row->number),
		 cfs_slice_sub(time, 0, 10), cfs_slice_sub(time, 11, 8));
	if (is_twin(&p->history, row->at))
		CFS_HTML(out, ", number $,", row->at + 1);
	CFS_HTML(out, " as the $'$></td>", as,
		 CFS_HTML_IF(is_checked, " checked"));
}

static void capture_cells(struct cfs_buf *out, struct cfs_captures_page *p,
			  const struct cfs_history_row *row)
{
	const struct cfs_history *h = &p->history;
	uint64_t older = older_chosen(h);

	CFS_HTML(out, "<tr$><th scope='row'><a href='$'>$$</a></th>",
		 CFS_HTML_IF(row->at == h->shown, " aria-current='true'"),
		 cfs_page_url(p->x->site, "page/",
			      cfs_captures_page_path(p, row->number)),
		 cfs_html_time(row->time),
		 row->time != 0 ? "" : "unknown time");
	if (h->all->n > 1) {
		choice(out, p, "a", "older", row, row->at == older);
		choice(out, p, "b", "newer", row, row->at == older + 1);
	}
	CFS_HTML(out, "<td>");
	if (row->status != 0)
		CFS_HTML(out, "$", row->status);
	CFS_HTML(out, "</td><td class='mime'>$</td><td><data value='$'>$</data>"
		 "</td><td class='mark'>$$$</td></tr>\n", &row->mime,
		 row->bytes, cfs_html_size(row->bytes),
		 CFS_HTML_IF(row->is_revisit, "revisit"),
		 CFS_HTML_IF(row->is_revisit && row->is_same, ", "),
		 CFS_HTML_IF(row->is_same, "same as before"));
}

static void captures_table(struct cfs_buf *out, struct cfs_captures_page *p)
{
	const struct cfs_history *h = &p->history;
	bool is_choice = h->all->n > 1;

	CFS_HTML(out, "<form action='$/compare'>\n"
		 "<table id='captures' class='rows'>\n"
		 "<thead><tr><th scope='col'>Captured</th>$"
		 "<th scope='col'>Status</th>"
		 "<th scope='col' class='mime'>Type</th>"
		 "<th scope='col'>Stored</th><th scope='col'>"
		 "<span class='quiet'>Remarks</span></th></tr></thead>\n"
		 "<tbody>\n", p->x->site->prefix,
		 CFS_HTML_IF(is_choice, "<th scope='col'>Older</th>"
			     "<th scope='col'>Newer</th>"));
	for (size_t i = 0; i < h->n_v; i++)
		capture_cells(out, p, &h->v[i]);
	CFS_HTML(out, "</tbody>\n</table>\n$</form>\n",
		 CFS_HTML_IF(is_choice, "<p class='end'><button>Compare the two"
			     "</button></p>\n"));
}

/* Appends the period that is listed, and the way back to all. */
static void period_note(struct cfs_buf *out, const struct cfs_history *h)
{
	if (h->year == 0)
		return;
	CFS_HTML(out, "<p class='note'>");
	if (h->month > 0)
		CFS_HTML(out, "$ ", month_names[h->month - 1]);
	CFS_HTML(out, "$: $. ", h->year,
		 cfs_html_count(h->to - h->from, "capture"));
	if (h->month > 0)
		CFS_HTML(out, "<a href='?year=$#history'>All of $</a> ",
			 h->year, h->year);
	CFS_HTML(out, "<a href='?#history'>All</a></p>\n");
}

int cfs_history_html(struct cfs_buf *out, struct cfs_captures_page *p)
{
	const struct cfs_history *h = &p->history;
	uint64_t last = last_page(h);
	CFS_BUF(query, CFS_REPLY_HEAD_MAX);
	int rc = read_rows(p);

	if (rc != CFS_OK)
		return rc;
	CFS_HTML(out, "<section id='history'>\n<h2>$</h2>\n",
		 cfs_html_count(h->all->n, "capture"));
	years_chart(out, p);
	months_calendar(out, p);
	period_note(out, h);
	captures_table(out, p);
	if (h->year > 0)
		CFS_HTML(&query, "year=$&amp;", h->year);
	if (h->month > 0)
		CFS_HTML(&query, "month=$&amp;", h->month);
	cfs_page_pager(out, cfs_buf_slice(&query), h->page, last,
		       h->page < last);
	CFS_HTML(out, "</section>\n");
	return CFS_OK;
}
