/* page_facts.c - finds what a page states of itself (see doc.h).
 *
 * A fact may be said in several ways.  The table of elements has them, the best
 * first; of the same one, the first that is not empty counts.  What a
 * <template> has does not belong to the page.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "doc.h"

#include "base/ascii.h"
#include "codec/json.h"
#include "html/outline.h"
#include "robots.h"
#include "url/urlref.h"

/* The names, properties and itemprops of <meta> that say a fact, the best
 * first. */
static const struct {
	const char *name;
	enum cfs_page_fact fact;
} metas[] = {
	{ "author", CFS_FACT_AUTHOR },
	{ "article:author", CFS_FACT_AUTHOR },
	{ "dc.creator", CFS_FACT_AUTHOR },
	{ "dcterms.creator", CFS_FACT_AUTHOR },
	{ "citation_author", CFS_FACT_AUTHOR },
	{ "parsely-author", CFS_FACT_AUTHOR },
	{ "sailthru.author", CFS_FACT_AUTHOR },
	{ "article:published_time", CFS_FACT_PUBLISHED },
	{ "datepublished", CFS_FACT_PUBLISHED },
	{ "og:published_time", CFS_FACT_PUBLISHED },
	{ "dcterms.issued", CFS_FACT_PUBLISHED },
	{ "dc.date.issued", CFS_FACT_PUBLISHED },
	{ "citation_publication_date", CFS_FACT_PUBLISHED },
	{ "parsely-pub-date", CFS_FACT_PUBLISHED },
	{ "sailthru.date", CFS_FACT_PUBLISHED },
	{ "publish_date", CFS_FACT_PUBLISHED },
	{ "publish-date", CFS_FACT_PUBLISHED },
	{ "pubdate", CFS_FACT_PUBLISHED },
	{ "dcterms.date", CFS_FACT_PUBLISHED },
	{ "dc.date", CFS_FACT_PUBLISHED },
	{ "date", CFS_FACT_PUBLISHED },
	{ "description", CFS_FACT_DESCRIPTION },
	{ "og:description", CFS_FACT_DESCRIPTION },
	{ "dcterms.description", CFS_FACT_DESCRIPTION },
	{ "dc.description", CFS_FACT_DESCRIPTION },
	{ "twitter:description", CFS_FACT_DESCRIPTION },
};
#define METAS (sizeof(metas) / sizeof(metas[0]))
/* The place of <time datetime> that says when a page was published. */
#define RANK_OF_TIME METAS
/* That of JSON-LD (schema.org). */
#define RANK_OF_LD (METAS + 1)
#define RANK_NONE (METAS + 2)
/* More of a script is not read. */
#define LD_MAX ((size_t)1 << 20)

struct reading {
	struct cfs_buf *const *facts;
	size_t rank[CFS_FACTS];		/* of what was found */
	struct cfs_url_base base;
	struct cfs_buf base_url, name;
	struct cfs_buf ld;		/* the script of JSON-LD that is open */
	bool has_base, in_ld;
};

/* Puts a text in the place of a fact, with one blank for white space. */
static void put_fact(struct reading *r, enum cfs_page_fact fact, size_t rank,
		     struct cfs_slice s)
{
	struct cfs_buf *out = r->facts[fact];
	bool is_apart = false;

	s = cfs_slice_trim(s);
	if (out == NULL || s.n == 0 || rank >= r->rank[fact])
		return;
	r->rank[fact] = rank;
	cfs_buf_empty(out);
	if (s.n > CFS_FACT_BYTES_MAX)
		for (s.n = CFS_FACT_BYTES_MAX; (s.p[s.n] & 0xc0) == 0x80; s.n--)
			;
	for (size_t i = 0; i < s.n; i++) {
		if (cfs_is_space(s.p[i])) {
			is_apart = true;
			continue;
		}
		if (is_apart)
			cfs_buf_addc(out, ' ');
		is_apart = false;
		cfs_buf_addc(out, s.p[i]);
	}
}

static bool is_url(struct cfs_slice s)
{
	return cfs_slice_starts_nocase(s, CFS_SLICE_LIT("http://")) ||
	       cfs_slice_starts_nocase(s, CFS_SLICE_LIT("https://"));
}

static void put_meta(struct reading *r, struct cfs_slice name,
		     struct cfs_slice content)
{
	for (size_t i = 0; i < METAS; i++) {
		if (!cfs_slice_eq_nocase(name, cfs_slice_str(metas[i].name)))
			continue;
		/* article:author is often the address of a profile */
		if (metas[i].fact != CFS_FACT_AUTHOR ||
		    !is_url(cfs_slice_trim(content)))
			put_fact(r, metas[i].fact, i, content);
		return;
	}
}

static void read_meta(struct reading *r, const struct cfs_html_el *el)
{
	static const char *const names[] = { "name", "property", "itemprop" };
	struct cfs_slice value;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!cfs_html_el_get(el, cfs_slice_str(names[i]), &value))
			continue;
		/* a value is lent until the next is */
		cfs_buf_empty(&r->name);
		cfs_buf_add(&r->name, cfs_slice_sub(cfs_slice_trim(value), 0,
						    CFS_FACT_BYTES_MAX));
		if (!cfs_html_el_get(el, CFS_SLICE_LIT("content"), &value))
			return;
		put_meta(r, cfs_buf_slice(&r->name), value);
		if (i == 0 && r->facts[CFS_FACT_ROBOTS] != NULL)
			cfs_robots_of_meta(cfs_buf_slice(&r->name), value,
					   r->facts[CFS_FACT_ROBOTS]);
	}
}

static void read_base(struct reading *r, const struct cfs_html_el *el)
{
	struct cfs_slice href;

	if (r->has_base ||
	    !cfs_html_el_get(el, CFS_SLICE_LIT("href"), &href) ||
	    !cfs_url_resolve(&r->base, href, &r->base_url))
		return;
	r->has_base = true;
	cfs_url_base_init(&r->base, cfs_buf_slice(&r->base_url));
}

static bool has_word(struct cfs_slice s, struct cfs_slice wanted)
{
	struct cfs_slice word;

	while (cfs_slice_next_word(&s, &word))
		if (cfs_slice_eq_nocase(word, wanted))
			return true;
	return false;
}

static void read_link(struct reading *r, const struct cfs_html_el *el)
{
	struct cfs_buf *out = r->facts[CFS_FACT_CANONICAL];
	struct cfs_slice rel, href;

	if (out == NULL || out->n > 0 ||
	    !cfs_html_el_get(el, CFS_SLICE_LIT("rel"), &rel) ||
	    !has_word(rel, CFS_SLICE_LIT("canonical")))
		return;
	if (cfs_html_el_get(el, CFS_SLICE_LIT("href"), &href) &&
	    cfs_slice_trim(href).n > 0 &&
	    !cfs_url_resolve(&r->base, href, out))
		cfs_buf_empty(out);
}

/* <time datetime="..." itemprop="datePublished">, or with pubdate. */
static void read_time(struct reading *r, const struct cfs_html_el *el)
{
	struct cfs_slice v;
	bool is_published = cfs_html_el_get(el, CFS_SLICE_LIT("pubdate"), &v);

	if (!is_published)
		is_published = cfs_html_el_get(el, CFS_SLICE_LIT("itemprop"),
					       &v) &&
			       has_word(v, CFS_SLICE_LIT("datePublished"));
	if (is_published && cfs_html_el_get(el, CFS_SLICE_LIT("datetime"), &v))
		put_fact(r, CFS_FACT_PUBLISHED, RANK_OF_TIME, v);
}

static void read_html(struct reading *r, const struct cfs_html_el *el)
{
	struct cfs_slice v;

	if (cfs_html_el_get(el, CFS_SLICE_LIT("lang"), &v))
		put_fact(r, CFS_FACT_LANG, 0, v);
	if (cfs_html_el_get(el, CFS_SLICE_LIT("xml:lang"), &v))
		put_fact(r, CFS_FACT_LANG, 1, v);
}

/* ---- JSON-LD ------------------------------------------------------------ */

/* Puts a value that is a text, or that has a name. */
static void put_value(struct reading *r, enum cfs_page_fact fact,
		      struct cfs_slice value)
{
	struct cfs_json_member first;
	struct cfs_json_text text;

	if (value.n > 0 && value.p[0] == '[') {
		if (cfs_json_next(&value, '[', &first) != CFS_OK)
			return;
		value = first.written;
	}
	if (value.n > 0 && value.p[0] == '{')
		value = cfs_json_member_of(value, "name");
	if (value.n == 0 || value.p[0] != '"' ||
	    !cfs_json_take_value(&value, &text))
		return;
	cfs_buf_empty(&r->name);
	text.s = cfs_slice_sub(text.s, 0, CFS_FACT_BYTES_MAX / 4);
	if (cfs_json_add_text(&r->name, text) == CFS_OK)
		put_fact(r, fact, RANK_OF_LD, cfs_buf_slice(&r->name));
}

static void read_thing(struct reading *r, struct cfs_slice object)
{
	if (object.n == 0 || object.p[0] != '{')
		return;
	put_value(r, CFS_FACT_PUBLISHED,
		  cfs_json_member_of(object, "datePublished"));
	put_value(r, CFS_FACT_AUTHOR, cfs_json_member_of(object, "author"));
}

static void read_things(struct reading *r, struct cfs_slice array)
{
	struct cfs_json_member item;

	if (array.n == 0 || array.p[0] != '[')
		return;
	while (cfs_json_next(&array, '[', &item) == CFS_OK)
		read_thing(r, item.written);
}

/* Reads what the page says as JSON-LD: a thing, several, or a graph of them. */
static void read_ld(struct reading *r)
{
	struct cfs_slice json = cfs_buf_slice(&r->ld);

	cfs_json_skip_blanks(&json);
	read_thing(r, json);
	read_things(r, json);
	read_things(r, cfs_json_member_of(json, "@graph"));
}

bool cfs_html_is_json_ld(const struct cfs_html_el *el)
{
	struct cfs_slice v;

	return el->tag == CFS_TAG_SCRIPT &&
	       cfs_html_el_get(el, CFS_SLICE_LIT("type"), &v) &&
	       cfs_slice_eq_nocase(cfs_slice_trim(v),
				   CFS_SLICE_LIT("application/ld+json"));
}

static bool begin_script(struct reading *r, const struct cfs_html_el *el)
{
	r->in_ld = cfs_html_is_json_ld(el);
	cfs_buf_empty(&r->ld);
	return r->in_ld;
}

/* ---- the page ------------------------------------------------------------ */

static bool on_start(void *arg, const struct cfs_html_el *el)
{
	if (!el->is_html)
		return true;
	switch (el->tag) {
	case CFS_TAG_HTML:
		read_html(arg, el);
		break;
	case CFS_TAG_META:
		read_meta(arg, el);
		break;
	case CFS_TAG_BASE:
		read_base(arg, el);
		break;
	case CFS_TAG_LINK:
		read_link(arg, el);
		break;
	case CFS_TAG_TIME:
		read_time(arg, el);
		break;
	case CFS_TAG_SCRIPT:
		return begin_script(arg, el);
	default:
		break;
	}
	return el->tag != CFS_TAG_TEMPLATE;
}

static void on_end(void *arg, const struct cfs_html_el *el)
{
	struct reading *r = arg;

	if (r->in_ld && el->tag == CFS_TAG_SCRIPT) {
		read_ld(r);
		r->in_ld = false;
	}
}

static void on_text(void *arg, struct cfs_slice s)
{
	struct reading *r = arg;

	if (r->in_ld)
		cfs_buf_add(&r->ld, cfs_slice_sub(s, 0, LD_MAX - r->ld.n));
}

int cfs_page_facts_read(const struct cfs_doc *doc, struct cfs_slice url,
			struct cfs_buf *const facts[CFS_FACTS],
			struct cfs_ctx ctx)
{
	struct reading r = { .facts = facts };
	struct cfs_html_sink sink = { .start = on_start, .end = on_end,
				      .text = on_text, .arg = &r };
	struct cfs_slice utf8;
	CFS_BUF(conv, CFS_HTML_TEXT_MAX * 2);
	int rc;

	if (doc->kind != CFS_DOC_HTML)
		return CFS_OK;
	for (unsigned f = 0; f < CFS_FACTS; f++)
		r.rank[f] = RANK_NONE;
	cfs_url_base_init(&r.base, url);
	cfs_buf_init(&r.base_url, CFS_URLREF_MAX);
	cfs_buf_init(&r.name, CFS_FACT_BYTES_MAX);
	cfs_buf_init(&r.ld, LD_MAX);
	rc = cfs_doc_page(doc, &conv, &utf8, ctx.err);
	if (rc == CFS_OK)
		rc = cfs_html_outline(utf8, &sink, ctx);
	if (rc == CFS_OK && (r.ld.failed == CFS_ENOMEM ||
			     r.name.failed == CFS_ENOMEM ||
			     r.base_url.failed == CFS_ENOMEM))
		rc = cfs_error_nomem(ctx.err);
	cfs_buf_release(&r.ld);
	cfs_buf_release(&r.name);
	cfs_buf_release(&r.base_url);
	return rc;
}
