#!/usr/bin/env python3
"""Writes the corpus of fuzz_cache: segments of the block cache, good and bad.

Made from the tables in crawlfs-cache(5) alone.  Checksums are left 0: the
fuzz target puts those of headers and footer right; the data's do not matter
to the parser, so no entry of these files reads as good.

usage: make_cache_corpus.py FOLDER
"""
import os
import struct
import sys

FOLDER = sys.argv[1]


def header():
    return b"CFSCACH1" + struct.pack("<II", 1, 32) + bytes(16)


def record(ident, off, data, n=None, kind=0):
    n = len(data) if n is None else n
    out = (struct.pack("<I", 0x63526663) + struct.pack("<I", n)
           + bytes([ident]) * 16 + struct.pack("<QQIIQ", off, 0, kind, 0, 0)
           + data)
    return out + bytes(-len(out) % 8)


def meta(size=10000, validator=b'"ab"', url=b"http://h/xy"):
    return (struct.pack("<QqHH", size, 1253604864, len(validator), len(url))
            + validator + url)


def seal(body, entries, n=None, pos=None, fan=None):
    entries = sorted(entries)
    pos = 32 + len(body) if pos is None else pos
    index = b"".join(bytes([i]) * 16 + struct.pack("<QIIQII", o, ln, p, 0, k, 0)
                     for i, o, ln, p, k in entries)
    if fan is None:
        fan = [sum(1 for e in entries if e[0] < b) for b in range(257)]
    footer = (b"CFSCEND1" + struct.pack("<II", len(entries) if n is None else n,
                                        pos) + bytes(24))
    return index + struct.pack("<257I", *fan) + footer


def write(name, data):
    with open(os.path.join(FOLDER, name), "wb") as f:
        f.write(data)


os.makedirs(FOLDER, exist_ok=True)
M = record(1, 5, meta(), kind=1)
D = record(2, 1000, b"x" * 100)
BODY = M + D
ENTRIES = [(1, 5, len(meta()), 32, 1), (2, 1000, 100, 32 + len(M), 0)]
write("empty", header())
write("open", header() + BODY)
write("sealed", header() + BODY + seal(BODY, ENTRIES))
S = record(4, 1700000000 * 10**9, bytes(8) + struct.pack("<QQ", 1 << 48, 9), kind=2)
write("kinds", header() + BODY + S + record(5, 6, b"z" * 30, kind=3))
write("open-torn", header() + BODY + record(3, 1, b"y" * 50)[:-20])
write("length-0", header() + record(3, 1, b"", 0) + BODY)
write("length-huge", header() + record(3, 1, b"y", 0xffffffff) + BODY)
write("length-past-end", header() + record(3, 1, b"y" * 8, 131072))
write("offset-wraps", header() + record(3, 2**64 - 1, b"yy"))
write("entry-past-index", header() + BODY +
      seal(BODY, [(1, 5, 100, 32 + len(BODY) - 8, 0)]))
write("entry-in-header", header() + BODY + seal(BODY, [(1, 5, 10, 0, 0)]))
write("entries-lie", header() + BODY + seal(BODY, ENTRIES, n=3))
write("index-pos-wraps", header() + BODY + seal(BODY, ENTRIES, pos=0xfffffff8))
write("fan-falls", header() + BODY + seal(BODY, ENTRIES, fan=[2] * 256 + [1]))
write("fan-past-end", header() + BODY +
      seal(BODY, ENTRIES, fan=[0] * 256 + [0xffffffff]))
write("meta", meta())
write("meta-no-url", meta(url=b""))
write("meta-nul", meta(url=b"http://h/\0"))
write("meta-long-validator", meta(validator=b"v" * 300))
write("meta-cut", meta()[:-3])
write("meta-more", meta() + b"x")
