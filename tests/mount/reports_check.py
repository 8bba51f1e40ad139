#!/usr/bin/env python3
"""reports_check.py - archives of other people's bug reports, against what is right.

    reports_check.py list FOLDER [KIND...]
    reports_check.py row  FOLDER FILE CRAWLFS SCRATCH

FOLDER holds reports3/expect.json, explained beside it: one row
a file, with the captures that are right, made by other readers.  "list" prints
the files of those kinds.  "row" looks at one of them the ways the row names:
mounted, by an index, in a folder; it prints what is wrong and ends with 1 then.
"""
# SPDX-License-Identifier: GPL-3.0-or-later
import collections
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time

UNKNOWN = "19700101000000"
# URLs that another row has shown, and this one does not know of.
SPELLED = {"reports3/made/urls.warc.gz": (
    "http:/one.example/slash", "https:example.com/nos")}


class Wrong(Exception):
    pass


def read(path):
    with open(path, "rb") as f:
        return f.read()


def attribute(path, name, default=""):
    try:
        return os.getxattr(path, "user." + name).decode("utf-8", "surrogateescape")
    except OSError:
        return default


def body_matches(wanted, body, meta):
    """One of the bodies of a row: 'LENGTH MD5', '~ LENGTH MD5' or '*'."""
    for want in wanted:
        if want == "*":
            return True
        words = want.split()
        partial = words[0] == "~"
        length, md5 = words[-2:]
        if len(body) != int(length) or hashlib.md5(body).hexdigest() != md5:
            continue
        if not partial or re.search(
                r"(?i)incomplete|segment|truncated|missing", meta):
            return True
    return False


def time_matches(wanted, got, told):
    for want in wanted:
        needs_word = want.startswith("told")
        when = want.removeprefix("told").strip() or UNKNOWN
        if got == when and (told or not needs_word):
            return True
    return False


class Page:
    """One capture, as the mount shows it."""

    def __init__(self, path):
        self.path = path
        self.url = attribute(path, "xdg.origin.url")
        self.status = attribute(path, "crawlfs.status")
        self.mime = attribute(path, "mime_type")
        self.time = time.strftime("%Y%m%d%H%M%S",
                                  time.gmtime(os.stat(path).st_mtime))
        self.body = read(path)
        self.meta = self.read_meta()    # as long as it is mounted

    def read_meta(self):
        for name in ".meta", "#.meta":
            try:
                return read(self.path + name).decode("utf-8", "replace")
            except OSError:
                pass
        return ""

    def fits(self, want, told):
        rules = want[2] if len(want) > 2 else {}
        if not body_matches(want[1], self.body, self.meta):
            return "body of %d bytes" % len(self.body)
        if "t" in rules and not time_matches(rules["t"], self.time, told):
            return "time " + self.time
        if "s" in rules and self.status not in map(str, rules["s"]):
            return "status " + self.status
        essence = rules.get("m", "").split(";")[0]
        if "m" in rules and essence != self.mime.split(";")[0]:
            return "type " + self.mime
        if "nobody" in rules and "no_body" not in self.meta:
            return "not marked as without a body"
        return None


def pages_of(root):
    pages = collections.defaultdict(list)
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            try:
                page = Page(path)
            except OSError as e:
                raise Wrong("%s is listed and cannot be read: %s" % (name, e))
            pages[page.url].append(page)
    return pages


def all_readable(root):
    count = 0
    for folder, _, names in os.walk(root):
        for name in names:
            read(os.path.join(folder, name))
            count += 1
    if not count:
        raise Wrong("nothing is listed")


def compare(row, pages, told_text):
    told = bool(re.search(row["told"], told_text)) if "told" in row else False
    left = {url: list(group) for url, group in pages.items()}
    for want in row["caps"]:
        group = left.get(want[0], [])
        reasons = [page.fits(want, told) for page in group]
        if None in reasons:
            group.pop(reasons.index(None))
        elif reasons or not (len(want) > 2 and want[2].get("may")):
            raise Wrong("%s: %s" % (want[0], "; ".join(reasons) or "not there"))
    for url, bodies, pattern in row.get("explain", []):
        group = left.get(url, [])
        shown = [p for p in group if body_matches(bodies, p.body, "")]
        if any(body_matches(bodies, p.body, "") for p in pages.get(url, [])) \
                and not shown:
            continue            # shown, and among the captures above
        if shown:
            group.remove(shown[0])
        elif not re.search(pattern, told_text):
            raise Wrong("%s is neither shown nor explained" % url)
    more = sorted(url for url, group in left.items()
                  if group and url not in SPELLED.get(row["file"], ()))
    if more and not row.get("extra"):
        raise Wrong("also there: " + ", ".join(more))


class Looker:
    """The ways to look at one file."""

    def __init__(self, crawlfs, scratch):
        self.crawlfs, self.scratch = crawlfs, scratch
        self.mount_point = os.path.join(scratch, "mnt")
        os.makedirs(self.mount_point, exist_ok=True)

    def run(self, *words):
        done = subprocess.run([self.crawlfs, *words], capture_output=True,
                              timeout=120)
        text = (done.stdout + done.stderr).decode("utf-8", "replace")
        if "Sanitizer" in text or "runtime error" in text or \
                done.returncode not in (0, 1):
            raise Wrong("%s: status %d: %s" % (words[0], done.returncode, text))
        return done.returncode, text

    def index(self, source):
        out = os.path.join(self.scratch, "x.cfx")
        if os.path.exists(out):
            os.unlink(out)
        return self.run("index", "-o", out, source) + (out,)

    def mounted(self, source, views, work, *options):
        done = self.run("mount", "-o", "xattr,absent=empty,views=" + views, *options,
                        source, self.mount_point)
        if done[0] != 0:
            raise Wrong("mount: " + done[1].strip())
        try:
            return work(self.mount_point)
        finally:
            subprocess.run(["umount", "-l", self.mount_point], check=True)


def look(row, path, crawlfs, scratch):
    looker = Looker(crawlfs, scratch)
    folder = os.path.join(scratch, "folder")
    status, told, out = looker.index(path)
    if row["kind"] == "F10":    # it can be listed and indexed, not mounted
        code, text = looker.run("mount", path, looker.mount_point)
        if code != 1 or not re.search(row["refused"], text):
            raise Wrong("not refused as it should be: %d %s" % (code, text))
        return
    if "refused" in row:
        listed = looker.run("ls", path)
        for code, text in ((status, told), listed):
            if code != 1 or not re.search(row["refused"], text):
                raise Wrong("not refused as it should be: %d %s" % (code, text))
        return
    listed = looker.run("ls", path)
    if "or" in row and listed[0] == 1 and re.search(row["or"], listed[1]):
        return
    shows = listed[0] == 0
    if not row["caps"] and not shows:   # all of it is explained in words
        compare(row, {}, told + listed[1])
        return
    for way in row.get("ways", ["mount"]):
        source, options = path, []
        if way == "index":
            source, options = out, ["--data=" + os.path.dirname(path)]
        elif way == "folder":
            shutil.rmtree(folder, ignore_errors=True)
            os.mkdir(folder)
            shutil.copy(path, folder)
            source = folder
        pages = looker.mounted(source, "raw", pages_of, *options)
        try:
            compare(row, pages, told)
        except Wrong as e:
            raise Wrong("%s: %s" % (way, e))
    if "told" in row and not re.search(row["told"], told) and not any(
            len(c) > 2 and any(t.startswith("told") for t in c[2].get("t", []))
            for c in row["caps"]):
        raise Wrong("index does not tell: " + told)
    if row.get("readable"):
        looker.mounted(path, "raw:meta:txt:headers:record", all_readable)
    if "verify" in row and looker.run("verify", path)[0] != row["verify"]:
        raise Wrong("verify does not end with %d" % row["verify"])


def main():
    verb, folder = sys.argv[1:3]
    with open(os.path.join(folder, "reports3", "expect.json")) as f:
        rows = json.load(f)
    if verb == "list":
        for row in rows:
            if not sys.argv[3:] or row["kind"] in sys.argv[3:]:
                print(row["file"])
        return
    name, crawlfs, scratch = sys.argv[3:]
    row = next(r for r in rows if r["file"] == name)
    os.environ["XDG_CACHE_HOME"] = os.path.join(scratch, "cache")
    try:
        look(row, os.path.join(folder, name), crawlfs, scratch)
    except Wrong as e:
        sys.exit("%s: %s" % (name, e))


main()
