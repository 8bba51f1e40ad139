#!/usr/bin/env python3
# check_mount.py - compares a mounted tree with the reference model.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     check_mount.py [--pbtree] [--base FOLDER] [--sample N]
#                    [--inverse N --crawlfs PROGRAM --source SOURCE]
#                    [--from DATE] [--to DATE] [--dated N] [--whole MOUNT]
#                    [--status N,N-N...] [--prefix P]... MOUNT MANIFEST
#
# Every directory is listed; every name must be the model's and every name of
# the model must be there, once, of the right type. Every file is looked up:
# inode as in the listing, modification time. Bodies are read and compared by
# SHA-1, those of N files (default: all) also in their full form NAME#.
# --inverse: for N URLs, `crawlfs path` gives a name the model has for a capture
# of that URL, and `crawlfs url` of that name gives the URL.
# --from, --to, --status, --prefix: what it was mounted with.  --dated: of N pages the capture nearest
# to some date.  --whole: a mount of the same without dates, whose inode numbers
# are the same.  --no-revisits: their bodies are not compared.
"""A mounted tree against the model; prints each difference."""

import argparse
import errno
import hashlib
import os
import random
import re
import stat
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import record_reader                                            # noqa: E402
import tree_model                                               # noqa: E402

SHOWN_MAX = 30


class Checker:
    def __init__(self, mount, model, views):
        self.mount = os.fsencode(mount)
        self.model = model
        self.views = views
        self.faults = 0
        self.dirs = self.files = self.bodies = 0
        self.no_revisits = False

    def fault(self, path, what):
        self.faults += 1
        if self.faults <= SHOWN_MAX:
            print("%s: %s" % (os.fsdecode(tree_model.escape(path)), what))

    def directory(self, path, directory):
        """Checks one directory; returns [(path, Directory)] below it."""
        want = self.model.listing(directory, self.views)
        full = os.path.join(self.mount, path)
        got = {}
        below = []
        self.dirs += 1
        try:
            with os.scandir(full) as it:
                for e in it:
                    if e.name in got:
                        self.fault(path + e.name, "listed twice")
                    got[e.name] = e
        except OSError as e:
            self.fault(path, "cannot be listed: %s" % e)
            return below
        for name in sorted(want.keys() - got.keys()):
            self.fault(path + name, "missing")
        for name in sorted(got.keys() - want.keys()):
            self.fault(path + name, "not in the model")
        for name in sorted(want.keys() & got.keys()):
            what = want[name]
            is_dir = isinstance(what, tree_model.Directory)
            if got[name].is_dir(follow_symlinks=False) != is_dir:
                self.fault(path + name, "directory or file?")
            self.lookup(path + name, got[name], what, is_dir)
            if is_dir:
                below.append((path + name + b"/", what))
        return below

    def lookup(self, path, entry, what, is_dir):
        try:
            st = os.lstat(os.path.join(self.mount, path))
        except OSError as e:
            self.fault(path, "listed, but look-up says: %s" % e)
            return
        if st.st_ino != entry.inode():
            self.fault(path, "inode %x listed, %x looked up"
                       % (entry.inode(), st.st_ino))
        if is_dir:
            if stat.S_IMODE(st.st_mode) != 0o555:
                self.fault(path, "mode %o" % st.st_mode)
            return
        self.files += 1
        if stat.S_IMODE(st.st_mode) != 0o444 or not stat.S_ISREG(st.st_mode):
            self.fault(path, "mode %o" % st.st_mode)
        if int(st.st_mtime) != self.model.time(what[0]):
            self.fault(path, "mtime %d, not %d"
                       % (st.st_mtime, self.model.time(what[0])))

    def body(self, path, capture):
        if capture.kind == "revisit" and self.no_revisits:
            return
        self.bodies += 1
        try:
            with open(os.path.join(self.mount, path), "rb") as f:
                data = f.read()
                size = os.fstat(f.fileno()).st_size
        except OSError as e:
            if e.errno != errno.EIO or self.model.is_readable(capture):
                self.fault(path, "cannot be read: %s" % e)
            return
        if not self.model.is_readable(capture):
            self.fault(path, "can be read")
        if hashlib.sha1(data).hexdigest() != capture.sha1:
            self.fault(path, "capture %d: %d bytes, not the %d expected"
                       % (capture.number, len(data), capture.body_bytes))
        if size != len(data):
            self.fault(path, "size %d after open, %d bytes read"
                       % (size, len(data)))

    def full_form(self, path, comp_name, view, inode):
        """NAME#.VIEW of a preferred capture is the same object."""
        folder, _, name = path.rpartition(b"/")
        suffix = b"" if view == "raw" else b"." + view.encode()
        full = os.path.join(self.mount, folder, comp_name + b"#" + suffix)
        try:
            if os.lstat(full).st_ino != inode:
                self.fault(path, "another inode as %r" % full)
        except OSError as e:
            self.fault(path, "not found as %r: %s" % (full, e))

    def absent(self, path):
        """Names that must not be there."""
        for name in (b"no-such-name", b"#", b"#1", b"a#0", b"a#01"):
            if name in path:
                continue
            try:
                os.lstat(os.path.join(self.mount, path, name))
                if name == b"no-such-name":
                    self.fault(path + name, "is there")
            except OSError as e:
                if e.errno == errno.ENOENT:
                    continue
                self.fault(path + name, "look-up of nothing: %s" % e)


    def inode(self, path, mount=None):
        """Of a name; None if it is not there."""
        try:
            return os.lstat(os.path.join(mount or self.mount, path)).st_ino
        except FileNotFoundError:
            return None

    def dated(self, page, named, date, view):
        """NAME#@DATE.VIEW of a page (directory, component, captures) is the
        file of the nearest capture; named: (capture, view) -> its path."""
        prefix, comp, captures = page
        want = self.model.nearest(captures, tree_model.period(date)[0])
        sample = want or captures[0]
        name = prefix + tree_model.segment_name(comp) + b"#@" + \
            date.encode() + tree_model.suffix_of(view, sample)
        if len(name) - len(prefix) > 255:
            return
        got = self.inode(name)
        if want is None:
            if got is not None:
                self.fault(name, "is there")
        elif got is None or got != self.inode(named[want.number, view]):
            self.fault(name, "inode %r, not that of %r"
                       % (got, named[want.number, view]))

    def gone(self, page):
        """Of captures that do not exist there is no name."""
        prefix, comp, captures = page
        there = sum(self.model.exists(c) for c in captures)
        base = prefix + tree_model.segment_name(comp)
        names = [base + b"#%d" % max(there, 1)]
        if there == 0:
            names += [base + b"#", base + b"#.meta"]
        for name in names:
            if self.inode(name) is not None:
                self.fault(name, "is there")

    def whole(self, mount, named):
        """Inode numbers are those of a mount without conditions."""
        dates, self.model.dates = self.model.dates, (None, None)
        statuses, self.model.statuses = self.model.statuses, None
        for path, what in list(self.model.walk(self.views)):
            if isinstance(what, tree_model.Directory):
                here = self.inode(path)
            elif self.model_has(dates, statuses, what[0]):
                here = self.inode(named[what[0].number, what[1]])
            else:
                continue
            there = self.inode(path, os.fsencode(mount))
            if here is None or here != there:
                self.fault(path, "inode %r, of the whole %r" % (here, there))
        self.model.dates, self.model.statuses = dates, statuses

    def model_has(self, dates, statuses, capture):
        kept = self.model.dates, self.model.statuses
        self.model.dates, self.model.statuses = dates, statuses
        there = self.model.exists(capture)
        self.model.dates, self.model.statuses = kept
        return there

    def ask(self, *command):
        done = subprocess.run(command, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        out = done.stdout
        return out[:-1] if out.endswith(b"\n") else out

    def key(self, url):
        """What an index can tell apart."""
        return tree_model.published_key(url) if self.model.published else url

    def is_kept(self, url):
        """Whether the index can give this URL back: published keys lose
        fragments, empty queries and odd authorities, and a path
        that ends as a port does reads as one."""
        return self.model.keeps_url(url) and (
            not self.model.published or re.fullmatch(
                rb"(?!.*:[0-9]+$)(https?|ftp)://[^/?#:@\[\]]+(:[1-9][0-9]*)?/[^#]*[^#?]", url))

    def inverse(self, raw, count, rng, program, source, options):
        paths = {}              # key -> paths of its captures
        urls = set()
        for path, (capture, view) in raw:
            if view == "raw":
                paths.setdefault(self.key(capture.url), []).append(path)
                if self.is_kept(capture.url):
                    urls.add(capture.url)
        for url in rng.sample(sorted(urls), min(count, len(urls))):
            want = paths[self.key(url)]
            path = self.ask(program, b"path", source, url, *options)
            if path not in want:
                self.fault(url, "path says %r, not one of %r" % (path, want))
                continue
            back = self.ask(program, b"url", os.path.join(self.mount, path))
            if self.key(back) != self.key(url):
                self.fault(url, "url of its path says %r" % back)


def options(p):
    p.add_argument("mount")
    p.add_argument("manifest")
    p.add_argument("--base")
    p.add_argument("--views", default="raw:meta:txt")
    p.add_argument("--sample", type=int, default=None)
    p.add_argument("--inverse", type=int, default=0)
    p.add_argument("--crawlfs")
    p.add_argument("--source")
    p.add_argument("--from", dest="since")
    p.add_argument("--to", dest="until")
    p.add_argument("--dated", type=int, default=0)
    p.add_argument("--whole")
    p.add_argument("--no-revisits", action="store_true")
    p.add_argument("--status")
    p.add_argument("--prefix", action="append", default=[])


DATES = ["1995", "2011", "20111231235959", "2012", "201201", "20120101",
         "20120101000001", "20120102", "201207", "20121", "2013", "20130101",
         "2014", "20140615120000", "2015", "2020", "202402", "9999"]


def check_dates(check, opt, pages, named, rng):
    for page in rng.sample(pages, min(opt.dated, len(pages))):
        for _ in range(4):
            check.dated(page, named, rng.choice(DATES), rng.choice(check.views))
        check.gone(page)
    if opt.whole is not None:
        check.whole(opt.whole, named)


def statuses_of(text):
    """The statuses of a list such as 200,300-399."""
    out = set()
    for item in text.split(","):
        first, _, last = item.partition("-")
        out.update(range(int(first), int(last or first) + 1))
    return out


def compare(opt, model):
    tree_model.mark_zones(model.root)
    model.dates = (opt.since and tree_model.period(opt.since)[0],
                   opt.until and tree_model.period(opt.until)[1])
    model.statuses = opt.status and statuses_of(opt.status)
    if opt.prefix:
        model.limit([os.fsencode(p) for p in opt.prefix])
    pages = []
    check = Checker(opt.mount, model, opt.views.split(":"))
    check.no_revisits = opt.no_revisits
    todo = [(b"", model.root)]
    raw = []
    while todo:
        path, directory = todo.pop()
        todo.extend(check.directory(path, directory))
        check.absent(path)
        pages.extend((path, comp, captures)
                     for comp, captures in directory.pages.items()
                     if comp not in directory.left_out)
        for name, what in model.listing(directory, check.views).items():
            if not isinstance(what, tree_model.Directory):
                raw.append((path + name, what))
    for path, (capture, view) in raw:
        if view == "raw" and opt.sample is None:
            check.body(path, capture)
    rng = random.Random(1)
    for path, (capture, view) in rng.sample(raw, min(len(raw), opt.sample or
                                                     len(raw))):
        if view == "raw" and opt.sample is not None:
            check.body(path, capture)
        base = tree_model.segment_name(model.where[capture.number][1][-1])
        name = path.rpartition(b"/")[2]
        suffix = tree_model.suffix_of(view, capture)
        if name in (base + suffix, base + b"#" + suffix):
            try:
                inode = os.lstat(os.path.join(check.mount, path)).st_ino
            except OSError:
                continue
            check.full_form(path, base, view, inode)
    check_dates(check, opt, pages, {(what[0].number, what[1]): path
                                    for path, what in raw}, rng)
    if opt.inverse:
        options = [b"--%s=%s" % (name, value.encode())
                   for name, value in ((b"from", opt.since),
                                       (b"to", opt.until),
                                       (b"status", opt.status))
                   if value is not None]
        options += [b"--prefix=" + os.fsencode(p) for p in opt.prefix]
        check.inverse(raw, opt.inverse, rng, os.fsencode(opt.crawlfs),
                      os.fsencode(opt.source), options)
    print("%d directories, %d files, %d bodies, %d faults"
          % (check.dirs, check.files, check.bodies, check.faults))
    may_be_empty = opt.since or opt.status or opt.prefix
    return 1 if check.faults or not (check.files or may_be_empty) else 0


def main():
    p = argparse.ArgumentParser(description=__doc__)
    options(p)
    p.add_argument("--pbtree", action="store_true")
    opt = p.parse_args()
    captures = record_reader.read_manifest(opt.manifest)
    if opt.base is not None:
        captures = tree_model.below(captures, opt.base)
    return compare(opt, tree_model.Model(captures, opt.pbtree))


if __name__ == "__main__":
    sys.exit(main())
