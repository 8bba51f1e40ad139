#!/usr/bin/env python3
"""house.py - holds the source tree to the rules of HACKING.

usage: house.py [--report] SOURCE [BUILD]

Checks, one line a fault:
  * arrows between folders point down the list of layers (includes, and calls
    as the objects of BUILD/libcrawlfs.a name them);
  * no circle of files across folders, at most two inside one, and none in
    those of CIRCLES_MAX_IN; a file is foo.c with foo.h and foo_internal.h;
  * types have one name in the whole tree, and so have files, whatever their
    folder;
  * no file over 900 lines, no function over 60, no line over 80 columns,
    also in documents, manuals and help texts;
  * no statement with three `?` (TERNARY_MAX), and at most TERNARY_PAIRS_MAX
    with two; --report lists these;
  * at most LONE_HEADERS_MAX headers that at most one file includes besides the
    .c file of the same name (tests do not count); --report lists these;
  * no more files than now start threads, run pools, write JSON or have hash
    tables of their own (OWN_MIDDLES_MAX);
  * every macro, and every function of a header, is used somewhere;
  * each file says in its first comment what it is, which contrib/filemap
    prints; each folder's .am lists its files;
  * what may cancel a call and where it fails are one parameter, struct cfs_ctx;
  * no comment begins with "Of", "What" or "Who", but for questions;
  * no comment is only a pointer, and none cites a document that is not here;
    files, functions and cases of tests that doc/ names are there, and each
    promise of doc/semantics.md has a test that says it holds it.

--report prints figures instead of checking. Exit status 1 on any fault.
SPDX-License-Identifier: GPL-3.0-or-later
"""
import collections
import os
import re
import subprocess
import sys

# From the top: an arrow may point down only, or inside one folder.
LAYERS = ["src/cli", "fuse", "src/serve", "src/mcp", "src/export", "src/grep",
          "src/crawl",
          "src/verify", "src/copy", "src/summary", "src/indexing",
          "src/input", "src/view",
          "src/html", "src/pdf", "src/join", "src/table", "src/words", "src/sort",
          "src/record",
          "src/format", "src/format/cfx", "src/format/cdx",
          "src/format/pbtree", "src/index", "cache", "src/net",
          "src/source", "src/url", "src/markup", "src/codec", "src/base"]
SIDE_BY_SIDE = {("fuse", "src/export"), ("fuse", "src/serve"),
                ("src/serve", "src/export"), ("src/mcp", "src/export"),
                ("fuse", "src/mcp"), ("src/indexing", "src/view"),
                ("src/input", "src/view"),
                ("src/join", "src/table"), ("src/table", "src/sort")}
FILE_MAX = 900
FUNCTION_MAX = 60
LINE_MAX = 80
# The most circles of files inside a folder: CIRCLES_MAX_IN, else CIRCLES_MAX.
CIRCLES_MAX = 2
CIRCLES_MAX_IN = {"fuse": 0}
# Conditional operators in a statement; statements of the whole tree that have
# two.  Lower the latter as they are rewritten.
TERNARY_MAX = 2
TERNARY_PAIRS_MAX = 28
# Headers with at most one user.  What two files share is better declared in one
# header of their module; lower the number as they are merged.
LONE_HEADERS_MAX = 5
# The files that may start threads, run a pool, write JSON or chain a hash table of
# their own.  A new command has none of these; lower the numbers, never raise them.
OWN_MIDDLES_MAX = [
    ("start threads", r"\bcfs_thread_start\(", 8),
    ("run a pool", r"\bcfs_pool_(?:start|each)\(", 13),
    ("write JSON", r"\bcfs_json_(?:open|begin)\(", 21),
    ("have a hash table", r"\b(?:buckets|heads|slots)\[", 10),
]


def read(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def tracked(top):
    """Every source file of the tree, in or out of a git checkout."""
    for base, dirs, names in os.walk(top):
        rel = os.path.relpath(base, top)
        dirs[:] = sorted(d for d in dirs if not d.startswith(".") and
                         not os.path.exists(os.path.join(base, d,
                                                         "config.status")) and
                         d not in ("autom4te.cache", "build-aux", "corpus"))
        for n in sorted(names):
            yield os.path.normpath(os.path.join(rel, n))


def wide_lines(path, text):
    """Lines over LINE_MAX columns, but for what holds text that is printed."""
    for i, line in enumerate(text.split("\n"), 1):
        if len(line.expandtabs(8)) > LINE_MAX and '"' not in line and \
                not line.startswith("#define"):
            yield "%s:%d: more than %d columns" % (path, i, LINE_MAX)


def wide_text(text, is_man):
    """Numbers of the lines over LINE_MAX columns that could be broken: not in
    tables, examples between fences or macros of manual pages."""
    is_literal = False
    for i, line in enumerate(text.split("\n"), 1):
        if re.match(r"\s*```|\.Bd .*-literal|\.Ed", line):
            is_literal = not is_literal and not line.startswith(".Ed")
        if len(line) > LINE_MAX and not is_literal and " " in line.strip() \
                and not line.lstrip(" ").startswith("." if is_man else "|"):
            yield i


def printed(program, *args):
    return subprocess.run([program, *args], capture_output=True,
                          text=True).stdout


def blanked(text):
    """C without its comments, strings and characters; line numbers stay."""
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"|'
                  r"'(?:\\.|[^'\\])*'",
                  lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)


def ternaries(text):
    """(line, number of `?`) of each statement with two or more of them."""
    line = 1
    for statement in re.split(r"[;{}]", blanked(text)):
        n = statement.count("?")
        if n >= 2:
            yield line + statement.partition("?")[0].count("\n"), n
        line += statement.count("\n")


def room_of(path):
    stem = re.sub(r"\.[ch]$", "", path)
    return re.sub(r"_internal$", "", stem)


class House:
    def __init__(self, top, build):
        self.top = top
        self.build = build
        self.files = list(tracked(top))
        self.sources = [f for f in self.files if re.search(r"\.[ch]$", f) and
                        os.path.dirname(f) in LAYERS]
        self.text = {f: read(os.path.join(top, f)) for f in self.sources}
        self.arrows = collections.defaultdict(set)  # (room, room): names
        self.read_includes()
        self.read_calls()

    def resolve(self, frm, inc):
        for root in (os.path.dirname(frm), "src", "."):
            p = os.path.normpath(os.path.join(root, inc))
            if p in self.text:
                return p
        return None

    def rooms_of_header(self, path):
        """The file a header speaks for: a shared foo_internal.h or foo.h
        without a foo.c is a room of its own."""
        return room_of(path)

    def read_includes(self):
        for f, t in self.text.items():
            for inc in re.findall(r'^#include "([^"]+)"', t, re.M):
                p = self.resolve(f, inc)
                if p and room_of(p) != room_of(f):
                    self.arrows[room_of(f), room_of(p)].add(inc)

    def read_calls(self):
        """Calls, as the linker sees them."""
        lib = os.path.join(self.build or "", "libcrawlfs.a")
        if not self.build or not os.path.exists(lib):
            return
        objects = {os.path.join(self.build, f[:-2] + ".o"): f
                   for f in self.sources if f.endswith(".c")}
        defs, uses = {}, []
        # each line: the file, a colon, the address if there is one, ...
        out = subprocess.run(["nm", "-A"] + [o for o in objects
                                             if os.path.exists(o)],
                             capture_output=True, text=True).stdout
        for line in out.splitlines():
            src = objects[line.split(":")[0]]
            kind, name = line.split()[-2:]
            if not name.startswith(("cfs_", "cfx_")):
                continue
            if kind == "U":
                uses.append((src, name))
            elif kind in "TDBRV":
                defs[name] = src
        for src, name in uses:
            to = defs.get(name)
            if to and room_of(to) != room_of(src):
                self.arrows[room_of(src), room_of(to)].add(name)

    def circles(self):
        """Strongly connected sets of more than one room."""
        graph = collections.defaultdict(list)
        for a, b in self.arrows:
            graph[a].append(b)
        index, low, stack, on, out = {}, {}, [], set(), []

        def visit(start):
            work = [(start, iter(sorted(graph[start])))]
            index[start] = low[start] = len(index)
            stack.append(start)
            on.add(start)
            while work:
                v, it = work[-1]
                for w in it:
                    if w not in index:
                        index[w] = low[w] = len(index)
                        stack.append(w)
                        on.add(w)
                        work.append((w, iter(sorted(graph[w]))))
                        break
                    if w in on:
                        low[v] = min(low[v], index[w])
                else:
                    work.pop()
                    if work:
                        low[work[-1][0]] = min(low[work[-1][0]], low[v])
                    if low[v] == index[v]:
                        part = []
                        while True:
                            w = stack.pop()
                            on.discard(w)
                            part.append(w)
                            if w == v:
                                break
                        if len(part) > 1:
                            out.append(sorted(part))

        for v in sorted({x for ab in self.arrows for x in ab}):
            if v not in index:
                visit(v)
        return out

    def bad_arrows(self):
        for (a, b), names in sorted(self.arrows.items()):
            fa, fb = os.path.dirname(a), os.path.dirname(b)
            if fa == fb:
                continue
            if LAYERS.index(fa) > LAYERS.index(fb) or (fa, fb) in SIDE_BY_SIDE:
                yield "%s -> %s (%s)" % (a, b, ", ".join(sorted(names)[:6]))

    def functions(self, path):
        """(name, first line, lines) of each function in a C file."""
        lines = read(os.path.join(self.top, path)).split("\n")
        start = None
        for i, line in enumerate(lines):
            if line == "{":
                start = i
            elif line == "}" and start is not None:
                head = start - 1
                while head > 0 and lines[head - 1].strip() and \
                        not lines[head - 1].startswith(("}", "#", " */")):
                    head -= 1
                m = re.search(r"(\w+)\(", " ".join(lines[head:start]))
                yield (m.group(1) if m else "?", head + 1, i - start + 1)
                start = None

    def faults(self):
        for a in self.bad_arrows():
            yield "arrow up: " + a
        inside = collections.Counter()
        for c in self.circles():
            folders = {os.path.dirname(r) for r in c}
            if len(folders) > 1:
                yield "circle across folders: " + ", ".join(c)
            for d in folders:
                inside[d] += 1
        for d, n in sorted(inside.items()):
            if n > CIRCLES_MAX_IN.get(d, CIRCLES_MAX):
                yield "%d circles of files in %s" % (n, d)
        yield from self.name_faults()
        yield from self.long_ones()
        yield from self.ternary_faults()
        yield from self.header_faults()
        yield from self.middle_faults()
        yield from self.unused_faults()
        yield from self.pair_faults()
        yield from self.map_faults()
        yield from self.comment_faults()
        yield from self.citation_faults()
        yield from self.english_faults()
        yield from self.beginning_faults()
        yield from self.width_faults()
        yield from self.doc_faults()

    def name_faults(self):
        """Two types of one name, two files of one name in different folders."""
        types, stems = collections.defaultdict(set), collections.defaultdict(set)
        for f in self.sources:
            stems[os.path.basename(room_of(f))].add(os.path.dirname(f))
            for m in re.finditer(r"^(?:struct|enum|union) (\w+) \{",
                                 read(os.path.join(self.top, f)), re.M):
                types[m.group(1)].add(f)
        for name, where in sorted(types.items()):
            if len(where) > 1:
                yield "the type '%s' is defined in %s" % (
                    name, " and ".join(sorted(where)))
        for name, where in sorted(stems.items()):
            if len(where) > 1:
                yield "files '%s' are in %s" % (name,
                                                " and ".join(sorted(where)))

    def pair_faults(self):
        pair = re.compile(r"struct cfs_cancel \*\w*,\s*struct cfs_error \*\w*\)")
        for f, t in sorted(self.text.items()):
            for m in pair.finditer(t):
                yield "%s:%d: a struct cfs_ctx takes cancel and error" % (
                    f, t.count("\n", 0, m.start()) + 1)

    def long_ones(self):
        for f in self.files:
            if not re.search(r"\.([ch]|py|sh|mjs|js)$", f):
                continue
            n = read(os.path.join(self.top, f)).count("\n")
            if n > FILE_MAX:
                yield "%s has %d lines" % (f, n)
            if f in self.sources:
                yield from wide_lines(f, read(os.path.join(self.top, f)))
            if f.endswith(".c"):
                for name, line, length in self.functions(f):
                    if length > FUNCTION_MAX:
                        yield "%s:%d: %s has %d lines" % (f, line, name,
                                                          length)

    def ternary_pairs(self):
        """Where statements with TERNARY_MAX conditional operators are."""
        return ["%s:%d" % (f, line) for f in self.sources
                for line, n in ternaries(self.text[f]) if n == TERNARY_MAX]

    def ternary_faults(self):
        for f in self.sources:
            for line, n in ternaries(self.text[f]):
                if n > TERNARY_MAX:
                    yield "%s:%d: a statement with %d '?'" % (f, line, n)
        pairs = len(self.ternary_pairs())
        if pairs > TERNARY_PAIRS_MAX:
            yield "%d statements with two '?', more than %d (see --report)" % (
                pairs, TERNARY_PAIRS_MAX)

    def lone_headers(self):
        """Headers that at most one file includes, and that file."""
        users = collections.defaultdict(list)
        texts = {f: read(os.path.join(self.top, f)) for f in self.files
                 if f.endswith(".cc")}
        for f, t in {**self.text, **texts}.items():
            for inc in re.findall(r'^#include "([^"]+)"', t, re.M):
                header = self.resolve(f, inc)
                if header and header[:-2] != f[:-2]:
                    users[header].append(f)
        return ["%s (%s)" % (f, ", ".join(users[f]) or "nobody")
                for f in self.sources
                if f.endswith(".h") and len(users[f]) <= 1]

    def header_faults(self):
        lone = self.lone_headers()
        if len(lone) > LONE_HEADERS_MAX:
            yield "%d headers with at most one user, more than %d: %s" % (
                len(lone), LONE_HEADERS_MAX, ", ".join(lone))

    def middle_faults(self):
        for what, use, most in OWN_MIDDLES_MAX:
            # the codec is no user of itself, and a protocol that is JSON is one
            own = {os.path.dirname(f) if f.startswith("src/mcp/") else f
                   for f in self.sources
                   if f.endswith(".c") and
                   not f.startswith(("src/base/", "src/codec/")) and
                   re.search(use, blanked(self.text[f]))}
            if len(own) > most:
                yield "%d files %s, more than %d: %s" % (
                    len(own), what, most, ", ".join(sorted(own)))

    def unused_faults(self):
        """Macros, and functions of headers, that nothing else names, or for
        which a static function would do."""
        code = {f: blanked(read(os.path.join(self.top, f)))
                for f in self.files if re.search(r"\.(c|cc|h)$", f)}
        words = {f: collections.Counter(re.findall(r"\w+", t))
                 for f, t in code.items()}
        uses = collections.Counter()
        for of_file in words.values():
            uses.update(of_file)
        for f in self.sources:
            # one before a library's header is for that
            for name in re.findall(r"^#define (\w+)(?!.*\n#include <)",
                                   code[f], re.M):
                if uses[name] == 1 and not name.endswith("_H"):
                    yield "%s: nothing uses %s" % (f, name)
            for name in re.findall(r"^(?!typedef|static)\w[\w\s*]*?\b"
                                   r"(cfs_\w+)\([^;{}]*\)\s*;", code[f], re.M):
                if f.endswith(".h") and uses[name] <= 2:
                    yield "%s: nothing calls %s" % (f, name)
                elif f.endswith(".h") and words[f][name] == 1 and (
                        sum(name in w for w in words.values()) == 2):
                    yield "%s: only one file uses %s" % (f, name)

    def map_faults(self):
        yield from self.sentence_faults()
        for d in LAYERS:
            am = os.path.join(self.top, d, os.path.basename(d) + ".am")
            mine = [f for f in self.sources if os.path.dirname(f) == d]
            if not mine:
                continue
            listed = read(am) if os.path.exists(am) else ""
            for f in mine:
                if f not in listed.split():
                    yield "%s.am does not list %s" % (d, f)

    def sentence_faults(self):
        """contrib/filemap finds what each file is in its first comment."""
        script = os.path.join(self.top, "contrib", "filemap")
        run = subprocess.run([sys.executable, script, self.top],
                             capture_output=True, text=True)
        if run.returncode != 0 or run.stderr:
            yield "contrib/filemap fails: %s" % run.stderr.strip()
        for line in run.stdout.split("\n"):
            if line.endswith(" ?"):
                yield "%s does not say what it is" % line.split()[0]

    def english_faults(self):
        for f in self.files:
            if not PROSE.search(f) or f == "tests/house/house.py":
                continue
            for i, line in enumerate(read(os.path.join(self.top, f))
                                     .split("\n")):
                for pattern, instead in BAD_ENGLISH:
                    if pattern.search(line):
                        yield "%s:%d: rather %s" % (f, i + 1, instead)

    def width_faults(self):
        """Documents and printed help texts have at most LINE_MAX columns."""
        for f in self.files:
            if DOCUMENT.match(f):
                for i in wide_text(read(os.path.join(self.top, f)),
                                   f.startswith("man/")):
                    yield "%s:%d: more than %d columns" % (f, i, LINE_MAX)
        program = os.path.join(self.build or "", "crawlfs")
        if not self.build or not os.path.exists(program):
            return
        for command in [""] + re.findall(r"^  ([a-z]+) ",
                                         printed(program, "--help"), re.M):
            text = printed(program, *command.split(), "--help")
            for i in wide_text(text, False):
                yield "crawlfs %s --help, line %d: more than %d columns" % (
                    command, i, LINE_MAX)

    def beginning_faults(self):
        """A comment begins with its subject, or is a question."""
        for f in self.files:
            if not re.search(r"\.[ch]$", f):
                continue
            t = read(os.path.join(self.top, f))
            for m in BAD_BEGINNING.finditer(t):
                if not m.group().endswith("?"):
                    yield "%s:%d: a comment begins with '%s'" % (
                        f, t.count("\n", 0, m.start()) + 1, m.group(1))

    def comment_faults(self):
        for f, t in self.text.items():
            head = re.match(r"/\*(.*?)\*/", t, re.S)
            if not head:
                yield "%s does not say what it holds" % f
            elif re.search(r"^\s*[\w./]+ - (\()?see [\w./]+", head.group(1)):
                yield "%s only says where else to look" % f

    def citation_faults(self):
        for f in self.files:
            if not PROSE.search(f) or f == "tests/house/house.py":
                continue
            t = read(os.path.join(self.top, f))
            for doc in re.findall(r"\b((?:doc/)?[\w.-]+\.md)\b", t):
                # doc/ cites other repositories' files; see doc_faults
                if not f.startswith("doc/") and \
                        not os.path.exists(os.path.join(self.top, doc)):
                    yield "%s cites %s, which is not here" % (f, doc)
            for word in re.findall(r"(?<!\()\b(DESIGN|FORMATS2?|STYLE|PEERS)\b"
                                   r"(?=[ ,.;:)]| section)", t):
                yield "%s cites %s, which is not here" % (f, word)
            for doc, head in cited_headings(t):
                if head not in headings_of(os.path.join(self.top, doc)):
                    yield '%s cites %s, "%s", which is no heading of it' % (
                        f, doc, head)

    def doc_faults(self):
        """What doc/*.md names is there: files, functions, cases of tests;
        and doc/threads.md names every lock."""
        everything = set(re.findall(r"\b[a-z]\w+",
                                    " ".join(self.text.values())))
        defined = {name for f in self.sources if f.endswith(".c")
                   for name, _, _ in self.functions(f)}
        for doc in self.files:
            if not re.match(r"doc/.*\.md$", doc):
                continue
            text = read(os.path.join(self.top, doc))
            for path in sorted(set(re.findall(OWN_PATH, text))):
                if path not in self.files:
                    yield "%s names %s, which is not here" % (doc, path)
            for path, case in cited_cases(text):
                if path in self.files and case not in \
                        read(os.path.join(self.top, path)):
                    yield '%s: %s has no case "%s"' % (doc, path, case)
            for name in sorted(set(re.findall(
                    r"(?<![/\w])(cfs_\w+|\w+\(\))", text))):
                if name not in everything and name[:-2] not in defined:
                    yield "%s names %s, which is not here" % (doc, name)
        yield from promise_faults(
            read(os.path.join(self.top, "doc/semantics.md")),
            {f: read(os.path.join(self.top, f)) for f in self.files
             if f.startswith("tests/") and f.endswith((".c", ".sh", ".py"))})
        locks = section_of(read(os.path.join(self.top, "doc/threads.md")),
                           "Locks")
        for f, t in self.text.items():
            if re.search(r"^\s*(static )?pthread_mutex_t \w", t, re.M) and \
                    f not in locks:
                yield 'doc/threads.md, "Locks", has none of %s' % f


HOLDS = re.compile(r"(?:#|/\*) Holds (\w+\d(?:, \w+\d+)*)\.")


def promise_faults(text, tests):
    """Each promise has an id of its own, and a test that holds it; no test says
    that it holds what is not promised."""
    held = {}
    for f, t in tests.items():
        for ids in HOLDS.findall(t):
            held.update((name, f) for name in ids.split(", "))
    seen = set()
    for name in re.findall(r"^- \*\*(\w+)\*\*", text, re.M):
        if name in seen:
            yield "doc/semantics.md has two promises %s" % name
        seen.add(name)
        if name not in held:
            yield "doc/semantics.md: no test holds promise %s" % name
    for name in sorted(set(held) - seen):
        yield "%s holds %s, which doc/semantics.md does not promise" % (
            held[name], name)
    loose = re.findall(r"^- (?!\*\*\w+\*\*)(.*)", text, re.M)
    for words in loose:
        yield "doc/semantics.md: '- %s' is no promise with an id" % words


# A file of this repository, as documents name it.
OWN_PATH = (r"\b((?:src|fuse|cache|tests|doc|man|contrib)/[\w./-]+"
            r"\.(?:c|h|py|sh|mjs|js|md|am|[158]))\b")

# What no text of the tree says (HACKING, "English").
BAD_ENGLISH = [
    (re.compile(r"\b[Aa]n URL"), "'a URL'"),
    (re.compile(r"%s'? is no [a-z]"), "'unknown view ...', 'not a ...'"),
    (re.compile(r"\bmade? (it |them )?anew\b"), "'rebuilt'"),
    (re.compile(r"\bof no more use\b"), "'obsolete'"),
]
DOCUMENT = re.compile(r"(README\.md|HACKING|NEWS|doc/.*\.md|man/.*\.[1-8])$")
# With the rest of its first sentence.
BAD_BEGINNING = re.compile(r"/\*[\s*]*(Of|[Ww]hat|[Ww]ho)\b"
                           r"(?:(?!\*/)[^.?])*\??")
PROSE = re.compile(r"(\.([ch]|sh|py|md|[1-8]|in|am|ac)|README|NEWS|HACKING|"
                   r"contrib/[\w/-]+)$")


def cited_headings(text):
    """(document, heading) of each `doc/x.md, "Heading" and "Other"`, which
    may be wrapped over lines of a comment."""
    flat = re.sub(r"\n[ \t]*(?:\*|#|//)?[ \t]*", " ", text)
    for m in re.finditer(r'\b(doc/[\w.-]+\.md),?((?: (?:and|to|or)| ?,|'
                         r' "[^"]*")+)', flat):
        for head in re.findall(r'"([^"]*)"', m.group(2)):
            yield m.group(1), head


def cited_cases(text):
    """(test file, case) of each `tests/x_test.c, "case" and "other"`."""
    flat = re.sub(r"\s+", " ", text)
    for m in re.finditer(r'\b(tests/[\w./-]+\.(?:c|sh|py))((?:,|:)? "[^"]*"'
                         r'(?:(?:,|,? and|,? or) "[^"]*")*)', flat):
        for case in re.findall(r'"([^"]*)"', m.group(2)):
            yield m.group(1), case


def headings_of(path):
    if not os.path.exists(path):
        return set()
    return set(re.findall(r"^#+ (.+)$", read(path), re.M))


def section_of(text, heading):
    rest = text.partition("\n## %s\n" % heading)[2]
    return re.split(r"^#+ ", rest, maxsplit=1, flags=re.M)[0]


def report(house):
    total = 0
    for d in LAYERS:
        mine = [f for f in house.sources if os.path.dirname(f) == d]
        n = sum(house.text[f].count("\n") for f in mine)
        total += n
        print("%-12s %3d files %6d lines" % (d, len(mine), n))
    print("%-12s %3d files %6d lines" % ("all", len(house.sources), total))
    for place in house.ternary_pairs():
        print("two '?' in a statement: %s" % place)
    for header in house.lone_headers():
        print("a header with at most one user: %s" % header)
    for c in house.circles():
        print("circle:", ", ".join(c))
        for a in c:
            for b in c:
                if (a, b) in house.arrows:
                    print("    %s -> %s: %s" % (a, b, ", ".join(
                        sorted(house.arrows[a, b])[:8])))


def main(argv):
    args = [a for a in argv if a != "--report"]
    if not args:
        print(__doc__)
        return 2
    house = House(args[0], args[1] if len(args) > 1 else None)
    if "--report" in argv:
        report(house)
        return 0
    n = 0
    for fault in house.faults():
        print("FAILED:", fault)
        n += 1
    if n == 0:
        print("ok: %d files keep the rules" % len(house.sources))
    return 1 if n else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
