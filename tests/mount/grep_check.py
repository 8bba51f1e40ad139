#!/usr/bin/env python3
"""grep_check.py - compares crawlfs grep with grep -r in a mount, byte for byte.

usage: grep_check.py make ARCHIVE (of pages that are odd) | json OUTPUT
       grep_check.py texts ARCHIVE MOST BYTES (of the rows of standard input)
       grep_check.py matrix CRAWLFS SOURCE MOUNTPOINT VIEW LEAST MOST
       grep_check.py prefix CRAWLFS SOURCE MOUNTPOINT VIEW PREFIX...
       grep_check.py random CRAWLFS SOURCE MOUNTPOINT VIEW COUNT SEED
           COUNT patterns, or those from FIRST to LAST (FIRST-LAST)

In place of MOUNTPOINT may stand a copy of it, FOLDER, which grep reads faster;
FOLDER.list then has its files in the order of the mount.
Standard output and exit status must be the same, and the same files must be
reported as binary.  SPDX-License-Identifier: GPL-3.0-or-later
"""

import os
import random
import re
import subprocess
import sys

PATTERNS = [
    "the", "^", "$", "", "zzzzzz", "a.e", "[0-9]\\+", "\\(a\\|e\\)n", "\\bin",
    "\\<t", "e\\>", "\\w\\+ed", "[[:upper:]][[:lower:]]*", "[^a-z ]", "\\.",
    "a*", "x*", "on\\?", "\\(an\\)\\{1,2\\}", "é", "ä\\|ö\\|ü", "日", "[日本語]",
    "\\([a-z]\\)\\1", "^[[:space:]]*$", "\\W", "\\S\\s\\S", "I", "ß",
    "k", "[j-lÅω]",
]
EXTENDED = ["the|and", "(a|an|and)+", "o{2,3}", "^.{3}$", "(^| )a( |$)", "a|b|",
            "()", "[[:alpha:]]+ing", "[[:alpha:]]{3,20}", "s+$",
            "\\bword\\b", "x{0,0}", "(a*)*",
            "(.\\w|^)?m{0,1}|平", "(\\B|[aeä]){1,2}|[aeä]^"]
PERL = ["\\d+", "(?<=t)he", "a(?!n)", "\\bthe\\b", "(a|an|and)", "^\\s*$", "\\w+"]
OPTIONS = [
    [], ["-i"], ["-w"], ["-x"], ["-v"], ["-c"], ["-l"], ["-L"], ["-o"],
    ["-n"], ["-b"], ["-h"], ["-H"], ["-q"], ["-s"], ["-Z", "-l"], ["-Zn"],
    ["-m1"], ["-m2", "-A1"], ["-m0"], ["-A1"], ["-B1"], ["-C2"], ["-A0"],
    ["-nC1"], ["-ob"], ["-on"], ["-oi"], ["-ow"], ["-vc"], ["-vn", "-m3"],
    ["-vl"], ["-cl"], ["-ch"], ["-lv"], ["-Lv"], ["-a"], ["-ao"], ["-I"],
    ["-nb", "-C1", "--group-separator=##"], ["-A1", "--no-group-separator"],
    ["--color=always"], ["--color=always", "-n", "-C1"],
    ["--color=always", "-o", "-b"], ["--color=always", "-v"],
    ["--color=always", "-iw"], ["--color=always", "-c"], ["-iv", "-c"],
    ["-wv", "-c"], ["-xv", "-c"], ["-ix"], ["-oc"], ["-ov"], ["-oA1"],
    ["-hn", "-m1"], ["-e", "of"], ["-C1", "-m1"], ["-cZ"], ["-qv"], ["-cm2"],
]


def run(argv, cwd=None):
    try:
        p = subprocess.run(argv, cwd=cwd, stdout=subprocess.PIPE, timeout=600,
                           stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return None, b"", b""
    return p.returncode, p.stdout, p.stderr


def reports(err, program):
    """The lines of standard error that are about binary files."""
    mark = program + b": "
    return [line[len(mark):] for line in err.split(b"\n")
            if line.startswith(mark) and
            line.endswith(b": binary file matches")]


class Pair:
    """A source and a mount of it, or a copy of that with its files in order."""

    files = None

    def __init__(self, crawlfs, source, mount, view, prefixes=()):
        self.mount = mount
        self.crawlfs = [crawlfs, "grep", "--view=" + view]
        self.source = [source] + list(prefixes)
        self.prefixes = list(prefixes)
        self.bad = self.tried = 0
        if os.path.exists(mount + ".list"):
            with open(mount + ".list") as f:
                self.files = f.read().splitlines()

    def compare(self, options):
        """Compares one command line; returns grep's status."""
        if self.files is None:
            want = run(["grep", "-r"] + options + self.prefixes, self.mount)
        else:
            want = run(["grep", "-H"] + options + self.files, self.mount)
        got = run(self.crawlfs + options + self.source)
        self.tried += 1
        same = want[0] == got[0] and want[1] == got[1] and \
            reports(want[2], b"grep") == reports(got[2], b"crawlfs")
        if not same:
            self.bad += 1
            if self.bad <= 20:
                self.show(options, want, got)
        return want[0]

    @staticmethod
    def show(options, want, got):
        print("differs: grep -r", " ".join(map(repr, options)))
        print("  status", want[0], "not", got[0])
        a, b = want[1].split(b"\n"), got[1].split(b"\n")
        for i in range(max(len(a), len(b))):
            x, y = a[i:i + 1], b[i:i + 1]
            if x != y:
                print("  line %d\n    grep    %.200r\n    crawlfs %.200r" %
                      (i + 1, x, y))
                break
        if a == b:
            print("  errors\n    grep    %r\n    crawlfs %r" %
                  (want[2][:300], got[2][:300]))
        sys.stdout.flush()


def is_empty(p):
    """True if a pattern matches nothing at all: with -w, GNU grep finds that in
    some lines and not in others like them."""
    return re.fullmatch(r".*\|\)?|\(?\)?|.\*|x\{0,0\}|\(a\*\)\*|[$^]", p)


def matrix(pair, least, most):
    """Each option with some patterns, which are others for each."""
    every = [[p] for p in PATTERNS] + [["-E", p] for p in EXTENDED] + \
        [["-F", p] for p in ["the", "a.b", "", "The", "in", "é"]] + \
        [["-P", p] for p in PERL] + [["the\nof\nzz*"]]
    for i, opts in enumerate(OPTIONS):
        for k, p in enumerate(every):
            word = any("w" in o and o[1] != "-" for o in opts)
            if not least <= (i + k) % 16 < most or \
                    (word and is_empty(p[-1])) or \
                    (p[0] == "-P" and "of" in opts):
                continue
            pair.compare(p[:-1] + opts + ["-e", p[-1]])


def words_of(mount):
    """Words and parts of the texts, for patterns that match something."""
    found = set()
    for folder, _, files in os.walk(mount):
        for name in files[:3]:
            try:
                with open(os.path.join(folder, name), "rb") as f:
                    text = f.read(20000).decode("utf-8", "ignore")
            except OSError:
                continue
            found.update(re.findall(r"\w{1,12}", text))
        if len(found) > 20000:
            break
    return sorted(found)


def random_atom(r, words, depth):
    word = r.choice(words)
    kind = r.randrange(14)
    if kind < 5:
        a = r.randrange(len(word))
        return re.escape(word[a:a + 1 + r.randrange(6)])
    if kind == 5:
        return "."
    if kind == 6:
        return r.choice(["[a-f]", "[^a-m]", "[[:alpha:]]", "[[:digit:]]",
                         "[^[:space:]]", "[aeiouäöü]", "[[:punct:]]",
                         "[[:upper:]]", "[[:lower:]]", "[]a]", "[^]x-z]",
                         "[%s]" % re.sub("\\W", "", word)[:4],
                         "[[:alnum:]_]"])
    if kind == 7:
        return r.choice(["\\w", "\\W", "\\s", "\\S", "\\b", "\\<", "\\>",
                         "\\B"])
    if kind == 8:
        return r.choice("^$")
    if kind < 12 and depth < 3:
        return "(" + random_extended(r, words, depth + 1) + ")"
    return word[:1 + r.randrange(3)]


def random_extended(r, words, depth=0):
    out = []
    for _ in range(1 + r.randrange(3)):
        atom = random_atom(r, words, depth)
        if r.randrange(3) == 0 and \
                atom not in ("^", "$", "\\b", "\\<", "\\>", "\\B"):
            atom += r.choice(["*", "+", "?", "{1,2}", "{2}", "{0,1}", "{,3}"])
        out.append(atom)
    text = "".join(out)
    if r.randrange(4) == 0:
        text += "|" + "".join(random_atom(r, words, depth + 1)
                              for _ in range(1 + r.randrange(2)))
    return text


def random_perl(r, words):
    """An expression that only Perl's syntax has, around a part of a word."""
    word = re.escape(r.choice(words))
    other = re.escape(r.choice(words)[:3])
    return r.choice(["(?<=%s)%s", "(?<!%s)%s", "%s(?=%s)", "%s(?! ?%s)",
                     "\\b%s\\w*?%s", "(?i)%s|%s", "%s\\d+|%s\\b",
                     "%s[^%s]*+\\.", "(?:%s|%s)+\\s", "^%s.*?%s",
                     "\\p{Lu}%s|%s\\p{L}$"]) % (word[:5], other)


def random_pattern(r, words):
    """Options that say what the pattern is, and it."""
    kind = r.randrange(12)
    word = r.choice(words)
    if kind < 2:
        return ["-F", "-e", word[r.randrange(len(word)):][:8]]
    if kind == 2:
        return ["-F", "-e", word, "-e", r.choice(words)]
    if kind == 3:
        return ["-F", "-e", word + " " + r.choice(words)[:3]]
    if kind < 6:
        return ["-e", word + r.choice([" ", ".", "[^x]", "s*", "\\|",
                                       "\\(a\\|e\\)*", "\\{1,2\\}"]) +
                r.choice(words)[:2]]
    if kind == 6:
        return ["-P", "-e", random_perl(r, words)]
    if kind == 7:
        return ["-E", "-e", word[:2] + r.choice(["(.)\\1", "([a-z])(.)\\2\\1",
                                                 "(\\w+) \\1"])]
    return ["-E", "-e", random_extended(r, words)]


def at_random(pair, which, seed):
    """Patterns by chance, each made of the seed and its number alone."""
    words = words_of(pair.mount)
    first, _, last = which.rpartition("-")
    found = 0
    for number in range(int(first or 1), int(last) + 1):
        r = random.Random(seed * 1000003 + number)
        options = r.choice([[], ["-i"], ["-w"], ["-c"], ["-o"], ["-n"],
                            ["-iw"], ["-x"], ["-v", "-c"], ["-l"], ["-L"],
                            ["-oi"], ["-ow"], ["-m1"], ["-io"], ["-b", "-o"],
                            ["-C1", "-n"], ["-A2"], ["-v", "-m2"], ["-h"],
                            ["--color=always"], ["-xi"], ["-Z", "-c"]])
        p = random_pattern(r, words)
        if p[0] in ("-E", "-P") and "w" in "".join(options)[:3]:
            options = ["-n"]  # as is_empty says
        found += pair.compare(options + p) == 0
    print("%d of %s patterns match" % (found, which))


def pages():
    """(path, body) of pages that have what usual ones seldom have."""
    lines = ["the cat of the house", "The End", "", "an and ananas", "Straße",
             "STRASSE strasse", "  ", "naïve café", "a.b a+b a*b (a) {a} [a]",
             "in_word inword in", "aa bb cc", "tab\there", "x", "xxx 123 45",
             "I ı İ i", "Ärger ÖL übel", "ǅ ﬁ K µ", "k \u212a å \u212b ω \u2126 œªÄ ぺ 0m",
             "end of the end"]
    r = random.Random(3)
    text = "\n".join(lines)
    yield "plain.txt", text.encode()
    yield "no-end.txt", (text + "\nlast the").encode()
    yield "cjk.txt", "日本語のテキスト\n中文 文本 the\n한국어\n日本\n".encode()
    yield "empty.txt", b""
    yield "one-nl.txt", b"\n"
    yield "nul.txt", b"the first\nthe \0 second\nthe third\n"
    yield "late-nul.txt", b"the line of it\n" * 9000 + b"\0 the end\nthe\n"
    yield "long-nul.txt", b"the " * 1300 + b"\nof\n" * 60000 + b"\0the\n"
    yield "latin.txt", b"the \xe9 t \xe9\nfor the\n\xff\xfe the\nof the end\n"
    yield "cut.txt", b"the \xe6\x97 the\nan \xf0\x9f\x98 an\nthe of\n" * 3
    yield "crlf.txt", b"the\r\nof\r\nand\r\n"
    yield "long", b"a" * 30000 + b"\n"
    for i in range(20):
        some = [" ".join(r.choice(lines + text.split()) for _ in
                         range(r.randrange(9))) for _ in range(40)]
        yield "page%d.txt" % i, "\n".join(some).encode()


def odd_pages():
    for name, body in pages():
        yield "http://odd.org/" + name.replace("cjk.txt", "cjk"), body


def make(path, made):
    """Writes an archive of texts, given by their URLs."""
    with open(path, "wb") as f:
        for number, (url, body) in enumerate(made):
            http = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain; " \
                b"charset=utf-8\r\nContent-Length: %d\r\n\r\n" % len(body)
            f.write(b"WARC/1.0\r\nWARC-Type: response\r\n"
                    b"WARC-Target-URI: %s\r\n"
                    b"WARC-Date: 2026-11-29T00:00:00Z\r\n"
                    b"WARC-Record-ID: <urn:uuid:%032x>\r\n"
                    b"Content-Type: application/http; msgtype=response\r\n"
                    b"Content-Length: %d\r\n\r\n" %
                    (url.encode(), number, len(http + body)))
            f.write(http + body + b"\r\n\r\n")


def texts(most, size):
    """(URL, body) of the texts of rows, each once."""
    import json
    seen = set()
    for line in sys.stdin:
        text = json.loads(line).get("text") or ""
        body = text.encode()[:size].decode("utf-8", "ignore").encode()
        if body and body not in seen and len(seen) < most:
            yield "http://host%d.org/d%d/page%d" % (
                len(seen) % 200, len(seen) // 200 % 10, len(seen)), body
            seen.add(body)


def check_json(path):
    """The lines that `--json -i STRASSE` prints of these pages."""
    import json
    with open(path) as f:
        got = [json.loads(line) for line in f]
    want = []
    for name, body in sorted(pages()):
        for at, line in enumerate(body.split(b"\n")):
            text = line.decode("utf-8", "replace")
            if "strasse" in text.lower():
                want.append((
                    "org/odd/_/" + name.replace("cjk.txt", "cjk") + ".txt",
                    at + 1, text))
    assert sorted((x["path"], x["line"], x["text"]) for x in got) == \
        sorted(want), (got[:3], want[:3])
    assert all(x["url"].startswith("http://odd.org/") and
               "context" not in x for x in got), got[:3]
    assert len(want) > 3


def main():
    what, rest = sys.argv[1], sys.argv[2:]
    if what in ("make", "json"):
        make(rest[0], odd_pages()) if what == "make" else check_json(rest[0])
        return
    if what == "texts":
        make(rest[0], texts(int(rest[1]), int(rest[2])))
        return
    pair = Pair(*rest[:4])
    if what == "random":
        at_random(pair, rest[4], int(rest[5]))
    elif what == "prefix":
        pair = Pair(*rest[:4], prefixes=rest[4:])
        for options in OPTIONS:
            pair.compare(options + ["-e", "the"])
    else:
        matrix(pair, int(rest[4]), int(rest[5]))
    print("%d command lines, %d differ" % (pair.tried, pair.bad))
    sys.exit(1 if pair.bad else 0)


if __name__ == "__main__":
    main()
