/* page_captures.c - the page about a page of the crawl: its captures on a time
 * line and as a table, the views of one of them, and what that contains.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <string.h>

#include "base/log.h"
#include "base/timestamp.h"
#include "crawl/content.h"
#include "crawl/tree.h"
#include "memento.h"
#include "page_captures_internal.h"
#include "replayed.h"
#include "routes.h"
#include "url/urlref.h"

/* As many redirections as browsers follow are followed to open a page. */
#define REDIRECTS_MAX 20u
#define PATH_MAX_BYTES (4 * (size_t)CFS_KEY_MAX)

/* ---- what there is ------------------------------------------------------- */

/* Sets p->path to that of a view of a capture. */
static struct cfs_slice view_path(struct cfs_captures_page *p,
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

struct cfs_slice cfs_captures_page_path(struct cfs_captures_page *p,
					uint64_t number)
{
	static const struct cfs_suffix body = { .view = CFS_VIEW_RAW,
					       .text = CFS_SLICE_EMPTY };

	return view_path(p, &body, number);
}

/* The number in names of the capture that is shown. */
static uint64_t shown_number(const struct cfs_captures_page *p)
{
	return cfs_history_number(&p->history, p->history.shown);
}

/* The path of its body; valid until the next call. */
static struct cfs_slice shown_path(struct cfs_captures_page *p)
{
	return cfs_captures_page_path(p, shown_number(p));
}

/* The URL of a view of it, likewise. */
static struct cfs_html_part view_url(struct cfs_captures_page *p,
				     const struct cfs_suffix *suffix)
{
	return cfs_page_url(p->x->site, "view/",
			    view_path(p, suffix, shown_number(p)));
}

/* Makes the page of the capture that is shown that of p->walk. */
static int enter_shown(struct cfs_captures_page *p)
{
	struct cfs_walk *w = p->walk;
	struct cfs_slice key = p->entry->it.key;
	int rc = cfs_index_split(w->c->index, key, &w->other);

	if (rc == CFS_OK)
		rc = cfs_walk_dir_of(w, key, w->other.n - 1);
	if (rc == CFS_OK)
		rc = cfs_walk_child_of(w, &w->other);
	if (rc == CFS_OK)
		rc = cfs_site_add_crawl(p->x->site, p->place.node.source,
					&p->dir);
	if (rc == CFS_OK)
		rc = cfs_walk_add_path(w, &p->dir);
	cfs_buf_addc(&p->dir, '/');
	return rc;
}

static int find_captures(struct cfs_captures_page *p)
{
	const struct cfs_captures *found;
	int rc = cfs_walk_begin(&p->walk, p->place.crawl, NULL, p->ctx);

	if (rc == CFS_OK)
		rc = cfs_entry_load(p->place.crawl, p->place.node.pos,
				    p->entry, p->ctx);
	if (rc == CFS_OK)
		rc = enter_shown(p);
	if (rc == CFS_OK)
		rc = cfs_page_names(p->walk, CFS_VIEWS_ALL, &p->names);
	if (rc == CFS_OK)
		rc = cfs_captures_get(p->walk, &p->walk->child, &found);
	return rc == CFS_OK ? cfs_history_load(p, found) : rc;
}

/* ---- the capture that is shown ------------------------------------------- */

/* Appends a link to another capture of the page; rel may be NULL. */
static void step_link(struct cfs_buf *out, struct cfs_captures_page *p,
		      uint64_t at, const char *rel, const char *text)
{
	struct cfs_slice path = cfs_captures_page_path(p,
				cfs_history_number(&p->history, at));

	CFS_HTML(out, "<a ");
	if (rel != NULL)
		CFS_HTML(out, "rel='$' ", rel);
	CFS_HTML(out, "href='$'>$</a>\n",
		 cfs_page_url(p->x->site, p->route, path), text);
}

/* Appends a link to the comparison with an older capture. */
static void compare_link(struct cfs_buf *out, struct cfs_captures_page *p,
			 uint64_t at, const char *text)
{
	uint64_t number = cfs_history_number(&p->history, at);

	CFS_HTML(out, "<a href='$/compare?a=$&amp;b=", p->x->site->prefix,
		 cfs_html_query(cfs_captures_page_path(p, number)));
	CFS_HTML(out, "$'>$</a>\n", cfs_html_query(shown_path(p)), text);
}

/* Appends the ways to the other captures. */
static void steps_nav(struct cfs_buf *out, struct cfs_captures_page *p)
{
	uint64_t at = p->history.shown, last = p->history.all->n - 1;

	if (last == 0)
		return;
	CFS_HTML(out, "<nav class='steps' aria-label='Captures of this page'>"
		 "\n");
	if (at > 1)
		step_link(out, p, 0, NULL, "\u00ab First");
	if (at > 0)
		step_link(out, p, at - 1, "prev", "\u2039 Previous");
	CFS_HTML(out, "<span>$ of $</span>\n", cfs_html_figure(at + 1),
		 cfs_html_figure(last + 1));
	if (at < last)
		step_link(out, p, at + 1, "next", "Next \u203a");
	if (at + 1 < last)
		step_link(out, p, last, NULL, "Last \u00bb");
	CFS_HTML(out, "</nav>\n");
}

/* Appends comparisons with captures before. */
static void compare_links(struct cfs_buf *out, struct cfs_captures_page *p)
{
	uint64_t at = p->history.shown;

	CFS_HTML(out, "<p class='note ways'>");
	if (at > 0)
		compare_link(out, p, at - 1, "Compare with the one before");
	if (at > 1)
		compare_link(out, p, 0, "Compare with the first");
	CFS_HTML(out, "</p>\n");
}

static void fact(struct cfs_buf *out, const char *name, struct cfs_slice value)
{
	if (value.n > 0)
		CFS_HTML(out, "<div><dt>$</dt><dd>$</dd></div>\n", name, value);
}

static const char *record_kind(enum cfs_kind kind)
{
	static const char *const kinds[] = {
		[CFS_KIND_ARC] = "ARC",
		[CFS_KIND_RESPONSE] = "response",
		[CFS_KIND_RESOURCE] = "resource",
		[CFS_KIND_REVISIT] = "revisit: the answer was that of an "
				     "earlier capture",
		[CFS_KIND_CONVERSION] = "conversion",
		[CFS_KIND_ANNEX] = "none: only its text or metadata",
	};

	return kinds[kind];
}

/* Appends the capture that a revisit refers to, as its record says. */
static void revisit_fact(struct cfs_buf *out, struct cfs_captures_page *p,
			 const struct cfs_preview *preview)
{
	struct cfs_time_reading t;
	CFS_BUF(date, CFS_REPLY_HEAD_MAX);
	CFS_BUF(url, CFS_REPLY_HEAD_MAX);

	cfs_preview_field(preview, "warc", "WARC-Refers-To-Target-URI", &url);
	cfs_preview_field(preview, "warc", "WARC-Refers-To-Date", &date);
	if (url.n == 0)
		cfs_preview_field(preview, "crawlfs", "url", &url);
	if (p->entry->cap.kind == CFS_KIND_REVISIT && date.n > 0 &&
	    cfs_time_read_iso(cfs_buf_slice(&date), &t) == CFS_OK)
		CFS_HTML(out, "<div><dt>Original</dt><dd><a href='$'>$</a></dd>"
			 "</div>\n", cfs_page_search_url(p->x->site,
				cfs_buf_slice(&url), t.time), &date);
}

/* Appends where a redirection leads, as a link. */
static void redirect_fact(struct cfs_buf *out,
			  const struct cfs_captures_page *p,
			  struct cfs_slice url,
			  const struct cfs_preview *preview)
{
	const struct cfs_capture *cap = &p->entry->cap;
	struct cfs_url_base base;
	CFS_BUF(location, CFS_REPLY_HEAD_MAX);
	CFS_BUF(target, CFS_REPLY_HEAD_MAX);

	cfs_preview_field(preview, "http_headers", "location", &location);
	if (cfs_memento_is_redirect(cap->status) && location.n > 0 &&
	    cfs_url_base_init(&base, url) &&
	    cfs_url_resolve(&base, cfs_buf_slice(&location), &target) &&
	    cfs_url_is_web(cfs_buf_slice(&target)))
		CFS_HTML(out, "<div><dt>Leads to</dt><dd><a href='$'>$</a></dd>"
			 "</div>\n", cfs_page_search_url(p->x->site,
				cfs_buf_slice(&target), cap->time), &target);
}

/* Appends where the record is, and what the index and the record say of it. */
static void facts(struct cfs_buf *out, struct cfs_captures_page *p,
		  struct cfs_slice url, const struct cfs_preview *preview)
{
	const struct cfs_capture *cap = &p->entry->cap;
	const struct cfs_site *site = p->x->site;
	CFS_BUF(digest, CFS_REPLY_HEAD_MAX);

	cfs_preview_field(preview, "warc", "WARC-Payload-Digest", &digest);
	if (digest.n == 0)
		cfs_buf_add(&digest, cap->digest);
	CFS_HTML(out, "<dl class='fields'>\n");
	if (cap->status != 0)
		CFS_HTML(out, "<div><dt>Status</dt><dd>$</dd></div>\n",
			 cap->status);
	redirect_fact(out, p, url, preview);
	fact(out, "Type", cap->mime);
	fact(out, "Record", cfs_slice_str(record_kind(cap->kind)));
	revisit_fact(out, p, preview);
	fact(out, "Digest", cfs_buf_slice(&digest));
	if (site->n_crawls > 1)
		fact(out, "Crawl",
		     cfs_slice_str(site->names[p->place.node.source]));
	fact(out, "Archive", cfs_buf_slice(&p->entry->archive));
	CFS_HTML(out, "<div><dt>Offset</dt><dd>$", cap->loc.offset);
	if (cap->loc.length > 0)
		CFS_HTML(out, ", $ bytes", cap->loc.length);
	CFS_HTML(out, "</dd></div>\n</dl>\n");
}

/* Appends where a replay has the capture, if there is one. */
static void replay_link(struct cfs_buf *out, const struct cfs_captures_page *p,
			struct cfs_slice url)
{
	const char *replay = p->x->site->replay_url;
	char at[CFS_TIME_14_BYTES];
	CFS_BUF(address, CFS_REPLY_BODY_MAX);

	if (replay == NULL || p->entry->cap.time == 0)
		return;
	cfs_time_format_14(p->entry->cap.time, at);
	cfs_buf_addf(&address, "%s%s/", replay, at);
	cfs_memento_add_url(&address, url);
	CFS_HTML(out, "\n<a href='$'>Replay</a>", &address);
}

/* Appends what can be done with the capture. */
static void actions(struct cfs_buf *out, struct cfs_captures_page *p,
		    struct cfs_slice url)
{
	bool is_page = cfs_replayed_is_type(p->entry->cap.mime);
	const struct cfs_site *site = p->x->site;
	struct cfs_slice body = shown_path(p);

	CFS_HTML(out, "<p class='actions'><a class='action' href='$'>Open</a>\n"
		 "<a href='$' download>Download</a>\n"
		 "<a href='$/cdx?url=$'>CDX of all captures</a>\n",
		 cfs_page_url(site, is_page ? "open/" : "view/", body),
		 cfs_page_url(site, "view/", body), site->prefix,
		 cfs_html_query(url));
	cfs_page_downloads(out, site, "All as ", body);
	replay_link(out, p, url);
	CFS_HTML(out, "</p>\n");
}

static void capture_section(struct cfs_buf *out, struct cfs_captures_page *p,
			    struct cfs_slice url,
			    const struct cfs_preview *preview)
{
	int64_t time = p->entry->cap.time;

	CFS_HTML(out, "<section id='capture'>\n<h2>Captured $$</h2>\n",
		 cfs_html_time(time), time != 0 ? "" : "at an unknown time");
	steps_nav(out, p);
	if (preview->error.code == CFS_OK)
		compare_links(out, p);
	facts(out, p, url, preview);
	if (preview->error.code == CFS_OK)
		actions(out, p, url);
	CFS_HTML(out, "</section>\n");
}

/* True for a view that would be a blank page: of what has no text. */
static bool is_blank(const struct cfs_capture *cap, enum cfs_view v)
{
	return (v == CFS_VIEW_TEXT || v == CFS_VIEW_MARKDOWN ||
		v == CFS_VIEW_MAIN) && !cfs_replayed_is_type(cap->mime) &&
	       cfs_view_bytes_are_known(&cap->views, CFS_SLOT_TEXT) &&
	       cap->views.bytes[CFS_SLOT_TEXT] == 0;
}

static void views_section(struct cfs_buf *out, struct cfs_captures_page *p)
{
	CFS_HTML(out, "<section id='views'>\n<h2>Views</h2>\n"
		 "<ul class='views'>\n");
	for (unsigned v = CFS_VIEW_RAW; v < CFS_VIEW_COUNT; v++) {
		const char *about = cfs_view_row(v)->about;
		struct cfs_suffix suffix;

		if (is_blank(&p->entry->cap, v) ||
		    cfs_entry_suffix(p->place.crawl, &p->entry->cap, v, &suffix,
				     NULL) != CFS_OK)
			continue;
		CFS_HTML(out, "<li><a href='$'>$</a>", view_url(p, &suffix),
			 v == CFS_VIEW_RAW ? "as archived" :
					     cfs_view_suffix(v, suffix.form));
		if (about != NULL)
			CFS_HTML(out, " <span class='note'>$</span>", about);
		CFS_HTML(out, "</li>\n");
	}
	CFS_HTML(out, "</ul>\n</section>\n");
}

/* A picture, sound or film is shown as such: as the source of an element for
 * it, it runs nothing. */
static void media_section(struct cfs_buf *out, struct cfs_captures_page *p)
{
	struct cfs_html_part url = cfs_page_url(p->x->site, "view/",
						shown_path(p));
	struct cfs_slice mime = p->entry->cap.mime;

	if (cfs_slice_starts_nocase(mime, CFS_SLICE_LIT("image/")))
		CFS_HTML(out, "<section id='picture'>\n<h2>Picture</h2>\n<img "
			 "alt='The archived picture' src='$'>\n</section>\n",
			 url);
	if (cfs_slice_starts_nocase(mime, CFS_SLICE_LIT("audio/")))
		CFS_HTML(out, "<section id='media'>\n<h2>Sound</h2>\n<audio "
			 "controls preload='metadata' aria-label='The archived "
			 "sound' src='$'></audio>\n</section>\n", url);
	if (cfs_slice_starts_nocase(mime, CFS_SLICE_LIT("video/")))
		CFS_HTML(out, "<section id='media'>\n<h2>Film</h2>\n<video "
			 "controls preload='metadata' aria-label='The archived "
			 "film' src='$'></video>\n</section>\n", url);
}

/* The first picture that the crawler has taken of the page. */
static void screenshot_section(struct cfs_buf *out, struct cfs_captures_page *p)
{
	static const enum cfs_view views[] = { CFS_VIEW_VIEW, CFS_VIEW_FULLPAGE,
					       CFS_VIEW_THUMBNAIL };

	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		struct cfs_suffix suffix;
		const char *type;

		if (cfs_entry_suffix(p->place.crawl, &p->entry->cap, views[i],
				     &suffix, NULL) != CFS_OK)
			continue;
		type = cfs_view_row(views[i])->forms[suffix.form].type;
		if (type == NULL || strncmp(type, "image/", 6) != 0)
			continue;
		CFS_HTML(out, "<section id='screenshot'>\n<h2>Screenshot</h2>\n"
			 "<img alt='The page in the crawler$s browser' src='$'>"
			 "\n</section>\n", cfs_html_made(CFS_SLICE_LIT("'")),
			 view_url(p, &suffix));
		return;
	}
}

/* The text, in which the words are marked that a search has led here with. */
static int text_section(struct cfs_buf *out, struct cfs_captures_page *p)
{
	struct cfs_word_query *q = NULL;
	CFS_BUF(typed, CFS_REPLY_HEAD_MAX);
	int rc = CFS_OK;

	if (cfs_query_get(p->x->query, "q", &typed))
		rc = cfs_word_query_parse(&q, cfs_buf_slice(&typed), NULL);
	if (rc == CFS_ENOMEM)
		return cfs_error_nomem(p->ctx.err);
	rc = cfs_preview_text(out, p->place.crawl, p->place.node.pos, q,
			      p->ctx);
	cfs_word_query_free(q);
	return rc;
}

static int all_sections(struct cfs_buf *out, struct cfs_captures_page *p,
			struct cfs_slice url,
			const struct cfs_preview *preview)
{
	int rc;

	CFS_HTML(out, "<div class='pair'>\n");
	capture_section(out, p, url, preview);
	if (preview->error.code == CFS_OK) {
		views_section(out, p);
		media_section(out, p);
		screenshot_section(out, p);
	}
	CFS_HTML(out, "</div>\n");
	rc = cfs_history_html(out, p);
	CFS_HTML(out, "<div class='pair'>\n");
	if (rc == CFS_OK && preview->error.code == CFS_OK)
		rc = text_section(out, p);
	CFS_HTML(out, "<div>\n");
	cfs_preview_headers(out, preview);
	if (rc == CFS_OK)
		rc = cfs_preview_links(out, p->x->site, preview,
				       p->entry->cap.time, p->ctx);
	CFS_HTML(out, "</div>\n</div>\n");
	return rc;
}

static void page_heading(struct cfs_buf *out, struct cfs_captures_page *p,
			 struct cfs_slice url,
			 const struct cfs_preview *preview)
{
	struct cfs_slice title = cfs_slice_trim(cfs_buf_slice(&preview->title));
	char line[sizeof(preview->error.where) + sizeof(preview->error.text) +
		  64];
	struct cfs_slice name = url;
	struct cfs_error own;

	/* a page without a title is named by the end of its address */
	while (name.n > 0 && name.p[name.n - 1] == '/')
		name.n--;
	name = cfs_slice_last_part(name);
	cfs_page_trail(out, p->x->site, cfs_captures_page_path(p, 0));
	CFS_HTML(out, "<h1>$</h1>\n<p class='address'>$</p>\n",
		 cfs_html_short(title.n > 0 ? title : name, 200), url);
	if (preview->error.code == CFS_OK)
		return;
	own = preview->error;
	cfs_error_hide_folder(&own);
	cfs_error_line(&own, line, sizeof(line));
	CFS_HTML(out, "<p class='problem' role='alert'>This capture cannot be "
		 "read: $.$</p>\n", line,
		 CFS_HTML_IF(p->history.all->n > 1, " The other captures of "
			     "the page are below."));
}

/* Appends a bar with the way back, and below it a frame with the page. */
static void framed_page(struct cfs_buf *out, struct cfs_captures_page *p)
{
	struct cfs_slice body;

	CFS_HTML(out, "<div class='bar'>\n<p><strong>$</strong></p>\n",
		 cfs_html_time(p->entry->cap.time));
	steps_nav(out, p);
	body = shown_path(p);
	CFS_HTML(out, "<p><a href='$'>All captures and views</a></p>\n</div>\n"
		 "<iframe class='framed' title='The archived page' "
		 "sandbox='" CFS_REPLAYED_SANDBOX "' src='$'></iframe>\n",
		 cfs_page_url(p->x->site, "page/", body),
		 cfs_page_url(p->x->site, "shown/", body));
}

static int sections_of(struct cfs_buf *out, struct cfs_captures_page *p,
		       struct cfs_slice url, const struct cfs_preview *preview)
{
	if (strcmp(p->route, "page/") == 0 || preview->error.code != CFS_OK)
		return all_sections(out, p, url, preview);
	framed_page(out, p);
	return CFS_OK;
}

static int captures_answer(struct cfs_captures_page *p,
			   const struct cfs_preview *preview)
{
	struct cfs_page_frame frame = { .kind = "Page", .at = NULL,
					.search = CFS_SLICE_EMPTY };
	struct cfs_buf out;
	CFS_BUF(url, 2 * CFS_KEY_MAX + 64);
	int rc;

	cfs_index_key_url(p->place.crawl->index, p->entry->it.key,
			  &p->entry->cap, &url);
	frame.title = cfs_slice_trim(cfs_buf_slice(&preview->title));
	if (frame.title.n == 0)
		frame.title = cfs_buf_slice(&url);
	cfs_page_begin(&out, p->x->site, &frame);
	page_heading(&out, p, cfs_buf_slice(&url), preview);
	rc = sections_of(&out, p, cfs_buf_slice(&url), preview);
	if (rc == CFS_OK)
		rc = cfs_memento_describe(p->x, p->place.crawl, p->entry);
	return cfs_page_end(p->x, rc, 200, &out);
}

/* ---- the request --------------------------------------------------------- */

/* Sends the client to a capture. */
static int redirect_to(struct cfs_captures_page *p,
		       const struct cfs_site_place *place)
{
	CFS_BUF(path, PATH_MAX_BYTES + CFS_NAME_MAX);
	int rc;

	cfs_site_add_crawl(p->x->site, place->node.source, &path);
	rc = cfs_tree_path(place->crawl, &place->node, &path, p->ctx);
	return rc == CFS_OK ?
	       cfs_page_lead(p->x, p->route, cfs_buf_slice(&path)) : rc;
}

/* Sends the client to the capture nearest to a time.  *done: there is one. */
static int redirect_to_time(struct cfs_captures_page *p, bool *done)
{
	struct cfs_site_place *place = &p->place;
	CFS_BUF(at, p->x->query.n + 1);
	int64_t time;
	int rc = CFS_OK;

	*done = cfs_query_get(p->x->query, "at", &at) && at.n > 0;
	if (*done && cfs_time_parse_14(cfs_buf_slice(&at), &time) != CFS_OK)
		rc = cfs_error_set(p->ctx.err, CFS_EUSAGE,
				   "at: not a time of 4 to 14 digits");
	else if (*done)
		rc = cfs_tree_nearest(place->crawl, &place->node, time, p->ctx);
	if (rc == CFS_OK && *done)
		rc = redirect_to(p, place);
	return rc;
}

/* Goes on from a capture to where it leads.  CFS_END: it is no redirection, or
 * its target was not captured. */
static int follow_once(struct cfs_captures_page *p, struct cfs_entry *e,
		       struct cfs_site_place *at, struct cfs_ctx ctx)
{
	struct cfs_file_bytes b = { .bytes = CFS_SLICE_EMPTY };
	CFS_BUF(target, CFS_REPLY_HEAD_MAX);
	CFS_BUF(url, 2 * CFS_KEY_MAX + 64);
	struct cfs_slice location;
	int rc = cfs_entry_load(at->crawl, at->node.pos, e, ctx);

	if (rc == CFS_OK && !cfs_memento_is_redirect(e->cap.status))
		return CFS_END;
	at->node.view = CFS_VIEW_RAW;
	if (rc == CFS_OK)
		rc = cfs_content_load(at->crawl, &at->node, &at->crawl->view,
				      &b, ctx);
	if (rc == CFS_OK)
		cfs_index_key_url(at->crawl->index, e->it.key, &e->cap, &url);
	if (rc == CFS_OK && !cfs_memento_target(e->cap.status,
						cfs_buf_slice(&url), &b,
						&target, &location))
		rc = CFS_ENOTFOUND;
	if (rc == CFS_OK)
		rc = cfs_memento_follow(p->x, cfs_buf_slice(&target),
					e->cap.time, at, ctx);
	cfs_file_bytes_release(&b);
	return rc == CFS_ENOTFOUND ? CFS_END : rc;
}

/* Sends the client from a redirection to where it and those behind it lead.
 * *done: there is such a page. */
static int follow_redirects(struct cfs_captures_page *p, bool *done)
{
	struct cfs_error own = CFS_ERROR_INIT;
	struct cfs_entry *e = cfs_entry_new(p->ctx.err);
	struct cfs_site_place at = p->place;
	unsigned n = 0;
	int rc = e != NULL ? CFS_OK : CFS_ENOMEM;

	for (; rc == CFS_OK && n < REDIRECTS_MAX; n++)
		rc = follow_once(p, e, &at, CFS_CTX(p->ctx.cancel, &own));
	*done = rc == CFS_END && n > 1;
	if (*done)
		rc = redirect_to(p, &at);
	cfs_entry_free(e);
	/* a circle is shown itself, like all that cannot be followed */
	return rc == CFS_EINTR || rc == CFS_ENOMEM || rc == CFS_ETIMEOUT ?
	       rc : CFS_OK;
}

/* A redirection that was archived has nothing to be framed, nor has a file that
 * is no page of HTML. */
static int answer_found(struct cfs_captures_page *p,
			struct cfs_preview *preview)
{
	bool is_opened = strcmp(p->route, "open/") == 0, done = false;
	int rc = CFS_OK;

	if (is_opened && cfs_memento_is_redirect(p->entry->cap.status))
		rc = follow_redirects(p, &done);
	if (rc != CFS_OK || done)
		return rc;
	if (is_opened && !cfs_replayed_is_type(p->entry->cap.mime))
		return cfs_page_redirect(p->x, "page/", "");
	rc = cfs_preview_load(preview, p->place.crawl, p->place.node.pos,
			      p->ctx);
	return rc == CFS_OK ? captures_answer(p, preview) : rc;
}

static int captures_make(struct cfs_captures_page *p)
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
	if (rc == CFS_OK)
		rc = answer_found(p, &preview);
	cfs_preview_release(&preview);
	cfs_history_release(&p->history);
	cfs_walk_end(p->walk);
	cfs_entry_free(p->entry);
	cfs_buf_release(&p->dir);
	cfs_buf_release(&p->path);
	return rc;
}

static int answer_capture(struct cfs_exchange *x, const char *route,
			  struct cfs_ctx ctx)
{
	struct cfs_captures_page p = { .x = x, .ctx = ctx, .route = route };
	bool done;
	int rc = cfs_site_walk(x->site, x->rest, &p.place, ctx);

	if (rc != CFS_OK)
		return rc;
	if (p.place.is_top || p.place.node.type == CFS_NODE_DIR)
		return cfs_page_redirect(x, "tree/",
					 x->rest.n > 0 ? "/" : "");
	if (!x->may_take_long)
		return CFS_ROUTE_TAKES_LONG;
	rc = redirect_to_time(&p, &done);
	return rc != CFS_OK || done ? rc : captures_make(&p);
}

int cfs_answer_page(struct cfs_exchange *x, struct cfs_ctx ctx)
{
	return answer_capture(x, "page/", ctx);
}

int cfs_answer_open(struct cfs_exchange *x, struct cfs_ctx ctx)
{
	return answer_capture(x, "open/", ctx);
}
