#!/usr/bin/env python3
# operands_check.py - every command with a missing file, a missing folder, a
# misspelt crawl, a prefix that covers nothing, and a pick that leaves nothing.
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints a line for each case: "ok: NAME" or "FAILED: NAME"."""
import gzip
import os
import subprocess
import sys

program, folder = sys.argv[1:]
os.makedirs(folder)
os.chdir(folder)
# no server is asked: names of crawls are looked for in an empty copy
os.mkdir("bucket")


def page(url, text):
    body = b"<title>%s</title><p>%s" % (text, text)
    http = (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
            b"Content-Length: %d\r\n\r\n" % len(body)) + body
    return gzip.compress(
        b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\n"
        b"WARC-Date: 2024-02-29T12:34:56Z\r\n"
        b"WARC-Record-ID: <urn:uuid:%s>\r\n"
        b"Content-Type: application/http; msgtype=response\r\n"
        b"Content-Length: %d\r\n\r\n" % (url, url, len(http)) +
        http + b"\r\n\r\n", mtime=0)


def write(name, *urls):
    with open(name, "wb") as f:
        for url in urls:
            f.write(page(url, b"page"))


def run(*words, stdin=b""):
    done = subprocess.run([program, *words], input=stdin, capture_output=True,
                          timeout=60)
    return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")


def case(name, good, *seen):
    print("%s %s%s" % ("ok:" if good else "FAILED:", name,
                       "" if good else ": %r" % (seen,)))


write("a.warc.gz", b"http://www.example.com/1", b"http://www.example.com/2")
write("b.warc.gz", b"http://www.example.org/3")
assert run("index", "-q", "-o", "a.cfx", "a.warc.gz")[0] == 0
assert run("index", "-q", "--format=cdxj", "-o", "a.cdxj", "a.warc.gz")[0] == 0
assert run("index", "-q", "-o", "b.cfx", "a.warc.gz")[0] == 0

MISSING = {
    "a missing archive": "typo.warc.gz",
    "a missing archive elsewhere": "../none/typo.arc.gz",
    "a missing folder": "nodir/",
    "a missing folder in another": "nodir/inner",
    "an absolute folder": "/nowhere/crawl",
    "a pattern without a match": "nodir/*.warc.gz",
    "a missing index": "typo.cfx",
    "a missing WACZ file": "typo.wacz",
    "a missing list": "warc.paths.gz",
    "a misspelt crawl": "CC-MAIN-2023-1x",
    "two, with a comma": "typo1.warc.gz,typo2.warc.gz",
    "a bare word": "nodir",
    "two bare words": "nodir,typo",
}
# the words of each command, and what it must not leave; {} is the operand
SECOND = {
    "export": ["export", "SOURCE", "{}"],
    "export -o": ["export", "SOURCE", "{}", "-o", "out.jsonl"],
    "export --part": ["export", "--part=1/2", "SOURCE", "{}"],
    "export --order=index": ["export", "--order=index", "SOURCE", "{}"],
    "check": ["check", "SOURCE", "{}"],
    "check, one good": ["check", "SOURCE", "com.example", "{}"],
    "copy": ["copy", "-q", "-o", "out.warc.gz", "SOURCE", "com.example", "{}"],
    "lookup": ["lookup", "SOURCE", "{}"],
    "ls": ["ls", "SOURCE", "{}"],
    "cat": ["cat", "SOURCE", "{}"],
    "path": ["path", "SOURCE", "{}"],
    "url": ["url", "SOURCE", "{}"],
    "summary": ["summary", "SOURCE", "{}"],
    "verify": ["verify", "-q", "SOURCE", "{}"],
    "index": ["index", "-q", "-o", "out.cfx", "SOURCE", "{}"],
}
FIRST = {
    "mount": ["mount", "--base=bucket", "{}", "bucket"],
    "serve": ["serve", "--base=bucket", "--listen=127.0.0.1:0", "{}"],
    "serve, two": ["serve", "--base=bucket", "--listen=127.0.0.1:0",
                   "a.warc.gz", "{}"],
    "export": ["export", "--base=bucket", "{}"],
    "export, a good one behind": ["export", "--base=bucket", "{}", "a.warc.gz"],
    "export, in a list": ["export", "--base=bucket", "a.warc.gz,{}"],
    "verify, in a list": ["verify", "-q", "--base=bucket", "a.warc.gz,{}"],
    "ls": ["ls", "--base=bucket", "{}"],
    "summary": ["summary", "--base=bucket", "{}"],
    "index": ["index", "-q", "-o", "out.cfx", "{}", "a.warc.gz"],
}
OUTPUTS = ("out.jsonl", "out.warc.gz", "out.cfx", "out.warc.gz.cfx")


def refused(name, words):
    status, out, said = run(*words)
    wanted = (3,) if words[0] == "export" else (1, 2)
    left = [o for o in OUTPUTS if os.path.exists(o)]
    case(name, status in wanted and said.strip() and not left and
         (words[0] in ("check", "ls", "lookup") or not out),
         status, out[:40], said[:120], left)
    for o in left:
        os.unlink(o)


for what, operand in MISSING.items():
    for command, words in SECOND.items():
        for source in ("a.warc.gz", "a.cfx", "a.cdxj"):
            if command == "index" and source == "a.cfx":
                continue        # an index of an index: merging
            # Holds T17.
            refused("%s of %s behind %s" % (command, what, source),
                    [w.replace("SOURCE", source).replace("{}", operand)
                     for w in words])
    for command, words in FIRST.items():
        if operand == "CC-MAIN-2023-1x" and command.startswith("index"):
            continue
        # Holds T17.
        refused("%s of %s first" % (command, what),
                [w.replace("{}", operand) for w in words])

# what exists, and what --prefix names, is no mistake
for source in ("a.warc.gz", "a.cfx"):
    status, out, said = run("export", "-q", source, "b.warc.gz")
    case("a second archive behind %s" % source,
         status == 0 and out.count(b"\n") == 3, status, out, said)
for command in ("lookup", "check"):
    alone, whole = run(command, "a.cfx"), run(command, "a.cfx", "/")
    case("%s without a target takes all" % command,
         alone == whole and alone[0] == 0 and alone[1], alone, whole)
    status, out, said = run(command, "a.cfx", "--prefix=com.example.www/2")
    case("%s with --prefix takes that" % command,
         status == 0 and out != alone[1], status, out, said)
blanks = run("check", "a.cfx", "--prefix= ")
case("check with a --prefix of blanks, too", blanks == alone, blanks)
status, out, said = run("lookup", "--format=table", "a.cfx")
case("lookup as a table", status == 0 and out.decode().split("\n") == [
    "2024-02-29T12:34:56Z 200 text/html        http://www.example.com/1",
    "2024-02-29T12:34:56Z 200 text/html        http://www.example.com/2", ""],
     status, out, said)
case("lookup is CDXJ in a pipe", run("lookup", "a.cfx") ==
     run("lookup", "--format=cdxj", "a.cfx") and b'"mime"' in
     run("lookup", "a.cfx")[1])
for command in ("mount", "serve"):
    status, out, said = run(command, *["a.warc.gz"] * 33, "bucket")
    case("%s of 33 says what helps" % command,
         status != 0 and "give the folder of the archives" in said, said)
status, out, said = run("check", "a.cfx", "b.warc.gz")
case("check takes one SOURCE", status == 1 and "b.warc.gz" in said, status, said)
for order in ("archive", "index"):
    words = ("export", "--order=" + order, "a.warc.gz")
    status, out, said = run(*words, "--prefix=typo.warc.gz")
    case("--prefix is a prefix, %s" % order, status == 0 and not out and
         "'typo.warc.gz': no page is there" in said, status, said)
    for prefix in ("com.example", "http://www.example.com/1", "com,example)/",
                   "www.example.com/1", "*.example.com", "com", "COM"):
        status, out, said = run(*words, prefix)
        case("prefix %s, %s" % (prefix, order), status == 0 and
             b"example.com/1" in out and "no page" not in said, status,
             out[:80], said)

    for word in ("de", "xn--p1ai", "\u0440\u0444", "localhost"):
        status, out, said = run(*words, word)
        # Holds T17.
        case("a domain without pages is one: %s, %s" % (word, order),
             status == 0 and not out and "no page is there" in said, status,
             said)
write("c.warc.gz", b"http://intranet/1")
for words in (["--order=index", "c.warc.gz", "intranet"],
              ["--order=archive", "c.warc.gz", "--prefix=intranet"],
              ["--order=index", "c.warc.gz", "intranet/"],
              ["--order=index", "a.cfx", "com/"], ["a.cdxj", "com/"],
              ["--order=index", "a.cfx", "com/example/"]):
    status, out, said = run("export", *words)
    # Holds T17.
    case("covers pages: %s" % " ".join(words), status == 0 and out, status,
         said)

# a prefix, or a pick, that leaves nothing: told, with what there is
EMPTY = {
    "--status=500": "statuses: 200 (2)",
    "--mime=application/pdf": "types: text/html (2)",
    "--from=2030": "times: 20240229123456 to 20240229123456",
    "org.nothing": "'org.nothing': no page is there",
    "--prefix=org.nothing": "'org.nothing': no page is there",
}
TOLD = [["export", "--order=archive", "a.warc.gz"],
        ["export", "--order=index", "a.warc.gz"],
        ["export", "--order=index", "a.cfx"],
        ["export", "--order=archive", "a.cfx"],
        ["export", "a.cdxj"], ["export", "a.cfx,b.cfx"],
        ["check", "a.cfx"], ["summary", "a.cfx"],
        ["copy", "-q", "-o", "out.warc.gz", "a.cfx"],
        ["verify", "-q", "a.cfx"], ["lookup", "a.cfx"]]
for pick, sentence in EMPTY.items():
    for words in TOLD:
        words = words + [pick]
        if words[0] in ("check", "copy", "lookup") and pick.startswith("--"):
            words.append("com.example" if "prefix" not in pick else "")
        status, out, said = run(*[w for w in words if w])
        if words[0] == "lookup" and "nothing" in pick:
            sentence = "is not in the index"
        # Holds T15.
        case("told: %s" % " ".join(words), sentence in said, status, said)
with open("empty.warc", "wb") as f:
    f.write(b"WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 0\r\n"
            b"WARC-Record-ID: <urn:uuid:1>\r\n"
            b"WARC-Date: 2024-02-29T12:34:56Z\r\n\r\n\r\n\r\n")
status, out, said = run("export", "empty.warc")
case("an archive without captures",
     status == 0 and "no capture is there" in said, status, said)

# one of several archives without a page: told, and the others are used
for words in (["ls", "a.warc.gz,empty.warc"],
              ["lookup", "a.warc.gz,empty.warc", "com"],
              ["summary", "empty.warc,a.warc.gz"],
              ["export", "--order=index", "a.warc.gz", "empty.warc"],
              ["export", "a.cfx", "empty.warc"],
              ["copy", "-q", "-o", "-", "a.warc.gz,empty.warc", "com"]):
    for time in ("at first", "with its kept index"):
        status, out, said = run(*words)
        case("%s, %s" % (" ".join(words), time), status == 0 and out and
             said == "crawlfs: warning: empty.warc: no page is there\n",
             status, out[:40], said)
status, out, said = run("ls", "empty.warc")
case("alone it says what it has", status == 1 and
     said.endswith("empty.warc: no page to index in 1 archive\n"), status, said)
os.utime("empty.warc", (1, 1))      # the index that is kept is updated
status, out, said = run("ls", "a.warc.gz,empty.warc")
os.utime("empty.warc", (2, 2))
status, out, said = run("ls", "a.warc.gz,empty.warc")
case("one that has changed", status == 0 and out, status, said)
with open("empty2.warc", "wb") as f:
    f.write(open("empty.warc", "rb").read())
status, out, said = run("ls", "empty.warc,empty2.warc")
case("several without a page", status == 1 and
     said.endswith("crawlfs: no source has a page\n"), status, said)

# what is said of a source names it as the user did, and not an index kept of it
os.makedirs("base/inner")
write("base/inner/a.warc.gz", b"http://www.example.com/1")
with open("warc.paths", "w") as f:
    f.write("inner/a.warc.gz\n")
status, out, said = run("ls", "--base=base/inner/..", "warc.paths")
case("a --base that is no canonical path", status == 0 and out and not said,
     status, out, said)
assert run("ls", "base/inner")[0] == 0
with open("base/inner/a.warc.gz", "wb") as f:
    f.write(open("empty.warc", "rb").read())
status, out, said = run("ls", "base/inner")
case("a folder whose pages are gone", status == 1 and said.endswith(
    "/base/inner: no page to index in 1 index\n"), status, said)

# URLs without a place in the tree are not pages, whatever is picked, in parts
write("deep.warc.gz", b"http://www.example.com/" + b"a/" * 2000)
for pick in ([], ["--status=200"]):
    status, out, said = run("index", "-o", "deep.cfx", *pick, "deep.warc.gz")
    case("index of a path that is too deep %s" % pick, status == 1 and
         "no page to index in 1 archive: 1 capture left out: the path is too "
         "deep" in said and not os.path.exists("deep.cfx"), status, said)
    run("index", "-q", "--force", "--part=1/1", "-o", "deep.parts", *pick,
        "deep.warc.gz")
    status, out, said = run("index", "-o", "deep.cfx", "deep.parts")
    case("and in parts %s" % pick, status == 1 and
         "no page to index in 1 part" in said, status, said)

# of a list of prefixes, one that covers nothing is told, and no failure
for words in (["ls"], ["ls", "-R"], ["lookup"], ["check"], ["summary"],
              ["verify", "-q"], ["copy", "-q", "-o", "out.warc.gz"],
              ["export"], ["export", "--order=archive"],
              ["grep", "page"]):
    run("index", "-q", "--force", "-o", "a.cfx", "a.warc.gz")
    status, out, said = run(*words, "a.cfx", "--prefix=com.example,org.nothing")
    # Holds T15.
    case("a prefix in a list: %s" % " ".join(words), status == 0 and
         "crawlfs: warning: 'org.nothing': no page is there\n" in said,
         status, said)
    status, out, said = run(*words, "a.cfx", "--prefix=org.none,org.nothing")
    case("and none of them: %s" % " ".join(words), "'org.nothing': no page is "
         "there" in said and (status == 1) ==
         (words[0] not in ("export", "summary")), status, said)
    if os.path.exists("out.warc.gz"):
        os.unlink("out.warc.gz")
    if os.path.exists("out.warc.gz.cfx"):
        os.unlink("out.warc.gz.cfx")

# what is no file in place of an archive is one damaged source
for how, make, remove in (("folder", os.mkdir, os.rmdir),
                          ("FIFO", os.mkfifo, os.unlink)):
    write("c.warc.gz", b"http://www.example.com/1")
    write("d.warc.gz", b"http://www.example.org/2")
    run("index", "-q", "--force", "-o", "cd.cfx", "c.warc.gz", "d.warc.gz")
    os.unlink("d.warc.gz")
    make("d.warc.gz")
    for order in ("archive", "index"):
        status, out, said = run("export", "--order=" + order, "cd.cfx")
        case("a %s in place of an archive, %s" % (how, order), status == 1 and
             out.count(b"\n") == 2 and b"not a regular file" in out and
             "d.warc.gz: " in said, status, out[:200], said)
    remove("d.warc.gz")

# rows that are there are not accompanied by words
status, out, said = run("export", "a.warc.gz", "--status=200")
case("nothing is said of rows that are there", status == 0 and not said, said)
