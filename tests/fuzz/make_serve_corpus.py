#!/usr/bin/env python3
# make_serve_corpus.py - writes the starting inputs of fuzz_serve.
#     python3 tests/fuzz/make_serve_corpus.py tests/fuzz/corpus
# SPDX-License-Identifier: GPL-3.0-or-later
import os
import sys

top = os.path.join(sys.argv[1], "serve")
os.makedirs(top, exist_ok=True)


def put(name, kind, text):
    with open(os.path.join(top, name), "wb") as f:
        f.write(bytes([kind]) + text.encode())


put("query", 0, "url=*.example.com&matchType=prefix&from=2012&to=2013&limit=5"
    "&filter=!~mime:text/.*&filter==status:200&fl=url,offset&output=json")
put("query-more", 0, "url=http%3A%2F%2Fa.b%2F&closest=20120131&sort=reverse&"
    "page=2&pageSize=3&showNumPages=true&output=text&filter=mimetype:a|b")
put("query-odd", 0, "url=%&url=%00&&=&limit=-1&filter=:&filter=!&fl=,")
put("query-lines", 0, "url=a*&output=jsonl&limit=1")
put("pattern", 1, "^(a|bc)*[^d-f]\\w+?x{2,3}$\nabcbcgxx")
put("pattern-deep", 1, "((((((a*)*)*)*)*)*)*b\naaaaaaaa")
put("pattern-counts", 1, "(a{10}){10}(b|){3,}\naaaaaaaaaaaaabbb")
put("pattern-sets", 1, "[]a-z\\d-][^\\n\\]]+\\.\n]x.")
put("pattern-groups", 1, "(?i)(?<=x?)(a.)\\1(?=b)|\\p{Lu}[[:L:]&&[^a]]\nAxaxb")
put("pattern-bad", 1, "(?:a{3,2})|**\\\n")
put("range", 2, "100\nbytes=10-19")
put("range-last", 2, "100\nbytes=-7")
put("range-far", 2, "18446744073709551615\nbytes=0-18446744073709551615")
put("range-date", 2, "1\nSun, 06 Nov 1994 08:49:37 GMT")
put("range-tags", 2, 'W/"a"\n"b", W/"a", *')
put("host", 3, "[::1]:80")
put("host-name", 3, "a.localhost.:8080")
put("target", 3, "http://h:1/a%20b?c=d")
put("propfind", 4, '<?xml version="1.0"?><D:propfind xmlns:D="DAV:"><D:prop>'
    '<D:getetag/><a xmlns="urn:x&amp;"/></D:prop></D:propfind>')
put("propfind-names", 4, '<propfind xmlns="DAV:"><propname/></propfind>')
put("propfind-doctype", 4, '<!DOCTYPE a [<!ENTITY b "c">]><propfind '
    'xmlns="DAV:"><allprop/><include><x/></include></propfind>')
