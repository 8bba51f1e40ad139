#!/usr/bin/env python3
# damage.py - makes damaged copies of files, the same for the same seed.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     damage.py flip SEED COUNT IN OUT     COUNT random bits turned
#     damage.py bytes SEED COUNT IN OUT    COUNT random bytes replaced, some by
#                                          0, 255 or their neighbours
#     damage.py head SEED COUNT IN OUT     the same within the first 4 KiB
#     damage.py words SEED COUNT IN OUT    COUNT aligned 32-bit words replaced
#                                          by small, huge or other words' values
#     damage.py cut AT IN OUT              the first AT bytes
#     damage.py at OFFSET LENGTH IN OUT    these bytes inverted
import random
import struct
import sys


def flip(r, data, count, limit):
    for _ in range(count):
        data[r.randrange(limit)] ^= 1 << r.randrange(8)


def put_bytes(r, data, count, limit):
    for _ in range(count):
        at = r.randrange(limit)
        data[at] = r.choice([0, 255, data[max(0, at - 1)], r.randrange(256)])


def words(r, data, count, limit):
    for _ in range(count):
        at = r.randrange(limit // 4) * 4
        other = r.randrange(limit // 4) * 4
        value = r.choice([0, 1, 2, 0xffffffff, 0x7fffffff, len(data),
                          r.getrandbits(32),
                          struct.unpack_from("<I", data, other)[0]])
        struct.pack_into("<I", data, at, value & 0xffffffff)


def main(argv):
    kind, args, source, target = argv[1], argv[2:-2], argv[-2], argv[-1]
    with open(source, "rb") as f:
        data = bytearray(f.read())
    n = [int(a) for a in args]
    if kind == "cut":
        del data[n[0]:]
    elif kind == "at":
        for at in range(n[0], n[0] + n[1]):
            data[at] ^= 255
    else:
        limit = min(len(data), 4096 if kind == "head" else len(data))
        act = {"flip": flip, "bytes": put_bytes, "head": put_bytes,
               "words": words}[kind]
        act(random.Random(n[0]), data, n[1], limit)
    with open(target, "wb") as f:
        f.write(data)


main(sys.argv)
