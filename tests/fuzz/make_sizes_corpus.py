#!/usr/bin/env python3
"""Writes the corpus of fuzz_sizes: batches of kept sizes, good and bad.

Made from the tables in crawlfs-cache(5) alone.  Each batch is behind its length
in 4 bytes.

usage: make_sizes_corpus.py FOLDER
"""
import os
import struct
import sys

FOLDER = sys.argv[1]


def entry(pos=5, view=1, size=12345, flags=1 << 62):
    return struct.pack("<QQ", pos | view << 48 | flags, size)


def batch(entries, code=77, zero=0, end=b""):
    data = struct.pack("<II", code, zero) + b"".join(entries) + end
    return struct.pack("<I", len(data)) + data


def write(name, data):
    with open(os.path.join(FOLDER, name), "wb") as f:
        f.write(data)


os.makedirs(FOLDER, exist_ok=True)
GOOD = batch([entry(), entry(6, 3, 0, 0)])
write("nothing", b"")
write("one", batch([entry()]))
write("batches", GOOD + batch([entry(7)]))
write("later-replaces", GOOD + batch([entry(size=9)]) + batch([entry(size=7)]))
write("twice-in-one", batch([entry(), entry(size=3), entry(size=2)]))
write("another-code", batch([entry(flags=0), entry(6)], code=78)
      + batch([entry(7, flags=0)]) + batch([entry(7, size=1, flags=0)], code=78))
write("most", batch([entry(i, 2, i, 0) for i in range(4096)]))
write("too-many", batch([entry(i, 2, i, 0) for i in range(4097)]) + GOOD)
write("none", batch([]) + GOOD)
write("header-cut", struct.pack("<II", 4, 77) + GOOD)
write("zero", batch([entry()], zero=1) + GOOD)
write("entry-cut", batch([entry(), entry()[:-1]]) + GOOD)
write("junk-behind", batch([entry()], end=b"x" * 5) + GOOD)
write("length-past-end", GOOD + b"\xff" * 4 + GOOD[4:])
write("key-bit-63", batch([entry(flags=1 << 63)]) + GOOD)
write("key-0", batch([entry(0, 0, 0, 0)]))
write("size-negative", batch([entry(size=2**63)]) + GOOD)
write("size-most", batch([entry(size=2**63 - 1)]))
