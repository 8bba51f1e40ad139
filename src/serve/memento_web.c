/* memento_web.c - captures by their URL and time, as other web archives have
 * them.
 *
 *     /web/URL               the TimeGate: leads to the capture nearest to the
 *                            field Accept-Datetime, else to the last one
 *     /web/TIME/URL          the capture of that time, or leads to the nearest
 *     /web/TIMEid_/URL       the same
 *     /web/timemap/FORM/URL  all captures (memento_map.c); FORM/N/URL: page N
 *
 * Which URLs are the same is decided as for the CDX server (cdx_streams.c).
 * The answer to a TIME that no capture has is one redirection to one that has;
 * redirections that were archived are sent as pages, never followed.
 *
 * Spec: RFC 7089; the addresses are those of the Wayback Machine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/ascii.h"
#include "base/timestamp.h"
#include "cdx_server_internal.h"
#include "file_answer.h"
#include "memento.h"
#include "routes.h"
#include "url/lenient_url.h"
#include "url/url.h"

/* So many captures are looked at before the request is left to threads for long
 * work. */
#define QUICK_CAPTURES 4096u
/* Later than any capture. */
#define LAST_YEAR 9999

struct memento {
	bool is_set;
	unsigned crawl;
	cfs_pos pos;
	int64_t time;
	uint16_t status;
	struct cfs_buf url;
};

struct web_request {
	struct cfs_exchange *x;
	struct cfs_ctx ctx;
	struct cfs_buf base;		/* the address of this server */
	struct cfs_buf url;		/* as asked for, with a scheme */
	bool has_time;			/* else the TimeGate is asked */
	int64_t time;			/* the moment that is wanted */
	struct cfs_slice flag;		/* of the path: "id_" */
	/* The result of the search, so far: */
	uint64_t n;			/* captures */
	bool is_long;			/* they are too many for this thread */
	bool is_own;			/* `best` has that very URL */
	struct memento first, last, previous, next, best;
};

/* ---- the search ---------------------------------------------------------- */

static void copy_memento(struct memento *to, const struct memento *from)
{
	to->is_set = from->is_set;
	to->crawl = from->crawl;
	to->pos = from->pos;
	to->time = from->time;
	to->status = from->status;
	cfs_buf_reset(&to->url);
	cfs_buf_add(&to->url, cfs_buf_slice(&from->url));
}

/* True if a capture is nearer to what is wanted than the best one so far; of
 * those of one second, the one of the wanted URL is. */
static bool is_better(const struct web_request *w, int64_t time, bool is_own)
{
	uint64_t now = cfs_dates_distance(time, w->time);
	uint64_t best = cfs_dates_distance(w->best.time, w->time);

	return !w->best.is_set || now < best ||
	       (now == best && is_own && !w->is_own);
}

/* Notes a capture; they come in the order of time. */
static void note_capture(struct web_request *w, const struct cfs_cdx_head *h)
{
	struct cfs_slice url = h->row.v[CFS_CDX_URL];
	int64_t time = h->w->cap.time;
	bool is_own = cfs_slice_eq(url, cfs_buf_slice(&w->url));
	bool is_best = is_better(w, time, is_own);

	/* two records of one URL and second have one address */
	if (time == 0 || (w->last.is_set && w->last.time == time &&
			  cfs_slice_eq(url, cfs_buf_slice(&w->last.url))))
		return;
	if (is_best)
		copy_memento(&w->previous, &w->last);
	w->last.is_set = true;
	w->last.crawl = h->crawl;
	w->last.pos = h->w->it.pos;
	w->last.time = time;
	w->last.status = h->w->cap.status;
	cfs_buf_reset(&w->last.url);
	cfs_buf_add(&w->last.url, url);
	if (!w->first.is_set)
		copy_memento(&w->first, &w->last);
	if (is_best) {
		copy_memento(&w->best, &w->last);
		w->is_own = is_own;
		w->next.is_set = false;
	} else if (!w->next.is_set) {
		copy_memento(&w->next, &w->last);
	}
}

/* Notes all captures of a URL. */
static int scan_url(struct web_request *w, struct cfs_slice url)
{
	struct cfs_cdx_query q = { .match = CFS_MATCH_EXACT };
	struct cfs_cdx_streams *streams = NULL;
	struct cfs_cdx_head *h;
	int rc;

	cfs_buf_init(&q.url, CFS_REPLY_HEAD_MAX);
	rc = cfs_buf_add(&q.url, url);
	if (rc == CFS_OK)
		rc = cfs_cdx_streams_new(&streams, w->x->site, &q, w->ctx.err);
	while (rc == CFS_OK && !w->is_long) {
		rc = cfs_cdx_streams_step(streams, &h, w->ctx);
		if (rc == CFS_OK && h != NULL) {
			rc = cfs_cdx_head_fill(h, w->x->site, w->ctx.err);
			if (rc == CFS_OK)
				note_capture(w, h);
			w->is_long = ++w->n > QUICK_CAPTURES &&
				     !w->x->may_take_long;
		}
		if (rc == CFS_OK && cfs_cancelled(w->ctx.cancel))
			rc = CFS_EINTR;
	}
	if (rc == CFS_END)
		rc = CFS_OK;
	/* a capture in a damaged block may be nearer */
	if (rc == CFS_OK && cfs_cdx_streams_hole(streams) != NULL)
		rc = cfs_holes_fail(cfs_cdx_streams_hole(streams), w->ctx.err);
	cfs_cdx_streams_free(streams);
	cfs_buf_release(&q.url);
	return rc;
}

/* Finds the capture that is wanted, and those around it.  CFS_ENOTFOUND. */
static int find_memento(struct web_request *w)
{
	struct cfs_buf other;
	int rc = scan_url(w, cfs_buf_slice(&w->url));

	cfs_buf_init(&other, CFS_REPLY_HEAD_MAX);
	for (unsigned i = 0; rc == CFS_OK && !w->best.is_set &&
			     cfs_lenient_url(cfs_buf_slice(&w->url), i, &other);
	     i++) {
		rc = scan_url(w, cfs_buf_slice(&other));
		cfs_buf_reset(&other);
	}
	cfs_buf_release(&other);
	if (rc == CFS_OK && w->is_long)
		return CFS_ROUTE_TAKES_LONG;
	return rc == CFS_OK && !w->best.is_set ? CFS_ENOTFOUND : rc;
}

/* ---- the answers --------------------------------------------------------- */

static void add_neighbours(const struct web_request *w, struct cfs_buf *links,
			   bool with_best)
{
	const struct { const char *rel; const struct memento *m; } all[] = {
		{ "memento", with_best ? &w->best : NULL },
		{ "first memento", &w->first },
		{ "prev memento", &w->previous },
		{ "next memento", &w->next },
		{ "last memento", &w->last },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].m != NULL && all[i].m->is_set)
			cfs_memento_capture_link(links, cfs_buf_slice(&w->base),
					 all[i].rel, all[i].m->time,
					 cfs_buf_slice(&all[i].m->url));
}

/* Sends the client to the capture that was found. */
static int answer_gate(struct web_request *w)
{
	struct cfs_buf links, to;
	int rc;

	cfs_buf_init(&to, CFS_REPLY_HEAD_MAX);
	cfs_memento_address(&to, CFS_SLICE_EMPTY, w->best.time, w->flag,
			    cfs_buf_slice(&w->best.url));
	rc = cfs_reply_redirect(w->x, 302, &to);
	if (rc != CFS_OK)
		return rc;
	if (!w->has_time)
		cfs_reply_header(w->x, "Vary",
				 CFS_SLICE_LIT("Accept-Datetime"));
	cfs_buf_init(&links, CFS_MEMENTO_LINKS_MAX);
	cfs_memento_url_links(&links, cfs_buf_slice(&w->base),
			      cfs_buf_slice(&w->url));
	add_neighbours(w, &links, true);
	return cfs_memento_reply_links(w->x, &links);
}

/* Sends the capture, with the status of an error that was archived. */
static int answer_memento(struct web_request *w)
{
	struct cfs_site_place p = {
		.crawl = w->x->site->crawls[w->best.crawl],
		.node = { .type = CFS_NODE_FILE, .source = w->best.crawl,
			  .pos = w->best.pos, .view = CFS_VIEW_RAW },
	};
	struct cfs_buf links;
	int rc = cfs_file_answer(w->x, &p, w->ctx);

	if (rc != CFS_OK)
		return rc;
	if (w->x->status == 200 && w->best.status >= 400 &&
	    w->best.status < 600)
		w->x->status = w->best.status;
	cfs_buf_init(&links, CFS_MEMENTO_LINKS_MAX);
	add_neighbours(w, &links, false);
	return cfs_memento_reply_links(w->x, &links);
}

/* ---- the request --------------------------------------------------------- */

/* Reads the URL at the end of a path: as it is, or escaped as one component.
 * One without a scheme is of http. */
static int read_url(struct web_request *w, struct cfs_slice sent)
{
	struct cfs_slice query = w->x->query;
	bool is_escaped = cfs_slice_find(sent, '/') < 0 &&
		cfs_slice_search_nocase(sent, CFS_SLICE_LIT("%3a%2f")) >= 0;
	enum cfs_scheme scheme;
	struct cfs_buf text;
	struct cfs_slice page;
	int rc;

	if (sent.n + query.n > CFS_MEMENTO_URL_MAX)
		return cfs_error_set(w->ctx.err, CFS_EUSAGE, "the URL is longer "
				     "than %zu bytes", CFS_MEMENTO_URL_MAX);
	cfs_buf_init(&text, CFS_REPLY_HEAD_MAX);
	rc = is_escaped ? cfs_percent_decode(sent, false, &text) :
			  cfs_buf_add(&text, sent);
	page = cfs_buf_slice(&text);
	scheme = cfs_url_take_scheme(&page);
	if (scheme != CFS_SCHEME_NONE || cfs_url_scheme(page).n == 0)
		cfs_buf_addf(&w->url, "%s://", cfs_scheme_name(scheme));
	cfs_buf_add(&w->url, page);
	if (query.n > 0) {
		cfs_buf_addc(&w->url, '?');
		cfs_buf_add(&w->url, query);
	}
	cfs_buf_release(&text);
	if (rc == CFS_OK && page.n == 0)
		rc = CFS_ENOTFOUND;
	return rc == CFS_OK ? w->url.failed : rc;
}

/* Takes the digits of a time, and the flag behind them, off a path.  False:
 * what it begins with is a URL. */
static bool take_time(struct cfs_slice *path, struct cfs_slice *digits,
		      struct cfs_slice *flag)
{
	struct cfs_slice rest = *path, part = cfs_slice_split(&rest, '/');
	size_t n = 0, k;

	while (n < part.n && cfs_is_digit(part.p[n]))
		n++;
	for (k = n; k < part.n && cfs_is_alpha(part.p[k]); k++)
		;
	*digits = cfs_slice_sub(part, 0, n);
	*flag = cfs_slice_from(part, n);
	if (n == 0 || rest.n == 0 ||
	    (flag->n > 0 && (flag->n != 3 || k != n + 2 || part.p[k] != '_')))
		return false;
	*path = rest;
	return true;
}

/* Sets the moment that is wanted.  digits: of the path; n 0: none. */
static int read_moment(struct web_request *w, struct cfs_slice digits)
{
	struct cfs_slice accept =
		cfs_slice_trim(w->x->fields[CFS_FIELD_ACCEPT_DATETIME]);
	struct cfs_time_reading at;

	w->has_time = digits.n > 0;
	w->time = cfs_time_from_utc(LAST_YEAR, 12, 31, 23, 59, 59);
	if (w->has_time && (digits.n > 14 ||
			    cfs_time_parse_14(digits, &w->time) != CFS_OK))
		return cfs_error_set(w->ctx.err, CFS_EUSAGE, "'%.*s' is not a "
				     "time of 4 to 14 digits",
				     digits.n < 40 ? (int)digits.n : 40,
				     (const char *)digits.p);
	if (w->has_time || accept.n == 0)
		return CFS_OK;
	if (cfs_time_read(accept, &at) != CFS_OK || !at.is_whole)
		return cfs_error_set(w->ctx.err, CFS_EUSAGE, "the field "
				     "Accept-Datetime is not a date of HTTP");
	w->time = at.time;
	return CFS_OK;
}

/* Takes "NAME/" off the front of a path. */
static bool take_word(struct cfs_slice *path, struct cfs_slice name)
{
	if (!cfs_slice_starts(*path, name))
		return false;
	*path = cfs_slice_from(*path, name.n);
	return true;
}

/* Answers timemap/FORM/URL and timemap/FORM/N/URL.  path: behind "timemap/". */
static int answer_map(struct web_request *w, struct cfs_slice path)
{
	bool is_json = take_word(&path, CFS_SLICE_LIT("json/"));
	struct cfs_slice rest, number;
	uint64_t page = 1;
	int rc;

	if (!is_json && !take_word(&path, CFS_SLICE_LIT("link/")))
		return cfs_error_set(w->ctx.err, CFS_EUSAGE, "a list of "
				     "captures is link or json");
	rest = path;
	number = cfs_slice_split(&rest, '/');
	if (rest.n > 0 && cfs_slice_parse_u64(number, UINT32_MAX, &page) ==
				  CFS_OK && page > 0)
		path = rest;
	else
		page = 1;
	rc = read_url(w, path);
	return rc == CFS_OK ? cfs_memento_map(w->x, cfs_buf_slice(&w->url),
					      is_json, page, w->ctx) : rc;
}

static int answer_time(struct web_request *w, struct cfs_slice path)
{
	struct cfs_slice digits = CFS_SLICE_EMPTY;
	int rc;

	if (!take_time(&path, &digits, &w->flag))
		digits = w->flag = CFS_SLICE_EMPTY;
	rc = read_moment(w, digits);
	if (rc == CFS_OK)
		rc = read_url(w, path);
	if (rc == CFS_OK)
		rc = find_memento(w);
	if (rc != CFS_OK)
		return rc;
	return w->has_time && w->best.time == w->time && digits.n == 14 ?
	       answer_memento(w) : answer_gate(w);
}

int cfs_answer_web(struct cfs_exchange *x, struct cfs_ctx ctx)
{
	struct web_request w = { .x = x, .ctx = ctx };
	struct memento *const all[] = { &w.first, &w.last, &w.previous,
					&w.next, &w.best };
	struct cfs_slice path = x->rest;
	int rc;

	cfs_buf_init(&w.base, CFS_REPLY_HEAD_MAX);
	cfs_buf_init(&w.url, CFS_REPLY_HEAD_MAX);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		cfs_buf_init(&all[i]->url, CFS_KEY_MAX);
	cfs_reply_base(x, &w.base);
	rc = take_word(&path, CFS_SLICE_LIT("timemap/")) ?
	     answer_map(&w, path) : answer_time(&w, path);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		cfs_buf_release(&all[i]->url);
	cfs_buf_release(&w.base);
	cfs_buf_release(&w.url);
	return rc;
}
