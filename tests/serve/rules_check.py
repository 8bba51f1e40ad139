#!/usr/bin/env python3
# rules_check.py - is crawlfs serve what RFC 9110 and RFC 9112 say?
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     rules_check.py make FOLDER           an archive with pages of all kinds
#     rules_check.py matrix URL            routes x methods x conditions
#     rules_check.py framing URL           requests with two readings
#     rules_check.py foreign URL           pages of other sites
#     rules_check.py late URL              headers and bodies that drip
#     rules_check.py times FOLDER NAME     pages of some years, with links
#     rules_check.py same URL CRAWLFS FOLDER  one URL in all spellings, by all
#                                          that find it; links, by time
#     rules_check.py bulk FOLDER           many pages; records of 40 MB in 40 kB
#     rules_check.py unread URL PID        clients that ask, and do not read
#     rules_check.py inflate URL PID       digests of those records
#     rules_check.py wet FOLDER            ... and its text by another program
#     rules_check.py rewrite FOLDER A B    other bytes of equal length in it
#     rules_check.py tags URL FILE         validators of some paths, as JSON
#     rules_check.py changed OLD NEW PATH... other bytes, other tags
#
# What is right comes from a model of the RFCs below, never from the server,
# which is only asked for the plain reply of each route.
"""Asks a server as many clients would, and compares with a model."""
import base64
import datetime
import email.utils
import gzip
import hashlib
import itertools
import json
import os
import random
import re
import select
import socket
import subprocess
import sys
import time
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import front                                                    # noqa: E402

FORBIDDEN_BETWEEN_SITES = "Cross-Origin-Resource-Policy"
LATE_SECONDS = 45       # CFS_REQUEST_MS
OLD = "Thu, 01 Jan 1970 00:00:00 GMT"
LATER = "Fri, 31 Dec 2049 23:59:59 GMT"


def fail(*what):
    sys.exit(" ".join(str(w) for w in what))


# ---- an archive ----

def sha1(body):
    return "sha1:" + base64.b32encode(hashlib.sha1(body).digest()).decode()


def record(number, kind, url, when, block, *fields):
    head = ["WARC/1.1", "WARC-Type: " + kind, "WARC-Target-URI: " + url,
            "WARC-Date: " + when,
            "WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-%012d>" %
            number, *fields, "Content-Length: %d" % len(block)]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + block + b"\r\n\r\n"


HTTP = "Content-Type: application/http; msgtype=response"


def make(folder):
    body = b"<title>p</title><p>" + b"some words " * 50
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
    page = head + body
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "a.warc"), "wb") as f:
        f.write(record(1, "response", "http://a.example/p",
                       "2020-01-02T03:04:05Z", page, HTTP,
                       "WARC-Payload-Digest: " + sha1(body)))
        f.write(record(2, "revisit", "http://a.example/p",
                       "2021-01-02T03:04:05Z", head, HTTP,
                       "WARC-Profile: http://netpreserve.org/warc/1.1/revisit"
                       "/identical-payload-digest",
                       "WARC-Payload-Digest: " + sha1(body),
                       "WARC-Refers-To-Target-URI: http://a.example/p",
                       "WARC-Refers-To-Date: 2020-01-02T03:04:05Z"))
        f.write(record(3, "response", "http://a.example/empty",
                       "2020-01-02T03:04:05Z",
                       b"HTTP/1.1 200 OK\r\n\r\n", HTTP))


def wet(folder):
    with open(os.path.join(folder, "a.warc.wet"), "wb") as f:
        f.write(record(9, "conversion", "http://a.example/p",
                       "2020-01-02T03:04:05Z", b"text by another program",
                       "Content-Type: text/plain",
                       "WARC-Refers-To: <urn:uuid:00000000-0000-4000-8000-"
                       "%012d>" % 1))


def rewrite(folder, old, new):
    with open(os.path.join(folder, "a.warc"), "r+b") as f:
        data = f.read()
        if len(old) != len(new) or old.encode() not in data:
            fail("nothing to rewrite")
        f.seek(0)
        f.write(data.replace(old.encode(), new.encode()))


YEARS = {"a": (2005, 2010, 2016), "b": (2013, 2021)}
SPELLINGS = ["http://www.t.example/b", "https://www.t.example/b",
             "http://t.example/b", "HTTP://WWW.T.EXAMPLE/b",
             "http://www.t.example/b/", "https://t.example/b/"]
BARE = ["www.t.example/b", "t.example/b", "t.example/b/"]


def times(folder, name):
    os.makedirs(folder, exist_ok=True)
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    with open(os.path.join(folder, name + ".warc"), "wb") as f:
        for i, year in enumerate(YEARS[name]):
            for n, (path, body) in enumerate((
                    ("", b"<a href=/b>b</a> <a href=/none>n</a>"),
                    ("b", b"<title>B %d</title>the year %d" %
                     (year, year)))):
                f.write(record(2 * i + n, "response",
                               "http://www.t.example/" + path,
                               "%d-01-02T00:00:00Z" % year, head + body,
                               HTTP))


# ---- the model ----

def date_of(text):
    try:
        return email.utils.parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None


def tags_of(field):
    return [t.strip() for t in field.split(",")]


def weak(tag):
    return tag[2:] if tag.startswith("W/") else tag


def condition(method, fields, tag, date):
    """412, 304 or None, by RFC 9110, 13.2.2."""
    get = method in ("GET", "HEAD")
    if "If-Match" in fields:
        f = fields["If-Match"]
        if f != "*" and tag not in tags_of(f):
            return 412
    elif "If-Unmodified-Since" in fields and date:
        d = date_of(fields["If-Unmodified-Since"])
        if d and date_of(date) > d:
            return 412
    if "If-None-Match" in fields:
        f = fields["If-None-Match"]
        if f == "*" or (tag and weak(tag) in map(weak, tags_of(f))):
            return 304 if get else 412
    elif "If-Modified-Since" in fields and get and date:
        d = date_of(fields["If-Modified-Since"])
        if d and date_of(date) <= d:
            return 304
    return None


def model(method, fields, base):
    """(status, body): what a request with these fields comes to."""
    status, tag, date, body, has_ranges = base
    if method == "OPTIONS" or status // 100 != 2:
        return status, body
    judged = condition(method, fields, tag, date)
    if judged:
        return judged, None
    if method != "GET" or not has_ranges or "Range" not in fields:
        return status, body
    f = fields.get("If-Range")
    if f is not None and f not in (tag, date):
        return status, body
    m = re.fullmatch(r"bytes=(\d*)-(\d*)", fields["Range"])
    if not m or not (m[1] or m[2]):
        return status, body
    a = int(m[1]) if m[1] else max(0, len(body) - int(m[2]))
    b = int(m[2]) if m[1] and m[2] else len(body) - 1
    if m[1] and m[2] and b < a:
        return status, body
    if a >= len(body) or (not m[1] and int(m[2]) == 0):
        return 416, None
    return 206, body[a:b + 1]


# ---- the matrix ----

class Client:
    def __init__(self, url):
        self.con, self.fields = front.connect(url)

    def ask(self, method, path, fields=None, body=None):
        # http.client adds no field but Host and Accept-Encoding
        self.con.putrequest(method, path, skip_accept_encoding=True)
        for k, v in list(self.fields.items()) + list((fields or {}).items()):
            for one in v if isinstance(v, list) else [v]:
                self.con.putheader(k, one)
        if body is not None:
            self.con.putheader("Content-Length", str(len(body)))
        self.con.endheaders(body)
        r = self.con.getresponse()
        r.body = r.read()
        return r


def choices(tag, date):
    """Values of each field; None: it is not sent."""
    t, d = tag or '"none"', date or LATER
    tags = [None, None, "*", t, '"other"', "W/" + t, '"x", %s' % t,
            '"x,y",%s ,"z"' % t, '"*"']
    dates = [None, None, OLD, d, LATER, "yesterday"]
    return {"If-Match": tags, "If-None-Match": tags,
            "If-Unmodified-Since": dates, "If-Modified-Since": dates,
            "Range": [None, "bytes=0-3", "bytes=-5", "bytes=7-",
                      "bytes=99999999-", "bytes=0-1,4-5", "bytes=5-2",
                      "pages=1-2", "bytes=-0", "bytes=x"],
            "If-Range": [None, None, t, "W/" + t, '"other"', d, OLD]}


def sets_of_fields(tag, date, dice, count):
    """Each value alone, all pairs of values, and some of everything."""
    all_of = choices(tag, date)
    names = list(all_of)
    seen = set()

    def new(fields):
        key = tuple(sorted(fields.items()))
        if key in seen:
            return False
        seen.add(key)
        return True
    for a, b in itertools.combinations(names, 2):
        for x, y in itertools.product(all_of[a], all_of[b]):
            fields = {k: v for k, v in ((a, x), (b, y)) if v is not None}
            if new(fields):
                yield fields
    for _ in range(count):
        fields = {n: dice.choice(all_of[n]) for n in names}
        fields = {k: v for k, v in fields.items() if v is not None}
        if new(fields):
            yield fields


def check_one(c, method, path, fields, base, get):
    want, body = model(method, fields, base)
    r = c.ask(method, path, dict(fields, Depth="0")
              if method == "PROPFIND" else fields)
    what = "%s %s %s" % (method, path, fields)
    if r.status != want:
        fail(what, "status", r.status, "not", want)
    if r.headers[FORBIDDEN_BETWEEN_SITES] != "same-origin":
        fail(what, "has no", FORBIDDEN_BETWEEN_SITES)
    if method == "HEAD" and r.body:
        fail(what, "has a body")
    if method == "GET" and want in (200, 206) and path != "/metrics" and \
       r.body != body:
        fail(what, "%d: %.60r" % (want, r.body), "not %.60r" % body)
    if want == 304:
        if r.body or r.headers["Content-Length"] not in (
                None, get.headers["Content-Length"]):
            fail(what, "Content-Length", r.headers["Content-Length"])
        if r.headers["ETag"] != base[1]:
            fail(what, "a 304 without the tag")
    if want == 206:
        m = re.fullmatch(r"bytes (\d+)-(\d+)/(\d+)",
                         r.headers["Content-Range"])
        if not m or int(m[3]) != len(base[3]) or \
           base[3][int(m[1]):int(m[2]) + 1] != body:
            fail(what, "Content-Range", r.headers["Content-Range"])
    if want == 416 and \
       r.headers["Content-Range"] != "bytes */%d" % len(base[3]):
        fail(what, "Content-Range", r.headers["Content-Range"])
    if method == "HEAD" and want == 200 and path != "/metrics":
        # the length of rows is known if all are found at once
        names = ["Content-Type", "ETag", "Last-Modified"] + \
            ["Content-Length"] * (not path.startswith("/cdx"))
        for name in names:
            if r.headers[name] != get.headers[name]:
                fail(what, name, r.headers[name], "not", get.headers[name])


FILES = ["/dav/example/a/_/p", "/view/example/a/_/p",
         "/view/example/a/_/p.txt", "/dav/example/a/_/p.meta",
         "/dav/example/a/_/p%231", "/dav/example/a/_/p%231.headers",
         "/view/example/a/_/p%231.txt", "/dav/example/a/_/p.warc.gz",
         "/dav/example/a/_/empty", "/records/a.warc", "/records/a.warc/0"]
OTHERS = ["/dav/example/a/", "/dav", "/cdx?url=a.example/p", "/metrics", "/",
          "/tree/example/", "/page/example/a/_/p", "/style.css", "/none",
          "/dav/none", "/page/none", "/cdx?url=%00", "/records/none",
          "/search?q=nothing"]


def base_of(c, method, path):
    r = c.ask("HEAD" if method == "HEAD" else method, path,
              {"Depth": "0"} if method == "PROPFIND" else {})
    return r, (r.status, r.headers["ETag"], r.headers["Last-Modified"],
               r.body, r.headers["Accept-Ranges"] == "bytes")


def settle(c):
    """The overview is counted once; until then it is another page."""
    until = time.monotonic() + 60
    while b'http-equiv="refresh"' in c.ask("GET", "/").body:
        if time.monotonic() > until:
            fail("the overview is not counted")
        time.sleep(.05)


def matrix(url):
    dice = random.Random(9110)
    c = Client(url)
    n = 0
    settle(c)
    for path in FILES + OTHERS:
        get, base = base_of(c, "GET", path)
        if path in FILES and (get.status != 200 or not base[1]):
            fail(path, get.status, "tag", base[1])
        for method in ("GET", "HEAD", "PROPFIND", "OPTIONS", "POST"):
            if method == "GET":
                own = base
            elif method == "PROPFIND" and path in FILES:
                own = (base_of(c, method, path)[1][0],) + base[1:]
            else:
                own = base_of(c, method, path)[1]
                own = (own[0],) + base[1:]
            few = list(sets_of_fields(base[1], base[2], dice, 60))
            if path in OTHERS or method not in ("GET", "HEAD"):
                few = dice.sample(few, 40)
            for fields in few:
                check_one(c, method, path, fields, own, get)
                n += 1
    # a list in two fields, and a field that must not be there twice
    path = FILES[0]
    tag = c.ask("GET", path).headers["ETag"]
    for fields, want in (({"If-None-Match": ['"x"', tag]}, 304),
                         ({"If-Match": ['"x"', tag]}, 200),
                         ({"If-Match": ['"x"', '"y"']}, 412),
                         ({"Range": ["bytes=0-1", "bytes=2-3"]}, 200),
                         ({"If-None-Match": ['"x"', '"y"', tag]}, 304)):
        r = c.ask("GET", path, fields)
        if r.status != want:
            fail(fields, r.status, "not", want)
    print("%d requests are as the model has them" % n)


# ---- frames ----

def statuses(out):
    # not those in the body of a 207
    return [int(x) for x in
            re.findall(rb"(?<!>)HTTP/1\.[01] (\d{3}) ", out)]


def talk(url, data, slowly=False, count=None, wait=20):
    """(statuses, did the server end the connection?)  count: so many replies
    are enough; None: the end is waited for."""
    at = url.split("/")[2].rsplit(":", 1)
    out = b""
    with socket.create_connection((at[0], int(at[1])), timeout=wait) as s:
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        is_over = False
        try:
            if slowly:
                for i in range(0, len(data), 7):
                    s.sendall(data[i:i + 7])
                    time.sleep(.001)
            else:
                s.sendall(data)
        except OSError:
            pass                # it has ended before all was sent
        try:
            while True:
                ready = select.select([s], [], [], wait)[0]
                more = s.recv(65536) if ready else None
                if not more:
                    is_over = more == b""
                    break
                out += more
                if count and len(statuses(out)) >= count:
                    break
                # a fault: what stays open is not waited for
                if count is None and 200 in statuses(out):
                    break
        except ConnectionResetError:
            is_over = True
    return statuses(out), is_over


def framing(url):
    host = b"Host: 127.0.0.1\r\n"
    get = b"GET /metrics HTTP/1.1\r\n"
    good = get + host + b"\r\n"
    n = b"%d" % len(good)
    long_field = b"X-Long: " + b"y" * 3000 + b"\r\n"
    bad = [
        ("two hosts", get + host + host + b"\r\n"),
        ("two hosts, in two cases", get + host + b"hOST: evil\r\n\r\n"),
        ("two lengths", get + host + b"Content-Length: 0\r\n"
         b"Content-Length: " + n + b"\r\n\r\n" + good),
        ("two lengths that are one", get + host + b"Content-Length: 5\r\n"
         b"content-length: 5\r\n\r\nhello" + good),
        ("a list of lengths", get + host + b"Content-Length: 5, 5\r\n\r\n"
         b"hello" + good),
        ("a length and chunks", get + host + b"Content-Length: 5\r\n"
         b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + good),
        ("chunks and a length", get + host + b"Transfer-Encoding: chunked\r\n"
         b"Content-Length: 5\r\n\r\n0\r\n\r\n" + good),
        ("chunks twice", get + host + b"Transfer-Encoding: chunked\r\n"
         b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + good),
        ("another coding", get + host + b"Transfer-Encoding: xchunked\r\n\r\n"
         + good),
        ("two codings", get + host + b"Transfer-Encoding: gzip, chunked\r\n"
         b"\r\n0\r\n\r\n" + good),
        ("chunks in HTTP/1.0", b"GET /metrics HTTP/1.0\r\n"
         b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + good),
        ("a blank before the colon", get + host + b"Content-Length : " + n +
         b"\r\n\r\n" + good),
        ("a tab before the colon", get + host + b"Content-Length\t: " + n +
         b"\r\n\r\n" + good),
        ("a blank before the host's colon",
         get + b"Host : 127.0.0.1\r\n\r\n"),
        ("a name with a bracket", get + host + b"X(: y\r\n\r\n"),
        ("no name", get + host + b": y\r\n\r\n"),
        ("a folded length", get + host + b"Content-Length:\r\n " + n +
         b"\r\n\r\n" + good),
        ("a folded field in the middle", get + b"X: a\r\n b\r\n" + host +
         b"\r\n"),
        ("a folded last field", get + host + b"X: a\r\n\tb\r\n\r\n"),
        ("a folded first line", get + b" X: a\r\n" + host + b"\r\n"),
        ("a sign", get + host + b"Content-Length: +" + n + b"\r\n\r\n" +
         good),
        ("a negative length", get + host + b"Content-Length: -1\r\n\r\n"),
        ("a length in hexadecimal", get + host +
         b"Content-Length: 0x10\r\n\r\n" + good),
        ("no length", get + host + b"Content-Length: \r\n\r\n"),
        ("a NUL in a value", get + host + b"X: a\0b\r\n\r\n"),
        ("a NUL in a name", get + host + b"X\0Y: a\r\n\r\n"),
        ("a NUL hides a length", get + host + b"X: a\0\r\nContent-Length: " +
         n + b"\r\n\r\n" + good),
        ("a NUL in the target", b"GET /metrics\0 HTTP/1.1\r\n" + host +
         b"\r\n"),
        ("a NUL in the query", b"GET /cdx?url=a\0&b=c HTTP/1.1\r\n" + host +
         b"\r\n"),
        ("a bare CR in a value", get + host + b"X: a\rContent-Length: " + n +
         b"\r\n\r\n" + good),
        ("a bare CR at the end of a value", get + host + b"X: a\r\r\n\r\n"),
        ("a bare CR ends the header", get + host + b"X: a\r\r" + good),
        ("a bare CR behind the version", b"GET /metrics HTTP/1.1\r" + host +
         b"\r\n"),
        ("another control", get + host + b"X: a\x01b\r\n\r\n"),
        ("a delete", get + host + b"X: a\x7fb\r\n\r\n"),
        ("a blank in the target", b"GET /metrics x HTTP/1.1\r\n" + host +
         b"\r\n"),
        ("a tab in the target", b"GET /met\trics HTTP/1.1\r\n" + host +
         b"\r\n"),
        ("behind many fields", get + host + b"A: b\r\n" * 50 + long_field +
         b"X: a\0b\r\n\r\n"),
        ("an unknown version", b"GET /metrics HTTP/1.1x\r\n" + host +
         b"\r\n"),
    ]
    for what, data in bad:
        for slowly in (False, True):
            got, is_over = talk(url, data, slowly)
            # libmicrohttpd says some of it twice
            if not got or not set(got) <= {400, 501, 505} or not is_over:
                fail(what, "slowly" if slowly else "", "gives", got,
                     "" if is_over else "and stays open")
    body = b"<propfind xmlns='DAV:'><allprop/></propfind>"
    propfind = b"PROPFIND /dav/ HTTP/1.1\r\nDepth: 0\r\n" + host
    sized = propfind + b"Content-Length: %d\r\n\r\n" % len(body) + body
    chunked = propfind + b"Transfer-Encoding: chunked\r\n\r\n" + \
        b"%x\r\n" % len(body) + body + b"\r\n0\r\n\r\n"
    for what, data, want in (
            ("two requests", good + good, [200, 200]),
            ("a body with a length", sized + good, [207, 200]),
            ("a body in chunks", chunked + good, [207, 200]),
            ("GET with a body", get + host + b"Content-Length: 5\r\n\r\nhello"
             + good, [200, 200]),
            ("blanks around values", get + b"Host: \t127.0.0.1 \t\r\n"
             b"X:y\r\nZ:  \r\nW:\r\n\r\n" + good, [200, 200]),
            ("an empty last field", get + host + b"W:\r\n\r\n" + good,
             [200, 200]),
            ("bytes above 127", get + host + b"X: \xc3\xa9\xff\r\n\r\n" + good,
             [200, 200]),
            ("long fields", get + long_field * 4 + host + b"A: b\r\n" * 100 +
             long_field + b"\r\n" + good, [200, 200]),
            ("cookies", get + host + b"Cookie: a=b; c=\"d\"; e\r\nX: y\r\n"
             b"Cookie: f=g\r\n\r\n" + good, [200, 200]),
            ("a query", b"GET /cdx?url=a.example/p&limit=1&x&=&a+b=%20 "
             b"HTTP/1.1\r\n" + host + b"\r\n" + good, [200, 200]),
            ("an empty line before", b"\r\n" + good, [200]),
            ("HTTP/1.0", b"GET /metrics HTTP/1.0\r\n\r\n", [200]),
            ("HTTP/1.0 that goes on", b"GET /metrics HTTP/1.0\r\n"
             b"Connection: keep-alive\r\n\r\n" + good, [200, 200])):
        for slowly in (False, True):
            got, _ = talk(url, data, slowly, len(want))
            if got != want:
                fail(what, "slowly" if slowly else "", "gives", got, "not",
                     want)
    print("%d requests with two readings are refused" % len(bad))


# ---- other sites ----

def foreign(url):
    c = Client(url)
    for path in FILES + OTHERS:
        base = c.ask("GET", path).status
        for site, mode, dest in itertools.product(
                ("cross-site", "same-site", "same-origin", "none"),
                ("navigate", "no-cors", "cors", "websocket"),
                ("document", "iframe", "image", "script", "empty")):
            r = c.ask("GET", path, {"Sec-Fetch-Site": site,
                                    "Sec-Fetch-Mode": mode,
                                    "Sec-Fetch-Dest": dest})
            own = site in ("same-origin", "none") or \
                (mode == "navigate" and dest == "document")
            want = base if own else 403
            if r.status != want:
                fail(path, site, mode, dest, r.status, "not", want)
            for name, value in ((FORBIDDEN_BETWEEN_SITES, "same-origin"),
                                ("Cross-Origin-Opener-Policy", "same-origin"),
                                ("X-DNS-Prefetch-Control", "off")):
                if r.headers[name] != value:
                    fail(path, r.status, name, r.headers[name])
        alike = [c.ask("GET", p, {"Sec-Fetch-Site": "cross-site"})
                 for p in (path, path + "x")]
        alike = [(r.status, r.body,
                  [h for h in r.getheaders() if h[0] != "Date"])
                 for r in alike]
        if alike[0][0] != 403 or alike[0] != alike[1]:
            fail(path, "tells another site whether it is there:", alike)


# ---- time ----

def late(url):
    """Requests that drip come to an end, wherever they are."""
    at = url.split("/")[2].rsplit(":", 1)
    host = b"Host: 127.0.0.1\r\n"
    begins = [b"", b"GET /metrics HTT", b"GET /metrics HTTP/1.1\r\n" + host,
              b"GET /metrics HTTP/1.1\r\n" + host + b"\r\nGET / HT",
              b"PROPFIND /dav/ HTTP/1.1\r\nDepth: 0\r\n" + host +
              b"Content-Length: 5000\r\n\r\n<"]
    drips = []
    for begin in begins:
        s = socket.create_connection((at[0], int(at[1])))
        s.sendall(begin)
        s.setblocking(False)
        drips.append(s)
    start = time.monotonic()
    ends = [None] * len(drips)
    while None in ends:
        now = time.monotonic() - start
        if now > LATE_SECONDS + 60:
            fail("open after %d s: %s" % (now, [
                b for b, e in zip(begins, ends) if e is None]))
        for i, s in enumerate(drips):
            if ends[i] is not None:
                continue
            try:
                while s.recv(65536):
                    pass
                ends[i] = now
            except BlockingIOError:
                try:
                    s.send(b"X" if int(now * 2) % 4 == 0 else b"")
                except OSError:
                    ends[i] = now
            except OSError:
                ends[i] = now
        time.sleep(.5)
    if min(ends) < LATE_SECONDS / 2:
        fail("ended early:", ends)
    print("ended after %s s" % ["%.0f" % e for e in ends])


# ---- memory ----

BIG = 40 << 20


def bulk(folder):
    os.makedirs(folder, exist_ok=True)
    head = b"HTTP/1.1 200 OK\r\n\r\n"
    with open(os.path.join(folder, "many.warc"), "wb") as f:
        for i in range(20000):
            f.write(record(i, "response", "http://m.example/%d" % i,
                           "2020-01-02T03:04:05Z", head + b"x", HTTP))
    with open(os.path.join(folder, "big.warc.gz"), "wb") as f:
        for i in range(6):
            f.write(gzip.compress(record(
                30000 + i, "response", "http://m.example/big",
                "202%d-01-02T03:04:05Z" % i, head + bytes(BIG), HTTP), 6))


def kilobytes(pid, key):
    with open("/proc/%s/status" % pid) as f:
        return int(re.search(key + r":\s+(\d+)", f.read())[1])


def unread(url, pid):
    """What 150 clients hold is bounded, and said to those that get nothing."""
    at = url.split("/")[2].rsplit(":", 1)
    query = b"GET /cdx?url=*.m.example&sort=reverse&limit=20000 HTTP/1.1\r\n" \
        b"Host: localhost\r\n\r\n"
    clients = []
    for _ in range(150):
        s = socket.socket()
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        s.connect((at[0], int(at[1])))
        s.sendall(query)
        clients.append(s)
    begins = []
    for s in clients:       # each is answered, by a row or by 503
        s.settimeout(120)
        begins.append(s.recv(12))
    if set(begins) != {b"HTTP/1.1 200", b"HTTP/1.1 503"}:
        fail("replies begin with", set(begins))
    if kilobytes(pid, "VmHWM") > 128 << 10:
        fail("150 clients that do not read:", kilobytes(pid, "VmHWM"), "kB")
    for s in clients:
        s.close()
    until = time.monotonic() + 60
    while Client(url).ask("GET", "/cdx?url=*.m.example&sort=reverse"
                          "&limit=20000").status != 200:
        if time.monotonic() > until:
            fail("no answer afterwards")
        time.sleep(.2)


def inflate(url, pid):
    def spent():
        with open("/proc/%s/stat" % pid) as f:
            v = f.read().rsplit(")", 1)[1].split()
        return (int(v[11]) + int(v[12])) / os.sysconf("SC_CLK_TCK")
    before, read = spent(), kilobytes(pid, "VmRSS")
    r = Client(url).ask("GET", "/cdx?url=http://m.example/big&output=text"
                        "&fl=timestamp,digest")
    if r.status != 200 or r.body.count(b"\n") != 6:
        fail(r.status, r.body)
    if spent() - before > 3 or kilobytes(pid, "VmRSS") - read > BIG >> 10:
        fail("a query took", spent() - before, "s and",
             kilobytes(pid, "VmRSS") - read, "kB")
    held = 0
    for f in os.listdir("/proc/%s/fd" % pid):
        try:
            p = "/proc/%s/fd/%s" % (pid, f)
            if os.readlink(p).endswith("(deleted)"):
                held += os.stat(p).st_blocks * 512
        except FileNotFoundError:
            pass                # closed meanwhile
    if held > 128 << 20:
        fail(held, "bytes of files that have no name")


# ---- one URL ----

def year_of(c, path):
    """The year of the page that a path leads to; its last Location."""
    for _ in range(5):
        r = c.ask("GET", path)
        if r.status // 100 != 3:
            break
        path = r.headers["Location"]
    m = re.search(rb"<title>B (\d+)", r.body)
    return int(m[1]) if m else r.status, path


def same(url, crawlfs, *folders):
    c = Client(url)
    years = sorted(y for f in folders for y in YEARS[os.path.basename(f)])
    # the preferred capture is the last one, of the first crawl that has any
    best = max(YEARS[os.path.basename(folders[0])])
    quoted = urllib.parse.quote
    for u in SPELLINGS + BARE:
        got = year_of(c, "/search?q=" + quoted(u, ""))
        if got[0] != best:
            fail("search of", u, "leads to", got)
        n = c.ask("GET", "/cdx?url=" + quoted(u, "")).body.count(b"\n")
        if n != len(years):
            fail("/cdx of", u, "has", n, "rows")
        for moment in (1990, 2007, 2008, 2012, 2014, 2018, 2019, 2040):
            near = min(years, key=lambda y: (abs(days(y) - days(moment)), y))
            got = year_of(c, "/search?q=%s&at=%d0102000000" %
                          (quoted(u, ""), moment))
            if got[0] != near:
                fail(u, "in", moment, "leads to", got, "not", near)
    for folder in folders:
        for u in SPELLINGS:
            for command, want in (
                    (["lookup"], len(YEARS[os.path.basename(folder)])),
                    (["path"], 1)):
                out = subprocess.run([crawlfs, *command, folder, u],
                                     capture_output=True)
                if out.stdout.count(b"\n") != want:
                    fail(command, u, out.stdout, out.stderr)
    top = os.path.basename(folders[0]) + "/" if len(folders) > 1 else ""
    count = len(YEARS[os.path.basename(folders[0])])
    for k in range(1, count + 1):
        path = "/page/%sexample/t/www/_/_index%s" % (
            top, "%%23%d" % k if k < count else "")
        html = c.ask("GET", path).body.decode()
        links = re.search('id="links".*?</section>', html, re.S)
        if not links:
            fail(path, "has no links")
        hrefs = [h.replace("&amp;", "&")
                 for h in re.findall('href="([^"]+)"', links[0])]
        got = year_of(c, hrefs[0])
        want = YEARS[os.path.basename(folders[0])][k - 1]
        if got[0] != want:
            fail("the link of", path, "leads to", got, "not", want)
        got = year_of(c, hrefs[1])
        if got[0] != 200:
            fail("a link to nothing:", got)
    r = c.ask("GET", "/search?q=http%3A%2F%2Ft.example")
    if r.status != 302 or not r.headers["Location"].endswith("/_index"):
        fail("the front page:", r.status, r.headers["Location"])


def days(year):
    return datetime.date(year, 1, 2).toordinal()


# ---- validators ----

def tags(url, file):
    c = Client(url)
    out = {}
    views = [p + x for p in ("/dav/example/a/_/p%231", "/dav/example/a/_/p")
             for x in (".txt", ".meta", "." + "md")]
    for path in FILES + views:
        r = c.ask("GET", path)
        out[path] = (r.status, r.headers["ETag"],
                     hashlib.sha1(r.body).hexdigest())
        if path.startswith("/dav/"):
            x = c.ask("PROPFIND", path, {"Depth": "0"}).body.decode()
            got = [re.search("<D:%s>([^<]*)<" % n, x)
                   for n in ("getetag", "getcontenttype", "getcontentlength")]
            got = [m and m[1].replace("&quot;", '"') for m in got]
            want = [r.headers[n] for n in ("ETag", "Content-Type",
                                           "Content-Length")]
            if r.status == 200 and got != want:
                fail(path, "PROPFIND says", got, "GET", want)
    with open(file, "w") as f:
        json.dump(out, f)


def changed(old, new, *paths):
    """Other bytes have another tag; those of `paths` must have other bytes."""
    with open(old) as f, open(new) as g:
        a, b = json.load(f), json.load(g)
    for path in a:
        if a[path][2] != b[path][2] and a[path][1] == b[path][1] and \
           a[path][0] == b[path][0] == 200:
            fail(path, "has other bytes under the same tag", a[path][1])
    for path in paths:
        if a[path][2] == b[path][2]:
            fail(path, "was to change")


if __name__ == "__main__":
    {f.__name__: f for f in (make, times, bulk, unread, inflate, same, wet, rewrite, matrix, framing, foreign,
                             late, tags, changed)}[sys.argv[1]](*sys.argv[2:])
