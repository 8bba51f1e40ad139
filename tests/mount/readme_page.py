#!/usr/bin/env python3
# readme_page.py - README.md as a code host shows it.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     readme_page.py FOLDER <HTML     the page that cmark makes of README.md,
#                                     whose links lead to files below FOLDER
"""Prints a line for each fault; 1 if there is one."""

import html.parser
import os
import sys


class Page(html.parser.HTMLParser):
    """The headings, pictures and links of a page."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))


def faults(folder, text):
    page = Page()
    page.feed(text)
    if len(text) < 5000:
        yield "the page has %d bytes" % len(text)
    if [tag for tag, _ in page.seen].count("h2") < 8:
        yield "the page has few headings"
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
