#!/usr/bin/env python3
# cluster_damage.py - a ZipNum cluster with one line of its cluster.idx damaged
# in many ways: what is found, what is an error, and what is said.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     cluster_damage.py CRAWLFS FOLDER [URL-OF-FOLDER]
#
# 24 blocks of 500 lines in three shards; line 7 of cluster.idx is damaged.  A
# page of each block is looked up; an index is made of all.
"""Damage in a cluster.idx."""

import os
import subprocess
import sys

import cdx_lines

BLOCKS, LINES, BAD = 24, 500, 7
MIDST = 3	# in the midst of a shard; BAD is its last line


def field(k, f):
    def edit(line):
        c = line.rstrip(b"\n").split(b"\t")
        c[k] = f(c[k])
        return b"\t".join(c) + b"\n"
    return edit


def key(text):
    return field(0, lambda v: text + b")/ 20140101")


# name, edit of the line, lookups that fail, lines an index lacks, what is said
ALL = BLOCKS * LINES
CASES = [
    ("offset", field(2, lambda v: b"%d" % (int(v) + 7)), [BAD], LINES, "cdx-00000.gz"),
    ("offset of another block", field(2, lambda v: b"0"), [BAD], LINES, "gzip data is damaged"),
    ("offset 2^63-1", field(2, lambda v: b"9223372036854775807"), [BAD], LINES, "ends at byte"),
    ("offset 2^64", field(2, lambda v: b"18446744073709551616"), [BAD], LINES, "not a line of"),
    ("length beyond the shard", field(3, lambda v: b"52428800"), [BAD], LINES, "ends at byte"),
    ("length 2^63-1", field(3, lambda v: b"9223372036854775807"), [BAD], LINES, "block of 92"),
    ("length 0", field(3, lambda v: b"0"), [BAD], LINES, "not a line of"),
    ("length too short", field(3, lambda v: b"%d" % (int(v) - 9)), [BAD], LINES, "gzip data is damaged"),
    ("shard above its folder", field(1, lambda v: b"../all.cdx"), [BAD], LINES, "not below its folder"),
    ("shard anywhere", field(1, lambda v: b"/etc/passwd"), [BAD], LINES, "not below its folder"),
    ("shard that is not there", field(1, lambda v: b"cdx-99999.gz"), [BAD], LINES, "cdx-99999.gz"),
    ("NUL in a shard", field(1, lambda v: b"cdx\0.gz"), [BAD], LINES, "not below its folder"),
    ("NUL in a key", field(0, lambda v: v.replace(b"mple", b"\0ple")), [], 0, ""),
    ("key too low", key(b"aaa"), [], 0, ""),
    ("key too high", key(b"zzz"), [], 0, ""),
    ("no tabs", lambda x: x.replace(b"\t", b" "), [BAD], LINES, "not a line of"),
    ("many damaged lines", lambda x: b"x\n" * 12, [BAD], LINES, "not a line of"),
    ("a line of 100 MB", lambda x: b"example,h9" + b"x" * (100 << 20) + b"\n", [BAD], LINES, "not a line of"),
    ("lines that are empty", lambda x: b"\n\r\n" + x, [], 0, ""),
]


# edits of line MIDST, where the next line of the shard says what is right
BOUNDED = [
    ("length into the next members", field(3, lambda v: b"%d" % (int(v) * 3))),
    ("length into the next member", field(3, lambda v: b"%d" % (int(v) + 1))),
    ("length 2^63-1 in the midst", field(3, lambda v: b"9223372036854775807")),
]


def swapped(lines):
    lines[BAD], lines[BAD + 1] = lines[BAD + 1], lines[BAD]


def reversed_(lines):
    lines.reverse()


def run(*args):
    p = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       check=False)
    return p.returncode, p.stdout, p.stderr.decode("utf-8", "replace")


class Check:
    def __init__(self, crawlfs, folder, url):
        cdx_lines.shards(folder, ALL)
        self.crawlfs, self.folder = crawlfs, folder
        self.at = (url or folder) + "/cluster.idx"
        with open(folder + "/cluster.idx", "rb") as f:
            self.idx = f.read().splitlines(True)
        with open(folder + "/all.cdx", encoding="ascii") as f:
            self.rows = f.read().splitlines()
        self.failed = 0

    def write(self, lines):
        # another file, so that no cache holds the one before
        with open(self.folder + "/new", "wb") as f:
            f.write(b"".join(lines))
        os.rename(self.folder + "/new", self.folder + "/cluster.idx")

    def lookups(self):
        """blocks whose pages are errors, are missing; what is said"""
        errors, missing, said = [], [], []
        for b in range(BLOCKS):
            url = self.rows[b * LINES + LINES // 2].split(" ")[2]
            rc, out, err = run(self.crawlfs, "lookup", self.at, url)
            if rc == 0 and out.count(b"\n") == 1:
                continue
            (missing if "is not in the index" in err else errors).append(b)
            said.append(err)
        return errors, missing, said

    def index(self, lacks):
        cfx = self.folder + "/x.cfx"
        rc, _, err = run(self.crawlfs, "index", "-q", "-o", cfx, self.at)
        if rc != (lacks > 0):
            return -1, err
        return run(self.crawlfs, "lookup", cfx, "/")[1].count(b"\n"), err

    def say(self, name, ok, *more):
        self.failed += not ok
        print("ok:" if ok else "FAILED:", name, *(() if ok else more))

    def case(self, name, edit, fail, lacks, text):
        lines = list(self.idx)
        lines[BAD] = edit(lines[BAD])
        self.write(lines)
        errors, missing, said = self.lookups()
        self.say(name, errors == fail and not missing, errors, missing, said)
        self.say(name + ": one line says why", not fail or
                 said[0].count("\n") == 1 and text in said[0], said)
        got, err = self.index(lacks)
        # and one line that the archives, of which there are none, are not
        # where a mount would look for them
        place = [x for x in err.splitlines() if "mount it with -o data=" in x]
        told = [x for x in err.splitlines() if x not in place]
        self.say(name + ": an index of it", got == ALL - lacks and
                 len(told) == (lacks > 0) and len(place) == 1, got, err)

    def bounded(self, name, edit):
        """A length that is too large takes nothing away.  Holds C18."""
        lines = list(self.idx)
        lines[MIDST] = edit(lines[MIDST])
        self.write(lines)
        errors, missing, said = self.lookups()
        self.say(name, not errors and not missing, errors, missing, said)
        got, err = self.index(0)
        self.say(name + ": an index of it", got == ALL, got, err)

    def early(self, name):
        """An offset that is too small takes its own block away only."""
        lines = list(self.idx)
        lines[MIDST] = field(2, lambda v: b"%d" % (int(v) - 7))(lines[MIDST])
        self.write(lines)
        errors, missing, said = self.lookups()
        self.say(name, errors == [MIDST] and not missing, errors, missing,
                 said)

    def order(self, name, edit, may_fail):
        lines = list(self.idx)
        edit(lines)
        self.write(lines)
        errors, missing, said = self.lookups()
        self.say(name, set(errors) <= set(may_fail) and not missing, errors,
                 missing, said)

    def gone(self, name):
        """A shard that is not there is a hole: the others are read on."""
        self.write(self.idx)
        shard = self.folder + "/cdx-00001.gz"
        lost = sum(l.split(b"\t")[1] in (b"cdx-00001.gz", b"cdx-00001")
                   for l in self.idx) * LINES
        os.rename(shard, shard + ".away")
        for what in ["lookup"], ["export", "-q", "--fields=url,error"]:
            rc, out, err = run(self.crawlfs, *what, "--cache=" + self.folder +
                               ".gone", self.at, "/")
            rows = [l for l in out.splitlines() if b'"error"' not in l]
            self.say("%s: %s" % (name, what[0]), rc == 1 and lost > 0 and
                     len(rows) == ALL - lost and "cdx-00001.gz: " in err and
                     err.count("\n") == 1, rc, len(rows), lost, err)
        os.rename(shard + ".away", shard)


def main():
    c = Check(sys.argv[1], sys.argv[2], sys.argv[3] if sys.argv[3:] else None)
    for row in CASES:
        c.case(*row)
    for row in BOUNDED:
        c.bounded(*row)
    c.early("offset too small")
    c.gone("a shard that is not there")
    c.order("two lines swapped", swapped, [BAD, BAD + 1])
    c.order("all lines in reverse", reversed_, range(BLOCKS))
    return c.failed > 0


if __name__ == "__main__":
    sys.exit(main())
