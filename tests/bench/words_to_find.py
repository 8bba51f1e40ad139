#!/usr/bin/env python3
"""words_to_find.py - reads rows of crawlfs export (JSON lines with `text`), and
prints queries: a word that few of the texts have, the one that most have, and
the two words that follow one another most often.

    rare<TAB>WORD, common<TAB>WORD, phrase<TAB>"WORD WORD"

Words are of scripts with blanks between them, of at least four letters.
SPDX-License-Identifier: GPL-3.0-or-later
"""
import json
import re
import sys
from collections import Counter

WORD = re.compile("[a-z\u00e0-\u024f\u0400-\u04ff]{4,20}")


def main():
    words, pairs = Counter(), Counter()
    for line in sys.stdin:
        found = re.findall(r"\w+", json.loads(line).get("text", "").lower())
        words.update({w for w in found if WORD.fullmatch(w)})
        pairs.update({p for p in zip(found, found[1:])
                      if WORD.fullmatch(p[0]) and WORD.fullmatch(p[1])})
    ranked = sorted(words.items(), key=lambda v: (-v[1], v[0]))
    print("rare\t" + ranked[-1][0])
    print("common\t" + ranked[0][0])
    print('phrase\t"%s %s"' % min(pairs, key=lambda p: (-pairs[p], p)))


if __name__ == "__main__":
    main()
