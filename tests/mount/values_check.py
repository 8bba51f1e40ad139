#!/usr/bin/env python3
# values_check.py - values of rows that are hard to write: URLs that are not
# UTF-8, control characters, fractions of seconds.
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints a line for each case: "ok: NAME" or "FAILED: NAME"."""
import gzip
import json
import os
import re
import subprocess
import sys

program, folder = sys.argv[1:]
os.makedirs(folder)
os.chdir(folder)
ORDERS = ("archive", "index")


def page(url, html, date=b"2024-02-29T12:34:56Z", head=b""):
    http = (b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n" +
            head + b"Content-Length: %d\r\n\r\n" % len(html)) + html
    return gzip.compress(
        b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\n"
        b"WARC-Date: %s\r\nWARC-Record-ID: <urn:uuid:%d>\r\n"
        b"Content-Type: application/http; msgtype=response\r\n"
        b"Content-Length: %d\r\n\r\n" % (url, date, len(url), len(http)) +
        http + b"\r\n\r\n", mtime=0)


def run(*words):
    done = subprocess.run([program, *words], capture_output=True, timeout=60)
    return done.stdout


def rows(source, *words):
    return [json.loads(line) for line in
            run("export", "-q", source, *words).splitlines()]


def case(name, good, *seen):
    print("%s %s%s" % ("ok:" if good else "FAILED:", name,
                       "" if good else ": %r" % (seen,)))


def write(name, *pages):
    with open(name, "wb") as f:
        f.writelines(pages)
    return name


# ---- URLs that are not UTF-8 stay apart, as lookup has them ----

URLS = {b"http://a.example/\xe4.html": "http://a.example/%E4.html",
        b"http://a.example/\xf6.html": "http://a.example/%F6.html",
        b"http://a.example/\xc3\xa4.html": "http://a.example/\u00e4.html",
        b"http://a.example/%E4.htm": "http://a.example/%E4.htm",
        b"http://a.example/x\xe2\x82?q=\xff": "http://a.example/x%E2%82?q=%FF",
        b"http://a.example/\xed\xa0\x80": "http://a.example/%ED%A0%80"}
a = write("urls.warc.gz", *[page(u, b"<p>words") for u in URLS])
look = [json.loads(line) for line in
        run("lookup", "--json", a, "example.a").splitlines()]
case("lookup escapes", sorted(r["url"] for r in look) == sorted(URLS.values()),
     look)
for order in ORDERS:
    by = "--order=" + order
    got = rows(a, by, "--fields=url,surt")
    # Holds R1.
    case("URLs by %s" % order, sorted(r["url"] for r in got) ==
         sorted(URLS.values()), got)
    case("SURT keys by %s" % order, sorted(r["surt"] for r in got) ==
         sorted(r["surt"] for r in look), got)
    for fields in ("url", "url,title", "surt,url,offset,archive"):
        got = rows(a, by, "--fields=" + fields)
        case("URLs of %s by %s" % (fields, order), sorted(
            r["url"] for r in got) == sorted(URLS.values()), got)
    got = re.findall(rb"WARC-Target-URI: (.*)\r\n",
                     run("export", "-q", a, by, "--format=wet"))
    # Holds R1.
    case("WET by %s" % order, sorted(u.decode() for u in got) ==
         sorted(URLS.values()), got)

# ---- WET: no blanks and controls in a URI ----

a = write("blanks.warc.gz", page(b"http://a.example/a b\x01c\x7f?d e", b"<p>x"))
for order in ORDERS:
    got = re.findall(rb"WARC-Target-URI: (.*)\r\n", run(
        "export", "-q", a, "--order=" + order, "--format=wet"))
    # Holds R1.
    case("no blanks in WET by %s" % order,
         got == [b"http://a.example/a%20b%01c%7F?d%20e"], got)

# ---- control characters of C1 are escaped in JSON ----

C1 = "".join(map(chr, range(0x80, 0xa0)))
NEAR = "\u007f\u00a0\u00bf\u00c2\u0400\u2028"
odd = (C1 + NEAR).encode()
a = write("c1.warc.gz", page(
    b"http://a.example/x" + odd + b"y",
    b"<title>t" + odd + b"</title><a href='/" + odd + b"'>l</a><p>text " + odd +
    b" end", head=b"X-Odd: v" + odd + b"\r\n"))
every = ("url,surt,title,text,markdown,html,headers,links,meta,path,digest,"
         "archive,languages,charset")
for order in ORDERS:
    out = run("export", "-q", a, "--order=" + order,
              "--fields=" + every).decode()
    row = json.loads(out)
    # Holds R2.
    case("no raw C1 in rows by %s" % order,
         not re.search("[\u0080-\u009f]", out), out[:200])
    case("HTML is what it was, by %s" % order, (C1 + NEAR) in row["html"])
    case("the URL, too, by %s" % order, row["url"] ==
         "http://a.example/x" + C1 + NEAR + "y", row["url"])
    case("the header, too, by %s" % order,
         any((C1 + NEAR) in v for _, v in row["headers"]), row["headers"])
for words in (("lookup", "--json", a, "/"), ("lookup", a, "/"),
              ("ls", "--json", "-R", a), ("summary", "--json", a),
              ("cat", "--view=meta", a, "http://a.example/x" + C1 + NEAR +
               "y")):
    out = run(*words).decode()
    # Holds R2.
    case("no raw C1: " + " ".join(words[:2]),
         out and not re.search("[\u0080-\u009f]", out), out[:100])

# ---- fractions of seconds ----

DATES = {"2024-02-29T12:34:56.789Z": "2024-02-29T12:34:56.789Z",
         "2024-02-29T12:34:56.123456789Z": "2024-02-29T12:34:56.123456789Z",
         "2024-02-29T12:34:56.100Z": "2024-02-29T12:34:56.1Z",
         "2024-02-29T12:34:56.5+01:00": "2024-02-29T11:34:56.5Z",
         "2024-02-29T23:59:59.999999Z": "2024-02-29T23:59:59.999999Z",
         "1969-12-31T23:59:59.25Z": "1969-12-31T23:59:59.25Z",
         "2024-02-29T12:34:57.000Z": "2024-02-29T12:34:57Z",
         "2024-02-29T12:34:58Z": "2024-02-29T12:34:58Z"}
a = write("dates.warc.gz", *[
    page(b"http://a.example/%d" % i, b"<title>%d</title><p>x" % i, d.encode())
    for i, d in enumerate(DATES)])
for order in ORDERS:
    got = [r["timestamp"] for r in rows(a, "--order=" + order)]
    # Holds R3.
    case("fractions by %s" % order, sorted(got) == sorted(DATES.values()), got)
    out = run("export", "-q", a, "--order=" + order, "--format=wet")
    got = re.findall(rb"WARC/1\.(\d)\r\nWARC-Type: conversion\r\n(?:.*\r\n)*?"
                     rb"WARC-Date: (.*)\r\n", out)
    case("fractions in WET by %s" % order, sorted(
        d.decode() for _, d in got) == sorted(DATES.values()), got)
    case("are of WARC/1.1 by %s" % order,
         all((v == b"1") == (b"." in d) for v, d in got), got)

# ---- `-` is standard output, and summaries are on standard error ----

a = write("dash.warc.gz", *[page(b"http://www.example.com/%d" % i, b"<p>page")
                            for i in range(3)])
run("index", "-q", "-o", "dash.cfx", a)
run("index", "-q", "--format=cdxj", "-o", "dash.cdxj", a)
before = sorted(os.listdir("."))


def dash(name, right, *words):
    done = subprocess.run([program, *words], capture_output=True, timeout=60)
    made = sorted(set(os.listdir(".")) - set(before))
    # Holds R4.
    case("-o -: " + name, done.returncode == 0 and right(done.stdout) and
         not made, done.returncode, done.stdout[:60], done.stderr[:200], made)
    return done.stderr


def is_file(path):
    with open(path, "rb") as f:
        want = f.read()
    return lambda out: out == want


for order in ORDERS:
    by = "--order=" + order
    for form in ("jsonl", "wet", "warc", "jsonl.gz", "warc.zst"):
        name = "as.%s.%s" % (order, form)
        run("export", "-q", by, "--format=" + form, "-o", name, a)
        before = sorted(os.listdir("."))
        dash("export as %s by %s" % (form, order), is_file(name),
             "export", "-q", by, "--format=" + form, "-o", "-", a)
dash("export without a format", is_file("as.archive.jsonl"), "export", "-o",
     "-", a)
dash("index of lines", is_file("dash.cdxj"), "index", "--format=cdxj", "-o",
     "-", a)
said = dash("a crawlfs index", is_file("dash.cfx"), "index", "-o", "-", a)
case("its summary is elsewhere", b"3 captures of 1 file" in said, said)
said = dash("copy", lambda out: gzip.decompress(out).count(
    b"WARC-Type: response") == 3, "copy", "-o", "-", a, "com.example")
case("its summary, too", b"3 records" in said, said)
dash("a page with charts", lambda out: out.startswith(b"<!DOCTYPE html>"),
     "summary", "--html=-", "dash.cfx")
said = dash("a report", lambda out: json.loads(out.splitlines()[-1])["end"],
            "verify", "--report=-", a)
case("its table", b"archives" in said, said)
for words in (("export", "-o", "x.jsonl", a), ("index", "-o", "x.cfx", a),
              ("copy", "-o", "x.warc.gz", a, "com.example")):
    done = subprocess.run([program, *words], capture_output=True, timeout=60)
    # Holds R4.
    case("the summary of %s is on standard error" % words[0],
         done.returncode == 0 and not done.stdout and done.stderr,
         done.stdout, done.stderr)
done = subprocess.run([program, "export", "-q", "--format=jsonl", "-o", "./-",
                       a], capture_output=True, timeout=60)
case("./- is a file", not done.stdout and os.path.exists("-"), done.stdout)
for words in (("index", "--format=zipnum"), ("index", "--part=1/2"),
              ("index", "--update")):
    done = subprocess.run([program, *words, "-o", "-", a], capture_output=True,
                          timeout=60)
    case("-o - is refused: " + " ".join(words), done.returncode == 2 and
         not done.stdout and done.stderr, done.returncode, done.stderr)
