#!/usr/bin/env python3
# Writes the corpora of fuzz_cdx and fuzz_surt into the folder given (default:
# corpus beside this file).
#
# SPDX-License-Identifier: GPL-3.0-or-later
import gzip
import os
import sys

JSON = (b'%s 20140127171200 {"url": "http://a.com/x", "mime": "text/html", '
        b'"status": "200", "length": "12", "offset": "345", '
        b'"filename": "d/a.warc.gz"}\n')
ROW = (b"%s 20140127171200 http://a.com/ text/html 200 DIGEST - - 1046 334 "
       b"d.warc.gz\n")
LEGEND = b" CDX N b a m s k r M S V g\n"
KEYS = [b"com,a)/", b"com,a)/x", b"com,a)/x/../y", b"com,a:8080)/x",
        b"org,b)/?q=/z"]


def member(text):
    return gzip.compress(text, mtime=0)


def cluster(length):
    return b"com,a)/ 20140127171200\tx.gz\t%d\t%d\t1\n" % (0, length)


CDX = {
    "wget.cdx": b" CDX a b a m s k r M V g u\n"
                b"http://a.com/ 2014 http://a.com/ text/html 200 K - - 7 a.warc.gz <urn:uuid:1>\n",
    "good.cdxj": b"".join(JSON % k for k in KEYS),
    "good.cdx": LEGEND + b"".join(ROW % k for k in KEYS),
    "no-legend.cdx": b"".join(ROW % k for k in KEYS),
    "not-surt.cdx": LEGEND + ROW % b"a.com/",
    "unsorted.cdxj": b"".join(JSON % k for k in KEYS[::-1]),
    "crlf.cdx": LEGEND.replace(b"\n", b"\r\n") + ROW.replace(b"\n", b"\r\n")
    % KEYS[0],
    "no-end.cdxj": (JSON % KEYS[0])[:-1],
    "cut-in-json.cdxj": (JSON % KEYS[0])[:60],
    "escapes.cdxj": b'com,a)/ 2014 {"url":"http:\\/\\/a\\u00e9\\ud83d\\ude00'
    b'\\ud800x","filename":"d\\/a.arc","offset":"0"}\n',
    "name-climbs.cdxj": b'com,a)/ 2014 {"filename":"a/../../b","offset":"0"}\n',
    "name-climbs-escaped.cdxj":
    b'com,a)/ 2014 {"filename":"a\\/..\\/b","offset":"0"}\n',
    "nested.cdxj": b'com,a)/ 2014 {"x":[{"a":"]"},[[]]],"filename":"a",'
    b'"offset":7}\n',
    "server.json": b'{"urlkey": "com,a)/\\"", "timestamp": "2014", '
    b'"offset": "1", "filename": "a"}\n',
    "legend-of-many.cdx": b" CDX" + b" N" * 40 + b"\n",
    "legend-with-commas.cdx": b",CDX,N,b,V,g\ncom.a/,2014,9,x.arc.gz\n",
    "whole.cdxj.gz": member(b"".join(JSON % k for k in KEYS)),
    "cut.cdxj.gz": member(b"".join(JSON % k for k in KEYS))[:-9],
    "cluster-alone.idx": cluster(40),
    "cluster-huge.idx": cluster(1 << 40),
    "cluster-climbs.idx": b"com,a)/ 2014\t../x\t0\t9\n",
    "cluster-unsorted.idx": b"b)/ 2014\tx\t0\t9\na)/ 2014\tx\t0\t9\n",
    "cluster-bad-lines.idx": b"a\nb\tc\ncom,a)/ 2014\tx\t1\t2\n",
}
SURT = {
    "backslashes": b"http:/\\h.example\\a\\..\\b",
    "plain.url": b"https://WWW2.Example.COM:443/A/../B//c/?b=2&a=1&a",
    "port.url": b"http://example.com:8080/",
    "user.url": b"http://user:pw@example.com/x",
    "session.url": b"http://example.com/?sid=" + b"0" * 32 + b"&y=1",
    "aspx.url": b"http://a.com/(S(4hqa0555fwsecu455xqckv45))/Default.aspx",
    "idn.url": "http://b\u00fccher.example/\u00fc?q=\u00fc".encode(),
    "idn-bad.url": b"http://\xff\xfe.example/",
    "escapes.url": b"http://a.com/%2525%2535%zz%",
    "escapes-deep.url": b"http://a.com/%" + b"25" * 200,
    "number.url": b"http://017700000001/",
    "ipv6.url": b"http://[::1]:80/x",
    "long.url": b"http://a.com/" + b"\xff" * 4200,
    "parts.url": b"http://a.com/?" + b"&" * 300,
    "plain.key": KEYS[1],
    "port.key": KEYS[3],
    "ipv6.key": b"2001:db8::1)/x",
    "digits-then-more.key": b"com,a:80abcdefghij)/x",
    "port-of-bytes.key": b"httcom,a:" + b"\x94" * 9 + b")/am/b?=&a=1",
    "no-host.key": b")/x",
    "dots.key": b"com,a)/?u=/../.",
    "alias.key": b"com,a)/%2E",
    "deep.key": b"a)" + b"/" * 1100,
    "no-path.key": b"org,archive)",
    "not-surt.key": b"a.com/x(y)/z",
}


def main():
    top = sys.argv[1] if len(sys.argv) > 1 else os.path.join(
        os.path.dirname(os.path.abspath(__file__)), "corpus")
    for folder, files in (("cdx", CDX), ("surt", SURT)):
        os.makedirs(os.path.join(top, folder), exist_ok=True)
        for name, data in files.items():
            with open(os.path.join(top, folder, name), "wb") as f:
                f.write(data)


main()
