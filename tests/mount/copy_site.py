#!/usr/bin/env python3
# copy_site.py - archives of captures that belong together, and what a copy of
# them has to have.  Uses nothing of crawlfs.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     copy_site.py make FOLDER           a.warc.gz, b.warc.gz: two hosts, the
#                                        second refers to the first
#     copy_site.py equal FOLDER          a.warc.gz, b.warc.gz, c.arc.gz: equal
#                                        payloads in all the ways there are
#     copy_site.py big FOLDER            a.warc.gz, b.warc.gz: many equal ones
#     copy_site.py revisits COPY FOLDER  each record of FOLDER is in COPY, or is
#                                        there a revisit with its head, whose
#                                        original has its payload; prints how
#                                        many are whole and how many revisits
#     copy_site.py damage FOLDER         one of the captures referred to
#     copy_site.py kinds COPY            number of records of each type, and of
#                                        warcinfo records that crawlfs wrote
#     copy_site.py belongs COPY FOLDER   every record of FOLDER whose URL has
#                                        "wanted" is in COPY, once, byte for byte,
#                                        behind its archive's warcinfo, and no
#                                        record that has "unwanted"
import base64
import collections
import gzip
import hashlib
import io
import json
import os
import sys
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "model"))
import record_reader as rr                                      # noqa: E402

PROFILE = "http://netpreserve.org/warc/1.1/revisit/"


def sha1(data):
    return "sha1:" + base64.b32encode(hashlib.sha1(data).digest()).decode()


class Archive:
    def __init__(self, path):
        self.path, self.out, self.n = path, io.BytesIO(), 0
        self.name = os.path.basename(path)

    def add(self, kind, url, second, block, **more):
        self.n += 1
        date = "2024-03-04T05:%02d:%02dZ" % divmod(second, 60)
        fields = {"WARC-Type": kind, "WARC-Date": date,
                  "WARC-Record-ID": "<urn:uuid:%s-%d>" % (self.name, self.n)}
        if url:
            fields["WARC-Target-URI"] = url
        if kind in ("response", "revisit"):
            fields["Content-Type"] = "application/http; msgtype=response"
        fields.update((k.replace("_", "-"), v) for k, v in more.items())
        fields["WARC-Block-Digest"] = sha1(block)
        fields["Content-Length"] = str(len(block))
        head = "WARC/1.1\r\n" + "".join(
            "%s: %s\r\n" % i for i in fields.items()) + "\r\n"
        at = self.out.tell()
        self.out.write(gzip.compress(head.encode() + block + b"\r\n\r\n",
                                     mtime=0))
        return fields["WARC-Record-ID"], date, at

    def page(self, url, second, body, head=b"", **more):
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" + head + b"\r\n"
        return self.add("response", url, second, head + body,
                        WARC_Payload_Digest=sha1(body), **more)

    def revisit(self, url, second, body, to_url, to_date, **more):
        return self.add(
            "revisit", url, second,
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Of: %d\r\n\r\n"
            % second, WARC_Profile=PROFILE + "identical-payload-digest",
            WARC_Payload_Digest=sha1(body), WARC_Refers_To_Target_URI=to_url,
            WARC_Refers_To_Date=to_date, **more)

    def close(self):
        with open(self.path, "wb") as f:
            f.write(self.out.getvalue())


def make(folder):
    a = Archive(os.path.join(folder, "a.warc.gz"))
    b = Archive(os.path.join(folder, "b.warc.gz"))
    one, two, bad = b"<p>wanted one", b"<p>wanted two", b"<p>damaged"
    for archive in a, b:
        archive.add("warcinfo", "", 0, b"software: a test\r\n",
                    Content_Type="application/warc-fields")
    # in another archive and of another host than what refers to them
    first = a.page("http://first.org/wanted/one", 10, one)
    a.add("request", "http://first.org/wanted/one", 10, b"GET /one HTTP/1.1\r\n"
          b"\r\n", WARC_Concurrent_To=first[0],
          Content_Type="application/http; msgtype=request")
    a.page("http://first.org/unwanted", 11, b"<p>unwanted")
    damaged = a.page("http://first.org/damaged", 12, bad)
    a.add("resource", "urn:view:http://second.net/wanted/page", 21, b"\x89PNG",
          Content_Type="image/png")
    b.add("request", "http://second.net/wanted/page", 20, b"GET / HTTP/1.1\r\n"
          b"\r\n", Content_Type="application/http; msgtype=request")
    page = b.page("http://second.net/wanted/page", 20, two)
    b.add("metadata", "http://second.net/wanted/page", 20, b"via: x\r\n",
          Content_Type="application/warc-fields", WARC_Concurrent_To=page[0])
    b.add("request", "http://third.com/unwanted", 20, b"GET / HTTP/1.1\r\n\r\n",
          Content_Type="application/http; msgtype=request")
    b.page("http://third.com/unwanted", 20, b"<p>unwanted, too")
    link = b.revisit("http://third.com/wanted/link", 30, one,
                     "http://first.org/wanted/one", first[1])
    b.revisit("http://second.net/wanted/chain", 31, one,
              "http://third.com/wanted/link", link[1])
    b.revisit("http://second.net/wanted/picked", 32, two,
              "http://second.net/wanted/page", page[1])
    b.revisit("http://second.net/wanted/absent", 33, b"nowhere",
              "http://nowhere.org/", "2020-01-01T00:00:00Z")
    b.revisit("http://second.net/wanted/damaged", 34, bad,
              "http://first.org/damaged", damaged[1])
    for archive in a, b:
        archive.close()


def chunked(data, n):
    return b"".join(b"%x\r\n%s\r\n" % (len(data[i:i + n]), data[i:i + n])
                    for i in range(0, len(data), n)) + b"0\r\n\r\n"


def arc_bodies():
    page = b"<html><title>\xe4</title><p>" + b"All the same. " * 60
    return page, page, b"<html><p>Another page." * 40 + b"a"


def equal(folder):
    """Equal payloads; "whole" in a URL: this record must not be a revisit."""
    page, _, other = arc_bodies()
    other = other[:-1]
    packed = gzip.compress(page, mtime=0)
    te = b"Transfer-Encoding: chunked\r\n"
    ce = b"Content-Encoding: gzip\r\n"
    for name, second in ("a", 0), ("b", 1000):
        w = Archive(os.path.join(folder, name + ".warc.gz"))
        site = "http://%s.org/" % name
        whole = site + ("whole/" if name == "a" else "")
        w.add("warcinfo", "", second, b"software: a test\r\n",
              Content_Type="application/warc-fields")
        first = w.page(whole + "plain", second + 1, page)
        w.page(site + "plain2", second + 2, page, b"X-Own: head\r\n",
               WARC_IP_Address="10.0.0.1")
        w.page(whole + "packed", second + 3, packed, ce)
        w.page(site + "packed2", second + 4, packed, ce)
        # equal payload, other chunks: the digest is that of what was sent
        w.page(whole + "chunks", second + 5, chunked(page, 100), te)
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" + te
        w.add("response", site + "chunks2", second + 6,
              head + b"\r\n" + chunked(page, 333))
        w.page(whole + "both", second + 7, chunked(packed, 50), te + ce)
        w.page(site + "both2", second + 8, chunked(packed, 50), ce + te)
        w.add("response", site + "other-status", second + 9,
              b"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n" +
              page)
        # none of these may change
        w.page("http://%s.org/whole/empty" % name, second + 10, b"")
        w.add("response", "http://%s.org/whole/digest" % name, second + 11,
              b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + page,
              WARC_Payload_Digest=sha1(b"something else"))
        w.page("http://%s.org/whole/cut" % name, second + 12, page[:400],
               WARC_Truncated="length")
        w.add("resource", "http://%s.org/whole/resource" % name, second + 13,
              page, Content_Type="text/html")
        w.page("http://%s.org/whole/bad-chunks" % name, second + 14,
               chunked(page, 100)[:-20], te)
        w.page("http://%s.org/whole/other" % name, second + 15,
               other + name.encode())
        # what a revisit of the source refers to stays whole
        kept = w.page("http://%s.org/whole/kept" % name, second + 16, page)
        w.revisit("http://%s.org/old" % name, second + 17, page,
                  "http://%s.org/whole/kept" % name, kept[1])
        w.add("request", site + "plain2", second + 2, b"GET / HTTP/1.1\r\n\r\n",
              Content_Type="application/http; msgtype=request")
        w.close()
        assert first
    arc = b""
    for n, body in enumerate(arc_bodies()):
        block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
        line = b"http://c.org/page%d 10.0.0.1 2024030407000%d text/html %d\n" % (
            n, n, len(block))
        arc += gzip.compress(line + block + b"\n", mtime=0)
    info = b"1 0 test\nURL IP-address Archive-date Content-type Archive-length\n"
    with open(os.path.join(folder, "c.arc.gz"), "wb") as f:
        f.write(gzip.compress(b"filedesc://c.arc 0.0.0.0 20240304070000 "
                              b"text/plain %d\n%s\n" % (len(info), info),
                              mtime=0) + arc)


def big(folder):
    """Pages of 20 kB that nothing compresses, each twice."""
    for name in "a", "b":
        w = Archive(os.path.join(folder, name + ".warc.gz"))
        for n in range(300):
            body = b"".join(hashlib.sha512(b"%d %d" % (n, k)).digest()
                            for k in range(313))
            w.page("http://%s.com/%d" % (name, n), n, body)
        w.close()


def field(rec, name):
    return dict(rec.warc).get(name.lower().encode(), b"").strip(b"<>")


def split_http(block):
    """(head, payload without chunks)."""
    head, body = block.split(b"\r\n\r\n", 1)
    out = body
    if b"chunked" in head:
        out, rest = b"", body
        while b"\r\n" in rest:
            size, rest = rest.split(b"\r\n", 1)
            n = int(size, 16)
            if n == 0 or len(rest) < n:
                break
            out, rest = out + rest[:n], rest[n + 2:]
    return head, out


def revisits(copy, folder):
    have, n_whole, n_revisits = {}, 0, 0
    for rec, plain in records(copy):
        have.setdefault((rec.kind == "request", rec.url, rec.time), []).append(
            (rec, plain))
    by_id = {}
    for v in have.values():
        for rec, plain in v:
            by_id[field(rec, "WARC-Record-ID")] = rec
    for name in sorted(os.listdir(folder)):
        for rec, plain in records(os.path.join(folder, name)):
            if rec.kind in ("warcinfo", "filedesc") or \
                    plain.startswith(b"filedesc"):
                continue
            got = have.get((rec.kind == "request", rec.url, rec.time), [])
            assert len(got) == 1, (rec.url, len(got))
            got, got_plain = got[0]
            if got_plain == plain or got.block.rstrip() == rec.block.rstrip():
                n_whole += 1
                continue
            assert b"whole" not in rec.url, rec.url
            assert got.kind == "revisit", (rec.url, got.kind)
            n_revisits += 1
            first = by_id[field(got, "WARC-Refers-To")]
            assert first.kind == "response", first.url
            assert field(got, "WARC-Refers-To-Target-URI") == first.url
            assert field(got, "WARC-Refers-To-Date") == \
                field(first, "WARC-Date")
            assert field(got, "WARC-Profile").endswith(
                b"/revisit/identical-payload-digest")
            block = rec.block
            if name.endswith(".arc.gz"):        # the line end behind it
                block = block.rstrip(b"\n")
            head, body = split_http(block)
            assert split_http(got.block) == (head, b""), rec.url
            assert split_http(first.block)[1] == body, rec.url
            for f in "WARC-IP-Address", "WARC-Record-ID":
                assert name.endswith(".arc.gz") or field(got, f) == \
                    field(rec, f), (rec.url, f)
            assert sha1(got.block) == \
                field(got, "WARC-Block-Digest").decode(), rec.url
    print(n_whole, n_revisits)


def damage(folder):
    path = os.path.join(folder, "a.warc.gz")
    for at, _, plain in list(rr.members(open(path, "rb"))):
        if rr.parse(plain).url == b"http://first.org/damaged":
            with open(path, "r+b") as f:
                f.seek(at + 40)
                f.write(b"\xff" * 8)


def open_archive(path):
    if path.endswith(".wacz"):
        return io.BytesIO(zipfile.ZipFile(path).read("archive/data.warc.gz"))
    return open(path, "rb")


def records(path):
    """(record, its bytes) of each; members that are damaged are left out."""
    with open_archive(path) as f:
        data = f.read()
    at = 0
    while at < len(data):
        d = rr.zlib.decompressobj(31)
        try:
            plain = d.decompress(data[at:])
            end = len(data) - len(d.unused_data)
        except rr.zlib.error:
            end = data.find(b"\x1f\x8b\x08\x00\x00\x00\x00\x00", at + 1)
            plain = None
        if plain is not None:
            yield rr.parse(plain), plain
        at = end


def is_ours(plain):
    return b"software: crawlfs" in plain


def kinds(path):
    n = collections.Counter(
        "own" if is_ours(plain) else rec.kind for rec, plain in records(path))
    print(" ".join("%s=%d" % i for i in sorted(n.items())))


def belongs(copy, folder):
    got = [plain for _, plain in records(copy) if not is_ours(plain)]
    want = []
    for name in "a.warc.gz", "b.warc.gz":
        found = [plain for rec, plain in records(os.path.join(folder, name))
                 if rec.kind == "warcinfo" or b"/wanted" in rec.url]
        want += found
    if got != want:
        for plain in set(want) - set(got):
            print("missing:", plain[:300])
        for plain in set(got) - set(want):
            print("too many:", plain[:300])
        sys.exit("%d records, not %d, or in another order" % (
            len(got), len(want)))


def digests(folder):
    """Compares lines of CDXJ on standard input: each has the digest that its
    record states, else that of its payload as it is stored, with chunks; a record
    that is cut has none."""
    want, got = set(), set()
    for name in "a.warc.gz", "b.warc.gz":
        for rec, plain in records(os.path.join(folder, name)):
            if rec.kind not in ("response", "resource", "revisit"):
                continue
            digest = field(rec, "WARC-Payload-Digest").decode()
            if not digest and not field(rec, "WARC-Truncated"):
                body = rec.block if rec.kind == "resource" else \
                    rec.block.split(b"\r\n\r\n", 1)[1]
                digest = sha1(body)
            want.add((rec.url.decode(), digest.removeprefix("sha1:")))
    for n, body in enumerate(arc_bodies()):
        want.add(("http://c.org/page%d" % n, sha1(body)[5:]))
    for line in sys.stdin:
        fields = json.loads(line.split(" ", 2)[2])
        got.add((fields["url"], fields.get("digest", "")))
    if got != want:
        sys.exit("%r" % sorted(got ^ want)[:6])


COMMANDS = {"make": make, "digests": digests, "equal": equal, "big": big, "revisits": revisits,
            "damage": damage, "kinds": kinds, "belongs": belongs}

if __name__ == "__main__":
    COMMANDS[sys.argv[1]](*sys.argv[2:])
