#!/usr/bin/env python3
"""segments_check.py - records in segments (ISO 28500, section 7).

    make FOLDER             archives a.warc.gz, b.warc.gz and c.warc there
    pages MOUNT [NAME...]   these pages, or all, have the bodies that they had
                            before they were divided, and say what they lack
    broken MOUNT NAME N     N bytes of a page are read, then reading fails

SPDX-License-Identifier: GPL-3.0-or-later
"""
import errno
import gzip
import hashlib
import json
import os
import sys

HOST = "segments.example.org"
JOINED_MAX = 64     # segments behind the first


def noise(name, n):
    return hashlib.shake_128(name.encode()).digest(n)


def text(name, n):
    return noise(name, (n + 1) // 2).hex()[:n].encode()


def http(body, *fields):
    return ("\r\n".join(("HTTP/1.1 200 OK", "Content-Type: text/html") +
                        fields) + "\r\n\r\n").encode() + body


def chunked(body, n):
    pieces = [body[i:i + n] for i in range(0, len(body), n)] + [b""]
    return b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in pieces)


def divide(block, n):
    size = -(-len(block) // n)
    return [block[i * size:(i + 1) * size] for i in range(n)]


def record(kind, name, number, total, block, origin=None, fields=()):
    head = ["WARC/1.1", "WARC-Type: " + kind,
            "WARC-Record-ID: <urn:uuid:%s-%d>" % (name, number),
            "WARC-Target-URI: http://%s/%s" % (HOST, name),
            "WARC-Date: 2020-01-01T00:00:00Z"]
    if number:
        head.append("WARC-Segment-Number: %d" % number)
    if origin:
        head.append("WARC-Segment-Origin-ID: <urn:uuid:%s>" % origin)
    if total is not None:
        head.append("WARC-Segment-Total-Length: %d" % total)
    head += fields
    head.append("Content-Length: %d" % len(block))
    return "\r\n".join(head).encode() + b"\r\n\r\n" + block + b"\r\n\r\n"


HTTP_TYPE = ["Content-Type: application/http; msgtype=response"]


def segments(name, block, n, has_total=True, kind="response"):
    """The n records of a block, by their numbers."""
    out = {}
    for i, part in enumerate(divide(block, n), 1):
        last = len(block) if i == n and has_total else None
        out[i] = record(kind if i == 1 else "continuation", name, i, last,
                        part, "%s-1" % name if i > 1 else None,
                        (HTTP_TYPE if kind == "response" else
                         ["Content-Type: text/html"]) if i == 1 else [])
    return out


def first_part(block, n, parts=1):
    return b"".join(divide(block, n)[:parts])


def crawl():
    """name: (records by archive, body or None, does it lack some)"""
    out = {}

    body = text("three", 30000)
    s = segments("three", http(chunked(gzip.compress(body, mtime=0), 1000),
                               "Transfer-Encoding: chunked",
                               "Content-Encoding: gzip"), 3)
    out["three"] = ({"a": [s[3], s[1]], "b": [s[2]]}, body, False)

    body = text("near", 600000)
    s = segments("near", body, 2, kind="resource")
    out["near"] = ({"c": [s[1], s[2]]}, body, False)

    body = text("gap", 4000)
    s = segments("gap", body, 3, kind="resource")
    out["gap"] = ({"a": [s[1]], "b": [s[3]]}, first_part(body, 3), True)

    body = text("endless", 600000)
    s = segments("endless", body, 2, False, kind="resource")
    out["endless"] = ({"a": [s[1]], "b": [s[2]]}, body, True)

    s = segments("lone", text("lone", 4000), 2, kind="resource")
    out["lone"] = ({"b": [s[2]]}, None, True)

    body = text("many", 700)
    s = segments("many", body, 70, kind="resource")
    out["many"] = ({"c": [s[i] for i in range(70, 0, -1)]},
                   first_part(body, 70, JOINED_MAX + 1), True)

    body = text("one", 300)
    out["one"] = ({"b": [segments("one", body, 1, kind="resource")[1]]},
                  body, False)

    body = noise("long", 3 << 20)
    s = segments("long", http(body, "Content-Length: %d" % len(body)), 4)
    out["long"] = ({"a": [s[2], s[4]], "b": [s[1], s[3]]}, body, False)

    # the same record and its segments in two archives
    body = text("twice", 2000)
    s = segments("twice", body, 2, kind="resource")
    out["twice"] = ({"a": [s[1], s[2]]}, body, False)

    # no HTTP response, but the copy of one
    out["again"] = ({"c": [record(
        "revisit", "again", 0, None, b"HTTP/1.1 200 OK\r\n\r\n", None,
        HTTP_TYPE + ["WARC-Profile: http://netpreserve.org/warc/1.1/revisit/"
                     "identical-payload-digest",
                     "WARC-Refers-To: <urn:uuid:three-1>"])]},
        out["three"][1], False)
    return out


def make(folder):
    archives = {"a": [], "b": [], "c": []}
    for records, _, _ in crawl().values():
        for name, some in records.items():
            archives[name] += some
    for name, records in archives.items():
        path = os.path.join(folder, name + ".warc")
        if name == "c":
            with open(path, "wb") as f:
                f.write(b"".join(records))
            continue
        with open(path + ".gz", "wb") as f:
            f.write(b"".join(gzip.compress(r, mtime=0) for r in records))


def pages(mount, names):
    folder = mount + "/" + "/".join(reversed(HOST.split("."))) + "/_/"
    have = {n for n in os.listdir(folder) if not n.endswith((".meta", ".txt"))}
    all_pages = {n: c for n, c in crawl().items() if c[1] is not None}
    if not names and have != set(all_pages):
        sys.exit("pages: %s" % sorted(have ^ set(all_pages)))
    for name, (_, body, lacks) in all_pages.items():
        if names and name not in names:
            continue
        for _ in "first", "again":
            with open(folder + name, "rb") as f:
                got = f.read()
            if got != body:
                sys.exit("%s: %d bytes, not %d" % (name, len(got), len(body)))
        if os.stat(folder + name).st_size != len(body):
            sys.exit("%s: the size is wrong" % name)
        with open(folder + name + ".meta", encoding="utf-8") as f:
            meta = f.read()
        json.loads(meta)
        if ("segments of this record are missing" in meta) != lacks:
            sys.exit("%s: %s" % (name, meta))


def broken(mount, name, n):
    path = mount + "/" + "/".join(reversed(HOST.split("."))) + "/_/" + name
    got = 0
    with open(path, "rb", buffering=0) as f:
        try:
            while piece := f.read(1000):
                got += len(piece)
            sys.exit("read to an end of %d bytes" % got)
        except OSError as e:
            if e.errno != errno.EIO or got < int(n):
                sys.exit("%d bytes, then %s" % (got, e))


def main():
    what, *args = sys.argv[1:]
    if what == "make":
        make(*args)
    elif what == "pages":
        pages(args[0], args[1:])
    elif what == "broken":
        broken(*args)
    else:
        sys.exit(__doc__)


main()
