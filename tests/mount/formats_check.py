#!/usr/bin/env python3
"""formats_check.py - every input of crawlfs index, written in every format.

    formats_check.py CRAWLFS DIR

A crawl of 2012 is made up: archives, and its captures as a PB-tree, CDX, CDXJ,
a cluster and a table.  Right is, for each input and format: each capture once,
with its URL, archive, offset and length, as independent readers of the formats
find them (a crawlfs index is read by 'crawlfs lookup').  A PB-tree that is made
of a PB-tree has its bytes.
SPDX-License-Identifier: GPL-3.0-or-later
"""
import csv
import gzip
import json
import os
import shutil
import struct
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import pbtree_ref

CRAWLFS, D = sys.argv[1:3]
P = D + "/p"
BLOCK, VALUE, PER_ARCHIVE = 65536, 32, 500
ARCHIVES = [(1346823845675, 1346864466526, 10), (1346823845675, 1346864466526, 9),
            (1346876860567, 1346913882801, 2221), (1346876860567, 7, 0)]
KINDS = ["cfx", "cdxj", "zipnum", "pbtree"]
TIME = "20120905171800"


def name_of(a):
    return "segment/%d/%d_%d.arc.gz" % a


def page(k, i):
    """Every fifth page is in all archives."""
    n = i if i % 5 == 0 else k * PER_ARCHIVE + i
    return "http://h%02d.example.com/dir%d/page-%d%s" % (
        n % 37, n % 3, n, "?q=%d" % n if n % 4 == 0 else "")


def put(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)


def write_archive(k, a):
    """Rows (url, archive, offset, length) of an archive that is written."""
    data = gzip.compress(b"filedesc://x.arc 0.0.0.0 20120905171800 text/plain "
                         b"77\n1 0 InternetArchive\nURL IP-address Archive-date "
                         b"Content-type Archive-length\n\n", 1)
    rows = []
    for i in range(PER_ARCHIVE):
        url = page(k, i)
        body = ("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>%s %d" %
                (url, k)).encode()
        member = gzip.compress(("%s 1.2.3.4 %s text/html %d\n" % (
            url, TIME, len(body))).encode() + body + b"\n", 1)
        rows.append((url, name_of(a), len(data), len(member)))
        data += member
    put(P + "/" + name_of(a), data)
    return rows


def surt(url):
    host, path = url[7:].split("/", 1)
    return ",".join(reversed(host.split("."))) + ")/" + path


def tree_key(url):
    host, path = url[7:].split("/", 1)
    return ("%s/%s:http" % (".".join(reversed(host.split("."))), path)).encode()


def tree_value(row):
    segment, rest = row[1][len("segment/"):-len(".arc.gz")].split("/")
    date, partition = rest.split("_")
    return struct.pack("<QQIQI", int(segment), int(date), int(partition),
                       row[2], row[3])


def cdxj_line(row):
    return "%s %s %s\n" % (surt(row[0]), TIME, json.dumps({
        "url": row[0], "mime": "text/html", "status": "200",
        "length": str(row[3]), "offset": str(row[2]), "filename": row[1]}))


def cdx_line(row):
    return "%s %s %s text/html 200 %s - - %d %d %s\n" % (
        surt(row[0]), TIME, row[0], "A" * 32, row[3], row[2], row[1])


def write_tree(rows):
    """Equal keys are not in the order of their values, and one key is of no
    URL: what others have published may be so."""
    items = [(tree_key(r[0]), tree_value(r)) for r in reversed(rows)]
    items.sort(key=lambda x: x[0])
    assert sorted(items) != items
    items.insert(0, (b"!no key of a URL", items[0][1]))
    put(P + "/tree", pbtree_ref.build(items, BLOCK))


def write_cluster(lines):
    members = [gzip.compress("".join(lines[i:i + 300]).encode(), 1)
               for i in range(0, len(lines), 300)]
    put(P + "/cdx-00000.gz", b"".join(members))
    at, out = 0, ""
    for i, m in enumerate(members):
        out += "%s\tcdx-00000.gz\t%d\t%d\t%d\n" % (
            " ".join(lines[300 * i].split(" ")[:2]), at, len(m), i + 1)
        at += len(m)
    put(P + "/cluster.idx", out.encode())


def index(*args, status=0):
    r = subprocess.run([CRAWLFS, "index", "-q", *args], cwd=D,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert r.returncode == status, "status %d: %s" % (r.returncode,
                                                      r.stderr[-400:])
    return r.stderr.decode()


def make():
    rows = []
    for k, a in enumerate(ARCHIVES):
        rows += write_archive(k, a)
    write_tree(rows)
    lines = sorted(map(cdxj_line, rows))
    put(P + "/lines.cdxj", "".join(lines).encode())
    put(P + "/mixed.cdxj", "".join(map(cdxj_line, rows)).encode())
    legend = " CDX N b a m s k r M S V g\n"
    put(P + "/lines.cdx", (legend + "".join(sorted(map(cdx_line,
                                                       rows)))).encode())
    put(P + "/lines.cdx.gz", gzip.compress((legend + "".join(map(
        cdx_line, rows))).encode()))
    write_cluster(lines)
    with open(P + "/table.csv", "w", newline="") as f:
        w = csv.writer(f)
        w.writerow(["url", "fetch_time", "warc_filename", "warc_record_offset",
                    "warc_record_length"])
        w.writerows((r[0], "2012-09-05 17:18:00", *r[1:]) for r in rows)
    put(D + "/arc.paths", "".join(name_of(a) + "\n"
                                  for a in ARCHIVES).encode())
    index("-o", "p/own.cfx", "p/segment")
    return rows


# ---- independent readers -----------------------------------------------------

def row_of_line(line):
    x = json.loads(line[line.index("{"):])
    return (x["url"], x["filename"], int(x["offset"]), int(x["length"]))


def read_cdxj(path):
    return open(path).readlines()


def read_zipnum(path):
    lines = []
    for line in open(path + "/cluster.idx"):
        _, shard, at, n, _ = line.rstrip("\n").split("\t")
        data = open(path + "/" + shard, "rb").read()[int(at):int(at) + int(n)]
        lines += gzip.decompress(data).decode().splitlines(True)
    return lines


def read_cfx(path):
    r = subprocess.run([CRAWLFS, "lookup", path, "/"], text=True,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert r.returncode == 0, r.stderr[-300:]
    return r.stdout.splitlines()


def read_tree(path):
    items = pbtree_ref.file_items([path], BLOCK, VALUE, True)
    assert [k for k, _ in items] == sorted(k for k, _ in items), "not in order"
    return items


def check(path, fmt, rows):
    if fmt == "pbtree":
        got = sorted(read_tree(path))
        want = sorted((tree_key(r[0]), tree_value(r)) for r in rows)
    else:
        got = {"cdxj": read_cdxj, "zipnum": read_zipnum,
               "cfx": read_cfx}[fmt](path)
        if fmt != "cfx":
            assert got == sorted(got), "not in order"
        got = sorted(map(row_of_line, got))
        want = sorted(rows)
    assert len(got) == len(want), "%d captures, right is %d" % (len(got),
                                                                len(want))
    assert got == want, "e.g. %s" % (sorted(set(got) ^ set(want))[:2],)


# ---- cases -------------------------------------------------------------------

def case(name, fn, *args):
    try:
        fn(*args)
        print("ok:", name)
    except AssertionError as e:
        print("FAILED: %s: %s" % (name, str(e).replace("\n", " ")))


def remove(path):
    if os.path.isdir(path):
        shutil.rmtree(path)
    elif os.path.exists(path):
        os.unlink(path)


def cell(inputs, fmt, rows):
    out = P + "/new"
    remove(out)
    index("--format=" + fmt, "-o", out, "--base=" + P, *inputs)
    check(out, fmt, rows)


def copied(inputs):
    out = P + "/new"
    remove(out)
    index("--format=pbtree", "-o", out, *inputs)
    same = open(out, "rb").read() == open(P + "/tree", "rb").read()
    assert same, "other bytes"


def elsewhere(rows):
    """An index elsewhere says where the archives are, since a PB-tree cannot."""
    out = D + "/tree.new"
    err = index("--format=pbtree", "-o", out, "p/own.cfx")
    assert "-o data=%s/p/" % os.path.realpath(D) in err, err
    check(out, "pbtree", rows)
    r = subprocess.run([CRAWLFS, "export", "-q", "--fields=url,text",
                        "--data=" + P, out], check=True,
                       stdout=subprocess.PIPE)
    got = [json.loads(x) for x in r.stdout.splitlines()]
    assert len(got) == len(rows)
    assert all(x["text"].split()[0] == x["url"] for x in got)


def no_place(rows):
    """A PB-tree names archives of 2012 below one folder, and no others."""
    for name in ("CC-MAIN-1.warc.gz", "segment/1/2.arc.gz",
                 "segment/01/2_3.arc.gz", "segment/1/2_4294967296.arc.gz",
                 "x/segment/1/2_3.arc.gz", "segments/1/2_3.arc.gz"):
        put(P + "/odd.cdxj", "".join(sorted(
            [cdxj_line(rows[0]), cdxj_line((rows[1][0], name, 1, 2))])).encode())
        out = P + "/new"
        remove(out)
        err = index("--format=pbtree", "-o", out, "p/odd.cdxj")
        assert name + ": left out" in err, err
        check(out, "pbtree", rows[:1])
    put(P + "/odd.cdxj", cdxj_line((rows[1][0], "a.warc.gz", 1, 2)).encode())
    remove(out)
    err = index("--format=pbtree", "-o", out, "p/odd.cdxj", status=1)
    assert "a.warc.gz: left out" in err, err
    assert not os.path.exists(out)


def newer(name):
    """WARC files have no place in a PB-tree, but in all else."""
    url = "http://example.com/warc"
    body = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>x"
    head = ("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\n"
            "WARC-Date: 2020-01-02T03:04:05Z\r\nWARC-Record-ID: <urn:uuid:1>\r\n"
            "Content-Type: application/http; msgtype=response\r\n"
            "Content-Length: %d\r\n\r\n" % (url, len(body))).encode()
    member = gzip.compress(head + body + b"\r\n\r\n", 1)
    put(D + "/w/a.warc.gz", member)
    if name.endswith("wacz"):
        subprocess.run([CRAWLFS, "copy", "-q", "-o", D + "/w/a.wacz",
                        D + "/w/a.warc.gz", "/"], check=True)
    for fmt in KINDS:
        out = D + "/w/new"
        remove(out)
        err = index("--format=" + fmt, "-o", out, "w/" + name,
                    status=1 if fmt == "pbtree" else 0)
        if fmt == "pbtree":
            assert "left out: a PB-tree knows only" in err, err
            continue
        lines = {"cdxj": read_cdxj, "zipnum": read_zipnum,
                 "cfx": read_cfx}[fmt](out)
        assert [row_of_line(l)[0] for l in lines] == [url], lines


def main():
    rows = make()
    inputs = ["segment", "own.cfx", "tree", "lines.cdx", "lines.cdx.gz",
              "lines.cdxj", "mixed.cdxj", "cluster.idx", "table.csv",
              "../arc.paths"]
    for name in inputs:
        for fmt in KINDS:
            if (name, fmt) == ("tree", "pbtree"):
                case("tree to pbtree, byte for byte", copied, ["p/tree"])
                continue
            case("%s to %s" % (name, fmt), cell,
                 [os.path.normpath("p/" + name)], fmt, rows)
    items = read_tree(P + "/tree")
    put(P + "/tree.two", pbtree_ref.build(items[1:], BLOCK))
    case("several inputs to cfx: each capture once", cell,
         ["p/own.cfx", "p/segment"], "cfx", rows)
    case("several inputs to pbtree: each capture once", cell,
         ["p/own.cfx", "p/tree.two", "p/segment", "p/mixed.cdxj"], "pbtree",
         rows)
    case("no places in a PB-tree", no_place, rows)
    case("archives elsewhere", elsewhere, rows)
    for name in ("a.warc.gz", "a.wacz"):
        case(name + " to all formats", newer, name)


main()
