#!/usr/bin/env python3
# cdx_model.py - CDX, CDXJ and ZipNum files made from a manifest, and the tree
# a mount of them should show.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     cdx_model.py make cdxj|cdx|unsorted|json MANIFEST FILE
#     cdx_model.py make zipnum MANIFEST FOLDER [--lines N] [--shards N]
#     cdx_model.py check [--own] MOUNT MANIFEST [options of check_mount.py]
#     cdx_model.py sample MOUNT CDX FOLDER-OF-ARCHIVES
#     cdx_model.py keys URL...
#
# Keys are made here once more from the published steps, so that tests compare
# two opinions.  Archive names are those of the manifest.
"""CDX files and their trees, independent of crawlfs."""

import argparse
import gzip
import json
import os
import re
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check_mount                                              # noqa: E402
import record_reader                                            # noqa: E402
import tree_model                                               # noqa: E402

KEY_MAX = 8192 + 4096 + 64
SESSIONS = [rb"jsessionid=[0-9a-z]{32}", rb"phpsessid=[0-9a-z]{32}",
            rb"sid=[0-9a-z]{32}", rb"aspsessionid[a-z]{8}=[a-z]{24}",
            rb"cfid=[^&]+&cftoken=[^&]+"]


# ---- URLs to keys ----

def unescape(s):
    while True:
        t = re.sub(rb"%([0-9A-Fa-f]{2})",
                   lambda m: bytes([int(m.group(1), 16)]), s)
        if t == s:
            return s
        s = t


def escape(s):
    return re.sub(rb"[\x00-\x20#%\x7f-\xff]",
                  lambda m: b"%%%02x" % m.group()[0], s)


def host_key(host):
    host = unescape(host)
    if host.startswith(b"["):
        inner = host[1:]
        end = inner.rfind(b"]")
        return tree_model.lower(escape(inner if end < 0 else inner[:end]))
    if any(c > 127 for c in host):
        try:
            host = host.decode("utf-8").encode("idna")
        except UnicodeError:
            pass
    host = re.sub(rb"\.+", b".", tree_model.lower(host)).strip(b".")
    if re.fullmatch(rb"[0-9]+", host):
        octal = len(host) > 1 and host.startswith(b"0")
        if not (octal and re.search(rb"[89]", host)):
            n = int(host, 8 if octal else 10)
            if n < 1 << 32:
                host = b"%d.%d.%d.%d" % (n >> 24, n >> 16 & 255, n >> 8 & 255,
                                         n & 255)
    host = re.sub(rb"^(www[0-9]*\.)+", b"", host)
    return tree_model.lower(
        b",".join(escape(x) for x in host.split(b".")[::-1]))


def path_key(path):
    out = []
    for seg in unescape(path).split(b"/"):
        if seg == b"..":
            del out[-1:]
        elif seg not in (b"", b"."):
            out.append(seg)
    path = tree_model.lower(escape(b"/" + b"/".join(out)))
    part = rb"\((?:[a-z]\([0-9a-z]{24}\))+\)|\([0-9a-z]{24}\)"
    m = re.match(rb"(?s)(.*/)(?:%s)/(.+\.aspx.*)$" % part, path)
    return m.group(1) + m.group(2) if m else path


def query_key(query):
    query = escape(unescape(query))
    for session in SESSIONS:
        query = re.sub(rb"(?i)%s(&|$)" % session, b"", query, count=1)
    parts = tree_model.lower(query).split(b"&")
    parts.sort(key=lambda x: (x.split(b"=", 1)[0], x))
    return b"&".join(parts)


def surt(url):
    """The key of a URL, or None: it has no place in a CDX of pages."""
    if len(url) > 8192:
        return None
    url = re.sub(rb"[\r\n\t]", b"", url.strip(bytes(range(33))))
    m = re.match(rb"(?i)(https?|ftp)://", url)
    if m is None or b"\0" in url:
        return None
    net, rest = tree_model.cut_authority(url[m.end():])
    net = net.rsplit(b"@", 1)[-1]
    v6 = re.match(rb"(\[[^\]]*\])\.*(:|$)", net)
    host = v6.group() if v6 else net.split(b":", 1)[0] + b":"
    port = net[len(host):] if host.endswith(b":") else b""
    if not host.rstrip(b":").rstrip(b"."):
        return None
    host = host_key(v6.group(1) if v6 else host[:-1])
    scheme = m.group(1).lower()
    if re.fullmatch(rb"[0-9]+", port) and 0 < int(port) < 65536 and \
            (scheme, int(port)) not in ((b"http", 80), (b"https", 443)):
        host += b":%d" % int(port)
    path, mark, query = rest.split(b"#", 1)[0].partition(b"?")
    query = query_key(query)
    key = host + b")" + path_key(path) + (b"?" + query if query else b"")
    return key if len(key) <= KEY_MAX else None


# ---- keys to components ----

def surt_path(key):
    """(labels, segments), or None: such a key is left out."""
    host, close, path = key.partition(b")")
    if not close or not path.startswith(b"/") or b"/" in host or \
            key.startswith(b"(") or b"\0" in key:
        return None
    if host.count(b":") == 1 and re.search(rb":[0-9]", host):
        host = host.split(b":")[0]
    labels = host.split(b",")
    segs = path[1:].split(b"/")
    if any(x in (b".", b"..") for x in labels) or \
            any(s in (b"%2E", b"%2E%2E") for s in segs):
        return None
    segs = tree_model.segments(path)
    if len(labels) + 1 + len(segs) > tree_model.DEPTH_MAX:
        return None
    return labels, segs


class SurtModel(tree_model.Model):
    """A tree by SURT keys; lines of one key by time, then as they came."""

    def __init__(self, captures):
        self.published = False
        self.root = tree_model.Directory()
        self.where = {}
        self.keys = {c.number: surt(c.url) for c in captures}
        self.order = sorted(
            (c for c in captures if self.keys[c.number] is not None),
            key=lambda c: (self.keys[c.number], stamp(c), c.number))
        for c in self.order:
            path = surt_path(self.keys[c.number])
            if path is not None:
                self.where[c.number] = path
                tree_model.insert(self.root, path, c)

    def status(self, capture):
        return capture.status

    def keeps_url(self, url):
        try:
            return bool(url.decode("utf-8"))
        except UnicodeDecodeError:
            return False        # JSON has no way to say such bytes

    def preferred(self, captures):
        return by_status(captures)

    def is_good(self, capture):
        return capture.status == 200


class OwnModel(tree_model.Model):
    """The tree of an index made of lines, which do not tell resources and
    conversions from responses."""

    def status(self, capture):
        return capture.status

    def preferred(self, captures):
        return by_status(captures)

    def is_good(self, capture):
        return capture.status == 200


def by_status(captures):
    best = None
    for i, c in enumerate(captures):
        rank = (c.status == 200, c.time, i)
        if best is None or rank > best[0]:
            best = (rank, c)
    return best[1]


# ---- files ----

def stamp(c):
    return time.strftime("%Y%m%d%H%M%S", time.gmtime(c.time))


def mime_of(c):
    return "warc/revisit" if c.kind == "revisit" else "text/html"


def text(url):
    return url.decode("utf-8", "surrogateescape")


def cdxj_line(key, c):
    fields = {"url": text(c.url), "mime": mime_of(c)}
    if c.status is not None:
        fields["status"] = str(c.status)
    fields["length"] = str(c.length)
    fields["offset"] = str(c.offset)
    if c.number % 3 == 0:       # other orders, other things in between
        fields = dict(reversed(list(fields.items())))
        fields["extra"] = {"filename": ["}", "\"{", 1]}
    fields["filename"] = c.archive
    return key + b" " + stamp(c).encode() + b" " + \
        json.dumps(fields).encode()


def cdx_line(key, c):
    url = re.sub(rb"[\x00-\x20]", lambda m: b"%%%02X" % m.group()[0], c.url)
    return b" ".join([key, stamp(c).encode(), url, mime_of(c).encode(),
                      b"%d" % c.status if c.status is not None else b"-",
                      b"-", b"-", b"-", b"%d" % c.length, b"%d" % c.offset,
                      os.fsencode(c.archive)])


def json_line(key, c):
    return json.dumps({"urlkey": key.decode("latin-1"), "timestamp": stamp(c),
                       "url": text(c.url), "mime": mime_of(c),
                       "status": str(c.status or "-"),
                       "filename": c.archive, "offset": c.offset,
                       "length": c.length}).encode()


def lines_of(model, line):
    return [line(model.keys[c.number], c) for c in model.order]


def write_zipnum(lines, folder, per_block, shards):
    os.makedirs(folder, exist_ok=True)
    blocks = [lines[i:i + per_block] for i in range(0, len(lines), per_block)]
    per_shard = -(-len(blocks) // shards)
    idx = []
    for s in range(shards):
        name = "cdx-%05d.gz" % s
        at = 0
        with open(os.path.join(folder, name), "wb") as f:
            for b in blocks[s * per_shard:(s + 1) * per_shard]:
                data = gzip.compress(b"".join(x + b"\n" for x in b), mtime=0)
                f.write(data)
                first = b" ".join(b[0].split(b" ")[:2])
                idx.append(b"%s\t%s\t%d\t%d\t%d\n" % (
                    first, name.encode(), at, len(data), len(idx) + 1))
                at += len(data)
    with open(os.path.join(folder, "cluster.idx"), "wb") as f:
        f.write(b"".join(idx))


def make(opt):
    model = SurtModel(record_reader.read_manifest(opt.manifest))
    if opt.format == "zipnum":
        write_zipnum(lines_of(model, cdxj_line), opt.out, opt.lines, opt.shards)
        return 0
    head = []
    if opt.format == "cdxj":
        lines = lines_of(model, cdxj_line)
    elif opt.format == "json":
        lines = lines_of(model, json_line)
    else:
        head = [b" CDX N b a m s k r M S V g"]
        lines = lines_of(model, cdx_line)
    if opt.format == "unsorted":
        lines.reverse()
    with open(opt.out, "wb") as f:
        f.write(b"".join(x + b"\n" for x in head + lines))
    return 0


# ---- real files ----

def sample_lines(path):
    """(archive, offset, length) of the lines of a CDX or CDXJ that are no revisits,
    and the number of all lines."""
    places = []
    count = 0
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as f:
        # members of the ZipNum sample lack their last line end
        text = re.sub(rb"warc\.gz(?=[a-z]+,)", b"warc.gz\n", f.read())
        for line in text.split(b"\n"):
            if not line or line.startswith(b" CDX"):
                continue
            count += 1
            if b"warc/revisit" in line:
                continue
            if b"{" in line:
                fields = json.loads(line[line.index(b"{"):])
                places.append((fields["filename"], int(fields["offset"]),
                               int(fields["length"])))
            else:
                column = line.split(b" ")
                places.append((os.fsdecode(column[10]), int(column[9]),
                               int(column[8])))
    return places, count


def sample(opt):
    """Each line is one file of the mount; the bodies of all records that the
    lines name are among them."""
    places, count = sample_lines(opt.cdx)
    bodies = set()
    files = 0
    for folder, _, names in os.walk(os.fsencode(opt.mount)):
        for name in names:
            if name.endswith((b".meta", b".txt")):
                continue
            files += 1
            try:
                with open(os.path.join(folder, name), "rb") as f:
                    bodies.add(f.read())
            except OSError:
                # two lines of the ZipNum sample name another page's record
                if name not in (b"x", b"y"):
                    raise
    missing = 0
    for archive, offset, length in places:
        rec = record_reader.read_record(os.path.join(opt.data, archive),
                                        offset, length)
        missing += rec.body not in bodies
    print("%d lines, %d files, %d bodies, %d of %d records missing" % (
        count, files, len(bodies), missing, len(places)))
    return 1 if missing or files != count or not places else 0


def main():
    p = argparse.ArgumentParser(description=__doc__)
    sub = p.add_subparsers(dest="command", required=True)
    m = sub.add_parser("make")
    m.add_argument("format", choices=["cdxj", "cdx", "unsorted", "json",
                                      "zipnum"])
    m.add_argument("manifest")
    m.add_argument("out")
    m.add_argument("--lines", type=int, default=3000)
    m.add_argument("--shards", type=int, default=3)
    c = sub.add_parser("check")
    check_mount.options(c)
    c.add_argument("--own", action="store_true",
                   help="of an index that crawlfs made")
    sub.add_parser("keys").add_argument("urls", nargs="+")
    c = sub.add_parser("sample")
    for name in ("mount", "cdx", "data"):
        c.add_argument(name)
    opt = p.parse_args()
    if opt.command == "make":
        return make(opt)
    if opt.command == "sample":
        return sample(opt)
    if opt.command == "keys":
        for url in opt.urls:
            print(os.fsdecode(surt(os.fsencode(url)) or b"-"))
        return 0
    captures = record_reader.read_manifest(opt.manifest)
    return check_mount.compare(opt, (OwnModel if opt.own else SurtModel)(
        captures))


if __name__ == "__main__":
    sys.exit(main())
