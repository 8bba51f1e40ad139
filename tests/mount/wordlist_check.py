#!/usr/bin/env python3
# wordlist_check.py - a crawl whose texts are known: what a list of words says
# of it, by words and a reader that are not crawlfs's (words_ref.py).
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     wordlist_check.py make FOLDER [PAGES]   archives, of plain texts
#     wordlist_check.py check LIST [PAGES]    prints cases: the list of an index
#                                             of them all has what they say
#
# The pages are of one host, in the order of their names, so that document k of
# the list is page k.  Some are revisits of others, in other archives; of some
# the crawl has a text of its own (WET), which is shown instead of the page's; of
# one revisit the original is nowhere.
import base64
import gzip
import hashlib
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                ".."))
import words_ref  # noqa: E402

ARCHIVES = 5


def vocabulary(rng):
    letters = ["abcdefghijklmnopqrstuvwxyz", "abcdeéüßñ", "αβγδςσ", "абвгд",
               "ABCDEFGH", "0123456789"]
    words = []
    for i in range(3000):
        alphabet = letters[0] if i < 2000 else rng.choice(letters)
        words.append("".join(rng.choice(alphabet)
                             for _ in range(rng.randint(1, 9))))
    for _ in range(200):
        words.append("".join(chr(rng.randint(0x4e00, 0x4e40))
                             for _ in range(rng.randint(1, 5))))
    return words + ["STRASSE", "straße", "x" * 300, "Ǆ", "ﬁn", "a\u0301b"]


class Page:
    def __init__(self, number, text):
        self.url = "http://words.example/p%06d" % number
        self.text = text
        self.shown = text       # None: nothing can be read
        self.original = None
        self.wet = None


def pages(n):
    rng = random.Random(7)
    words = vocabulary(rng)
    out = []
    for i in range(n):
        text = "".join(
            words[min(int(rng.expovariate(1 / 300)), len(words) - 1)] +
            rng.choice([" ", " ", ", ", "-", ".\n", "_", "' "])
            for _ in range(rng.randint(0, 400)))
        p = Page(i, text + "\n")
        if i > 10 and i % 9 == 0:
            p.original = out[i - rng.randint(1, 9)]
            while p.original.original is not None:
                p.original = p.original.original
            p.text = p.original.text
            p.shown = p.text
        elif i % 13 == 1:
            p.wet = "wet of page %d\n" % i + text[:200] + "\n"
            p.shown = p.wet
        out.append(p)
    if n > 20:
        out[20].original = Page(n, "nowhere\n")
        out[20].wet = None
        out[20].shown = None
    return out


def record(kind, url, number, block, extra):
    date = "2020-01-01T00:00:00Z"
    head = ["WARC/1.0", "WARC-Type: " + kind, "WARC-Target-URI: " + url,
            "WARC-Date: " + date,
            "WARC-Record-ID: <urn:uuid:%08d-0000-0000-0000-%s>" %
            (number, {"response": "000000000001", "revisit": "000000000002",
                      "conversion": "000000000003"}[kind])] + extra
    head.append("Content-Length: %d" % len(block))
    return gzip.compress("\r\n".join(head).encode() + b"\r\n\r\n" + block +
                         b"\r\n\r\n", mtime=0)


def digest(text):
    return "sha1:" + base64.b32encode(
        hashlib.sha1(text.encode()).digest()).decode()


HTTP = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\n"


def make(folder, n):
    rng = random.Random(11)
    archives = [[] for _ in range(ARCHIVES)]
    wets = []
    for i, p in enumerate(pages(n)):
        if p.original is not None:
            r = record("revisit", p.url, i, HTTP + b"\r\n", [
                "Content-Type: application/http; msgtype=response",
                "WARC-Profile: http://netpreserve.org/warc/1.0/revisit/"
                "identical-payload-digest",
                "WARC-Refers-To-Target-URI: " + p.original.url,
                "WARC-Refers-To-Date: 2020-01-01T00:00:00Z",
                "WARC-Payload-Digest: " + digest(p.original.text)])
        else:
            body = p.text.encode()
            r = record("response", p.url, i, HTTP +
                       b"Content-Length: %d\r\n\r\n" % len(body) + body,
                       ["Content-Type: application/http; msgtype=response",
                        "WARC-Payload-Digest: " + digest(p.text)])
        archives[rng.randrange(ARCHIVES)].append(r)
        if p.wet is not None:
            wets.append(record("conversion", p.url, i, p.wet.encode(), [
                "Content-Type: text/plain",
                "WARC-Refers-To: <urn:uuid:%08d-0000-0000-0000-000000000001>"
                % i]))
    for k, records in enumerate(archives):
        rng.shuffle(records)
        with open(os.path.join(folder, "a%d.warc.gz" % k), "wb") as f:
            f.write(b"".join(records))
    with open(os.path.join(folder, "text.warc.wet.gz"), "wb") as f:
        f.write(b"".join(wets))


def words_of(page):
    """(word, was it cut) of each occurrence in what is shown."""
    return words_ref.words((page.shown or "").encode())


def case(name, ok):
    print("%s: %s" % ("ok" if ok else "FAILED", name))


def check(path, n):
    with open(path, "rb") as f:
        cfw = words_ref.Reader(f.read())
    all_pages = pages(n)
    case("a document for each page", cfw.docs == n)
    expected, lengths, longs = {}, [], []
    for doc, p in enumerate(all_pages):
        count = 0
        for word, cut in words_of(p):
            count += 1
            at = expected.setdefault(word, {})
            at[doc] = at.get(doc, 0) + 1
            if cut and (not longs or longs[-1] != doc):
                longs.append(doc)
        lengths.append(count)
    found = {w: dict(v) for w, v in cfw.words.items()}
    case("the words of all texts", set(found) == set(expected))
    case("their documents and frequencies", found == expected)
    case("what cannot be read is listed",
         cfw.unread == [i for i, p in enumerate(all_pages) if p.shown is None])
    case("so are the texts with long words", longs == cfw.longs)
    case("lengths, an eighth too small at most",
         len(cfw.lengths) == n and
         all(c <= true < c + max(1, c / 8 + 1)
             for c, true in zip(cfw.lengths, lengths)))
    case("entries of leaves", sum(cfw.leaves) == n)
    case("postings are counted",
         cfw.n_postings == sum(len(v) for v in expected.values()))


if __name__ == "__main__":
    number = int(sys.argv[3]) if len(sys.argv) > 3 else 2000
    if sys.argv[1] == "make":
        make(sys.argv[2], number)
    else:
        check(sys.argv[2], number)
