#!/usr/bin/env python3
"""search_check.py - the search of crawlfs serve, asked by a client, and
compared with a model of its own.

    search_check.py make FOLDER
        one.warc.gz, two.warc.gz: pages of known words; other.warc.gz: other
        ones; many-a.warc.gz, many-b.warc.gz: many pages with two words
    search_check.py words|filters|order|page|near|names|hostile|no-words|lost|
                    many URL [NAME...]
        asks the server, which has those of one and two (many: those of many),
        or the crawls NAME

The model knows the text of each page, as it was made.
SPDX-License-Identifier: GPL-3.0-or-later
"""
import json
import os
import random
import re
import sys
from collections import Counter
from urllib.parse import quote, urlencode, urljoin

from pages_check import EVIL, need, page, record, run, same

WORDS = ("river stone amber falcon meadow copper violin harbor lantern orchid "
         "pepper saddle tunnel velvet walnut zephyr").split()
HOSTS = "www.rivers.example", "stones.example", "a.b.example.org"
TYPES = "text/html", "text/plain"
CJK = "\u5317\u4eac\u5e02\u662f\u9996\u90fd"
PAGES = 150


class Capture:
    def __init__(self, url, when, mime, title, text):
        self.url, self.when, self.mime = url, when, mime
        self.title, self.text = title, text
        self.host = url.split("/")[2]

    def words(self):
        title = self.title if self.mime == "text/html" else ""
        return re.findall(r"\w+", (title + "\n" + self.text).lower())

    def has(self, *terms):
        """Terms are words, or tuples of words that follow one another."""
        words = self.words()
        for term in terms:
            term = (term,) if isinstance(term, str) else term
            if not any(tuple(words[i:i + len(term)]) == term
                       for i in range(len(words))):
                return False
        return True

    def body(self):
        if self.mime == "text/plain":
            return self.text.encode()
        return page(self.title, "".join("<p>%s</p>" % line for line in
                                        self.text.split("\n")))


def model():
    """All captures, in the order of the tree."""
    rng = random.Random(7)
    captures = []
    for i in range(PAGES):
        url = "http://%s/p/%03d" % (HOSTS[i % 3], i)
        for year in rng.sample(range(2015, 2024), rng.choice((1, 1, 1, 2, 4))):
            lines = [" ".join(rng.choices(WORDS, k=rng.randint(3, 30)))
                     for _ in range(rng.randint(1, 12))]
            if i % 10 == 0:
                lines.append("page of " + CJK)
            if i == 78:
                lines.append("falcons")
            if i == 77:
                lines.append("the unicorn, which occurs once")
            captures.append(Capture(
                url, "%d-03-0%dT10:00:00Z" % (year, 1 + i % 9),
                TYPES[i % 7 == 0], "Page %03d %s" % (i, WORDS[i % 16]),
                "\n".join(lines)))
    for i, n in enumerate((1, 6)):
        captures.append(Capture(
            "http://ranked.example/%d" % i, "2020-01-01T00:00:00Z",
            "text/html", "Ranked", " ".join(
                ["basilisk"] * n + ["filler%d" % k for k in range(40 - n)])))
    return captures


def many():
    """Captures of many pages that all have two words, which follow one another
    in a third of them; most of them have equals."""
    rng = random.Random(8)
    captures = []
    for i in range(1200):
        for year in range(2015, 2015 + rng.choice((1, 1, 1, 3))):
            pair = ["amber", "falcon"]
            if rng.random() < 0.66:
                pair.insert(1, "and")
            text = " ".join(pair * rng.choice((1, 1, 2)) +
                            ["meadow"] * rng.randint(0, 3))
            captures.append(Capture(
                "http://many%d.example/%04d" % (i % 2, i),
                "%d-03-01T10:00:00Z" % year, "text/plain", "", text))
    return captures


def make(folder):
    files = [open(os.path.join(folder, name + ".warc.gz"), "wb")
             for name in ("one", "two", "other")]
    for i, c in enumerate(model()):
        files[i % 2].write(record(c.url, c.when, 200, c.mime, c.body()))
    files[0].write(record("http://evil.example/" + quote(EVIL),
                          "2021-01-01T00:00:00Z", 200, "text/html",
                          page(EVIL.replace("<", "&lt;"), "<p>gorgon %s</p>" %
                               EVIL.replace("<", "&lt;"))))
    files[0].write(record("http://cockatrice.example/x", "2021-01-01T00:00:00Z",
                          200, "text/html", page("Bird", "<p>bird</p>")))
    files[2].write(record("http://other.example/", "2021-01-01T00:00:00Z",
                          200, "text/html", page("Other", "river delta")))
    for name in "many-a", "many-b":
        files.append(open(os.path.join(folder, name + ".warc.gz"), "wb"))
    for i, c in enumerate(many()):
        files[3 + i % 2].write(record(c.url, c.when, 200, c.mime, c.body()))
    for f in files:
        f.close()


# ---- questions ----

def ask(client, query, status=200, **more):
    path = "/search?" + urlencode(dict(more, q=query, format="json"))
    r, body = client.get(path)
    same(path, (r.status, r.getheader("Content-Type")),
         (status, "application/json"))
    need(max(body) < 127, "not ASCII: " + path)
    return json.loads(body)


def all_results(client, query, **more):
    """The results on all pages of the list, and the first page."""
    first = ask(client, query, **more)
    results = list(first["results"])
    for n in range(2, first["last_page"] + 1):
        results += ask(client, query, page=n, **more)["results"]
    need(all(len(r["lines"]) <= 3 for r in results), "too many lines")
    same("the number of results", len(results), first["pages"])
    return results, first


def matching(terms, wanted=lambda c: True):
    return [c for c in model() if c.has(*terms) and wanted(c)]


def check_result(query, terms, r):
    """Marked parts are terms; lines are lines of the text."""
    own = [c for c in model() if c.url == r["url"]]
    texts = {c.when: c for c in own}
    need(r["timestamp"] in texts, "%s at %s" % (r["url"], r["timestamp"]))
    same("captures of " + r["url"], r["captures"], len(own))
    same("those that match", r["matching"],
         len([c for c in own if c.has(*terms)]))
    one = texts[r["timestamp"]]
    need(one.has(*terms), "%s has not %s" % (r["url"], query))
    if one.mime == "text/html":
        same("the title", r["title"], one.title)
    need(r["lines"], "no lines: " + r["url"])
    known = (one.title + "\n" if one.mime == "text/html" else "") + one.text
    shown = set()
    for line in r["lines"]:
        marked = [p.lower() for p in line["parts"][1::2]]
        need(marked, "nothing is marked: %r" % line)
        need("".join(line["parts"]) in known, line)
        for m in marked:
            m = tuple(re.findall(r"\w+", m))
            # a phrase may go on in the next line, or begin in the one before
            need(any(t == m or (t[:len(m)] == m and not line["parts"][-1]) or
                     (t[-len(m):] == m and not line["parts"][0])
                     for t in ((t,) if isinstance(t, str) else t
                               for t in terms)), m)
        shown |= set(marked)
    return shown


QUERIES = [
    ("river", ["river"]), ("RIVER", ["river"]), ("unicorn", ["unicorn"]),
    ("river stone", ["river", "stone"]), ("river+stone", ["river", "stone"]),
    ('"amber falcon"', [("amber", "falcon")]),
    ('"amber falcon" meadow', [("amber", "falcon"), "meadow"]),
    ("zephyr walnut velvet tunnel saddle", ["zephyr", "walnut", "velvet",
                                            "tunnel", "saddle"]),
    ("page 077", ["page", "077"]),
]


def check_words(client):
    for query, terms in QUERIES:
        results, first = all_results(client, query)
        wanted = matching(terms)
        pages = {c.url for c in wanted}
        same("pages of " + query, first["pages"], len(pages))
        same("captures of " + query, first["captures"], len(wanted))
        same("it is all", (first["complete"], first["unread"]), (True, 0))
        same("URLs of " + query, sorted(r["url"] for r in results),
             sorted(pages))
        for r in results:
            check_result(query, terms, r)
        for key, of in (("by_host", lambda c: c.host),
                        ("by_type", lambda c: c.mime),
                        ("by_year", lambda c: c.when[:4])):
            count = Counter(v for v, _ in {(of(c), c.url) for c in wanted})
            same(key, [(v["key"], v["pages"]) for v in first[key]],
                 sorted(count.items(), key=lambda v: (-v[1], v[0])))
    results, first = all_results(client, CJK[1:4])
    same("pairs", sorted(r["url"] for r in results), sorted(
        {c.url for c in model() if CJK[1:4] in c.text}))
    need(all(CJK[1:4] in l["parts"] for r in results for l in r["lines"]),
         "the pairs are one mark")


def check_filters(client):
    for filters, wanted in (
            ({"host": "stones.example"}, lambda c: c.host == "stones.example"),
            ({"year": "2019"}, lambda c: c.when[:4] == "2019"),
            ({"type": "text/plain"}, lambda c: c.mime == "text/plain"),
            ({"host": "stones.example", "year": "2020",
              "type": "text/html"},
             lambda c: (c.host, c.when[:4], c.mime) == (
                 "stones.example", "2020", "text/html")),
            ({"host": "example"}, lambda c: False),
            ({"host": "*.rivers.example"},
             lambda c: c.host == "www.rivers.example"),
            ({"host": "*.example"}, lambda c: c.host.endswith(".example")),
            ({"host": "*.ers.example"}, lambda c: False),
            ({"language": "xyz"}, lambda c: False)):
        results, first = all_results(client, "river", **filters)
        wanted = matching(["river"], wanted)
        same("%r: URLs" % filters, sorted(r["url"] for r in results),
             sorted({c.url for c in wanted}))
        same("%r: captures" % filters, first["captures"], len(wanted))
    # the links of the page lead where they say
    r = client.page("/search?q=river")
    for by in "host", "type", "year":
        links = r.below("a", "by-" + by)
        need(len(links) > 1, "links by " + by)
        figures = [int(e[1]["value"]) for e in r.below("data", "by-" + by)]
        for link, figure in zip(links, figures):
            one = client.page(urljoin("/search", link[1]["href"]))
            same(link[2], total(one), figure)
            need([e for e in one.find("a") if e[2] == "any " + by], "no way "
                 "back of " + link[2])
    for query, status in (("year=x", 400), ("type=,", 400), ("language=e", 400),
                          ("page=0", 400), ("page=99", 404), ("in=x", 400),
                          ("host=%00", 400)):
        client.failure("/search?q=river&" + query, status)
        r, body = client.get("/search?format=json&q=river&" + query)
        need(r.status == status and list(json.loads(body)) == ["message"],
             "%s: %r" % (query, body))
    client.failure("/search?q=river&format=xml", 400)


def total(reader):
    return int(reader.find("data", id="total")[0][1]["value"])


def check_order(client):
    """A page with a word six times comes before one of the same length that
    has it once; and the order is always the same."""
    urls = [r["url"] for r in all_results(client, "basilisk")[0]]
    same("basilisk", urls, ["http://ranked.example/1",
                            "http://ranked.example/0"])
    one = all_results(client, "river")[0]
    same("the order", [r["url"] for r in all_results(client, "river")[0]],
         [r["url"] for r in one])


def check_page(client):
    """The page for people has what the JSON has, 20 a page."""
    results, first = all_results(client, "river stone")
    path, seen = "/search?q=river+stone", []
    while path:
        r = client.page(path)
        same("the total", total(r), first["pages"])
        items = r.below("a", "results")
        need(len(items) <= 20, "%d results" % len(items))
        seen += items
        for mark in r.find("mark"):
            need(mark[2].lower() in ("river", "stone"), mark[2])
        need(r.below("mark", "results"), "marks")
        following = [e[1]["href"] for e in r.find("a", rel="next")]
        path = urljoin(path, following[0]) if following else None
    same("the results", len(seen), len(results))
    same("their links", [e[1]["href"] for e in seen],
         ["/page/" + quote(v["path"]) + "?q=river%20stone" for v in results])
    need(first["last_page"] > 1, "one page")
    # behind a link, the words are marked in the text
    r = client.page(seen[0][1]["href"])
    marks = {e[2].lower() for e in r.below("mark", "text")}
    same("marks in the text", marks, {"river", "stone"})
    r = client.page(seen[0][1]["href"].split("?")[0])
    same("without words", r.find("mark"), [])
    # a word that is a name, too
    r = client.page("/search?q=example")
    need([e for e in r.below("a", "names") if
          e[1]["href"].endswith("/example/")], "the folder of that name")
    r, body = client.get("/opensearch.xml")
    need(r.status == 200 and (client.base.rstrip("/") +
                              "/search?q={searchTerms}").encode() in body,
         body)


def check_folder(client):
    """The page of a folder searches its host."""
    for folder, hosts in (("example/rivers/", ["www.rivers.example"]),
                          ("example/", ["www.rivers.example",
                                        "stones.example"])):
        r = client.page("/tree/" + folder)
        form = r.find("form", class_="on-host")
        need(len(form) == 1, "no form: " + folder)
        fields = {e[1]["name"]: e[1].get("value", "") for e in r.find("input")
                  if "form" in e[3] and e[1].get("type") == "hidden"}
        found = client.page("/search?" + urlencode(dict(fields, q="river")))
        same("found below " + folder, total(found), len(
            {c.url for c in matching(["river"], lambda c: c.host in hosts)}))
    need(not client.page("/tree/").find("form", class_="on-host"), "the top")


def check_near(client):
    r = client.page("/search?q=rivver")
    same("the total", total(r), 0)
    links = {e[2]: e[1]["href"] for e in r.below("a", "near")}
    need("river" in links, links)
    need(total(client.page(urljoin("/search", links["river"]))) > 0, "near")
    need("river" in ask(client, "rivver")["near"], "near")
    r = client.page("/search?q=rivver+stone")
    need("river stone" in [e[2] for e in r.below("a", "near")], "two words")
    # falcons is near falcon, which is there
    need("near" not in ask(client, "falcon cockatrice999"), "a word that is "
         "there was replaced")
    need("near" not in ask(client, "unicorn"), "near, though something is "
         "found")


def check_names(client):
    """Where no text has it, a name may."""
    r = client.page("/search?q=cockatrice")
    same("the total", total(r), 0)
    same("names", [e[1]["href"] for e in r.below("a", "names")],
         ["/page/example/cockatrice/_/x"])
    for typed, place in (("http://cockatrice.example/x",
                          "/page/example/cockatrice/_/x"),
                         ("cockatrice.example/x",
                          "/page/example/cockatrice/_/x")):
        r, _ = client.get("/search?q=" + quote(typed))
        same(typed, (r.status, r.getheader("Location")), (302, place))
    r = client.page("/search?q=stones.example")
    need([e for e in r.find("a") if e[1]["href"] == "/tree/example/stones/"],
         "a host")
    other = [e[1]["href"] for e in r.find("a") if "in=words" in e[1]["href"]]
    need(other, "no link to the words")
    client.page(urljoin("/search", other[0]))


def check_hostile(client):
    r = client.page("/search?q=gorgon")
    same("the total", total(r), 1)
    need("<script>alert(1)</script>" in r.find("h2")[0][2].replace(
        "\ufffd", ""), "the title, as text")
    for typed in (EVIL, "%", "\"", "\"\"", "\"river", "river\"", "a" * 200,
                  "a " * 33, "river " * 32, "x" * 1025, "x" * 8000, "\u202e",
                  "\xff\xfe", "' OR 1=1", "<b>river</b>", "+", "river*",
                  "\n", "-river", "q=1&r=2", "\U0001f98a", "\u0e01" * 300):
        for more in "", "&in=words", "&in=names", "&format=json":
            path = "/search?q=" + quote(typed) + more
            r, body = client.get(path)
            need(r.status in (200, 302, 400), "%s: %d" % (path[:200],
                                                           r.status))
            need(b"<script>" not in body or more == "&format=json",
                 path[:200])
    for n in 9000, 1 << 20:
        r, body = client.get("/search?q=" + "x" * n)
        need(r.status in (400, 413, 414, 431), "%d bytes: %d" % (n, r.status))


def check_no_words(client, *_):
    r = client.page("/search?q=river+delta")
    told = [e[2] for e in r.find("p", id="no-words")]
    need(told and "crawlfs index --words" in told[0], told)
    need("/" not in told[0], "a folder of the server: %r" % told)
    need("crawlfs index --words" in ask(client, "river", 404)["message"],
         "JSON says why")
    client.page("/search?q=river&in=words")
    for part in "ther", "ther.exam", "*OTHER*":
        r, _ = client.get("/search?q=" + part)
        same(part, r.getheader("Location"), "/page/example/other/_/_index")
    r, _ = client.get("/search?q=other.example%2f")
    same("names are found", r.status, 302)


def check_some(client, *names):
    """One of the crawls has no list."""
    results, first = all_results(client, "river")
    need(not first["complete"] and "crawlfs index --words" in
         first["message"], first["message"])
    wanted = {c.url for c in matching(["river"])}
    same("results", {r["url"] for r in results}, wanted)
    need(all(r["path"].startswith(names[0] + "/") for r in results), "paths")
    need(client.page("/search?q=river").find("p", id="no-words"), "no-words")


def check_both(client, *names):
    """Crawls side by side have one order."""
    results, first = all_results(client, "river")
    same("pages", first["pages"], len({c.url for c in matching(["river"])}) + 1)
    need([r for r in results if r["url"] == "http://other.example/"], "other")
    need(all(r["path"].split("/")[0] in names for r in results), "paths")


def check_lost(client, *_):
    """The list, or a text, is damaged: nothing is shown that is wrong."""
    results, first = all_results(client, "river")
    wanted = {c.url for c in matching(["river"])}
    got = {r["url"] for r in results}
    need(got <= wanted, got - wanted)
    need(got == wanted or not first["complete"], "it is not said")


def check_many(client, *names):
    """Of a phrase whose words many pages have, no more texts are read than for
    the page that is shown: what is there is the same, and that there may be
    more is said."""
    query, phrase = '"amber falcon"', ("amber", "falcon")
    for filters, wanted in (({}, lambda c: True), ({"host": "many0.example"},
                            lambda c: c.host == "many0.example")):
        hits = [c for c in many() if c.has(phrase) and wanted(c)]
        left, last, n, results = [], 1, 0, []
        while n < last:
            n += 1
            one = ask(client, query, page=n, **filters)
            results += one["results"]
            same("it is all", one["complete"], one["texts_left"] == 0)
            need(one["pages"] >= min(20 * n + 1, len({c.url for c in hits})),
                 "page %d: %d" % (n, one["pages"]))
            left.append(one["texts_left"])
            last = one["last_page"]
        same("texts left", left, sorted(left, reverse=True))
        need(left[0] > 0 and left[-1] == 0, left)
        every, first = all_results(client, query, all=1, **filters)
        same("all", (first["complete"], first["texts_left"]), (True, 0))
        same("captures", first["captures"], len(hits))
        need([(r["path"], r["matching"]) for r in results] ==
             [(r["path"], r["matching"]) for r in every],
             "the results or their order differ from those of all")
        # of a page in both crawls, each has a result
        same("the pages", sum(r["matching"] for r in every), len(hits))
    r = client.page("/search?" + urlencode({"q": query}))
    need(" and more" in r.find("p", role="status")[0][2], "more is not said")
    link = [e for e in r.find("a") if e[2] == "Count all"]
    one = client.page(urljoin("/search", link[0][1]["href"]))
    need(total(one) > total(r), "not all are counted")
    same("no link", [e for e in one.find("a") if e[2] == "Count all"], [])
    following = one.find("a", rel="next")[0][1]["href"]
    same("the next page", total(client.page(urljoin("/search", following))),
         total(one))


def main(argv):
    if argv[0] == "make":
        make(argv[1])
        return 0
    return run(globals()["check_" + argv[0].replace("-", "_")], *argv[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
