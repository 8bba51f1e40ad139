#!/usr/bin/env python3
# record_ref.py - an independent reader of ARC and WARC files: prints one line
# a record, to be compared with what crawlfs makes of the same file.
#
#     record_ref.py FILE...
#     offset length inner_offset inner_length type status ms crc32 bytes url
#
# Written from doc/formats.md, "ARC records" and "WARC records", with nothing of
# src/ in it: zlib for members, str and bytes methods for the rest.  It knows
# well-formed files only: each record is where its declared length says.
# SPDX-License-Identifier: GPL-3.0-or-later
import calendar
import re
import sys
import time
import zlib


def members(data):
    """(offset, length, bytes) of each gzip member."""
    at = 0
    while at < len(data) and data[at:at + 2] == b"\x1f\x8b":
        d = zlib.decompressobj(31)
        out = d.decompress(data[at:])
        n = len(data) - at - len(d.unused_data)
        yield at, n, out
        at += n


def head_end(block):
    """Bytes up to the first empty line, inclusive."""
    m = re.search(rb"\n\r*\n", block)
    return m.end() if m else None


def fields(head):
    out = []
    for line in head.split(b"\n")[1:]:
        line = line.rstrip(b"\r")
        if line[:1] in (b" ", b"\t") and out:
            out[-1][1] += b" " + line.strip()
        elif b":" in line:
            name, value = line.split(b":", 1)
            out.append([name.strip().lower().replace(b"_", b"-"),
                        value.strip()])
    return out


def get(fs, name, default=None):
    for n, v in fs:
        if n == name:
            return v
    return default


def dechunk(body):
    out = b""
    while True:
        m = re.match(rb"([0-9a-fA-F]+)[^\r\n]*\r\n", body)
        if not m:
            return None
        n = int(m.group(1), 16)
        if n == 0:
            return out
        data = body[m.end():m.end() + n]
        if len(data) < n or body[m.end() + n:m.end() + n + 2] != b"\r\n":
            return None
        out += data
        body = body[m.end() + n + 2:]


def decode(body, http):
    if b"chunked" in get(http, b"transfer-encoding", b"").lower():
        plain = dechunk(body)
        body = body if plain is None else plain
    if b"gzip" in get(http, b"content-encoding", b"").lower():
        try:
            body = zlib.decompressobj(31).decompress(body)
        except zlib.error:
            pass
    return body


def split_http(block):
    """(head fields, status, body) or None."""
    if not re.match(rb"HTTP[/ ]", block):
        return None
    end = head_end(block)
    if end is None:
        return None
    m = re.match(rb"\S+ +(\d{3})(?!\d)", block)
    return fields(block[:end]), int(m.group(1)) if m else 0, block[end:]


def seconds(text):
    return calendar.timegm(time.strptime(text[:14], "%Y%m%d%H%M%S"))


def pacific(t):
    """Summer time of the years from 2007 on, by the calendar module."""
    year = time.gmtime(t).tm_year
    sundays = [[d for d in calendar.Calendar().itermonthdates(year, m)
                if d.month == m and d.weekday() == 6] for m in (3, 11)]
    a = calendar.timegm(sundays[0][1].timetuple()) + 7200
    b = calendar.timegm(sundays[1][0].timetuple()) + 7200
    return t + (7 if a <= t < b else 8) * 3600


def arc_record(rec, is_cc):
    line, content = rec.split(b"\n", 1)
    line = line.rstrip(b"\r")
    words = line.split(b" ")
    # the last word that begins with 14 digits is the date
    at = max(i for i, w in enumerate(words) if re.match(rb"\d{14}", w))
    date, length = words[at], words[-1]
    exchanged = re.fullmatch(rb"\d+(\.\d+){3}", words[at + 1])
    url = b" ".join(words[:at if exchanged else at - 1]).rstrip()
    kind = "filedesc" if url.startswith(b"filedesc:") else "arc"
    http = split_http(content) if kind == "arc" else None
    fs, status, body = http if http else ([], 0, content)
    is_cc = is_cc or any(n.startswith(b"x-commoncrawl-") for n, _ in fs)
    cut = body[:-1] if body.endswith(b"\n") else body
    cl = get(fs, b"content-length")
    coded = get(fs, b"content-encoding") or get(fs, b"transfer-encoding")
    if cl and not coded and int(cl) == len(body):
        pass
    elif cl and not coded and int(cl) == len(cut):
        body = cut
    elif not is_cc and length == str(len(content)).encode():
        pass
    else:
        body = cut
    ms = get(fs, b"x-commoncrawl-fetchtimestamp")
    if ms:
        ms = int(ms)
    else:
        t = seconds(date.decode())
        ms = 1000 * (pacific(t) if get(fs, b"x-commoncrawl-urlfp") else t)
    return kind, status, ms, decode(body, fs), url


def warc_record(rec):
    end = head_end(rec)
    fs = fields(rec[:end])
    n = int(get(fs, b"content-length"))
    block = rec[end:end + n]
    if len(block) < n:      # declared too long: the separator is not of it
        block = re.sub(rb"(\r?\n){2}\Z", b"", block)
    kind = get(fs, b"warc-type").decode().lower()
    http = None
    if kind in ("response", "revisit") and get(
            fs, b"content-type", b"application/http").startswith(
                b"application/http"):
        http = split_http(block)
    hs, status, body = http if http else ([], 0, block)
    d = get(fs, b"warc-date").decode().rstrip("Z")
    frac = (d.split(".")[1] + "000")[:3] if "." in d else "0"
    ms = seconds(re.sub(r"\D", "", d.split(".")[0])) * 1000 + int(frac)
    url = get(fs, b"warc-target-uri", b"")
    if url[:1] == b"<" and url[-1:] == b">":
        url = url[1:-1]
    return kind, status, ms, decode(body, hs), url


def sequence(data, is_cc):
    """(start, end) of records that stand one after the other."""
    at = 0
    while True:
        while data[at:at + 1] in (b"\r", b"\n"):
            at += 1
        if at >= len(data):
            return
        if data[at:at + 5] == b"WARC/":
            end = at + head_end(data[at:])
            fs = fields(data[at:end])
            end += int(get(fs, b"content-length"))
            stop = end
            while data[stop:stop + 1] in (b"\r", b"\n"):
                stop += 1
            yield at, stop
        else:
            line_end = data.index(b"\n", at)
            end = line_end + 1 + int(data[at:line_end].split()[-1])
            stop = min(end + 1, len(data)) if data[end:end + 1] in (
                b"\n", b"\r") else min(end, len(data))
            yield at, stop
        at = stop


def show(off, n, ioff, ilen, rec, is_cc):
    rec = rec.lstrip(b"\r\n")
    if rec.startswith(b"WARC/"):
        kind, status, ms, body, url = warc_record(rec)
    else:
        kind, status, ms, body, url = arc_record(rec, is_cc)
    url = "".join(chr(c) if 33 <= c < 127 else "%%%02X" % c for c in url)
    print(off, n, ioff, ilen, kind, status, ms,
          "%08x" % zlib.crc32(body), len(body), url)


def read(path):
    data = open(path, "rb").read()
    is_cc = b"1 0 CommonCrawl" in data[:300]
    if data[:2] != b"\x1f\x8b":
        for a, b in sequence(data, is_cc):
            show(a, b - a, 0, 0, data[a:b], is_cc)
        return
    ms = list(members(data))
    is_cc = b"1 0 CommonCrawl" in ms[0][2][:300]
    for off, n, out in ms:
        inner = list(sequence(out, is_cc)) if len(ms) == 1 else []
        if len(inner) > 1:
            for a, b in inner:
                show(off, n, a, b - a, out[a:b], is_cc)
        else:
            show(off, n, 0, 0, out, is_cc)


for path in sys.argv[1:]:
    read(path)
