/* file_answer.c - answers with the bytes of a file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "file_answer.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/ascii.h"
#include "base/hash.h"
#include "crawl/content.h"
#include "crawl/file_info.h"
#include "crawl/readahead.h"

/* The longest media type that is passed on. */
#define TYPE_MAX 255u
#define TYPE_UNKNOWN "application/octet-stream"

/* A record up to this length is read at once by the thread that has the
 * request; longer ones are left to others. */
#define QUICK_BYTES ((uint64_t)1 << 20)

/* "0123456789abcdef" with its quotes; printf(3) takes longer than all the rest
 * of the validators. */
static void write_tag(uint64_t hash, char tag[19])
{
	static const char digits[] = "0123456789abcdef";

	tag[0] = tag[17] = '"';
	tag[18] = '\0';
	for (unsigned i = 0; i < 16; i++)
		tag[1 + i] = digits[hash >> (60 - 4 * i) & 15];
}

void cfs_file_validators(struct cfs_crawl *c, const struct cfs_node *file,
			 const struct cfs_entry *e, struct cfs_validators *out)
{
	const struct cfs_span *loc = &e->cap.loc;
	uint64_t version = cfs_view_row(file->view)->render == NULL ? 0 :
			   (uint64_t)cfs_view_version() << 1 |
			   c->view.meta_compact;
	const uint64_t parts[] = {
		cfs_hash64(cfs_buf_slice(&e->archive), 0), loc->offset,
		loc->length, loc->inner_offset, (uint64_t)e->cap.time,
		(uint64_t)file->view, version,
	};

	write_tag(cfs_hash64(cfs_slice_of(parts, sizeof(parts)), 1), out->tag);
	out->time = e->cap.time;
}

/* Appends the media type of a view that is not the page itself.  0, or
 * CFS_ENOTFOUND if it depends on the record. */
static int add_view_type(struct cfs_crawl *c, const struct cfs_node *file,
			 const struct cfs_entry *e, struct cfs_buf *out)
{
	const struct cfs_view_row *row = cfs_view_row(file->view);
	struct cfs_suffix suffix;

	if (cfs_entry_suffix(c, &e->cap, file->view, &suffix, NULL) != CFS_OK ||
	    row->forms[suffix.form].type == NULL)
		return CFS_ENOTFOUND;
	cfs_buf_adds(out, row->forms[suffix.form].type);
	if (row->charset != NULL)
		cfs_buf_addf(out, "; charset=%s", row->charset);
	return out->failed;
}

/* Is it TYPE/SUBTYPE, with or without parameters, in characters that are
 * harmless in a field? */
static bool is_type(struct cfs_slice s)
{
	size_t slashes = 0;

	for (size_t i = 0; i < s.n && s.p[i] != ';'; i++) {
		if (s.p[i] == '/')
			slashes++;
		else if (!cfs_is_alnum(s.p[i]) && s.p[i] != '-' &&
			 s.p[i] != '+' && s.p[i] != '.' && s.p[i] != '_')
			return false;
	}
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < ' ' || s.p[i] >= 127)
			return false;
	return slashes == 1 && s.n <= TYPE_MAX;
}

void cfs_file_known_type(struct cfs_crawl *c, const struct cfs_node *file,
			 const struct cfs_entry *e, struct cfs_buf *out)
{
	if (add_view_type(c, file, e, out) != CFS_ENOTFOUND)
		return;
	cfs_buf_add(out, is_type(e->cap.mime) ? e->cap.mime :
		    CFS_SLICE_LIT(TYPE_UNKNOWN));
}

/* The type of the page itself, as its record declares it. */
static struct cfs_slice page_type(const struct cfs_entry *e,
				  const struct cfs_file_bytes *b)
{
	const struct cfs_stored *stored = b->body != NULL ? b->body : b->record;
	struct cfs_slice type = CFS_SLICE_EMPTY;

	if (stored != NULL) {
		const struct cfs_record *r = cfs_stored_record(stored);

		type = cfs_fields_get(&r->http, "Content-Type", NULL);
		if (type.n == 0)
			type = r->mime;
	}
	if (type.n == 0)
		type = e->cap.mime;
	return cfs_slice_trim(type);
}

static void add_type(struct cfs_exchange *x, struct cfs_crawl *c,
		     const struct cfs_node *file, const struct cfs_entry *e,
		     const struct cfs_file_bytes *b)
{
	struct cfs_slice type;
	struct cfs_buf own;

	cfs_buf_init(&own, TYPE_MAX);
	if (add_view_type(c, file, e, &own) == CFS_OK)
		type = cfs_buf_slice(&own);
	else
		type = page_type(e, b);
	cfs_reply_header(x, "Content-Type", is_type(type) ? type :
					    CFS_SLICE_LIT(TYPE_UNKNOWN));
	cfs_buf_release(&own);
}

/* Adds the fields that all files have, and answers 304 if the client has the
 * file already: then true. */
static bool has_not_changed(struct cfs_exchange *x,
			    const struct cfs_validators *v)
{
	char date[CFS_HTTP_DATE_BYTES];

	cfs_reply_header(x, "ETag", cfs_slice_str(v->tag));
	if (v->time != 0)
		cfs_reply_header(x, "Last-Modified",
				 cfs_slice_str(cfs_http_date(v->time, date)));
	cfs_reply_header(x, "Cache-Control", CFS_SLICE_LIT("no-cache"));
	cfs_reply_header(x, "Accept-Ranges", CFS_SLICE_LIT("bytes"));
	if (!cfs_is_unmodified(v, x->fields[CFS_FIELD_IF_NONE_MATCH],
			       x->fields[CFS_FIELD_IF_MODIFIED_SINCE]))
		return false;
	x->status = 304;
	return true;
}

unsigned cfs_file_range(struct cfs_exchange *x, const struct cfs_validators *v,
			uint64_t size, uint64_t *from, uint64_t *bytes)
{
	struct cfs_slice range = x->fields[CFS_FIELD_RANGE];
	char text[80];

	*from = 0;
	*bytes = size;
	if (!cfs_range_counts(v, x->fields[CFS_FIELD_IF_RANGE]))
		return 200;
	switch (cfs_range_read(range, size, from, bytes)) {
	case CFS_RANGE_PART:
		snprintf(text, sizeof(text),
			 "bytes %" PRIu64 "-%" PRIu64 "/%" PRIu64, *from,
			 *from + *bytes - 1, size);
		cfs_reply_header(x, "Content-Range", cfs_slice_str(text));
		return 206;
	case CFS_RANGE_OUTSIDE:
		snprintf(text, sizeof(text), "bytes */%" PRIu64, size);
		cfs_reply_header(x, "Content-Range", cfs_slice_str(text));
		cfs_reply_message(x, 416, "the file has %" PRIu64 " bytes",
				  size);
		return 416;
	default:
		return 200;
	}
}

static int load(struct cfs_exchange *x, const struct cfs_site_place *p,
		struct cfs_entry *e, struct cfs_file_bytes *b,
		struct cfs_ctx ctx)
{
	struct cfs_readahead *ahead = x->site->ahead[p->node.source];
	int rc;

	if (x->at_once) {
		rc = cfs_content_load_at_once(p->crawl, e, p->node.view,
					      &p->crawl->view, b, ctx);
		if (rc == CFS_OK && ahead != NULL)
			cfs_readahead_note(ahead, p->node.pos, p->node.view);
		return rc == CFS_CONTENT_TAKES_LONG ? CFS_ROUTE_TAKES_LONG : rc;
	}
	if (ahead != NULL)
		cfs_readahead_note(ahead, p->node.pos, p->node.view);
	if (x->may_take_long)
		return cfs_content_load(p->crawl, &p->node, &p->crawl->view, b,
					ctx);
	if (e->cap.loc.length > QUICK_BYTES)
		return CFS_ROUTE_TAKES_LONG;
	rc = cfs_content_load_quickly(p->crawl, &p->node, &p->crawl->view, b,
				      ctx);
	return rc == CFS_CONTENT_TAKES_LONG ? CFS_ROUTE_TAKES_LONG : rc;
}

static int answer_bytes(struct cfs_exchange *x, const struct cfs_site_place *p,
			const struct cfs_validators *v,
			const struct cfs_entry *e, struct cfs_file_bytes *b,
			struct cfs_error *err)
{
	uint64_t from, bytes;
	unsigned status = cfs_file_range(x, v, cfs_file_bytes_size(b), &from,
					 &bytes);

	if (status == 416)
		return CFS_OK;
	if (from + bytes > b->bytes.n)
		return cfs_content_cut_off(p->crawl, &p->node, b, err);
	if (!b->is_cut_off)
		cfs_kept_sizes_note(p->crawl, &p->node, b->bytes.n);
	add_type(x, p->crawl, &p->node, e, b);
	x->is_archived = true;
	return cfs_reply_file(x, status, b, from, bytes);
}

int cfs_file_answer(struct cfs_exchange *x, const struct cfs_site_place *p,
		    struct cfs_ctx ctx)
{
	struct cfs_entry *e = cfs_entry_new(ctx.err);
	struct cfs_file_bytes b = { .bytes = CFS_SLICE_EMPTY };
	struct cfs_validators v;
	int rc;

	if (e == NULL)
		return CFS_ENOMEM;
	rc = cfs_entry_load(p->crawl, p->node.pos, e, ctx);
	if (rc == CFS_OK)
		cfs_file_validators(p->crawl, &p->node, e, &v);
	if (rc == CFS_OK && !has_not_changed(x, &v)) {
		rc = load(x, p, e, &b, ctx);
		/* the page is there: what is missing is its archive */
		if (rc == CFS_ENOTFOUND && ctx.err->where[0] != '\0')
			rc = CFS_EIO;
		if (rc == CFS_OK) {
			rc = answer_bytes(x, p, &v, e, &b, ctx.err);
			cfs_file_bytes_release(&b);
		}
	}
	cfs_entry_free(e);
	return rc;
}
