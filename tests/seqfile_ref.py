#!/usr/bin/env python3
# seqfile_ref.py - SequenceFiles read and written from their description alone.
#     seqfile_ref.py dump FILE       what tests/unit/seqfile_dump prints
#     seqfile_ref.py make FOLDER     files of every kind, good and damaged
#     seqfile_ref.py fuzz FOLDER     small ones, the corpus of fuzz_seqfile
#     seqfile_ref.py json FOLDER     that of fuzz_jsonpick
# Nothing here knows crawlfs.
# SPDX-License-Identifier: GPL-3.0-or-later
import os
import random
import struct
import sys
import zlib

TEXT = "org.apache.hadoop.io.Text"
TEXT_BYTES = "org.commoncrawl.util.TextBytes"
BYTES = "org.apache.hadoop.io.BytesWritable"
CODECS = "org.apache.hadoop.io.compress."
SYNC = bytes(range(0x30, 0x40))


# ---- numbers ----

def vint(v):
    if -112 <= v <= 127:
        return bytes([v & 0xff])
    first = -112
    if v < 0:
        v = ~v
        first = -120
    n = (v.bit_length() + 7) // 8
    return bytes([(first - n) & 0xff]) + v.to_bytes(n, "big")


def read_vint(data, at):
    first = struct.unpack_from(">b", data, at)[0]
    if first >= -112:
        return first, at + 1
    n = -120 - first if first < -120 else -112 - first
    v = int.from_bytes(data[at + 1:at + 1 + n], "big")
    if at + 1 + n > len(data):
        raise ValueError("cut")
    return (~v if first < -120 else v), at + 1 + n


def text(s):
    s = s.encode() if isinstance(s, str) else s
    return vint(len(s)) + s


def blob(s):
    return struct.pack(">i", len(s)) + s


# ---- codecs ----

def pack(codec, data):
    if codec is None:
        return data
    bits = 31 if codec == "GzipCodec" else 15
    c = zlib.compressobj(6, zlib.DEFLATED, bits)
    return c.compress(data) + c.flush()


def unpack(codec, data):
    if codec is None:
        return data
    if codec == "GzipCodec":
        return zlib.decompress(data, 31)
    if codec == "DefaultCodec":
        return zlib.decompress(data)
    raise NotImplementedError(codec)


# ---- writing ----

def header(key, value, block, codec, notes=(), sync=SYNC, version=6):
    h = b"SEQ" + bytes([version]) + text(key) + text(value)
    h += bytes([codec is not None, block])
    if codec is not None:
        h += text(CODECS + codec)
    h += struct.pack(">i", len(notes))
    for k, v in notes:
        h += text(k) + text(v)
    return h + sync


def record(key, value, codec):
    value = pack(codec, value)
    return struct.pack(">ii", len(key) + len(value), len(key)) + key + value


def block(pairs, codec, sync=SYNC):
    parts = [b"".join(vint(len(k)) for k, _ in pairs),
             b"".join(k for k, _ in pairs),
             b"".join(vint(len(v)) for _, v in pairs),
             b"".join(v for _, v in pairs)]
    out = b"\xff\xff\xff\xff" + sync + vint(len(pairs))
    for p in parts:
        p = pack(codec, p)
        out += vint(len(p)) + p
    return out


def write(pairs, key=TEXT, value=TEXT, is_block=False, codec=None, notes=(),
          block_bytes=1000000, sync_every=2000, wrap=text):
    """A whole file, as Hadoop writes it.  Pairs are the inner bytes."""
    pairs = [(wrap(k), wrap(v)) for k, v in pairs]
    out = [header(key, value, is_block, codec, notes)]
    held, held_n, since = [], 0, 0
    for k, v in pairs:
        if is_block:
            held.append((k, v))
            held_n += len(k) + len(v)
            if held_n >= block_bytes:
                out.append(block(held, codec))
                held, held_n = [], 0
            continue
        if since >= sync_every:
            out.append(b"\xff\xff\xff\xff" + SYNC)
            since = 0
        out.append(record(k, v, codec))
        since += len(out[-1])
    if held:
        out.append(block(held, codec))
    return b"".join(out)


# ---- reading ----

class Reader:
    def __init__(self, data):
        self.data = data
        if data[:4] != b"SEQ\x06":
            raise ValueError("no SequenceFile of version 6")
        self.at = 4
        self.key, self.value = self.name(), self.name()
        compressed, self.block = data[self.at], data[self.at + 1]
        self.at += 2
        self.codec = None
        if compressed:
            self.codec = self.name().rsplit(".", 1)[1]
        n, = struct.unpack_from(">i", data, self.at)
        self.at += 4
        for _ in range(2 * n):
            self.name()
        self.sync = data[self.at:self.at + 16]
        self.at += 16

    def vint(self):
        v, self.at = read_vint(self.data, self.at)
        return v

    def take(self, n):
        s = self.data[self.at:self.at + n]
        if len(s) != n:
            raise ValueError("cut")
        self.at += n
        return s

    def name(self):
        return self.take(self.vint()).decode()

    def __iter__(self):
        while self.at < len(self.data):
            yield from self.one_block() if self.block else self.one_record()

    def one_record(self):
        n, = struct.unpack(">i", self.take(4))
        if n == -1:
            assert self.take(16) == self.sync
            return
        start = self.at - 4
        key_n, = struct.unpack(">i", self.take(4))
        key, value = self.take(key_n), self.take(n - key_n)
        yield start, n + 8, 0, key, unpack(self.codec, value)

    def one_block(self):
        start = self.at
        assert self.take(20) == b"\xff\xff\xff\xff" + self.sync
        n = self.vint()
        parts = [unpack(self.codec, self.take(self.vint())) for _ in range(4)]
        length = self.at - start
        ks = vs = k_at = v_at = 0
        for i in range(n):
            k_n, ks = read_vint(parts[0], ks)
            v_n, vs = read_vint(parts[2], vs)
            yield (start, length, i, parts[1][k_at:k_at + k_n],
                   parts[3][v_at:v_at + v_n])
            k_at += k_n
            v_at += v_n


def dump(data, out=sys.stdout):
    for start, length, i, k, v in Reader(data):
        out.write("%d %d %d %d %08x %d %08x\n" % (start, length, i, len(k),
                  zlib.crc32(k), len(v), zlib.crc32(v)))


# ---- files to try ----

def some_pairs(rng, n, most):
    pairs = []
    for i in range(n):
        words = b"".join(b"word%d " % rng.randrange(400)
                         for _ in range(rng.randrange(most)))
        pairs.append((b"http://h%d.org/%d" % (i % 7, i), words))
    return pairs


def kinds():
    for is_block in (False, True):
        for codec in (None, "DefaultCodec", "GzipCodec"):
            if is_block and codec is None:
                continue        # Hadoop has no such files
            yield is_block, codec


def make(folder):
    """good-*: seqfile_dump must print what dump prints; bad-*: less."""
    rng = random.Random(7)

    def put(name, data):
        with open(os.path.join(folder, name), "wb") as f:
            f.write(data)

    for is_block, codec in kinds():
        tag = "%s-%s" % ("block" if is_block else "record", codec)
        pairs = some_pairs(rng, 300, 200)
        put("good-" + tag, write(pairs, is_block=is_block, codec=codec,
                                 block_bytes=20000))
        put("good-notes-" + tag, write(
            pairs[:9], value=TEXT_BYTES, is_block=is_block, codec=codec,
            notes=[("by", "test"), ("long", "x" * 9000)]))
        put("good-bytes-" + tag, write(pairs[:50], key=BYTES, value=BYTES,
                                       is_block=is_block, codec=codec,
                                       wrap=blob))
        put("good-empty-" + tag, write([], is_block=is_block, codec=codec))
        put("good-large-" + tag, write(
            [(b"http://a.org/", rng.randbytes(3000000)),
             (b"http://b.org/", b"")], is_block=is_block, codec=codec))
        data = write(pairs, is_block=is_block, codec=codec, block_bytes=20000)
        put("bad-cut-" + tag, data[:len(data) * 2 // 3])
        hurt = bytearray(data)
        at, n = len(data) // 2, 60
        if codec is None:       # plain values have no checksum: a length
            at, n = [i[0] for i in Reader(data)][150], 2
        for i in range(at, at + n):
            hurt[i] ^= 0x5a
        put("bad-hurt-" + tag, bytes(hurt))


def fuzz(folder):
    os.makedirs(folder, exist_ok=True)

    def put(name, data):
        with open(os.path.join(folder, name), "wb") as f:
            f.write(data)

    pairs = [(b"http://a.org/%d" % i, b"text %d" % i * i) for i in range(5)]
    for is_block, codec in kinds():
        tag = "%s-%s" % ("block" if is_block else "record", codec)
        put(tag, write(pairs, is_block=is_block, codec=codec, block_bytes=60,
                       sync_every=40))
    good = write(pairs, is_block=True, codec="DefaultCodec", block_bytes=60)
    put("cut-block", good[:-9])
    put("version-5", header(TEXT, TEXT, 1, "GzipCodec", version=5))
    put("snappy", header(TEXT, TEXT, 1, "SnappyCodec"))
    put("many-notes", header(TEXT, TEXT, 0, None)[:-20] +
        struct.pack(">i", 0x7fffffff) + SYNC)
    put("more-pairs-than-lengths", header(TEXT, TEXT, 1, "DefaultCodec") +
        b"\xff\xff\xff\xff" + SYNC + vint(1000000) + b"".join(
            vint(len(pack("DefaultCodec", p))) + pack("DefaultCodec", p)
            for p in (b"\x01", b"k", b"\x01", b"v")))
    put("negative-length", header(TEXT, TEXT, 1, "DefaultCodec") +
        b"\xff\xff\xff\xff" + SYNC + vint(1) + vint(-5))
    put("bomb", header(TEXT, TEXT, 0, "DefaultCodec") + record(
        text("http://a.org/"), b"\0" * 300000, "DefaultCodec"))
    put("sync-in-record", header(TEXT, TEXT, 0, None) + struct.pack(
        ">ii", 70, 3) + text("ab") + b"x" * 20 + b"\xff\xff\xff\xff" + SYNC +
        record(text("a"), text("b"), None) * 3)
    put("key-past-record", header(TEXT, TEXT, 0, None) +
        struct.pack(">ii", 4, 9) + b"abcdefghi")
    put("empty", b"")


def make_json(folder):
    os.makedirs(folder, exist_ok=True)
    for name, text in (
            ("nested", '{"a":{"b":{"c":"x\\\\"}},"d":[1,{"a":"]"}]}'),
            ("2012", '{"attempt_time":1346850578123,"disposition":"SUCCESS",'
             '"archiveInfo":{"arcFileDate":1,"arcFileOffset":15}}'),
            ("wat", '{"Envelope":{"Payload-Metadata":{"HTTP-Response-Metadata"'
             ':{"Response-Message":{"Status":"200"}}},'
             '"WARC-Header-Metadata":{"WARC-Type":"response"}}}'),
            ("cut-string", '{"a":"x\\"'), ("cut-object", '{"a":{"b":'),
            ("deep", '{"a":' * 40 + "1" + "}" * 40),
            ("brackets", '{"x":' + "[" * 99), ("nul", '{"a":\0}'),
            ("no-colon", '{"a" "b"}'), ("empty", "")):
        with open(os.path.join(folder, name), "w") as f:
            f.write(text)


def main():
    if sys.argv[1] == "dump":
        with open(sys.argv[2], "rb") as f:
            dump(f.read())
    elif sys.argv[1] == "make":
        make(sys.argv[2])
    elif sys.argv[1] == "json":
        make_json(sys.argv[2])
    else:
        fuzz(sys.argv[2])


if __name__ == "__main__":
    main()
