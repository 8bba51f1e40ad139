#!/usr/bin/env python3
"""Writes the corpus of fuzz_pbtree, each file named for what is in it or what
is wrong with it.

    make_pbtree_corpus.py tests/fuzz/corpus/pbtree

SPDX-License-Identifier: GPL-3.0-or-later
"""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..'))
sys.dont_write_bytecode = True
import pbtree_ref                                             # noqa: E402


def put(tree, at, *values):
    out = bytearray(tree)
    for value in values:
        struct.pack_into('<I', out, at, value)
        at += 4
    return bytes(out)


def main(folder):
    hosts = [b'com.example', b'com.example-x', b'com.example.www', b'org.a',
             b'.org.a', b'', b'1.0.0.127']
    paths = [b'', b'/', b'//', b'/a', b'/a/', b'/a/b', b'/.', b'/../%2E',
             b'?q', b'/?q=a/b', b':b']
    ends = [b':http', b':80:http', b':p@h:http', b':https', b':gopher']
    keys = sorted(h + p + e for h in hosts for p in paths for e in ends)
    items = [(k, struct.pack('<QQIQI', 1, 1346958145255, i, i * 100, 99))
             for i, k in enumerate(keys)]
    short = [(bytes([97 + i // 5, 97 + i % 5]), b'vv') for i in range(40)]

    tree = pbtree_ref.build(items[:36], 256)
    tiny = pbtree_ref.build(short, 20)
    index, = struct.unpack_from('<I', tree, 4)
    data = 8 + index * 256
    swapped = (tree[:data] + tree[data + 256:data + 512] +
               tree[data:data + 256] + tree[data + 512:])
    files = {
        'good.tree': tree,
        'good-tiny-blocks.tree': tiny,
        'empty.tree': pbtree_ref.build([], 64),
        'cut-in-header.tree': tree[:5],
        'cut-in-index.tree': tree[:300],
        'cut-in-data.tree': tree[:-10],
        'cut-at-block.tree': tree[:-256],
        'root-points-to-itself.tree': put(tree, 8, 0),
        'root-points-past-end.tree': put(tree, 8, 0xffffffff),
        'index-without-ends.tree': tree[:8] + b'\xff' * (index * 256) +
        tree[data:],
        'index-of-zeros.tree': tree[:8] + bytes(index * 256) + tree[data:],
        'more-index-than-blocks.tree': put(tree, 4, 0x7fffffff),
        'no-index.tree': put(tree, 4, 0),
        'block-size-zero.tree': put(tree, 0, 0),
        'block-size-huge.tree': put(tree, 0, 0xffffffff),
        'data-counted-as-index.tree': put(tree, 4, index + 2),
        'index-counted-as-data.tree': put(tree, 4, 1),
        'blocks-swapped.tree': swapped,
        'first-block-empty.tree': tree[:data] + bytes(256) +
        tree[data + 256:],
        'key-without-end.tree': tree[:-256] + b'k' * 256,
        'value-cut-off.tree': tree[:-40] + b'zz:http'.ljust(40, b'z'),
        'user-info.key': b'04lazi/m/i.html:l@b.com:http',
        'port.key': b'1.119.162.147/r/index.do:8081:http',
        'dots.key': b'h/./../%2E/%2E%2E:http',
        'too-many-dots.key': b'h/./../%2E/%2E%2E/.:http',
        'nul.key': b'com.\0/b:http',
        'no-path.key': b'com.h?a/b:http',
        'deep.key': b'h' + b'/' * 1100 + b':http',
        'labels.key': b'.' * 1021 + b':http',
        'plain.url': b'http://www.example.com:81/a/../b?q#f',
        'user-info.url': b'http://user:pw@example.com/a',
        'three-pieces.url': b'http://u:p@h:80/a',
        'empty-query.url': b'http://?:8',
        'ipv6.url': b'http://[::1]:80/',
    }
    os.makedirs(folder, exist_ok=True)
    for name, content in files.items():
        with open(os.path.join(folder, name), 'wb') as f:
            f.write(content)


if __name__ == '__main__':
    main(sys.argv[1])
