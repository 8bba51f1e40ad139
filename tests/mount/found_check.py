#!/usr/bin/env python3
"""found_check.py - folders of searches, compared with the files that an
independent reading of the texts chooses.

    found_check.py make FOLDER SEED
        a.warc, an archive of pages of a few words; some have several captures
    found_check.py tree TREE MOUNT
    found_check.py tools TREE MOUNT SCRATCH
    found_check.py crowd TREE MOUNT
    found_check.py drop TREE MOUNT
    found_check.py names MOUNT
    found_check.py damage ARCHIVE MOUNT
        ARCHIVE is what is mounted; its last record has the phrase
    found_check.py dav TREE MOUNT URL
        the same folders by WebDAV
        TREE is the folder whose searches are below MOUNT/.crawlfs/search: MOUNT
        itself, or the folder of one of its sources

SPDX-License-Identifier: GPL-3.0-or-later
"""
import errno
import os
import random
import re
import shutil
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request

WORDS = ("Anchor bellows candle Dynamo ember fathom gimbal hawser ingot Jib "
         "keel lantern mast nail oar pintle quay rudder sextant tiller").split()
QUERIES = ["anchor", "DYNAMO", "keel mast", "keel+mast+nail", '"oar pintle"',
           '"oar pintle" quay', "\u6d77\u4e0a", "nowhere", "2017",
           "anchor bellows candle dynamo"]
POS, VIEW, TEXT = (1 << 48) - 1, 48, 3


def make(folder, seed):
    rng = random.Random(int(seed))
    with open(os.path.join(folder, "a.warc"), "wb") as out:
        for i in range(240):
            url = "http://%s.example/%s%s" % (
                rng.choice(["a", "b.a", "c"]),
                "".join(rng.choice(["x/", "y/", "z z/", "\u00e9/", ""])
                        for _ in range(3)),
                rng.choice(["p%d" % i, "p%d?q=%d" % (i % 9, i), "", "d",
                            "n" * 230 + str(i)]))
            for capture in range(rng.choice([1, 1, 1, 2, 4])):
                text = " ".join(rng.choice(WORDS + ["\u6d77\u4e0a\u4fdd", "2017"])
                                for _ in range(rng.randrange(1, 60)))
                out.write(record(url, i * 10 + capture, text))
        out.write(record("http://last.example/", 9999, "Last, words"))


def record(url, n, text):
    body = ("<p>%s</p>" % text).encode()
    block = (b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
             b"Content-Length: %d\r\n\r\n" % len(body)) + body
    return (b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: "
            b"<urn:uuid:%d>\r\nWARC-Date: 20%02d-01-01T00:00:%02dZ\r\n"
            b"WARC-Target-URI: %s\r\nContent-Type: application/http; "
            b"msgtype=response\r\nContent-Length: %d\r\n\r\n"
            % (n, 10 + n % 7, n % 60, url.encode(), len(block))
            ) + block + b"\r\n\r\n"


# ---- the model ----

def words_of(text):
    """Runs of letters and digits; those of Chinese are pairs."""
    out = []
    for run in re.findall(r"[\u4e00-\u9fff]+|[^\W_\u4e00-\u9fff]+", text):
        if "\u4e00" <= run[0] <= "\u9fff" and len(run) > 1:
            out += [run[i:i + 2] for i in range(len(run) - 1)]
        else:
            out.append(run.casefold())
    return out


def matches(query, text):
    has = " %s " % " ".join(words_of(text))
    for phrase, word in re.findall(r'"([^"]*)"|([^\s+"]+)', query):
        if " %s " % " ".join(words_of(phrase or word)) not in has:
            return False
    return True


class Tree:
    """The files of a tree: path, lstat, and the text of the same capture."""

    def __init__(self, top):
        self.top, self.files, self.texts, self.dirs = top, {}, {}, {}
        self.read(os.fsencode(top), b"")

    def read(self, folder, path):
        names = os.listdir(folder)
        self.dirs[path] = names
        for name in names:
            full = os.path.join(folder, name)
            st = os.lstat(full)
            below = os.path.join(path, name)
            if os.path.isdir(full):
                self.read(full, below)
                continue
            self.files[below] = st
            if st.st_ino >> VIEW & 1023 == TEXT:
                with open(full, encoding="utf-8") as text:
                    self.texts[st.st_ino & POS] = text.read()

    def chosen(self, query):
        return {path: st for path, st in self.files.items()
                if matches(query, self.texts[st.st_ino & POS])}


def parents(paths):
    out = {b""}
    for path in paths:
        while path:
            path = os.path.dirname(path)
            out.add(path)
    return out


def need(true, why):
    if not true:
        raise AssertionError(why)


def search_of(tree, mount, query):
    """The folder of the search that corresponds to the tree."""
    below = os.path.relpath(tree, mount)
    return os.path.join(mount, ".crawlfs/search", query,
                        "" if below == "." else below)


def same_tree(tree, mount, query):
    top = search_of(tree.top, mount, query)
    want = tree.chosen(query)
    dirs = parents(want)
    if not want and not os.path.exists(top):
        return 0			# a source in which nothing is found
    got = Tree(top)
    need(set(got.files) == set(want), "%s: files are not those that match: %r"
         % (query, sorted(set(got.files) ^ set(want))[:5]))
    for path, st in got.files.items():
        a, b = st, want[path]
        need((a.st_ino, a.st_size, a.st_mtime, a.st_mode) ==
             (b.st_ino, b.st_size, b.st_mtime, b.st_mode),
             "%s: %r differs" % (query, path))
    need(set(got.dirs) == dirs, "%s: folders" % query)
    for path, names in got.dirs.items():
        keep = [n for n in tree.dirs[path] if os.path.join(path, n) in want or
                os.path.join(path, n) in dirs]
        need(names == keep, "%s: the order in %r" % (query, path))
        st = os.stat(os.path.join(os.fsencode(top), path))
        whole = os.stat(os.path.join(os.fsencode(tree.top), path))
        need(st.st_mtime == whole.st_mtime and st.st_ino != whole.st_ino,
             "%s: the folder %r" % (query, path))
    return len(want)


def not_there(tree, mount, query):
    """What does not match is found by no name; what does, by each."""
    top = os.fsencode(search_of(tree.top, mount, query))
    want = tree.chosen(query)
    for path in random.Random(1).sample(sorted(tree.files),
                                        min(200, len(tree.files))):
        need(os.path.exists(os.path.join(top, path)) == (path in want),
             "%s: %r" % (query, path))
        if path in want and path.endswith(b".txt"):
            with open(os.path.join(top, path), "rb") as a, \
                    open(os.path.join(os.fsencode(tree.top), path), "rb") as b:
                need(a.read() == b.read(), "%s: bytes of %r" % (query, path))


def check_tree(top, mount):
    tree = Tree(top)
    for query in QUERIES:
        found = same_tree(tree, mount, query)
        need((found == 0) == (query == "nowhere"), "%s: %d" % (query, found))
        if found:
            not_there(tree, mount, query)
    listed = os.listdir(os.path.join(mount, ".crawlfs/search"))
    need(set(QUERIES) <= set(listed), "queries in use are listed")


# ---- programs ----

def run(*command, **more):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE,
                          **more).stdout


def same_files(a, b):
    run("diff", "-r", a, b)
    for folder, _, names in os.walk(os.fsencode(a)):
        for name in names:
            one = os.path.join(folder, name)
            other = os.path.join(os.fsencode(b),
                                 os.path.relpath(one, os.fsencode(a)))
            need(os.stat(one).st_mtime == os.stat(other).st_mtime,
                 "time of %r" % other)


def check_tools(top, mount, scratch):
    """Programs give what they give on copies of the files that match."""
    tree = Tree(top)
    for query in "keel mast", '"oar pintle"':
        found = search_of(top, mount, query)
        want = os.path.join(scratch, "want")
        for path, st in tree.chosen(query).items():
            to = os.path.join(os.fsencode(want), path)
            os.makedirs(os.path.dirname(to), exist_ok=True)
            shutil.copyfile(os.path.join(os.fsencode(top), path), to)
            os.utime(to, (st.st_mtime, st.st_mtime))
        for words in ("grep", "-rc", "keel", "."), ("grep", "-rlI", "Jib", "."), \
                ("find", ".", "-type", "f", "-newermt", "2013-01-01"), \
                ("find", ".", "-name", "*.txt", "-size", "+100c"):
            need(sorted(run(*words, cwd=found).splitlines()) ==
                 sorted(run(*words, cwd=want).splitlines()), words)
        size_of = re.compile(rb"^-\S+ +\S+ +\S+ +\S+ +(.*)$", re.M)
        need(sorted(size_of.findall(run("ls", "-lR", found))) ==
             sorted(size_of.findall(run("ls", "-lR", want))), "ls -lR")
        ways = {"tar": "mkdir tar && tar -C \"$1\" -cf - . | tar -C tar -xf -",
                "rsync": "rsync -a \"$1/\" rsync/",
                "cp": "cp -r --preserve=timestamps \"$1\" cp"}
        for way, command in ways.items():
            if shutil.which(way) is None:
                continue
            run("sh", "-c", command, "sh", found, cwd=scratch)
            same_files(want, os.path.join(scratch, way))
            run("chmod", "-R", "u+w", os.path.join(scratch, way))
            shutil.rmtree(os.path.join(scratch, way))
        if shutil.which("rsync"):
            run("rsync", "-a", found + "/", os.path.join(scratch, "again"))
            need(b"p" not in run("rsync", "-ai", found + "/", os.path.join(
                scratch, "again")), "a second rsync has nothing to do")
            run("chmod", "-R", "u+w", os.path.join(scratch, "again"))
            shutil.rmtree(os.path.join(scratch, "again"))
        shutil.rmtree(want)


# ---- many ----

def query_at_random(rng):
    query = [rng.choice(WORDS) for _ in range(rng.randrange(1, 4))]
    if rng.randrange(3) == 0:
        return '"%s"' % " ".join(query[:2])
    return rng.choice(" +").join(query)


def check_crowd(top, mount):
    """Eight programs, each with queries of its own and some in common."""
    tree, children = Tree(top), []
    for i in range(8):
        pid = os.fork()
        if pid == 0:
            try:
                rng, shared = random.Random(i), random.Random(99)
                for _ in range(12):
                    same_tree(tree, mount, query_at_random(rng))
                    same_tree(tree, mount, query_at_random(shared))
                os._exit(0)
            except BaseException as e:
                print(repr(e), file=sys.stderr, flush=True)
                os._exit(1)
        children.append(pid)
    need(all(os.waitpid(pid, 0)[1] == 0 for pid in children), "a program")


def check_drop(top, mount):
    """Queries come and go by the thousand; what is in use stays what it was."""
    tree = Tree(top)
    search = os.path.join(mount, ".crawlfs/search")
    found = search_of(top, mount, "anchor")
    want = tree.chosen("anchor")
    deep = max((os.path.dirname(path) for path in want), key=len)
    names = [n for n in tree.dirs[deep] if os.path.join(deep, n) in want or
             os.path.join(deep, n) in parents(want)]
    # it is not read before its query is the oldest one
    held = os.open(os.path.join(os.fsencode(found), deep), os.O_RDONLY)
    for turn in range(2):
        for i in range(1500):
            os.listdir(os.path.join(search, "turn%d word%d" % (turn, i)))
        with open("/proc/sys/vm/drop_caches", "w") as drop:
            drop.write("3\n")		# the kernel forgets inodes
    os.listdir(os.path.join(search, "one more"))
    listed = os.listdir(search)
    need(len(listed) <= 1024, "%d queries are listed" % len(listed))
    need("one more" in listed, "the latest is listed")
    need("anchor" in listed, "what is in use is listed")
    need(os.listdir(held) == [os.fsdecode(n) for n in names], "in use")
    need(os.listdir(os.path.join(os.fsencode(found), deep)) == names,
         "by name")
    os.close(held)
    same_tree(tree, mount, "anchor")
    same_tree(tree, mount, "turn0 word1")


def error_of(path):
    try:
        os.listdir(path)
    except OSError as e:
        return e.errno
    return 0


def check_names(mount):
    search = os.fsencode(mount) + b"/.crawlfs/search/"
    for name, want in (
            (b"anchor\n", 0), (b"\nkeel\tmast", 0), (b"keel\x00"[:4], 0),
            (b"\xff\xfeanchor", 0), (b"a" * 255, errno.EINVAL),
            (b"b" * 128, 0), (b"keel " * 51, errno.EINVAL),
            (b".git", errno.ENOENT), (b".", 0), (b"..", 0),
            (b"...", errno.ENOENT), (b"-rf", 0), (b"*", errno.EINVAL),
            (b"\"", errno.EINVAL), (b"+ +", errno.EINVAL),
            ("\u6d77".encode(), 0), ("\u202eanchor".encode(), 0),
            (b"a" * 256, errno.ENAMETOOLONG)):
        got = error_of(search + name)
        need(got == want, "%r: %d, not %d" % (name, got, want))
    need(len(os.listdir(search + b"anchor\n")) > 0, "a line end is a gap")
    need(error_of(search + b"anchor/nothing") == errno.ENOENT, "ENOENT")
    for change in (lambda: os.mkdir(search + b"anchor/new"),
                   lambda: open(search + b"anchor/x", "w"),
                   lambda: os.rename(search + b"anchor", search + b"y"),
                   lambda: os.rmdir(search + b"anchor")):
        try:
            change()
            need(False, "it is read-only")
        except OSError as e:
            need(e.errno == errno.EROFS, e)


def check_damage(archive, mount):
    """A text that a phrase needs and that cannot be read is counted."""
    search = os.path.join(mount, ".crawlfs/search")
    with open(os.path.join(mount, ".crawlfs/errors")) as errors:
        need("may match besides" not in errors.read(), "nothing is lost")
    with open(archive, "r+b") as out:
        at = out.read().rindex(b"WARC/1.0")
        out.seek(at)
        out.write(b"XXXX")
    need(Tree(os.path.join(search, '"last words"')).files == {}, "not found")
    with open(os.path.join(mount, ".crawlfs/errors")) as errors:
        need("1 page may match besides" in errors.read(), "it is told")
    with open(archive, "r+b") as out:
        out.seek(at)
        out.write(b"WARC")


def dav_names(url):
    """Paths below a folder of the server, by PROPFIND."""
    out, todo = set(), [""]
    while todo:
        below = todo.pop()
        request = urllib.request.Request(
            url + below, method="PROPFIND", headers={"Depth": "1"})
        with urllib.request.urlopen(request) as answer:
            hrefs = re.findall("<D:href>([^<]*)", answer.read().decode())
        root = urllib.parse.urlsplit(url).path
        for href in hrefs[1:]:
            path = href.replace("&amp;", "&")[len(root):]
            todo += [path] if path.endswith("/") else []
            out.add(urllib.parse.unquote_to_bytes(path.rstrip("/")))
    return out


def check_dav(top, mount, url):
    for query in QUERIES:
        found = search_of(top, mount, query)
        if not os.path.exists(found):
            continue
        got = Tree(found)
        want = set(got.files) | set(got.dirs) - {b""}
        below = os.path.relpath(found, mount)
        names = dav_names("%sdav/%s/" % (url, urllib.parse.quote(below)))
        need(names == want, "%s: %r" % (query, sorted(names ^ want)[:5]))
        for path in sorted(got.files)[:3]:
            with open(os.path.join(os.fsencode(found), path), "rb") as a:
                need(urllib.request.urlopen("%sdav/%s/%s" % (
                    url, urllib.parse.quote(below), urllib.parse.quote(path)
                    )).read() == a.read(), path)
        page = urllib.request.urlopen("%stree/%s/" % (
            url, urllib.parse.quote(below))).read().decode()
        need(("/_/" in page or "example" in page) == bool(want), "the page")
    for query, want in ((".git", 404), ("%21", 400), ("anchor/no", 404)):
        try:
            urllib.request.urlopen(url + "dav/.crawlfs/search/" + query)
            need(False, query)
        except urllib.error.HTTPError as e:
            need(e.code == want, "%s: %d" % (query, e.code))


if __name__ == "__main__":
    {"make": make, "tree": check_tree, "tools": check_tools,
     "crowd": check_crowd, "drop": check_drop,
     "names": check_names, "damage": check_damage,
     "dav": check_dav}[sys.argv[1]](*sys.argv[2:])
