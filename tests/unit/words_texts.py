# words_texts.py - writes texts and queries for words_ref.sh.
# SPDX-License-Identifier: GPL-3.0-or-later
"""words_texts.py FOLDER: NAME.texts, each text with a NUL behind it, and
NAME.queries, one a line."""

import os
import random
import sys
import unicodedata

top = sys.argv[1]
rng = random.Random(5)


def put(name, texts, queries):
    with open(os.path.join(top, name + ".texts"), "wb") as f:
        for t in texts:
            f.write(t.replace(b"\0", b"") + b"\0")
    with open(os.path.join(top, name + ".queries"), "wb") as f:
        for q in queries:
            f.write(q.replace(b"\n", b" ").replace(b"\0", b"") + b"\n")


# Few words, so that many queries find something: with folds that grow, marks,
# scripts without blanks, other digits, bytes that are not UTF-8.
PARTS = ["a", "b", "ab", "Ba", "c1", "Stra\u00dfe", "STRASSE", "\u0130", "e\u0301",
         "\u00e9", "\u6771", "\u4eac", "\u6771\u4eac", "\u90fd", "\u30b3\u30fc",
         "\u0e01\u0e34\u0e19", "\u0e01", "\u1780\u17b6", "\u0665", "\U00010400",
         "\U00020000", "\ufb03", "\u1f88", "\u03c3\u03c2\u03a3"]
BETWEEN = [" ", " ", "", "", "-", "\n", ", ", "\u3001", "'"]


def mixed(n):
    out = b""
    for _ in range(n):
        out += (rng.choice(PARTS) + rng.choice(BETWEEN)).encode()
        if rng.random() < 0.03:
            out += rng.choice([b"\xff", b"\xc3", b"\xe6\x9d", b"\xed\xa0\x80"])
    return out


def query():
    q = mixed(rng.choice([1, 1, 2, 3]))
    return b'"' + q + b'"' if rng.random() < 0.3 else q


put("mixed", [mixed(rng.randint(0, 40)) for _ in range(300)],
    [query() for _ in range(600)])

# Any assigned code point, but for those whose scripts are a matter of tables
# that Python does not have.
LETTERS = [chr(c) for c in range(0x20, 0x30000)
           if unicodedata.category(chr(c)) not in ("Cn", "Cs", "Co") and
           not 0x2e80 <= c < 0x3041 and not 0x3099 <= c < 0x30a1 and
           not 0x30fb <= c < 0x3400 and not 0xff00 <= c < 0xffe0 and
           not 0x1cd0 <= c < 0x1d00 and not 0x1aff0 <= c < 0x1b170 and
           c not in (0x16fe2, 0x16fe3, 0x16ff0, 0x16ff1, 0x1f200, 0xa700,
                     0xa92e) and not 0xa700 <= c < 0xa708]
WITH_BLANKS = LETTERS + [" "] * 20000
put("any", ["".join(rng.choice(WITH_BLANKS)
                    for _ in range(200)).encode() for _ in range(200)],
    [rng.choice(LETTERS).encode() for _ in range(300)])

# Lists in the postings, blocks of the dictionary, long words, one text of
# many words.
many = [b" ".join(b"w%d" % int(rng.paretovariate(0.4) % 40000)
                  for _ in range(60)) for _ in range(1500)]
many[7] = b"x" * 5000 + b" " + b"y" * 128 + b" " + b"z" * 129
many[8] = b" ".join(b"n%x" % i for i in range(20000))
put("many", many, [b"w1 w2", b'"w1 w1"', b"w3", b"y" * 128, b"n4e1f", b"n",
                   b"x" * 128])
put("empty", [], [b"a"])
put("one", [b"Only one, one text."], [b"ONE", b'"one text"', b"two"])
