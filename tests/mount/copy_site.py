#!/usr/bin/env python3
# copy_site.py - archives of captures that belong together, and what a copy of
# them has to have.  Uses nothing of crawlfs.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     copy_site.py make FOLDER           a.warc.gz, b.warc.gz: two hosts, the
#                                        second refers to the first
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


if __name__ == "__main__":
    {"make": make, "damage": damage, "kinds": kinds, "belongs": belongs}[
        sys.argv[1]](*sys.argv[2:])
