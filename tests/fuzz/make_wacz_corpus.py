#!/usr/bin/env python3
"""Writes the corpus of fuzz_wacz: WACZ files of tests/make_wacz.py, whose
members are mostly stored as they are, and what is wrong with others.

    make_wacz_corpus.py tests/fuzz/corpus/wacz

SPDX-License-Identifier: GPL-3.0-or-later
"""
import io
import json
import os
import subprocess
import sys
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
MAKE = os.path.join(HERE, '..', 'make_wacz.py')
TIME = (2026, 1, 2, 3, 4, 6)


def read(path):
    with open(path, 'rb') as f:
        return f.read()


def zipped(members, comment=b''):
    """A ZIP file of these, as they are."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, 'w') as z:
        for name, content in members:
            z.writestr(zipfile.ZipInfo(name, TIME), content)
        z.comment = comment
    return out.getvalue()


def members(wacz):
    with zipfile.ZipFile(io.BytesIO(wacz)) as z:
        return {i.filename: z.read(i) for i in z.infolist()}


def changed(parts, **new):
    """new: member by a short name; None: without it."""
    names = {'package': 'datapackage.json', 'pages': 'pages/pages.jsonl',
             'archive': 'archive/data-0.warc', 'cdx': 'indexes/index.cdx',
             'idx': 'indexes/index.idx'}
    parts = dict(parts)
    for k, v in new.items():
        parts.pop(names[k], None)
        if v is not None:
            parts[names[k]] = v
    return zipped(parts.items())


def record(host, n, body=b'<p>A page, <a href=/x>with a link</a>.'):
    http = b'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n' + body
    return (b'WARC/1.1\r\nWARC-Type: response\r\n'
            b'WARC-Record-ID: <urn:uuid:%d>\r\n'
            b'WARC-Target-URI: http://%s/%d\r\n'
            b'WARC-Date: 2026-01-02T03:04:05Z\r\n'
            b'Content-Type: application/http; msgtype=response\r\n'
            b'Content-Length: %d\r\n\r\n' % (n, host, n, len(http)) +
            http + b'\r\n\r\n')


def line(at, n, **fields):
    values = {'url': 'http://a.made/%d' % at[0], 'mime': 'text/html',
              'status': '200', 'offset': str(at[1]), 'length': str(n),
              'filename': 'data-0.warc'}
    values.update(fields)
    return 'made,a)/%d 20260102030405 %s\n' % (
        at[0], json.dumps({k: v for k, v in values.items() if v is not None}))


def package(**fields):
    values = {'profile': 'data-package', 'wacz_version': '1.1.1', 'resources':
              [{'name': 'data-0.warc', 'path': 'archive/data-0.warc',
                'hash': 'sha256:' + '0' * 64, 'bytes': 400}]}
    values.update(fields)
    return json.dumps(values).encode()


def files():
    records = [record(b'a.made', i) for i in range(3)]
    starts = [sum(map(len, records[:i])) for i in range(3)]
    lines = [line((i, starts[i]), len(records[i])) for i in range(3)]
    pages = ('{"format": "json-pages-1.0", "id": "pages"}\n'
             '{"id": "x", "url": "http://a.made/1", "title": "One", '
             '"ts": "2026-01-02T03:04:05Z"}\n').encode()
    parts = {'archive/data-0.warc': b''.join(records),
             'indexes/index.cdx': ''.join(lines).encode(),
             'pages/pages.jsonl': pages, 'datapackage.json': package()}
    good = zipped(parts.items())
    text = ''.join(lines)
    yield 'plain', good
    yield 'comment', zipped(parts.items(), b'PK\5\6' + bytes(18))
    yield 'no-index', changed(parts, cdx=None)
    yield 'no-archive', changed(parts, archive=None)
    yield 'no-package', changed(parts, package=None)
    yield 'archive-cut', changed(parts, archive=b''.join(records)[:-60])
    yield 'archive-junk', changed(parts, archive=b'\x1f\x8b' + bytes(200))
    for name, fields in (('far', {'offset': str(2**63)}),
                         ('long', {'length': str(2**64 - 1)}),
                         ('negative', {'offset': '-1'}),
                         ('elsewhere', {'filename': '../../data-0.warc'}),
                         ('of-none', {'filename': 'none.warc'}),
                         ('of-itself', {'filename': 'index.cdx'}),
                         ('without-place', {'offset': None}),
                         ('of-lists', {'url': [[[1]]], 'offset': {}})):
        yield 'line-' + name, changed(
            parts, cdx=(text + line((5, 0), 9, **fields)).encode())
    yield 'lines-out-of-order', changed(
        parts, cdx=''.join(reversed(lines)).encode())
    yield 'line-cut', changed(parts, cdx=text[:-40].encode())
    yield 'line-deep', changed(parts, cdx=b'a 2026 ' + b'[' * 3000)
    yield 'cluster-of-itself', changed(
        parts, idx=b'made,a)/ 2026\tindex.idx\t0\t100\t1\n')
    yield 'package-deep', changed(parts, package=b'{"a":' * 2000)
    yield 'package-cut', changed(parts, package=package()[:-9])
    yield 'package-of-odd-paths', changed(parts, package=package(resources=[
        {'path': p, 'hash': h} for p in ('', '/', '..', 'a\0b', 'x' * 5000)
        for h in ('sha256:', 'md5:00', 7)]))
    yield 'package-of-others', changed(parts, package=package(
        profile='multi-wacz', resources=[{'path': 'x.wacz'}, {'path': 'y'}]))
    yield 'pages-deep', changed(parts, pages=pages + b'{"title":' * 1500)
    yield 'pages-cut', changed(parts, pages=pages[:-20])
    inside = zipped([('one.wacz', good), ('two.wacz', good)])
    yield 'inside', inside
    yield 'inside-inside', zipped([('all.wacz', inside)])
    yield 'inside-too-deep', zipped([('x.wacz', zipped([('y.wacz', inside)]))])
    yield 'inside-cut', zipped([('one.wacz', good[:-30]), ('two.wacz', good)])
    yield 'names', zipped([('archive/' + n, records[0]) for n in
                           ('../up.warc', '/root.warc', 'a//b.warc', '.warc',
                            'x\n.warc', '#!/.warc', 'é.warc')] +
                          [('indexes/index.cdx', text)])
    yield 'empty', zipped([])
    yield 'not-a-zip', b'PK\3\4' + bytes(60)
    with tempfile.TemporaryDirectory() as tmp:
        out = os.path.join(tmp, 'x')
        for name, options in (('real', []), ('deflated', ['--deflate']),
                              ('descriptors', ['--descriptors', '--extra']),
                              ('zip64', ['--zip64', '--bad-keys']),
                              ('lies', ['--lie', 'other-']),
                              ('huge', ['--huge', '--deflate', '--zip64']),
                              ('cut', ['--cut', '--plain']),
                              ('revisits', ['--refers-to', 'other.wacz'])):
            subprocess.run([sys.executable, MAKE, *options, out, '2', tmp],
                           check=True)
            yield name, read(out)


def main(folder):
    os.makedirs(folder, exist_ok=True)
    for name, content in files():
        with open(os.path.join(folder, name), 'wb') as f:
            f.write(content)


if __name__ == '__main__':
    main(sys.argv[1])
