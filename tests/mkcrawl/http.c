/* http.c - heads, and content and transfer encodings (see http.h).
 *
 * Three ways to keep an encoded response, as crawls have them:
 *     applied      the head names gzip or chunked and the bytes are so (WARC)
 *     kept heads   the head names it, the bytes were decoded (Common Crawl's
 *                  ARC files, its WARC files until 2018)
 *     renamed      the same with X-Crawler-... names (its WARC files since)
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "http.h"

#include <nettle/sha1.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

#define CHUNK_MIN 512u
#define CHUNK_MORE 8000u

void mk_sha1(struct cfs_slice s, uint8_t out[MK_SHA1_BYTES])
{
	struct sha1_ctx c;

	sha1_init(&c);
	sha1_update(&c, s.n, s.p);
	sha1_digest(&c, MK_SHA1_BYTES, out);
}

void mk_message_init(struct mk_message *m)
{
	memset(m, 0, sizeof(*m));
	cfs_buf_init(&m->head, MK_BUF_MAX);
	cfs_buf_init(&m->stored, MK_BUF_MAX);
	cfs_buf_init(&m->body, MK_BUF_MAX);
	cfs_buf_init(&m->payload, MK_BUF_MAX);
}

void mk_message_release(struct mk_message *m)
{
	cfs_buf_release(&m->head);
	cfs_buf_release(&m->stored);
	cfs_buf_release(&m->body);
	cfs_buf_release(&m->payload);
}

/* ---- encodings ---- */

static int window_bits(enum mk_coding c)
{
	return c == MK_CODING_GZIP ? 15 + 16 : c == MK_CODING_DEFLATE ? 15 : -15;
}

static void compress_to(struct cfs_buf *out, struct cfs_slice in, enum mk_coding c)
{
	z_stream z = { 0 };
	size_t room;

	if (deflateInit2(&z, 6, Z_DEFLATED, window_bits(c), 8,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		mk_die("out of memory");
	room = deflateBound(&z, in.n);
	cfs_buf_reset(out);
	if (cfs_buf_reserve(out, room) != CFS_OK)
		mk_die("out of memory");
	z.next_in = (Bytef *)(uintptr_t)in.p;
	z.avail_in = (uInt)in.n;
	z.next_out = out->p;
	z.avail_out = (uInt)room;
	if (deflate(&z, Z_FINISH) != Z_STREAM_END)
		mk_die("deflate failed");
	out->n = room - z.avail_out;
	deflateEnd(&z);
}

/* All that the first bytes of a compressed body give. */
static void inflate_to(struct cfs_buf *out, struct cfs_slice in, enum mk_coding c,
		       size_t room)
{
	z_stream z = { 0 };

	if (inflateInit2(&z, window_bits(c)) != Z_OK)
		mk_die("out of memory");
	cfs_buf_reset(out);
	if (cfs_buf_reserve(out, room) != CFS_OK)
		mk_die("out of memory");
	z.next_in = (Bytef *)(uintptr_t)in.p;
	z.avail_in = (uInt)in.n;
	z.next_out = out->p;
	z.avail_out = (uInt)room;
	inflate(&z, Z_SYNC_FLUSH);
	out->n = room - z.avail_out;
	inflateEnd(&z);
}

/* Appends payload in chunks; those below `keep` bytes of the result stay, and
 * *kept tells how much of the payload that is. */
static void chunk_to(struct cfs_buf *out, struct cfs_slice payload,
		     struct mk_rng *r)
{
	while (payload.n > 0) {
		size_t n = CHUNK_MIN + mk_rng_below(r, CHUNK_MORE);
		struct cfs_slice part = cfs_slice_sub(payload, 0, n);

		cfs_buf_addf(out, "%zx\r\n", part.n);
		cfs_buf_add(out, part);
		cfs_buf_adds(out, "\r\n");
		payload = cfs_slice_from(payload, part.n);
	}
	cfs_buf_adds(out, "0\r\n\r\n");
}

/* How much of the payload the first `keep` bytes of its chunked form hold;
 * r is the stream chunk_to had. */
static size_t chunked_prefix(size_t payload_n, size_t keep, struct mk_rng *r)
{
	size_t done = 0, at = 0;

	while (done < payload_n) {
		size_t n = CHUNK_MIN + mk_rng_below(r, CHUNK_MORE);
		size_t head;

		if (n > payload_n - done)
			n = payload_n - done;
		head = (size_t)snprintf(NULL, 0, "%zx\r\n", n);
		if (at + head + n > keep)
			return keep > at + head ? done + keep - at - head : done;
		at += head + n + 2;
		done += n;
	}
	return payload_n;
}

/* From the whole body (in m->body) to what is stored, cut if it is so. */
static void encode_body(struct mk_message *m, const struct mk_config *cfg,
			const struct mk_plan *p)
{
	bool coded = p->is_applied && p->coding != MK_CODING_NONE;
	bool chunked = p->is_applied && p->chunked;
	struct mk_rng r = mk_rng_at(cfg->seed, p->n, MK_SALT_HTTP + 100), again;
	struct mk_rng cut = mk_rng_at(cfg->seed, p->n, MK_SALT_HTTP + 200);
	size_t whole = m->body.n;

	cfs_buf_reset(&m->stored);
	cfs_buf_reset(&m->payload);
	if (coded)
		compress_to(&m->payload, cfs_buf_slice(&m->body), p->coding);
	else
		cfs_buf_add(&m->payload, cfs_buf_slice(&m->body));
	again = r;
	if (chunked)
		chunk_to(&m->stored, cfs_buf_slice(&m->payload), &r);
	else
		cfs_buf_add(&m->stored, cfs_buf_slice(&m->payload));
	mk_check(&m->payload);
	mk_check(&m->stored);
	if (!p->is_cut)
		return;
	m->stored.n = m->stored.n / 2 + mk_rng_below(&cut, m->stored.n / 2);
	m->payload.n = chunked
		? chunked_prefix(m->payload.n, m->stored.n, &again)
		: m->stored.n;
	if (coded)
		inflate_to(&m->body, cfs_buf_slice(&m->payload), p->coding, whole);
	else
		m->body.n = m->payload.n;
}

/* ---- heads ---- */

struct head {
	struct cfs_buf *out;
	const char *eol, *colon;
};

static void field(const struct head *h, const char *name, const char *value)
{
	cfs_buf_addf(h->out, "%s%s%s%s", name, h->colon, value, h->eol);
}

static void number_field(const struct head *h, const char *name, uint64_t v)
{
	char room[32];

	snprintf(room, sizeof(room), "%llu", (unsigned long long)v);
	field(h, name, room);
}

static void date_field(const struct head *h, const char *name, int64_t t)
{
	static const char *const days[] = {
		"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" };
	static const char *const months[] = {
		"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep",
		"Oct", "Nov", "Dec" };
	char room[64];
	struct tm tm;
	time_t when = t;

	if (gmtime_r(&when, &tm) == NULL)
		return;
	snprintf(room, sizeof(room), "%s, %02d %s %04d %02d:%02d:%02d GMT",
		 days[tm.tm_wday], tm.tm_mday, months[tm.tm_mon],
		 tm.tm_year + 1900, tm.tm_hour, tm.tm_min, tm.tm_sec);
	field(h, name, room);
}

static const char *reason(unsigned status)
{
	switch (status) {
	case 200: return "OK";
	case 301: return "Moved Permanently";
	case 302: return "Found";
	case 304: return "Not Modified";
	case 403: return "Forbidden";
	case 404: return "Not Found";
	case 410: return "Gone";
	case 500: return "Internal Server Error";
	case 503: return "Service Unavailable";
	default: return "Unknown";
	}
}

static const char *coding_name(enum mk_coding c)
{
	return c == MK_CODING_GZIP ? "gzip" : "deflate";
}

/* wire_bytes: the length as the server sent it. */
static void length_fields(const struct head *h, const struct mk_plan *p,
			  uint64_t wire_bytes, uint64_t body_bytes,
			  struct mk_rng *r)
{
	static const char *const names[2][3] = {
		{ "Content-Encoding", "Transfer-Encoding", "Content-Length" },
		{ "X-Crawler-Content-Encoding", "X-Crawler-Transfer-Encoding",
		  "X-Crawler-Content-Length" },
	};
	const char *const *name = names[p->crawler_names];
	bool encoded = p->coding != MK_CODING_NONE || p->chunked;

	if (p->coding != MK_CODING_NONE)
		field(h, name[0], coding_name(p->coding));
	if (p->chunked)
		field(h, name[1], "chunked");
	else if (encoded || !mk_type_is_text(p->type) || mk_rng_chance(r, 85))
		number_field(h, name[2], wire_bytes);
	if (p->crawler_names && encoded)
		number_field(h, names[0][2], body_bytes);
}

static void make_head(struct mk_message *m, const struct mk_words *w,
		      const struct mk_config *cfg, const struct mk_plan *p,
		      uint64_t wire_bytes, bool arc)
{
	static const char *const servers[] = {
		"Apache", "Apache/2.2.22 (Debian)", "nginx/1.2.1", "nginx",
		"Microsoft-IIS/7.5", "lighttpd/1.4.28",
	};
	struct mk_rng r = mk_rng_at(cfg->seed, p->n, MK_SALT_HTTP + 300);
	struct head h = { &m->head, p->bare_lf ? "\n" : "\r\n", arc ? ":" : ": " };
	char room[128];

	cfs_buf_reset(&m->head);
	cfs_buf_addf(&m->head, "HTTP/1.%d %u %s%s", mk_rng_chance(&r, 95),
		     p->status, reason(p->status), h.eol);
	date_field(&h, "Date", p->time);
	field(&h, "Server", servers[mk_mix(p->host_id) % 6]);
	if (mk_rng_chance(&r, 30))
		date_field(&h, "Last-Modified", p->time - (int64_t)mk_rng_below(&r, 90000000));
	if (p->status / 100 == 3 && p->status != 304)
		field(&h, "Location", "http://www.example.com/moved/");
	field(&h, "Content-Type", mk_page_type(w, p, room, sizeof(room)));
	if (mk_rng_chance(&r, 15)) {
		field(&h, "Set-Cookie", "session=0123456789abcdef; path=/");
		field(&h, "Set-Cookie", "lang=en; path=/");
	}
	if (mk_rng_chance(&r, 3))
		cfs_buf_addf(&m->head, "X-Folded%sone,%s\ttwo%s", h.colon, h.eol, h.eol);
	length_fields(&h, p, wire_bytes, m->body.n, &r);
	field(&h, "Connection", "close");
	if (arc && mk_type_is_text(p->type) && cfg->arc_short == 0)
		field(&h, "x-commoncrawl-DetectedCharset",
		      w->pool[p->tongue].charset);
	cfs_buf_adds(&m->head, h.eol);
	mk_check(&m->head);
}

void mk_message_make(struct mk_message *m, const struct mk_words *w,
		     const struct mk_config *cfg, const struct mk_plan *p,
		     bool arc)
{
	uint64_t wire;

	mk_page_make(w, cfg->seed, p, &m->body);
	wire = m->body.n;
	encode_body(m, cfg, p);
	if (p->coding != MK_CODING_NONE)	/* never the decoded length */
		wire = p->is_applied ? m->payload.n : wire / 4 + 20;
	make_head(m, w, cfg, p, wire, arc);
	mk_sha1(cfs_buf_slice(&m->body), m->body_sha1);
	if (p->is_applied && p->coding != MK_CODING_NONE)
		mk_sha1(cfs_buf_slice(&m->payload), m->payload_sha1);
	else
		memcpy(m->payload_sha1, m->body_sha1, MK_SHA1_BYTES);
}

void mk_message_head_only(struct mk_message *m, const struct mk_words *w,
			  const struct mk_config *cfg, const struct mk_plan *p)
{
	cfs_buf_reset(&m->body);
	cfs_buf_reset(&m->stored);
	make_head(m, w, cfg, p, p->body_bytes, false);
}
