#!/usr/bin/env python3
# world.py - what each mount of the soak test should show, byte by byte.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Names come from tests/model/tree_model.py, bytes from the archives by
# tests/model/record_reader.py, which share nothing with the C code.  The views
# `meta` and `txt` have no independent maker: they are learnt from the first
# mount of a crawl before any fault, and must be the same bytes ever after, on
# every mount of that crawl; of `meta` the URL, time and status are compared
# with the manifest too.
"""The model of the soak test."""

import hashlib
import json
import os
import sys
import time

sys.path.insert(0, os.path.join(os.environ["CFS_SRCDIR"], "tests", "model"))
import record_reader                                            # noqa: E402
import tree_model                                               # noqa: E402

LISTED = ("raw", "meta", "txt")
UNLISTED = ("headers", "record")


class Wrong(Exception):
    """The mount shows what it must not show."""


class File:
    """A file of a tree.  data: its bytes, None until learnt."""
    __slots__ = ("path", "capture", "view", "mtime", "data")

    def __init__(self, path, capture, view, mtime, data):
        self.path, self.capture, self.view = path, capture, view
        self.mtime, self.data = mtime, data


class Tree:
    """dirs: {path: {name: is_directory}}; files: those listed; more: those
    that are not; at: {path: File} of both."""

    def __init__(self):
        self.dirs, self.files, self.more, self.at = {b"": {}}, [], [], {}

    def add_dir(self, path):
        self.dirs.setdefault(path, {})
        up, _, name = path.rpartition(b"/")
        self.dirs.setdefault(up, {})[name] = True

    def add_file(self, f, is_listed):
        (self.files if is_listed else self.more).append(f)
        self.at[f.path] = f
        if is_listed:
            up, _, name = f.path.rpartition(b"/")
            self.dirs.setdefault(up, {})[name] = False

    def finish(self):
        self.folders = sorted(self.dirs)
        self.files.sort(key=lambda f: f.path)
        self.more.sort(key=lambda f: f.path)

    def piece(self, paths):
        """The tree that has only these listed paths, its own files."""
        out = Tree()
        for path in sorted(paths):
            if path in self.dirs:
                out.add_dir(path)
        for f in self.files + self.more:
            base = f.path.rpartition(b"#")[0]
            if f.path in paths:
                out.add_file(copy_of(f), True)
            elif f.path not in self.dirs and f.view in UNLISTED and \
                    (base in paths or f.path.rpartition(b".")[0] in paths):
                out.add_file(copy_of(f), False)
        out.finish()
        return out

    def below(self, folder):
        prefix = folder + b"/" if folder else b""
        return [f for f in self.files if f.path.startswith(prefix)]


def copy_of(f):
    return File(f.path, f.capture, f.view, f.mtime, f.data)


def archive_of(name):
    with open(name, "rb") as f:
        return f.read()


class Bytes:
    """The bytes of the independent views of the captures of manifests."""

    def __init__(self, manifests, captures):
        self.tops = [os.path.dirname(m) for m in manifests]
        self.files, self.records = {}, {}
        paths = sorted({self.path(c) for c in captures})
        for p in paths:
            self.files[p] = archive_of(p)
            for offset, _, rec in record_reader.records(p):
                self.records[p, offset] = rec
        self.bodies = record_reader.bodies_by_reference(paths)

    def path(self, c):
        return os.path.join(self.tops[c.member], c.archive)

    def body(self, rec):
        if rec.kind != "revisit":
            return rec.body
        ident = record_reader.field(rec.warc, b"warc-refers-to")
        digest = record_reader.field(rec.warc, b"warc-payload-digest")
        for key in (ident and b"id:" + ident, digest and b"digest:" + digest):
            if key is not None and key in self.bodies:
                return self.bodies[key]
        return b""

    def of(self, c, view):
        p = self.path(c)
        rec = self.records[p, c.offset]
        if view == "record":
            return self.files[p][c.offset:c.offset + c.length]
        if view == "headers":
            return rec.http_head or b""
        body = self.body(rec)
        if len(body) != c.body_bytes or \
                hashlib.sha1(body).hexdigest() != c.sha1:
            raise SystemExit("manifest and reader differ: %r" % c.url)
        return body


def unlisted_names(model):
    """(path, capture, view) of the views that listings leave out."""
    tree_model.mark_zones(model.root)
    todo = [(b"", model.root)]
    while todo:
        prefix, d = todo.pop()
        if d.marker is not None:
            todo.append((prefix + b"_/", d.marker))
        name_of = tree_model.segment_name if d.is_below else \
            tree_model.label_name
        for comp, sub in d.dirs.items():
            todo.append((prefix + name_of(comp) + b"/", sub))
        for comp, captures in d.pages.items():
            base = tree_model.segment_name(comp)
            first, n = model.preferred(captures), 0
            for c in captures:
                n += c is not first
                number = b"" if c is first else b"%d" % n
                for view in UNLISTED:
                    yield (prefix + base + b"#" + number +
                           tree_model.suffix_of(view, c), c, view)


def tree_of(manifests):
    """The tree of a crawl, of several those of their union."""
    captures = record_reader.read_manifest(",".join(manifests))
    model = tree_model.Model(captures)
    data = Bytes(manifests, captures)
    tree = Tree()
    for path, what in model.walk(LISTED):
        if isinstance(what, tree_model.Directory):
            tree.add_dir(path)
            continue
        c, view = what
        tree.add_file(File(path, c, view, model.time(c),
                           data.of(c, view) if view == "raw" else None), True)
    for path, c, view in unlisted_names(model):
        tree.add_file(File(path, c, view, model.time(c), data.of(c, view)),
                      False)
    tree.finish()
    return tree


def check_meta(f):
    """The metadata agree with the manifest."""
    meta = json.loads(f.data)
    text = json.dumps(meta)
    when = time.strftime("%Y-%m-%d", time.gmtime(f.capture.time))
    c = f.capture
    if c.status is not None and str(c.status) not in text:
        raise Wrong("no status %d in %r" % (c.status, f.path))
    if c.archive.rpartition("/")[2] not in text:
        raise Wrong("another archive in %r" % f.path)
    if when not in text and str(c.time) not in text and \
            c.timestamp not in text:
        raise Wrong("no time %s in %r" % (c.timestamp, f.path))


def learn(tree, top):
    """Fills in the bytes of the views without a maker of their own."""
    for f in tree.files:
        if f.data is None:
            with open(os.path.join(os.fsencode(top), f.path), "rb") as src:
                f.data = src.read()
            if f.view == "meta":
                check_meta(f)


def learn_from(tree, other):
    """The same from another mount of the crawl."""
    for f in tree.files:
        if f.data is None:
            f.data = other.at[f.path].data


def names_below(top):
    """All paths that are listed below a folder."""
    out, todo = set(), [b""]
    root = os.fsencode(top)
    while todo:
        at = todo.pop()
        for e in os.scandir(os.path.join(root, at) if at else root):
            path = at + b"/" + e.name if at else e.name
            out.add(path)
            if e.is_dir(follow_symlinks=False):
                todo.append(path)
    return out
