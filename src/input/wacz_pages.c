/* wacz_pages.c - reads lists of pages: JSON lines with url and ts, of which id
 * and title are kept as
 *
 *     {"wacz": {"id": "..", "title": "..", "ts": ".."}}
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "wacz_pages.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/timestamp.h"
#include "codec/json.h"
#include "record/inflate_steps.h"

/* Bytes of a title or an id; longer ones are left out.  Escaped, three of them
 * stay below CFS_NOTES_MAX. */
#define TEXT_MAX 1536u

struct cfs_wacz_page {
	uint64_t hash;		/* of package and URL */
	int64_t time;
	uint32_t at;		/* offset in text of its URL, with the notes
				 * after it */
	uint32_t url_n, notes_n;
};

void cfs_wacz_pages_init(struct cfs_wacz_pages *p)
{
	*p = (struct cfs_wacz_pages){ .n = 0 };
	cfs_buf_init(&p->text, CFS_WACZ_PAGES_MAX);
}

void cfs_wacz_pages_release(struct cfs_wacz_pages *p)
{
	free(p->v);
	cfs_buf_release(&p->text);
	*p = (struct cfs_wacz_pages){ .n = 0 };
}

/* Captures have no fragments. */
static struct cfs_slice without_fragment(struct cfs_slice url)
{
	ptrdiff_t at = cfs_slice_find(url, '#');

	return at < 0 ? url : cfs_slice_sub(url, 0, (size_t)at);
}

struct pages_reading {
	struct cfs_wacz_pages *p;
	uint64_t package;
	struct cfs_buf lines, value;
	bool drop;			/* skip to the next line */
};

/* Returns a value without escapes, in r->value. */
static struct cfs_slice wacz_pages_plain(struct pages_reading *r,
					 struct cfs_slice s)
{
	cfs_buf_reset(&r->value);
	r->value.failed = CFS_OK;
	cfs_json_add_text(&r->value, (struct cfs_json_text){ s, true });
	return r->value.failed == CFS_OK ? cfs_buf_slice(&r->value) :
					   CFS_SLICE_EMPTY;
}

static void wacz_pages_put(struct cfs_json *j, struct pages_reading *r,
			   const char *key, struct cfs_slice s)
{
	if (s.n > 0 && s.n <= TEXT_MAX)
		cfs_json_put_str(j, key, wacz_pages_plain(r, s));
}

/* Adds the page of a line.  CFS_ELIMIT when there is no more room. */
static int wacz_pages_take_line(struct pages_reading *r, struct cfs_slice line)
{
	static const char *const paths[] = { "url", "ts", "id", "title" };
	struct cfs_slice f[4], url;
	struct cfs_buf *text = &r->p->text;
	struct cfs_json j = { .out = text, .compact = true };
	struct cfs_wacz_page page = { .at = (uint32_t)text->n };

	if (!cfs_json_pick(line, paths, 4, f) || f[0].n == 0 ||
	    (f[2].n == 0 && f[3].n == 0))
		return CFS_OK;		/* the first line, or not a page */
	url = without_fragment(wacz_pages_plain(r, f[0]));
	page.hash = cfs_hash64(url, r->package);
	page.url_n = (uint32_t)url.n;
	cfs_buf_add(text, url);
	if (cfs_time_parse_iso(f[1], &page.time) != CFS_OK)
		page.time = 0;
	cfs_json_open(&j, '{');
	cfs_json_begin(&j, "wacz", '{');
	wacz_pages_put(&j, r, "id", f[2]);
	wacz_pages_put(&j, r, "title", f[3]);
	wacz_pages_put(&j, r, "ts", f[1]);
	cfs_json_close(&j, '}');
	cfs_json_close(&j, '}');
	if (text->failed != CFS_OK)
		return text->failed;
	page.notes_n = (uint32_t)(text->n - page.at) - page.url_n;
	if (cfs_array_reserve((void **)&r->p->v, &r->p->room, r->p->n + 1,
			      sizeof(page), SIZE_MAX) != CFS_OK)
		return CFS_ENOMEM;
	r->p->v[r->p->n++] = page;
	return CFS_OK;
}

static int take_step(void *arg, uint64_t file_off)
{
	struct pages_reading *r = arg;
	struct cfs_slice rest = cfs_buf_slice(&r->lines);
	ptrdiff_t end;
	int rc = CFS_OK;

	(void)file_off;
	while (rc == CFS_OK && (end = cfs_slice_find(rest, '\n')) >= 0) {
		if (!r->drop)
			rc = wacz_pages_take_line(r,
						  cfs_slice_sub(rest, 0,
								(size_t)end));
		r->drop = false;
		rest = cfs_slice_from(rest, (size_t)end + 1);
	}
	if (rest.n > CFS_WACZ_PAGE_LINE_MAX) {
		rest.n = 0;
		r->drop = true;
	}
	memmove(r->lines.p, rest.p, rest.n);
	r->lines.n = rest.n;
	return rc;
}

int cfs_wacz_pages_add(struct cfs_wacz_pages *p, uint64_t package,
		       struct cfs_source *src, struct cfs_ctx ctx)
{
	struct pages_reading r = { .p = p, .package = package };
	const struct cfs_inflate_steps steps = { .into = &r.lines,
						  .take = take_step,
						  .arg = &r,
						  .cancel = ctx.cancel };
	size_t before;
	int rc;

	if (p->is_full)
		return CFS_OK;
	cfs_buf_init(&r.lines,
		     CFS_WACZ_PAGE_LINE_MAX + 2 * CFS_INFLATE_STEP_BYTES);
	cfs_buf_init(&r.value, CFS_WACZ_PAGE_LINE_MAX);
	rc = cfs_inflate_steps_read(src, &steps, ctx.err);
	if (rc == CFS_OK && r.lines.n > 0 && !r.drop)
		rc = wacz_pages_take_line(&r, cfs_buf_slice(&r.lines));
	before = p->n == 0 ? 0 : p->v[p->n - 1].at + p->v[p->n - 1].url_n +
				 p->v[p->n - 1].notes_n;
	if (p->text.n > before)			/* an incomplete page */
		p->text.n = before;
	if (rc == CFS_ELIMIT && p->text.failed == CFS_ELIMIT) {
		cfs_log(CFS_LOG_WARNING, "%s: the lists of pages are too long: "
			"titles and ids of the first %zu are kept", src->name,
			p->n);
		p->is_full = true;
		rc = CFS_OK;
	}
	cfs_buf_release(&r.lines);
	cfs_buf_release(&r.value);
	return rc == CFS_ENOMEM ? cfs_error_nomem(ctx.err) : rc;
}

static int wacz_pages_by_url(const void *a, const void *b)
{
	const struct cfs_wacz_page *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

void cfs_wacz_pages_sort(struct cfs_wacz_pages *p)
{
	if (p->n > 0)
		qsort(p->v, p->n, sizeof(*p->v), wacz_pages_by_url);
}

/* The distance of two times. */
static uint64_t wacz_pages_distance(int64_t a, int64_t b)
{
	return a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b;
}

struct cfs_slice cfs_wacz_pages_find(const struct cfs_wacz_pages *p,
				     uint64_t package, struct cfs_slice url,
				     int64_t time)
{
	const struct cfs_wacz_page *best = NULL;
	uint64_t hash;
	size_t at = 0;

	if (p->n == 0)
		return CFS_SLICE_EMPTY;
	url = without_fragment(url);
	hash = cfs_hash64(url, package);
	CFS_LOWER_BOUND(at, p->n, i, p->v[i].hash < hash ||
			(p->v[i].hash == hash && p->v[i].time < time));
	/* The nearest is the one found, or the one before it. */
	for (size_t i = at > 0 ? at - 1 : 0; i <= at && i < p->n; i++) {
		const struct cfs_wacz_page *page = &p->v[i];

		if (page->hash == hash &&
		    cfs_slice_eq(url, cfs_slice_of(p->text.p + page->at,
						   page->url_n)) &&
		    (best == NULL || wacz_pages_distance(page->time, time) <
				     wacz_pages_distance(best->time, time)))
			best = page;
	}
	return best == NULL ? CFS_SLICE_EMPTY :
	       cfs_slice_of(p->text.p + best->at + best->url_n, best->notes_n);
}
