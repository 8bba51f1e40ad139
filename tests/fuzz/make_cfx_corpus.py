#!/usr/bin/env python3
# Writes the corpus of fuzz_cfx and fuzz_urlkey into the folder given (default:
# corpus beside this file).  The crawlfs indexes are put together here byte by
# byte from crawlfs-index(5), without crawlfs.  Checksums are left 0: the fuzz
# target makes them good.  A file is cut after its last byte that is not zero.
#
# SPDX-License-Identifier: GPL-3.0-or-later
import gzip
import os
import struct
import sys


def varint(n):
    out = b""
    while n >= 0x80:
        out += bytes([n & 0x7F | 0x80])
        n >>= 7
    return out + bytes([n])


def escaped(text):
    return b"".join(b"\xff" + bytes([c]) for c in text)


def counted(b):
    return varint(len(b)) + b


def block(level, entries, interval=2, first_child=0, restarts=None, pad=0):
    body, offs = b"", []
    for i, e in enumerate(entries):
        if i % interval == 0:
            offs.append(16 + len(body))
        body += e
    if restarts is not None:
        offs = restarts
    head = bytes(8) + struct.pack("<BBHI", level, 0, len(entries), first_child)
    tail = b"" if level == 255 else b"".join(struct.pack("<H", o) for o in offs)
    return head + body + bytes(pad) + tail


MIMES = [b"text/html", b""]


def cfx(levels, refs=None, heads=None, classes=None, archives=None, mimes=MIMES, symbols=(),
        interval=2, widths=(1, 24), patch=None, notes=None, damage=None):
    """levels: for each a list of blocks; all but the last of a level 65,536 bytes."""
    heads, classes, archives = HEADS if heads is None else heads, classes or CLASSES, archives or ARCHIVES
    body, rows = b"", []

    def put(blocks):
        nonlocal body
        off = 4096 + len(body)
        body += b"".join(blocks)
        return struct.pack("<QII", off, len(blocks), len(blocks[-1]))

    for blocks in levels:
        rows.append(put(blocks))
    ref_row = put(refs) if refs else bytes(16)
    tables = [struct.pack("<H", len(symbols)) + b"".join(bytes([len(s)]) + s for s in symbols),
              b"".join(struct.pack("<QqqI", size, mtime, start, slope) + name + b"\0"
                       for name, size, mtime, start, slope in archives),
              b"".join(bytes([len(m)]) + m for m in mimes),
              struct.pack("<I", len(heads)) + b"".join(heads) + b"".join(class_row(*c) for c in classes)]
    counts = [len(symbols), len(archives), len(mimes), len(classes)]
    sections = b""
    for t, n in zip(tables, counts):
        sections += struct.pack("<QQQQ", 4096 + len(body), len(t), 0, n)
        body += t
    head = bytearray(4096)
    if notes is not None:
        places = []
        for text in notes:
            places.append(4096 + len(body))
            body += bytes(8) + gzip.compress(text, mtime=0)
        places.append(4096 + len(body))
        struct.pack_into("<QQH", head, 528, places[-1], len(notes), 14)
        head[546:560] = b"http://a.org/x"
        body += b"".join(struct.pack("<Q", p) for p in places)
    if damage is not None:
        struct.pack_into("<QQ", head, 1632, 4096 + len(body), len(damage))
        body += damage
    head[8] = 4
    head[20:24] = bytes([1, interval, *widths])
    struct.pack_into("<I", head, 28, len(levels))
    struct.pack_into("<Q", head, 40, 1 if levels else 0)
    head[80:208] = sections
    head[208:224] = ref_row
    for i, r in enumerate(rows):
        head[240 + 16 * i:256 + 16 * i] = r
    for off, b in (patch or {}).items():
        head[off:off + len(b)] = b
    return bytes(head) + body


WIDEST = 15


def bits(*numbers):
    """Pairs of number and width, from the lowest bit on."""
    v = at = 0
    for n, width in numbers:
        v |= (n & (1 << width) - 1) << at
        at += width
    return v.to_bytes((at + 7) // 8, "little")


def head(kind=1, scheme=1, status=200, mime=0, flags=192, high=0):
    return struct.pack("<BBHHBB", kind, scheme, status, mime, flags, high)


def class_row(head, *units):
    """units: of time, length, body, text, metadata, request"""
    return varint(head) + bytes(units[i] | units[i + 1] << 4 for i in (0, 2, 4))


UNITS = (5, 6, 7, 6, 7, 0)
HEADS = [head(), head(status=404, flags=192 | 2 << 3, high=1), head(flags=128 | 1 | 2),
          head(kind=3, flags=4), head(kind=0, scheme=3, mime=1)]
CLASSES = [(0, *UNITS), (1, 2, 6, 7, 6, 7, 4), (2, 5, 6, 7, 0, 0, 0), (3, 1, 6, 0, 0, 0, 0),
            (4,) + (WIDEST,) * 6]
ARCHIVES = [(b"a.warc.gz", 1000, 1, 1000000, 1 << 21), (b"sub/b.arc.gz", 2000, 2, -5, 0)]


def value(cls=0, archive=0, offset=77, numbers=(18, 0x210, 0x3040, 0x405, 0x506, 0), rest=b"", classes=CLASSES):
    widths = [64 if u == WIDEST else 2 * u for u in classes[cls][1:]]
    return varint(cls) + bits((archive, 1), (offset, 24), *zip(numbers, widths)) + rest


def leaf_entry(shared, codes, value, before=None):
    """before: what the entry before shares; None: all is written out that can be."""
    step = 7 if before is None else shared - before + 3
    step, more = (step, b"") if 0 <= step < 7 else (7, varint(shared))
    n = min(len(codes), 31)
    return bytes([step << 5 | n]) + more + (varint(len(codes) - 31) if n == 31 else b"") + codes + value


def formats():
    """What is right and wrong in lengths, restarts, URLs and tables."""
    ok = plain()
    good = block(0, ok)
    yield "good.cfx", cfx([[good]], patch={496: b"\7"})
    url = lambda before, after, middle: counted(varint(before) + varint(after) + escaped(middle))
    yield "values.cfx", cfx([[block(0, plain([
        value(1, numbers=(3, 1, 2, 3, 4, 200)), value(2, 1, rest=varint(5) + varint(70000) + url(8, 2, b":80")),
        value(2, rest=varint(0) + varint(1) + url(0, 0, b"gopher://x")),
        value(3, rest=counted(varint(1) + counted(b"a/b") + varint(2) + counted(varint(404)) +
                              varint(99) + counted(b"later"))),
        value(4, 1, 2**24 - 1, (2**64 - 1, 7, 2**63, 1, 2**40, 0))]))]], patch={496: b"\7"})
    wrong = {"prefix": url(900, 0, b"x"), "suffix": url(4, 900, b""), "both": url(9, 9, b""),
             "huge": url(2**64 - 1, 2**64 - 1, b""), "cut": counted(b"\1"), "long": url(9, 1, b"u" * 8190)}
    for name, rest in wrong.items():
        yield "url-%s.cfx" % name, cfx([[block(0, plain([value(2, rest=varint(0) * 2 + rest), *[value()] * 4]))]])
    # restarts that share: all of the key before, too much, what is not there
    for name, shares in (("share", 128), ("share-too-much", 129), ("share-nothing", 1)):
        first = b"" if shares == 1 else b"x" * 140
        yield "restarts-%s.cfx" % name, cfx([[block(0, [
            leaf_entry(0, escaped(first), value()), leaf_entry(len(first), escaped(b"b"), value()),
            leaf_entry(shares, escaped(b"y"), value()), leaf_entry(shares, escaped(b"z"), value()),
            leaf_entry(2 if shares > 1 else 0, escaped(b"z"), value())])]])
    grow = [leaf_entry(min(i, 1) * 128, b"", value()) for i in range(3000)]
    grow[0] = leaf_entry(0, escaped(b"k" * 128), value())
    yield "restarts-grow.cfx", cfx([[block(0, grow, interval=1)]], interval=1)
    first = leaf_entry(0, escaped(b"x" * 140), value(), 0)
    junk = {"shared-huge": [first, b"\xe1" + varint(2**32 - 1) + b"x"], "shared-less-than-none": [b"\x01x", first],
            "rest-huge": [first, b"\x1f" + varint(2**32 - 1) + b"x"], "cut": [first, b"\xff"],
            "shared-grows": [first, leaf_entry(12351, b"", value()), leaf_entry(12354, b"", value(), 12351)]}
    for name, entries in junk.items():
        yield "lengths-%s.cfx" % name, cfx([[block(0, entries, interval=9)]], interval=9)
    two = block(1, [leaf_entry(0, b"", b"", 0), leaf_entry(0, b"d" * 40, b"", 0)])
    yield "upper.cfx", cfx([[block(0, ok, pad=65536 - len(good)), good], [two]])
    yield "refs.cfx", cfx([[good]], refs=[block(255, [struct.pack("<IH", i * 2**28, i) for i in range(9)])])
    yield "refs-cut.cfx", cfx([[good]], refs=[block(255, [struct.pack("<IH", 5, 1)] * 3)[:-1]])
    yield "no-heads.cfx", cfx([[good]], heads=[])
    yield "head-past-table.cfx", cfx([[good]], classes=CLASSES + [(9, *UNITS)])
    yield "adjacency.cfx", cfx([[good]], heads=HEADS + [head(flags=7 << 3)])
    yield "no-classes.cfx", cfx([[good]], classes=[CLASSES[0]])
    yield "widths.cfx", cfx([[good]], widths=(33, 24))
    yield "widest.cfx", cfx([[good]], widths=(32, 64))
    yield "steep.cfx", cfx([[good]], archives=[(b"a", 1, 1, 2**63 - 1, 2**32 - 1)] * 2)


def key(text):
    return text.replace(b"|", b"\0")


def plain(values=None):
    """Five entries in groups of two, the first of which shares bytes with that before."""
    v = values or [value()] * 5
    full = [key(b"com|x|_|"), key(b"com|x|_|a"), key(b"com|x|_|a"), key(b"com|x|_|a|b"), key(b"org|_|")]
    out, s = [], 0
    for i, k in enumerate(full):
        before = full[i - 2 if i % 2 == 0 else i - 1] if i > 0 else b""
        s, last = len(os.path.commonprefix([k, before])), s if i % 2 else 0
        out.append(leaf_entry(s, escaped(k[s:]), v[i], last))
    return out


def upper(seps, **kw):
    return block(1, [leaf_entry(0, s, b"", 0) for s in seps], **kw)


def files():
    ok = block(0, plain())
    yield "empty.cfx", cfx([])
    side = b"".join(varint(v) for v in (1, 1, 1 << 40, 70000, 3, 0, 5000))
    far = b"".join(varint(v) for v in (2, 9, 1, 2, 3, 4, 5))
    sizes = varint(3) + varint(300) + varint(0)
    yield "sides.cfx", cfx([[block(0, plain([
        value(3, rest=counted(varint(3) + counted(side) + varint(4) + counted(side))),
        value(3, rest=counted(varint(8) + counted(sizes))),
        value(3, rest=counted(varint(3) + counted(far))),
        value(3, rest=counted(varint(4) + counted(side[:3]))),
        value(3, rest=counted(varint(3) + counted(varint(77) + side[1:])))]))]],
        patch={496: b"\x07\0\0\0"})
    extra = lambda tag, what: value(3, rest=counted(varint(tag) + counted(what)))
    views = lambda known, *v: extra(8, b"".join(varint(n) for n in (known, *v)))
    # similarity hashes: with sizes, alone, of unknown slots, cut off; digests
    yield "simhash.cfx", cfx([[block(0, plain([
        views(31, 1, 2, 3, 4, 2**64 - 1), views(16, 1 << 63), views(2**31 - 1, *[9] * 31), views(16),
        extra(8, varint(16) + b"\xff" * 10)]))]], patch={496: b"\x07\0\0\0"})
    yield "digests.cfx", cfx([[block(0, plain([
        extra(10, b"\1" + bytes(range(20))), extra(10, b"\0sha1:A"), extra(10, b"\1" + bytes(19)),
        extra(10, b"\0" + b"d" * 161), extra(10, b"\2x")]))]])
    at = lambda *v: value(3, rest=counted(varint(6) + counted(b"".join(varint(n) for n in v))))
    yield "notes.cfx", cfx([[block(0, plain([at(0, 0, 7), at(0, 7, 9), at(1, 0, 2), at(0, 9, 90), at(9, 0, 1)]))]],
                           notes=[b'{"a":1}{"b":[2]}', b"{}"])
    around, behind = (head(flags=lies << 3 | 4) for lies in (2, 5))
    related = lambda cls, n, *lists: value(cls, numbers=(1, 2, 0, 0, 0, n), classes=beside, rest=counted(b"".join(
        varint(7) + counted(b"".join(varint(v) for v in l)) for l in lists)))
    beside = CLASSES + [(5, 1, 6, 0, 0, 0, 9), (6, 1, 6, 0, 0, 0, 9)]
    yield "related.cfx", cfx([[block(0, plain([
        related(5, 40), related(6, 300, [1 << 4 | 7, 1, 2, 3, 4, 5, 6]),
        related(5, 2**18 - 1, [300 << 4, 40 << 4 | 3]), related(6, 0, [5 << 4 | 15, 9, 9]),
        related(6, 1, [2**60 << 4 | 1, 2**60 << 4 | 1])]))]], heads=HEADS + [around, behind], classes=beside)
    yield "symbols.cfx", cfx([[block(0, [leaf_entry(0, b"\x00\x01\x02", value()),
                                         leaf_entry(8, b"\x03\xfe\x00", value())])]],
                             symbols=[b"com\0", b"x\0_", b"\0a", b"/"] + [b"%c%c" % (i, i) for i in range(256)])
    leaf = block(0, plain())
    yield "root-above-one-leaf.cfx", cfx([[leaf], [upper([b""])]])
    yield "child-far.cfx", cfx([[leaf], [upper([b"", b"m"], first_child=9)]])
    yield "separator-lies.cfx", cfx([[leaf], [upper([b"zz"])]])
    yield "class-past-table.cfx", cfx([[block(0, plain([b"\xc8\1" + value()[1:]] * 5))]])
    yield "archive-past-table.cfx", cfx([[block(0, plain([value(0, 1)] * 5))]], archives=ARCHIVES[:1])
    yield "shared-too-long.cfx", cfx([[block(0, [leaf_entry(0, escaped(b"ab"), value()),
                                                 leaf_entry(200, escaped(b"c"), value())])]])
    yield "first-shares.cfx", cfx([[block(0, [leaf_entry(1, escaped(b"b"), value())])]])
    yield "key-of-all-symbols.cfx", cfx([[block(0, [leaf_entry(0, b"\0" * 1700, value())])]], symbols=[b"01234567"])
    yield "length-past-block.cfx", cfx([[block(0, [b"\x7f" + varint(2**31) + b"x"])]])
    yield "long-varint.cfx", cfx([[block(0, [b"\xff" * 20])]])
    yield "restart-past-end.cfx", cfx([[block(0, plain(), restarts=[16, 60000, 70])]])
    yield "more-entries-than-bytes.cfx", cfx([[ok[:10] + b"\xff\xff" + ok[12:]]])
    yield "seventeen-levels.cfx", cfx([[ok]], patch={28: b"\x11"})
    yield "name-climbs.cfx", cfx([[ok]], archives=[(b"a/../../b", 1, 1, 1, 0)])
    yield "tiny.cfx", b"\x89CFX"
    place = lambda offset, what: varint(offset) + counted(what)
    report = lambda all, *places: counted(varint(all) + varint(len(places)) + b"".join(places))
    good = report(2, place(0, b"ends inside a gzip member"), place(2**40, b""))
    yield "damage.cfx", cfx([[ok]], damage=varint(0) + good + varint(1) + report(2**63, place(7, b"x")))
    yield "damage-many.cfx", cfx([[ok]], damage=varint(0) + report(40, *[place(i, b"x") for i in range(40)]))
    yield "damage-fewer.cfx", cfx([[ok]], damage=varint(0) + report(0, place(1, b"x")))
    yield "damage-cut.cfx", cfx([[ok]], damage=(varint(0) + good)[:-9])
    yield "damage-past-table.cfx", cfx([[ok]], damage=varint(300) + good)
    yield "damage-past-end.cfx", cfx([[ok]], patch={1632: b"\xff\x0f\0\0\0\0\0\0\xff\xff"})
    yield "damage-large.cfx", cfx([[ok]], patch={1640: b"\xff\xff\xff\xff"})


URLS = {
    "other-scheme": b"gemini://example.org:1965/a/../b",
    "file": b"<file:///C:/x>",
    "backslashes": b"https:\\\\h.example\\a\\b?c\\d",
    "plain.url": b"www.gnu.org/software/emacs/", "no-path.url": b"h", "query.url": b"h?q=/a/b#c/d",
    "dots.url": b"h/./../.../%2E", "labels.url": b"_dmarc._.__x..b./", "ipv6.url": b"[2001:db8::1]:8080/x",
    "ipv6-junk.url": b"[::1/x", "userinfo.url": b"u:p@v@h:8080/a", "port-junk.url": b"h:foo:80/",
    "nul.url": b"h/\0", "slashes.url": b"h//a///b//", "whole.url": b"HTTPS://Ex.COM/A",
    "deep.url": b"h" + b"/a" * 1100, "dotdots.url": b"h" + b"/.." * 1021, "high.url": b"h\xff/\xc3\xa9\xff",
    "good.key": b"org\0gnu\0www\0_\0a\0", "marker.key": b"x\0__y\0\0_\0_\0", "bad.key": b"h\0_\0..",
    "deep.key": b"h\0_" + b"\0" * 1021,
}


def main():
    here = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus")
    for folder, items in (("cfx", [*formats(), *files()]), ("urlkey", URLS.items())):
        os.makedirs(os.path.join(here, folder), exist_ok=True)
        for name, data in items:
            with open(os.path.join(here, folder, name), "wb") as f:
                f.write(data)


if __name__ == "__main__":
    main()
