"""Reads every file of a tree in ways that do not ask for its size after open.

    sizes_check.py TREE COPY

COPY holds the same files as a program read them that does ask (cat).  The
tree is listed with sizes before every pass: what the kernel holds of a file
then is a guess, or what was learnt before and may be forgotten.  Prints the
number of reads, and up to ten that were wrong; exits with 1 if any was.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import os
import random
import sys

PASSES = 3
SEND_MAX = 60000  # fits into a pipe


def listing(tree):
    for folder, folders, _ in os.walk(tree):
        folders.sort()
        with os.scandir(folder) as entries:
            for e in sorted(entries, key=lambda e: e.name):
                if e.is_file(follow_symlinks=False):
                    yield e.path, e.stat(follow_symlinks=False).st_size


def send(fd, n):
    """What sendfile(2) makes of the first n bytes."""
    r, w = os.pipe()
    os.sendfile(w, fd, 0, n)
    os.close(w)
    with open(r, "rb") as f:
        return f.read()


def read_somehow(rng, path, size):
    """(how, offset, count, bytes)"""
    how = rng.choice(["page", "some", "size", "end", "send"])
    off, n = {
        "page": (0, 4096),
        "some": (rng.choice([0, 4096, 8192]), rng.choice([512, 4096, 8192])),
        "size": (0, max(size, 1)),
        "end": (max(0, size - 4096), 4096),
        "send": (0, min(max(size, 1), SEND_MAX)),
    }[how]
    fd = os.open(path, os.O_RDONLY)
    try:
        got = send(fd, n) if how == "send" else os.pread(fd, n, off)
    finally:
        os.close(fd)
    return how, off, n, got


def main():
    tree, copy = sys.argv[1:]
    rng = random.Random(5)
    reads = wrong = 0
    for _ in range(PASSES):
        for path, size in list(listing(tree)):
            how, off, n, got = read_somehow(rng, path, size)
            with open(os.path.join(copy, os.path.relpath(path, tree)), "rb") as f:
                whole = f.read()
            reads += 1
            if got != whole[off:off + n]:
                wrong += 1
                if wrong <= 10:
                    print(f"{path}: {how} of {n} at {off}: {len(got)} bytes; "
                          f"the file has {len(whole)}, was listed with {size}")
    print(reads, "reads,", wrong, "wrong")
    return 1 if wrong or not reads else 0


sys.exit(main())
