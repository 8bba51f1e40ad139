#!/usr/bin/env python3
# make_row_corpus.py - writes the starting inputs of the row writer's fuzzer.
#     python3 tests/fuzz/make_row_corpus.py tests/fuzz/corpus
# SPDX-License-Identifier: GPL-3.0-or-later
from corpus_files import put


def warc(url, kind, head, body):
    block = head + b"\r\n\r\n" + body
    return (b"WARC/1.0\r\nWARC-Type: " + kind + b"\r\nWARC-Target-URI: " + url +
            b"\r\nWARC-Date: 2024-02-20T00:00:00Z\r\n"
            b"WARC-Record-ID: <urn:uuid:1>\r\n"
            b"Content-Type: application/http\r\nContent-Length: " +
            str(len(block)).encode() + b"\r\n\r\n" + block + b"\r\n\r\n")


OK = b"HTTP/1.1 200 OK\r\nContent-Type: "
HTML = OK + b"text/html; charset=utf-8"
page = b"<title>a \"t\" \\ &lt;\n</title><p>words<a href='/x?\"'>\xc3\xa9</a>"

put("row", "page", warc(b"http://a/b", b"response", HTML, page))
put("row", "odd-url", warc(b"http://a/\xff\"\\\x01", b"response", HTML, page))
put("row", "latin1", warc(b"http://a/b", b"response",
                          OK + b"text/html", b"<title>\xe9\x80</title>\xa0"))
put("row", "plain-nul", warc(b"http://a/b", b"response", OK + b"text/plain",
                             b"a\0b\0\xed\xa0\x80"))
put("row", "odd-fields", warc(b"http://a/b", b"response",
                              HTML + b"\r\n\x80\": \xff\\\r\nX:\t\x01\x02",
                              page))
put("row", "revisit", warc(b"http://a/b", b"revisit", HTML, b""))
put("row", "feed", warc(b"http://a/b", b"response",
                        OK + b"application/rss+xml",
                        b"<rss><channel><title>t\n\"x</title><item><title>i"
                        b"</title></item></channel></rss>"))
put("row", "cut", warc(b"http://a/b", b"response", HTML, page)[:-40])
put("row", "facts", warc(
    b"http://a/b", b"response",
    HTML + b"\r\nX-Robots-Tag: a: noindex, max-snippet: 2\r\nTDM-Policy: /p\r\n"
    b"Content-Usage: train-ai=n", b"<html lang=en><base href=/c/><meta name=robots "
    b"content='x, y'><meta name=author content=' A &amp; B '><link rel=canonical "
    b"href=d><meta property=og:description content=\xff><time pubdate datetime=1>"
    b"<template><meta name=robots content=z></template><script type="
    b"application/ld+json>{\"@graph\":[{\"author\":[{\"name\":\"\\ud83d\"}],"
    b"\"datePublished\":\"2020\"}]}</script>"))
put("row", "redirect", warc(b"http://a/b", b"response", b"HTTP/1.1 301 Moved\r\n"
                            b"Location: //\xff/ \\..\t?\x00", b""))
put("row", "refers", warc(b"http://a/b\r\nWARC-Refers-To-Target-URI: <http://\xe9>"
                          b"\r\nWARC-Refers-To-Date: 2020-01-01T00:00:00.5Z",
                          b"revisit", HTML, b""))
put("row", "empty", b"")
put("row", "bytes", bytes(range(256)))
