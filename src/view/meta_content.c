/* meta_content.c - writes title, meta tags and links of an HTML page as JSON.
 *
 * Spec: doc/formats.md, "Content objects".  A link object has `type` (the tag
 * name, or the element's own type attribute), the other attributes in source
 * order, `text` and `href`.  As in the published records, a link is written
 * where its element ends, so an image inside <a> comes before that <a>.  Links
 * whose target is empty, only a fragment, or javascript: are left out, and so
 * are data: URLs, which are content rather than links.
 *
 * The text of a link is the text in it but not in links inside it: its ranges
 * (the lines of the text between two tags), trimmed and joined by one blank.
 * The published texts have more blanks, for each line end and white space, and
 * around character references; that comes from the parser of 2012, not from the
 * page, and is not imitated.  The text of an iframe is its source, trimmed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "meta_content.h"

#include <stdlib.h>

#include "html/outline.h"
#include "url/urlref.h"

/* The budget in bytes: a base and a multiple of the body's length, limited
 * because the links are in memory twice while they are copied to the output. */
#define CONTENT_BASE ((size_t)2 << 20)
#define CONTENT_PER_BYTE 3
#define CONTENT_MAX ((size_t)12 << 20)
/* The most link elements open at once (nested by tables). */
#define OPEN_LINKS_MAX 16
/* The number of buffers in struct cfs_meta_page. */
#define N_BUFS 9
/* The most bytes of text kept of a link, a title, or an attribute. */
#define LINK_TEXT_MAX (64u << 10)

/* A link element that has not ended. */
struct open_link {
	enum cfs_html_tag tag;
	size_t json_at;		/* where its JSON begins in `pending` */
	size_t text_at;		/* where its text begins in `text` */
	size_t target_at, target_n;	/* its target in `targets` */
	unsigned n_others;	/* elements open inside it that can be links
				 * but are not */
};

struct cfs_meta_page {
	struct cfs_json metas, links;	/* write to meta_buf and link_buf */
	struct cfs_buf meta_buf, link_buf, title;
	struct cfs_buf pending, text, targets;
	struct cfs_buf run;	/* text of the innermost link since the last
				 * tag */
	struct open_link open[OPEN_LINKS_MAX];
	unsigned n_open;
	unsigned n_others;	/* as in open_link, outside all links */
	size_t cost, max_cost;
	bool has_title, in_title, has_base, cut;
	bool no_memory;		/* `target` has failed; it is reset later */
	struct cfs_url_base base;
	struct cfs_buf base_url, target;
};

/* The attribute with the target of a link; empty if elements of this tag are
 * not links. */
static struct cfs_slice target_attr(enum cfs_html_tag tag)
{
	switch (tag) {
	case CFS_TAG_A:
	case CFS_TAG_AREA:
	case CFS_TAG_LINK:
		return CFS_SLICE_LIT("href");
	case CFS_TAG_FRAME:
	case CFS_TAG_IFRAME:
	case CFS_TAG_SCRIPT:
	case CFS_TAG_IMG:
		return CFS_SLICE_LIT("src");
	default:
		return CFS_SLICE_EMPTY;
	}
}

static bool is_full(const struct cfs_meta_page *c)
{
	return c->cost > c->max_cost;
}

/* True if a link object has another member of this name. */
static bool is_taken(struct cfs_slice attr, struct cfs_slice target)
{
	return cfs_slice_eq_nocase(attr, target) ||
	       cfs_slice_eq_nocase(attr, CFS_SLICE_LIT("type")) ||
	       cfs_slice_eq_nocase(attr, CFS_SLICE_LIT("text")) ||
	       cfs_slice_eq_nocase(attr, CFS_SLICE_LIT("href"));
}

/* Writes the attributes of an element.  target: the attribute with the target
 * of a link; empty if it is not a link. */
static void put_attrs(struct cfs_meta_page *c, struct cfs_json *j,
		      const struct cfs_html_el *el, struct cfs_slice target)
{
	for (unsigned i = 0; i < el->token->n_attrs; i++) {
		struct cfs_html_attr a;

		if (target.n > 0 &&
		    is_taken(el->token->attrs[i].name, target))
			continue;
		a = cfs_html_el_attr(el, i);
		a.value = cfs_slice_sub(a.value, 0, LINK_TEXT_MAX);
		cfs_json_key(j, a.name);
		cfs_json_str(j, a.value);
		c->cost += a.name.n + a.value.n + CFS_META_CONTENT_MEMBER;
	}
}

static void add_meta(struct cfs_meta_page *c, const struct cfs_html_el *el)
{
	if (el->token->n_attrs == 0)
		return;
	if (is_full(c)) {
		c->cut = true;
		return;
	}
	cfs_json_begin(&c->metas, NULL, '{');
	c->cost += CFS_META_CONTENT_MEMBER;
	put_attrs(c, &c->metas, el, CFS_SLICE_EMPTY);
	cfs_json_close(&c->metas, '}');
}

/* Resolves ref into c->target; false if that is not possible. */
static bool resolve(struct cfs_meta_page *c, struct cfs_slice ref)
{
	bool ok = cfs_url_resolve(&c->base, ref, &c->target);

	c->no_memory |= c->target.failed != CFS_OK;
	return ok;
}

static void set_base(struct cfs_meta_page *c, const struct cfs_html_el *el)
{
	struct cfs_slice href;

	if (c->has_base || !cfs_html_el_get(el, CFS_SLICE_LIT("href"), &href) ||
	    !resolve(c, href))
		return;
	c->has_base = true;
	cfs_buf_reset(&c->base_url);
	cfs_buf_add(&c->base_url, cfs_buf_slice(&c->target));
	cfs_url_base_init(&c->base, cfs_buf_slice(&c->base_url));
}

/* Sets c->target to the target of an element; false if it is not a link. */
static bool find_target(struct cfs_meta_page *c, const struct cfs_html_el *el)
{
	struct cfs_slice v, scheme;

	if (!cfs_html_el_get(el, target_attr(el->tag), &v))
		return false;
	v = cfs_slice_trim(v);
	scheme = cfs_url_scheme(v);
	if (v.n == 0 || v.p[0] == '#' ||
	    cfs_slice_eq_nocase(scheme, CFS_SLICE_LIT("javascript")) ||
	    cfs_slice_eq_nocase(scheme, CFS_SLICE_LIT("data")))
		return false;
	return resolve(c, v);
}

/* Begins a link: its JSON without text and href is written to c->pending. */
static void open_link(struct cfs_meta_page *c, const struct cfs_html_el *el)
{
	struct open_link *o = &c->open[c->n_open];
	struct cfs_json j = c->links;
	struct cfs_slice type;

	j.out = &c->pending;
	*o = (struct open_link){
		.tag = el->tag,
		.json_at = c->pending.n,
		.text_at = c->text.n,
		.target_at = c->targets.n,
		.target_n = c->target.n,
	};
	cfs_buf_add(&c->targets, cfs_buf_slice(&c->target));
	cfs_json_open(&j, '{');
	if (!cfs_html_el_get(el, CFS_SLICE_LIT("type"), &type))
		type = cfs_slice_str(cfs_html_tag_name(el->tag));
	cfs_json_put_str(&j, "type", cfs_slice_sub(type, 0, LINK_TEXT_MAX));
	put_attrs(c, &j, el, target_attr(el->tag));
	c->n_open++;
}

/* Completes the innermost open link, and moves it to the list. */
static void close_link(struct cfs_meta_page *c)
{
	const struct open_link *o = &c->open[--c->n_open];
	struct cfs_slice text = cfs_slice_from(cfs_buf_slice(&c->text),
					       o->text_at);
	struct cfs_slice json = cfs_slice_from(cfs_buf_slice(&c->pending),
					       o->json_at);
	struct cfs_slice target = cfs_slice_sub(cfs_buf_slice(&c->targets),
						o->target_at, o->target_n);

	text = cfs_slice_sub(cfs_slice_trim(text), 0, LINK_TEXT_MAX);
	if (is_full(c)) {
		c->cut = true;
	} else {
		c->cost += text.n + target.n + 4 * CFS_META_CONTENT_MEMBER;
		cfs_json_item(&c->links);
		cfs_buf_add(&c->link_buf, json);
		c->links.depth++;
		cfs_json_put_str(&c->links, "text", text);
		cfs_json_put_str(&c->links, "href", target);
		cfs_json_close(&c->links, '}');
	}
	c->pending.n = o->json_at;
	c->targets.n = o->target_at;
	c->text.n = o->text_at;
}

static unsigned *others(struct cfs_meta_page *c)
{
	return c->n_open > 0 ? &c->open[c->n_open - 1].n_others : &c->n_others;
}

static void start_link(struct cfs_meta_page *c, const struct cfs_html_el *el)
{
	bool no_room = c->n_open == OPEN_LINKS_MAX || is_full(c);

	c->cut |= no_room;
	if (no_room || !find_target(c, el)) {
		++*others(c);
	} else {
		open_link(c, el);
	}
}

/* Adds the lines of s to the text of the innermost link. */
static void add_lines(struct cfs_meta_page *c, struct cfs_slice s)
{
	size_t start = c->open[c->n_open - 1].text_at;

	while (s.n > 0 && c->text.n <= LINK_TEXT_MAX) {
		struct cfs_slice line =
			cfs_slice_trim(cfs_slice_split(&s, '\n'));

		if (line.n == 0)
			continue;
		if (c->text.n > start)
			cfs_buf_addc(&c->text, ' ');
		cfs_buf_add(&c->text, cfs_slice_sub(line, 0, LINK_TEXT_MAX));
	}
}

/* Ends the run of text before a tag, and adds it to the innermost link. */
static void end_run(struct cfs_meta_page *c)
{
	if (c->run.n == 0)
		return;
	if (c->n_open > 0)
		add_lines(c, cfs_buf_slice(&c->run));
	cfs_buf_reset(&c->run);
}

static bool on_start(void *arg, const struct cfs_html_el *el)
{
	struct cfs_meta_page *c = arg;

	end_run(c);
	if (!el->is_html)
		return true;
	if (el->tag == CFS_TAG_TITLE) {
		c->in_title = !c->has_title;
		c->has_title = true;
	} else if (el->tag == CFS_TAG_META) {
		add_meta(c, el);
	} else if (el->tag == CFS_TAG_BASE) {
		set_base(c, el);
	} else if (target_attr(el->tag).n > 0) {
		struct cfs_slice src;

		/* an inline script is neither link nor text */
		if (el->tag == CFS_TAG_SCRIPT &&
		    !cfs_html_el_get(el, CFS_SLICE_LIT("src"), &src))
			return false;
		start_link(c, el);
	}
	return el->tag != CFS_TAG_STYLE;
}

static void on_end(void *arg, const struct cfs_html_el *el)
{
	struct cfs_meta_page *c = arg;

	end_run(c);
	if (!el->is_html)
		return;
	if (el->tag == CFS_TAG_TITLE) {
		c->in_title = false;
	} else if (target_attr(el->tag).n > 0) {
		unsigned *n = others(c);

		if (*n > 0)
			--*n;
		else if (c->n_open > 0)
			close_link(c);
	}
}

static void on_text(void *arg, struct cfs_slice s)
{
	struct cfs_meta_page *c = arg;

	if (c->in_title) {
		if (c->title.n < LINK_TEXT_MAX)
			cfs_buf_add(&c->title,
				    cfs_slice_sub(s, 0, LINK_TEXT_MAX));
		return;
	}
	if (c->n_open == 0 || c->text.n > LINK_TEXT_MAX ||
	    c->run.n > LINK_TEXT_MAX)
		return;
	if (c->open[c->n_open - 1].tag == CFS_TAG_IFRAME)
		cfs_buf_add(&c->text, cfs_slice_sub(s, 0, LINK_TEXT_MAX));
	else
		cfs_buf_add(&c->run, cfs_slice_sub(s, 0, LINK_TEXT_MAX));
}

static void list_bufs(struct cfs_meta_page *c, struct cfs_buf *out[N_BUFS])
{
	struct cfs_buf *bufs[N_BUFS] = { &c->meta_buf, &c->link_buf, &c->title,
					 &c->pending, &c->text, &c->targets,
					 &c->run, &c->base_url, &c->target };

	memcpy(out, bufs, sizeof(bufs));
}

static void init(struct cfs_meta_page *c, const struct cfs_json *j,
		 size_t budget, struct cfs_slice url)
{
	struct cfs_buf *bufs[N_BUFS];

	*c = (struct cfs_meta_page){
		.metas = { &c->meta_buf, j->compact, true, j->depth + 2 },
		.links = { &c->link_buf, j->compact, true, j->depth + 2 },
		.max_cost = budget,
	};
	list_bufs(c, bufs);
	/* the limits above keep the buffers far below this */
	for (int i = 0; i < N_BUFS; i++)
		cfs_buf_init(bufs[i], (size_t)1 << 30);
	cfs_url_base_init(&c->base, url);
}

/* False if memory ran out. */
static bool release(struct cfs_meta_page *c)
{
	struct cfs_buf *bufs[N_BUFS];
	bool ok = !c->no_memory;

	list_bufs(c, bufs);
	for (int i = 0; i < N_BUFS; i++) {
		ok &= bufs[i]->failed == CFS_OK;
		cfs_buf_release(bufs[i]);
	}
	return ok;
}

/* Writes an array whose items are in a buffer; nothing if that is empty. */
static void put_array(struct cfs_json *j, const char *key,
		      const struct cfs_buf *items)
{
	if (items->n == 0)
		return;
	cfs_json_begin(j, key, '[');
	cfs_buf_add(j->out, cfs_buf_slice(items));
	j->first = false;
	cfs_json_close(j, ']');
}

void cfs_meta_content_init(struct cfs_meta_content *c, struct cfs_json *j,
		      struct cfs_slice url, size_t body_bytes,
		      const struct cfs_cancel *cancel)
{
	size_t budget = CONTENT_BASE + body_bytes * CONTENT_PER_BYTE;

	*c = (struct cfs_meta_content){
		.j = j, .url = url, .cancel = cancel,
		.budget = budget < CONTENT_MAX ? budget : CONTENT_MAX,
	};
}

int cfs_meta_content_read(struct cfs_meta_content *out, struct cfs_slice utf8,
			  const struct cfs_html_sink *also,
			  struct cfs_error *err)
{
	struct cfs_meta_page *c = malloc(sizeof(*c));
	struct cfs_html_sink sinks[2] = {
		{ on_start, on_end,
		  on_text, c, NULL },
	};

	out->page = c;
	if (c == NULL)
		return cfs_error_nomem(err);
	init(c, out->j, out->budget, out->url);
	if (also != NULL)
		sinks[1] = *also;
	return cfs_html_outline_for(utf8, sinks, also != NULL ? 2 : 1,
				    CFS_CTX(out->cancel, err));
}

int cfs_meta_content_put(struct cfs_meta_content *out, int rc,
			 struct cfs_error *err)
{
	struct cfs_meta_page *c = out->page;
	struct cfs_json *j = out->j;

	out->page = NULL;
	if (c == NULL)
		return rc;
	if (rc == CFS_OK) {
		cfs_json_open(j, '{');
		cfs_json_put_str(j, "type", CFS_SLICE_LIT("html-doc"));
		if (c->title.n > 0)
			cfs_json_put_str(j, "title", cfs_buf_slice(&c->title));
		put_array(j, "meta_tags", &c->meta_buf);
		put_array(j, "links", &c->link_buf);
		cfs_json_close(j, '}');
	}
	out->is_cut |= c->cut;
	out->budget -= c->cost < out->budget ? c->cost : out->budget;
	if (!release(c) && rc == CFS_OK)
		rc = cfs_error_nomem(err);
	free(c);
	return rc;
}
