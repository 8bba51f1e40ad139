#!/usr/bin/env python3
# copycheck.py - is a copy what it should be?  Uses nothing of crawlfs.
#
#     copycheck.py COPY LABEL ARCHIVE...   every member of the ARCHIVEs (given in
#                                          the order of their names in the index)
#                                          whose host ends in .LABEL, and is of
#                                          COPY's format, is in COPY byte for
#                                          byte, in order, after one record that
#                                          describes it; prints their number
#     copycheck.py --records COPY          prints the number of records
#     copycheck.py --index COPY <CDXJ      the lines of COPY's index tell of each
#                                          record that a tree shows, and of no
#                                          other, its place, URL and status
# SPDX-License-Identifier: GPL-3.0-or-later
import json
import re
import sys
import zlib

KINDS = (b"response", b"resource", b"revisit", b"conversion")


def members(data):
    """(offset, length, plain bytes) of each gzip member."""
    at = 0
    while data[at:at + 2] == b"\x1f\x8b":
        d = zlib.decompressobj(31)
        plain, end = b"", at
        while not d.eof and end < len(data):
            plain += d.decompress(data[end:end + 65536])
            end += 65536
        n = min(end, len(data)) - at - len(d.unused_data)
        yield at, n, plain
        at += n


def url_of(record):
    """URL of a record that a tree shows, or None."""
    head = record.split(b"\r\n\r\n", 1)[0] + b"\r\n"
    if record.startswith(b"WARC/"):
        kind = re.search(rb"(?i)\nWARC-Type: *(\S+)", head).group(1)
        uri = re.search(rb"(?i)\nWARC-Target-URI: *([^\r\n]*)", head)
        if kind not in KINDS or uri is None:
            return None
        return uri.group(1).strip(b"<>")
    return record.split(b"\n", 1)[0].rsplit(b" ", 4)[0]


def is_below(url, label):
    m = re.match(rb"(?i)(?:https?|ftp)://(?:[^/?#]*@)?([^/?#:]*)", url)
    if m is None:
        return False
    return m.group(1).lower().rstrip(b".").split(b".")[-1] == label


def status_of(record):
    """HTTP status as CDX has it, "-" or None where there may be any."""
    if not record.startswith(b"WARC/"):
        return None
    block = record.split(b"\r\n\r\n", 1)[1]
    m = re.match(rb"HTTP/\d\.\d (\d{3})", block)
    return m.group(1).decode() if m else None


def check_index(copy):
    want = {}
    for at, n, plain in members(open(copy, "rb").read()):
        url = url_of(plain)
        if url is not None and re.match(rb"(?i)(https?|ftp):", url):
            want[at] = n, url, status_of(plain)
    for line in sys.stdin:
        entry = json.loads(line[line.index("{"):])
        n, url, status = want.pop(int(entry["offset"]))
        assert int(entry["length"]) == n, entry
        assert entry["url"].encode("utf-8", "surrogateescape") == url or \
            not url.isascii(), (entry, url)
        assert status is None or entry.get("status") == status, (entry, status)
    assert not want, list(want.items())[:3]


def main(args):
    if args[0] == "--index":
        check_index(args[1])
        return
    if args[0] == "--records":
        print(sum(1 for _ in members(open(args[1], "rb").read())))
        return
    copy = open(args[0], "rb").read()
    label = args[1].encode()
    is_warc = args[0].endswith(".warc.gz")
    want = []
    for path in args[2:]:
        data = open(path, "rb").read()
        for at, n, plain in members(data):
            if plain.startswith(b"WARC/") != is_warc:
                continue
            url = url_of(plain)
            if url is not None and is_below(url, label):
                want.append(data[at:at + n])
    got = [(copy[at:at + n], plain) for at, n, plain in members(copy)]
    assert sum(len(m) for m, _ in got) == len(copy), "bytes after the members"
    first = got[0][1]
    if is_warc:
        assert b"\r\nWARC-Type: warcinfo\r\n" in first, first
        length = int(re.search(rb"\nContent-Length: (\d+)", first).group(1))
        body = first.split(b"\r\n\r\n", 1)[1]
        assert len(body) == length + 4 and body.endswith(b"\r\n\r\n"), first
        assert b"software: crawlfs" in body
    else:
        line, rest = first.split(b"\n", 1)
        assert line.startswith(b"filedesc://"), first
        assert len(rest) == int(line.split(b" ")[-1]) + 1, first
        assert rest[0:1] == b"1", first
    assert len(got) - 1 == len(want), (len(got) - 1, len(want))
    for i, w in enumerate(want):
        assert got[i + 1][0] == w, "record %d differs" % i
    print(len(want))


main(sys.argv[1:])
