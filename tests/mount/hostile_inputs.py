#!/usr/bin/env python3
"""hostile_inputs.py KIND [NUMBER...] FILE - inputs that cost more than they are.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import gzip
import io
import struct
import sys
import zlib

URL = b'http://a.example/x'


def record(kind, mime, block, *fields):
    head = [b'WARC/1.0', b'WARC-Type: ' + kind, b'WARC-Target-URI: ' + URL,
            b'WARC-Date: 2024-01-01T00:00:00Z', b'Content-Type: ' + mime,
            *fields, b'Content-Length: %d' % len(block)]
    return b'\r\n'.join(head) + b'\r\n\r\n' + block + b'\r\n\r\n'


def response(body, mime=b'text/html'):
    return record(b'response', b'application/http; msgtype=response',
                  b'HTTP/1.1 200 OK\r\nContent-Type: ' + mime + b'\r\n\r\n' + body,
                  b'WARC-Record-ID: <urn:uuid:1>')


PAGE = response(b'<p>hi')


class Zip:
    """A ZIP file that may say what no honest one says."""
    def __init__(self):
        self.bytes, self.entries = io.BytesIO(), []

    def put(self, name, data, deflate=False):
        """Puts a member there, and returns what its entry is to say."""
        stored, name = data, name.encode()
        if deflate:
            z = zlib.compressobj(9, zlib.DEFLATED, -15)
            stored = z.compress(data) + z.flush()
        place = [8 * deflate, zlib.crc32(data), len(stored), len(data),
                 self.bytes.tell()]
        self.bytes.write(b'PK\3\4' + struct.pack('<5H3I2H', 20, 0, place[0], 0, 0,
                                                 *place[1:4], len(name), 0) + name + stored)
        return place

    def name(self, name, place):
        self.entries.append((name.encode(), place))

    def add(self, name, data, deflate=False):
        self.name(name, self.put(name, data, deflate))

    def done(self):
        at = self.bytes.tell()
        directory = b''.join(
            b'PK\1\2' + struct.pack('<6H3I5H2I', 20, 20, 0, method, 0, 0, crc, stored, size,
                                    len(name), 0, 0, 0, 0, 0, header) + name
            for name, (method, crc, stored, size, header) in self.entries)
        n = min(len(self.entries), 65535)
        return (self.bytes.getvalue() + directory + b'PK\5\6' +
                struct.pack('<4H2IH', 0, 0, n, n, len(directory), at, 0))


def json(kind, n):
    """A WACZ in which a string of JSON is n bytes of escapes."""
    text = b'\\n' * (n // 2)
    z = Zip()
    z.add('archive/a.warc.gz', gzip.compress(PAGE) + (b'' if kind != 'metadata' else gzip.compress(record(
        b'metadata', b'application/json', b'{"Envelope":{"x":"' + text + b'"}}', b'WARC-Refers-To: <urn:uuid:1>'))))
    if kind == 'pages':
        z.add('pages/pages.jsonl', b'{"url":"' + URL + b'","title":"' + text + b'"}\n', True)
    if kind == 'package':
        z.add('datapackage.json', b'{"a":"' + text + b'","resources":[]}', True)
    return z.done()


LONG = {'html': (b'text/html', b'', b'<div>x <a href=a>y</a>'),
        'feed': (b'text/xml', b'<rss version="2.0"><channel>', b'<item><title>a</title></item>'),
        'charset': (b'text/html; charset=windows-1252', b'', b'\x80 &amp;')}


def long(kind, mib):
    mime, head, unit = LONG[kind]
    return gzip.compress(response(head + unit * ((mib << 20) // len(unit)), mime), 1)


def nested(inner, names):
    """A WACZ of one stored WACZ under many names, which names one archive so often."""
    i, o = Zip(), Zip()
    at = i.put('a.arc', b'x')
    for _ in range(names):
        i.name('a.arc', at)
    at = o.put('a.wacz', i.done())
    for _ in range(inner):
        o.name('a.wacz', at)
    return o.done()


def repeated(names):
    """One archive, compressed, under many names."""
    z = Zip()
    at = z.put('archive/a.warc', response(b'x' * 100000), True)
    for i in range(names):
        z.name('archive/a%d.warc' % i, at)
    return z.done()


def overlapping(names):
    """Archives that begin inside each other: each header is in the bytes of those before."""
    z = Zip()
    header = b'PK\3\4' + struct.pack('<5H3I2H', 20, 0, 0, 0, 0, 0, 0, 0, 6, 0) + b'a.warc'
    z.bytes.write(header * names + PAGE)
    end = z.bytes.tell()
    for i in range(names):
        at = i * len(header)
        size = end - at - len(header)
        z.name('a.warc', (0, 0, size, size, at))
    return z.done()


def paths(inner, names):
    """Archives in a WACZ that has a long name, which each of them has in front."""
    i, o = Zip(), Zip()
    for k in range(names):
        i.add('%x.arc' % k, b'')
    o.add('n' * 4000 + '.wacz', i.done())
    for k in range(inner - 1):
        o.add('%d' % k + 'n' * 4000 + '.wacz', i.done())
    return o.done()


def inside(depth, width):
    """Compressed WACZ files in each other, so many in each."""
    z = Zip()
    if depth == 0:
        z.add('archive/a.warc', PAGE, True)
    else:
        data = inside(depth - 1, width)
        for k in range(width):
            z.add('%d.wacz' % k, data, True)
    return z.done()


def claims():
    """An archive that is said to be longer than deflate can make it."""
    z = Zip()
    at = z.put('archive/a.warc', PAGE, True)
    at[3] = 0xf0000000
    z.name('archive/a.warc', at)
    return z.done()


def packed(members):
    """Archives that are compressed, with the same name in many folders, and an index that names them."""
    z = Zip()
    for k in range(members):
        z.add('%d/a.warc' % k, PAGE, True)
    return z.done()


def flip(path, at):
    """Changes a byte: at, or as far from the end."""
    with open(path, 'r+b') as f:
        f.seek(at, 0 if at >= 0 else 2)
        old = f.read(1)[0]
        f.seek(-1, 1)
        f.write(bytes([old ^ 1]))


ZIPS = {'nested': nested, 'repeated': repeated, 'overlapping': overlapping, 'paths': paths,
        'inside': inside, 'claims': claims, 'packed': packed}


def main():
    kind, *numbers, out = sys.argv[1:]
    n = [int(v) for v in numbers]
    if kind == 'flip':
        return flip(out, *n)
    data = (long(kind, *n) if kind in LONG else ZIPS[kind](*n) if kind in ZIPS else
            json(kind[5:], *n))
    with open(out, 'wb') as f:
        f.write(data)


main()
