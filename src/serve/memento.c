/* memento.c - the addresses of captures, and the fields that tell of them.
 *
 * Spec: RFC 7089; the addresses are those of the Wayback Machine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "memento.h"

#include <stdio.h>
#include <string.h>

#include "base/timestamp.h"
#include "url/urlref.h"

/* The longest URL in the links of a file: servers in front of this one take a
 * header of 4 KiB (nginx, unless told otherwise), and it is in four links. */
#define LINKED_URL_MAX ((size_t)600)

void cfs_memento_add_url(struct cfs_buf *out, struct cfs_slice url)
{
	size_t begin = out->n;

	cfs_percent_encode(url, CFS_MEMENTO_KEPT, out);
	if (out->n == begin + url.n || out->failed != CFS_OK)
		return;
	/* its own escapes would be the same as those just made */
	out->n = begin;
	cfs_percent_encode(url, CFS_UNRESERVED, out);
}

void cfs_memento_address(struct cfs_buf *out, struct cfs_slice base,
			 int64_t time, struct cfs_slice flag,
			 struct cfs_slice url)
{
	char stamp[CFS_TIME_14_BYTES];

	cfs_time_format_14(time, stamp);
	cfs_buf_add(out, base);
	cfs_buf_addf(out, "/web/%s", stamp);
	cfs_buf_add(out, flag);
	cfs_buf_addc(out, '/');
	cfs_memento_add_url(out, url);
}

/* Appends a link, unless the links become too long. */
static void add_link(struct cfs_buf *links, const struct cfs_buf *target,
		     const char *rest)
{
	if (links->n + target->n + strlen(rest) + 4 > CFS_MEMENTO_LINKS_MAX)
		return;
	cfs_buf_adds(links, links->n > 0 ? ", <" : "<");
	cfs_buf_add(links, cfs_buf_slice(target));
	cfs_buf_addf(links, ">; %s", rest);
}

void cfs_memento_url_links(struct cfs_buf *links, struct cfs_slice base,
			  struct cfs_slice url)
{
	static const struct { const char *path, *rest; } others[] = {
		{ "", "rel=\"timegate\"" },
		{ "timemap/link/", "rel=\"timemap\"; "
		  "type=\"application/link-format\"" },
	};
	CFS_BUF(target, CFS_REPLY_HEAD_MAX);

	cfs_percent_encode(url, CFS_MEMENTO_KEPT, &target);
	add_link(links, &target, "rel=\"original\"");
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		cfs_buf_reset(&target);
		cfs_buf_add(&target, base);
		cfs_buf_addf(&target, "/web/%s", others[i].path);
		cfs_memento_add_url(&target, url);
		add_link(links, &target, others[i].rest);
	}
}

void cfs_memento_capture_link(struct cfs_buf *links, struct cfs_slice base,
			     const char *rel, int64_t time,
			     struct cfs_slice url)
{
	char date[CFS_HTTP_DATE_BYTES], rest[sizeof(date) + 64];
	CFS_BUF(target, CFS_REPLY_HEAD_MAX);

	cfs_memento_address(&target, base, time, CFS_SLICE_EMPTY, url);
	snprintf(rest, sizeof(rest), "rel=\"%s\"; datetime=\"%s\"", rel,
		 cfs_http_date(time, date));
	add_link(links, &target, rest);
}

int cfs_memento_reply_links(struct cfs_exchange *x, struct cfs_buf *links)
{
	int rc = links->failed;

	if (rc == CFS_OK)
		cfs_reply_header(x, "Link", cfs_buf_slice(links));
	cfs_buf_release(links);
	return rc;
}

int cfs_memento_describe(struct cfs_exchange *x, struct cfs_crawl *c,
			 const struct cfs_entry *e)
{
	char date[CFS_HTTP_DATE_BYTES];
	struct cfs_buf links;
	CFS_BUF(base, CFS_REPLY_HEAD_MAX);
	CFS_BUF(url, CFS_KEY_MAX);
	int rc = CFS_OK;

	if (e->cap.time == 0)
		return CFS_OK;
	cfs_reply_header(x, "Memento-Datetime",
			 cfs_slice_str(cfs_http_date(e->cap.time, date)));
	cfs_reply_base(x, &base);
	if (cfs_index_key_url(c->index, e->it.key, &e->cap, &url) == CFS_OK &&
	    url.n <= LINKED_URL_MAX) {
		cfs_buf_init(&links, CFS_MEMENTO_LINKS_MAX);
		cfs_memento_url_links(&links, cfs_buf_slice(&base),
			      cfs_buf_slice(&url));
		cfs_memento_capture_link(&links, cfs_buf_slice(&base), "memento",
				 e->cap.time, cfs_buf_slice(&url));
		rc = cfs_memento_reply_links(x, &links);
	}
	return rc;
}

/* The field Location of a record; empty without a record. */
static struct cfs_slice location_of(const struct cfs_stored *stored)
{
	return stored == NULL ? CFS_SLICE_EMPTY :
	       cfs_fields_get(&cfs_stored_record(stored)->http, "Location",
			      NULL);
}

bool cfs_memento_target(unsigned status, struct cfs_slice url,
			const struct cfs_file_bytes *b, struct cfs_buf *target,
			struct cfs_slice *location)
{
	struct cfs_slice to = location_of(b->record);
	struct cfs_url_base base;

	if (to.n == 0)
		to = location_of(b->body);
	*location = to;
	to.n = cfs_slice_find_any(to, 0, "#");
	return cfs_memento_is_redirect(status) && to.n > 0 &&
	       cfs_url_base_init(&base, url) &&
	       cfs_url_resolve(&base, to, target) &&
	       target->n <= CFS_MEMENTO_URL_MAX &&
	       cfs_url_is_web(cfs_buf_slice(target));
}
