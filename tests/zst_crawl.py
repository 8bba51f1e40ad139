#!/usr/bin/env python3
# zst_crawl.py - archives in zstd frames, made and read with libzstd itself.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     zst_crawl.py make FORM IN.warc.gz OUT.warc.zst
#         The records of IN in frames; beside it OUT.warc.zst.tsv, a line for
#         each: offset, length, type, bytes and SHA-1 of the record.  FORMs:
#         spec     size and checksum in each frame, as the specification asks
#         stream   no size, as wget-at writes
#         bare     neither size nor checksum
#         dict     stream, behind a compressed dictionary
#         rawdict  spec, behind a dictionary that is not compressed
#         noid     rawdict, but no frame names the dictionary
#         multi    dict, in several frames with empty and skippable ones between
#                  and a seek table behind; the dictionary is there twice
#         wrong    dict, with another dictionary in front
#         lost     dict, with none in front
#         second   dict, and in the middle another dictionary
#         window   spec, the third record with a window of 16 MiB
#         whole    all records in one frame
#         bigdict  a dictionary frame of more than 8 MiB
#     zst_crawl.py views FOLDER ARCHIVE TSV [far]
#         The *.warc.zst below FOLDER are the records of the TSV that have a
#         place in a tree: the dictionary of ARCHIVE, then its own bytes; their
#         sizes are known before they are read, unless ARCHIVE is far.
#     zst_crawl.py same FOLDER A B
#         FOLDER/A and FOLDER/B are the same tree: names, kinds, times, bytes;
#         in *.meta but for archive, offset and length.
#     zst_crawl.py records ARCHIVE...
#         SHA-1 and type of each record, sorted.
#     zst_crawl.py cut N IN OUT               the first N bytes
#     zst_crawl.py flip RECORD BYTE IN OUT    one bit of a record of IN.tsv
#     zst_crawl.py cdx IN.warc.zst LENGTHS [DICT]
#         CDX lines of IN.tsv, lengths as they are or 0 (LENGTHS no); the
#         dictionary is that of the file DICT
#     zst_crawl.py kept COPY ARCHIVE
#         COPY has ARCHIVE's dictionary, and its frames of pages byte for byte
import ctypes
import ctypes.util
import hashlib
import os
import re
import struct
import sys
import zlib

lib = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
for name in ("ZSTD_compress2", "ZSTD_compressBound", "ZDICT_trainFromBuffer",
             "ZSTD_decompress_usingDict", "ZSTD_findFrameCompressedSize",
             "ZSTD_compressStream2", "ZSTD_CCtx_setParameter",
             "ZSTD_CCtx_loadDictionary", "ZDICT_isError", "ZSTD_compress"):
    getattr(lib, name).restype = ctypes.c_size_t
for name in ("ZSTD_createCCtx", "ZSTD_createDCtx"):
    getattr(lib, name).restype = ctypes.c_void_p
lib.ZSTD_decompressBound.restype = ctypes.c_ulonglong
lib.ZSTD_getErrorName.restype = ctypes.c_char_p
LEVEL, WINDOW_LOG, SIZE_FLAG, CHECKSUM_FLAG, ID_FLAG = 100, 101, 200, 201, 202
IN_TREE = ("response", "resource", "revisit", "conversion")
DICT, TABLE = 0x184D2A5D, 0x184D2A5E


def ok(n):
    if lib.ZSTD_isError(ctypes.c_size_t(n)):
        raise ValueError(lib.ZSTD_getErrorName(ctypes.c_size_t(n)).decode())
    return n


class Buffer(ctypes.Structure):
    _fields_ = [("p", ctypes.c_void_p), ("size", ctypes.c_size_t),
                ("pos", ctypes.c_size_t)]


class Writer:
    def __init__(self, dictionary=b"", size=True, checksum=True, named=True,
                 window_log=0, level=3):
        self.z = ctypes.c_void_p(lib.ZSTD_createCCtx())
        self.size = size
        for key, value in ((LEVEL, level), (WINDOW_LOG, window_log),
                           (SIZE_FLAG, size), (CHECKSUM_FLAG, checksum),
                           (ID_FLAG, named)):
            ok(lib.ZSTD_CCtx_setParameter(self.z, key, int(value)))
        if dictionary:
            ok(lib.ZSTD_CCtx_loadDictionary(self.z, dictionary,
                                            len(dictionary)))

    def frame(self, data, in_two=False):
        """in_two: of two blocks at least; not where the size is to be there."""
        out = ctypes.create_string_buffer(
            lib.ZSTD_compressBound(ctypes.c_size_t(len(data))) + 64)
        if self.size:
            n = ok(lib.ZSTD_compress2(self.z, out, len(out), data, len(data)))
            return out.raw[:n]
        text = ctypes.create_string_buffer(data, len(data))
        o = Buffer(ctypes.addressof(out), len(out), 0)
        # in two steps: libzstd finds the size out from a single one
        for begin, end, last in ((0, len(data) // 2, int(in_two)),
                                 (len(data) // 2, len(data), 2)):
            i = Buffer(ctypes.addressof(text) + begin, end - begin, 0)
            assert ok(lib.ZSTD_compressStream2(
                self.z, ctypes.byref(o), ctypes.byref(i), last)) == 0 \
                or last < 2
        return out.raw[:o.pos]


reader = ctypes.c_void_p(lib.ZSTD_createDCtx())


def inflate(data, dictionary=b""):
    room = lib.ZSTD_decompressBound(data, ctypes.c_size_t(len(data)))
    assert room < 1 << 30
    out = ctypes.create_string_buffer(room + 1)
    n = ok(lib.ZSTD_decompress_usingDict(
        reader, out, ctypes.c_size_t(room), data, ctypes.c_size_t(len(data)),
        dictionary, ctypes.c_size_t(len(dictionary))))
    return ctypes.string_at(out, n)


def skippable(magic, data):
    return struct.pack("<II", magic, len(data)) + data


def contents(path):
    with open(path, "rb") as f:
        return f.read()


def gz_records(path):
    data = contents(path)
    while data:
        d = zlib.decompressobj(31)
        yield d.decompress(data)
        data = d.unused_data


def train(records, most=32768, seed=0):
    samples = [r[:4096] for r in records[seed:]][:2000] * 3
    sizes = (ctypes.c_size_t * len(samples))(*map(len, samples))
    out = ctypes.create_string_buffer(most)
    n = lib.ZDICT_trainFromBuffer(out, ctypes.c_size_t(most), b"".join(samples),
                                  sizes, len(samples))
    assert not lib.ZDICT_isError(ctypes.c_size_t(n))
    return out.raw[:n]


def dict_frame(dictionary, plain=False):
    return skippable(DICT, dictionary if plain else
                     Writer(checksum=False, level=9).frame(dictionary))


def renumbered(dictionary):
    return dictionary[:4] + struct.pack("<I", 4242) + dictionary[8:]


def several(w, record, number):
    """Header and pieces of the block, empty and skippable frames between."""
    at = record.find(b"\r\n\r\n") + 4
    cuts = [0, at] + list(range(at + 3000, len(record), 3000)) + [len(record)]
    frames = []
    for i, (a, b) in enumerate(zip(cuts, cuts[1:])):
        frames.append(w.frame(record[a:b]))
        if i % 2 == number % 2:
            frames.append(w.frame(b""))
        elif i % 3 == 0:
            frames.append(skippable(0x184D2A50 + number % 13, b"x" * number))
    return b"".join(frames) + skippable(TABLE, b"t" * 25)


def make(form, source, target):
    records = list(gz_records(source))
    dictionary = b""
    if form in ("dict", "rawdict", "noid", "multi", "wrong", "lost", "second"):
        dictionary = train(records)
    spec = form in ("spec", "rawdict", "noid", "window", "bigdict")
    w = Writer(dictionary, size=spec, checksum=form != "bare",
               named=form != "noid")
    front = dict_frame(dictionary, form in ("rawdict", "noid")) \
        if dictionary and form != "lost" else b""
    if form == "wrong":
        front = dict_frame(renumbered(dictionary))
    if form == "bigdict":
        front = skippable(DICT, b"\x37\xa4\x30\xec" + bytes(8 << 20))
    with open(target, "wb") as f, open(target + ".tsv", "w") as tsv:
        f.write(front)
        if form == "whole":
            f.write(w.frame(b"".join(records)))
            records = []
        for n, record in enumerate(records):
            if n == len(records) // 2 and form == "multi":
                f.write(front)
            if n == len(records) // 2 and form == "second":
                f.write(dict_frame(renumbered(dictionary)))
                w = Writer(renumbered(dictionary), size=False)
            offset = f.tell()
            if form == "multi":
                f.write(several(w, record, n))
            elif form == "window" and n == 2:
                f.write(Writer(size=False, window_log=24).frame(record))
            else:
                f.write(w.frame(record))
            tsv.write("%d\t%d\t%s\t%d\t%s\n" % (
                offset, f.tell() - offset, kind_of(record), len(record),
                hashlib.sha1(record).hexdigest()))


def kind_of(record):
    """Its type; "other" if its URI has no place in a tree."""
    uri = re.search(rb"(?i)\nWARC-Target-URI: *<?(\w+)", record)
    if uri and uri.group(1).lower() not in (b"http", b"https", b"ftp"):
        return "other"
    return re.search(rb"(?i)\nwarc-type: *(\w+)", record).group(1).decode()


def rows(path):
    with open(path) as f:
        for line in f:
            if line[0].isdigit():
                offset, length, kind, size, sha1 = line.split("\t")[:5]
                yield int(offset), int(length), kind, int(size), sha1.strip()


def front_of(data):
    """The dictionary frame that data begins with, and the dictionary."""
    if len(data) < 8 or struct.unpack("<I", data[:4])[0] != DICT:
        return b"", b""
    frame = data[:8 + struct.unpack("<I", data[4:8])[0]]
    raw = frame[8:]
    return frame, inflate(raw) if raw[:4] == b"\x28\xb5\x2f\xfd" else raw


def below(folder):
    for top, dirs, files in os.walk(os.fsencode(folder)):
        for name in dirs + files:
            yield os.path.join(top, name)


def views(folder, archive, tsv, far=None):
    data = contents(archive)
    frame, dictionary = front_of(data)
    want = [(data[offset:offset + length], sha1)
            for offset, length, kind, _, sha1 in rows(tsv) if kind in IN_TREE]
    want = sorted((frame + part, sha1) for part, sha1 in want
                  if kind_of(inflate(part, dictionary)) != "other")
    got = []
    for path in below(folder):
        if path.endswith(b".warc.zst"):
            before = os.stat(path).st_size
            content = contents(path)
            assert os.stat(path).st_size == len(content), path
            assert far or before == len(content), path
            record = inflate(content, dictionary)
            got.append((content, hashlib.sha1(record).hexdigest()))
    assert sorted(got) == want, "%d views of %d are right" % (
        len(set(got) & set(want)), len(want))
    assert want
    print(len(want), "records")


def look(root, path):
    if os.path.isdir(path):
        return "d",
    data = contents(path)
    s = os.stat(path)
    if path.endswith(b".meta"):
        data = re.sub(rb'"(archive|offset|length)": .*', b"", data)
        s = None
    return "f", s and int(s.st_mtime), s and s.st_size, data


def same(folder, *names):
    trees = []
    for name in names:
        root = os.path.join(os.fsencode(folder), os.fsencode(name))
        trees.append({p[len(root):]: look(root, p) for p in below(root)})
    assert len(trees[0]) > 5
    for other in trees[1:]:
        for path in sorted(set(trees[0]) | set(other)):
            assert trees[0].get(path) == other.get(path), path
    print(len(trees[0]), "names")


def inflated(path):
    if path.endswith(".gz"):
        yield from gz_records(path)
        return
    data = contents(path)
    frame, dictionary = front_of(data)
    at = len(frame)
    record = b""
    while at < len(data):
        n = ok(lib.ZSTD_findFrameCompressedSize(
            data[at:at + (1 << 22)], ctypes.c_size_t(min(1 << 22,
                                                         len(data) - at))))
        part = inflate(data[at:at + n], dictionary)
        if part.startswith(b"WARC/") and record:
            yield record
            record = b""
        record += part
        at += n
    yield record


def records(*paths):
    lines = [(hashlib.sha1(r).hexdigest(), kind_of(r))
             for p in paths for r in inflated(p)]
    print("".join("%s %s\n" % line for line in sorted(lines)), end="")


def cut(n, source, target):
    with open(target, "wb") as f:
        f.write(contents(source)[:int(n)])


def flip(record, byte, source, target):
    data = bytearray(contents(source))
    offset, length = list(rows(source + ".tsv"))[int(record)][:2]
    data[offset + int(byte) % length] ^= 16
    with open(target, "wb") as f:
        f.write(data)


def kept(copy, archive):
    new, old = contents(copy), contents(archive)
    assert front_of(new)[0] == front_of(old)[0]
    pages = [old[offset:offset + length]
             for offset, length, kind, _, _ in rows(archive + ".tsv")
             if kind in IN_TREE]
    assert pages and new.endswith(b"".join(pages))


def cdx(source, lengths, with_dict=None):
    data = contents(source)
    dictionary = front_of(contents(with_dict or source))[1]
    lines = []
    for offset, length, kind, _, _ in rows(source + ".tsv"):
        if kind not in ("response", "revisit"):
            continue
        record = inflate(data[offset:offset + length], dictionary)
        url, date = (re.search(rb"\r\nWARC-%s: *(\S+)" % f, record).group(1)
                     .decode() for f in (b"Target-URI", b"Date"))
        if "?" in url or not url.isascii():
            continue
        host, path = re.match(r"https?://([^/]+)(/.*)", url).groups()
        lines.append("%s)%s %s %s %s %s - - - %s %d %s\n" % (
            ",".join(reversed(host.split("."))), path.lower(),
            re.sub(r"\D", "", date)[:14], url,
            "warc/revisit" if kind == "revisit" else "text/html", 200,
            length if lengths == "yes" else 0, offset,
            os.path.basename(source)))
    print(" CDX N b a m s k r M S V g\n" + "".join(sorted(lines)), end="")


if __name__ == "__main__":
    {f.__name__: f for f in (make, views, same, records, cut, flip, kept,
                               cdx)}[
        sys.argv[1]](*sys.argv[2:])
