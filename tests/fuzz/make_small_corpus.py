#!/usr/bin/env python3
# make_small_corpus.py - writes the starting inputs of fuzz_journal,
# fuzz_location, fuzz_target and fuzz_zipnum.
#     python3 tests/fuzz/make_small_corpus.py tests/fuzz/corpus
# SPDX-License-Identifier: GPL-3.0-or-later
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
