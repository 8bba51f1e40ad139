#!/usr/bin/env python3
# readme_page.py - README.md as a code host shows it.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     readme_page.py FOLDER <HTML     the page that cmark makes of README.md,
#                                     whose links lead to files below FOLDER
"""Prints a line for each fault; 1 if there is one."""

import html.parser
import os
import re
import sys


# The headings, in the order in which a newcomer asks.
ORDER = ["What it can do", "Install", "Five commands", "Search",
         "Python and rows", "Common Crawl", "Names", "Alternatives", "Limits",
         "Troubleshooting", "More"]


class Page(html.parser.HTMLParser):
    """The headings, pictures and links of a page."""

    def __init__(self):
        super().__init__()
        self.seen, self.headings = [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))

    def handle_data(self, data):
        if self.seen and self.seen[-1][0] == "h2" and data.strip():
            self.headings.append(data)


def table_faults(text):
    """Tables whose rows have different numbers of columns."""
    for table in re.findall(r"(?:^\|.*\n)+", text, re.M):
        columns = [line.count("|") for line in table.splitlines()]
        if len(set(columns)) != 1 or len(columns) < 3:
            yield "a table has %s columns" % columns


def faults(folder, text):
    page = Page()
    page.feed(text)
    if len(text) < 5000:
        yield "the page has %d bytes" % len(text)
    if page.headings != ORDER:
        yield "the headings are %s" % page.headings
    with open(os.path.join(folder, "README.md"), encoding="utf-8") as f:
        yield from table_faults(f.read())
    for tag, attrs in page.seen:
        path = attrs.get("href", attrs.get("src", ""))
        if tag in ("a", "img") and not path.startswith(("http:", "https:")) \
                and not os.path.exists(os.path.join(folder, path)):
            yield "%s leads to no file" % path
        if tag == "img" and not attrs.get("alt"):
            yield "the picture %s has no text" % path
    first = [tag for tag, _ in page.seen[:6]]
    if "img" not in first:
        yield "the first screen has no picture: %s" % first


def main(folder):
    found = list(faults(folder, sys.stdin.read()))
    print("".join("FAILED: %s\n" % fault for fault in found), end="")
    return len(found) > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
