#!/usr/bin/env python3
"""words_rare.py - what a word costs that few pages have.

usage: words_rare.py CRAWLFS INDEX RUNS [DATA]

INDEX has a list of words beside it, and its archives are there or in DATA.  For
each of 1, 10, 100 and 1,000 pages, the word of ASCII letters which is on most
nearly so many is taken from the list (crawlfs-words(5)), the longest if there
are several: others have it as a part more often, and then are read, too.
Prints rows: that number, the pages that `crawlfs grep -lw` names, the word, and
of RUNS calls of it the milliseconds of a processor, and those by the clock.
SPDX-License-Identifier: GPL-3.0-or-later
"""
import re
import struct
import sys

from words_peers import timed

WORD = re.compile(rb"[a-z]{7,20}")
PAGES = (1, 10, 100, 1000)
INLINE = 32             # bytes of lists that are in the dictionary


class Cursor:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, n):
        self.at += n
        return self.data[self.at - n:self.at]

    def varint(self):
        v = shift = 0
        while True:
            b = self.take(1)[0]
            v |= (b & 127) << shift
            if b < 128:
                return v
            shift += 7


def words_in(block, n):
    """(word, documents) of each entry of a block of the dictionary."""
    c, word = Cursor(block), b""
    for _ in range(n):
        head = c.take(1)[0]
        shared = head >> 4
        shared += c.varint() if shared == 15 else 0
        rest = head & 15
        rest += c.varint() if rest == 15 else 0
        word = word[:shared] + c.take(rest)
        docs, size = c.varint(), c.varint()
        c.take(size if size <= INLINE else 0)
        yield word, docs


def all_words(path):
    with open(path, "rb") as f:
        head = f.read(4096)
        dictionary, top = (struct.unpack_from("<2Q", head, 96 + 40 * i)
                           for i in (1, 6))
        f.seek(top[0])
        rows, at = Cursor(f.read(top[1])), dictionary[0]
        while rows.at < top[1]:
            rows.take(rows.varint())
            size, n, _ = rows.varint(), rows.varint(), rows.varint()
            f.seek(at + 8)
            yield from words_in(f.read(size - 8), n)
            at += size


def main():
    crawlfs, index, runs = sys.argv[1:4]
    words = sorted((n, w) for w, n in all_words(index[:-1] + "w")
                   if WORD.fullmatch(w))
    for pages in PAGES:
        word = min(words, key=lambda v: (abs(v[0] - pages), -len(v[1]),
                                       v[1]))[1].decode()
        argv = [crawlfs, "grep", "-lw", word, index,
                *("--data=" + d for d in sys.argv[4:])]
        all_runs = [timed(argv) for _ in range(int(runs) + 1)][1:]
        print(pages, len(all_runs[0][2]), word, *(
            ",".join("%.1f" % r[i] for r in all_runs) for i in (0, 1)),
            sep="\t", flush=True)


if __name__ == "__main__":
    main()
