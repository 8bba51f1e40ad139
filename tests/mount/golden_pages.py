#!/usr/bin/env python3
"""golden_pages.py - what views contain, against hashes of it.

    make FILE               a WARC file of pages of every kind
    print MOUNT VERSION     the hash of each view of each page there
    compare MOUNT VERSION GOLDEN
                            are they those of the file GOLDEN, made by print?

The pages are made here, by a generator whose numbers are the same everywhere, so
that the hashes change with what views contain alone.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import base64
import hashlib
import json
import os
import re
import struct
import sys
import zlib

HOST = "golden.example.org"
VIEWS = (".txt", ".meta", ".md", ".main.txt", ".headers")
WORDS = """archive page crawl web capture record index Unix file system time
memory language river mountain bread water light house garden window letter
über façade naïve Straße смысл слово город книга вода 時間 言葉 世界 καλημέρα
कखग العربية שלום 한국어 tiếng""".split()


class Numbers:
    """A linear congruential generator: Python's own may change."""

    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        self.state = (self.state * 6364136223846793005 +
                      1442695040888963407) % 2**64
        return (self.state >> 33) % n

    def of(self, some):
        return some[self.below(len(some))]


def words(r, n):
    return " ".join(r.of(WORDS) for _ in range(n))


TAGS = ("p div span b i a table tr td th ul li ol dl dt dd h1 h2 h3 pre code br hr "
        "img blockquote section article nav header footer form input select "
        "option textarea button label script style noscript iframe title "
        "template svg math center font").split()
MARKUP = ("<", ">", "</", "/>", "<!--", "-->", "<![CDATA[", "]]>", "<!doctype",
          "&amp;", "&nbsp", "&#x41;", "&#0;", "&#128512;", "&notit;", "\0",
          "&lt;b&gt;", "\r\n", "\t", "=\"", "'", "<?xml", "&ampx=1")


def soup(seed):
    r, out = Numbers(seed), []
    for _ in range(60 + r.below(200)):
        kind = r.below(10)
        tag = r.of(TAGS)
        if kind < 3:
            out.append("<%s>" % tag)
        elif kind < 5:
            out.append("</%s>" % tag)
        elif kind < 6:
            out.append("<%s %s=%s>" % (tag, r.of(
                ("href", "src", "alt", "title", "content", "name", "class",
                 "hidden", "style", "lang", "dir")), r.of(
                ("x", "\"a b\"", "'/p?q=1&r=2#f'", "display:none",
                 "https://example.com/", "\"\""))))
        elif kind < 7:
            out.append(r.of(MARKUP))
        else:
            out.append(words(r, 1 + r.below(12)) + r.of((" ", "\n", ". ")))
    return "".join(out)


ARTICLE = """<!DOCTYPE html><html lang="%s"><head><meta charset="%s">
<title>A page of %s &mdash; &quot;title&quot;</title>
<meta name="description" content="What it is about">
<meta name="robots" content="noindex, follow"><meta name="keywords" content="a,b">
<meta property="og:title" content="Graph title"><base href="/dir/">
<link rel="canonical" href="../canonical?x=1&amp;y=2"><link rel="icon" href="i.ico">
<link rel="alternate" type="application/rss+xml" href="feed.xml">
<script>var a = "<p>not text</p>"; </script><style>p { color: red }</style></head>
<body><nav><a href="one">One</a> <a href="//other.example/two#f">Two</a></nav>
<h1>Heading</h1><p>%s</p><ul><li>first<li>second</ul>
<table><tr><th>Name<th>Value<tr><td>a<td>1</table><pre>  kept
   blanks</pre><p hidden>hidden</p><p style="display: none">not shown</p>
<img src="p.png" alt="A picture"><iframe src="f.html"></iframe>
<form action="go"><input value="x"><textarea>typed</textarea></form>
<a href="mailto:a@example.org">mail</a><a href="javascript:void(0)">js</a>
<noscript><p>without scripts</p></noscript></body></html>"""

RSS = """<?xml version="1.0" encoding="UTF-8"?><rss version="2.0"><channel>
<title>A feed</title><link>http://%s/</link><description>Of news</description>
<pubDate>Tue, 05 Mar 2024 10:20:30 +0200</pubDate><item><title>First &amp; best</title>
<link>/first</link><description>&lt;p&gt;Text &lt;b&gt;bold&lt;/b&gt;&lt;/p&gt;
</description><guid isPermaLink="false">1</guid></item><item><title><![CDATA[Second
<one>]]></title><link>http://%s/second</link></item></channel></rss>""" % (HOST, HOST)
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title type="html">Atom &amp;amp;
more</title><updated>2024-03-05T10:20:30Z</updated><link href="/"/><entry>
<title>Entry</title><link rel="alternate" href="/e1"/><id>urn:1</id><summary>Of
it</summary><author><name>Somebody</name></author></entry></feed>"""


def article(charset="utf-8", lang="en", text=None):
    return ARTICLE % (lang, charset, charset, text or words(Numbers(7), 80))


def pages():
    """name, body, MIME type, further fields of the HTTP head, status line"""
    def page(name, body, mime="text/html", fields=(), status="200 OK"):
        if isinstance(body, str):
            body = body.encode()
        return name, body, mime, tuple(fields), status

    yield page("article.html", article())
    russian = "Это страница о погоде и о книгах, слово за словом. " * 9
    for charset in "windows-1251", "koi8-r", "iso-8859-5":
        body = article(charset, "ru", russian).replace("&mdash;", "-")
        yield page("cyrillic-%s.html" % charset, body.encode(charset))
        yield page("undeclared-%s.html" % charset,
                   ("<title>x</title><p>" + russian).encode(charset))
    japanese = "これは時間と言葉についてのページです。" * 20
    for charset in "shift_jis", "euc-jp", "iso-2022-jp":
        yield page("japanese-%s.html" % charset,
                   ("<title>%s</title><p>%s" % (japanese[:9], japanese)
                    ).encode(charset), "text/html; charset=" + charset)
    yield page("chinese-gbk.html", ("<meta charset=gbk><p>" + "这是一个网页。" * 40
                                    ).encode("gbk"))
    yield page("chinese-big5.html", ("<meta charset=big5><p>" + "這是一個網頁。" * 40
                                     ).encode("big5"))
    yield page("korean.html", ("<meta charset=euc-kr><p>" + "한국어 페이지 " * 40
                               ).encode("euc-kr"))
    latin = article("iso-8859-1", "fr", "L'été, une façade naïve. " * 20)
    yield page("latin1.html", latin.encode("iso-8859-1"),
               "text/html; charset=ISO-8859-1")
    for name in "utf-16", "utf-16-le", "utf-16-be", "utf-32":
        yield page(name + ".html", article(name, text=russian).encode(name))
    yield page("bom.html", "\ufeff" + article())
    yield page("bad-utf8.html", article().encode() + b"<p>\xff\xfe\xc3(\xe2\x82")
    for i in range(24):
        yield page("soup%d.html" % i, soup(1000 + i))
    yield page("deep.html", "<div>" * 3000 + "deep" + "</div>" * 3000)
    yield page("entities.html", "<p>" + " ".join(
        "&%s;" % n for n in ("lt", "gt", "amp", "euro", "Aacute", "nvap",
                             "NotEqualTilde", "#150", "#xd800", "#x110000")))
    yield page("feed.rss", RSS, "application/rss+xml")
    yield page("feed.atom", ATOM, "application/atom+xml")
    yield page("broken.rss", RSS[:-150] + "<item><title>open", "text/xml")
    yield page("plain.txt", "A plain text.\r\n\r\nWith  blanks\tand <b>no</b> tags.\n" +
               words(Numbers(3), 300), "text/plain; charset=utf-8")
    yield page("data.json", '{"a": [1, 2, {"b": "text é"}]}', "application/json")
    yield page("x.xhtml", '<?xml version="1.0" encoding="utf-8"?>' + article(),
               "application/xhtml+xml")
    yield page("style.css", "p { color: red }", "text/css")
    yield page("noise.bin", hashlib.shake_128(b"golden").digest(3000),
               "application/octet-stream")
    yield page("picture.png", base64.b64decode(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY"
        "42YAAAAASUVORK5CYII="), "image/png")
    yield page("empty.html", "")
    yield page("no-type", article(), "")
    yield page("moved.html", "<h1>Moved</h1>", fields=["Location: /article.html"],
               status="301 Moved Permanently")
    yield page("missing.html", "<p>Not here.", status="404 Not Found")
    yield page("tag.html", article(), fields=[
        "X-Robots-Tag: noarchive", "Link: <http://%s/c>; rel=canonical" % HOST,
        "Content-Language: de", "Last-Modified: Tue, 05 Mar 2024 10:20:30 GMT",
        "Set-Cookie: a=b", "Set-Cookie: c=d"])
    body = article().encode()
    yield page("gzip.html", stored_gzip(body),
               fields=["Content-Encoding: gzip"])
    yield page("deflate.html", stored_zlib(body),
               fields=["Content-Encoding: deflate"])
    yield page("chunked.html", b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body),
               fields=["Transfer-Encoding: chunked"])
    yield page("damaged.html", stored_gzip(body)[:700],
               fields=["Content-Encoding: gzip"])
    yield page("long.html", "".join("<p>%s</p>\n" % words(Numbers(i), 40)
                                    for i in range(800)))
    yield page("panels.html", "<h1>Panels</h1>" + "".join(
        "<button aria-controls=p%d>Heading</button><div id=p%d %s><p>%s</div>"
        % (i, i, how, words(Numbers(300 + i), 20)) for i, how in enumerate((
            "hidden aria-labelledby=h", "role=tabpanel aria-hidden=true",
            "class=tab-pane style=display:none", "hidden role=dialog",
            "class=box-de4e8c2ad6", "class=h-[var(--nav)]"))) +
        "<section id=respond-to-review-comments><p>%s</section>"
        % words(Numbers(310), 20))


def stored(data):
    """Blocks of deflate that are not compressed: what compressed ones are
    depends on the version of zlib, and .meta states lengths."""
    cuts = range(0, max(len(data), 1), 0xffff)
    return b"".join(struct.pack("<BHH", at == cuts[-1], n, n ^ 0xffff) +
                    data[at:at + n]
                    for at in cuts for n in [min(len(data) - at, 0xffff)])


def stored_gzip(data):
    return (b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + stored(data) +
            struct.pack("<II", zlib.crc32(data), len(data)))


def stored_zlib(data):
    return (b"\x78\x01" + stored(data) +
            struct.pack(">I", zlib.adler32(data)))


def record(kind, name, block, *fields):
    head = ["WARC/1.0", "WARC-Type: " + kind,
            "WARC-Record-ID: <urn:test:%s:%s>" % (kind, name),
            "WARC-Target-URI: http://%s/%s" % (HOST, name),
            "WARC-Date: 2024-03-05T10:20:30Z", *fields,
            "Content-Length: %d" % len(block)]
    return stored_gzip("\r\n".join(head).encode() + b"\r\n\r\n" + block +
                       b"\r\n\r\n")


def make(path):
    http = "Content-Type: application/http; msgtype=response"
    with open(path, "wb") as f:
        for name, body, mime, fields, status in pages():
            head = ["HTTP/1.1 " + status]
            head += ["Content-Type: " + mime] if mime else []
            block = "\r\n".join((*head, *fields)).encode() + b"\r\n\r\n" + body
            f.write(record("response", name, block, http,
                           "WARC-IP-Address: 192.0.2.1"))
        f.write(record("resource", "resource.html", article().encode(),
                       "Content-Type: text/html"))
        f.write(record("conversion", "conversion.txt", b"converted\n",
                       "Content-Type: text/plain"))
        f.write(record("revisit", "revisit.html", b"HTTP/1.1 304 Not Modified"
                       b"\r\nETag: x\r\n\r\n", http, "WARC-Refers-To: "
                       "<urn:test:response:article.html>"))
        f.write(record("revisit", "lost.html", b"HTTP/1.1 304 Not Modified"
                       b"\r\n\r\n", http, "WARC-Refers-To: <urn:test:none>"))


# What a build without CLD2 does not have.
LANGUAGES = re.compile(rb',\s*"languages": (\[[^]]*\])')


def hash_of(shown):
    return hashlib.sha256(shown).hexdigest()[:16]


def lines(mount, version):
    folder = os.path.join(mount, *reversed(HOST.split(".")), "_")
    yield "version\t%s\n" % version
    for name in sorted(n for n in os.listdir(folder) if not n.endswith(VIEWS)):
        for view in VIEWS:
            try:
                with open(os.path.join(folder, name + view), "rb") as f:
                    data = f.read()
                shown = hash_of(LANGUAGES.sub(b"", data))
            except FileNotFoundError:
                data, shown = b"", "-"
            yield "%s%s\t%s\n" % (name, view, shown)
            if found := LANGUAGES.search(data):
                yield "%s%s languages\t%s\n" % (
                    name, view, ",".join(json.loads(found[1])))


def compare(mount, version, golden):
    with open(golden, encoding="utf-8") as f:
        want = f.readlines()
    got = list(lines(mount, version))
    if not any(" languages\t" in line for line in got):
        print("SKIP: languages: built without CLD2")
        want = [line for line in want if " languages\t" not in line]
    if got == want:
        return
    was = want[0].split("\t")[1].strip()
    for line in sorted(set(got) ^ set(want)):
        print("-" if line in want else "+", line, end="")
    sys.exit("views have changed: raise CFS_VIEW_VERSION in src/view/view.h, "
             "and make %s anew" % os.path.basename(golden)
             if was == version else
             "CFS_VIEW_VERSION is %s: make %s, of version %s, anew" %
             (version, os.path.basename(golden), was))


def main():
    what, *args = sys.argv[1:]
    if what == "make":
        make(*args)
    elif what == "print":
        sys.stdout.writelines(lines(*args))
    elif what == "compare":
        compare(*args)
    else:
        sys.exit(__doc__)


main()
