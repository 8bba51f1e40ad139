#!/usr/bin/env python3
# lower_crawl.py - a crawl whose sizes are estimated too small and too large.
# SPDX-License-Identifier: GPL-3.0-or-later
"""lower_crawl.py WARC FOLDER - writes an archive of pages, half of them with a
revisit, and the body of each page below FOLDER by its path in a mount."""
import gzip
import hashlib
import os
import random
import sys


def record(kind, url, date, block, more=b""):
    return gzip.compress(
        b"WARC/1.0\r\nWARC-Type: %s\r\nWARC-Date: %s\r\n"
        b"Content-Type: application/http; msgtype=response\r\n"
        b"Content-Length: %d\r\nWARC-Target-URI: %s\r\n%s\r\n%s\r\n\r\n" %
        (kind, date, len(block), url, more, block), mtime=0)


archive, folder = sys.argv[1:]
draw = random.Random(23)
with open(archive, "wb") as out:
    for i in range(60):
        size = draw.choice((1, 79, 600, 4095, 4096, 4097, 9000, 70000))
        body = (bytes(draw.randrange(256) for _ in range(size)) if i % 3 else
                (b"page %d " % i * size)[:size])
        url = b"http://low.example/d%d/p%d.html" % (i % 4, i)
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
        digest = b"WARC-Payload-Digest: sha1:%s\r\n" % hashlib.sha1(
            body).hexdigest().encode()
        date = b"2024-02-20T21:14:37Z"
        out.write(record(b"response", url, date, head + body, digest))
        if i % 2:
            out.write(record(
                b"revisit", url, b"2025-01-02T03:04:05Z", head, digest +
                b"WARC-Profile: http://netpreserve.org/warc/1.0/revisit/"
                b"identical-payload-digest\r\nWARC-Refers-To-Target-URI: %s\r\n"
                b"WARC-Refers-To-Date: %s\r\n" % (url, date)))
        path = "%s/example/low/_/d%d/p%d.html" % (folder, i % 4, i)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(body)
