#!/usr/bin/env python3
# cdx_lines.py - a CDX without order, and whether crawlfs lookup tells its lines.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     cdx_lines.py make N [M] >FILE      N lines, out of order; M random digits
#                                        in each URL
#     cdx_lines.py compare FILE <LINES   FILE may be compressed; LINES are CDXJ
#     cdx_lines.py shards FOLDER N       a ZipNum cluster of N lines
"""CDX lines of an invented crawl."""

import base64
import gzip
import json
import os
import random
import sys


def lines(n, digits=0):
    rng = random.Random(n)
    out = []
    for i in range(n):
        host = rng.randrange(n // 8 + 1)
        digest = base64.b32encode(rng.randbytes(20)).decode()
        more = "?" + rng.randbytes(digits // 2).hex() if digits else ""
        out.append("example,h%d)/p%d%s 201401010%d%02d%02d "
                   "http://h%d.example/p%d%s text/html 200 %s - - %d %d sub/a-%d.warc.gz" % (
                       host, i, more, i % 10, i // 10 % 60, i % 60, host, i,
                       more, digest, 900 + i % 7, i * 1000, i % 7))
    return out


def read(path):
    with open(path, "rb") as f:
        data = f.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    rows = set()
    for line in data.decode().splitlines():
        c = line.split(" ")
        rows.add((c[1], c[2], c[3], c[4], c[8], c[9], c[10]))
    return rows


def compare(path):
    want, got = read(path), []
    for line in sys.stdin:
        _, when, text = line.split(" ", 2)
        row = json.loads(text)
        got.append((when, row["url"], row["mime"], row["status"],
                    row["length"], row["offset"], row["filename"]))
    print("%d lines, %d wanted" % (len(got), len(want)))
    return len(got) != len(want) or set(got) != want


def shards(folder, n):
    os.makedirs(folder, exist_ok=True)
    rows = sorted(lines(n))
    with open(os.path.join(folder, "cluster.idx"), "w") as idx, \
            open(os.path.join(folder, "all.cdx"), "w") as plain:
        plain.write("".join(x + "\n" for x in rows))
        for s in range(3):
            at, name = 0, "cdx-%05d.gz" % s
            part = rows[len(rows) * s // 3:len(rows) * (s + 1) // 3]
            with open(os.path.join(folder, name), "wb") as f:
                for i in range(0, len(part), 500):
                    text = "".join(x + "\n" for x in part[i:i + 500])
                    member = gzip.compress(text.encode(), mtime=0)
                    f.write(member)
                    idx.write("%s\t%s\t%d\t%d\t%d\n" % (
                        " ".join(part[i].split(" ")[:2]), name, at,
                        len(member), i))
                    at += len(member)
    return 0


if __name__ == "__main__":
    if sys.argv[1] == "make":
        sys.stdout.write("".join(x + "\n" for x in lines(
            *[int(x) for x in sys.argv[2:4]])))
    elif sys.argv[1] == "compare":
        sys.exit(compare(sys.argv[2]))
    else:
        sys.exit(shards(sys.argv[2], int(sys.argv[3])))
