/* page_overview.c - the overview of a crawl: its summary, counted once.
 *
 * Counting a large index takes minutes, so a thread of its own does it, which
 * the first request starts.  That request waits for a while; others, and it
 * afterwards, get a page that says how far it is and loads itself again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/sync.h"
#include "base/timestamp.h"
#include "crawl/archive_probe.h"
#include "crawl/names.h"
#include "net/location.h"
#include "page_frame.h"
#include "routes.h"
#include "record/zipped.h"
#include "summary/summary_print.h"
#include "verify/verify.h"

#define OVERVIEW_TOP 50u
#define DAMAGED_SHOWN 10u		/* places of damage in archives, and
					 * archives that are not sound */
/* The name of a report is that of the source, and this. */
#define REPORT_SUFFIX ".verify"
/* How long the first request waits for the figures, and another one looks for
 * them again. */
#define WAIT_MS 10000u
#define REFRESH_SECONDS 2u
#define POLL_MS 200u			/* between looks at a cancellation */

/* The archives as reports of crawlfs verify have them. */
struct verified_card {
	struct cfs_buf rows;		/* of the first ones that are not
					 * sound, as HTML */
	uint64_t archives, damaged, missing, unread;
	int64_t time;			/* of the oldest report */
};

struct counted_crawl {
	struct cfs_overview *all;
	struct cfs_crawl *crawl;
	pthread_t thread;
	struct cfs_cancel cancel;
	atomic_uint_fast64_t captures;	/* so far */
	/* Guarded by the lock of `all`: */
	bool is_begun, is_over, has_waiter;
	struct cfs_summary *summary;	/* once it is over; NULL: it failed */
	struct verified_card verified;	/* likewise */
	struct cfs_error error;
};

struct cfs_overview {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool is_ending;			/* guarded by lock */
	unsigned n;
	struct counted_crawl v[CFS_SOURCES_MAX];
};

/* ---- counting ------------------------------------------------------------ */

static bool overview_is_ending(void *arg)
{
	struct cfs_overview *o = arg;
	bool yes;

	pthread_mutex_lock(&o->lock);
	yes = o->is_ending;
	pthread_mutex_unlock(&o->lock);
	return yes;
}

static void overview_progress(void *arg, const struct cfs_progress *p)
{
	struct counted_crawl *c = arg;

	atomic_store(&c->captures, p->captures);
}

/* The name of an archive without the folders that it is in. */
static struct cfs_slice name_of_archive(struct cfs_slice archive)
{
	struct cfs_slice file = archive, member;

	cfs_zipped_split(archive, &file, &member);
	return cfs_slice_from(archive,
			      (size_t)(cfs_slice_rfind(file, '/') + 1));
}

/* As cfs_verified_fn. */
static int add_verified(void *arg, const struct cfs_verified *v)
{
	struct verified_card *card = arg;
	struct cfs_buf name;

	card->archives++;
	if (card->time == 0 || v->time < card->time)
		card->time = v->time;
	if (!v->is_missing && !v->is_unread && v->damage == 0)
		return CFS_OK;
	card->unread += v->is_unread;
	card->missing += v->is_missing;
	card->damaged += !v->is_missing && !v->is_unread;
	if (card->missing + card->damaged + card->unread > DAMAGED_SHOWN)
		return CFS_OK;
	cfs_buf_init(&name, CFS_REPLY_HEAD_MAX);
	cfs_location_show(&name, v->archive);
	CFS_HTML(&card->rows, "<div><dt>Not sound</dt><dd>$: ",
		 name_of_archive(cfs_buf_slice(&name)));
	if (v->is_missing || v->is_unread)
		CFS_HTML(&card->rows, "$</dd></div>\n", v->is_missing ?
			 "missing" : "could not be read");
	else
		CFS_HTML(&card->rows, "$</dd></div>\n",
			 cfs_html_count(v->damage, "finding"));
	cfs_buf_release(&name);
	return CFS_OK;
}

/* Reads the reports that lie beside what the crawl was opened as. */
static void read_reports(struct counted_crawl *c)
{
	struct cfs_slice rest = cfs_slice_str(c->crawl->source);
	struct cfs_buf path;

	cfs_buf_init(&path, CFS_REPLY_HEAD_MAX);
	while (rest.n > 0) {
		struct cfs_slice one = cfs_slice_split(&rest, ',');
		struct cfs_error e = CFS_ERROR_INIT;
		int rc;

		while (one.n > 1 && one.p[one.n - 1] == '/')
			one.n--;
		cfs_buf_reset(&path);
		cfs_buf_add(&path, one);
		cfs_buf_adds(&path, REPORT_SUFFIX);
		rc = cfs_verify_read_report(cfs_buf_str(&path), add_verified,
					    &c->verified,
					    CFS_CTX(&c->cancel, &e));
		if (rc != CFS_OK && rc != CFS_ENOTFOUND && rc != CFS_EINTR)
			cfs_log_error(CFS_LOG_WARNING, &e);
	}
	cfs_buf_release(&path);
}

static void *overview_count(void *arg)
{
	struct counted_crawl *c = arg;
	struct cfs_summary_opts opts = { .top = OVERVIEW_TOP,
		.progress = overview_progress, .arg = c };
	struct cfs_error e = CFS_ERROR_INIT;
	struct cfs_suffixes *suffixes = NULL;
	struct cfs_summary *s = NULL;
	int rc;

	cfs_suffixes_open(&suffixes, CFS_SUFFIXES_PATH, NULL);
	opts.suffixes = suffixes;
	rc = cfs_summary_make(&s, c->crawl->index, &opts,
			      CFS_CTX(&c->cancel, &e));
	cfs_suffixes_free(suffixes);
	if (rc != CFS_OK && rc != CFS_EINTR)
		cfs_log_error(CFS_LOG_WARNING, &e);
	read_reports(c);
	pthread_mutex_lock(&c->all->lock);
	c->summary = s;
	c->error = e;
	c->is_over = true;
	pthread_cond_broadcast(&c->all->changed);
	pthread_mutex_unlock(&c->all->lock);
	return NULL;
}

int cfs_overview_begin(struct cfs_site *site, struct cfs_error *err)
{
	struct cfs_overview *o = calloc(1, sizeof(*o));

	if (o == NULL)
		return cfs_error_nomem(err);
	pthread_mutex_init(&o->lock, NULL);
	cfs_cond_init(&o->changed);
	o->n = site->n_crawls;
	for (unsigned i = 0; i < o->n; i++) {
		o->v[i].all = o;
		o->v[i].crawl = site->crawls[i];
		cfs_buf_init(&o->v[i].verified.rows, CFS_REPLY_BODY_MAX);
		o->v[i].cancel = (struct cfs_cancel){
			.asked = overview_is_ending, .arg = o };
	}
	site->overview = o;
	return CFS_OK;
}

void cfs_overview_end(struct cfs_site *site)
{
	struct cfs_overview *o = site->overview;

	if (o == NULL)
		return;
	pthread_mutex_lock(&o->lock);
	o->is_ending = true;
	pthread_mutex_unlock(&o->lock);
	for (unsigned i = 0; i < o->n; i++) {
		if (o->v[i].is_begun)
			pthread_join(o->v[i].thread, NULL);
		cfs_summary_free(o->v[i].summary);
		cfs_buf_release(&o->v[i].verified.rows);
	}
	pthread_cond_destroy(&o->changed);
	pthread_mutex_destroy(&o->lock);
	free(o);
}

/* Starts the count, or waits for it a while if nobody else does.  Sets *over if
 * it is over. */
static int overview_wait(struct counted_crawl *c, bool *over,
			 struct cfs_ctx ctx)
{
	struct cfs_overview *o = c->all;
	int64_t until = cfs_monotonic_ms() + WAIT_MS;
	bool waits;
	int rc = CFS_OK;

	pthread_mutex_lock(&o->lock);
	if (!c->is_begun) {
		c->is_begun = cfs_thread_start(&c->thread, overview_count, c);
		if (!c->is_begun)
			rc = cfs_error_set(ctx.err, CFS_ENOMEM,
					   "cannot start a thread");
	}
	waits = rc == CFS_OK && !c->is_over && !c->has_waiter;
	c->has_waiter |= waits;
	while (waits && !c->is_over && cfs_monotonic_ms() < until &&
	       !cfs_cancelled(ctx.cancel))
		cfs_cond_wait_ms(&o->changed, &o->lock, POLL_MS);
	if (waits)
		c->has_waiter = false;
	*over = c->is_over;
	pthread_mutex_unlock(&o->lock);
	return rc;
}

/* ---- the page ------------------------------------------------------------ */

struct overview_links {
	const struct cfs_site *site;
	unsigned crawl;
};

/* Appends the URL of a capture: of its URL at its time. */
static void record_link(void *arg, const struct cfs_summary_record *r,
			struct cfs_buf *out)
{
	const struct overview_links *l = arg;

	CFS_HTML(out, "$", cfs_page_search_url(l->site, r->url, r->time));
}

/* Appends the URL of what has a value: of a host the folder, as its names are
 * in the tree. */
static void overview_link(void *arg, enum cfs_summary_by by,
			  struct cfs_slice key, struct cfs_buf *out)
{
	const struct overview_links *l = arg;
	CFS_BUF(path, 4 * CFS_KEY_MAX);

	if (cfs_slice_eq(key, CFS_SUMMARY_UNKNOWN))
		return;
	if (by != CFS_SUMMARY_HOST && by != CFS_SUMMARY_DOMAIN) {
		CFS_HTML(out, "$/search?$=$", l->site->prefix,
			 cfs_summary_by_name(by), cfs_html_query(key));
		return;
	}
	if (cfs_slice_find(key, '/') >= 0)
		return;
	cfs_site_add_crawl(l->site, l->crawl, &path);
	while (key.n > 0) {
		ptrdiff_t dot = cfs_slice_rfind(key, '.');
		char name[CFS_NAME_MAX];
		size_t n = cfs_name_escape(cfs_slice_from(key,
							  (size_t)(dot + 1)),
					   CFS_ZONE_HOST, name);

		cfs_buf_append(&path, name, n);
		cfs_buf_addc(&path, '/');
		key.n = dot > 0 ? (size_t)dot : 0;
	}
	CFS_HTML(out, "$", cfs_page_url(l->site, "tree/",
					cfs_buf_slice(&path)));
	if (path.failed != CFS_OK)
		out->failed = path.failed;
}

static void overview_crawls(struct cfs_buf *out, const struct cfs_site *site,
			    unsigned shown)
{
	if (site->n_crawls < 2)
		return;
	CFS_HTML(out, "<nav class='tabs' aria-label='Crawls'>\n");
	for (unsigned i = 0; i < site->n_crawls; i++)
		CFS_HTML(out, "<a href='?crawl=$'$>$</a>\n",
			 cfs_html_query(cfs_slice_str(site->names[i])),
			 CFS_HTML_IF(i == shown, " aria-current='page'"),
			 site->names[i]);
	CFS_HTML(out, "</nav>\n");
}

/* ---- the archives ---- */

/* Archives with damage, of which the card names a few. */
struct damage_card {
	struct cfs_buf *out;
	uint64_t rows, places;
};

/* As cfs_index_damaged. */
static void add_damaged(void *arg, const struct cfs_index_damage *d)
{
	struct damage_card *all = arg;
	CFS_BUF(name, CFS_REPLY_HEAD_MAX);

	all->places += d->count;
	if (all->rows++ >= DAMAGED_SHOWN)
		return;
	cfs_location_show(&name, d->archive);
	CFS_HTML(all->out, "<div><dt>Damaged</dt><dd>$, offset $: $", &name,
		 d->offset, cfs_html_short(d->what, 200));
	if (d->count > 1)
		CFS_HTML(all->out, " ($ places)", cfs_html_figure(d->count));
	CFS_HTML(all->out, "</dd></div>\n");
}

static void add_missing(struct cfs_buf *out, struct cfs_crawl *c,
			struct cfs_ctx ctx)
{
	struct cfs_archive_probe probe;

	cfs_archive_probe_look(c, &probe, ctx.cancel);
	if (probe.missing > 0)
		CFS_HTML(out, "<div><dt>Missing</dt><dd>$ of $ that were looked "
			 "for: $$</dd></div>\n", probe.missing, probe.looked,
			 probe.example,
			 probe.missing > 1 ? " and others" : "");
}

static void add_reports(struct cfs_buf *out, const struct verified_card *card)
{
	if (card->archives == 0)
		return;
	CFS_HTML(out, "<div><dt>Verified</dt><dd>$, $: $ damaged, $ missing",
		 cfs_html_count(card->archives, "archive"),
		 cfs_html_time(card->time), cfs_html_figure(card->damaged),
		 cfs_html_figure(card->missing));
	if (card->unread > 0)
		CFS_HTML(out, ", $ not read", cfs_html_figure(card->unread));
	CFS_HTML(out, "</dd></div>\n$",
		 cfs_html_made(cfs_buf_slice(&card->rows)));
}

/* Appends how many archives there are, which are missing or damaged. */
static void overview_archives(struct cfs_buf *out,
			      const struct counted_crawl *counted,
			      struct cfs_ctx ctx)
{
	struct cfs_crawl *c = counted->crawl;
	struct damage_card all = { .out = out };
	char iso[CFS_TIME_ISO_BYTES];

	CFS_HTML(out, "<section id='archives'>\n<h2>Archives</h2>\n"
		 "<dl class='fields'>\n");
	if (c->index->archives > 0)
		CFS_HTML(out, "<div><dt>Number</dt><dd>$</dd></div>\n",
			 cfs_html_figure(c->index->archives));
	add_missing(out, c, ctx);
	add_reports(out, &counted->verified);
	cfs_index_damage(c->index, add_damaged, &all,
			 CFS_CTX(ctx.cancel, NULL));
	if (all.rows > DAMAGED_SHOWN)
		CFS_HTML(out, "<div><dt>Damaged</dt><dd>$ places in all</dd>"
			 "</div>\n", cfs_html_figure(all.places));
	cfs_time_format_iso(c->mtime, iso);
	CFS_HTML(out, "<div><dt>Index</dt><dd>$ of $</dd></div>\n</dl>\n"
		 "</section>\n", c->index->format,
		 cfs_slice_sub(cfs_slice_str(iso), 0, 10));
}

static void overview_figures(struct cfs_buf *out, const struct cfs_site *site,
			     const struct cfs_summary *s, unsigned crawl)
{
	struct overview_links links = { site, crawl };
	const struct cfs_summary_print_opts opts = { .name = "",
		.top = OVERVIEW_TOP, .link = overview_link,
		.link_record = record_link, .arg = &links };
	CFS_BUF(path, CFS_REPLY_HEAD_MAX);

	cfs_site_add_crawl(site, crawl, &path);
	CFS_HTML(out, "<p><a class='action' href='$'>Browse the pages</a></p>"
		 "\n", cfs_page_url(site, "tree/", cfs_buf_slice(&path)));
	cfs_summary_html_main(s, &opts, out);
}

/* The number of the crawl that a query asks for. */
static int overview_find(const struct cfs_site *site, struct cfs_slice query,
			 unsigned *out, struct cfs_error *err)
{
	CFS_BUF(name, query.n + 1);
	int rc = CFS_OK;

	*out = 0;
	if (cfs_query_get(query, "crawl", &name) && site->n_crawls > 1) {
		while (*out < site->n_crawls &&
		       strcmp(site->names[*out], cfs_buf_str(&name)) != 0)
			(*out)++;
		if (*out == site->n_crawls)
			rc = cfs_error_set(err, CFS_ENOTFOUND,
					   "there is no crawl of that name");
	}
	return rc;
}

/* Appends the name of a crawl for its heading: without the folders that it is
 * in, which are nobody's business. */
static void overview_name(struct cfs_buf *out, const struct cfs_crawl *c)
{
	struct cfs_slice rest = cfs_slice_str(c->source);
	CFS_BUF(shown, CFS_REPLY_HEAD_MAX);

	while (rest.n > 0) {
		struct cfs_slice one = cfs_slice_split(&rest, ',');

		cfs_buf_reset(&shown);
		cfs_location_show(&shown, one);
		one = cfs_buf_slice(&shown);
		while (one.n > 1 && one.p[one.n - 1] == '/')
			one.n--;
		cfs_buf_add(out, cfs_slice_last_part(one));
		if (rest.n > 0)
			cfs_buf_adds(out, ", ");
	}
}

static int overview_reply(struct cfs_exchange *x, const struct cfs_site *site,
			  unsigned i, bool is_over, struct cfs_ctx ctx)
{
	const struct counted_crawl *c = &site->overview->v[i];
	struct cfs_page_frame frame = { .kind = "Crawl", .at = "/",
					.search = CFS_SLICE_EMPTY };
	struct cfs_buf out;
	CFS_BUF(name, CFS_REPLY_HEAD_MAX);

	overview_name(&name, c->crawl);
	frame.title = cfs_buf_slice(&name);
	frame.refresh_seconds = is_over ? 0 : REFRESH_SECONDS;
	cfs_page_begin(&out, site, &frame);
	CFS_HTML(&out, "<h1>$</h1>\n", frame.title);
	overview_crawls(&out, site, i);
	if (!is_over) {
		CFS_HTML(&out, "<p role='status'>Its figures are being counted: "
			 "$ captures so far. <a href='$'>Browse the pages</a> "
			 "meanwhile.</p>\n",
			 cfs_html_figure(atomic_load(&c->captures)),
			 cfs_page_url(site, "tree/", CFS_SLICE_EMPTY));
	} else {
		overview_figures(&out, site, c->summary, i);
		overview_archives(&out, c, ctx);
	}
	return cfs_page_end(x, CFS_OK, 200, &out);
}

int cfs_answer_overview(struct cfs_exchange *x, struct cfs_ctx ctx)
{
	const struct cfs_site *site = x->site;
	struct counted_crawl *c;
	bool is_over = false;
	unsigned i;
	int rc = overview_find(site, x->query, &i, ctx.err);

	if (rc != CFS_OK)
		return rc;
	c = &site->overview->v[i];
	pthread_mutex_lock(&c->all->lock);
	is_over = c->is_over;
	pthread_mutex_unlock(&c->all->lock);
	if (!is_over && !x->may_take_long)
		return CFS_ROUTE_TAKES_LONG;
	if (!is_over)
		rc = overview_wait(c, &is_over, ctx);
	if (rc != CFS_OK)
		return rc;
	if (is_over && c->summary == NULL)
		return cfs_error_pass(ctx.err, &c->error,
				      c->error.code != CFS_OK ?
					      c->error.code : CFS_EIO);
	return overview_reply(x, site, i, is_over, ctx);
}
