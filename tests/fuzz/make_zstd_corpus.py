#!/usr/bin/env python3
# make_zstd_corpus.py - writes the starting inputs of fuzz_zstd, and those of
# fuzz_scan that are zstd.
#     python3 tests/fuzz/make_zstd_corpus.py tests/fuzz/corpus
# SPDX-License-Identifier: GPL-3.0-or-later
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                ".."))
from corpus_files import put
from zst_crawl import (TABLE, Writer, dict_frame, renumbered, several,
                       skippable, train)


def record(number, words=60):
    block = (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>%d"
             b"</title>" % number + b" ".join(b"w%d" % (number * i % 97)
                                              for i in range(words)))
    return (b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: "
            b"http://a%d.org/\r\nWARC-Date: 2020-01-01T00:00:%02dZ\r\n"
            b"Content-Length: %d\r\n\r\n%s\r\n\r\n" %
            (number, number % 60, len(block), block))


records = [record(n) for n in range(200)]
dictionary = train(records, 1024)
plain, stream = Writer(), Writer(size=False)
bare = Writer(size=False, checksum=False)
named = Writer(dictionary, size=False)
front = dict_frame(dictionary)
text = b"".join(records[:3])
put("zstd", "plain", plain.frame(text))
put("zstd", "stream", stream.frame(text))
put("zstd", "bare", bare.frame(text))
put("zstd", "empty", plain.frame(b"") + bare.frame(b""))
put("zstd", "zeros", plain.frame(bytes(300000)))
put("zstd", "skippable", skippable(TABLE, b"t" * 25) + plain.frame(b"a")
    + skippable(0x184D2A50, b""))
put("zstd", "dict", front + named.frame(records[3]))
put("zstd", "rawdict", dict_frame(dictionary, True) + named.frame(records[3]))
put("zstd", "otherdict", dict_frame(renumbered(dictionary))
    + named.frame(records[3]))
put("zstd", "nodict", named.frame(records[3]))
put("zstd", "window", Writer(size=False, window_log=24).frame(records[3]))
put("zstd", "long", Writer(level=19).frame(record(5, 3000)))
put("zstd", "cut", stream.frame(text)[:-9])
put("zstd", "checksum", plain.frame(b"abc")[:-1] + b"\0")
three = records[:3]
put("scan", "zstd", b"".join(plain.frame(r) for r in three))
put("scan", "zstd-dict", front + b"".join(named.frame(r) for r in three))
put("scan", "zstd-several", front + b"".join(
    several(named, r, n) for n, r in enumerate(three)) + front
    + named.frame(records[4]))
put("scan", "zstd-whole", stream.frame(b"".join(three)))
bad = bytearray(named.frame(three[1]))
bad[len(bad) // 2] ^= 8
put("scan", "zstd-damaged", front + named.frame(three[0]) + bytes(bad)
    + named.frame(three[2]))
put("scan", "zstd-cut", plain.frame(three[0]) + plain.frame(three[1])[:-30])
put("scan", "zstd-line-ends", b"".join(
    plain.frame(r[:-4]) + plain.frame(r[-4:]) for r in three))
