#!/usr/bin/env python3
# picked_check.py - which lines of a CDXJ file are picked, worked out here, and
# what crawlfs says.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     picked_check.py make FILE LINES SEED
#     picked_check.py lookup CRAWLFS FILE[:INDEX] OPTION...
#     picked_check.py mount CRAWLFS FILE MOUNT OPTION...
#     picked_check.py parts CRAWLFS FILE N OPTION...
#     picked_check.py near CRAWLFS INDEX LIST BITS
#
# make: sorted lines with statuses, types, languages and digests, many of them
# equal, some missing or odd.  lookup: `crawlfs lookup FILE /` with these options
# prints the lines that meet them, in their order, and says what --dedup left
# out; INDEX: an index that was made of the lines is asked.  mount: the files of MOUNT,
# mounted with them, are those that lookup names.  parts: those of N parts are
# those of the whole, and each is in one.  near: of an index with the hashes in
# LIST (near_helper.c), --dedup=near:BITS leaves the first captures of similar
# ones, whole and in parts, lookup --near finds those that are near, by distance,
# and rows have the hash of the first one as their cluster.
"""Picked captures of CDXJ lines."""

import datetime
import json
import os
import random
import re
import subprocess
import sys

MIMES = ["text/html"] * 6 + ["application/pdf", "image/png", "image/svg+xml",
                             "Text/HTML; charset=utf-8", "unk", "-", "",
                             "warc/revisit"]
LANGUAGES = ["eng", "deu", "eng,deu", "deu,fra,eng", "zho", None, None]
STATUSES = ["200"] * 5 + ["301", "302", "404", "500", "-", None, 200]


def make(path, count, seed):
    rng = random.Random(int(seed))
    lines = []
    for n in range(int(count)):
        host = rng.choice(["a", "b", "b,sub", "c", "example"])
        page = "p%d" % rng.randrange(int(count) // 3)
        if rng.random() < 0.3:
            page = "d%d/%s" % (rng.randrange(5), page)
        url = "http://%s.com/%s" % (".".join(reversed(host.split(","))), page)
        fields = {"url": url, "mime": rng.choice(MIMES),
                  "length": "%d" % rng.randrange(100, 9000), "offset": str(n),
                  "filename": "x%d.warc.gz" % (n % 3)}
        if (status := rng.choice(STATUSES)) is not None:
            fields["status"] = status
        if (languages := rng.choice(LANGUAGES)) is not None:
            fields["languages"] = languages
        if rng.random() < 0.8:
            digest = ("%08d" % rng.randrange(1 + int(count) // 4)).translate(
                str.maketrans("0123456789", "ABCDEFGHIJ")) * 4
            fields["digest"] = rng.choice(["", "sha1:"]) + digest
        if rng.random() < 0.2:
            fields = dict(reversed(list(fields.items())))
        text = json.dumps(fields)
        if rng.random() < 0.1:
            text = text.replace("text/html", "text\\/html")
        lines.append("com,%s)/%s 20%02d%02d15120000 %s" % (
            host, page, rng.randrange(10, 25), rng.randrange(1, 13), text))
    lines.sort(key=lambda s: s.encode())
    with open(path, "w", encoding="ascii") as f:
        f.writelines(line + "\n" for line in lines)


class Line:
    def __init__(self, text):
        key, self.stamp, fields = text.split(" ", 2)
        fields = json.loads(fields)
        self.host, self.path = re.fullmatch(r"com,([^)]*)\)/(.*)", key).groups()
        self.place = fields["filename"], fields["offset"]
        mime = fields["mime"]
        self.mime = "" if mime in ("unk", "-", "warc/revisit") else \
            mime.split(";")[0].strip().lower()
        status = str(fields.get("status", "-"))
        self.status = int(status) if status.isdigit() else 0
        self.languages = (fields.get("languages") or "").split(",")
        self.key = key
        self.digest = fields.get("digest", "").removeprefix("sha1:")


def status_meets(want, line):
    for item in want.split(","):
        if item[1:].lower() == "xx":
            low, high = int(item[0]) * 100, int(item[0]) * 100 + 99
        else:
            low, _, high = item.partition("-")
            low, high = int(low), int(high or low)
        if low <= line.status <= high:
            return True
    return False


def mime_meets(want, line):
    for item in want.lower().split(","):
        item = item if "/" in item else "*/" + item
        if re.fullmatch(".*".join(map(re.escape, item.split("*"))), line.mime):
            return True
    return False


def language_meets(want, line):
    every = want.startswith("any:")
    have = line.languages if every else line.languages[:1]
    return bool(set(want.removeprefix("any:").split(",")) & set(have))


def prefix_meets(want, line):
    """Only of the forms com.HOST and com.HOST/PATH, and *.HOST.com."""
    if want.startswith("*."):
        want = ".".join(reversed(want[2:].split(".")))
    host, slash, path = want.partition("/")
    labels = host.split(".")
    have = ["com"] + line.host.split(",")
    if not slash:
        return have[:len(labels)] == labels
    return have == labels and (line.path == path or
                               line.path.startswith(path + "/"))


TESTS = {"status": status_meets, "mime": mime_meets,
         "language": language_meets, "prefix": prefix_meets,
         "from": lambda want, line: line.stamp >= want,
         "to": lambda want, line: line.stamp <= want + "99"}


def counted(n, word):
    return "%d %s%s" % (n, word, "s" * (n != 1))


def picked(path, options, in_order=False):
    with open(path, encoding="ascii") as f:
        lines = [Line(text) for text in f]
    wanted = {}
    for option in options:
        name, _, value = option.removeprefix("--").partition("=")
        wanted[name] = value
    dedup = wanted.pop("dedup", None)
    lines = [line for line in lines
             if all(TESTS[name](want, line) for name, want in wanted.items())]
    # as a crawlfs index has them
    if in_order:
        lines.sort(key=lambda line: (line.key.encode(), line.stamp,
                                     line.place[0], int(line.place[1])))
    seen, out, left_out = set(), [], []
    for line in lines:
        if dedup == "digest" and line.digest in seen and line.digest:
            left_out.append(line)
            continue
        seen.add(line.digest)
        out.append(line)
    gone = {line.key for line in left_out} - {line.key for line in out}
    said = "left out: %s with the payload of one before, and with them %s" % (
        counted(len(left_out), "capture"), counted(len(gone), "URL"))
    return out, said if left_out else ""


def lookup(program, path, options):
    """(archive, offset) -> path in the tree, in order; and all lines say no
    more than that there is none."""
    operands = [] if any(o.startswith("--prefix") for o in options) else ["/"]
    done = subprocess.run([program, "lookup", path, *operands, *options],
                          capture_output=True, check=False)
    out = []
    for text in done.stdout.splitlines():
        fields = json.loads(text.split(b" ", 2)[2])
        out.append(((fields["filename"], fields["offset"]), fields["path"]))
    if done.returncode != (0 if out else 1):
        sys.exit("%r: %r" % (done.args, done.stderr))
    return out, done.stderr.decode().strip()


def check_lookup(program, path, *options):
    path, _, index = path.partition(":")
    want, said = picked(path, options, bool(index))
    want = [line.place for line in want]
    got, heard = lookup(program, index or path, options)
    got = [place for place, _ in got]
    if got and (said not in heard or ("left out" in heard) != bool(said)):
        sys.exit("said %r, not %r" % (heard, said))
    if got != want:
        sys.exit("%d lines, not %d; first other: %r" % (
            len(got), len(want), [a for a in zip(got, want) if a[0] != a[1]][:1]))
    print("%d lines" % len(got))


def files_below(mount):
    out = {}
    for here, _, names in os.walk(mount):
        for name in names:
            path = os.path.join(here, name)
            st = os.lstat(path)
            out[os.path.relpath(path, mount)] = st.st_ino, st.st_mtime
    return out


def check_mount(program, path, mount, *options):
    named = {p for _, p in lookup(program, path, options)[0]}
    files = files_below(mount)
    raw = {p for p in files if not p.endswith((".meta", ".txt"))}
    if raw != named or len(files) != 3 * len(raw):
        sys.exit("%d files, %d of them pages, not %d; others: %r" % (
            len(files), len(raw), len(named), sorted(raw ^ named)[:4]))
    print("%d files" % len(files))


def check_parts(program, path, count, *options):
    whole = [place for place, _ in lookup(program, path, options)[0]]
    parts = []
    for k in range(int(count)):
        parts += [place for place, _ in lookup(
            program, path,
            [*options, "--part=%d/%s" % (k + 1, count)])[0]]
    if sorted(parts) != sorted(whole) or not whole:
        sys.exit("%d lines in parts, %d in the whole" % (len(parts),
                                                         len(whole)))
    print("%d lines" % len(whole))


def rows_of(program, index, *words):
    """(URL, timestamp) -> the object, in order; and standard error."""
    done = subprocess.run([program, "lookup", index, "/", *words],
                          capture_output=True, check=True)
    rows = [json.loads(x) for x in done.stdout.splitlines()]
    return {(r["url"], r["timestamp"]): r for r in rows}, done.stderr.decode()


def first_ones(order, hashes, bits):
    """Of each capture the first one that is near to it, which may be itself."""
    kept, first = [], {}
    for name in order:
        if hashes[name] is not None:
            first[name] = next((k for k in kept if bin(
                hashes[k] ^ hashes[name]).count("1") <= bits), name)
            if first[name] == name:
                kept.append(name)
    return first


def check_near(program, index, listed, bits):
    bits = int(bits)
    hashes = {}
    with open(listed, encoding="ascii") as f:
        for line in f:
            url, time, value = line.split()
            stamp = datetime.datetime.fromtimestamp(
                int(time), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
            hashes[url, stamp] = None if value == "-" else int(value, 16)
    rows, _ = rows_of(program, index, "--fields=url,timestamp,cluster",
                      "--near-bits=%d" % bits)
    order = list(rows)
    if set(order) != set(hashes):
        sys.exit("%d captures, not %d" % (len(order), len(hashes)))
    first = first_ones(order, hashes, bits)
    for name in order:
        want = hashes[first[name]] if name in first else None
        if rows[name].get("cluster", 0) & 2 ** 64 - 1 != (want or 0):
            sys.exit("cluster of %s: %r, not %r" % (name, rows[name], want))
    want = [n for n in order if first.get(n, n) == n]
    words = "--fields=url,timestamp", "--dedup=near:%d" % bits
    for mem in "--mem=1M", "--mem=1G":
        got, said = rows_of(program, index, *words, mem)
        if list(got) != want:
            sys.exit("%d are left, not %d" % (len(got), len(want)))
    gone = {n[0] for n in order} - {n[0] for n in want}
    text = "left out: %s with main content near that of one before, and with " \
        "them %s" % (counted(len(order) - len(want), "capture"),
                     counted(len(gone), "URL"))
    if text not in said:
        sys.exit("said %r, not %r" % (said, text))
    parts = [n for k in "123" for n in rows_of(program, index, *words,
                                               "--part=%s/3" % k)[0]]
    if parts != want:
        sys.exit("%d are left in parts, not %d" % (len(parts), len(want)))
    name = max((n for n in order if hashes[n] is not None and [
        x[0] for x in order].count(n[0]) == 1),
               key=lambda n: list(first.values()).count(n))
    far = [(bin(hashes[n] ^ hashes[name]).count("1"), i)
           for i, n in enumerate(order) if hashes[n] is not None]
    want = [(order[i], d) for d, i in sorted(far) if d <= bits]
    got, _ = rows_of(program, index, "--near=" + name[0], "--json",
                     "--near-bits=%d" % bits)
    if [(n, r["distance"]) for n, r in got.items()] != want:
        sys.exit("near to %r are %r, not %r" % (name, list(got)[:4], want[:4]))
    print("%d of %d are left; %d near one" % (len(parts), len(order), len(want)))


{"make": make, "near": check_near, "lookup": check_lookup, "mount": check_mount,
 "parts": check_parts}[sys.argv[1]](*sys.argv[2:])
