#!/usr/bin/env python3
# record_reader.py - an independent reader of ARC and WARC files.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Written from the format descriptions alone and sharing nothing with the
# C readers, so that tests compare two opinions.  Standard library only.
#
#     record_reader.py list FILE...            one line a record
#     record_reader.py body FILE OFFSET        the body, to standard output
#     record_reader.py check MANIFEST          every line of a crawlfs-mkcrawl
#                                              manifest against the archives
"""ARC and WARC records: members, headers, HTTP heads, bodies."""

import calendar
import hashlib
import os
import re
import sys
import zlib

READ_BYTES = 32 << 10
HEX = b"0123456789abcdefABCDEF"


class Damaged(Exception):
    """The bytes are not what the format says."""


# ---- members and spans ----

def read_member(f, offset):
    """Inflates the gzip member at `offset`: (bytes, length in the file)."""
    f.seek(offset)
    z = zlib.decompressobj(31)
    out = []
    taken = 0
    while not z.eof:
        piece = f.read(READ_BYTES)
        if not piece:
            raise Damaged("the member at %d breaks off" % offset)
        try:
            out.append(z.decompress(piece))
        except zlib.error as e:
            raise Damaged("the member at %d: %s" % (offset, e))
        taken += len(piece)
    return b"".join(out), taken - len(z.unused_data)


def members(f):
    """All (offset, length, bytes) of a file of gzip members."""
    size = f.seek(0, os.SEEK_END)
    at = 0
    while at < size:
        f.seek(at)
        if f.read(2) != b"\x1f\x8b":
            return              # what follows the last member is no member
        data, length = read_member(f, at)
        yield at, length, data
        at += length


# ---- time ----

def unix_time(digits):
    """Seconds since 1970 of YYYYMMDDhhmmss (longer ones are cut)."""
    d = digits[:14]
    t = (int(d[0:4]), int(d[4:6]), int(d[6:8]),
         int(d[8:10]), int(d[10:12]), int(d[12:14]))
    return calendar.timegm(t + (0, 0, 0))


def digits_of(unix):
    import time
    return time.strftime("%Y%m%d%H%M%S", time.gmtime(unix))


def iso_time(s):
    """Seconds since 1970 of a WARC-Date."""
    d = re.sub(rb"\.\d+", b"", s)
    d = re.sub(rb"[^0-9]", b"", d).decode()
    return unix_time((d + "00000101000000"[len(d):]) if len(d) < 14 else d)


# ---- HTTP ----

def split_head(data):
    """(head with its blank line, rest); the head ends at the first empty
    line, whether its line ends are CRLF or LF.  (None, data) without one."""
    m = re.search(rb"\r?\n\r?\n", data)
    if m is None or not data.startswith(b"HTTP/"):
        return None, data
    return data[:m.end()], data[m.end():]


def fields(head):
    """[(lower-case name, value)] of lines after the first; folds joined."""
    lines = re.split(rb"\r?\n", head)[1:]
    out = []
    for line in lines:
        if line[:1] in (b" ", b"\t") and out:
            out[-1] = (out[-1][0], out[-1][1] + b" " + line.strip())
        elif b":" in line:
            name, value = line.split(b":", 1)
            out.append((name.strip().lower(), value.strip()))
    return out


def field(fs, name):
    """The last value of a field, or None."""
    value = None
    for k, v in fs:
        if k == name:
            value = v
    return value


def unchunk(data):
    """The payload of a chunked body, as far as it goes; None if the bytes do
    not begin as one."""
    out = []
    at = 0
    first = True
    while True:
        end = data.find(b"\n", at)
        line = data[at:end if end >= 0 else len(data)]
        size = line.split(b";")[0].strip()
        if end < 0 or not size or any(c not in HEX for c in size) \
                or len(size) > 15:
            return None if first else b"".join(out)
        n = int(size, 16)
        if n == 0:
            return b"".join(out)
        first = False
        out.append(data[end + 1:end + 1 + n])
        at = end + 1 + n
        if data[at:at + 2] == b"\r\n":
            at += 2
        elif data[at:at + 1] == b"\n":
            at += 1
        else:
            return b"".join(out)


def inflate_prefix(data, bits):
    """All bytes that can be inflated, and whether the start was sound."""
    z = zlib.decompressobj(bits)
    out = []
    step = 512              # small, so that nothing before a fault is lost
    for at in range(0, len(data), step):
        try:
            out.append(z.decompress(data[at:at + step]))
        except zlib.error:
            return b"".join(out), bool(out)
        if z.eof:
            break
    return b"".join(out), bool(data)


def undo_content_encoding(data, name):
    """The decoded bytes, or None when they are not of that encoding."""
    if name in (b"gzip", b"x-gzip"):
        if data[:3] != b"\x1f\x8b\x08":
            return None
        out = []
        while data[:2] == b"\x1f\x8b":      # members may follow one another
            z = zlib.decompressobj(31)
            try:
                out.append(z.decompress(data))
            except zlib.error:
                piece, sound = inflate_prefix(data, 31)
                return b"".join(out) + piece if out or piece or sound else None
            data = z.unused_data
        return b"".join(out)
    if name == b"deflate":
        if len(data) >= 2 and data[0] & 15 == 8 and \
                (data[0] << 8 | data[1]) % 31 == 0:
            piece, sound = inflate_prefix(data, 15)
            if sound:
                return piece
        try:
            z = zlib.decompressobj(-15)
            piece = z.decompress(data)
            return piece if z.eof else None
        except zlib.error:
            return None
    return None


def decode_body(fs, data):
    """Undoes encodings where the head names them and the bytes have them."""
    te = (field(fs, b"transfer-encoding") or b"").lower()
    if b"chunked" in te:
        plain = unchunk(data)
        if plain is not None:
            data = plain
    ce = (field(fs, b"content-encoding") or b"").lower().strip()
    for name in reversed([c.strip() for c in ce.split(b",") if c.strip()]):
        plain = undo_content_encoding(data, name)
        if plain is None:
            break
        data = plain
    return data


# ---- records ----

class Record:
    """One record.  kind: filedesc, arc, or the WARC-Type; body: raw view."""

    def __init__(self, kind, url, time, head, block):
        self.kind = kind
        self.url = url
        self.time = time            # Unix seconds, None if absent
        self.head = head            # ARC line or WARC header
        self.block = block
        self.warc = []              # WARC fields
        self.http_head = None
        self.http = []
        self.status = None
        self.body = block

    def parse_http(self):
        self.http_head, stored = split_head(self.block)
        if self.http_head is None:
            return
        m = re.match(rb"HTTP/\S+\s+(\d{3})", self.http_head)
        self.status = int(m.group(1)) if m else None
        self.http = fields(self.http_head)
        self.body = stored


def is_common_crawl(rec):
    """Whether the record is of Common Crawl's own making: its heads say so
    from September 2012 on, and in 2008-2010; text types only."""
    return any(k.startswith((b"x-commoncrawl", b"x_commoncrawl"))
               for k, _ in rec.http)


def parse_arc(data):
    line, nl, rest = data.partition(b"\n")
    if not nl:
        raise Damaged("no ARC header line")
    part = line.rstrip(b"\r").rsplit(b" ", 4)
    if len(part) != 5 or not part[4].isdigit() or not part[2].isdigit():
        raise Damaged("not an ARC header line: %r" % line[:80])
    url = part[0]
    declared = int(part[4])
    kind = "filedesc" if url.startswith(b"filedesc:") else "arc"
    rec = Record(kind, url, unix_time(part[2].decode()), line, rest)
    if kind == "filedesc":
        return rec
    rec.parse_http()
    stored = rec.body
    less = stored[:-1] if stored.endswith(b"\n") else stored
    length = field(rec.http, b"content-length")
    identity = field(rec.http, b"content-encoding") is None and \
        field(rec.http, b"transfer-encoding") is None
    if identity and length is not None and length.isdigit() and \
            int(length) in (len(stored), len(less)):
        stored = stored[:int(length)]
    elif declared == len(rest) and not is_common_crawl(rec):
        pass
    else:
        stored = less
    rec.body = decode_body(rec.http, stored)
    return rec


def parse_warc(data):
    m = re.search(rb"\r?\n\r?\n", data)
    if m is None:
        raise Damaged("no end of the WARC header")
    head = data[:m.end()]
    fs = fields(head)
    length = field(fs, b"content-length")
    if length is None or not length.isdigit():
        raise Damaged("no Content-Length")
    block = data[m.end():m.end() + int(length)]
    url = field(fs, b"warc-target-uri") or b""
    if url[:1] == b"<" and url[-1:] == b">":
        url = url[1:-1]
    date = field(fs, b"warc-date")
    rec = Record((field(fs, b"warc-type") or b"").decode().lower(), url,
                 iso_time(date) if date else None, head, block)
    rec.warc = fs
    mime = (field(fs, b"content-type") or b"").lower()
    if rec.kind in ("response", "revisit") and mime.startswith(b"application/http"):
        rec.parse_http()
        rec.body = decode_body(rec.http, rec.body)
    return rec


def parse(data):
    return parse_warc(data) if data.startswith(b"WARC/") else parse_arc(data)


def read_record(path, offset, length=None):
    """The record at an offset; `length` bytes of a file without gzip."""
    with open(path, "rb") as f:
        f.seek(offset)
        if f.read(2) == b"\x1f\x8b":
            return parse(read_member(f, offset)[0])
        f.seek(offset)
        return parse(f.read(length if length is not None else -1))


def plain_records(f):
    """(offset, length, bytes) of an archive without gzip."""
    data = f.read()
    at = 0
    while at < len(data):
        while data[at:at + 1] in (b"\r", b"\n"):
            at += 1
        if at >= len(data):
            return
        if data.startswith(b"WARC/", at):
            m = re.compile(rb"\r?\n\r?\n").search(data, at)
            n = int(field(fields(data[at:m.end()]), b"content-length"))
            end = m.end() + n
            while data[end:end + 2] == b"\r\n":
                end += 2
        else:
            nl = data.index(b"\n", at)
            end = nl + 1 + int(data[at:nl].rstrip(b"\r").rsplit(b" ", 1)[1])
            if data.startswith(b"filedesc:", at):
                while data[end:end + 1] == b"\n":
                    end += 1
        yield at, end - at, data[at:end]
        at = end


def records(path):
    """(offset, length, Record) of every record of a file."""
    with open(path, "rb") as f:
        gz = f.read(2) == b"\x1f\x8b"
        f.seek(0)
        for offset, length, data in (members(f) if gz else plain_records(f)):
            yield offset, length, parse(data)


def bodies_by_reference(paths):
    """Bodies a revisit can refer to: {b'id:...': body, b'digest:...': body}."""
    out = {}
    for path in paths:
        for _, _, rec in records(path):
            if rec.kind != "response" or not rec.warc:
                continue
            ident = field(rec.warc, b"warc-record-id")
            digest = field(rec.warc, b"warc-payload-digest")
            if ident:
                out[b"id:" + ident] = rec.body
            if digest:
                out.setdefault(b"digest:" + digest, rec.body)
    return out


# ---- the manifest of crawlfs-mkcrawl ----

def unescape(s):
    return re.sub(rb"\\x([0-9a-fA-F]{2})",
                  lambda m: bytes([int(m.group(1), 16)]), s)


class Capture:
    """A line of the manifest."""

    def __init__(self, line, number):
        col = line.rstrip(b"\n").split(b"\t")
        self.number = number
        self.member = 0
        self.url = unescape(col[0])
        self.kind = col[1].decode()
        self.timestamp = col[2].decode()
        self.time = unix_time(self.timestamp)
        self.status = None if col[3] == b"-" else int(col[3])
        self.archive = os.fsdecode(col[4])
        self.offset = int(col[5])
        self.length = int(col[6])
        self.sha1 = col[7].decode()
        self.body_bytes = int(col[8])
        self.flags = col[9].decode().split(",") if len(col) > 9 else []


def read_manifest(path):
    """Captures of a manifest; of several (A,B,C), the members of a union:
    numbered over all of them, without what an earlier one lists already (the
    same URL at the same place)."""
    out, seen = [], set()
    for member, one in enumerate(path.split(",")):
        listed = set()
        with open(one, "rb") as f:
            for line in f:
                if line.startswith(b"#"):
                    continue
                c = Capture(line, len(out))
                c.member = member
                place = (c.url, c.offset, os.path.realpath(
                    os.path.join(os.path.dirname(one), c.archive)))
                listed.add(place)
                if place not in seen:
                    out.append(c)
        seen |= listed
    return out


def check_record(cap, rec, length, known):
    """What is wrong with rec as the record of cap, or None."""
    body = rec.body
    if rec.kind == "revisit":
        body = known(rec)
    want = "arc" if rec.kind == "arc" else cap.kind
    for name, got, expected in (
            ("URL", rec.url, cap.url), ("kind", rec.kind, want),
            ("time", rec.time, cap.time), ("length", length, cap.length),
            ("status", rec.status, cap.status),
            ("bytes", len(body), cap.body_bytes),
            ("SHA-1", hashlib.sha1(body).hexdigest(), cap.sha1)):
        if got != expected:
            return "%s is %r, not %r" % (name, got, expected)
    return None


def revisit_resolver(base, captures):
    """A function from a revisit record to the body it stands for."""
    cache = {}

    def resolve(rec):
        if not cache:
            cache.update(bodies_by_reference(sorted(
                {os.path.join(base, c.archive) for c in captures
                 if c.kind != "arc"})))
            cache[None] = b""
        ident = field(rec.warc, b"warc-refers-to")
        digest = field(rec.warc, b"warc-payload-digest")
        for key in (ident and b"id:" + ident, digest and b"digest:" + digest):
            if key in cache and key is not None:
                return cache[key]
        return b""
    return resolve


def check_manifest(path):
    """Compares every capture; returns (captures, faults)."""
    base = os.path.dirname(path) or "."
    captures = read_manifest(path)
    known = revisit_resolver(base, captures)
    faults = 0
    place = {(c.archive, c.offset): c for c in captures}
    seen = 0
    for name in sorted({c.archive for c in captures}):
        for offset, length, rec in records(os.path.join(base, name)):
            cap = place.get((name, offset))
            in_manifest = rec.kind in ("arc", "resource", "revisit", "conversion") \
                or rec.kind == "response" and not rec.url.startswith(b"dns:")
            if cap is None:
                wrong = "not in the manifest" if in_manifest else None
            else:
                seen += 1
                wrong = check_record(cap, rec, length, known)
            if wrong:
                faults += 1
                print("%s: offset %d: %s" % (name, offset, wrong))
    if seen != len(captures):
        faults += 1
        print("%d captures of the manifest, %d found" % (len(captures), seen))
    return len(captures), faults


def main(argv):
    if len(argv) >= 3 and argv[1] == "list":
        for path in argv[2:]:
            for offset, length, rec in records(path):
                print("%s\t%d\t%d\t%s\t%s\t%d\t%s" % (
                    path, offset, length, rec.kind, rec.status, len(rec.body),
                    os.fsdecode(rec.url)))
        return 0
    if len(argv) == 4 and argv[1] == "body":
        sys.stdout.buffer.write(read_record(argv[2], int(argv[3])).body)
        return 0
    if len(argv) == 3 and argv[1] == "check":
        n, faults = check_manifest(argv[2])
        print("%d captures, %d faults" % (n, faults))
        return 1 if faults or n == 0 else 0
    print("usage: record_reader.py list FILE... | body FILE OFFSET | "
          "check MANIFEST", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv))
