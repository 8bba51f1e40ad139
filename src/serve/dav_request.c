/* dav_request.c - reads requests of PROPFIND.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "dav_internal.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "markup/xml_reader.h"

#define GROWTH_MAX 3u		/* U+FFFD for one byte */

static const struct cfs_slice dav = CFS_SLICE_LIT("DAV:");

const char *const cfs_dav_prop_names[CFS_DAV_PROPS] = {
	[CFS_DAV_RESOURCETYPE] = "resourcetype",
	[CFS_DAV_DISPLAYNAME] = "displayname",
	[CFS_DAV_GETLASTMODIFIED] = "getlastmodified",
	[CFS_DAV_CREATIONDATE] = "creationdate",
	[CFS_DAV_GETCONTENTLENGTH] = "getcontentlength",
	[CFS_DAV_GETCONTENTTYPE] = "getcontenttype",
	[CFS_DAV_GETETAG] = "getetag",
	[CFS_DAV_SUPPORTEDLOCK] = "supportedlock",
};

int cfs_dav_depth(struct cfs_slice field)
{
	if (field.n == 0 ||
	    cfs_slice_eq_nocase(field, CFS_SLICE_LIT("infinity")))
		return 2;
	if (cfs_slice_eq(field, CFS_SLICE_LIT("0")))
		return 0;
	return cfs_slice_eq(field, CFS_SLICE_LIT("1")) ? 1 : -1;
}

static void add_text(struct cfs_buf *out, const struct cfs_html_part *p)
{
	struct cfs_slice text = p->text;

	while (text.n > 0) {
		size_t n = cfs_utf8_len(text);
		uint8_t c = text.p[0];

		if (n == 0 || (c < ' ' && c != '\t' && c != '\n') ||
		    (n == 3 && c == 0xef && text.p[1] == 0xbf &&
		     text.p[2] >= 0xbe))	/* U+FFFE and U+FFFF */
			cfs_buf_adds(out, "\xef\xbf\xbd");
		else if (c == '<')
			cfs_buf_adds(out, "&lt;");
		else if (c == '>')
			cfs_buf_adds(out, "&gt;");
		else if (c == '&')
			cfs_buf_adds(out, "&amp;");
		else if (c == '"')
			cfs_buf_adds(out, "&quot;");
		else
			cfs_buf_add(out, cfs_slice_sub(text, 0, n));
		text = cfs_slice_from(text, n > 0 ? n : 1);
	}
}

struct cfs_html_part cfs_dav_text(struct cfs_slice text)
{
	return (struct cfs_html_part){ .add = add_text, .text = text };
}

static void add_href(struct cfs_buf *out, const struct cfs_html_part *p)
{
	struct cfs_slice rest = p->text;

	while (rest.n > 0) {
		struct cfs_slice one = cfs_slice_split(&rest, '&');

		cfs_path_encode(one, out);
		if (one.p + one.n < p->text.p + p->text.n)
			cfs_buf_adds(out, "&amp;");
	}
}

struct cfs_html_part cfs_dav_href(struct cfs_slice path)
{
	return (struct cfs_html_part){ .add = add_href, .text = path };
}

struct wanted_reader {
	struct cfs_dav_wanted *out;
	struct cfs_xml_reader xml;
	unsigned depth;			/* open elements */
	bool in_prop;
	bool has_kind;			/* prop, allprop or propname */
	bool is_bad;
};

static void want_prop(struct wanted_reader *r)
{
	const struct cfs_xml_name *name = &r->xml.name;
	struct cfs_buf *out = &r->out->unknown;

	for (unsigned i = 0; i < CFS_DAV_PROPS; i++) {
		if (cfs_slice_eq(name->uri, dav) &&
		    cfs_slice_eq(name->local,
				 cfs_slice_str(cfs_dav_prop_names[i]))) {
			r->out->props |= 1u << i;
			return;
		}
	}
	if (name->uri.n > 0)
		CFS_HTML(out, "<x:$ xmlns:x='$'/>", cfs_html_made(name->local),
			 cfs_dav_text(name->uri));
	else
		CFS_HTML(out, "<$ xmlns=''/>", cfs_html_made(name->local));
}

/* A prefix cannot be declared as no namespace, or be used without being
 * declared. */
static bool has_bad_namespace(const struct cfs_xml_reader *xml)
{
	const struct cfs_html_attr *attrs;
	unsigned n = cfs_xml_attrs(xml, &attrs);

	for (unsigned i = 0; i < n; i++)
		if (attrs[i].value.n == 0 && attrs[i].name.n > 6 &&
		    cfs_xml_is_declaration(attrs[i].name))
			return true;
	return xml->name.prefix.n > 0 && xml->name.uri.n == 0;
}

static void wanted_on_start(struct wanted_reader *r)
{
	struct cfs_slice name = r->xml.name.local;
	bool is_dav = cfs_slice_eq(r->xml.name.uri, dav);

	r->is_bad |= has_bad_namespace(&r->xml);
	r->depth++;
	if (r->depth == 1) {
		r->is_bad |= !is_dav ||
			     !cfs_slice_eq(name, CFS_SLICE_LIT("propfind"));
	} else if (r->depth == 2 && is_dav) {
		bool is_all = cfs_slice_eq(name, CFS_SLICE_LIT("allprop"));
		bool is_names = cfs_slice_eq(name, CFS_SLICE_LIT("propname"));

		r->in_prop = cfs_slice_eq(name, CFS_SLICE_LIT("prop"));
		if (!r->in_prop && !is_all && !is_names)
			return;
		r->is_bad |= r->has_kind;	/* one of them is allowed */
		r->has_kind = true;
		r->out->names_only = is_names;
		if (!r->in_prop)
			r->out->props = CFS_DAV_ALL;
	} else if (r->depth == 3 && r->in_prop) {
		want_prop(r);
	}
}

static void wanted_on_end(struct wanted_reader *r)
{
	r->depth--;
	if (r->depth == 1)
		r->in_prop = false;
}

static int read_wanted(struct wanted_reader *r, struct cfs_slice utf8,
		       struct cfs_error *err)
{
	enum cfs_xml_event event;

	cfs_xml_reader_init(&r->xml, utf8, CFS_REFERENCE_XML, NULL);
	while ((event = cfs_xml_next(&r->xml)) != CFS_XML_EOF) {
		if (event == CFS_XML_START)
			wanted_on_start(r);
		else if (event == CFS_XML_END)
			wanted_on_end(r);
	}
	r->is_bad |= !r->has_kind || !cfs_xml_is_sound(&r->xml);
	cfs_xml_reader_release(&r->xml);
	if (r->is_bad)
		return cfs_error_set(err, CFS_EUSAGE, "the body of the request "
				     "is not a propfind of WebDAV");
	if (r->out->unknown.failed == CFS_ELIMIT)
		return cfs_error_set(err, CFS_EUSAGE, "too many properties are "
				     "asked for");
	return r->out->unknown.failed;
}

int cfs_dav_wanted_read(struct cfs_dav_wanted *out, struct cfs_slice body,
			struct cfs_error *err)
{
	struct wanted_reader *r;
	struct cfs_slice utf8;
	struct cfs_buf made;
	int rc;

	*out = (struct cfs_dav_wanted){ .props = 0 };
	cfs_buf_init(&out->unknown, CFS_DAV_UNKNOWN_MAX);
	if (body.n == 0) {
		out->props = CFS_DAV_ALL;
		return CFS_OK;
	}
	r = calloc(1, sizeof(*r));
	if (r == NULL)
		return cfs_error_nomem(err);
	r->out = out;
	cfs_buf_init(&made, GROWTH_MAX * body.n + GROWTH_MAX);
	r->is_bad = !cfs_xml_to_utf8(body, &made, &utf8);
	rc = made.failed == CFS_OK ? read_wanted(r, utf8, err) : made.failed;
	cfs_buf_release(&made);
	free(r);
	return rc;
}

void cfs_dav_wanted_release(struct cfs_dav_wanted *w)
{
	cfs_buf_release(&w->unknown);
}
