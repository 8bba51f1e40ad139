#!/usr/bin/env python3
# outputs_check.py - what crawlfs export writes to standard output, to files and
# into folders is the same, read by programs of others.
#
#     outputs_check.py cross CRAWLFS FOLDER SOURCE...   all formats, compressions,
#                         outputs, orders, threads and sizes of files, of each
#                         SOURCE (some are damaged): a line for each case
#     outputs_check.py folder DIR SIZE    prints the rows of a complete folder of
#                         JSON lines, whose files have at most SIZE bytes or a row
#     outputs_check.py nulls ROWS         every row has every field
#
# Readers: zlib, zstandard, warcio, pyarrow.  Without zstandard, warcio or pyarrow
# what needs them is left out, and said so.
# SPDX-License-Identifier: GPL-3.0-or-later
import io
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import zlib

try:
    import warcio.archiveiterator
    import zstandard
except ImportError:
    zstandard = None
try:
    import pyarrow.parquet
except ImportError:
    pyarrow = None

FIELDS = "url,timestamp,status,mime,digest,archive,offset,title,text"


def gunzip(data):
    """(plain bytes, members)"""
    out, members = [], 0
    while data:
        z = zlib.decompressobj(31)
        out.append(z.decompress(data))
        assert z.eof, "a member is cut off"
        data = z.unused_data
        members += 1
    return b"".join(out), members


def unzstd(data):
    out, members = [], 0
    while data:
        z = zstandard.ZstdDecompressor().decompressobj()
        out.append(z.decompress(data))
        assert z.eof, "a frame is cut off"
        data = z.unused_data
        members += 1
    return b"".join(out), members


def plain(data, coding):
    if coding == ".gz":
        return gunzip(data)
    if coding == ".zst":
        return unzstd(data)
    return data, 0


def warc_of(data):
    """Records of a WARC file, the first of which must describe it."""
    got = []
    for r in warcio.archiveiterator.ArchiveIterator(io.BytesIO(data)):
        got.append((r.rec_type, r.rec_headers.get_header("WARC-Target-URI"),
                    r.rec_headers.get_header("WARC-Record-ID"),
                    r.raw_stream.read()))
    assert got[0][0] == "warcinfo", got[0]
    assert all(r[0] != "warcinfo" for r in got[1:])
    return got[1:]


def rows_of(data, form, coding):
    """(rows, units): what the file has, and how many parts it can be cut into."""
    if form == "parquet":
        rows = pyarrow.parquet.read_table(io.BytesIO(data)).to_pylist()
        return rows, 2
    text, members = plain(data, coding)
    if form == "jsonl":
        assert not text or text.endswith(b"\n")
        rows = text.split(b"\n")[:-1]
        for line in rows:
            json.loads(line)
        return rows, members or len(rows)
    rows = warc_of(text)
    return rows, len(rows)


def names_in(folder, suffix):
    names = sorted(os.listdir(folder))
    parts = [n for n in names if not n.startswith("_")]
    assert sorted(set(names) - set(parts)) == ["_SUCCESS"], names
    assert parts == ["part-%05d%s" % (i, suffix) for i in range(len(parts))], \
        parts
    return [os.path.join(folder, n) for n in parts]


def read(path):
    with open(path, "rb") as f:
        return f.read()


class Cross:
    def __init__(self, crawlfs, folder):
        self.crawlfs, self.folder = crawlfs, folder
        self.suffix, self.form, self.coding = "", "", ""

    def run(self, args, wanted):
        p = subprocess.run([self.crawlfs, "export", *args, "-q"],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert p.returncode == wanted, (p.returncode, wanted, p.stderr[-500:])
        return p.stdout

    def compare_folder(self, path, whole, size):
        """The files of a folder have the rows of the whole."""
        got, counts = [], []
        for name in names_in(path, self.suffix):
            data = read(name)
            rows, units = rows_of(data, self.form, self.coding)
            got += rows
            counts.append(len(rows))
            # a Parquet file has tables besides its rows
            if self.form != "parquet" and len(data) > size:
                assert units <= 1, (name, len(data), units)
        assert got == whole, (len(got), len(whole))
        assert len(counts) == 1 or min(counts) > 0, counts
        return len(counts)

    def one(self, source, order, status, sizes):
        """Standard output, a file and folders: the number of files of them."""
        args = [*source, "--order=" + order,
                "--format=" + self.form + self.coding]
        if self.form in ("jsonl", "parquet"):
            args.append("--fields=" + FIELDS)
        said = self.run(args + ["--threads=1"], status)
        assert self.run(args + ["--threads=5"], status) == said
        whole, _ = rows_of(said, self.form, self.coding)
        path = os.path.join(self.folder, "x" + self.suffix)
        self.run(args + ["-o", path, "--threads=3", "--force"], status)
        assert read(path) == said, "a file is not standard output"
        files = []
        for size in sizes:
            path = os.path.join(self.folder, "x", "")
            shutil.rmtree(path, ignore_errors=True)
            args2 = args + ["-o", path, "--file-size=%d" % size]
            self.run(args2 + ["--threads=4"], status)
            files.append(self.compare_folder(path, whole, size))
            kept = {n: read(os.path.join(path, n)) for n in os.listdir(path)}
            self.run(args2 + ["--skip-complete"], 0)
            self.run(args2, 3)
            self.run(args2 + ["--threads=1", "--force", "--errors=ok"], 0)
            assert kept == {n: read(os.path.join(path, n))
                            for n in os.listdir(path)}, "other bytes"
        return len(whole), files


def cross(crawlfs, folder, *sources):
    forms = [("jsonl", ""), ("jsonl", ".gz")]
    if zstandard is not None:
        forms += [("jsonl", ".zst")] + list(itertools.product(
            ("wet", "warc"), ("", ".gz", ".zst")))
    else:
        print("SKIP: zstandard and warcio are not there")
    if pyarrow is not None:
        forms.append(("parquet", ""))
    else:
        print("SKIP: pyarrow is not there")
    x = Cross(crawlfs, folder)
    for (form, coding), order, source in itertools.product(
            forms, ("archive", "index"), sources):
        x.form, x.coding = form, coding
        x.suffix = {"wet": ".warc.wet"}.get(form, "." + form) + coding
        status = 1 if "damaged" in source else 0
        name = "%s%s, by %s, of %s" % (form, coding, order,
                                       os.path.basename(source))
        try:
            n, files = x.one(source.split(","), order, status,
                             (5000, 1 << 30))
            assert files[0] > files[1] == 1, files
            print("ok: %s" % name)
        except AssertionError as e:
            print("FAILED: %s: %s" % (name, e))


def folder_of(path, size):
    for name in names_in(path, ".jsonl"):
        data = read(name)
        assert len(data) <= int(size) or data.count(b"\n") == 1, name
        sys.stdout.write(data.decode())


def nulls(path):
    with open(path, encoding="utf-8") as f:
        rows = [list(json.loads(line)) for line in f]
    assert rows and all(r == rows[0] for r in rows)
    assert re.match("url,surt,.*,timestamp,.*,error$", ",".join(rows[0])), rows[0]


if __name__ == "__main__":
    {"cross": cross, "folder": folder_of, "nulls": nulls}[sys.argv[1]](
        *sys.argv[2:])
