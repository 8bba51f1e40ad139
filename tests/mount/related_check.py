#!/usr/bin/env python3
# related_check.py - records that belong to a page beside its capture.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     related_check.py archive FILE MOUNT   requests and metadata of an archive
#                                           mounted with -o xattr
#     related_check.py make FOLDER          a crawl as browser crawlers keep it;
#                                           FOLDER/want.json: its files
#     related_check.py want FOLDER MOUNT    they are what was made
#     related_check.py cdxj FOLDER          CDXJ lines of all but its requests
#     related_check.py places FILE FOLDER   every record of an archive, in
#                                           .crawlfs/records/ARCHIVE
#     related_check.py share FILE N OUT     the records of a plain archive, N in
#                                           a member
#     related_check.py shared FILE N FOLDER OUT   are those in FOLDER as in FILE?
"""Requests, metadata, screenshots: read by the independent reader, compared
with what a mount shows."""

import gzip
import hashlib
import io
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "model"))
import record_reader as rr

WEB = (b"http:", b"https:", b"ftp:")
VIEWS = {"request": ".request", "metadata": ".metadata"}


# ---- archives as they are ----

def records(path):
    with open(path, "rb") as f:
        gz = f.read(2) == b"\x1f\x8b"
        f.seek(0)
        for at, _, data in (rr.members if gz else rr.plain_records)(f):
            yield at, rr.parse(data)


def ids(rec):
    return {v for k, v in rec.warc
            if k in (b"warc-record-id", b"warc-concurrent-to")}


def pairs(path):
    """{offset of a page: {"request": block, "metadata": block}}."""
    pages, rest, out = [], [], {}
    for at, rec in records(path):
        if not rec.url.lower().startswith(WEB):
            continue
        if rec.kind in ("response", "resource", "revisit"):
            pages.append((at, rec))
            out[at] = {}
        elif rec.kind in VIEWS:
            rest.append((at, rec))
    for named in (True, False):
        for at, rec in list(rest):
            fits = [p for p in pages if p[1].url == rec.url and
                    (ids(p[1]) & ids(rec) if named else
                     p[1].time == rec.time)]
            if not fits:
                continue
            page = min(fits, key=lambda p: abs(p[0] - at))
            out[page[0]].setdefault(rec.kind, rec.block)
            rest.remove((at, rec))
    return out


def full_name(path, suffix):
    """The name that always resolves: NAME#[N] and the suffix."""
    m = re.search(r"(#+)(\d*)$", path)
    if m is None or len(m.group(1)) % 2 == 0:
        path += "#"
    return path + suffix


def by_offset(mount):
    out = {}
    for folder, _, names in os.walk(os.fsencode(mount)):
        for name in names:
            path = os.fsdecode(os.path.join(folder, name))
            at = int(os.getxattr(path, "user.crawlfs.offset"))
            out.setdefault(at, []).append(path)
    return out


def check_archive(path, mount):
    want = pairs(path)
    files = by_offset(mount)
    found = dict.fromkeys(VIEWS, 0)
    for at, has in sorted(want.items()):
        assert at in files, "no file at offset %d" % at
        for kind, suffix in VIEWS.items():
            name = full_name(files[at][0], suffix)
            if kind not in has:
                assert not os.path.exists(name), name + " is there"
                continue
            found[kind] += 1
            with open(name, "rb") as f:
                assert os.fstat(f.fileno()).st_size == len(has[kind]), name
                assert f.read() == has[kind], name
    print("%d pages: %s" % (len(want), found))


# ---- a crawl of a browser ----

PNG = b"\x89PNG\r\n\x1a\n"
JPEG = b"\xff\xd8\xff\xe0"


class Archive:
    """A WARC file being written: .warc.gz, or plain."""

    def __init__(self, path):
        self.path, self.out = path, io.BytesIO()

    def add(self, kind, url, time, mime, block, **more):
        head = "WARC/1.1\r\nWARC-Type: %s\r\n" % kind
        head += "WARC-Target-URI: %s\r\nWARC-Date: %s\r\n" % (url, time)
        head += "Content-Type: %s\r\nContent-Length: %d\r\n" % (mime, len(block))
        for name, value in more.items():
            head += "%s: %s\r\n" % (name.replace("_", "-"), value)
        data = head.encode() + b"\r\n" + block + b"\r\n\r\n"
        self.out.write(gzip.compress(data, mtime=0)
                       if self.path.endswith(".gz") else data)

    def page(self, url, time, text, **more):
        body = b"<p>%s</p>" % text.encode()
        self.add("response", url, time, "application/http; msgtype=response",
                 b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body,
                 **more)
        return body

    def close(self):
        with open(self.path, "wb") as f:
            f.write(self.out.getvalue())


def make(folder):
    want = {}

    def keep(path, data):
        want[path] = None if data is None else hashlib.sha1(data).hexdigest()

    def at(n):
        return "2024-05-06T07:%02d:%02d.123Z" % (n // 60, n % 60)

    # sorts before the pages' own archive; screenshots first
    shots = Archive(os.path.join(folder, "a-screenshots.warc.gz"))
    pages = Archive(os.path.join(folder, "b-pages.warc.gz"))
    texts = Archive(os.path.join(folder, "c-text.warc"))
    site = "https://site.org/"
    big = PNG + bytes(range(256)) * 16384           # 4 MiB
    small = JPEG + b"thumbnail"
    shots.add("resource", "urn:view:" + site + "a", at(12), "image/png", big)
    shots.add("resource", "urn:thumbnail:" + site + "a", at(13), "image/jpeg",
              small)
    shots.add("resource", "urn:fullPage:" + site + "a", at(14), "image/png",
              big[::-1])
    keep("org/site/_/a", pages.page(site + "a", at(10), "one"))
    keep("org/site/_/a.view.png", big)
    keep("org/site/_/a.view.jpg", None)
    keep("org/site/_/a.view", None)
    keep("org/site/_/a.thumbnail.jpg", small)
    keep("org/site/_/a.fullpage.png", big[::-1])
    info = b'{"pageid":"1","url":"https://site.org/a"}'
    pages.add("resource", "urn:pageinfo:" + site + "a", at(11),
              "application/json", info)
    keep("org/site/_/a.pageinfo", info)
    texts.add("resource", "urn:textFinal:" + site + "a", at(11), "text/plain",
              b"the last text")
    texts.add("resource", "urn:text:" + site + "a", at(15), "text/plain",
              b"the text")
    keep("org/site/_/a.txt", b"the text")
    # two captures: each has the nearest
    for n, text in ((100, "early"), (200, "late")):
        body = pages.page(site + "twice", at(n), text)
        request = b"GET /%s HTTP/1.1\r\n\r\n" % text.encode()
        pages.add("request", site + "twice", at(n), "application/http",
                  request)
        texts.add("resource", "urn:text:" + site + "twice#part", at(n + 3),
                  "text/plain", text.encode())
        name = "org/site/_/twice" + ("#1" if n == 100 else "")
        keep(name, body)
        keep(name + ".txt", text.encode())
        keep(name + ".request", request)
        keep(name + ".pageinfo", None)
    # names that pages have taken
    keep("org/site/_/b", pages.page(site + "b", at(20), "b"))
    keep("org/site/_/b.view.webp", pages.page(site + "b.view.webp", at(21), "x"))
    shots.add("resource", "urn:view:" + site + "b", at(22), "image/webp", b"RIFF")
    keep("org/site/_/b#.view.webp", b"RIFF")
    keep("org/site/_/b.view.webp.view.png", None)
    # other writers, another type, no capture of the page
    shots.add("resource", "screenshot:" + site + "c", at(30), "image/png", PNG)
    shots.add("resource", "thumbnail:" + site + "c", at(31), "image/x-new", b"new")
    keep("org/site/_/c", b"")
    keep("org/site/_/c.view.png", PNG)
    keep("org/site/_/c.thumbnail.bin", b"new")
    keep("org/site/_/c.txt", b"")
    texts.add("resource", "urn:text:" + site + "d", at(40), "text/plain", b"d")
    shots.add("resource", "urn:view:" + site + "d", at(41), "image/gif", b"GIF")
    keep("org/site/_/d", b"d")
    keep("org/site/_/d.txt", b"d")
    keep("org/site/_/d.view.gif", b"GIF")
    # thousands of one page, in the wrong order, of which one is right
    for n in range(3000):
        shots.add("resource", "urn:view:" + site + "e", at(3599 - n),
                  "image/png", b"%d" % n)
        pages.add("request", site + "e", at(n), "application/http",
                  b"GET /e HTTP/1.1\r\nN: %d\r\n\r\n" % n,
                  WARC_Concurrent_To="<urn:uuid:%d>" % n)
    keep("org/site/_/e", pages.page(site + "e", at(2000), "e",
                                    WARC_Record_ID="<urn:uuid:7>"))
    keep("org/site/_/e.request", b"GET /e HTTP/1.1\r\nN: 7\r\n\r\n")
    keep("org/site/_/e.view.png", b"%d" % (3599 - 2000))
    # a request without a page is none
    pages.add("request", site + "f", at(50), "application/http", b"GET /f\r\n")
    keep("org/site/_/f", None)
    keep("org/site/_/f.request", None)
    for archive in (shots, pages, texts):
        archive.close()
    with open(os.path.join(folder, "want.json"), "w", encoding="utf-8") as f:
        json.dump(want, f, indent=1)


def check_want(folder, mount):
    with open(os.path.join(folder, "want.json"), encoding="utf-8") as f:
        want = json.load(f)
    bad = 0
    for path, digest in want.items():
        name = os.path.join(mount, path)
        has = None
        try:
            f = open(name, "rb")
        except FileNotFoundError:
            f = None
        if f is not None:
            with f:
                size = os.fstat(f.fileno()).st_size
                data = f.read()
            has = hashlib.sha1(data).hexdigest()
            if len(data) != size:
                has = "another size"
        if has != digest:
            print("%s: %s, not %s" % (path, has, digest))
            bad += 1
    print("%d files, %d bad" % (len(want), bad))
    return bad == 0


def print_cdxj(folder):
    lines = []
    for name in sorted(os.listdir(folder)):
        if ".warc" not in name:
            continue
        places = list(records(os.path.join(folder, name)))
        ends = [at for at, _ in places[1:]]
        ends.append(os.path.getsize(os.path.join(folder, name)))
        for (at, rec), end in zip(places, ends):
            if rec.kind == "request":
                continue
            url = rec.url.decode()
            surt = re.sub(r"https?://(\w+)\.(\w+)/", r"\2,\1)/", url).lower()
            mime = dict(rec.warc)[b"content-type"].decode()
            lines.append("%s %s %s" % (
                surt, rr.digits_of(rec.time), json.dumps({
                    "url": url, "offset": str(at), "length": str(end - at),
                    "filename": name, "status": "200",
                    "mime": "text/html" if rec.status else mime})))
    print("\n".join(sorted(lines)))


# ---- records by their place ----

def check_places(path, folder):
    n = 0
    offsets = set()
    for at, rec in records(path):
        with open(os.path.join(folder, str(at)), "rb") as f:
            size = os.fstat(f.fileno()).st_size
            data = f.read()
        assert data == rec.head + (b"" if rec.warc else b"\n") + rec.block, at
        assert size == len(data), at
        offsets.add(at)
        n += 1
    end = os.path.getsize(path)
    for at in [end, end + 1, 1 << 40] + [at + 1 for at in offsets]:
        assert at in offsets or \
            not os.path.exists(os.path.join(folder, str(at))), at
    print("%d records" % n)


# ---- records that share a member ----

def groups(path, n):
    with open(path, "rb") as f:
        all_ = [rr.parse(data) for _, _, data in rr.plain_records(f)]
    return [all_[i:i + n] for i in range(0, len(all_), n)]


def member(group):
    return gzip.compress(b"".join(r.head + r.block + b"\r\n\r\n"
                                  for r in group), mtime=0)


def share(path, n, out):
    with open(out, "wb") as f:
        f.writelines(map(member, groups(path, n)))


def check_shared(path, n, folder, shared):
    at = 0
    for group in groups(path, n):
        for i, rec in enumerate(group):
            name = "%d.%d" % (at, i) if i else str(at)
            with open(os.path.join(folder, name), "rb") as f:
                data = f.read()
            assert data == rec.head + rec.block, name
        for name in (".%d" % len(group), ".0", ".01", "."):
            name = str(at) + name
            assert not os.path.exists(os.path.join(folder, name)), name
        at += len(member(group))
    assert at == os.path.getsize(shared)


def main(argv):
    if argv[1] == "archive":
        check_archive(argv[2], argv[3])
    elif argv[1] == "make":
        make(argv[2])
    elif argv[1] == "want":
        return 0 if check_want(argv[2], argv[3]) else 1
    elif argv[1] == "cdxj":
        print_cdxj(argv[2])
    elif argv[1] == "places":
        check_places(argv[2], argv[3])
    elif argv[1] == "share":
        share(argv[2], int(argv[3]), argv[4])
    elif argv[1] == "shared":
        check_shared(argv[2], int(argv[3]), argv[4], argv[5])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
