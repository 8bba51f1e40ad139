#!/usr/bin/env python3
"""A second, plain implementation of the PB-tree file (doc/formats.md,
"PB-tree"), to hold the one in C against.  It builds whole lists in memory,
where the C writer streams, so that the two share no way of going wrong.

    pbtree_ref.py build BLOCK VALUE ITEMS TREE    items -> tree
    pbtree_ref.py items BLOCK VALUE FILE... OUT   data blocks -> items
    pbtree_ref.py dump BLOCK VALUE TREE OUT       tree -> items, in order

ITEMS and OUT: for each item u32 LE key length, key, VALUE bytes of value.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import struct
import sys


def read_items(path, value):
    with open(path, 'rb') as f:
        raw = f.read()
    items, at = [], 0
    while at < len(raw):
        n, = struct.unpack_from('<I', raw, at)
        at += 4
        items.append((raw[at:at + n], raw[at + n:at + n + value]))
        at += n + value
    return items


def write_items(path, items):
    with open(path, 'wb') as f:
        for key, val in items:
            f.write(struct.pack('<I', len(key)) + key + val)


def separator(before, key):
    same = 0
    while same < min(len(before), len(key)) and before[same] == key[same]:
        same += 1
    return key[:same + 1]


def data_blocks(items, size):
    """The data blocks, and the separator before each but the first."""
    blocks, seps, now, last = [], [], b'', b''
    for key, val in items:
        item = key + b'\0' + val
        if len(item) > size:
            raise ValueError('an item does not fit a block')
        if len(now) + len(item) > size:
            blocks.append(now.ljust(size, b'\0'))
            seps.append(separator(last, key))
            now = b''
        now += item
        last = key
    if now:
        blocks.append(now.ljust(size, b'\0'))
    return blocks, seps


def one_level(seps, size):
    """Blocks as lists of (pointer, separator or None), and what the level
    above gets."""
    blocks, above, room = [[(0, None)]], [], size - 4
    for i, sep in enumerate(seps):
        need = len(sep) + 5
        if need > size - 4:
            raise ValueError('a separator does not fit a block')
        if need > room:
            blocks.append([(i, None)])
            above.append(sep)
            room = size - 4
        blocks[-1].append((i + 1, sep))
        room -= need
    return blocks, above


def build(items, size):
    data, seps = data_blocks(items, size)
    levels = []
    while True:
        blocks, above = one_level(seps, size)
        levels.insert(0, blocks)
        if not above:
            break
        seps = above
    out, base = [], 0
    for blocks in levels:
        base += len(blocks)
        for entries in blocks:
            raw = b''
            for pointer, sep in entries:
                if sep is not None:
                    raw += sep + b'\0'
                raw += struct.pack('<I', pointer + base)
            out.append(raw.ljust(size, b'\0'))
    head = struct.pack('<II', size, base)
    return head + b''.join(out) + b''.join(data)


def block_items(block, value):
    items, at = [], 0
    while at < len(block) and block[at]:
        end = block.index(b'\0', at)
        items.append((block[at:end], block[end + 1:end + 1 + value]))
        at = end + 1 + value
    return items


def file_items(paths, size, value, skip):
    items = []
    for path in paths:
        with open(path, 'rb') as f:
            raw = f.read()
        start = 0
        if skip:
            size, index = struct.unpack_from('<II', raw)
            start = 8 + index * size
        for at in range(start, len(raw), size):
            items += block_items(raw[at:at + size], value)
    return items


def main(argv):
    verb, size, value = argv[1], int(argv[2]), int(argv[3])
    if verb == 'build':
        with open(argv[5], 'wb') as f:
            f.write(build(read_items(argv[4], value), size))
    elif verb in ('items', 'dump'):
        write_items(argv[-1], file_items(argv[4:-1], size, value,
                                         verb == 'dump'))
    else:
        raise SystemExit('usage: see the top of pbtree_ref.py')


if __name__ == '__main__':
    main(sys.argv)
