/* page_captures.c - the page about a page of the crawl: its captures on a time
 * line and as a table, the views of one of them, and what that contains.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/timestamp.h"
#include "crawl/captures.h"
#include "crawl/page.h"
#include "memento.h"
#include "page_frame.h"
#include "routes.h"

#define PATH_MAX_BYTES (4 * (size_t)CFS_KEY_MAX)
/* Years that are written below a time line: they have room at 320 pixels. */
#define YEARS_MAX 6

/* A capture as the table has it. */
struct capture_row {
	uint64_t number;		/* in names; 0: the preferred one */
	int64_t time;
	uint16_t status;
	uint64_t bytes;
	struct cfs_buf mime;
};

struct captures_page {
	struct cfs_exchange *x;
	struct cfs_site_place place;
	struct cfs_ctx ctx;
	struct cfs_walk *walk;
	struct cfs_entry *entry;	/* of the capture that is shown */
	struct cfs_page_names names;
	struct cfs_buf dir;		/* the path of the folder, with the
					 * crawl's name in front and a slash at
					 * its end */
	struct cfs_buf path;		/* scratch */
	uint64_t n, preferred;		/* captures; numbers from 0 */
	uint64_t shown;			/* the one that is shown */
	uint64_t page;
	struct capture_row *v;		/* those of the page of the table */
	size_t n_v;
};

/* ---- what there is ------------------------------------------------------- */

/* The number in names of capture k. */
static uint64_t name_number(const struct captures_page *p, uint64_t k)
{
	return k == p->preferred ? 0 : k + 1 - (k > p->preferred);
}

/* Sets p->path to that of a view of a capture. */
static struct cfs_slice view_path(struct captures_page *p,
				  const struct cfs_suffix *suffix,
				  uint64_t number)
{
	char name[CFS_NAME_MAX + 1];
	size_t n = cfs_page_file_name(&p->names, suffix, number, name);

	cfs_buf_reset(&p->path);
	cfs_buf_add(&p->path, cfs_buf_slice(&p->dir));
	cfs_buf_append(&p->path, name, n);
	return cfs_buf_slice(&p->path);
}

/* The same of its body. */
static struct cfs_slice capture_path(struct captures_page *p, uint64_t number)
{
	static const struct cfs_suffix body = { .view = CFS_VIEW_RAW,
					       .text = CFS_SLICE_EMPTY };

	return view_path(p, &body, number);
}

static int read_rows(struct captures_page *p, const struct cfs_captures *found)
{
	struct cfs_entry *e = cfs_entry_new(p->ctx.err);
	uint64_t from = (p->page - 1) * CFS_PAGE_ROWS;
	int rc = e != NULL ? CFS_OK : CFS_ENOMEM;

	p->v = calloc(CFS_PAGE_ROWS, sizeof(*p->v));
	if (p->v == NULL)
		rc = cfs_error_nomem(p->ctx.err);
	for (uint64_t k = from; rc == CFS_OK && k < p->n &&
				p->n_v < CFS_PAGE_ROWS; k++) {
		struct capture_row *row = &p->v[p->n_v];
		cfs_pos pos;

		rc = cfs_captures_pos(p->walk, found, &p->walk->child, k, &pos);
		if (rc == CFS_OK)
			rc = cfs_entry_read(p->place.crawl, pos, e, p->ctx);
		if (rc != CFS_OK)
			break;
		p->n_v++;
		row->number = name_number(p, k);
		row->time = e->cap.time;
		row->status = e->cap.status;
		row->bytes = e->cap.loc.length;
		cfs_buf_init(&row->mime, CFS_KEY_MAX);
		cfs_buf_add(&row->mime, e->cap.mime);
	}
	cfs_entry_free(e);
	return rc;
}

/* Makes the page of the capture that is shown that of p->walk. */
static int enter_shown(struct captures_page *p)
{
	struct cfs_walk *w = p->walk;
	struct cfs_slice key = p->entry->it.key;
	int rc = cfs_index_split(w->c->index, key, &w->other);

	if (rc == CFS_OK)
		rc = cfs_walk_dir_of(w, key, w->other.n - 1);
	if (rc == CFS_OK)
		rc = cfs_walk_child_of(w, &w->other);
	if (rc == CFS_OK && p->x->site->n_crawls > 1) {
		cfs_buf_adds(&p->dir, p->x->site->names[p->place.node.source]);
		cfs_buf_addc(&p->dir, '/');
	}
	if (rc == CFS_OK)
		rc = cfs_walk_add_path(w, &p->dir);
	cfs_buf_addc(&p->dir, '/');
	return rc;
}

static int find_captures(struct captures_page *p)
{
	const struct cfs_captures *found;
	int rc = cfs_page_number(p->x->query, &p->page, p->ctx.err);

	if (rc == CFS_OK)
		rc = cfs_walk_begin(&p->walk, p->place.crawl, NULL, p->ctx);
	if (rc == CFS_OK)
		rc = cfs_entry_load(p->place.crawl, p->place.node.pos,
				    p->entry, p->ctx);
	if (rc == CFS_OK)
		rc = enter_shown(p);
	if (rc == CFS_OK)
		rc = cfs_page_names(p->walk, CFS_VIEWS_ALL, &p->names);
	if (rc == CFS_OK)
		rc = cfs_captures_get(p->walk, &p->walk->child, &found);
	if (rc != CFS_OK)
		return rc;
	p->n = found->n;
	p->preferred = found->preferred_number;
	rc = cfs_captures_number(p->walk, found, &p->walk->child,
				 p->place.node.pos, &p->shown);
	return rc == CFS_OK ? read_rows(p, found) : rc;
}

/* ---- the time line ------------------------------------------------------- */

struct time_scale { int64_t from, to; };

/* Where a time is, in per cent of the width, with room at both ends. */
static double time_at(const struct time_scale *s, int64_t time)
{
	if (s->to == s->from)
		return 50;
	return 4 + 92 * (double)(time - s->from) / (double)(s->to - s->from);
}

/* A day below an end of the line, for captures of one year. */
static void timeline_day(struct cfs_buf *out, int64_t time, const char *x,
			 const char *anchor)
{
	char iso[CFS_TIME_ISO_BYTES];

	cfs_time_format_iso(time, iso);
	cfs_buf_addf(out, "<text x=\"%s\" y=\"70\" text-anchor=\"%s\">%.10s"
		     "</text>\n", x, anchor, iso);
}

static void timeline_years(struct cfs_buf *out, const struct time_scale *s)
{
	int first, last, month, day, step;

	cfs_time_to_date(s->from, &first, &month, &day);
	cfs_time_to_date(s->to, &last, &month, &day);
	step = (last - first) / YEARS_MAX + 1;
	if (first == last) {
		timeline_day(out, s->from, "0", "start");
		if (s->to != s->from)
			timeline_day(out, s->to, "100%", "end");
	}
	for (int year = first + 1; year <= last; year += step) {
		double at = time_at(s, cfs_time_from_utc(year, 1, 1, 0, 0, 0));

		cfs_buf_addf(out, "<line class=\"year\" x1=\"%.2f%%\" "
			     "x2=\"%.2f%%\" y1=\"8\" y2=\"52\"/><text "
			     "x=\"%.2f%%\" y=\"70\" text-anchor=\"middle\">%d"
			     "</text>\n", at, at, at, year);
	}
}

static bool is_good_status(uint16_t status)
{
	return status == 0 || status / 100 == 2;
}

static void timeline_mark(struct cfs_buf *out, struct captures_page *p,
			  const struct capture_row *row, double at)
{
	bool is_shown = row->number == name_number(p, p->shown);
	char iso[CFS_TIME_ISO_BYTES];
	const char *kind = "other";

	cfs_time_format_iso(row->time, iso);
	if (is_good_status(row->status))
		kind = "good";
	cfs_buf_adds(out, "<a href=\"");
	cfs_page_url(out, p->x->site, "page/",
		     capture_path(p, row->number));
	cfs_buf_addf(out, "\" aria-label=\"%.10s %.8s\"%s>", iso, iso + 11,
		     is_shown ? " aria-current=\"true\"" : "");
	cfs_buf_addf(out, "<circle class=\"%s%s\" cx=\"%.3f%%\" cy=\"30\" ",
		     kind, is_shown ? " shown" : "", at);
	cfs_buf_addf(out, "r=\"%u\" data-timestamp=\"%s\"><title>%.10s %.8s",
		     is_shown ? 9u : 6u, iso, iso, iso + 11);
	if (row->status != 0)
		cfs_buf_addf(out, ", status %u", row->status);
	cfs_buf_adds(out, "</title></circle></a>\n");
}

static void timeline(struct cfs_buf *out, struct captures_page *p)
{
	struct time_scale s = { .from = INT64_MAX, .to = INT64_MIN };

	for (size_t i = 0; i < p->n_v; i++) {
		if (p->v[i].time == 0)
			continue;
		if (p->v[i].time < s.from)
			s.from = p->v[i].time;
		if (p->v[i].time > s.to)
			s.to = p->v[i].time;
	}
	if (s.from > s.to)
		return;
	cfs_buf_adds(out, "<svg id=\"timeline\" role=\"group\" aria-label=\""
		     "Captures by time\" width=\"100%\" height=\"78\">\n"
		     "<line class=\"axis\" x1=\"0\" x2=\"100%\" y1=\"30\" "
		     "y2=\"30\"/>\n");
	timeline_years(out, &s);
	for (size_t i = 0; i < p->n_v; i++)
		if (p->v[i].time != 0)
			timeline_mark(out, p, &p->v[i],
				      time_at(&s, p->v[i].time));
	cfs_buf_adds(out, "</svg>\n");
	for (size_t i = 0; i < p->n_v; i++) {
		if (is_good_status(p->v[i].status))
			continue;
		cfs_buf_adds(out, "<p class=\"note\">Orange: captures with "
			     "another status than 200 to 299.</p>\n");
		break;
	}
}

/* ---- the table ----------------------------------------------------------- */

/* A button of the choice of two captures to compare: the two that are chosen at
 * first are the one that is shown and the one before it. */
static void choice(struct cfs_buf *out, struct captures_page *p,
		   const char *name, const struct capture_row *row,
		   bool is_chosen)
{
	cfs_buf_addf(out, "<input type=\"radio\" name=\"%s\" value=\"", name);
	cfs_html_text(out, capture_path(p, row->number));
	cfs_buf_addf(out, "\" aria-label=\"%s\"", name[0] == 'a' ?
		     "compare this, the older" : "with this, the newer");
	cfs_buf_adds(out, is_chosen ? " checked>" : ">");
}

static void capture_cells(struct cfs_buf *out, struct captures_page *p,
			  size_t i)
{
	const struct capture_row *row = &p->v[i];
	uint64_t k = (p->page - 1) * CFS_PAGE_ROWS + i;
	bool is_shown = k == p->shown;
	uint64_t other = p->shown > 0 ? p->shown - 1 : p->shown + 1;

	cfs_buf_addf(out, "<tr%s><th scope=\"row\"><a href=\"",
		     is_shown ? " aria-current=\"true\"" : "");
	cfs_page_url(out, p->x->site, "page/",
		     capture_path(p, row->number));
	cfs_buf_adds(out, "\">");
	if (row->time != 0)
		cfs_page_time(out, row->time);
	else
		cfs_buf_adds(out, "of unknown time");
	cfs_buf_adds(out, "</a></th>");
	if (p->n > 1) {
		uint64_t older = other < p->shown ? other : p->shown;

		cfs_buf_adds(out, "<td class=\"choice\">");
		choice(out, p, "a", row, k == older);
		choice(out, p, "b", row, k == older + 1);
		cfs_buf_adds(out, "</td>");
	}
	cfs_buf_adds(out, "<td>");
	if (row->status != 0)
		cfs_buf_addf(out, "%u", row->status);
	cfs_buf_adds(out, "</td><td class=\"mime\">");
	cfs_html_text(out, cfs_buf_slice(&row->mime));
	cfs_buf_addf(out, "</td><td><data value=\"%" PRIu64 "\">", row->bytes);
	cfs_html_size(out, row->bytes);
	cfs_buf_adds(out, "</data></td></tr>\n");
}

static void captures_table(struct cfs_buf *out, struct captures_page *p)
{
	uint64_t last = (p->n + CFS_PAGE_ROWS - 1) / CFS_PAGE_ROWS;

	cfs_buf_adds(out, "<section id=\"history\">\n<h2>");
	cfs_html_figure(out, p->n);
	cfs_buf_adds(out, p->n == 1 ? " capture</h2>\n" : " captures</h2>\n");
	timeline(out, p);
	cfs_buf_adds(out, "<form action=\"");
	cfs_html_text(out, cfs_slice_str(p->x->site->prefix));
	cfs_buf_addf(out, "/compare\">\n<div class=\"wide tall\" "
		     "tabindex=\"0\" role=\"region\" aria-label=\"Captures\">"
		     "\n<table id=\"captures\">\n<thead><tr>"
		     "<th scope=\"col\">Captured</th>%s<th scope=\"col\">"
		     "Status</th><th scope=\"col\">Type</th><th scope=\"col\">"
		     "Stored</th></tr></thead>\n<tbody>\n",
		     p->n > 1 ? "<th scope=\"col\">Compare</th>" : "");
	for (size_t i = 0; i < p->n_v; i++)
		capture_cells(out, p, i);
	cfs_buf_adds(out, "</tbody>\n</table>\n</div>\n");
	if (p->n > 1)
		cfs_buf_adds(out, "<p class=\"end\"><button>Compare the two"
			     "</button></p>\n");
	cfs_buf_adds(out, "</form>\n");
	cfs_page_pager(out, CFS_SLICE_EMPTY, p->page, last, p->page < last);
	cfs_buf_adds(out, "</section>\n");
}

/* ---- the capture that is shown ------------------------------------------- */

static void views_section(struct cfs_buf *out, struct captures_page *p)
{
	uint64_t number = name_number(p, p->shown);

	cfs_buf_adds(out, "<section id=\"views\">\n<h2>Views</h2>\n"
		     "<ul class=\"views\">\n");
	for (unsigned v = CFS_VIEW_RAW; v < CFS_VIEW_COUNT; v++) {
		const char *about = cfs_view_row(v)->about;
		struct cfs_suffix suffix;

		if (cfs_entry_suffix(p->place.crawl, &p->entry->cap, v, &suffix,
				     NULL) != CFS_OK)
			continue;
		cfs_buf_adds(out, "<li><a href=\"");
		cfs_page_url(out, p->x->site, "view/",
			     view_path(p, &suffix, number));
		cfs_buf_addf(out, "\">%s</a>", v == CFS_VIEW_RAW ?
			     "as archived" : cfs_view_suffix(v, suffix.form));
		if (about != NULL) {
			cfs_buf_adds(out, " <span class=\"note\">");
			cfs_html_text(out, cfs_slice_str(about));
			cfs_buf_adds(out, "</span>");
		}
		cfs_buf_adds(out, "</li>\n");
	}
	cfs_buf_adds(out, "</ul>\n</section>\n");
}

/* A picture, sound or film is shown as such: as the source of an element for
 * it, it runs nothing. */
static void media_section(struct cfs_buf *out, struct captures_page *p)
{
	static const struct { const char *type, *begin, *end; } kinds[] = {
		{ "image/", "<section id=\"picture\">\n<h2>Picture</h2>\n"
		  "<img alt=\"The archived picture\" src=\"", "\">" },
		{ "audio/", "<section id=\"media\">\n<h2>Sound</h2>\n"
		  "<audio controls preload=\"metadata\" aria-label=\"The "
		  "archived sound\" src=\"", "\"></audio>" },
		{ "video/", "<section id=\"media\">\n<h2>Film</h2>\n"
		  "<video controls preload=\"metadata\" aria-label=\"The "
		  "archived film\" src=\"", "\"></video>" },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!cfs_slice_starts_nocase(p->entry->cap.mime,
					     cfs_slice_str(kinds[i].type)))
			continue;
		cfs_buf_adds(out, kinds[i].begin);
		cfs_page_url(out, p->x->site, "view/",
			     capture_path(p, name_number(p, p->shown)));
		cfs_buf_adds(out, kinds[i].end);
		cfs_buf_adds(out, "\n</section>\n");
	}
}

/* The text, in which the words are marked that a search has led here with. */
static int text_section(struct cfs_buf *out, struct captures_page *p)
{
	struct cfs_word_query *q = NULL;
	struct cfs_buf typed;
	int rc = CFS_OK;

	cfs_buf_init(&typed, CFS_REPLY_HEAD_MAX);
	if (cfs_query_get(p->x->query, "q", &typed))
		rc = cfs_word_query_parse(&q, cfs_buf_slice(&typed), NULL);
	cfs_buf_release(&typed);
	if (rc == CFS_ENOMEM)
		return cfs_error_nomem(p->ctx.err);
	rc = cfs_preview_text(out, p->place.crawl, p->place.node.pos, q,
			      p->ctx);
	cfs_word_query_free(q);
	return rc;
}

static int shown_sections(struct cfs_buf *out, struct captures_page *p,
			  const struct cfs_preview *preview)
{
	int rc = CFS_OK;

	cfs_buf_adds(out, "<div class=\"cards two\">\n");
	media_section(out, p);
	views_section(out, p);
	if (preview->error.code == CFS_OK)
		rc = text_section(out, p);
	cfs_preview_headers(out, preview);
	cfs_preview_links(out, p->x->site, preview, p->entry->cap.time);
	cfs_buf_adds(out, "</div>\n");
	return rc;
}

static void page_heading(struct cfs_buf *out, struct captures_page *p,
			 struct cfs_slice url,
			 const struct cfs_preview *preview)
{
	struct cfs_slice title = cfs_slice_trim(cfs_buf_slice(&preview->title));
	struct cfs_slice name = url;
	ptrdiff_t slash;

	/* a page without a title is named by the end of its address */
	while (name.n > 0 && name.p[name.n - 1] == '/')
		name.n--;
	slash = cfs_slice_rfind(name, '/');
	name = cfs_slice_from(name, (size_t)(slash + 1));
	cfs_page_trail(out, p->x->site, capture_path(p, 0));
	cfs_buf_adds(out, "<h1>");
	cfs_html_short(out, title.n > 0 ? title : name, 200, false);
	cfs_buf_adds(out, "</h1>\n<p class=\"address\">");
	cfs_html_text(out, url);
	cfs_buf_adds(out, "</p>\n");
	if (preview->error.code == CFS_OK)
		return;
	cfs_buf_adds(out, "<p class=\"problem\" role=\"alert\">This capture "
		     "cannot be read: ");
	cfs_html_text(out, cfs_slice_str(preview->error.text));
	cfs_buf_adds(out, "</p>\n");
}

static int captures_answer(struct captures_page *p,
			   const struct cfs_preview *preview)
{
	struct cfs_page_frame frame = { .kind = "Page", .at = NULL,
					.search = CFS_SLICE_EMPTY };
	struct cfs_buf out, url;
	int rc;

	if (p->n_v == 0)
		return cfs_error_set(p->ctx.err, CFS_ENOTFOUND, "the page has "
				     "no captures there");
	cfs_buf_init(&out, CFS_REPLY_BODY_MAX);
	cfs_buf_init(&url, 2 * CFS_KEY_MAX + 64);
	cfs_index_key_url(p->place.crawl->index, p->entry->it.key,
			  &p->entry->cap, &url);
	frame.title = cfs_slice_trim(cfs_buf_slice(&preview->title));
	if (frame.title.n == 0)
		frame.title = cfs_buf_slice(&url);
	cfs_page_begin(&out, p->x->site, &frame);
	page_heading(&out, p, cfs_buf_slice(&url), preview);
	captures_table(&out, p);
	rc = shown_sections(&out, p, preview);
	if (rc == CFS_OK)
		rc = cfs_memento_describe(p->x, p->place.crawl, p->entry);
	rc = cfs_page_end(p->x, rc, 200, &out);
	cfs_buf_release(&url);
	return rc;
}

/* ---- the request --------------------------------------------------------- */

static int captures_make(struct captures_page *p)
{
	struct cfs_preview preview;
	int rc;

	cfs_preview_init(&preview);
	p->entry = cfs_entry_new(p->ctx.err);
	if (p->entry == NULL)
		return CFS_ENOMEM;
	cfs_buf_init(&p->dir, PATH_MAX_BYTES);
	cfs_buf_init(&p->path, PATH_MAX_BYTES + CFS_NAME_MAX);
	rc = find_captures(p);
	if (rc == CFS_OK) {
		rc = cfs_preview_load(&preview, p->place.crawl,
				      p->place.node.pos, p->ctx);
		if (rc == CFS_OK)
			rc = captures_answer(p, &preview);
	}
	cfs_preview_release(&preview);
	for (size_t i = 0; i < p->n_v; i++)
		cfs_buf_release(&p->v[i].mime);
	free(p->v);
	cfs_walk_end(p->walk);
	cfs_entry_free(p->entry);
	cfs_buf_release(&p->dir);
	cfs_buf_release(&p->path);
	return rc;
}

int cfs_answer_page(struct cfs_exchange *x, struct cfs_ctx ctx)
{
	struct captures_page p = { .x = x, .ctx = ctx };
	int rc = cfs_site_walk(x->site, x->rest, &p.place, ctx);

	if (rc != CFS_OK)
		return rc;
	if (p.place.is_top || p.place.node.type == CFS_NODE_DIR)
		return cfs_page_redirect(x, "tree/",
					 x->rest.n > 0 ? "/" : "");
	if (!x->may_take_long)
		return CFS_ROUTE_TAKES_LONG;
	return captures_make(&p);
}
