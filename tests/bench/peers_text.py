#!/usr/bin/env python3
"""peers_text.py - full text of archives, by one of the peers that Python has.

usage: peers_text.py PARTY ARCHIVE...

PARTY: resiliparse (FastWARC and Resiliparse) or warcio (with html.parser). Reads the responses of type text/html,
undoes their encodings, makes their text, and prints "PAGES CHARACTERS".
SPDX-License-Identifier: GPL-3.0-or-later
"""
import html.parser
import sys


def resiliparse(path):
    """As Resiliparse's documentation does it: all text of the page."""
    from fastwarc.warc import ArchiveIterator, WarcRecordType
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding
    for record in ArchiveIterator(open(path, "rb"),
                                  record_types=WarcRecordType.response,
                                  parse_http=True):
        if record.http_content_type != "text/html":
            continue
        body = record.reader.read()
        page = bytes_to_str(body, detect_encoding(body))
        yield extract_plain_text(page, main_content=False)


class Text(html.parser.HTMLParser):
    """What is not in a script or a style."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.pieces = []
        self.hidden = 0

    def handle_starttag(self, tag, attrs):
        self.hidden += tag in ("script", "style")

    def handle_endtag(self, tag):
        self.hidden -= tag in ("script", "style") and self.hidden > 0

    def handle_data(self, data):
        if not self.hidden:
            self.pieces.append(data)


def warcio(path):
    from warcio.archiveiterator import ArchiveIterator
    with open(path, "rb") as f:
        for record in ArchiveIterator(f):
            if record.rec_type != "response":
                continue
            kind = record.http_headers.get_header("Content-Type") or ""
            if not kind.startswith("text/html"):
                continue
            text = Text()
            text.feed(record.content_stream().read().decode("utf-8",
                                                            "replace"))
            text.close()
            yield "".join(text.pieces)


def main():
    party, archives = sys.argv[1], sys.argv[2:]
    texts = {"resiliparse": resiliparse, "warcio": warcio}[party]
    pages = characters = 0
    for path in archives:
        for text in texts(path):
            pages += 1
            characters += len(text)
    print(pages, characters)


if __name__ == "__main__":
    main()
