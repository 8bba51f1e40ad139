#!/usr/bin/env python3
# fields_check.py - do rows say of records and pages what these say themselves?
#
#     fields_check.py make FOLDER SEED  writes an archive of WARC and one of ARC with
#                                       all that the fields are made of, some of it
#                                       odd or hostile
#     fields_check.py rows FOLDER ROWS  compares rows with what an independent reader
#                                       finds in the archives
#     fields_check.py same ROWS LINES   lines of lookup, in ASCII, are these rows
#     fields_check.py within LINES ROWS  each of these rows is part of its line
#     fields_check.py copies FOLDER     writes pages, and 60 near copies of them
#     fields_check.py alike ROWS        their hashes are what doc/formats.md defines;
#                                       those of copies are near, others are not
#
# Headers are parsed here by splitting, pages by html.parser, URLs by urllib.
# SPDX-License-Identifier: GPL-3.0-or-later
import gzip
import html.parser
import json
import os
import random
import re
import sys
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "model"))
import record_reader                                            # noqa: E402

HOSTS = ["www.example.com", "EXAMPLE.co.uk:8080", "a.b.example.co.jp", "co.uk",
         "user.github.io", "192.0.2.7", "[2001:db8::1]", "example.museum",
         "b\u00fccher.example.de", "localhost", "x.ck", "www.ck", "example.com.", "a%3fb=c.com"]
DOMAINS = {"www.example.com": "example.com", "example.co.uk": "example.co.uk",
           "a.b.example.co.jp": "example.co.jp", "user.github.io": "github.io",
           "example.museum": "example.museum",
           "xn--bcher-kva.example.de": "example.de", "www.ck": "www.ck",
           "example.com": "example.com", "ftp.example.org": "example.org"}
RULES = ["noindex", "NoFollow", "none", "noarchive", "max-snippet:-1",
         "max-snippet: 20", "max-image-preview:large", "noai",
         "unavailable_after: Wed, 25 Jun 2031 15:00:00 GMT",
         "unavailable_after: 2031-06-25", ""]
AGENTS = ["googlebot", "OtherBot", "BadBot/2.1", "GPTBot"]
VALUED = ("max-snippet", "max-image-preview", "max-video-preview",
          "unavailable_after")
LD = [{"@type": "NewsArticle", "datePublished": "2021-05-06T07:08:09Z",
       "author": {"@type": "Person", "name": "Gr\u00e4fin \"X\" </b>"}},
      {"@graph": [{"@type": "WebSite", "author": {"url": "x"}},
                  {"datePublished": 5, "author": [{"name": "B"}, {"name": "C"}]},
                  {"datePublished": "2022-02-02"}]},
      [7, {"author": " plain "}], {"author": []}, {"author": ["x\\y"]}]
PUBLISHED = ["article:published_time", "datePublished", "dcterms.issued", "date"]


def fail(*words):
    print(*words)
    sys.exit(1)


# ---- making ----

def rules(rng):
    return rng.choice([", ", ",", " , "]).join(
        rng.choice(RULES) for _ in range(rng.randint(1, 4)))


def head_fields(rng):
    out = []
    for _ in range(rng.randint(0, 3)):
        agent = rng.choice(["", "", rng.choice(AGENTS) + ": "])
        value = agent + rules(rng)
        if rng.random() < .2:
            value += ", " + rng.choice(AGENTS) + ":" + rules(rng)
        out.append((rng.choice(["X-Robots-Tag", "x-robots-tag"]), value))
    if rng.random() < .3:
        out.append(("TDM-Reservation", rng.choice(["0", "1"])))
    if rng.random() < .3:
        out.append(("tdm-policy", "https://Example.com/p,q.json"))
    if rng.random() < .3:
        out.append(("Content-Usage", "train-ai=n, search=y"))
    rng.shuffle(out)
    return out


def quoted(s):
    return '"' + s.replace("&", "&amp;").replace('"', "&quot;") + '"'


def page(rng):
    tags = []
    for name in ["robots", "ROBOTS", "googlebot", "GPTBot", "tdm-reservation",
                 "viewport", "googlebot-news"]:
        if rng.random() < .3:
            tags.append("<meta name=%s content=%s>" % (name, quoted(rules(rng))))
    for name, value in [("author", " Ada  Lovelace & \n Co "),
                        ("article:author", "https://example.com/ada"),
                        ("dc.creator", "A. L."), ("description", " a\tb  c"),
                        ("og:description", "d \u00e9"), ("description", "")]:
        if rng.random() < .4:
            tags.append("<meta %s=%s content=%s>" % (
                "property" if ":" in name else "name", name, quoted(value)))
    for name in PUBLISHED:
        if rng.random() < .3:
            tags.append("<meta %s=%s content=%s>" % (
                {"datePublished": "itemprop"}.get(
                    name, "property" if ":" in name else "name"), name,
                quoted("20%02d-01-02" % rng.randint(0, 30))))
    if rng.random() < .3:
        tags.append("<link href=%s rel=%s>" % (
            rng.choice(["/c", "?x", "//other.example/", "c d", "http://h.org"]),
            rng.choice(["canonical", '"nofollow Canonical"', "canonicals"])))
    if rng.random() < .1:
        tags.append("<base href=/base/>")
    if rng.random() < .2:
        tags.append("<template><meta name=robots content=hidden></template>")
    if rng.random() < .5:
        tags.append("<script type=application/ld+json>%s</script>" % rng.choice(
            [json.dumps(rng.choice(LD)), '{"author": "cut', "//<![CDATA["]))
    rng.shuffle(tags)
    lang = rng.choice(["", " lang=en", ' xml:lang="de-AT"', ' lang="" xml:lang=fr',
                       " LANG=' pt-BR '"])
    return ("<!doctype html><html%s><head><title>t</title>%s</head><body>"
            "<p>words</body></html>" % (lang, "".join(tags))).encode()


def warc(kind, url, block, fields, rng):
    head = [("WARC-Type", kind), ("WARC-Target-URI", url),
            ("WARC-Date", "2024-03-01T10:00:%02d%sZ" % (
                rng.randint(0, 59), rng.choice(["", ".5", ".123456789"]))),
            ("WARC-Record-ID", "<urn:uuid:%032x>" % rng.getrandbits(128))]
    head += fields + [("Content-Type", "application/http; msgtype=response"),
                      ("Content-Length", str(len(block)))]
    text = "WARC/1.1\r\n" + "".join("%s: %s\r\n" % f for f in head) + "\r\n"
    return gzip.compress(text.encode("utf-8", "surrogateescape") + block +
                         b"\r\n\r\n")


def answer(rng, i):
    """Head and body of an answer."""
    status = rng.choice([200, 200, 200, 301, 302, 404])
    fields = [("Content-Type", "text/html; charset=utf-8")] + head_fields(rng)
    if status in (301, 302) or rng.random() < .1:
        fields.append(("Location", rng.choice(
            ["/x", "../y?z#f", "https://other.example/\u00fc", "?q", " //h.org/a b ",
             "#f", "page%d" % i])))
    body = page(rng) if rng.random() < .8 else b"\x89PNG\r\n"
    if rng.random() < .2:
        fields.append(("Transfer-Encoding", "chunked"))
        body = b"%x\r\n" % len(body) + body + b"\r\n0\r\n\r\n"
    return ("HTTP/1.1 %d X\r\n" % status +
            "".join("%s: %s\r\n" % f for f in fields) + "\r\n").encode() + body


def hostile():
    """Blocks that must neither take long nor give anything wrong."""
    ok = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
    yield ok + b"\r\n<html><head>" + b"<meta name=robots content=noindex>" * 100000
    yield ok + b"X-Robots-Tag: " + b"a:" * 400000 + b"\r\n\r\n<p>"
    yield ok + b"X-Robots-Tag: " + b"a:b," * 200000 + b"\r\n\r\n<p>"
    yield (b"HTTP/1.1 302 X\r\nX-Robots-Tag: n\xff\x00o\x1b[1mai\r\nLocation: /"
           b"\xff\x00\r\nContent-Type: text/html\r\n\r\n<html lang='\x00\xff'>"
           b"<meta name=author content='\xff\xfe\x1b'>")
    yield ok + b"\r\n<link rel=canonical href='/" + b"x" * 100000 + b"'>"
    yield ok + b"\r\n" + b"<html lang=a><link rel='" + b"a " * 500000 + b"'>"


def make(folder, seed):
    rng = random.Random(int(seed))
    out, arc = [], []
    for i in range(300):
        host = rng.choice(HOSTS)
        url = "%s://%s/%d?q" % (rng.choice(["http", "https"]), host, i)
        block = answer(rng, i)
        extra = [("WARC-IP-Address", "192.0.2.%d" % (i % 256))] if i % 3 else []
        out.append(warc("response", url, block, extra, rng))
        if i % 10 == 0:
            refers = [("WARC-Refers-To-Target-URI", url),
                      ("WARC-Refers-To-Date", "2024-03-01T09:00:00.250Z"),
                      ("WARC-Refers-To", "<urn:uuid:%d>" % i)]
            out.append(warc("revisit", url + "&again",
                            b"HTTP/1.1 304 Not Modified\r\n\r\n",
                            rng.sample(refers, rng.randint(0, 3)), rng))
        if "[" not in host and host.isascii():
            arc.append(gzip.compress(
                b"%s 192.0.2.9 20240301100000 text/html %d\n" % (
                    url.encode(), len(block)) + block + b"\n"))
    out.append(warc("resource", "ftp://ftp.example.org/a", b"data", [], rng))
    for i, block in enumerate(hostile()):
        out.append(warc("response", "http://hostile.example/%d" % i, block, [], rng))
    with open(os.path.join(folder, "w.warc.gz"), "wb") as f:
        f.write(b"".join(out))
    version = b"1 0 x\nURL IP-address Archive-date Content-type Archive-length\n"
    with open(os.path.join(folder, "a.arc.gz"), "wb") as f:
        f.write(gzip.compress(b"filedesc://a.arc 0.0.0.0 20240301100000 text/plain %d"
                              b"\n" % len(version) + version + b"\n"))
        f.write(b"".join(arc))


# ---- an independent reader ----

class Facts(html.parser.HTMLParser):
    """What the elements of a page say, outside templates."""

    def __init__(self):
        super().__init__()
        self.metas, self.links, self.lang, self.base = [], [], None, None
        self.template, self.in_ld, self.things = 0, False, []

    def handle_starttag(self, tag, attrs):
        d = {}
        for k, v in attrs:
            d.setdefault(k, v or "")
        self.template += tag == "template"
        if self.template:
            return
        self.in_ld = tag == "script" and d.get("type") == "application/ld+json"
        if tag == "html":
            for name in "lang", "xml:lang":
                if self.lang is None and d.get(name, "").strip():
                    self.lang = d[name].strip()
        elif tag == "meta":
            self.metas.append(d)
        elif tag == "base" and self.base is None:
            self.base = d.get("href")
        elif tag == "link" and "canonical" in d.get("rel", "").lower().split():
            self.links.append((d.get("href", ""), self.base))

    def handle_endtag(self, tag):
        self.template -= tag == "template"
        self.in_ld = False

    def handle_data(self, data):
        if not self.in_ld:
            return
        try:
            top = json.loads(data)
        except ValueError:
            return
        many = top if isinstance(top, list) else [top] + top.get("@graph", [])
        self.things += [x for x in many if isinstance(x, dict)]


def one_blank(s):
    return " ".join(s.split())


def statements(source, name, value, with_agents):
    """The statements of a field or element for search engines."""
    value = re.sub(r"(?i)(unavailable_after:\s*[a-z]+),", "\\1\0", value)
    out = []
    for part in value.split(","):
        part = one_blank(part.replace("\0", ",")).lower()
        key = part.split(":")[0].strip()
        if with_agents and ":" in part and " " not in key and key not in VALUED:
            out.append([key, []])
            part = part.split(":", 1)[1].strip()
        if not part:
            continue
        if not out:
            out.append(["*", []])
        if ":" in part:
            part = ":".join(x.strip() for x in part.split(":", 1))
        out[-1][1].append(part)
    return [{"source": source, "name": name, "agent": a, "rules": r}
            for a, r in out]


def robots(fields, page):
    out = []
    for name, value in fields:
        if name == "x-robots-tag":
            out += statements("header", name, value, True)
        elif name in ("tdm-reservation", "tdm-policy"):
            out.append({"source": "header", "name": name, "agent": "*",
                        "rules": [value]})
        elif name == "content-usage":
            out.append({"source": "header", "name": name, "agent": "*",
                        "rules": [x.strip() for x in value.split(",")]})
    for d in page.metas if page else []:
        name, value = d.get("name", "").lower(), d.get("content", "")
        if not value.strip():
            continue
        if name in ("tdm-reservation", "tdm-policy"):
            out.append({"source": "meta", "name": name, "agent": "*",
                        "rules": [one_blank(value)]})
        elif name == "robots" or "bot" in name:
            got = statements("meta", name, value, False)
            for x in got:
                x["agent"] = "*" if name == "robots" else name
            out += got or ([{"source": "meta", "name": name, "agent": name,
                             "rules": []}] if name != "robots" else [])
    return out


def first_meta(page, *names):
    for name in names:
        for d in page.metas:
            called = [d[k].lower() for k in ("name", "property", "itemprop") if k in d]
            value = one_blank(d.get("content", ""))
            if name.lower() in called and value and not value.startswith("https:"):
                return value
    for thing in page.things:
        value = thing.get("author" if "author" in names else
                          "datePublished" if "date" in names else None)
        if isinstance(value, list):
            value = value[0] if value else None
        if isinstance(value, dict):
            value = value.get("name")
        if isinstance(value, str) and value.strip():
            return one_blank(value)
    return None


def canonical(page, url):
    for href, base in page.links:
        if href.strip():
            base = urllib.parse.urljoin(url, base) if base else url
            return urllib.parse.urljoin(base, href.strip())
    return None


def unchunked(rec):
    if dict(rec.http).get(b"transfer-encoding") != b"chunked":
        return rec.body
    m = re.match(rb"([0-9a-f]+)\r\n", rec.body)
    return rec.body[m.end():m.end() + int(m.group(1), 16)] if m else rec.body


def wanted_of(rec):
    url = rec.url.decode("utf-8")
    fields = [(k.decode(), v.decode()) for k, v in rec.http or []]
    out = {"record_type": rec.kind}
    host = urllib.parse.urlsplit(url).netloc.lower()
    host = re.sub(r":[0-9]+$", "", host).rstrip(".")
    out["host"] = host.encode("idna").decode() if "[" not in host else host
    out["domain"] = DOMAINS.get(out["host"])
    if rec.warc:
        out["record_id"] = record_reader.field(rec.warc, b"warc-record-id").decode()
        ip = record_reader.field(rec.warc, b"warc-ip-address")
        out["ip"] = ip.decode() if ip else None
    else:
        out["ip"] = rec.head.split(b" ")[-4].decode()
    refers = {}
    for key, name in [("url", b"warc-refers-to-target-uri"),
                      ("timestamp", b"warc-refers-to-date"),
                      ("record_id", b"warc-refers-to")]:
        value = record_reader.field(rec.warc, name) if rec.warc else None
        if value:
            refers[key] = value.decode().replace(".250Z", ".25Z")
    out["revisit_of"] = refers or None
    to = dict(reversed(fields)).get("location")
    out["redirect"] = urllib.parse.urljoin(url, to.strip()) \
        if to and rec.status in (301, 302) else None
    if rec.kind == "revisit":
        return out
    body = unchunked(rec)
    page = None
    if body.startswith(b"<!doctype html"):
        page = Facts()
        page.feed(body.decode())
        out["html_lang"] = page.lang
        out["author"] = first_meta(page, "author", "article:author", "dc.creator")
        out["published"] = first_meta(page, *PUBLISHED)
        out["description"] = first_meta(page, "description", "og:description")
        out["canonical"] = canonical(page, url)
    out["robots"] = robots(fields, page)
    return out


def check_hostile(got):
    rows = [got["http://hostile.example/%d" % i] for i in range(6)]
    if len(rows[0]["robots"]) != 100000:
        fail("metas", len(rows[0]["robots"]))
    if [len(x["rules"]) for x in rows[2]["robots"]] != [1] * 200000:
        fail("agents", len(rows[2]["robots"]))
    if rows[3]["robots"][0]["rules"] != ["n\ufffd o [1mai"]:
        fail("control characters", rows[3]["robots"])
    if "canonical" in rows[4]:
        fail("a canonical URL that is too long", rows[4]["canonical"][:80])


def rows(folder, path):
    with open(path, encoding="utf-8") as f:
        got = [json.loads(line) for line in f]
    by_place = {(r["archive"], r["offset"]): r for r in got}
    n = 0
    for name in "w.warc.gz", "a.arc.gz":
        for at, _, rec in record_reader.records(os.path.join(folder, name)):
            if rec.kind == "filedesc" or b"hostile" in rec.url:
                continue
            row = by_place[name, at]
            for key, value in wanted_of(rec).items():
                if row.get(key) != value:
                    fail("%s of %s: got %r, wanted %r" % (
                        key, row["url"], row.get(key), value))
            n += 1
    check_hostile({r["url"]: r for r in got})
    if n < 500:
        fail("only %d records" % n)
    print(n, "records")


# ---- lookup ----

def both(rows, lines):
    with open(rows, encoding="utf-8") as f:
        wanted = [json.loads(line) for line in f]
    with open(lines, encoding="ascii") as f:
        got = [json.loads(line) for line in f]
    if len(got) != len(wanted) or not got:
        fail("%d lines, %d rows" % (len(got), len(wanted)))
    return zip(wanted, got)


def same(rows, lines):
    for wanted, got in both(rows, lines):
        if wanted != got:
            fail({k: (wanted.get(k), got.get(k)) for k in set(wanted) | set(got)
                  if wanted.get(k) != got.get(k)})


def within(lines, rows):
    for wanted, got in both(rows, lines):
        wanted.pop("digest", None)      # computed, where the index has none
        for key, value in wanted.items():
            if got.get(key) != value:
                fail(key, got, wanted)


# ---- near copies ----

def sentence(rng, words):
    return " ".join(rng.choice(words) for _ in range(rng.randint(8, 16))
                    ).capitalize() + "."


def article(rng, words):
    """A page in its parts: title, date, counter, sentences of paragraphs."""
    return {"title": sentence(rng, words), "date": "3 March 2024", "views": 17,
            "text": [[sentence(rng, words) for _ in range(rng.randint(4, 7))]
                     for _ in range(rng.randint(12, 16))]}


def rendered(a):
    return ("<!doctype html><title>%s</title><nav><a href=/>Home</a></nav><article>"
            "<h1>%s</h1><p>Published on %s, %d views</p>%s</article><footer>\u00a9"
            "</footer>" % (a["title"], a["title"], a["date"], a["views"], "".join(
                "<p>%s</p>" % " ".join(p) for p in a["text"]))).encode()


def copies(folder):
    rng = random.Random(18)
    letters = "eeeettaaooiinnsshhrrddlluucmwfgypbvk\u00e9"
    words = ["".join(rng.choice(letters) for _ in range(rng.randint(2, 9)))
             for _ in range(3000)]
    out = []
    for i in range(60):
        a = article(rng, words)
        pages = [a, json.loads(json.dumps(a))]
        where = rng.choice(pages[1]["text"])
        if i % 3 == 0:
            pages[1].update(date="17 October 2025")
        elif i % 3 == 1:
            pages[1].update(views=123456)
        else:
            where[rng.randrange(len(where))] = sentence(rng, words)
        for k, p in enumerate(pages):
            out.append(warc("response", "http://%d.example/%d" % (i, k),
                            b"HTTP/1.1 200 OK\r\nContent-Type: text/html; "
                            b"charset=utf-8\r\n\r\n" + rendered(p), [], rng))
    for i, text in enumerate([b"", b"12 34", b"a", b"A-b. C1d", b"x" * 5000,
                              "\u00c9t\u00e9 \u4e2d\u6587 test".encode()]):
        out.append(warc("response", "http://short.example/%d" % i,
                        b"HTTP/1.1 200 OK\r\nContent-Type: text/plain; "
                        b"charset=utf-8\r\n\r\n" + text, [], rng))
    with open(os.path.join(folder, "copies.warc.gz"), "wb") as f:
        f.write(b"".join(out))


MASK = 2 ** 64 - 1
P = [11400714785074694791, 14029467366897019727, 1609587929392839161,
     9650029242287828579, 2870177450012600261]


def rotated(x, n):
    return (x << n | x >> (64 - n)) & MASK


def xxh64(data, seed):
    """XXH64 of less than 32 bytes, as many as its specification has whole words."""
    h = (seed + P[4] + len(data)) & MASK
    while len(data) >= 8:
        k = int.from_bytes(data[:8], "little") * P[1] & MASK
        h ^= rotated(k, 31) * P[0] & MASK
        h = (rotated(h, 27) * P[0] + P[3]) & MASK
        data = data[8:]
    if len(data) >= 4:
        h ^= int.from_bytes(data[:4], "little") * P[0] & MASK
        h = (rotated(h, 23) * P[1] + P[2]) & MASK
    h = (h ^ h >> 33) * P[1] & MASK
    h = (h ^ h >> 29) * P[2] & MASK
    return h ^ h >> 32


def simhash(text):
    s = [ord(c.lower()) for c in text if c.isalpha()]
    if not s:
        return None
    least = {}
    for i in range(max(1, len(s) - 5)):
        h = xxh64(b"".join(c.to_bytes(4, "big") for c in s[i:i + 6]), 0)
        least[h >> 58] = min(h, least.get(h >> 58, h))
    out = 0
    for bit in range(64):
        k = next(b % 64 for b in range(bit, bit + 64) if b % 64 in least)
        out |= (xxh64(least[k].to_bytes(8, "big"), bit) >> 62 == 0) << bit
    return out - 2 ** 64 if out >> 63 else out


def alike(*paths):
    got = {}
    for path in paths:
        with open(path, encoding="utf-8") as f:
            for row in map(json.loads, f):
                got.setdefault(row["url"], {}).update(row)
    for url, row in got.items():
        wanted = simhash(row.get("main", ""))
        if row.get("simhash") != wanted:
            fail("simhash of %s: %r, wanted %r" % (url, row.get("simhash"), wanted))
    hashes = [[got["http://%d.example/%d" % (i, k)]["simhash"] & MASK
               for k in (0, 1)] for i in range(60)]
    near = [bin(a ^ b).count("1") for a, b in hashes]
    far = [bin(a[0] ^ b[1]).count("1") for i, a in enumerate(hashes)
           for j, b in enumerate(hashes) if i != j]
    if max(near) > 3 or min(far) <= 8:
        fail("copies: at most %d bits; others: at least %d" % (max(near), min(far)))
    print("copies: at most %d bits; others: at least %d" % (max(near), min(far)))


globals()[sys.argv[1]](*sys.argv[2:])
