/* feed_test.c - RSS and Atom: what is read, what is mended, hostile XML.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include <dirent.h>
#include <time.h>

#include "alloc_fail.h"
#include "view/charset.h"
#include "view/feed.h"

static const char *const names[CFS_FEED_FIELDS] = {
	[CFS_FEED_TITLE] = "title",
	[CFS_FEED_DESCRIPTION] = "description",
	[CFS_FEED_CONTENT] = "content",
	[CFS_FEED_LINK] = "link",
	[CFS_FEED_ENCLOSURE] = "enclosure",
	[CFS_FEED_AUTHOR] = "author",
	[CFS_FEED_CATEGORY] = "category",
	[CFS_FEED_UPDATED] = "updated",
	[CFS_FEED_PUBLISHED] = "published",
	[CFS_FEED_ID] = "id",
	[CFS_FEED_COMMENTS] = "comments",
	[CFS_FEED_GENERATOR] = "generator",
	[CFS_FEED_RIGHTS] = "rights",
};

/* "rss{title=a|link(href=b)=c}{title=d}": the feed, then its items; '*' marks
 * HTML. */
static void dump(const struct cfs_feed *f, struct cfs_buf *out)
{
	static const char *const kinds[] = { "none", "rss", "atom" };

	cfs_buf_adds(out, kinds[f->kind]);
	for (size_t item = 0; item <= f->n_items; item++) {
		cfs_buf_addc(out, '{');
		for (size_t i = 0; i < cfs_feed_count(f, item); i++) {
			struct cfs_feed_value v = cfs_feed_at(f, item, i);

			cfs_buf_addf(out, "%s%s%s", i > 0 ? "|" : "",
				     names[v.field],
				     v.type == CFS_FEED_HTML ? "*" : "");
			for (unsigned k = 0; k < v.n_attrs; k++) {
				struct cfs_feed_attr a =
					cfs_feed_attr_at(f, &v, k);

				cfs_buf_addc(out, k > 0 ? ',' : '(');
				cfs_buf_add(out, a.name);
				cfs_buf_addc(out, '=');
				cfs_buf_add(out, a.value);
			}
			cfs_buf_adds(out, v.n_attrs > 0 ? ")=" : "=");
			cfs_buf_add(out, v.text);
		}
		cfs_buf_addc(out, '}');
	}
}

struct feed_case {
	const char *name, *xml, *want;
};

#define ATOM "<feed xmlns='http://www.w3.org/2005/Atom'>"
#define ATOM03 "<feed version='0.3' xmlns='http://purl.org/atom/ns#'>"
#define RDF "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' " \
	"xmlns='http://purl.org/rss/1.0/' xmlns:dc='http://purl.org/dc/elements/1.1/' " \
	"xmlns:content='http://purl.org/rss/1.0/modules/content/'>"
#define RSS "<rss version='2.0'><channel>"

static struct feed_case cases[] = {
	{ "rss 2", "<?xml version='1.0' encoding='x'?>" RSS
	  "<title>T</title><link>http://a/</link><description>D &lt;b>e&lt;/b></description>"
	  "<generator>g</generator><lastBuildDate>l</lastBuildDate>"
	  "<item><title>i</title><guid isPermaLink='false'>9</guid><pubDate>p</pubDate>"
	  "<category domain='d'>c</category><enclosure url='u' length='1' type='t'/>"
	  "<comments>k</comments><author>a@b (N)</author></item>"
	  "<item><title>j</title></item><copyright>r</copyright></channel></rss>",
	  "rss{title=T|link=http://a/|description*=D <b>e</b>|generator=g|updated=l|"
	  "rights=r}{title=i|id(isPermaLink=false)=9|published=p|category(domain=d)=c|"
	  "enclosure(url=u,length=1,type=t)=|comments=k|author=a@b (N)}{title=j}" },
	{ "rss 1", RDF "<channel rdf:about='x'><title>T</title><items><rdf:Seq>"
	  "<rdf:li resource='a'/></rdf:Seq></items></channel><image><title>no</title>"
	  "</image><item rdf:about='a'><title>i</title><link>l</link><dc:creator>w"
	  "</dc:creator><dc:date>d</dc:date><dc:subject>s</dc:subject>"
	  "<content:encoded><![CDATA[<p>x &amp; y]]></content:encoded></item></rdf:RDF>",
	  "rss{title=T}{title=i|link=l|author=w|published=d|category=s|"
	  "content*=<p>x &amp; y}" },
	{ "atom", ATOM "<title>T</title><subtitle type='html'>&lt;i>s</subtitle>"
	  "<link rel='self' href='h' hreflang='en'/><author><name> N </name><email>e"
	  "</email><uri>u</uri></author><updated>t</updated><entry><id>1</id>"
	  "<title type='text'>a &lt; b</title><summary>s</summary><category term='t' "
	  "label='l'/><content type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'>"
	  "p <b>q</b> &lt;<br/></div></content></entry></feed>",
	  "atom{title=T|description*(type=html)=<i>s|link(rel=self,href=h,hreflang=en)="
	  "|author(name=N,email=e,uri=u)=N|updated=t}{id=1|title(type=text)=a < b|"
	  "description=s|category(term=t,label=l)=|content*(type=xhtml)="
	  "<div>p <b>q</b> &lt;<br></div>}" },
	{ "atom 0.3", ATOM03 "<tagline type='application/xhtml+xml'><div>E</div></tagline>"
	  "<modified>m</modified><entry><issued>i</issued><content type='image/png' "
	  "mode='base64'>AAAA</content></entry></feed>",
	  "atom{description*(type=application/xhtml+xml)=<div>E</div>|updated=m}"
	  "{published=i|content(type=image/png,mode=base64)=}" },
	{ "atom prefix", "<a:feed xmlns:a='http://www.w3.org/2005/Atom'><a:title>T</a:title>"
	  "<a:entry><a:title>e</a:title></a:entry></a:feed>", "atom{title=T}{title=e}" },
	{ "atom source", ATOM "<entry><title>e</title><source><title>no</title></source>"
	  "</entry></feed>", "atom{}{title=e}" },
	{ "rss with atom link", "<rss xmlns:atom='http://www.w3.org/2005/Atom'><channel>"
	  "<atom:link href='h' rel='self'/></channel></rss>",
	  "rss{link(href=h,rel=self)=}" },
	{ "rss html title", RSS "<title>a &amp;amp; b</title><item><title>x &lt;i>y</title>"
	  "</item><item><title>1 &lt; 2 &amp; 3</title></item></channel></rss>",
	  "rss{title*=a &amp; b}{title*=x <i>y}{title=1 < 2 & 3}" },
	{ "inline html", RSS "<description>a <b x='1\"'>c &lt; d</b><br/>e</description>"
	  "<title>A&amp;B <i>c</i></title></channel></rss>",
	  "rss{description*=a <b x=\"1&quot;\">c &lt; d</b><br>e|title*=A&amp;B <i>c</i>}" },
	{ "xhtml body", RSS "<item><body xmlns='http://www.w3.org/1999/xhtml'>\n<p>E</p></body>"
	  "</item></channel></rss>", "rss{}{content*=<p>E</p>}" },
	{ "own namespace", "<rss xmlns='http://a.example/'><channel><title>t</title></channel>"
	  "</rss>", "rss{title=t}" },
	{ "other vocabularies", "<rss xmlns:m='http://search.yahoo.com/mrss/'><channel><m:title>no</m:title>"
	  "<itunes:author>a</itunes:author><dc:title>d</dc:title></channel></rss>",
	  "rss{author=a|title=d}" },
	{ "case", "<RSS><Channel><Item><PubDate>p</PubDate></Item></Channel></RSS>",
	  "rss{}{published=p}" },
	{ "item in no channel", "<rss><item><title>t</title></item></rss>", "rss{}{title=t}" },
	{ "image", RSS "<image><title>no</title><url>u</url></image></channel></rss>",
	  "rss{}" },
	{ "an entry alone", "<entry xmlns='http://www.w3.org/2005/Atom'><title>t</title>"
	  "</entry>", "atom{}{title=t}" },
	/* mended */
	{ "stray ampersands", RSS "<link>http://l/?a=1&b=2&amp;c=3&d;</link><link a='x&y'/>"
	  "</channel></rss>", "rss{link=http://l/?a=1&b=2&c=3&d;|link(a=x&y)=}" },
	{ "attributes twice", RSS "<link a='1' a='2'/><title>a &amp; b</title></channel></rss>",
	  "rss{link(a=1,a=2)=|title=a & b}" },
	{ "line ends", RSS "<title>a&#13;\nb&#13;&#10;c\r\nd&#13;e</title>"
	  "<link a='f&#13;\ng\th'/></channel></rss>",
	  "rss{title=a\nb\nc\nd\ne|link(a=f g h)=}" },
	{ "names of html 5", RSS "<title>&check;&lang;&ApplyFunction;&check &copy 2</title></channel></rss>",
	  "rss{title=\xe2\x9c\x93\xe2\x9f\xa8\xe2\x81\xa1&check &copy 2}" },
	{ "names of html", RSS "<title>a&eacute;&nbsp;&#8364;&#x80;&#150;&bogus;</title></channel></rss>",
	  "rss{title=a\xc3\xa9\xc2\xa0\xe2\x82\xac\xe2\x82\xac\xe2\x80\x93&bogus;}" },
	{ "stray brackets", RSS "<title>1 < 2 <3 <a@b.c> </title></channel></rss>",
	  "rss{title=1 < 2 <3 <a@b.c>}" },
	{ "unclosed html", RSS "<description>a<br>b<p>c</description><item><title>t</item>"
	  "<item></title><title>u</title></item></channel></rss>",
	  "rss{description*=a<br>b<p>c</p>}{title=t}{title=u}" },
	{ "cut", RSS "<title>T</title><item><title>i</title><description>abc",
	  "rss{title=T}{title=i|description*=abc}" },
	{ "cut in a tag", RSS "<title>T</title><item><title>i</title><link href='x",
	  "rss{title=T}{title=i}" },
	{ "junk around", "Warning: <b>x</b>\n\n<?xml version='1.0'?><rss><channel><title>T</title>"
	  "</channel></rss>junk<rss>", "rss{title=T}" },
	{ "attributes", "<rss><channel><link a=b c = 'd' e f='<g h='i'/></channel></rss>",
	  "rss{link(a=b,c=d,f=)=}" },
	{ "control characters", RSS "<title>a\x01" "b\xef\xbf\xbf<![CDATA[\x02\xef\xbf\xbe]]></title>"
	  "<link a='\x03" "c'/></channel></rss>",
	  "rss{title=a b\xef\xbf\xbd \xef\xbf\xbd|link(a= c)=}" },
	{ "cdata", RSS "<title><![CDATA[<&amp;]]]]><![CDATA[>]]></title><description>"
	  "<![CDATA[no end", "rss{title*=<&amp;]]>|description*=no end}" },
	{ "comments", RSS "<ti<!-- x -->tle><title>a<!-- > -->b<?p x?>c</title></channel></rss>",
	  "rss{title=abc}" },
	{ "undeclared prefix", "<rss><channel><foo:bar><title>no</title></foo:bar>"
	  "<atom:title>t</atom:title></channel></rss>", "rss{title=t}" },
	/* hostile */
	{ "entity", "<!DOCTYPE rss [<!ENTITY a 'x'><!ENTITY b SYSTEM 'file:///etc/passwd'>]>"
	  RSS "<title>&a;&b;</title><link a='&a;&b;'/></channel></rss>",
	  "rss{title=&a;&b;|link(a=&a;&b;)=}" },
	{ "laughs", "<!DOCTYPE rss [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;'><!ENTITY c '&b;&b;'>"
	  "<!-- ' -->]>" RSS "<title>&c;</title></channel></rss>", "rss{title=&c;}" },
	{ "xinclude", RSS "<item><xi:include xmlns:xi='http://www.w3.org/2001/XInclude' "
	  "href='/etc/passwd' parse='text'/></item></channel></rss>", "rss{}{}" },
	{ "external dtd", "<!DOCTYPE rss SYSTEM 'http://127.0.0.1:9/x.dtd'>" RSS
	  "<title>t</title></channel></rss>", "rss{title=t}" },
	{ "default attributes", "<!DOCTYPE rss [<!ATTLIST link href CDATA 'x'>]>" RSS
	  "<link>l</link></channel></rss>", "rss{link=l}" },
	/* none */
	{ "html", "<html><title>t</title></html>", "none{}" },
	{ "other xml", "<x><item><title>t</title></item></x>", "none{}" },
	{ "empty", "", "none{}" },
	{ "only text", "just words", "none{}" },
	{ "only a doctype", "<!DOCTYPE rss [ <!-- ", "none{}" },
	{ "empty root", "<rss/>", "rss{}" },
};

/* Each case in an exact buffer, then every prefix of it. */
static void feed_case(void **state)
{
	const struct feed_case *tc = *state;
	size_t len = strlen(tc->xml);
	struct cfs_buf got;
	struct cfs_feed f;

	for (size_t n = 0; n <= len; n++) {
		uint8_t *exact = malloc(n ? n : 1);

		assert_non_null(exact);
		memcpy(exact, tc->xml, n);
		if (n < len && !cfs_utf8_is_valid(cfs_slice_of(exact, n))) {
			free(exact);
			continue;
		}
		cfs_buf_init(&got, 1 << 20);
		assert_int_equal(cfs_feed_parse(cfs_slice_of(exact, n), &f,
						CFS_CTX(NULL, NULL)), CFS_OK);
		dump(&f, &got);
		assert_true(cfs_utf8_is_valid(cfs_buf_slice(&got)));
		if (n == len)
			assert_string_equal(cfs_buf_str(&got), tc->want);
		cfs_feed_release(&f);
		cfs_buf_release(&got);
		free(exact);
	}
}

/* -- sniffing -- */

struct sniff_case {
	const char *name, *body;
	bool is_declared;
	enum cfs_feed_kind want;
};

static struct sniff_case sniffs[] = {
	{ "sniff rss", "\xef\xbb\xbf <?xml version='1.0'?><!-- <feed> -->\n<rss version='2.0'>",
	  false, CFS_FEED_RSS },
	{ "sniff rdf", RDF, false, CFS_FEED_RSS },
	{ "sniff other rdf", "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>",
	  false, CFS_FEED_NONE },
	{ "sniff atom", ATOM, false, CFS_FEED_ATOM },
	{ "sniff atom prefix", "<atom:feed xmlns:atom='http://www.w3.org/2005/Atom'>",
	  false, CFS_FEED_ATOM },
	{ "sniff other feed", "<feed xmlns='http://example.org/'>", false, CFS_FEED_NONE },
	{ "sniff doctype", "<!DOCTYPE rss [ <!ENTITY a 'b>'> ]>\n<rss>", false, CFS_FEED_RSS },
	{ "sniff html", "<html><rss>", false, CFS_FEED_NONE },
	{ "sniff rss-like name", "<rssx>", false, CFS_FEED_NONE },
	{ "sniff text", "rss", false, CFS_FEED_NONE },
	{ "sniff nothing", "", true, CFS_FEED_NONE },
	{ "sniff junk", "Warning: <b>x</b>\n<rss>", false, CFS_FEED_NONE },
	{ "sniff junk, declared", "Warning: <b>x</b>\n<rss>", true, CFS_FEED_RSS },
	{ "sniff cut", "<!-- ", true, CFS_FEED_NONE },
	{ "sniff cut tag", "<rss", false, CFS_FEED_RSS },
	{ "sniff bracket", "<", true, CFS_FEED_NONE },
};

static void sniff_case(void **state)
{
	const struct sniff_case *tc = *state;
	struct cfs_slice s = cfs_slice_str(tc->body);
	uint8_t wide[4096] = { 0xff, 0xfe };

	assert_int_equal(cfs_feed_sniff(s, tc->is_declared), tc->want);
	for (size_t i = 0; i < s.n; i++) {	/* the same as UTF-16 */
		if (s.p[i] >= 0x80)
			return;
		wide[2 + 2 * i] = s.p[i];
	}
	assert_int_equal(cfs_feed_sniff(cfs_slice_of(wide, 2 + 2 * s.n),
					tc->is_declared), tc->want);
}

/* -- dates; the values are those of GNU date -- */

struct date_case {
	const char *text;
	int64_t ms;		/* -1: no date */
};

static struct date_case dates[] = {
	{ "Sat, 07 Sep 2002 00:00:01 GMT", 1031356801000 },
	{ "Sat, 07 Sep 2002 9:42:31 EST", 1031409751000 },
	{ "07 Sep 02 00:00 GMT", 1031356800000 },
	{ "Thu, 1 Jan 1970 00:00:00 +0000", 0 },
	{ "Thursday, 01-Jan-70 00:00:10 GMT", 10000 },
	{ "Mon, 28 July 2014 12:00:00 -0330", 1406561400000 },
	{ "1 Jan 2004", 1072915200000 },
	{ "Thu, 29 Jan 2004 12:53:00 nowhere", 1075380780000 },
	{ "2003-12-13T18:30:02Z", 1071340202000 },
	{ "2003-12-13T18:30:02.25+01:00", 1071336602250 },
	{ "2003-12-13 18:30:02", 1071340202000 },
	{ "2003-12-13T18:30-05:00", 1071358200000 },
	{ "20031213T18:30:02Z", 1071340202000 },
	{ "2003-12", 1070236800000 },
	{ "2003", 1041379200000 },
	{ "2004-02-29", 1078012800000 },
	{ "1969-12-31T23:59:59.999Z", -1 + 0 },	/* see below */
	{ "2003-02-29", -1 },
	{ "2003-13-01", -1 },
	{ "Sat, 32 Sep 2002 00:00:01 GMT", -1 },
	{ "Sat, 07 Xyz 2002", -1 },
	{ "2003-12-13T25:30:02Z", -1 },
	{ "2003-12-13T18:30:02X", -1 },
	{ "\xd0\xa1\xd0\xb1, 29", -1 },
	{ "", -1 },
	{ "Monday", -1 },
	{ "99999999999999999999", -1 },
};

static void date_cases(void **state)
{
	int64_t ms;

	(void)state;
	for (size_t i = 0; i < COUNT(dates); i++) {
		const struct date_case *tc = &dates[i];
		int rc = cfs_feed_date(cfs_slice_str(tc->text), &ms);

		if (rc == CFS_OK && ms != tc->ms)
			fail_msg("'%s' gave %lld", tc->text, (long long)ms);
		if (rc != CFS_OK && tc->ms != -1)
			fail_msg("'%s' is not a date", tc->text);
	}
	assert_int_equal(cfs_feed_date(CFS_SLICE_LIT("1969-12-31T23:59:59.999Z"),
				       &ms), CFS_OK);
	assert_int_equal(ms, -1);
}

/* -- bombs -- */

struct bomb {
	const char *name, *head, *unit;
	size_t times;
};

static struct bomb bombs[] = {
	{ "deep", RSS, "<a>", 350000 },
	{ "deep and closed", RSS, "<a></a></b>", 100000 },
	{ "deep values", RSS "<description>", "<b>x", 250000 },
	{ "items in items", RSS, "<item>", 170000 },
	{ "empty items", RSS, "<item/>", 150000 },
	{ "links", RSS, "<link a=''/>", 87000 },
	{ "attributes", RSS "<link ", "a='' ", 200000 },
	{ "namespaces", RSS, "<a xmlns:b='c'>", 70000 },
	{ "namespaces of one", RSS "<link ", "xmlns:b='c' ", 87000 },
	{ "end tags", RSS, "</a>", 250000 },
	{ "brackets", RSS, "<", 1000000 },
	{ "ampersands", RSS "<title>", "&", 1000000 },
	{ "references", RSS "<title>", "&#38;", 200000 },
	{ "quotes", RSS "<title>", "<b a='\"\"\"\"'/>", 80000 },
	{ "comments", RSS, "<!--", 250000 },
	{ "doctypes", "", "<!DOCTYPE [", 90000 },
	{ "cdata", RSS "<title>", "<![CDATA[", 110000 },
	{ "cdata parts", RSS "<title>", "<![CDATA[x]]>", 80000 },
	{ "instructions", RSS, "<?", 500000 },
	{ "a long name", RSS "<", "a", 1000000 },
	{ "a long attribute", RSS "<link ", "a", 1000000 },
	{ "long attributes", RSS "<link ", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa:b:c='' ",
	  9500 },
	{ "a long value", RSS "<link a='", "a", 1000000 },
	{ "a long text", RSS "<title>", "a b ", 2500000 },
	{ "names", RSS, "<ab></ab>", 110000 },
	{ "authors", ATOM "<author>", "<name>n</name>", 70000 },
};

static void bomb(void **state)
{
	const struct bomb *b = *state;
	struct cfs_feed f;
	struct cfs_buf xml;
	double took;

	cfs_buf_init(&xml, 1 << 26);
	cfs_buf_adds(&xml, b->head);
	for (size_t i = 0; i < b->times; i++)
		cfs_buf_adds(&xml, b->unit);
	took = unit_cpu_ms();
	assert_int_equal(cfs_feed_parse(cfs_buf_slice(&xml), &f,
					CFS_CTX(NULL, NULL)),
			 CFS_OK);
	took = unit_cpu_ms() - took;
	if (getenv("FEED_TIMES") != NULL)
		print_message("%s: %zu bytes, %.0f ms\n", b->name, xml.n,
			      took);
	/* without sanitizers at most 0.1 s a MiB */
	assert_true(took < 10000 * unit_slowness());
	cfs_feed_release(&f);
	cfs_buf_release(&xml);
}

/* Text and CDATA come through whole, whatever the pieces. */
static void long_text(void **state)
{
	struct cfs_buf xml, want;
	struct cfs_feed f;
	struct cfs_slice got;

	(void)state;
	for (int is_cdata = 0; is_cdata < 2; is_cdata++) {
		cfs_buf_init(&xml, 1 << 26);
		cfs_buf_init(&want, 1 << 26);
		cfs_buf_adds(&xml, RSS "<guid>");
		cfs_buf_adds(&xml, is_cdata ? "<![CDATA[" : "");
		for (int i = 0; i < 30000; i++) {
			cfs_buf_addf(&xml, "%d\xe2\x82\xac%s", i,
				     is_cdata ? "&amp;" : "&copy;");
			cfs_buf_addf(&want, "%d\xe2\x82\xac%s", i,
				     is_cdata ? "&amp;" : "\xc2\xa9");
		}
		cfs_buf_adds(&xml, is_cdata ? "]]>" : "");
		cfs_buf_adds(&xml, "</guid></channel></rss>");
		assert_int_equal(cfs_feed_parse(cfs_buf_slice(&xml), &f,
						CFS_CTX(NULL, NULL)), CFS_OK);
		assert_int_equal(cfs_feed_count(&f, 0), 1);
		got = cfs_feed_at(&f, 0, 0).text;
		assert_int_equal(got.n, want.n);
		assert_memory_equal(got.p, want.p, want.n);
		assert_false(f.is_cut);
		cfs_feed_release(&f);
		cfs_buf_release(&want);
		cfs_buf_release(&xml);
	}
}

static bool after_some(void *arg)
{
	return ++*(int *)arg > 3;
}

static void interrupted(void **state)
{
	int asked = 0;
	struct cfs_cancel cancel = { .asked = after_some, .arg = &asked };
	struct cfs_buf xml;
	struct cfs_feed f;

	(void)state;
	cfs_buf_init(&xml, 1 << 26);
	cfs_buf_adds(&xml, RSS);
	for (int i = 0; i < 100000; i++)
		cfs_buf_adds(&xml, "<item>x</item>");
	assert_int_equal(cfs_feed_parse(cfs_buf_slice(&xml), &f,
					CFS_CTX(&cancel, NULL)),
			 CFS_EINTR);
	cfs_feed_release(&f);
	cfs_buf_release(&xml);
}

/* Each allocation of ours fails in turn, until there is no further one. */
static void no_memory(void **state)
{
	struct cfs_slice xml = CFS_SLICE_LIT(
		ATOM "<title>a &amp; <b>b</b></title><author><name>n</name></author>"
		"<entry><title type='html'>t</title><link href='h'/></entry></feed>");
	unsigned n_failed = 0;
	int rc = CFS_ENOMEM;

	(void)state;
	for (long k = 0; rc != CFS_OK; k++) {
		struct cfs_error err = CFS_ERROR_INIT;
		struct cfs_feed f;

		countdown = k;
		rc = cfs_feed_parse(xml, &f, CFS_CTX(NULL, &err));
		if (countdown < 0) {
			assert_int_equal(rc, CFS_ENOMEM);
			assert_string_equal(err.text, "out of memory");
			n_failed++;
		}
		countdown = -1;
		cfs_feed_release(&f);
	}
	assert_true(n_failed > 6);	/* a buffer of each kind */
}

/* Titles and names that the files of data/feeds say (in their comments) are
 * there; the others must only be read. */
static struct {
	const char *file, *want;
} samples[] = {
	{ "entities__ocirc.xml", "title=testing \xc3\xb4 entity" },
	{ "illformed__rss_item_link_corrupted_ampersands.xml",
	  "link=http://link/get?a=1&b=2" },
	{ "wellformed__amp__amp03.xml", "title=&" },
	{ "wellformed__amp__amp24.xml", "=<b>&amp;</b>" },
	{ "wellformed__atom10__entry_authors_name.xml",
	  "author(name=one)=one|author(name=two)=two" },
	{ "wellformed__atom10__entry_content_escaped_markup.xml",
	  "content*(type=html)=Example <b>Atom</b>" },
	{ "wellformed__atom__feed_tagline_inline_markup.xml",
	  "=<div>Example <b>Atom</b></div>" },
	{ "wellformed__cdf__item_title.xml", "{title=Example item}" },
	{ "wellformed__node_precedence__atom10_id.xml",
	  "{id=Correct Value}{id=Correct Value}" },
	{ "wellformed__rss__item_xhtml_body.xml", "content*=<p>Example content</p>" },
	{ "wellformed__rdf__rdf_item_description.xml", "Example" },
	{ "wellformed__rdf__rss090_item_title.xml", "title=Example title" },
};

static void sample(const char *folder, const char *name)
{
	static uint8_t body[1 << 16];
	struct cfs_buf utf8, got;
	struct cfs_charset_input in = { .body = CFS_SLICE_EMPTY,
					.content_type = CFS_SLICE_EMPTY };
	struct cfs_charset cs;
	struct cfs_feed f;
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "rb");
	assert_non_null(file);
	in.body = cfs_slice_of(body, fread(body, 1, sizeof(body), file));
	fclose(file);
	cfs_charset_find(&in, &cs);
	cfs_buf_init(&utf8, 1 << 20);
	cfs_buf_init(&got, 1 << 20);
	assert_int_equal(cfs_charset_to_utf8(&cs, in.body, CFS_PAGES_STAY,
					     &utf8, NULL), CFS_OK);
	assert_int_equal(cfs_feed_parse(cfs_buf_slice(&utf8), &f,
					CFS_CTX(NULL, NULL)),
			 CFS_OK);
	dump(&f, &got);
	if (getenv("FEED_DUMP") != NULL)
		print_message("%s\n  %s\n", name, cfs_buf_str(&got));
	/* UTF-32 is no encoding of the web: it may stay unknown */
	if (f.kind == CFS_FEED_NONE && strstr(name, "utf-32") == NULL)
		fail_msg("%s: no feed", name);
	for (size_t i = 0; i < COUNT(samples); i++)
		if (strcmp(samples[i].file, name) == 0 &&
		    strstr(cfs_buf_str(&got), samples[i].want) == NULL)
			fail_msg("%s: %s", name, cfs_buf_str(&got));
	cfs_feed_release(&f);
	cfs_buf_release(&got);
	cfs_buf_release(&utf8);
}

static void data_feeds(void **state)
{
	const char *data = getenv("CFS_DATA");
	char folder[2048];
	struct dirent *e;
	DIR *d = NULL;

	(void)state;
	if (data != NULL) {
		snprintf(folder, sizeof(folder), "%s/feeds/feedparser", data);
		d = opendir(folder);
	}
	if (d == NULL) {
		print_message("CFS_DATA has no feeds: skipped\n");
		skip();
	}
	while ((e = readdir(d)) != NULL)
		if (strstr(e->d_name, ".xml") != NULL)
			sample(folder, e->d_name);
	closedir(d);
}

UNIT_PROGRAM
{
	UNIT_ROWS(cases, feed_case);
	UNIT_ROWS(sniffs, sniff_case);
	UNIT_ROWS(bombs, bomb);
	UNIT_TEST(date_cases);
	UNIT_TEST(long_text);
	UNIT_TEST(no_memory);
	UNIT_TEST(interrupted);
	UNIT_TEST(data_feeds);
	return unit_run("feed");
}
