#!/usr/bin/env python3
"""pdf_pages.py FOLDER DOCUMENTS MOST - writes PDF documents of text, as files and
in pdf.warc; the K-th has K modulo MOST pages and one, or MOST, if that is above
8.  The file `pages` has the number of all pages.
pdf_pages.py --compare ROWS TEXT - exit status 1 if rows of JSON and a text have
other words.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import collections
import json
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "mount"))
from pdf_make import content, pages, stream  # noqa: E402

LINES = 45
WORDS = 11


def page(rng):
    return stream(content([(72, 740 - 15 * i, 10, " ".join(
        "".join(rng.choices("etaoinshrdlu", k=rng.randint(2, 9)))
        for _ in range(WORDS))) for i in range(LINES)]))


def make(folder, documents, most):
    os.makedirs(folder, exist_ok=True)
    rng = random.Random(1)
    all_pages = 0
    with open(os.path.join(folder, "pdf.warc"), "wb") as out:
        for k in range(documents):
            n = most if most > 8 else k % most + 1
            all_pages += n
            body = pages([page(rng) for _ in range(n)])
            with open(os.path.join(folder, "%06d.pdf" % k), "wb") as f:
                f.write(body)
            block = (b"HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n" +
                     body)
            out.write(b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: "
                      b"<urn:uuid:00000000-0000-0000-0000-%012d>\r\n"
                      b"WARC-Date: 2024-02-29T12:34:56Z\r\nWARC-Target-URI: "
                      b"http://pdf.example/%d.pdf\r\nContent-Type: "
                      b"application/http; msgtype=response\r\n"
                      b"Content-Length: %d\r\n\r\n" % (k, k, len(block)) +
                      block + b"\r\n\r\n")
    with open(os.path.join(folder, "pages"), "w", encoding="ascii") as f:
        f.write("%d\n" % all_pages)


def compare(rows, text):
    with open(rows, encoding="utf-8") as f:
        got = collections.Counter(word for line in f for word in
                                  json.loads(line).get("text", "").split())
    with open(text, encoding="utf-8") as f:
        want = collections.Counter(f.read().split())
    return got == want and len(want) > 0


if __name__ == "__main__":
    if sys.argv[1] == "--compare":
        sys.exit(0 if compare(*sys.argv[2:]) else 1)
    make(sys.argv[1], *map(int, sys.argv[2:]))
