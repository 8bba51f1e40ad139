/* failure.c - replies that say why there is no other: for people a page, with
 * what was asked for and where to go on, for programs a sentence.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hex.h"
#include "base/log.h"
#include "page_frame.h"
#include "routes.h"
#include "server_internal.h"

/* Characters of a path that are shown. */
#define ASKED_CHARS 300u

/* True if the client is to get a page: where pages are, and any browser. */
static bool wants_page(const struct cfs_exchange *x,
		       const struct cfs_route *route)
{
	return (route != NULL && route->is_for_people) ||
	       cfs_exchange_is_browser(x);
}

/* Appends a sentence made of a message, which may begin with the name of a
 * parameter and a colon. */
static void page_sentence(struct cfs_buf *out, const char *text)
{
	struct cfs_slice rest = cfs_slice_str(text);
	size_t word = cfs_slice_find_any(rest, 0, " :");

	if (word < rest.n && rest.p[word] == ' ' && rest.p[0] >= 'a' &&
	    rest.p[0] <= 'z') {
		cfs_buf_addc(out, (uint8_t)(rest.p[0] - 'a' + 'A'));
		rest = cfs_slice_from(rest, 1);
	}
	cfs_html_text(out, rest);
	if (rest.n > 0 && rest.p[rest.n - 1] != '.')
		cfs_buf_addc(out, '.');
}

static void page_fact(struct cfs_buf *out, const char *name,
		      struct cfs_slice value)
{
	if (value.n > 0)
		CFS_HTML(out, "<div><dt>$</dt><dd>$</dd></div>\n", name,
			 cfs_html_short(value, ASKED_CHARS));
}

/* Appends what was asked for, and the file that is at fault. */
static void page_facts(struct cfs_buf *out, const struct cfs_exchange *x,
		       const struct cfs_error *err)
{
	CFS_BUF(where, CFS_REPLY_HEAD_MAX);
	CFS_BUF(asked, CFS_REPLY_HEAD_MAX);

	cfs_percent_decode(x->path, false, &asked);
	if (x->query.n > 0) {
		cfs_buf_addc(&asked, '?');
		cfs_percent_decode(x->query, true, &asked);
	}
	if (err != NULL)
		cfs_buf_adds(&where, err->where);
	if (where.n > 0 && err->offset > 0)
		cfs_buf_addf(&where, ", offset %" PRIu64, err->offset);
	CFS_HTML(out, "<dl class='fields' id='asked'>\n");
	page_fact(out, "Asked for", cfs_buf_slice(&asked));
	page_fact(out, "File", cfs_buf_slice(&where));
	CFS_HTML(out, "</dl>\n");
}

static void page_search(struct cfs_buf *out, const struct cfs_site *site,
			struct cfs_slice text)
{
	if (text.n > 0)
		CFS_HTML(out, "<li><a href='$'>Search for $</a></li>\n",
			 cfs_page_search_url(site, text, 0),
			 cfs_html_short(text, ASKED_CHARS));
}

/* Appends a link to the last page of a list, which the rest of the query says
 * more about. */
static void page_last(struct cfs_buf *out, const struct cfs_exchange *x)
{
	struct cfs_slice rest = x->query;

	CFS_HTML(out, "<li><a href='?");
	while (rest.n > 0) {
		struct cfs_slice pair = cfs_slice_split(&rest, '&');

		if (!cfs_slice_starts(pair, CFS_SLICE_LIT("page=")))
			CFS_HTML(out, "$&amp;", pair);
	}
	CFS_HTML(out, "page=$'>The last page of the list</a></li>\n",
		 x->last_page);
}

/* Appends links to a search for what was asked for, and of a path of the tree
 * to the folder above and to all captures.  Of a list there is its last page
 * instead. */
static void page_ways(struct cfs_buf *out, const struct cfs_exchange *x,
		      const struct cfs_route *route, unsigned status)
{
	bool is_of_tree = route != NULL && route->is_of_tree;
	bool is_of_time = route != NULL && strcmp(route->path, "/web/") == 0;
	CFS_BUF(place, CFS_REPLY_HEAD_MAX);
	CFS_BUF(decoded, CFS_REPLY_HEAD_MAX);
	struct cfs_slice path;
	ptrdiff_t slash;

	cfs_page_path(is_of_tree || is_of_time ? x->rest :
		      cfs_slice_from(x->path, 1), &decoded);
	path = cfs_buf_slice(&decoded);
	if (is_of_time)		/* the URL behind the time */
		cfs_slice_split(&path, '/');
	if (is_of_tree)
		cfs_page_place(&place, x->site, path);
	else
		cfs_buf_add(&place, path);
	slash = cfs_slice_rfind(path, '/');
	CFS_HTML(out, "<ul class='found' id='ways'>\n");
	if (x->last_page > 0)
		page_last(out, x);
	else if (is_of_tree && status >= 500)
		CFS_HTML(out, "<li><a href='$'>All captures of the page</a>"
			 "</li>\n", cfs_page_url(x->site, "page/", path));
	else if (route == NULL || is_of_tree || is_of_time)
		page_search(out, x->site, cfs_buf_slice(&place));
	if (is_of_tree && x->last_page == 0)
		CFS_HTML(out, "<li><a href='$'>The folder above</a></li>\n",
			 cfs_page_url(x->site, "tree/",
				      cfs_slice_sub(path, 0,
						    (size_t)(slash + 1))));
	CFS_HTML(out, "</ul>\n");
}

static void reply_page(struct cfs_exchange *x, const struct cfs_route *route,
		       unsigned status, const char *text,
		       const struct cfs_error *err)
{
	const char *phrase = cfs_status_text(status);
	struct cfs_page_frame frame = {
		.title = cfs_slice_str(phrase), .kind = "Failure",
		.search = CFS_SLICE_EMPTY,
	};
	struct cfs_buf out;

	cfs_page_begin(&out, x->site, &frame);
	CFS_HTML(&out, "<h1>$ $</h1>\n<p id='reason'>", status, phrase);
	page_sentence(&out, text);
	CFS_HTML(&out, "</p>\n");
	page_facts(&out, x, err);
	if (status == 404 || status >= 500)
		page_ways(&out, x, route, status);
	if (cfs_page_end(x, CFS_OK, status, &out) != CFS_OK)
		x->status = status;	/* without its page */
}

/* As cfs_failure_say; err: what failed, or NULL. */
static void reply_with(struct cfs_exchange *x, const struct cfs_route *route,
		       unsigned status, const char *text,
		       const struct cfs_error *err)
{
	char line[sizeof(err->where) + sizeof(err->text) + 64];

	if (!x->wants_json && wants_page(x, route)) {
		reply_page(x, route, status, text, err);
		return;
	}
	snprintf(line, sizeof(line), "%s", text);
	if (err != NULL && err->where[0] != '\0')
		cfs_error_line(err, line, sizeof(line));
	if (x->wants_json)
		cfs_reply_json_message(x, status, line);
	else
		cfs_reply_message(x, status, "%s", line);
}

void cfs_failure_say(struct cfs_exchange *x, const struct cfs_route *route,
		      unsigned status, const char *text)
{
	reply_with(x, route, status, text, NULL);
}

/* The text of a 404.  Pages supply their own. */
static const char *text_of_404(const struct cfs_exchange *x,
			       const struct cfs_route *route,
			       const struct cfs_error *err)
{
	if (!wants_page(x, route))
		return cfs_status_text(404);
	if (err->code == CFS_OK || err->where[0] != '\0')
		return "the crawl has no such page or folder";
	return err->text;
}

void cfs_failure_reply(struct cfs_exchange *x, const struct cfs_route *route,
		       int rc, struct cfs_error *err)
{
	char line[sizeof(err->where) + sizeof(err->text) + 64];
	unsigned status = cfs_status_of(rc);

	cfs_reply_reset(x);
	cfs_error_line(err, line, sizeof(line));
	if (status >= 500 && rc != CFS_EINTR)
		cfs_log(CFS_LOG_WARNING, "%.*s: %s", (int)x->path.n,
			(const char *)x->path.p, line);
	cfs_error_hide_folder(err);
	if (status == 404 && rc != CFS_ENOWORDS)
		cfs_failure_say(x, route, status, text_of_404(x, route, err));
	else if (err->code == CFS_OK)
		cfs_failure_say(x, route, status, cfs_status_text(status));
	else
		reply_with(x, route, status, err->text, err);
}
