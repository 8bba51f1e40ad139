#!/usr/bin/env python3
"""Writes the corpus of fuzz_sizes: files of kept sizes, good and bad.

Made from the tables in crawlfs-cache(5) alone.  Checksums are left 0: the fuzz
target puts them right, but for those that are all ones.

usage: make_sizes_corpus.py FOLDER
"""
import os
import struct
import sys

FOLDER = sys.argv[1]
BAD = 2**64 - 1


def header(magic=b"CFSSIZE1", version=1, n=40, checksum=0):
    return magic + struct.pack("<IIQQQ", version, n, 1, 2, checksum)


def entry(pos=5, view=1, size=12345, flags=1 << 62):
    return struct.pack("<QQ", pos | view << 48 | flags, size)


def batch(entries, n=None, magic=0x7a536663, zero=0, checksum=0):
    return (struct.pack("<IIIIQ", magic, len(entries) if n is None else n, 77,
                        zero, checksum) + b"".join(entries))


def write(name, data):
    with open(os.path.join(FOLDER, name), "wb") as f:
        f.write(data)


os.makedirs(FOLDER, exist_ok=True)
GOOD = batch([entry(), entry(6, 3, 0, 0)])
write("nothing", b"")
write("header", header())
write("header-cut", header()[:-1])
write("header-magic", header(magic=b"CFSSIZE2") + GOOD)
write("header-version", header(version=2) + GOOD)
write("header-length", header(n=48) + GOOD)
write("header-checksum", header(checksum=BAD) + GOOD)
write("batches", header() + GOOD + batch([entry(7)]))
write("too-many", header() + batch([entry(i, 2, i, 0) for i in range(4097)]))
write("none", header() + batch([]) + GOOD)
write("length-huge", header() + batch([entry()], n=0xffffffff))
write("length-past-end", header() + batch([entry()], n=2))
write("batch-cut", header() + GOOD + GOOD[:-1])
write("batch-header-cut", header() + GOOD + GOOD[:23])
write("batch-magic", header() + batch([entry()], magic=0x7a536664))
write("batch-zero", header() + batch([entry()], zero=1))
write("batch-checksum", header() + GOOD + batch([entry()], checksum=BAD) + GOOD)
write("key-bit-63", header() + batch([entry(flags=1 << 63)]))
write("size-negative", header() + batch([entry(size=2**63)]))
write("junk-behind", header() + GOOD + b"x" * 30)
