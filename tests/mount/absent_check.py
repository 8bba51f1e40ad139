#!/usr/bin/env python3
# absent_check.py - bodies that are absent, cut inside their coding, or rightly
# empty.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     absent_check.py make FOLDER              bodies.warc.gz and want.json
#     absent_check.py wacz FOLDER              first.wacz, second.wacz
#     absent_check.py cat FOLDER CRAWLFS       crawlfs cat of each page
#     absent_check.py mount FOLDER MOUNT [empty]   each file, and its size
#     absent_check.py rows FOLDER ROWS         rows of an export (index order)
#     absent_check.py serve FOLDER URL         each page by HTTP
"""What a page is: absent, cut (a beginning of its body is there), whole."""

import gzip
import hashlib
import base64
import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
import zipfile
import zlib

SITE = "http://example.com/"
TEXT = "".join("<p>line %d of a page, %s</p>\n" % (
    i, hashlib.sha1(b"%d" % i).hexdigest()) for i in range(12)).encode()
SAME = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
UNMODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
count = 0


def sha1(data):
    return "sha1:" + base64.b32encode(hashlib.sha1(data).digest()).decode()


def record(kind, url, block, extra=(), mime="application/http; msgtype=response",
           day=1):
    global count
    count += 1
    head = ["WARC/1.1", "WARC-Type: " + kind, "WARC-Target-URI: " + url,
            "WARC-Date: 2024-01-%02dT00:00:00Z" % day, "Content-Type: " + mime,
            "WARC-Record-ID: <urn:uuid:%d>" % count,
            "Content-Length: %d" % len(block)]
    return ("\r\n".join(head + list(extra)) + "\r\n\r\n").encode() + block + \
        b"\r\n\r\n"


def http(body, *fields, status="200 OK"):
    return ("\r\n".join(["HTTP/1.1 " + status, "Content-Type: text/html"] +
                        list(fields)) + "\r\n\r\n").encode() + body


def chunked(data, size=200, last=b"0\r\n\r\n"):
    return b"".join(b"%x\r\n%s\r\n" % (len(data[i:i + size]), data[i:i + size])
                    for i in range(0, len(data), size)) + last


def brotli(data):
    """One block that is stored, of RFC 7932, section 9.2, and an empty last."""
    head = (len(data) - 1) << 4 | 1 << 20
    return head.to_bytes(3, "little") + data + b"\x03"


def zstd(data):
    return subprocess.run(["zstd", "-qc"], input=data, check=True,
                          stdout=subprocess.PIPE).stdout


def half(data):
    return data[:len(data) // 2]


def pages():
    """(name, what it is, record)."""
    gz, z = gzip.compress(TEXT, mtime=0), zlib.compress(TEXT)
    none = sha1(b"")

    def page(name, block, *extra):
        return record("response", SITE + name, block, extra)

    def revisit(name, profile, *extra, status="200 OK"):
        return record("revisit", SITE + name, http(b"", status=status),
                      ["WARC-Profile: " + profile] + list(extra), day=2)

    yield "whole", "whole", page("whole", http(TEXT))
    for name, block in (
            ("gzip", http(half(gz), "Content-Encoding: gzip")),
            ("gzip-head", http(gz[:14], "Content-Encoding: gzip")),
            ("gzip-tail", http(gz[:-9], "Content-Encoding: gzip")),
            ("deflate", http(half(z), "Content-Encoding: deflate")),
            ("br", http(half(brotli(TEXT)), "Content-Encoding: br")),
            ("zstd", http(half(zstd(TEXT * 9)), "Content-Encoding: zstd")),
            ("chunked", http(chunked(TEXT)[:500],
                             "Transfer-Encoding: chunked")),
            ("chunks-of-gzip", http(chunked(gz)[:-120],
                                    "Content-Encoding: gzip",
                                    "Transfer-Encoding: chunked"))):
        yield name, "cut", page(name, block)
    yield "declared", "beginning", page(
        "declared", http(half(gz), "Content-Encoding: gzip"),
        "WARC-Truncated: length")
    # what lacks only its checksum has all its data
    yield "gzip-unchecked", "whole", page(
        "gzip-unchecked", http(gz[:-4], "Content-Encoding: gzip"))
    yield "deflate-unchecked", "whole", page(
        "deflate-unchecked", http(z[:-4], "Content-Encoding: deflate"))
    yield "gzip-whole", "whole", page("gzip-whole", http(
        chunked(gz), "Content-Encoding: gzip", "Transfer-Encoding: chunked"))
    for name, status in (("204", "204 No Content"), ("304", "304 Not Modified"),
                         ("head", "200 OK")):
        yield name, "empty", page(name, http(
            b"", "Content-Encoding: gzip", "Content-Length: 900",
            "Transfer-Encoding: chunked", status=status))
    yield "nothing", "empty", page("nothing", http(b""),
                                   "WARC-Payload-Digest: " + none)
    yield "again", "whole", revisit(
        "again", SAME, "WARC-Refers-To-Target-URI: " + SITE + "whole",
        "WARC-Refers-To-Date: 2024-01-01T00:00:00Z")
    yield "again-nothing", "empty", revisit(
        "again-nothing", SAME, "WARC-Payload-Digest: " + none,
        "WARC-Refers-To-Target-URI: " + SITE + "nothing",
        "WARC-Refers-To-Date: 2024-01-01T00:00:00Z")
    yield "again-cut", "cut", revisit(
        "again-cut", SAME, "WARC-Refers-To-Target-URI: " + SITE + "gzip",
        "WARC-Refers-To-Date: 2024-01-01T00:00:00Z")
    yield "gone-uri", "absent", revisit(
        "gone-uri", SAME, "WARC-Refers-To-Target-URI: " + SITE + "elsewhere",
        "WARC-Refers-To-Date: 2024-01-01T00:00:00Z")
    yield "gone-id", "absent", revisit(
        "gone-id", SAME, "WARC-Refers-To: <urn:uuid:of-another-crawl>")
    yield "gone-digest", "absent", revisit(
        "gone-digest", SAME, "WARC-Payload-Digest: " + sha1(b"another page"))
    yield "gone-unmodified", "absent", revisit(
        "gone-unmodified", UNMODIFIED, status="304 Not Modified")


def make(folder):
    want = {}
    with open(os.path.join(folder, "bodies.warc.gz"), "wb") as f:
        for name, what, data in pages():
            want[name] = what
            f.write(gzip.compress(data, mtime=0))
    with open(os.path.join(folder, "want.json"), "w") as f:
        json.dump(want, f)


def make_wacz(folder):
    def put(name, records, relation, resources=None):
        data = b"".join(gzip.compress(r, mtime=0) for r in records)
        package = {"profile": "data-package", "wacz_version": "1.1.1",
                   "resources": [{"name": "data.warc.gz", "bytes": len(data),
                                  "path": "archive/data.warc.gz", "hash":
                                  "sha256:" + hashlib.sha256(data).hexdigest()
                                  }], "relation": relation}
        package["resources"] = resources or package["resources"]
        with zipfile.ZipFile(os.path.join(folder, name), "w") as z:
            z.writestr("archive/data.warc.gz", data)
            z.writestr("datapackage.json", json.dumps(package))
    put("first.wacz", [record("response", SITE + "w", http(TEXT),
                              ["WARC-Payload-Digest: " + sha1(TEXT)])], {})
    put("second.wacz", [record(
        "revisit", SITE + "w", http(b""),
        ["WARC-Profile: " + SAME, "WARC-Payload-Digest: " + sha1(TEXT)],
        day=2)], {"requires": [{"filename": "first.wacz"}, {"x": [1, "]"]}]})
    # each requires the next one, and the last the first; each has a page, and a
    # revisit of the next one's, or of one that none of them has
    os.mkdir(os.path.join(folder, "../circle"))
    for i in range(3):
        body, wanted = (TEXT + b"%d" % k for k in (i, (i + 1) % 3))
        put("../circle/%d.wacz" % i, [
            record("response", SITE + "page%d" % i, http(body),
                   ["WARC-Payload-Digest: " + sha1(body)]),
            record("revisit", SITE + "again%d" % i, http(b""),
                   ["WARC-Profile: " + SAME,
                    "WARC-Payload-Digest: " + sha1(wanted),
                    "WARC-Refers-To-Target-URI: %spage%d" % (SITE, (i + 1) % 3),
                    "WARC-Refers-To-Date: 2024-01-01T00:00:00Z"], day=2),
            record("revisit", SITE + "gone%d" % i, http(b""),
                   ["WARC-Profile: " + SAME,
                    "WARC-Payload-Digest: " + sha1(b"of none")], day=2)],
            {"requires": [{"filename": "%d.wacz" % ((i + 1) % 3)}]})
    # each of its revisits asks for what the package says, which is damaged
    put("../many.wacz", [record(
        "revisit", SITE + str(i), http(b""),
        ["WARC-Profile: " + SAME, "WARC-Payload-Digest: " + sha1(TEXT)])
        for i in range(300)], {}, resources=[1])


def is_right(what, data, failed, empty=False):
    """Are these the bytes of such a page, and did reading fail as it must?"""
    text = TEXT * 9
    fails = what in ("absent", "cut") and not empty
    if failed != fails:
        return False
    if what in ("absent", "empty"):
        return data == b""
    if what == "whole":
        return data == TEXT
    return text.startswith(data) and (what == "cut" or len(data) > 50)


def read_all(path):
    data = b""
    try:
        fd = os.open(path, os.O_RDONLY)
    except OSError:
        return data, True
    try:
        while True:
            part = os.pread(fd, 100, len(data))
            if not part:
                return data, False
            data += part
    except OSError:
        return data, True
    finally:
        os.close(fd)


def load(folder):
    with open(os.path.join(folder, "want.json")) as f:
        return json.load(f)


def check_cat(folder, crawlfs):
    for name, what in load(folder).items():
        p = subprocess.run([crawlfs, "cat", folder + "/bodies.warc.gz",
                            SITE + name], capture_output=True, check=False)
        if not is_right(what, p.stdout, p.returncode == 1) or \
                bool(p.stderr) != (p.returncode != 0) or \
                p.stderr.count(b"\n") > 1:
            yield "%s: %d, %d bytes, %r" % (name, p.returncode, len(p.stdout),
                                            p.stderr[:200])


def check_mount(folder, mount, *opts):
    for name, what in load(folder).items():
        path = os.path.join(mount, "com/example/_", name)
        size = os.stat(path).st_size
        data, failed = read_all(path)
        if not is_right(what, data, failed, bool(opts)):
            yield "%s: %d bytes, failed: %s" % (name, len(data), failed)
        if what == "absent" and size == 0 and not opts:
            yield "%s: a size of %d bytes" % (name, size)
        for view in (".txt", ".md"):
            if read_all(path + view)[1] != (what == "absent" and not opts):
                yield name + view
        with open(path + ".meta") as f:
            location = json.load(f)["crawlfs"]
        if ("no_body" in location) != (what == "absent") or \
                ("body_is_damaged" in location) != (
                    what in ("cut", "beginning")):
            yield "%s.meta: %s" % (name, location)
        for view in (".headers", ".warc.gz"):
            if read_all(path + view)[1] or not read_all(path + view)[0]:
                yield name + view


def check_rows(folder, path):
    want = load(folder)
    with open(path) as f:
        for row in map(json.loads, f):
            what = want.pop(row["url"][len(SITE):])
            if ("error" in row) != (what == "absent") or \
                    ("truncated" in row) != (what in ("cut", "beginning")) or \
                    what == "absent" and ("text" in row or "body" in row):
                yield str(row)[:300]
    yield from want


def check_serve(folder, url):
    for name, what in load(folder).items():
        try:
            with urllib.request.urlopen(url + "view/com/example/_/" + name) as r:
                status, body = r.status, r.read()
        except urllib.error.HTTPError as e:
            status, body = e.code, e.read()
        if what in ("absent", "cut"):
            if status != 502 or not body:
                yield "%s: %d, %r" % (name, status, body[:100])
        elif status != 200 or not is_right(what, body, False):
            yield "%s: %d, %d bytes" % (name, status, len(body))


def main():
    what, folder = sys.argv[1:3]
    if what in ("make", "wacz"):
        return {"make": make, "wacz": make_wacz}[what](folder)
    check = {"cat": check_cat, "mount": check_mount, "rows": check_rows,
             "serve": check_serve}[what]
    faults = list(check(folder, *sys.argv[3:]))
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
