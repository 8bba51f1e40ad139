/* xml_reader.c - reads XML as starts and ends of elements (see xml_reader.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "xml_reader.h"

#define XML_URI "http://www.w3.org/XML/1998/namespace"
#define XMLNS_URI "http://www.w3.org/2000/xmlns/"

void cfs_xml_reader_init(struct cfs_xml_reader *r, struct cfs_slice utf8,
			 enum cfs_reference_rules references, const char *roots)
{
	cfs_xml_begin(&r->tokens, utf8, references);
	r->roots = roots;
	r->name = (struct cfs_xml_name){ CFS_SLICE_EMPTY, CFS_SLICE_EMPTY,
					 CFS_SLICE_EMPTY };
	r->text = CFS_SLICE_EMPTY;
	r->n_open = r->n_stay = r->n_scope = 0;
	r->too_deep = 0;
	r->is_over = r->is_flawed = false;
	cfs_buf_init(&r->uris, CFS_XML_SCOPE_MAX * CFS_XML_URI_MAX +
			       CFS_XML_VALUE_MAX * CFS_REFERENCE_BYTES);
}

void cfs_xml_reader_release(struct cfs_xml_reader *r)
{
	cfs_buf_release(&r->uris);
}

/* ---- names and namespaces ---- */

static void split_name(struct cfs_slice whole, struct cfs_xml_name *out)
{
	ptrdiff_t colon = cfs_slice_find(whole, ':');

	out->prefix = cfs_slice_sub(whole, 0, colon < 0 ? 0 : (size_t)colon);
	out->local = cfs_slice_from(whole, (size_t)(colon + 1));
}

bool cfs_xml_is_declaration(struct cfs_slice attr_name)
{
	return cfs_slice_starts(attr_name, CFS_SLICE_LIT("xmlns")) &&
	       (attr_name.n == 5 || attr_name.p[5] == ':');
}

static struct cfs_slice uri_of(const struct cfs_xml_reader *r,
			       struct cfs_slice prefix)
{
	if (cfs_slice_eq(prefix, CFS_SLICE_LIT("xml")))
		return CFS_SLICE_LIT(XML_URI);
	for (unsigned i = r->n_scope; i-- > 0;)
		if (cfs_slice_eq(r->scope[i].prefix, prefix))
			return cfs_slice_sub(cfs_buf_slice(&r->uris),
					     r->scope[i].at, r->scope[i].n);
	return CFS_SLICE_EMPTY;
}

/* May a prefix stand for a URI?  (Namespaces in XML 1.0, section 3) */
static bool is_allowed(struct cfs_slice prefix, struct cfs_slice uri)
{
	return !cfs_slice_eq(prefix, CFS_SLICE_LIT("xml")) &&
	       !cfs_slice_eq(prefix, CFS_SLICE_LIT("xmlns")) &&
	       !cfs_slice_eq(uri, CFS_SLICE_LIT(XML_URI)) &&
	       !cfs_slice_eq(uri, CFS_SLICE_LIT(XMLNS_URI)) &&
	       (uri.n > 0 || prefix.n == 0);
}

/* Declares a namespace for the element that starts, whose first one is
 * scope[first]. */
static void declare(struct cfs_xml_reader *r, const struct cfs_html_attr *a,
		    unsigned first)
{
	struct cfs_slice prefix = cfs_slice_from(a->name, 6), uri;
	size_t at = r->uris.n;

	for (unsigned i = first; i < r->n_scope; i++)
		if (cfs_slice_eq(r->scope[i].prefix, prefix))
			return;
	if (r->n_scope == CFS_XML_SCOPE_MAX)
		return;
	cfs_xml_value(a->value, r->tokens.xml.references, &r->uris);
	uri = cfs_slice_from(cfs_buf_slice(&r->uris), at);
	if (r->uris.failed != CFS_OK || !is_allowed(prefix, uri)) {
		r->uris.n = at;
		return;
	}
	if (uri.n > CFS_XML_URI_MAX)
		uri.n = CFS_XML_URI_MAX;
	r->uris.n = at + uri.n;
	r->scope[r->n_scope++] = (struct cfs_xml_scope){ prefix, at, uri.n };
}

static void declare_all(struct cfs_xml_reader *r)
{
	const struct cfs_html_token *k = &r->tokens.token;
	unsigned first = r->n_scope;

	for (unsigned i = 0; i < k->n_attrs; i++)
		if (cfs_xml_is_declaration(k->attrs[i].name))
			declare(r, &k->attrs[i], first);
	r->open[r->n_open].n_scope = r->n_scope - first;
}

/* ---- elements ---- */

/* Pushes the element of a start tag.  False if it is left out. */
static bool start(struct cfs_xml_reader *r, const struct cfs_html_token *k)
{
	split_name(k->name, &r->name);
	if (r->n_open == 0 && r->roots != NULL &&
	    !cfs_slice_in_words(r->name.local, r->roots)) {
		r->is_flawed = true;
		return false;
	}
	if (r->n_open == CFS_XML_DEPTH_MAX) {
		r->is_flawed = true;
		r->too_deep += !k->is_self_closing;
		return false;
	}
	r->open[r->n_open].name = k->name;
	declare_all(r);
	r->name.uri = uri_of(r, r->name.prefix);
	r->n_stay = r->n_open + !k->is_self_closing;
	r->n_open++;
	r->tokens.xml.allow_doctype = false;
	return true;
}

/* Finds the elements that an end tag ends. */
static void find_end(struct cfs_xml_reader *r, struct cfs_slice name)
{
	unsigned at = r->n_open;

	if (r->too_deep > 0) {
		r->too_deep--;
		return;
	}
	while (at > 0 && !cfs_slice_eq(r->open[at - 1].name, name))
		at--;
	r->is_flawed |= at == 0 || at < r->n_open;
	if (at > 0)
		r->n_stay = at - 1;
}

static enum cfs_xml_event pop(struct cfs_xml_reader *r)
{
	const struct cfs_xml_open *o = &r->open[--r->n_open];

	split_name(o->name, &r->name);
	r->name.uri = uri_of(r, r->name.prefix);
	if (o->n_scope > 0) {
		r->n_scope -= o->n_scope;
		r->uris.n = r->scope[r->n_scope].at;
	}
	r->is_over = r->n_open == 0;
	return CFS_XML_END;
}

/* ---- events ---- */

static bool is_blank(struct cfs_slice s)
{
	return cfs_slice_trim(s).n == 0;
}

/* Handles a token.  False if it makes no event. */
static bool handle(struct cfs_xml_reader *r, const struct cfs_html_token *k,
		   enum cfs_xml_event *out)
{
	switch (k->type) {
	case CFS_HTML_START:
		*out = CFS_XML_START;
		return start(r, k);
	case CFS_HTML_END:
		find_end(r, k->name);
		return false;
	case CFS_HTML_TEXT:
		*out = CFS_XML_TEXT;
		r->text = k->text;
		r->is_flawed |= r->n_open == 0 && !is_blank(k->text);
		return r->n_open > 0;
	case CFS_HTML_DOCTYPE:
		r->is_flawed = true;
		return false;
	case CFS_HTML_EOF:
		*out = CFS_XML_EOF;
		r->is_flawed |= r->n_open > 0 || !r->is_over;
		r->n_stay = 0;
		return r->n_open == 0;
	default:
		*out = CFS_XML_BREAK;
		return r->n_open > 0;
	}
}

enum cfs_xml_event cfs_xml_next(struct cfs_xml_reader *r)
{
	enum cfs_xml_event event = CFS_XML_EOF;

	for (;;) {
		if (r->n_open > r->n_stay)
			return pop(r);
		if (r->is_over)
			return CFS_XML_EOF;
		if (handle(r, cfs_html_next(&r->tokens), &event))
			return event;
	}
}

bool cfs_xml_is_sound(struct cfs_xml_reader *r)
{
	r->tokens.xml.allow_doctype = true;
	while (r->is_over && !r->is_flawed && !r->tokens.xml.is_flawed) {
		const struct cfs_html_token *k = cfs_html_next(&r->tokens);

		if (k->type == CFS_HTML_EOF)
			return !r->tokens.xml.is_flawed;
		r->is_flawed = k->type == CFS_HTML_START ||
			       k->type == CFS_HTML_END ||
			       k->type == CFS_HTML_DOCTYPE ||
			       (k->type == CFS_HTML_TEXT && !is_blank(k->text));
	}
	return false;
}
