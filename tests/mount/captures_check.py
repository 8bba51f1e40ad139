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
import shutil
import subprocess
import sys
import zlib

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


def has_zstd():
    return shutil.which("zstd") is not None


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
    return out, p.err + p.stdout.decode()


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


# ---- bodies and types ----

def chunks():
    """The first chunk is cut: its framing is no content."""
    body = raw(page("long") * 50)
    packed = gzip.compress(body)
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" \
        b"Transfer-Encoding: chunked\r\n"
    cut, wanted = [], {}
    for i, size in enumerate((b"%x" % len(body), b"%X" % len(body),
                              b"0%x;a=b" % len(body))):
        for n in (1, 100, len(body) - 1):
            path = "c%d-%d" % (i, n)
            cut.append(record("response", SITE + path,
                              head + b"\r\n" + size + b"\r\n" + body[:n]))
            wanted[at(path)] = {"body": body[:n], "status": 200}
    inside = zlib.decompressobj(31).decompress(packed[:-30])
    cut.append(record("response", SITE + "gzip", head +
                      b"Content-Encoding: gzip\r\n\r\n%x\r\n" %
                      len(packed) + packed[:-30]))
    wanted[at("gzip")] = {"body": inside}
    text = b"add\r\nthis to that, please"
    cut.append(record("response", SITE + "text", head + b"\r\n" + text))
    wanted[at("text")] = {"body": text}
    expect(put("chunks.warc.gz", *cut), wanted)
    expect(put("chunks.warc", *cut, pack=None), wanted)


TYPES = {       # what a server or a crawler says, and what it is
    "text/html; charset=utf-8": "text/html",
    "text/html;charset=utf-8": "text/html",
    "text/html charset=utf-8": "text/html",
    "text/html, text/html": "text/html",
    "text/html,text/html; charset=utf-8": "text/html",
    "image/png, text/html": "text/html",
    "text/html; a=\"b,image/png\"": "text/html",
    "*/*, text/html": "text/html",
    "TEXT/HTML": "TEXT/HTML",
    "*/*": None, "unknown/unknown": None, "application/unknown": None,
    "Unknown/Unknown": None, "unk": None, "no-type": None, "-": None,
    "text": None, None: None,
}


def types():
    """One function says what a type is; where there is none it is sniffed."""
    records, pages, wanted = [], [], {}
    for i, (said, mime) in enumerate(TYPES.items()):
        path = "t%d" % i
        records.append(record("response", SITE + path,
                              http(page(path), type=said)))
        wanted[at(path)] = {"body": raw(page(path)), "mime": mime,
                            "text": "Text of %s." % path}
        if said is None or " " not in said:
            pages.append((path, said or "-", http(page(path), type=None)))
    source = put("types.warc.gz", *records)
    expect(source, wanted)
    html = sorted(x[0] for x, f in wanted.items() if f["mime"])
    arcs = {x: f for x, f in wanted.items()
            if x[0].rsplit("/")[-1] in [p[0] for p in pages]}
    arc_path = put("types.arc", arc(*pages), pack=None)
    expect(arc_path, arcs)
    for kind, name in ((source, "cfx"), (source, "cdxj"), (arc_path, "cfx")):
        made, _ = index(kind, "i." + name, "--format=" + name)
        for args in (["--data=" + FOLDER, made], [kind]):
            for order in ("archive", "index"):
                got = sorted(r["url"] for r in rows(
                    "--order=" + order, "--mime=text/html", *args))
                same("%s, %s: picked" % (args, order), got,
                     [u for u in html if kind == source or
                      u in [x[0] for x in arcs]])
    # the lines of others
    lines_path = os.path.join(FOLDER, "i.cdxj")
    index(source, "i.cdxj", "--format=cdxj")
    with open(lines_path) as f:
        text = f.read()
    for said in ("text/html charset=utf-8", "text/html, text/html",
                 "text\\/html; a=b"):
        with open(lines_path, "w") as f:
            f.write(re.sub(r'"mime": "[^"]*"', lambda m: '"mime": "%s"' % said,
                           text))
        got = rows("--mime=text/html", "--data=" + FOLDER, lines_path)
        same("lines of %s" % said, len(got), len(records))


def conversions():
    """A text in another charset is served as UTF-8."""
    text = "Gr\u00f6\u00dfe\n"
    for name, said in (("latin-1", "ISO-8859-1"), ("utf-16-le", "utf-16le"),
                       ("cp1252", '"windows-1252"'), ("utf-8", "UTF-8"),
                       ("utf-8", None)):
        kind = "text/plain" + ("; charset=" + said if said else "")
        block = text.encode(name)
        alone = record("conversion", SITE + "d", block, type=kind)
        source = put("conv/a.warc.gz",
                     record("response", SITE + "c", http("<p>x</p>"),
                            id="<urn:x:c>"),
                     record("conversion", SITE + "c", block,
                            "WARC-Refers-To: <urn:x:c>", type=kind), alone)
        made, _ = index(source)
        for args in (["--data=" + FOLDER, made], [source]):
            for path in ("c", "d"):
                p = crawlfs("cat", *args, "/com/example/_/%s.txt" % path,
                            status=0)
                same("%s: %s.txt" % (said, path), p.stdout.decode("utf-8"),
                     text)
            for r in rows("--order=index", *args):
                same("%s: row" % said, r["text"], text)


def responses():
    """A response is one of HTTP, whatever the record states for it."""
    kinds = ("text/html", "image/png", "message/http", "application/octet-stream")
    records = [record("response", SITE + "r%d" % i, http(page("r")), type=kind)
               for i, kind in enumerate(kinds)]
    wanted = {at("r%d" % i): {"body": raw(page("r")), "mime": "text/html",
                              "status": 200} for i in range(len(kinds))}
    # none of HTTP: other bytes, other records, another protocol
    for i, (kind, block) in enumerate((
            ("response", b"HTTP is a protocol\n"), ("response", b"HTTP/1.1\n"),
            ("response", b"HTTP/1.1 twenty\r\n\r\n"),
            ("resource", http("x")))):
        records.append(record(kind, SITE + "n%d" % i, block, type="text/plain"))
        wanted[at("n%d" % i)] = {"body": block, "status": None,
                                 "mime": "text/plain"}
    expect(put("responses.warc.gz", *records), wanted)
    expect(put("responses.warc", *records, pack=None), wanted)


def lengths():
    """A length in an index that is too large cuts nothing; a small one is
    damage."""
    pages = [record("response", SITE + "k%d" % i, http(page("k%d" % i)))
             for i in range(3)]
    for name, pack in (("l.warc.gz", gzip.compress), ("l.warc.zst", zstd),
                       ("l.warc", None)):
        if pack is zstd and not has_zstd():
            continue
        packed = [pack(p) if pack else p for p in pages]
        put(name, *packed, pack=None)
        for how, wrong in (("plus 3", 3), ("plus 10", 10), ("plus 400", 400),
                           ("huge", 10 ** 7), ("endless", 10 ** 15),
                           ("small", -20)):
            path, offset = os.path.join(FOLDER, "l.cdxj"), 0
            with open(path, "w") as f:
                for i, p in enumerate(packed):
                    f.write("com,example)/k%d %s %s\n" % (i, STAMP, json.dumps(
                        {"url": SITE + "k%d" % i, "mime": "text/html",
                         "status": "200", "length": str(len(p) + wrong),
                         "offset": str(offset), "filename": name})))
                    offset += len(p)
            got = {r["url"]: body_of(r) for r in rows("--data=" + FOLDER, path)}
            for i in range(3):
                wanted = raw(page("k%d" % i)) if wrong > 0 else None
                if wrong > 0 or pack:
                    same("%s, %s: %d" % (name, how, i),
                         got.get(SITE + "k%d" % i), wanted)
            if wrong > 0 and pack is gzip.compress:
                out = os.path.join(FOLDER, "c.warc.gz")
                crawlfs("copy", "-q", "--force", "-o", out, "--data=" + FOLDER,
                        path, "/")
                crawlfs("verify", "-q", out, status=0)
                if wrong < 100:
                    same("%s, %s: the copy" % (name, how), len(rows(out)), 3)


def spelled():
    """A list may have the URL of a record escaped, in another spelling, with a
    key of another program, or with a scheme that the record lacks: exports,
    copies and verify take the record for its page; another page's they do
    not."""
    names = [(b"http://example.com/latin\xe9", "http://example.com/latin%E9",
              "com,example)/latin%e9"),
             (b"http://example.com/a b", "http://example.com/a%20b",
              "com,example)/a%20b"),
             (b"http://WWW.example.com/w", "http://www.example.com/w",
              "com,example,www)/w"),
             (b"example.com/bare", "http://example.com/bare",
              "com,example)/bare"),
             (b"http://example.com/other", "http://example.com/that",
              "com,example)/that")]
    packed = [gzip.compress(
        record("response", "http://odd.example/" + "x" * len(own), http(str(i)))
        .replace(b"http://odd.example/" + b"x" * len(own), own))
        for i, (own, _, _) in enumerate(names)]
    put("s/s.warc.gz", *packed, pack=None)
    order = sorted(range(len(names)), key=lambda i: names[i][2])
    with open(os.path.join(FOLDER, "s.cdxj"), "w") as lines_of, \
            open(os.path.join(FOLDER, "s.jsonl"), "w") as table:
        for i in order:
            row = {"url": names[i][1], "mime": "text/html", "status": "200",
                   "length": str(len(packed[i])), "filename": "s.warc.gz",
                   "offset": str(sum(map(len, packed[:i])))}
            lines_of.write("%s %s %s\n" % (names[i][2], STAMP, json.dumps(row)))
            table.write(json.dumps(dict(row, timestamp=STAMP)) + "\n")
    data = "--data=" + os.path.join(FOLDER, "s")
    for name in "s.cdxj", "s.jsonl":
        path = os.path.join(FOLDER, name)
        made = index(path, "s.cfx", "--no-views",
                     "--base=" + os.path.join(FOLDER, "s"))[0]
        for source in path, made:
            got = sorted((body_of(r) or r["url"].encode(), "error" in r)
                         for r in rows(data, source))
            same(source, got, [(raw(str(i)), False) for i in range(4)] +
                 [(raw(names[4][1]), True)])
            out = os.path.join(FOLDER, "s.warc.gz")
            crawlfs("copy", "-q", "--force", "-o", out, data, source, "/",
                    status=1)
            with gzip.open(out) as f:
                same("%s: the copy" % source,
                     f.read().count(b"WARC-Type: response"), 4)
            p = crawlfs("verify", "--json", data, source, status=1)
            same("%s: verify" % source, json.loads(p.stdout)["damage"], 1)


# ---- revisits ----

SAME = "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/" \
    "identical-payload-digest"
NOT_MODIFIED = "WARC-Profile: http://netpreserve.org/warc/1.0/revisit/" \
    "server-not-modified"
HEAD_304 = b"HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n"
HEAD_200 = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"


def day(n):
    return "2024-%02d-01T00:00:00Z" % n


def stamp(n):
    return "2024%02d01000000" % n


def refers(path, n):
    return ["WARC-Refers-To-Target-URI: " + SITE + path,
            "WARC-Refers-To-Date: " + day(n)]


def revisit(path, n, *fields, block=b"", id=None, site=SITE):
    return record("revisit", site + path, block, *fields, date=day(n), id=id,
                  type=RESPONSE if block else None)


def by_index(source, wanted, archives=True):
    """Compares the rows in the order of the tree, of archives and of their
    index; those in the order of archives have no body of another record."""
    for name, got in (("archives", rows("--order=index", source)),
                      ("index", rows("--data=" + FOLDER, index(source)[0]))):
        pages = {(r["url"], re.sub(r"\D", "", r.get("timestamp", ""))): r
                 for r in got}
        same("%s: pages" % name, sorted(pages), sorted(wanted))
        for key, body in wanted.items():
            r = pages[key]
            have = body_of(r)
            if body is None:
                same("%s: %s" % (name, key), have or b"", b"")
                if "error" not in r and "no_body" not in str(r.get("meta")):
                    raise AssertionError("%s: %s: nothing is told" % (name, key))
            else:
                same("%s: %s: %s" % (name, key, r.get("meta")), have, body)
    # sizes that are kept in an index are those of the files
    made, _ = index(source, "s.cfx", "--sizes")
    for r in rows("--data=" + FOLDER, made):
        key = (r["url"], re.sub(r"\D", "", r["timestamp"]))
        if wanted.get(key):
            same("with sizes: %s" % (key,), body_of(r), wanted[key])


def not_modified():
    """A server-not-modified revisit has the body of what it refers to, or of
    the capture before it; never that of an empty page."""
    nothing = "WARC-Payload-Digest: " + digest("")
    one, two = raw(page("one")), raw(page("two"))
    empty = record("response", "http://other.example/e", http(b""), nothing,
                   date=day(1))
    first = record("response", SITE + "p", http(one),
                   "WARC-Payload-Digest: " + digest(one), date=day(1),
                   id="<urn:x:first>")
    later = record("response", SITE + "p", http(two), date=day(5))
    by = {"id": ["WARC-Refers-To: <urn:x:first>"], "uri": refers("p", 1),
          "none": []}
    for how, fields in by.items():
        for stated in ([], [nothing], ["WARC-Payload-Digest: " + digest("z")]):
            for block in (HEAD_304, b""):
                r = [revisit("p", n, NOT_MODIFIED, *stated, *fields,
                             block=block) for n in (3, 7)]
                source = put("snm.warc.gz", empty, *r, first, later)
                last = two if how == "none" else one
                by_index(source, {("http://other.example/e", stamp(1)): b"",
                                  (SITE + "p", stamp(1)): one,
                                  (SITE + "p", stamp(3)): one,
                                  (SITE + "p", stamp(5)): two,
                                  (SITE + "p", stamp(7)): last})
    # The capture before it is in another index than the one that knows sizes.
    longer = raw(page("two, later and longer"))
    later = record("response", SITE + "p", http(longer), date=day(5))
    for block in (HEAD_304, b""):
        own = put("own.warc.gz", first,
                  revisit("p", 7, NOT_MODIFIED, block=block))
        pair = "%s,%s" % (index(put("later.warc.gz", later), "later.cfx")[0],
                          index(own, "own.cfx")[0])
        in_pair = {re.sub(r"\D", "", r["timestamp"]): r
                   for r in rows(pair)}
        for day_n, body in ((1, one), (5, longer), (7, longer)):
            same("month %d of two indexes" % day_n, base64.b64decode(
                in_pair[stamp(day_n)].get("body", "")), body)
        path = crawlfs("path", pair, SITE + "p", status=0).stdout.split()[0]
        for view in ("", ".txt", ".meta"):
            p = crawlfs("cat", pair, "%s#@2024-07-01%s" % (path.decode(), view),
                        status=0)
            same(view + " is of the later one", b"two" in p.stdout, True)
    alone = put("snm.warc.gz", empty,
                revisit("q", 3, NOT_MODIFIED, nothing, block=HEAD_304))
    by_index(alone, {("http://other.example/e", stamp(1)): b"",
                     (SITE + "q", stamp(3)): None})


def other_digests():
    """A revisit whose profile says that its digest is that of the payload has
    no body of another digest, whatever its status; none has what a page was
    converted to."""
    one, two = raw(page("one")), raw(page("two"))
    first, later = (record("response", SITE + "p", http(b),
                           "WARC-Payload-Digest: " + digest(b), date=day(n))
                    for b, n in ((one, 1), (two, 5)))
    for block in (HEAD_304, http(b"")):
        for fields in ([], refers("p", 1), refers("p", 5)):
            for stated, body in ((one, one), (two, two), (b"z", None)):
                r = revisit("p", 7, SAME, "WARC-Payload-Digest: " +
                            digest(stated), *fields, block=block)
                by_index(put("other.warc.gz", first, later, r),
                         {(SITE + "p", stamp(1)): one,
                          (SITE + "p", stamp(5)): two,
                          (SITE + "p", stamp(7)): body})
    text = record("conversion", SITE + "p", b"text", type="text/plain",
                  date=day(1))
    for profile in (SAME, NOT_MODIFIED):
        r = revisit("p", 7, profile, *refers("p", 1), block=HEAD_304)
        by_index(put("text.warc.gz", text, r), {(SITE + "p", stamp(1)): b"text",
                                                (SITE + "p", stamp(7)): None})


def at_once():
    """Of captures of one URL and second a revisit has the body whose digest it
    states, whatever these state themselves."""
    bodies = [raw(page(word)) for word in ("one", "two", "three")]
    for states in ((), (0,), (1,), (2,), (0, 2), (0, 1, 2)):
        made = [record("response", SITE + "p", http(b), *(
            ["WARC-Payload-Digest: " + digest(b)] if i in states else []),
                       date=day(1)) for i, b in enumerate(bodies)]
        for how in ("sha1", "sha256"):
            again = [revisit("r%d" % i, 2, SAME, *refers("p", 1),
                             "WARC-Payload-Digest: " + digest(b, how),
                             block=HEAD_200) for i, b in enumerate(bodies)]
            source = put("once.warc.gz", *made, *again)
            for order in "index", "archive":
                got = rows("--order=" + order, index(source)[0],
                           "--data=" + FOLDER)
                got = {r["url"]: body_of(r) for r in got}
                for i, b in enumerate(bodies):
                    same("%s, %s: %d of %s" % (order, how, i, states),
                         got[SITE + "r%d" % i], b)


def chains():
    """A revisit of a revisit; circles end."""
    body = b"chain body"
    stated = "WARC-Payload-Digest: " + digest(body)
    first = record("response", SITE + "c", http(body), date=day(1),
                   id="<urn:x:1>")
    by = {"id": lambda n: ["WARC-Refers-To: <urn:x:%d>" % n],
          "uri": lambda n: refers("c", n)}
    for how, fields in by.items():
        for n in (2, 3, 6):
            links = [revisit("c", i, SAME, *fields(i - 1),
                             id="<urn:x:%d>" % i) for i in range(2, n + 1)]
            source = put("chain.warc.gz", *links, first)
            by_index(source, {(SITE + "c", stamp(i)): body
                              for i in range(1, n + 1)})
        circle = [revisit("c", 2, SAME, *fields(3), id="<urn:x:2>"),
                  revisit("c", 3, SAME, *fields(2), id="<urn:x:3>"),
                  revisit("c", 4, SAME, *fields(4), id="<urn:x:4>")]
        by_index(put("chain.warc.gz", *circle),
                 {(SITE + "c", stamp(i)): None for i in (2, 3, 4)})
    # an original that is elsewhere, in another archive
    put("two/a.warc.gz", first)
    put("two/b.warc.gz", revisit("c", 2, SAME, stated, *refers("c", 1),
                                 "WARC-Refers-To: <urn:x:1>", id="<urn:x:2>"))
    put("two/c.warc.gz", revisit("d", 3, SAME, "WARC-Refers-To: <urn:x:2>"))
    by_index(os.path.join(FOLDER, "two"),
             {(SITE + "c", stamp(1)): body, (SITE + "c", stamp(2)): body,
              (SITE + "d", stamp(3)): body})


def copies():
    """Of two copies of an original the whole one is read; where the only one is
    cut off, it is what is reported."""
    body = os.urandom(4000)
    stated = "WARC-Payload-Digest: " + digest(body)
    first = record("response", SITE + "c", http(body), stated, date=day(1),
                   id="<urn:x:1>")
    again = revisit("c", 2, SAME, stated, *refers("c", 1), id="<urn:x:2>")
    cut = put("copies/a.warc.gz", first)
    os.truncate(cut, os.path.getsize(cut) // 2)
    place = put("copies/r.warc.gz", again)
    source = os.path.dirname(cut)
    put("copies/b.warc.gz", first)
    r = {x.get("timestamp"): x for x in rows("--order=index", source)}[day(2)]
    same("the whole copy", body_of(r) == body, True)
    os.remove(os.path.join(source, "b.warc.gz"))
    p = crawlfs("cat", source, "com/example/_/c", status=1)
    for word, wanted in (("a.warc.gz: the file ends", True),
                         (os.path.basename(place), False)):
        same("'%s' in %s" % (word, p.err), word in p.err, wanted)


def own_bodies():
    """A revisit that holds its payload has it; other bytes are not shown."""
    body, other = raw(page("own")), raw(page("other"))
    stated = "WARC-Payload-Digest: " + digest(body)
    sha256 = "WARC-Payload-Digest: " + digest(body, "sha256")
    whole = http(body)
    chunked = HEAD_200[:-2] + b"Transfer-Encoding: chunked\r\n\r\n" + \
        b"%x\r\n" % len(body) + body + b"\r\n0\r\n\r\n"
    source = put("own.warc.gz",
                 revisit("a", 1, SAME, stated, block=whole),
                 revisit("b", 1, SAME, sha256, block=whole),
                 revisit("c", 1, SAME, stated, block=chunked),
                 revisit("d", 1, SAME, block=whole),
                 revisit("e", 1, SAME, "WARC-Payload-Digest: " + digest("no"),
                         block=whole),
                 revisit("f", 1, SAME, "WARC-Payload-Digest: " + digest(""),
                         block=HEAD_200))
    by_index(source, {(SITE + x, stamp(1)): body for x in "abcd"} |
             {(SITE + "e", stamp(1)): None, (SITE + "f", stamp(1)): b""})
    for r in rows("--order=archive", source):
        letter = r["url"][-1]
        same("order of archives: %s" % letter,
             "Text of own" in (r.get("text") or ""), letter in "abcd")
    source = put("own.warc.gz", record("response", SITE + "a", whole, stated,
                                       date=day(1)),
                 revisit("a", 2, SAME, stated, *refers("a", 1),
                         block=http(other)))
    by_index(source, {(SITE + "a", stamp(1)): body,
                      (SITE + "a", stamp(2)): body})
    for r in rows("--order=archive", source):
        if "Text of other" in (r.get("text") or ""):
            raise AssertionError("order of archives: a text of other bytes")


def ftp():
    """The block of a resource is its payload, also by its digest."""
    site, body = "ftp://example.com/", b"text by ftp"
    original = record("resource", site + "a.txt", body,
                      "WARC-Block-Digest: " + digest(body), type="text/plain",
                      date=day(1))
    stated = "WARC-Payload-Digest: " + digest(body)
    source = put("ftp.warc.gz", original,
                 revisit("a.txt", 2, SAME, stated, site=site),
                 revisit("b.txt", 3, SAME, stated, site=site))
    by_index(source, {(site + "a.txt", stamp(1)): body,
                      (site + "a.txt", stamp(2)): body,
                      (site + "b.txt", stamp(3)): body})


# ---- WAT ----

def wat(url, kind="response", of="WARC", date=None):
    names = {"WARC": ("WARC-Target-URI", "WARC-Date", "WARC-Type"),
             "ARC": ("Target-URI", "Date", "Content-Type")}[of]
    said = {names[0]: url, names[1]: date or (DATE if of == "WARC" else STAMP),
            names[2]: kind}
    return json.dumps({"Envelope": {
        "Format": of, of + "-Header-Metadata": said, "Payload-Metadata": {
            "HTTP-Response-Metadata": {"Response-Message": {
                "Status": "200"}}}}})


def wats():
    """WAT records without a reference are joined by URL and date."""
    said = {p: wat(SITE + p) for p in ("uri", "none", "twice")}
    said["arc"] = wat(SITE + "arc", "text/html", "ARC")
    folder = os.path.join(FOLDER, "wat")
    put("wat/a.warc.gz", *[record("response", SITE + p, http(page(p)))
                           for p in ("uri", "none")],
        record("response", SITE + "uri", http("later"), date=day(7)),
        record("response", SITE + "twice", http("1")),
        record("response", SITE + "twice", http("2")))
    put("wat/b.arc.gz", arc(("arc", "text/html", http(page("arc")))))
    put("wat/c.warc.wat.gz", *[
        record("metadata", None if p == "none" else SITE + p,
               text.replace("/", "\\/") if p == "none" else text,
               type="application/json") for p, text in said.items()],
        record("metadata", SITE + "uri", wat(SITE + "uri", "request"),
               type="application/json"))
    made, told = index(folder)
    for args in (["--data=" + FOLDER, made], [folder]):
        for p in ("uri", "none", "arc"):
            paths = crawlfs("lookup", "--json", *args, SITE + p, status=0)
            got = {}
            for line in paths.stdout.splitlines():
                line = json.loads(line)
                got[line["timestamp"]] = crawlfs(
                    "cat", *args, line["path"] + ".meta").stdout.decode()
            want = said[p].replace("/", "\\/") if p == "none" else said[p]
            same(p, got.pop(DATE), want)
            for other in got.values():
                if "Envelope" in other:
                    raise AssertionError("%s: joined to another date" % p)
    if "1 text or metadata record left out" not in told:
        raise AssertionError("what is not joined is not told: " + told)


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


CASES = {f.__name__: f for f in (
    whole, filedesc, chunks, types, conversions, responses, lengths,
    spelled, not_modified, other_digests, at_once, chains, copies, own_bodies,
    ftp, wats, dates, digests, payloads)}

if __name__ == "__main__":
    CASES[sys.argv[3]]()
