/* feed.c - parses RSS and Atom feeds (see feed.h).
 *
 * Each open element has a role; elements directly in a channel, feed, item or
 * entry may be values.  Inline markup of a value (XHTML, or HTML
 * that was not escaped) is converted back to HTML source.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "feed.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/swar.h"
#include "markup/references.h"
#include "markup/xml.h"
#include "markup/xml_reader.h"

#define SNIFF_BYTES 8192	/* the root element must begin within these */
#define URI_BYTES_MAX 64	/* bytes compared of a namespace URI */
#define TAG_BYTES 16u		/* bytes in which the name of a tag must end */
#define REFERENCE_BYTES 40u	/* longer than any name of a reference */
#define CANCEL_EVERY 1024u	/* events between two looks at the token */
/* The root element of a feed.  Channels and entries are also found alone. */
#define ROOTS "rss feed rdf channel entry"

/* The role of an open element. */
enum role {
	ROLE_OTHER,		/* ignored with its content */
	ROLE_TOP,		/* <rss>, <rdf:RDF> */
	ROLE_CHANNEL,		/* <channel>, <feed> */
	ROLE_ITEM,		/* <item>, <entry> */
	ROLE_VALUE,
	ROLE_PERSON,		/* an author with name, email and uri */
	ROLE_PART,		/* name, email or uri of a person */
	ROLE_MARKUP,		/* markup in a value */
};

/* Vocabularies, as bits: rows of the table below have sets of them. */
enum vocabulary {
	VOC_FEED = 1,		/* RSS of any version, or no namespace */
	VOC_ATOM = 2,
	VOC_DC = 4,		/* Dublin Core, dcterms */
	VOC_CONTENT = 8,
	VOC_XHTML = 16,
	VOC_ITUNES = 32,
	VOC_NONE = 64,
};

static const struct {
	const char *name;
	unsigned vocabularies;
	enum cfs_feed_field field;
} fields[] = {
	{ "title", VOC_FEED | VOC_ATOM | VOC_DC, CFS_FEED_TITLE },
	{ "description", VOC_FEED | VOC_DC, CFS_FEED_DESCRIPTION },
	{ "abstract", VOC_FEED, CFS_FEED_DESCRIPTION },
	{ "subtitle", VOC_FEED | VOC_ATOM, CFS_FEED_DESCRIPTION },
	{ "tagline", VOC_FEED | VOC_ATOM, CFS_FEED_DESCRIPTION },
	{ "summary", VOC_FEED | VOC_ATOM, CFS_FEED_DESCRIPTION },
	{ "content", VOC_FEED | VOC_ATOM, CFS_FEED_CONTENT },
	{ "encoded", VOC_CONTENT, CFS_FEED_CONTENT },
	{ "body", VOC_XHTML, CFS_FEED_CONTENT },
	{ "link", VOC_FEED | VOC_ATOM, CFS_FEED_LINK },
	{ "enclosure", VOC_FEED, CFS_FEED_ENCLOSURE },
	{ "author", VOC_FEED | VOC_ATOM | VOC_ITUNES, CFS_FEED_AUTHOR },
	{ "managingeditor", VOC_FEED, CFS_FEED_AUTHOR },
	{ "creator", VOC_DC, CFS_FEED_AUTHOR },
	{ "category", VOC_FEED | VOC_ATOM, CFS_FEED_CATEGORY },
	{ "subject", VOC_DC, CFS_FEED_CATEGORY },
	{ "lastbuilddate", VOC_FEED, CFS_FEED_UPDATED },
	{ "updated", VOC_FEED | VOC_ATOM, CFS_FEED_UPDATED },
	{ "modified", VOC_FEED | VOC_ATOM | VOC_DC, CFS_FEED_UPDATED },
	{ "pubdate", VOC_FEED, CFS_FEED_PUBLISHED },
	{ "published", VOC_FEED | VOC_ATOM, CFS_FEED_PUBLISHED },
	{ "issued", VOC_FEED | VOC_ATOM | VOC_DC, CFS_FEED_PUBLISHED },
	{ "created", VOC_FEED | VOC_ATOM | VOC_DC, CFS_FEED_PUBLISHED },
	{ "date", VOC_DC, CFS_FEED_PUBLISHED },
	{ "guid", VOC_FEED, CFS_FEED_ID },
	{ "id", VOC_FEED | VOC_ATOM, CFS_FEED_ID },
	{ "comments", VOC_FEED, CFS_FEED_COMMENTS },
	{ "generator", VOC_FEED | VOC_ATOM, CFS_FEED_GENERATOR },
	{ "copyright", VOC_FEED | VOC_ATOM, CFS_FEED_RIGHTS },
	{ "rights", VOC_FEED | VOC_ATOM | VOC_DC, CFS_FEED_RIGHTS },
};

/* Values, attributes and items as stored in the buffers of a feed. */
struct value_rec {
	uint8_t field;
	uint8_t type : 7, is_module : 1;
	uint16_t n_attrs;
	uint32_t attrs_at, text_at, text_n;
};

struct attr_rec {
	uint32_t name_at, name_n, value_at, value_n;
};

struct item_rec {
	uint32_t first, n;	/* its values in of_items */
};

struct feed_reader {
	struct cfs_feed *feed;
	const struct cfs_cancel *cancel;
	struct cfs_xml_reader xml;
	enum role roles[CFS_XML_DEPTH_MAX];
	unsigned n_roles;
	unsigned n_items_open;
	char root_uri[URI_BYTES_MAX];
	/* the value being read */
	struct value_rec value;
	bool in_item;		/* it belongs to an item */
	bool is_raw;		/* its characters are HTML source */
	bool is_skipped;	/* its characters are ignored */
	bool may_be_html;	/* RSS does not say whether it is HTML */
	bool after_cr;		/* the last character was a CR */
	struct cfs_buf text, part, attr;
};

/* -- vocabularies and fields -- */

static bool has(struct cfs_slice s, const char *part)
{
	return cfs_slice_search(s, cfs_slice_str(part)) >= 0;
}

static enum vocabulary vocabulary(const struct feed_reader *r,
				  const struct cfs_xml_name *name)
{
	static const struct { const char *prefix, *in_uri; enum vocabulary v; }
	rows[] = {
		{ "atom", "www.w3.org/2005/Atom", VOC_ATOM },
		{ "atom", "purl.org/atom/ns", VOC_ATOM },
		{ "atom", "purl.org/net/atom", VOC_ATOM },
		{ "content", "purl.org/rss/1.0/modules/content", VOC_CONTENT },
		{ "dc", "purl.org/dc/", VOC_DC },
		{ "dcterms", "purl.org/dc/terms", VOC_DC },
		{ "xhtml", "www.w3.org/1999/xhtml", VOC_XHTML },
		{ "itunes", "www.itunes.com/", VOC_ITUNES },
	};
	static const char *const rss[] = {
		"purl.org/rss/", "purl.org/net/rss", "userland.com/rss",
		"law.harvard.edu/tech/rss", "law.harvard.edu/rss",
	};

	struct cfs_slice uri = cfs_slice_sub(name->uri, 0, URI_BYTES_MAX - 1);

	if (uri.n == 0 && name->prefix.n == 0)
		return VOC_FEED;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (uri.n > 0 ? has(uri, rows[i].in_uri) :
		    cfs_slice_eq(name->prefix, cfs_slice_str(rows[i].prefix)))
			return rows[i].v;
	if (cfs_slice_eq(uri, cfs_slice_str(r->root_uri)) ||
	    has(uri, "netscape.com/rdf/"))
		return VOC_FEED;
	for (size_t i = 0; i < sizeof(rss) / sizeof(rss[0]); i++)
		if (has(uri, rss[i]) && !has(uri, "/modules/"))
			return VOC_FEED;
	return VOC_NONE;
}

static bool is_name(struct cfs_slice s, const char *name)
{
	return cfs_slice_eq_nocase(s, cfs_slice_str(name));
}

static bool is_texty(enum cfs_feed_field f)
{
	return f == CFS_FEED_TITLE || f == CFS_FEED_DESCRIPTION ||
	       f == CFS_FEED_CONTENT || f == CFS_FEED_RIGHTS;
}

/* -- attributes -- */

/* The decoded value; valid until the next call. */
static struct cfs_slice value_of(struct feed_reader *r,
				 const struct cfs_html_attr *a)
{
	r->attr.n = 0;		/* a reset would forget an earlier failure */
	cfs_xml_value(a->value, CFS_REFERENCE_FEED, &r->attr);
	return cfs_buf_slice(&r->attr);
}

/* The next attribute that declares no namespace; NULL behind the last one.  *at
 * is the number of those that were passed, at first 0. */
static const struct cfs_html_attr *next_attr(const struct feed_reader *r,
					     unsigned *at)
{
	const struct cfs_html_attr *attrs;
	unsigned n = cfs_xml_attrs(&r->xml, &attrs);

	while (*at < n && cfs_xml_is_declaration(attrs[*at].name))
		++*at;
	return *at < n ? &attrs[(*at)++] : NULL;
}

static void add_attr(struct feed_reader *r, struct cfs_slice name,
		     struct cfs_slice value)
{
	struct cfs_buf *b = &r->feed->bytes;
	struct attr_rec a = { .name_at = (uint32_t)b->n,
			      .name_n = (uint32_t)name.n,
			      .value_n = (uint32_t)value.n };

	if (r->value.n_attrs == CFS_XML_ATTRS_MAX)
		return;
	cfs_buf_add(b, name);
	a.value_at = (uint32_t)b->n;
	cfs_buf_add(b, value);
	if (b->failed == CFS_OK &&
	    cfs_buf_append(&r->feed->attrs, &a, sizeof(a)) == CFS_OK)
		r->value.n_attrs++;
}

/* -- values -- */

static const char *reference_to(uint8_t c)
{
	switch (c) {
	case '<': return "&lt;";
	case '&': return "&amp;";
	default: return "&quot;";
	}
}

static void escape(struct cfs_buf *out, struct cfs_slice s, bool in_attr)
{
	for (size_t i = 0; i < s.n; i++) {
		size_t from = i;

		while (i < s.n && s.p[i] != '<' && s.p[i] != '&' &&
		       (s.p[i] != '"' || !in_attr))
			i++;
		cfs_buf_append(out, s.p + from, i - from);
		if (i == s.n)
			break;
		cfs_buf_adds(out, reference_to(s.p[i]));
	}
}

/* Sets the type of an Atom value from its attribute type=. */
static void set_atom_type(struct feed_reader *r, struct cfs_slice type)
{
	bool is_html = is_name(type, "html") || is_name(type, "text/html");

	if (is_html) {
		r->value.type = CFS_FEED_HTML;
		r->is_raw = true;
	} else if (is_name(type, "xhtml") ||
		   cfs_slice_ends(type, CFS_SLICE_LIT("+xml")) ||
		   cfs_slice_ends(type, CFS_SLICE_LIT("/xml"))) {
		r->value.type = CFS_FEED_HTML;
	} else if (type.n > 0 && !is_name(type, "text") &&
		   !cfs_slice_starts_nocase(type, CFS_SLICE_LIT("text/"))) {
		r->is_skipped = true;	/* such as a picture in base64 */
	}
}

/* The trimmed value of the first attribute of that name, in any case; empty
 * without one.  Valid until the next call of value_of. */
static struct cfs_slice find_attr(struct feed_reader *r, const char *name)
{
	const struct cfs_html_attr *a;
	unsigned at = 0;

	while ((a = next_attr(r, &at)) != NULL)
		if (is_name(a->name, name))
			return cfs_slice_trim(value_of(r, a));
	return CFS_SLICE_EMPTY;
}

/* Sets how the text of a title, description, content or copyright is read. */
static void set_type(struct feed_reader *r, enum cfs_feed_field field,
		     enum vocabulary voc)
{
	if (voc == VOC_ATOM || r->feed->kind == CFS_FEED_ATOM) {
		if (is_name(find_attr(r, "mode"), "base64"))
			r->is_skipped = true;
		else
			set_atom_type(r, find_attr(r, "type"));
	} else if (field == CFS_FEED_TITLE || field == CFS_FEED_RIGHTS) {
		r->may_be_html = true;
	} else {
		r->value.type = CFS_FEED_HTML;
		r->is_raw = voc != VOC_XHTML;
	}
}

static void start_value(struct feed_reader *r, enum cfs_feed_field field,
			enum vocabulary voc)
{
	const struct cfs_html_attr *a;
	unsigned at = 0;

	r->value = (struct value_rec){
		.field = (uint8_t)field,
		.type = CFS_FEED_TEXT,
		.is_module = voc != VOC_FEED && voc != VOC_ATOM,
		.attrs_at =
			(uint32_t)(r->feed->attrs.n / sizeof(struct attr_rec)),
	};
	r->in_item = r->n_items_open > 0;
	r->is_raw = r->is_skipped = r->may_be_html = false;
	cfs_buf_empty(&r->text);
	if (is_texty(field))
		set_type(r, field, voc);
	while ((a = next_attr(r, &at)) != NULL)
		add_attr(r, a->name, value_of(r, a));
}

/* True if s begins with a tag or comment: "<a>", "</a>", "<a ...", "<!--". */
static bool is_tag(struct cfs_slice s)
{
	size_t start = s.n > 1 && s.p[1] == '/' ? 2 : 1, n = start;

	if (cfs_slice_starts(s, CFS_SLICE_LIT("<!--")))
		return true;
	while (n < s.n && (cfs_is_alpha(s.p[n]) ||
			   (n > start && cfs_is_digit(s.p[n]))))
		n++;
	return n > start && n < s.n &&
	       (s.p[n] <= ' ' || s.p[n] == '>' || s.p[n] == '/');
}

/* True if s contains a tag or a character reference. */
static bool looks_like_html(struct cfs_slice s)
{
	uint8_t out[CFS_REFERENCE_BYTES];
	size_t out_n;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '<' && is_tag(cfs_slice_sub(s, i, TAG_BYTES)))
			return true;
		if (s.p[i] == '&' &&
		    cfs_reference_parse(cfs_slice_sub(s, i, REFERENCE_BYTES),
					CFS_REFERENCE_FEED, out, &out_n) > 0)
			return true;
	}
	return false;
}

static void end_value(struct feed_reader *r)
{
	struct cfs_feed *f = r->feed;
	struct cfs_slice text = cfs_slice_trim(cfs_buf_slice(&r->text));
	struct cfs_buf *to = r->in_item ? &f->of_items : &f->own;

	if (r->text.failed != CFS_OK || (text.n == 0 && r->value.n_attrs == 0))
		return;
	if (r->may_be_html && looks_like_html(text))
		r->value.type = CFS_FEED_HTML;
	r->value.text_at = (uint32_t)f->bytes.n;
	r->value.text_n = (uint32_t)text.n;
	if (cfs_buf_add(&f->bytes, text) != CFS_OK ||
	    cfs_buf_append(to, &r->value, sizeof(r->value)) != CFS_OK)
		return;
	if (r->in_item)
		((struct item_rec *)(f->items.p + f->items.n))[-1].n++;
}

/* -- inline markup -- */

static bool is_void(struct cfs_slice name)
{
	return cfs_slice_in_words(name,
		"area base br col embed hr img input link meta param source "
		"track wbr");
}

/* Converts a value of plain characters to HTML, at the first tag in it. */
static void become_html(struct feed_reader *r)
{
	struct cfs_buf html;

	cfs_buf_init(&html, r->text.max);
	escape(&html, cfs_buf_slice(&r->text), false);
	cfs_buf_release(&r->text);
	r->text = html;
	r->value.type = CFS_FEED_HTML;
	r->is_raw = r->may_be_html = false;
}

static void start_markup(struct feed_reader *r, struct cfs_slice name)
{
	const struct cfs_html_attr *a;
	unsigned at = 0;

	if (r->is_skipped)
		return;
	if (r->value.type == CFS_FEED_TEXT)
		become_html(r);
	cfs_buf_addc(&r->text, '<');
	cfs_buf_add(&r->text, name);
	while ((a = next_attr(r, &at)) != NULL) {
		cfs_buf_addc(&r->text, ' ');
		cfs_buf_add(&r->text, a->name);
		cfs_buf_adds(&r->text, "=\"");
		escape(&r->text, value_of(r, a), true);
		cfs_buf_addc(&r->text, '"');
	}
	cfs_buf_addc(&r->text, '>');
}

static void end_markup(struct feed_reader *r, struct cfs_slice name)
{
	if (r->is_skipped || is_void(name))
		return;
	cfs_buf_adds(&r->text, "</");
	cfs_buf_add(&r->text, name);
	cfs_buf_addc(&r->text, '>');
}

/* -- elements and characters -- */

static enum role start_item(struct feed_reader *r)
{
	struct cfs_feed *f = r->feed;
	struct item_rec item = {
		(uint32_t)(f->of_items.n / sizeof(struct value_rec)), 0 };

	if (cfs_buf_append(&f->items, &item, sizeof(item)) != CFS_OK)
		return ROLE_OTHER;
	f->n_items++;
	return ROLE_ITEM;
}

/* The role of the root element, whose name is one of ROOTS. */
static enum role root_role(struct feed_reader *r, struct cfs_slice name,
			   struct cfs_slice uri)
{
	uri = cfs_slice_sub(uri, 0, URI_BYTES_MAX - 1);
	memcpy(r->root_uri, uri.p, uri.n);
	r->root_uri[uri.n] = '\0';
	if (is_name(name, "feed") || is_name(name, "entry")) {
		r->feed->kind = CFS_FEED_ATOM;
		return is_name(name, "feed") ? ROLE_CHANNEL : start_item(r);
	}
	r->feed->kind = CFS_FEED_RSS;
	return is_name(name, "channel") ? ROLE_CHANNEL : ROLE_TOP;
}

/* The role of an element directly in a channel or item; begins a value if it is
 * one. */
static enum role field_role(struct feed_reader *r, struct cfs_slice name,
			    enum vocabulary voc)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if ((fields[i].vocabularies & voc) == 0 ||
		    !is_name(name, fields[i].name))
			continue;
		start_value(r, fields[i].field, voc);
		return fields[i].field == CFS_FEED_AUTHOR &&
				       (voc == VOC_ATOM ||
					r->feed->kind == CFS_FEED_ATOM)
			       ? ROLE_PERSON : ROLE_VALUE;
	}
	return ROLE_OTHER;
}

static enum role role_in(struct feed_reader *r, enum role parent,
			 struct cfs_slice name, enum vocabulary voc)
{
	bool is_own = voc == VOC_FEED || voc == VOC_ATOM;

	switch (parent) {
	case ROLE_TOP:
	case ROLE_CHANNEL:
	case ROLE_ITEM:
		if (is_own &&
		    (is_name(name, "item") || is_name(name, "entry")))
			return start_item(r);
		if (parent == ROLE_TOP)
			return is_own && is_name(name, "channel") ? ROLE_CHANNEL
								  : ROLE_OTHER;
		return field_role(r, name, voc);
	case ROLE_PERSON:
		cfs_buf_empty(&r->part);
		return cfs_slice_in_words(name, "name email uri url")
			       ? ROLE_PART : ROLE_OTHER;
	case ROLE_VALUE:
	case ROLE_MARKUP:
		if (!is_texty((enum cfs_feed_field)r->value.field))
			return ROLE_OTHER;
		start_markup(r, name);
		return ROLE_MARKUP;
	default:
		return ROLE_OTHER;
	}
}

/* The failure of any buffer: CFS_ENOMEM, otherwise CFS_ELIMIT or CFS_OK. */
static int failure(const struct feed_reader *r)
{
	const struct cfs_feed *f = r->feed;
	const struct cfs_buf *bufs[] = { &f->bytes, &f->attrs, &f->items,
					 &f->own, &f->of_items, &r->text,
					 &r->part, &r->attr, &r->xml.uris };
	int rc = CFS_OK;

	for (size_t i = 0; i < sizeof(bufs) / sizeof(bufs[0]); i++)
		if (bufs[i]->failed != CFS_OK && rc != CFS_ENOMEM)
			rc = bufs[i]->failed;
	return rc;
}

static void on_start(struct feed_reader *r)
{
	const struct cfs_xml_name *name = &r->xml.name;
	enum role role;

	role = r->n_roles == 0
		       ? root_role(r, name->local, name->uri)
		       : role_in(r, r->roles[r->n_roles - 1], name->local,
				 vocabulary(r, name));
	r->n_items_open += role == ROLE_ITEM;
	r->roles[r->n_roles++] = role;
}

static void end_part(struct feed_reader *r, struct cfs_slice name)
{
	struct cfs_slice s = cfs_slice_trim(cfs_buf_slice(&r->part));

	if (is_name(name, "url"))
		name = CFS_SLICE_LIT("uri");
	if (s.n > 0)
		add_attr(r, name, s);
	if (is_name(name, "name") && s.n > 0) {
		cfs_buf_empty(&r->text);
		cfs_buf_add(&r->text, s);
	}
}

static void on_end(struct feed_reader *r)
{
	struct cfs_slice name = r->xml.name.local;
	enum role role = r->roles[--r->n_roles];

	if (role == ROLE_VALUE || role == ROLE_PERSON)
		end_value(r);
	else if (role == ROLE_PART)
		end_part(r, name);
	else if (role == ROLE_MARKUP)
		end_markup(r, name);
	else if (role == ROLE_ITEM)
		r->n_items_open--;
}

/* Makes one line end of a CR that a reference stands for, and a line feed. */
static struct cfs_slice mend_line_end(struct feed_reader *r, struct cfs_slice s)
{
	bool was_cr = r->after_cr;

	r->after_cr = cfs_slice_eq(s, CFS_SLICE_LIT("\r"));
	if (r->after_cr)
		return CFS_SLICE_LIT("\n");
	return was_cr && s.p[0] == '\n' ? cfs_slice_from(s, 1) : s;
}

static void on_text(struct feed_reader *r)
{
	struct cfs_slice s = mend_line_end(r, r->xml.text);
	enum role role = r->roles[r->n_roles - 1];

	if (r->is_skipped)
		return;
	if (role == ROLE_PART)
		cfs_buf_add(&r->part, s);
	else if (role == ROLE_MARKUP ||
		 (role == ROLE_VALUE && r->value.type == CFS_FEED_HTML &&
		  !r->is_raw))
		escape(&r->text, s, false);
	else if (role == ROLE_VALUE || role == ROLE_PERSON)
		cfs_buf_add(&r->text, s);
}

/* -- the whole -- */

static int run(struct feed_reader *r)
{
	for (unsigned n = 0;; n++) {
		enum cfs_xml_event event = cfs_xml_next(&r->xml);

		if (event == CFS_XML_TEXT) {
			on_text(r);
		} else if (event != CFS_XML_BREAK) {
			r->after_cr = false;
			if (event == CFS_XML_START)
				on_start(r);
			else if (event == CFS_XML_END)
				on_end(r);
		}
		if (event == CFS_XML_EOF || failure(r) != CFS_OK)
			return failure(r);
		if (n % CANCEL_EVERY == 0 && cfs_cancelled(r->cancel))
			return CFS_EINTR;
	}
}

static void init(struct cfs_feed *f, size_t n)
{
	struct cfs_buf *bufs[] = { &f->bytes, &f->attrs, &f->items, &f->own,
				   &f->of_items };

	*f = (struct cfs_feed){ .kind = CFS_FEED_NONE };
	/* A value or an attribute has at least 5 bytes in the document, and '"'
	 * may become "&quot;" when markup is converted back. */
	for (size_t i = 0; i < sizeof(bufs) / sizeof(bufs[0]); i++)
		cfs_buf_init(bufs[i], n * 4 + ((size_t)1 << 20));
}

int cfs_feed_parse(struct cfs_slice utf8, struct cfs_feed *feed,
		   struct cfs_ctx ctx)
{
	struct feed_reader *r = calloc(1, sizeof(*r));
	int rc;

	init(feed, utf8.n);
	if (r == NULL)
		return cfs_error_nomem(ctx.err);
	feed->is_cut = utf8.n > CFS_FEED_BYTES_MAX;
	r->feed = feed;
	r->cancel = ctx.cancel;
	cfs_buf_init(&r->text, feed->bytes.max);
	cfs_buf_init(&r->part, feed->bytes.max);
	cfs_buf_init(&r->attr, CFS_XML_VALUE_MAX * CFS_REFERENCE_BYTES);
	cfs_xml_reader_init(&r->xml, cfs_slice_sub(utf8, 0, CFS_FEED_BYTES_MAX),
			    CFS_REFERENCE_FEED, ROOTS);
	rc = run(r);
	if (rc == CFS_ELIMIT) {		/* cuts the feed, but is no failure */
		feed->is_cut = true;
		rc = CFS_OK;
	}
	cfs_xml_reader_release(&r->xml);
	cfs_buf_release(&r->attr);
	cfs_buf_release(&r->text);
	cfs_buf_release(&r->part);
	free(r);
	if (rc != CFS_OK)
		return rc == CFS_EINTR ? cfs_error_set(ctx.err, rc, "interrupted") :
					 cfs_error_nomem(ctx.err);
	return rc;
}

void cfs_feed_release(struct cfs_feed *feed)
{
	cfs_buf_release(&feed->bytes);
	cfs_buf_release(&feed->attrs);
	cfs_buf_release(&feed->items);
	cfs_buf_release(&feed->own);
	cfs_buf_release(&feed->of_items);
}

/* -- access -- */

static struct item_rec item_at(const struct cfs_feed *f, size_t item)
{
	if (item == 0)
		return (struct item_rec){
			0, (uint32_t)(f->own.n / sizeof(struct value_rec)) };
	return ((const struct item_rec *)f->items.p)[item - 1];
}

size_t cfs_feed_count(const struct cfs_feed *feed, size_t item)
{
	return item_at(feed, item).n;
}

struct cfs_feed_value cfs_feed_at(const struct cfs_feed *feed, size_t item,
				  size_t i)
{
	const struct cfs_buf *b = item == 0 ? &feed->own : &feed->of_items;
	const struct value_rec *v = (const struct value_rec *)b->p +
				    item_at(feed, item).first + i;

	return (struct cfs_feed_value){
		.field = (enum cfs_feed_field)v->field,
		.type = (enum cfs_feed_type)v->type,
		.is_module = v->is_module,
		.text = cfs_slice_sub(cfs_buf_slice(&feed->bytes), v->text_at,
				      v->text_n),
		.n_attrs = v->n_attrs,
		.attrs_at = v->attrs_at,
	};
}

struct cfs_feed_attr cfs_feed_attr_at(const struct cfs_feed *feed,
				      const struct cfs_feed_value *v,
				      unsigned i)
{
	const struct attr_rec *a = (const struct attr_rec *)feed->attrs.p +
				   v->attrs_at + i;
	struct cfs_slice all = cfs_buf_slice(&feed->bytes);

	return (struct cfs_feed_attr){
		cfs_slice_sub(all, a->name_at, a->name_n),
		cfs_slice_sub(all, a->value_at, a->value_n),
	};
}

bool cfs_feed_attr_get(const struct cfs_feed *feed,
		       const struct cfs_feed_value *v, const char *name,
		       struct cfs_slice *value)
{
	for (unsigned i = 0; i < v->n_attrs; i++) {
		struct cfs_feed_attr a = cfs_feed_attr_at(feed, v, i);

		if (cfs_slice_eq(a.name, cfs_slice_str(name))) {
			*value = a.value;
			return true;
		}
	}
	return false;
}

/* -- sniffing -- */

/* Copies the ASCII characters of the beginning, in any encoding of Unicode.
 * Returns how many. */
static size_t narrow(struct cfs_slice s, char out[SNIFF_BYTES])
{
	size_t n = 0;

	s = cfs_slice_sub(s, 0, SNIFF_BYTES);
	for (size_t i = 0; i < s.n; i++) {
		if (i + 8 <= s.n &&
		    cfs_swar_are_ascii_from(cfs_swar_at(s.p + i), 1)) {
			memcpy(out + n, s.p + i, 8);
			n += 8;
			i += 8 - 1;
		} else if (s.p[i] != 0 && s.p[i] < 0x80) {
			out[n++] = (char)s.p[i];
		}
	}
	return n;
}

/* The length of what precedes the root element. */
static size_t prolog_len(struct cfs_slice s)
{
	struct cfs_slice t = s, mark;

	for (;;) {
		ptrdiff_t at;
		size_t n;

		while (t.n > 0 && t.p[0] <= ' ')
			t = cfs_slice_from(t, 1);
		if (cfs_slice_starts(t, CFS_SLICE_LIT("<!--")))
			mark = CFS_SLICE_LIT("-->");
		else if (cfs_slice_starts(t, CFS_SLICE_LIT("<?")))
			mark = CFS_SLICE_LIT("?>");
		else if (cfs_slice_starts(t, CFS_SLICE_LIT("<!")))
			mark = CFS_SLICE_LIT(">");
		else
			return s.n - t.n;
		n = mark.n == 1 ? cfs_xml_doctype_len(t) : 0;
		if (n > 0) {
			t = cfs_slice_from(t, n);
			continue;
		}
		at = cfs_slice_search(t, mark);
		if (at < 0)
			return s.n;
		t = cfs_slice_from(t, (size_t)at + mark.n);
	}
}

static enum cfs_feed_kind kind_of_root(struct cfs_slice s)
{
	static const char *const rss[] = {
		"purl.org/rss/1.0/", "my.netscape.com/rdf/simple/",
		"channel.netscape.com/rdf/simple/",
	};
	ptrdiff_t end = cfs_slice_find(s, '>'), colon;
	struct cfs_slice tag = cfs_slice_sub(s, 1, end < 0 ? s.n
							 : (size_t)end - 1);
	size_t n = 0;

	while (n < tag.n && tag.p[n] > ' ' && tag.p[n] != '/')
		n++;
	s = cfs_slice_sub(tag, 0, n);
	colon = cfs_slice_find(s, ':');
	s = cfs_slice_from(s, (size_t)(colon + 1));
	if (is_name(s, "rss"))
		return CFS_FEED_RSS;
	if (is_name(s, "feed"))
		return !has(tag, "xmlns") || has(tag, "www.w3.org/2005/Atom") ||
				       has(tag, "purl.org/atom/ns") ||
				       has(tag, "purl.org/net/atom")
			       ? CFS_FEED_ATOM : CFS_FEED_NONE;
	for (size_t i = 0;
	     is_name(s, "rdf") && i < sizeof(rss) / sizeof(rss[0]); i++)
		if (has(tag, rss[i]))
			return CFS_FEED_RSS;
	return CFS_FEED_NONE;
}

enum cfs_feed_kind cfs_feed_sniff(struct cfs_slice body, bool is_declared)
{
	char ascii[SNIFF_BYTES];
	struct cfs_slice s = cfs_slice_of(ascii, narrow(body, ascii)), t;
	enum cfs_feed_kind kind;

	t = cfs_slice_from(s, prolog_len(s));
	kind = t.n > 0 && t.p[0] == '<' ? kind_of_root(t) : CFS_FEED_NONE;
	while (kind == CFS_FEED_NONE && is_declared && s.n > 0) {
		ptrdiff_t at = cfs_slice_find(s, '<');

		s = cfs_slice_from(s, (size_t)at);
		if (s.n > 0)
			kind = kind_of_root(s);
		s = cfs_slice_from(s, 1);
	}
	return kind;
}
