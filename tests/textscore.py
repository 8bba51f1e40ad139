#!/usr/bin/env python3
"""textscore.py - the .txt view against texts that people chose.

    textscore.py VIEWS DATA [--worst]

VIEWS is the program tests/bench/views, DATA the folder of article pages with
ground-truth.json and the output of other extractors (output-*.json).  For each
extractor: mean over the pages of precision, recall and F1 of words (as a
multiset), and of runs of four words, which see the order too.  The given text
is the article alone, so precision is low for all that show the whole page;
recall is what must not be lost.

Exits 1 if the view misses the floor that is set below.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import collections
import glob
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile

WORD = re.compile(r'\w+')
FLOOR = {'recall': 0.999, 'f1': 0.65}


def words(text, n=1):
    w = WORD.findall(text.lower())
    if n == 1:
        return collections.Counter(w)
    return collections.Counter(zip(*[w[i:] for i in range(n)]))


def score(want, got):
    common = sum((want & got).values())
    p = common / sum(got.values()) if got else 0.0
    r = common / sum(want.values()) if want else 1.0
    return p, r, 2 * p * r / (p + r) if p + r else 0.0


def view(program, folder, page):
    with tempfile.NamedTemporaryFile(suffix='.html') as f:
        with gzip.open(os.path.join(folder, page + '.html.gz')) as z:
            f.write(z.read())
        f.flush()
        out = subprocess.run([program, 'dump', 'txt', f.name], check=True,
                             stdout=subprocess.PIPE, timeout=60)
    return out.stdout.decode('utf-8')


def main():
    program, folder = sys.argv[1:3]
    with open(os.path.join(folder, 'ground-truth.json')) as f:
        truth = {k: v['articleBody'] for k, v in json.load(f).items()}
    texts = {'crawlfs': {k: view(program, folder, k) for k in truth}}
    for path in sorted(glob.glob(os.path.join(folder, 'output-*.json'))):
        name = os.path.basename(path)[len('output-'):-len('.json')]
        with open(path) as f:
            texts[name] = {k: v['articleBody'] for k, v in json.load(f).items()}
    print('%-15s %9s %9s %9s   %s' % ('', 'precision', 'recall', 'F1',
                                      'of runs of four: the same'))
    means = {}
    for name, got in texts.items():
        row = []
        for n in 1, 4:
            all_pages = [score(words(truth[k], n), words(got.get(k, ''), n))
                         for k in truth]
            row += [sum(x) / len(truth) for x in zip(*all_pages)]
        means[name] = row
        print('%-15s %9.4f %9.4f %9.4f   %9.4f %9.4f %9.4f' % (name, *row))
    if '--worst' in sys.argv:
        rows = []
        for k in truth:
            mine = score(words(truth[k], 4), words(texts['crawlfs'][k], 4))
            best = max(score(words(truth[k], 4), words(t.get(k, ''), 4))
                       for n, t in texts.items() if n != 'crawlfs')
            rows.append((mine[1] - best[1], mine[2] - best[2], k, mine[1], mine[2]))
        for row in sorted(rows)[:8]:
            print('%+.4f %+.4f %s recall %.4f F1 %.4f' % row)
    missed = [n for n, at in (('recall', 1), ('f1', 2))
              if means['crawlfs'][at] < FLOOR[n]]
    if missed:
        print('below the floor: ' + ', '.join(missed))
    return 1 if missed else 0


sys.exit(main())
