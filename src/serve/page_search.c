/* page_search.c - finds what a person types: a URL, the beginning of one, a
 * domain, a reversed domain, a path of the tree (crawl/target.h).
 *
 * What names one page or one folder leads there at once; else pages are listed.
 * A URL leads to the capture nearest to the time `at`, 14 digits, if there is
 * one: links have that of the capture that they are in.  Else it leads to the
 * preferred capture.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>

#include "base/timestamp.h"
#include "crawl/captures.h"
#include "crawl/page.h"
#include "crawl/target.h"
#include "index/dates.h"
#include "page_frame.h"
#include "routes.h"
#include "url/lenient_url.h"

#define QUERY_MAX ((size_t)CFS_URL_MAX)
/* Addresses of archives may be about addresses of archives. */
#define WRAPPED_MAX 4u
/* Where no text has the words, so many names that contain them are shown, out
 * of so many of each crawl, which takes less than a second, or few requests. */
#define NAMES_SHOWN 20u
#define KEYS_MAX 1000000u
#define KEYS_MAX_REMOTE 10000u
#define KEY_WORDS_MAX 4u

/* The kinds of search; ANY: names, or else words. */
enum search_in { SEARCH_ANY, SEARCH_NAMES, SEARCH_WORDS };

struct search_page {
	struct cfs_exchange *x;
	struct cfs_ctx ctx;
	struct cfs_buf text;		/* the text typed */
	struct cfs_buf rows, last, path, url;
	unsigned source;		/* the crawl that is searched */
	bool is_opened;			/* a page is shown in a frame */
	bool has_at, has_url;		/* has_url: `path` is the page of the
					 * URL that was typed */
	int64_t at;
	uint64_t distance;		/* of its capture from `at` */
	enum search_in in;
	bool is_json;
	struct cfs_word_query *query;	/* NULL: what was typed has no words */
	struct cfs_page_search found;
	bool has_words;			/* it has been filled */
	bool folders_only;		/* pages are not listed by name */
	bool has_filters;		/* captures are listed that meet the
					 * filters, and not by name */
	bool is_cut;			/* not all names were looked at */
	uint64_t seen;			/* pages that could be rows, also those
					 * before the page of the list */
	uint64_t n_keys;		/* names that were looked at */
	struct cfs_paths *paths;
	uint64_t n;			/* rows */
	/* The captures of the last row's page, 0 if it is written; the best of
	 * them, and what its row says of that. */
	uint64_t captures;
	struct cfs_choice best;
	struct cfs_buf mime;
	unsigned status;
	bool has_more;
	struct cfs_error hole;		/* damage may hide what is there */
};

/* Appends the name of the crawl that the paths of the tree begin with. */
static void search_begin_path(struct search_page *s)
{
	cfs_buf_reset(&s->path);
	cfs_site_add_crawl(s->x->site, s->source, &s->path);
}

/* Counts a capture of the last row's page. */
static void row_capture(struct search_page *s, const struct cfs_capture *cap,
			cfs_pos pos)
{
	cfs_choice_offer(&s->best, cap, pos);
	s->captures++;
	if (s->best.pos != pos)
		return;
	s->status = cap->status;
	cfs_buf_reset(&s->mime);
	cfs_buf_add(&s->mime, cap->mime);
}

/* Ends the last row, if it is of a page: it says how many captures there are,
 * and what the index says of the preferred one. */
static void row_end(struct search_page *s)
{
	struct cfs_slice mime = cfs_buf_slice(&s->mime);

	if (s->captures == 0)
		return;
	CFS_HTML(&s->rows, " <span class='note'>$",
		 cfs_html_time(s->best.time));
	if (s->status != 0)
		CFS_HTML(&s->rows, "$$", s->best.time != 0 ? " \u00b7 " : "",
			 s->status);
	if (mime.n > 0)
		CFS_HTML(&s->rows, " \u00b7 $", cfs_html_short(mime, 60));
	if (s->captures > 1)
		CFS_HTML(&s->rows, " \u00b7 $",
			 cfs_html_count(s->captures, "capture"));
	CFS_HTML(&s->rows, "</span></li>\n");
	s->captures = 0;
}

/* Begins a row with a link to s->path, of a page by its URL; route NULL: with
 * that text alone. */
static void search_row(struct search_page *s, const char *route,
		       struct cfs_slice url)
{
	struct cfs_slice path = cfs_buf_slice(&s->path);
	struct cfs_html_part text = cfs_page_address(url);
	CFS_BUF(place, 4 * CFS_KEY_MAX);

	if (url.n == 0) {
		cfs_page_place(&place, s->x->site, path);
		if (place.n == 0)
			cfs_buf_adds(&place, "All pages");
		text = CFS_HTML_PART(cfs_buf_slice(&place));
	}
	CFS_HTML(&s->rows, "<li>");
	if (route != NULL)
		CFS_HTML(&s->rows, "<a href='$'>$</a>",
			 cfs_page_url(s->x->site, route, path), text);
	else
		CFS_HTML(&s->rows, "$", text);
	s->best = (struct cfs_choice){ .any = false };
	s->n++;
}

/* Damage ends no search: rc is the result of what met it, and of what can be
 * there under no name. */
static int search_pass(struct search_page *s, struct cfs_crawl *c, int rc)
{
	if (rc == CFS_EFORMAT) {
		cfs_holes_fail(c->index, &s->hole);
		cfs_error_clear(s->ctx.err);
	}
	return rc == CFS_EFORMAT || rc == CFS_ENOTFOUND ? CFS_OK : rc;
}

#define STOPPED 2

/* Makes the path of a numbered capture, NAME#3, that of the preferred one,
 * NAME#. */
static void path_of_preferred(struct cfs_buf *path)
{
	ptrdiff_t mark = cfs_slice_rfind(cfs_buf_slice(path), '#');
	ptrdiff_t slash = cfs_slice_rfind(cfs_buf_slice(path), '/');

	if (mark > slash + 1)
		path->n = (size_t)mark + 1;
}

/* As cfs_target_fn: lists the pages, whose captures follow each other. */
static int search_on_entry(void *arg, const struct cfs_iter *it,
			   const struct cfs_capture *cap)
{
	struct search_page *s = arg;
	CFS_BUF(url, 2 * CFS_KEY_MAX + 64);
	int rc;

	if (cfs_slice_eq(it->key, cfs_buf_slice(&s->last))) {
		if (s->captures > 0 && !s->has_filters)
			row_capture(s, cap, it->pos);
		return CFS_OK;
	}
	row_end(s);
	cfs_buf_reset(&s->last);
	cfs_buf_add(&s->last, it->key);
	if (s->seen++ < (s->found.page - 1) * CFS_PAGE_ROWS)
		return CFS_OK;
	if (s->n == CFS_PAGE_ROWS) {
		s->has_more = true;
		return STOPPED;
	}
	cfs_index_key_url(it->ix, it->key, cap, &url);
	search_begin_path(s);
	rc = cfs_paths_find(s->paths, it);
	if (rc == CFS_OK)
		rc = cfs_paths_add(s->paths, CFS_VIEW_RAW, &s->path);
	if (!s->has_filters)
		path_of_preferred(&s->path);
	if (rc == CFS_OK || rc == CFS_EFORMAT) {	/* without a name */
		search_row(s, rc == CFS_OK ? "page/" : NULL,
			   cfs_buf_slice(&url));
		row_capture(s, cap, it->pos);
	}
	return search_pass(s, s->x->site->crawls[s->source], rc);
}

/* Calls fn with the pages that the target covers. */
static int search_each(struct search_page *s, const struct cfs_target *t,
		       cfs_target_fn *fn)
{
	struct cfs_holes holes;
	int rc = cfs_paths_begin(&s->paths, t->crawl, 1u << CFS_VIEW_RAW,
				 s->ctx);

	cfs_holes_init(&holes);
	holes.all = &t->crawl->holes;
	if (rc == CFS_OK)
		rc = cfs_target_each(t, &holes, fn, s, s->ctx);
	row_end(s);
	cfs_paths_end(s->paths);
	s->paths = NULL;
	if (cfs_holes_count(&holes) > 0)
		cfs_holes_fail(t->crawl->index, &s->hole);
	cfs_holes_release(&holes);
	return rc == STOPPED ? CFS_OK : rc;
}

/* Lists the folder that the target means, and its pages, unless pages are
 * sought by their words. */
static int search_target(void *arg, const struct cfs_target *t,
			 struct cfs_ctx ctx)
{
	struct search_page *s = arg;
	struct cfs_node dir;
	int rc = cfs_target_dir(t, &dir, CFS_CTX(ctx.cancel, NULL));

	if (rc == CFS_OK) {
		search_begin_path(s);
		rc = cfs_tree_path(t->crawl, &dir, &s->path, s->ctx);
		if (dir.depth > 0)
			cfs_buf_addc(&s->path, '/');
		if (rc == CFS_OK) {
			search_row(s, "tree/", CFS_SLICE_EMPTY);
			CFS_HTML(&s->rows, "</li>\n");
		}
	} else {
		rc = search_pass(s, t->crawl, rc);
	}
	if (rc != CFS_OK || s->folders_only)
		return rc;
	return search_each(s, t, search_on_entry);
}

/* Searches one crawl. */
static int search_crawl(struct search_page *s, struct cfs_crawl *c)
{
	struct cfs_error own = CFS_ERROR_INIT;
	int rc;

	cfs_buf_reset(&s->last);
	rc = cfs_target_with(c, cfs_buf_str(&s->text), search_target, s,
			     CFS_CTX(s->ctx.cancel, &own));
	return cfs_error_pass(s->ctx.err, &own, search_pass(s, c, rc));
}

/* ---- one URL ----------------------------------------------------------- */

/* Makes s->path that of a capture, if it is nearer to the wanted time than one
 * of another crawl. */
static int search_take(struct search_page *s, struct cfs_crawl *c,
		       struct cfs_node *file)
{
	struct cfs_entry *e = cfs_entry_new(s->ctx.err);
	uint64_t distance = 0;
	int rc = e != NULL ? CFS_OK : CFS_ENOMEM;

	if (rc == CFS_OK && s->has_at)
		rc = cfs_tree_nearest(c, file, s->at, s->ctx);
	if (rc == CFS_OK)
		rc = cfs_entry_read(c, file->pos, e, s->ctx);
	if (rc == CFS_OK && s->has_at)
		distance = cfs_dates_distance(e->cap.time, s->at);
	cfs_entry_free(e);
	if (rc != CFS_OK || (s->has_url && distance >= s->distance))
		return rc;
	s->has_url = true;
	s->distance = distance;
	search_begin_path(s);
	return cfs_tree_path(c, file, &s->path, s->ctx);
}

static int find_file(void *arg, const struct cfs_target *t, struct cfs_ctx ctx)
{
	return t->kind != CFS_TARGET_URL ? CFS_ENOTFOUND :
					   cfs_target_file(t, arg, ctx);
}

/* Looks for a URL in one crawl.  0, also if it is not there. */
static int search_url_in(struct search_page *s, struct cfs_crawl *c,
			 const char *url)
{
	struct cfs_error own = CFS_ERROR_INIT;
	struct cfs_node file;
	int rc = cfs_target_with(c, url, find_file, &file,
				 CFS_CTX(s->ctx.cancel, &own));

	if (rc == CFS_OK)
		return search_take(s, c, &file);
	return rc == CFS_ENOTFOUND ? CFS_OK :
	       cfs_error_pass(s->ctx.err, &own, rc);
}

/* Looks for what was typed as a URL, without a scheme if it has a path. */
static int search_url(struct search_page *s)
{
	const struct cfs_site *site = s->x->site;
	struct cfs_slice typed = cfs_buf_slice(&s->text), rest = typed;
	struct cfs_slice host = cfs_slice_split(&rest, '/');
	CFS_BUF(url, QUERY_MAX + sizeof(""));
	int rc;

	if (!cfs_url_is_typed(typed)) {
		if (host.n == typed.n || cfs_slice_find(host, '.') < 0)
			return CFS_OK;
		cfs_buf_adds(&url, "http://");
	}
	rc = cfs_buf_add(&url, typed);
	for (s->source = 0; rc == CFS_OK && s->source < site->n_crawls;
	     s->source++)
		rc = search_url_in(s, site->crawls[s->source],
				   cfs_buf_str(&url));
	return rc;
}

/* Makes what was typed the page that an address of a web archive is about, and
 * `at` its time.  False: it is no such address. */
static bool search_unwrap(struct search_page *s)
{
	CFS_BUF(inner, QUERY_MAX);
	int64_t time;
	bool is_archived;

	is_archived = cfs_url_archived(cfs_buf_slice(&s->text), &inner, &time);
	if (is_archived) {
		cfs_buf_reset(&s->text);
		cfs_buf_add(&s->text, cfs_buf_slice(&inner));
		s->has_at = time != 0;
		s->at = time;
	}
	return is_archived;
}

/* Looks for a URL, then for the page that it is an archive's address of. */
static int search_page_of(struct search_page *s)
{
	int rc = search_url(s);

	for (unsigned i = 0; i < WRAPPED_MAX && rc == CFS_OK && !s->has_url &&
			     search_unwrap(s); i++)
		rc = search_url(s);
	return rc;
}

/* ---- names that contain what was typed ----------------------------------- */

/* True once as many names were looked at as one request may. */
static bool search_is_over(struct search_page *s)
{
	bool is_remote = s->x->site->crawls[s->source]->cache != NULL;

	s->is_cut = ++s->n_keys > (is_remote ? KEYS_MAX_REMOTE : KEYS_MAX);
	return s->is_cut;
}

/* As cfs_target_fn: lists the pages with a capture that meets the filters. */
static int search_on_capture(void *arg, const struct cfs_iter *it,
			     const struct cfs_capture *cap)
{
	struct search_page *s = arg;
	struct cfs_traits traits = cfs_traits_of(cap);

	if (search_is_over(s))
		return STOPPED;
	return cfs_conditions_failed(&s->found.conditions, &traits) == 0 ?
	       search_on_entry(s, it, cap) : CFS_OK;
}

/* True if a name has all words that were typed, which may be *words*. */
static bool name_matches(const struct search_page *s, struct cfs_slice name)
{
	struct cfs_slice rest = cfs_buf_slice(&s->text), word;

	for (unsigned i = 0; i < KEY_WORDS_MAX &&
			     cfs_slice_next_word(&rest, &word); i++) {
		while (word.n > 0 && word.p[0] == '*')
			word = cfs_slice_from(word, 1);
		while (word.n > 0 && word.p[word.n - 1] == '*')
			word.n--;
		if (cfs_slice_search_nocase(name, word) < 0)
			return false;
	}
	return true;
}

/* As cfs_target_fn: lists the pages whose names contain what was typed. */
static int search_on_name(void *arg, const struct cfs_iter *it,
			  const struct cfs_capture *cap)
{
	struct search_page *s = arg;
	bool is_named;

	if ((s->has_words && s->n == NAMES_SHOWN) || search_is_over(s))
		return STOPPED;
	is_named = name_matches(s, it->key);
	if (!is_named && cfs_slice_find(cfs_buf_slice(&s->text), '.') >= 0) {
		cfs_buf_reset(&s->url);		/* a key's host is reversed */
		cfs_index_key_url(it->ix, it->key, cap, &s->url);
		is_named = name_matches(s, cfs_buf_slice(&s->url));
	}
	return is_named ? search_on_entry(s, it, cap) : CFS_OK;
}

static int search_root(void *arg, const struct cfs_target *t,
			struct cfs_ctx ctx)
{
	struct search_page *s = arg;

	(void)ctx;
	return search_each(s, t, s->has_filters ? search_on_capture :
						  search_on_name);
}

/* Lists names of all crawls that contain what was typed, or meet the filters;
 * below: a prefix, or "". */
static int search_all_names(struct search_page *s, const char *below)
{
	const struct cfs_site *site = s->x->site;
	int rc = CFS_OK;

	for (s->source = 0; rc == CFS_OK && s->source < site->n_crawls;
	     s->source++) {
		cfs_buf_reset(&s->last);
		s->n_keys = 0;
		rc = search_pass(s, site->crawls[s->source], cfs_target_with(
			site->crawls[s->source], below, search_root, s,
			s->ctx));
	}
	return rc;
}
/* ---- the answer ---------------------------------------------------------- */

/* Appends all up to the heading, and with it. */
static void search_begin(const struct search_page *s, struct cfs_buf *out)
{
	struct cfs_page_frame frame = { .kind = "Search",
		.title = cfs_buf_slice(&s->text),
		.search = cfs_buf_slice(&s->text) };

	if (s->text.n == 0 && s->has_filters)
		frame.title = CFS_SLICE_LIT("Captures");
	else if (s->text.n == 0)
		frame.title = CFS_SLICE_LIT("Search");
	cfs_page_begin(out, s->x->site, &frame);
	CFS_HTML(out, "<h1>$</h1>\n", cfs_html_short(frame.title, 200));
}

/* Appends why texts are not searched, with the name of a list but no folder of
 * this machine. */
static void search_no_words(struct cfs_buf *out, const struct cfs_error *why)
{
	struct cfs_slice where = cfs_slice_str(why->where);

	if (why->code != CFS_OK)
		CFS_HTML(out, "<p class='note' id='no-words'>Texts are not "
			 "searched: $$$</p>\n",
			 cfs_slice_last_part(where),
			 where.n > 0 ? ": " : "", why->text);
}

/* Appends what is said above a list of names. */
static void search_note(struct cfs_buf *out, const struct search_page *s)
{
	CFS_HTML(out, "<p class='note' role='status'>");
	if (s->hole.code != CFS_OK)
		CFS_HTML(out, "$", s->hole.text);
	else if (s->text.n == 0 && !s->has_filters)
		CFS_HTML(out, "Words of a page, a URL, its beginning with a * "
			 "behind it, or a host can be searched.");
	else if (s->n == 0)
		CFS_HTML(out, "Nothing is there. A URL, its beginning with a * "
			 "behind it, a host (example.com), or a reversed one "
			 "(com.example) can be searched.");
	else
		CFS_HTML(out, "$$ page$", cfs_html_figure(s->seen),
			 CFS_HTML_IF(s->has_more || s->is_cut, " and more"),
			 CFS_HTML_IF(s->seen != 1, "s"));
	CFS_HTML(out, "</p>\n$", CFS_HTML_IF(s->is_cut, "<p class='note'>Not all "
		 "captures were looked at: a host narrows the search.</p>\n"));
}

/* Replies with names: folders, and pages in them. */
static int search_answer(struct search_page *s)
{
	unsigned status = cfs_status_of(s->hole.code);
	struct cfs_buf out;

	s->found.is_of_names = true;
	s->found.typed = cfs_buf_slice(&s->text);
	search_begin(s, &out);
	cfs_page_search_chosen(&out, &s->found);
	search_note(&out, s);
	if (s->has_filters)
		cfs_page_search_form(&out, &s->found);
	search_no_words(&out, &s->found.no_words);
	if (s->query != NULL && s->found.no_words.code == CFS_OK)
		CFS_HTML(&out, "<p><a href='?q=$&amp;in=words'>Search the texts "
			 "for it</a></p>\n",
			 cfs_html_query(cfs_buf_slice(&s->text)));
	CFS_HTML(&out, "<ul class='found'>\n$</ul>\n",
		 cfs_html_made(cfs_buf_slice(&s->rows)));
	cfs_page_search_pager(&out, &s->found, 0, s->has_more);
	return cfs_page_end(s->x, s->rows.failed, status, &out);
}

/* Replies with the pages that have a capture which meets the filters. */
static int search_filtered(struct search_page *s)
{
	struct cfs_slice host = s->found.filters[CFS_FACET_HOST];
	CFS_BUF(below, CFS_REPLY_HEAD_MAX);
	int rc;

	if (cfs_slice_starts(host, CFS_SLICE_LIT("*.")))
		host = cfs_slice_from(host, 2);
	if (host.n > 0 && !cfs_lenient_prefix(host, &below))
		cfs_buf_add(&below, host);
	s->has_filters = true;
	rc = search_all_names(s, cfs_buf_str(&below));
	return rc == CFS_OK ? search_answer(s) : rc;
}

/* Replies with the pages whose texts have the words. */
static int search_answer_words(struct search_page *s)
{
	unsigned status = cfs_status_of(s->found.results.hole.code);
	struct cfs_buf out;
	int rc;

	s->found.names = cfs_buf_slice(&s->rows);
	if (s->hole.code != CFS_OK)
		status = cfs_status_of(s->hole.code);
	if (s->is_json) {
		cfs_buf_init(&out, CFS_REPLY_BODY_MAX);
		rc = cfs_page_search_json(&out, &s->found, s->ctx);
		if (rc == CFS_OK)
			rc = cfs_reply_text(s->x, status, "application/json",
					    &out);
		cfs_buf_release(&out);
		return rc;
	}
	search_begin(s, &out);
	rc = cfs_page_search_html(&out, &s->found, s->ctx);
	search_no_words(&out, &s->found.no_words);
	return cfs_page_end(s->x, rc, status, &out);
}

/* Reads the time that a link has; another is no failure. */
static void read_at(struct search_page *s)
{
	struct cfs_time_reading at;
	CFS_BUF(text, CFS_REPLY_HEAD_MAX);

	s->has_at = cfs_query_get(s->x->query, "at", &text) &&
		    cfs_time_read(cfs_buf_slice(&text), &at) == CFS_OK;
	if (s->has_at)
		s->at = at.time;
	s->is_opened = cfs_query_get(s->x->query, "open", &text);
}

/* Reads what was typed.  CFS_EUSAGE for what cannot have been. */
static int read_typed(struct search_page *s)
{
	static const char *const kinds[] = { "any", "names", "words",
					     "neither names nor words" };
	static const char *const formats[] = { "html", "json",
					       "neither html nor json" };
	struct cfs_slice typed;
	unsigned kind, format = 0;
	int rc = cfs_page_choice(s->x->query, "format", formats, 2, &format,
				 s->ctx.err);

	s->is_json = s->x->wants_json = format == 1;
	if (rc == CFS_OK)
		rc = cfs_page_choice(s->x->query, "in", kinds, 3, &kind,
				     s->ctx.err);
	if (rc != CFS_OK)
		return rc;
	s->in = s->is_json ? SEARCH_WORDS : (enum search_in)kind;
	cfs_query_get(s->x->query, "q", &s->text);
	typed = cfs_slice_trim(cfs_buf_slice(&s->text));
	if (typed.n > QUERY_MAX || s->text.failed != CFS_OK)
		return cfs_error_set(s->ctx.err, CFS_EUSAGE, "q: longer than "
				     "any URL");
	if (cfs_slice_find(typed, '\0') >= 0)
		return cfs_error_set(s->ctx.err, CFS_EUSAGE, "q: holds a NUL");
	if (typed.n > 0) {
		memmove(s->text.p, typed.p, typed.n);
		s->text.n = typed.n;
	} else {
		cfs_buf_reset(&s->text);
	}
	read_at(s);
	return CFS_OK;
}

/* True if what was typed looks like a name, not like words. */
static bool is_like_name(struct cfs_slice s)
{
	return cfs_slice_find_any(s, 0, "./:*") < s.n &&
	       cfs_slice_find_any(s, 0, " \t\"") == s.n;
}

/* Makes the query for words of what was typed.  Text that has none, or too
 * many, is searched as a name: s->found.no_words then says why. */
static int read_words(struct search_page *s)
{
	struct cfs_error own = CFS_ERROR_INIT;
	int rc = cfs_word_query_parse(&s->query, cfs_buf_slice(&s->text), &own);

	if (rc == CFS_EUSAGE && !s->is_json) {
		s->found.no_words = own;
		return CFS_OK;
	}
	s->found.results.query = s->query;
	s->found.typed = cfs_buf_slice(&s->text);
	return cfs_error_pass(s->ctx.err, &own, rc);
}

/* Lists what is named so. */
static int search_in_names(struct search_page *s)
{
	const struct cfs_site *site = s->x->site;
	int rc = CFS_OK;

	for (s->source = 0; rc == CFS_OK && s->source < site->n_crawls;
	     s->source++)
		rc = search_crawl(s, site->crawls[s->source]);
	return rc;
}

/* Searches the texts; where none has the words, names that contain them. */
static int search_in_words(struct search_page *s)
{
	int rc = cfs_page_search_find(&s->found, s->ctx);

	s->has_words = true;
	if (rc == CFS_OK && s->found.results.n == 0 && s->n == 0 &&
	    !s->is_json && !cfs_page_search_filters(&s->found))
		rc = search_all_names(s, "");
	return rc;
}

/* Finds names, then words, or names that contain them if there is no list of
 * words.  Where words are sought, a folder of that name is shown all the
 * same. */
static int search_any(struct search_page *s)
{
	bool can_find = false, names_first;
	int rc = CFS_OK;

	if (s->query != NULL && s->in != SEARCH_NAMES)
		rc = cfs_page_search_can_find(&s->found, &can_find, s->ctx);
	if (rc == CFS_OK && s->is_json && !can_find)
		return cfs_error_set(s->ctx.err, CFS_ENOTFOUND, "%s",
				     s->found.no_words.text);
	names_first = !can_find || is_like_name(cfs_buf_slice(&s->text));
	s->folders_only = !names_first;
	if (rc == CFS_OK && (s->in != SEARCH_WORDS || !can_find))
		rc = search_in_names(s);
	if (rc != CFS_OK || (names_first && s->n > 0))
		return rc;
	if (can_find)
		return search_in_words(s);
	return s->seen == 0 ? search_all_names(s, "") : CFS_OK;
}

static int search_make(struct search_page *s)
{
	const char *page;
	bool is_folder;
	int rc = read_typed(s);

	if (rc != CFS_OK)
		return rc;
	page = s->is_opened ? "open/" : "page/";
	if (s->text.n == 0 && s->is_json)
		return cfs_error_set(s->ctx.err, CFS_EUSAGE, "q: required");
	rc = cfs_page_search_read(&s->found, s->x->query, s->ctx.err);
	if (rc != CFS_OK)
		return rc;
	if (s->text.n == 0)
		return cfs_page_search_filters(&s->found) ?
			       search_filtered(s) : search_answer(s);
	if (s->in != SEARCH_WORDS)
		rc = search_page_of(s);
	if (rc == CFS_OK && s->has_url)
		return cfs_page_lead(s->x, page, cfs_buf_slice(&s->path));
	if (rc == CFS_OK)
		rc = read_words(s);
	if (rc == CFS_OK)
		rc = search_any(s);
	if (rc != CFS_OK)
		return rc;
	if (s->has_words)
		return search_answer_words(s);
	is_folder = s->path.n == 0 || s->path.p[s->path.n - 1] == '/';
	if (s->n == 1 && s->hole.code == CFS_OK && s->found.page == 1)
		return cfs_page_lead(s->x, is_folder ? "tree/" : page,
				     cfs_buf_slice(&s->path));
	return search_answer(s);
}

int cfs_answer_search(struct cfs_exchange *x, struct cfs_ctx ctx)
{
	struct search_page s = { .x = x, .ctx = ctx };
	int rc;

	if (!x->may_take_long)
		return CFS_ROUTE_TAKES_LONG;
	cfs_page_search_init(&s.found);
	s.found.site = x->site;
	cfs_buf_init(&s.text, CFS_REPLY_HEAD_MAX);
	cfs_buf_init(&s.rows, CFS_REPLY_BODY_MAX);
	cfs_buf_init(&s.mime, CFS_REPLY_BODY_MAX);
	cfs_buf_init(&s.last, CFS_KEY_MAX);
	cfs_buf_init(&s.path, 4 * CFS_KEY_MAX);
	cfs_buf_init(&s.url, 2 * CFS_KEY_MAX + 64);
	rc = search_make(&s);
	cfs_word_query_free(s.query);
	cfs_page_search_release(&s.found);
	cfs_buf_release(&s.text);
	cfs_buf_release(&s.rows);
	cfs_buf_release(&s.mime);
	cfs_buf_release(&s.last);
	cfs_buf_release(&s.path);
	cfs_buf_release(&s.url);
	return rc;
}

/* Replies with the description by which browsers offer this search.
 *
 * Spec: OpenSearch 1.1, draft 6.  Its template has to be a whole URL. */
int cfs_answer_opensearch(struct cfs_exchange *x, struct cfs_ctx ctx)
{
	struct cfs_buf out;
	CFS_BUF(base, CFS_REPLY_HEAD_MAX);

	(void)ctx;
	cfs_reply_base(x, &base);
	cfs_buf_init(&out, CFS_REPLY_BODY_MAX);
	CFS_HTML(&out, "<?xml version='1.0' encoding='UTF-8'?>\n"
		 "<OpenSearchDescription "
		 "xmlns='http://a9.com/-/spec/opensearch/1.1/'>\n"
		 "<ShortName>crawlfs</ShortName>\n<Description>Words, URLs "
		 "and hosts of a crawl</Description>\n"
		 "<InputEncoding>UTF-8</InputEncoding>\n<Url type='text/html' "
		 "template='$/search?q={searchTerms}'/>\n"
		 "</OpenSearchDescription>\n", &base);
	return cfs_reply_text(x, 200, "application/opensearchdescription+xml",
			      &out);
}
