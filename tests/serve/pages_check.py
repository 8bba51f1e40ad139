#!/usr/bin/env python3
"""pages_check.py - the pages for people of crawlfs serve.

    pages_check.py make FOLDER
        crawl.warc.gz: pages with hostile names, titles, headers and links; one
        with four captures; a picture; a folder of 1,203 pages
    pages_check.py overview|tree|page|compare|search|hostile|failures URL
                   [NAME]
        asks the server, which has that crawl (below NAME, if there are several)

Every page is parsed strictly: what comes of the crawl is text, and nothing is
loaded from elsewhere.  What is expected is known from what was made.
SPDX-License-Identifier: GPL-3.0-or-later
"""
import gzip
import html.parser
import os
import re
import sys
import time
import zlib
from urllib.parse import quote, unquote, urljoin

import framed_page
import front

MANY = 1203
STORY = [
    (2019, 200, "<p>The quick brown fox jumps over the lazy dog.</p>"
                "<p>Same line.</p><p>Old ending.</p>"),
    (2020, 200, "<p>The quick red fox jumps over the lazy cat.</p>"
                "<p>Same line.</p><p>New ending.</p><p>One more.</p>"),
    (2021, 404, "<p>Not found.</p>"),
    (2023, 200, "<p>Same line.</p>"),
]
EVIL = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>\u202egpj"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
SOUND = (b"RIFF\x2c\x01\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40"
         b"\x1f\0\0\x01\0\x08\0data\x08\x01\0\0" + bytes(range(256)) + b"12345678")
MEDIA = [("sound.wav", "audio/x-wav"), ("film.mp4", "video/mp4"),
         ("both.wav", "audio/x; a=,text/html")]
DEEP = [("caf%C3%A9", 200, "text/html"), ("x%2Fy", 404, "image/png")]
# One page, 600 times in six years, and none in the year between.
OFTEN = [("%d-%02d-%02dT%02d:%02d:%02dZ" % (
    2009 + i // 100 + (i >= 300), 1 + i % 100 // 9, 1 + i * 7 % 28, i % 24,
    i % 60, i // 60), 200 if i % 10 else 503) for i in range(600)]
HOSTILE = [
    "http://evil.example.org/%3Cscript%3Ealert(1)%3C/script%3E",
    "http://evil.example.org/\"onmouseover=\"alert(1)",
    "http://evil.example.org/a'b&amp;<i>&lt;",
    "http://evil.example.org/\u202egnp.exe",
    "http://evil.example.org/q?x=<b>&y=%22",
    "http://evil.example.org/#frag",
    "http://evil.example.org/a/../../etc",
    "http://evil.example.org/%00nul",
    "javascript://evil.example.org/%0aalert(1)",
]


def member(kind, url, when, mime, block):
    return gzip.compress((
        "WARC/1.0\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\n"
        "WARC-Date: %s\r\nWARC-Record-ID: <urn:uuid:%08x-0000-4000-8000-%012x>"
        "\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n" % (
            kind, url, when, zlib.crc32(url.encode()),
            zlib.crc32(when.encode()), mime, len(block))).encode() +
        block + b"\r\n\r\n", 1, mtime=0)


def record(url, when, status, mime, body, head=""):
    return member("response", url, when, "application/http; msgtype=response", (
        "HTTP/1.1 %d X\r\nContent-Type: %s\r\n%sContent-Length: %d\r\n\r\n" % (
            status, mime, head, len(body))).encode() + body)


def page(title, body):
    return ("<!doctype html><meta charset=utf-8><title>%s</title>%s" % (
        title, body)).encode()


def many_name(i):
    return "p-%04d" % i


def many_body(i):
    return page("Page %d" % i, "x" * ((i * 7919) % 3001))


def many_time(i):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(
        1577836800 + (i * 104729) % 31536000))


def make(folder):
    with open(os.path.join(folder, "crawl.warc.gz"), "wb") as f:
        for year, status, body in STORY:
            f.write(record("http://site.example.com/story",
                           "%d-06-01T12:00:00Z" % year, status, "text/html",
                           page("Story of %d" % year, body)))
        f.write(record("http://site.example.com/story/more",
                       "2019-06-02T12:00:00Z", 200, "text/html",
                       page("More", "<p>More.</p>")))
        f.write(record("http://site.example.com/pic.svg",
                       "2019-06-02T12:00:00Z", 200, "image/svg+xml", SVG))
        for name, mime in MEDIA:
            f.write(record("http://play.example.com/" + name,
                           "2019-06-02T12:00:00Z", 200, mime, SOUND))
        f.write(member("resource", "urn:view:http://site.example.com/pic.svg",
                       "2019-06-02T12:00:00Z", "image/png",
                       b"\x89PNG\r\n\x1a\n" + bytes(40)))
        for path, status, mime in DEEP:
            f.write(record("http://deep.example.net/a/b%20b/c/d/" + path,
                           "2019-06-02T12:00:00Z", status, mime, b"x"))
        f.write(record("http://play.example.com/a/framed",
                       "2019-06-03T12:00:00Z", 200, "text/html",
                       framed_page.FRAMED.encode()))
        for when, status in OFTEN:
            f.write(record("http://often.example.com/page", when, status,
                           "text/html", page("Often", when)))
        for i in range(MANY):
            f.write(record("http://many.example.com/d/" + many_name(i),
                           many_time(i), 200, "text/html", many_body(i)))
        links = "".join('<a href="%s">%s</a>' % (h, t) for h, t in (
            ("javascript:alert(1)", "js"), ("data:text/html,x", "data"),
            ("http://elsewhere.example/?a=1&amp;b=\"2\"", EVIL),
            ("//evil.example/x", "&lt;b&gt;")))
        for url in HOSTILE:
            f.write(record(url, "2020-02-02T02:02:02Z", 200, "text/html",
                           page(EVIL, "<p>%s</p>%s" % (
                               EVIL.replace("<", "&lt;"), links)),
                           "X-Evil: %s\r\n" % EVIL))


# ---- the client, and a strict reader of pages ----

VOID = {"meta", "link", "input", "img", "br", "hr"}
KNOWN = VOID | set(
    "html head title body header nav main footer a form button p h1 h2 dl dt "
    "dd div span data time section svg g rect text line circle details summary "
    "table thead tbody tr th td ol ul li pre ins del mark b aside label audio "
    "video h3 i iframe strong".split())
ATTRIBUTES = set(
    "lang charset name content rel href class id action role type aria-label "
    "aria-labelledby aria-current aria-sort aria-hidden placeholder required "
    "value width height x y x1 x2 y1 y2 cx cy r rx text-anchor data-key "
    "data-count data-timestamp datetime tabindex scope checked alt src "
    "http-equiv start title controls preload rel download sandbox".split())


class Reader(html.parser.HTMLParser):
    """The page as a list of (tag, attributes, text of its own and below)."""

    def __init__(self):
        super().__init__()
        self.open, self.all, self.bad, self.ids = [], [], [], set()

    def handle_starttag(self, tag, attrs):
        a = dict(attrs)
        one = [tag, a, "", [t[0] for t in self.open],
               [t[1].get("id") for t in self.open]]
        if tag not in KNOWN:
            self.bad.append("an element %r" % tag)
        self.bad += ["an attribute %r of %r" % (k, tag) for k in a
                     if k not in ATTRIBUTES]
        for k in ("href", "src", "action"):
            if k in a and not re.match(r"[/?#]|data:,$", a[k]):
                self.bad.append("%s=%r" % (k, a[k]))
            if k in a and a[k].startswith("//"):
                self.bad.append("%s=%r" % (k, a[k]))
        if "id" in a:
            if a["id"] in self.ids:
                self.bad.append("an id twice: %r" % a["id"])
            self.ids.add(a["id"])
        self.all.append(one)
        if tag not in VOID:
            self.open.append(one)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open[-1][0] != tag:
            self.bad.append("the end of %r" % tag)
        else:
            self.open.pop()

    def handle_data(self, data):
        if re.search("[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", data):
            self.bad.append("a control character: %r" % data[:80])
        for one in self.open:
            one[2] += data

    def find(self, tag, **wanted):
        wanted = {k.rstrip("_"): v for k, v in wanted.items()}
        return [e for e in self.all if e[0] == tag and
                all(e[1].get(k) == v for k, v in wanted.items())]

    def below(self, tag, of):
        return [e for e in self.all if e[0] == tag and of in e[4]]


class Client:
    def __init__(self, url):
        self.base = url

    def get(self, path, method="GET", **fields):
        c, own = front.connect(self.base)
        c.request(method, path, headers=dict(own, **fields))
        r = c.getresponse()
        body = r.read()
        c.close()
        return r, body

    def page(self, path, status=200, **how):
        r, body = self.get(path, **how)
        need(r.status == status, "%s: %d %r" % (path, r.status, body[:200]))
        need(r.getheader("Content-Type") == "text/html; charset=utf-8",
             "%s: a type" % path)
        policy = r.getheader("Content-Security-Policy") or ""
        for part in ("default-src 'none'", "frame-ancestors 'none'",
                     "base-uri 'none'", "form-action 'self'"):
            need(part in policy, "%s: no %r in %r" % (path, part, policy))
        need("script-src" not in policy and "unsafe" not in policy,
             "%s: %r" % (path, policy))
        need(r.getheader("X-Content-Type-Options") == "nosniff", path)
        text = body.decode("utf-8")
        reader = Reader()
        reader.feed(text)
        reader.close()
        need(not reader.bad, "%s: %s" % (path, reader.bad[:5]))
        need(not reader.open, "%s: open: %s" % (path, reader.open[:1]))
        for tag, below in (("html", None), ("title", "head"),
                           ("main", "body"), ("h1", "main")):
            need(len([e for e in reader.find(tag)
                      if below is None or e[3][-1] == below]) == 1,
                 "%s: not one %s" % (path, tag))
        need(reader.find("html")[0][1].get("lang") == "en", path)
        need(reader.find("meta", name="viewport"), path)
        need(reader.find("h1")[0][2].strip() != "", path)
        return reader

    def failure(self, path, status, reason=None, **how):
        """A page in the frame of all, with the status and the reason."""
        r = self.page(path, status, **how)
        need(r.find("h1")[0][2].startswith("%d " % status), path)
        need(r.find("nav") and r.find("form", role="search"), path)
        told = [e[2] for e in r.find("p", id="reason")]
        need(len(told) == 1 and told[0], "%s: %r" % (path, told))
        need(reason in (None, told[0]), "%s: %r" % (path, told))
        asked = r.find("dl", id="asked")
        need(len(asked) == 1 and unquote(path).split("?")[0][:200] in
             asked[0][2], "%s: not what was asked for: %r" % (path, asked))
        return r

    def beyond(self, path, reason, last):
        """No page of a list: the failure leads to its last one."""
        r = self.failure(path, 404, reason)
        same("the last page", [a[1]["href"] for a in r.below("a", "ways")],
             [last])
        self.page(path.split("?")[0] + last)

    def overview(self, path):
        """The overview, once it has its figures."""
        for _ in range(600):
            reader = self.page(path)
            if reader.find("data", id="captures"):
                return reader
            need([e for e in reader.find("meta")
                  if e[1].get("http-equiv") == "refresh"],
                 "no figures, and it is not loaded again")
            time.sleep(0.2)
        raise Fault("no figures in time")


class Fault(Exception):
    pass


def need(ok, what):
    if not ok:
        raise Fault(what)


def same(what, got, wanted):
    need(got == wanted, "%s: %r, not %r" % (what, got, wanted))


def check_coding(client, path):
    """A page is compressed where the client takes it, and has a tag."""
    plain, tags = client.get(path)[1], set()
    for field, coded in (("gzip", True), ("br, GZip;q=0.5", True), ("br", False),
                         ("gzip;q=0", False), ("gzip; q=0.000", False),
                         ("x-gzipped", False), ("identity", False)):
        r, body = client.get(path, **{"Accept-Encoding": field})
        same("%s: %s" % (path, field), r.getheader("Content-Encoding"),
             "gzip" if coded else None)
        same("%s: %s" % (path, field),
             gzip.decompress(body) if coded else body, plain)
        need(len(body) < len(plain) or not coded, "%s: longer" % path)
        need("Accept-Encoding" in r.getheader("Vary"), r.getheader("Vary"))
        tag = r.getheader("ETag")
        tags.add((coded, tag))
        r, body = client.get(path, **{"Accept-Encoding": field,
                                      "If-None-Match": tag})
        same("%s: known" % path, (r.status, body), (304, b""))
    same("%s: tags" % path, (len(tags), len({t for _, t in tags})), (2, 2))


# ---- the pages ----

def check_overview(client, name):
    below = quote(name) + "/" if name else ""
    r = client.overview("/?crawl=" + quote(name) if name else "/")
    places = {"http://%s.example.com" % h for h in (
        "site", "play", "many", "often")} | {"http://evil.example.org"}
    captures = (len(STORY) + 2 + len(DEEP) + len(MEDIA) + 1 + len(OFTEN) + MANY +
                len(HOSTILE))
    same("captures", int(r.find("data", id="captures")[0][1]["value"]),
         captures)
    same("hosts", int(r.find("data", id="hosts")[0][1]["value"]),
         len(places) + 2)	# deep.example.net; javascript:// has a host of its own
    for by in "domain", "type", "status", "year":
        size, unit = ("height", 1.2) if by == "year" else ("width", 1)
        bars = [e[1] for e in r.below("rect", "by-" + by) if "data-key" in e[1]]
        need(bars, "no bars: " + by)
        same("captures by " + by, sum(int(b["data-count"]) for b in bars),
             captures)
        most = max(int(b["data-count"]) for b in bars)
        for b in bars:
            need(abs(float(b[size].rstrip("%")) / unit -
                     100 * int(b["data-count"]) / most) < 0.01, "a width")
    # what is counted leads to what was counted
    for by, key, pages in (("status", "404", 2), ("type", "image/png", 1),
                           ("year", "2021", 1)):
        link = [e for e in r.below("a", "by-" + by) if e[2] == key][0][1]
        same(link["href"], "/search?%s=%s" % (by, key), link["href"])
        found = client.page(link["href"]).find("p", role="status")[0][2]
        need(name or found.startswith("%d page" % pages), (link, found))
    need([e[1]["data-key"] for e in r.below("rect", "by-language")
          if "data-key" in e[1]] != ["unknown"],
         "a card of languages that are not known")
    rows = r.below("tr", "largest")
    same("the largest", len(rows), 2 + 50)
    link = r.below("a", "largest")[0][1]["href"]
    r2, _ = client.get(link)
    need(r2.status == 302 and "/page/" in r2.getheader("Location"), link)
    archives = r.below("dd", "archives")
    same("archives", archives[0][2], "1")
    links = [e[1]["href"] for e in r.below("a", "by-host")]
    need("/tree/%scom/example/many/" % below in links, links)
    for link in links:
        same(link, client.get(link)[0].status, 200)
    need([e for e in r.find("a") if e[1]["href"] == "/tree/" + below],
         "no link to the tree")
    same("the sheet", client.get("/style.css")[0].getheader("Content-Type"),
         "text/css; charset=utf-8")
    r, body = client.get("/", "HEAD")
    same("HEAD", (r.status, body), (200, b""))
    for path in "/", "/tree/", "/style.css":
        check_coding(client, path)


def rows_of(client, path):
    """Rows over all pages of a list: (name, link, size, time)."""
    found = []
    while path:
        r = client.page(path)
        table = r.below("tr", "entries")
        del table[0]				# the heading
        need(len(table) <= 500, "%d rows" % len(table))
        cells = [e for e in r.all if e[0] in ("a", "data", "time") and
                 "entries" in e[4] and "tbody" in e[3]]
        row = None
        for tag, a, text, _, _ in cells:
            if tag == "a":
                row = [text, a["href"], None, None]
                found.append(row)
            elif tag == "data":
                row[2] = int(a["value"])
            else:
                row[3] = a["datetime"]
        following = [e[1]["href"] for e in r.find("a", rel="next")]
        before = [e for e in r.find("a", rel="prev")]
        need(("page=" in path and not re.search("page=1$", path)) ==
             bool(before), "rel=prev of " + path)
        path = urljoin(path, following[0]) if following else None
    return found


def check_tree(client, name):
    top = "/tree/" + (quote(name) + "/" if name else "")
    folder = top + "com/example/many/_/d/"
    wanted = [(many_name(i), len(many_body(i)), many_time(i))
              for i in range(MANY)]
    for sort, key in (("name", lambda v: v[0]), ("size", lambda v: v[1]),
                      ("date", lambda v: v[2])):
        for order in "asc", "desc":
            got = rows_of(client, "%s?sort=%s&order=%s" % (folder, sort, order))
            same("names by %s" % sort, sorted(v[0] for v in got),
                 [v[0] for v in wanted])
            expected = sorted(wanted, key=lambda v: (key(v), v[0]),
                              reverse=order == "desc")
            same("%s %s" % (sort, order), [(v[0], v[2], v[3]) for v in got],
                 expected)
            r = client.page("%s?sort=%s&order=%s" % (folder, sort, order))
            marked = [e for e in r.find("th") if "aria-sort" in e[1]]
            same("aria-sort", [(e[1]["aria-sort"], e[2].strip())
                               for e in marked],
                 [({"asc": "ascending", "desc": "descending"}[order],
                   {"name": "Name", "size": "Size",
                    "date": "Captured"}[sort])])
    need(all(v[1] == folder.replace("/tree/", "/page/") + v[0] for v in got),
         "links")
    check_hosts(client, top)
    check_filter(client, folder)
    got = rows_of(client, top + "com/example/site/_/")
    same("a page and a folder of one name", [v[:2] for v in got], [
        ["pic.svg", "/page/%scom/example/site/_/pic.svg" % top[6:]],
        ["story", "/page/%scom/example/site/_/story%%23" % top[6:]],
        ["story/", "/tree/%scom/example/site/_/story/" % top[6:]]])
    r = client.page(top + "net/example/deep/_/a/b%2520b/c/d/")
    same("names", [r.find(tag)[0][2].split(" \u2013")[0]
                   for tag in ("title", "h1")],
         2 * ["deep.example.net/a/b%20b/c/d"])
    titles = [e[2] for e in client.page(top + "com/example/site/_/").find(
        "span", **{"class": "title"})]
    same("titles", titles, ["Story of 2023"])
    same("titles", len(client.page(folder).find("span", **{
        "class": "title"})), 60)
    for path, status in ((folder + "?page=4", 404), (folder + "?page=0", 400),
                         (folder + "?page=x", 400), (folder + "?sort=x", 400),
                         (folder + "?order=x", 400),
                         (top + "com/nowhere/", 404), (folder + "../", 404)):
        client.failure(path, status)
    r, _ = client.get(folder.rstrip("/"))
    same("without its slash", (r.status, r.getheader("Location")),
         (301, folder))
    r, _ = client.get(folder + "p-0001")
    same("a page", (r.status, r.getheader("Location")),
         (301, folder.replace("/tree/", "/page/") + "p-0001"))


def cells_of(client, path):
    """The page, and the texts of the cells of each row."""
    r = client.page(path)
    rows = []
    for tag, _, text, _, ids in r.all:
        if "entries" in ids and tag == "tr":
            rows.append([])
        elif "entries" in ids and tag in ("th", "td"):
            rows[-1].append(text)
    return r, rows[1:]


def check_hosts(client, top):
    """All hosts, from front to back, with the captures of each; those of a
    domain; a folder with nothing but a folder in it is one row with that."""
    hosts = {"deep.example.net": (len(DEEP), "net/example/deep/_/"),
             "many.example.com": (MANY, "com/example/many/_/"),
             "often.example.com": (len(OFTEN), "com/example/often/_/"),
             "play.example.com": (len(MEDIA) + 1, "com/example/play/_/"),
             "site.example.com": (len(STORY) + 2, "com/example/site/_/")}
    below_com = {v for v in hosts if v.endswith(".com")}
    for path, wanted in (("", set(hosts)), ("com/example/", below_com),
                         ("com/", below_com),
                         ("?filter=SITE.example", {"site.example.com"}),
                         ("?filter=com/example/many", {"many.example.com"}),
                         ("?filter=nowhere", set())):
        r, rows = cells_of(client, top + path)
        rows = [v for v in rows if "evil" not in v[0]]
        same(path, {v[0] for v in rows}, wanted)
        for name, n in rows:
            same(name, int(re.sub("[^0-9]", "", n)), hosts[name][0])
        links = [e[1]["href"] for e in r.below("a", "entries")]
        need(all(top + hosts[v][1] in links for v in wanted), links)
    _, rows = cells_of(client, top)
    need(len([v for v in rows if "evil" in v[0]]) == 2, "two hosts are evil")
    r, rows = cells_of(client, top + "net/example/deep/_/")
    same("a chain", [v[0] for v in rows], ["a/\u2026/d/"])
    link = r.below("a", "entries")[-1][1]
    same("a chain", (unquote(link["href"]), link["title"]),
         (top + "net/example/deep/_/a/b%20b/c/d/", "a/b%20b/c/d"))
    r, rows = cells_of(client, link["href"])
    same("letters, type, status", [v[:3] for v in rows], [
        ["caf\u00e9", "text/html", "200"], ["x%2Fy", "image/png", "404"]])
    same("the way", [e[2] for e in r.find("li") if "nav" in e[3]],
         ["All pages"] + top[6:].split("/")[:-1] +
         ["deep.example.net", "\u2026", "b%20b", "c", "d"])
    cdx = [e[1]["href"] for e in r.find("a") if e[2] == "CDX"]
    same("its captures", len(client.get(cdx[0])[1].splitlines()), len(DEEP))


def check_filter(client, folder):
    """Part of a name leaves its rows, in each order, and its pages."""
    wanted = [many_name(i) for i in range(MANY) if "1" in many_name(i)]
    for query in "", "&sort=size&order=desc", "&sort=name&order=desc":
        got = rows_of(client, folder + "?filter=1" + query)
        same(query, sorted(v[0] for v in got), wanted)
    r = client.page(folder + "?filter=P-0007")
    need("1 entry" in r.find("main")[0][2], "one entry")
    same("the field", r.find("input", name="filter")[0][1]["value"], "P-0007")
    client.page(folder + "?filter=" + quote(EVIL))
    client.failure(folder + "?filter=" + "x" * 2000, 400)


def check_page(client, name):
    top = quote(name) + "/" if name else ""
    story = "/page/%scom/example/site/_/story%%23" % top
    r = client.page(story)
    times = ["%d-06-01T12:00:00Z" % v[0] for v in STORY]
    bars = [(e[1]["data-key"], e[1]["data-count"])
            for e in r.below("rect", "years") if "data-key" in e[1]]
    same("the years", bars, [(str(v[0]), "1") for v in STORY])
    same("the captures", [e[1]["datetime"] for e in r.below("time", "captures")],
         times)
    same("the title", r.find("h1")[0][2], "Story of 2023")
    links = [e[1]["href"] for e in r.below("a", "captures")]
    for link, (year, status, _) in zip(links, STORY):
        one = client.page(link)
        shown = [e for e in one.find("tr") if "aria-current" in e[1]]
        same("shown of %d" % year, [e[2][:4] for e in shown], [str(year)])
        if status == 200:
            same("its title", one.find("h1")[0][2], "Story of %d" % year)
        for view in (e[1]["href"] for e in one.below("a", "views")):
            answer, body = client.get(view)
            same(view, answer.status, 200)
            need("sandbox" in answer.getheader("Content-Security-Policy"),
                 view)
            if not re.search("[.](meta|txt|md|headers|warc.gz)$", view):
                same(view, body, page("Story of %d" % year, STORY[[
                    v[0] for v in STORY].index(year)][2]))
    marked = [e[1]["value"] for e in r.below("input", "captures")
              if "checked" in e[1]]
    need(len(marked) == 2 and marked[0] != marked[1], marked)
    r = client.page("/compare?a=%s&b=%s" % tuple(quote(v) for v in marked))
    r = client.page("/page/%scom/example/site/_/pic.svg" % top)
    same("a picture", [e[1]["src"] for e in r.find("img")],
         ["/view/%scom/example/site/_/pic.svg" % top,
          "/view/%scom/example/site/_/pic.svg.view.png" % top])
    check_media(client, top)
    check_often(client, top)
    framed_page.check(client, top, need, same)
    client.failure("/page/%scom/example/site/_/x" % top, 404,
                   "The crawl has no such page or folder.")
    same("a folder", client.get("/page/%scom/example" % top)[0].status, 301)


def check_media(client, top):
    """Sound and film are played by the page and by themselves, by ranges."""
    for name, tag in (("sound.wav", "audio"), ("film.mp4", "video")):
        view = "/view/%scom/example/play/_/%s" % (top, name)
        r = client.page(view.replace("/view/", "/page/"))
        same(name, [(e[1]["src"], "controls" in e[1]) for e in r.find(tag)],
             [(view, True)])
        same("no view is blank", [e[2] for e in r.below("a", "views")],
             ["as archived", ".meta", ".headers", ".warc.gz"])
        r, body = client.get(view, Range="bytes=10-19")
        policy = r.getheader("Content-Security-Policy")
        same(name, (r.status, body), (206, SOUND[10:20]))
        need("media-src 'self'" in policy and "sandbox" not in policy and
             "default-src 'none'" in policy, policy)
    # what browsers may take for something else stays in the sandbox
    r, _ = client.get("/view/%scom/example/play/_/both.wav" % top)
    need("sandbox" in r.getheader("Content-Security-Policy"), "a list of types")


def stops_before(reader, place):
    """Stops of the Tab key from the top of the page to an element's first."""
    n, groups = 0, set()
    for tag, a, _, _, ids in reader.all:
        if place in ids and tag == "a":
            return n
        if a.get("tabindex") == "-1" or a.get("type") == "hidden":
            continue
        if a.get("type") == "radio":
            n += a["name"] not in groups
            groups.add(a["name"])
        elif tag in ("input", "button", "audio", "video", "summary") or \
                "tabindex" in a or (tag == "a" and "href" in a):
            n += 1
    raise Fault("no " + place)


def listed(reader):
    return [e[1]["datetime"] for e in reader.below("time", "captures")]


def check_often(client, top):
    """A page with many captures: all are in the chart; the one that is shown is
    marked there, in the calendar and in the list; a pair is chosen."""
    base = "/page/%scom/example/often/_/page" % top
    often = sorted(v[0] for v in OFTEN)
    best = max(v[0] for v in OFTEN if v[1] == 200)
    before = often[often.index(best) - 1]
    years = {}
    for when in often:
        years[when[:4]] = years.get(when[:4], 0) + 1
    body = client.get(base)[1]
    need(len(body) < 60000, "%d bytes" % len(body))
    for path in (base, base + "?year=2010", base + "?year=2010&month=3"):
        r = client.page(path)
        need(stops_before(r, "views") <= 20, stops_before(r, "views"))
        bars = {e[1]["data-key"]: int(e[1]["data-count"])
                for e in r.below("rect", "years") if "data-key" in e[1]}
        same("bars of all", bars, years)
        same("the year that is shown", [
            e[1]["aria-label"][:4] for e in r.below("a", "years")
            if "aria-current" in e[1]], [best[:4]])
        same("months", len(r.below("li", "months")), 12)
        same("the row that is shown", [
            e[2][:19] for e in r.find("tr") if "aria-current" in e[1]],
             [best[:10] + " " + best[11:19]])
        same("a choice of two", [
            (e[1]["name"], e[1]["aria-label"])
            for e in r.below("input", "captures") if "checked" in e[1]], [
                (n, "%s %s as the %s" % (w[:10], w[11:19], s)) for n, w, s in
                (("a", before, "older"), ("b", best, "newer"))])
        labels = [e[1]["aria-label"] for e in r.below("input", "captures")]
        same("labels differ", len(set(labels)), len(labels))
    same("a month", listed(r), [before, best] + [
        v for v in often if v[:7] == "2010-03"])
    r = client.page(base)
    need([e for e in r.below("a", "months")
          if "now" in (e[1].get("class") or "").split()
          and e[2] == "%d" % int(best[8:10])], "the day that is shown")
    same("one is marked", len([e for e in r.below("a", "months") if "now" in
                               (e[1].get("class") or "").split()]), 1)
    check_periods(client, base, often)


def check_periods(client, base, often):
    found, number, more = [], 0, True
    while more:		# all pages of the list together
        number += 1
        r = client.page("%s?year=2010&page=%d" % (base, number))
        found += listed(r)[2:]
        more = [e for e in r.below("a", "history") if e[1].get("rel") == "next"]
    same("a year", found, [v for v in often if v[:4] == "2010"])
    r = client.page(base + "?year=2013")
    days = [e[1]["href"] for e in r.below("a", "months")
            if e[1].get("tabindex") == "-1"]
    same("days", sorted(v[4:12] for v in days), sorted({
        v[:10].replace("-", "") for v in often if v[:4] == "2013"}))
    for link in days[::9]:	# each leads to a capture of that day
        answer, _ = client.get(base + link)
        same("a day", answer.status, 302)
        r = client.page(answer.getheader("Location"))
        same("its capture", re.sub("[^0-9]", "", r.below("time", "capture")[0]
                                   [1]["datetime"]), link[4:])
    r = client.page(client.get(base + "?at=2009")[0].getheader("Location"))
    for when in often[:6]:	# from one to the next
        same("step", r.below("time", "capture")[0][1]["datetime"], when)
        r = client.page([e[1]["href"] for e in r.below("a", "capture")
                         if e[1].get("rel") == "next"][0])
    for query in ("year=0", "year=x", "month=13&year=2010", "page=0", "at=x",
                  "year=99999", "page=99999999999999999999"):
        client.failure(base + "?" + query, 400)
    client.beyond(base + "?page=99", "The list has no page 99.", "?page=12")
    client.beyond(base + "?year=2010&page=99&x=%22",
                  "The list has no page 99.", "?year=2010&x=%22&page=2")
    same("no year", len(listed(client.page(base + "?year=1999"))), 2)


def without(reader, tag):
    """The text of the old (new) side but for what is in a tag, by words."""
    side = {"del": "old", "ins": "new"}[tag]
    kept, marked = [], []
    for e in reader.all:
        if e[0] == "div" and e[1].get("class") == side:
            kept.append(e[2])
        if e[0] == tag:
            marked.append(e[2])
    return kept, marked


def check_compare(client, name):
    top = name + "/com/example/site/_/" if name else "com/example/site/_/"
    r = client.page("/compare?a=%s&b=%s" % (quote(top + "story#1"),
                                            quote(top + "story#2")))
    old, removed = without(r, "del")
    new, added = without(r, "ins")
    same("removed", removed, ["2019", "brown", "dog", "Old"])
    same("added", added[:4], ["2020", "red", "cat", "New"])
    need("One more" in "".join(added), added)
    need("The quick brown fox" in "".join(old), old)
    jumps = [(e[1]["id"], e[2].split()[:4]) for e in r.find("p", **{
        "class": "jump"})]
    same("jumps", jumps, [("change-%d" % n, ["Change", str(n), "of", "2"])
                          for n in (1, 2)])
    same("jumps", [e[1]["href"] for e in r.find("a")
                   if e[1]["href"].startswith("#change")],
         ["#change-1", "#change-2", "#change-1"])
    need("The quick red fox" in "".join(new), new)
    need("Same line." not in "".join(old + new), "what is equal is no change")
    r = client.page("/compare?a=%s&b=%s" % ((quote(top + "story#1"),) * 2))
    same("the same twice", r.find("ins") + r.find("del"), [])
    need("the same" in r.find("main")[0][2], "it says so")
    r = client.page("/compare?a=%s&b=%s" % (quote(top + "story#1"),
                                            quote(top + "pic.svg")))
    same("one without text", (r.find("ins"), len(r.find("del"))), ([], 1))
    r = client.page("/compare?a=%s&b=%s" % ((quote(top + "pic.svg"),) * 2))
    need("Neither" in r.find("main")[0][2], "both without text")
    same("both pictures", [e[1]["src"] for e in r.find("img")],
         ["/view/" + quote(top + "pic.svg")] * 2)
    r = client.page("/compare?a=%s&b=%s" % (quote(top + "story#1"),
                                            quote(top + "story#2")))
    steps = [unquote(e[1]["href"]) for e in r.find("a")
             if e[2].startswith("one ")]
    same("steps", steps, ["?a=%s&b=%s&view=txt" % (top + v, top + w)
                          for v, w in (("story#2", "story#2"),
                                       ("story#1", "story#1"),
                                       ("story#1", "story#3"))])
    need("site.example.com/story" in r.find("title")[0][2], "a title")
    r = client.page("/compare?view=md&a=%s&b=%s" % (quote(top + "story#1"),
                                                    quote(top + "story#2")))
    need(r.find("ins") and r.find("del"), "by main content")
    for query, status in (("", 400), ("?a=x", 404), ("?a=x&b=y", 404),
                          ("?a=%s&b=com" % quote(top + "story#1"), 404),
                          ("?view=raw&a=%s&b=%s" % ((quote(top + "story#1"),)
                                                    * 2), 400)):
        client.failure("/compare" + query, status)


def check_search(client, name):
    top = quote(name) + "/" if name else ""
    for typed, place in (
            ("http://site.example.com/pic.svg",
             "/page/%scom/example/site/_/pic.svg" % top),
            ("many.example.com/d/p-0007",
             "/page/%scom/example/many/_/d/p-0007" % top),
            ("https://web.archive.org/web/20190601if_/http://site.example.com/"
             "story", "/page/%scom/example/site/_/story#1" % top),
            ("archive.ph/2020.06.01-120000/https://site.example.com/story",
             "/page/%scom/example/site/_/story#2" % top),
            ("web.archive.org/web/*/http://site.example.com/pic.svg",
             "/page/%scom/example/site/_/pic.svg" % top)):
        r, _ = client.get("/search?q=" + quote(typed))
        same(typed, (r.status, unquote(r.getheader("Location") or "")),
             (302, place))
        same(typed, client.get(r.getheader("Location"))[0].status, 200)
    r = client.page("/search?q=com.example")
    links = [e[1]["href"] for e in r.find("a")]
    need("/tree/%scom/example/" % top in links, links[:9])
    same("rows", len([v for v in links if v.startswith("/page/")]), 499)
    rows = [e[2] for e in client.page("/search?q=site.example.com").find("li")]
    same("rows of a host", rows[-4:], ["site.example.com"] + [
        "site.example.com/%s 20%s 12:00:00 \u00b7 200 \u00b7 %s" % row for row in (
            ("pic.svg", "19-06-02", "image/svg+xml"),
            ("story", "23-06-01", "text/html \u00b7 4 captures"),
            ("story/more", "19-06-02", "text/html"))])
    check_filters(client, top)
    for typed in ("nowhere.example", EVIL, "%", "*", "?", "a b", "http://[",
                  "x" * 9000, "\n", "q=1&r=2", "com.example/*", "://", "/"):
        r, _ = client.get("/search?q=" + quote(typed))
        need(r.status in (200, 302, 400, 404, 413, 414, 501), "%r: %d" % (
            typed, r.status))
    client.page("/search?q=" + quote(EVIL))
    client.page("/search")
    client.failure("/search?q=a%00b", 400, "q: holds a NUL.")


def check_filters(client, top):
    """Without words, pages that have a capture which meets all filters."""
    story = "/page/%scom/example/site/_/story%%23" % top
    deep = "/page/%snet/example/deep/_/a/b%%2520b/c/d/" % top
    for query, wanted in (
            ("status=404", {story + "3", deep + "x%252Fy"}),
            ("status=404&year=2021", {story + "3"}),
            ("year=2021&host=site.example.com", {story + "3"}),
            ("year=2023-06&host=*.example.com", {story + "4"}),
            ("type=image/png", {deep + "x%252Fy"}),
            ("type=image/png&status=200", set()),
            ("host=deep.example.net", {deep + "x%252Fy",
                                       deep + "caf%25C3%25A9"})):
        r = client.page("/search?" + query)
        same(query, {re.sub("story%23$", "story%234", e[1]["href"])
                     for e in r.find("a") if e[1]["href"][:6] == "/page/"},
             wanted)
        for part in query.split("&"):
            need([e for e in r.find("li") if part.split("=")[1] in e[2]
                  and "any " + part.split("=")[0] in e[2]], part)
    links, path = [], "/search?type=text/html&host=many.example.com"
    while path:
        r = client.page(path)
        links += [e[1]["href"] for e in r.find("a")
                  if e[1]["href"][:6] == "/page/"]
        path = [urljoin(path, e[1]["href"]) for e in r.find("a", rel="next")]
        path = path[0] if path else None
    same("all pages of a list", links, [
        "/page/%scom/example/many/_/d/%s" % (top, many_name(i))
        for i in range(MANY)])
    for query in ("status=x", "type=", "year=x", "status=1000", "page=x"):
        r, _ = client.get("/search?" + query)
        same(query, r.status, 200 if query == "type=" else 400)
    client.page("/search?type=" + quote(EVIL))


def check_failures(client, name):
    """Failures are pages for people only where all else is; the record of two
    captures is damaged, in an archive whose name is hostile."""
    place = (quote(name) + "/" if name else "") + "com/example/site/_/story"
    for path in ("/", "/tree/", "/page/" + place, "/compare", "/search"):
        client.failure(path, 405, "A crawl can only be read.", method="PUT")
        client.failure(path, 403, Host="evil.example")
    r = client.overview("/")
    # when it was indexed, no damage was recorded; it was verified later
    archives = "\n".join(e[2] for e in r.below("dd", "archives"))
    need(re.search(r"^2 archives, \d{4}-\d\d-\d\d [\d:]{8}: 1 damaged, "
                   r"1 missing\n<b>\.warc\.gz: [1-9]\d* findings?\n"
                   r"gone\.warc\.gz: missing\n", archives, re.M), archives)
    same("rows of it", archives.count("<b>.warc.gz"), 1)
    client.beyond("/tree/?page=99", "The folder has no page 99.", "?page=1")
    client.failure("/compare?a=x&b=x", 404, "The parameter 'a' names no page.")
    client.failure("/page/%3Cscript%3E", 404)
    same("lost", client.page("/page/com/example/site/_/pic.svg").find("img"), [])
    r = client.page("/page/" + place + "%23")
    need("other captures" in r.find("p", class_="problem")[0][2], "others")
    need(not [e for e in r.find("a") if "/compare?" in e[1]["href"]], "compare")
    # a browser gets a page everywhere, with ways on
    browser = {"Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"}
    for path, ways in (
            ("/nowhere/at/all", ["/search?q=nowhere/at/all"]),
            ("/web/2012/http://x.example/a", ["/search?q=http://x.example/a"]),
            ("/view/org/example/www/_/a/b",
             ["/search?q=www.example.org/a/b", "/tree/org/example/www/_/a/"]),
            ("/dav/o/<b>/x", ["/search?q=x.%3Cb%3E.o", "/tree/o/%3Cb%3E/"])):
        r = client.failure(path, 404, **browser)
        same(path, [e[1]["href"] for e in r.below("a", "ways")], ways)
    r = client.failure("/view/" + place + "%23", 502, **browser)
    need("<b>.warc.gz" in r.find("dl", id="asked")[0][2], "the file")
    same("other captures", [e[1]["href"] for e in r.below("a", "ways")][0],
         "/page/" + place + "%23")
    # the page of a refused host is not without its style
    same("the sheet", client.get("/style.css", Host="evil.example")[0].status,
         200)
    r, body = client.get("/tree/nowhere/", "HEAD")
    same("HEAD", (r.status, r.getheader("Content-Type"), body),
         (404, "text/html; charset=utf-8", b""))
    for path, how, status in (
            ("/nowhere", {}, 404), ("/dav/nowhere", {}, 404),
            ("/view/nowhere", {}, 404), ("/records/nowhere/0", {}, 404),
            ("/dav/", {"method": "PUT"}, 405),
            ("/metrics", {"method": "PUT"}, 405),
            ("/metrics", {"Host": "evil.example"}, 403)):
        r, body = client.get(path, **how)
        same(path, (r.status, r.getheader("Content-Type")),
             (status, "text/plain; charset=utf-8"))
        need(body.endswith(b"\n") and b"<" not in body, body)
    r, body = client.get("/cdx?output=frob")
    same("/cdx", (r.status, r.getheader("Content-Type")),
         (400, "application/json"))
    compare = "/compare?a=%s&b=%s" % (quote(place + "#1"), quote(place + "#2"))
    r, body = client.get(compare)
    need(b"<b>" not in body and b"&lt;b&gt;" in body, body)
    client.failure(compare, 502)


def check_hostile(client, name):
    """All pages of hostile names, as links lead there."""
    seen, waiting = set(), ["/tree/" + (quote(name) + "/" if name else "") +
                            "org/example/evil/"]
    titles = 0
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        r = client.page(path)
        titles += "alert(1)" in r.find("h1")[0][2] and "/page/" in path
        waiting += [e[1]["href"] for e in r.below("a", "entries")
                    if "?" not in e[1]["href"][:1]]
    need(titles >= 5, "%d hostile titles" % titles)
    need(len(seen) >= 10, "only %r" % seen)


def run(check, url, *operands):
    """Has a check look at a server; returns the status of the program."""
    try:
        check(Client(url), *operands)
    except Fault as e:
        print(e)
        return 1
    return 0


def main(argv):
    if argv[0] == "make":
        make(argv[1])
        return 0
    return run({"overview": check_overview, "tree": check_tree,
                "page": check_page, "compare": check_compare,
                "search": check_search, "hostile": check_hostile,
                "failures": check_failures}[argv[0]],
               argv[1], argv[2] if len(argv) > 2 else "")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
