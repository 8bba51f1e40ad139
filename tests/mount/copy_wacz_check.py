#!/usr/bin/env python3
# copy_wacz_check.py - is a WACZ what its specification and its archive ask for?
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     copy_wacz_check.py FILE.wacz      checks names, sizes, CRCs and hashes of
#                                       members, local headers against the
#                                       directory, the list of pages and the
#                                       index against the records; prints
#                                       "records pages titles"
"""Reads a WACZ with Python's own modules.  Uses nothing of crawlfs."""

import base64
import gzip
import hashlib
import html.parser
import json
import re
import struct
import sys
import zipfile
import zlib

MEMBERS = ["archive/data.warc.gz", "pages/pages.jsonl", "indexes/index.cdx.gz",
           "indexes/index.idx", "datapackage.json", "datapackage-digest.json"]
KINDS = ("response", "resource", "revisit", "conversion")


class Title(html.parser.HTMLParser):
    """The text of the first title."""

    def __init__(self):
        super().__init__()
        self.text, self.inside, self.done = "", False, False

    def handle_starttag(self, tag, attrs):
        self.inside = self.inside or (tag == "title" and not self.done)

    def handle_endtag(self, tag):
        if tag == "title" and self.inside:
            self.inside, self.done = False, True

    def handle_data(self, data):
        if self.inside:
            self.text += data


def check_zip(path):
    """Names, methods, and that local headers say what the directory says."""
    z = zipfile.ZipFile(path)
    assert z.namelist() == MEMBERS, z.namelist()
    assert z.testzip() is None
    raw = open(path, "rb")
    for info in z.infolist():
        assert info.compress_type == zipfile.ZIP_STORED
        assert info.flag_bits == 0x800, info.flag_bits
        raw.seek(info.header_offset)
        head = raw.read(30)
        assert head[:4] == b"PK\3\4"
        crc, stored, size, n, m = struct.unpack("<IIIHH", head[14:])
        assert raw.read(n).decode() == info.filename
        extra = raw.read(m)
        if size == 0xffffffff:
            assert extra[:4] == b"\1\0\x10\0", extra
            size, stored = struct.unpack("<QQ", extra[4:20])
        assert (crc, size, stored) == (info.CRC, info.file_size,
                                       info.file_size), info
        # wabac.js: no extra field here means that there is none in the header
        assert bool(info.extra) == bool(m)
    return z


def check_package(z):
    package = json.loads(z.read("datapackage.json"))
    assert package["profile"] == "data-package"
    assert package["wacz_version"] == "1.1.1"
    assert [r["path"] for r in package["resources"]] == MEMBERS[:4]
    for r in package["resources"]:
        data = z.read(r["path"])
        assert r["hash"] == "sha256:" + hashlib.sha256(data).hexdigest()
        assert r["bytes"] == len(data)
        assert r["name"] == r["path"].split("/")[-1]
    digest = json.loads(z.read("datapackage-digest.json"))
    assert digest == {"path": "datapackage.json", "hash": "sha256:" +
                      hashlib.sha256(z.read("datapackage.json")).hexdigest()}


def index_lines(z):
    """Lines of the index, by its blocks."""
    data = z.read("indexes/index.cdx.gz")
    meta, *blocks = z.read("indexes/index.idx").decode().splitlines()
    assert meta.startswith("!meta 0 "), meta
    assert json.loads(meta[8:]) == {"format": "cdxj-gzip-1.0",
                                    "filename": "index.cdx.gz"}
    lines, at = [], 0
    for i, block in enumerate(blocks):
        key, stamp, text = block.split(" ", 2)
        b = json.loads(text)
        assert b["offset"] == at and b["filename"] == "index.cdx.gz"
        at += b["length"]
        stored = data[b["offset"]:at]
        assert b["digest"] == "sha256:" + hashlib.sha256(stored).hexdigest()
        plain = gzip.decompress(stored).decode("ascii").splitlines()
        assert plain[0].startswith("%s %s " % (key, stamp))
        assert len(plain) == 1024 or i == len(blocks) - 1
        lines += plain
    assert at == len(data)
    assert lines == sorted(lines), "the index is not sorted"
    return lines


def records(data):
    at = 0
    while at < len(data):
        d = zlib.decompressobj(31)
        plain = d.decompress(data[at:])
        n = len(data) - at - len(d.unused_data)
        head, rest = plain.split(b"\r\n\r\n", 1)
        fields = {k.lower(): v for k, v in re.findall(
            rb"(?m)^([\w-]+): *([^\r\n]*)", head)}
        yield at, n, fields, rest[:int(fields[b"content-length"])]
        at += n


def quoted(url):
    return re.sub(r"[\udc80-\udcff]", lambda m: "%%%02X" % (
        ord(m.group()) - 0xdc00), url.decode("utf-8", "surrogateescape"))


def decoded(body, fields):
    if b"chunked" in fields.get(b"transfer-encoding", b""):
        return None
    if b"gzip" in fields.get(b"content-encoding", b""):
        try:
            return zlib.decompressobj(31).decompress(body)
        except zlib.error:
            return body
    return body


def title_of(body, mime):
    """The title where Python is sure of the charset; else None."""
    m = re.search(rb"charset=[\"']?([\w-]+)", mime) or \
        re.search(rb"(?i)<meta[^>]*charset=[\"']?([\w-]+)", body[:1000])
    if m is None or body[:3] == b"\xef\xbb\xbf":
        return None
    try:
        text = body.decode(m.group(1).decode())
    except (LookupError, UnicodeDecodeError):
        return None
    if m.group(1).lower() not in (b"utf-8", b"koi8-r", b"windows-1251",
                                  b"shift_jis", b"euc-jp"):
        return None
    t = Title()
    t.feed(text)
    return " ".join(t.text.split("\0")[0].split()) if t.done else ""


def main(path):
    z = check_zip(path)
    check_package(z)
    head, *pages = z.read("pages/pages.jsonl").decode("ascii").splitlines()
    assert json.loads(head) == {"format": "json-pages-1.0", "id": "pages",
                                "title": "All Pages"}
    pages = [json.loads(p) for p in pages]
    n_pages = len(pages)
    assert len({p["id"] for p in pages}) == n_pages, "an id twice"
    lines = {}
    for line in index_lines(z):
        key, stamp, text = line.split(" ", 2)
        entry = json.loads(text)
        assert entry["filename"] == "data.warc.gz"
        assert int(entry["offset"]) not in lines, "a record is there twice"
        lines[int(entry["offset"])] = key, stamp, entry
    seen = titles = 0
    for at, n, fields, block in records(z.read("archive/data.warc.gz")):
        kind = fields[b"warc-type"].decode()
        if kind not in KINDS:
            continue
        url = quoted(fields[b"warc-target-uri"].strip(b"<>"))
        if at not in lines:
            assert not re.match("(?i)https?://", url), url
            continue
        key, stamp, entry = lines.pop(at)
        seen += 1
        assert int(entry["length"]) == n and entry["url"] == url, entry
        date = fields[b"warc-date"].decode()
        assert stamp == re.sub(r"\D", "", date)[:14]
        digest = fields.get(b"warc-payload-digest", b"").decode()
        m = re.search(rb"\r?\n\r?\n", block)
        if m and re.match(rb"HTTP/\S+ 1\d\d ", block):
            block = block[m.end():]		# an interim response
            m = re.search(rb"\r?\n\r?\n", block)
        is_http = kind == "response" and block[:4] == b"HTTP" and m
        if not digest and is_http:
            digest = "sha1:" + base64.b32encode(hashlib.sha1(
                block[m.end():]).digest()).decode()
        assert digest.split(":")[-1] == entry.get("digest", ""), entry
        if not is_http:
            continue
        status = re.match(rb"\S+ (\d{3})", block)
        assert entry.get("status") == (status and status.group(1).decode())
        http = {k.lower(): v for k, v in re.findall(
            rb"(?m)^([\w-]+): *([^\r\n]*)", block[:m.end()])}
        mime = http.get(b"content-type", b"").lower()
        if entry.get("status") != "200" or b"html" not in mime or \
                len(block) == m.end():
            continue
        body = decoded(block[m.end():], http)
        # feeds that are said to be HTML are no pages
        if body is not None and re.search(rb"<(rss|feed|rdf)", body[:2000]):
            continue
        page = pages.pop(0)
        assert page["url"] == url, (page, url)
        assert page["ts"] == date[:19] + "Z", page
        assert set(page) <= {"id", "url", "ts", "title"}
        title = None if body is None else title_of(body, mime)
        if title is not None:
            assert page.get("title", "") == title, (page, title)
            titles += 1
    assert not lines, "lines without a record: %s" % list(lines)[:3]
    assert not pages, "pages without a record: %s" % pages[:3]
    print(seen, n_pages, titles)


main(sys.argv[1])
