#!/usr/bin/env python3
"""make_view_corpus.py - writes the seeds of fuzz_text, fuzz_meta and
fuzz_simhash.

    make_view_corpus.py CORPUS      (tests/fuzz/corpus)

SPDX-License-Identifier: GPL-3.0-or-later
"""
import os
import sys

PAGES = {
    'simple': b'<html><head><title>T</title><meta name=description content=d>'
              b'</head><body><p>a<b>b</b><pre>\n c\n</pre></body></html>',
    'hidden': b'<p hidden>x<p style="display: none">y<script>z</script>'
              b'<noscript>n</noscript><template><p>t</template><!-- c -->ok',
    'entities': b'&amp;&#65;&#x1F600;&#0;&#x110000;&nosuch;&copy&lt;&#;&#x;',
    # larger than any code point
    'huge-reference': b'a&#x1F69999999999999;&#x100000081;<p title="&#x100000081;">',
    'latin1': b'<meta charset=iso-8859-1>gr\xfc\xdfe \x80',
    'pragma': b'<meta http-equiv=content-type content="text/html; charset=koi8-r">\xf0\xd2',
    'jis': b'\x1b$BF|K\\\x1b(B <b>\x1b$B',
    'bom8': b'\xef\xbb\xbf<p>\xc3\xa9',
    'bom16': b'\xff\xfe<\0p\0>\0a\0\x3d\xd8\x00\xde\x3d\xd8',
    'broken-utf8': b'<p>\xc3\xc3\xa9\xf0\x9f\x98<a title="\xff">\xed\xa0\x80',
    'links': b'<base href=//h/x/><a href=a>1<img src=i>2<a href=#f>3'
             b'<a href="../../b?c#d">4</a><area href=e><link href=f type=g>'
             b'<script src=h></script><iframe src=j>k</iframe>',
    'nested-links': b'<a href=1><table><td><a href=2><table><td><a href=3>x',
    'deep': b'<div><b>' * 400 + b'x',
    'deep-tables': b'<table><tr><td>' * 150 + b'x',
    'fonts': b''.join(b'<p><font a=%d>x' % i for i in range(120)),
    'attributes': b'<p ' + b' '.join(b'a%d=%d' % (i, i) for i in range(300)) + b'>',
    'adoption': b'<b><i><p></b></i>' * 60,
    'foster': b'<table>' + b'<div>x' * 60,
    'svg': b'<svg><title>t</title><g/><desc>d</desc><p>out</svg><math><mi>m',
    'frameset': b'<frameset><frame src=a><noframes>n</noframes></frameset>',
    'raw': b'<textarea> a </textarea><xmp><b></xmp><plaintext></plaintext>x',
    'cut-tag': b'<p a=b c="d',
    'cut-comment': b'a<!-- b',
    'odd': b'<><</></3><!><?x?><!doctype><p/><br/ ><a / href = x / >',
    'nul': b'a\0b<p\0c=\0>\0</p\0>',
    'select': b'<div><select><option>a<option>b</div><input>c</select>d',
    'unclosed': b'<div>a<span hidden>x</div>b<p hidden>x<ul><li hidden>y<li>c</ul>'
                b'<table hidden><td>z</div></table>d<script><!--<script></script>'
                b'--></script>e<svg><title>t<b></title></svg>&copy 1&eacutex',
    'xhtml': b'<?xml version="1.0" encoding="iso-8859-2"?><html><p/>\xe6</html>',
}

HTTP = b'HTTP/1.1 200 OK\r\n%s\r\n%s'


def warc(kind, extra, block, uri=b'http://h/a'):
    return (b'WARC/1.0\r\nWARC-Type: ' + kind + b'\r\nWARC-Target-URI: ' + uri +
            b'\r\nWARC-Date: 2020-01-02T03:04:05Z\r\n' + extra +
            b'Content-Length: %d\r\n\r\n' % len(block) + block + b'\r\n\r\n')


def arc(mime, block):
    return (b'http://h/a 1.2.3.4 20120101000000 %s %d\n' % (mime, len(block)) +
            block + b'\n')


RECORDS = {
    'warc-page': warc(b'response', b'X: 1\r\nX: 2\r\n',
                      HTTP % (b'Content-Type: text/html\r\nA: 1\r\na: 2\r\n',
                              PAGES['links'])),
    'warc-404': warc(b'response', b'', b'HTTP/1.0 404 no\r\n\r\nx'),
    'warc-500': warc(b'response', b'', b'HTTP/1.0 500 no\r\n\r\nx'),
    'warc-no-http': warc(b'response', b'', b'\x80\x81 not http'),
    'warc-resource': warc(b'resource', b'Content-Type: text/html\r\n',
                          PAGES['simple'], b'ftp://h/a'),
    'warc-conversion': warc(b'conversion', b'Content-Type: text/plain\r\n',
                            b'words \xc3\xa9\n'),
    'warc-revisit': warc(b'revisit', b'', b'HTTP/1.1 304 x\r\n\r\n'),
    'warc-bad-utf8': warc(b'response', b'X-\xff: \xfe\0\x01\r\n',
                          HTTP % (b'\xe9: \xff\r\nContent-Type: \xff/\xff\r\n',
                                  b'\xff')),
    # two names that differ only in bytes JSON cannot hold
    'warc-twin-names': warc(b'resource', b'A\xff: 1\r\nA\xfe: 2\r\nB\0: 3\r\n',
                            b'x'),
    'arc-page': arc(b'text/html', HTTP % (b'Content-Type:text/html;charset=big5\r\n',
                                          b'<title>\xa4\xa4</title>')),
    'arc-no-type': arc(b'no-type', HTTP % (b'', b'<html>x')),
    'arc-no-head': arc(b'text/html', b'<p>x'),
}

ATOM = b'<feed xmlns="http://www.w3.org/2005/Atom">'
FEEDS = {
    'rss': b'<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/'
           b'content/"><channel><title>T</title><link>http://h/</link>'
           b'<lastBuildDate>Thu, 09 Feb 2012 06:11:50 GMT</lastBuildDate><item>'
           b'<title>a &lt;b&gt;</title><guid>g</guid><category>c</category>'
           b'<category>d</category><author>e</author><comments>f</comments>'
           b'<content:encoded><![CDATA[<a href=x>y</a>]]></content:encoded>'
           b'</item><item/></channel></rss>',
    'rss-cut': b'<rss><channel><item><description>&lt;p&gt;a &amp;lt; b',
    'rdf': b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
           b'xmlns="http://purl.org/rss/1.0/" '
           b'xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>T'
           b'</title></channel><item><dc:creator>c</dc:creator><dc:date>2012'
           b'</dc:date><dc:subject>s</dc:subject></item></rdf:RDF>',
    'atom': ATOM + b'<title type="html">&lt;i>T</title><link href="a"/>'
            b'<link rel="alternate" href="b" b:rel="c" title="&#1;"/><author>'
            b'<name>N</name><uri>u</uri></author><updated>2012-02-09</updated>'
            b'<entry><link rel="self" href="s"/><link rel="replies" href="r"/>'
            b'<category term="t" label="l"/><content type="xhtml"><div>'
            b'<a href="/x">y</a></div></content><content type="html">z'
            b'</content></entry></feed>',
}
TEXTS = {
    'short': b'\0abc',
    'words': b'\0the cat and the dog and the cat',
    'latin1': b'\1gr\xfc\xdfe \x80\x9f gr\xfc\xdfe',
    'bom': b'\2abc\xc3\xa9',
    'pairs': b'\0\xf0\x9f\x98\x80\xf0\x90\x80\x80\xf4\x8f\xbf\xbf',
    'broken': b'\3\xff\xc3\xed\xa0\x80\xf0\x9f\x98\xe2\x82\xac',
    'broken-utf8': b'\0\xff\xc3\xed\xa0\x80\xf0\x9f\x98\xe2\x82\xac',
    'nuls': b'\0' * 40,
}


def main():
    top = sys.argv[1]
    for folder in ('text', 'meta', 'simhash'):
        os.makedirs(os.path.join(top, folder), exist_ok=True)
    for i, (name, page) in enumerate(sorted(PAGES.items())):
        for k in {0, i % 8} if name != 'jis' else {4}:
            with open(os.path.join(top, 'text', '%s-%d' % (name, k)), 'wb') as f:
                f.write(bytes([k]) + page)
        with open(os.path.join(top, 'meta', name), 'wb') as f:
            f.write(page)
    for name, feed in FEEDS.items():
        with open(os.path.join(top, 'meta', 'feed-' + name), 'wb') as f:
            f.write(feed)
    for name, text in TEXTS.items():
        with open(os.path.join(top, 'simhash', name), 'wb') as f:
            f.write(text)
    for name, record in RECORDS.items():
        with open(os.path.join(top, 'meta', name), 'wb') as f:
            f.write(record)


if __name__ == '__main__':
    main()
