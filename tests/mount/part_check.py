#!/usr/bin/env python3
# part_check.py - mounts of all pieces of a crawl, compared with one of the
# whole: each page is in one piece, by the same names, inodes and bytes.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     part_check.py WHOLE PIECE...
#
# Prints how many files each piece has.
"""Pieces of a mount beside the whole."""

import hashlib
import os
import stat
import sys

failures = 0


def fail(*what):
    global failures
    failures += 1
    if failures <= 20:
        print("FAILED:", *what)


def walk(top):
    """path -> stat of all files; of all directories."""
    files, dirs = {}, {b"": os.lstat(top)}
    stack = [b""]
    while stack:
        here = stack.pop()
        names = set()
        with os.scandir(os.path.join(top, here)) as entries:
            for e in entries:
                path = os.path.join(here, e.name)
                if e.name in names:
                    fail(top, path, "is listed twice")
                names.add(e.name)
                st = e.stat(follow_symlinks=False)
                if e.inode() != st.st_ino:
                    fail(path, "has inode", e.inode(), "in its folder, and",
                         st.st_ino)
                if stat.S_ISDIR(st.st_mode):
                    dirs[path] = st
                    stack.append(path)
                else:
                    files[path] = st
    return files, dirs


def above(files):
    """All folders that have one of these below them."""
    found = {b""}
    for path in files:
        while path:
            path = os.path.dirname(path)
            found.add(path)
    return found


def digest(path):
    with open(path, "rb") as f:
        return hashlib.sha1(f.read()).digest()


def absent(top, path):
    try:
        os.lstat(os.path.join(top, path))
    except FileNotFoundError:
        return True
    return False


def main():
    whole, *tops = (os.fsencode(a) for a in sys.argv[1:])
    files, dirs = walk(whole)
    owner = {}
    # a time may leave folders without a page, which any piece may show
    filled = above(files)
    for top in tops:
        # asked first, so that the kernel has nothing of it from a listing
        looked = {path for path in files if not absent(top, path)}
        own, folders = walk(top)
        if looked != set(own):
            fail(top, "look-ups find", len(looked), "files, listings",
                 len(own), sorted(looked ^ set(own))[:3])
        for path, st in own.items():
            if path in owner:
                fail(path, "is in", owner[path], "and in", top)
            owner[path] = top
            if path not in files:
                fail(path, "is in", top, "and not in the whole")
            elif files[path].st_ino != st.st_ino:
                fail(path, "has another inode in", top)
        wanted = above(own)
        if wanted != set(folders) & filled:
            fail(top, "has these folders or lacks them:",
                 sorted(wanted ^ (set(folders) & filled))[:5])
        for path, st in folders.items():
            if path in dirs and dirs[path].st_ino != st.st_ino:
                fail(path, "is a folder with another inode in", top)
        for path in filled - wanted:
            if not absent(top, path):
                fail(path, "is a folder that can be looked up in", top)
        print("#", os.fsdecode(top), len(own), "files,", len(folders),
              "folders")
    missing = set(files) - set(owner)
    if missing:
        fail(len(missing), "files are in no piece:", sorted(missing)[:5])
    for path, top in owner.items():
        if path in files and digest(os.path.join(whole, path)) != \
                digest(os.path.join(top, path)):
            fail(path, "has other bytes in", top)
    print("#", len(files), "files, in", len(tops), "pieces;", failures,
          "failures")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
