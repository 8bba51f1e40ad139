#!/usr/bin/env python3
"""pdfs_check.py make WARC - writes captures of PDF documents whose URLs and titles
are odd.
pdfs_check.py check DIR [NO-TITLES] - whether DIR is what crawlfs-pdfs has to make
of them: by the list here, not by what crawlfs reads.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import os
import re
import sys

from pdf_make import pages, stream

LONG = "long " * 40
# URL, the document's title, and what the file is called with that title, and
# without: H is a hash.  A number is the body of that row.
ROWS = [
    ("http://www.a.example/docs/Annual%20Report.pdf", "The Report: 2024/25",
     "a.example-The-Report-2024-25", "a.example-Annual-Report"),
    ("http://a.example/other.pdf", "The report 2024 25",
     "a.example-The-report-2024-25-H", "a.example-other"),
    ("http://a.example/copy.pdf", 0, "a.example-The-Report-2024-25",
     "a.example-Annual-Report"),
    ("http://a.example/", "", "a.example-document", "a.example-document"),
    ("http://a.example/?x", "", "a.example-document-H", "a.example-document-H"),
    ("http://b.example/..%2f..%2f..%2fetc%2fpasswd", "", "b.example-etc-passwd",
     "b.example-etc-passwd"),
    ("http://b.example/%00%0a%1b%5b31m%e2%80%ae.hidden.PDF", "",
     "b.example-31m-hidden", "b.example-31m-hidden"),
    ("http://b.example/%E0%A4%B9%E0%A4%BF%E0%A4%A8%E0%A5%8D%E0%A4%A6%E0%A5%80-"
     "%C3%BC.pdf", "", "b.example-\u0939\u093f\u0928\u094d\u0926\u0940-\u00fc",
     "b.example-\u0939\u093f\u0928\u094d\u0926\u0940-\u00fc"),
    ("http://b.example/l.pdf", LONG, "b.example-" + "long-" * 23 + "long",
     "b.example-l"),
    ("http://b.example/" + "%C3%A9" * 500 + ".pdf", "",
     "b.example-" + "\u00e9" * 60, "b.example-" + "\u00e9" * 60),
    ("http://" + "h" * 60 + "." + "h" * 60 + ".example/x", "",
     "h" * 60 + "." + "h" * 19 + "-x", "h" * 60 + "." + "h" * 19 + "-x"),
    ("http://b.example/error.pdf", b"<html>Not found</html>", None, None),
    ("http://b.example/cut.pdf", "", "b.example-cut", "b.example-cut"),
    ("http://b.example/pdfs.tsv", "", "b.example-pdfs.tsv", "b.example-pdfs.tsv"),
]


def bodies():
    made = []
    for n, (url, title, _, _) in enumerate(ROWS):
        if isinstance(title, int):
            made.append(made[title])
        elif isinstance(title, bytes):
            made.append(title)
        else:
            made.append(pages([stream(b"%% document %d\n" % n)], title or None))
    return made


def make(name):
    with open(name, "wb") as out:
        for n, (row, body) in enumerate(zip(ROWS, bodies())):
            block = b"HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n" + body
            cut = b"WARC-Truncated: length\r\n" if "/cut" in row[0] else b""
            out.write(b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: "
                      b"<urn:uuid:00000000-0000-0000-0000-%012d>\r\n"
                      b"WARC-Date: 2024-02-29T12:34:%02dZ\r\n"
                      b"WARC-Target-URI: %s\r\nContent-Type: application/http; "
                      b"msgtype=response\r\n%sContent-Length: %d\r\n\r\n" % (
                          n, n, row[0].encode(), cut, len(block)) +
                      block + b"\r\n\r\n")


def check(folder, *no_titles):
    with open(os.path.join(folder, "pdfs.tsv"), encoding="utf-8", newline="\n") as f:
        lines = [line.rstrip("\n").split("\t") for line in f]
    assert lines[0] == ["file", "url", "timestamp", "bytes", "title", "archive",
                        "offset", "note"], lines[0]
    by_url = {line[1]: line for line in lines[1:]}
    assert len(lines) == len(by_url) + 1 == len(ROWS) + 1, len(lines)
    for row, body in zip(ROWS, bodies()):
        line = by_url[row[0]]
        wanted = row[3 if no_titles else 2]
        assert line[3] == str(len(body)), line
        if wanted is None:
            assert line[0] == "" and line[7] == "not a PDF", line
            continue
        pattern = re.escape(wanted).replace("\\-H", "-[0-9a-f]{8}")
        pattern = pattern.replace("-H", "-[0-9a-f]{8}") + r"\.pdf"
        assert re.fullmatch(pattern, line[0]), (line[0], pattern)
        assert line[7] == ("truncated: length" if "/cut" in row[0] else ""), line
        with open(os.path.join(folder, line[0]), "rb") as f:
            assert f.read() == body, line[0]
    names = {line[0] for line in lines[1:]} - {""}
    assert set(os.listdir(folder)) == names | {"pdfs.tsv"}
    assert len({name.casefold() for name in names}) == len(names)
    assert all(len(os.fsencode(name)) <= 205 for name in names)
    print(len(names), "files")


if __name__ == "__main__":
    {"make": make, "check": check}[sys.argv[1]](*sys.argv[2:])
