#!/usr/bin/env python3
# views_make.py - one crawl with all views, as sources of many kinds.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     views_make.py FOLDER
"""Writes archives with pages that have every view, names that clash with views,
several captures, and pages of which there are only records about them."""

import gzip
import os
import sys

PNG = b"\x89PNG\r\n\x1a\n" + bytes(40)
JPEG = b"\xff\xd8\xff\xe0" + bytes(40)
MD = ".md"
SITE = "http://example.com/"
count = page_of_a = 0


def record(kind, url, block, mime, extra=(), date="2024-01-01T00:00:00Z"):
    global count
    count += 1
    block = block if isinstance(block, bytes) else block.encode()
    head = ["WARC/1.1", "WARC-Type: " + kind, "WARC-Date: " + date,
            "WARC-Record-ID: <urn:uuid:%d>" % count, "Content-Type: " + mime,
            "Content-Length: %d" % len(block)]
    head += ["WARC-Target-URI: " + url] if url else []
    return ("\r\n".join(head + list(extra)) + "\r\n\r\n").encode() + \
        block + b"\r\n\r\n"


def page(path, text, date="2024-01-01T00:00:00Z"):
    body = "<title>%s</title><p>%s" % (path, text)
    return record("response", SITE + path, "HTTP/1.1 200 OK\r\nContent-Type: "
                  "text/html\r\nContent-Length: %d\r\n\r\n%s" % (
                      len(body), body), "application/http; msgtype=response",
                  date=date)


def about(path):
    """All that a browser's crawl keeps of a page, which comes just before."""
    ref = ["WARC-Concurrent-To: <urn:uuid:%d>" % count]
    url = SITE + path
    yield record("request", url, "GET /%s HTTP/1.1\r\nHost: example.com\r\n\r\n"
                 % path, "application/http; msgtype=request", ref)
    yield record("metadata", url, "via: x\r\n", "application/warc-fields", ref)
    yield from pictures(path)


def pictures(path):
    url = SITE + path
    yield record("resource", "urn:pageinfo:" + url, "{}", "application/json")
    yield record("resource", "urn:view:" + url, PNG, "image/png")
    yield record("resource", "urn:thumbnail:" + url, JPEG, "image/jpeg")
    yield record("resource", "urn:fullPage:" + url, PNG, "image/png")


def warc():
    global page_of_a
    yield record("warcinfo", None, "software: x\r\n", "application/warc-fields")
    yield page("a", "everything")
    page_of_a = count
    yield from about("a")
    for name in ("a" + MD, "a.view.png", "a.warc.gz", "a/b", "_index", ""):
        yield page(name, "a name that a view would have")
    yield page("times", "the first", "2024-01-02T00:00:00Z")
    yield from about("times")
    yield page("times", "the second", "2024-01-03T00:00:00Z")
    yield page("plain", "no other view")
    yield from pictures("alone")
    yield record("revisit", SITE + "again", "HTTP/1.1 200 OK\r\n\r\n",
                 "application/http; msgtype=response",
                 ["WARC-Refers-To-Target-URI: " + SITE + "plain",
                  "WARC-Refers-To-Date: 2024-01-01T00:00:00Z",
                  "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/"
                  "identical-payload-digest"])
    yield record("resource", "ftp://example.com/f", "a file", "text/plain")


def arc():
    info = b"1 0 x\nURL IP-address Archive-date Content-type Archive-length\n"
    yield b"filedesc://a.arc 0.0.0.0 20240101000000 text/plain %d\n" % \
        len(info) + info + b"\n"
    for name in ("a", "a.arc.gz", "a" + MD, "b"):
        block = ("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>%s"
                 % name).encode()
        yield b"%s%s 1.2.3.4 20240101000000 text/html %d\n" % (
            SITE.encode(), name.encode(), len(block)) + block + b"\n"


def wet():
    for name in ("a", "only-text"):
        yield record("conversion", SITE + name, "a text", "text/plain")


def wat():
    yield record("metadata", SITE + "a", '{"Envelope":{}}', "application/json",
                 ["WARC-Refers-To: <urn:uuid:%d>" % page_of_a])


def main():
    def put(name, records, gz):
        path = os.path.join(sys.argv[1], name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            for r in records:
                f.write(gzip.compress(r, mtime=0) if gz else r)
    put("one.arc", arc(), False)
    put("one.arc.gz", arc(), True)
    put("many.warc", warc(), False)
    put("many.warc.gz", warc(), True)
    put("sides/many.warc.gz", warc(), True)
    put("sides/many.warc.wat.gz", wat(), True)
    put("sides/many.warc.wet.gz", wet(), True)
    put("texts.warc.wet.gz", wet(), True)


if __name__ == "__main__":
    main()
