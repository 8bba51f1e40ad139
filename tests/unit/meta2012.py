#!/usr/bin/env python3
"""meta2012.py - compares .meta with metadata the crawl of 2012 published.

    meta2012.py META_DUMP ROWS.tsv SRCDIR

Each of the real records (URL, tab, JSON) is turned back into what it was made
from, as far as the record tells: the HTTP head from http_headers, a page from
title, meta_tags and links, a feed from its items; and that into an ARC record
as the crawl wrote them, and a WARC record.  crawlfs' metadata of both is
compared with the real record, field by field.  What the record does not tell
(the md5 of a page that is not there) is not compared; the table that is
printed says how many were, and the numbers must be those below.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import ast
import collections
import datetime
import gzip
import hashlib
import html
import json
import os
import posixpath
import re
import subprocess
import sys
import tempfile
import urllib.parse

# field: in the real records; agree, compared as ARC; agree, compared as WARC.
# What does not agree: the crawl decoded GB2312 A1AA to U+2015, the web has
# U+2014 (one title); its texts of links have more blanks (see content.c).
WANT = {
    'archiveInfo': (37, 37, 37, 0, 0),
    'attempt_time': (44, 44, 44, 44, 44),
    'charset_detected': (36, 31, 31, 31, 31),
    'charset_detector': (36, 31, 31, 31, 31),
    'content': (34, 34, 34, 34, 34),
    'content (feed)': (0, 2, 2, 2, 2),
    'content: names, order': (0, 32, 32, 32, 32),
    'content: title': (0, 28, 29, 28, 29),
    'content: type': (0, 32, 32, 32, 32),
    'content_is_gzip': (12, 12, 12, 12, 12),
    'content_len': (43, 38, 38, 31, 31),
    'disposition': (44, 44, 44, 44, 44),
    'download_size': (37, 32, 32, 25, 25),
    'download_truncated': (1, 0, 0, 1, 1),
    'failure_detail': (1, 1, 1, 1, 1),
    'failure_reason': (1, 1, 1, 1, 1),
    'gunzip_content_len': (12, 11, 11, 11, 11),
    'http_headers': (43, 43, 43, 43, 43),
    'http_result': (43, 43, 43, 43, 43),
    'link: attributes': (0, 4727, 4727, 4727, 4727),
    'link: href': (0, 3431, 3431, 3431, 3431),
    'link: names, order': (0, 3431, 3431, 3431, 3431),
    'link: text, blanks folded': (0, 3431, 3431, 3431, 3431),
    'link: text, to the byte': (0, 3294, 3431, 3294, 3431),
    'link: type': (0, 3431, 3431, 3431, 3431),
    'links': (0, 32, 32, 32, 32),
    'md5': (37, 1, 1, 1, 1),
    'meta tag': (0, 113, 113, 113, 113),
    'meta_tags': (0, 32, 32, 32, 32),
    'mime_type': (37, 37, 37, 37, 37),
    'names, order': (0, 44, 44, 44, 44),
    'parsed_as': (34, 34, 34, 34, 34),
    'redirect_from': (7, 0, 0, 0, 0),
    'server_ip': (43, 43, 43, 43, 43),
    'text_simhash': (36, 1, 1, 1, 1),
}

AGREE = collections.defaultdict(lambda: [0, 0, 0])
FAILED = []


def fold(text):
    return ' '.join(text.split())


def compare(kind, field, got, want, where):
    row = AGREE[kind, field]
    row[1] += 1
    if got == want:
        row[0] += 1
    else:
        FAILED.append('%s %s %s:\n  got  %r\n  want %r' %
                      (where, kind, field, got, want))


def escape(text, codec):
    """Text of an element or an attribute, as bytes of a page."""
    out = html.escape(text).replace('\r', '&#13;').replace('\x00', '')
    return out.encode(codec, 'xmlcharrefreplace')


def element_of(link):
    kind = link['type']
    if link['text'] and 'javascript' not in kind and kind != 'iframe':
        return 'a'
    if kind in ('a', 'area', 'img', 'iframe', 'frame', 'link', 'script'):
        return kind
    return 'script' if 'javascript' in kind else 'link'


def reference(href, page, n):
    """Another way to write href on a page, where there is one."""
    url, base = urllib.parse.urlsplit(href), urllib.parse.urlsplit(page)
    host = '%s://%s' % (base.scheme, base.netloc)
    if not href.startswith(host + '/'):
        if href.startswith(base.scheme + '://') and n % 3 == 0:
            return href[len(base.scheme) + 1:]
        return href
    path = href[len(host):]
    if n % 3 == 0 and not path.startswith('//'):
        return path
    folder = page[len(host):].split('?')[0].rsplit('/', 1)[0] + '/'
    if n % 3 == 1 and path.startswith(folder) and '//' not in folder:
        rest = path[len(folder):]
        if rest and rest[0] not in '/?#' and ':' not in rest.split('/')[0]:
            return rest
    if n % 3 == 2 and '//' not in path and '//' not in folder and \
            not url.query and not url.fragment and '?' not in page:
        rest = posixpath.relpath(path, folder)
        if path.endswith('/'):
            rest += '/'
        if ':' not in rest and rest[-1:] not in ('.', '') and \
                (rest[-3:] != '../' or path.endswith('/')):
            return rest
    return href


def page_of(content, url, codec):
    """HTML whose content object is `content`."""
    out = [b'<!DOCTYPE html><html><head>']
    for meta in content.get('meta_tags', []):
        out.append(b'<meta')
        for name, value in meta.items():
            out.append(b' %s="%s"' % (name.encode(codec), escape(value, codec)))
        out.append(b'>')
    if 'title' in content:
        out.append(b'<title>' + escape(content['title'], codec) + b'</title>')
    out.append(b'</head><body>')
    for n, link in enumerate(content.get('links', [])):
        tag = element_of(link)
        attr = 'href' if tag in ('a', 'area', 'link') else 'src'
        out.append(b'<' + tag.encode())
        for name, value in link.items():
            if name in ('text', 'href') or (name, value) == ('type', tag):
                continue
            out.append(b' %s="%s"' % (name.encode(codec), escape(value, codec)))
        target = reference(link['href'], url, n)
        out.append(b' %s="%s">' % (attr.encode(), escape(target, codec)))
        if tag in ('a', 'script', 'iframe'):
            # where the record has two blanks there was a line end
            text = re.sub('  +', '\n', link['text'])
            out.append(text.encode(codec, 'xmlcharrefreplace')
                       if tag != 'a' else escape(text, codec))
            out.append(b'</' + tag.encode() + b'>')
    out.append(b'</body></html>')
    return b''.join(out)


def feed_of(content):
    """RSS whose content object is `content`."""
    def tag(name, text):
        return '<%s>%s</%s>' % (name, html.escape(text, False), name)

    def date(name, ms):
        when = datetime.datetime.fromtimestamp(ms // 1000,
                                               datetime.timezone.utc)
        return tag(name, when.strftime('%a, %d %b %Y %H:%M:%S +0000'))

    out = ['<?xml version="1.0" encoding="UTF-8"?><rss version="2.0"><channel>']
    out.append(tag('title', content['title']))
    if 'link' in content:
        out.append(tag('link', content['link']['href']))
    out.append(tag('description', content['description']))
    if 'updated' in content:
        out.append(date('lastBuildDate', content['updated']))
    for item in content['items']:
        out.append('<item>')
        for name in ('title', 'description', 'comments', 'guid'):
            if name in item:
                out.append(tag(name, item[name]))
        if 'link' in item:
            out.append(tag('link', item['link']['href']))
        for category in item.get('categories', []):
            out.append(tag('category', category))
        if 'published' in item:
            out.append(date('pubDate', item['published']))
        out.append('</item>')
    out.append('</channel></rss>\n')
    return ''.join(out).encode()


def known_text(srcdir):
    """The one document whose bytes are known (see simhash_test.c)."""
    path = os.path.join(srcdir, 'tests/unit/simhash_test.c')
    part = open(path).read().split('"as published", TEXT(')[1].split(')')
    return ''.join(ast.literal_eval(s) for s in
                   re.findall(r'"[^\n]*"', ')'.join(part)
                              .split(', false, false')[0]))


def body_of(url, meta, srcdir):
    content = meta.get('content')
    codec = meta.get('charset_detected', 'utf-8')
    size = meta.get('gunzip_content_len', meta['content_len'])
    if url.endswith('/factorial.c'):
        body = known_text(srcdir).encode()
    elif content is None:
        body = b''
    elif content['type'] == 'html-doc':
        body = page_of(content, url, codec)
    else:
        body = feed_of(content)
    return body + b' ' * (size - len(body))


def head_of(meta, more):
    out = ''
    fields = dict(meta['http_headers'])
    out += fields.pop('response') + '\r\n'
    for name, value in fields.items():
        out += '%s: %s\r\n' % ('-'.join(w.capitalize() for w in
                                        name.split('-')), value)
    for line in more:
        out += line + '\r\n'
    return (out + '\r\n').encode()


def failure_head(meta):
    code = re.fullmatch('URL:.* returned invalid responseCode:([0-9]+)',
                        meta['failure_detail']).group(1)
    return b'HTTP/1.1 %s Error\r\nContent-Type: text/html\r\n\r\n' % code.encode()


def arc_record(url, meta, head, body):
    when = datetime.datetime.fromtimestamp(meta['attempt_time'] // 1000,
                                           datetime.timezone.utc)
    block = head + body + b'\n'
    # the length is 3 short in this segment (doc/formats.md, "ARC records")
    return b'%s %s %s %s %d\n' % (
        url.encode(), meta.get('server_ip', '0.0.0.0').encode(),
        when.strftime('%Y%m%d%H%M%S').encode(),
        meta.get('mime_type', 'text/html').encode(), len(block) - 3) + block


def warc_record(url, meta, block):
    when = datetime.datetime.fromtimestamp(meta['attempt_time'] // 1000,
                                           datetime.timezone.utc)
    fields = ['WARC/1.1', 'WARC-Type: response', 'WARC-Target-URI: ' + url,
              'WARC-Date: %s.%03dZ' % (when.strftime('%Y-%m-%dT%H:%M:%S'),
                                       meta['attempt_time'] % 1000),
              'Content-Type: application/http;msgtype=response',
              'Content-Length: %d' % len(block)]
    if 'server_ip' in meta:
        fields.append('WARC-IP-Address: ' + meta['server_ip'])
    if meta.get('download_truncated'):
        fields.append('WARC-Truncated: length')
    return '\r\n'.join(fields).encode() + b'\r\n\r\n' + block + b'\r\n\r\n'


def build(url, meta, srcdir):
    """The ARC and the WARC record, or None for what is in no archive."""
    if meta['disposition'] == 'FAILURE':
        if meta['failure_reason'] != 'InvalidResponseCode':
            return None
        head = failure_head(meta)
        return arc_record(url, meta, head, b'x'), warc_record(url, meta, head)
    more = ['Set-Cookie: a=b', 'Connection: close']
    body = body_of(url, meta, srcdir)
    stored = body
    if meta.get('content_is_gzip'):
        more.append('Content-Encoding: gzip')
        stored = gzip.compress(body, mtime=0)
    head = head_of(meta, more)
    return (arc_record(url, meta, head, body),
            warc_record(url, meta, head + stored))


def is_derivable(kind, field, url, meta):
    """True if the real record holds what the field is made from."""
    known = url.endswith('/factorial.c')
    if field in ('md5', 'text_simhash'):
        return known
    if field == 'archiveInfo':
        return kind == 'arc'
    if field == 'download_truncated':
        return kind == 'warc'       # ARC files of 2012 do not say it
    if field in ('content_len', 'download_size') and \
            meta.get('content_is_gzip'):
        return kind == 'arc' and 'content-length' in meta['http_headers']
    if field in ('content_len', 'download_size', 'gunzip_content_len'):
        content = meta.get('content')
        return content is None or BODY_FITS[url]
    if field in ('charset_detected', 'charset_detector'):
        return meta['charset_detector'] < 2     # else only the bytes told
    return field != 'redirect_from'     # which no archived record has


BODY_FITS = {}


def compare_links(kind, got, want, where):
    compare(kind, 'links', len(got), len(want), where)
    for n, (g, w) in enumerate(zip(got, want)):
        here = '%s link %d' % (where, n)
        compare(kind, 'link: names, order', list(g), list(w), here)
        for name in w:
            if name in ('text', 'href', 'type'):
                continue
            compare(kind, 'link: attributes', g.get(name), w[name], here)
        compare(kind, 'link: type', g['type'], w['type'], here)
        compare(kind, 'link: href', g['href'], w['href'], here)
        compare(kind, 'link: text, blanks folded', fold(g['text']),
                fold(w['text']), here)
        if g['text'] == w['text']:
            AGREE[kind, 'link: text, to the byte'][0] += 1
        AGREE[kind, 'link: text, to the byte'][1] += 1


def compare_content(kind, got, want, where):
    if want['type'] != 'html-doc':
        compare(kind, 'content (feed)', got, want, where)
        return
    compare(kind, 'content: names, order', list(got), list(want), where)
    for name in ('type', 'title'):
        if name in want:
            compare(kind, 'content: ' + name, got.get(name), want[name], where)
    for g, w in zip(got.get('meta_tags', []), want.get('meta_tags', [])):
        compare(kind, 'meta tag', list(g.items()), list(w.items()), where)
    compare(kind, 'meta_tags', len(got.get('meta_tags', [])),
            len(want.get('meta_tags', [])), where)
    compare_links(kind, got.get('links', []), want.get('links', []), where)


def compare_all(kind, url, got, want):
    for field in want:
        AGREE[kind, field][2] += 1
        if not is_derivable(kind, field, url, want):
            continue
        if field == 'content':
            compare_content(kind, got.get(field, {'type': None}), want[field],
                            url)
            compare(kind, field, got.get(field, {}).get('type'),
                    want[field]['type'], url)
        elif field == 'attempt_time' and kind == 'arc':
            compare(kind, field, got.get(field), want[field] // 1000 * 1000,
                    url)                # ARC dates have seconds
        elif field in ('http_headers', 'archiveInfo'):
            compare(kind, field, list(got.get(field, {}).items()),
                    list(want[field].items()), url)
        else:
            compare(kind, field, got.get(field), want[field], url)
    left_out = {'redirect_from'}
    if kind == 'warc':
        left_out.add('archiveInfo')
    if kind == 'arc':
        left_out.add('download_truncated')
    compare(kind, 'names, order', [k for k in got if k not in
                                   ('warc', 'crawlfs')],
            [k for k in want if k not in left_out], url)


def run(dump, folder, todo):
    """Metadata of (bytes, archive, offset, length) from the program."""
    lines = []
    for n, (data, archive, offset, length) in enumerate(todo):
        path = os.path.join(folder, str(n))
        with open(path, 'wb') as f:
            f.write(data)
        lines.append('%s\t%s\t%d\t%d\n' % (path, archive, offset, length))
    out = subprocess.run([dump], input=''.join(lines).encode(),
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                         check=True, timeout=300)
    lines = out.stdout.decode('utf-8').splitlines()
    assert len(lines) == len(todo)
    return [json.loads(line) for line in lines]


def main():
    dump, rows, srcdir = sys.argv[1:4]
    todo, wants = [], []
    not_archived = 0
    for line in open(rows, encoding='utf-8', newline='\n'):
        url, text = line.rstrip('\n').split('\t', 1)
        meta = json.loads(text)
        records = build(url, meta, srcdir)
        if records is None:
            not_archived += 1
            continue
        if meta['disposition'] == 'SUCCESS':
            size = meta.get('gunzip_content_len', meta['content_len'])
            BODY_FITS[url] = len(body_of(url, meta, srcdir)) == size
        info = meta.get('archiveInfo', {
            'arcSourceSegmentId': 1, 'arcFileDate': 1341708194671,
            'arcFileParition': 0, 'arcFileOffset': 1, 'compressedSize': 1})
        name = 'segment/%d/%d_%d.arc.gz' % (
            info['arcSourceSegmentId'], info['arcFileDate'],
            info['arcFileParition'])
        if 'archiveInfo' not in meta:
            name = '1341708194671_0.arc.gz'
        todo.append((records[0], name, info['arcFileOffset'],
                     info['compressedSize']))
        todo.append((records[1], 'a.warc.gz', 1, 1))
        wants.append((url, meta))
    with tempfile.TemporaryDirectory() as folder:
        got = run(dump, folder, todo)
    for n, (url, meta) in enumerate(wants):
        compare_all('arc', url, got[2 * n], meta)
        compare_all('warc', url, got[2 * n + 1], meta)
    print('%d real records, %d of failures that are in no archive' %
          (len(wants) + not_archived, not_archived))
    print('%-26s %5s %12s %12s' % ('field', 'real', 'ARC', 'WARC'))
    table = {}
    for field in sorted({field for _, field in AGREE}):
        arc, warc = AGREE['arc', field], AGREE['warc', field]
        table[field] = (arc[2], arc[0], arc[1], warc[0], warc[1])
        print('%-26s %5s %5d of %-5d %5d of %-5d' %
              ((field, arc[2] or '') + table[field][1:]))
    for text in FAILED[:40]:
        print(text)
    for name in sorted(set(table) | set(WANT)):
        if table.get(name) != WANT.get(name):
            print('FAIL: %s: %s, not %s' % (name, table.get(name),
                                            WANT.get(name)))
    return 0 if table == WANT else 1


if __name__ == '__main__':
    sys.exit(main())
