#!/usr/bin/env python3
# side_crawl.py - small crawls with the crawl's own text and metadata.
#     side_crawl.py 2012 FOLDER    ARC files, textData and metadata files
#     side_crawl.py 2024 FOLDER    WARC, WET and WAT files
#     side_crawl.py published FOLDER ROWS    a metadata file of real records
# Each writes FOLDER/expect.json: a list of
#     [path in the tree, view, bytes in hex or null, "crawl" or "computed"]
# made from what was written, not from what crawlfs says.
# SPDX-License-Identifier: GPL-3.0-or-later
import json
import os
import sys
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import seqfile_ref as seq

SEGMENT = "1346823845675"


def gz(data):
    c = zlib.compressobj(6, zlib.DEFLATED, 31)
    return c.compress(data) + c.flush()


class Crawl:
    def __init__(self, top):
        self.top = top
        self.expect = []

    def put(self, name, data):
        path = os.path.join(self.top, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(data)

    def want(self, path, view, data, source="crawl"):
        self.expect.append([path, view, None if data is None else data.hex(),
                            source])

    def done(self):
        self.put("expect.json", json.dumps(self.expect).encode())


# ---- 2012 ----

def arc_record(url, body):
    http = b"HTTP/1.1 200 OK\r\nContent-Type:text/html\r\n\r\n" + body
    return gz(b"%s 1.2.3.4 20120905130938 text/html %d\n%s\n" %
              (url.encode(), len(http) + 1, http))


def arc_file(name, pages):
    """The file, and where each page lies in it."""
    block = b"1 0 CommonCrawl\nURL IP-address Archive-date Content-type " \
            b"Archive-length\n\n"
    out = gz(b"filedesc://%s 0.0.0.0 20120905130938 text/plain 73\n%s" %
             (name.encode(), block))
    places = []
    for url, body in pages:
        r = arc_record(url, body)
        places.append((len(out), len(r)))
        out += r
    return out, places


def metadata(url, date, partition, place, result=200):
    m = {"attempt_time": 1346850578123, "disposition": "SUCCESS",
         "http_result": result, "http_headers": {"x": "}{\"archiveInfo\""},
         "content": {"type": "html-doc", "title": "of %s" % url,
                     "links": [{"href": "a\\"}]}}
    if place is not None:
        m["archiveInfo"] = {"arcSourceSegmentId": int(SEGMENT),
                            "arcFileDate": date, "arcFileParition": partition,
                            "arcFileOffset": place[0],
                            "compressedSize": place[1]}
    return json.dumps(m).encode()


def crawl_2012(top):
    c = Crawl(top)
    # one URL three times: twice in partition 3, once in partition 4
    pages = {3: ["http://a.org/", "http://a.org/twice", "http://b.org/x?q=1",
                 "http://a.org/twice", "http://a.org/none"],
             4: ["http://a.org/twice", "http://a.org/caf%C3%A9"]}
    dates = {3: 1346850578000, 4: 1346850579000}
    base = "segment/%s/" % SEGMENT
    texts, metas = {3: [], 4: []}, {3: [], 4: []}
    for p, urls in pages.items():
        name = "%d_%d.arc.gz" % (dates[p], p)
        data, places = arc_file(name, [
            (u, b"<p>page %d of %d</p>" % (i, p)) for i, u in enumerate(urls)])
        c.put(base + name, data)
        for i, u in enumerate(urls):
            if u.endswith("none"):
                continue
            texts[p].append((u.encode(), b"text %d of partition %d\n" % (i, p)
                             * (1 + 500 * i)))
            metas[p].append((u.encode(), metadata(u, dates[p], p, places[i])))
    metas[3].append((b"http://failed.org/", metadata("http://failed.org/", 0,
                     0, None)))
    metas[3].append((b"http://gone.org/arc", metadata("http://gone.org/arc",
                     1346850570000, 9, (100, 20))))
    texts[4].append((b"http://only.org/text", b"only a text"))
    texts[4].append((b"http://both.org/", b"text and metadata"))
    metas[4].append((b"http://both.org/", metadata("http://both.org/",
                     1346850570000, 9, (500, 20))))
    texts[4].append((b"junk", b"no URL"))
    # textData-3 small blocks with gzip, the rest each another kind of file
    c.put(base + "textData-00003", seq.write(texts[3], is_block=True,
          codec="GzipCodec", block_bytes=60))
    c.put(base + "textData-00004", seq.write(texts[4], codec="DefaultCodec",
          value=seq.TEXT_BYTES))
    c.put(base + "metadata-00003", seq.write(metas[3], is_block=True,
          codec="GzipCodec"))
    c.put(base + "metadata-00004", seq.write(metas[4]))
    t3, t4 = [v for _, v in texts[3]], [v for _, v in texts[4]]
    m3, m4 = [v for _, v in metas[3]], [v for _, v in metas[4]]
    for path, t, m in (
            ("org/a/_/_index", t3[0], m3[0]), ("org/b/_/x?q=1", t3[2], m3[2]),
            ("org/a/_/caf%C3%A9", t4[1], m4[1]),
            # all captures of /twice have one date: in the order of archives
            ("org/a/_/twice#1", t3[1], m3[1]), ("org/a/_/twice#2", t3[3], m3[3]),
            ("org/a/_/twice", t4[0], m4[0]),
            ("org/both/_/_index", t4[3], m4[2])):
        c.want(path, "txt", t)
        c.want(path, "meta", m)
    c.want("org/a/_/none", "txt", b"page 4 of 3\n", "computed")
    c.want("org/a/_/none", "meta", None, "computed")
    c.want("org/a/_/_index", "raw", b"<p>page 0 of 3</p>", None)
    c.want("org/only/_/text", "raw", t4[2], None)
    c.want("org/only/_/text", "txt", t4[2])
    c.want("org/only/_/text", "meta", None, "computed")
    c.want("org/both/_/_index", "raw", t4[3], None)
    c.want("org/gone/_/arc", "raw", b"", None)
    c.want("org/gone/_/arc", "txt", b"", "computed")
    c.want("org/gone/_/arc", "meta", m3[5])
    c.done()


# ---- 2024 ----

def warc(kind, rid, url, date, ctype, block, extra=()):
    h = [("WARC-Type", kind), ("WARC-Target-URI", url), ("WARC-Date", date),
         ("WARC-Record-ID", "<urn:uuid:%s>" % rid)]
    h += list(extra) + [("Content-Type", ctype),
                        ("Content-Length", str(len(block)))]
    return gz(b"WARC/1.0\r\n" + "".join("%s: %s\r\n" % f for f in h).encode() +
              b"\r\n" + block + b"\r\n\r\n")


def wat_json(kind, date, url, status):
    pay = {"Actual-Content-Type": "application/http; msgtype=" + kind}
    if kind == "response":
        pay["HTTP-Response-Metadata"] = {
            "Response-Message": {"Status": status, "Reason": "OK"},
            "HTML-Metadata": {"Links": [{"path": "A@/href", "url": "\\\"}"}]}}
    return json.dumps({"Container": {"Offset": "0"}, "Envelope": {
        "Payload-Metadata": pay, "WARC-Header-Metadata": {
            "WARC-Type": kind, "WARC-Date": date, "WARC-Target-URI": url}}},
        ensure_ascii=False).encode()


def crawl_2024(top):
    c = Crawl(top)
    arch, wet, wat = [], [], []
    dates = ["2024-05-18T01:58:%02dZ" % s for s in range(60)]
    made = "2024-05-31T00:00:00Z"

    def page(n, url, date, in_warc=True, text=None, meta=True):
        rid = "%032x" % n
        ref = [("WARC-Refers-To", "<urn:uuid:%s>" % rid)]
        block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>body %d" % n
        if in_warc:
            arch.append(warc("request", "%032x" % (n + 1000), url, date,
                        "application/http; msgtype=request", b"GET / HTTP/1.1\r\n\r\n"))
            arch.append(warc("response", rid, url, date,
                        "application/http; msgtype=response", block))
        if text is not None:
            wet.append(warc("conversion", "%032x" % (n + 2000), url, date,
                            "text/plain", text, ref))
        m = None
        if meta:
            wat.append(warc("metadata", "%032x" % (n + 4000), url, made,
                       "application/json", wat_json("request", date, url, None),
                       [("WARC-Refers-To", "<urn:uuid:%032x>" % (n + 1000))]))
            m = wat_json("response", date, url, "200")
            wat.append(warc("metadata", "%032x" % (n + 3000), url, made,
                            "application/json", m, ref))
        return m

    t = [b"text  %d \xe2\x82\xac, not folded\n\n  end" % i for i in range(20)]
    m1 = page(1, "https://a.org/x", dates[1], text=t[1])
    m2 = page(2, "https://a.org/x", dates[2], text=t[2])
    m3 = page(3, "http://a.org/x", dates[3], text=None)
    m4 = page(4, "http://gone.org/y", dates[4], in_warc=False, text=t[4])
    m5 = page(5, "http://gone.org/z", dates[5], in_warc=False)
    page(6, "http://a.org/plain", dates[6], text=None, meta=False)
    # metadata of another kind is not one of ours
    arch.append(warc("metadata", "f" * 32, "http://a.org/plain", dates[6],
                     "application/warc-fields", b"fetchTimeMs: 1\r\n",
                     [("WARC-Refers-To", "<urn:uuid:%032x>" % 6)]))
    info = [warc("warcinfo", "e" * 32, "", made, "application/warc-fields",
                 b"x: y\r\n")]
    c.put("warc/CC-1.warc.gz", b"".join(info + arch))
    c.put("wet/CC-1.warc.wet.gz", b"".join(info + wet))
    c.put("wat/CC-1.warc.wat.gz", b"".join(info + wat))
    for path, text, meta in (("org/a/_/x#1", t[1], m1), ("org/a/_/x#2", t[2], m2),
                             ("org/gone/_/y", t[4], m4)):
        c.want(path, "txt", text)
        c.want(path, "meta", meta)
    c.want("org/a/_/x", "txt", b"body 3\n", "computed")
    c.want("org/a/_/x", "meta", m3)
    c.want("org/a/_/x#1", "raw", b"<p>body 1", None)
    c.want("org/gone/_/y", "raw", t[4], None)
    c.want("org/gone/_/z", "raw", b"", None)
    c.want("org/gone/_/z", "txt", b"", "computed")
    c.want("org/gone/_/z", "meta", m5)
    c.want("org/a/_/plain", "txt", b"body 6\n", "computed")
    c.want("org/a/_/plain", "meta", None, "computed")
    c.done()


def published(top, rows):
    """Rows of URL TAB JSON, as found in the crawl's own files."""
    c = Crawl(top)
    pairs = []
    with open(rows, "rb") as f:
        for line in f:
            pairs.append(tuple(line.rstrip(b"\n").split(b"\t", 1)))
    c.put("metadata-00000", seq.write(pairs, is_block=True, codec="GzipCodec",
                                      block_bytes=100000))
    for url, text in pairs:
        path = url.split(b"://", 1)[1].decode()
        host, _, rest = path.partition("/")
        parts = rest.split("/")
        # the plain cases of the naming rules are enough here
        if "archiveInfo" not in json.loads(text) or ":" in host or \
                any(p.startswith("_") or "#" in p or len(p) > 150
                    for p in parts) or "" in parts[:-1] or host[0] == "_":
            continue
        parts[-1] = parts[-1] or "_index"
        c.want("/".join(host.lower().split(".")[::-1] + ["_"] + parts),
               "meta", text)
    assert len(c.expect) > 25, len(c.expect)
    c.done()


if __name__ == "__main__":
    {"2012": crawl_2012, "2024": crawl_2024,
     "published": published}[sys.argv[1]](*sys.argv[2:])
