#!/usr/bin/env python3
# errors_check.py - .crawlfs/errors of a mount next to what a reader has met.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     errors_check.py read MOUNT LOST [TIMES [THREADS]]
#         reads every page; LOST becomes the paths of those that are EIO, in the
#         order of the last reads, each ended by NUL
#     errors_check.py lines MANIFEST MOUNT LOST [TIMES]
#         there is a line for each of those, and no other: with the path, the
#         archive and the offset that the model has; the counts, each at least
#         TIMES, add up to the errors of .crawlfs/stats; the latest is last
#     errors_check.py last MOUNT LOST N
#         the lines are the N latest of them, in that order
#     errors_check.py log LOG MOUNT
#         a line or more of each archive at once, and in the end the number of
#         its failures
#     errors_check.py snapshot MOUNT PATH
#         what was opened stays as it was; the next reader sees more
#     errors_check.py spoil FOLDER
#         damages a member of every other archive, and 20 of the first one; prints
#         the archive, offset and number of what an index is to report of each
#     errors_check.py found MOUNT LIST
#         that is what the mount shows as found by the index
#     errors_check.py table INDEX LIST
#         that is what the index has, byte for byte as crawlfs-index(5) says
"""Compares lists of failures with what has failed."""

import collections
import errno
import json
import os
import re
import sys
import struct
import threading
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "model"))
import record_reader                                            # noqa: E402
import tree_model                                               # noqa: E402

MEMBERS = ["time", "first", "count", "file", "archive", "offset", "error",
           "cause"]
TIME = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$")


def errors_of(mount):
    name = os.path.join(mount, ".crawlfs/errors")
    with open(name, "rb") as f:
        size = os.fstat(f.fileno()).st_size
        text = f.read()
    assert size == len(text), "%d bytes, stat says %d" % (len(text), size)
    assert text == b"" or text.endswith(b"\n")
    assert not re.search(rb"[\0-\x09\x0b-\x1f\x7f]", text), "control bytes"
    return [json.loads(line) for line in text.decode().splitlines()]


def stats_errors(mount):
    with open(os.path.join(mount, ".crawlfs/stats")) as f:
        return json.load(f)["operations"]["errors"]


def pages(mount):
    for folder, dirs, files in os.walk(os.fsencode(mount)):
        dirs.sort()
        for name in sorted(files):
            yield os.path.join(folder, name)


def is_lost(path):
    try:
        with open(path, "rb", buffering=0) as f:
            while f.read(1 << 16):
                pass
        return False
    except OSError as e:
        assert e.errno == errno.EIO, e
        return True


def cmd_read(mount, lost, times="1", threads="1"):
    names = list(pages(mount))
    found = []

    def run():
        for _ in range(int(times)):
            found.append([n for n in names if is_lost(n)])

    all_threads = [threading.Thread(target=run) for _ in range(int(threads))]
    for t in all_threads:
        t.start()
    for t in all_threads:
        t.join()
    assert len(found) == int(times) * int(threads)
    assert all(f == found[0] for f in found), "not always the same"
    with open(lost, "wb") as f:
        f.write(b"".join(os.path.relpath(n, os.fsencode(mount)) + b"\0"
                         for n in found[0]))
    print(len(names), "pages,", len(found[0]), "lost")


def read_lost(lost):
    with open(lost, "rb") as f:
        return f.read().split(b"\0")[:-1]


def as_text(path):
    """Bytes that are not UTF-8 become U+FFFD, as many as the writer likes."""
    return re.sub("\ufffd+", "\ufffd", path.decode("utf-8", "replace"))


def blamed(line):
    """The archive that the cause names: of a revisit perhaps that of its
    original."""
    return re.match(r"\S*/(\S+\.warc\.gz): ", line["cause"])[1]


def cmd_lines(manifest, mount, lost, times="1"):
    model = tree_model.Model(record_reader.read_manifest(manifest))
    want, revisits = {}, set()
    names = set(read_lost(lost))
    for path, what in model.walk(("raw",)):
        if path in names:
            want[as_text(path)] = (what[0].archive, what[0].offset)
            if what[0].kind == "revisit":
                revisits.add(as_text(path))
    assert len(want) == len(names), (len(want), len(names))
    lines = errors_of(mount)
    got = {}
    for line in lines:
        assert list(line) == MEMBERS, line
        assert TIME.match(line["time"]) and TIME.match(line["first"]), line
        assert line["first"] <= line["time"], line
        assert line["count"] >= int(times), line
        assert line["error"] in ("io", "format"), line
        name = as_text(line["file"].encode())
        assert blamed(line) == os.path.basename(line["archive"]) or \
            name in revisits, line
        got[name] = (line["archive"], line["offset"])
    assert len(got) == len(lines)
    assert got == want, sorted(set(got.items()) ^ set(want.items()))[:4]
    assert [x["time"] for x in lines] == sorted(x["time"] for x in lines)
    total = sum(x["count"] for x in lines)
    assert total == stats_errors(mount), (total, stats_errors(mount))


def cmd_last(mount, lost, n):
    names = read_lost(lost)
    assert len(names) > int(n), "only %d were lost" % len(names)
    got = [as_text(x["file"].encode()) for x in errors_of(mount)]
    assert got == [as_text(x) for x in names[-int(n):]], got[:3]


def cmd_log(log, mount):
    want = collections.Counter()
    for line in errors_of(mount):
        want[blamed(line), line["error"]] += line["count"]
    per_archive = collections.defaultdict(list)
    with open(log, encoding="utf-8") as f:
        for line in f:
            if re.match(r"crawlfs: \S+ on \S+: \d+ captures; ", line):
                continue        # what the mount shows
            match = re.match(r"crawlfs: \S*/(\S+\.warc\.gz): (.*)", line)
            assert match, line
            count = re.search(r" \((\d+) such failures so far\)$", match[2])
            per_archive[match[1]].append(int(count[1]) if count else 1)
    wanted = collections.defaultdict(list)      # of all causes of an archive
    for (archive, _), n in want.items():
        wanted[archive] += [10 ** i for i in range(10) if 10 ** i <= n]
    assert {k: sorted(v) for k, v in per_archive.items()} == \
        {k: sorted(v) for k, v in wanted.items()}, (per_archive, wanted)


def cmd_snapshot(mount, path):
    name = os.path.join(mount, ".crawlfs/errors")
    before = errors_of(mount)
    with open(name, "rb", buffering=0) as f:
        assert is_lost(os.path.join(mount, path))
        old = f.read().decode().splitlines()
    assert [json.loads(x) for x in old] == before
    after = errors_of(mount)
    assert after != before and len(after) == len(before)
    assert after[-1]["file"] == path, after[-1]
    assert after[-1]["count"] > next(
        x["count"] for x in before if x["file"] == path)
    first = {x["file"]: x["first"] for x in before}
    assert all(first[x["file"]] == x["first"] for x in after)


def members(data):
    """Offsets of gzip members, and of the end."""
    at = [0]
    while at[-1] < len(data):
        z = zlib.decompressobj(31)
        z.decompress(data[at[-1]:])
        assert z.eof
        at.append(len(data) - len(z.unused_data))
    return at


def spoil(data, begin, end):
    """A byte of a member's CRC: what inflates is whole, and wrong."""
    data[end - 6] ^= 0x55
    try:
        zlib.decompressobj(31).decompress(bytes(data[begin:end]))
    except zlib.error:
        return
    raise AssertionError("not damaged")


def cmd_spoil(folder):
    names = sorted(n for n in os.listdir(folder) if n.endswith(".warc.gz"))
    for i, name in enumerate(names):
        path = os.path.join(folder, name)
        with open(path, "rb") as f:
            data = bytearray(f.read())
        at = members(bytes(data))
        which = [1 + i % 5] if i % 2 else []
        if i == 0:
            which = range(1, 40, 2)
        for k in which:
            spoil(data, at[k], at[k + 1])
        with open(path, "wb") as f:
            f.write(data)
        for k in list(which)[:16]:
            print(name, at[k], 1)
        if len(which) > 16:
            print(name, at[which[15]], len(which) - 16)


def read_list(name):
    with open(name) as f:
        return [(a, int(o), int(n)) for a, o, n in map(str.split, f)]


def cmd_found(mount, name):
    lines = [x for x in errors_of(mount) if x.get("found") == "index"]
    got = [(x["archive"], x["offset"], x["count"]) for x in lines]
    assert got == read_list(name), got
    assert all(x["error"] == "format" and x["archive"] in x["cause"]
               for x in lines)


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def archive_names(data):
    off, size, _, n = struct.unpack_from("<4Q", data, 80 + 32)
    names, at = [], off
    head = 28 if struct.unpack_from("<I", data, 8)[0] >= 4 else 24
    for _ in range(n):
        end = data.index(0, at + head)
        names.append(data[at + head:end].decode())
        at = end + 1
    assert at == off + size
    return names


def cmd_table(index, name):
    with open(index, "rb") as f:
        data = f.read()
    off, size, checksum = struct.unpack_from("<3Q", data, 1632)
    want = read_list(name)
    if not want:
        assert (off, size, checksum) == (0, 0, 0)
        return
    table = data[off:off + size]
    assert tree_model.xxh64(table, 250 << 32) == checksum
    names, got, at = archive_names(data), [], 0
    while at < size:
        number, at = varint(table, at)
        length, at = varint(table, at)
        end = at + length
        places, at = varint(table, at)
        listed, at = varint(table, at)
        for _ in range(listed):
            offset, at = varint(table, at)
            length, at = varint(table, at)
            assert table[at:at + length] == b"incorrect data check"
            at += length
            got.append((names[number], offset, 1))
        if places > listed:
            got.append((names[number], offset, places - listed))
        assert at == end
    assert got == want, got


try:
    globals()["cmd_" + sys.argv[1]](*sys.argv[2:])
except AssertionError as e:
    print("errors_check:", sys.argv[1], e)
    sys.exit(1)
