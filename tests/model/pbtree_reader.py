#!/usr/bin/env python3
# pbtree_reader.py - reads a PB-tree from end to end, and checks one.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     pbtree_reader.py list FILE             key, archive, offset, length
#     pbtree_reader.py check FILE MANIFEST   the tree of a crawlfs-mkcrawl crawl
"""The trivio PB-tree, independent of the C code."""

import bisect
import os
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import record_reader                                            # noqa: E402

VALUE = struct.Struct("<QQIQI")     # segment, date, partition, offset, length


class Tree:
    def __init__(self, path):
        with open(path, "rb") as f:
            self.data = f.read()
        self.block_bytes, self.index_blocks = struct.unpack_from("<II", self.data)
        self.blocks = (len(self.data) - 8) // self.block_bytes
        if 8 + self.blocks * self.block_bytes != len(self.data):
            raise record_reader.Damaged("the size is not a number of blocks")

    def block(self, n):
        at = 8 + n * self.block_bytes
        return self.data[at:at + self.block_bytes]

    def items(self, n):
        """[(key, value)] of data block n."""
        b = self.block(n)
        out = []
        at = 0
        while at < len(b) and b[at]:
            end = b.index(b"\0", at)
            out.append((b[at:end], VALUE.unpack_from(b, end + 1)))
            at = end + 1 + VALUE.size
        return out

    def pointers(self, n):
        """(pointers, separators between them) of index block n."""
        b = self.block(n)
        ptr = [struct.unpack_from("<I", b)[0]]
        keys = []
        at = 4
        while at < len(b) and b[at]:
            end = b.index(b"\0", at)
            keys.append(b[at:end])
            ptr.append(struct.unpack_from("<I", b, end + 1)[0])
            at = end + 5
        return ptr, keys

    def all_items(self):
        for n in range(self.index_blocks, self.blocks):
            yield from self.items(n)

    def descend(self, key):
        """The data block where a scan for `key` must begin."""
        n = 0
        while n < self.index_blocks:
            ptr, keys = self.pointers(n)
            n = ptr[bisect.bisect_left(keys, key)]
        return n


def archive_of(value):
    return "segment/%d/%d_%d.arc.gz" % value[:3]


def url_key(url):
    """The published key of a URL (bytes): reversed.host/path:scheme."""
    scheme, rest = url.split(b"://", 1)
    at = min([rest.find(c) for c in (b"/", b"?", b"#") if c in rest],
             default=len(rest))
    net, path = rest[:at], rest[at:].split(b"#", 1)[0]
    if path.endswith(b"?") and path.count(b"?") == 1:
        path = path[:-1]
    piece = net.split(b":")
    key = b".".join(reversed(piece[0].split(b"."))) + path
    if len(piece) == 2:
        key += b":" + piece[1]
    return key + b":" + scheme.lower()


def check(path, manifest):
    tree = Tree(path)
    items = list(tree.all_items())
    captures = [c for c in record_reader.read_manifest(manifest)
                if c.kind == "arc"]
    want = sorted((url_key(c.url), c.number, c) for c in captures)
    faults = 0
    if len(items) != len(want):
        faults += 1
        print("%d items, not %d" % (len(items), len(want)))
    for (key, value), (wanted, _, cap) in zip(items, want):
        place = ("parse-output/" + archive_of(value), value[3], value[4])
        if key != wanted or place != (cap.archive, cap.offset, cap.length):
            faults += 1
            print("%r %r, not %r %r" % (key, place, wanted,
                                        (cap.archive, cap.offset, cap.length)))
    for n in range(tree.index_blocks, tree.blocks):
        for key, _ in tree.items(n):
            at = tree.descend(key)
            if not (at <= n and tree.items(at)[0][0] <= key or
                    at == tree.index_blocks):
                faults += 1
                print("%r is in block %d, the descent gives %d" % (key, n, at))
    print("%d keys, %d index blocks, %d data blocks, %d faults"
          % (len(items), tree.index_blocks, tree.blocks - tree.index_blocks,
             faults))
    return 1 if faults or not items else 0


def main(argv):
    if len(argv) == 3 and argv[1] == "list":
        for key, value in Tree(argv[2]).all_items():
            print("%s\t%s\t%d\t%d" % (os.fsdecode(key), archive_of(value),
                                      value[3], value[4]))
        return 0
    if len(argv) == 4 and argv[1] == "check":
        return check(argv[2], argv[3])
    print("usage: pbtree_reader.py list FILE | check FILE MANIFEST",
          file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv))
