#!/usr/bin/env python3
# make_zip_corpus.py - writes the starting inputs of fuzz_zip.
#     python3 tests/fuzz/make_zip_corpus.py tests/fuzz/corpus
# SPDX-License-Identifier: GPL-3.0-or-later
import os
import subprocess
import sys
import tempfile

top = os.path.join(sys.argv[1], "zip")
os.makedirs(top, exist_ok=True)
make = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..",
                    "make_wacz.py")

with tempfile.TemporaryDirectory() as tmp:
    def wacz(name, *args):
        subprocess.run([sys.executable, make, *args,
                        os.path.join(top, name), "1", tmp], check=True)

    wacz("plain")
    wacz("descriptors", "--descriptors", "--plain")
    wacz("extra", "--extra", "--no-index")
    wacz("deflated", "--deflate")
    wacz("zip64", "--zip64", "--bad-keys")
    for name, more in (("nested", []), ("nested-deflated", ["--deflate"])):
        subprocess.run([sys.executable, make, *more, os.path.join(top, name),
                        "--wrap", os.path.join(top, "plain"),
                        os.path.join(top, "zip64")], check=True)
for name in ("nested", "nested-deflated"):      # as WACZ files are named
    path = os.path.join(top, name)
    with open(path, "rb") as f:
        data = f.read()
    with open(path, "wb") as f:
        f.write(data.replace(b"plain", b".wacz").replace(b"zip64", b".wacz"))
with open(os.path.join(top, "zip64"), "rb") as f:
    data = f.read()
with open(os.path.join(top, "extra-too-long"), "wb") as f:    # went on for ever
    f.write(data.replace(b"\1\0\x18\0", b"\2\0\xff\xff"))
with open(os.path.join(top, "package"), "w") as f:
    f.write('{"profile": "multi-wacz", "n": [1, {"a": "]"}], "resources": '
            '[{"path": "a\\u00e4.wacz", "hash": "sha256:%s"}, {"path": "b", '
            '"stats": {"hash": "%s"}}, {}], "x": null}' % ("0a" * 32, "F" * 64))
