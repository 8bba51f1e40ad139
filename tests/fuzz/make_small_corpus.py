#!/usr/bin/env python3
# make_small_corpus.py - writes the starting inputs of fuzz_journal,
# fuzz_location, fuzz_notes, fuzz_pathlist, fuzz_preview, fuzz_report,
# fuzz_robots, fuzz_target, fuzz_textdiff, fuzz_urlref and fuzz_zipnum.
#     python3 tests/fuzz/make_small_corpus.py tests/fuzz/corpus
# SPDX-License-Identifier: GPL-3.0-or-later
import gzip

from corpus_files import put

put("journal", "lines", b"\0\0\0crawlfs-copy 1\ndone 0 10\ndone 10 20\n")
put("journal", "flipped", b"\x20\0\x20a b\nc\n\nd e f\n")
put("journal", "line-end", b"\x6a\0\x01aa\nbb\ncc")
put("journal", "empty", b"\0\0\0\n\n\n")
put("journal", "checked", b"\0\0\0a ef46db3751d8e999\n")

URLS = [b"http://u:p@A.org:80/x#y", b"https://h/a%2fb?c=d", b"http://[::1]:1/x",
        b"s3://bucket/key", b"https://h:443", b"HTTP://h/ \xc3\xa9",
        b"http://u:p/w@h/x", b"ftp://u@h/", b"http://h?x", b"http://h/?a?b",
        b"-", b"http://u@h/,http://v@i/", b"data=http://u:p@h/x?y,log=z",
        b"--data=https://h/x?secret", b"http://h/a\\,b?c,d", b"http://@h/"]
for i, url in enumerate(URLS):
    put("location", "url-%d" % i, b"\1" + url)
    put("location", "argument-%d" % i, b"\2" + url)
NAMES = [b"a/b.warc.gz", b"./a%2Fb?x\\y", b"../x", b"a b", b"./../x", b"/x",
         b"\xff\0\n", b"a?b", b"a%zz", b"./", b".", b"", b"a//b", b"./a#b"]
for i, name in enumerate(NAMES):
    put("location", "name-%d" % i, b"\0" + name)

TARGETS = [b"http://a.com/b/c.html", b"http://a.com/b*", b"com.a", b"com.a/",
           b"com.a/b", b"/com/a/_/b", b"com/a/_", b"https://www.a.com/d", b"a.com",
           b"com,a)/b", b"*.a.com", b"http://x.org:8080/*", b"com.a/b/c.html?x",
           b"http://x\x1djrg#4040+*", b"http://a.com/?b&a*", b"//", b"", b"com/a/../ab", b"http://a.com/?q=1#f", b"org.x:8080/e/"]
for i, target in enumerate(TARGETS):
    put("target", "text-%d" % i, target)

HEAD = b"HTTP/1.1 200 OK\nX-Robots-Tag: "
ROBOTS = [b"googlebot: noindex, nofollow", b"a:b,c:d,,e", b"a:, :b, c : d e:f",
          b"unavailable_after: Wed, 25 Jun 2031 15:00:00 GMT, none",
          b"max-snippet: 20, \xff\x01\x00x, A:NONE", b"a b: c, \"x: y\", z=1:2",
          b"unavailable_after: wed", b",,,:,:", b"a:b,c:d,\x18,e,\x7f:f,\x7f"]
for i, value in enumerate(ROBOTS):
    put("robots", "head-%d" % i, HEAD + value +
        b"\nTDM-Reservation: 1\ntdm-policy: https://a/b,c\n"
        b"Content-Usage: train-ai=n, search=y\n\n")
    put("robots", "meta-%d" % i, b" GPTBot\n" + value)
put("robots", "meta-all", b"robots\n noindex,\tNoFollow ")
put("robots", "meta-tdm", b"tdm-reservation\n1")

LINE = (b'com,a)/%d 20200101000000 {"url": "http://a.com/%d", "mime": "text/html",'
        b' "status": "200", "digest": "X", "length": "5", "offset": "%d",'
        b' "filename": "a.warc.gz"}\n')


def lines(*numbers):
    return b"".join(LINE % (n, n, n) for n in numbers)


put("zipnum", "one", b"\0" + lines(1, 2, 3))
put("zipnum", "three", b"\0" + lines(1, 2) + b"\n" + lines(3) + b"\n" +
    lines(4, 5))
put("zipnum", "unordered", b"\0" + lines(2, 1) + b"\n" + lines(0) + b"\n" +
    lines(9, 3))
put("zipnum", "damaged", b"\x9f" + lines(1, 2) + b"\n" + lines(3))
put("zipnum", "same-key", b"\0" + lines(1, 1) + b"\n" + lines(1, 1))
put("zipnum", "no-lines", b"\0com,a)/ 2020\n\n\n\nx\n\n{}\n")
put("zipnum", "cdx", b"\0com,a)/ 20200101000000 http://a.com/ text/html 200 X - -"
    b" 5 1 a.warc.gz\n\ncom,b)/ 20200101000000 http://b.com/ text/html 200 X - -"
    b" 5 9 a.warc.gz\n")

# A base, a line end, a reference; those of RFC 3986, section 5.4, and others.
REFS = [b"g:h", b"g", b"./g", b"g/", b"/g", b"//g", b"?y", b"g?y", b"#s", b"g#s",
        b";x", b"g;x?y#s", b"", b".", b"./", b"..", b"../g", b"../../g",
        b"../../../g", b"/./g", b"/../g", b"g.", b"..g", b"./../g", b"./g/.",
        b"g/./h", b"g/../h", b"g;x=1/../y", b"g?y/../x", b"g#s/./x", b"http:g"]
for i, ref in enumerate(REFS):
    put("urlref", "rfc-%02d" % i, b"http://a/b/c/d;p?q\n" + ref)
for i, pair in enumerate([
        b"http://a\nb", b"http://a?q\nb", b"http://a?q\n#f", b"HTTP://A/\nhttp:b",
        b"https://a/b\nhttp:c", b"http:b/c\nd", b"urn:x:y\nz", b"a.b:80/c\nd",
        b"http:\n/..//x", b"http://a/\na.b:80", b"http://a/\nhttp:a.b:80/c",
        b"http://a/b/../c\n", b"http://a//b//\n../../..", b"x\nhttp://a/",
        b"http://a/b\n \thttp://c/ d\r\n", b"http://a/b\n//c/../d",
        b"http://a/?b/c\nd", b"http://a/\nhttp:http:b", b"http://a/b\n?",
        b"http://a/\xc3\xa9\n\xff/..", b"http://a/b\n..//..//c"]):
    put("urlref", "pair-%02d" % i, pair)

# Work, bits of an item, items; the second sequence has the highest bit set.
for name, old, new in [("equal", b"abcabc", b"abcabc"), ("none", b"abc", b"def"),
                       ("moved", b"abcdefgh", b"efghabcd"), ("one", b"", b"a"),
                       ("middle", b"abcXdef", b"abcYYdef"),
                       ("turned", b"abcdefghij" * 9, b"jihgfedcba" * 9)]:
    items = old + bytes(c | 0x80 for c in new)
    put("textdiff", name, b"\0\0\6" + items)
    put("textdiff", name + "-bits", b"\0\0\1" + items)
    put("textdiff", name + "-little", b"\x09\0\6" + items)
put("textdiff", "empty", b"\0\0\6")

# Bit 4 of the first byte: from a file; bit 5: a compressed one.
for i, text in enumerate([b"a/b.warc.gz\nc.warc\n", b" a b \r\n\n\t\n./c\nd",
                          b"a\n/b\nc\n", b"a\n../b\n", b"a/../b", b"a\0b\nc",
                          b"a//b", b"a/", b"..", b"...\n..a\n", b"", b"\n\n",
                          b"\x1f\x8bx\ny\n", b"\xff\xfe\n", b"a" * 5000]):
    put("pathlist", "text-%02d" % i, b"\0" + text)
    put("pathlist", "stop-%02d" % i, b"\1" + text)
    put("pathlist", "file-%02d" % i, b"\x10" + text)
    put("pathlist", "gzip-%02d" % i, b"\x30" + text)

META = (b'{"attempt_time":1,"http_headers":{"server":"a<b>&\\"c\'","x-y":"z",'
        b'"":""},"charset_detected":"UTF-8","content":{"title":"</title>",'
        b'"links":[{"href":"http://a/?b&c","text":" d ","type":"a"},{"href":"'
        b'javascript:e","type":"script"},{"href":"\\u0000\xc3\xa9"},{},[],1]}}')
for i, text in enumerate([
        META, META.replace(b"\\u0000\xc3\xa9", b"f"), META[:60], META[:200], b"", b"{",
        b'{"http_headers":{', b'{"http_headers":"a","content":[{"links":1}]}',
        b'{"http_headers":{"a":[1],"b":{"c":2},"d":null}}',
        b'{"content":{"links":{"href":"a"}}}', b'{"content":{"links":["a",{"href":"b"',
        b'{"content":{"links":[%s]}}' % b",".join([b'{"href":"a"}'] * 203),
        b'{"http_headers":{%s}}' % b",".join(b'"h%d":"v"' % i for i in range(103)),
        b'{"http_headers":{"%s":"%s"}}' % (b"\xc3\xa9" * 2500, b"a\\n" * 1500),
        b'{"http_headers":{"a":"\\ud800\\udc00\\ud800\\x"}}',
        b'{"content":{"links":[{"href":"a\\n\\t\x7f\xc2\x80\xe2\x80\xae"}]}}']):
    put("preview", "meta-%02d" % i, b"\0" + text)
    put("preview", "time-%02d" % i, b"\1" + text)


# Notes of captures, a line each; three bytes of damage come first.
for i, notes in enumerate([b'{"a":1}\n{"b":"c"}\n', b"x", b"\n\n", b"a\n" * 300,
                           b"{}\n" + b"y" * 9000 + b"\n{}"]):
    for j, damage in enumerate([b"\0\0\0", b"\0\x2a\x10", b"\0\x80\1"]):
        put("notes", "written-%d-%d" % (i, j), b"\0" + damage + notes)


def notes_file(*blocks, places=b""):
    """A file of notes; its directory lies behind the blocks."""
    data, ends = b"", [4096]
    for block in blocks:
        data += b"\0" * 8 + block
        ends.append(4096 + len(data))
    directory = b"".join(end.to_bytes(8, "little") for end in ends)
    return (b"\x80" + len(data).to_bytes(2, "little") + bytes([len(blocks)]) +
            data + directory + places)


# A member whose OS byte is 0x53 holds its bytes as they are (cfx_mend.h).
PLAIN = bytes([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0x53, 1, 0, 0, 0, 0])
PACKED = gzip.compress(b'{"a":1}' * 20, mtime=0)
# Block, offset and bytes of notes.
PLACES = bytes([0, 0, 7, 0, 7, 7, 0, 7, 8, 0, 14, 0, 0, 15, 0, 0, 14, 1, 0, 1, 1])
put("notes", "file-plain", notes_file(PLAIN + b'{"a":1}{"b":2}' + b"\0" * 8,
                                      places=PLACES))
put("notes", "file-two", notes_file(PLAIN + b"{}" + b"\0" * 8, PACKED))
put("notes", "file-cut", notes_file(PACKED[:-9]))
put("notes", "file-short", notes_file(b"\x1f\x8b\x08"))
put("notes", "file-beyond", notes_file(PACKED)[:60])
put("notes", "file-none", notes_file())
put("notes", "file-large", notes_file(gzip.compress(b"\0" * 65537, mtime=0)))
put("notes", "file-name", notes_file(b"\x1f\x8b\x08\x08" + b"\0" * 6 + b"n\0" +
                                     PACKED[10:]))


def done(name, ids, more=""):
    """A line of a report about a part."""
    counts = "".join(',"%s":{"matched":%d,"differed":0,"absent":1,"unknown":2}' % (check, i)
                     for i, check in enumerate(["checksum", "length", "block",
                                                "payload", "index", "package"]))
    return ('{"done":"%s","from":0,"to":%d,"id":"%016x","place":"%016x"%s,"ids":%d,'
            '"records":3,"bytes":4,"damage":0,"listed_twice":0,"unlisted":0,'
            '"bodies_cut":1%s}\n' % (name, 9 + len(name), hash_of(name), 7, more,
                                     ids, counts)).encode()


def hash_of(name):
    return int.from_bytes(name.encode() * 8, "little") & (1 << 64) - 1


FIRST = b'{"crawlfs_verify":4,"command":"a \\"b\xef\xbf\xbd"}\n'
LINE = b'{"archive":"a","kind":"checksum","offset":1}\n'
END = b'{"end":true,"archives":1}\n'
CHUNK = hash_of("a").to_bytes(8, "little") + b"\2" + b"\0" * 7 + b"\5" * 16
ONE = FIRST + LINE + done("a", 32)
for name, text, ids in [
        ("one", ONE, CHUNK), ("two", ONE + LINE + done("b", 32), CHUNK),
        ("half", ONE + LINE + done("b", 32)[:-20], CHUNK),
        ("state", FIRST + done("a", 0, ',"state":"00000000000000aa"') +
         done("a", 0, ',"state":"00000000000000ab"'), b""),
        ("ids-cut", ONE, CHUNK[:16]), ("no-ids", ONE, b""),
        ("ended", ONE + END, b""), ("ended-at-once", FIRST + END, b""),
        ("ended-states", FIRST + LINE.replace(b"checksum", b"archive") +
         done("a", 0) + done("a", 32) + LINE + done("b", 0) +
         LINE.replace(b"checksum", b"unread") * 2 + END + LINE, b""),
        ("unread-between", ONE + LINE.replace(b"checksum", b"unread") +
         done("b", 0) + END, b""),
        ("first-cut", FIRST[:9], b""), ("first-half", FIRST[:25], b""),
        ("other-command", FIRST.replace(b"a ", b"c ") + done("a", 0), b""),
        ("other-version", FIRST.replace(b":4", b":2") + done("a", 0), b""),
        ("first-bad", b'{"crawlfs_verify":4,"command":\n' + done("a", 0), b""),
        ("no-command", b'{"crawlfs_verify":4}\n' + done("a", 0), b""),
        ("foreign", b"a\n" + ONE, CHUNK), ("empty", b"", b""),
        ("done-bad", FIRST + b'{"done":\n' + done("a", 0), b""),
        ("done-large", FIRST + done("a", 0).replace(b'"to":10', b'"to":%d' % (1 << 63)) +
         done("b", 1 << 62), CHUNK),
        ("chunk-large", ONE, CHUNK[:8] + b"\xff" * 8 + CHUNK[16:])]:
    for end in (0, 1):
        put("report", "%s-%d" % (name, end),
            bytes([end, len(ids) // 8]) + b"\1\2\3\4\5\6" + text + ids)
