/* warc.c - WARC 1.0 and 1.1 records (see writer.h).
 *
 * ISO 28500:2017, section 4: version CRLF *(field CRLF) CRLF block CRLF CRLF.
 * A capture is a request, the response (or resource, revisit, conversion) and
 * a metadata record, as Common Crawl writes them; now and then a dns: record
 * goes before.  With cfg->bare only the capture is written.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "writer.h"

#define URL_MAX 8192u		/* longer ones are in no tree */
#define SLASHES_MAX 900u

/* Numbers of the records of one capture, for their ids. */
enum part { PART_CAPTURE, PART_REQUEST, PART_METADATA, PART_DNS, PART_INFO,
	    PART_NOTHING };

/* ---- fields ---- */

static void add_id(const struct mk_writer *w, uint64_t n, enum part part,
		   struct cfs_buf *out)
{
	struct mk_rng r = mk_rng_at(w->cfg->seed, n * 8 + part, MK_SALT_ID);
	uint64_t a = mk_rng_next(&r), b = mk_rng_next(&r);

	cfs_buf_addf(out, "<urn:uuid:%08x-%04x-4%03x-%04x-%012" PRIx64 ">",
		     (unsigned)(a >> 32), (unsigned)(a >> 16 & 0xffff),
		     (unsigned)(a & 0xfff), (unsigned)(0x8000 | (b >> 48 & 0x3fff)),
		     b & 0xffffffffffff);
}

static void add_base32(const uint8_t sha1[MK_SHA1_BYTES], struct cfs_buf *out)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
	uint64_t bits = 0;
	unsigned have = 0;

	cfs_buf_adds(out, "sha1:");
	for (unsigned i = 0; i < MK_SHA1_BYTES; i++) {
		bits = bits << 8 | sha1[i];
		for (have += 8; have >= 5; have -= 5)
			cfs_buf_addc(out, (uint8_t)digits[bits >> (have - 5) & 31]);
	}
}

static void add_date(int64_t t, bool fraction, struct cfs_buf *out)
{
	char d[CFS_TIME_14_BYTES];

	cfs_time_format_14(t, d);
	cfs_buf_addf(out, "%.4s-%.2s-%.2sT%.2s:%.2s:%.2s%sZ", d, d + 4, d + 6,
		     d + 8, d + 10, d + 12, fraction ? ".123456" : "");
}

struct header {
	const char *type, *mime;
	enum part part;
	struct cfs_slice uri;		/* empty: none */
	const uint8_t *digest;		/* NULL: none */
	const char *truncated;		/* NULL: not */
	bool odd;			/* brackets, 1.1, small letters */
};

static void add_refers(struct mk_writer *w, const struct mk_plan *p,
		       bool dangling);

/* Version, fields and the blank line, into w->record. */
static void add_header(struct mk_writer *w, const struct mk_plan *p,
		       const struct header *h, size_t block_bytes, bool dangling)
{
	struct cfs_buf *out = &w->record;
	char ip[16];

	mk_ip_of(p->host_id, ip);
	cfs_buf_reset(out);
	cfs_buf_addf(out, "WARC/1.%d\r\nWARC-Type: %s\r\nWARC-Date: ", h->odd, h->type);
	add_date(p->time, h->odd, out);
	cfs_buf_adds(out, "\r\nWARC-Record-ID: ");
	add_id(w, p->n, h->part, out);
	cfs_buf_addf(out, "\r\n%s: %zu\r\n%s: %s\r\n",
		     h->odd ? "content-length" : "Content-Length", block_bytes,
		     h->odd ? "content-type" : "Content-Type", h->mime);
	if (h->uri.n > 0) {
		cfs_buf_addf(out, "WARC-IP-Address: %s\r\nWARC-Target-URI: %s",
			     ip, h->odd ? "<" : "");
		cfs_buf_add(out, h->uri);
		cfs_buf_adds(out, h->odd ? ">\r\n" : "\r\n");
	}
	if (h->part == PART_REQUEST || h->part == PART_METADATA) {
		cfs_buf_adds(out, "WARC-Concurrent-To: ");
		add_id(w, p->n, PART_CAPTURE, out);
		cfs_buf_adds(out, "\r\n");
	}
	if (h->digest != NULL) {
		cfs_buf_adds(out, "WARC-Payload-Digest: ");
		add_base32(h->digest, out);
		cfs_buf_adds(out, "\r\n");
	}
	if (h->truncated != NULL)
		cfs_buf_addf(out, "WARC-Truncated: %s\r\n", h->truncated);
	if (h->part == PART_CAPTURE && p->kind != MK_KIND_RESPONSE &&
	    p->kind != MK_KIND_RESOURCE)
		add_refers(w, p, dangling);
	cfs_buf_adds(out, "\r\n");
}

/* Appends the block and ends the record. */
static struct mk_place put(struct mk_writer *w, struct cfs_slice a,
			   struct cfs_slice b)
{
	cfs_buf_add(&w->record, a);
	cfs_buf_add(&w->record, b);
	cfs_buf_adds(&w->record, "\r\n\r\n");
	mk_check(&w->record);
	w->records++;
	return mk_archive_write(&w->archive, cfs_buf_slice(&w->record), false);
}

/* ---- the other records ---- */

static void put_text(struct mk_writer *w, const struct mk_plan *p,
		     const struct header *h, const char *text)
{
	add_header(w, p, h, strlen(text), false);
	put(w, cfs_slice_str(text), CFS_SLICE_EMPTY);
}

static void begin_file(struct mk_writer *w, const struct mk_plan *p)
{
	struct mk_plan info = { .n = w->archive.number, .time = p->time };
	struct header h = { .type = "warcinfo", .mime = "application/warc-fields",
			    .part = PART_INFO, .uri = CFS_SLICE_EMPTY };

	mk_archive_begin(&w->archive);
	put_text(w, &info, &h, "software: crawlfs-mkcrawl\r\n"
		 "format: WARC File Format 1.1\r\n"
		 "robots: a made-up crawl, of no web\r\n");
}

static void put_request(struct mk_writer *w, const struct mk_plan *p)
{
	static const char request[] =
		"GET / HTTP/1.1\r\nUser-Agent: mkcrawl\r\nAccept: */*\r\n"
		"Accept-Encoding: gzip, deflate\r\n\r\n";
	struct header h = { .type = "request", .part = PART_REQUEST,
			    .mime = "application/http; msgtype=request",
			    .uri = cfs_buf_slice(&p->url) };

	put_text(w, p, &h, request);
}

static void put_metadata(struct mk_writer *w, const struct mk_plan *p)
{
	struct header h = { .type = "metadata", .part = PART_METADATA,
			    .mime = "application/warc-fields",
			    .uri = cfs_buf_slice(&p->url) };

	put_text(w, p, &h, "fetchTimeMs: 123\r\ncharset-detected: UTF-8\r\n");
}

static void put_dns(struct mk_writer *w, const struct mk_plan *p)
{
	struct header h = { .type = "response", .mime = "text/dns",
			    .part = PART_DNS,
			    .uri = CFS_SLICE_LIT("dns:www.example.com") };

	put_text(w, p, &h, "20240220211055\r\n"
		 "www.example.com.\t300\tIN\tA\t192.0.2.1\r\n");
}

/* ---- revisits ---- */

/* Whether readers have the target in their tree. */
static bool is_in_tree(const struct mk_plan *p)
{
	static const char *const schemes[] = { "http://", "https://", "ftp://" };
	struct cfs_slice url = cfs_buf_slice(&p->url);
	size_t slashes = 0;

	for (size_t i = 0; i < url.n; i++)
		slashes += url.p[i] == '/';
	if (url.n > URL_MAX || slashes > SLASHES_MAX)
		return false;
	for (unsigned i = 0; i < 3; i++)
		if (cfs_slice_starts_nocase(url, cfs_slice_str(schemes[i])))
			return true;
	return false;
}

/* Makes the capture p refers to, into w->target and w->other. */
static bool find_target(struct mk_writer *w, const struct mk_plan *p)
{
	if (p->refers_to == MK_NO_CAPTURE)
		return false;
	if (!mk_plan_make(&w->target, w->urls, p->refers_to, true) ||
	    w->target.kind != MK_KIND_RESPONSE || !is_in_tree(&w->target))
		return false;
	mk_message_make(&w->other, w->words, w->cfg, &w->target, false);
	return true;
}

/* The reference of a revisit or conversion: by id, by URI and date, or only
 * by the digest that is there already. */
static void add_refers(struct mk_writer *w, const struct mk_plan *p, bool dangling)
{
	struct mk_rng r = mk_rng_at(w->cfg->seed, p->n, MK_SALT_WARC + 100);
	struct cfs_buf *out = &w->record;
	unsigned how = (unsigned)mk_rng_below(&r, 3);

	if (p->kind == MK_KIND_CONVERSION || dangling) {
		cfs_buf_adds(out, "WARC-Refers-To: ");
		add_id(w, p->n, PART_NOTHING, out);
		cfs_buf_adds(out, "\r\n");
	}
	if (p->kind != MK_KIND_REVISIT)
		return;
	cfs_buf_adds(out, "WARC-Profile: http://netpreserve.org/warc/1.0/revisit/"
		     "identical-payload-digest\r\n");
	if (dangling || how == 2)
		return;
	if (how == 0) {
		cfs_buf_adds(out, "WARC-Refers-To: ");
		add_id(w, p->refers_to, PART_CAPTURE, out);
		cfs_buf_adds(out, "\r\n");
	}
	cfs_buf_adds(out, "WARC-Refers-To-Target-URI: ");
	cfs_buf_add(out, cfs_buf_slice(&w->target.url));
	cfs_buf_adds(out, "\r\nWARC-Refers-To-Date: ");
	add_date(w->target.time, false, out);
	cfs_buf_adds(out, "\r\n");
}

static void put_revisit(struct mk_writer *w, const struct mk_plan *p, bool odd)
{
	bool found = find_target(w, p);
	uint8_t nothing[MK_SHA1_BYTES];
	struct header h = { .type = "revisit", .part = PART_CAPTURE, .odd = odd,
			    .mime = "application/http; msgtype=response",
			    .uri = cfs_buf_slice(&p->url) };
	struct mk_place at;

	if (!found) {	/* a digest that no record has */
		mk_sha1(cfs_buf_slice(&p->url), nothing);
		cfs_buf_reset(&w->other.body);
		mk_sha1(CFS_SLICE_EMPTY, w->other.body_sha1);
	}
	h.digest = found ? w->other.payload_sha1 : nothing;
	mk_message_head_only(&w->msg, w->words, w->cfg, p);
	add_header(w, p, &h, w->msg.head.n, !found);
	at = put(w, cfs_buf_slice(&w->msg.head), CFS_SLICE_EMPTY);
	mk_manifest_add(w->manifest, w->words, p, &at, w->other.body_sha1,
			w->other.body.n, !found);
}

/* ---- captures ---- */

static void put_response(struct mk_writer *w, const struct mk_plan *p, bool odd)
{
	struct mk_message *m = &w->msg;
	struct header h = { .type = "response", .part = PART_CAPTURE, .odd = odd,
			    .mime = "application/http; msgtype=response",
			    .uri = cfs_buf_slice(&p->url),
			    .digest = m->payload_sha1,
			    .truncated = p->is_cut ? "length" : NULL };
	struct mk_place at;

	mk_message_make(m, w->words, w->cfg, p, false);
	add_header(w, p, &h, m->head.n + m->stored.n, false);
	at = put(w, cfs_buf_slice(&m->head), cfs_buf_slice(&m->stored));
	mk_manifest_add(w->manifest, w->words, p, &at, m->body_sha1, m->body.n,
			false);
}

/* Resource and conversion: the block is the body. */
static void put_block(struct mk_writer *w, const struct mk_plan *p, bool odd)
{
	struct mk_message *m = &w->msg;
	char room[128];
	struct header h = { .type = mk_kind_name(p->kind), .part = PART_CAPTURE,
			    .mime = mk_page_type(w->words, p, room, sizeof(room)),
			    .uri = cfs_buf_slice(&p->url), .odd = odd,
			    .digest = m->payload_sha1 };
	struct mk_place at;

	mk_message_make(m, w->words, w->cfg, p, false);
	add_header(w, p, &h, m->stored.n, false);
	at = put(w, cfs_buf_slice(&m->stored), CFS_SLICE_EMPTY);
	mk_manifest_add(w->manifest, w->words, p, &at, m->body_sha1, m->body.n,
			false);
}

void mk_warc_capture(struct mk_writer *w, const struct mk_plan *p)
{
	struct mk_rng r = mk_rng_at(w->cfg->seed, p->n, MK_SALT_WARC + 200);
	bool odd = mk_rng_below(&r, 300) < w->cfg->hostile;

	if (mk_archive_is_full(&w->archive))
		begin_file(w, p);
	if (!w->cfg->bare && mk_rng_chance(&r, 1))
		put_dns(w, p);
	if (!w->cfg->bare && p->kind == MK_KIND_RESPONSE)
		put_request(w, p);
	if (p->kind == MK_KIND_REVISIT)
		put_revisit(w, p, odd);
	else if (p->kind == MK_KIND_RESPONSE)
		put_response(w, p, odd);
	else
		put_block(w, p, odd);
	if (!w->cfg->bare && p->kind == MK_KIND_RESPONSE)
		put_metadata(w, p);
}
