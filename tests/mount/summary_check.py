#!/usr/bin/env python3
"""summary_check.py - what crawlfs summary counts, compared with a count of the
lines that the index was made of.

    summary_check.py make FOLDER
        crawl.cdxj, its halves even.cdxj and odd.cdxj (lines by turns), and
        list.dat, a public suffix list
    summary_check.py json LINES INDEX RULE FILTER FILE
        FILE is what --json printed of LINES: INDEX is surt (hosts lack "www."
        and pages are those of the keys) or url; RULE is list (list.dat beside
        LINES) or none; FILTER is all, a URL's host and those below it, or a
        status
    summary_check.py html JSON FILE
        FILE is a page with the figures of JSON, and no markup comes of names
    summary_check.py text JSON FILE
        FILE is text with the figures of JSON, of at most 80 columns

SPDX-License-Identifier: GPL-3.0-or-later
"""
import collections
import html.parser
import json
import os
import random
import re
import sys
from datetime import datetime, timezone
from urllib.parse import urlsplit

HOSTS = """
example.com www.example.com a.example.com b.a.example.com example-x.com
a-b.example.com aa.example.com example.co.uk www.example.co.uk co.uk uk
x.example.co.uk news.bbc.co.uk site.city.kawasaki.jp city.kawasaki.jp
a.b.kawasaki.jp b.kawasaki.jp kawasaki.jp jp one.ac.jp www.ck a.www.ck b.c.ck
c.ck me.blogspot.com you.blogspot.com blogspot.com 192.0.2.7 10.0.0.1
shop.example.xn--55qx5d.cn xn--55qx5d.cn localhost a.unlisted b.a.unlisted
exam.com exampl.com example.com.au example.de sub.example.de
""".split()
RULES = """// VERSION: 2021-06-05_07-08-09_UTC
// ===BEGIN ICANN DOMAINS===
com
uk
co.uk
jp
ac.jp
*.kawasaki.jp
!city.kawasaki.jp
*.ck
!www.ck
cn
\u516c\u53f8.cn
de
au
com.au trailing words
// ===END ICANN DOMAINS===
// ===BEGIN PRIVATE DOMAINS===
blogspot.com
// ===END PRIVATE DOMAINS===
"""
TYPES = ["text/html"] * 9 + ["Text/HTML; charset=utf-8", "image/png", "image/jpeg",
         "application/pdf", "text/plain", "", "<b>bold</b>", "a&b;\"'>",
         "\u202etxt/html", "\u65e5\u672c/\u8a9e", "x/" + "long" * 40,
         "a&b/x;\"'>", "x/&lt;", "no-type", "unk", "x/y z"]
# RFC 6838, 4.2
NAME = "[A-Za-z0-9!#$&^_.+-]+"
WORDS = ("ac co com edu gob go gov gv mil ne net nom or org sch").split()


def surt(url):
    u = urlsplit(url)
    host = u.hostname
    if host.startswith("www."):
        host = host[4:]
    if not re.fullmatch(r"[0-9.]+", host):
        host = ",".join(reversed(host.split(".")))
    port = ":%d" % u.port if u.port else ""
    path = u.path.lower()
    return host + port + ")" + (path if path == "/" else path.rstrip("/")) + (
        "?" + u.query if u.query else "")


def make(folder):
    rng = random.Random(7)
    lines = []
    for i in range(6000):
        host = HOSTS[min(int(rng.expovariate(0.12)), len(HOSTS) - 1)]
        port = rng.choice([""] * 12 + [":8080", ":81"])
        url = "%s://%s%s/%s" % (rng.choice(["http", "https"]), host, port,
                                rng.choice(["", "a", "b/c", "d-%d" %
                                            rng.randrange(400), "q?x=%d" % i]))
        if rng.random() < 0.01:
            url += "/%3Cscript%3E'" + "z" * rng.randrange(200)
        year = rng.choice([1996, 2004, 2012, 2012, 2012, 2024])
        time = "%d%02d%02d%02d%02d%02d" % (
            year, rng.randrange(1, 13), rng.randrange(1, 29),
            rng.randrange(24), rng.randrange(60), rng.randrange(60))
        info = {"url": url, "mime": rng.choice(TYPES),
                "status": rng.choice(["200"] * 8 + ["404", "301", "503"]),
                "length": str(rng.randrange(300, 90000)),
                "offset": str(i * 100000), "filename": "a-%d.warc.gz" % (i % 3)}
        if rng.random() < 0.5:
            info["languages"] = rng.choice(["eng", "deu", "deu,eng", "zho"])
        lines.append((surt(url), time, info))
    lines.sort(key=lambda v: (v[0].encode(), v[1]))
    for name, some in (("crawl", lines), ("even", lines[::2]),
                       ("odd", lines[1::2])):
        with open(os.path.join(folder, name + ".cdxj"), "w",
                  encoding="utf-8") as f:
            for key, time, info in some:
                f.write("%s %s %s\n" % (key, time, json.dumps(info)))
    with open(os.path.join(folder, "list.dat"), "w", encoding="utf-8") as f:
        f.write(RULES)


# ---- registered domains, as publicsuffix.org/list says ----

def suffix_labels(labels):
    """The number of labels of the public suffix, by the rules that match."""
    rules = [r.split()[0] for r in RULES.split("===BEGIN ICANN")[1]
             .split("// ===END")[0].split("\n")[1:] if r.strip()]
    best, n = None, 1
    for rule in rules:
        name = rule.lstrip("!").encode("idna").decode() if "*" not in rule \
            else rule
        parts = name.split(".")
        if len(parts) > len(labels) or not all(
                a in ("*", b) for a, b in zip(reversed(parts),
                                              reversed(labels))):
            continue
        if rule.startswith("!"):
            return len(parts) - 1
        if best is None or len(parts) > n:
            best, n = rule, len(parts)
    return n


def domain(host, rule):
    if re.fullmatch(r"[0-9.]+", host):
        return host
    labels = host.split(".")
    if rule == "list":
        n = suffix_labels(labels) + 1
    else:
        n = 3 if len(labels[-1]) == 2 and len(labels) > 1 and \
            labels[-2] in WORDS else 2
    return ".".join(labels[-n:])


# ---- counts ----

def read_lines(path):
    with open(path, encoding="utf-8") as f:
        for line in f:
            key, time, info = line.split(" ", 2)
            yield key, time, json.loads(info)


def picks(info, wanted):
    if wanted == "all":
        return True
    if wanted.isdigit():
        return info["status"] == wanted
    host = urlsplit(info["url"]).hostname
    return host == wanted or host.endswith("." + wanted)


def count(lines, index, rule, wanted):
    by = collections.defaultdict(lambda: collections.defaultdict(
        lambda: {"captures": 0, "bytes": 0, "pages": set()}))
    pages, times, records = set(), [], []
    for key, time, info in read_lines(lines):
        if not picks(info, wanted):
            continue
        u = urlsplit(info["url"])
        host = u.hostname
        if index == "surt" and host.startswith("www."):
            host = host[4:]
        page = key if index == "surt" else (host, u.path, u.query)
        when = datetime.strptime(time, "%Y%m%d%H%M%S").replace(
            tzinfo=timezone.utc)
        kind = re.match(NAME + "/" + NAME, info["mime"])
        kind = kind.group().lower()[:127] if kind else ""
        length = int(info["length"])
        # a crawlfs index has no languages of a CDXJ
        language = "unknown" if index == "url" else \
            info.get("languages", "unknown").split(",")[0]
        pages.add(page)
        times.append(when)
        records.append((length, info["url"]))
        for name, k in (("domain", domain(host, rule)), ("host", host),
                        ("type", kind or "unknown"),
                        ("status", info["status"]),
                        ("language", language), ("year", str(when.year))):
            row = by[name][k]
            row["captures"] += 1
            row["bytes"] += length
            row["pages"].add(page)
    return by, pages, times, records


def iso(t):
    return t.strftime("%Y-%m-%dT%H:%M:%SZ")


def differences(doc, lines, index, rule, wanted):
    by, pages, times, records = count(lines, index, rule, wanted)
    n = len(times)
    for key, value in (
            ("captures", n), ("pages", len(pages)),
            ("hosts", len(by["host"])), ("domains", len(by["domain"])),
            ("bytes", sum(r[0] for r in records)), ("without_bytes", 0),
            ("first", iso(min(times))), ("last", iso(max(times))),
            ("strips_www", index == "surt"),
            ("suffix_list", "2021-06-05" if rule == "list" else None)):
        if doc.get(key) != value:
            yield "%s: %r, not %r" % (key, doc.get(key), value)
    for name in ("domain", "host", "type", "status", "language", "year"):
        group, wants = doc["by_" + name], by[name]
        rows = group["rows"]
        if group["keys"] != len(wants) or "lacks" in group:
            yield "by_%s: %d keys, not %d" % (name, group["keys"], len(wants))
        if len({r["key"] for r in rows}) != len(rows):
            yield "by_%s: a key twice" % name
        for row in rows:
            want = wants.get(row["key"])
            if want is None or (row["captures"], row["bytes"]) != (
                    want["captures"], want["bytes"]) or (
                        "pages" in row and row["pages"] != len(want["pages"])):
                yield "by_%s: %r, not %r" % (name, row, want and dict(
                    want, pages=len(want["pages"])))
        counts = [r["captures"] for r in rows]
        if name == "year":
            if [r["key"] for r in rows] != sorted(wants):
                yield "the years: %r" % rows
        elif counts != sorted((w["captures"] for w in wants.values()),
                              reverse=True)[:len(rows)]:
            yield "by_%s: not the most frequent: %r" % (name, counts)
        if len(rows) < min(len(wants), 50):
            yield "by_%s: %d rows only" % (name, len(rows))
    largest = [(r["bytes"]) for r in doc["largest"]]
    if largest != sorted((r[0] for r in records), reverse=True)[:50]:
        yield "largest: %r" % largest[:5]
    known = set(records)
    for r in doc["largest"]:
        if index == "url" and not any(
                b == r["bytes"] and urlsplit(u).path == urlsplit(r["url"]).path
                for b, u in known):
            yield "no such record: %r" % r


def check_json(lines, index, rule, wanted, path):
    with open(path, encoding="ascii") as f:
        doc = json.load(f)
    return list(differences(doc, lines, index, rule, wanted))


# ---- the page ----

VOID = {"meta"}
KNOWN = {"html", "head", "meta", "title", "style", "body", "main", "h1", "h2",
         "p", "dl", "dt", "dd", "div", "data", "time", "section", "svg", "g",
         "rect", "text", "details", "summary", "table", "thead", "tbody", "tr",
         "th", "td", "footer", "ul", "li"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.bad, self.data, self.bars = [], [], {}, []
        self.seen, self.ids = collections.Counter(), set()

    def handle_starttag(self, tag, attrs):
        a = dict(attrs)
        if tag not in KNOWN:
            self.bad.append("an element %r" % tag)
        self.bad += ["an attribute %r" % k for k in a
                     if k.startswith("on") or k in ("href", "src", "style")]
        if "id" in a:
            if a["id"] in self.ids:
                self.bad.append("an id twice: %r" % a["id"])
            self.ids.add(a["id"])
        self.seen[tag] += 1
        if tag == "data" and "id" in a:
            self.data[a["id"]] = int(a["value"])
        if "data-key" in a:
            section = [i for t, i in self.open if t == "section"][-1]
            self.bars.append((section, a["data-key"], int(a["data-count"]),
                              float(a["height"]) / 1.2 if section in (
                                  "by-year", "by-month") else
                              float(a["width"].rstrip("%"))))
        if tag not in VOID:
            self.open.append((tag, a.get("id")))

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop()[0] != tag:
            self.bad.append("the end of %r" % tag)


def shown(key):
    """A key as a page has it: what changes direction is replaced."""
    return re.sub("[\u200b-\u200f\u2028-\u202e\u2060-\u206f]", "\ufffd", key)


def check_html(json_path, path):
    with open(json_path, encoding="ascii") as f:
        doc = json.load(f)
    with open(path, encoding="utf-8") as f:
        text = f.read()
    page = Page()
    page.feed(text)
    page.close()
    bad = page.bad + ["not closed: %r" % v[0] for v in page.open]
    for name in ("captures", "pages", "hosts", "domains", "bytes"):
        if page.data.get(name) != doc[name]:
            bad.append("%s: %r" % (name, page.data.get(name)))
    for name in ("domain", "host", "type", "status", "language", "year"):
        bars = [b[1:] for b in page.bars if b[0] == "by-" + name]
        rows = [(shown(r["key"]), r["captures"])
                for r in doc["by_" + name]["rows"]]
        # a short crawl has months; what says nothing has no chart
        if name == "year" and not bars:
            bars = [b[1:] for b in page.bars if b[0] == "by-month"]
            years = collections.Counter()
            for key, count, _ in bars:
                years[key[:4]] += count
            if sorted(years.items()) != [r for r in rows if
                                         r[0] != "unknown"][:len(rows)] and \
                    len(rows) > 1:
                bad.append("months: %r, years: %r" % (bars, rows))
        elif len(rows) < 2 and (name == "year" or rows[0][0] == "unknown"):
            if bars:
                bad.append("bars of %s, which says nothing" % name)
        elif not bars or [b[:2] for b in bars] != rows[:len(bars)]:
            bad.append("bars of %s: %r" % (name, bars[:3]))
        most = max((b[1] for b in bars), default=1)
        bad += ["the width of %r" % (b,) for b in bars
                if abs(b[2] - 100 * b[1] / most) > 0.01]
    charts = {b[0] for b in page.bars}
    for tag, wanted in (("h1", 1), ("main", 1), ("title", 1 + len(
            charts) + len(page.bars)), ("section", len(charts) + 1)):
        if page.seen[tag] != wanted:
            bad.append("%d of %r" % (page.seen[tag], tag))
    for needed in ('<html lang="en">', 'name="viewport"', "default-src 'none'"):
        if needed not in text:
            bad.append("no %s" % needed)
    return bad


# ---- the text ----

def check_text(json_path, path):
    with open(json_path, encoding="ascii") as f:
        doc = json.load(f)
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    bad = ["%d columns: %r" % (len(v), v) for v in lines if len(v) > 80]
    for name in ("captures", "pages", "hosts", "domains"):
        if not any(re.match(r"  %s +%s(  |$)" % (name, "{:,}".format(
                doc[name])), v) for v in lines):
            bad.append("no %s" % name)
    for name in ("domain", "host", "type", "status", "language", "year"):
        at = lines.index("By " + name) + 1
        rows = doc["by_" + name]["rows"][:10]
        if [row["key"] for row in rows] == ["unknown"]:
            if not lines[at].startswith("  none is known"):
                bad.append("%r of what is not known" % lines[at])
            rows = []
        for row in rows:
            found = re.match(r"  (.{31}) +([0-9,]+) +([0-9.]+)%  (.+)$",
                             lines[at])
            key = row["key"]
            if found is None or int(found.group(2).replace(",", "")) != \
                    row["captures"] or (
                        len(key) < 31 and found.group(1).strip() != key):
                bad.append("%r is not %r" % (lines[at], row))
            at += 1
    if any(c < " " or "\u202a" <= c <= "\u202e" for v in lines for c in v
           if c != "\u202e"):
        bad.append("a control character")
    return bad


def main(argv):
    if argv[0] == "make":
        make(argv[1])
        return 0
    bad = {"json": check_json, "html": check_html,
           "text": check_text}[argv[0]](*argv[1:])
    for row in bad[:20]:
        print(row)
    return len(bad) > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
