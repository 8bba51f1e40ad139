#!/usr/bin/env python3
# record_fixtures.py - writes tests/unit/record_fixtures.h: compressed bytes
# made by Python's zlib, libbrotlienc and libzstd, so that our own code is not
# its own judge.
#     python3 tests/record_fixtures.py > tests/unit/record_fixtures.h
# SPDX-License-Identifier: GPL-3.0-or-later
import ctypes
import struct
import zlib

from zst_crawl import Writer, dict_frame, skippable, train

# Text that compresses, and is long enough to be cut in the middle.
plain = b"".join(b"line %d of a page that says little\n" % i for i in range(60))


def deflate(data, bits):
    c = zlib.compressobj(9, zlib.DEFLATED, bits)
    return c.compress(data) + c.flush()


def gz_extra(data):
    """A member with every optional header field."""
    body = deflate(data, -15)
    head = struct.pack("<BBBBIBB", 0x1f, 0x8b, 8, 4 | 8 | 16 | 2, 0, 0, 3)
    head += struct.pack("<H", 8) + b"LX\x04\x00\x00\x00\x00\x00"
    head += b"name\x00comment\x00"
    head += struct.pack("<H", zlib.crc32(head) & 0xffff)
    return head + body + struct.pack("<II", zlib.crc32(data), len(data))


def brotli(data):
    lib = ctypes.CDLL("libbrotlienc.so.1")
    n = ctypes.c_size_t(len(data) + 1024)
    out = ctypes.create_string_buffer(n.value)
    ok = lib.BrotliEncoderCompress(9, 22, 0, ctypes.c_size_t(len(data)), data,
                                   ctypes.byref(n), out)
    assert ok
    return out.raw[:n.value]


def c_array(name, data):
    print("static const uint8_t fix_%s[%d] = {" % (name, len(data)))
    for i in range(0, len(data), 12):
        print("\t" + " ".join("0x%02x," % b for b in data[i:i + 12]))
    print("};")


print("/* record_fixtures.h - made by tests/record_fixtures.py; do not edit.")
print(" *\n * SPDX-License-Identifier: GPL-3.0-or-later\n */")
print("#include <stdint.h>\n")
c_array("plain", plain)
c_array("gzip", deflate(plain, 31))
c_array("gzip_extra", gz_extra(plain))
c_array("zlib", deflate(plain, 15))
c_array("raw", deflate(plain, -15))
c_array("br", brotli(plain))
c_array("gzip_gzip", deflate(deflate(plain, 31), 31))
c_array("gzip_empty", deflate(b"", 31))
c_array("zeros", deflate(bytes(1 << 20), 31))
lines = plain.splitlines(True)
dictionary = train([b"".join(lines[i:i + 9]) for i in range(50)], 400)
c_array("zstd", Writer().frame(plain))
c_array("zstd_blocks", Writer(size=False).frame(plain, in_two=True))
c_array("zstd_empty", Writer().frame(b""))
c_array("zstd_skippable", skippable(0x184D2A5E, b"table"))
c_array("zstd_dict", dict_frame(dictionary))
c_array("zstd_dict_plain", dict_frame(dictionary, True))
c_array("zstd_named", Writer(dictionary, size=False).frame(plain))
c_array("zstd_window", Writer(size=False, window_log=24).frame(plain))
c_array("zstd_dict_large", skippable(0x184D2A5D, Writer().frame(
    b"\x37\xa4\x30\xec" + bytes(8 << 20))))
