#!/usr/bin/env python3
# mountcheck.py - a mounted tree against the reference model.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     mountcheck.py tree [MODEL OPTION...] MANIFEST MOUNT
#         what find sees is the model's tree: names, types, times, and size
#         and SHA-1 of every raw file
#     mountcheck.py served [--least N] [MODEL OPTION...] MANIFEST MOUNT
#         of a damaged crawl: what can be read has the model's bytes, all else
#         is EIO; at least N raw files can be read
#     mountcheck.py lookups [MODEL OPTION...] MANIFEST MOUNT
#         full forms of every page resolve, names beside them do not
#     mountcheck.py agree MOUNT
#         look-up of every listed name gives what the listing said
#     mountcheck.py inverse CRAWLFS SOURCE MANIFEST MOUNT
#         for a sample of URLs: `crawlfs path` prints the model's path, and
#         `crawlfs url` of that path the URL
#     mountcheck.py unpack CRAWLFS SOURCE MANIFEST FOLDER
#         writes the model's tree: bodies by the independent reader, other
#         views by `crawlfs cat`
#     mountcheck.py hash [--how HOW] ROOT
#         path, type, size and SHA-1 of everything, sorted; HOW to read is
#         plain, pread, seek, mmap, sendfile or small
#     mountcheck.py keys ITEMS MOUNT PATH BYTES SHA1
#         the tree of a PB-tree's items (layout of tests/pbtree_ref.py), whose
#         archives are all missing but that of PATH
#     mountcheck.py sample --good|--bad|--nothing ARCHIVE MOUNT
#         a real archive: whatever the independent reader finds is there with
#         the same bytes; more only where that reader gave up
#     mountcheck.py readonly FILE FOLDER
#         all that would change something says EROFS
#
# MODEL OPTION: --pbtree, --views, --base as of tree_model.py.
"""Compares mounts with the model; prints faults and counts."""

import argparse
import errno
import hashlib
import io
import mmap
import os
import re
import struct
import subprocess
import sys
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "model"))
import pbtree_reader                                            # noqa: E402
import record_reader                                            # noqa: E402
import tree_model                                               # noqa: E402

SHOWN = 20


class Faults:
    def __init__(self):
        self.n = 0

    def add(self, fmt, *args):
        self.n += 1
        if self.n <= SHOWN:
            print(fmt % args)

    def end(self, what):
        print("%s, %d faults" % (what, self.n))
        return 1 if self.n else 0


URL_MAX = 8192


def load_model(opt):
    captures = record_reader.read_manifest(opt.manifest)
    if opt.base is not None:
        captures = tree_model.below(captures, opt.base)
    return captures, tree_model.Model(captures, opt.pbtree)


def is_dir(what):
    return isinstance(what, tree_model.Directory)


def read_all(path):
    """(bytes, None) or (None, errno)."""
    try:
        with open(path, "rb", buffering=0) as f:
            out = []
            while True:
                piece = f.read(1 << 20)
                if not piece:
                    return b"".join(out), None
                out.append(piece)
    except OSError as e:
        return None, e.errno


def find(root):
    """{path: (type, whole seconds, size)} of everything, as find tells it."""
    out = subprocess.run(
        [b"find", os.fsencode(root), b"-mindepth", b"1", b"-printf",
         rb"%P\0%y\0%T@\0%s\0"], stdout=subprocess.PIPE, check=True).stdout
    part = out.split(b"\0")[:-1]
    found = {}
    for at in range(0, len(part), 4):
        path, kind, mtime, size = part[at:at + 4]
        assert path not in found, path
        found[path] = (kind.decode(), int(mtime.split(b".")[0]), int(size))
    return found


# ---- tree ----

def check_file(faults, model, root, path, seen, capture, view):
    kind, mtime, _ = seen
    if kind != "f":
        faults.add("%r is a %s", path, kind)
        return
    if mtime != model.time(capture):
        faults.add("%r: time %d, not %d", path, mtime, model.time(capture))
    if view != "raw":
        return
    data, err = read_all(os.path.join(root, path))
    if err == errno.EIO and len(capture.url) > URL_MAX:
        return      # in a PB-tree without its fragment, and too long with it
    if err:
        faults.add("%r: %s", path, os.strerror(err))
        return
    if len(data) != capture.body_bytes:
        faults.add("%r: %d bytes, not %d", path, len(data), capture.body_bytes)
    elif hashlib.sha1(data).hexdigest() != capture.sha1:
        faults.add("%r: wrong bytes", path)
    size = os.stat(os.path.join(root, path)).st_size
    if size != capture.body_bytes:
        faults.add("%r: size %d after reading, not %d", path, size,
                   capture.body_bytes)


def cmd_tree(opt):
    captures, model = load_model(opt)
    root = os.fsencode(opt.mount)
    faults = Faults()
    found = find(opt.mount)
    numbers = []
    for path, what in model.walk(opt.views.split(":")):
        seen = found.pop(path, None)
        if seen is None:
            faults.add("%r is missing", path)
        elif is_dir(what):
            if seen[0] != "d":
                faults.add("%r is no directory", path)
        else:
            check_file(faults, model, root, path, seen, *what)
            if what[1] == "raw":
                numbers.append(what[0].number)
    for path in found:
        faults.add("%r should not be there", path)
    if sorted(numbers) != sorted(model.where):
        faults.add("captures are not there once each")
    if len(numbers) < opt.least:
        faults.add("only %d captures", len(numbers))
    return faults.end("%d captures compared" % len(numbers))


def cmd_served(opt):
    _, model = load_model(opt)
    root = os.fsencode(opt.mount)
    faults = Faults()
    right = refused = 0
    for path, what in model.walk(("raw",)):
        if is_dir(what) or opt.own and what[0].kind == "revisit":
            continue
        data, err = read_all(os.path.join(root, path))
        if err == errno.EIO or err == errno.ENOENT and opt.may_miss:
            refused += 1
        elif err:
            faults.add("%r: %s", path, os.strerror(err))
        elif hashlib.sha1(data).hexdigest() != what[0].sha1:
            faults.add("%r: wrong bytes", path)
        else:
            right += 1
    if right < opt.least:
        faults.add("only %d files can be read, not %d", right, opt.least)
    if opt.refused is not None and refused != opt.refused:
        faults.add("%d files cannot be read, not %d", refused, opt.refused)
    return faults.end("%d files right, %d refused" % (right, refused))


# ---- lookups ----

def full_forms(model, directory, comp, captures):
    """(name, capture, view) of every full form of a page."""
    base = tree_model.segment_name(comp)
    first = model.preferred(captures)
    number = 0
    for c in captures:
        mark = b"#"
        if c is not first:
            number += 1
            mark = b"#%d" % number
        for view in tree_model.VIEWS:
            yield base + mark + tree_model.suffix_of(view, c), c, view


def absent_names(model, directory, comp, captures):
    """Names that look like those of a page and are none."""
    base = tree_model.segment_name(comp)
    n = len(captures)
    container = b".warc.gz" if all(c.kind == "arc" for c in captures) \
        else b".arc.gz" if all(c.kind != "arc" for c in captures) else None
    yield base + b"#%d" % n
    yield base + b"#%d.txt" % (n + 3)
    yield base + b"#01"
    yield base + b"#0"
    yield base + b"#.nope"
    yield base + b"#18446744073709551616"
    yield base + b"#99999999999999999999999999.txt"
    yield base + b"#.txt.txt"
    yield base + b"#x0123456789abcdef"
    yield base + b"#-1"
    if container:
        yield base + b"#" + container


def all_directories(model):
    tree_model.mark_zones(model.root)
    todo = [(b"", model.root)]
    while todo:
        prefix, directory = todo.pop()
        yield prefix, directory
        for name, what in model.listing(directory, ("raw",)).items():
            if is_dir(what):
                todo.append((prefix + name + b"/", what))


def inode(path):
    try:
        return os.lstat(path).st_ino
    except OSError as e:
        return -e.errno


def cmd_lookups(opt):
    _, model = load_model(opt)
    root = os.path.join(os.fsencode(opt.mount), b"")
    faults = Faults()
    tried = 0
    for prefix, directory in all_directories(model):
        for comp, captures in directory.pages.items():
            inodes = {}
            for name, c, view in full_forms(model, directory, comp, captures):
                tried += 1
                ino = inode(root + prefix + name)
                if ino < 0:
                    faults.add("%r: %s", prefix + name, os.strerror(-ino))
                elif ino in inodes:
                    faults.add("%r and %r are one inode", prefix + name,
                               inodes[ino])
                inodes[ino] = prefix + name
            for name in absent_names(model, directory, comp, captures):
                tried += 1
                if len(name) > 255:
                    continue
                ino = inode(root + prefix + name)
                if ino != -errno.ENOENT:
                    faults.add("%r is there (%d)", prefix + name, ino)
        for name in (b"no such name", b"x" * 255, b"#", b"#1", b"\xff\xfe",
                     b".crawlfs" if prefix else b"crawlfs"):
            known = model.listing(directory, ("raw",))
            if name in known:
                continue
            tried += 1
            ino = inode(root + prefix + name)
            if ino != -errno.ENOENT:
                faults.add("%r is there (%d)", prefix + name, ino)
    # the listed name and the full form are the same object
    for path, what in model.walk():
        if is_dir(what):
            continue
        tried += 1
        ino = inode(root + path)
        if ino < 0:
            faults.add("listed %r: %s", path, os.strerror(-ino))
    return faults.end("%d names looked up" % tried)


def cmd_agree(opt):
    """From a cold mount: every name that readdir gives can be looked up, to
    the inode number and type that readdir gave."""
    faults = Faults()
    n = 0
    todo = [os.fsencode(opt.mount)]
    while todo:
        here = todo.pop()
        with os.scandir(here) as it:
            entries = [(e.path, e.inode(), e.is_dir(follow_symlinks=False))
                       for e in it]
        if len({p for p, _, _ in entries}) != len(entries):
            faults.add("%r lists a name twice", here)
        for path, ino, folder in entries:
            n += 1
            try:
                st = os.lstat(path)
            except OSError as e:
                faults.add("%r: %s", path, e.strerror)
                continue
            if st.st_ino != ino or (st.st_mode & 0o170000 == 0o040000) != folder:
                faults.add("%r: inode %d, listed as %d", path, st.st_ino, ino)
            if st.st_mode & 0o7777 != (0o555 if folder else 0o444):
                faults.add("%r: mode %o", path, st.st_mode)
            if folder:
                todo.append(path)
    if n < opt.least:
        faults.add("only %d names", n)
    return faults.end("%d names looked up" % n)


# ---- the commands path and url ----

def said(argv):
    p = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return p.returncode, p.stdout[:-1] if p.stdout.endswith(b"\n") else p.stdout


def cmd_inverse(opt):
    captures, model = load_model(opt)
    faults = Faults()
    own = {what[0].number: path for path, what in model.walk(("raw",))
           if not is_dir(what)}
    # one URL may have several captures: `path` may name any of them
    paths = {}
    for c in captures:
        if c.number in own:
            paths.setdefault(c.url, set()).add(own[c.number])
    step = max(1, len(paths) // opt.sample)
    tried = sorted(paths)[::step]
    for url in tried:
        status, path = said([opt.crawlfs, b"path", opt.source, url])
        if status != 0 or path not in paths[url]:
            faults.add("path of %r: %d %r, not %r", url, status, path,
                       paths[url])
            continue
        full = os.path.join(os.fsencode(opt.mount), path)
        status, back = said([opt.crawlfs, b"url", full])
        if status != 0 or back != url:
            faults.add("url of %r: %d %r, not %r", path, status, back, url)
    return faults.end("%d URLs" % len(tried))


# ---- ways to read ----

def by_plain(fd):
    """Without asking for the size."""
    return b"".join(iter(lambda: os.read(fd, 65536), b""))


def by_small(fd):
    return b"".join(iter(lambda: os.read(fd, 1009), b""))


def by_pread(fd):
    """At odd offsets, from the end to the beginning."""
    size = os.fstat(fd).st_size
    step = 4099
    return b"".join(reversed([os.pread(fd, step, at) for at in
                              reversed(range(0, size, step))]))[:size + 1]


def by_seek(fd):
    size = os.lseek(fd, 0, os.SEEK_END)
    os.lseek(fd, 0, os.SEEK_SET)
    data = os.read(fd, size + 4096)
    while len(data) < size:
        data += os.read(fd, size + 4096) or b"(too short)" * size
    return data


def by_mmap(fd):
    size = os.fstat(fd).st_size
    if size == 0:
        return by_plain(fd)
    with mmap.mmap(fd, size, prot=mmap.PROT_READ) as m:
        return bytes(m)


def by_sendfile(fd):
    out = os.memfd_create("out")
    try:
        while os.sendfile(out, fd, None, 1 << 20):
            pass
        return os.pread(out, os.fstat(out).st_size, 0)
    finally:
        os.close(out)


def cmd_hash(opt):
    """Two fields: the size fstat tells after open must be the bytes read."""
    read = globals()["by_" + opt.how]
    root = os.fsencode(opt.root)
    lines = []
    for here, dirs, files in os.walk(root, onerror=print):
        for name in dirs:
            lines.append(tree_model.escape(os.path.relpath(
                os.path.join(here, name), root)) + b"\tdir")
        for name in files:
            path = os.path.join(here, name)
            try:
                fd = os.open(path, os.O_RDONLY)
                data = read(fd)
                size = os.fstat(fd).st_size
                os.close(fd)
                what = b"%d\t%s" % (size,
                                    hashlib.sha1(data).hexdigest().encode())
            except OSError as e:
                what = e.strerror.encode()
            lines.append(tree_model.escape(os.path.relpath(path, root)) +
                         b"\t" + what)
    for line in sorted(lines):
        sys.stdout.buffer.write(line + b"\n")
    return 0


# ---- unpack ----

def body_of(opt, capture, resolve):
    rec = record_reader.read_record(
        os.path.join(os.path.dirname(opt.manifest), capture.name),
        capture.offset, capture.length)
    return resolve(rec) if rec.kind == "revisit" else rec.body


def cmd_unpack(opt):
    captures = record_reader.read_manifest(opt.manifest)
    for c in captures:
        c.name = c.archive
    resolve = record_reader.revisit_resolver(os.path.dirname(opt.manifest),
                                             captures)
    # the resolver reads all archives by their names in the manifest, once
    resolve(record_reader.Record("revisit", b"", 0, b"", b""))
    if opt.base is not None:
        captures = tree_model.below(captures, opt.base)
    model = tree_model.Model(captures, opt.pbtree)
    out = os.fsencode(opt.folder)
    n = 0
    for path, what in model.walk():
        full = os.path.join(out, path)
        if is_dir(what):
            os.makedirs(full, exist_ok=True)
            continue
        n += 1
        if what[1] == "raw":
            data = body_of(opt, what[0], resolve)
        else:
            data = subprocess.run([opt.crawlfs, b"cat", opt.source, path],
                                  stdout=subprocess.PIPE, check=True).stdout
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as f:
            f.write(data)
        t = model.time(what[0])
        os.utime(full, (t, t))
    print("%d files" % n)
    return 0


# ---- real keys ----

class Item:
    """One item of a PB-tree, as the model's capture."""
    kind, status = "arc", None

    def __init__(self, number, key, value):
        segment, date, partition, self.offset, self.length = \
            pbtree_reader.VALUE.unpack(value)
        self.number, self.key = number, key
        self.archive = "segment/%d/%d_%d.arc.gz" % (segment, date, partition)
        self.url = None


class KeyModel(tree_model.Model):
    def __init__(self, items):
        self.published = True
        self.root = tree_model.Directory()
        self.where = {}
        for item in items:
            path = tree_model.key_path(item.key)
            if path is not None:
                self.where[item.number] = path
                tree_model.insert(self.root, path, item)


def read_items(path):
    with open(path, "rb") as f:
        raw = f.read()
    at = 0
    items = []
    while at < len(raw):
        n = int.from_bytes(raw[at:at + 4], "little")
        key = raw[at + 4:at + 4 + n]
        at += 4 + n + pbtree_reader.VALUE.size
        items.append(Item(len(items), key, raw[at - pbtree_reader.VALUE.size:at]))
    return items


def cmd_keys(opt):
    items = read_items(opt.items)
    model = KeyModel(items)
    root = os.fsencode(opt.mount)
    faults = Faults()
    found = find(opt.mount)
    served = []
    for path, what in model.walk():
        seen = found.pop(path, None)
        if seen is None:
            faults.add("%r is missing", path)
        elif (seen[0] == "d") != is_dir(what):
            faults.add("%r is a %s", path, seen[0])
        elif not is_dir(what):
            if seen[1] != model.time(what[0]):
                faults.add("%r: time %d", path, seen[1])
            if what[1] != "raw":
                continue
            data, err = read_all(os.path.join(root, path))
            if err is None:
                served.append(path)
                if (len(data), hashlib.sha1(data).hexdigest()) != \
                        (opt.bytes, opt.sha1):
                    faults.add("%r: %d other bytes", path, len(data))
            elif err != errno.EIO:
                faults.add("%r: %s", path, os.strerror(err))
    for path in found:
        faults.add("%r should not be there", path)
    if served != [os.fsencode(opt.path)]:
        faults.add("served: %r", served)
    if len(model.where) != len(items):
        print("%d keys are in no tree" % (len(items) - len(model.where)))
    return faults.end("%d captures" % len(model.where))


# ---- real archives ----

IN_TREE = ("arc", "response", "resource", "revisit", "conversion")


class Found:
    """A record as the model's capture."""

    def __init__(self, number, archive, offset, rec):
        self.number, self.archive, self.offset = number, archive, offset
        self.member = 0
        self.kind, self.url = rec.kind, rec.url
        self.time, self.status, self.rec = rec.time or 0, rec.status, rec


def zipped_archives(f, name="", base=0):
    """(name, offset, file) of each archive in a ZIP file, or in one in it; a
    compressed one has a name, and offsets, of its own."""
    with zipfile.ZipFile(f) as z:
        for info in z.infolist():
            stored = info.compress_type == zipfile.ZIP_STORED
            inner = io.BytesIO(z.read(info))
            f.seek(info.header_offset + 26)
            n, m = struct.unpack("<HH", f.read(4))
            place = (name, base + info.header_offset + 30 + n + m) if stored \
                else (name + "#!/" + info.filename, 0)
            if info.filename.endswith(".wacz"):
                yield from zipped_archives(inner, *place)
            elif info.filename.endswith((".warc", ".warc.gz", ".arc.gz")):
                yield place + (inner,)


def sample_records(path):
    """([(archive, offset, Record)], places that the reader gave up at)."""
    out = []
    given_up = 0
    with open(path, "rb") as f:
        zipped = f.read(2) == b"PK"
        f.seek(0)
        for archive, base, f in zipped_archives(f) if zipped else [("", 0, f)]:
            given_up += archive_records(archive, base, f, out)
    return out, given_up


def archive_records(archive, base, f, out):
    given_up = 0
    gz = f.read(2) == b"\x1f\x8b"
    f.seek(0)
    pieces = record_reader.members(f) if gz else record_reader.plain_records(f)
    while True:
        try:
            offset, _, data = next(pieces)
        except StopIteration:
            return given_up
        except Exception:
            return given_up + 1
        try:
            out.append((archive, base + offset, record_reader.parse(data)))
        except Exception:
            given_up += 1


def body_in_sample(rec, bodies):
    if rec.kind != "revisit":
        return rec.body
    for name in (b"warc-refers-to", b"warc-payload-digest"):
        value = record_reader.field(rec.warc, name)
        kind = b"id:" if name == b"warc-refers-to" else b"digest:"
        if value and kind + value in bodies:
            return bodies[kind + value]
    uri = record_reader.field(rec.warc, b"warc-refers-to-target-uri")
    return bodies.get((b"uri", uri), b"")


def sample_bodies(recs):
    out = {}
    for _, _, rec in recs:
        if rec.kind != "response" or not rec.warc:
            continue
        for name, kind in ((b"warc-record-id", b"id:"),
                           (b"warc-payload-digest", b"digest:")):
            value = record_reader.field(rec.warc, name)
            if value:
                out.setdefault(kind + value, rec.body)
        out.setdefault((b"uri", rec.url), rec.body)
    return out


def cmd_sample(opt):
    recs, given_up = sample_records(opt.archive)
    bodies = sample_bodies(recs)
    captures = [Found(n, os.path.basename(opt.archive) + archive, offset, rec)
                for n, (archive, offset, rec) in enumerate(recs)
                if rec.kind in IN_TREE]
    model = tree_model.Model(captures)
    faults = Faults()
    if opt.how == "nothing":
        for number in model.where:
            faults.add("%r is in it", captures[number].url
                       if number < len(captures) else number)
        return faults.end("%d records" % len(recs))
    root = os.fsencode(opt.mount)
    found = find(opt.mount)
    for path, what in model.walk():
        seen = found.pop(path, None)
        if seen is None:
            faults.add("%r is missing", path)
            continue
        if is_dir(what) or what[1] != "raw":
            if not is_dir(what) and opt.how == "good":
                data, err = read_all(os.path.join(root, path))
                if err:
                    faults.add("%r: %s", path, os.strerror(err))
            continue
        data, err = read_all(os.path.join(root, path))
        want = body_in_sample(what[0].rec, bodies)
        if opt.how == "bad":    # the reader may have seen less than is there
            if err not in (None, errno.EIO):
                faults.add("%r: %s", path, os.strerror(err))
        elif err:
            faults.add("%r: %s", path, os.strerror(err))
        elif data != want:
            faults.add("%r: %d bytes, not %d, or others", path, len(data),
                       len(want))
    for path in found:
        read_all(os.path.join(root, path))
        if not given_up and opt.how == "good":
            faults.add("%r should not be there", path)
    return faults.end("%d captures, %d places given up" % (len(model.where),
                                                          given_up))


# ---- read-only ----

def cmd_readonly(opt):
    f, d = opt.file, opt.folder
    new = os.path.join(d, "new")
    acts = [
        ("open to write", lambda: os.open(f, os.O_WRONLY)),
        ("open to read and write", lambda: os.open(f, os.O_RDWR)),
        ("open to append", lambda: os.open(f, os.O_WRONLY | os.O_APPEND)),
        ("open and cut", lambda: os.open(f, os.O_RDONLY | os.O_TRUNC)),
        ("create", lambda: os.open(new, os.O_WRONLY | os.O_CREAT, 0o644)),
        ("truncate", lambda: os.truncate(f, 0)),
        ("unlink", lambda: os.unlink(f)),
        ("mkdir", lambda: os.mkdir(new)),
        ("rmdir", lambda: os.rmdir(d)),
        ("rename", lambda: os.rename(f, new)),
        ("link", lambda: os.link(f, new)),
        ("symlink", lambda: os.symlink("x", new)),
        ("mknod", lambda: os.mkfifo(new)),
        ("chmod", lambda: os.chmod(f, 0o777)),
        ("chown", lambda: os.chown(f, 1, 1)),
        ("utime", lambda: os.utime(f, (1, 1))),
        ("setxattr", lambda: os.setxattr(f, "user.x", b"1")),
        ("removexattr", lambda: os.removexattr(f, "user.x")),
    ]
    faults = Faults()
    for name, act in acts:
        try:
            act()
            faults.add("%s: succeeds", name)
        except OSError as e:
            if e.errno != errno.EROFS:
                faults.add("%s: %s", name, e.strerror)
    if os.access(f, os.W_OK) or os.access(d, os.W_OK):
        faults.add("access says it may be written")
    return faults.end("%d ways to change something" % len(acts))


def main():
    p = argparse.ArgumentParser()
    sub = p.add_subparsers(dest="command", required=True)
    for name in ("tree", "served", "lookups"):
        s = sub.add_parser(name)
        s.add_argument("--pbtree", action="store_true")
        s.add_argument("--views", default="raw:meta:txt")
        s.add_argument("--base")
        s.add_argument("--least", type=int, default=1)
        s.add_argument("--refused", type=int)
        s.add_argument("--may-miss", action="store_true")
        s.add_argument("--own", action="store_true")
        s.add_argument("manifest")
        s.add_argument("mount")
    s = sub.add_parser("inverse")
    s.add_argument("--pbtree", action="store_true")
    s.add_argument("--base")
    s.add_argument("--sample", type=int, default=100)
    for name in ("crawlfs", "source", "manifest", "mount"):
        s.add_argument(name)
    s = sub.add_parser("agree")
    s.add_argument("--least", type=int, default=1)
    s.add_argument("mount")
    s = sub.add_parser("unpack")
    s.add_argument("--pbtree", action="store_true")
    s.add_argument("--base")
    for name in ("crawlfs", "source", "manifest", "folder"):
        s.add_argument(name)
    s = sub.add_parser("keys")
    for name in ("items", "mount", "path"):
        s.add_argument(name)
    s.add_argument("bytes", type=int)
    s.add_argument("sha1")
    s = sub.add_parser("sample")
    for how in ("good", "bad", "nothing"):
        s.add_argument("--" + how, dest="how", action="store_const", const=how)
    for name in ("archive", "mount"):
        s.add_argument(name)
    s = sub.add_parser("readonly")
    s.add_argument("file")
    s.add_argument("folder")
    s = sub.add_parser("hash")
    s.add_argument("--how", default="plain")
    s.add_argument("root")
    opt = p.parse_args()
    return globals()["cmd_" + opt.command](opt)


if __name__ == "__main__":
    sys.exit(main())
