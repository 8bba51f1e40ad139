#!/usr/bin/env python3
# grow_crawl.py - a small crawl whose records belong together across files.
#     grow_crawl.py FOLDER
# writes into FOLDER
#     a-pages, z-pages   pages, with requests and metadata beside them; in both
#                        a page of one URL and second
#     m-revisits         revisits of pages of both, by id, by digest, by URI
#     wet, wat           texts and metadata of pages of both, by id; of no page
#     shots              screenshots of pages of both, by time; of no page
#     far                a request of a page of a-pages, by id
#     twice              copies of records of a-pages, with the same ids
# (.warc.gz each), and expect.tsv: what a mount shows, path TAB SHA-1 of the
# bytes, made from what was written, not from what crawlfs says.
# SPDX-License-Identifier: GPL-3.0-or-later
import base64
import hashlib
import os
import sys
import zlib


def gz(data):
    c = zlib.compressobj(6, zlib.DEFLATED, 31)
    return c.compress(data) + c.flush()


def uuid(text):
    h = hashlib.sha1(text.encode()).hexdigest()
    return "<urn:uuid:%s-%s-%s-%s-%s>" % (h[:8], h[8:12], h[12:16], h[16:20],
                                          h[20:32])


def digest(body):
    return "sha1:" + base64.b32encode(hashlib.sha1(body).digest()).decode()


def record(kind, url, second, name, block, **fields):
    head = ["WARC/1.0", "WARC-Type: " + kind,
            "WARC-Date: 2024-03-05T10:%02d:%02dZ" % divmod(second, 60),
            "WARC-Record-ID: " + uuid(name)]
    if url:
        head.append("WARC-Target-URI: " + url)
    for key, value in fields.items():
        head.append("%s: %s" % (key.replace("_", "-"), value))
    head.append("Content-Length: %d" % len(block))
    return gz("\r\n".join(head).encode() + b"\r\n\r\n" + block + b"\r\n\r\n")


def http(body):
    return (b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
            b"Content-Length: %d\r\n\r\n" % len(body)) + body


def page_url(which, i):
    return "http://www.%s%d.example.org/dir/page-%d.html" % (which, i % 7, i)


def body_of(which, i):
    return ("<html><title>%s %d</title><body><p>words of page %d in %s"
            "</p></body></html>" % (which, i, i, which)).encode() * (1 + i % 3)


def page(which, i, url=None, second=None):
    url = url or page_url(which, i)
    second = i % 3000 if second is None else second
    body, name = body_of(which, i), "%s-%d" % (which, i)
    out = record("request", url, second, "q" + name, b"GET / HTTP/1.1\r\n\r\n",
                 WARC_Concurrent_To=uuid(name),
                 Content_Type="application/http; msgtype=request")
    out += record("response", url, second, name, http(body),
                  Content_Type="application/http; msgtype=response",
                  WARC_Payload_Digest=digest(body))
    return out + record("metadata", url, second, "m" + name, b"via: nothing\r\n",
                        WARC_Concurrent_To=uuid(name),
                        Content_Type="application/warc-fields")


class Crawl:
    def __init__(self, top, n):
        self.top, self.n, self.expect, self.files = top, n, {}, {}
        self.twice = {page_url("a", i) for i in range(0, n, 10)}

    def put(self, name, data):
        self.files.setdefault(name, []).append(data)

    def want(self, url, view, data):
        if view and url in self.twice:  # one of the two has it
            return
        host, path = url.split("/", 3)[2:]
        tree = "/".join(reversed(host.split("."))) + "/_/" + path
        self.expect[tree + view] = hashlib.sha1(data).hexdigest()

    def pages(self):
        for which in "az":
            for i in range(self.n):
                self.put(which + "-pages", page(which, i))
                self.want(page_url(which, i), "", body_of(which, i))
        both = "http://both.example.org/same"
        self.put("a-pages", page("a", self.n, both, 5))
        self.put("z-pages", page("z", self.n, both, 5))

    def revisits(self):
        for i in range(0, self.n, 3):
            which = "az"[i % 2]
            url = "http://revisits.example.org/r/%d" % i
            body = body_of(which, i)
            fields = [{"WARC_Refers_To": uuid("%s-%d" % (which, i))},
                      {"WARC_Payload_Digest": digest(body)},
                      {"WARC_Payload_Digest": digest(body),
                       "WARC_Refers_To_Target_URI": page_url(which, i),
                       "WARC_Refers_To_Date": "2024-03-05T10:%02d:%02dZ" %
                       divmod(i % 3000, 60)}][i // 3 % 3]
            self.put("m-revisits", record(
                "revisit", url, 3000 + i % 500, "r-%d" % i,
                b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n",
                Content_Type="application/http; msgtype=response",
                WARC_Profile="http://netpreserve.org/warc/1.0/revisit/"
                "identical-payload-digest", **fields))
            self.want(url, "", body)
        lost = "http://revisits.example.org/lost"
        self.put("m-revisits", record(
            "revisit", lost, 1, "r-lost", b"HTTP/1.1 200 OK\r\n\r\n",
            Content_Type="application/http; msgtype=response",
            WARC_Payload_Digest=digest(b"nowhere")))
        self.want(lost, "", b"")

    def sides(self):
        for i in range(0, self.n, 2):
            which = "az"[i // 2 % 2]
            url, name = page_url(which, i), uuid("%s-%d" % (which, i))
            text = b"the crawl's text of %d\n" % i
            self.put("wet", record("conversion", url, i % 3000, "wet%d" % i,
                                   text, Content_Type="text/plain",
                                   WARC_Refers_To=name))
            self.want(url, ".txt", text)
            json = (b'{"Envelope":{"WARC-Header-Metadata":{"WARC-Type":'
                    b'"response","WARC-Date":"2024-03-05T10:00:00Z"},'
                    b'"Number":%d}}' % i)
            self.put("wat", record("metadata", url, i % 3000, "wat%d" % i,
                                   json, Content_Type="application/json",
                                   WARC_Refers_To=name))
            self.want(url, ".meta", json)
        alone = "http://alone.example.org/text"
        self.put("wet", record("conversion", alone, 1, "alone", b"alone\n",
                               Content_Type="text/plain",
                               WARC_Refers_To=uuid("nothing")))
        self.want(alone, "", b"alone\n")

    def shots(self):
        for i in range(0, self.n, 5):
            for which in "az":
                url, png = page_url(which, i), b"\x89PNG\r\n\x1a\n%d" % i
                self.put("shots", record("resource", "urn:view:" + url,
                                         i % 3000 + 2, "s%s%d" % (which, i),
                                         png, Content_Type="image/png"))
                self.want(url, ".view.png", png)
        self.put("shots", record("resource",
                                 "urn:view:http://alone.example.org/shot", 9,
                                 "lone-shot", b"\x89PNG\r\n\x1a\n",
                                 Content_Type="image/png"))

    def others(self):
        url, body = "http://far.example.org/page", b"far away"
        self.put("a-pages", record("response", url, 77, "far", http(body),
                                   Content_Type="application/http; "
                                   "msgtype=response",
                                   WARC_Payload_Digest=digest(body)))
        self.want(url, "", body)
        request = b"GET /page HTTP/1.1\r\nHost: far.example.org\r\n\r\n"
        self.put("far", record("request", url, 77, "qfar", request,
                               WARC_Concurrent_To=uuid("far"),
                               Content_Type="application/http; "
                               "msgtype=request"))
        self.want(url, ".request", request)
        for i in range(0, self.n, 10):
            self.put("twice", page("a", i))

    def write(self):
        for name, parts in self.files.items():
            with open(os.path.join(self.top, name + ".warc.gz"), "wb") as f:
                f.write(b"".join(parts))
        with open(os.path.join(self.top, "expect.tsv"), "w") as f:
            for path, sha1 in sorted(self.expect.items()):
                f.write("%s\t%s\n" % (path, sha1))


def main():
    top = sys.argv[1]
    os.makedirs(top, exist_ok=True)
    crawl = Crawl(top, int(sys.argv[2]) if len(sys.argv) > 2 else 60)
    crawl.pages()
    crawl.revisits()
    crawl.sides()
    crawl.shots()
    crawl.others()
    crawl.write()


main()
