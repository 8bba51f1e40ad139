/* xml_test.c - XML as tokens, elements and namespaces; what is well-formed; and
 * encodings.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "base/utf8.h"
#include "markup/xml.h"
#include "markup/xml_reader.h"

struct xml_case {
	const char *name, *xml;
	bool is_sound;
	/* "<a>t(b=v)</a>": starts, attributes, text, '#' for a comment or an
	 * instruction; a namespace is in braces before the name. */
	const char *want;
};

static struct xml_case cases[] = {
	{ "elements", "<a><b>t</b><c/></a>", true, "<a><b>t</b><c></c></a>" },
	{ "case and colons", "<A xmlns:x='u'><x:B-c.d_1/></A>", true,
	  "<A(xmlns:x=u)><{u}B-c.d_1></{u}B-c.d_1></A>" },
	{ "no raw text", "<a><title><b/></title><script>&lt;</script>"
	  "<textarea><br></br></textarea><p><p/></p></a>", true,
	  "<a><title><b></b></title><script><</script><textarea><br></br>"
	  "</textarea><p><p></p></p></a>" },
	{ "attributes", "<a b = 'c&lt;d' e=\"f'\n&#x41;\"/>", true,
	  "<a(b=c<d)(e=f' A)></a>" },
	{ "references", "<a>&amp;&lt;&gt;&quot;&apos;&#65;&#x1F600;</a>", true,
	  "<a>&<>\"'A\xf0\x9f\x98\x80</a>" },
	{ "cdata", "<a>x<![CDATA[<&amp;]]]]><![CDATA[>]]></a>", true,
	  "<a>x<&amp;]]></a>" },
	{ "comments and instructions", "<?xml version='1.0'?><!-- b --><a>c<!-- > -->d<?e f?>"
	  "g</a><!-- h --> <?i?>", true, "<a>c#d#g</a>" },
	{ "line ends", "<a b='c\r\nd\te'>f\r\ng\rh</a>", true,
	  "<a(b=c d e)>f\ng\nh</a>" },
	{ "namespaces", "<a xmlns='u'><b xmlns=''><c/></b><d xmlns:e='v'><e:f/></d>"
	  "<e:g/></a>", true,
	  "<{u}a(xmlns=u)><b(xmlns=)><c></c></b><{u}d(xmlns:e=v)><{v}f></{v}f>"
	  "</{u}d><g></g></{u}a>" },
	{ "one number of windows-1252", "<a>&#x93;</a>", true, "<a>\xc2\x93</a>" },
	{ "a replacement", "<a>&#xFFFD;\xef\xbf\xbd</a>", true,
	  "<a>\xef\xbf\xbd\xef\xbf\xbd</a>" },
	/* not well-formed */
	{ "nothing", "", false, "" },
	{ "text", "abc", false, "" },
	{ "text before", "x<a/>", false, "<a></a>" },
	{ "text behind", "<a/>x", false, "<a></a>" },
	{ "a second root", "<a/><b/>", false, "<a></a>" },
	{ "a section outside", "<![CDATA[ ]]><a/>", false, "<a></a>" },
	{ "a DTD", "<!DOCTYPE a [<!ENTITY b 'c>'>]><a>&b;</a>", false,
	  "<a>&b;</a>" },
	{ "a DTD behind", "<a/><!DOCTYPE a>", false, "<a></a>" },
	{ "no end", "<a><b>c", false, "<a><b>c</b></a>" },
	{ "a wrong end", "<a><b></a>", false, "<a><b></b></a>" },
	{ "an end too many", "<a></b></a>", false, "<a></a>" },
	{ "an end in another case", "<a></A></a>", false, "<a></a>" },
	{ "a cut tag", "<a><b c='d", false, "<a></a>" },
	{ "a tag in a tag", "<a b='c<d/></a>", false, "<a(b=c)><d></d></a>" },
	{ "no quotes", "<a b=c></a>", false, "<a(b=c)></a>" },
	{ "no quotes and a slash", "<a b=c/>", false, "<a(b=c/)></a>" },
	{ "no value", "<a b c='d'/>", false, "<a(c=d)></a>" },
	{ "no blank", "<a b='c'd='e'/>", false, "<a(b=c)(d=e)></a>" },
	{ "an attribute twice", "<a b='c' b='d'/>", false, "<a(b=c)(b=d)></a>" },
	{ "stray brackets", "<a>1 < 2 <3 a>b</a>", false, "<a>1 < 2 <3 a>b</a>" },
	{ "the end of a section", "<a>]]></a>", false, "<a>]]></a>" },
	{ "a section without end", "<a><![CDATA[b", false, "<a>b</a>" },
	{ "stray ampersands", "<a b='&'>& &b c</a>", false, "<a(b=&)>& &b c</a>" },
	{ "a name of HTML", "<a>&eacute;</a>", false, "<a>&eacute;</a>" },
	{ "a name of HTML in capitals", "<a>&AMP;</a>", false, "<a>&AMP;</a>" },
	{ "no semicolon", "<a>&#65 &amp</a>", false, "<a>A &amp</a>" },
	{ "numbers of no character", "<a>&#0;&#xd800;&#1;&#xffff;</a>", false,
	  "<a>\xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbd</a>" },
	{ "control characters", "<a b='\x01'>\x1b[2J\xef\xbf\xbe</a>", false,
	  "<a(b= )> [2J\xef\xbf\xbd</a>" },
	{ "dashes in a comment", "<a><!-- b -- c --></a>", false, "<a>#</a>" },
	{ "a comment without end", "<a><!-- b</a>", false, "<a>#</a>" },
	{ "an instruction without end", "<a><?b></a>", false, "<a>#</a>" },
	{ "a late declaration", " <?xml version='1.0'?><a/>", false, "<a></a>" },
	{ "a declaration in an element", "<a><!b></a>", false, "<a><!b></a>" },
	{ "odd names of attributes", "<a b:c:d='e' 1f='g' -h='i'/>", false,
	  "<a(f=g)(h=i)></a>" },
	{ "odd names", "<a><-b/><c:/><:d/><e:f:g/></a>", false,
	  "<a><-b/><c:/><:d/><e:f:g/></a>" },
	{ "reserved namespaces", "<a xmlns:xml='u' xmlns:xmlns='v' xmlns:b='' "
	  "xmlns:c='http://www.w3.org/2000/xmlns/'><b:d/><c:e/><xml:f/></a>", true,
	  "<a(xmlns:xml=u)(xmlns:xmlns=v)(xmlns:b=)"
	  "(xmlns:c=http://www.w3.org/2000/xmlns/)><d></d><e></e>"
	  "<{http://www.w3.org/XML/1998/namespace}f>"
	  "</{http://www.w3.org/XML/1998/namespace}f></a>" },
};

static void put_name(const struct cfs_xml_reader *r, struct cfs_buf *out)
{
	if (r->name.uri.n > 0) {
		cfs_buf_addc(out, '{');
		cfs_buf_add(out, r->name.uri);
		cfs_buf_addc(out, '}');
	}
	cfs_buf_add(out, r->name.local);
}

static void put_start(const struct cfs_xml_reader *r, struct cfs_buf *out)
{
	const struct cfs_html_attr *attrs;
	unsigned n = cfs_xml_attrs(r, &attrs);

	cfs_buf_addc(out, '<');
	put_name(r, out);
	for (unsigned i = 0; i < n; i++) {
		cfs_buf_addc(out, '(');
		cfs_buf_add(out, attrs[i].name);
		cfs_buf_addc(out, '=');
		cfs_xml_value(attrs[i].value, CFS_REFERENCE_XML, out);
		cfs_buf_addc(out, ')');
	}
	cfs_buf_addc(out, '>');
}

/* Reads the document, checks that starts and ends pair, and says whether it is
 * well-formed. */
static bool read_xml(struct cfs_slice xml, struct cfs_buf *out)
{
	struct cfs_xml_reader *r = calloc(1, sizeof(*r));
	enum cfs_xml_event event;
	unsigned depth = 0;
	bool is_sound;

	assert_non_null(r);
	cfs_xml_reader_init(r, xml, CFS_REFERENCE_XML, NULL);
	while ((event = cfs_xml_next(r)) != CFS_XML_EOF) {
		if (event == CFS_XML_START) {
			assert_true(depth++ < CFS_XML_DEPTH_MAX);
			put_start(r, out);
		} else if (event == CFS_XML_END) {
			assert_true(depth-- > 0);
			cfs_buf_adds(out, "</");
			put_name(r, out);
			cfs_buf_addc(out, '>');
		} else if (event == CFS_XML_TEXT) {
			cfs_buf_add(out, r->text);
		} else {
			cfs_buf_addc(out, '#');
		}
	}
	assert_int_equal(depth, 0);
	assert_int_equal(cfs_xml_next(r), CFS_XML_EOF);
	is_sound = cfs_xml_is_sound(r);
	cfs_xml_reader_release(r);
	free(r);
	return is_sound;
}

/* Each case in an exact buffer, then every prefix of it, of which none is
 * well-formed before it has the whole root element. */
static void xml_case(void **state)
{
	const struct xml_case *tc = *state;
	size_t len = strlen(tc->xml);
	struct cfs_buf got;

	for (size_t n = 0; n <= len; n++) {
		uint8_t *exact = malloc(n ? n : 1);
		bool is_sound;

		assert_non_null(exact);
		memcpy(exact, tc->xml, n);
		cfs_buf_init(&got, 1 << 20);
		if (cfs_utf8_is_valid(cfs_slice_of(exact, n))) {
			is_sound = read_xml(cfs_slice_of(exact, n), &got);
			if (is_sound)
				assert_string_equal(cfs_buf_str(&got),
						    tc->want);
			if (n == len) {
				assert_string_equal(cfs_buf_str(&got),
						    tc->want);
				assert_int_equal(is_sound, tc->is_sound);
			}
		}
		cfs_buf_release(&got);
		free(exact);
	}
}

/* ---- limits ---- */

static struct cfs_buf repeated(const char *head, const char *unit, size_t times,
			       const char *tail)
{
	struct cfs_buf b;

	cfs_buf_init(&b, 1 << 26);
	cfs_buf_adds(&b, head);
	for (size_t i = 0; i < times; i++)
		cfs_buf_adds(&b, unit);
	cfs_buf_adds(&b, tail);
	assert_int_equal(b.failed, CFS_OK);
	return b;
}

/* At the limit a document is read whole; past it, it is mended. */
static void depth(void **state)
{
	(void)state;
	for (size_t n = CFS_XML_DEPTH_MAX; n <= CFS_XML_DEPTH_MAX + 1; n++) {
		struct cfs_buf open = repeated("", "<a>", n, "x</a>y"), got;
		struct cfs_buf xml = repeated(cfs_buf_str(&open), "</a>",
					      n - 1, "");

		cfs_buf_init(&got, 1 << 20);
		assert_int_equal(read_xml(cfs_buf_slice(&xml), &got),
				 n == CFS_XML_DEPTH_MAX);
		assert_int_equal(got.n, CFS_XML_DEPTH_MAX * 7 + 2);
		assert_non_null(strstr(cfs_buf_str(&got),
				       n == CFS_XML_DEPTH_MAX ? ">x</a>y</a>"
							      : ">xy</a>"));
		cfs_buf_release(&got);
		cfs_buf_release(&xml);
		cfs_buf_release(&open);
	}
}

static void attributes(void **state)
{
	struct cfs_buf xml = repeated("<a", " b='c'", CFS_XML_ATTRS_MAX + 1,
				      "/>"), got;

	(void)state;
	cfs_buf_init(&got, 1 << 20);
	assert_false(read_xml(cfs_buf_slice(&xml), &got));
	assert_int_equal(got.n, strlen("<a></a>") +
				CFS_XML_ATTRS_MAX * strlen("(b=c)"));
	cfs_buf_release(&got);
	cfs_buf_release(&xml);
}

/* A long value is cut, but not inside a character or a reference. */
static void long_value(void **state)
{
	static const char *const units[] = { "x", "\xe2\x82\xac", "&amp;" };
	static const size_t bytes[] = { 1, 3, 1 };

	(void)state;
	for (size_t i = 0; i < COUNT(units); i++) {
		struct cfs_buf raw = repeated("", units[i], CFS_XML_VALUE_MAX,
					      ""), got;
		size_t n = CFS_XML_VALUE_MAX / strlen(units[i]);

		cfs_buf_init(&got, 1 << 20);
		cfs_xml_value(cfs_buf_slice(&raw), CFS_REFERENCE_XML, &got);
		assert_true(cfs_utf8_is_valid(cfs_buf_slice(&got)));
		assert_true(got.n <= n * bytes[i] &&
			    got.n + 4 * bytes[i] >= n * bytes[i]);
		assert_int_equal(got.n % bytes[i], 0);
		cfs_buf_release(&got);
		cfs_buf_release(&raw);
	}
}

/* Namespaces beyond the limit are not declared, and the others stay. */
static void many_namespaces(void **state)
{
	struct cfs_buf xml, got;

	(void)state;
	cfs_buf_init(&xml, 1 << 20);
	cfs_buf_adds(&xml, "<a>");
	for (unsigned i = 0; i < CFS_XML_SCOPE_MAX + 1; i++)
		cfs_buf_addf(&xml, "<b xmlns:n%u='u%u'>", i, i);
	cfs_buf_adds(&xml, "<n0:c/><n63:c/><n64:c/>");
	for (unsigned i = 0; i < CFS_XML_SCOPE_MAX + 1; i++)
		cfs_buf_adds(&xml, "</b>");
	cfs_buf_adds(&xml, "<n0:c/></a>");
	cfs_buf_init(&got, 1 << 20);
	read_xml(cfs_buf_slice(&xml), &got);
	assert_non_null(strstr(cfs_buf_str(&got), "<{u0}c></{u0}c><{u63}c>"
			       "</{u63}c><c></c></b>"));
	assert_true(cfs_slice_ends(cfs_buf_slice(&got),
				   CFS_SLICE_LIT("</b><c></c></a>")));
	cfs_buf_release(&got);
	cfs_buf_release(&xml);
}

/* ---- the root element of a feed, and references of feeds ---- */

static void roots(void **state)
{
	struct cfs_xml_reader *r = calloc(1, sizeof(*r));

	(void)state;
	assert_non_null(r);
	cfs_xml_reader_init(r, CFS_SLICE_LIT("Warning: <b>x</b> <![CDATA[<p>]]> "
			    "<x:RSS>&check;&#x80;&lt</x:RSS><rss>"),
			    CFS_REFERENCE_FEED, "feed rss");
	assert_int_equal(cfs_xml_next(r), CFS_XML_START);
	assert_true(cfs_slice_eq(r->name.local, CFS_SLICE_LIT("RSS")));
	assert_int_equal(cfs_xml_next(r), CFS_XML_TEXT);
	assert_true(cfs_slice_eq(r->text, CFS_SLICE_LIT("\xe2\x9c\x93")));
	assert_int_equal(cfs_xml_next(r), CFS_XML_TEXT);
	assert_true(cfs_slice_eq(r->text, CFS_SLICE_LIT("\xe2\x82\xac")));
	assert_int_equal(cfs_xml_next(r), CFS_XML_TEXT);
	assert_true(cfs_slice_eq(r->text, CFS_SLICE_LIT("&")));
	assert_int_equal(cfs_xml_next(r), CFS_XML_TEXT);
	assert_int_equal(cfs_xml_next(r), CFS_XML_END);
	assert_int_equal(cfs_xml_next(r), CFS_XML_EOF);
	cfs_xml_reader_release(r);
	free(r);
}

/* ---- encodings ---- */

struct encoding_case {
	const char *name;
	struct cfs_slice in;
	bool is_right;
	const char *want;
};

#define E_ACUTE "\xc3\xa9"
#define HEAD(e) "<?xml version='1.0' encoding=" e "?>"

static struct encoding_case encodings[] = {
	{ "none", CFS_SLICE_LIT("<a>" E_ACUTE), true, "<a>" E_ACUTE },
	{ "utf-8", CFS_SLICE_LIT(HEAD("'UTF-8'") E_ACUTE), true,
	  HEAD("'UTF-8'") E_ACUTE },
	{ "a mark", CFS_SLICE_LIT("\xef\xbb\xbf<a>"), true, "<a>" },
	{ "latin1", CFS_SLICE_LIT(HEAD("\"ISO-8859-1\"") "\xe9"), true,
	  HEAD("\"ISO-8859-1\"") E_ACUTE },
	{ "utf-16", CFS_SLICE_LIT("\xff\xfe<\0\xe9\0\x3d\xd8\x00\xde"), true,
	  "<" E_ACUTE "\xf0\x9f\x98\x80" },
	{ "utf-16, big", CFS_SLICE_LIT("\xfe\xff\0<\0\xe9"), true, "<" E_ACUTE },
	{ "utf-16 without a mark", CFS_SLICE_LIT("<\0a\0"), true, "<a" },
	{ "utf-16, big, without one", CFS_SLICE_LIT("\0<\0a"), true, "<a" },
	{ "half of a unit", CFS_SLICE_LIT("<\0a\0b"), false, "<a" },
	{ "half of a pair", CFS_SLICE_LIT("<\0\x3d\xd8" "b\0"), false,
	  "<\xef\xbf\xbd" "b" },
	{ "no utf-8", CFS_SLICE_LIT("<a>\xe9</a>"), false, "<a>\xef\xbf\xbd</a>" },
	{ "unknown", CFS_SLICE_LIT(HEAD("'koi8-r'") "\xe9"), false,
	  HEAD("'koi8-r'") "\xef\xbf\xbd" },
	{ "no quote", CFS_SLICE_LIT(HEAD("utf-8")), false, HEAD("utf-8") },
	{ "no end", CFS_SLICE_LIT("<?xml version='1.0"), false,
	  "<?xml version='1.0" },
	{ "no version", CFS_SLICE_LIT("<?xml encoding='utf-8'?>"), false,
	  "<?xml encoding='utf-8'?>" },
	{ "version 2", CFS_SLICE_LIT("<?xml version='2.0'?>"), false,
	  "<?xml version='2.0'?>" },
	{ "standalone", CFS_SLICE_LIT("<?xml version='1.1' standalone = \"yes\" ?>"),
	  true, "<?xml version='1.1' standalone = \"yes\" ?>" },
	{ "another instruction", CFS_SLICE_LIT("<?xml-stylesheet?>"), true,
	  "<?xml-stylesheet?>" },
	{ "nothing", CFS_SLICE_LIT(""), true, "" },
};

static void encoding_case(void **state)
{
	const struct encoding_case *tc = *state;
	uint8_t *exact = malloc(tc->in.n + 1);
	struct cfs_slice got;
	struct cfs_buf out;

	assert_non_null(exact);
	for (size_t n = 0; n <= tc->in.n; n++) {	/* right-aligned */
		uint8_t *p = exact + tc->in.n + 1 - n;

		memcpy(p, tc->in.p, n);
		cfs_buf_init(&out, 3 * n + 1);
		if (cfs_xml_to_utf8(cfs_slice_of(p, n), &out, &got) !=
		    tc->is_right && n == tc->in.n)
			fail_msg("%s: the other answer", tc->name);
		assert_int_equal(out.failed, CFS_OK);
		assert_true(cfs_utf8_is_valid(got));
		if (n == tc->in.n)
			assert_true(cfs_slice_eq(got, cfs_slice_str(tc->want)));
		cfs_buf_release(&out);
	}
	free(exact);
}

UNIT_PROGRAM
{
	UNIT_ROWS(cases, xml_case);
	UNIT_ROWS(encodings, encoding_case);
	UNIT_TEST(depth);
	UNIT_TEST(attributes);
	UNIT_TEST(long_value);
	UNIT_TEST(many_namespaces);
	UNIT_TEST(roots);
	return unit_run("xml");
}
