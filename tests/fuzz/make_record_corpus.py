#!/usr/bin/env python3
# make_record_corpus.py - writes the starting inputs of the record fuzzers.
#     python3 tests/fuzz/make_record_corpus.py tests/fuzz/corpus
# SPDX-License-Identifier: GPL-3.0-or-later
import struct
import zlib

from corpus_files import put


def deflate(data, bits):
    c = zlib.compressobj(9, zlib.DEFLATED, bits)
    return c.compress(data) + c.flush()


def gz(data):
    return deflate(data, 31)


def gz_extra(data):
    head = struct.pack("<BBBBIBBH", 0x1f, 0x8b, 8, 4 | 8 | 16, 0, 0, 3, 8)
    head += b"LX\x04\0\0\0\0\0" + b"name\0" + b"comment\0"
    return head + deflate(data, -15) + struct.pack("<II", zlib.crc32(data),
                                                   len(data))


page = b"<html><title>t</title><p>" + b"words and more words " * 20 + b"</p>\n"
head = b"HTTP/1.1 200 OK\r\nContent-Type:text/html; charset=x\r\n"


def arc(url=b"http://a.org/x", date=b"20090704113831", mime=b"text/html",
        length=None, content=head + b"\r\n" + page, end=b"\n", sp=b" "):
    if length is None:
        length = str(len(content)).encode()
    return sp.join([url, b"1.2.3.4", date, mime, length]) + b"\n" + content + end


def warc(kind=b"response", fields=b"", block=head + b"\r\n" + page, length=None,
         eol=b"\r\n", version=b"WARC/1.0"):
    if length is None:
        length = str(len(block)).encode()
    h = [version, b"WARC-Type: " + kind, b"WARC-Date: 2014-01-03T03:03:21Z",
         b"WARC-Record-ID: <urn:uuid:1>",
         b"WARC-Target-URI: <http://a.org/x y>",
         b"Content-Type: application/http; msgtype=response",
         b"Content-Length: " + length]
    return eol.join(h) + eol + fields + eol + block + b"\r\n\r\n"


filedesc = (b"filedesc://1_2.arc.gz 0.0.0.0 20090917193309 text/plain 73\n"
            b"1 0 CommonCrawl\nURL IP-address Archive-date Content-type "
            b"Archive-length\n\n")
own = head + b"x_commoncrawl_URLFP:1\r\n"

arcs = {
    "plain": arc(),
    "filedesc": filedesc,
    "declared-3-less": arc(length=b"%d" % (len(head) + len(page) - 1)),
    "negative": arc(length=b"-20467"),
    "huge": arc(length=b"9" * 19),
    "no-number": arc(length=b"abc"),
    "no-mime": arc(mime=b""),
    "charset": arc(mime=b"text/html; charset=x"),
    "blanks": arc(url=b"http://a.org/x  y z"),
    "doubled": arc(sp=b"  "),
    "date-17": arc(date=b"20090704113831999"),
    "exchanged": b"http://a.org/ 20031219215023 1.2.3.4 text/html 5\nhello\n",
    "version-2": b"http://a.org/ 1.2.3.4 20031219215023 text/html 200 - - 0 f.arc 5\nhello\n",
    "dashes": b"filedesc:// - - - 76\n",
    "own-local-date": arc(content=own + b"\r\n" + page),
    "own-fetched": arc(content=own + b"x_commoncrawl_FetchTimestamp:1246732711733\r\n\r\n" + page),
    "two": arc() + arc(url=b"http://b.org/"),
    "leading-lf": b"\n\r\n" + arc(),
    "bare-lf-head": arc(content=b"HTTP/1.0 200\nA: b\n\nbody\n"),
    "gzip-body": arc(content=head + b"Content-Encoding: gzip\r\n\r\n" + gz(page)),
    "gzip-said": arc(content=head + b"Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n" + page),
    "no-lf": b"http://a.org/ 1.2.3.4 20031219215023 text/html 5",
    "many-words": b"http:// " + b"x " * 200 + b"20031219215023 5\n",
}
for name, data in arcs.items():
    put("arc", name, data)

warcs = {
    "response": warc(),
    "old": warc(version=b"WARC/0.17"),
    "lower": warc(version=b"warc/1.1"),
    "bare-lf": warc(eol=b"\n"),
    "crcrlf": warc(eol=b"\r\r\n"),
    "folded": warc(fields=b"X: a\r\n b\r\n\tc\r\n"),
    "revisit": warc(b"revisit", b"WARC-Refers-To: <urn:uuid:2>\r\n"
                    b"WARC-Refers-To-Target-URI: <http://b.org/>\r\n",
                    b"HTTP/1.1 200 OK\r\n\r\n"),
    "resource": warc(b"resource"),
    "unknown-type": warc(b"hello_kitty"),
    "too-long": warc(length=b"99999"),
    "too-short": warc(length=b"5"),
    "no-number": warc(length=b"very long"),
    "overflow": warc(length=b"9" * 30),
    "no-length": b"WARC/1.0\r\nWARC-Type: x\r\n\r\n\r\n\r\n",
    "no-end": b"WARC/1.0\r\nWARC-Type: x\r\n",
    "version-only": b"WARC/1.0\r\n",
    "extra-crlf": warc(block=head + b"Content-Length: 5\r\n\r\n\r\nhello",
                       length=b"%d" % (len(head) + 19 + 2 + 2 + 3)).replace(
                           b"2014-01-03", b"2018-08-15"),
    "chunked": warc(block=head + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
    "fraction": warc().replace(b"21Z", b"21.123456789Z"),
    "truncated": warc(fields=b"WARC-Truncated: length\r\n"),
}
for name, data in warcs.items():
    put("warc", name, data)

heads = {
    "crlf": b"HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody",
    "lf": b"HTTP/1.1 200 OK\nA: b\n\nbody",
    "folded": b"HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\td\r\n \r\n\r\n",
    "fold-first": b"HTTP/1.1 200 OK\r\n c\r\n\r\n",
    "no-blank": b"HTTP/1.0 200 OK\r\nA: b\r\n<html>\r\n\r\nx",
    "no-colon": b"HTTP/1.0 200 OK\r\nnothing\r\n:\r\n: x\r\nA:\r\n\r\n",
    "cr": b"HTTP/1.0 200 OK\rA: b\r\r",
    "many": b"x\n" + b"a:b\n" * 300,
    "many-folds": b"x\na:b\n" + b" c\n" * 300,
    "empty": b"",
    "nul": b"HTTP/1.1 \0\r\nA\0: \0b\r\n\r\n",
}
final = b"HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody"
heads.update({
    "markup-inside": b"HTTP/1.0 200 OK\r\n<b>h</b>: y\r\nA: b\r\n\r\nx",
    "document": b"HTTP/1.0 200 OK\r\nA: b\r\n<html>\r\n<p>x\r\n\r\n<p>y\r\n",
    "document-field": b"HTTP/1.0 200 OK\r\n<html>\r\nA: b\r\n\r\nx",
    "interim": b"HTTP/1.1 100 Continue\r\n\r\n\r\n" + final,
    "interim-many": b"HTTP/1.1 100\n\n" * 20 + final,
    "interim-open": b"HTTP/1.1 103 Early Hints\r\n" + final,
    "proxy": b"HTTP/1.0 200 Connection established\r\n\r\n" + final,
})
for name, data in heads.items():
    put("http_head", name, data)

bodies = {
    "chunked": b"\x01" + b"5\r\nhello\r\nB;x=y\r\n, big world\r\n0\r\nA: b\r\n\r\n",
    "chunked-cut": b"\x81" + b"ff\r\nhello",
    "chunked-text": b"\x01" + b"add\r\nsome text",
    "chunked-huge": b"\x01" + b"fffffffffffffff\r\nx\r\n",
    "gzip": b"\x03" + gz(page),
    "gzip-extra": b"\x03" + gz_extra(page),
    "gzip-cut": b"\x03" + gz(page)[:60],
    "gzip-twice": b"\x0f" + gz(gz(page)),
    "gzip-members": b"\x03" + gz(b"a") + gz(b"b") + b"\n\n",
    "gzip-chunked": b"\x04" + b"%x\r\n" % len(gz(page)) + gz(page) + b"\r\n0\r\n\r\n",
    "zlib": b"\x06" + deflate(page, 15),
    "raw": b"\x06" + deflate(page, -15),
    "zlib-bomb": b"\x06" + deflate(bytes(1 << 21), 15),
    "br-by-hand": b"\x09" + bytes([0x40, 0, 0x10]) + b"hello\x03",
    "br-cut": b"\x09" + bytes([0x40, 0, 0x10]) + b"he",
    "br-text": b"\x09" + page,
    "three": b"\x0c" + page,
}
bodies.update({
    "gzip-apart": b"\x03" + gz(page) + b"\r\n" + gz(page) + b"\0\0",
    "raw-stray": b"\x06" + deflate(page, -15) + b"\r\n0\r\n\r\n",
    "br-stray": b"\x09" + bytes([0x40, 0, 0x10]) + b"hello\x03\r\n",
})
for name, data in bodies.items():
    put("body", name, data)

members = {
    "plain": gz(page), "extra": gz_extra(page), "two": gz(page) + gz(b"x"),
    "empty": gz(b""), "cut": gz(page)[:-9], "crc": gz(page)[:-8] + b"1234" +
    gz(page)[-4:], "flags": b"\x1f\x8b\x08\xff" + gz(page)[4:],
    "stored": b"\x1f\x8b\x08\0\0\0\0\0\0\3\1\5\0\xfa\xffhello" +
    struct.pack("<II", zlib.crc32(b"hello"), 5),
    "garbage": gz(page) + b"garbage", "none": b"", "zeros": gz(bytes(100000)),
    "extra-cut": gz_extra(page)[:15],
}
for name, data in members.items():
    put("gzmember", name, data)

dates = {
    "warc": b"2024-05-06T07:08:09.123Z", "offset": b"2024-05-06 07:08:09 +05:45",
    "ordinal": b"2024-127T24:00:00", "clueweb": b"2008-10-294T05:21:46-0700",
    "week": b"2024-W19-1T07", "week-basic": b"2020W537", "basic": b"20240506T0708Z",
    "digits": b"20240506070809123", "unix": b"1715000000.5",
    "unix-ms": b"1715000000123", "http": b"Mon, 06 May 2024 07:08:09 GMT",
    "rfc-850": b"Monday, 06-May-24 07:08:09 GMT",
    "asctime": b"Mon May  6 07:08:09 2024",
    "java": b"Mon May 06 07:08:09 UTC 2024", "mail": b"6 May 24 7:08 +0200",
    "no-day": b"2024-02-30T00:00:00Z", "slashes": b"2024/5/6 7:8:9",
    "short": b"20241", "year": b"2024",
}
for name, data in dates.items():
    put("time", name, data)

a, b = arc(), arc(url=b"http://b.org/", content=b"no http")
w = warc()
scans = {
    "arc-plain": filedesc + a + b,
    "arc-members": gz_extra(filedesc) + gz(a) + gz(b),
    "arc-one-member": gz(filedesc + a + b),
    "arc-spread": gz((a + b)[:30]) + gz((a + b)[30:300]) + gz((a + b)[300:]),
    "arc-bad-length": a + arc(length=b"7") + b,
    "arc-negative": gz(arc(length=b"-5")) + gz(b),
    "warc-plain": w + w,
    "warc-members": gz(w) + gz(w),
    "warc-one-member": gz(w + w),
    "warc-bad-length": w + warc(length=b"9999") + w,
    "warc-no-length": w + warc(length=b"x") + w,
    "warc-cut": (gz(w) + gz(w))[:-30],
    "warc-damaged": gz(w) + gz(w)[:40] + b"x" + gz(w)[41:] + gz(w),
    "junk-between": gz(w) + b"junk" + gz(b"no record") + gz(w) + bytes(20),
    "junk-inside": w + b"junk\nand more\n" + w,
    "byte-members": b"".join(gz(w[i:i + 1]) for i in range(0, 100)),
    "empty-members": gz(b"") * 5 + gz(w) + gz(b"") * 5,
    "mixed": gz(w + a) + gz(b),
    "warc-lengths": b"".join(w + warc(length=b"%d" % (len(head) + len(page) +
                                                      2 + n)) for n in (
        4, 5, 7, 14, 300)) + w,
    "warc-lengths-member": gz(warc(length=b"%d" % (len(head) + len(page) + 16))
                              + w + warc(length=b"9999") + w),
    "warc-lengths-members": gz(warc(length=b"9999")) + gz(w),
    "segments": gz(warc(fields=b"WARC-Segment-Number: 1\r\n")) +
    gz(warc(b"continuation", b"WARC-Segment-Number: 2\r\n"
            b"WARC-Segment-Origin-ID: <urn:uuid:1>\r\n"
            b"WARC-Segment-Total-Length: 10\r\n", b"more")),
    "too-large": gz(warc(block=bytes(200000))) + gz(w),
    "start-flipped": b"\0" + gz(w)[1:] + gz(w) + gz(w),
    "start-flipped-inside": gz(w)[:40] + b"x" + gz(w)[41:] + gz(w),
    "start-cut-back": gz(w)[:-60] + gz(w) + gz(w),
    "start-crlf": b"\r\n" + gz(w) + gz(a),
    "start-page": b"<html>error</html>" + gz(w) + gz(w),
    "start-page-plain": b"<html>error</html>" + w + w + w,
    "start-example": b"<html><pre>\n" + w + b"</pre>\n" + w + w,
    "start-log": b"a line\n" + w + w,
    "start-cut-front": w[100:] + w + w,
    "start-filedesc": b"rubbish\n" + a + b,
    "start-bom-arc": b"\xef\xbb\xbf" + a + b,
    "start-magic": b"<html>" + b"\x1f\x8b\x08\x08" * 20 + gz(w),
    "nothing": b"\n\n\n",
    "text": b"no archive at all\n",
}
for name, data in scans.items():
    put("scan", name, data)
