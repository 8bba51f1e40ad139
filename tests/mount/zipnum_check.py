#!/usr/bin/env python3
# zipnum_check.py - reads a ZipNum cluster, and archives, as lines of CDXJ.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     zipnum_check.py read FOLDER [SHARDS]
#     zipnum_check.py lines BASE ARCHIVE...
#     zipnum_check.py bare|places|csv
#
# read checks the cluster's form as Common Crawl's readers rely on it (each line
# of cluster.idx one member of 3,000 lines that inflates alone, offsets without
# gaps, numbers, order by bytes through all shards, no shard left over, .loc),
# and prints all of its lines; SHARDS: how many there must be.  lines prints what
# the archives hold, read by record_reader.py, sorted.  bare takes digests,
# redirects and the like out of lines on its standard input, places leaves only
# keys and where records lie, csv makes a selection of them.
"""An independent reader of clusters, and of what should be in them."""

import base64
import csv
import hashlib
import json
import os
import re
import sys
import time
import urllib.parse
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "model"))
import cdx_model                                                # noqa: E402
import record_reader                                            # noqa: E402

LINES = 3000
KINDS = ("response", "resource", "revisit", "arc")


def fault(text):
    sys.exit("zipnum_check: " + text)


def member(data, offset, length):
    inflater = zlib.decompressobj(31)
    text = inflater.decompress(data[offset:offset + length])
    if not inflater.eof or inflater.unused_data:
        fault("no single member at %d" % offset)
    return text


def read(folder, shards):
    with open(os.path.join(folder, "cluster.idx"), "rb") as f:
        index = f.read().splitlines(keepends=True)
    names = sorted(n for n in os.listdir(folder) if n.startswith("cdx-"))
    with open(os.path.join(folder, "cluster.loc")) as f:
        loc = [line.rstrip("\n").split("\t") for line in f]
    if names != ["cdx-%05d.gz" % i for i in range(len(names))]:
        fault("shards %s" % names)
    if loc != [[n, n] for n in names]:
        fault("cluster.loc %s" % loc)
    if shards is not None and len(names) != shards:
        fault("%d shards" % len(names))
    data = {}
    ends = dict.fromkeys(names, 0)
    last = b""
    out = []
    for number, line in enumerate(index, 1):
        first, shard, offset, length, n = line.rstrip(b"\n").split(b"\t")
        shard = shard.decode()
        if int(n) != number or int(offset) != ends[shard]:
            fault("line %d: %r" % (number, line))
        if shard not in data:
            with open(os.path.join(folder, shard), "rb") as f:
                data = {shard: f.read()}
        text = member(data[shard], int(offset), int(length))
        lines = text.splitlines(keepends=True)
        if len(lines) != LINES and number < len(index) or not lines or \
                not text.endswith(b"\n"):
            fault("member %d has %d lines" % (number, len(lines)))
        if b" ".join(lines[0].split(b" ")[:2]) != first:
            fault("member %d begins with %r" % (number, lines[0]))
        for x in lines:
            if x <= last:
                fault("out of order, or twice: %r" % x)
            last = x
        ends[shard] += int(length)
        out += lines
    for name, end in ends.items():
        if os.path.getsize(os.path.join(folder, name)) != end:
            fault("%s has bytes of no member" % name)
    sys.stdout.buffer.write(b"".join(out))


def stored_body(rec):
    """The payload as it is archived."""
    if rec.http_head is None:
        return rec.body
    body = record_reader.split_head(rec.block)[1]
    if record_reader.decode_body(rec.http, body) == rec.body:
        return body
    return body[:-1]            # the end of an ARC record


def digest_of(rec):
    digest = record_reader.field(rec.warc, b"warc-payload-digest")
    if digest is not None:
        return re.sub(r"^sha1:", "", digest.decode())
    if rec.kind == "revisit":
        return ""
    return base64.b32encode(hashlib.sha1(stored_body(rec)).digest()).decode()


def mime_of(rec):
    if rec.kind == "revisit":
        return "warc/revisit"
    if rec.kind == "arc":
        mime = rec.head.rsplit(b" ", 2)[1]
    elif rec.http_head is not None:
        mime = record_reader.field(rec.http, b"content-type") or b""
    else:
        mime = record_reader.field(rec.warc, b"content-type") or b""
    return mime.split(b";")[0].strip().decode() or "unk"


def url_text(url):
    """Bytes that are not UTF-8 as %XX."""
    text = url.decode("utf-8", "surrogateescape")
    return re.sub("[\udc80-\udcff]",
                  lambda m: "%%%02X" % (ord(m.group()) - 0xdc00), text)


def line_of(name, offset, length, rec):
    key = cdx_model.surt(rec.url)
    if rec.kind not in KINDS or key is None:
        return None
    identified = record_reader.field(rec.warc, b"warc-identified-payload-type")
    location = record_reader.field(rec.http, b"location")
    fields = [("url", url_text(rec.url)), ("mime", mime_of(rec)),
              ("mime-detected", (identified or b"").decode()),
              ("status", str(rec.status or "")), ("digest", digest_of(rec)),
              ("length", str(length)), ("offset", str(offset)),
              ("filename", name)]
    truncated = record_reader.field(rec.warc, b"warc-truncated")
    if truncated is not None:
        fields.append(("truncated", truncated.decode()))
    if location and 300 <= (rec.status or 0) <= 399:
        fields.append(("redirect", urllib.parse.urljoin(
            url_text(rec.url), location.decode("latin-1"))))
    stamp = time.strftime("%Y%m%d%H%M%S", time.gmtime(rec.time or 0))
    return b"%s %s %s\n" % (key, stamp.encode(), json.dumps(
        {k: v for k, v in fields if v}).encode())


def lines(base, archives):
    out = []
    for path in archives:
        name = os.path.relpath(path, base)
        for offset, length, rec in record_reader.records(path):
            out.append(line_of(name, offset, length, rec))
    sys.stdout.buffer.write(b"".join(sorted(x for x in out if x)))


COLUMNS = (("url", "url"), ("warc_filename", "filename"),
           ("warc_record_offset", "offset"), ("warc_record_length", "length"),
           ("fetch_time", None), ("fetch_status", "status"),
           ("content_mime_type", "mime"),
           ("content_mime_detected", "mime-detected"),
           ("content_digest", "digest"), ("content_charset", "charset"),
           ("content_languages", "languages"),
           ("content_truncated", "truncated"))


def to_csv():
    table = csv.writer(sys.stdout)
    table.writerow(column for column, _ in COLUMNS)
    for line in sys.stdin:
        stamp, text = line.split(" ", 2)[1:]
        when = time.strftime("%Y-%m-%d %H:%M:%S.000",
                             time.strptime(stamp, "%Y%m%d%H%M%S"))
        fields = json.loads(text)
        table.writerow(fields.get(name, "") if name else when
                       for _, name in COLUMNS)


def places():
    out = []
    for line in sys.stdin.buffer:
        key, _, text = line.split(b" ", 2)
        fields = json.loads(text)
        out.append("%s %s %s %s\n" % (key.decode(), fields["filename"],
                                      fields["offset"], fields["length"]))
    sys.stdout.write("".join(sorted(out)))


def bare():
    out = []
    for line in sys.stdin.buffer:
        key, stamp, text = line.split(b" ", 2)
        fields = json.loads(text)
        for name in ("digest", "mime-detected", "truncated", "redirect"):
            fields.pop(name, None)
        out.append(b" ".join((key, stamp, json.dumps(fields).encode())))
    sys.stdout.buffer.write(b"".join(x + b"\n" for x in sorted(out)))


if __name__ == "__main__":
    if sys.argv[1] == "read":
        read(sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else None)
    elif sys.argv[1] == "lines":
        lines(sys.argv[2], sys.argv[3:])
    else:
        {"bare": bare, "places": places, "csv": to_csv}[sys.argv[1]]()
