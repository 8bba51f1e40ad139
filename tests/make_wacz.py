#!/usr/bin/env python3
# make_wacz.py - WACZ files for tests, in the ways that writers have.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     make_wacz.py [OPTION...] FILE PAGES BODIES
#         a WACZ of PAGES pages, whose bodies are written to the folder BODIES
#         by their names in a tree
#     --host NAME       of the pages (a.example)
#     --archives N      so many archives in it (1)
#     --bytes N         archives have holes: N bytes in all
#     --descriptors     sizes behind the members, zeros in local headers
#     --extra           an extra field in local headers
#     --plain           archives are not compressed
#     --deflate         compress the archives in the ZIP file
#     --huge            with that and --zip64: they claim to have 20 GiB
#     --bad-keys        an index out of order, whose keys are of no use
#     --no-index        an archive alone
#     --lie NAME        the index has one more line, of archive NAME
#     --bad-hash        datapackage.json has the wrong hashes
#     --cut             the last archive lacks its last 30 bytes
#     --refers-to NAME  revisits, whose bodies are in the WACZ of that name
#     --wrap FILE...    behind FILE, in place of pages: a collection of these
"""Writes ZIP files by hand, so that nothing of them is left to a library."""

import argparse
import binascii
import gzip
import hashlib
import json
import os
import struct
import zlib

HOLE = 1 << 20
ZEROS = bytes(HOLE)


class Zip:
    def __init__(self, path, descriptors=False, extra=False, zip64=False,
                 huge=False):
        self.huge = huge
        self.f = open(path, "wb")
        self.descriptors, self.extra, self.zip64 = descriptors, extra, zip64
        self.entries = []

    def add(self, name, pieces, deflate=False):
        """pieces: bytes, or a number of zeros, which become a hole."""
        header, crc, size = self.f.tell(), 0, 0
        name = name.encode()
        local = struct.pack("<HHI", 0x5455, 5, 1) + b"\0" if self.extra else b""
        self.f.write(b"\0" * (30 + len(name)) + local)
        z = zlib.compressobj(9, 8, -15)
        start = self.f.tell()
        for p in pieces:
            if isinstance(p, int):
                self.f.seek(p, 1)
                for at in range(0, p, HOLE):
                    crc = binascii.crc32(ZEROS[:min(HOLE, p - at)], crc)
                size += p
                continue
            crc = binascii.crc32(p, crc)
            size += len(p)
            self.f.write(z.compress(p) if deflate else p)
        if deflate:
            self.f.write(z.flush())
        stored = self.f.tell() - start
        end = self.f.tell()
        flags = 8 if self.descriptors else 0
        known = (0, 0, 0) if self.descriptors else (crc, stored, size)
        self.f.seek(header)
        self.f.write(b"PK\3\4" + struct.pack(
            "<HHHHHIIIHH", 20, flags, 8 if deflate else 0, 0, 0x5c2f, *known,
            len(name), len(local)) + name + local)
        self.f.seek(end)
        if self.descriptors:
            self.f.write(b"PK\7\x08" + struct.pack("<III", crc, stored, size))
        self.entries.append((name, flags, deflate, crc, stored, size, header))
        return start

    def close(self, comment=b""):
        at = self.f.tell()
        for name, flags, deflate, crc, stored, size, header in self.entries:
            extra = b""
            if self.huge and deflate:
                size = 20 << 30
            if self.zip64:
                extra = struct.pack("<HHQQQ", 1, 24, size, stored, header)
                stored = size = header = 0xffffffff
            self.f.write(b"PK\1\2" + struct.pack(
                "<HHHHHHIIIHHHHHII", 45, 45, flags, 8 if deflate else 0, 0,
                0x5c2f, crc, stored, size, len(name), len(extra), 0, 0, 0, 0,
                header) + name + extra)
        end = self.f.tell()
        n, size = len(self.entries), end - at
        if self.zip64:
            self.f.write(b"PK\6\6" + struct.pack(
                "<QHHIIQQQQ", 44, 45, 45, 0, 0, n, n, size, at))
            self.f.write(b"PK\6\7" + struct.pack("<IQI", 0, end, 1))
            n, size, at = 0xffff, 0xffffffff, 0xffffffff
        self.f.write(b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, n, n, size, at,
                                             len(comment)) + comment)
        self.f.close()


def revisit(url, body, number, container):
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    digest = "sha-256:" + hashlib.sha256(body).hexdigest()
    return ("WARC/1.1\r\nWARC-Type: revisit\r\n"
            "WARC-Record-ID: <urn:uuid:00000000-0000-4000-9000-%012d>\r\n"
            "WARC-Target-URI: %s\r\nWARC-Date: 2026-02-02T03:04:05Z\r\n"
            "WARC-Payload-Digest: %s\r\n"
            "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/"
            "identical-payload-digest\r\n"
            "WARC-Refers-To-Target-URI: %s\r\n"
            "WARC-Refers-To-Date: 2026-01-02T03:04:05.678Z\r\n"
            "WARC-Refers-To-Container: file://%s\r\n"
            "Content-Type: application/http; msgtype=response\r\n"
            "Content-Length: %d\r\n\r\n" % (number, url, digest, url,
                                            container, len(http))
            ).encode() + http + b"\r\n\r\n", digest


def record(url, body, number):
    http = (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
            b"Content-Length: %d\r\n\r\n" % len(body)) + body
    digest = "sha-256:" + hashlib.sha256(body).hexdigest()
    return ("WARC/1.1\r\nWARC-Type: response\r\n"
            "WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-%012d>\r\n"
            "WARC-Target-URI: %s\r\nWARC-Date: 2026-01-02T03:04:05.678Z\r\n"
            "WARC-Payload-Digest: %s\r\n"
            "Content-Type: application/http; msgtype=response\r\n"
            "Content-Length: %d\r\n\r\n" % (number, url, digest, len(http))
            ).encode() + http + b"\r\n\r\n", digest


def write_pages(opt):
    """([pieces of each archive], [lines of the index], [lines of pages])."""
    archives = [[] for _ in range(opt.archives)]
    sizes = [0] * opt.archives
    lines, pages = [], []
    suffix = ".warc" if opt.plain else ".warc.gz"
    mime = "warc/revisit" if opt.refers_to else "text/html"
    for i in range(opt.pages):
        k = i % opt.archives
        url = "http://www.%s/Page/%d" % (opt.host, i)
        body = ("<html><title>Page %d</title><p>The text of page %d, %s.</html>"
                % (i, i, hashlib.sha1(url.encode()).hexdigest())).encode()
        raw, digest = record(url, body, i) if not opt.refers_to else \
            revisit(url, body, i, opt.refers_to)
        data = raw if opt.plain else gzip.compress(raw, mtime=0)
        folder = os.path.join(opt.bodies, *reversed(opt.host.split(".")),
                              "www", "_", "Page")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, str(i)), "wb") as f:
            f.write(body)
        key = "zzz,%d)/" % (opt.pages - i) if opt.bad_keys else \
            "%s)/page/%d" % (",".join(reversed(opt.host.split("."))), i)
        lines.append("%s 20260102030405678 %s" % (key, json.dumps({
            "url": url, "mime": mime, "status": 200, "digest": digest,
            "length": len(data), "offset": sizes[k],
            "filename": "data-%d%s" % (k, suffix)})))
        pages.append({"id": "id-%d" % i, "url": url, "title": "Page %d" % i,
                      "ts": "2026-01-02T03:04:05.678Z"})
        hole = opt.bytes // opt.pages - len(data) if opt.bytes else 0
        archives[k] += [data, max(hole, 0)]
        sizes[k] += len(data) + max(hole, 0)
    if opt.cut:
        archives[-1][-2] = archives[-1][-2][:-30]
    if opt.lie:
        lines.append(lines[-1].replace("data-", opt.lie))
    return [("archive/data-%d%s" % (k, suffix), a)
            for k, a in enumerate(archives)], lines, pages


def digest_of(pieces):
    h = hashlib.sha256()
    for p in pieces:
        if isinstance(p, int):
            for at in range(0, p, HOLE):
                h.update(ZEROS[:min(HOLE, p - at)])
        else:
            h.update(p)
    return "sha256:" + h.hexdigest()


def main():
    p = argparse.ArgumentParser()
    for name in ("descriptors", "extra", "plain", "deflate", "bad-keys",
                 "no-index", "bad-hash", "zip64", "cut",
                 "huge"):
        p.add_argument("--" + name, action="store_true")
    p.add_argument("--host", default="a.example")
    p.add_argument("--archives", type=int, default=1)
    p.add_argument("--bytes", type=int, default=0)
    p.add_argument("--lie")
    p.add_argument("--refers-to")
    p.add_argument("--wrap", nargs="+")
    p.add_argument("file")
    p.add_argument("pages", type=int, nargs="?")
    p.add_argument("bodies", nargs="?")
    opt = p.parse_args()
    z = Zip(opt.file, opt.descriptors, opt.extra, opt.zip64, opt.huge)
    if opt.wrap:
        for path in opt.wrap:
            with open(path, "rb") as f:
                z.add(os.path.basename(path), [f.read()], opt.deflate)
        return z.close()
    archives, lines, pages = write_pages(opt)
    head = {"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}
    members = [(name, pieces, opt.deflate) for name, pieces in archives]
    if not opt.no_index:
        if not opt.bad_keys:
            lines.sort()
        text = "".join(line + "\n" for line in lines).encode()
        members.append(("indexes/index.cdx.gz", [gzip.compress(text, mtime=0)],
                        False))
        members.append(("indexes/index.idx", [
            b'!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}\n'
        ], False))
    members.append(("pages/pages.jsonl", [
        "".join(json.dumps(x) + "\n" for x in [head] + pages).encode()], True))
    for member in members:
        z.add(*member)
    package = {"profile": "data-package", "wacz_version": "1.1.1",
               "resources": [
                   {"name": os.path.basename(name), "path": name,
                    "hash": "sha256:" + "0" * 64 if opt.bad_hash
                    else digest_of(pieces),
                    "bytes": sum(x if isinstance(x, int) else len(x)
                                 for x in pieces)}
                   for name, pieces, _ in members]}
    z.add("datapackage.json", [json.dumps(package).encode()], True)
    z.close(b"a comment")


main()
