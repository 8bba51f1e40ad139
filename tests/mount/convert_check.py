#!/usr/bin/env python3
# convert_check.py - are ARC records what they should be once they are WARC?
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     convert_check.py COPY LABEL ARCHIVE...
#         every record of the ARCHIVEs (in the order of their names in the index)
#         whose host ends in .LABEL is in COPY, in order, after a warcinfo: WARC
#         records byte for byte, ARC records as WARC records with the same URL,
#         status, time and body; prints how many are converted.  COPY may be a
#         WACZ.
"""Compares a converted copy with its sources.  Uses nothing of crawlfs."""

import base64
import hashlib
import ipaddress
import os
import re
import struct
import subprocess
import sys
import tempfile
import time
import uuid
import zipfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))


def members(data):
    at = 0
    while at < len(data):
        d = zlib.decompressobj(31)
        plain = d.decompress(data[at:])
        assert d.eof, "bytes behind the members, from %d on" % at
        n = len(data) - at - len(d.unused_data)
        yield at, n, plain
        at += n


def rows(path):
    """{offset: (kind, (status, ms, crc, bytes, url))}, by the other reader."""
    out = subprocess.run([sys.executable, HERE + "/../record_ref.py", path],
                         check=True, capture_output=True, text=True).stdout
    found = {}
    for line in out.splitlines():
        off, _, _, _, kind, *rest = line.split(" ", 9)
        found[int(off)] = kind, tuple(rest)
    return found


def is_below(url, label):
    m = re.match(r"(?i)(?:https?|ftp)://(?:[^/?#]*@)?([^/?#:]*)", url)
    return m is not None and \
        m.group(1).lower().rstrip(".").split(".")[-1] == label


def sha1(data):
    return "sha1:" + base64.b32encode(hashlib.sha1(data).digest()).decode()


def same_url(a, b):
    """Line ends and tabs in a URL are left out."""
    return a == b or re.sub("%0D|%09", "", a) == b


def value(text, last=31):
    """What stands in a field for these bytes."""
    out = ""
    for c in text.decode("utf-8", "surrogateescape"):
        n = ord(c)
        if 0xdc80 <= n <= 0xdcff:
            out += "%%%02X" % (n - 0xdc00)
        else:
            out += "%%%02X" % n if n <= last or n == 127 else c
    return out


def is_address(text):
    try:
        ipaddress.ip_address(text)
        return True
    except ValueError:
        return False


def expected(name, at, plain, block, ms):
    """The WARC record of an ARC record at that offset of the file NAME, whose
    block and time are known."""
    line, content = plain.split(b"\n", 1)
    line = line.rstrip(b"\r")
    words = line.split(b" ")
    date = max([i for i, w in enumerate(words) if re.match(rb"\d{14}", w)],
               default=len(words) - 3)
    exchanged = is_address(words[date + 1].decode("latin-1"))
    ip = words[date + 1 if exchanged else date - 1].decode("latin-1")
    mime = words[date + 2 if exchanged else date + 1].split(b";")[0]
    url = b" ".join(words[:date if exchanged else date - 1])
    url = re.sub(rb"[\t\r]", b"", url.strip(bytes(range(33))))
    is_http = re.match(rb"(?i)HTTP[/ ]", block)
    head = re.search(rb"\n\r?\n", block)
    is_cut = int(words[-1]) > len(content) or \
        (is_http and b"x-commoncrawl-ContentTruncated" in block[:head.end()])
    ident = bytearray(hashlib.sha1(
        uuid.NAMESPACE_URL.bytes + name.encode() + b"\0" +
        struct.pack(">QQ", at, 0) + line).digest()[:16])
    ident[6] = ident[6] & 15 | 0x50
    ident[8] = ident[8] & 63 | 0x80
    when = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(ms // 1000))
    if ms % 1000:
        when += ".%03d" % (ms % 1000)
    out = ["WARC/1.1", "WARC-Type: " + ("response" if is_http else "resource"),
           "WARC-Record-ID: <urn:uuid:%s>" % uuid.UUID(bytes=bytes(ident)),
           "WARC-Date: %sZ" % when, "WARC-Target-URI: " + value(url, 32)]
    if is_address(ip):
        out.append("WARC-IP-Address: " + ip)
    if is_cut:
        out.append("WARC-Truncated: unspecified")
    out.append("WARC-Block-Digest: " + sha1(block))
    if not is_http:
        out.append("WARC-Payload-Digest: " + sha1(block))
    elif head and re.match(b"https?:", url) and \
            not re.match(rb"HTTP/\S+ 1\d\d", block):
        out.append("WARC-Payload-Digest: " + sha1(block[head.end():]))
    out.append("WARC-Arc-Header: " + value(line))
    if is_http:
        out.append("Content-Type: application/http; msgtype=response")
    elif re.fullmatch(rb"[-\w!#$&^.+]+/[-\w!#$&^.+]+", mime):
        out.append("Content-Type: " + value(mime))
    out.append("Content-Length: %d" % len(block))
    return "\r\n".join(out + ["", ""]).encode() + block + b"\r\n\r\n"


def check_converted(name, at, plain, made, ms, ids):
    """made is the WARC record of an ARC record, to the letter."""
    plain = plain.lstrip(b"\r\n")
    content = plain.split(b"\n", 1)[1]
    block = made.split(b"\r\n\r\n", 1)[1][:-4]
    assert content in (block, block + b"\n"), "the block is another"
    want = expected(name, at, plain, block, ms)
    assert made == want, (made[:1500], want[:1500])
    ident = re.search(rb"WARC-Record-ID: (\S+)", made).group(1)
    assert ident not in ids, "two records have one id"
    ids.add(ident)


def main(copy, label, *archives):
    folder = None
    if copy.endswith(".wacz"):
        folder = tempfile.TemporaryDirectory()
        with zipfile.ZipFile(copy) as z:
            copy = z.extract("archive/data.warc.gz", folder.name)
    want = []
    for path in archives:
        found = rows(path)
        for at, n, plain in members(open(path, "rb").read()):
            kind, row = found[at]
            if kind not in ("arc", "response", "resource", "revisit",
                            "conversion") or not is_below(row[4], label):
                continue
            want.append((kind, row, plain, os.path.basename(path), at))
    found = rows(copy)
    got = [(plain, *found[at])
           for at, n, plain in members(open(copy, "rb").read())]
    assert got[0][1] == "warcinfo", got[0]
    assert len(got) - 1 == len(want), (len(got) - 1, len(want))
    ids, converted = set(), 0
    for (kind, row, plain, name, at), (made, made_kind, made_row) in \
            zip(want, got[1:]):
        if kind != "arc":
            assert made == plain, "a WARC record differs"
            continue
        assert made_row[:4] == row[:4] and same_url(row[4], made_row[4]), \
            (row, made_row)
        assert made_kind in ("response", "resource")
        check_converted(name, at, plain, made, int(row[1]), ids)
        converted += 1
    print(converted)


main(*sys.argv[1:])
