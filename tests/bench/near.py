#!/usr/bin/env python3
"""near.py - how well the hashes of an index tell similar pages from others.

    near.py CRAWLFS DEV.tar.xz [PAGES]      labelled pairs, made of real pages
    near.py --cost CRAWLFS HELPER [N]       time and memory, with made-up hashes

The pages are those of the dev split of WCXB, at most PAGES (250) of each half,
that have three paragraphs of 80 bytes or more of text, with two thirds of the
words of the main content or more.  BITS is chosen on those
with even numbers, and those with odd ones are reported.  Of each page copies are
made: near ones, in which a reader would see the same text,

    digits      each digit is another one
    frame       other links and lines above and below the page
    sentence    one sentence of 12 words more
    words       one word in a hundred of the paragraphs is another one
    paragraph   the last paragraph is missing

and others, in which a reader would not:

    half        half of the paragraphs are those of another page
    other       all of them

Pairs of two pages are others, too.  Printed are, for each BITS: recall of each
kind of near copy; precision and recall of all of them, where the others are
those of a kind, with their intervals (the 2.5th and 97.5th percentile of 1,000
bootstrap samples of pages); and how many of the pairs of two pages are near.

HELPER is near_helper of tests/mount.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import gzip
import json
import os
import random
import re
import subprocess
import sys
import tarfile
import tempfile
import time

NEAR = "digits", "frame", "sentence", "words", "paragraph"
OTHER = "half", "other"
BITS = range(8)
SAMPLES = 1000
PARAGRAPH = re.compile(r"(<p(?:\s[^<>]*)?>)([^<>]{80,})(</p>)", re.I)
TAGS = re.compile(r"(<script.*?</script>|<style.*?</style>|<[^>]*>)", re.S | re.I)


def load(path, most):
    """[{number: page}] of the even and the odd numbers."""
    halves, pages = ({}, {}), {}
    with tarfile.open(path) as tar:
        for member in tar:
            name, ending = os.path.splitext(os.path.basename(member.name))
            if not name.isdigit():
                continue
            text = tar.extractfile(member).read().decode("utf-8", "replace")
            pages.setdefault(name, {})[ending] = text
    for name, of in sorted(pages.items()):
        half, page = halves[int(name) % 2], of.get(".html", "")
        found = [m[1] for m in PARAGRAPH.findall(page)]
        truth = json.loads(of.get(".json", "{}")).get("ground_truth", {})
        words = len((truth.get("main_content") or "").split())
        if len(found) >= 3 and len(half) < most and words > 0 and \
                3 * len(" ".join(found).split()) >= 2 * words:
            half[name] = page
    return halves


def replace(page, change):
    """The page with change(k, text) for the text of paragraph k."""
    n = iter(range(1 << 30))
    return PARAGRAPH.sub(lambda m: m[1] + change(next(n), m[2]) + m[3], page)


def copies(page, another, rng):
    """kind -> the page, changed."""
    texts = [m[1] for m in PARAGRAPH.findall(page)]
    theirs = [m[1] for m in PARAGRAPH.findall(another)]
    words = " ".join(theirs).split()
    last, at = len(texts) - 1, rng.randrange(len(texts))
    more = " ".join(words[:12])
    links = "".join("<li><a href=/x%d>%s</a>" % (i, w)
                    for i, w in enumerate(words[:30]))

    def other_words(_, text):
        return " ".join(rng.choice(words) if rng.random() < .01 else w
                        for w in text.split(" "))

    framed = re.sub(r"(<body[^>]*>)", lambda m: m[1] + "<nav><ul>" + links +
                    "</ul></nav>", page, count=1, flags=re.I)
    framed = re.sub(r"</body>", lambda m: "<footer><ul>" + links +
                    "</ul></footer></body>", framed, count=1, flags=re.I)
    return {
        "page": page,
        "digits": "".join(p if i % 2 else re.sub(
            r"\d", lambda m: str(rng.randrange(10)), p)
            for i, p in enumerate(TAGS.split(page))),
        "frame": framed,
        "sentence": replace(page, lambda k, t: t + " " + more if k == at else t),
        "words": replace(page, other_words),
        "paragraph": replace(page, lambda k, t: "" if k == last else t),
        "half": replace(page, lambda k, t: theirs[k % len(theirs)]
                        if k % 2 == 0 else t),
        "other": replace(page, lambda k, t: theirs[k % len(theirs)]),
    }


def record(url, page):
    body = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + \
        page.encode()
    head = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\n" \
        "WARC-Date: 2026-01-01T00:00:00Z\r\nContent-Length: %d\r\n" \
        "Content-Type: application/http; msgtype=response\r\n\r\n" % (
            url, len(body))
    return gzip.compress(head.encode() + body + b"\r\n\r\n", 1)


def hashes_of(program, pages, folder):
    """[kind -> hash] of the pages that have all of them."""
    rng = random.Random(1)
    names = sorted(pages)
    archive = os.path.join(folder, "pages.warc.gz")
    with open(archive, "wb") as f:
        for i, name in enumerate(names):
            made = copies(pages[name], pages[names[i - 1]], rng)
            for kind, page in made.items():
                f.write(record("http://%s.example/%s" % (name, kind), page))
    index = os.path.join(folder, "pages.cfx")
    subprocess.run([program, "index", "-q", "--force", "--simhash", "-o", index,
                    archive], check=True)
    rows = subprocess.run([program, "export", "-q", index,
                           "--fields=url,simhash"], check=True,
                          stdout=subprocess.PIPE).stdout
    of = {}
    for row in map(json.loads, rows.splitlines()):
        if "simhash" in row:
            name, kind = row["url"][7:].split(".example/")
            of.setdefault(name, {})[kind] = row["simhash"] & 2 ** 64 - 1
    return [of[n] for n in names if len(of.get(n, ())) == 1 + len(NEAR + OTHER)]


def distance(a, b):
    return bin(a ^ b).count("1")


def figures(far, bits):
    """(precision, recall) of pages, each kind -> distance."""
    good = sum(d[k] <= bits for d in far for k in NEAR)
    wrong = sum(d[k] <= bits for d in far for k in OTHER)
    return (good / (good + wrong) if good else 1.0,
            good / (len(far) * len(NEAR)))


def interval(far, bits, which):
    rng = random.Random(2)
    v = sorted(figures(rng.choices(far, k=len(far)), bits)[which]
               for _ in range(SAMPLES))
    return "%.3f to %.3f" % (v[SAMPLES // 40], v[-1 - SAMPLES // 40])


def pairs(program, path, most=250):
    with tempfile.TemporaryDirectory() as folder:
        for half, pages in zip(("chosen", "apart"), load(path, int(most))):
            of = hashes_of(program, pages, folder)
            far = [{k: distance(h["page"], h[k]) for k in NEAR + OTHER}
                   for h in of]
            two = [distance(a["page"], b["page"])
                   for i, a in enumerate(of) for b in of[:i]]
            print("%s: %d pages, %d pairs of two pages" % (half, len(of),
                                                           len(two)))
            print("bits | " + " | ".join(NEAR) +
                  " | precision | recall | " + " | ".join(OTHER) + " | two pages")
            for bits in BITS:
                p, r = figures(far, bits)
                print("%d | %s | %.3f (%s) | %.3f (%s) | %s | %d" % (
                    bits, " | ".join("%.3f" % (sum(
                        d[k] <= bits for d in far) / len(far)) for k in NEAR),
                    p, interval(far, bits, 0), r, interval(far, bits, 1),
                    " | ".join("%.3f" % (sum(d[k] <= bits for d in far) /
                                         len(far)) for k in OTHER),
                    sum(d <= bits for d in two)))


def cost(program, helper, n="1000000"):
    with tempfile.TemporaryDirectory() as folder:
        for words, what in ([], "three in four are copies"), \
                (["all"], "one in four is"):
            index = os.path.join(folder, "made.cfx")
            subprocess.run([helper, index, n, "1", *words], check=True,
                           stdout=subprocess.DEVNULL)
            print("%s hashes, %s: %d bytes of index" % (
                n, what, os.path.getsize(index)))
            for option in "none", "near:3", "near:7":
                began = time.monotonic()
                with open("/dev/null", "wb") as null:
                    child = subprocess.Popen(
                        [program, "summary", "--json", index,
                         "--dedup=" + option], stdout=subprocess.PIPE,
                        stderr=null)
                    out = child.stdout.read()
                    _, status, used = os.wait4(child.pid, 0)
                if status != 0:
                    sys.exit("summary ends with %d" % status)
                print("  --dedup=%s: %.1f s (%.1f s of processor), %d MB, "
                      "%s captures are left" % (
                          option, time.monotonic() - began,
                          used.ru_utime + used.ru_stime, used.ru_maxrss // 1000,
                          json.loads(out).get("captures")))


if __name__ == "__main__":
    (cost if sys.argv[1] == "--cost" else pairs)(
        *sys.argv[1 + (sys.argv[1] == "--cost"):])
