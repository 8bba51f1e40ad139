#!/usr/bin/env python3
"""cdx_lines.py - lines of CDXJ by crawlfs beside those of other programs.

    cdx_lines.py files TOOL OWN THEIRS
        indexes of the same archives, made by `crawlfs index` and by TOOL:
        cdx-indexer (of pywb) or cdxj-indexer
    cdx_lines.py servers OWN THEIRS QUERY...
        the URLs of two CDX servers of the same archives, crawlfs and pywb, each
        asked the queries (url=x&limit=3): the same rows in the same order

What doc/peers.md lists under "Indexes of the same archives" is no difference;
any other is printed, and fails.
SPDX-License-Identifier: GPL-3.0-or-later
"""
import collections
import http.client
import json
import os
import sys
import urllib.parse

# Only one of the programs has these.
OWN_FIELDS = ("redirect", "truncated", "mime-detected", "charset", "languages",
              "source", "source-coll")
# The lines behind a record that is not compressed belong to it, or not.
BLANK_BYTES = 8
# Records of such URLs are no captures of crawlfs, and the text that a conversion
# record has is another view of one.
NO_PAGES = "dns", "metadata", "whois"
NO_PAGE = "of no page"


def parse(text):
    for line in text.splitlines():
        key, when, fields = line.split(" ", 2)
        fields = json.loads(fields)
        for name in OWN_FIELDS:
            fields.pop(name, None)
        fields["filename"] = os.path.basename(fields["filename"])
        if "digest" in fields:
            fields["digest"] = fields["digest"].removeprefix("sha1:")
        yield key, when, fields


def differences(own, theirs):
    """What is different in two lines, as they come of parse()."""
    a, b = own[2], theirs[2]
    out = [name for name, x, y in (("key", own[0], theirs[0]),
                                   ("time", own[1], theirs[1])) if x != y]
    for name in sorted(set(a) | set(b)):
        x, y = a.get(name), b.get(name)
        if x == y or (name == "mime" and x == "unk" and y is None) or \
                (name == "status" and y is None and
                 a.get("mime") == "warc/revisit") or \
                (name == "length" and not a["filename"].endswith(".gz") and
                 0 < int(x or 0) - int(y or 0) <= BLANK_BYTES):
            continue
        out.append(name)
    return out


def is_no_page(fields):
    return fields["url"].partition(":")[0] in NO_PAGES or \
        ("status" not in fields and fields.get("mime") == "text/plain")


def place(line):
    return line[2]["filename"], line[2]["offset"]


def files(tool, own, theirs):
    sides = []
    for path in own, theirs:
        with open(path, encoding="utf-8", errors="surrogateescape") as f:
            sides.append({place(line): line for line in parse(f.read())})
    counts, shown = collections.Counter(), collections.Counter()
    for where in sorted(set(sides[0]) | set(sides[1])):
        pair = [side.get(where) for side in sides]
        if pair[1] is None:
            kind = "only crawlfs"
        elif pair[0] is None:
            kind = "only " + tool
            if is_no_page(pair[1][2]):
                kind = NO_PAGE
        else:
            kind = ", ".join(differences(*pair)) or "equal"
        counts[kind] += 1
        shown[kind] += 1
        if kind not in ("equal", NO_PAGE) and shown[kind] <= 3:
            print("%s\n    %s\n    %s" % (kind, *pair))
    print(", ".join("%d %s" % (n, kind) for kind, n in counts.most_common()))
    return set(counts) <= {"equal", NO_PAGE} and counts["equal"] > 10


def by_key(row):
    """pywb's order.  Below a prefix, crawlfs has the captures of each URL
    together, although URLs that differ in a slash at their end have one key."""
    return row[0], row[1], row[2]["filename"], int(row[2]["offset"])


def answer(url, query):
    at = urllib.parse.urlsplit(url)
    con = http.client.HTTPConnection(at.netloc, timeout=60)
    con.request("GET", "%s?%s" % (at.path, query))
    r = con.getresponse()
    body = r.read()
    con.close()
    if r.status != 200:
        sys.exit("%s?%s: %d %r" % (url, query, r.status, body[:200]))
    return list(parse(body.decode("utf-8")))


def servers(own, theirs, *queries):
    total = 0
    for query in queries:
        rows, others = answer(own, query), answer(theirs, query)
        if not any(v in query for v in ("sort=", "closest=", "limit=")):
            rows.sort(key=by_key)
            others.sort(key=by_key)
        if len(rows) != len(others):
            sys.exit("%s: %d rows, not %d" % (query, len(rows), len(others)))
        for row, other in zip(rows, others):
            if "digest" not in row[2]:
                other[2].pop("digest", None)
            wrong = differences(row, other)
            if wrong:
                sys.exit("%s: %s\n    %s\n    %s" % (query, wrong, row, other))
        total += len(rows)
    print("%d queries, %d rows" % (len(queries), total))
    return total > 10


if __name__ == "__main__":
    sys.exit(not {"files": files, "servers": servers}[sys.argv[1]](
        *sys.argv[2:]))
