/* mcp_place.c - what the arguments of tools mean: crawls, folders and files.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <string.h>

#include "base/hex.h"
#include "base/text.h"
#include "base/timestamp.h"
#include "base/utf8.h"
#include "mcp_internal.h"

#define URI CFS_SLICE_LIT("crawlfs:")
#define PATH_MAX_BYTES (4 * (size_t)CFS_KEY_MAX)

/* ---- paths --------------------------------------------------------------- */

static bool can_be_shown(struct cfs_slice s)
{
	uint32_t c;

	while (s.n > 0) {
		size_t n = cfs_utf8_decode(s, &c);

		if (n == 0 || cfs_text_is_unshowable(c))
			return false;
		s = cfs_slice_from(s, n);
	}
	return true;
}

void cfs_mcp_add_ref(struct cfs_buf *out, struct cfs_slice path)
{
	if (can_be_shown(path) && !cfs_slice_starts(path, URI)) {
		cfs_buf_add(out, path);
		return;
	}
	cfs_buf_adds(out, "crawlfs:///");
	cfs_percent_encode(path, "/-._~", out);
}

void cfs_mcp_begin_path(const struct cfs_mcp *m, unsigned source,
			struct cfs_buf *out)
{
	if (m->n > 1) {
		cfs_buf_adds(out, m->names[source]);
		cfs_buf_addc(out, '/');
	}
}

/* Appends the path of a node, with the name of its crawl, in that form. */
static int add_path(struct cfs_mcp_call *c, unsigned source,
		    const struct cfs_node *node, struct cfs_buf *out)
{
	CFS_BUF(path, PATH_MAX_BYTES);
	int rc;

	cfs_mcp_begin_path(c->m, source, &path);
	rc = cfs_tree_path(c->m->crawls[source], node, &path, c->ctx);
	cfs_mcp_add_ref(out, cfs_buf_slice(&path));
	return rc;
}

/* ---- arguments ----------------------------------------------------------- */

struct with {
	struct cfs_mcp_call *c;
	unsigned source;
	cfs_mcp_target_fn *fn;
	void *arg;
};

static int with_target(void *arg, const struct cfs_target *t,
		       struct cfs_ctx ctx)
{
	struct with *w = arg;
	struct cfs_ctx before = w->c->ctx;
	int rc;

	w->c->ctx = ctx;
	rc = w->fn(w->c, w->source, t, w->arg);
	w->c->ctx = before;
	return rc;
}

/* Decodes a URI of the tree: the path that it names. */
static int decode_uri(struct cfs_slice uri, struct cfs_buf *out)
{
	uri = cfs_slice_from(uri, URI.n);
	while (uri.n > 0 && uri.p[0] == '/')
		uri = cfs_slice_from(uri, 1);
	cfs_buf_addc(out, '/');
	return cfs_percent_decode(uri, false, out);
}

/* Takes the name of a crawl off the front of a path.  False: it is none. */
static bool take_name(const struct cfs_mcp *m, const char **text,
		      unsigned *source)
{
	const char *s = *text;

	while (*s == '/')
		s++;
	for (unsigned i = 0; m->n > 1 && i < m->n; i++) {
		size_t n = strlen(m->names[i]);

		if (strncmp(s, m->names[i], n) != 0 ||
		    (s[n] != '\0' && s[n] != '/'))
			continue;
		*source = i;
		*text = s + n + (s[n] == '/');
		return true;
	}
	return false;
}

/* Asks each crawl, until one has it.  The first failure is the one to tell. */
static int with_each(struct with *w, const char *text)
{
	struct cfs_mcp_call *c = w->c;
	struct cfs_error first = CFS_ERROR_INIT;
	int rc = CFS_ENOTFOUND;

	for (w->source = 0; w->source < c->m->n && rc == CFS_ENOTFOUND;
	     w->source++) {
		struct cfs_error own = CFS_ERROR_INIT;

		rc = cfs_target_with(c->m->crawls[w->source], text,
				     with_target, w,
				     CFS_CTX(c->ctx.cancel, &own));
		if (w->source == 0 || rc != CFS_ENOTFOUND)
			first = own;
	}
	return cfs_error_pass(c->ctx.err, &first, rc);
}

int cfs_mcp_with(struct cfs_mcp_call *c, enum cfs_mcp_arg a,
		 cfs_mcp_target_fn *fn, void *arg)
{
	struct with w = { .c = c, .fn = fn, .arg = arg };
	CFS_BUF(path, 4 * CFS_URL_MAX);
	/* first, since this may move the bytes */
	const char *text = cfs_mcp_text(c, a);
	struct cfs_slice typed = cfs_buf_slice(&c->args[a].text);
	int rc = CFS_OK;

	if (cfs_slice_starts(typed, URI)) {
		rc = decode_uri(typed, &path);
		text = cfs_buf_str(&path);
		typed = cfs_buf_slice(&path);
	}
	if (rc != CFS_OK || typed.n > 4 * CFS_URL_MAX ||
	    cfs_slice_find(typed, '\0') >= 0)
		rc = cfs_error_set(c->ctx.err, CFS_EUSAGE, "a path or URL is "
				   "too long, or holds a NUL");
	else if (take_name(c->m, &text, &w.source))
		rc = cfs_target_with(c->m->crawls[w.source], text, with_target,
				     &w, c->ctx);
	else
		rc = with_each(&w, text);
	return rc;
}

bool cfs_mcp_is_top(struct cfs_mcp_call *c, enum cfs_mcp_arg a)
{
	const char *s = cfs_mcp_text(c, a);

	if (strncmp(s, "crawlfs:", URI.n) == 0)
		s += URI.n;
	return c->m->n > 1 && s[strspn(s, "/")] == '\0';
}

/* ---- files --------------------------------------------------------------- */

void cfs_mcp_file_init(struct cfs_mcp_file *f)
{
	*f = (struct cfs_mcp_file){ .entry = NULL };
	cfs_buf_init(&f->url, 2 * CFS_KEY_MAX + 64);
	cfs_buf_init(&f->path, 3 * PATH_MAX_BYTES);
}

void cfs_mcp_file_release(struct cfs_mcp_file *f)
{
	cfs_entry_free(f->entry);
	cfs_buf_release(&f->url);
	cfs_buf_release(&f->path);
}

/* Chooses the view: the one asked for, the one that the path names, or the
 * text. */
static int choose_view(struct cfs_mcp_call *c, struct cfs_node *node)
{
	const struct cfs_mcp_value *v = &c->args[CFS_MCP_VIEW];

	if (node->view == CFS_VIEW_RAW)
		node->view = CFS_VIEW_TEXT;
	if (!v->is_given)
		return CFS_OK;
	node->view = cfs_view_by_name(cfs_buf_slice(&v->text));
	if (node->view != CFS_VIEW_NONE && node->view != CFS_VIEW_URL)
		return CFS_OK;
	return cfs_error_set(c->ctx.err, CFS_EUSAGE, "view: '%.40s' is none of "
			     "txt, md, main, meta, headers, raw, request, "
			     "metadata", cfs_mcp_text(c, CFS_MCP_VIEW));
}

static int choose_capture(struct cfs_mcp_call *c, struct cfs_crawl *crawl,
			  struct cfs_node *node)
{
	struct cfs_mcp_value *v = &c->args[CFS_MCP_TIME];
	int64_t first, last;

	if (!v->is_given)
		return CFS_OK;
	if (cfs_time_parse_span(cfs_buf_slice(&v->text), &first, &last) !=
	    CFS_OK)
		return cfs_error_set(c->ctx.err, CFS_EUSAGE, "time: '%.40s' is "
				     CFS_DATES_REFUSAL, cfs_buf_str(&v->text));
	return cfs_tree_nearest(crawl, node, first, c->ctx);
}

static int find_file(struct cfs_mcp_call *c, unsigned source,
		     const struct cfs_target *t, void *arg)
{
	struct cfs_mcp_file *f = arg;
	int rc = cfs_target_file(t, &f->node, c->ctx);

	f->source = source;
	f->crawl = t->crawl;
	if (rc == CFS_OK)
		rc = choose_view(c, &f->node);
	if (rc == CFS_OK)
		rc = choose_capture(c, f->crawl, &f->node);
	return rc;
}

int cfs_mcp_file_load(struct cfs_mcp_call *c, struct cfs_mcp_file *f)
{
	int rc;

	f->entry = cfs_entry_new(c->ctx.err);
	if (f->entry == NULL)
		return CFS_ENOMEM;
	rc = cfs_entry_load(f->crawl, f->node.pos, f->entry, c->ctx);
	if (rc == CFS_OK)
		rc = add_path(c, f->source, &f->node, &f->path);
	if (rc == CFS_OK)
		cfs_index_key_url(f->crawl->index, f->entry->it.key,
				  &f->entry->cap, &f->url);
	return rc;
}

int cfs_mcp_file_find(struct cfs_mcp_call *c, enum cfs_mcp_arg a,
		      struct cfs_mcp_file *out)
{
	int rc = cfs_mcp_with(c, a, find_file, out);

	return rc == CFS_OK ? cfs_mcp_file_load(c, out) : rc;
}

void cfs_mcp_file_put(struct cfs_json *j, const struct cfs_mcp_file *f)
{
	const struct cfs_capture *cap = &f->entry->cap;

	cfs_json_put_str(j, "path", cfs_buf_slice(&f->path));
	cfs_json_put_ascii(j, "url", cfs_buf_slice(&f->url),
			   CFS_JSON_ODD_PERCENT);
	if (cap->time != 0)
		cfs_json_put_time(j, "time", cap->time);
	if (cap->status != 0)
		cfs_json_put_uint(j, "status", cap->status);
	if (cap->mime.n > 0)
		cfs_json_put_str(j, "mime", cap->mime);
	cfs_json_put_str(j, "view", cfs_slice_str(cfs_view_name(f->node.view)));
}
