#!/usr/bin/env python3
# tree_model.py - the tree a mount should show, worked out from a manifest.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A plain program over a list of captures: no index, no laziness, everything
# in memory.  It follows the naming rules as they are written down and shares
# nothing with the C code, so that tests compare two opinions.
#
#     tree_model.py [--pbtree] [--views raw:meta:txt] [--base FOLDER] MANIFEST
#     tree_model.py --path [--pbtree] [--base FOLDER] MANIFEST
#     tree_model.py --selftest
#
# The first form prints the tree, one line an object, sorted by path:
#     path  dir   -        -     -      -     -
#     path  file  capture  view  mtime  sha1  bytes
# `capture` is the manifest's line number from 0, `mtime` Unix seconds; sha1
# and bytes only for the view raw, EIO where reading must fail.  The second prints each capture's number,
# its URL and the path of its own raw view, or - if it is in no tree.  Bytes
# below 0x20, 0x7f and backslash are \xNN.
# MANIFEST may be several, A,B,C: the members of a union.
# --from, --to: only captures of that time exist.
# --base: archives are named relative to this folder below the manifest's (a
# mount of that folder), and captures in others are left out.
"""The reference model of the name space."""

import argparse
import calendar
import os
import re
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import record_reader                                            # noqa: E402

URL_MAX = 8192
DEPTH_MAX = 1023
WHOLE_MAX = 220
CUT = 180
PBTREE_DOTS_MAX = 4     # dot segments of one published key
VIEWS = ("raw", "meta", "txt", "headers", "record", "main")


# ---- XXH64 (the public description of xxHash, seed 0) ----

M64 = (1 << 64) - 1
P1, P2, P3, P4, P5 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F,
                      0x165667B19E3779F9, 0x85EBCA77C2B2AE63,
                      0x27D4EB2F165667C5)


def rotl(v, n):
    return (v << n | v >> (64 - n)) & M64


def xxh_round(acc, lane):
    return rotl((acc + lane * P2) & M64, 31) * P1 & M64


def xxh64(data, seed=0):
    n = len(data)
    at = 0
    if n >= 32:
        acc = [(seed + P1 + P2) & M64, (seed + P2) & M64, seed & M64,
               (seed - P1) & M64]
        while at + 32 <= n:
            for i in range(4):
                lane = int.from_bytes(data[at:at + 8], "little")
                acc[i] = xxh_round(acc[i], lane)
                at += 8
        h = sum(rotl(a, r) for a, r in zip(acc, (1, 7, 12, 18))) & M64
        for a in acc:
            h = ((h ^ xxh_round(0, a)) * P1 + P4) & M64
    else:
        h = (seed + P5) & M64
    h = (h + n) & M64
    while at + 8 <= n:
        h ^= xxh_round(0, int.from_bytes(data[at:at + 8], "little"))
        h = (rotl(h, 27) * P1 + P4) & M64
        at += 8
    if at + 4 <= n:
        h ^= int.from_bytes(data[at:at + 4], "little") * P1 & M64
        h = (rotl(h, 23) * P2 + P3) & M64
        at += 4
    while at < n:
        h ^= data[at] * P5 & M64
        h = rotl(h, 11) * P1 & M64
        at += 1
    h = (h ^ h >> 33) * P2 & M64
    h = (h ^ h >> 29) * P3 & M64
    return h ^ h >> 32


# ---- URL or key -> components ----

def cut_authority(rest):
    """(authority, path with query and fragment)"""
    m = re.search(rb"[/?#]", rest)
    return (rest, b"") if m is None else (rest[:m.start()], rest[m.start():])


def segments(path):
    if path.startswith(b"/"):
        path = path[1:]
    return [{b".": b"%2E", b"..": b"%2E%2E"}.get(s, s)
            for s in path.split(b"/")]


def lower(s):
    return bytes(c + 32 if 65 <= c <= 90 else c for c in s)


# Names of what is no page, by which archives call their own heads and logs.
PSEUDO = (b"dns", b"filedesc", b"metadata", b"screenshot", b"thumbnail",
          b"urn", b"warcinfo")


def cut_scheme(url):
    """(scheme in lower case, what stands behind it, the slashes of its
    path), or None: its URLs are not in the tree."""
    if len(url) > 1 and url.startswith(b"<") and url.endswith(b">"):
        url = url[1:-1]
    m = re.match(rb"(?i)(https?|ftp):([/\\\\]*)", url)
    if m is not None:
        rest = url[m.end():]
        net = re.match(rb"[^/\\\\?#]*", rest)
        odd = b"\\" in m.group(2) or rest[net.end():net.end() + 1] == b"\\"
        return m.group(1).lower(), rest, odd
    m = re.match(rb"(?i)(file):(?=/)(?://)?|([a-z][a-z0-9+.-]{0,30})://", url)
    if m is None:
        return None
    scheme = (m.group(1) or m.group(2)).lower()
    return None if scheme in PSEUDO else (scheme, url[m.end():], False)


def own_path(url):
    """(labels, segments) in our own index, or None: not in the tree."""
    cut = cut_scheme(url)
    if cut is None or len(url) > URL_MAX or b"\0" in url:
        return None
    scheme, rest, odd = cut
    if odd:                     # its backslashes are slashes
        path, query = re.fullmatch(rb"(?s)([^?#]*)(.*)", rest).groups()
        rest = path.replace(b"\\", b"/") + query
    net, path = cut_authority(rest)
    host = net.rsplit(b"@", 1)[-1]
    v6 = re.match(rb"(\[[^\]]*\])\.*(:|$)", host)
    host = v6.group(1) if v6 else host.split(b":", 1)[0].rstrip(b".")
    is_web = scheme in (b"http", b"https", b"ftp")
    if not host and (is_web or net or not path.startswith(b"/")):
        return None
    host = lower(host)
    labels = [] if is_web else [scheme + b":"]
    labels += [host] if v6 else host.split(b".")[::-1] if host else []
    segs = segments(path)
    if len(labels) + 1 + len(segs) > DEPTH_MAX:
        return None
    return labels, segs


def published_key(url):
    """The key of the 2012 index (the rule of its builder)."""
    scheme, _, rest = url.partition(b"://")
    net, path = cut_authority(rest)
    path = path.split(b"#", 1)[0]
    if path.endswith(b"?") and path.count(b"?") == 1:
        path = path[:-1]
    piece = net.split(b":")
    tail = b":" + piece[1] if len(piece) == 2 else b""
    return b".".join(piece[0].split(b".")[::-1]) + path + tail + b":" + \
        lower(scheme)


def key_path(key):
    """(labels, segments) of a published key, or None."""
    rest, colon, scheme = key.rpartition(b":")
    if not colon or scheme not in (b"http", b"https", b"ftp") or \
            len(key) > URL_MAX - 2 or b"\0" in key:
        return None
    front, colon, tail = rest.rpartition(b":")
    if colon and (re.fullmatch(rb"[0-9]+", tail) and 1 <= int(tail) <= 65535 or
                  b"@" in tail and not re.search(rb"[/?#]", tail)):
        rest = front
    m = re.search(rb"[/?:]", rest)
    at = m.start() if m else len(rest)
    labels = rest[:at].split(b".")
    segs = segments(rest[at:])
    dots = sum(s in (b"%2E", b"%2E%2E") for s in segs)
    if dots > PBTREE_DOTS_MAX or len(labels) + 1 + len(segs) > DEPTH_MAX:
        return None
    return labels, segs


# ---- components -> names ----

def cut_name(escaped, raw):
    """A name of more than WHOLE_MAX bytes: its beginning and a hash."""
    cut = CUT
    for back in range(4):       # not inside a UTF-8 sequence
        if escaped[CUT - back] & 0xc0 != 0x80:
            cut = CUT - back
            break
    hashes = cut - len(escaped[:cut].rstrip(b"#"))
    cut -= hashes % 2           # not inside a `##`
    return escaped[:cut] + b"#x%016x" % xxh64(raw)


# What a mount with names=escaped shows: each byte that is not UTF-8 as #%XX.
ESCAPED = os.environ.get("CFS_NAMES") == "escaped"


def escaped_name(name, raw):
    units = ["##" if c == "#" else c if not "\udc80" <= c <= "\udcff" else
             "#%%%02X" % (ord(c) - 0xdc00)
             for c in name.decode("utf-8", "surrogateescape")]
    units = [unit.encode() for unit in units]
    n = sum(map(len, units))
    if n > WHOLE_MAX:
        while n > CUT:
            n -= len(units.pop())
        units.append(b"#x%016x" % xxh64(raw))
    return b"".join(units)


def finish_name(name, raw):
    if ESCAPED:
        return escaped_name(name, raw)
    name = name.replace(b"#", b"##")
    return cut_name(name, raw) if len(name) > WHOLE_MAX else name


def label_name(label):
    if label == b"":
        return b"#"
    return finish_name(b"_" + label if label.startswith(b"_") else label, label)


def segment_name(seg):
    if seg == b"":
        return b"_index"
    if re.fullmatch(rb"_+index", seg):
        return b"_" + seg
    return finish_name(seg, seg)


# ---- the tree ----

class Directory:
    def __init__(self):
        self.is_below = False   # is `_`, or below one: names are segments
        self.dirs = {}          # component -> Directory
        self.pages = {}         # component -> [capture], in index order
        self.marker = None      # the Directory `_`, among host labels
        self.is_covered = True  # a prefix covers a page in it or below
        self.left_out = set()   # components of pages that none covers


def insert(root, path, capture):
    labels, segs = path
    at = root
    for label in labels:
        at = at.dirs.setdefault(label, Directory())
    if at.marker is None:
        at.marker = Directory()
    at = at.marker
    for seg in segs[:-1]:
        at = at.dirs.setdefault(seg, Directory())
    at.pages.setdefault(segs[-1], []).append(capture)


def counts_as_200(capture, published):
    """Published keys tell nothing of the status."""
    if published:
        return False
    return capture.status == 200 or capture.kind in ("resource", "conversion")


def period(date):
    """First and last second of a date that is cut short."""
    def at(text):
        return calendar.timegm(time.strptime(text, "%Y%m%d%H%M%S"))

    whole = []
    todo = [date]
    while todo:     # the shortest dates in which it is whole fields
        d = todo.pop()
        if len(d) % 2:
            todo += [d + c for c in "0123456789"]
            continue
        try:
            whole.append((at((d + "0101000000"[len(d) - 4:])), d))
        except ValueError:
            pass
    whole.sort()
    last = whole[-1][1]
    year, month = int(last[:4]), int(last[4:6] or 12)
    days = calendar.monthrange(year, month)[1]
    return whole[0][0], at(last + ("12%02d235959" % days)[len(last) - 4:])


def archive_date(capture):
    """Seconds, from <ms>_<partition>.arc.gz."""
    return int(re.search(r"(\d+)_\d+\.arc", capture.archive).group(1)) // 1000


class Model:
    """root: the tree; order: captures as the index has them; where: capture
    number -> (labels, segments) of the captures that are in the tree."""

    dates = (None, None)        # the first and last second that exist
    statuses = None             # those of captures that exist; None: any

    def __init__(self, captures, published=False):
        self.published = published
        self.root = Directory()
        self.where = {}
        if published:
            captures = [c for c in captures if c.kind == "arc"]
            key = {c.number: published_key(c.url) for c in captures}
            self.order = sorted(captures, key=lambda c: (key[c.number], c.number))
        else:
            self.order = sorted(captures, key=lambda c: (
                c.time, c.member, os.fsencode(c.archive), c.offset))
        for c in self.order:
            path = key_path(key[c.number]) if published else own_path(c.url)
            if path is not None:
                self.where[c.number] = path
                insert(self.root, path, c)

    def time(self, capture):
        return archive_date(capture) if self.published else capture.time

    def exists(self, capture):
        """A time that is unknown, 0, is older than all others."""
        first, last = self.dates
        t = self.time(capture)
        if self.statuses is not None and \
                self.status(capture) not in self.statuses:
            return False
        if t == 0:
            return first is None
        return (first is None or t >= first) and (last is None or t <= last)

    def status(self, capture):
        """As conditions see it; None: unknown."""
        if capture.status is None and capture.kind in ("resource",
                                                       "conversion"):
            return 200
        return capture.status

    def is_good(self, capture):
        return counts_as_200(capture, self.published)

    def limit(self, prefixes):
        """Shows only what these prefixes cover: "com.example" or
        "com.example/a", reversed and without anything to escape."""
        todo = [(self.root, [], None)]
        every = []
        while todo:
            at, labels, segs = todo.pop()
            at.is_covered = False
            every.append(at)
            todo += [(sub, labels + [comp], None) if segs is None else
                     (sub, labels, segs + [comp])
                     for comp, sub in at.dirs.items()]
            if at.marker is not None:
                todo.append((at.marker, labels, []))
            at.left_out = {comp for comp in at.pages if not any(
                covers(p, labels, segs + [comp]) for p in prefixes)}
            at.is_covered = len(at.left_out) < len(at.pages)
        for at in reversed(every):
            below = list(at.dirs.values()) + [at.marker or at]
            at.is_covered = any(sub.is_covered for sub in below) or \
                at.is_covered

    def nearest(self, captures, moment):
        """The one that NAME#@DATE is; the captures are in index order."""
        best = None
        for i, c in enumerate(captures):
            t = self.time(c)
            rank = (t == 0, abs(t - moment), t, not self.is_good(c), i)
            if self.exists(c) and (best is None or rank < best[0]):
                best = (rank, c)
        return None if best is None else best[1]

    def is_readable(self, capture):
        """A published key drops the fragment, so it can be in the tree when
        its record's URL is too long to be; opening it then fails."""
        return len(capture.url) <= URL_MAX

    def keeps_url(self, url):
        """Whether the index can hold this URL as it is."""
        return True

    def preferred(self, captures):
        """Latest 200, else latest, else last in index order."""
        best = None
        for i, c in enumerate(captures):
            rank = (counts_as_200(c, self.published), self.time(c), i)
            if best is None or rank > best[0]:
                best = (rank, c)
        return best[1]

    def file_names(self, comp, captures, dirs, pages, views):
        """[(name, capture, view)] of one page; dirs and pages: the plain
        names that are taken where it lies."""
        base = segment_name(comp)
        first = self.preferred(captures)
        out = []
        number = 0
        for c in captures:
            if c is not first:
                number += 1
            for view in views:
                suffix = suffix_of(view, c)
                if c is not first:
                    name = base + b"#%d" % number + suffix
                elif base + suffix in dirs or suffix and base + suffix in pages \
                        or view == "main" and base + b".main" in pages:
                    # a.main.txt is the text of a.main
                    name = base + b"#" + suffix
                else:
                    name = base + suffix
                out.append((name, c, view))
        return out

    def listing(self, directory, views):
        """{name: Directory or (capture, view)} of one directory."""
        out = {}

        def add(name, what):
            assert name not in out, (name, what, out[name])
            out[name] = what

        if directory.marker is not None and directory.marker.is_covered:
            add(b"_", directory.marker)
        in_host = not directory.is_below
        for comp, sub in directory.dirs.items():
            if not sub.is_covered:
                continue
            add(label_name(comp) if in_host else segment_name(comp), sub)
        dirs = {segment_name(c) for c in directory.dirs}
        shown = {comp: [c for c in captures if self.exists(c)]
                 for comp, captures in directory.pages.items()}
        shown = {comp: captures for comp, captures in shown.items() if captures}
        pages = {segment_name(c) for c in shown}
        for comp, captures in shown.items():
            if comp in directory.left_out:
                continue
            for name, capture, view in self.file_names(comp, captures, dirs,
                                                       pages, views):
                add(name, (capture, view))
        return out

    def walk(self, views=("raw", "meta", "txt")):
        """(path, Directory or (capture, view)) of all but the root."""
        mark_zones(self.root)
        todo = [(b"", self.root)]
        while todo:
            prefix, directory = todo.pop()
            for name, what in self.listing(directory, views).items():
                path = prefix + name
                yield path, what
                if isinstance(what, Directory):
                    todo.append((path + b"/", what))


def covers(prefix, labels, segs):
    """Whether a prefix covers the page with these components."""
    host, slash, path = prefix.partition(b"/")
    wanted = host.split(b".")
    if not slash:
        return labels[:len(wanted)] == wanted
    if labels != wanted:
        return False
    wanted = path.split(b"/")
    n = len(wanted)
    if wanted[-1] == b"":
        return len(segs) >= n and segs[:n - 1] == wanted[:-1]
    last = segs[n - 1] if len(segs) >= n else b""
    return segs[:n - 1] == wanted[:-1] and (
        last == wanted[-1] or re.match(re.escape(wanted[-1]) + rb"[?#]", last)
        is not None)


def mark_zones(root):
    """Sets is_below of every directory."""
    todo = [(root, False)]
    while todo:
        directory, below = todo.pop()
        directory.is_below = below
        if directory.marker is not None:
            todo.append((directory.marker, True))
        todo.extend((d, below) for d in directory.dirs.values())


def suffix_of(view, capture):
    if view == "raw":
        return b""
    if view == "record":
        return b".arc.gz" if capture.kind == "arc" else b".warc.gz"
    if view == "main":
        return b".main.txt"
    return b"." + view.encode()


# ---- output ----

def escape(s):
    return re.sub(rb"[\x00-\x1f\x7f\\]", lambda m: b"\\x%02x" % m.group()[0], s)


def tree_lines(model, views):
    lines = []
    for path, what in model.walk(views):
        if isinstance(what, Directory):
            lines.append(escape(path) + b"\tdir\t-\t-\t-\t-\t-")
            continue
        capture, view = what
        raw = ("-", "-")
        if view == "raw":
            raw = (capture.sha1, capture.body_bytes)
            if not model.is_readable(capture):
                raw = ("EIO", "-")
        lines.append(escape(path) + ("\tfile\t%d\t%s\t%d\t%s\t%s" % (
            (capture.number, view, model.time(capture)) + raw)).encode())
    return sorted(lines)


def path_lines(model, captures):
    path = {}
    for p, what in model.walk(("raw",)):
        if not isinstance(what, Directory):
            path[what[0].number] = p
    return [b"%d\t%s\t%s" % (c.number, escape(c.url),
                             escape(path.get(c.number, b"-")))
            for c in captures]


def below(captures, base):
    base = os.path.normpath(base)
    out = []
    for c in captures:
        rel = os.path.relpath(c.archive, base)
        if not rel.startswith(".."):
            c.archive = rel
            out.append(c)
    return out


# ---- the rules' own examples ----

class Fake:
    def __init__(self, number, url, time=0, status=200, kind="response",
                 archive="a", offset=0):
        self.number, self.url = number, url
        self.time, self.status, self.kind = time, status, kind
        self.archive, self.offset = archive, offset
        self.member = 0
        self.sha1, self.body_bytes = "", 0


def names_of(urls, published=False, views=("raw", "meta", "txt")):
    """{file path: capture number} of a small crawl."""
    captures = [u if isinstance(u, Fake) else
                Fake(i, u, time=i, kind="arc" if published else "response",
                     archive="%d_1.arc.gz" % (i * 1000), offset=i)
                for i, u in enumerate(urls)]
    return {p: w[0].number for p, w in Model(captures, published).walk(views)
            if not isinstance(w, Directory)}


LONG = b"x" * 221
EXAMPLES = [
    # one row of the table each: URLs, then every raw name with its capture
    ([b"http://www.gnu.org/software/emacs/manual.html"],
     {b"org/gnu/www/_/software/emacs/manual.html": 0}),
    ([b"http://_dmarc.a.org/x", b"http://__y.a.org/"],
     {b"org/a/__dmarc/_/x": 0, b"org/a/___y/_/_index": 1}),
    ([b"http://a..b/"], {b"b/#/a/_/_index": 0}),
    ([b"http://h/", b"http://h/a/", b"http://h//", b"http://h/_index",
      b"http://h/__index", b"http://h/_index/x", b"http://h/_indexa"],
     {b"h/_/_index#": 0, b"h/_/a/_index": 1, b"h/_/_index/_index": 2,
      b"h/_/__index#": 3, b"h/_/___index": 4, b"h/_/__index/x": 5,
      b"h/_/_indexa": 6}),
    ([b"http://h/a", b"http://h/a/b"], {b"h/_/a#": 0, b"h/_/a/b": 1}),
    ([Fake(0, b"http://h/a", 5, 404), Fake(1, b"http://h/a", 3, 200),
      Fake(2, b"http://h/a", 1, 200), Fake(3, b"http://h/a", 9, 500)],
     {b"h/_/a": 1, b"h/_/a#1": 2, b"h/_/a#2": 0, b"h/_/a#3": 3}),
    ([Fake(0, b"http://h/a", 5, 404), Fake(1, b"http://h/a", 7, 500)],
     {b"h/_/a": 1, b"h/_/a#1": 0}),
    ([Fake(0, b"http://h/a", 5, 200), Fake(1, b"http://h/a", 6, None, "resource")],
     {b"h/_/a": 1, b"h/_/a#1": 0}),
    # index order: time, archive name, offset; the last of equals is preferred
    ([Fake(0, b"http://h/a", 5, archive="b", offset=1),
      Fake(1, b"http://h/a", 5, archive="a", offset=9),
      Fake(2, b"http://h/a", 5, archive="a", offset=2)],
     {b"h/_/a#1": 2, b"h/_/a#2": 1, b"h/_/a": 0}),
    ([b"http://h/a#b", b"http://h#f"], {b"h/_/a##b": 0, b"h/_/##f": 1}),
    ([b"http://h/.", b"http://h/../x", b"http://h/%2E"],
     {b"h/_/%2E#1": 0, b"h/_/%2E%2E/x": 1, b"h/_/%2E": 2}),
    ([b"http://h/" + LONG],
     {b"h/_/" + b"x" * 180 + b"#x%016x" % xxh64(LONG): 0}),
    ([b"http://h/" + b"x" * 220], {b"h/_/" + b"x" * 220: 0}),
    ([b"http://h/" + b"x" * 179 + "\u20ac".encode() * 20],
     {b"h/_/" + b"x" * 179 + b"#x%016x" % xxh64(
         b"x" * 179 + "\u20ac".encode() * 20): 0}),
    ([b"http://h/" + b"x" + b"#" * 110],
     {b"h/_/x" + b"#" * 178 + b"#x%016x" % xxh64(b"x" + b"#" * 110): 0}),
    ([b"http://h/" + LONG + b"/y"],
     {b"h/_/" + b"x" * 180 + b"#x%016x/y" % xxh64(LONG): 0}),
    ([b"http://h/s?q=1", b"http://h/s?u=http://o/b"],
     {b"h/_/s?q=1": 0, b"h/_/s?u=http:/_index/o/b": 1}),
    ([b"http://h", b"http://h?q"], {b"h/_/_index": 0, b"h/_/?q": 1}),
    ([Fake(0, b"https://h:8443/a", 1), Fake(1, b"http://u:p@h/a", 2),
      Fake(2, b"http://h:80/a", 3)],
     {b"h/_/a#1": 0, b"h/_/a#2": 1, b"h/_/a": 2}),
    ([b"http://192.0.2.7/", b"http://[2001:DB8::1]:80/x"],
     {b"7/2/0/192/_/_index": 0, b"[2001:db8::1]/_/x": 1}),
    ([b"http://WWW.Example.COM./A"], {b"com/example/www/_/A": 0}),
    ([b"dns:h", b"http://h/\0", b"http:///", b"metadata://h/a", b"//h/a",
      b"h.x:80//a", b"gemini:h", b"data:text/plain,x", b"gemini://u@/x",
      b"http://h/" + b"y" * 8192, b"http://h" + b"/a" * 1023], {}),
    ([b"http:///x", b"https:h.x/a", b"http:\\\\h/a\\b?c\\d", b"<http:h/q>",
      b"http://h/a\\b"],
     {b"x/_/_index": 0, b"x/h/_/a": 1, b"h/_/a/b?c\\d": 2, b"h/_/q": 3,
      b"h/_/a\\b": 4}),
    ([b"gemini://a.b/c", b"FILE:///C:/d", b"file:/e", b"s3://k/l/"],
     {b"gemini:/b/a/_/c": 0, b"file:/_/C:/d": 1, b"file:/_/e": 2,
      b"s3:/k/_/l/_index": 3}),
]
VIEW_EXAMPLES = [
    ([b"http://h/a"], [b"h/_/a", b"h/_/a.meta", b"h/_/a.txt"]),
    ([b"http://h/a", b"http://h/a/b"],
     [b"h/_/a#", b"h/_/a.meta", b"h/_/a.txt", b"h/_/a/b", b"h/_/a/b.meta",
      b"h/_/a/b.txt"]),
    ([b"http://h/a", b"http://h/a.txt"],
     [b"h/_/a", b"h/_/a#.txt", b"h/_/a.meta", b"h/_/a.txt", b"h/_/a.txt.meta",
      b"h/_/a.txt.txt"]),
    ([b"http://h/a", b"http://h/a.meta/x"],
     [b"h/_/a", b"h/_/a#.meta", b"h/_/a.meta/x", b"h/_/a.meta/x.meta",
      b"h/_/a.meta/x.txt", b"h/_/a.txt"]),
    ([b"http://h/a", b"http://h/a"],
     [b"h/_/a", b"h/_/a#1", b"h/_/a#1.meta", b"h/_/a#1.txt", b"h/_/a.meta",
      b"h/_/a.txt"]),
]
MAIN_EXAMPLES = [
    ([b"http://h/a"], [b"h/_/a.main.txt", b"h/_/a.txt"]),
    ([b"http://h/a", b"http://h/a.main"],
     [b"h/_/a#.main.txt", b"h/_/a.main.main.txt", b"h/_/a.main.txt",
      b"h/_/a.txt"]),
    ([b"http://h/a", b"http://h/a.main/x"],
     [b"h/_/a.main.txt", b"h/_/a.main/x.main.txt", b"h/_/a.main/x.txt",
      b"h/_/a.txt"]),
]
PBTREE_EXAMPLES = [
    ([b"http://www.Google.com/", b"http://slurl.com./",
      b"http://147.162.119.1:8081/r/index.do",
      b"http://04lazi:lommerse@bindher.com/members/index.html"],
     {b"com/Google/www/_/_index": 0, b"#/com/slurl/_/_index": 1,
      b"1/119/162/147/_/r/index.do": 2, b"04lazi/_/members/index.html": 3}),
    ([b"http://h:81/a", b"http://h/a", b"http://h/a#frag"],
     {b"h/_/a#1": 0, b"h/_/a#2": 1, b"h/_/a": 2}),
]
KEY_EXAMPLES = [
    (b"http://www.google.com/cse?cx=1", b"com.google.www/cse?cx=1:http"),
    (b"http://201.213.10.71:81/online.asp?value=11830",
     b"71.10.213.201/online.asp?value=11830:81:http"),
    (b"http://04lazi:lommerse@bindher.com/members/",
     b"04lazi/members/:lommerse@bindher.com:http"),
    (b"http://slurl.com./", b".com.slurl/:http"),
    (b"http://u:p@h:80/x?", b"u/x:http"),
]


PERIOD_EXAMPLES = [
    ("2012", ("20120101000000", "20121231235959")),
    ("20121", ("20121001000000", "20121231235959")),
    ("201202", ("20120201000000", "20120229235959")),
    ("20120229", ("20120229000000", "20120229235959")),
    ("201202291", ("20120229100000", "20120229195959")),
    ("20120229101112", ("20120229101112", "20120229101112")),
]
NEAREST_PAGE = [(0, 200), (100, 200), (104, 404), (200, 404), (200, 200),
                (200, 200)]     # in index order
NEAREST_EXAMPLES = [(0, 1), (100, 1), (101, 1), (102, 1), (103, 2), (152, 2),
                    (153, 4), (10 ** 10, 4)]
DATED_EXAMPLES = [
    (None, 199, {b"h/_/a": 1, b"h/_/a#1": 0, b"h/_/a#2": 2}),
    (101, None, {b"h/_/a": 5, b"h/_/a#1": 2, b"h/_/a#2": 3, b"h/_/a#3": 4}),
    (101, 199, {b"h/_/a": 2}),
    (None, 50, {b"h/_/a": 0}),
    (201, None, {}),
]


def selftest():
    faults = 0

    def same(what, got, want):
        nonlocal faults
        if got != want:
            faults += 1
            print("%r\n  gives %r\n  not   %r" % (what, got, want))

    # published test values of XXH64
    same("xxh64 of nothing", xxh64(b""), 0xEF46DB3751D8E999)
    same("xxh64 a", xxh64(b"a"), 0xD24EC4F1A98C6E5B)
    same("xxh64 abc", xxh64(b"abc"), 0x44BC2CF5AD770999)
    same("xxh64 of 39 bytes",
         xxh64(b"Nobody inspects the spammish repetition"), 0xFBCEA83C8A378BF1)
    for date, want in PERIOD_EXAMPLES:
        same(date, tuple(time.strftime("%Y%m%d%H%M%S", time.gmtime(t))
                         for t in period(date)), want)
    page = Model([Fake(i, b"http://h/a", t, status)
                  for i, (t, status) in enumerate(NEAREST_PAGE)])
    for moment, want in NEAREST_EXAMPLES:
        same(moment, page.nearest(page.order, moment).number, want)
    for since, until, want in DATED_EXAMPLES:
        page.dates = (since, until)
        same((since, until), {p: w[0].number for p, w in page.walk(("raw",))
                              if not isinstance(w, Directory)}, want)
    for urls, want in EXAMPLES:
        same([getattr(u, "url", u) for u in urls],
             names_of(urls, views=("raw",)), want)
    for urls, want in VIEW_EXAMPLES:
        same(urls, sorted(names_of(urls)), sorted(want))
    for urls, want in MAIN_EXAMPLES:
        same(urls, sorted(names_of(urls, views=("txt", "main"))), sorted(want))
    for urls, want in PBTREE_EXAMPLES:
        same(urls, names_of(urls, True, ("raw",)), want)
    for url, want in KEY_EXAMPLES:
        same(url, published_key(url), want)
    print("%d examples, %d faults" % (
        4 + len(PERIOD_EXAMPLES) + len(NEAREST_EXAMPLES) +
        len(DATED_EXAMPLES) + len(EXAMPLES) + len(VIEW_EXAMPLES) + len(PBTREE_EXAMPLES) +
        len(KEY_EXAMPLES), faults))
    return 1 if faults else 0


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("manifest", nargs="?")
    p.add_argument("--pbtree", action="store_true",
                   help="the tree of the published index")
    p.add_argument("--views", default="raw:meta:txt")
    p.add_argument("--base")
    p.add_argument("--from", dest="since")
    p.add_argument("--to", dest="until")
    p.add_argument("--path", action="store_true")
    p.add_argument("--selftest", action="store_true")
    opt = p.parse_args()
    if opt.selftest:
        return selftest()
    views = opt.views.split(":")
    if opt.manifest is None or any(v not in VIEWS for v in views):
        p.error("a manifest is needed, and views of " + ":".join(VIEWS))
    captures = record_reader.read_manifest(opt.manifest)
    if opt.base is not None:
        captures = below(captures, opt.base)
    model = Model(captures, opt.pbtree)
    model.dates = (opt.since and period(opt.since)[0],
                   opt.until and period(opt.until)[1])
    lines = path_lines(model, captures) if opt.path else tree_lines(model, views)
    for line in lines:
        sys.stdout.buffer.write(line + b"\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
