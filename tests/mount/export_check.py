#!/usr/bin/env python3
# export_check.py - are rows what the archives say?  Uses nothing of crawlfs.
#
#     export_check.py rows MANIFEST ROWS ORDER    every field of rows of the crawl
#                                       that crawlfs-mkcrawl made; ORDER is archive
#                                       or index
#     export_check.py wet WET ROWS      a WET file has the texts of these rows
#     export_check.py warc WARC ARCHIVE...   it has the captures' records, byte for
#                                       byte, in the order of the archives
#     export_check.py fields ROWS FIELD...    each row has no other fields, and in
#                                       this order
#     export_check.py union WHOLE PART...     the parts have each row once, in order
#     export_check.py members FILE      prints how many members a file has; each
#                                       begins at the beginning of a line
#     export_check.py errors ROWS       prints how many rows have an error; these lack
#                                       what needs a record
# SPDX-License-Identifier: GPL-3.0-or-later
import base64
import collections
import hashlib
import html
import html.parser
import json
import os
import re
import sys
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "model"))
import record_reader                                            # noqa: E402

ALL = ["url", "surt", "host", "domain", "timestamp", "record_type", "record_id",
       "revisit_of", "ip", "status", "redirect", "mime", "mime_detected", "charset",
       "html_lang", "languages", "language_score", "digest", "archive", "offset", "length",
       "path", "canonical", "title", "author", "published", "description", "robots",
       "text", "markdown", "main", "html", "body", "headers", "links", "meta",
       "request", "simhash", "truncated", "error"]
KINDS = ("response", "resource", "revisit", "conversion")


def fail(*words):
    print(*words)
    sys.exit(1)


def expect(what, got, wanted):
    if got != wanted:
        fail("%s: got %.300r, wanted %.300r" % (what, got, wanted))


def rows(path):
    with open(path, "rb") as f:
        data = f.read()
    if data and not data.endswith(b"\n"):
        fail("the last line does not end")
    out = []
    for line in data.split(b"\n")[:-1]:
        pairs = json.loads(line.decode("utf-8"),
                           object_pairs_hook=collections.OrderedDict)
        keys = list(pairs)
        expect("order of fields", keys, [k for k in ALL if k in pairs])
        out.append(pairs)
    return out


class Title(html.parser.HTMLParser):
    """The first <title> of a page."""

    def __init__(self):
        super().__init__()
        self.inside, self.done, self.text = False, False, ""

    def handle_starttag(self, tag, attrs):
        self.inside = tag == "title" and not self.done

    def handle_endtag(self, tag):
        self.done = self.done or (tag == "title" and self.inside)
        self.inside = False

    def handle_data(self, data):
        if self.inside:
            self.text += data


def records_of(folder, captures):
    """{(archive, offset): record as the independent reader has it}."""
    found = {}
    for name in sorted({c.archive for c in captures}):
        for at, _, rec in record_reader.records(os.path.join(folder, name)):
            found.setdefault((name, at), rec)
    return found


def iso(d, stated=b""):
    """The time d of 14 digits, with the fraction of the date as stated."""
    fraction = re.search(rb"\.[0-9]{1,9}", stated)
    return "%s-%s-%sT%s:%s:%s%sZ" % (
        d[0:4], d[4:6], d[6:8], d[8:10], d[10:12], d[12:14],
        fraction.group().decode() if fraction else "")


def check_page(row, cap):
    """What is made of the body."""
    body = base64.b64decode(row["body"])
    expect("body", hashlib.sha1(body).hexdigest(), cap.sha1)
    expect("bytes", len(body), cap.body_bytes)
    charset = [f.split(":")[1] for f in cap.flags if f.startswith("charset:")]
    if "html" not in cap.flags or not charset or not body:
        return 0
    try:
        text = body.decode(charset[0])
    except (LookupError, UnicodeDecodeError):
        return 0
    if charset[0].lower() != row.get("charset", "").lower() or \
            not row.get("mime", "").endswith("html"):
        return 0            # its head says something else of it
    if body.startswith(b"<?xml"):
        return 0            # a feed, whatever its type
    expect("html", row["html"], text)
    page = Title()
    page.feed(text)
    expect("title", row.get("title", ""), " ".join(page.text.split()))
    words = set(re.findall(r"\w+", html.unescape(text)))
    got = set(re.findall(r"\w+", row["text"]))
    if not got or not got <= words:
        fail("text", got - words, cap.url)
    return 1


def check_row(row, rec, cap):
    expect("url", row["url"], cap.url.decode("utf-8", "replace"))
    expect("time", row["timestamp"], iso(
        cap.timestamp, record_reader.field(rec.warc, b"warc-date") or b""))
    expect("offset", row["offset"], cap.offset)
    expect("length", row["length"], cap.length)
    if cap.kind != "revisit":
        expect("status", row.get("status"), cap.status)
    stated = record_reader.field(rec.warc, b"warc-payload-digest")
    if stated:
        expect("digest", row["digest"], stated.decode())
    elif cap.kind != "revisit" and not {"gzip", "chunked", "deflate", "br"} & \
            set(cap.flags):
        sha1 = base64.b32encode(hashlib.sha1(rec.body).digest())
        expect("digest", row["digest"], "sha1:" + sha1.decode())
    expect("type of record", row["record_type"], cap.kind)
    stated = record_reader.field(rec.warc, b"warc-record-id")
    expect("record_id", row.get("record_id"), stated and stated.decode())
    stated = record_reader.field(rec.warc, b"warc-ip-address") if rec.warc else \
        rec.head.split(b" ")[-4]
    expect("ip", row.get("ip"), stated and stated.decode())
    if rec.http:
        expect("headers", [[k.lower(), v] for k, v in row["headers"]],
               [[k.decode("utf-8", "replace"), v.decode("utf-8", "replace")]
                for k, v in rec.http])


def check_rows(path, rows_path, order):
    captures = record_reader.read_manifest(path)
    got = rows(rows_path)
    by_place = {(c.archive, c.offset): c for c in captures}
    records = records_of(os.path.dirname(path), captures)
    expect("number of rows", len(got), len(by_place))
    if len({(r["archive"], r["offset"]) for r in got}) != len(got):
        fail("a row is there twice")
    pages = 0
    for row in got:
        place = row["archive"], row["offset"]
        cap = by_place[place]
        check_row(row, records[place], cap)
        if cap.kind != "revisit" or (order == "index" and "body" in row):
            pages += check_page(row, cap)
        if order == "index" and not row.get("path"):
            fail("no path", row["url"])
    if order == "archive":
        places = [(r["archive"], r["offset"]) for r in got]
        expect("order", places, sorted(places))
    if pages * 4 < len(got):
        fail("only %d pages were compared" % pages)
    print("%d rows, %d pages" % (len(got), pages))


def fields_of(head):
    """{lower-case name: value}"""
    return {k.decode(): v.decode("utf-8", "replace")
            for k, v in record_reader.fields(head)}


def warc_records(path):
    """(fields, block, whole) of each record: a member each, if compressed."""
    with open(path, "rb") as f:
        data = f.read()
    if path.endswith(".gz"):
        members = [m for _, _, m in split_members(data)]
    else:
        members, at = [], 0
        while at < len(data):
            head = data.index(b"\r\n\r\n", at)
            n = int(fields_of(data[at:head])["content-length"])
            members.append(data[at:head + 4 + n + 4])
            at = head + 4 + n + 4
    for m in members:
        head = m.index(b"\r\n\r\n")
        fs = fields_of(m[:head])
        n = int(fs["content-length"])
        expect("end of a record", m[head + 4 + n:], b"\r\n\r\n")
        yield fs, m[head + 4:head + 4 + n], m


def split_members(data):
    at = 0
    while at < len(data):
        z = zlib.decompressobj(31)
        plain = z.decompress(data[at:])
        if not z.eof:
            fail("a member is cut off")
        n = len(data) - at - len(z.unused_data)
        yield at, n, plain
        at += n


def check_wet(path, rows_path):
    wanted = [r for r in rows(rows_path) if r.get("text")]
    got = list(warc_records(path))
    expect("first record", got[0][0]["warc-type"], "warcinfo")
    expect("texts", len(got) - 1, len(wanted))
    ids = set()
    for row, (fs, block, _) in zip(wanted, got[1:]):
        expect("type", fs["warc-type"], "conversion")
        expect("URL", fs["warc-target-uri"], row["url"].replace(" ", "%20"))
        expect("date", fs["warc-date"], row["timestamp"])
        expect("text", block.decode("utf-8"), row["text"])
        sha1 = base64.b32encode(hashlib.sha1(block).digest()).decode()
        expect("digest", fs["warc-block-digest"], "sha1:" + sha1)
        ids.add(fs["warc-record-id"])
    expect("identifiers", len(ids), len(wanted))
    print(len(wanted), "texts")


def check_warc(path, archives):
    wanted = []
    for archive in archives:
        with open(archive, "rb") as f:
            for _, _, m in split_members(f.read()):
                head = fields_of(m[:m.index(b"\r\n\r\n")])
                if head["warc-type"] in KINDS and \
                        not head["warc-target-uri"].startswith("dns:"):
                    wanted.append(m)
    got = [whole for _, _, whole in warc_records(path)]
    expect("records", len(got) - 1, len(wanted))
    for a, b in zip(got[1:], wanted):
        expect("record", a, b)
    print(len(wanted), "records")


def check_fields(path, names):
    seen = set()
    for row in rows(path):
        if not set(row) <= set(names):
            fail("other fields", set(row) - set(names))
        seen |= set(row)
    print(sorted(seen))


def check_union(whole, parts):
    with open(whole, "rb") as f:
        wanted = f.read()
    got = b""
    for p in parts:
        with open(p, "rb") as f:
            data = f.read()
        print(p, data.count(b"\n"))
        got += data
    if got != wanted:
        fail("the parts are not the whole")


def check_members(path):
    with open(path, "rb") as f:
        data = f.read()
    n, rest = 0, b"\n"
    for _, _, plain in split_members(data):
        if not rest.endswith(b"\n"):
            fail("member %d begins inside a line" % n)
        rest = plain
        n += 1
    print(n)


def check_errors(path):
    n = 0
    for row in rows(path):
        if "error" in row:
            n += 1
            expect("fields of a row with an error",
                   [k for k in row if k in ("text", "title", "html", "meta",
                                      "markdown")],
                   [])
    print(n)


def main(argv):
    calls = {"rows": lambda a: check_rows(*a), "wet": lambda a: check_wet(*a),
             "warc": lambda a: check_warc(a[0], a[1:]),
             "fields": lambda a: check_fields(a[0], a[1:]),
             "union": lambda a: check_union(a[0], a[1:]),
             "members": lambda a: check_members(*a),
             "errors": lambda a: check_errors(*a)}
    calls[argv[1]](argv[2:])


main(sys.argv)
