#!/usr/bin/env python3
# make_words_corpus.py - writes the starting inputs of fuzz_words and
# fuzz_word_query.
#     python3 tests/fuzz/make_words_corpus.py tests/fuzz/corpus
# Lists are made by words_ref.py, without crawlfs.
# SPDX-License-Identifier: GPL-3.0-or-later
import os
import sys

from corpus_files import put

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(here))
from words_ref import write  # noqa: E402

plain = ["The sea, the sea.", "A sea of sand", "", "\u6771\u4eac a", "x" * 300]
few = write([t.encode() for t in plain])
put("words", "few", few)
put("words", "none", write([]))
many = write([b"all " + b"w%d" % (i * i % 97) for i in range(700)])
put("words", "many", many)
# Faults behind the checksums: in the header, in the top list, in a block, in
# a list, in the leaves.
for name, at, new in (("docs", 40, b"\xff" * 8), ("words", 48, b"\x01"),
                      ("blocks", 88, b"\x09"), ("sections", 97, b"\x20"),
                      ("top", -3, b"\xff"), ("first", -10, b"zz")):
    at %= len(few)
    put("words", "bad-" + name, few[:at] + new + few[at + len(new):])
dictionary = many.index(b"all") - 1
for name, at, new in (("shared", 0, b"\xff"), ("count", 4, b"\xff\x7f"),
                      ("list", 7, b"\xff" * 20)):
    at += dictionary
    put("words", "bad-" + name, many[:at] + new + many[at + len(new):])

queries = [("word", "word", "A WORD, words"), ("terms", "a+b \"c d\" e", "e c d b a"),
           ("open", "\"a b", "a b"), ("none", "-+\"\"", "-"),
           ("pairs", "\u6771\u4eac\u90fd \u4eac", "\u6771\u4eac\u90fd\u6771"),
           ("ends", "\"\u4eac x \u4eac\"", "\u6771\u4eacx\u4eac\u6771"),
           ("folds", "STRASSE \ufb03 \u0130", "stra\u00dfe FFI i\u0307"),
           ("marks", "e\u0301 \u0301", "E\u0301 \u0301"),
           ("long", "y" * 129, "y" * 128),
           ("terms-33", "a " * 33, "a"), ("tokens", "\"" + "a " * 500, "a " * 600),
           ("thai", "\u0e01\u0e34\u0e19", "\u0e01\u0e34\u0e19\u0e02")]
for name, typed, text in queries:
    put("word_query", name, typed.encode() + b"\0" + text.encode())
put("word_query", "bytes", b"a\xff\xc3b\0\xed\xa0\x80a\xe6\x9d b\xf4\x90\x80\x80")
