#!/usr/bin/env python3
"""meta_links.py - links and meta tags of real pages, against Python's reader.

    meta_links.py META_DUMP FOLDER...

Each *.html.gz of the folders goes through crawlfs and through html.parser,
with the targets resolved by urllib.parse.  Compared without their order (a
link of crawlfs comes where its element ends): for each link its element or
type, its other attributes in order, and its target; for each meta tag all its
attributes in order.

The two disagree where html.parser is no HTML5 parser, so a few may differ.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import collections
import glob
import gzip
import json
import os
import subprocess
import sys
import tempfile
import urllib.parse
from html.parser import HTMLParser

URL = 'http://host/dir/page'
TARGETS = {'a': 'href', 'area': 'href', 'link': 'href', 'frame': 'src',
           'iframe': 'src', 'script': 'src', 'img': 'src'}
OURS = ('type', 'text', 'href')


class Reader(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.base, self.has_base = URL, False
        self.links, self.metas = [], []

    def handle_starttag(self, tag, attrs):
        given = {}
        for name, value in attrs:
            given.setdefault(name, value or '')
        if tag == 'base' and 'href' in given and not self.has_base:
            self.base = urllib.parse.urljoin(self.base, given['href'])
            self.has_base = True
        if tag == 'meta' and given:
            self.metas.append(given)
        target = given.get(TARGETS.get(tag, ''), '').strip()
        if target and target[0] != '#' and \
                not target.lower().startswith(('javascript:', 'data:')):
            self.links.append((tag, target, given))

    handle_startendtag = handle_starttag


def plain(url):
    """urllib drops an empty query; we do not."""
    return ''.join(url.split('\n')).replace('\t', '').replace('?#', '#') \
        .rstrip('?')


def key(kind, attrs, href):
    return json.dumps([kind, attrs, plain(href)])


def ours(content):
    links = [key(link['type'], [[k, v] for k, v in link.items()
                                if k not in OURS], link['href'])
             for link in content.get('links', [])]
    metas = [json.dumps(list(m.items())) for m in content.get('meta_tags', [])]
    return collections.Counter(links), collections.Counter(metas)


def theirs(text):
    reader = Reader()
    reader.feed(text)
    reader.close()
    links = [key(given.get('type', tag),
                 [[k, v] for k, v in given.items()
                  if k not in OURS and k != TARGETS[tag]],
                 urllib.parse.urljoin(reader.base, target))
             for tag, target, given in reader.links]
    metas = [json.dumps(list(m.items())) for m in reader.metas]
    return collections.Counter(links), collections.Counter(metas)


def record(body):
    block = b'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8' \
            b'\r\n\r\n' + body
    return b'WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\n' \
        b'Content-Length: %d\r\n\r\n%s\r\n\r\n' % (URL.encode(), len(block),
                                                   block)


def main():
    dump, folders = sys.argv[1], sys.argv[2:]
    files = sorted(f for folder in folders
                   for f in glob.glob(os.path.join(folder, '*.html.gz')))
    bodies = [gzip.open(f).read() for f in files]
    with tempfile.TemporaryDirectory() as tmp:
        lines = []
        for n, body in enumerate(bodies):
            path = os.path.join(tmp, str(n))
            with open(path, 'wb') as f:
                f.write(record(body))
            lines.append('%s\ta.warc.gz\t1\t1\n' % path)
        out = subprocess.run([dump], input=''.join(lines).encode(),
                             stdout=subprocess.PIPE, check=True, timeout=200,
                             stderr=subprocess.DEVNULL).stdout
    same, most = [0, 0], [0, 0]
    for body, line in zip(bodies, out.decode('utf-8').splitlines()):
        mine = ours(json.loads(line)['content'])
        other = theirs(body.decode('utf-8', 'replace'))
        for i in (0, 1):
            same[i] += sum((mine[i] & other[i]).values())
            most[i] += max(sum(mine[i].values()), sum(other[i].values()))
            for what in list(((mine[i] - other[i]) + (other[i] - mine[i])))[:4]:
                print('%s %s' % ('only here: ' if what in mine[i] else
                                 'only there:', what[:300]))
    print('%d pages: %d of %d links, %d of %d meta tags agree' %
          (len(files), same[0], most[0], same[1], most[1]))
    enough = all(same[i] >= 0.995 * most[i] for i in (0, 1))
    return 0 if enough and most[0] > 5000 and most[1] > 1000 else 1


if __name__ == '__main__':
    sys.exit(main())
