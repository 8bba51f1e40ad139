#!/usr/bin/env python3
"""make_feed_corpus.py - writes the seeds of fuzz_feed.

    make_feed_corpus.py CORPUS      (tests/fuzz/corpus)

SPDX-License-Identifier: GPL-3.0-or-later
"""
import os
import sys

RSS = b"<rss version='2.0'><channel>"
ATOM = b"<feed xmlns='http://www.w3.org/2005/Atom'>"
END = b'</channel></rss>'

FEEDS = {
    'rss': b"<?xml version='1.0'?>" + RSS + b'<title>T</title><link>l</link>'
           b'<item><title>a &lt;b></title><description><![CDATA[<p>x]]>'
           b"</description><enclosure url='u' length='1'/><pubDate>"
           b'Sat, 07 Sep 2002 00:00:01 GMT</pubDate></item>' + END,
    'rdf': b"<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' "
           b"xmlns='http://purl.org/rss/1.0/' xmlns:dc='http://purl.org/dc/"
           b"elements/1.1/'><channel><title>T</title></channel><item><dc:date>"
           b'2003-12-13T18:30:02Z</dc:date></item></rdf:RDF>',
    'atom': ATOM + b"<author><name>n</name><uri>u</uri></author><link href='h'/>"
            b"<entry><title type='html'>a &lt;i></title><content type='xhtml'>"
            b"<div xmlns='http://www.w3.org/1999/xhtml'>p<br/>&lt;</div></content>"
            b'</entry></feed>',
    'atom03': b"<feed version='0.3' xmlns='http://purl.org/atom/ns#'><entry>"
              b"<content type='image/png' mode='base64'>AA</content></entry></feed>",
    'entities': b"<!DOCTYPE rss [<!ENTITY a 'x'><!ENTITY b SYSTEM 'file:///x'>"
                b"<!-- ' -->]>" + RSS + b'<title>&a;&b;&eacute;&#0;&#x110000;&amp'
                b'</title>' + END,
    'stray': RSS + b"<title>1 < 2 & 3 <3 ]]> &#; \x01\x00</title><link a=b c='d"
             b"<x y=\"z'/>" + END,
    'unbalanced': RSS + b'<item><description>a<br>b</i><title></item></item>x',
    'deep': RSS + b'<a>' * 120 + b'</a>' * 130 + b'<title>t',
    'attributes': RSS + b'<link ' + b"a='&quot;' " * 80 + b'/>' + END,
    'namespaces': RSS + b"<link " + b' '.join(b"xmlns:n%d='u'" % i for i in
                                             range(80)) + b' n1:a="b"/>' + END,
    'cdata': RSS + b'<title>' + b'<![CDATA[]]>' * 3 + b'<![CDATA[a]]]]><![CDATA[>b',
    'junk': b'Warning <b>\n<?xml ?><!-- x --><rss><channel><title>t',
    'doctype': b'<!DOCTYPE rss [ <!-- " --> <!ENTITY a "]>"> ]><rss/>',
    'not-characters': RSS + b'<title>\xef\xbf\xbe\xef\xbf\xbf\xed\xa0\x80\xff</title>',
    'names': RSS + b'<:a/><a:/><a:b:c/><1/><\xc3\xa9/><a\xc3\xa9/>' + b'<' + b'n' * 200,
    'empty': b'',
    'html': b'<html><body>x',
}


def main():
    top = os.path.join(sys.argv[1], 'feed')
    os.makedirs(top, exist_ok=True)
    for name, feed in FEEDS.items():
        with open(os.path.join(top, name), 'wb') as f:
            f.write(feed)


main()
