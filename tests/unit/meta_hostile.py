#!/usr/bin/env python3
"""meta_hostile.py - .meta of pages made to break readers: bounds and JSON.

    meta_hostile.py META_DUMP SRCDIR

Each page, and each file of the fuzz corpora as a page of several types, must
give one JSON object in UTF-8 (Python's reader, no name twice).  Of the pages
of 1 MiB it also measures memory, which must keep to ten times the page and
16 MiB, and processor time: 200 ms on a machine that is not busy, so the test
fails at twice that.  A sanitized program is let off both.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time

MIB = 1 << 20
TIME_MAX = 0.2
HTML, LATIN = 'text/html; charset=utf-8', 'text/html; charset=iso-8859-1'
CP1252 = 'text/html; charset=windows-1252'
RSS_TYPE, ATOM_TYPE = 'application/rss+xml', 'application/atom+xml'
RSS = b'<rss version="2.0" xmlns:content=' \
      b'"http://purl.org/rss/1.0/modules/content/"><channel>'
ATOM = b'<feed xmlns="http://www.w3.org/2005/Atom"><entry>'


def fill(piece, before=b'', after=b''):
    n = MIB - len(before) - len(after)
    return before + (piece * (n // len(piece) + 1))[:n] + after


def words(seed):
    """Plain prose with links, as most pages are."""
    rng = random.Random(seed)
    some = [bytes(rng.choice(b'abcdefghijklmnopqrstuvwxyz')
                  for _ in range(rng.randint(2, 9))) for _ in range(8000)]
    out, n = [b'<html><head><title>T</title></head><body>'], 0
    while n < MIB:
        out.append(b'<p class="c%d">%s <a href="/p/%d" title="%s">%s</a></p>\n'
                   % (n % 99, b' '.join(rng.choices(some, k=30)), n,
                      rng.choice(some), b' '.join(rng.choices(some, k=3))))
        n += len(out[-1])
    return b''.join(out)[:MIB]


def noise(seed, low, high):
    rng = random.Random(seed)
    return rng.randbytes(2 * MIB).translate(
        bytes(low + i % (high - low) for i in range(256)))[:MIB] \
        .replace(b'<', b'x').replace(b'&', b'x')


def pages():
    links = b'<a href=x>'
    return {
        'prose': (HTML, words(1)),
        'links': (HTML, fill(links)),
        'links with text': (HTML, fill(b'<a href=x>y</a>')),
        'images': (HTML, fill(b'<img src=x>')),
        'a long base': (HTML, fill(links, b'<base href="http://h/' +
                                   b'a' * 8000 + b'/">')),
        'a deep base': (HTML, fill(b'<a href=../../x>',
                                   b'<base href="http://h/' + b'a/' * 4000 +
                                   b'">')),
        'meta tags': (HTML, fill(b'<meta a>')),
        'full meta tags': (HTML, fill(b'<meta a=1 b=2 c=3 d=4 e=5>')),
        'control characters': (HTML, fill(b'\1', b'<a href=x title="', b'">')),
        'many of them': (HTML, fill(b'<a href=x title="' + b'\1' * 60000 +
                                    b'">')),
        'quotes': (HTML, fill(b"<a href=x title='" + b'"' * 60000 + b"'>")),
        'attributes': (HTML, fill(b'<a href=x ' + b' '.join(
            b'a%d' % i for i in range(200)) + b'>')),
        'attributes of one': (HTML, fill(b' '.join(
            b'a%d' % i for i in range(170000)), b'<a href=x ', b'>')),
        'C1 text': (HTML, fill(b'\xc2\x80', b'<a href=x>')),
        'lines': (HTML, fill(b'\na', b'<a href=x>')),
        'a title': (HTML, fill(b'\2', b'<title>')),
        'NULs': (HTML, fill(b'\0', b'<a href=x title="')),
        'surrogates': (HTML, fill(b'&#xd800;\xed\xa0\x80', b'<a href=x>')),
        'noise': (HTML, noise(2, 32, 127)),
        'noise, latin1': (LATIN, noise(3, 1, 256)),
        'noise, no utf-8': (HTML, noise(4, 1, 256)),
        'euros': (CP1252, fill(b'\x80')),
        'euro links': (CP1252, fill(b'<a href=\x80>\x80</a>')),
        'deep': (HTML, fill(b'<div>')),
        'tables': (HTML, fill(b'<table><tr><td><a href=x>')),
        'fonts': (HTML, fill(b'<p><font a=1>x')),
        'iframes': (HTML, fill(b'<iframe src=x>')),
        'items': (RSS_TYPE, fill(b'<item/>', RSS, b'</channel></rss>')),
        'items with links': (RSS_TYPE, fill(
            b'<item><content:encoded>&lt;a href=x></content:encoded></item>',
            RSS)),
        'categories': (RSS_TYPE, fill(b'<category>a</category>',
                                      RSS + b'<item>')),
        'one large item': (RSS_TYPE, fill(
            links, RSS + b'<item><content:encoded><![CDATA[',
            b']]></content:encoded></item></channel></rss>')),
        'open tags': (RSS_TYPE, fill(
            b'<', RSS + b'<item><description><![CDATA[',
            b']]></description></item></channel></rss>')),
        'links of Atom': (ATOM_TYPE, fill(b'<link href="a"/>', ATOM)),
    }


def record(kind, body):
    block = b'HTTP/1.1 200 OK\r\nContent-Type: %s\r\n\r\n%s' % (kind.encode(),
                                                               body)
    return b'WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: ' \
        b'http://h/a/b\r\nWARC-Date: 2020-01-02T03:04:05Z\r\n' \
        b'Content-Length: %d\r\n\r\n%s\r\n\r\n' % (len(block), block)


def bad_headers():
    fields = b''.join(b'X-%d: %s\r\n' % (i, b'\1"\xff\\' * 50)
                      for i in range(3000))
    block = b'HTTP/1.1 200 \0\xff"\r\n' + fields + b'\r\nx'
    return b'WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: ' \
        b'http://h/\xff\1"\r\n' + fields + \
        b'Content-Length: %d\r\n\r\n%s\r\n\r\n' % (len(block), block)


def no_name_twice(pairs):
    names = [name for name, _ in pairs]
    assert len(names) == len(set(names)), 'a name twice'
    return dict(pairs)


def parse(text):
    value = json.loads(text, object_pairs_hook=no_name_twice, strict=True)
    assert isinstance(value, dict) and 'crawlfs' in value
    return value


def run(dump, folder, records):
    """Output lines, processor seconds and KiB of memory at the most."""
    lines = []
    for n, data in enumerate(records):
        path = os.path.join(folder, str(n))
        with open(path, 'wb') as f:
            f.write(data)
        lines.append('%s\ta.warc.gz\t1\t1\n' % path)
    out = os.path.join(folder, 'out')
    with open(os.path.join(folder, 'list'), 'w+') as f, open(out, 'wb') as o:
        f.writelines(lines)
        f.seek(0)
        p = subprocess.Popen([dump], stdin=f, stdout=o, stderr=subprocess.PIPE)
        with p.stderr:
            memory = re.search(rb'^VmHWM:\s*([0-9]+) kB$', p.stderr.read(), re.M)
        _, status, usage = os.wait4(p.pid, 0)
        p.returncode = status
    assert status == 0, 'status %d' % status
    text = open(out, 'rb').read().decode('utf-8')
    assert text.count('\n') == len(records) and text.endswith('\n')
    return (text.split('\n')[:-1], usage.ru_utime + usage.ru_stime,
            int(memory.group(1)))


def measure(dump, folder, is_sanitized):
    failed = 0
    _, base_time, base_kib = run(dump, folder, [record(HTML, b'x')])
    for name, (kind, body) in pages().items():
        data = record(kind, body)
        best = None
        for _ in range(1 if is_sanitized else 6):
            out, seconds, kib = run(dump, folder, [data])
            if best is None or seconds < best:
                best = seconds
            if best < TIME_MAX * 0.8:
                break       # else perhaps others use the machine
        value = parse(out[0])
        # the record itself is not the view's
        mib = (kib - base_kib) / 1024 - len(data) / MIB
        limit = 10 * len(body) / MIB + 16
        print('%-20s %4.0f ms %5.1f MiB, output %5.2f MiB%s' %
              (name, 1000 * (best - base_time), mib, len(out[0]) / MIB,
               ', cut' if value['crawlfs'].get('content_is_cut') else ''))
        best -= base_time
        if not is_sanitized and (best > 2 * TIME_MAX or mib > limit):
            print('FAIL: %s' % name)
            failed += 1
    return failed


def corpora(srcdir):
    top = os.path.join(srcdir, 'tests/fuzz/corpus')
    for name in ('text', 'meta', 'feed', 'charset', 'http_head', 'html'):
        folder = os.path.join(top, name)
        if not os.path.isdir(folder):
            continue
        for leaf in sorted(os.listdir(folder)):
            with open(os.path.join(folder, leaf), 'rb') as f:
                yield f.read()


def main():
    dump, srcdir = sys.argv[1:3]
    linked = subprocess.run(['ldd', dump], stdout=subprocess.PIPE,
                            check=False).stdout
    is_sanitized = b'libasan' in linked or b'libubsan' in linked
    with tempfile.TemporaryDirectory() as folder:
        start = time.monotonic()
        failed = measure(dump, folder, is_sanitized)
        records = [record(kind, body) for body in corpora(srcdir)
                   for kind in ('text/html', 'application/xml', 'text/plain',
                                RSS_TYPE)]
        records.append(bad_headers())
        lines, _, _ = run(dump, folder, records)
        for line in lines:
            parse(line)
        print('%d records of the fuzz corpora are JSON too; %.0f s in all' %
              (len(lines), time.monotonic() - start))
        assert len(lines) > 100
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
