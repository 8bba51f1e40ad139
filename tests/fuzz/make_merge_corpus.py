#!/usr/bin/env python3
"""Writes the corpora of fuzz_merge, fuzz_part and fuzz_joindata.

    make_merge_corpus.py FOLDER-OF-PROGRAMS tests/fuzz/corpus

Small crawls are made (tests/side_crawl.py, crawlfs-mkcrawl), and indexes and
parts of them by crawlfs; what is wrong with the others is put into these.  In
an input a header is without the bytes that are zero in most (cfx_mend.h), and
gzip members hold their bytes as they are, for a fuzzer to change.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import gzip
import os
import shutil
import struct
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..')]
sys.dont_write_bytecode = True
import make_cfx_corpus as made                                # noqa: E402
import pbtree_ref                                             # noqa: E402

TWICE, NO_JOINS, LINES, PICK, UPDATE, VIEWS = 1, 2, 4, 8, 16, 32
TWO, INDEX, TREE, TREE_LINES = 1, 4, 8, 16
TMP = '/tmp/crawlfs-corpus'
MAX = 2**64 - 1
varint = made.varint


def plain(text):
    """A gzip member whose lengths and sum the target fills in."""
    return bytes(9) + b'S' + bytes(5) + text + bytes(8)


def u64(b, at):
    return struct.unpack_from('<Q', b, at)[0]


def put(b, at, *values):
    out = bytearray(b)
    struct.pack_into('<%dQ' % len(values), out, at, *values)
    return bytes(out)


def pack(whole):
    return whole[:560] + whole[1576:1656] + whole[4024:4088] + whole[4096:]


def list_text(whole, which):
    at, n = struct.unpack_from('<QQ', whole, 1584 + 16 * which)
    text = []
    end = at + n
    while at < end:
        n, = struct.unpack_from('<I', whole, at)
        text.append(gzip.decompress(whole[at + 12:at + 12 + n]))
        at += 12 + n
    return text


def rows(blocks):
    return b''.join(struct.pack('<IQ', len(plain(b)), 0) + plain(b)
                    for b in blocks)


def with_lists(whole, lists):
    """An index with these in place of its own."""
    places = [u64(whole, 1584 + 16 * i) for i in range(3)]
    if u64(whole, 1632):                          # damage is behind them
        places = [len(whole)]
    out = whole[:min(p for p in places if p)] if any(places) else whole
    row = [u64(whole, 1576) or 3]
    for t in lists:
        row += [len(out), len(t)]
        out += t
    return put(out, 1576, *row)


def plain_lists(whole):
    return with_lists(whole, [rows(list_text(whole, i)) for i in range(3)])


def run(*args):
    subprocess.run(args, check=True, stdout=subprocess.DEVNULL)


def read(path):
    with open(path, 'rb') as f:
        return f.read()


def crawls(programs):
    """{name: index}, {name: part}"""
    crawlfs = os.path.join(programs, 'crawlfs')
    shutil.rmtree(TMP, ignore_errors=True)
    os.makedirs(TMP)
    for year in ('2012', '2024'):
        run(sys.executable, os.path.join(HERE, '..', 'side_crawl.py'), year,
            os.path.join(TMP, year))
    run(os.path.join(programs, 'crawlfs-mkcrawl'), '--records', '12',
        '--page-bytes', '200', '--archive-bytes', '4000',
        os.path.join(TMP, 'made'))
    indexes, parts = {}, {}
    for name in ('2012', '2024', 'made'):
        folder = os.path.join(TMP, name)
        for root, _, files in os.walk(folder):
            for f in files:
                os.utime(os.path.join(root, f), (1700000000, 1700000000))
        out = os.path.join(folder, 'x.cfx')
        run(crawlfs, 'index', '-q', '--threads=1', '-o', out, folder)
        indexes[name] = read(out)
        os.remove(out)
        run(crawlfs, 'index', '-q', '--threads=1', '--part=1/1', '--base=/', '-o',
            os.path.join(folder, 'parts'), folder)
        parts[name] = read(os.path.join(folder, 'parts',
                                        'part-00001-of-00001.cfx'))
    shutil.rmtree(TMP)
    return indexes, parts


def merge_inputs(indexes):
    for name, whole in indexes.items():
        yield name, 0, plain_lists(whole)
        yield name + '-twice', TWICE, plain_lists(whole)
        yield name + '-without-joins', NO_JOINS, plain_lists(whole)
        yield name + '-lines', LINES, plain_lists(whole)
        yield name + '-views', VIEWS, plain_lists(
            whole[:496] + b'\7\0\0\0' + whole[500:])
    small = plain_lists(indexes['2024'])
    yield 'picked', PICK, small
    yield 'updated', UPDATE, small
    for name, whole in [*made.formats(), *made.files()]:
        if name in ('good.cfx', 'empty.cfx', 'values.cfx', 'sides.cfx',
                    'notes.cfx', 'related.cfx', 'refs.cfx', 'damage.cfx',
                    'child-far.cfx', 'separator-lies.cfx'):
            yield 'bare-' + name[:-4], 0, put(whole, 1576, 0)
    ids, sides, archives = (list_text(indexes['2024'], i)
                            for i in range(3))
    wrong = {
        'ids-too-few': ([varint(2)], sides, archives),
        'ids-none': ([], sides, archives),
        'ids-count-huge': ([varint(MAX - 1)], sides, archives),
        'ids-all-bits': ([varint(2 * 511 + 1) + varint(9) +
                          (bytes(19) + varint(7) * 2) * 9], sides, archives),
        'ids-unknown-bits': ([varint(2 * 512 + 1)], sides, archives),
        'sides-twice': (ids, sides * 2, archives),
        'sides-first-shares': (ids, [varint(1) + s[1:] for s in sides],
                               archives),
        'sides-cut': (ids, [s[:-3] for s in sides], archives),
        'sides-length-huge': (ids, [varint(0) + varint(MAX)], archives),
        'sides-of-empty-keys': (ids, [varint(0) * 3], archives),
        'archives-too-few': (ids, sides, []),
        'archives-cut': (ids, sides, [a[:-1] for a in archives]),
    }
    for name, lists in wrong.items():
        yield name, 0, with_lists(small, [rows(t) for t in lists])
    at = {'joindata-past-end': (1584, len(small)), 'joindata-huge': (1592, MAX),
          'captures-none': (40, 0), 'captures-huge': (40, MAX),
          'archives-none': (80 + 32 + 24, 0),
          'archives-huge': (80 + 32 + 24, MAX), 'leaf-far': (240, MAX),
          'leaves-huge': (248, 2**32 - 1)}
    for name, (off, value) in at.items():
        yield name, 0, put(small, off, value)


def with_about(part, change):
    """A part that says something else of itself, behind the rows."""
    ids, sides, archives = (list_text(part, i) for i in range(3))
    at = archives[-1].rindex(b'\1\0\x08')    # below, and flags
    about = change(archives[-1][at:])
    return with_lists(part, [rows(t) for t in
                             (ids, sides, [*archives[:-1],
                                           archives[-1][:at] + about])])


def part_inputs(parts):
    for name, whole in parts.items():
        part = plain_lists(whole)
        yield name, 0, part
        yield name + '-two', TWO, part
        yield name + '-without-joins', NO_JOINS, part
        yield name + '-as-index', INDEX, whole
    whole = parts['2024']
    part = plain_lists(whole)
    yield 'no-joindata', 0, put(part, 1576, 0)
    yield 'earlier', 0, put(part, 4040, 4096)
    yield 'captures-huge', 0, put(part, 40, MAX)
    yield 'leaf-zeros', 0, part[:4112] + bytes(64) + part[4176:]
    at, n = struct.unpack_from('<QQ', part, 1584)
    yield 'ids-none', 0, put(part, 1584, at, 0)
    yield 'sides-as-ids', 0, put(part, 1584, *struct.unpack_from('<QQ', part,
                                                                1600))
    yield 'about-none', 0, with_about(whole, lambda t: b'')
    yield 'about-cut', 0, with_about(whole, lambda t: t[:len(t) // 2])
    yield 'counts-huge', 0, with_about(whole, lambda t: t[:-4] + varint(MAX) * 4)
    yield 'below-huge', 0, with_about(whole, lambda t: varint(MAX) + t[1:])
    yield 'below-empty', 0, with_about(whole, lambda t: varint(0) + t[2:])
    yield 'below-without-end', 0, with_about(
        whole, lambda t: varint(1) + b'/' + t[2:])
    yield 'elsewhere', 0, with_about(
        whole, lambda t: made.counted(b'/no/where\0') + varint(16) + t[3:])
    yield 'climbs', 0, part.replace(b'warc/', b'../x/')
    keys = [b'com.example%d/a:http' % i for i in range(9)]
    tree = pbtree_ref.build([(k, struct.pack('<QQIQI', 1, 1346958145255, i,
                                             i * 100, 99))
                             for i, k in enumerate(keys)], 256)
    yield 'tree', TREE, tree
    yield 'tree-lines', TREE | TREE_LINES, tree
    yield 'tree-cut', TREE | TREE_LINES, tree[:-9]


def joindata_inputs(indexes):
    def item(ids, sides, archives):
        return (struct.pack('<HH', len(ids), len(sides)) + ids + sides +
                archives)

    for name, whole in indexes.items():
        yield name, item(*(rows(list_text(whole, i)) for i in range(3)))
    archives = rows([varint(5) + bytes(4)] * 3)
    ids = rows([varint(2 * 4)])
    key = b'org\0a\0_\0b'
    side = (bytes(8) + struct.pack('>IQ', 0, 300) + varint(16 | 2) +
            b'\4\1' + varint(200) + varint(90) + varint(40) + varint(0) * 2 +
            b'\0\0' + bytes(8) + b'\1' + bytes(8) + struct.pack('>IQ', 1, 100))
    one = varint(0) + made.counted(key) + made.counted(side)
    again = varint(len(key)) + made.counted(b'c') + made.counted(side)
    yield 'plain', item(ids, b'', archives)
    yield 'sides', item(ids, rows([one + again]), archives)
    yield 'sides-in-blocks', item(ids, rows([one, one]), archives)
    yield 'sides-not-in-order', item(ids, rows([one + again, one]), archives)
    yield 'sides-shared', item(ids, rows([one, again]), archives)
    yield 'sides-of-past-archive', item(ids, rows([one.replace(
        struct.pack('>IQ', 0, 300), struct.pack('>IQ', 9, 300))]), archives)
    yield 'sides-cut', item(ids, rows([one[:-9]]), archives)
    yield 'key-too-long', item(ids, rows([varint(0) + made.counted(
        b'k' * 2100) + made.counted(side)]), archives)
    run = b''.join(varint(2 * bits + 1) + varint(n) +
                   (bytes(range(1, 1 + sum(
                       w for b, w in ((1, 5), (2, 4), (4, 5), (8, 5))
                       if bits & b))) + (varint(9) * 2 if bits & 256 else b'')
                    ) * n for bits, n in ((3, 2), (15, 1), (256 | 32, 1)))
    yield 'runs', item(rows([run]), b'', archives)
    yield 'run-too-long', item(rows([run + varint(7) + varint(MAX)]), b'',
                               archives)
    yield 'run-of-none', item(rows([varint(7) + varint(0) + run]), b'',
                              archives)
    yield 'run-cut', item(rows([run[:-1]]), b'', archives)
    yield 'run-without-data', item(rows([varint(2 * 16 + 1) + varint(MAX)]),
                                   b'', archives)
    yield 'ids-in-blocks', item(rows([varint(2)] * 4), b'', archives)
    yield 'ids-zero', item(rows([varint(0)]), b'', archives)
    yield 'ids-huge', item(rows([varint(MAX - 1)]), b'', archives)
    yield 'block-empty', item(rows([b'']), b'', archives)
    yield 'block-cut', item(ids[:-1], b'', archives)
    yield 'block-past-list', item(struct.pack('<I', 60000) + ids[4:], b'',
                                  archives)
    yield 'block-huge', item(b'\xff' * 4 + ids[4:], b'', archives)
    yield 'archives-too-few', item(ids, b'', rows([varint(5) + bytes(4)]))
    yield 'archives-huge', item(ids, b'', rows([varint(MAX) * 5] * 3))
    yield 'bomb', item(ids, bomb(), archives)


def bomb():
    """A block of 65,537 bytes: one too many, in few."""
    member = gzip.compress(bytes(65537), mtime=0)
    return struct.pack('<IQ', len(member), 0) + member


def main(programs, folder):
    indexes, parts = crawls(programs)
    for target, items in (
            ('merge', ((n, bytes([f]) + pack(w))
                       for n, f, w in merge_inputs(indexes))),
            ('part', ((n, bytes([f]) + (w if f & TREE else pack(w)))
                      for n, f, w in part_inputs(parts))),
            ('joindata', joindata_inputs(indexes))):
        os.makedirs(os.path.join(folder, target), exist_ok=True)
        for name, content in items:
            with open(os.path.join(folder, target, name), 'wb') as f:
                f.write(content)


if __name__ == '__main__':
    main(*sys.argv[1:])
