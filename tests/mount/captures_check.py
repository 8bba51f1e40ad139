#!/usr/bin/env python3
# captures_check.py - archives with odd captures: has each its status, type, date
# and body?  Makes the archives, and compares what crawlfs says of them with what
# they were made of.
#
#     captures_check.py PROGRAM FOLDER CASE
#
# Each case is a function below; it fails by an exception.
# SPDX-License-Identifier: GPL-3.0-or-later
import base64
import gzip
import hashlib
import json
import os
import re
import subprocess
import sys

PROGRAM, FOLDER = sys.argv[1], sys.argv[2]
SITE = "http://example.com/"
DATE = "2024-05-06T07:08:09Z"
RESPONSE = "application/http; msgtype=response"
number = 0


def raw(x):
    return x if isinstance(x, bytes) else x.encode("utf-8")


def lines(*parts):
    return raw("".join(p + "\r\n" for p in parts if p))


def record(kind, url, block, *fields, type=RESPONSE, date=DATE, id=None):
    global number
    number += 1
    block = raw(block)
    return lines("WARC/1.1", "WARC-Type: " + kind,
                 url and "WARC-Target-URI: " + url, "WARC-Date: " + date,
                 "WARC-Record-ID: " + (id or "<urn:x:%d>" % number),
                 type and "Content-Type: " + type, *fields,
                 "Content-Length: %d" % len(block), "") + \
        b"\r\n" + block + b"\r\n\r\n"


def http(body, *fields, type="text/html", status="200 OK"):
    body = raw(body)
    return lines("HTTP/1.1 " + status, type and "Content-Type: " + type, *fields,
                 "Content-Length: %d" % len(body)) + b"\r\n" + body


def arc(*pages):
    """pages: (path, type, block)"""
    out = b"filedesc://a.arc 0.0.0.0 20240506070809 text/plain 77\n" \
        b"1 0 InternetArchive\nURL IP-address Archive-date Content-type " \
        b"Archive-length\n\n\n"
    for path, kind, block in pages:
        out += raw("%s%s 192.0.2.1 20240506070809 %s %d\n" %
                   (SITE, path, kind, len(block))) + block + b"\n"
    return out


def page(word):
    return "<html><title>%s</title><p>Text of %s.</p></html>" % (word, word)


def digest(body, how="sha1"):
    return "%s:%s" % (how, base64.b32encode(
        hashlib.new(how, raw(body)).digest()).decode())


def zstd(data):
    return subprocess.run(["zstd", "-q", "-c"], input=data, check=True,
                          stdout=subprocess.PIPE).stdout


def put(name, *records, pack=gzip.compress):
    """Writes an archive, one member a record; pack None: without members."""
    path = os.path.join(FOLDER, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        for r in records:
            f.write(pack(r) if pack else r)
    return path


def crawlfs(*args, status=None):
    p = subprocess.run([PROGRAM, *args], stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, timeout=60)
    p.err = p.stderr.decode("utf-8", "replace")
    if status is not None and p.returncode != status:
        raise AssertionError("%s: status %d, wanted %d: %s" %
                             (args, p.returncode, status, p.err))
    return p


FIELDS = "url,timestamp,status,mime,text,body,meta,error"


def rows(*args):
    p = crawlfs("export", "--fields=" + FIELDS, *args)
    return [json.loads(x) for x in p.stdout.splitlines()]


def index(source, name="i.cfx", *args):
    out = os.path.join(FOLDER, name)
    p = crawlfs("index", "--force", "-o", out, *args, source)
    return out, p.err


def ways(source):
    """Yields the name and the rows of each way to read a source."""
    yield "order of archives", rows("--order=archive", source)
    yield "order of the tree", rows("--order=index", source)
    yield "index", rows("--data=" + FOLDER, index(source)[0])
    yield "lines", rows("--data=" + FOLDER,
                        index(source, "i.cdxj", "--format=cdxj")[0])


def same(what, got, wanted):
    if got != wanted:
        raise AssertionError("%s: %r, wanted %r" % (what, got, wanted))


def body_of(row):
    return base64.b64decode(row["body"]) if "body" in row else None


def expect(source, wanted, skip=()):
    """wanted: {(url, digits of the date): {field: value}}; a field "body" is
    bytes or None, "text" must be contained."""
    for way, got in ways(source):
        if way in skip:
            continue
        pages = {}
        for r in got:
            if "url" in r:
                at = (r["url"], re.sub(r"\D", "", r.get("timestamp", "")))
                pages[at] = r
        same("%s: pages" % way, sorted(pages), sorted(wanted))
        for at, fields in wanted.items():
            r = pages[at]
            for name, value in fields.items():
                where = "%s: %s of %s %s" % (way, name, *at)
                if name == "body":
                    same(where + " (%s)" % r.get("error"), body_of(r), value)
                elif name == "text":
                    if value not in (r.get("text") or ""):
                        same(where, r.get("text"), value)
                else:
                    same(where, r.get(name), value)


STAMP = re.sub(r"\D", "", DATE)


def at(path, date=STAMP):
    return (SITE + path, date)


# ---- the beginning of an archive ----

def three():
    return [record("response", SITE + "z%d" % i, http(page("z%d" % i)))
            for i in range(4)]


BEHIND = {at("z%d" % i): {"body": raw(page("z%d" % i)), "status": 200}
          for i in (1, 2, 3)}


def whole():
    """Compressed as a whole, without the beginning of its first record."""
    text = b"".join(three())
    for cut in (1, 100, 200):
        for pack in (gzip.compress, zstd):
            name = "whole.warc.gz" if pack is gzip.compress else "w.warc.zst"
            path = put(name, text[cut:], pack=pack)
            expect(path, BEHIND, skip=("lines",))
            if "no record begins here" not in index(path)[1]:
                raise AssertionError("the loss is not told")
    path = put("page.warc.gz", b"<html>no archive</html>\n" + text)
    same("behind a page", len(rows(path)), 5)
    path = put("none.warc.gz", b"words\n" * 1000)
    same("no archive", [r for r in rows(path) if "url" in r], [])


def filedesc():
    """One byte of the URL of an ARC file's first record is another."""
    good = arc(*[("p%d" % i, "text/html", http(page("p%d" % i)))
                 for i in range(3)])
    wanted = {at("p%d" % i): {"body": raw(page("p%d" % i)), "status": 200}
              for i in range(3)}
    for i in range(9):
        for bit in (1, 8, 32, 128):
            bad = bytearray(good)
            bad[i] ^= bit
            for pack in (None, gzip.compress):
                path = put("f.arc.gz" if pack else "f.arc", bytes(bad),
                           pack=pack)
                if not pack and (i + bit) % 3:
                    continue        # the ways are the same for each byte
                expect(path, wanted, skip=("lines",) if pack else ())
            told = index(path)[1]
            if bad[:9].lower() != b"filedesc:" and "first" not in told and \
                    "no record begins here" not in told:
                raise AssertionError("%r is not told: %r" % (bad[:9], told))


# ---- dates ----

def no_1970(what, text):
    if re.search(r"1970-?01-?01", text):
        raise AssertionError("%s: %s" % (what, text))


def dates():
    """A date that is not known is absent everywhere."""
    for i, bad in enumerate(("soon", "", "4f8a1c2d", "2024-13-45T99:99:99Z")):
        one = record("response", SITE + "d", http("no date"), date=bad)
        two = record("response", SITE + "e", http("date"))
        source = put("date%d/a.warc.gz" % i, one, two)
        wanted = {at("d", ""): {"body": b"no date", "status": 200},
                  at("e"): {"body": b"date"}}
        expect(source, wanted)
        path, told = index(source)
        if "date" not in told:
            raise AssertionError("the date is not told: " + told)
        lines_path, _ = index(source, "i.cdxj", "--format=cdxj")
        with open(lines_path) as f:
            text = f.read()
        no_1970("CDXJ", text)
        same("CDXJ", re.search(r"/d (\S+) ", text).group(1), "-")
        for x in (path, lines_path):
            data = "--data=" + FOLDER
            for json_too in ((), ("--json",)):
                p = crawlfs("lookup", data, *json_too, x, SITE + "d", status=0)
                no_1970("lookup", p.stdout.decode())
            p = crawlfs("cat", data, x, "/com/example/_/d.meta", status=0)
            no_1970(".meta", p.stdout.decode())
            same(".meta", "attempt_time" in json.loads(p.stdout), False)
        for kind in ("warc.gz", "wacz"):
            out = os.path.join(FOLDER, "copy." + kind)
            crawlfs("copy", "-q", "--force", "-o", out, source, "/", status=0)
            same("a copy as " + kind, sorted(
                (r["url"], r.get("timestamp")) for r in rows(out)),
                [(SITE + "d", None), (SITE + "e", DATE)])
    page = http("no date")
    for bad in ("-", "4f8a1c2d", "20249999999999x"):
        path = put("date.arc", arc(("p", "text/html", page)).replace(
            b"1 20240506070809 text/html", b"1 " + bad.encode() + b" text/html"),
            pack=None)
        if bad[0] != "2":
            expect(path, {at("p", ""): {"body": b"no date"}})
        out = os.path.join(FOLDER, "c.warc.gz")
        crawlfs("copy", "-q", "--convert", "--force", "-o", out, path, "/",
                status=0)
        with gzip.open(out) as f:
            no_1970("copy --convert", f.read().decode("latin-1"))


# ---- verify ----

def written(value):
    """A digest's value in each base, and for URLs."""
    padded = [base64.b32encode(value), base64.b64encode(value),
              base64.urlsafe_b64encode(value)]
    return [value.hex(), value.hex().upper()] + \
        [x for p in padded for x in (p.decode(), p.decode().rstrip("="))]


def verify(name, wanted, *records):
    p = crawlfs("verify", "-q", put(name, *records))
    same("%s: %s" % (name, p.err), p.returncode, wanted)


def digests():
    """Digests in each base, right and wrong, of payload and block."""
    body, other = raw(page("v")), raw(page("w"))
    block = http(body)
    for how in ("md5", "sha1", "sha256", "sha384", "sha512"):
        def of(x):
            return written(hashlib.new(how, x).digest())
        for label in (how, how.upper(), re.sub("sha", "sha-", how)):
            good = [record("response", SITE, block,
                           "WARC-Payload-Digest: %s:%s" % (label, p),
                           "WARC-Block-Digest: %s:%s%s" % (label, blank, b))
                    for p, b in zip(of(body), of(block))
                    for blank in ("", " ", "  ")]
            verify("good.warc.gz", 0, *good)
        for p in of(other):
            verify("bad.warc.gz", 1,
                   record("response", SITE, block,
                          "WARC-Payload-Digest: %s:%s" % (how, p)))


def payloads():
    """A payload is compared where the standard defines one."""
    body = raw(page("v"))
    good, bad = [["WARC-Payload-Digest: " + digest(x)] for x in (body, "other")]
    message = http(body)
    get = b"POST / HTTP/1.1\r\nHost: example.com\r\n\r\n" + body
    ask = "application/http; msgtype=request"
    capsule = b"20 text/gemini\r\n" + body
    gemini = "gemini://example.com/g"
    for field, wanted in ((good, 0), (bad, 1)):
        verify("r.warc.gz", wanted, record("response", SITE, message, *field))
        verify("q.warc.gz", wanted, record("request", SITE, get, *field,
                                           type=ask))
        verify("s.warc.gz", wanted, record("resource", SITE, body, *field,
                                           type="text/html"))
        verify("h.warc.gz", wanted, record("resource", SITE, message, *field))
        verify("c.warc.gz", wanted, record("conversion", SITE, body, *field,
                                           type="text/html"))
        # not defined: a response by another protocol, what is no content
        for kind in ("application/gemini; msgtype=response", None):
            verify("g.warc.gz", 0, record("response", gemini, capsule, *field,
                                          type=kind))
        verify("m.warc.gz", 0, record("metadata", SITE, body, *field,
                                      type="text/html"))
        verify("i.warc.gz", 0, record("warcinfo", None, body, *field,
                                      type="application/warc-fields"))


CASES = {f.__name__: f for f in (whole, filedesc, dates, digests, payloads)}

if __name__ == "__main__":
    CASES[sys.argv[3]]()
