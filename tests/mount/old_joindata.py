#!/usr/bin/env python3
# old_joindata.py - makes joindata of version 2 of that of version 1.
#     old_joindata.py OLD.cfx NEW.cfx
# Version 2 may have sizes of further views in lists (crawlfs-index(5), bit 512
# of an id).  No release wrote it: each entry about which anything is noted
# gets a list, of a view that readers do not know.
# SPDX-License-Identifier: GPL-3.0-or-later
import gzip
import os
import struct
import sys

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path[:0] = [os.path.join(TESTS, "model"), os.path.join(TESTS, "fuzz")]
from make_cfx_corpus import varint                            # noqa: E402
from tree_model import xxh64                                  # noqa: E402

JOINS, FILE_BYTES, CHECKSUM, LIST, PAIR = 1576, 32, 4088, 512, 256
LISTED = b"\x80\x01" b"\xe7\x24"       # 1 << 7, and a size of 4711


def take_varint(data, at):
    end = at
    while data[end] & 0x80:
        end += 1
    return sum((c & 0x7F) << 7 * i for i, c in enumerate(data[at:end + 1])), end + 1


def blocks(index):
    at, left = struct.unpack_from("<QQ", index, JOINS + 8)
    end = at + left
    while at < end:
        n, = struct.unpack_from("<I", index, at)
        yield gzip.decompress(index[at + 12:at + 12 + n])
        at += 12 + n


def with_lists(text):
    out, at, changed = b"", 0, 0
    while at < len(text):
        head, end = take_varint(text, at)
        if head & 1:
            end += 8 * bin(head >> 1 & 15).count("1")
            for _ in range(2 if head >> 1 & PAIR else 0):
                end = take_varint(text, end)[1]
            _, begin = take_varint(text, at)
            out += varint(head | LIST << 1) + text[begin:end] + LISTED
            changed += 1
        else:
            out += text[at:end]
        at = end
    return out, changed


def main():
    index = bytearray(open(sys.argv[1], "rb").read())
    if struct.unpack_from("<I", index, JOINS) != (1,):
        sys.exit("not joindata of version 1")
    changed, tape = 0, b""
    for number, text in enumerate(blocks(bytes(index))):
        text, n = with_lists(text)
        changed += n
        member = gzip.compress(text, mtime=0)
        tape += struct.pack("<IQ", len(member), xxh64(member, 251 << 32 | number)) + member
    if changed == 0:
        sys.exit("nothing is noted in it")
    struct.pack_into("<I", index, JOINS, 2)
    struct.pack_into("<QQ", index, JOINS + 8, len(index), len(tape))
    index += tape
    struct.pack_into("<Q", index, FILE_BYTES, len(index))
    struct.pack_into("<Q", index, CHECKSUM, xxh64(bytes(index[:CHECKSUM]), 0))
    with open(sys.argv[2], "wb") as f:
        f.write(index)


if __name__ == "__main__":
    main()
