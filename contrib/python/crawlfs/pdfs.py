# pdfs.py - writes the PDF files of a crawl, with names for people and a table.
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the PDF files of a crawl into the folder DIR, which must be new or empty.

A file is called HOST-TITLE.pdf, where the title is that which the document
states, else the last part of its URL, with - in place of what is no letter, mark
or digit; the same name again gets a hash behind it. Equal documents are one file.

DIR/pdfs.tsv has a line for each capture, behind a line of column names: file,
url, timestamp, bytes, title, archive, offset, note. A tab, line end, carriage
return or backslash is \\t, \\n, \\r or \\\\. The note says why a capture has no
file, or that its document is cut off.

Other options are those of crawlfs export, such as --prefix=org.gnu, --from=2024
or --part=1/4. It needs no mount. Exit status: 0; 1 if a capture could not be
read; 3 if the program failed; 2 for wrong arguments.
"""
from __future__ import annotations

import argparse
import hashlib
import os
import sys
import unicodedata
import urllib.parse
from typing import IO, Any, Dict, Iterable, Optional, Set, Tuple

from .rows import CrawlfsError, Reader, Row, read

FIELDS = "url,timestamp,title,archive,offset,body,truncated"
COLUMNS = ("file", "url", "timestamp", "bytes", "title", "archive", "offset",
           "note")
HOST_BYTES = 80
TITLE_BYTES = 120
# A document begins so within its first bytes, by ISO 32000's readers.
MAGIC, MAGIC_WITHIN = b"%PDF-", 1024
ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def safe(text: str, most: int) -> str:
    """Letters, marks and digits of a text, in at most so many bytes; - for
    what is between them."""
    text = unicodedata.normalize("NFC", text[:4 * most])
    kept = "".join(c if unicodedata.category(c)[0] in "LMN" or c == "." else " "
                   for c in text)
    words = (word.strip(".") for word in kept.split())
    kept = "-".join(word for word in words if word)
    return (kept.encode("utf-8", "ignore")[:most].decode("utf-8", "ignore")
            .rstrip("-."))


def stem_of(row: Row) -> str:
    """HOST-TITLE of a row."""
    try:
        url = urllib.parse.urlsplit(row.get("url", ""))
        host = url.hostname or ""
        last = urllib.parse.unquote(url.path.rstrip("/").rpartition("/")[2])
    except ValueError:
        host = last = ""
    if last.lower().endswith(".pdf"):
        last = last[:-4]
    host = safe(host[4:] if host.startswith("www.") else host, HOST_BYTES)
    title = (safe(row.get("title", ""), TITLE_BYTES) or
             safe(last, TITLE_BYTES) or "document")
    return "%s-%s" % (host or "unknown", title)


class Folder:
    """The folder that files are written into."""

    def __init__(self, path: str) -> None:
        os.makedirs(path, exist_ok=True)
        if os.listdir(path):
            raise FileExistsError("'%s' is not empty" % path)
        self.path = path
        # without the difference of cases
        self.names: Set[str] = {"pdfs.tsv"}
        self.by_digest: Dict[bytes, str] = {}
        self.table: Optional[IO[bytes]] = None

    def create(self, name: str) -> IO[bytes]:
        fd = os.open(os.path.join(self.path, name), os.O_WRONLY | os.O_CREAT |
                     os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
        return os.fdopen(fd, "wb")

    def open_table(self) -> IO[bytes]:
        """The table; made only now, as a source that cannot be read leaves the
        folder empty, for the next try."""
        if self.table is None:
            self.table = self.create("pdfs.tsv")
            self.line(COLUMNS)
        return self.table

    def line(self, values: Iterable[Any]) -> None:
        table = self.open_table()
        text = "\t".join(str(v).translate(ESCAPES) for v in values)
        table.write(text.encode("utf-8", "replace") + b"\n")

    def name_for(self, row: Row) -> str:
        stem, n = stem_of(row), 1
        name = stem + ".pdf"
        place = "%s %s" % (row.get("url"), row.get("timestamp"))
        mark = hashlib.sha256(place.encode("utf-8", "replace")).hexdigest()[:8]
        while name.casefold() in self.names:
            name = "%s-%s%s.pdf" % (stem, mark, "-%d" % n if n > 1 else "")
            n += 1
        self.names.add(name.casefold())
        return name

    def add(self, row: Row) -> str:
        """Writes the file of a row, unless there is one with the same bytes.
        Returns its name."""
        digest = hashlib.sha256(row["body"]).digest()
        name = self.by_digest.get(digest)
        if name is None:
            name = self.by_digest[digest] = self.name_for(row)
            with self.create(name) as f:
                f.write(row["body"])
        return name


def note_of(row: Row) -> Tuple[str, bool]:
    """Why a row has no file, or what is wrong with it; and whether it has
    one."""
    if "body" not in row:
        return str(row.get("error", "no body")), False
    if MAGIC not in row["body"][:MAGIC_WITHIN]:
        return "not a PDF", False
    if "truncated" in row:
        return "truncated: %s" % row["truncated"], True
    return str(row.get("error", "")), True


def run(folder: Folder, rows: Reader) -> int:
    """Writes what the rows have. Returns the exit status."""
    files = captures = 0
    for row in rows:
        note, has_file = note_of(row)
        captures += "url" in row        # else it is a damaged place
        name = folder.add(row) if has_file else ""
        files += has_file
        folder.line([name, row.get("url", ""), row.get("timestamp", ""),
                     len(row.get("body", b"")), row.get("title", ""),
                     row.get("archive", ""), row.get("offset", ""), note])
    folder.open_table().close()
    places = rows.rows - captures
    print("%s: %d files of %d captures, %d without a file%s" % (
        folder.path, len(folder.by_digest), captures, captures - files,
        "; %d damaged places" % places if places else ""), file=sys.stderr)
    return 1 if rows.errors else 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, allow_abbrev=False,
        usage="crawlfs-pdfs -o DIR [OPTION...] SOURCE...",
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", metavar="DIR", required=True)
    parser.add_argument("sources", nargs="+", metavar="SOURCE")
    given, options = parser.parse_known_args()
    if any(not o.startswith("--") for o in options):
        parser.error("'%s': an option of crawlfs export is --NAME=VALUE" %
                     options[0])
    try:
        return run(Folder(given.output), read(
            given.sources, fields=FIELDS, options=options,
            mime="application/pdf,application/x-pdf"))
    except CrawlfsError as e:
        print(e, file=sys.stderr)
        return e.status if e.status > 0 else 3
    except OSError as e:
        print("crawlfs-pdfs: %s" % e, file=sys.stderr)
        return 3


if __name__ == "__main__":
    sys.exit(main())
