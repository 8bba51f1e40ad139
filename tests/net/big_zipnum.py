#!/usr/bin/env python3
# big_zipnum.py - a ZipNum cluster of many blocks, for what only reads the index.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     big_zipnum.py FOLDER HOSTS
#
# HOSTS hosts below com, three captures each; eight captures and some 3 KB a
# block.  The archives that it names are not there.  Prints its bytes of `com`.
"""A large ZipNum index of made-up captures."""

import os
import random
import sys
import zlib


def main():
    folder, hosts = sys.argv[1], int(sys.argv[2])
    r = random.Random(1)
    lines = [(b"com,h%07d)/p%d" % (h // 3, h % 3),
              b"http://h%07d.com/p%d?%s" % (h // 3, h % 3,
                                           r.randbytes(150).hex().encode()))
             for h in range(3 * hosts)]
    lines += [(b"net,few)/p%d" % i, b"http://few.net/p%d" % i)
              for i in range(3)]
    lines = [b'%s 20240101000000 {"url": "%s", "mime": "text/html", "status": '
             b'"200", "length": "900", "offset": "%d", "filename": "a.warc.gz"}'
             % (key, url, i * 1000) for i, (key, url) in enumerate(lines)]
    with open(os.path.join(folder, "cdx-00000.gz"), "wb") as shard, \
            open(os.path.join(folder, "cluster.idx"), "wb") as cluster:
        for i in range(0, len(lines), 8):
            z = zlib.compressobj(1, zlib.DEFLATED, 31)
            member = z.compress(b"\n".join(lines[i:i + 8]) + b"\n") + z.flush()
            cluster.write(b"%s\tcdx-00000.gz\t%d\t%d\t%d\n" % (
                b" ".join(lines[i].split(b" ", 2)[:2]), shard.tell(),
                len(member), i // 8 + 1))
            shard.write(member)
        print(shard.tell())


if __name__ == "__main__":
    main()
