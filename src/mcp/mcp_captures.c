/* mcp_captures.c - the tool captures: the captures of a URL, or of all pages
 * below a host or a path, with their times and paths.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/timestamp.h"
#include "base/utf8.h"
#include "mcp_internal.h"

#define STOPPED 2

struct mcp_finding {
	struct cfs_mcp_call *c;
	unsigned source;
	struct cfs_paths *paths;
	struct cfs_dates dates;
	bool has_holes;
	struct cfs_buf url, last_url, path, ref;
};

static int find_path(struct mcp_finding *f, const struct cfs_iter *it)
{
	int rc = cfs_paths_find(f->paths, it);

	cfs_buf_reset(&f->path);
	cfs_buf_reset(&f->ref);
	cfs_mcp_begin_path(f->c->m, f->source, &f->path);
	if (rc == CFS_OK)
		rc = cfs_paths_add(f->paths, CFS_VIEW_RAW, &f->path);
	cfs_mcp_add_ref(&f->ref, cfs_buf_slice(&f->path));
	return rc;
}

/* Makes the line and the object of a capture. */
static void fill_item(struct mcp_finding *f, const struct cfs_capture *cap)
{
	struct cfs_json *j = cfs_mcp_item_begin(f->c);
	struct cfs_buf *line = &f->c->line;
	char when[CFS_TIME_ISO_BYTES] = "unknown time";

	cfs_json_put_str(j, "path", cfs_buf_slice(&f->ref));
	cfs_json_put_str(j, "url", cfs_buf_slice(&f->url));
	if (cap->time != 0) {
		cfs_json_put_time(j, "time", cap->time);
		cfs_time_format_iso(cap->time, when);
	}
	if (cap->status != 0)
		cfs_json_put_uint(j, "status", cap->status);
	cfs_json_put_str(j, "mime", cap->mime);
	cfs_json_put_uint(j, "bytes", cap->loc.length);
	cfs_buf_addf(line, "%s %u ", when, cap->status);
	cfs_mcp_show(line, cap->mime, CFS_MCP_URL_CHARS);
	cfs_buf_addc(line, ' ');
	cfs_buf_add(line, cfs_buf_slice(&f->ref));
	if (!cfs_slice_eq(cfs_buf_slice(&f->url),
			  cfs_buf_slice(&f->last_url))) {
		cfs_buf_addc(line, ' ');
		cfs_buf_add(line, cfs_buf_slice(&f->url));
	}
}

/* As cfs_target_fn. */
static int on_capture(void *arg, const struct cfs_iter *it,
		      const struct cfs_capture *cap)
{
	struct mcp_finding *f = arg;
	int rc;

	if (!cfs_dates_have(&f->dates, cap->time) || cfs_mcp_item_skips(f->c))
		return CFS_OK;
	rc = find_path(f, it);
	if (rc == CFS_EFORMAT) {	/* damage beside it: no path is sure */
		cfs_error_clear(f->c->ctx.err);
		rc = CFS_OK;
	}
	if (rc != CFS_OK)
		return rc;
	cfs_buf_reset(&f->url);
	cfs_buf_reset(&f->path);
	cfs_index_key_url(it->ix, it->key, cap, &f->path);
	cfs_utf8_add_percent(&f->url, cfs_buf_slice(&f->path), ' ');
	fill_item(f, cap);
	if (!cfs_mcp_item_end(f->c))
		return STOPPED;
	cfs_buf_reset(&f->last_url);
	cfs_buf_add(&f->last_url, cfs_buf_slice(&f->url));
	return CFS_OK;
}

/* CFS_ENOTFOUND, also if there are some: the next crawl may have more. */
static int find_captures(struct cfs_mcp_call *c, unsigned source,
			 const struct cfs_target *t, void *arg)
{
	struct mcp_finding *f = arg;
	struct cfs_holes holes;
	int rc = cfs_paths_begin(&f->paths, t->crawl, 1u << CFS_VIEW_RAW,
				 c->ctx);

	f->source = source;
	cfs_holes_init(&holes);
	holes.all = &t->crawl->holes;
	if (rc == CFS_OK)
		rc = cfs_target_each(t, &holes, on_capture, f, c->ctx);
	cfs_paths_end(f->paths);
	f->has_holes |= cfs_holes_count(&holes) > 0;
	cfs_holes_release(&holes);
	return rc != CFS_OK ? rc :
	       cfs_error_set(c->ctx.err, CFS_ENOTFOUND, "'%.200s' is not in "
			     "the index%s", t->text,
			     cfs_crawl_pick_suffix(t->crawl));
}

static int find_all(struct mcp_finding *f)
{
	struct cfs_mcp_call *c = f->c;
	int rc = cfs_mcp_cursor(c, &c->skip);

	if (rc == CFS_OK)
		rc = cfs_mcp_dates(c, &f->dates);
	if (rc != CFS_OK)
		return rc;
	cfs_mcp_say(c, "[time, status, type, path, and the URL where it is "
		    "another one]\n");
	cfs_json_begin(&c->j, "captures", '[');
	rc = cfs_mcp_with(c, CFS_MCP_PATH, find_captures, f);
	cfs_json_close(&c->j, ']');
	if (rc == STOPPED ||
	    (rc == CFS_ENOTFOUND &&
	     (c->skipped + c->items > 0 || f->has_holes))) {
		cfs_error_clear(c->ctx.err);
		rc = CFS_OK;
	}
	if (rc == CFS_OK && f->has_holes) {
		cfs_mcp_say(c, "[captures may be missing: the index is "
			    "damaged]\n");
		cfs_json_put_true(&c->j, "is_incomplete");
	}
	cfs_mcp_more_items(c, "more captures are left");
	return rc;
}

int cfs_mcp_captures(struct cfs_mcp_call *c)
{
	struct mcp_finding f = { .c = c };
	int rc;

	cfs_buf_init(&f.url, 4 * (size_t)CFS_KEY_MAX);
	cfs_buf_init(&f.last_url, 4 * (size_t)CFS_KEY_MAX);
	cfs_buf_init(&f.path, 5 * (size_t)CFS_KEY_MAX);
	cfs_buf_init(&f.ref, 15 * (size_t)CFS_KEY_MAX);
	rc = find_all(&f);
	cfs_buf_release(&f.url);
	cfs_buf_release(&f.last_url);
	cfs_buf_release(&f.path);
	cfs_buf_release(&f.ref);
	return rc;
}
