#!/usr/bin/env python3
"""urls_archive.py FILE [TYPE:]URL... - a WARC with a record of each URL, whose
body is the URL as it is given; TYPE is that of the record (resource).

SPDX-License-Identifier: GPL-3.0-or-later
"""
import gzip
import re
import sys


def member(kind, url, number):
    body = url.encode()
    return gzip.compress(
        b"WARC/1.0\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\n"
        b"WARC-Date: 2024-05-06T07:08:%02dZ\r\n"
        b"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-%012d>\r\n"
        b"Content-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n"
        % (kind, body, number % 60, number, len(body), body))


with open(sys.argv[1], "wb") as out:
    for i, word in enumerate(sys.argv[2:]):
        kind, url = re.fullmatch(r"(?:(warcinfo|metadata):)?(.*)",
                                 word).groups()
        out.write(member((kind or "resource").encode(), url, i))
