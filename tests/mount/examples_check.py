#!/usr/bin/env python3
# examples_check.py - runs the examples of the manuals of commands, and compares
# what comes of them with what the archives hold.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     examples_check.py rows FOLDER
#         the captures of FOLDER/crawl as rows of the columnar index, JSON lines;
#         FOLDER/answer.csv is made, with those in Spanish
#     examples_check.py names MANUALS
#         a line PAGE NAME for each example of the pages in section 1; fails if
#         one has no name or that of another, or if it is not checked here, or
#         if one that is checked here is in no page; of pages whose blocks
#         other tests run (WHOLE), also if a block is run by none
#     examples_check.py run PAGE FOLDER NAME
#         one of them, in FOLDER
"""The archives are read by the independent reader, and names are the model's."""

import collections
import csv
import difflib
import gzip
import json
import os
import re
import sys
import time
import zipfile

import jobs_check
import record_reader
import sessions

HTML = "text/html"
PDF = "application/pdf"


class Page:
    """A capture, and the name that it has in the tree."""

    def __init__(self, path, capture):
        self.path = path.decode()
        self.url = capture.url.decode()
        self.host = self.url.split("/")[2]
        self.archive, self.offset = capture.archive, capture.offset
        self.when = time.strftime("%Y%m%d%H%M%S", time.gmtime(capture.time))
        self.time = capture.time
        self.status = capture.status
        self.mime = capture.fields(b"content-type")[0].split(";")[0]
        self.body = capture.body
        self.block = capture.rec.block
        reader = jobs_check.Reader(self.url)
        if self.mime == HTML:
            reader.feed(self.body.decode())
            reader.close()
        self.links = [href for _, href, _ in reader.links]
        self.text = "".join(reader.text) if self.mime == HTML else \
            self.body.decode() if self.mime == "text/plain" else ""
        self.words = self.text.split()

    def has(self, text):
        return text in " ".join(self.words)


def pages(folder):
    return [Page(*p) for p in jobs_check.pages(folder, True)]


def expect(what, got, wanted):
    if got != wanted:
        raise SystemExit("%s:\n got    %r\n wanted %r" % (what, got, wanted))


def lines(command):
    return command.out.splitlines()


def counted(command):
    """{what: count} of the lines of uniq -c."""
    return {line.split(None, 1)[1]: int(line.split()[0])
            for line in lines(command) if len(line.split(None, 1)) > 1}


def files(folder):
    """{path: (bytes, time)} below a folder."""
    found = {}
    for base, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(base, name)
            with open(path, "rb") as f:
                found[os.path.relpath(path, folder)] = (
                    f.read(), int(os.fstat(f.fileno()).st_mtime))
    return found


# ---- the examples: what each printed and left, given all captures ----

def look(folder, ran, every):
    paths = ["mnt/" + p.path for p in every]
    dirs = {"/".join(p.split("/")[:n]) for p in paths for n in range(1, 6)
            if n < len(p.split("/"))}
    expect("folders", set(lines(ran[1])), dirs)
    top = "mnt/org/example/www/_/"
    names = {p[len(top):].split("/")[0] for p in paths if p.startswith(top)}
    shown = set(ran[2].out.split())
    views = {n + v for n in names for v in (".meta", ".txt")}
    expect("names", shown - views, names)
    apple, = [p for p in every if p.url.endswith("/apple.html")]
    expect("text", ran[3].out.split(), apple.words)


def text(folder, ran, every):
    found = [p for p in every if p.has("trees")]
    expect("names", set(lines(ran[1])), {"mnt/" + p.path + ".txt" for p in found})
    expect("URLs", set(lines(ran[2])), {p.url for p in found})


def words(folder, ran, every):
    wanted = collections.Counter(
        w.lower() for p in every if p.host.endswith("example.org")
        for w in re.findall("[A-Za-z]+", p.text))
    with open(os.path.join(folder, "words"), encoding="utf-8") as f:
        ran[1].out = f.read()
    expect("words", counted(ran[1]), dict(wanted))


def links(folder, ran, every):
    expect("links", counted(ran[1]), dict(collections.Counter(
        href for p in every if p.host == "www.example.org" for href in p.links)))


def lookup(folder, ran, every):
    expect("kinds", counted(ran[1]), dict(collections.Counter(
        "%d %s" % (p.status, p.mime) for p in every)))
    expect("missing", lines(ran[2]), [p.url for p in every if p.status == 404])


def pdf(folder, ran, every):
    expect("files", files(os.path.join(folder, "pdf")),
           {p.path: (p.body, p.time) for p in every if p.mime == PDF})


def blocks(path):
    return sorted(rec.block for _, _, rec in record_reader.records(path)
                  if rec.kind == "response")


def site(folder, ran, every):
    www = [p for p in every if p.host == "www.example.org"]
    expect("site", blocks(os.path.join(folder, "www.warc.gz")),
           sorted(p.block for p in www))
    expect("pages", blocks(os.path.join(folder, "trees.warc.gz")),
           sorted(p.block for p in www if "/trees/" in p.url))


def wacz(folder, ran, every):
    with zipfile.ZipFile(os.path.join(folder, "www.wacz")) as z:
        _, *listed = z.read("pages/pages.jsonl").decode().splitlines()
        z.extract("archive/data.warc.gz", folder)
    www = [p for p in every if p.host == "www.example.org"]
    expect("pages", sorted(json.loads(p)["url"] for p in listed),
           sorted(p.url for p in www if p.mime == HTML and p.status == 200))
    expect("site", blocks(os.path.join(folder, "archive/data.warc.gz")),
           sorted(p.block for p in www))
    expect("names", ran[1].out.split(), ["org/"])


def rsync(folder, ran, every):
    top = "org/example/"
    expect("files", files(os.path.join(folder, "site")),
           {p.path[len(top):]: (p.body, p.time) for p in every
            if p.path.startswith(top)})


def date(folder, ran, every):
    news = sorted((p for p in every if p.url.endswith("/news.html")),
                  key=lambda p: p.time)
    said = [[line for line in re.split(r"\s*\n\s*", p.text) if line]
            for p in news]
    changed = {line for line in difflib.ndiff(*said) if line[0] in "-+"}
    expect("changes", {("- " if line[0] == "<" else "+ ") + line[2:]
                       for line in lines(ran[2]) if line[0] in "<>"}, changed)
    expect("then", lines(ran[6]),
           [line.strip() for p in every if p.when < "2013"
            for line in p.text.split("\n") if "open" in line])
    expect("nearest", lines(ran[8]),
           [min((abs(int(p.when) - 20120704000000), p.when) for p in news)[1]])


def union(folder, ran, every):
    top = "mnt/org/example/www/_/"
    expect("counts", dict(line.rsplit(":", 1) for line in lines(ran[3])),
           {"mnt/" + p.path + ".txt": str(len(re.findall("open", p.text)))
            for p in every if ("mnt/" + p.path).startswith(top)})


def is_spanish(page):
    return b'lang="es"' in page.body


def sql(folder, ran, every):
    expect("sentences", [line.split() for line in lines(ran[3])],
           [re.search(r"Cortar.*", p.text).group().split() for p in every
            if is_spanish(p) and p.has("invierno")])


def selection(folder, ran, every):
    expect("pages", lines(ran[1]), ["mnt/" + p.path for p in every
                                    if is_spanish(p)])


def verify(folder, ran, every):
    with open(os.path.join(folder, "crawl.jsonl"), encoding="utf-8") as f:
        end = [json.loads(line) for line in f][-1]
    records = [r for name in sorted({p.archive for p in every}) for r in
               record_reader.records(os.path.join(folder, "crawl", name))]
    expect("verified", (end["records"], end["damage"], end["block"]["matched"]),
           (len(records), 0, len(records)))
    expect("damage", ran[1].out, "")


def filed(folder, ran, every):
    with open(os.path.join(folder, "crawl.premis.json"), encoding="ascii") as f:
        events = json.load(f)["premis"]["event"]
    expect("archives", sorted(os.path.basename(
        e["linkingObjectIdentifier"]["linkingObjectIdentifierValue"])
        for e in events if e["eventOutcome"] == "pass"),
        sorted({os.path.basename(p.archive) for p in every}))
    expect("not sound", ran[1].out, "")


def unpacked(path):
    with gzip.open(path, "rt", encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def texts(folder, ran, every):
    wanted = [p for p in every if p.host.endswith("example.com")]
    got = unpacked(os.path.join(folder, "texts.jsonl.gz"))
    expect("URLs", sorted(r["url"] for r in got), sorted(p.url for p in wanted))
    words = {p.url: p.words for p in wanted}
    for r in got:
        if "text" in r:
            expect("text", r["text"].split(), words[r["url"]])


def bounded(folder, ran, every):
    names = os.listdir(os.path.join(folder, "rows"))
    expect("files", sorted(names), ["_SUCCESS", "part-00000.jsonl.gz"])
    got = unpacked(os.path.join(folder, "rows", names[names[0] == "_SUCCESS"]))
    expect("lines", lines(ran[1]), ["%d" % len(got)])
    expect("URLs", {p.url for p in every} - {r["url"] for r in got}, set())


def wet(folder, ran, every):
    got = {json.loads(line.split(" ", 2)[2])["url"] for line in lines(ran[1])}
    expect("URLs", got, {p.url for p in every
                         if p.host.endswith("example.com") and p.words})


def pdfs(folder, ran, every):
    expect("URLs", sorted(lines(ran[1])),
           sorted(p.url for p in every if p.mime == PDF))


def frequent(folder, ran, every):
    expect("lines", len(lines(ran[1])), 10)
    word, n = max(counted(ran[1]).items(), key=lambda item: item[1])
    wanted = collections.Counter(w for p in every for w in
                                 re.findall("[A-Za-z]+", p.text))
    if n < wanted[word]:
        raise AssertionError("%s: %d, wanted %d" % (word, n, wanted[word]))


def hosts(folder, ran, every):
    wanted = collections.Counter()
    for p in every:
        if p.mime == HTML:
            wanted[p.host] += len(p.words)
    expect("words of hosts", counted(ran[1]), wanted)


def ls(folder, ran, every):
    expect("views", lines(ran[0]),
           ["apple.html" + v for v in ("", ".meta", ".txt")])
    blog = [p.path for p in every if p.host == "blog.example.org"]
    dirs = {"/".join(p.split("/")[:n]) + "/" for p in blog
            for n in range(4, len(p.split("/")))}
    expect("paths", sorted(lines(ran[1])), sorted(dirs.union(blog)))


def sizes(folder, ran, every):
    expect("sizes", sorted(lines(ran[0])), sorted(
        "%d %s" % (len(p.body), p.path) for p in every
        if p.host == "blog.example.org"))


def cat(folder, ran, every):
    apple, = [p for p in every if p.url.endswith("/apple.html")]
    expect("text", ran[0].out.split(), apple.words)
    expect("time", lines(ran[1]), [apple.when])


def mcp(folder, ran, every):
    apple, = [p for p in every if p.url.endswith("/apple.html")]
    got = [line.partition("\t") for line in lines(ran[0])]
    expect("numbers", [n for n, _, _ in got], ["2", "3", "4"])
    expect("text", " ".join(t for _, _, t in got).split(), apple.words[2:])


def grep(folder, ran, every):
    texts = {p.path + ".txt": " ".join(p.words) for p in every if p.words}
    got = collections.defaultdict(list)
    for line in lines(ran[1]):
        name, _, text = line.partition(":")
        got[name].append(text)
    expect("files", set(got), {n for n, t in texts.items()
                               if "apple" in t.lower()})
    for name, found in got.items():
        for text in found:
            if "apple" not in text.lower() or \
                    " ".join(text.split()) not in texts[name]:
                expect("line", text, texts[name])
    expect("URLs", set(lines(ran[2])), {
        p.url for p in every if re.search("forty|prune", " ".join(p.words))})


def path(folder, ran, every):
    apple, = [p for p in every if p.url.endswith("/apple.html")]
    expect("path", lines(ran[0]), [apple.path])
    expect("URL", lines(ran[1]), [apple.url])


def lengths(folder, archive):
    """{offset: bytes} of the records of an archive."""
    return {offset: length for offset, length, _ in record_reader.records(
        os.path.join(folder, "crawl", archive))}


def check(folder, ran, every):
    www = [p for p in every if p.host == "www.example.org"]
    archives = {p.archive for p in www}
    expect("counts", {line.split()[0]: int(line.split()[1])
                      for line in lines(ran[0])},
           {"files": len(archives), "pages": len({p.url for p in www}),
            "captures": len(www),
            "source": sum(os.path.getsize(os.path.join(folder, "crawl", name))
                          for name in archives),
            "destination": sum(lengths(folder, p.archive)[p.offset]
                               for p in www)})


def summary(folder, ran, every):
    totals = {"captures": len(every), "pages": len({p.url for p in every}),
              "hosts": len({p.host for p in every})}
    expect("totals", {line.split()[0]: int(line.split()[1].replace(",", ""))
                      for line in lines(ran[0])[1:4]}, totals)
    with open(os.path.join(folder, "crawl.html"), encoding="utf-8") as f:
        page = f.read()
    expect("totals of the page", {name: int(re.search(
        '<data id="%s" value="([0-9]+)">' % name, page).group(1))
        for name in totals}, totals)


CHECKS = (look, text, words, links, lookup, pdf, site, wacz, rsync, date, union, sql,
          selection, verify, filed, ls, sizes, cat, mcp, grep, path, check,
          summary, texts, bounded, wet, pdfs, frequent, hosts)


# ---- rows of the columnar index ----

def rows(folder):
    every = pages(os.path.join(folder, "crawl"))
    found = [{"url": p.url, "url_host_tld": p.host.rsplit(".", 1)[1],
              "fetch_time": time.strftime("%Y-%m-%dT%H:%M:%SZ",
                                          time.gmtime(p.time)),
              "fetch_status": p.status, "content_mime_type": p.mime,
              "content_languages": "spa" if is_spanish(p) else
                                   "eng" if p.mime == HTML else None,
              "warc_filename": "crawl/" + p.archive,
              "warc_record_offset": p.offset,
              "warc_record_length": lengths(folder, p.archive)[p.offset],
              "subset": "warc"} for p in every]
    for row in found:
        print(json.dumps(row))
    with open(os.path.join(folder, "answer.csv"), "w", newline="",
              encoding="utf-8") as f:
        out = csv.DictWriter(f, found[0].keys())
        out.writeheader()
        out.writerows(r for r in found if r["content_languages"] == "spa")


def run(page, folder, name):
    ran = sessions.man_examples(page)[0][name]
    sessions.run(ran, folder)
    faults = [(c.text, fault) for c in ran for fault in c.faults()]
    for command, fault in faults:
        print("$ %s\n%s" % (command, fault))
    if faults:
        return 1
    compare = {c.__name__: c for c in CHECKS}[name]
    compare(folder, ran, pages(os.path.join(folder, "crawl")))
    return 0


# Each block of these pages has a comment `run: NAME`, and a test the words
# `from_manual PAGE NAME`.
WHOLE = ("crawlfs-network.7", "crawlfs-deploy.7")


def not_run(manuals):
    """Lines about blocks of the pages in WHOLE that no test runs."""
    tests = os.path.join(os.environ["CFS_SRCDIR"], "tests")
    scripts = ""
    for base, _, names_here in os.walk(tests):
        for name in names_here:
            if name.endswith(".sh"):
                with open(os.path.join(base, name), encoding="utf-8") as f:
                    scripts += f.read()
    for page in WHOLE:
        with open(os.path.join(manuals, page), encoding="utf-8") as f:
            blocks_found = re.findall(
                r'^(?:\.\\" run: (\w+)\n)?\.Bd -literal', f.read(), re.M)
        for name in blocks_found:
            if not name or not re.search(r"from_manual %s %s\b" % (
                    re.escape(page), name), scripts):
                yield "%s: no test runs '%s'" % (page, name)


def names(manuals):
    found, unnamed = [], 0
    for page in sorted(os.listdir(manuals)):
        if page.endswith(".1"):
            named, blocks_found = sessions.man_examples(
                os.path.join(manuals, page))
            found += [(page, name) for name in named]
            unnamed += blocks_found - len(named)
    for row in found:
        print(*row)
    idle = list(not_run(manuals))
    print(*idle, sep="\n", file=sys.stderr)
    return unnamed > 0 or idle != [] or sorted(name for _, name in found) != \
        sorted(c.__name__ for c in CHECKS)


def main(argv):
    if argv[1] == "rows":
        return rows(argv[2])
    if argv[1] == "run":
        return run(*argv[2:])
    return names(argv[2])


if __name__ == "__main__":
    sys.exit(main(sys.argv))
