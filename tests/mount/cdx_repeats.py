#!/usr/bin/env python3
# cdx_repeats.py - an archive, and CDX files that list its records several times.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     cdx_repeats.py make FOLDER
#     cdx_repeats.py tree FOLDER MOUNT    names, inodes and bytes of the mount
#
# FOLDER gets a.warc.gz, plain.cdxj, plain.cdx, small.cdxj.gz and a ZipNum
# cluster zip/, and "once" files beside them without a repeat; want.json says
# which captures there are.
"""CDX files with repeated lines."""

import gzip
import hashlib
import json
import os
import sys

MEMBER = 7          # lines of a member of the cluster
RUN = 2000         # repeats of one line: more than two blocks of a plain file
PAGES = 60


def record(url, when, body):
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    text = ("WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:x:%s-%s>\r\n"
            "WARC-Date: %s-%s-%sT%s:%s:%sZ\r\nWARC-Target-URI: %s\r\n"
            "Content-Type: application/http; msgtype=response\r\n"
            "Content-Length: %d\r\n\r\n" % (
                url, when, when[:4], when[4:6], when[6:8], when[8:10],
                when[10:12], when[12:], url, len(head) + len(body))).encode()
    return gzip.compress(text + head + body + b"\r\n\r\n", mtime=0)


def captures():
    """name, time, body, how often it is listed"""
    out = []
    for i in range(PAGES):
        name = "p%02d" % i
        for k in range(i % 4 + 1):
            body = b"<p>%s %d" % (name.encode(), k)
            when = "2014010%d00000%d" % (k // 2 + 1, k % 2 if i % 3 else 0)
            out.append((name, when, body, (1, 2, 3, 1, 1, MEMBER + 1)[(i + k) % 6]))
    out.append(("m", "20140101000000", b"<p>many", RUN))
    out.append(("m", "20140101000001", b"<p>more", 2))
    return out


def lines(folder):
    """(line of CDXJ, line of CDX, how often), not sorted; what there is"""
    out, want, at = [], {}, 0
    with open(folder + "/a.warc.gz", "wb") as f:
        for name, when, body, times in captures():
            url = "http://a.example/" + name
            data = record(url, when, body)
            f.write(data)
            key = "example,a)/" + name
            more = {"url": url, "mime": "text/html", "status": "200",
                    "length": str(len(data)), "offset": str(at),
                    "filename": "a.warc.gz"}
            cdxj = "%s %s %s" % (key, when, json.dumps(more))
            cdx = "%s %s %s text/html 200 - - - %d %d a.warc.gz" % (
                key, when, url, len(data), at)
            out.append((cdxj, cdx, times))
            if times == 3:      # and once as another tool writes it
                more["mime"] = "text/plain"
                other = "%s %s %s" % (key, when, json.dumps(more, sort_keys=True))
                out.append((other.replace('"a.warc', '"\\u0061.warc'), None, 1))
            want.setdefault(name, []).append(hashlib.sha1(body).hexdigest())
            at += len(data)
    return out, want


def cluster(folder, rows):
    os.makedirs(folder)
    at = 0
    with open(folder + "/cdx-00000.gz", "wb") as f, \
            open(folder + "/cluster.idx", "w", encoding="ascii") as idx:
        for i in range(0, len(rows), MEMBER):
            text = "".join(x + "\n" for x in rows[i:i + MEMBER])
            data = gzip.compress(text.encode(), mtime=0)
            f.write(data)
            idx.write("%s\tcdx-00000.gz\t%d\t%d\t%d\n" % (
                " ".join(rows[i].split(" ")[:2]), at, len(data), i // MEMBER + 1))
            at += len(data)


def write(path, rows):
    with open(path, "w", encoding="ascii") as f:
        f.write("".join(x + "\n" for x in rows))


def make(folder):
    rows, want = lines(folder)
    cdxj = sorted(x for x, _, n in rows for _ in range(n))
    cdx = sorted(x for _, x, n in rows for _ in range(n) if x)
    write(folder + "/plain.cdxj", cdxj)
    write(folder + "/plain.cdx", cdx)
    with gzip.open(folder + "/small.cdxj.gz", "wb") as f:
        f.write("".join(x + "\n" for x in cdxj).encode())
    cluster(folder + "/zip", cdxj)
    write(folder + "/once.cdxj", sorted(x for x, y, _ in rows if y))
    with open(folder + "/want.json", "w", encoding="ascii") as f:
        json.dump(want, f)
    # what this test is about: repeats on both sides of the ends of blocks
    size = os.path.getsize(folder + "/plain.cdxj")
    assert size > 3 * 65536 and RUN * len(cdxj[0]) > 2 * 65536
    assert any(cdxj[i - 1] == cdxj[i] for i in range(MEMBER, len(cdxj), MEMBER))


def tree(folder, mount):
    """Each capture once, by a name of its own, which says what readdir says."""
    with open(folder + "/want.json", encoding="ascii") as f:
        want = json.load(f)
    top, got, seen = mount + "/example/a/_", {}, set()
    for e in os.scandir(top):
        assert e.inode() == e.stat().st_ino and e.inode() not in seen, e.name
        seen.add(e.inode())
        with open(e.path, "rb") as f:
            got.setdefault(e.name.split("#")[0], []).append(
                (e.name, hashlib.sha1(f.read()).hexdigest()))
    assert sorted(got) == sorted(want), (sorted(got), sorted(want))
    for name, bodies in want.items():
        assert sorted(x for _, x in got[name]) == sorted(bodies), (name, got[name])
        names = sorted(x for x, _ in got[name])
        assert len(set(names)) == len(bodies)
        for k in range(1, len(bodies)):
            os.stat("%s/%s#%d" % (top, name, k))
        assert not os.path.exists("%s/%s#%d" % (top, name, len(bodies))), name
        print(name, sorted(got[name]))


def main():
    return {"make": make, "tree": tree}[sys.argv[1]](*sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())
