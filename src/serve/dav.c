/* dav.c - the tree of the crawl by WebDAV (class 1, read-only), and its files
 * and folders for browsers: the latter as links.
 *
 * Spec: RFC 4918, 9.1, 14 and 15.  The size of each file is the one that GET
 * sends: where only an estimate is known, the file is read for it, so clients
 * that compare the two are not misled.
 *
 * A list is made while it is sent, so its length does not matter.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "dav_internal.h"

#include <stdlib.h>

#include "base/hex.h"
#include "base/timestamp.h"
#include "crawl/content.h"
#include "crawl/file_info.h"
#include "file_answer.h"
#include "folder.h"
#include "routes.h"

/* The longest element of one file: names and properties, all escaped. */
#define ELEMENT_MAX ((size_t)1 << 20)
#define PROLOG "<?xml version='1.0' encoding='utf-8'?>\n"

struct dav_listing;

/* How a list is written: its beginning, each name of a folder, its end.  begin
 * returns CFS_END if no names are wanted. */
struct list_form {
	int (*begin)(struct dav_listing *l, struct cfs_buf *out,
		     struct cfs_ctx ctx);
	int (*add)(struct dav_listing *l, const struct cfs_folder_name *name,
		   struct cfs_buf *out, struct cfs_ctx ctx);
	const char *end;
};

/* A list under way. */
struct dav_listing {
	struct cfs_steps steps;	/* the first member */
	const struct list_form *form;
	struct cfs_site *site;
	struct cfs_dav_wanted wanted;
	struct cfs_folder folder;
	bool is_folder, has_children;	/* its names are listed, too */
	struct cfs_buf href;		/* the path, with escapes; of a folder
					 * with a slash at its end */
	struct cfs_buf own_name;	/* decoded */
	bool is_begun;
};

static void listing_free(struct cfs_steps *p)
{
	struct dav_listing *l = (struct dav_listing *)p;

	cfs_dav_wanted_release(&l->wanted);
	cfs_folder_release(&l->folder);
	cfs_buf_release(&l->href);
	cfs_buf_release(&l->own_name);
	free(l);
}

/* ---- what is known of a file ------------------------------------------ */

struct facts {
	bool is_folder, names_only;
	int64_t time;			/* 0: not known */
	uint64_t size;
	bool has_size;			/* false: the file cannot be read */
	struct cfs_validators v;
	struct cfs_buf type;
};

/* Finds the exact size of a file, if it is known. */
static int find_known_size(struct cfs_crawl *c, const struct cfs_node *file,
			   struct facts *out, struct cfs_ctx ctx)
{
	struct cfs_file_info info;
	int rc = cfs_file_info_get(c, file, &info, ctx);

	if (rc != CFS_OK)
		return rc;
	out->size = info.size;
	out->has_size = info.size_kind == CFS_SIZE_EXACT ||
			cfs_kept_sizes_size(c, file, &out->size);
	return CFS_OK;
}

/* Finds by reading the file what is not known without.  One that cannot be read
 * has no size, type and tag. */
static int find_by_reading(struct cfs_crawl *c, const struct cfs_node *file,
			   const struct cfs_entry *e, struct facts *out,
			   struct cfs_ctx ctx)
{
	struct cfs_file_bytes b;
	int rc = cfs_content_load(c, file, &c->view, &b, ctx);

	if (rc != CFS_OK)
		return rc;
	if (!out->has_size) {
		out->has_size = !b.is_cut_off;
		out->size = b.bytes.n;
	}
	if (!b.is_cut_off)
		cfs_kept_sizes_note(c, file, b.bytes.n);
	if (out->type.n == 0)
		cfs_file_type(c, file, e, &b, &out->type);
	cfs_file_validators(c, file, e, &b, &out->v, ctx);
	cfs_file_bytes_release(&b);
	return CFS_OK;
}

/* Finds what is wanted of a file: `props`, of which those of `cheap` may be
 * missing. */
static int find_file_facts(struct cfs_crawl *c, const struct cfs_node *node,
			   struct cfs_entry *e, unsigned props, unsigned cheap,
			   struct facts *out, struct cfs_ctx ctx)
{
	struct cfs_error own = CFS_ERROR_INIT;
	unsigned unknown = 0;
	int rc = cfs_entry_load(c, node->pos, e, CFS_CTX(ctx.cancel, &own));

	if (rc != CFS_OK)
		return rc == CFS_EFORMAT ? CFS_OK :
		       cfs_error_pass(ctx.err, &own, rc);
	cfs_file_validators(c, node, e, NULL, &out->v, ctx);
	out->time = out->v.time;
	if (out->v.tag[0] == '\0')
		unknown |= 1u << CFS_DAV_GETETAG;
	if (!cfs_file_known_type(c, node, e, &out->type))
		unknown |= 1u << CFS_DAV_GETCONTENTTYPE;
	if (props & 1u << CFS_DAV_GETCONTENTLENGTH)
		rc = find_known_size(c, node, out, CFS_CTX(ctx.cancel, &own));
	if (!out->has_size)
		unknown |= 1u << CFS_DAV_GETCONTENTLENGTH;
	if (rc == CFS_OK && (props & unknown & ~cheap) != 0)
		rc = find_by_reading(c, node, e, out,
				     CFS_CTX(ctx.cancel, &own));
	if (rc == CFS_EINTR || rc == CFS_ENOMEM)
		return cfs_error_pass(ctx.err, &own, rc);
	return CFS_OK;
}

/* Finds what PROPFIND wants of a file.  A record that cannot be read is no
 * failure of the whole list; of a list of files whose archives are on a server,
 * these are not read for their types and tags. */
static int find_facts(const struct dav_listing *l, struct cfs_crawl *c,
		      const struct cfs_node *node, bool is_listed,
		      struct facts *out, struct cfs_ctx ctx)
{
	unsigned props = l->wanted.names_only ? 0 : l->wanted.props;
	unsigned cheap = 0;
	struct cfs_entry *e;
	int rc;

	out->is_folder = node->type == CFS_NODE_DIR;
	out->time = c->mtime;
	if (out->is_folder)
		return CFS_OK;
	if (is_listed && c->cache != NULL)
		cheap = 1u << CFS_DAV_GETCONTENTTYPE | 1u << CFS_DAV_GETETAG;
	e = cfs_entry_new(ctx.err);
	if (e == NULL)
		return CFS_ENOMEM;
	rc = find_file_facts(c, node, e, props, cheap, out, ctx);
	cfs_entry_free(e);
	return rc;
}

/* ---- elements --------------------------------------------------------- */

static bool has_prop(const struct facts *f, enum cfs_dav_prop prop)
{
	bool is_file = !f->is_folder;

	switch (prop) {
	case CFS_DAV_GETCONTENTLENGTH:
		return is_file;
	case CFS_DAV_GETCONTENTTYPE:
		return is_file && (f->names_only || f->type.n > 0);
	case CFS_DAV_GETETAG:
		return is_file && (f->names_only || f->v.tag[0] != '\0');
	case CFS_DAV_GETLASTMODIFIED:
	case CFS_DAV_CREATIONDATE:
		return f->time != 0;
	default:
		return true;
	}
}

/* Appends the value of a property. */
static void add_prop_value(const struct facts *f, enum cfs_dav_prop prop,
			   struct cfs_slice name, struct cfs_buf *out)
{
	char date[CFS_HTTP_DATE_BYTES], iso[CFS_TIME_ISO_BYTES];

	switch (prop) {
	case CFS_DAV_RESOURCETYPE:
		CFS_HTML(out, "$", CFS_HTML_IF(f->is_folder, "<D:collection/>"));
		break;
	case CFS_DAV_DISPLAYNAME:
		CFS_HTML(out, "$", cfs_dav_text(name));
		break;
	case CFS_DAV_GETLASTMODIFIED:
		CFS_HTML(out, "$", cfs_http_date(f->time, date));
		break;
	case CFS_DAV_CREATIONDATE:
		CFS_HTML(out, "$", cfs_time_format_iso(f->time, iso));
		break;
	case CFS_DAV_GETCONTENTLENGTH:
		CFS_HTML(out, "$", f->size);
		break;
	case CFS_DAV_GETCONTENTTYPE:
		CFS_HTML(out, "$", cfs_dav_text(cfs_buf_slice(&f->type)));
		break;
	case CFS_DAV_GETETAG:
		CFS_HTML(out, "$", cfs_dav_text(cfs_slice_str(f->v.tag)));
		break;
	default:
		break;
	}
}

static void add_prop(const struct dav_listing *l, const struct facts *f,
		     enum cfs_dav_prop prop, struct cfs_slice name,
		     struct cfs_buf *out)
{
	const char *tag = cfs_dav_prop_names[prop];

	if (l->wanted.names_only) {
		CFS_HTML(out, "<D:$/>", tag);
		return;
	}
	CFS_HTML(out, "<D:$>", tag);
	add_prop_value(f, prop, name, out);
	CFS_HTML(out, "</D:$>", tag);
}

static void end_propstat(const char *status, struct cfs_buf *out)
{
	CFS_HTML(out, "</D:prop><D:status>HTTP/1.1 $</D:status></D:propstat>",
		 status);
}

/* Appends the properties that were asked for and are not there. */
static void add_missing(const struct dav_listing *l, unsigned missing,
			struct cfs_buf *out)
{
	struct cfs_slice unknown = cfs_buf_slice(&l->wanted.unknown);

	if (missing == 0 && unknown.n == 0)
		return;
	CFS_HTML(out, "<D:propstat><D:prop>");
	for (unsigned i = 0; i < CFS_DAV_PROPS; i++)
		if (missing & 1u << i)
			CFS_HTML(out, "<D:$/>", cfs_dav_prop_names[i]);
	CFS_HTML(out, "$", cfs_html_made(unknown));
	end_propstat("404 Not Found", out);
}

/* Appends the element of one file or folder; `below` is its name in the folder
 * that is listed, or empty for that itself. */
static void add_response(const struct dav_listing *l, const struct facts *f,
			 struct cfs_slice below, struct cfs_buf *out)
{
	struct cfs_slice name = below.n > 0 ? below :
					      cfs_buf_slice(&l->own_name);
	unsigned missing = 0, broken = 0, known;

	CFS_HTML(out, "<D:response><D:href>$$$</D:href>",
		 cfs_dav_text(cfs_buf_slice(&l->href)), cfs_dav_href(below),
		 CFS_HTML_IF(below.n > 0 && f->is_folder, "/"));
	for (unsigned i = 0; i < CFS_DAV_PROPS; i++)
		missing |= has_prop(f, i) ? 0 : l->wanted.props & 1u << i;
	known = l->wanted.props & ~missing;
	if (!f->is_folder && !f->has_size)
		broken = known & 1u << CFS_DAV_GETCONTENTLENGTH;
	known &= ~broken;
	if (known != 0 || (missing == 0 && l->wanted.unknown.n == 0)) {
		CFS_HTML(out, "<D:propstat><D:prop>");
		for (unsigned i = 0; i < CFS_DAV_PROPS; i++)
			if (known & 1u << i)
				add_prop(l, f, i, name, out);
		end_propstat("200 OK", out);
	}
	if (broken != 0) {
		CFS_HTML(out, "<D:propstat><D:prop><D:getcontentlength/>");
		end_propstat("502 Bad Gateway", out);
	}
	add_missing(l, l->wanted.props == CFS_DAV_ALL ? 0 : missing, out);
	CFS_HTML(out, "</D:response>\n");
}

static int list_node(const struct dav_listing *l, struct cfs_crawl *c,
		     const struct cfs_node *node, struct cfs_slice below,
		     struct cfs_buf *out, struct cfs_ctx ctx)
{
	struct facts f = { .names_only = l->wanted.names_only };
	int rc;

	cfs_buf_init(&f.type, ELEMENT_MAX);
	if (l->folder.place.is_top && below.n == 0) {
		f.is_folder = true;
		f.time = l->site->started_at;
		rc = CFS_OK;
	} else {
		rc = find_facts(l, c, node, below.n > 0, &f, ctx);
		f.has_size |= l->wanted.names_only;
	}
	if (rc == CFS_OK)
		add_response(l, &f, below, out);
	cfs_buf_release(&f.type);
	return rc != CFS_OK ? rc : out->failed;
}

/* ---- steps ----------------------------------------------------------- */

static int begin_responses(struct dav_listing *l, struct cfs_buf *out,
			   struct cfs_ctx ctx)
{
	int rc;

	CFS_HTML(out, PROLOG "<D:multistatus xmlns:D='DAV:'>\n");
	rc = list_node(l, l->folder.place.crawl, &l->folder.place.node,
		       CFS_SLICE_EMPTY, out, ctx);
	return rc == CFS_OK && !l->has_children ? CFS_END : rc;
}

static int add_named_response(struct dav_listing *l,
			      const struct cfs_folder_name *name,
			      struct cfs_buf *out, struct cfs_ctx ctx)
{
	return list_node(l, cfs_folder_crawl(&l->folder, name), &name->node,
			 name->name, out, ctx);
}

static const struct list_form responses = {
	begin_responses, add_named_response, "</D:multistatus>\n"
};

static int begin_links(struct dav_listing *l, struct cfs_buf *out,
		       struct cfs_ctx ctx)
{
	struct cfs_slice name = cfs_buf_slice(&l->own_name);

	(void)ctx;
	CFS_HTML(out, "<!DOCTYPE html>\n<html lang='en'>\n"
		 "<meta charset='utf-8'>\n"
		 "<meta name='viewport' content='width=device-width'>\n"
		 "<link rel='stylesheet' href='$/style.css'>\n"
		 "<title>$</title>\n<main>\n<h1>$</h1>\n<ul>\n",
		 l->site->prefix, cfs_dav_text(name), cfs_dav_text(name));
	return out->failed;
}

static int add_link(struct dav_listing *l, const struct cfs_folder_name *name,
		    struct cfs_buf *out, struct cfs_ctx ctx)
{
	const char *slash = name->node.type == CFS_NODE_DIR ? "/" : "";

	(void)l;
	(void)ctx;
	CFS_HTML(out, "<li><a href='./$$'>$$</a>\n", cfs_dav_href(name->name),
		 slash, cfs_dav_text(name->name), slash);
	return out->failed;
}

static const struct list_form links = {
	begin_links, add_link, "</ul>\n</main>\n</html>\n"
};

static bool step_is_full(const struct cfs_buf *out, int64_t begun)
{
	return out->n >= CFS_STEP_BYTES ||
	       cfs_monotonic_ms() - begun >= CFS_STEP_MS;
}

static int more_names(struct cfs_steps *p, struct cfs_buf *out,
		      struct cfs_ctx ctx)
{
	struct dav_listing *l = (struct dav_listing *)p;
	const struct cfs_folder_name *name;
	int64_t begun = cfs_monotonic_ms();
	unsigned names = 0;
	int rc = CFS_OK;

	if (!l->is_begun)
		rc = l->form->begin(l, out, ctx);
	l->is_begun = true;
	while (rc == CFS_OK && !step_is_full(out, begun)) {
		rc = cfs_folder_next(&l->folder, &name, ctx);
		if (rc == CFS_OK)
			rc = l->form->add(l, name, out, ctx);
		names += rc == CFS_OK;
	}
	if (rc == CFS_END)
		cfs_buf_adds(out, l->form->end);
	/* names are sent before damage, which the next step meets again,
	 * breaks the answer off */
	if (rc != CFS_EFORMAT || names == 0)
		return rc;
	cfs_error_clear(ctx.err);
	return CFS_OK;
}

/* ---- answers ---------------------------------------------------------- */

/* The last name of a path, decoded; the name of the tree's root is "/". */
static void find_own_name(struct dav_listing *l, struct cfs_slice path)
{
	if (path.n > 0 && path.p[path.n - 1] == '/')
		path.n--;
	cfs_percent_decode(cfs_slice_last_part(path), false, &l->own_name);
	if (l->own_name.n == 0)
		cfs_buf_addc(&l->own_name, '/');
}

static struct dav_listing *listing_new(struct cfs_exchange *x,
				       const struct cfs_site_place *p,
				       const struct list_form *form,
				       struct cfs_error *err)
{
	struct dav_listing *l = calloc(1, sizeof(*l));

	if (l == NULL) {
		cfs_error_set_nomem(err);
		return NULL;
	}
	l->steps.more = more_names;
	l->steps.free = listing_free;
	l->form = form;
	l->site = x->site;
	l->is_folder = p->is_top || p->node.type == CFS_NODE_DIR;
	cfs_folder_init(&l->folder, x->site, p, x->site->views);
	cfs_buf_init(&l->href, ELEMENT_MAX);
	cfs_buf_init(&l->own_name, ELEMENT_MAX);
	cfs_buf_init(&l->wanted.unknown, CFS_DAV_UNKNOWN_MAX);
	cfs_buf_adds(&l->href, x->site->prefix);
	cfs_buf_add(&l->href, x->path);
	if (l->is_folder && !p->has_slash)
		cfs_buf_addc(&l->href, '/');
	find_own_name(l, x->rest);
	return l;
}

/* Answers with properties; takes over *wanted.  depth is 0 or 1. */
static int list_props(struct cfs_exchange *x, const struct cfs_site_place *p,
		      struct cfs_dav_wanted *wanted, unsigned depth,
		      struct cfs_ctx ctx)
{
	struct dav_listing *l = listing_new(x, p, &responses, ctx.err);

	if (l == NULL)
		return CFS_ENOMEM;
	cfs_buf_release(&l->wanted.unknown);
	l->wanted = *wanted;
	*wanted = (struct cfs_dav_wanted){ .props = 0 };
	l->has_children = l->is_folder && depth > 0;
	/* finding unknown sizes takes as long as reading the files */
	l->steps.takes_long = !p->is_top && l->has_children &&
		(p->crawl->cache == NULL ||
		 !cfs_file_sizes_are_exact(p->crawl, x->site->views));
	return cfs_reply_steps(x, 207, "application/xml; charset=utf-8",
				&l->steps);
}

static int list_links(struct cfs_exchange *x, const struct cfs_site_place *p,
		      struct cfs_ctx ctx)
{
	struct dav_listing *l = listing_new(x, p, &links, ctx.err);

	if (l == NULL)
		return CFS_ENOMEM;
	return cfs_reply_steps(x, 200, "text/html; charset=utf-8", &l->steps);
}

/* ---- requests --------------------------------------------------------- */

/* Sends a client that left out the slash of a folder to the path with it, since
 * the links of the folder are relative. */
static int add_slash(struct cfs_exchange *x)
{
	struct cfs_buf path;

	cfs_buf_init(&path, x->path.n + 1);
	cfs_buf_add(&path, x->path);
	cfs_buf_addc(&path, '/');
	return cfs_reply_redirect(x, 301, &path);
}

static int propfind(struct cfs_exchange *x, const struct cfs_site_place *p,
		    struct cfs_ctx ctx)
{
	int depth = cfs_dav_depth(cfs_slice_trim(x->fields[CFS_FIELD_DEPTH]));
	struct cfs_dav_wanted wanted;
	struct cfs_buf body;
	int rc;

	if (!p->is_top && p->node.type == CFS_NODE_FILE) {
		rc = cfs_file_condition(x, p, ctx);
		if (rc != CFS_OK || x->status != 0)
			return rc;
	}
	if (depth < 0)
		return cfs_error_set(ctx.err, CFS_EUSAGE, "the field Depth is "
				     "not 0, 1 or infinity");
	if (depth > 1) {
		cfs_buf_init(&body, CFS_REPLY_HEAD_MAX);
		CFS_HTML(&body, PROLOG "<D:error xmlns:D='DAV:'>"
			 "<D:propfind-finite-depth/></D:error>\n");
		return cfs_reply_text(x, 403, "application/xml; charset=utf-8",
				      &body);
	}
	rc = cfs_dav_wanted_read(&wanted, x->body, ctx.err);
	if (rc == CFS_OK)
		rc = list_props(x, p, &wanted, (unsigned)depth, ctx);
	cfs_dav_wanted_release(&wanted);
	return rc;
}

static int answer_place(struct cfs_exchange *x, const struct cfs_site_place *p,
			struct cfs_ctx ctx)
{
	if (x->method == CFS_METHOD_PROPFIND)
		return propfind(x, p, ctx);
	if (!p->is_top && p->node.type == CFS_NODE_FILE)
		return cfs_file_answer(x, p, ctx);
	if (!p->has_slash || x->path.p[x->path.n - 1] != '/')
		return add_slash(x);
	return list_links(x, p, ctx);
}

int cfs_answer_dav(struct cfs_exchange *x, struct cfs_ctx ctx)
{
	struct cfs_site_place p;
	int rc;

	if (cfs_site_is_search(x->rest) && !x->may_take_long)
		return CFS_ROUTE_TAKES_LONG;
	rc = cfs_site_walk_search(x->site, x->rest, &p, ctx);
	if (rc == CFS_OK)
		rc = answer_place(x, &p, ctx);
	cfs_site_place_release(x->site, &p);
	return rc;
}
