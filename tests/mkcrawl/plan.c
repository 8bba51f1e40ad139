/* plan.c - what capture n is (see plan.h).
 *
 * A line of the file of --urls is a URL (\xNN stands for the byte NN) and,
 * each after a TAB and each may be left out or empty, a time stamp of 14
 * digits, a status, and a kind: response, resource, revisit or conversion.
 * A revisit refers to the nearest line above with the same URL and status
 * 200 that is none itself.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "plan.h"

#include <string.h>


#define MEDIAN_BODY 15000.0	/* bytes */
#define MEAN_OF_MEDIAN 1.6487	/* mean / median of our log-normal, e^0.5 */
#define SECONDS_APART 3
#define LINES_BACK 4096u	/* as far as a revisit looks for its target */

const char *mk_kind_name(enum mk_kind k)
{
	static const char *const names[] = {
		"arc", "response", "resource", "revisit", "conversion",
	};

	return names[k];
}

void mk_plan_init(struct mk_plan *p)
{
	memset(p, 0, sizeof(*p));
	cfs_buf_init(&p->url, MK_URL_BYTES);
}

void mk_plan_release(struct mk_plan *p)
{
	cfs_buf_release(&p->url);
}

/* ---- roles ---- */

enum role { ROLE_NEW, ROLE_AGAIN, ROLE_REVISIT };

/* The role of capture n; it depends on nothing else, so that a revisit finds
 * the role of its target without that of the target's target. */
static enum role role_of(const struct mk_config *cfg, uint64_t n, bool warc)
{
	struct mk_rng r = mk_rng_at(cfg->seed, n, MK_SALT_PLAN + 100);
	unsigned v = (unsigned)mk_rng_below(&r, 100);

	if (cfg->shape != MK_SHAPE_WEB || cfg->urls != NULL || n == 0)
		return ROLE_NEW;
	if (v < 8)
		return ROLE_AGAIN;
	if (v < 11 && warc)
		return ROLE_REVISIT;
	return ROLE_NEW;
}

/* An earlier capture with a body of its own. */
static uint64_t revisited(const struct mk_config *cfg, uint64_t n, bool warc)
{
	struct mk_rng r = mk_rng_at(cfg->seed, n, MK_SALT_REVISIT);

	for (unsigned i = 0; i < 8; i++) {
		uint64_t m = mk_rng_below(&r, n);

		if (role_of(cfg, m, warc) == ROLE_NEW)
			return m;
	}
	return 0;
}

/* ---- what the web is like ---- */

static unsigned draw_status(struct mk_rng *r)
{
	static const unsigned failures[] = {
		404, 404, 404, 404, 301, 302, 301, 500, 503, 403, 304, 410,
	};

	if (mk_rng_chance(r, 88))
		return 200;
	return failures[mk_rng_below(r, sizeof(failures) / sizeof(failures[0]))];
}

static uint64_t draw_bytes(const struct mk_config *cfg, struct mk_rng *r)
{
	double median = cfg->page_bytes == 0
		? MEDIAN_BODY : (double)cfg->page_bytes / MEAN_OF_MEDIAN;
	double v = mk_rng_lognormal(r, median);

	if (v > MK_BODY_MAX)
		return MK_BODY_MAX;
	return v < 1 ? 1 : (uint64_t)v;
}

static void draw_text(struct mk_plan *p, struct mk_rng *r)
{
	static const enum mk_tongue tongues[] = {
		MK_ENGLISH_UTF8, MK_ENGLISH_UTF8, MK_ENGLISH_UTF8,
		MK_ENGLISH_UTF8, MK_ENGLISH_UTF8, MK_WESTERN_LATIN1,
		MK_WESTERN_UTF8, MK_RUSSIAN_1251, MK_RUSSIAN_UTF8,
		MK_JAPANESE_SJIS, MK_CHINESE_GB2312, MK_CHINESE_UTF8,
	};
	unsigned v = (unsigned)mk_rng_below(r, 100);

	p->tongue = tongues[mk_mix(p->host_id + 77) %
			    (sizeof(tongues) / sizeof(tongues[0]))];
	p->declared = v < 35 ? MK_DECLARED_HEADER : v < 60 ? MK_DECLARED_META :
		      v < 85 ? MK_DECLARED_BOTH : v < 90 ? MK_DECLARED_WRONG :
		      MK_DECLARED_NOT;
}

/* ARC files of 2012 hold decoded bodies under the heads they came with. */
static void draw_coding(struct mk_plan *p, struct mk_rng *r, bool warc)
{
	bool markup = p->type <= MK_ATOM;

	if (!markup || p->status == 304)
		return;
	if (mk_rng_chance(r, 40)) {
		static const enum mk_coding codings[] = {
			MK_CODING_GZIP, MK_CODING_GZIP, MK_CODING_GZIP,
			MK_CODING_GZIP, MK_CODING_DEFLATE, MK_CODING_RAW_DEFLATE,
		};

		p->coding = codings[mk_rng_below(r, 6)];
	}
	p->chunked = mk_rng_chance(r, 30);
	p->is_applied = warc && mk_rng_chance(r, 60);
	p->crawler_names = warc && !p->is_applied && mk_rng_chance(r, 50);
	if (!p->is_applied && p->coding != MK_CODING_NONE)
		p->coding = MK_CODING_GZIP;
}

/* Everything about a capture but URL, kind, time and status. */
static void draw_rest(struct mk_plan *p, const struct mk_config *cfg, bool warc)
{
	struct mk_rng r = mk_rng_at(cfg->seed, p->body_seed, MK_SALT_PLAN);

	p->body_bytes = draw_bytes(cfg, &r);
	if (p->status != 200) {
		p->type = MK_HTML;
		p->body_bytes = p->status == 304 ? 0 : p->body_bytes / 10;
	}
	draw_text(p, &r);
	r = mk_rng_at(cfg->seed, p->n, MK_SALT_HTTP);
	if (cfg->shape != MK_SHAPE_WEB && cfg->hostile == 0)
		return;
	draw_coding(p, &r, warc);
	p->bare_lf = mk_rng_below(&r, 1000) < cfg->hostile;
	p->is_cut = mk_type_is_text(p->type) && p->body_bytes > 1000 &&
		    mk_rng_below(&r, 1000) < 5 + cfg->hostile;
	/* Half a raw stream, and the two bytes of an empty one, cannot be
	 * told from other bytes. */
	if ((p->is_cut || p->body_bytes == 0) &&
	    p->coding == MK_CODING_RAW_DEFLATE)
		p->coding = MK_CODING_DEFLATE;
}

/* ---- captures of the made-up web ---- */

static void draw_kind(struct mk_plan *p, const struct mk_config *cfg)
{
	struct mk_rng r = mk_rng_at(cfg->seed, p->n, MK_SALT_WARC);
	unsigned v = (unsigned)mk_rng_below(&r, 200);

	if (cfg->shape != MK_SHAPE_WEB || p->status != 200)
		return;
	if (v < 2)
		p->kind = MK_KIND_RESOURCE;
	else if (v < 4)
		p->kind = MK_KIND_CONVERSION;
	if (p->kind != MK_KIND_RESPONSE)
		p->type = MK_TEXT;
}

static void take_url(struct mk_plan *p, const struct mk_urls *u, uint64_t n)
{
	struct mk_url url;

	mk_url_init(&url);
	mk_urls_get(u, n, &url);
	cfs_buf_reset(&p->url);
	mk_url_join(&url, &p->url);
	mk_check(&p->url);
	p->type = url.type;
	p->host_id = url.host_id;
	mk_url_release(&url);
}

static void make_web_plan(struct mk_plan *p, const struct mk_urls *u, bool warc)
{
	const struct mk_config *cfg = u->cfg;
	struct mk_rng r = mk_rng_at(cfg->seed, p->n, MK_SALT_PLAN + 200);
	enum role role = role_of(cfg, p->n, warc);
	uint64_t of = p->n;

	if (role == ROLE_REVISIT) {
		p->refers_to = revisited(cfg, p->n, warc);
		of = mk_rng_chance(&r, 80) ? p->refers_to : p->n;
		if (mk_rng_chance(&r, 10))
			p->refers_to = MK_NO_CAPTURE;
	} else if (role == ROLE_AGAIN) {
		of = mk_rng_below(&r, p->n);
	}
	take_url(p, u, of);
	if (cfg->shape == MK_SHAPE_WEB)
		p->status = role == ROLE_REVISIT ? 200 : draw_status(&r);
	/* Some captures fall in one second, some before those they repeat. */
	if (role == ROLE_AGAIN)
		p->time += (int64_t)mk_rng_below(&r, 4000000) - 2000000;
	if (role == ROLE_AGAIN && mk_rng_chance(&r, 10))
		p->time = cfg->start + (int64_t)of * SECONDS_APART;
	if (role == ROLE_AGAIN && mk_rng_chance(&r, 50))
		p->body_seed = of;
	if (role == ROLE_REVISIT)
		p->kind = MK_KIND_REVISIT;
	else if (warc && role == ROLE_NEW)
		draw_kind(p, cfg);
}

/* ---- captures of a list ---- */

static int hex(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void unescape(struct cfs_slice s, struct cfs_buf *out)
{
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\\' && s.n - i >= 4 && s.p[i + 1] == 'x' &&
		    hex(s.p[i + 2]) >= 0 && hex(s.p[i + 3]) >= 0) {
			cfs_buf_addc(out, (uint8_t)(hex(s.p[i + 2]) << 4 |
						    hex(s.p[i + 3])));
			i += 3;
		} else {
			cfs_buf_addc(out, s.p[i]);
		}
	}
}

/* The text up to the next TAB; *rest goes behind it. */
static struct cfs_slice column(struct cfs_slice *rest)
{
	ptrdiff_t tab = cfs_slice_find(*rest, '\t');
	struct cfs_slice s = *rest;

	if (tab < 0) {
		*rest = CFS_SLICE_EMPTY;
		return s;
	}
	*rest = cfs_slice_from(s, (size_t)tab + 1);
	return cfs_slice_sub(s, 0, (size_t)tab);
}

struct line {
	struct cfs_slice url, time, status, kind;
};

static struct line split_line(struct cfs_slice s)
{
	struct line l;

	l.url = column(&s);
	l.time = column(&s);
	l.status = column(&s);
	l.kind = column(&s);
	return l;
}

static enum mk_kind line_kind(const struct line *l)
{
	for (unsigned k = MK_KIND_RESPONSE; k <= MK_KIND_CONVERSION; k++)
		if (cfs_slice_eq(l->kind, cfs_slice_str(mk_kind_name(k))))
			return k;
	return MK_KIND_RESPONSE;
}

static uint64_t same_url_above(const struct mk_urls *u, uint64_t n,
			       struct cfs_slice url)
{
	for (uint64_t back = 1; back <= n && back <= LINES_BACK; back++) {
		struct line l = split_line(mk_urls_line(u, n - back));

		if (cfs_slice_eq(l.url, url) &&
		    line_kind(&l) == MK_KIND_RESPONSE &&
		    (l.status.n == 0 || cfs_slice_eq(l.status, CFS_SLICE_LIT("200"))))
			return n - back;
	}
	return MK_NO_CAPTURE;
}

static void make_line_plan(struct mk_plan *p, const struct mk_urls *u, bool warc)
{
	struct line l = split_line(mk_urls_line(u, p->n));
	uint64_t status;

	cfs_buf_reset(&p->url);
	unescape(l.url, &p->url);
	mk_check(&p->url);
	cfs_time_parse_14(l.time, &p->time);
	if (cfs_slice_parse_u64(l.status, 999, &status) == CFS_OK)
		p->status = (unsigned)status;
	if (!warc)
		return;
	p->kind = line_kind(&l);
	if (p->kind == MK_KIND_REVISIT)
		p->refers_to = same_url_above(u, p->n, l.url);
	else if (p->kind != MK_KIND_RESPONSE)
		p->type = MK_TEXT;
}

/* ---- both ---- */

static bool has_byte(const struct cfs_buf *b, uint8_t c)
{
	return cfs_slice_find(cfs_buf_slice(b), c) >= 0;
}

static bool is_blank(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Both formats end a URL at a line end; blanks round it are lost in WARC,
 * and in ARC cannot be told from doubled separators. */
static bool is_writable(const struct cfs_buf *url, bool warc)
{
	if (url->n == 0 || has_byte(url, '\n') || (warc && has_byte(url, '\r')))
		return false;
	return !is_blank(url->p[0]) && !is_blank(url->p[url->n - 1]);
}

bool mk_plan_make(struct mk_plan *p, const struct mk_urls *u, uint64_t n,
		  bool warc)
{
	struct cfs_buf url = p->url;

	memset(p, 0, sizeof(*p));
	p->url = url;
	p->n = p->body_seed = n;
	p->kind = warc ? MK_KIND_RESPONSE : MK_KIND_ARC;
	p->time = u->cfg->start + (int64_t)n * SECONDS_APART;
	p->status = 200;
	p->refers_to = MK_NO_CAPTURE;
	if (u->cfg->urls != NULL)
		make_line_plan(p, u, warc);
	else
		make_web_plan(p, u, warc);
	draw_rest(p, u->cfg, warc);
	if (p->kind != MK_KIND_RESPONSE && p->kind != MK_KIND_ARC) {
		p->coding = MK_CODING_NONE;
		p->chunked = p->is_applied = p->crawler_names = p->is_cut = false;
	}
	return is_writable(&p->url, warc);
}
