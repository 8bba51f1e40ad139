#!/usr/bin/env python3
# convert_odd.py - an ARC file of records that are hard to convert.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     convert_odd.py FILE.arc.gz
"""Writes one gzip member a record, below the host www.odd.com."""

import gzip
import sys

HTTP = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>a</title>"
IP, DATE = b"192.0.2.7", b"20120905120703"
MARKED = (b"HTTP/1.1 200 OK\r\nx-commoncrawl-ContentTruncated: TruncatedInDown"
          b"load\r\nx-commoncrawl-FetchTimestamp: 1346846823123\r\n\r\nhalf")

# (URL, IP, date, type, content, declared length or None)
RECORDS = [
    (b"http://www.odd.com/plain", IP, DATE, b"text/html", HTTP, None),
    (b"ftp://www.odd.com/file.txt", IP, DATE, b"text/plain", b"a file\n", None),
    (b"ftp://www.odd.com/empty", IP, DATE, b"no-type", b"", None),
    (b"http://www.odd.com/no-head", IP, DATE, b"text/html", b"<p>old</p>",
     None),
    (b"http://www.odd.com/typeless", IP, DATE, b"-", b"bytes", None),
    (b"http://www.odd.com/v6", b"2001:db8::7", DATE, b"text/html", HTTP, None),
    (b"http://www.odd.com/no-ip", b"-", DATE, b"text/html", HTTP, None),
    (b"http://www.odd.com/a b?c=d e", IP, DATE, b"text/html", HTTP, None),
    (b"http://www.odd.com/c\rr", IP, DATE, b"text/html", HTTP, None),
    (b"http://www.odd.com/\x01\x7f", IP, DATE, b"text/html", HTTP, None),
    (b"http://www.odd.com/\xe9\xc3\xa9", IP, DATE, b"text/html", HTTP, None),
    (b"http://www.odd.com/\"{}<a>\\u0041", IP, DATE, b"text/html", HTTP, None),
    (b"http://www.odd.com/cut", IP, DATE, b"text/html", HTTP, 9999),
    (b"http://www.odd.com/marked", IP, DATE, b"text/html", MARKED, None),
    (b"http://www.odd.com/line-end", IP, DATE, b"text/html", HTTP + b"\n\n",
     None),
    (b"http://www.odd.com/no-blank-line", IP, DATE, b"text/html",
     b"HTTP/1.0 200 OK\r\nContent-Length: 0\r\n", None),
    (b"http://www.odd.com/interim", IP, DATE, b"text/html",
     b"HTTP/1.1 100 Continue\r\n\r\n" + HTTP, None),
    (b"HTTP://WWW.odd.com/upper", IP, DATE, b"text/html", HTTP, None),
    (b"http://www.odd.com/swapped", DATE, IP, b"text/html", HTTP, None),
]


def main(path):
    body = b"1 0 Odd\nURL IP-address Archive-date Content-type Archive-length\n"
    with open(path, "wb") as f:
        f.write(gzip.compress(b"filedesc://odd.arc 0.0.0.0 %s text/plain %d\n%s"
                              b"\n" % (DATE, len(body), body), mtime=0))
        for url, ip, date, mime, content, n in RECORDS:
            if n is None:
                n = len(content)
            f.write(gzip.compress(b"%s %s %s %s %d\n%s\n" % (
                url, ip, date, mime, n, content), mtime=0))


main(sys.argv[1])
