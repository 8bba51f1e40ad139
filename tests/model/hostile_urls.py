#!/usr/bin/env python3
# hostile_urls.py - lists of URLs made to break a tree, for property tests.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     hostile_urls.py [--seed N] [--count N] [--again N] >LIST
#     crawlfs-mkcrawl --warc --urls LIST FOLDER
#
# Few hosts and a small alphabet of segments, so that most URLs clash with
# another: as page and directory, as view and page, as neighbours in byte
# order, as spellings of one name.  The lines are those of crawlfs-mkcrawl's
# --urls: URL, time, status, kind.
"""Hostile URL lists, the same for the same seed."""

import argparse
import random
import re
import sys

LABELS = [b"a", b"b", b"A", b"_", b"__", b"_a", b"", b"a-b", b"-", b"0", b"com",
          b"%20", b"\xc3\xa9", b"b" * 63, b"_index", b"a,b", b"*", b"~2"]
HOSTS = [b"192.0.2.1", b"[2001:db8::1]", b"[::1]", b"[junk", b"localhost",
         b"1.2.3.4.5", b"_", b"a..b", b".a", b"x" * 230, b"_" * 221, b"..a",
         b"a.b.c.d.e.f.g.h", b"]", b"[]", b"[::1].b", b"[::1]."]
SEGMENTS = [b"", b".", b"..", b"...", b"a", b"b", b"ab", b"a.b", b"A",
            b"_", b"__", b"_index", b"__index", b"___index", b"index",
            b"_index.txt", b"_index#", b"a.txt", b"a.meta", b"a.headers",
            b"a.arc.gz", b"a.warc.gz", b"a.txt.txt", b"a.txt.meta", b"a.",
            b".txt", b".meta", b"#", b"##", b"###", b"a#", b"a#1", b"a#2",
            b"a##", b"a#.txt", b"a#1.meta", b"#.txt", b"#1", b"#x",
            b"#x0123456789abcdef", b"a#x0123456789abcdef", b"%2E", b"%2e",
            b"%2E%2E", b"%2F", b"%00", b"?", b"??", b"?q", b"a?b", b"a?b=c/d",
            b"?.", b"?u=http://x/y", b"a?", b"a b", b" a", b"-", b"-a",
            b"a\x01", b"\x1f", b"\x7f", b"a\t", b"a\\b", b"\\", b"a'b", b'a"b',
            b"\xc3\xa9", b"\xff", b"\x80\x80", b"\xf0\x9f\x98\x80", b"$a",
            b"*", b"~", b"a:b", b":80", b"a:80", b"a@b:c", b".crawlfs", b"a!",
            b"a+", b"a,", b"a-", b"a/", b"a0", b"a\xc2\xa0", b"\xed\xa0\x80"]
UNITS = [b"x", b"#", b"\xc3\xa9", b"\xe6\x97\xa5", b"\xf0\x9f\x98\x80", b"\x80",
         b"a#", b"\xff", b"_", b".", b"ab\xe6\x97\xa5", b"%2E"]
TAILS = [b"", b"/", b"//", b"#", b"!", b".", b"-", b"\x01", b".txt", b".meta",
         b"?", b"0", b"/a", b"#1", b"/.", b"a"]
SCHEMES = [b"http"] * 12 + [b"https"] * 3 + [b"HTTP", b"ftp", b"gopher"]
TIMES = ["20120101000000", "20120101000001", "20130101000000", "20140615120000"]
STATUS = ["200"] * 6 + ["404", "500", "301", "304", "206"]
# --again: equal times, neighbours, and one that is unknown
MORE_TIMES = TIMES + ["19700101000000", "19961231235959", "20111231235959",
                      "20120101000002", "20120229120000", "20121231235959",
                      "20130101000001", "20150801000000", "20240220093000"]
KINDS = ["response"] * 16 + ["resource", "conversion", "revisit", "revisit"]


def long_segment(r):
    """Round the two limits, 180 and 220 bytes, often with equal starts."""
    unit = r.choice(UNITS)
    n = r.choice([176, 178, 180, 181, 215, 218, 219, 220, 221, 222, 224, 250])
    s = r.choice([b"", b"", b"y", b"_", b"a.txt"]) + unit * (n // len(unit) + 1)
    s = s[:n + r.randrange(4)]
    return s + r.choice([b"", b"", b"1", b"2", b".txt", b"?q"])


def host(r):
    h = r.choice(HOSTS) if r.random() < 0.25 else \
        b".".join(r.choice(LABELS) for _ in range(r.randint(1, 3)))
    h += r.choice([b""] * 12 + [b".", b".."])
    h += r.choice([b""] * 12 + [b":80", b":8080", b":", b":x", b":80:90", b":0"])
    return r.choice([b""] * 20 + [b"u@", b"u:p@", b"a@b@"]) + h


def path(r):
    depth = r.choice([0, 1, 1, 1, 2, 2, 2, 3, 4])
    segs = [long_segment(r) if r.random() < 0.06 else r.choice(SEGMENTS)
            for _ in range(depth)]
    if not segs:
        return r.choice([b"", b"/", b"?q", b"#f", b"?", b"//", b"?a/b"])
    return b"/" + b"/".join(segs)


def extreme(r):
    """At the limits: 8192 bytes of URL, 1023 levels."""
    n = r.choice([8190, 8191, 8192, 8193])
    if r.random() < 0.5:
        return (b"http://a.b/" + r.choice(UNITS) * 8192)[:n]
    return b"http://a.b" + b"/a" * r.choice([1018, 1019, 1020, 1021, 1022, 1023])


def neighbour(r, url):
    """The same URL a little longer or shorter."""
    if r.random() < 0.3:
        at = len(re.match(rb"\w+://", url).group())
        return url[:max(at + 1, len(url) - r.randint(1, 3))]
    return url + r.choice(TAILS)


def escape(s):
    return re.sub(rb"[\x00-\x1f\x7f\\]", lambda m: b"\\x%02x" % m.group()[0], s)


def urls(seed, count):
    r = random.Random(seed)
    hosts = [host(r) for _ in range(max(3, count // 60))]
    made = []
    for _ in range(count):
        v = r.random()
        if made and v < 0.15:
            url = r.choice(made)                    # captured again
        elif made and v < 0.35:
            url = neighbour(r, r.choice(made))
        elif v < 0.355:
            url = extreme(r)
        else:
            url = r.choice(SCHEMES) + b"://" + r.choice(hosts) + path(r)
        made.append(url)
        yield url, r.choice(TIMES), r.choice(STATUS), r.choice(KINDS)


def captured_again(lines, seed, most):
    """Each line as it is, and so many times more at the most."""
    r = random.Random(seed)
    for url, time, status, kind in lines:
        yield url, time, status, kind
        for _ in range(r.randint(0, most) if len(url) < 4000 else 0):
            yield url, r.choice(MORE_TIMES), r.choice(STATUS), r.choice(KINDS)


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--count", type=int, default=1000)
    p.add_argument("--again", type=int, default=0,
                   help="capture each up to N times more")
    opt = p.parse_args()
    for url, time, status, kind in captured_again(
            urls(opt.seed, opt.count), opt.seed, opt.again):
        sys.stdout.buffer.write(b"%s\t%s\t%s\t%s\n" % (
            escape(url), time.encode(), status.encode(), kind.encode()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
