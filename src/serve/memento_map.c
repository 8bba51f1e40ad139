/* memento_map.c - the list of the captures of a URL (a TimeMap), as links or as
 * JSON, made while it is sent.
 *
 * A page of it has PAGE_CAPTURES; it names the next one, if there is one.  The
 * row of a capture is written when the next capture is known, since the last
 * one is marked.
 *
 * Spec: RFC 7089, section 5; RFC 6690 (link-format).  The members of the JSON
 * are those of Memento's own services.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/timestamp.h"
#include "cdx_server_internal.h"
#include "codec/json.h"
#include "memento.h"

#define PAGE_CAPTURES 10000u

struct map {
	struct cfs_steps steps;		/* the first member */
	struct cfs_site *site;
	struct cfs_cdx_query q;
	struct cfs_cdx_streams *streams;
	struct cfs_buf base;
	bool is_json;
	uint64_t page, n;		/* captures that were passed */
	/* The last one of these, which is to be written. */
	struct cfs_buf address;
	int64_t time;
	bool is_begun;
	struct cfs_json json;
	struct cfs_buf first;		/* its address, for the JSON's end */
	int64_t first_time;
};

/* The addresses about the same URL: the TimeGate, and the lists. */
#define GATE ""
#define MAP_LINK "timemap/link/"
#define MAP_JSON "timemap/json/"

/* Appends the address of one of these, or of a page of a list. */
static void add_address(const struct map *m, const char *what, uint64_t page,
			struct cfs_buf *out)
{
	cfs_buf_add(out, cfs_buf_slice(&m->base));
	cfs_buf_addf(out, "/web/%s", what);
	if (page > 1)
		cfs_buf_addf(out, "%" PRIu64 "/", page);
	cfs_memento_add_url(out, cfs_buf_slice(&m->q.url));
}

/* ---- links --------------------------------------------------------------- */

static void begin_links(const struct map *m, struct cfs_buf *out)
{
	cfs_buf_addc(out, '<');
	cfs_percent_encode(cfs_buf_slice(&m->q.url),
			   CFS_MEMENTO_KEPT, out);
	cfs_buf_adds(out, ">; rel=\"original\",\n<");
	add_address(m, MAP_LINK, m->page, out);
	cfs_buf_adds(out, ">; rel=\"self\"; type=\"application/link-format\","
		     "\n<");
	add_address(m, GATE, 1, out);
	cfs_buf_adds(out, ">; rel=\"timegate\"");
}

static void write_link(const struct map *m, bool is_first, bool is_last,
		       struct cfs_buf *out)
{
	char date[CFS_HTTP_DATE_BYTES];

	cfs_buf_adds(out, ",\n<");
	cfs_buf_add(out, cfs_buf_slice(&m->address));
	cfs_buf_adds(out, is_first ? ">; rel=\"first " : ">; rel=\"");
	cfs_buf_adds(out, is_last ? "last memento" : "memento");
	cfs_buf_addf(out, "\"; datetime=\"%s\"", cfs_http_date(m->time, date));
}

static void end_links(const struct map *m, bool has_more, struct cfs_buf *out)
{
	if (has_more) {
		cfs_buf_adds(out, ",\n<");
		add_address(m, MAP_LINK, m->page + 1, out);
		cfs_buf_adds(out, ">; rel=\"timemap\"; "
			     "type=\"application/link-format\"");
	}
	cfs_buf_addc(out, '\n');
}

/* ---- JSON ---------------------------------------------------------------- */

/* Writes a member; what is odd in an address is escaped. */
static void put_address(struct map *m, const char *key,
			struct cfs_slice address)
{
	cfs_json_put_ascii(&m->json, key, address, CFS_JSON_ODD_PERCENT);
}

static void put_other(struct map *m, const char *key, const char *what,
		      uint64_t page)
{
	CFS_BUF(address, CFS_REPLY_HEAD_MAX);

	add_address(m, what, page, &address);
	put_address(m, key, cfs_buf_slice(&address));
}

static void begin_json(struct map *m)
{
	cfs_json_begin(&m->json, NULL, '{');
	put_address(m, "original_uri", cfs_buf_slice(&m->q.url));
	put_other(m, "self", MAP_JSON, m->page);
	put_other(m, "timegate_uri", GATE, 1);
	cfs_json_begin(&m->json, "timemap_uri", '{');
	put_other(m, "link_format", MAP_LINK, 1);
	put_other(m, "json_format", MAP_JSON, 1);
	cfs_json_close(&m->json, '}');
	cfs_json_begin(&m->json, "mementos", '{');
	cfs_json_begin(&m->json, "list", '[');
}

static void write_capture(struct map *m, const char *key, int64_t time,
			  const struct cfs_buf *address)
{
	char text[CFS_TIME_ISO_BYTES];

	cfs_json_begin(&m->json, key, '{');
	put_address(m, "datetime",
		    cfs_slice_str(cfs_time_format_iso(time, text)));
	put_address(m, "uri", cfs_buf_slice(address));
	cfs_json_close(&m->json, '}');
}

static void end_json(struct map *m, bool has_more, struct cfs_buf *out)
{
	cfs_json_close(&m->json, ']');
	if (m->page == 1)
		write_capture(m, "first", m->first_time, &m->first);
	if (!has_more)
		write_capture(m, "last", m->time, &m->address);
	cfs_json_close(&m->json, '}');
	if (has_more) {
		cfs_json_begin(&m->json, "pages", '{');
		cfs_json_begin(&m->json, "next", '{');
		put_other(m, "uri", MAP_JSON, m->page + 1);
		cfs_json_close(&m->json, '}');
		cfs_json_close(&m->json, '}');
	}
	cfs_json_close(&m->json, '}');
	cfs_buf_addc(out, '\n');
}

/* ---- steps --------------------------------------------------------------- */

/* Writes the capture that is held. */
static void write_held(struct map *m, bool is_last, struct cfs_buf *out)
{
	bool is_first = !m->is_begun;	/* of this page */

	m->json.out = out;
	m->is_begun = true;
	if (is_first && m->is_json)
		begin_json(m);
	else if (is_first)
		begin_links(m, out);
	if (is_first) {
		m->first_time = m->time;
		cfs_buf_add(&m->first, cfs_buf_slice(&m->address));
	}
	if (m->is_json)
		write_capture(m, NULL, m->time, &m->address);
	else
		write_link(m, is_first && m->page == 1, is_last, out);
}

/* Handles a capture.  CFS_END: the page is full, and this is the next one's. */
static int take_capture(struct map *m, struct cfs_cdx_head *h,
			struct cfs_buf *address, struct cfs_buf *out,
			struct cfs_error *err)
{
	uint64_t begin = (m->page - 1) * PAGE_CAPTURES;
	int64_t time = h->w->cap.time;
	int rc = cfs_cdx_head_fill(h, m->site, err);

	if (rc != CFS_OK || time == 0)
		return rc;
	cfs_buf_reset(address);
	cfs_memento_address(address, cfs_buf_slice(&m->base), time,
			    CFS_SLICE_EMPTY, h->row.v[CFS_CDX_URL]);
	if (m->n > 0 && m->time == time &&
	    cfs_slice_eq(cfs_buf_slice(address), cfs_buf_slice(&m->address)))
		return CFS_OK;
	if (m->n == begin + PAGE_CAPTURES)
		return CFS_END;
	if (m->n > begin)
		write_held(m, false, out);
	m->n++;
	m->time = time;
	cfs_buf_reset(&m->address);
	return cfs_buf_add(&m->address, cfs_buf_slice(address));
}

/* Ends the list.  has_more: a further capture was met. */
static int end_map(struct map *m, bool has_more, struct cfs_buf *out,
		   struct cfs_error *err)
{
	const struct cfs_index *hole = cfs_cdx_streams_hole(m->streams);

	/* without its end, the list is seen to be broken off */
	if (hole != NULL)
		return cfs_holes_fail(hole, err);
	if (m->n <= (m->page - 1) * PAGE_CAPTURES)
		return CFS_ENOTFOUND;
	write_held(m, !has_more, out);
	if (m->is_json)
		end_json(m, has_more, out);
	else
		end_links(m, has_more, out);
	return CFS_END;
}

static int more_captures(struct cfs_steps *p, struct cfs_buf *out,
			 struct cfs_ctx ctx)
{
	struct map *m = (struct map *)p;
	int64_t begun = cfs_monotonic_ms();
	struct cfs_cdx_head *h;
	CFS_BUF(address, CFS_REPLY_HEAD_MAX);
	int rc = CFS_OK;

	while (rc == CFS_OK && out->n < CFS_STEP_BYTES &&
	       cfs_monotonic_ms() - begun < m->steps.ms) {
		rc = cfs_cdx_streams_step(m->streams, &h, ctx);
		if (rc == CFS_END) {
			rc = end_map(m, false, out, ctx.err);
		} else if (rc == CFS_OK && h != NULL) {
			rc = take_capture(m, h, &address, out, ctx.err);
			if (rc == CFS_END)
				rc = end_map(m, true, out, ctx.err);
		}
		if (rc == CFS_OK && cfs_cancelled(ctx.cancel))
			rc = CFS_EINTR;
	}
	return rc;
}

static void map_free(struct cfs_steps *p)
{
	struct map *m = (struct map *)p;

	cfs_cdx_streams_free(m->streams);
	cfs_buf_release(&m->q.url);
	cfs_buf_release(&m->base);
	cfs_buf_release(&m->address);
	cfs_buf_release(&m->first);
	free(m);
}

int cfs_memento_map(struct cfs_exchange *x, struct cfs_slice url, bool is_json,
		    uint64_t page, struct cfs_ctx ctx)
{
	struct map *m = calloc(1, sizeof(*m));
	int rc;

	if (m == NULL)
		return cfs_error_nomem(ctx.err);
	m->steps.more = more_captures;
	m->steps.free = map_free;
	m->steps.heeds_ms = true;
	m->site = x->site;
	m->is_json = is_json;
	m->page = page;
	cfs_buf_init(&m->q.url, CFS_REPLY_HEAD_MAX);
	cfs_buf_init(&m->base, CFS_REPLY_HEAD_MAX);
	cfs_buf_init(&m->address, CFS_REPLY_HEAD_MAX);
	cfs_buf_init(&m->first, CFS_REPLY_HEAD_MAX);
	cfs_reply_base(x, &m->base);
	rc = cfs_buf_add(&m->q.url, url);
	if (rc == CFS_OK)
		rc = cfs_cdx_streams_new(&m->streams, m->site, &m->q, ctx.err);
	if (rc == CFS_OK)
		return cfs_reply_steps(x, 200, is_json ? "application/json" :
				       "application/link-format", &m->steps);
	map_free(&m->steps);
	return rc;
}
