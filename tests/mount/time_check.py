#!/usr/bin/env python3
# time_check.py - what crawlfs says of captures of some time, beside a mount and
# beside lines that are read here.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     time_check.py commands CRAWLFS MOUNT SOURCE [OPTION...]
#     time_check.py real CRAWLFS MOUNT SOURCE CDX DATE
#     time_check.py revisits FILE
#
# commands: ls, lookup, path, check and copy with these options show what the
# mount, made with the same dates, has.  real: of a CDX file of eleven columns
# the captures until DATE, and no others, are in the mount.  revisits: makes an
# archive of a capture of 2010 and two revisits of it of 2015, and prints its
# body.
"""Commands and mounts with dates."""

import base64
import gzip
import hashlib
import json
import os
import random
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "model"))
import odd_archives                                             # noqa: E402
import tree_model                                               # noqa: E402

faults = 0


def fault(*what):
    global faults
    faults += 1
    if faults < 20:
        print("FAILED:", *what)


def same(what, got, want):
    if got != want:
        fault("%s: %r, not %r" % (what, got, want))


def run(*words):
    done = subprocess.run([os.fsencode(w) for w in words],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False)
    if done.returncode != 0:
        fault(words, done.stderr)
    return done.stdout


def files_below(top):
    """Paths of files and directories."""
    files, dirs = set(), set()
    top = os.fsencode(top)
    for here, below, names in os.walk(top):
        for n in below:
            dirs.add(os.path.relpath(os.path.join(here, n), top))
        for n in names:
            files.add(os.path.relpath(os.path.join(here, n), top))
    return files, dirs


def lookup(program, source, options):
    """(path, time, fields) of each capture."""
    out = []
    for line in run(program, "lookup", source, "/", *options).splitlines():
        _, stamp, fields = line.split(b" ", 2)
        fields = json.loads(fields)
        path = fields["path"].encode("utf-8", "surrogateescape")
        out.append((path, stamp.decode(), fields))
    return out


def check_lookup(mount, found):
    for path, stamp, _ in found:
        try:
            st = os.lstat(os.path.join(os.fsencode(mount), path))
        except OSError as e:
            fault(path, e)
            continue
        wanted = time.strftime("%Y%m%d%H%M%S", time.gmtime(st.st_mtime))
        if stamp == "-":        # not known: the file has the time 0
            stamp = "19700101000000"
        same(path, wanted, stamp)
    same("paths", len({f[0] for f in found}), len(found))


def commands(program, mount, source, *options):
    files, dirs = files_below(mount)
    listed = run(program, "ls", "-R", source, *options).split(b"\n")[:-1]
    same("ls -R: directories", {p[:-1] for p in listed if p.endswith(b"/")},
         dirs)
    same("ls -R: files", {p for p in listed if not p.endswith(b"/")}, files)
    found = lookup(program, source, options)
    check_lookup(mount, found)
    # raw, .meta and .txt of each
    same("lookup: captures", 3 * len(found), len(files))
    counted = run(program, "check", source, "/", *options)
    same("check", re.findall(rb"^captures +(\d+)", counted, re.M),
         [b"%d" % len(found)])
    rng = random.Random(3)
    plain = [f for f in found if "%" not in f[2]["url"]]    # byte for byte
    for path, _, fields in rng.sample(plain, min(12, len(plain))):
        named = run(program, "path", source, fields["url"], *options)[:-1]
        same(("path", fields["url"]), named in
             {f[0] for f in found if f[2]["url"] == fields["url"]}, True)
    with_records = sum(f[2]["filename"].endswith(".warc.gz") for f in found)
    copy = mount + ".warc.gz"
    targets = sorted({f[2]["url"] for f in found})
    if with_records:
        run(program, "copy", source, "/", "-o", copy, "-q", "--force",
            "--records=captures",
            "--skip-other", *options)
        with gzip.open(copy) as f:
            kinds = re.findall(rb"^WARC-Type: (\w+)", f.read(), re.M)
        same("copy: records of %d URLs" % len(targets), sum(
            k in (b"response", b"resource", b"revisit", b"conversion")
            for k in kinds), with_records)
    print("%d files, %d captures, %d copied" % (len(files), len(found),
                                                with_records))


def real(program, mount, source, cdx, date):
    last = tree_model.period(date)[1]
    limit = time.strftime("%Y%m%d%H%M%S", time.gmtime(last))
    wanted, best = [], {}
    with open(cdx, "rb") as f:
        lines = [line.split() for line in f if not line.startswith(b" ")]
    for n, line in enumerate(lines):
        key, stamp, status = line[0], line[1].decode(), line[4]
        if stamp > limit:
            continue
        wanted.append((stamp, line[9].decode()))
        rank = (status == b"200", stamp, n)
        best[key] = max(best.get(key, rank), rank)
    files, _ = files_below(mount)
    found = lookup(program, source, ["--at=" + date,
                                     "--data=" + os.path.dirname(cdx)]) \
        if wanted else []
    check_lookup(mount, found)
    same("captures", sorted((s, f["offset"]) for _, s, f in found),
         sorted(wanted))
    same("files", len(files), 3 * len(wanted))
    plain = [s for p, s, _ in found if not re.search(rb"#\d+$", p)]
    same("times of plain names", sorted(plain),
         sorted(rank[1] for rank in best.values()))
    print("%d of %d captures, %d pages" % (len(wanted), len(lines), len(best)))


def revisits(path):
    body = b"<p>what it said in 2010"
    digest = "WARC-Payload-Digest: sha1:" + base64.b32encode(
        hashlib.sha1(body).digest()).decode()
    url = "http://example.org/%s"
    content = "Content-Type: application/http; msgtype=response"
    own = "<urn:uuid:%08d-0000-0000-0000-000000000000>" % len(
        odd_archives.http(body))
    records = [
        odd_archives.dated("response", url % "a", "2010-01-01T00:00:00Z",
                           [content, digest], odd_archives.http(body)),
        odd_archives.dated("revisit", url % "a", "2015-01-01T00:00:00Z",
                           [content, digest, "WARC-Refers-To: " + own],
                           b"HTTP/1.1 200 OK\r\n\r\n"),
        odd_archives.dated("revisit", url % "b", "2015-01-01T00:00:01Z",
                           [content, digest], b"HTTP/1.1 200 OK\r\n\r\n")]
    with open(path, "wb") as f:
        f.write(b"".join(gzip.compress(r) for r in records))
    sys.stdout.buffer.write(body)


{"commands": commands, "real": real,
 "revisits": revisits}[sys.argv[1]](*sys.argv[2:])
sys.exit(1 if faults else 0)
