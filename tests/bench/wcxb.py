#!/usr/bin/env python3
"""wcxb.py - the .md view against the main content of the dev split of WCXB.

    wcxb.py VIEWS DEV.tar.xz [all|chosen|apart [PARTY...]]

DEV.tar.xz has dev/html/NNNN.html and dev/ground-truth/NNNN.json.  `chosen` are
the pages with even numbers, on which rules and constants were chosen, `apart`
those with odd ones.  PARTY is crawlfs, or a peer of peers_maincontent.py; all
of them are judged on the same pages in the same run (maincontent.sh installs
them).

Prints, for each party and type of page: the number of pages, the mean F1 of
words (\\w+, in lower case, as multisets), its interval (the 2.5th and 97.5th
percentile of 2,000 bootstrap samples of pages), precision, recall, and how much
is kept of the last line with three words or more of a page with five such
lines: its runs of four words that are in the output.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import collections
import concurrent.futures
import json
import os
import random
import sys
import tarfile

import maincontent

SAMPLES = 2000


def load(path, which):
    """(type, page, main content) of each page"""
    pages, truth = {}, {}
    with tarfile.open(path) as tar:
        for member in tar:
            name, ending = os.path.splitext(os.path.basename(member.name))
            if not member.isfile() or not name.isdigit() or \
                    (which != "all" and
                     (int(name) % 2 == 1) != (which == "apart")):
                continue
            data = tar.extractfile(member).read()
            if ending == ".html":
                pages[name] = data
            elif ending == ".json":
                truth[name] = json.loads(data)
    for name in sorted(pages):
        kind = truth[name]["_internal"]["page_type"]["primary"]
        text = truth[name]["ground_truth"].get("main_content") or ""
        yield "collection" if kind == "category" else kind, pages[name], text


def text_of(party, program, page):
    if party == "crawlfs":
        return " ".join(maincontent.view(program, page))
    import peers_maincontent
    try:
        return peers_maincontent.PARTIES[party](page, "http://fakehost/") or ""
    except Exception as error:                  # of any kind
        print("%s: %s" % (party, error), file=sys.stderr)
        return ""


def kept_of_last(got, want):
    """the kept part of the last line; None if the page has too few"""
    lines = [maincontent.WORD.findall(line.lower())
             for line in want.split("\n")]
    lines = [line for line in lines if len(line) >= 3]
    text = " %s " % " ".join(maincontent.WORD.findall(got.lower()))
    if len(lines) < 5 or len(text) < 50:
        return None
    last, runs = lines[-1], max(1, len(lines[-1]) - 3)
    return sum(" %s " % " ".join(last[i:i + 4]) in text
               for i in range(runs)) / runs


def judge(got, want):
    a, b = maincontent.words(want), maincontent.words(got)
    p, r = maincontent.share(a, b)
    return maincontent.f1(p, r), p, r, kept_of_last(got, want)


def interval(values):
    chance = random.Random(1)
    means = sorted(maincontent.mean(chance.choices(values, k=len(values)))
                   for _ in range(SAMPLES))
    return means[SAMPLES // 40], means[-1 - SAMPLES // 40]


def print_table(party, scores):
    for kind in sorted(scores, key=lambda k: (k != "all", k)):
        of_kind = scores[kind]
        values = [s[0] for s in of_kind]
        last = [s[3] for s in of_kind if s[3] is not None]
        print("%-12s %-13s n %4d  F1 %.3f [%.3f, %.3f]  precision %.3f  "
              "recall %.3f  last line %.3f of %d"
              % (party, kind, len(values), maincontent.mean(values),
                 *interval(values), maincontent.mean([s[1] for s in of_kind]),
                 maincontent.mean([s[2] for s in of_kind]),
                 maincontent.mean(last), len(last)))


def main(program, path, which="all", *parties):
    pages = list(load(path, which))
    for party in parties or ["crawlfs"]:
        with concurrent.futures.ThreadPoolExecutor(
                2 if party == "crawlfs" else 1) as pool:
            texts = pool.map(lambda p: text_of(party, program, p[1]), pages)
            scores = collections.defaultdict(list)
            for (kind, _, want), got in zip(pages, texts):
                score = judge(got, want)
                scores["all"].append(score)
                scores[kind].append(score)
        print_table(party, scores)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
