#!/usr/bin/env python3
"""words_peers.py - what a search costs with a list of words, and with others.

usage: words_peers.py CRAWLFS CANDIDATES INDEX RUNS FOLDER [DATA]

INDEX has a list of words, and its archives are beside it or in DATA.
CANDIDATES is tests/bench/candidates.  FOLDER is for the texts as files, and for
what the others make; "-": there are no others, and no text is kept.  Others are
`rg` in PATH, GNU grep, the FTS5 of Python's SQLite, and tantivy if Python has
it; those that are not there are left out, which is said.  crawlfs-cold: nothing
of any file is in memory (root).  Prints rows: query, subject, hits, the median
milliseconds of a processor and by the clock, those of a processor of all runs,
those by the clock; and "candidates", query, the texts that the list of words
names, and those of them that match.
SPDX-License-Identifier: GPL-3.0-or-later
"""

import json
import os
import re
import resource
import shutil
import sqlite3
import statistics
import subprocess
import sys
import time
from collections import Counter

WORD = re.compile("[a-z]{5,20}")
DROP = "/proc/sys/vm/drop_caches"
PAIRS_OF = 200000       # texts, in which a phrase is chosen
FTS_SCHEMA = "CREATE VIRTUAL TABLE t USING fts5(url UNINDEXED, text, content='')"


def rows_of(crawlfs, index, more=()):
    p = subprocess.Popen([crawlfs, "export", "-q", "--fields=url,text", "-o",
                          "-", index, *more], stdout=subprocess.PIPE)
    for line in p.stdout:
        yield json.loads(line).get("text") or ""
    p.wait()


def choose(texts):
    """Queries: what each is, and the words or the expression of it; and how
    many texts there are, and their length."""
    docs, pairs = Counter(), Counter()
    n = length = 0
    for text in texts:
        n, length = n + 1, length + len(text)
        words = re.findall(r"\w+", text.lower())
        docs.update(set(w for w in words if WORD.fullmatch(w)))
        if n <= PAIRS_OF:
            pairs.update(set(p for p in zip(words, words[1:])
                             if WORD.fullmatch(p[0]) and WORD.fullmatch(p[1])))
    print("%d texts, %d characters" % (n, length), flush=True)
    middle = sorted((w for w in docs if len(w) > 6),
                    key=lambda w: (abs(docs[w] - n // 100), w))
    if len(middle) < 2 or not pairs:
        sys.exit("words_peers.py: the texts that can be read have no words "
                 "to search for")
    rare = min(docs, key=lambda w: (abs(docs[w] - 5), w))
    phrase = min(pairs, key=lambda p: (abs(pairs[p] - 50), p))
    return [("rare word", "word", [rare]),
            ("two words", "word", middle[:2]),
            ("phrase", "phrase", list(phrase)),
            ("inside words", "inside", [rare[1:-1]]),
            ("expression", "expression", [rare])]


def timed(argv, cwd=None):
    def spent():
        u = resource.getrusage(resource.RUSAGE_CHILDREN)
        return u.ru_utime + u.ru_stime
    start, before = time.monotonic(), spent()
    p = subprocess.run(argv, cwd=cwd, stdout=subprocess.PIPE,
                       stderr=subprocess.DEVNULL)
    return (spent() - before) * 1000, (time.monotonic() - start) * 1000, \
        set(p.stdout.split(b"\n")) - {b""}


def options_of(kind, words):
    """What grep is called with: -l, so that a page is named once."""
    if kind == "phrase":
        return [["-l", "\\b%s[^a-zA-Z0-9_][^a-zA-Z0-9_]*%s\\b" % tuple(words)]]
    if kind == "inside":
        return [["-lF", words[0]]]
    if kind == "expression":
        return [["-l", words[0] + "[a-z]* [a-z][a-z]*"]]
    return [["-lwF", w] for w in words]


def by_cold_command(*args):
    os.sync()
    with open(DROP, "w") as f:
        f.write("3")
    return by_command(*args)


def by_command(command, tail, kind, words, cwd=None):
    """Several words are several calls, whose answers are cut with each other."""
    cpu = clock = 0
    found = None
    for options in options_of(kind, words):
        one = timed(command + options + tail, cwd)
        cpu, clock = cpu + one[0], clock + one[1]
        found = one[2] if found is None else found & one[2]
    return cpu, clock, len(found)


def by_library(ask):
    cpu, clock = time.process_time(), time.monotonic()
    n = ask()
    return (time.process_time() - cpu) * 1000, \
        (time.monotonic() - clock) * 1000, n


def make_files(folder, texts):
    for i, text in enumerate(texts):
        sub = os.path.join(folder, "%03d" % (i // 1000))
        os.makedirs(sub, exist_ok=True)
        with open(os.path.join(sub, "%d.txt" % i), "w") as f:
            f.write(text)


def say_candidates(program, tail, name, kind, words):
    """Says how many texts are read, and how many of them match: of several
    words, the sums of their calls."""
    sums = [0, 0]
    for options in options_of(kind, words):
        syntax = {"-l": "basic", "-lF": "text", "-lwF": "word"}[options[0]]
        one = subprocess.run([program, syntax, options[1]] + tail, check=True,
                             stdout=subprocess.PIPE).stdout.split()
        sums = [sums[0] + int(one[0]), sums[1] + int(one[1])]
    print("candidates\t%s\t%d\t%d" % (name, *sums), flush=True)


def made(name, path, make):
    """Says what making an index costs, and its bytes."""
    before = time.process_time()
    out = make()
    spent = time.process_time() - before
    size = sum(os.path.getsize(os.path.join(d, f))
               for d, _, names in os.walk(path) for f in names)
    print("made\t%s\t%.1f s\t%d bytes" % (name, spent, size), flush=True)
    return out


def make_fts(path, texts):
    db = sqlite3.connect(os.path.join(path, "fts.db"))
    db.execute(FTS_SCHEMA)
    db.executemany("INSERT INTO t(url, text) VALUES ('', ?)",
                   ((t,) for t in texts))
    db.execute("INSERT INTO t(t) VALUES ('optimize')")
    db.commit()
    return db


def make_tantivy(path, texts):
    import tantivy
    b = tantivy.SchemaBuilder()
    b.add_text_field("text", stored=False)
    ix = tantivy.Index(b.build(), path=path)
    w = ix.writer(num_threads=1)
    for t in texts:
        w.add_document(tantivy.Document(text=t))
    w.commit()
    w.wait_merging_threads()
    ix.reload()
    return ix


def ask_fts(db, kind, words):
    q = '"%s"' % " ".join(words) if kind == "phrase" else \
        " AND ".join('"%s"' % w for w in words)
    return len(db.execute("SELECT rowid FROM t WHERE t MATCH ?",
                          (q,)).fetchall())


def ask_tantivy(ix, kind, words, most):
    q = '"%s"' % " ".join(words) if kind == "phrase" else \
        " AND ".join(words)
    found = ix.searcher().search(ix.parse_query(q, ["text"]), most)
    return len(found.hits)


def left_out(name):
    print("words_peers.py: %s is not here: left out" % name, file=sys.stderr)


def other_subjects(texts, folder):
    """Programs and libraries to compare with, by name."""
    subjects = {}
    for name in ("texts", "fts", "tantivy"):
        shutil.rmtree(os.path.join(folder, name), ignore_errors=True)
        os.makedirs(os.path.join(folder, name))
    files = os.path.join(folder, "texts")
    make_files(files, texts)
    for name, more in (("rg", ["-uu"]), ("grep", ["-r"])):
        if not shutil.which(name):
            left_out(name)
        else:
            subjects[name] = lambda k, w, c=[name] + more: by_command(
                c, ["."], k, w, files)
    db = made("FTS5", os.path.join(folder, "fts"),
              lambda: make_fts(os.path.join(folder, "fts"), texts))
    subjects["FTS5"] = lambda k, w: by_library(lambda: ask_fts(db, k, w))
    try:
        path = os.path.join(folder, "tantivy")
        ix = made("tantivy", path, lambda: make_tantivy(path, texts))
        subjects["tantivy"] = lambda k, w: by_library(
            lambda: ask_tantivy(ix, k, w, len(texts)))
    except ImportError:
        left_out("tantivy")
    return subjects


def main():
    crawlfs, candidates, index, runs, folder = sys.argv[1:6]
    data = sys.argv[6:]
    tail = [index, *("--data=" + d for d in data)]
    texts = rows_of(crawlfs, index, tail[1:])
    if folder != "-":
        texts = list(texts)
    queries = choose(texts)
    subjects = {"crawlfs": lambda k, w: by_command(
        [crawlfs, "grep"], tail, k, w)}
    if os.access(DROP, os.W_OK):
        subjects["crawlfs-cold"] = lambda k, w: by_cold_command(
            [crawlfs, "grep"], tail, k, w)
    if folder != "-":
        subjects.update(other_subjects(texts, folder))
    for name, kind, words in queries:
        say_candidates(candidates, [index, *data], name, kind, words)
        for subject, ask in subjects.items():
            if kind in ("inside", "expression") and subject in ("FTS5",
                                                                "tantivy"):
                continue        # they find whole words only
            all_runs = [ask(kind, words) for _ in range(int(runs))]
            both = [[r[i] for r in all_runs] for i in (0, 1)]
            print("%s\t%s\t%d\t%.1f\t%.1f\t%s\t%s" % (
                name, subject, all_runs[0][2], *map(statistics.median, both),
                *(",".join("%.1f" % ms for ms in one) for one in both)),
                flush=True)


if __name__ == "__main__":
    main()
