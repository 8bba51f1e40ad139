/* meta_test.c - the .meta view: fields, their order, links, always valid JSON.
 *
 * Jansson, which reads the output here, had no part in writing it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "view_fixture.h"

#include <jansson.h>
#include <stdio.h>

#include "codec/json.h"
#include "html/outline.h"
#include "index/language_codes.h"
#include "url/urlref.h"

/* The text that Jansson writes, with the simhash in 20 bytes.  The caller
 * frees it. */
static char *pretty_of(const json_t *v)
{
	static const char key[] = "\n  \"text_simhash\": ";
	char *plain = json_dumps(v, JSON_INDENT(2)), *out = plain;
	char *at = plain != NULL ? strstr(plain, key) : NULL;
	int n;

	assert_non_null(plain);
	if (at != NULL) {
		at += sizeof(key) - 1;
		n = (int)strspn(at, "-0123456789");
		assert_true(asprintf(&out, "%.*s%20.*s%s", (int)(at - plain), plain,
				     n, at, at + n) > 0);
		free(plain);
	}
	return out;
}

/* The view, parsed; its bytes are what Jansson itself would write. */
static json_t *meta_of(const struct fixture *f)
{
	char *pretty = fixture_view(f, CFS_VIEW_META, false, NULL);
	char *compact = fixture_view(f, CFS_VIEW_META, true, NULL);
	json_error_t err;
	json_t *v = json_loads(pretty, JSON_REJECT_DUPLICATES, &err);
	char *want;

	assert_non_null(v);
	want = pretty_of(v);
	assert_true(strncmp(pretty, want, strlen(want)) == 0);
	assert_string_equal(pretty + strlen(want), "\n");
	free(want);
	want = json_dumps(v, JSON_COMPACT);
	assert_true(strncmp(compact, want, strlen(want)) == 0);
	assert_string_equal(compact + strlen(want), "\n");
	free(want);
	free(pretty);
	free(compact);
	return v;
}

/* Compares one part of the view ("" for all) with compact JSON. */
static void part_is(const struct fixture *f, const char *key, const char *want)
{
	json_t *v = meta_of(f);
	json_t *part = json_object_get(v, key);
	char *got = part ? json_dumps(part, JSON_COMPACT | JSON_ENCODE_ANY)
			 : strdup("absent");

	assert_string_equal(got, want);
	free(got);
	json_decref(v);
}

static void keys_are(const struct fixture *f, const char *want)
{
	json_t *v = meta_of(f), *value;
	char got[1024] = "";
	const char *key;
	size_t n = 0;

	json_object_foreach(v, key, value)
		n += (size_t)snprintf(got + n, sizeof(got) - n, "%s ", key);
	assert_string_equal(got, want);
	json_decref(v);
}

/* -- the content object -- */

struct content_case {
	const char *name, *body, *want;
};

#define DOC "{\"type\":\"html-doc\""
static struct content_case contents[] = {
	{ "nothing", "<p>x", DOC "}" },
	{ "title as it is", "<title>\n A  b\n</title>", DOC ",\"title\":\"\\n A  b\\n\"}" },
	{ "metas, attributes in order", "<meta content=c name=N><meta http-equiv=x><meta charset=utf-8 Name='a&amp;b'>",
	  DOC ",\"meta_tags\":[{\"content\":\"c\",\"name\":\"N\"},{\"http-equiv\":\"x\"},"
	  "{\"charset\":\"utf-8\",\"name\":\"a&b\"}]}" },
	{ "a", "<a class=c href=x title='t t'> one <b>two</b><i> three</i></a>",
	  DOC ",\"links\":[{\"type\":\"a\",\"class\":\"c\",\"title\":\"t t\","
	  "\"text\":\"one two three\",\"href\":\"http://host/dir/x\"}]}" },
	{ "image in a link comes first", "<a href=/p><img src=i.png alt=I></a>",
	  DOC ",\"links\":[{\"type\":\"img\",\"alt\":\"I\",\"text\":\"\",\"href\":\"http://host/dir/i.png\"},"
	  "{\"type\":\"a\",\"text\":\"\",\"href\":\"http://host/p\"}]}" },
	{ "link with a type", "<link rel=stylesheet type=text/css href='s.css'>",
	  DOC ",\"links\":[{\"type\":\"text/css\",\"rel\":\"stylesheet\",\"text\":\"\",\"href\":\"http://host/dir/s.css\"}]}" },
	{ "scripts", "<script src=a.js></script><script>var x='<a href=no>';</script><script type=text/javascript src=//c/b.js></script>",
	  DOC ",\"links\":[{\"type\":\"script\",\"text\":\"\",\"href\":\"http://host/dir/a.js\"},"
	  "{\"type\":\"text/javascript\",\"text\":\"\",\"href\":\"http://c/b.js\"}]}" },
	{ "iframe text is raw", "<iframe src=f width=1> <p>no</p> </iframe>",
	  DOC ",\"links\":[{\"type\":\"iframe\",\"width\":\"1\",\"text\":\"<p>no</p>\",\"href\":\"http://host/dir/f\"}]}" },
	{ "area", "<map><area shape=rect href=?q></map>",
	  DOC ",\"links\":[{\"type\":\"area\",\"shape\":\"rect\",\"text\":\"\",\"href\":\"http://host/dir/page?q\"}]}" },
	{ "frames", "<frameset><frame src=a name=n></frameset>",
	  DOC ",\"links\":[{\"type\":\"frame\",\"name\":\"n\",\"text\":\"\",\"href\":\"http://host/dir/a\"}]}" },
	{ "no links", "<a name=x>a</a><a href=''>b</a><a href='#top'>c</a><a href=' JavaScript:void(0)'>d</a><img src='data:,x'>", DOC "}" },
	{ "mailto and fragments", "<a href='mailto:a@b'>m</a><a href='x#y'>n</a>",
	  DOC ",\"links\":[{\"type\":\"a\",\"text\":\"m\",\"href\":\"mailto:a@b\"},"
	  "{\"type\":\"a\",\"text\":\"n\",\"href\":\"http://host/dir/x#y\"}]}" },
	{ "base", "<base href='http://other/z/'><base href='http://no/'><a href=x>a</a><a href=/x>b</a>",
	  DOC ",\"links\":[{\"type\":\"a\",\"text\":\"a\",\"href\":\"http://other/z/x\"},"
	  "{\"type\":\"a\",\"text\":\"b\",\"href\":\"http://other/x\"}]}" },
	{ "names that collide", "<img href=h text=t src=s type=y>",
	  DOC ",\"links\":[{\"type\":\"y\",\"text\":\"\",\"href\":\"http://host/dir/s\"}]}" },
	{ "lines of a text", "<a href=x>\n one \n\n two  three\r\n <b>\n</b> four </a>",
	  DOC ",\"links\":[{\"type\":\"a\",\"text\":\"one two  three four\","
	  "\"href\":\"http://host/dir/x\"}]}" },
	{ "link in a link", "<a href=1>x<table><tr><td><a>n</a><a href=2>y</a></table>z</a>",
	  DOC ",\"links\":[{\"type\":\"a\",\"text\":\"y\",\"href\":\"http://host/dir/2\"},"
	  "{\"type\":\"a\",\"text\":\"x n z\",\"href\":\"http://host/dir/1\"}]}" },
	{ "bytes that need care", "<a href=x title='\"\\&#10;\xff\x7f'>\xe2\x82\xac</a>",
	  DOC ",\"links\":[{\"type\":\"a\",\"title\":\"\\\"\\\\\\n\xef\xbf\xbd\x7f\",\"text\":\"\xe2\x82\xac\",\"href\":\"http://host/dir/x\"}]}" },
};

static void content_case(void **state)
{
	const struct content_case *tc = *state;
	struct fixture f;

	fixture_page(&f, "text/html; charset=utf-8", tc->body, strlen(tc->body));
	part_is(&f, "content", tc->want);
	part_is(&f, "parsed_as", "\"html\"");
}

/* -- feeds -- */

#define RSS "<rss version='2.0' xmlns:atom='http://www.w3.org/2005/Atom' " \
	"xmlns:dc='http://purl.org/dc/elements/1.1/' " \
	"xmlns:content='http://purl.org/rss/1.0/modules/content/'><channel>"
#define RSS_END "</channel></rss>"
#define ATOM "<feed xmlns='http://www.w3.org/2005/Atom'>"

static struct content_case feeds[] = {
	{ "RSS without anything", RSS RSS_END,
	  "{\"type\":\"rss-feed\",\"title\":\"\",\"description\":\"\",\"items\":[]}" },
	{ "RSS, the channel", RSS "<generator>G</generator><atom:link rel='self' href='http://h/feed'/>"
	  "<link> http://h/ </link><title> T &amp;lt;b&amp;gt; </title>"
	  "<description>&lt;p class='x'&gt;D &amp;#8230;&lt;/p&gt; 1 &lt; 2</description>"
	  "<category>c1</category><category>c2</category><managingEditor>m</managingEditor>"
	  "<pubDate>Thu, 01 Jan 1970 00:00:02 GMT</pubDate>" RSS_END,
	  "{\"type\":\"rss-feed\",\"title\":\"T &lt;b&gt;\",\"link\":{\"href\":\"http://h/\"},"
	  "\"description\":\"D &#8230; 1 < 2\",\"updated\":2000,\"categories\":[\"c1\",\"c2\"],"
	  "\"generator\":\"G\",\"items\":[]}" },
	{ "RSS, last build before publication", RSS "<pubDate>Thu, 01 Jan 1970 00:00:02 GMT</pubDate>"
	  "<lastBuildDate>Thu, 01 Jan 1970 00:00:03 +0000</lastBuildDate>" RSS_END,
	  "{\"type\":\"rss-feed\",\"title\":\"\",\"description\":\"\",\"updated\":3000,\"items\":[]}" },
	{ "RSS, an item", RSS "<item><guid isPermaLink='false'>g</guid><dc:creator>no</dc:creator>"
	  "<author>a@b</author><comments>http://h/c</comments>"
	  "<pubDate>Thu, 01 Jan 1970 00:00:01 GMT</pubDate><title>t</title>"
	  "<content:encoded><![CDATA[<p>x<a href='y' rel=z>l</a><img src='//c/i'>]]></content:encoded>"
	  "<link>http://h/i</link><description><![CDATA[d<br>e]]></description>"
	  "<category>k</category></item><item/>" RSS_END,
	  "{\"type\":\"rss-feed\",\"title\":\"\",\"description\":\"\",\"items\":[{\"title\":\"t\","
	  "\"description\":\"de\",\"link\":{\"href\":\"http://h/i\"},\"author\":\"a@b\","
	  "\"categories\":[\"k\"],\"comments\":\"http://h/c\",\"published\":1000,\"guid\":\"g\","
	  "\"content\":{\"type\":\"html-doc\",\"links\":[{\"type\":\"a\",\"rel\":\"z\",\"text\":\"l\","
	  "\"href\":\"http://host/dir/y\"},{\"type\":\"img\",\"text\":\"\",\"href\":\"http://c/i\"}]}},"
	  "{\"title\":\"\",\"description\":\"\"}]}" },
	{ "Atom without anything", ATOM "</feed>",
	  "{\"type\":\"atom-feed\",\"title\":\"\",\"items\":[]}" },
	{ "Atom, the feed", ATOM "<title type='html'>&lt;i&gt;T&lt;/i&gt;</title><subtitle>S</subtitle>"
	  "<link href='http://h/' rel='alternate' type='text/html'/><link rel='self' href='no'/>"
	  "<author><name>N</name><uri>http://n/</uri><email>e@f</email></author><author><email>x</email></author>"
	  "<updated>1970-01-01T00:00:01.5Z</updated><category term='t' label='L'/><category term='u'/>"
	  "<generator uri='x'>G</generator><entry><updated>1970-01-01T00:00:09Z</updated></entry></feed>",
	  "{\"type\":\"atom-feed\",\"title\":\"T\",\"link\":{\"href\":\"http://h/\",\"rel\":\"alternate\","
	  "\"type\":\"text/html\"},\"description\":\"S\",\"updated\":1500,\"categories\":[\"L\",\"u\"],"
	  "\"authors\":[{\"name\":\"N\",\"url\":\"http://n/\"}],\"generator\":\"G\","
	  "\"items\":[{\"title\":\"\",\"description\":\"\",\"updated\":9000}]}" },
	{ "Atom, an entry", ATOM "<entry><id>urn:1</id><title>t</title><summary>s</summary>"
	  "<link href='1'/><link title='T' href='2' rel='alternate'/><link rel='replies' href='3'/>"
	  "<link rel='self' href='4'/><link rel='edit' href='5'/><published>1970-01-01T00:00:01Z</published>"
	  "<content type='html'>&lt;a href=x&gt;y&lt;/a&gt;</content></entry></feed>",
	  "{\"type\":\"atom-feed\",\"title\":\"\",\"items\":[{\"title\":\"t\",\"description\":\"s\","
	  "\"link\":[{\"href\":\"1\"},{\"title\":\"T\",\"href\":\"2\",\"rel\":\"alternate\"}],"
	  "\"self\":{\"rel\":\"self\",\"href\":\"4\"},\"replies\":{\"rel\":\"replies\",\"href\":\"3\"},"
	  "\"published\":1000,\"guid\":\"urn:1\",\"content\":{\"type\":\"html-doc\",\"links\":[{\"type\":\"a\","
	  "\"text\":\"y\",\"href\":\"http://host/dir/x\"}]}}]}" },
	{ "Atom, contents", ATOM "<entry><content type='xhtml'><div><a href='/a'>b</a></div></content>"
	  "<content type='text'>&lt;a href=n></content><content type='html'>c</content></entry></feed>",
	  "{\"type\":\"atom-feed\",\"title\":\"\",\"items\":[{\"title\":\"\",\"description\":\"\","
	  "\"content\":[{\"type\":\"html-doc\",\"links\":[{\"type\":\"a\",\"text\":\"b\","
	  "\"href\":\"http://host/a\"}]},{\"type\":\"html-doc\"}]}]}" },
};

static void feed_case(void **state)
{
	const struct content_case *tc = *state;
	struct fixture f;

	fixture_page(&f, "application/xml; charset=utf-8", tc->body,
		     strlen(tc->body));
	part_is(&f, "content", tc->want);
	part_is(&f, "parsed_as", "\"feed\"");
}

/* Many items, each with contents. */
static void many_items(void **state)
{
	struct cfs_buf body;
	struct fixture f;
	json_t *v, *items;

	(void)state;
	cfs_buf_init(&body, 1 << 24);
	cfs_buf_adds(&body, RSS);
	for (int i = 0; i < 1500; i++)
		cfs_buf_addf(&body, "<item><title>%d</title><content:encoded>"
			     "&lt;a href=%d&gt;x&lt;/a&gt;</content:encoded>"
			     "</item>", i, i);
	cfs_buf_adds(&body, RSS_END);
	fixture_page(&f, "text/xml", body.p, body.n);
	v = meta_of(&f);
	items = json_object_get(json_object_get(v, "content"), "items");
	assert_int_equal(json_array_size(items), 1500);
	for (int i = 0; i < 1500; i++) {
		json_t *content = json_object_get(json_array_get(items, (size_t)i),
						  "content");
		json_t *link = json_array_get(json_object_get(content, "links"), 0);
		char want[40];

		snprintf(want, sizeof(want), "http://host/dir/%d", i);
		assert_string_equal(json_string_value(json_object_get(link, "href")),
				    want);
		assert_string_equal(json_string_value(json_object_get(link, "text")),
				    "x");
	}
	json_decref(v);
	cfs_buf_release(&body);
}

/* -- resolution of links: the examples of RFC 3986, section 5.4, and junk -- */

struct url_case {
	const char *base, *ref, *want;	/* want NULL: none */
};

#define RFC "http://a/b/c/d;p?q"
static struct url_case urls[] = {
	{ RFC, "g:h", "g:h" }, { RFC, "g", "http://a/b/c/g" },
	{ RFC, "./g", "http://a/b/c/g" }, { RFC, "g/", "http://a/b/c/g/" },
	{ RFC, "/g", "http://a/g" }, { RFC, "//g", "http://g" },
	{ RFC, "?y", "http://a/b/c/d;p?y" }, { RFC, "g?y", "http://a/b/c/g?y" },
	{ RFC, "#s", "http://a/b/c/d;p?q#s" }, { RFC, "g#s", "http://a/b/c/g#s" },
	{ RFC, "g?y#s", "http://a/b/c/g?y#s" }, { RFC, ";x", "http://a/b/c/;x" },
	{ RFC, "g;x?y#s", "http://a/b/c/g;x?y#s" }, { RFC, "", RFC },
	{ RFC, ".", "http://a/b/c/" }, { RFC, "./", "http://a/b/c/" },
	{ RFC, "..", "http://a/b/" }, { RFC, "../", "http://a/b/" },
	{ RFC, "../g", "http://a/b/g" }, { RFC, "../..", "http://a/" },
	{ RFC, "../../", "http://a/" }, { RFC, "../../g", "http://a/g" },
	{ RFC, "../../../g", "http://a/g" }, { RFC, "../../../../g", "http://a/g" },
	{ RFC, "/./g", "http://a/g" }, { RFC, "/../g", "http://a/g" },
	{ RFC, "g.", "http://a/b/c/g." }, { RFC, "..g", "http://a/b/c/..g" },
	{ RFC, "./../g", "http://a/b/g" }, { RFC, "./g/.", "http://a/b/c/g/" },
	{ RFC, "g/./h", "http://a/b/c/g/h" }, { RFC, "g/../h", "http://a/b/c/h" },
	{ RFC, "g;x=1/../y", "http://a/b/c/y" }, { RFC, "g?y/../x", "http://a/b/c/g?y/../x" },
	{ RFC, "g#s/../x", "http://a/b/c/g#s/../x" },
	{ "http://h", "x", "http://h/x" }, { "http://h?q", "x", "http://h/x" },
	{ "http://h/a#f/g", "x", "http://h/x" },
	{ "http://h/a//b//c", "../d", "http://h/a//b/d" },
	{ "http://h/", "//c//d", "http://c//d" },
	{ "http://h/", " a b\t\n/c\r ", "http://h/a b/c" },
	{ "http://h/", "\xc3\xa9?\xff", "http://h/\xc3\xa9?\xff" },
	{ "http://h/", "a:b", "a:b" }, { "http://h/", "./a:b", "http://h/a:b" },
	{ "http://h/", "1a:b", "http://h/1a:b" }, { "no scheme", "x", NULL },
	{ "", "http://z/", "http://z/" },
	{ RFC, "HTTP://Host/X", "http://Host/X" }, { RFC, "MailTo:A@b", "mailto:A@b" },
	{ RFC, "http:g", "http://a/b/c/g" }, { RFC, "HTTP:/g", "http://a/g" },
	{ RFC, "https:g", "https:g" }, { RFC, "http://g", "http://g" },
	{ "mailto:a", "mailto:b", "mailto:b" },
	{ "a.b:80", "c", NULL }, { "a.b:80?q", "c", NULL },
	{ "a.b:80#f", "c", NULL }, { "http://h/", "a.b:8?q", "http://h/a.b:8?q" },
	{ "HTTP://h/a", "b", "http://h/b" }, { "HTTP://h/a", "//g", "http://g" },
	{ "https:h/a/b", "c", "https://h/a/c" }, { "http:/h", "?c", "http://h?c" },
	{ "http:///h/a", "/c", "http://h/c" }, { "ftp:///a", "b", "ftp:///b" },
};

static void url_case(void **state)
{
	const struct url_case *tc = *state;
	struct cfs_url_base base;
	struct cfs_buf out;
	bool ok;

	cfs_buf_init(&out, 1 << 16);
	cfs_url_base_init(&base, cfs_slice_str(tc->base));
	ok = cfs_url_resolve(&base, cfs_slice_str(tc->ref), &out);
	assert_int_equal(ok, tc->want != NULL);
	if (ok)
		assert_string_equal(cfs_buf_str(&out), tc->want);
	cfs_buf_release(&out);
}

static void url_long(void **state)
{
	static char ref[CFS_URLREF_MAX + 1];
	struct cfs_url_base base;
	struct cfs_buf out;

	(void)state;
	memset(ref, '.', sizeof(ref));
	for (size_t i = 2; i < sizeof(ref); i += 3)
		ref[i] = '/';
	cfs_buf_init(&out, 1 << 16);
	assert_true(cfs_url_base_init(&base, CFS_SLICE_LIT("http://h/a/b")));
	assert_false(cfs_url_resolve(&base, cfs_slice_of(ref, sizeof(ref)), &out));
	assert_true(cfs_url_resolve(&base, cfs_slice_of(ref, 8000), &out));
	assert_string_equal(cfs_buf_str(&out), "http://h/");
	cfs_buf_release(&out);
}

/* -- the fields around it -- */

static void all_fields(void **state)
{
	struct fixture f;

	(void)state;
	fixture_page(&f, "text/plain", "abc", 3);
	f.r.format = CFS_ARCHIVE_ARC;
	f.r.type = CFS_RECORD_ARC;
	f.r.has_time = true;
	f.r.time = 1341699469;
	f.r.time_ms = 1341699469441;
	f.r.ip = CFS_SLICE_LIT("1.2.3.4");
	f.in.archive_name = CFS_SLICE_LIT(
		"segment/1341690147253/1341708194671_7.arc.gz");
	f.in.loc.offset = 13002;
	f.in.loc.length = 415;
	keys_are(&f, "attempt_time disposition server_ip http_result "
		 "http_headers content_len mime_type download_size md5 "
		 "charset_detected charset_detector text_simhash archiveInfo "
		 "crawlfs ");
	part_is(&f, "attempt_time", "1341699469441");
	part_is(&f, "disposition", "\"SUCCESS\"");
	part_is(&f, "server_ip", "\"1.2.3.4\"");
	part_is(&f, "http_result", "200");
	part_is(&f, "content_len", "3");
	part_is(&f, "mime_type", "\"text/plain\"");
	part_is(&f, "md5", "\"900150983cd24fb0d6963f7d28e17f72\"");
	part_is(&f, "charset_detected", "\"ISO-8859-1\"");
	part_is(&f, "charset_detector", "10");
	part_is(&f, "archiveInfo", "{\"arcSourceSegmentId\":1341690147253,"
		"\"arcFileDate\":1341708194671,\"arcFileParition\":7,"
		"\"arcFileOffset\":13002,\"compressedSize\":415}");
	part_is(&f, "crawlfs", "{\"url\":\"http://host/dir/page\",\"archive\":"
		"\"segment/1341690147253/1341708194671_7.arc.gz\","
		"\"offset\":13002,\"length\":415,\"timestamp\":\"20120707221749\","
		"\"record_type\":\"arc\"}");
}

static void http_headers(void **state)
{
	struct fixture f;

	(void)state;
	fixture_page(&f, "text/html", "", 0);
	fixture_field(&f.r.http, "X-A", "1");
	fixture_field(&f.r.http, "Connection", "close");
	fixture_field(&f.r.http, "Set-Cookie", "c");
	fixture_field(&f.r.http, "Proxy-Connection", "p");
	fixture_field(&f.r.http, "Proxy-Thing", "p");
	fixture_field(&f.r.http, "Content-Encoding", "gzip");
	fixture_field(&f.r.http, "Response", "no");
	fixture_field(&f.r.http, "Bytes", "\xff\x01\xc3\xa9");
	fixture_field(&f.r.http, "Bad\xff", "3");
	fixture_field(&f.r.http, "x-a", "2");
	part_is(&f, "http_headers", "{\"response\":\"HTTP/1.1 200 OK\","
		"\"content-type\":\"text/html\",\"x-a\":\"2\",\"proxy-thing\":\"p\","
		"\"bytes\":\"\xef\xbf\xbd\\u0001\xc3\xa9\"}");
	part_is(&f, "mime_type", "absent");	/* empty body */
}

static void status(void **state)
{
	struct fixture f;

	(void)state;
	fixture_page(&f, "text/html", "<a href=x>", 10);
	f.r.status = 404;
	keys_are(&f, "disposition http_result http_headers content_len warc crawlfs ");
	part_is(&f, "disposition", "\"SUCCESS\"");
	f.r.status = 503;
	keys_are(&f, "disposition failure_reason failure_detail warc crawlfs ");
	part_is(&f, "failure_detail", "\"URL:http://host/dir/page returned "
		"invalid responseCode:503\"");
	f.r.has_http = false;
	f.r.status = 0;
	part_is(&f, "failure_reason", "\"IOException\"");
	f.r.type = CFS_RECORD_RESOURCE;
	fixture_field(&f.r.warc, "Content-Type", "text/html");
	keys_are(&f, "disposition content_len mime_type download_size md5 "
		 "charset_detected charset_detector text_simhash parsed_as "
		 "content warc crawlfs ");
}

static void mime_default(void **state)
{
	struct fixture f;

	(void)state;
	fixture_page(&f, NULL, "???", 3);
	part_is(&f, "mime_type", "\"text/html\"");
	part_is(&f, "parsed_as", "absent");
	fixture_page(&f, "Text/HTML;charset=x", "<p>", 3);
	part_is(&f, "mime_type", "\"text/html\"");
	part_is(&f, "content", "{\"type\":\"html-doc\"}");
}

static void gzip(void **state)
{
	struct fixture f;

	(void)state;
	fixture_page(&f, "image/png", "decoded", 7);
	fixture_field(&f.r.http, "Content-Encoding", "gzip");
	part_is(&f, "content_is_gzip", "absent");	/* the header alone */
	f.r.stored_body = CFS_SLICE_LIT("\x1f\x8b...");
	f.r.body_was_decoded = true;
	f.r.is_cut = true;
	keys_are(&f, "disposition http_result http_headers content_len "
		 "mime_type download_size download_truncated content_is_gzip "
		 "gunzip_content_len md5 warc crawlfs ");
	part_is(&f, "gunzip_content_len", "7");
	part_is(&f, "download_size", "5");
	fixture_field(&f.r.http, "Content-Length", "9");
	f.r.is_cut = false;
	part_is(&f, "download_size", "5");	/* it is there to be counted */
	f.r.is_cut = true;
	f.r.body_is_damaged = true;	/* the inflated bytes count */
	part_is(&f, "gunzip_failed", "absent");
	part_is(&f, "gunzip_content_len", "7");
	f.r.body.n = 0;
	keys_are(&f, "disposition http_result http_headers content_len "
		 "mime_type download_size download_truncated content_is_gzip "
		 "gunzip_failed warc crawlfs ");
	part_is(&f, "gunzip_failed", "true");
}

/* Common Crawl's archives hold the body undone under the head as it came. */
struct undone_case {
	const char *name, *archive, *fields[3][2];
	const char *is_gzip, *len, *gunzip_len;
};

static struct undone_case undones[] = {
	{ "2012", "segment/1/1341708194671_0.arc.gz",
	  { { "Content-Encoding", "gzip" }, { "Content-Length", "3" } },
	  "true", "3", "7" },
	{ "2012, by its name alone", "1341708194671_0.arc.gz",
	  { { "Content-Encoding", "GZIP" } }, "true", "7", "7" },
	{ "2009", "x.arc.gz",
	  { { "Content-Encoding", "gzip" }, { "Content-Length", "3" },
	    { "x_commoncrawl_URLFP", "1" } }, "true", "3", "7" },
	{ "WARC", "x.warc.gz",
	  { { "X-Crawler-Content-Encoding", "gzip" }, { "Content-Length", "7" },
	    { "X-Crawler-Content-Length", "4" } }, "true", "4", "7" },
	{ "WARC, another encoding", "x.warc.gz",
	  { { "X-Crawler-Content-Encoding", "br" }, { "Content-Length", "7" },
	    { "X-Crawler-Content-Length", "4" } }, "absent", "4", "absent" },
	{ "others' ARC", "1.arc.gz",
	  { { "Content-Encoding", "gzip" }, { "Content-Length", "3" } },
	  "absent", "7", "absent" },
	{ "a length that is none", "1341708194671_0.arc.gz",
	  { { "Content-Encoding", "gzip" }, { "Content-Length", "3x" } },
	  "true", "7", "7" },
	{ "no gzip", "1341708194671_0.arc.gz",
	  { { "Content-Length", "3" } }, "absent", "7", "absent" },
};

static void undone_case(void **state)
{
	const struct undone_case *tc = *state;
	struct fixture f;

	fixture_page(&f, "image/png", "decoded", 7);
	if (strstr(tc->archive, "warc") == NULL) {
		f.r.format = CFS_ARCHIVE_ARC;
		f.r.type = CFS_RECORD_ARC;
	}
	f.in.archive_name = cfs_slice_str(tc->archive);
	for (size_t i = 0; i < 3 && tc->fields[i][0] != NULL; i++)
		fixture_field(&f.r.http, tc->fields[i][0], tc->fields[i][1]);
	part_is(&f, "content_is_gzip", tc->is_gzip);
	part_is(&f, "content_len", tc->len);
	part_is(&f, "download_size", tc->len);
	part_is(&f, "gunzip_content_len", tc->gunzip_len);
}

/* Which types have a charset and a simhash (doc/formats.md, "Text types"). */
static void text_types(void **state)
{
	static const char *const yes[] = {
		"text/plain", "text/x-anything", "message/rfc822",
		"multipart/mixed", "application/xhtml+xml", "application/rss+xml",
		"application/vnd.wap.xhtml+xml", "application/pdf",
		"application/postscript", "application/json", "application/x-php",
		"application/vnd.oasis.opendocument.text", "application/xml-dtd",
	};
	static const char *const no[] = {
		"text/css", "text/javascript", "application/javascript",
		"application/x-javascript", "image/svg+xml", "application/msword",
		"application/octet-stream", "audio/text", "video/mp4",
		"application/x-shockwave-flash",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
		struct fixture f;

		fixture_page(&f, yes[i], "abcd", 4);
		part_is(&f, "text_simhash", "4555217342738396383");
	}
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++) {
		struct fixture f;

		fixture_page(&f, no[i], "abcd", 4);
		part_is(&f, "charset_detected", "absent");
		part_is(&f, "text_simhash", "absent");
	}
}

/* The simhash of the text as Java decodes it; the values are those of
 * simhash_ref.py. */
static void simhash(void **state)
{
	struct fixture f;

	(void)state;
	fixture_page(&f, "text/plain; charset=utf-8", "\xef\xbb\xbf" "abcd", 7);
	part_is(&f, "text_simhash", "2594988184409371858");
	fixture_page(&f, "text/plain; charset=utf-8", "ab\xff\xff" "cd", 6);
	part_is(&f, "text_simhash", "6254237994126369887");
	fixture_page(&f, "text/plain; charset=utf-16le", "a\0b\0c\0d\0", 8);
	part_is(&f, "text_simhash", "4555217342738396383");
	fixture_page(&f, "text/plain; charset=iso-8859-1", "ab\x80\xe9", 4);
	part_is(&f, "text_simhash", "1902104054884932611");
	fixture_page(&f, "text/plain; charset=windows-1252", "ab\x80\xe9", 4);
	part_is(&f, "text_simhash", "-3687591474589824769");
}

static void warc_fields(void **state)
{
	struct fixture f;

	(void)state;
	fixture_page(&f, "text/html", "", 0);
	fixture_field(&f.r.warc, "WARC-Type", "response");
	fixture_field(&f.r.warc, "WARC-Concurrent-To", "<a>");
	fixture_field(&f.r.warc, "X", "y");
	fixture_field(&f.r.warc, "Bad\xff", "1");
	fixture_field(&f.r.warc, "Bad\xfe", "2");
	fixture_field(&f.r.warc, "", "3");
	fixture_field(&f.r.warc, "WARC-Concurrent-To", "<b>");
	part_is(&f, "warc", "{\"WARC-Type\":\"response\","
		"\"WARC-Concurrent-To\":[\"<a>\",\"<b>\"],\"X\":\"y\"}");
}

static void revisit(void **state)
{
	struct fixture f, target;

	(void)state;
	fixture_page(&f, "text/html", "", 0);
	f.r.type = CFS_RECORD_REVISIT;
	f.in.no_body_reason = "no capture with that digest";
	part_is(&f, "crawlfs", "{\"url\":\"http://host/dir/page\","
		"\"archive\":\"a.warc.gz\",\"offset\":0,\"length\":0,"
		"\"record_type\":\"revisit\",\"no_body\":"
		"\"no capture with that digest\"}");
	fixture_page(&target, "text/html", "<title>t</title>", 16);
	target.r.url = CFS_SLICE_LIT("http://host/first");
	f.in.no_body_reason = NULL;
	f.in.body_record = &target.r;
	part_is(&f, "content", DOC ",\"title\":\"t\"}");
	part_is(&f, "content_len", "16");
}

static void many_links(void **state)
{
	struct cfs_buf body;
	struct fixture f;
	json_t *v;

	(void)state;
	cfs_buf_init(&body, 1 << 24);
	for (int i = 0; i < 100000; i++)
		cfs_buf_adds(&body, "<a href=x>");
	fixture_page(&f, "text/html", body.p, body.n);
	v = meta_of(&f);
	assert_true(json_is_true(json_object_get(json_object_get(v, "crawlfs"),
						 "content_is_cut")));
	json_decref(v);
	cfs_buf_release(&body);
}

/* A page is read up to its limit, and reports that there was more. */
static void long_page(void **state)
{
	static const size_t sizes[] = { CFS_HTML_BYTES_MAX,
					CFS_HTML_BYTES_MAX + 1 };
	struct cfs_buf body;

	(void)state;
	cfs_buf_init(&body, CFS_HTML_BYTES_MAX + 1);
	cfs_buf_adds(&body, "<title>t</title>");
	for (int i = 0; i < 2; i++) {
		struct fixture f;
		json_t *v;

		assert_int_equal(cfs_buf_reserve(&body, sizes[i] - body.n), 0);
		memset(body.p + body.n, ' ', sizes[i] - body.n);
		body.n = sizes[i];
		fixture_page(&f, "text/html; charset=utf-8", body.p, body.n);
		v = meta_of(&f);
		assert_int_equal(json_is_true(json_object_get(
			json_object_get(v, "crawlfs"), "content_is_cut")), i);
		json_decref(v);
	}
	cfs_buf_release(&body);
}

/* The text between .Bd and .Ed in the manual page. */
static char *man_literal(void)
{
	const char *top = getenv("CFS_SRCDIR");
	char path[4096], line[400];
	struct cfs_buf out;
	bool inside = false;
	FILE *f;

	snprintf(path, sizeof(path), "%s/man/crawlfs-meta.5",
		 top ? top : CFS_TOP_SRCDIR);
	f = fopen(path, "r");
	assert_non_null(f);
	cfs_buf_init(&out, 1 << 16);
	while (fgets(line, sizeof(line), f) != NULL) {
		if (strcmp(line, ".Ed\n") == 0)
			inside = false;
		if (inside)
			cfs_buf_adds(&out, line);
		if (strcmp(line, ".Bd -literal\n") == 0)
			inside = true;
	}
	fclose(f);
	assert_int_equal(cfs_buf_addc(&out, 0), CFS_OK);
	return (char *)out.p;
}

static void man_example(void **state)
{
	static const char body[] = "<title>Example</title><p>One. "
		"<a href=2 rel=next>next\n<b>page</b></a></p>";
	static const struct cfs_languages english = { .text = "eng" };
	char *want = man_literal(), *got;
	struct fixture f;

	(void)state;
	fixture_page(&f, "text/html; charset=utf-8", body, strlen(body));
	f.r.format = CFS_ARCHIVE_ARC;
	f.r.type = CFS_RECORD_ARC;
	f.r.url = CFS_SLICE_LIT("http://www.example.com/dir/1");
	f.r.has_time = true;
	f.r.time = 1328767770;
	f.r.time_ms = 1328767770421;
	f.r.ip = CFS_SLICE_LIT("192.0.2.1");
	f.in.archive_name = CFS_SLICE_LIT(
		"segment/1341690147253/1341708194671_0.arc.gz");
	f.in.loc.offset = 13002;
	f.in.loc.length = 415;
	f.in.languages = &english;	/* too few words to find it */
	got = fixture_view(&f, CFS_VIEW_META, false, NULL);
	assert_string_equal(got, want);
	free(got);
	free(want);
}

/* Every byte value in a string; every one of two bytes that begin UTF-8. */
static void json_strings(void **state)
{
	(void)state;
	for (unsigned c = 0; c < 65536; c += c < 512 ? 1 : 37) {
		uint8_t in[3] = { 'x', (uint8_t)(c >> 8), (uint8_t)c };
		struct cfs_buf out;
		struct cfs_json j = { .out = &out };
		json_t *v;
		char *want;

		cfs_buf_init(&out, 100);
		cfs_json_str(&j, cfs_slice_of(in, sizeof(in)));
		v = json_loads(cfs_buf_str(&out), JSON_DECODE_ANY, NULL);
		assert_non_null(v);
		/* Jansson leaves U+0080 to U+009F as they are */
		want = json_dumps(v, (c & 0xffe0) == 0xc280 ?
				  JSON_ENCODE_ANY | JSON_ENSURE_ASCII :
				  JSON_ENCODE_ANY);
		assert_string_equal(cfs_buf_str(&out), want);
		free(want);
		json_decref(v);
		cfs_buf_release(&out);
	}
}

static void json_empty(void **state)
{
	struct cfs_buf out;
	struct cfs_json j = { .out = &out };

	(void)state;
	cfs_buf_init(&out, 100);
	cfs_json_open(&j, '{');
	cfs_json_key(&j, CFS_SLICE_LIT("a"));
	cfs_json_open(&j, '[');
	cfs_json_close(&j, ']');
	cfs_json_put_int(&j, "b", INT64_MIN);
	cfs_json_close(&j, '}');
	assert_string_equal(cfs_buf_str(&out),
			    "{\n  \"a\": [],\n  \"b\": -9223372036854775808\n}");
	cfs_buf_release(&out);
}


UNIT_PROGRAM
{
	UNIT_ROWS(contents, content_case);
	UNIT_ROWS(feeds, feed_case);
	UNIT_ROWS_BY(urls, ref, url_case);
	UNIT_ROWS(undones, undone_case);
	UNIT_TEST(all_fields);
	UNIT_TEST(http_headers);
	UNIT_TEST(status);
	UNIT_TEST(mime_default);
	UNIT_TEST(gzip);
	UNIT_TEST(warc_fields);
	UNIT_TEST(revisit);
	UNIT_TEST(many_links);
	UNIT_TEST(long_page);
	UNIT_TEST(json_strings);
	UNIT_TEST(json_empty);
	UNIT_TEST(url_long);
	UNIT_TEST(text_types);
	UNIT_TEST(simhash);
	UNIT_TEST(many_items);
	UNIT_TEST(man_example);
	return unit_run("meta");
}
