#!/usr/bin/env python3
# odd_links.py - writes a WARC file of pages whose headers and links are odd:
# bytes that are not UTF-8, quotes, NUL, empty ones, names of members as
# attributes, and 10,000 on a page; their dates have a fraction, and are of
# another day in New York.
# SPDX-License-Identifier: GPL-3.0-or-later
import sys

PAGES = [
    (b"X-Odd: \xff\xfe\"'\\\r\nX-Empty:\r\nX-Odd: again\r\n",
     b"<a href='/1' rel='\"' title='a&#0;b' alt=''>\xff</a>"
     b"<a href='/2' text=x type=y href=/3>&quot;</a>"
     b"<a href='' rel=next>nothing</a><img src=/4 alt='\\'>"
     b"<a href='/5' \"=1 name='{}'>[{</a>"),
    (b"", b"no links"),
    (b"X-Long: " + b"v" * 5000 + b"\r\n",
     b"".join(b"<a href=/%d%s>%d</a>\n" % (i, b" rel=up" * (i % 3 == 0), i)
              for i in range(10000))),
]


def record(number, fields, html):
    block = (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" + fields +
             b"\r\n<!doctype html><title>t</title>" + html)
    return (b"WARC/1.1\r\nWARC-Type: response\r\n"
            b"WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-%012d>\r\n"
            b"WARC-Date: 2024-07-01T02:30:00.123456Z\r\n"
            b"WARC-Target-URI: http://odd.example/%d\r\n"
            b"Content-Type: application/http; msgtype=response\r\n"
            b"Content-Length: %d\r\n\r\n" % (number, number, len(block)) +
            block + b"\r\n\r\n")


with open(sys.argv[1], "wb") as out:
    for n, page in enumerate(PAGES):
        out.write(record(n, *page))
