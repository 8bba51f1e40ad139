#!/usr/bin/env python3
# make_listing_corpus.py - writes the starting inputs of fuzz_listing.
#     python3 tests/fuzz/make_listing_corpus.py tests/fuzz/corpus
# SPDX-License-Identifier: GPL-3.0-or-later
import corpus_files

TIME = "23-Nov-2026 02:53"


def put(name, text):
    corpus_files.put("listing", name, text.encode("latin-1"))


def link(href, text=None):
    return '<a href="%s">%s</a>' % (href, href if text is None else text)


put("nginx", "<html><title>Index of /b/</title><h1>Index of /b/</h1><pre>" +
    link("../") + "\r\n" + link("sub/") + "  " + TIME + "   -\r\n" +
    link("x%20y.warc.gz", "x y.warc.gz") + "  " + TIME + "  123\r\n" +
    link("a-long-name.warc.gz", "a-long-na..&gt;") + " " + TIME + " 1\r\n</pre>")
put("nginx-json", '[\r\n{ "name":"sub", "type":"directory", "mtime":"Mon, 23 Nov '
    '2026 02:53:10 GMT" },\r\n{ "name":"\\u00e9\\".arc", "type":"file", '
    '"mtime":"Mon", "size":12 }\r\n]')
put("caddy-json", '[{"name":"s/","size":0,"url":"./s/","mod_time":"2026-11-23T'
    '02:53:10Z","mode":420,"is_dir":true},{"name":"x.warc","size":3}]')
put("caddy", "<script>" + link("x.warc") + "</script><table><tr><td>" +
    link("./s/", "<svg></svg>\n<span>s/</span>\n") + "</td><td>11/23/2026 "
    "02:53:10 AM</td></tr></table>")
put("apache", "<pre>" + link("?C=N;O=D", "Name") + "<hr>" + link("/", "Parent") +
    "\n" + link("x.arc.gz", "<img src=a>") + link("x.arc.gz") +
    " 2026-11-23 02:53 1.6M GZIP\n<img alt=\"[DIR]\"> " + link("s/") + "\n</pre>")
put("apache-table", "<table><tr><th>" + link("?C=N", "Name") + "<tr><td>" +
    link("x.arc.gz") + "</td><td>2026-11-23 02:53</td><td>512</td></table>")
put("iis", "<pre><A HREF=\"/\">[To Parent Directory]</A><br><br> 11/23/2026  2:53 "
    "AM &lt;dir&gt; <A HREF=\"/b/s/\">s</A><br> 11/23/2026 2:53 AM 5 "
    "<A HREF=\"/b/x.warc\">x.warc</A><br></pre>")
put("python", "<ul><li>" + link("s/") + "</li><li>" + link("%C3%A9.warc") +
    "</li></ul>")
put("absolute", link("http://a.example/b/x.warc") + link("//a.example/b/c/d.warc") +
    link("HTTP://A.EXAMPLE:80/b/e.warc") + link("https://a.example/b/f.warc"))
put("out", link("../x.warc") + link("%2e%2e/x.warc") + link("s/../../x.warc") +
    link("s%2f..%2f..%2fx.warc") + link("x%00.warc") + link("x%0a.warc") +
    link("./.x.warc") + link("x//y.warc") + link("x.warc#") + link("\\x.warc"))
put("entities", link("&#x2e;&#46;/x.warc") + link("a&amp;b&nbsp;.warc") +
    link("&#0;x.warc") + link("&#47;b&sol;x.warc"))
put("unclosed", "<pre><a href=x.warc>x <a href='y.warc'>y\n2026-11-23 5<a href=")
put("attributes", "<a " * 100 + "<a href href=x.warc HREF=y.warc>x</a>")
put("bytes", "\xff<pre>" + link("\xe9.warc") + "\xc2\xa0" + TIME + " 5\n\xc3")
put("bom", "\xef\xbb\xbf \n[]")
put("json-cut", '[{"name":"x.warc","size":')
put("json-deep", "[" + '{"a":' * 50 + "[[[1]]]" + "}" * 50 + "]")
put("json-out", '[{"name":"../x.warc"},{"name":"a\\u0000b"},{"name":".x"},'
    '{"name":""},{"name":5},{"size":-1,"name":"x"}]')
put("text", "x.warc.gz\n")
put("empty", "")
