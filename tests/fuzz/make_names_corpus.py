#!/usr/bin/env python3
# Writes the corpus of fuzz_names into the folder given (default: corpus beside
# this file): components and names at the edges of the table in doc/tree.md,
# "Names in the tree".  A slash separates two components that must not share a
# name.
#
# SPDX-License-Identifier: GPL-3.0-or-later
import os
import sys

HASH = b"#x0123456789abcdef"
CASES = {
    "capture-big": b"a#18446744073709551615.txt",
    "capture-nought": b"a#0",
    "capture-past": b"a#18446744073709551616",
    "capture-view": b"a##b#12.meta",
    "cut-full": b"y" * 180 + HASH + b"#7.txt",
    "cut-index": b"_" + b"_index" * 40,
    "cut-inside-hashes": b"x" * 179 + b"#" * 60 + b"/" + b"x" * 179 + b"#" * 61,
    "cut-inside-utf8": b"x" * 178 + "\u20ac".encode() * 20,
    "cut-label": b"_" * 230,
    "cut-no-utf8": b"\x80" * 300,
    "cut-other": b"y" * 180 + HASH + b"z",
    "cut-upper": b"y" * 180 + b"#x0123456789ABCDEF",
    "cut-view": b"y" * 180 + HASH + b".meta",
    "cut-with-hashes": b"###x0123456789abcdef" * 3,
    "dots": b"./..",
    "empty-and-index": b"/_index",
    "hash": b"#",
    "hashes": b"##/####",
    "index": b"_index/__index",
    "index-full": b"_index#1",
    "index-view": b"_index.txt",
    "label": b"_dmarc/__dmarc",
    "long-221": b"z" * 221 + b"/" + b"z" * 222,
    "long-whole": b"z" * 220,
    "nul": b"a\0b",
    "odd-hashes": b"a###",
    "only-view": b".meta/.txt",
    "query": b"a?b=c&d#e",
    "view-of-view": b"a.txt#.txt.meta",
}


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    folder = os.path.join(sys.argv[1] if len(sys.argv) > 1 else
                          os.path.join(here, "corpus"), "names")
    os.makedirs(folder, exist_ok=True)
    for name, data in CASES.items():
        with open(os.path.join(folder, name), "wb") as f:
            f.write(data)


main()
