#!/usr/bin/env python3
"""mcp_questions.py - fifty questions to four samples, answered by calls of the
tools of `crawlfs mcp` that a script makes: how many calls, and how many
characters of answers, does that take with search, and with list and read alone?

    mcp_questions.py CRAWLFS DATA

DATA is the folder of the samples.  A question is what a person would look for:
words, and what the answer looks like.

With search: the words are searched for; if the lines that are found do not have
the answer, the pages are read, best first: 4,000 characters from around those
lines, then all.  If no page has all words, the last one is left out; for a word that
no page has, the nearest one is taken that the answer names.

Without: folders are listed and pages read, always the one next whose path has
most of the words, else in the order of the tree; a page is read to its end.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import heapq
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

SAMPLES = ("warc/pywb/iana.warc.gz", "warc/dolma/sample-0000.warc.gz",
           "arc/warcbase/example.arc.gz", "warc/webarchive-discovery/"
           "BL-20140325122341434-00000-32090~opera~8443.warc.gz")
SEARCH_CHARS, LIST_CHARS, READ_CHARS = 4000, 4000, 20000
CALLS_MAX = 2000

QUESTIONS = [
    ("time zone coordinator", "Paul Eggert"),
    ("time zone code released", r"2013-12-17|2013i"),
    ("f.root-servers.net", "Internet Systems Consortium"),
    ("e.root-servers.net", "NASA"), ("b.root-servers.net", r"192\.228\.79\.201"),
    ("e164.arpa", "3761|E.164"), ("aero sponsored", "Aeronautique"),
    ("RIPE NCC", "Central Asia"), ("LACNIC", "Latin America"),
    ("Worldwide Deployment of IPv6", "14 July 1999"),
    ("draft-ietf-trill-fine-labeling", "On Hold"),
    ("draft-ietf-idr-extcomm-iana", "Waiting on Authors"),
    ("Bulgarian language", r"2009-09-05"), ("Danish language NeuLevel", "2006"),
    ("Delegation RFC 1591", "March 1994"), ("GSMP ANCP version", "6320"),
    ("Network Information Center Ascension", r"\.ac\b"),
    ("Netherlands Antilles", r"\.an\b"), ("Ministry Communications IT", r"\.af"),
    ("Persian Arabic evaluation", "HGBK6AJ7F53BBA"),
    ("Erdős number coauthored", "Ophir Frieder"), ("raccoons", "raccoon content"),
    ("nonsensical AI-generated images website", "ThisPrintDoesNotExist"),
    ("Michel Chasles", "1814"), ("George David Birkhoff", "Asymptotic"),
    ("Heinrich Brinkmann", "Riemann"), ("NeuCLIR", "Farsi"),
    ("PaperMage toolkit", "PDF"), ("largest open dataset pretraining", "Dolma"),
    ("Kyle Lo summer 2023 interns", "Orion Weller"),
    ("Tal August assistant professor Urbana-Champaign", "Fall 2024"),
    ("keynote Torino workshop", "LREC-COLING"),
    ("Paperpile Zotero", "annotations"), ("little-mallet-wrapper", "pip"),
    ("Handbook of Biological Statistics", "McDonald"),
    ("word intruder test benchmarks", r"0\.5"), ("FigurA11y", "Nikhil Singh"),
    ("Meronymous Communication", "Soliman"),
    ("Causal Estimation rejection sampling", "Katherine A. Keith"),
    ("instance strongly moderated summer", "Mozilla"),
    ("secret armies Nazi", "Spivak"), ("No Thoroughfare", "Dickens"),
    ("Farmer in the Sky", "Jahtari"), ("Chemical lecture experiments", "1922"),
    ("pink guitar Autzen", "Jack Straw"), ("Final Fantasy V", "Alex Eustis"),
    ("Zelda Majora", "6:55"), ("Banjo-Tooie", "4:54:13"),
    ("mirrors Wayback Machine Alexandria", "bibalex"),
    ("Conet Project shortwave", "ird059"),
]


class Tools:
    def __init__(self, crawlfs, index):
        self.p = subprocess.Popen([crawlfs, "mcp", index],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.calls = self.chars = 0

    def call(self, name, **args):
        self.calls += 1
        assert self.calls <= CALLS_MAX, "no answer"
        self.p.stdin.write(json.dumps(
            {"jsonrpc": "2.0", "id": self.calls, "method": "tools/call",
             "params": {"name": name, "arguments": args}}).encode() + b"\n")
        self.p.stdin.flush()
        r = json.loads(self.p.stdout.readline())["result"]
        text = r["content"][0]["text"]
        self.chars += len(text)
        return text, r.get("structuredContent")

    def end(self):
        self.p.stdin.close()
        self.p.wait()


def found(t, words, answer):
    """True if an answer is found; else the words to try next, or None."""
    args = {}
    while True:
        text, made = t.call("search", query=" ".join(words),
                            max_chars=SEARCH_CHARS, **args)
        if made["pages"] == 0:
            return words[:-1] or made.get("near_words", [])[:1] or None
        if re.search(answer, text):
            return True
        for page in made["results"]:
            for line in page["lines"]:
                text, _ = t.call("read", path=page["path"],
                                 max_chars=SEARCH_CHARS,
                                 start_line=max(1, line["line"] - 5))
                if re.search(answer, text):
                    return True
            if read_whole(t, page["path"], answer):
                return True
        if "next" not in made:
            return None
        args = made["next"]


def with_search(t, words, answer):
    words = words.split()
    while isinstance(words, list):
        words = found(t, words, answer)
    return words is True


def read_whole(t, path, answer):
    args = {}
    while True:
        text, made = t.call("read", path=path, max_chars=READ_CHARS, **args)
        if re.search(answer, text):
            return True
        if made is None or "next" not in made:
            return False
        args = made["next"]


def is_with(words, path):
    return -sum(w in path.lower() for w in words)


def without_search(t, words, answer):
    words = [w for w in re.findall(r"[a-z0-9]+", words.lower()) if len(w) > 2]
    left = [(0, 0, "", True)]
    n = 0
    while left:
        _, _, path, is_folder = heapq.heappop(left)
        if not is_folder:
            if read_whole(t, path, answer):
                return True
            continue
        args = {}
        while True:
            _, made = t.call("list", path=path, max_chars=LIST_CHARS, **args)
            for e in made["entries"]:
                n += 1
                name = e["name"]
                child = name if name.startswith("crawlfs:") else path + name
                heapq.heappush(left, (is_with(words, child), n, child,
                                      name.endswith("/")))
            if "next" not in made:
                break
            args = made["next"]
    return False


def measure(crawlfs, index, how):
    rows, missed = [], []
    for words, answer in QUESTIONS:
        t = Tools(crawlfs, index)
        if how(t, words, answer):
            rows.append((t.calls, t.chars))
        else:
            missed.append(words)
        t.end()
    calls, chars = zip(*rows)
    print("%-16s %2d of %d answered; calls: %d median, %.1f mean, %d most; "
          "characters: %d median, %d mean, %d most" % (
              how.__name__, len(rows), len(QUESTIONS), statistics.median(calls),
              statistics.mean(calls), max(calls), statistics.median(chars),
              statistics.mean(chars), max(chars)))
    for words in missed:
        print("    not answered: " + words)


def main(crawlfs, data):
    missing = [s for s in SAMPLES if not os.path.exists(os.path.join(data, s))]
    if missing:
        print("SKIP: there is no %s in %s" % (missing[0], data))
        return
    assert len(QUESTIONS) == 50
    with tempfile.TemporaryDirectory() as folder:
        for sample in SAMPLES:
            os.symlink(os.path.abspath(os.path.join(data, sample)),
                       os.path.join(folder, os.path.basename(sample)))
        index = os.path.join(folder, "crawl.cfx")
        subprocess.run([crawlfs, "index", "-q", "--words", "-o", index, folder],
                       check=True)
        measure(crawlfs, index, with_search)
        measure(crawlfs, index, without_search)


if __name__ == "__main__":
    main(*sys.argv[1:3])
