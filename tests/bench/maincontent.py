#!/usr/bin/env python3
"""maincontent.py - the .md view against main content that people chose.

    maincontent.py VIEWS DATA [all|chosen|apart [PARTY]]

PARTY is crawlfs, or a peer of peers_maincontent.py, whose package (PyPI) is then
needed; maincontent.sh installs and runs all of them.  VIEWS is the program tests/bench/views, DATA the folder with maincontent and
textextract.  Pages are divided by a hash of their site: `chosen` are those that
the constants of src/view/main_content.c were chosen on, `apart` the others.

Prints, for each set, its own measure: article-extraction-benchmark, F1 of runs
of four words, of mean precision and recall; trafilatura, the shares of sentences
that must be there and that must not; readability and wcxb, the mean F1 of words
(wcxb also by the type of page, and shares of sentences).  Then how fast it is: MB
of HTML a second of processor time, pages as they are in memory.  A heading of level 1 at the beginning is no
part of an article; it counts in wcxb and for sentences that must be there.

Needs markdown-it-py and lxml (PyPI), which render what crawlfs writes.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import collections
import concurrent.futures
import gzip
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from urllib.parse import urlsplit

from lxml import html as lxml_html
from markdown_it import MarkdownIt

APART = 100             # of 256 sites
WORD = re.compile(r"\w+")
MARKDOWN = MarkdownIt("commonmark").enable("table")


def is_wanted(which, site):
    apart = int(hashlib.sha1(site.encode()).hexdigest()[:2], 16) < APART
    return which == "all" or apart == (which == "apart")


def plain(html):
    html = re.sub(r"<img[^>]*>", "", html)
    html = re.sub(r"</?(a|em|strong|code|del)\b[^>]*>", "", html)
    html = re.sub(r"<[^>]*>", " ", html)
    for name, char in (("lt", "<"), ("gt", ">"), ("quot", '"'), ("amp", "&")):
        html = html.replace("&%s;" % name, char)
    return html


def read_page(path):
    with gzip.open(path) as f:
        return f.read()


def view(program, page):
    """title and text of a page"""
    out = subprocess.run([program, "dump", "md", "/dev/stdin"],
                         input=page, stdout=subprocess.PIPE,
                         check=True, timeout=60).stdout.decode("utf-8")
    html = MARKDOWN.render(out)
    title = re.match(r"<h1>(.*?)</h1>\n?", html, re.S)
    if title is None:
        return "", plain(html)
    return plain(title.group(1)), plain(html[title.end():])


def crawlfs(program, pages):
    """title and text of each page, and MB a second"""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        texts = list(pool.map(lambda page: view(program, read_page(page[1])),
                              pages))
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for i, page in enumerate(pages):
            files.append(os.path.join(folder, str(i)))
            with open(files[-1], "wb") as f:
                f.write(read_page(page[1]))
        out = subprocess.run([program, "md", "2"] + files, check=True,
                             stdout=subprocess.PIPE).stdout.split()
    return texts, int(out[1]) / float(out[2]) / 1e6


def peer(party, pages):
    """the same of a peer; one that fails at a page has no text of it"""
    import peers_maincontent
    make = peers_maincontent.PARTIES[party]
    texts, size, seconds = [], 0, 0.0
    for kind, path, known in pages[:1] + pages:     # the first one warms up
        page = read_page(path)
        url = known["url"] if isinstance(known, dict) else "http://fakehost/"
        start = time.process_time()
        try:
            text = make(page, url) or ""
        except Exception as error:                  # of any kind
            print("%s: %s: %s" % (party, path, error), file=sys.stderr)
            text = ""
        seconds += time.process_time() - start
        size += len(page)
        texts.append(("", text))
        if len(texts) == 1:
            size, seconds = 0, 0.0
    return texts[1:], size / seconds / 1e6


def load(data, which):
    """(set, page file, what is known of it) of each page"""
    main = os.path.join(data, "maincontent")
    articles = "article-extraction-benchmark"
    for folder in (os.path.join(main, articles),
                   os.path.join(data, "textextract", articles)):
        for name, v in read_json(folder, "ground-truth.json").items():
            path = os.path.join(folder, name + ".html.gz")
            if os.path.exists(path) and \
                    is_wanted(which, "s:" + urlsplit(v["url"]).netloc):
                yield "article", path, v
    folder = os.path.join(main, "trafilatura")
    for name, v in read_json(folder, "evaldata.json").items():
        if is_wanted(which, "s:" + urlsplit(v["url"]).netloc):
            yield "sentences", os.path.join(folder, name + ".html.gz"), v
    folder = os.path.join(main, "readability")
    for name in sorted(os.listdir(folder)):
        if name.endswith(".source.html.gz") and \
                is_wanted(which, "r:" + name[:-len(".source.html.gz")]):
            path = os.path.join(folder, name)
            with gzip.open(path.replace(".source.", ".expected.")) as f:
                yield "readability", path, f.read().decode("utf-8")
    folder = os.path.join(main, "wcxb")
    for name, v in read_json(folder, "ground-truth.json").items():
        if is_wanted(which, "w:" + name):
            yield "wcxb", os.path.join(folder, name + ".html.gz"), v


def read_json(folder, name):
    with open(os.path.join(folder, name)) as f:
        return json.load(f)


def share(want, got):
    """precision and recall of multisets"""
    common = sum((want & got).values())
    return (common / sum(got.values()) if got else float(not want),
            common / sum(want.values()) if want else 1.0)


def f1(p, r):
    return 2 * p * r / (p + r) if p + r else 0.0


def runs_of_four(text):
    words = WORD.findall(text)
    if len(words) < 4:
        return collections.Counter([tuple(words)] if words else [])
    return collections.Counter(zip(*[words[i:] for i in range(4)]))


def words(text):
    return collections.Counter(WORD.findall(text.lower()))


def fold(text):
    return re.sub(r"\s+", " ", text)


def look_for(scores, prefix, known, title, body):
    whole, alone = fold(title + " " + body), fold(body)
    scores[prefix + "with"] += [fold(s) in whole
                                for s in known.get("with", []) if s]
    scores[prefix + "without"] += [fold(s) not in alone
                                   for s in known.get("without", []) if s]


def measure(scores, kind, known, title, body):
    if kind == "article":
        scores["article"].append(share(runs_of_four(known["articleBody"]),
                                       runs_of_four(body)))
    elif kind == "sentences":
        look_for(scores, "", known, title, body)
    elif kind == "readability":
        text = " ".join(lxml_html.fromstring(known).itertext()) \
            if known.strip() else ""
        scores["readability"].append(f1(*share(words(text), words(body))))
    else:
        value = f1(*share(words(known["main_content"]),
                          words(title + " " + body)))
        scores["wcxb"].append(value)
        scores["wcxb " + known["page_type"]].append(value)
        look_for(scores, "wcxb ", known, title, body)


def mean(values):
    return sum(values) / len(values) if values else 0.0


def main(program, data, which="all", party="crawlfs"):
    scores = collections.defaultdict(list)
    pages = list(load(data, which))
    texts, speed = crawlfs(program, pages) if party == "crawlfs" else \
        peer(party, pages)
    for (kind, _, known), (title, body) in zip(pages, texts):
        measure(scores, kind, known, title, body)
    articles = scores.pop("article")
    p, r = mean([x for x, _ in articles]), mean([x for _, x in articles])
    print("article %d: precision %.4f recall %.4f F1 %.4f"
          % (len(articles), p, r, f1(p, r)))
    for prefix in ("", "wcxb "):
        there = mean(scores.pop(prefix + "with"))
        gone = mean(scores.pop(prefix + "without"))
        print("%ssentences: with %.4f without %.4f, mean %.4f"
              % (prefix, there, gone, mean([there, gone])))
    for name in sorted(scores):
        print("%s %d: F1 %.4f" % (name, len(scores[name]), mean(scores[name])))
    print("speed: %.1f MB/s" % speed)


if __name__ == "__main__":
    if not 3 <= len(sys.argv) <= 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
