#!/usr/bin/env python3
"""pdf_make.py FOLDER - writes WARC files of PDF documents that are made here:
pdf.warc.gz, and heavy.warc.gz with two that take much of a processor.
pdf_make.py --check ROWS.jsonl - exit status 1 if rows of them have other texts,
titles or outcomes than what they were made of.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import gzip
import json
import sys
import zlib


def escape(s):
    return s.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


def content(lines):
    """A page's stream: lines are (x, y, size, text)."""
    return "".join("BT /F1 %d Tf 1 0 0 1 %d %d Tm (%s) Tj ET\n" % (size, x, y, escape(t))
                   for x, y, size, t in lines).encode()


def document(objects, trailer=b"", end=b"%%EOF\n"):
    """objects: bytes by number from 1; the first is the catalogue."""
    out, at = bytearray(b"%PDF-1.4\n"), []
    for i, o in enumerate(objects, 1):
        at.append(len(out))
        out += b"%d 0 obj\n" % i + o + b"\nendobj\n"
    xref = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % a for a in at)
    out += b"trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n" % (
        len(objects) + 1, trailer, xref) + end
    return bytes(out)


def stream(data, extra=b""):
    return b"<< /Length %d %s >>\nstream\n" % (len(data), extra) + data + b"\nendstream"


FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
PAGE = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] " \
    b"/Resources << /Font << /F1 3 0 R >> >> /Contents %d 0 R >>"


def pages(streams, title=None, extra=b""):
    """A document of pages with those streams."""
    kids = b" ".join(b"%d 0 R" % (4 + 2 * i) for i in range(len(streams)))
    objects = [b"<< /Type /Catalog /Pages 2 0 R %s >>" % extra,
               b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(streams)), FONT]
    for i, s in enumerate(streams):
        objects += [PAGE % (5 + 2 * i), s]
    trailer = b""
    if title is not None:
        objects.append(b"<< /Title (%s) >>" % title.encode())
        trailer = b"/Info %d 0 R" % len(objects)
    return document(objects, trailer)


def text_page(lines):
    return stream(content(lines))


PROSE = [
    "A crawl is a set of pages that a program fetched from many servers in a short",
    "time, and an archive holds what they sent, byte for byte, with the time of each",
    "answer. Whoever wants to read one site needs an index, since an archive is in no",
    "order that a reader knows, and the pages of one site lie in thousands of archi-",
    "ves. An index is sorted by the reversed names of hosts."]


def prose(head, number):
    lines = [(72, 760, 9, head)]
    y = 700
    for t in PROSE:
        lines.append((72, y, 11, t))
        y -= 14
    y -= 14
    for t in PROSE[:3]:
        lines.append((72, y, 11, t))
        y -= 14
    return lines + [(300, 30, 9, str(number))]


def many_pages(n):
    kids = b" ".join(b"%d 0 R" % (5 + i) for i in range(n))
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>",
               b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, n), FONT,
               text_page([(72, 700, 12, "again")])]
    return document(objects + [PAGE % 4] * n)


def loop():
    """A page tree that contains itself."""
    return document([b"<< /Type /Catalog /Pages 2 0 R >>",
                     b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 >>"])


def bomb(mib):
    """A stream that inflates to so many MiB of operators."""
    c = zlib.compressobj(9)
    block = b"BT /F1 12 Tf (x) Tj ET\n" * 45590        # 1 MiB
    data = b"".join(c.compress(block) for _ in range(mib)) + c.flush()
    return pages([stream(data, b"/Filter /FlateDecode")])


def deep(n):
    return pages([stream(b"[" * n)])


def main(folder):
    docs = [
        ("plain.pdf", pages([text_page([(72, 700, 12, "Hello, reader."),
                                        (72, 680, 12, "A second line.")])],
                            "A plain document")),
        ("prose.pdf", pages([text_page(prose("The Journal of Crawls 2024", i)) for i in (1, 2, 3, 4)])),
        ("script.pdf", pages([text_page([(72, 700, 12, "quiet")])], extra=b"/OpenAction << /S "
                             b"/JavaScript /JS (app.launchURL\\(\"http://127.0.0.1:1/\"\\)) >>")),
        ("empty.pdf", pages([stream(b"")])),
        ("nothing.pdf", b"%PDF-1.4\nthis is no document"),
        ("loop.pdf", loop()),
        ("deep.pdf", deep(2000000)),
    ]
    heavy = [("bomb.pdf", bomb(2000)), ("many.pdf", many_pages(100000)), ("plain.pdf", docs[0][1])]
    long = pages([text_page([(72, 700, 12, "Page %d." % i)]) for i in range(400)])
    docs.append(("cut.pdf", long[:len(long) // 2]))
    with open(folder + "/heavy.warc.gz", "wb") as out:
        for i, (path, doc) in enumerate(heavy):
            out.write(record(i, path, "application/pdf", doc))
    with open(folder + "/pdf.warc.gz", "wb") as out:
        for i, (path, doc) in enumerate(docs):
            out.write(record(i, path, "application/pdf", doc))
        out.write(record(90, "octets", "application/octet-stream", docs[0][1]))
        out.write(record(92, "prose", "binary/octet-stream", docs[1][1]))
        out.write(record(91, "page.html", "text/html", b"<p>%PDF-1.4 is how they begin</p>"))


def record(i, path, mime, doc):
    body = b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\n\r\n" % mime.encode() + doc
    head = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://pdf.example/%s\r\n" \
        "WARC-Date: 2024-01-01T00:00:%02dZ\r\nWARC-Record-ID: <urn:uuid:%032d>\r\n" \
        "Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n" % (
            path, i % 60, i, len(body))
    return gzip.compress(head.encode() + body + b"\r\n\r\n", 1)


HELLO = ("A plain document", "Hello, reader. A second line.", "whole")
HEAD = "The Journal of Crawls 2024 "
# title, words of the text, outcome
WANT = {
    "plain.pdf": HELLO, "octets": HELLO,
    "prose.pdf": (None, " ".join(HEAD + " ".join(PROSE + PROSE[:3]) + " %d" % i
                                 for i in (1, 2, 3, 4)).replace("archi- ves", "archives"),
                  "whole"),
    "script.pdf": (None, "quiet", "whole"),
    "empty.pdf": (None, "", "whole"), "deep.pdf": (None, "", "whole"),
    "nothing.pdf": (None, "", "not readable"), "loop.pdf": (None, "", "not readable"),
    "bomb.pdf": (None, "", "too much"),
    "many.pdf": (None, " ".join(["again"] * 10000), "partial"),
    "cut.pdf": (None, " ".join("Page %d." % i for i in range(400)), "partial"),
    "page.html": (None, "%PDF-1.4 is how they begin", None),
}


def joined(lines):
    return " ".join(lines).replace("archi- ves", "archives")


# A paragraph that does not end with its page goes on with the next one.
PARAGRAPHS = [joined(PROSE)] + [joined(PROSE[:3] + PROSE)] * 3 + [joined(PROSE[:3])]


def differs(row):
    """Why a row is not what it should be, or None."""
    name = row["url"].rsplit("/", 1)[1]
    if name == "prose":             # found by its bytes
        name = "prose.pdf"
    title, text, outcome = WANT[name]
    got = " ".join(row.get("text", "").split())
    if name == "prose.pdf" and row["markdown"] != "\n\n".join(PARAGRAPHS) + "\n":
        return "%s: markdown %r" % (name, row["markdown"])
    if name == "prose.pdf" and row["main"] != row["markdown"]:
        return "%s: main %r" % (name, row["main"])
    meta = row["meta"] if isinstance(row["meta"], dict) else json.loads(row["meta"])
    told = meta["crawlfs"].get("pdf", {}).get("text")
    if row.get("title") != title:
        return "%s: title %r" % (name, row.get("title"))
    if name == "cut.pdf":           # as far as it goes
        if len(got) < len(text) // 4 or not text.startswith(got):
            return "%s: text %r" % (name, got[:80])
    elif got != text:
        return "%s: text %r" % (name, got[:80])
    return None if told == outcome else "%s: outcome %r" % (name, told)


def check(name):
    with open(name, encoding="utf-8") as f:
        rows = [json.loads(line) for line in f]
    wrong = [w for w in map(differs, rows) if w is not None]
    languages = {r["url"].rsplit("/", 1)[1]: r.get("languages") for r in rows}
    if languages.get("prose") != languages.get("prose.pdf"):
        wrong.append("prose: languages %r" % languages["prose"])
    print(len(rows), *wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    if sys.argv[1] == "--check":
        sys.exit(check(sys.argv[2]))
    main(sys.argv[1])
