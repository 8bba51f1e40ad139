#!/usr/bin/env python3
# make_answer_corpus.py - writes the starting inputs of fuzz_answer.
#     python3 tests/fuzz/make_answer_corpus.py tests/fuzz/corpus
# SPDX-License-Identifier: GPL-3.0-or-later
import os
import struct
import sys

top = os.path.join(sys.argv[1], "answer")
os.makedirs(top, exist_ok=True)


def put(name, data):
    with open(os.path.join(top, name), "wb") as f:
        f.write(data)


def head(name, off, n, *lines):
    put("head-" + name, b"\0" + struct.pack("<HH", off, n - 1) +
        b"".join(l.encode("latin-1") + b"\r\n" for l in lines) + b"\r\n")


part = "HTTP/1.1 206 Partial Content"
head("good", 10, 10, part, "Content-Range: bytes 10-19/100",
     "Content-Length: 10", 'ETag: "x"',
     "Last-Modified: Sun, 09 Sep 2001 01:46:40 GMT")
head("http2", 0, 10, "HTTP/2 206 ", "content-range: bytes 0-9/*")
head("at-end", 90, 20, part, "Content-Range: bytes 90-99/100")
head("shifted", 10, 10, part, "Content-Range: bytes 11-20/100")
head("huge", 10, 10, part, "Content-Range: bytes 10-19/" + "9" * 30)
head("whole", 0, 100, "HTTP/1.1 200 OK", "Content-Length: 50")
head("whole-far", 10, 10, "HTTP/1.1 200 OK", "Content-Length: 50")
head("416", 100, 10, "HTTP/1.1 416 x", "Content-Range: bytes */100")
head("busy", 0, 10, "HTTP/1.1 503 Slow Down", "Retry-After: 5")
head("busy-date", 0, 10, "HTTP/1.1 429 x",
     "Retry-After: Sun, 09 Sep 2001 01:46:40 GMT")
head("moved", 0, 10, "HTTP/1.1 301 x", "Location: /y", "",
     part, "Content-Range: bytes 0-9/10", "Content-Encoding: x-gzip")
head("etag", 0, 10, part, "ETag: W/" + "e" * 300, "x-amz-bucket-region: a")
for i, url in enumerate([
        "https://data.commoncrawl.org/a/b", "s3://commoncrawl/a b",
        "http://u:p@A.org:80/x#y", "http://[::1]:1/x?y",
        "https://s3.amazonaws.com/aws-publicdatasets/common-crawl/x",
        "s3://bucket", "ftp://x/y", "http://a.org/\xe9"]):
    put("url-%d" % i, b"\1" + url.encode("latin-1"))
put("url-brackets", b"\1http://[:[1:]:11::/x?y")	# found by fuzzing
put("ini-plain", b"\2[default]\nregion = x\n")
put("ini-odd", b"\2[default ] ;\r\nREGION=\n region=a\n[\n]=\n=x\n[default")
