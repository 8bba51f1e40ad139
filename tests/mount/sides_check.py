#!/usr/bin/env python3
# sides_check.py - views of a mount against tests/side_crawl.py's list.
#     sides_check.py same FOLDER MOUNT     every byte, and whose work it is
#     sides_check.py sizes MOUNT [LEAST]   stat before open, and what is read, of
#                                          that many files (10); EIO is allowed
#     sides_check.py fails MOUNT PATH...   reading gives EIO
# SPDX-License-Identifier: GPL-3.0-or-later
import errno
import json
import os
import sys

bad = 0


def fail(*what):
    global bad
    bad += 1
    print(*what)


def read(path):
    with open(path, "rb") as f:
        return f.read()


def same(folder, mount):
    wants = json.loads(read(os.path.join(folder, "expect.json")))
    for path, view, want, source in wants:
        name = os.path.join(mount, path)
        if view != "raw":
            name += "." + view
        got = read(name)
        if want is not None and got != bytes.fromhex(want):
            fail(path, view, "is", got[:80], "not", bytes.fromhex(want)[:80])
        if want is None and not isinstance(json.loads(got), dict):
            fail(path, view, "is no object")
        try:
            says = os.getxattr(name, "user.crawlfs.view_from").decode()
        except OSError as e:
            says = None if e.errno == errno.ENODATA else str(e)
        if says != source:
            fail(path, view, "says", says, "not", source)
    print(len(wants), "views")


def sizes(mount, least=10):
    n = damaged = 0
    for folder, _, names in os.walk(mount):
        for name in names:
            path = os.path.join(folder, name)
            size = os.stat(path).st_size
            exact = os.getxattr(path, "user.crawlfs.size_is_exact")
            try:
                got = len(read(path))
            except OSError as e:
                if e.errno != errno.EIO:
                    raise
                damaged += 1
                continue
            # what cannot be read to its end has no size to be exact about
            if exact != b"1":
                fail(path, "has no exact size")
            if got != size:
                fail(path, "has", got, "bytes, not", size)
            n += 1
    print(n, "files, and", damaged, "damaged")
    if n < least or damaged > n // 10:
        fail("too few")


def fails(mount, paths):
    for path in paths:
        try:
            fail(path, "gives", read(os.path.join(mount, path))[:80])
        except OSError as e:
            if e.errno != errno.EIO:
                fail(path, e)


if sys.argv[1] == "same":
    same(sys.argv[2], sys.argv[3])
elif sys.argv[1] == "sizes":
    sizes(sys.argv[2], *map(int, sys.argv[3:]))
else:
    fails(sys.argv[2], sys.argv[3:])
sys.exit(1 if bad else 0)
