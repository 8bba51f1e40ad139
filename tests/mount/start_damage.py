#!/usr/bin/env python3
"""start_damage.py - archives that are damaged at their beginning.

    start_damage.py make FOLDER
        FOLDER/CASE/FILE of every case.  Prints the names of the cases; those
        that are to be refused with "refused" behind them.
    start_damage.py check FOLDER CASE WAY [LOCATION]
        crawlfs ($crawlfs) is right about it: every record that is whole is
        there, at its own place, with its own bytes, and what is lost is said
        in one line.  WAYs: alone, index, folder, list, wacz, verify, url (of
        which LOCATION is).
    start_damage.py pages FOLDER CASE MOUNT
        The same of a mount.
    start_damage.py refused FOLDER CASE [LOCATION]
        One sentence, whatever the file is reached by.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import gzip
import json
import os
import random
import struct
import subprocess
import sys
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
N = 4
rnd = random.Random(4)
PAGE = "an error page in place of an archive?"
UNKNOWN = "neither an ARC, WARC or text file of a crawl nor an index"


def body(i):
    return b"<html><p>page %d</p>%s</html>\n" % (
        i, b"".join(b"%d " % rnd.randrange(1 << 30) for _ in range(40)))


BODIES = [body(i) for i in range(N)]


def http(i):
    return (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
            b"Content-Length: %d\r\n\r\n" % len(BODIES[i])) + BODIES[i]


def warc(i, block=None, uri=b"http://example.com/p%d"):
    block = http(i) if block is None else block
    return (b"WARC/1.0\r\nWARC-Type: response\r\n"
            b"WARC-Record-ID: <urn:uuid:%032d>\r\n"
            b"WARC-Date: 2024-05-06T07:08:09Z\r\n"
            b"WARC-Target-URI: " % i + (uri % i if b"%" in uri else uri) +
            b"\r\nContent-Type: application/http; msgtype=response\r\n"
            b"Content-Length: %d\r\n\r\n" % len(block)) + block + b"\r\n\r\n"


def arc(i):
    block = http(i)
    return b"http://example.com/p%d 1.2.3.4 20240506070809 text/html %d\n" % (
        i, len(block)) + block + b"\n"


def filedesc(line=None):
    text = b"1 0 x\nURL IP-address Archive-date Content-type Archive-length\n"
    if line is None:
        line = b"filedesc://x.arc 0.0.0.0 20240506070809 text/plain %d\n" \
            % len(text)
    return line + text + b"\n"


def gz(data):
    return gzip.compress(data, mtime=0)


def zst(data, tail=()):
    return subprocess.run(["zstd", "-qc", *tail], input=data, check=True,
                          stdout=subprocess.PIPE).stdout


def with_dict(records):
    import zst_crawl
    dictionary = zst_crawl.train([warc(i % N) for i in range(300)])
    w = zst_crawl.Writer(dictionary)
    return (zst_crawl.dict_frame(dictionary), [w.frame(r) for r in records],
            zst_crawl.dict_frame(dictionary, True))


def flipped(data, at=0):
    return data[:at] + bytes([data[at] ^ 0xff]) + data[at + 1:]


NOISE = rnd.randbytes(3000)
HTML = b"<html>proxy error</html>"
LOG = b"2024-05-06 07:08:09 started\n2024-05-06 07:08:09 writing x\n"
SPEC = (b"<!DOCTYPE html>\n<html><head><title>WARC/1.0</title></head>\n<pre>\n"
        + warc(0, b"hello\n") + b"and\n" + warc(1, b"WARC/1.0\n")
        + warc(2, b"hello\n") + b"</pre>\n<pre>\n" + arc(0) + arc(1)
        + b"</pre>\n</html>\n")
JUNK = {"crlf": b"\r\n", "html": HTML, "page": SPEC, "log": LOG,
        "noise": NOISE, "nuls": bytes(5000), "bom": b"\xef\xbb\xbf",
        "xml": b"<?xml version=\"1.0\"?>\n<Error>SlowDown</Error>\n"}
OLD_TAR = (b"x.warc" + bytes(94) + b"0000644\0" + bytes(16) +
           b"00000001000\0" + b"00000000000\0" + b"000000\0 " + bytes(356))


class Case:
    """lost: the pages that are not there.  Places are those of `pieces`."""

    def __init__(self, name, pieces, lost=(), front=b"", silent=False,
                 bodies=None):
        self.name, self.file = name.split("/")
        self.data = front + b"".join(pieces)
        self.silent = silent
        self.bodies = bodies or BODIES
        self.places, at = {}, len(front)
        for i, piece in enumerate(pieces[-N:]):
            start = len(front) + sum(map(len, pieces[:len(pieces) - N + i]))
            if i not in lost:
                self.places["p%d" % i] = (start, len(piece))


def member_cases(form, name, members):
    """Damage that is the same in gzip and zstd."""
    for kind, junk in JUNK.items():
        yield Case("%s-%s/%s" % (form, kind, name), members, front=junk)
    first = members[0]
    for kind, bad in (("flip", flipped(first)), ("flip-3", flipped(first, 3)),
                      ("flip-inside", flipped(first, len(first) // 2)),
                      ("flip-end", flipped(first, len(first) - 2)),
                      ("cut-front", first[100:]), ("cut-back", first[:-60]),
                      ("nulled", bytes(len(first))),
                      ("only-head", first[:11])):
        yield Case("%s-%s/%s" % (form, kind, name), [bad] + members[1:], (0,))


def cases():
    warcs = [warc(i) for i in range(N)]
    arcs = [arc(i) for i in range(N)]
    gzs = [gz(w) for w in warcs]
    yield from member_cases("gz", "x.warc.gz", gzs)
    yield Case("gz-strange-name/download.bin", gzs, front=NOISE)
    yield Case("gz-said-plain/x.warc", gzs, front=LOG)
    yield Case("gz-error-member/x.warc.gz", [gz(HTML)] + gzs)
    # one of the pages is itself an archive
    inner = gz(warc(3, uri=b"http://inner.example/"))
    download = warc(1, b"HTTP/1.1 200 OK\r\n\r\n" + inner)
    for kind, file in (("plain", "x.warc"), ("gz", "x.warc.gz")):
        yield Case("inside-%s/%s" % (kind, file), [warcs[0], download] +
                   warcs[2:], front=LOG,
                   bodies=[BODIES[0], inner] + BODIES[2:])
    yield from member_cases("arc-gz", "x.arc.gz", [gz(a) for a in arcs])
    yield Case("arc-gz-filedesc/x.arc.gz",
               [gz(filedesc(b"rubbish\n"))] + [gz(a) for a in arcs])
    zsts = [zst(w) for w in warcs]
    yield from member_cases("zst", "x.warc.zst", zsts)
    front, zsts, raw = with_dict(warcs)
    for kind, data in (("crlf", b"\r\n" + front), ("html", HTML + front),
                       ("log", LOG + raw), ("magic", flipped(front)),
                       ("raw-magic", flipped(raw))):
        yield Case("dict-%s/x.warc.zst" % kind, zsts, front=data)
    for kind, bad in (("flip", flipped(zsts[0])),
                      ("flip-inside", flipped(zsts[0], len(zsts[0]) // 2)),
                      ("cut-back", zsts[0][:-20])):
        yield Case("dict-%s/x.warc.zst" % kind, [bad] + zsts[1:], (0,),
                   front=front)
    plain = list(map(bytes, warcs))
    for kind, junk in JUNK.items():
        yield Case("plain-%s/x.warc" % kind, plain, front=junk,
                   silent=kind == "crlf")
    yield Case("plain-tar/x.warc", plain, front=OLD_TAR)
    yield Case("plain-strange-name/download.bin", plain, front=LOG)
    yield Case("plain-said-gz/x.warc.gz", plain, front=LOG)
    for n in (3, 100, 200, 500):
        yield Case("plain-cut-%d/x.warc" % n, [plain[0][n:]] + plain[1:], (0,))
    for kind, junk in JUNK.items():
        yield Case("arc-%s/x.arc" % kind, arcs, front=junk,
                   silent=kind == "crlf")
    yield Case("arc-filedesc/x.arc", arcs, front=filedesc(b"rubbish\n"))
    yield Case("arc-cut-filedesc/x.arc", arcs, front=filedesc()[30:])
    for n in (3, 40, 300):
        yield Case("arc-cut-%d/x.arc" % n, [arcs[0][n:]] + arcs[1:], (0,))
    # several archives in one file
    both = {"gz": gz, "zst": zst, "plain": bytes}
    for a, b in (("gz", "plain"), ("plain", "gz"), ("gz", "zst"),
                 ("zst", "plain"), ("zst", "gz")):
        yield Case("two-%s-%s/x.warc" % (a, b), [both[a](w) for w in warcs[:2]]
                   + [both[b](w) for w in warcs[2:]])
    yield Case("two-arc-gz/x.arc", arcs[:2] + gzs[2:])


def refusals():
    """(name, file, bytes, what is said)"""
    cut = gz(warc(0))
    tar = (b"x.warc.gz" + bytes(91) + b"0000644\0" + bytes(149) + b"ustar\0" +
           b"00" + bytes(247))
    yield "page", "x.warc.gz", HTML, PAGE
    yield "spec", "x.warc.gz", SPEC, PAGE
    yield "spec-warc", "x.warc", SPEC, PAGE
    yield "spec-arc", "x.arc", SPEC, PAGE
    yield "spec-text", "x.txt", SPEC[SPEC.index(b"WARC-Type"):], UNKNOWN
    yield "spec-gz", "x.warc.gz", gz(SPEC), "a gzip file of a web page"
    yield "xml", "x.warc.gz", JUNK["xml"], "an XML document"
    yield "tar", "x.warc.gz", tar + cut, "a tar archive"
    yield "tar-gz", "x.warc.gz", gz(tar + warc(0)), \
        "a gzip file of a tar archive"
    yield "lz4", "x.warc.gz", b"\x04\x22\x4d\x18" + NOISE + cut, "lz4"
    yield "xz", "x.warc.gz", b"\xfd7zXZ\0" + NOISE + cut, "xz"
    yield "bzip2", "x.warc.gz", b"BZh91AY&SY" + NOISE + cut, "bzip2"
    yield "7z", "x.warc.gz", b"7z\xbc\xaf\x27\x1c" + cut, "7z"
    yield "pdf", "x.warc.gz", b"%PDF-1.4\n" + cut, "a PDF document"
    yield "noise", "x.warc.gz", NOISE, UNKNOWN
    yield "log", "x.warc", LOG, UNKNOWN
    yield "cut-gz", "x.warc.gz", cut[:30], "a gzip file that is cut off"
    yield "cut-zst", "x.warc.zst", zst(warc(0))[:12], \
        "a zstd file that is cut off"
    yield "empty", "x.warc.gz", b"", "empty"


def made():
    out = {c.name: c for c in cases()}
    return out


def make(folder):
    for c in cases():
        os.makedirs("%s/%s" % (folder, c.name))
        with open("%s/%s/%s" % (folder, c.name, c.file), "wb") as f:
            f.write(c.data)
        print(c.name)
    for name, file, data, _ in refusals():
        os.makedirs("%s/refused-%s" % (folder, name))
        with open("%s/refused-%s/%s" % (folder, name, file), "wb") as f:
            f.write(data)
        print("refused-" + name, "refused")


def run(*arguments, status=0):
    p = subprocess.run([os.environ["crawlfs"], *arguments], timeout=60,
                       stdin=subprocess.DEVNULL, capture_output=True)
    if p.returncode != status:
        sys.exit("%s: status %d\n%s" % (arguments, p.returncode,
                                        p.stderr.decode()))
    return p.stdout, [line for line in p.stderr.decode().splitlines()
                      if "named relative to" not in line]


def told(c, errors):
    """The loss, once."""
    if c.silent and not errors:
        return
    if len(errors) != 1 or c.file not in errors[0]:
        sys.exit("said: %s" % errors)


def compare(c, source, options=(), places=True):
    """The errors of the first command."""
    out, errors = run("lookup", *options, source, "http://example.com/*")
    got = {}
    for line in out.decode().splitlines():
        row = json.loads(line.split(" ", 2)[2])
        got[row["path"].rsplit("/", 1)[1]] = (
            int(row["offset"]), int(row["length"]))
    if places and got != c.places or got.keys() != c.places.keys():
        sys.exit("%s: not %s" % (got, c.places))
    for page in got:
        out, _ = run("cat", *options, source, "http://example.com/" + page)
        if out != c.bodies[int(page[1:])]:
            sys.exit("%s: other bytes" % page)
    return errors


def check(folder, name, way, location=None):
    c = made()[name]
    here = "%s/%s" % (folder, name)
    path = here + "/" + c.file
    if way in ("alone", "url"):
        told(c, compare(c, location or path))
    elif way == "index":
        _, errors = run("index", "-q", "--force", "-o", here + "/i.cfx", path)
        told(c, errors)
        compare(c, here + "/i.cfx")
        os.unlink(here + "/i.cfx")
    elif way == "folder" and not c.file.endswith(".bin"):
        told(c, compare(c, here))
    elif way == "list" and not c.file.endswith(".bin"):
        os.makedirs(here + "/.l", exist_ok=True)
        with open(here + "/.l/x.paths", "w") as f:
            f.write(c.file + "\n")
        told(c, compare(c, here + "/.l/x.paths", ["--base=" + here]))
    elif way == "wacz" and not c.file.endswith(".bin"):
        with zipfile.ZipFile(here + "/.x.wacz", "w") as z:
            z.write(path, "archive/" + c.file)
        told(c, compare(c, here + "/.x.wacz", places=False))
    elif way == "verify":
        _, errors = run("verify", path, status=0 if c.silent else 1)
        told(c, errors)


def pages(folder, name, mount):
    c = made()[name]
    root = mount + "/com/example/_/"
    got = sorted(n for n in os.listdir(root)
                 if not n.endswith((".meta", ".txt")))
    if got != sorted(c.places):
        sys.exit("%s is not %s" % (got, sorted(c.places)))
    for page in got:
        with open(root + page, "rb") as f:
            if f.read() != c.bodies[int(page[1:])]:
                sys.exit("%s: other bytes" % page)


def refused(folder, name, location=None):
    file, said = next((f, s) for n, f, _, s in refusals()
                      if "refused-" + n == name)
    path = location or "%s/%s/%s" % (folder, name, file)
    for command in (["ls", path], ["lookup", path, "com.example"],
                    ["cat", path, "http://example.com/p0"],
                    ["index", "-q", "-o", folder + "/no.cfx", path],
                    ["copy", "-o", folder + "/no.warc.gz", path, "com.example"],
                    ["verify", path]):
        _, errors = run(*command, status=1)
        if not any(file in e and said in e for e in errors[:1]):
            sys.exit("%s: %s" % (command, errors))
        if command[0] not in ("index", "verify") and len(errors) != 1:
            sys.exit("%s: %s" % (command, errors))


if __name__ == "__main__":
    {"make": make, "check": check, "pages": pages,
     "refused": refused}[sys.argv[1]](*sys.argv[2:])
