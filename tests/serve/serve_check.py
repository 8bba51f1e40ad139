#!/usr/bin/env python3
# serve_check.py - a client of crawlfs serve, and what it should get.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     serve_check.py tree URL MANIFEST BASE      the tree by PROPFIND and GET
#     serve_check.py copied FOLDER MANIFEST BASE  ... as another program shows it
#     serve_check.py mount URL FOLDER            ... compared with a mount
#     serve_check.py fields URL MANIFEST BASE    ranges, conditions, methods
#     serve_check.py cdx URL MANIFEST BASE       the CDX server
#     serve_check.py records URL MANIFEST BASE   archives and records
#     serve_check.py odd URL MANIFEST BASE       requests that are refused
#     serve_check.py crowd URL N                 N idle and slow clients
#     serve_check.py explode URL                 expressions that explode
#     serve_check.py make FOLDER                 archives for the next two
#     serve_check.py order URL                   CDX rows of two crawls
#     serve_check.py long URL PATH BYTES         a long file: each field once
#     serve_check.py stalled URL MANIFEST BASE PORT  while the archives' server,
#                    tests/net/faultd.py at PORT, does not answer
#     serve_check.py broken URL                  records that cannot be read
#     serve_check.py short URL ARCHIVE           a body that ends early
#
# What is expected comes from the manifest, by tests/model, and from the bytes
# of the archives, read by Python's zlib.
"""Asks a server, and compares."""

import base64
import email.utils
import gzip
import hashlib
import json
import os
import re
import select
import socket
import subprocess
import sys
import threading
import time
import urllib.parse
import xml.etree.ElementTree as ET

MODEL = os.path.join(os.environ["CFS_SRCDIR"], "tests", "model")
sys.path.insert(0, MODEL)
import front                                                    # noqa: E402
import record_reader                                            # noqa: E402
import tree_model                                               # noqa: E402

DAV = "{DAV:}"


def fail(*what):
    sys.exit(" ".join(str(w) for w in what))


def same(what, got, want):
    if got != want:
        fail("%s: got %.300r, not %.300r" % (what, got, want))


class Client:
    def __init__(self, url):
        self.host = urllib.parse.urlsplit(url).netloc
        self.con, self.fields = front.connect(url)

    def skips(self, path):
        """nginx, if it is in front, answers these by itself."""
        return self.fields != {} and (path == "*" or "%00" in path)

    def ask(self, method, path, body=None, **fields):
        self.con.request(method, path, body, dict(
            self.fields, **{k.replace("_", "-"): v
                            for k, v in fields.items()}))
        r = self.con.getresponse()
        r.body = r.read()
        return r

    def get(self, path, **fields):
        return self.ask("GET", path, **fields)


def rest_of(s):
    """All that still comes from a socket."""
    out = b""
    while True:
        try:
            more = s.recv(65536)
        except ConnectionResetError:
            break
        if not more:
            break
        out += more
    return out


def raw(host, data, end=True):
    """Sends bytes, and returns all that comes back."""
    name, port = host.rsplit(":", 1)
    with socket.create_connection((name, int(port)), timeout=60) as s:
        s.sendall(data)
        if end:
            s.shutdown(socket.SHUT_WR)
        return rest_of(s)


def unescape(text):
    return re.sub(rb"\\x([0-9a-f]{2})",
                  lambda m: bytes([int(m.group(1), 16)]), text)


def model_tree(manifest, base):
    """{path: (is_dir, capture, view, mtime, sha1, bytes)} by the model."""
    out = subprocess.run([sys.executable, os.path.join(MODEL, "tree_model.py"),
                          "--base", base, manifest], check=True,
                         capture_output=True).stdout
    tree = {}
    for line in out.splitlines():
        path, kind, cap, view, mtime, sha1, n = line.split(b"\t")
        tree[unescape(path)] = (kind == b"dir", cap, view, mtime, sha1, n)
    return tree


def quoted(path):
    return urllib.parse.quote(path)


# ---- the tree ----

def properties(r):
    """{href: {name: text}} of the properties that are there."""
    same("status of PROPFIND", r.status, 207)
    out = {}
    for one in ET.fromstring(r.body):
        props = {}
        for stat in one.findall(DAV + "propstat"):
            status = stat.find(DAV + "status").text
            for p in stat.find(DAV + "prop"):
                value = p.text or ""
                if p.find(DAV + "collection") is not None:
                    value = "collection"
                props[p.tag] = value if " 200 " in status else status
        out[one.find(DAV + "href").text] = props
    return out


def walk(c, path="/dav/"):
    """Yields (path below /dav/, is_dir, properties) of everything below."""
    todo = [path]
    while todo:
        folder = todo.pop()
        for href, props in properties(c.ask("PROPFIND", folder,
                                            Depth="1")).items():
            if href == folder:
                continue
            is_dir = props[DAV + "resourcetype"] == "collection"
            same("slash of " + href, href.endswith("/"), is_dir)
            below = urllib.parse.unquote_to_bytes(href[5:].rstrip("/"))
            yield below, is_dir, href, props
            if is_dir:
                todo.append(href)


def check_tree(url, manifest, base):
    c = Client(url)
    want = {p: w for p, w in model_tree(manifest, base).items() if p}
    seen = set()
    for path, is_dir, href, props in walk(c):
        if path not in want:
            fail("not in the model:", path)
        same("%r is a folder" % path, is_dir, want[path][0])
        seen.add(path)
        if is_dir:
            continue
        _, _, view, mtime, sha1, n = want[path]
        r = c.get(href)
        if sha1 == b"EIO":
            same("status of %r" % path, r.status, 502)
            continue
        same("status of %r" % path, r.status, 200)
        same("length of %r" % path, len(r.body),
             int(props[DAV + "getcontentlength"]))
        same("tag of %r" % path, r.headers["ETag"], props[DAV + "getetag"])
        if mtime != b"0":
            same("time of %r" % path, email.utils.parsedate_to_datetime(
                r.headers["Last-Modified"]).timestamp(), int(mtime))
        if view == b"raw":
            same("bytes of %r" % path, len(r.body), int(n))
            same("SHA-1 of %r" % path,
                 hashlib.sha1(r.body).hexdigest().encode(), sha1)
        if "sandbox" not in r.headers["Content-Security-Policy"] or \
                r.headers["X-Content-Type-Options"] != "nosniff":
            fail("no policy for", path)
    missing = sorted(set(want) - seen)
    if missing:
        fail("%d are missing, such as %r" % (len(missing), missing[0]))
    print("%d names" % len(seen))


def check_copied(top, manifest, base):
    """A folder that another program has filled, or shows."""
    want = {p: w for p, w in model_tree(manifest, base).items() if p}
    seen = set()
    for folder, folders, files in os.walk(os.fsencode(top)):
        for name in folders + files:
            path = os.path.relpath(os.path.join(folder, name),
                                   os.fsencode(top))
            if name == b"lost+found" and path == name:
                continue        # davfs2's own
            if path not in want:
                fail("not in the model:", path)
            seen.add(path)
            is_dir, _, view, _, sha1, n = want[path]
            same("%r is a folder" % path, name in folders, is_dir)
            if is_dir or view != b"raw":
                continue
            with open(os.path.join(folder, name), "rb") as f:
                body = f.read()
            same("SHA-1 of %r" % path,
                 hashlib.sha1(body).hexdigest().encode(), sha1)
    if len(seen) != len(want):
        fail("%d of %d names" % (len(seen), len(want)))
    print("%d names" % len(seen))


def check_mount(url, top):
    """Every name and byte is that of a mount of the same sources."""
    c = Client(url)
    top = os.fsencode(top)
    seen = broken = 0
    for path, is_dir, href, props in walk(c):
        at = os.path.join(top, path)
        same("%r is a folder" % path, is_dir,
             os.path.isdir(at) and not os.path.islink(at))
        seen += 1
        if is_dir:
            continue
        r = c.get(href)
        try:
            with open(at, "rb") as f:
                body = f.read()
        except OSError:
            same("status of %r" % path, r.status, 502)
            broken += 1
            continue
        same("status of %r" % path, r.status, 200)
        same("SHA-1 of %r" % path, hashlib.sha1(r.body).hexdigest(),
             hashlib.sha1(body).hexdigest())
        same("size of %r" % path, props[DAV + "getcontentlength"],
             str(len(body)))
    names = sum(len(d) + len(f) for _, d, f in os.walk(top))
    links = sum(os.path.islink(os.path.join(w, n)) for w, d, f in os.walk(top)
                for n in d + f)
    same("names", seen, names - links)
    print("%d names, of which %d cannot be read" % (seen, broken))


def a_page(manifest, base):
    """A path of a raw file of some length, and its SHA-1."""
    tree = model_tree(manifest, base)
    return next((p, w) for p, w in sorted(tree.items())
                if not w[0] and w[2] == b"raw" and w[4] != b"EIO" and
                int(w[5]) > 1000)


# ---- fields of HTTP ----

def check_ranges(c, path, body):
    n = len(body)
    for text, part in (("bytes=0-0", body[:1]), ("bytes=10-19", body[10:20]),
                       ("bytes=5-", body[5:]), ("bytes=-7", body[-7:]),
                       ("bytes=-%d" % (10 * n), body),
                       ("bytes=0-%d" % (10 * n), body),
                       ("bytes=%d-" % (n - 1), body[-1:])):
        r = c.get(path, Range=text)
        same("status for " + text, r.status, 206)
        same("bytes of " + text, r.body, part)
        first = n - len(part) if text != "bytes=0-0" and \
            text != "bytes=10-19" else int(text[6:].split("-")[0])
        same("Content-Range of " + text, r.headers["Content-Range"],
             "bytes %d-%d/%d" % (first, first + len(part) - 1, n))
    for text in ("bytes=%d-" % n, "bytes=%d-%d" % (n, n + 5), "bytes=-0",
                 "bytes=99999999999999999999999-"):
        r = c.get(path, Range=text)
        same("status for " + text, r.status, 416)
        same("Content-Range of " + text, r.headers["Content-Range"],
             "bytes */%d" % n)
    # what is no range, or several: the whole file
    for text in ("bytes=5-2", "bytes=a-b", "lines=1-2", "bytes=0-1,3-4", "x",
                 "bytes=", "bytes=-", "bytes=1", "bytes=--1"):
        r = c.get(path, Range=text)
        same("status for " + text, (r.status, r.body), (200, body))


def check_conditions(c, path, body):
    r = c.get(path)
    tag, date = r.headers["ETag"], r.headers["Last-Modified"]
    for fields, status in (
            ({"If_None_Match": tag}, 304),
            ({"If_None_Match": '"other", W/%s' % tag}, 304),
            ({"If_None_Match": "*"}, 304), ({"If_None_Match": '"x"'}, 200),
            ({"If_Modified_Since": date}, 304),
            ({"If_Modified_Since": "Sun, 06 Nov 1994 08:49:37 GMT"}, 200),
            ({"If_Modified_Since": "yesterday"}, 200),
            ({"If_None_Match": '"x"', "If_Modified_Since": date}, 200),
            ({"Range": "bytes=1-3", "If_Range": tag}, 206),
            ({"Range": "bytes=1-3", "If_Range": date}, 206),
            ({"Range": "bytes=1-3", "If_Range": '"x"'}, 200),
            ({"Range": "bytes=1-3",
              "If_Range": "Sun, 06 Nov 1994 08:49:37 GMT"}, 200)):
        r = c.get(path, **fields)
        same("status for %s" % fields, r.status, status)
        want = {304: b"", 206: body[1:4], 200: body}[status]
        same("bytes for %s" % fields, r.body, want)


def check_methods(c, path):
    for method in ("PUT", "DELETE", "MKCOL", "COPY", "MOVE", "PROPPATCH",
                   "LOCK", "UNLOCK", "POST", "PATCH", "FROB"):
        r = c.ask(method, path)
        same("status of " + method, r.status, 405)
        same("Allow for " + method, r.headers["Allow"],
             "OPTIONS, GET, HEAD, PROPFIND")
    for target in (path, "/dav/", "*"):
        if c.skips(target):
            continue
        r = c.ask("OPTIONS", target)
        same("OPTIONS " + target, (r.status, r.headers["DAV"]), (200, "1"))
    head, get = c.ask("HEAD", path), c.get(path)
    same("HEAD", (head.status, head.body), (200, b""))
    for name in ("Content-Length", "Content-Type", "ETag"):
        same(name + " of HEAD", head.headers[name], get.headers[name])
    for depth in ("", "infinity", "Infinity"):
        r = c.ask("PROPFIND", "/dav/", **({"Depth": depth} if depth else {}))
        same("PROPFIND of depth '%s'" % depth, r.status, 403)
        if b"propfind-finite-depth" not in r.body:
            fail("no reason:", r.body)
    same("PROPFIND of depth 2", c.ask("PROPFIND", "/dav/", Depth="2").status,
         400)


def check_propfind(c, path):
    def props(body):
        r = c.ask("PROPFIND", path, body, Depth="0")
        return properties(r)[path]
    start = '<?xml version="1.0"?><propfind xmlns="DAV:">'
    got = props(start + "<prop><getetag/><x xmlns='urn:a&amp;&lt;'/>"
                "</prop></propfind>")
    same("names", sorted(got), ["{DAV:}getetag", "{urn:a&<}x"])
    if " 404 " not in got["{urn:a&<}x"]:
        fail("a property that nobody has:", got)
    same("propname", props(start + "<propname/></propfind>")[DAV + "getetag"],
         "")
    same("allprop", sorted(props(start + "<allprop/></propfind>")),
         sorted(props(None)))
    for body in ("<", "<a/>", "<propfind/>", start + "</propfind>",
                 start + "<prop>", start + "<b:c xmlns:b=''/><prop/></propfind>",
                 start + "<prop/><allprop/></propfind>",
                 '<!DOCTYPE a [<!ENTITY b "c">]>' + start +
                 "<prop/></propfind>", "\0", "\xff" * 9):
        same("PROPFIND of %r" % body,
             c.ask("PROPFIND", path, body.encode("latin-1"),
                   Depth="0").status, 400)
    many = start + "<prop>%s</prop></propfind>" % "".join(
        "<a%d xmlns='urn:x'/>" % i for i in range(2000))
    same("PROPFIND of too many", c.ask("PROPFIND", path, many,
                                       Depth="0").status, 400)
    r = c.ask("PROPFIND", path, " " * 200000, Depth="0")
    same("PROPFIND of too much", r.status, 413)


def check_fields(url, manifest, base):
    c = Client(url)
    path, want = a_page(manifest, base)
    for route in ("/dav/", "/view/"):
        at = route + quoted(path)
        body = c.get(at).body
        same("SHA-1", hashlib.sha1(body).hexdigest().encode(), want[4])
        check_ranges(c, at, body)
        check_conditions(c, at, body)
    at = "/dav/" + quoted(path)
    check_methods(c, at)
    check_propfind(c, at)
    folder = at.rsplit("/", 1)[0]
    r = c.get(folder)
    same("a folder without its slash", (r.status, r.headers["Location"]),
         (301, folder + "/"))
    if quoted(path.rsplit(b"/", 1)[1]).encode() not in c.get(folder + "/").body:
        fail("the folder has no link to the page")
    m = c.get("/metrics")
    same("end of metrics", m.body[-6:], b"# EOF\n")
    if not re.search(rb'^crawlfs_http_requests_total\{status="4xx"\} [1-9]',
                     m.body, re.M):
        fail("metrics count no requests")


# ---- CDX ----

def rows_of(c, **query):
    """Rows as dicts, in four outputs that must agree."""
    def get(output):
        q = urllib.parse.urlencode(dict(query, output=output), doseq=True)
        r = c.get("/cdx?" + q)
        same("status of %s" % q, r.status, 200)
        return r.body.decode()
    lines = [json.loads(line) for line in get("jsonl").splitlines()]
    cdxj = []
    for line in get("cdxj").splitlines():
        key, when, rest = line.split(" ", 2)
        cdxj.append(dict(json.loads(rest), urlkey=key, timestamp=when))
    same("cdxj of %s" % query, cdxj, lines)
    table = json.loads(get("json"))
    names = {"original": "url", "mimetype": "mime", "statuscode": "status"}
    if table:
        head = [names.get(n, n) for n in table.pop(0)]
        table = [{k: v for k, v in zip(head, row) if v != "-"}
                 for row in table]
    same("table of %s" % query, table,
         [{k: v for k, v in row.items() if k != "languages"}
          for row in lines])
    same("text of %s" % query, len(get("text").splitlines()), len(lines))
    return lines


def place(row):
    return (row["filename"], int(row["offset"]))


def check_cdx(url, manifest, base):
    c = Client(url)
    caps = record_reader.read_manifest(manifest)
    web = [k for k in caps if re.match(rb"https?://[a-z0-9.]+/", k.url)]

    def where(k):
        return (os.path.relpath(k.archive, base), k.offset)

    def wanted(test):
        return {where(k) for k in web if test(k)}
    host = re.match(rb"https?://([a-z0-9.]+)/", web[0].url).group(1).decode()
    domain = ".".join(host.split(".")[-2:])

    def host_of(k):
        return re.match(rb"https?://([a-z0-9.]+)/", k.url).group(1).decode()
    bare = re.sub(r"^www\.", "", host)
    for query, test in (
            ({"url": host, "matchType": "host"},
             lambda k: re.sub(r"^www\.", "", host_of(k)) == bare),
            ({"url": "www.%s/a" % domain, "matchType": "domain"},
             lambda k: ("." + host_of(k)).endswith("." + domain)),
            ({"url": "*." + domain},
             lambda k: ("." + host_of(k)).endswith("." + domain)),
            ({"url": web[0].url.decode()},
             lambda k: k.url == web[0].url)):
        got, want = {place(r) for r in rows_of(c, **query)}, wanted(test)
        if want - got:
            fail("%s: %d rows, without %s" % (query, len(got),
                                              sorted(want - got)[:3]))
        # odd URLs may belong there, too
        if (got - want) & {where(k) for k in web}:
            fail("%s: also %s" % (query, sorted(got - want)[:3]))
    check_cdx_filters(c, domain)
    check_cdx_faults(c)


def check_cdx_filters(c, domain):
    whole = rows_of(c, url=domain, matchType="domain")
    if len(whole) < 20:
        fail("only %d rows of %s" % (len(whole), domain))

    def get(**more):
        return rows_of(c, url=domain, matchType="domain", **more)
    status = whole[0]["status"]
    mime = whole[0]["mime"]
    middle = sorted(r["timestamp"] for r in whole)[len(whole) // 2]
    for more, test in (
            ({"filter": "status:" + status},
             lambda r: status in r.get("status", "")),
            ({"filter": "!status:" + status},
             lambda r: status not in r.get("status", "")),
            ({"filter": "=mime:" + mime}, lambda r: r["mime"] == mime),
            ({"filter": "!=mime:" + mime}, lambda r: r["mime"] != mime),
            ({"filter": "~mime:(text|image)/[a-h]+$"},
             lambda r: re.match("(text|image)/[a-h]+$", r["mime"])),
            ({"filter": "!~url:.*/[a-m][^/]*$"},
             lambda r: not re.match(".*/[a-m][^/]*$", r["url"])),
            ({"filter": "mimetype:text/.*"},
             lambda r: re.fullmatch("text/.*", r["mime"])),
            ({"filter": ["statuscode:[23]..", "!mimetype:image/.*"]},
             lambda r: re.fullmatch("[23]..", r.get("status", "")) and
             not re.fullmatch("image/.*", r["mime"])),
            ({"from": middle}, lambda r: r["timestamp"] >= middle),
            ({"to": middle}, lambda r: r["timestamp"] <= middle),
            ({"from": middle, "to": middle},
             lambda r: r["timestamp"] == middle)):
        same("rows of %s" % more, get(**more), [r for r in whole if test(r)])
    same("limit", get(limit=7), whole[:7])
    same("last", get(limit=-7), whole[-7:])
    same("reverse", get(sort="reverse"), whole[::-1])
    same("reverse and limit", get(sort="reverse", limit=3), whole[::-1][:3])

    def seconds(stamp):
        return time.mktime(time.strptime(stamp, "%Y%m%d%H%M%S"))
    got = [abs(seconds(r["timestamp"]) - seconds(middle))
           for r in get(closest=middle)]
    same("closest", got, sorted(got))
    same("rows of closest", len(got), len(whole))
    same("closest and limit", [abs(seconds(r["timestamp"]) - seconds(middle))
                               for r in get(closest=middle, limit=5)], got[:5])
    r = c.get("/cdx?url=%s&matchType=domain&showNumPages=true" % domain)
    same("pages", json.loads(r.body),
         {"pages": 1, "pageSize": 5, "blocks": 1})
    same("page 0", get(page=0), whole)
    same("fl", c.get("/cdx?url=%s&matchType=domain&output=text&limit=1&fl="
                     "offset,original" % domain).body.decode(),
         "%s %s\n" % (whole[0]["offset"], whole[0]["url"]))


def check_explode(url):
    """Expressions that would take longer than the universe is old: they end,
    and only each other wait for them, in three rounds of one for each
    processor.  The server has one thread for what is quick."""
    began = time.monotonic()
    took = []

    def explode(pattern):
        q = urllib.parse.urlencode({"url": "long.example", "filter": pattern,
                                    "matchType": "domain"})
        r = Client(url).get("/cdx?" + q)
        took.append((time.monotonic() - began, pattern, r))
    rounds = ("~url:http://[^/]*/(a+)+$", "!~url:.*(.*.*.*.*.*)+#",
              "original:(.*)*(.*)*(.*)*#")
    processors = os.sysconf("SC_NPROCESSORS_ONLN")
    evil = [threading.Thread(target=explode, args=(p,), daemon=True)
            for p in rounds * processors]
    for t in evil:
        t.start()
    time.sleep(.1)
    for _ in range(2):
        c = Client(url)
        same("meanwhile", c.ask("PROPFIND", "/dav/", Depth="1").status, 207)
        same("meanwhile", c.get("/tree/").status, 200)
        rows = rows_of(c, url="long.example", matchType="domain",
                       filter="url:aaa")
        same("rows meanwhile", len(rows), 50)
    seconds = time.monotonic() - began
    if len(took) >= 2 * processors:
        fail("others waited %.1f s for them" % seconds)
    for t in evil:
        t.join(100)
    same("answers", len(took), len(evil))
    for seconds, pattern, r in took:
        same("status of " + pattern, r.status, 400)
        if "too long" not in json.loads(r.body)["message"]:
            fail("another reason:", r.body)
        print("%s: after %.1f s" % (pattern, seconds))


def check_cdx_faults(c):
    for query in ("", "url=", "url=x&matchType=y", "url=x&limit=z",
                  "url=x&from=z", "url=x&to=2012x", "url=x&closest=z",
                  "url=x&sort=z", "url=x&output=z", "url=x&fl=z",
                  "url=x&filter=z", "url=x&filter=z:y",
                  "url=x&filter=~url:(", "url=x&filter=~url:(?<=a*)",
                  "url=x&filter=~url:%5Cy", "url=x&filter=~url:" + "a" * 1025,
                  "url=x&page=z", "url=x&page=1", "url=x&pageSize=0",
                  "url=x&limit=-0", "url=a%00b", "url=x" + "&filter=url:a" * 17,
                  "url=" + "x" * 30000):
        r = c.get("/cdx?" + query)
        same("status of '%.60s'" % query, r.status, 400)
        if not isinstance(json.loads(r.body)["message"], str):
            fail("no message:", r.body)
    r = c.get("/cdx?url=nothing.invalid")
    same("no rows", (r.status, r.body), (200, b""))
    r = c.get("/cdx?url=nothing.invalid&output=json")
    same("an empty table", (r.status, r.body), (200, b"[]\n"))


# ---- records ----

def check_records(url, manifest, base):
    c = Client(url)
    folder = os.path.dirname(manifest)
    caps = record_reader.read_manifest(manifest)
    for k in caps[:60]:
        name = os.path.relpath(k.archive, base)
        with open(os.path.join(folder, k.archive), "rb") as f:
            f.seek(k.offset)
            member = f.read(k.length)
        at = "/records/%s" % quoted(name)
        r = c.get("%s/%d" % (at, k.offset))
        same("record %d of %s" % (k.offset, name), (r.status, r.body),
             (200, member))
        gzip.decompress(r.body)
        r = c.get(at, Range="bytes=%d-%d" % (k.offset,
                                             k.offset + k.length - 1))
        same("range of " + name, (r.status, r.body), (206, member))
    with open(os.path.join(folder, caps[0].archive), "rb") as f:
        whole = f.read()
    name = quoted(os.path.relpath(caps[0].archive, base))
    same("an archive", c.get("/records/" + name).body, whole)
    same("its HEAD", c.ask("HEAD", "/records/" + name)
         .headers["Content-Length"], str(len(whole)))
    for path in ("../manifest.tsv", "%2e%2e/manifest.tsv", "..%2fmanifest.tsv",
                 "manifest.tsv", "%2fetc%2fpasswd", "/etc/passwd", "", "0",
                 name + "/1", name + "/00", name + "/x", name + "%00",
                 name.rsplit("/", 1)[0], name + "/99999999999999999999999",
                 "other.warc.gz", "other.warc.gz/0"):
        if c.skips(path):
            continue
        r = c.get("/records/" + path)
        same("status of " + path, r.status, 404)
        if folder.encode() in r.body:
            fail("the answer names a folder:", r.body)


# ---- odd requests ----

def status_of(answer):
    m = re.match(rb"HTTP/1\.[01] (\d{3}) ", answer)
    return int(m.group(1)) if m else 0


def check_odd(url, manifest, base):
    c = Client(url)
    host = c.host.encode()
    path, _ = a_page(manifest, base)
    at = ("/dav/" + quoted(path)).encode()
    body = c.get(at.decode()).body

    def get(target, fields=b"Host: " + host, version=b"HTTP/1.1"):
        return raw(c.host, b"GET " + target + b" " + version + b"\r\n" +
                   fields + b"\r\nConnection: close\r\n\r\n", False)
    # other names of this server
    for field, status in (
            (host, 200), (b"localhost", 200), (b"LOCALHOST:1", 200),
            (b"a.localhost:80", 200), (b"127.0.0.1", 200), (b"[::1]:5", 200),
            (b"10.1.2.3", 200), (b"evil.example", 403),
            (b"127.0.0.1.evil.example", 403), (b"evil.example:8080", 403),
            (b"localhost.evil.example", 403), (b"evillocalhost", 403),
            (b"xn--a", 403), (b"[::1].evil.example", 403), (b"1.2.3.4x", 403),
            (b"deadbeef", 403), (b"", 400), (b" ", 400)):
        same("Host: %r" % field, status_of(get(at, b"Host: " + field)), status)
    same("no Host", status_of(get(at, b"X: y")), 400)
    same("no Host in 1.0", status_of(get(at, b"X: y", b"HTTP/1.0")), 200)
    # absolute targets
    same("an absolute target", get(b"http://" + host + at)[-len(body):], body)
    same("another's absolute target",
         status_of(get(b"http://evil.example" + at)), 403)
    same("no path", status_of(get(b"frob")), 400)
    # what leads nowhere, also if something like it was asked for before
    folder = at.rsplit(b"/", 1)[0]
    for target in (folder, folder + b"/", at, at):
        same("status of %.60r" % target, status_of(get(target)),
             301 if target == folder else 200)
    for target in (folder + b"//", folder + b"/" + at[5:], folder + b"/.",
                   at + b"/.", at + b"//", b"/dav/../etc/passwd", b"/dav/%2e%2e/%2e%2e/etc/passwd",
                   b"/dav/..%2f..%2fetc%2fpasswd", b"/dav//etc/passwd",
                   at + b"/", at + b"/x", at + b"%00", b"/dav/%00",
                   b"/dav/" + b"a/" * 3000, b"/dav/" + b"x" * 20000,
                   b"/dav/" + b"%41" * 8192,
                   b"/dav/%ff%fe", b"/dav/%", b"/dav/%zz", b"/dav/.crawlfs",
                   b"/frob", b"/davx", b"/DAV/", b"/dav/./", b"/dav/../dav/"):
        same("status of %.60r" % target, status_of(get(target)), 404)
    # long, malformed and unfinished requests end; the server does not
    for data in (b"\0" * 1000, b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
                 b"GET " + b"/" * 200000 + b" HTTP/1.1\r\n\r\n",
                 b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 50000 + b"\r\n",
                 b"GET / HTTP/1.1\r\nX: " + b"y" * 500000 + b"\r\n\r\n",
                 b"PROPFIND /dav/ HTTP/1.1\r\nHost: localhost\r\nDepth: 0\r\n"
                 b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
                 b"PROPFIND /dav/ HTTP/1.1\r\nHost: localhost\r\nDepth: 0\r\n"
                 b"Content-Length: -5\r\n\r\n",
                 b"PROPFIND /dav/ HTTP/1.1\r\nHost: localhost\r\nDepth: 0\r\n"
                 b"Content-Length: 99999999999999\r\n\r\nx",
                 b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
                 b"GET " + at + b" HTTP/1.1\r\nHost: localhost\r\n"
                 b"Range: bytes=" + b"0-1," * 8000 + b"\r\n\r\n",
                 os.urandom(5000), b"\x16\x03\x01\x02\x00\x01\x00"):
        try:
            raw(c.host, data)
        except OSError:
            pass        # refused before all was sent
        same("after %.40r" % data, Client(url).get(at.decode()).body, body)
    # several requests at once on one connection
    one = b"GET " + at + b" HTTP/1.1\r\nHost: localhost\r\n\r\n"
    last = one.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    same("pipelined", raw(c.host, one * 4 + last, False).count(body), 5)


def check_crowd(url, count):
    """Idle clients, and some that send and read slowly, stop nobody.  Prints how
    long answers took."""
    c = Client(url)
    name, port = c.host.rsplit(":", 1)
    crowd = []
    for i in range(int(count)):
        s = socket.create_connection((name, int(port)), timeout=60)
        if i % 3 == 1:
            s.sendall(b"GET /dav/ HTTP/1.1\r\nHost: loc")
        elif i % 3 == 2:        # asks for much, and reads nothing
            s.sendall(b"GET /cdx?url=*.%s HTTP/1.1\r\nHost: localhost\r\n\r\n"
                      % [b"com", b"org"][i & 1])
        crowd.append(s)
    times = []
    for _ in range(5):
        begin = time.monotonic()
        same("in the crowd", Client(url).get("/metrics").status, 200)
        same("in the crowd", Client(url).ask("PROPFIND", "/dav/",
                                             Depth="1").status, 207)
        times.append((time.monotonic() - begin) / 2)
    print("%d clients: an answer took %.1f ms, %.1f at most" %
          (len(crowd), sorted(times)[2] * 1e3, max(times) * 1e3))
    for s in crowd:
        s.close()


# ---- archives of our own ----

OWN_URLS = ("http://x.example/p", "https://www.x.example/p",
            "http://x.example/q", "http://x.example/p/")
OWN_YEARS = {"a": (2001, 2003, 2005, 2007), "b": (2002, 2003, 2004, 2006)}


def own_captures():
    """(crawl, URL, time, body) each; those of 2003 state no digest."""
    return [(crawl, u, "%d-0%d-01T00:00:00Z" % (year, i + 1),
             ("%s %d %s" % (crawl, year, u)).encode())
            for crawl, years in OWN_YEARS.items() for year in years
            for i, u in enumerate(OWN_URLS)]


def sha1_of(body):
    return base64.b32encode(hashlib.sha1(body).digest()).decode()


def member(url, when, body, number, digest=True):
    body_at = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + body
    fields = ["WARC/1.0", "WARC-Type: response", "WARC-Date: " + when,
              "WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-%012d>" %
              number, "WARC-Target-URI: " + url,
              "Content-Type: application/http; msgtype=response",
              "Content-Length: %d" % len(body_at)]
    if digest:
        fields.append("WARC-Payload-Digest: sha1:" + sha1_of(body))
    return gzip.compress("\r\n".join(fields).encode() + b"\r\n\r\n" +
                         body_at + b"\r\n\r\n")


def make_own(folder):
    for name in ("long", "a", "b"):
        os.makedirs(os.path.join(folder, name))
    with open(os.path.join(folder, "long", "a.warc.gz"), "wb") as f:
        f.write(member("http://a.example/long", "2024-02-20T00:00:00Z",
                       os.urandom(1500000), 1))
    for i, (crawl, url, when, body) in enumerate(own_captures()):
        with open(os.path.join(folder, crawl, crawl + ".warc.gz"), "ab") as f:
            f.write(member(url, when, body, i, not when.startswith("2003")))


def check_order(url):
    """The captures of a URL come in the order of time, whatever their crawl,
    and with digests; those below a URL in the order of keys."""
    c = Client(url)
    want = sorted((when, crawl, u, sha1_of(body))
                  for crawl, u, when, body in own_captures()
                  if u.rstrip("/").endswith("/p"))

    def named(rows):
        return [(r["timestamp"], r["filename"].rsplit("/", 1)[-1][0],
                 r["url"], r.get("digest")) for r in rows]
    want = [(re.sub("[^0-9]", "", when), *rest) for when, *rest in want]
    rows = rows_of(c, url="x.example/p")
    same("captures", named(rows), want)
    same("the first two", named(rows_of(c, url="x.example/p", limit=2)),
         want[:2])
    same("the last two", named(rows_of(c, url="x.example/p", limit=-2)),
         want[-2:])
    same("the closest", named(rows_of(c, url="x.example/p", limit=1,
                                      closest="20040201000000")),
         [r for r in want if r[0] == "20040201000000"])
    digest = want[5][3]
    same("one digest", named(rows_of(c, url="x.example/p",
                                     filter="=digest:" + digest)), [want[5]])
    same("with a slash", named(rows_of(c, url="x.example/p/")), want)
    rows = rows_of(c, url="x.example/*")
    same("number of rows", len(rows), len(own_captures()))
    some = [(r["urlkey"], r["timestamp"]) for r in rows
            if not r["url"].endswith("/")]
    same("rows", some, sorted(some))


def check_long(url, path, size):
    r = Client(url).get(path)
    same("a long file", (r.status, len(r.body)), (200, int(size)))
    names = [k for k, _ in r.getheaders()]
    same("fields", sorted(names), sorted(set(names)))


def need_running(c, n):
    """Waits until n requests are under way, with the one for this number."""
    line = b"\ncrawlfs_http_requests_running %d\n" % n
    for _ in range(600):
        if line in c.get("/metrics").body:
            return
        time.sleep(0.05)
    fail("not", n, "requests are under way")


def check_stalled(url, manifest, base, port):
    """Requests that wait for a server, more than there are threads that talk to
    clients (but fewer than those that may wait), keep no others waiting."""
    def ctl(*words):
        return subprocess.run(
            [sys.executable, os.path.join(MODEL, "..", "net", "faultd.py"),
             "ctl", port, *words], check=True, capture_output=True).stdout
    c = Client(url)
    paths = ["/dav/" + quoted(p) for p, w in
             sorted(model_tree(manifest, base).items())
             if not w[0] and w[2] == b"raw" and w[4] != b"EIO"]
    r = c.get(paths[0])
    body = r.body
    same("a page", r.status, 200)
    ctl("rule", "fault=status", "value=404")
    same("a page whose archive is missing", c.get(paths[1]).status, 502)
    ctl("clear")
    for _ in range(600):    # that is remembered for a while
        if c.get(paths[1]).status == 200:
            break
        time.sleep(0.05)
    ctl("rule", "fault=stall")
    waiting = [front.ask_for(c.host, path) for path in paths[2:42]]
    for _ in range(600):
        if int(ctl("stalls")):
            break
        time.sleep(0.05)
    for _ in range(8):      # by any thread
        c = Client(url)
        same("a page in memory", c.get(paths[0]).body, body)
        same("the style", c.get("/style.css").status, 200)
        same("a folder", c.ask("PROPFIND", "/dav/", Depth="1").status, 207)
    if select.select(waiting, [], [], 0)[0]:
        fail("others were answered after those that waited")
    copying = front.ask_for(c.host, "/download/?format=warc")
    need_running(c, len(waiting) + 2)
    copying.close()         # long before --timeout
    need_running(c, len(waiting) + 1)
    ctl("clear")
    for s in waiting:
        s.close()


def check_short(url, archive):
    """An archive that becomes shorter while it is sent: the body must not look
    complete."""
    name = quoted(os.path.basename(archive))
    size = os.path.getsize(archive)
    with socket.create_connection(Client(url).host.rsplit(":", 1),
                                  timeout=60) as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        s.sendall(b"GET /records/%s HTTP/1.1\r\nHost: localhost\r\n\r\n" %
                  name.encode())
        got = s.recv(1000)
        os.truncate(archive, size // 50)
        got += rest_of(s)
    head, _, body = got.partition(b"\r\n\r\n")
    same("status", status_of(head), 200)
    if b"Content-Length: %d\r\n" % size not in head + b"\r\n":
        fail("another length:", head)
    if len(body) >= size:
        fail("the whole body came: the archive is too short for this test")


def check_broken(url):
    """A record that cannot be read is 502, and is not a short 200."""
    c = Client(url)
    good = bad = 0
    for path, is_dir, href, props in walk(c):
        if is_dir:
            continue
        r = c.get(href)
        if r.status == 502:
            bad += 1
            if not r.body.strip() or b"/" in r.body:
                fail("no reason, or a folder in it:", r.body)
        else:
            same("status of %r" % path, r.status, 200)
            good += 1
            same("size of %r" % path, props[DAV + "getcontentlength"],
                 str(len(r.body)))
    if not good or not bad:
        fail("%d files can be read, %d cannot" % (good, bad))
    print("%d files can be read, %d cannot" % (good, bad))


if __name__ == "__main__":
    {"tree": check_tree, "copied": check_copied, "mount": check_mount,
     "fields": check_fields, "cdx": check_cdx,
     "records": check_records, "odd": check_odd, "crowd": check_crowd,
     "short": check_short, "broken": check_broken,
     "explode": check_explode, "long": check_long,
     "stalled": check_stalled, "make": make_own,
     "order": check_order}[sys.argv[1]](*sys.argv[2:])
