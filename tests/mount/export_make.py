#!/usr/bin/env python3
# export_make.py - archives that are hard to export.
#
#     export_make.py inner FILE [N]  300 pages, and between them a record that is an
#                                   archive itself, stored as it is: its members
#                                   look like those of FILE, and there are N
#                                   times as many
#     export_make.py long FILE      a record of many bytes, and ten short ones
#     export_make.py large FILE MB  an HTML page and a text of that size, compressed
#     export_make.py peak COMMAND...   runs it; prints the most KiB that it held
# SPDX-License-Identifier: GPL-3.0-or-later
import random
import resource
import subprocess
import sys
import zlib

PAGE = 60000


def gz(data, level=6):
    c = zlib.compressobj(level, zlib.DEFLATED, 31)
    return c.compress(data) + c.flush()


def head(url, kind, length):
    block = b"HTTP/1.1 200 OK\r\nContent-Type: " + kind + b"\r\n\r\n"
    return (b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: " + url +
            b"\r\nWARC-Date: 2024-02-20T00:00:00Z\r\n"
            b"Content-Type: application/http\r\nContent-Length: " +
            str(len(block) + length).encode() + b"\r\n\r\n" + block)


def record(url, body, kind=b"text/html"):
    return head(url, kind, len(body)) + body + b"\r\n\r\n"


def inner(path, times=1):
    chance = random.Random(1)

    def page(url):
        body = b"<p>" + b"%x" % chance.getrandbits(4 * PAGE)
        return gz(record(url, body))
    archive = b"".join(page(b"http://inner.org/%d" % i) for i in range(200 * times))
    with open(path, "wb") as f:
        for i in range(300):
            f.write(page(b"http://a.org/%d" % i))
            if i == 100:
                f.write(gz(record(b"http://a.org/archive", archive,
                                  b"application/gzip"), 0))


def long(path):
    chance = random.Random(3)
    with open(path, "wb") as f:
        for i in range(11):
            body = chance.getrandbits(8 * (210000 if i else 9900000))
            f.write(gz(record(b"http://a.org/%d" % i, b"%x" % body), 1))


def large(path, mb):
    line = b"<p>" + b"The quick brown fox. \xc3\xa9 " * 40 + b"</p>\n"
    n = mb * 1000000 // len(line)
    with open(path, "wb") as f:
        for kind in (b"text/html; charset=utf-8", b"text/plain; charset=utf-8"):
            c = zlib.compressobj(1, zlib.DEFLATED, 31)
            f.write(c.compress(head(b"http://a.org/" + kind[5:9], kind,
                                    n * len(line))))
            for _ in range(n):
                f.write(c.compress(line))
            f.write(c.compress(b"\r\n\r\n") + c.flush())


def peak(command):
    status = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
    return status.returncode


if sys.argv[1] == "inner":
    inner(sys.argv[2], *map(int, sys.argv[3:]))
elif sys.argv[1] == "long":
    long(sys.argv[2])
elif sys.argv[1] == "large":
    large(sys.argv[2], int(sys.argv[3]))
else:
    sys.exit(peak(sys.argv[2:]))
