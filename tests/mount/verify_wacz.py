#!/usr/bin/env python3
"""verify_wacz.py - WACZ files whose lists are wrong, for verify_test.sh.

usage: verify_wacz.py rows CRAWLFS FOLDER
           a WACZ of what `verify_check.py make` wrote to FOLDER, with a list of
           each form; one row of it is changed in many ways, its hashes are
           right: what is wrong with the row is found, and nothing else
       verify_wacz.py large OUT STEP ARCHIVE...
           writes a WACZ of archives, in whose list every STEP-th row is at
           another place, every STEP-th plus one is missing, every STEP-th plus
           two is no row; prints how many
       verify_wacz.py flood OUT ROWS
           writes a WACZ of one small archive and a list of so many rows of
           archives that are not there

Python's standard library and verify_check.py's own reader only.
SPDX-License-Identifier: GPL-3.0-or-later
"""
import base64
import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import zlib

from verify_check import first, fields, load, made, split, write_wacz


# ---- one row ------------------------------------------------------------

def two_archives():
    """the made records in two archives, and rows of the responses"""
    files = {"archive/a.warc.gz": b"", "archive/b.warc.gz": b""}
    rows = []
    for i, (url, time, sha1, record) in enumerate(made()):
        name = "a.warc.gz" if i < 17 else "b.warc.gz"
        member = gzip.compress(record, mtime=0)
        if sha1 is not None:
            rows.append({"time": time, "url": url, "mime": "text/html",
                         "status": "200", "digest": "sha1:" + sha1,
                         "length": str(len(member)), "offset":
                         str(len(files["archive/" + name])),
                         "filename": name})
        files["archive/" + name] += member
    return files, rows


def key(row):
    return "com,example)" + row["url"][len("http://example.com"):]


def cdxj(rows):
    return [("%s %s %s\n" % (key(r), r["time"], json.dumps(
        {k: v for k, v in r.items() if k != "time"}))).encode() for r in rows]


def cdx(rows):
    lines = [(" ".join((key(r), r["time"], r["url"], r["mime"], r["status"],
                        r["digest"][5:], "-", "-", r["length"], r["offset"],
                        r["filename"])) + "\n").encode() for r in rows]
    return [b" CDX N b a m s k r M S V g\n"] + lines


FORMS = {"index.cdxj": lambda rows: b"".join(cdxj(rows)),
         "index.cdx": lambda rows: b"".join(cdx(rows)),
         "index.cdx.gz": lambda rows: b"".join(
             gzip.compress(b"".join(cdxj(rows)[i:i + 5]), mtime=0)
             for i in range(0, len(rows), 5))}


class Rows:
    def __init__(self, crawlfs, folder, form):
        self.crawlfs, self.form = crawlfs, form
        self.work = os.path.join(folder, "rows")
        shutil.rmtree(self.work, ignore_errors=True)
        os.mkdir(self.work)
        self.files, self.rows = two_archives()
        self.faults, self.n = [], 0

    def findings(self, data):
        path = os.path.join(self.work, "x.wacz")
        write_wacz(path, {**self.files, "indexes/" + self.form: data})
        reports = []
        for threads in ("1", "2"):
            report = os.path.join(self.work, "report" + threads)
            p = subprocess.run(
                [self.crawlfs, "verify", "-q", "--threads=" + threads,
                 "--report=" + report, path],
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
            if p.returncode not in (0, 1):
                raise SystemExit(p.stderr.decode())
            with open(report, "rb") as f:
                reports.append(f.read())
        if reports[0] != reports[1]:
            self.faults.append("two threads write another report")
        got, end = load(report)
        return p.returncode, end, [
            (os.path.basename(f["archive"]), f["offset"], f["kind"], f["url"])
            for f in got]

    def expect(self, what, data, want, missing=0):
        self.n += 1
        code, end, got = self.findings(data)
        if self.form == "index.cdx.gz":  # of a line, where it was being read
            hide = [f for f in got if f[0] == self.form]
            got = [f for f in got if f not in hide] + [
                f[:1] + (0,) + f[2:] for f in hide]
            want = [f[:1] + (0,) + f[2:] if f[0] == self.form else f
                    for f in want]
        if got != want or end["unlisted"] != missing or \
                code != (len(want) > 0):
            self.faults.append(
                "%s, %s: status %d, %s, %d without a row; not %s, %d" % (
                    self.form, what, code, got, end["unlisted"], want,
                    missing))

    def changed(self, n, **values):
        rows = [dict(r) for r in self.rows]
        rows[n].update(values)
        return FORMS[self.form](rows)

    def line_off(self, n, data):
        if self.form == "index.cdx":
            n += 1
        return sum(map(len, data.splitlines(True)[:n]))

    def one_row(self, n):
        r, other = self.rows[n], self.rows[n - 1]
        at, name, url = int(r["offset"]), r["filename"], r["url"]
        absent = self.changed(n, filename="c.warc.gz")
        for what, values, kind in (
                ("length", {"length": str(int(r["length"]) + 1)}, "length"),
                ("digest", {"digest": "sha1:" + "A" * 32}, "digest"),
                ("time", {"time": "20240203040559"}, "time"),
                ("status", {"status": "404"}, "status"),
                ("type", {"mime": "image/png"}, "mime"),
                ("URL", {"url": "http://example.com/other"}, "url")):
            self.expect(what, self.changed(n, **values), [
                (name, at, "index-" + kind, url)])
        for wrong in (at + 1, at + 10 ** 9):
            self.expect("offset", self.changed(n, offset=str(wrong)), [
                (name, wrong, "index-offset", url)], 1)
        self.expect("archive", absent, [
            (self.form, self.line_off(n, absent), "index-archive", url)], 1)
        if other["filename"] == name:
            self.expect("another's place", self.changed(
                n, offset=other["offset"]), [
                    (name, int(other["offset"]), "index-url", other["url"])],
                        1)
        self.expect("nothing known", self.changed(
            n, length="-", digest="-", status="-", mime="unk"), [])

    def whole(self):
        rows = self.rows
        make = FORMS[self.form]
        self.expect("nothing", make(rows), [])
        self.expect("no rows", b"", [], len(rows))
        for n in (0, 11, len(rows) - 1):
            self.expect("a row is missing", make(rows[:n] + rows[n + 1:]), [],
                        1)
            self.expect("a row is there twice", make(
                rows[:n] + rows[n:n + 1] + rows[n:]), [])
        types = [dict(r, mime="TEXT/HTML; charset=utf-8".split(";", 1)[0])
                 for r in rows]
        self.expect("types in capitals", make(types), [])
        plain = self.form != "index.cdx.gz"
        if plain:
            data = make(rows)
            lines = data.splitlines(True)
            lines[7] = lines[7].replace(b"2024", b"none", 1)
            self.expect("a row is none", b"".join(lines), [
                (self.form, sum(map(len, lines[:7])), "index", "")], 1)
        else:
            data = bytearray(make(rows))
            data[-8] ^= 1               # the checksum of the last member
            code, _, got = self.findings(bytes(data))
            if code != 1 or [f[0::2] for f in got] != [(self.form, "index")]:
                self.faults.append("a damaged list: %d, %s" % (code, got))
        self.expect("no list at all", b"<html>\n" * 20, [
            (self.form, 0, "index", "")])

    def other_name(self):
        """a row that names the other archive"""
        a, b = self.rows[2], self.rows[-1]
        code, _, got = self.findings(self.changed(
            2, filename=b["filename"]))
        kinds = {("b.warc.gz", int(a["offset"]), "index-" + k)
                 for k in ("offset", "url")}
        if code != 1 or len(got) != 1 or got[0][:3] not in kinds:
            self.faults.append("another archive: %d, %s" % (code, got))


def rows(crawlfs, folder):
    faults = 0
    for form in FORMS:
        r = Rows(crawlfs, folder, form)
        r.whole()
        for n in (0, 3, len(r.rows) - 1):
            r.one_row(n)
        r.other_name()
        for fault in r.faults:
            print(fault)
        print("%s: %d changes" % (form, r.n))
        faults += len(r.faults)
    return faults > 0


# ---- many rows ----------------------------------------------------------

def members(data):
    """(offset, length, plain bytes) of each gzip member of a long file"""
    at, view = 0, memoryview(data)
    while at < len(data):
        z, n, plain = zlib.decompressobj(31), at, b""
        while not z.eof:
            plain += z.decompress(view[n:n + 4096])
            n += 4096
        n = min(n, len(data)) - len(z.unused_data)
        yield at, n - at, plain
        at = n


def rows_of(name, data):
    """a row of each response, by the records alone; None of one whose URL would
    take rules of its own to write"""
    for at, n, plain in members(data):
        head, block = split(plain)
        found = fields(b"\n" + head)
        if first(found, "warc-type") != "response":
            continue
        if not re.fullmatch("https?://[!-~]+",
                            first(found, "warc-target-uri")):
            yield None
            continue
        http, _ = split(block)
        body = block[len(http):][:int(first(found, "content-length")) -
                                 len(http)]
        date = "".join(c for c in first(found, "warc-date") if c.isdigit())
        digest = first(found, "warc-payload-digest") or "sha1:" + \
            base64.b32encode(hashlib.sha1(body).digest()).decode()
        yield {"time": date[:14], "url": first(found, "warc-target-uri"),
               "mime": first(fields(http), "content-type").split(";")[0],
               "status": http.split()[1].decode(), "digest": digest,
               "length": str(n), "offset": str(at), "filename": name}


def line(row):
    return ("%s %s %s\n" % (row["url"].split("/", 2)[2], row["time"],
                            json.dumps({k: v for k, v in row.items()
                                        if k != "time"}))).encode()


def large(out, step, *archives):
    files, all_rows, responses, step = {}, [], 0, int(step)
    for path in archives:
        name = os.path.basename(path)
        with open(path, "rb") as f:
            files["archive/" + name] = f.read()
        found = list(rows_of(name, files["archive/" + name]))
        responses += len(found)
        all_rows += [row for row in found if row is not None]
    lines, wrong, right = [], 0, 0
    for i, row in enumerate(all_rows):
        if i % step == 0:
            row["offset"] = str(int(row["offset"]) + 3)
        if i % step == 2:
            row["offset"] = "none"
        if i % step != 1:
            lines.append(line(row))
        wrong += i % step in (0, 2)
        right += i % step > 2
    files["indexes/index.cdxj"] = b"".join(sorted(lines))
    write_wacz(out, files)
    print(right, wrong, responses - right)
    return 0


def flood(out, count):
    files, made_rows = two_archives()
    row = dict(made_rows[0], filename="none.warc.gz")
    part = line(row) * 1000
    files["indexes/index.cdx.gz"] = gzip.compress(part, mtime=0) * (
        int(count) // 1000)
    write_wacz(out, files)
    return 0


if __name__ == "__main__":
    sys.exit({"rows": rows, "large": large, "flood": flood}[sys.argv[1]](
        *sys.argv[2:]))
