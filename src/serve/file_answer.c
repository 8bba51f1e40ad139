/* file_answer.c - answers with the bytes of a file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "file_answer.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/ascii.h"
#include "crawl/content.h"
#include "crawl/ino.h"
#include "crawl/readahead.h"
#include "memento.h"

/* The longest media type that is passed on. */
#define TYPE_MAX 255u
#define TYPE_UNKNOWN "application/octet-stream"

/* A record up to this length is read at once by the thread that has the
 * request; longer ones are left to others. */
#define QUICK_BYTES ((uint64_t)1 << 20)

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

bool cfs_file_known_type(struct cfs_crawl *c, const struct cfs_node *file,
			 const struct cfs_entry *e, struct cfs_buf *out)
{
	return add_view_type(c, file, e, out) != CFS_ENOTFOUND;
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

void cfs_file_type(struct cfs_crawl *c, const struct cfs_node *file,
		   const struct cfs_entry *e, const struct cfs_file_bytes *b,
		   struct cfs_buf *out)
{
	struct cfs_slice type;

	if (add_view_type(c, file, e, out) != CFS_ENOTFOUND)
		return;
	type = page_type(e, b);
	cfs_buf_add(out, is_type(type) ? type : CFS_SLICE_LIT(TYPE_UNKNOWN));
}

/* True for the type of sound or film, and of nothing else that a browser might
 * take it for. */
static bool is_media(struct cfs_slice type)
{
	/* behind a comma, browsers find another type */
	return cfs_slice_find(type, ',') < 0 &&
	       (cfs_slice_starts_nocase(type, CFS_SLICE_LIT("audio/")) ||
		cfs_slice_starts_nocase(type, CFS_SLICE_LIT("video/")));
}

/* Adds the fields that all files have.  True: the conditions are the answer. */
static bool file_is_answered(struct cfs_exchange *x,
			     const struct cfs_validators *v)
{
	bool is_answered = cfs_reply_condition(x, v);

	cfs_reply_header(x, "Cache-Control", CFS_SLICE_LIT("no-cache"));
	cfs_reply_header(x, "Accept-Ranges", CFS_SLICE_LIT("bytes"));
	return is_answered;
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

/* A file that is to be loaded for a request: it comes with the handle. */
struct file_loading {
	struct cfs_exchange *x;
	const struct cfs_site_place *p;
	struct cfs_entry *e;
};

static int load_bytes(void *arg, struct cfs_handle *h, struct cfs_ctx ctx)
{
	const struct file_loading *in = arg;
	const struct cfs_site_place *p = in->p;
	struct cfs_readahead *ahead = in->x->site->ahead[p->node.source];
	const struct cfs_view_opts *opts = &p->crawl->view;
	int rc;

	/* at once, a file is noted when it could be loaded */
	if ((h->is_ready || !in->x->at_once) &&
	    cfs_readahead_take(ahead, h, 0, &p->node))
		return CFS_OK;
	if (in->x->may_take_long)
		return cfs_content_load(p->crawl, &p->node, opts, &h->content,
					ctx);
	if (!in->x->at_once && in->e->cap.loc.length > QUICK_BYTES)
		return CFS_CONTENT_TAKES_LONG;
	if (!in->x->at_once)
		return cfs_content_load_quickly(p->crawl, &p->node, opts,
						&h->content, ctx);
	rc = cfs_content_load_at_once(p->crawl, in->e, p->node.view, opts,
				      &h->content, ctx);
	if (rc == CFS_OK && ahead != NULL)
		cfs_readahead_note(ahead, 0, &p->node, false);
	/* for this thread; it need not take others long */
	return rc == CFS_CONTENT_TAKES_LONG ? CFS_EINTR : rc;
}

static int load(struct cfs_exchange *x, const struct cfs_site_place *p,
		struct cfs_entry *e, struct cfs_file_bytes *b,
		struct cfs_ctx ctx)
{
	struct cfs_handle *h = cfs_handles_open(x->site->handles,
						cfs_ino_of(&p->node));
	int rc;

	if (h == NULL)
		return cfs_error_nomem(ctx.err);
	rc = cfs_handle_load(h, !x->may_take_long, load_bytes,
			     &(struct file_loading){ x, p, e }, ctx);
	if (rc == CFS_OK)
		cfs_handle_share(h, b);
	else
		cfs_handles_close(x->site->handles, h);
	if (rc == CFS_OK && x->at_once && cfs_file_bytes_are_spilled(b))
		return CFS_EINTR;	/* the disk would be waited for */
	return rc == CFS_CONTENT_TAKES_LONG ? CFS_ROUTE_TAKES_LONG : rc;
}

static int answer_bytes(struct cfs_exchange *x, const struct cfs_site_place *p,
			const struct cfs_validators *v,
			const struct cfs_entry *e, struct cfs_file_bytes *b,
			struct cfs_error *err)
{
	uint64_t from, bytes;
	CFS_BUF(type, TYPE_MAX);
	unsigned status = cfs_file_range(x, v, cfs_file_bytes_size(b), &from,
					 &bytes);

	if (status == 416)
		return CFS_OK;
	x->is_cut = from + bytes > b->bytes.n;
	if (x->is_cut && !x->takes_cut)
		return cfs_content_cut_off(p->crawl, &p->node, b, err);
	if (x->is_cut)
		bytes = from < b->bytes.n ? b->bytes.n - from : 0;
	if (!b->is_cut_off)
		cfs_kept_sizes_note(p->crawl, &p->node, b->bytes.n);
	cfs_file_type(p->crawl, &p->node, e, b, &type);
	if (cfs_slice_eq(cfs_buf_slice(&type), CFS_SLICE_LIT("message/http")) &&
	    cfs_exchange_is_browser(x)) {	/* which would save it */
		cfs_buf_reset(&type);
		cfs_buf_adds(&type, "text/plain");
	}
	cfs_reply_header(x, "Content-Type", cfs_buf_slice(&type));
	x->policy = CFS_POLICY_ARCHIVED;
	if (is_media(cfs_buf_slice(&type)))
		x->policy = CFS_POLICY_MEDIA;
	return cfs_reply_file(x, status, b, from, bytes);
}

/* The length of the file that the client has, if it is known. */
static void tell_known_size(struct cfs_exchange *x,
			    const struct cfs_site_place *p, struct cfs_ctx ctx)
{
	struct cfs_file_info info;

	if (x->status == 304 &&
	    cfs_file_info_get(p->crawl, &p->node, &info,
			      CFS_CTX(ctx.cancel, NULL)) == CFS_OK &&
	    (info.size_kind == CFS_SIZE_EXACT ||
	     cfs_kept_sizes_size(p->crawl, &p->node, &info.size)))
		cfs_reply_known(x, info.size);
}

/* Loads the file, unless the conditions of the request are the answer:
 * *done. */
static int load_wanted(struct cfs_exchange *x, const struct cfs_site_place *p,
		       struct cfs_entry *e, struct cfs_validators *v,
		       struct cfs_file_bytes *b, bool *done, struct cfs_ctx ctx)
{
	int rc;

	cfs_file_validators(p->crawl, &p->node, e, NULL, v, ctx);
	*done = v->tag[0] != '\0' && file_is_answered(x, v);
	if (*done) {
		tell_known_size(x, p, ctx);
		return CFS_OK;
	}
	rc = load(x, p, e, b, ctx);
	/* the page is there: what is missing is its archive */
	if (rc == CFS_ENOTFOUND && ctx.err->where[0] != '\0')
		rc = CFS_EIO;
	if (rc != CFS_OK || v->tag[0] != '\0')
		return rc;
	cfs_file_validators(p->crawl, &p->node, e, b, v, ctx);
	*done = file_is_answered(x, v);
	if (*done && x->status == 304)
		cfs_reply_known(x, cfs_file_bytes_size(b));
	return CFS_OK;
}

int cfs_file_answer(struct cfs_exchange *x, const struct cfs_site_place *p,
		    struct cfs_ctx ctx)
{
	struct cfs_entry *e = cfs_entry_new(ctx.err);
	struct cfs_file_bytes b = { .bytes = CFS_SLICE_EMPTY };
	struct cfs_validators v;
	bool done = false;
	int rc;

	if (e == NULL)
		return CFS_ENOMEM;
	rc = cfs_entry_load(p->crawl, p->node.pos, e, ctx);
	if (rc == CFS_OK)
		rc = load_wanted(x, p, e, &v, &b, &done, ctx);
	if (rc == CFS_OK && !done)
		rc = answer_bytes(x, p, &v, e, &b, ctx.err);
	if (rc == CFS_OK && p->node.view == CFS_VIEW_RAW && x->status < 400)
		rc = cfs_memento_describe(x, p->crawl, e);
	cfs_file_bytes_release(&b);
	cfs_entry_free(e);
	return rc;
}

static bool has_conditions(const struct cfs_exchange *x)
{
	return x->fields[CFS_FIELD_IF_MATCH].n > 0 ||
	       x->fields[CFS_FIELD_IF_NONE_MATCH].n > 0 ||
	       x->fields[CFS_FIELD_IF_UNMODIFIED_SINCE].n > 0;
}

int cfs_file_condition(struct cfs_exchange *x, const struct cfs_site_place *p,
		       struct cfs_ctx ctx)
{
	struct cfs_entry *e;
	struct cfs_file_bytes b = { .bytes = CFS_SLICE_EMPTY };
	struct cfs_validators v;
	int rc;

	if (!has_conditions(x))
		return CFS_OK;
	e = cfs_entry_new(ctx.err);
	if (e == NULL)
		return CFS_ENOMEM;
	rc = cfs_entry_load(p->crawl, p->node.pos, e, ctx);
	if (rc == CFS_OK)
		cfs_file_validators(p->crawl, &p->node, e, NULL, &v, ctx);
	if (rc == CFS_OK && v.tag[0] == '\0') {
		rc = load(x, p, e, &b, ctx);
		if (rc == CFS_OK)
			cfs_file_validators(p->crawl, &p->node, e, &b, &v, ctx);
	}
	if (rc == CFS_OK)
		cfs_reply_condition(x, &v);
	cfs_file_bytes_release(&b);
	cfs_entry_free(e);
	return rc;
}
