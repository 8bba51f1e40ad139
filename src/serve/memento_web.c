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
 * The answer to a TIME that no capture has is one redirection to one that has.
 * A redirection that was archived is sent as one, with its status (section
 * 4.5.4), to the address that its target has here.
 *
 * Spec: RFC 7089; the addresses are those of the Wayback Machine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/ascii.h"
#include "base/timestamp.h"
#include "cdx_server_internal.h"
#include "crawl/content.h"
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
	bool is_back;			/* of follow */
	struct memento first, last, previous, next, best;
	struct memento page;		/* the best one but for redirections */
};

#define FOUND_MAX 6u

static void all_found(struct web_request *w, struct memento *all[FOUND_MAX])
{
	all[0] = &w->first;
	all[1] = &w->last;
	all[2] = &w->previous;
	all[3] = &w->next;
	all[4] = &w->best;
	all[5] = &w->page;
}

static void begin_request(struct web_request *w, struct cfs_exchange *x,
			  struct cfs_ctx ctx)
{
	struct memento *all[FOUND_MAX];

	*w = (struct web_request){ .x = x, .ctx = ctx };
	all_found(w, all);
	cfs_buf_init(&w->base, CFS_REPLY_HEAD_MAX);
	cfs_buf_init(&w->url, CFS_REPLY_HEAD_MAX);
	for (unsigned i = 0; i < FOUND_MAX; i++)
		cfs_buf_init(&all[i]->url, CFS_KEY_MAX);
	cfs_reply_base(x, &w->base);
}

static void end_request(struct web_request *w)
{
	struct memento *all[FOUND_MAX];

	all_found(w, all);
	for (unsigned i = 0; i < FOUND_MAX; i++)
		cfs_buf_release(&all[i]->url);
	cfs_buf_release(&w->base);
	cfs_buf_release(&w->url);
}

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

/* True if a capture is nearer to what is wanted than the best one so far. */
static bool is_nearer(const struct web_request *w, int64_t time,
		      const struct memento *best)
{
	return !best->is_set || cfs_dates_distance(time, w->time) <
				cfs_dates_distance(best->time, w->time);
}

/* The same; of those of one second, the one of the wanted URL is better. */
static bool is_better(const struct web_request *w, int64_t time, bool is_own)
{
	return is_nearer(w, time, &w->best) ||
	       (is_own && !w->is_own &&
		cfs_dates_distance(time, w->time) ==
			cfs_dates_distance(w->best.time, w->time));
}

/* Two records of one URL and second have one address.  It is that of the first
 * one, but of a page sooner than of a redirection, as one that set a cookie and
 * led to its own URL. */
static void note_twin(struct web_request *w, const struct cfs_cdx_head *h)
{
	bool is_best = w->best.is_set && w->best.time == w->last.time &&
		       cfs_slice_eq(cfs_buf_slice(&w->best.url),
				    cfs_buf_slice(&w->last.url));

	if (!cfs_memento_is_redirect(w->last.status) ||
	    cfs_memento_is_redirect(h->w->cap.status))
		return;
	w->last.crawl = h->crawl;
	w->last.pos = h->w->it.pos;
	w->last.status = h->w->cap.status;
	if (is_best)
		copy_memento(&w->best, &w->last);
	if (is_nearer(w, w->last.time, &w->page))
		copy_memento(&w->page, &w->last);
}

/* Notes a capture; they come in the order of time. */
static void note_capture(struct web_request *w, const struct cfs_cdx_head *h)
{
	struct cfs_slice url = h->row.v[CFS_CDX_URL];
	int64_t time = h->w->cap.time;
	bool is_own = cfs_slice_eq(url, cfs_buf_slice(&w->url));
	bool is_best = is_better(w, time, is_own);

	if (time == 0)
		return;
	if (w->last.is_set && w->last.time == time &&
	    cfs_slice_eq(url, cfs_buf_slice(&w->last.url))) {
		note_twin(w, h);
		return;
	}
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
	if (!cfs_memento_is_redirect(w->last.status) &&
	    is_nearer(w, time, &w->page))
		copy_memento(&w->page, &w->last);
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
	CFS_BUF(other, CFS_REPLY_HEAD_MAX);
	int rc = scan_url(w, cfs_buf_slice(&w->url));

	for (unsigned i = 0; rc == CFS_OK && !w->best.is_set &&
			     cfs_lenient_url(cfs_buf_slice(&w->url), i, &other);
	     i++) {
		rc = scan_url(w, cfs_buf_slice(&other));
		cfs_buf_reset(&other);
	}
	if (rc == CFS_OK && w->is_long)
		return CFS_ROUTE_TAKES_LONG;
	return rc == CFS_OK && !w->best.is_set ? CFS_ENOTFOUND : rc;
}

/* Finds the capture that the redirection `from` leads to: w->url and w->time
 * are its target's.  Sets w->is_back if that would be itself. */
static int follow(struct web_request *w, const struct cfs_site_place *from)
{
	int rc = find_memento(w);

	w->is_back = rc == CFS_OK && w->best.crawl == from->node.source &&
		     w->best.pos == from->node.pos;
	if (w->is_back && !w->page.is_set)
		return CFS_ENOTFOUND;
	if (w->is_back)
		copy_memento(&w->best, &w->page);
	return rc;
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

static struct cfs_site_place place_of(const struct cfs_site *site,
				      const struct memento *m)
{
	return (struct cfs_site_place){
		.crawl = site->crawls[m->crawl],
		.node = { .type = CFS_NODE_FILE, .source = m->crawl,
			  .pos = m->pos, .view = CFS_VIEW_RAW },
	};
}

/* Appends the address that a redirection leads to here: that of its target at
 * its own time, or of the page itself the one that is no redirection.
 * CFS_ENOTFOUND: to itself alone, or to what is no address. */
static int add_target(struct web_request *w, struct cfs_slice target,
		      struct cfs_buf *to)
{
	struct cfs_site_place from = place_of(w->x->site, &w->best);
	struct cfs_slice prefix = cfs_slice_str(w->x->site->prefix);
	struct cfs_error own = CFS_ERROR_INIT;
	struct web_request t;
	int rc;

	begin_request(&t, w->x, CFS_CTX(w->ctx.cancel, &own));
	t.time = w->best.time;
	cfs_buf_add(&t.url, target);
	rc = follow(&t, &from);
	if (rc == CFS_OK && t.is_back) {
		cfs_memento_address(to, prefix, t.best.time, w->flag,
				    cfs_buf_slice(&t.best.url));
	} else if (!t.is_back && (rc == CFS_OK || rc == CFS_ENOTFOUND ||
				  rc == CFS_EFORMAT || rc == CFS_EIO ||
				  rc == CFS_EACCESS)) {
		/* its own address tells of damage */
		cfs_memento_address(to, prefix, w->best.time, w->flag, target);
		rc = to->failed;
	}
	end_request(&t);
	return rc == CFS_EUSAGE ? CFS_ENOTFOUND :
	       cfs_error_pass(w->ctx.err, &own, rc);
}

/* Makes the reply that of a redirection, if it leads anywhere else.  The reply
 * has its bytes. */
static int lead_on(struct web_request *w)
{
	struct cfs_slice location;
	CFS_BUF(to, CFS_REPLY_HEAD_MAX);
	CFS_BUF(target, CFS_REPLY_HEAD_MAX);
	int rc = CFS_ENOTFOUND;

	if (w->x->has_file &&
	    cfs_memento_target(w->best.status, cfs_buf_slice(&w->best.url),
			       &w->x->file, &target, &location))
		rc = add_target(w, cfs_buf_slice(&target), &to);
	if (rc == CFS_OK) {
		size_t n = cfs_slice_find_any(location, 0, "#");

		cfs_buf_adds(&to, n < location.n ? "#" : "");
		cfs_percent_encode(cfs_slice_from(location, n + 1),
				   CFS_MEMENTO_KEPT, &to);
		cfs_reply_header(w->x, "Location", cfs_buf_slice(&to));
		cfs_reply_header(w->x, "X-Archive-Orig-Location", location);
		w->x->status = w->best.status;
		rc = to.failed;
	}
	return rc == CFS_ENOTFOUND ? CFS_OK : rc;
}

/* Sends the capture, with the status of an error or redirection that was
 * archived. */
static int answer_memento(struct web_request *w)
{
	struct cfs_site_place p = place_of(w->x->site, &w->best);
	bool is_redirect = cfs_memento_is_redirect(w->best.status);
	struct cfs_buf links;
	int rc;

	w->x->takes_cut = is_redirect;
	if (is_redirect) {	/* they ask about 200 (RFC 9110, 13.2.1) */
		for (unsigned f = CFS_FIELD_RANGE;
		     f <= CFS_FIELD_IF_UNMODIFIED_SINCE; f++)
			w->x->fields[f] = CFS_SLICE_EMPTY;
	}
	rc = cfs_file_answer(w->x, &p, w->ctx);
	if (rc == CFS_OK && is_redirect)
		rc = lead_on(w);
	if (rc == CFS_OK && w->x->is_cut && w->x->status == 200)
		rc = cfs_content_cut_off(p.crawl, &p.node, &w->x->file,
					 w->ctx.err);
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
	CFS_BUF(text, CFS_REPLY_HEAD_MAX);
	struct cfs_slice page;
	int rc;

	if (sent.n + query.n > CFS_MEMENTO_URL_MAX)
		return cfs_error_set(w->ctx.err, CFS_EUSAGE, "the URL is longer "
				     "than %zu bytes", CFS_MEMENTO_URL_MAX);
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
	struct web_request w;
	struct cfs_slice path = x->rest;
	int rc;

	begin_request(&w, x, ctx);
	rc = take_word(&path, CFS_SLICE_LIT("timemap/")) ?
	     answer_map(&w, path) : answer_time(&w, path);
	end_request(&w);
	return rc;
}

int cfs_memento_follow(struct cfs_exchange *x, struct cfs_slice url,
		       int64_t time, struct cfs_site_place *p,
		       struct cfs_ctx ctx)
{
	struct web_request w;
	int rc;

	begin_request(&w, x, ctx);
	w.time = time;
	cfs_buf_add(&w.url, url);
	rc = follow(&w, p);
	if (rc == CFS_OK)
		*p = place_of(x->site, &w.best);
	end_request(&w);
	return rc;
}
