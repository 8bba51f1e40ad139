/* folder_page_test.c - pages that list folders, as servers write them, and as they
 * do not.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "unit.h"

#include "alloc_fail.h"
#include "input/folder_page.h"
#include "net/s3.h"

/* One entry: "NAME[/] BYTES|- S|-;", the last for a state. */
static int collect(void *arg, const struct cfs_listed *l)
{
	struct cfs_buf *b = arg;

	cfs_buf_add(b, l->name);
	if (l->is_folder)
		cfs_buf_addc(b, '/');
	if (l->bytes == CFS_FOLDER_PAGE_SIZE_UNKNOWN)
		cfs_buf_adds(b, " -");
	else
		cfs_buf_addf(b, " %llu", (unsigned long long)l->bytes);
	cfs_buf_adds(b, l->state != 0 ? " S;" : " -;");
	return CFS_OK;
}

#define URL "http://host.example/my%20warcs/"

struct page_case {
	const char *name, *page, *want;
	int rc;
};
static const struct page_case page_cases[] = {
	{ "nginx",
	  "<html>\r\n<head><title>Index of /my warcs/</title></head>\r\n<body>\r\n"
	  "<h1>Index of /my warcs/</h1><hr><pre><a href=\"../\">../</a>\r\n"
	  "<a href=\"sub/\">sub/</a>          23-Nov-2026 02:53           -\r\n"
	  "<a href=\"a%20b.warc.gz\">a b.warc.gz</a>   23-Nov-2026 02:53  1640461\r\n"
	  "<a href=\"CC-MAIN-20240220211055-20240221001055-00000.warc.gz\">"
	  "CC-MAIN-20240220211055-20240221001055-00000.war..&gt;</a> "
	  "23-Nov-2026 02:53      7\r\n"
	  "<a href=\"a-very-long-folder-with-a-name-of-more-than-fifty-bytes/\">"
	  "a-very-long-folder-with-a-name-of-more-than-fif..&gt;</a> "
	  "23-Nov-2026 02:53      -\r\n</pre><hr></body>\r\n</html>\r\n",
	  "sub/ - S;a b.warc.gz 1640461 S;"
	  "CC-MAIN-20240220211055-20240221001055-00000.warc.gz 7 S;"
	  "a-very-long-folder-with-a-name-of-more-than-fifty-bytes/ - S;", 0 },
	{ "nginx, sizes rounded",
	  "<pre><a href=\"../\">../</a>\r\n"
	  "<a href=\"a.warc.gz\">a.warc.gz</a>  23-Nov-2026 02:53     2M\r\n</pre>",
	  "a.warc.gz - S;", 0 },
	{ "nginx in JSON",
	  "[\r\n{ \"name\":\"sub\", \"type\":\"directory\", "
	  "\"mtime\":\"Mon, 23 Nov 2026 02:53:10 GMT\" },\r\n"
	  "{ \"name\":\"a \\\"b\\\"\\u00e9.warc.gz\", \"type\":\"file\", "
	  "\"mtime\":\"Mon, 23 Nov 2026 02:53:10 GMT\", \"size\":12 }\r\n]\r\n",
	  "sub/ - S;a \"b\"\xc3\xa9.warc.gz 12 S;", 0 },
	{ "Caddy in JSON",
	  "[{\"name\":\"sub/\",\"size\":0,\"url\":\"./sub/\",\"mod_time\":"
	  "\"2026-11-23T02:53:10Z\",\"mode\":2147484141,\"is_dir\":true,"
	  "\"is_symlink\":false},{\"name\":\"x.warc.gz\",\"size\":3,\"url\":"
	  "\"./x.warc.gz\",\"mod_time\":\"2026-11-23T02:53:10Z\",\"mode\":420,"
	  "\"is_dir\":false,\"is_symlink\":false}]",
	  "sub/ 0 S;x.warc.gz 3 S;", 0 },
	{ "Caddy",
	  "<!DOCTYPE html><html><head><title>my warcs</title><style>a{}</style>"
	  "<script>var x = '<a href=\"evil.warc.gz\">'</script></head><body>"
	  "<h1><a href=\"/\">/</a><a href=\"/my%20warcs/\">my warcs</a>/</h1>"
	  "<a href=\"./?sort=size&order=asc\">Size</a><table><tbody>\n"
	  "<tr class=\"file\">\n<td></td>\n<td>\n<a href=\"./sub/\">\n<svg></svg>\n"
	  "<span class=\"name\">sub/</span>\n</a>\n</td>\n<td>&mdash;</td>\n<td>"
	  "<time datetime=\"2026-11-23T02:53:10Z\">11/23/2026 02:53:10 AM +00:00"
	  "</time></td>\n</tr>\n<tr class=\"file\"><td><a href=\"./x.warc.gz\">"
	  "<span class=\"name\">x.warc.gz</span></a></td><td class=\"size\">"
	  "<div class=\"sizebar-text\">1.6 MiB</div></td>\n<td><time>11/23/2026 "
	  "02:53:10 AM +00:00</time></td></tr></tbody></table></body></html>",
	  "sub/ - S;x.warc.gz - S;", 0 },
	{ "Apache, in <pre>, with icons",
	  "<h1>Index of /my warcs</h1>\n<pre><img src=\"/icons/blank.gif\"> "
	  "<a href=\"?C=N;O=D\">Name</a>  <a href=\"?C=M;O=A\">Last modified</a> "
	  "<a href=\"?C=S;O=A\">Size</a><hr><img src=\"b.gif\"> "
	  "<a href=\"/\">Parent Directory</a>                  -   \n"
	  "<a href=\"x.warc.gz\"><img src=\"/icons/x.gif\" alt=\"[   ]\"></a> "
	  "<a href=\"x.warc.gz\">x.warc.gz</a>  2026-11-23 02:53  1.6M  "
	  "GZIP compressed docume&gt;\n"
	  "<img src=\"f.gif\" alt=\"[DIR]\"> <a href=\"sub/\">sub/</a>  "
	  "2026-11-23 02:53    -   \n<hr></pre>",
	  "x.warc.gz - S;sub/ - S;", 0 },
	{ "Apache, with descriptions",
	  "<pre><a href=\"x.warc.gz\">x.warc.gz</a>  2026-11-23 02:53  1.6M  "
	  "Crawl of 2024\n"
	  "<a href=\"y.warc.gz\">y.warc.gz</a>  2026-11-23 02:53  512   "
	  "Crawl of 2024\n"
	  "<a href=\"z.warc.gz\">z.warc.gz</a>  2026-11-23 02:53  512   "
	  "Crawl\n</pre>", "x.warc.gz - S;y.warc.gz - S;z.warc.gz - S;", 0 },
	{ "Apache, HTML table",
	  "<table>\n<tr><th valign=\"top\"><img></th><th><a href=\"?C=N;O=D\">Name"
	  "</a></th></tr>\n<tr><td valign=\"top\"><img></td><td><a href=\"/\">Parent "
	  "Directory</a></td><td>&nbsp;</td><td align=\"right\">  - </td></tr>\n"
	  "<tr><td><img></td><td><a href=\"x.arc.gz\">x.arc.gz</a></td>"
	  "<td align=\"right\">2026-11-23 02:53  </td><td align=\"right\">512 </td>"
	  "<td>&nbsp;</td></tr>\n<tr><td></td><td><a href=\"sub/\">sub/</a></td>"
	  "<td>2026-11-23 02:53  </td><td>  - </td></tr></table>",
	  "x.arc.gz 512 S;sub/ - S;", 0 },
	{ "Apache, a plain list",
	  "<ul><li><a href=\"/\"> Parent Directory</a></li>\n"
	  "<li><a href=\"sub/\"> sub/</a></li>\n"
	  "<li><a href=\"x.warc\"> x.warc</a></li>\n</ul>",
	  "sub/ - -;x.warc - -;", 0 },
	{ "lighttpd",
	  "<tbody>\n<tr class=\"d\"><td class=\"n\"><a href=\"../\">..</a>/</td>"
	  "<td class=\"m\">&nbsp;</td><td class=\"s\">- &nbsp;</td><td class=\"t\">"
	  "Directory</td></tr>\n<tr class=\"d\"><td class=\"n\"><a href=\"sub/\">sub"
	  "</a>/</td><td class=\"m\">2026-Nov-23 02:53:10</td><td class=\"s\">- "
	  "&nbsp;</td><td class=\"t\">Directory</td></tr>\n<tr><td class=\"n\">"
	  "<a href=\"x.warc.gz\">x.warc.gz</a></td><td class=\"m\">2026-Nov-23 "
	  "02:53:10</td><td class=\"s\">1.6M</td><td class=\"t\">application/gzip"
	  "</td></tr>\n</tbody>", "sub/ - S;x.warc.gz - S;", 0 },
	{ "IIS",
	  "<H1>host.example - /my warcs/</H1><hr>\n\n<pre><A HREF=\"/\">[To Parent "
	  "Directory]</A><br><br> 11/23/2026  2:53 AM      &lt;dir&gt; "
	  "<A HREF=\"/my%20warcs/sub/\">sub</A><br> 11/23/2026  2:53 AM      1640461 "
	  "<A HREF=\"/my%20warcs/x.warc.gz\">x.warc.gz</A><br></pre><hr>",
	  "sub/ - S;x.warc.gz 1640461 S;", 0 },
	{ "Python",
	  "<!DOCTYPE HTML>\n<html lang=\"en\">\n<head>\n<title>Directory listing for "
	  "/my warcs/</title>\n</head>\n<body>\n<ul>\n<li><a href=\"sub/\">sub/</a>"
	  "</li>\n<li><a href=\"%C3%A9%2B%23.warc.gz\">\xc3\xa9+#.warc.gz</a></li>\n"
	  "<li><a href=\"link.warc.gz\">link.warc.gz@</a></li>\n</ul>",
	  "sub/ - -;\xc3\xa9+#.warc.gz - -;link.warc.gz - -;", 0 },
	{ "absolute links to the folder",
	  "<a href=\"http://host.example/my%20warcs/a.warc\">x</a>"
	  "<a href=\"HTTP://HOST.example:80/my warcs/b.warc\">x</a>"
	  "<a href=\"//host.example/my%20warcs/c.warc\">x</a>"
	  "<a href=\"/my%20warcs/d.warc\">x</a>"
	  "<a href=\"/m%79%20warcs/deep/er/e.warc\">x</a>",
	  "a.warc - -;b.warc - -;c.warc - -;d.warc - -;deep/er/e.warc - -;", 0 },
	{ "links that lead elsewhere",
	  "<a href=\"../a.warc\">a</a><a href=\"/a.warc\">a</a>"
	  "<a href=\"https://host.example/my%20warcs/a.warc\">a</a>"
	  "<a href=\"http://other.example/my%20warcs/a.warc\">a</a>"
	  "<a href=\"http://host.example:81/my%20warcs/a.warc\">a</a>"
	  "<a href=\"a.warc?x\">a</a><a href=\"a.warc#x\">a</a>"
	  "<a href=\"sub/../../a.warc\">a</a><a href=\"%2e%2e/a.warc\">a</a>"
	  "<a href=\"a%2Fb.warc\">a</a><a href=\"a%00.warc\">a</a>"
	  "<a href=\"a%0A.warc\">a</a><a href=\".hidden/a.warc\">a</a>"
	  "<a href=\"a//b.warc\">a</a><a href=\"mailto:a@b.warc\">a</a>"
	  "<a href=\"\">a</a><a href=\"./\">./</a><a>a</a>"
	  "<a href=\"/my%20warcsx/a.warc\">a</a><a href=\"file:///a.warc\">a</a>"
	  "<a href=\"s3://host.example/my%20warcs/a.warc\">a</a>", "", 0 },
	{ "dots that lead back", "<a href=\"sub/../a.warc\">a</a>", "a.warc - -;", 0 },
	{ "a web page",
	  "<nav><a href=\"about/\">About us</a> <a href=\"news/\">All news</a></nav>"
	  "<p>Our <a href=\"crawl.warc.gz\">archive</a> of 2026-11-23 is here",
	  "crawl.warc.gz - S;", 0 },
	{ "names that are cut too short", "<pre>"
	  "<a href=\"about/\">ab..&gt;</a>\n<a href=\"about/\">...</a>\n</pre>", "", 0 },
	{ "two files in a row have one text", "<pre>"
	  "<a href=\"a.warc\">a</a> <a href=\"b.warc\">b</a> 2026-11-23 5\n</pre>",
	  "a.warc - -;b.warc - -;", 0 },
	{ "two numbers in a row", "<pre>"
	  "<a href=\"a.warc\">a</a> 2026-11-23 5 6\n</pre>", "a.warc - S;", 0 },
	{ "a number with a unit", "<pre>"
	  "<a href=\"a.warc\">a</a> 2026-11-23 5 KB\n</pre>", "a.warc - S;", 0 },
	{ "a number too large", "<pre>"
	  "<a href=\"a.warc\">a</a> 2026-11-23 99999999999999999999\n</pre>",
	  "a.warc - S;", 0 },
	{ "without a date", "<pre><a href=\"a.warc\">a</a> 3 hours ago\n</pre>",
	  "a.warc - -;", 0 },
	{ "a byte order mark", "\xef\xbb\xbf\n<a href=\"a.warc\">a</a>",
	  "a.warc - -;", 0 },
	{ "bytes that are not UTF-8", "<p>\xff\xfe\xc3</p><a href=\"a.warc\">a</a>",
	  "a.warc - -;", 0 },
	{ "an empty list", "[ ]", "", 0 },
	{ "JSON names that lead elsewhere",
	  "[{\"name\":\"../a.warc\"},{\"name\":\"\"},{\"name\":\"/a.warc\"},"
	  "{\"name\":\".x.warc\"},{\"name\":\"a\\u0000.warc\"},{},"
	  "{\"name\":\"ok.warc\",\"size\":-1}]", "ok.warc - -;", 0 },
	{ "JSON that breaks off", "[{\"name\":\"a.warc\"},{\"name\":", "a.warc - -;",
	  CFS_EFORMAT },
	{ "JSON of something else", "[1, 2]", "", CFS_EFORMAT },
	{ "an object", "{\"name\":\"a.warc\"}", "", CFS_EFORMAT },
	{ "text", "a.warc\n", "", CFS_EFORMAT },
	{ "nothing", "", "", CFS_EFORMAT },
};

static void page_case(void **state)
{
	const struct page_case *tc = *state;
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_slice page = exact_copy(tc->page, strlen(tc->page));
	struct cfs_buf got;

	cfs_buf_init(&got, 10000);
	assert_int_equal(cfs_folder_page_parse(URL, page, collect, &got, &err),
			 tc->rc);
	assert_string_equal(cfs_buf_str(&got), tc->want);
	assert_int_equal(err.code, tc->rc);
	cfs_buf_release(&got);
	exact_free(page);
}

/* Every prefix, and every allocation that fails. */
static void prefixes(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(page_cases); i++)
		for (size_t n = 0; n <= strlen(page_cases[i].page); n += 3) {
			struct cfs_slice page = exact_copy(page_cases[i].page, n);
			struct cfs_buf got;

			cfs_buf_init(&got, 10000);
			cfs_folder_page_parse(URL, page, collect, &got, NULL);
			cfs_buf_release(&got);
			exact_free(page);
		}
}

static int nothing(void *arg, const struct cfs_listed *l)
{
	(void)l;
	++*(size_t *)arg;
	return CFS_OK;
}

static void out_of_memory(void **state)
{
	const struct page_case *tc = &page_cases[0];
	size_t count = 0;
	int rc = CFS_ENOMEM;

	(void)state;
	for (long n = 0; rc == CFS_ENOMEM; n++) {
		struct cfs_error err = CFS_ERROR_INIT;

		countdown = n;
		rc = cfs_folder_page_parse(URL, cfs_slice_str(tc->page), nothing,
					   &count, &err);
		countdown = -1;
		assert_true(n < 1000);
	}
	assert_int_equal(rc, CFS_OK);
}

/* A state changes with what the row says, and with nothing else. */
static int take_state(void *arg, const struct cfs_listed *l)
{
	*(uint32_t *)arg = l->state;
	return CFS_OK;
}

static uint32_t state_of(const char *page)
{
	uint32_t state = 0;

	assert_int_equal(cfs_folder_page_parse(URL, cfs_slice_str(page), take_state,
					       &state, NULL), CFS_OK);
	return state;
}

static void states(void **state)
{
	uint32_t one = state_of("<pre><a href=a.warc>a</a> 2026-11-23 02:53 7\n");

	(void)state;
	assert_int_not_equal(one, 0);
	assert_int_equal(one, state_of("<a href=b.warc>b</a>\t2026-11-23&nbsp;"
				       "02:53\n 7 <br>"));
	assert_int_not_equal(one, state_of("<pre><a href=a.warc>a</a> "
					   "2026-11-23 02:53 8\n"));
	assert_int_not_equal(one, state_of("<pre><a href=a.warc>a</a> "
					   "2026-11-23 02:54 7\n"));
}

/* Pages made to cost time: each is read once. */
static void hostile(void **state)
{
	static const char *const pieces[] = { "<a ", "<a href=", "<a href=a.warc>",
		"<a href=\"a/", "<pre>\n", "<tr>", "&nbsp;", "a ", "<a href=a/>a",
		"../" };
	const size_t bytes = 10 << 20;
	double slow = unit_slowness();

	(void)state;
	for (size_t i = 0; i < COUNT(pieces); i++) {
		size_t n = strlen(pieces[i]), count = 0;
		char *page = malloc(bytes + n);
		double ms;

		assert_non_null(page);
		for (size_t at = 0; at < bytes; at += n)
			memcpy(page + at, pieces[i], n);
		memcpy(page, "<", 1);
		ms = unit_cpu_ms();
		cfs_folder_page_parse(URL, cfs_slice_of(page, bytes), nothing,
				      &count, NULL);
		ms = unit_cpu_ms() - ms;
		free(page);
		if (ms > 3000 * slow)
			fail_msg("'%s': %.0f ms", pieces[i], ms);
	}
}

/* ---- S3 ---------------------------------------------------------------- */

#define LIST(inner) "<?xml version=\"1.0\"?>\n<ListBucketResult xmlns=\"" \
	"http://s3.amazonaws.com/doc/2006-03-01/\">" inner "</ListBucketResult>"
#define OBJECT(key) "<Contents><Key>" key "</Key><LastModified>2026-11-23T02:" \
	"53:10.000Z</LastModified><ETag>&quot;0123&quot;</ETag><Size>7</Size>" \
	"<StorageClass>STANDARD</StorageClass></Contents>"

struct s3_case {
	const char *name, *xml, *want, *next;
	int rc;
};
static const struct s3_case s3_cases[] = {
	{ "objects", LIST("<IsTruncated>false</IsTruncated>" OBJECT("a/b c")
			  OBJECT("d&amp;+%41")), "a/b c=7;d&+%41=7;", "", 0 },
	{ "encoded keys", LIST("<EncodingType>url</EncodingType>"
			       OBJECT("a%2Fb+c%2B%0A")), "a/b c+\n=7;", "", 0 },
	{ "more to come", LIST("<IsTruncated>true</IsTruncated>"
			       "<NextContinuationToken>1/a+b=</NextContinuationToken>"
			       OBJECT("k")), "k=7;", "1/a+b=", 0 },
	{ "none", LIST("<IsTruncated>false</IsTruncated>"), "", "", 0 },
	{ "more without a token", LIST("<IsTruncated>true</IsTruncated>"), "", "",
	  CFS_EFORMAT },
	{ "no key", LIST("<Contents><Size>1</Size></Contents>"), "", "",
	  CFS_EFORMAT },
	{ "no size", LIST("<Contents><Key>k</Key></Contents>"), "", "",
	  CFS_EFORMAT },
	{ "a negative size", LIST("<Contents><Key>k</Key><Size>-1</Size>"
				  "</Contents>"), "", "", CFS_EFORMAT },
	{ "another answer", "<ListPartsResult/>", "", "", CFS_EFORMAT },
	{ "a document type", "<!DOCTYPE a [<!ENTITY b 'c'>]><ListBucketResult/>",
	  "", "", CFS_EFORMAT },
	{ "HTML", "<html><br></html>", "", "", CFS_EFORMAT },
	{ "nothing of S3", "", "", "", CFS_EFORMAT },
};

static int collect_object(void *arg, const struct cfs_s3_object *o)
{
	struct cfs_buf *b = arg;

	cfs_buf_add(b, o->key);
	cfs_buf_addf(b, "=%llu;", (unsigned long long)o->bytes);
	assert_slice(o->etag, "\"0123\"");
	assert_slice(o->modified, "2026-11-23T02:53:10.000Z");
	return CFS_OK;
}

static void s3_case(void **state)
{
	const struct s3_case *tc = *state;
	struct cfs_slice xml = exact_copy(tc->xml, strlen(tc->xml));
	struct cfs_error err = CFS_ERROR_INIT;
	struct cfs_buf got, next;

	cfs_buf_init(&got, 1000);
	cfs_buf_init(&next, 1000);
	assert_int_equal(cfs_s3_list_parse(xml, collect_object, &got, &next,
					   &err), tc->rc);
	assert_string_equal(cfs_buf_str(&got), tc->want);
	assert_string_equal(cfs_buf_str(&next), tc->next);
	assert_int_equal(err.code, tc->rc);
	cfs_buf_release(&next);
	cfs_buf_release(&got);
	exact_free(xml);
}

UNIT_PROGRAM
{
	UNIT_ROWS(page_cases, page_case);
	UNIT_ROWS(s3_cases, s3_case);
	UNIT_TEST(prefixes);
	UNIT_TEST(out_of_memory);
	UNIT_TEST(states);
	UNIT_TEST(hostile);
	return unit_run("listing");
}
