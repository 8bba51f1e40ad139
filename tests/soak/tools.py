#!/usr/bin/env python3
# tools.py - whole programs on random folders of the mounts, checked.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A program that succeeds must have seen the model; one that fails is a failure
# as one of a system call (OSError), and what it has copied must be beginnings
# of the right files.
"""tar, cp, rsync, find, grep, sha1sum, cat, dd, ls."""

import errno
import hashlib
import io
import os
import shutil
import subprocess
import tarfile

from operations import full, same_whole
from world import Wrong

FILES_MAX = 150         # in the folder of one run
TOOL_SECONDS = 600
WORDS = (b"the", b"Content", b"http", b"a", b"<title>", b"disposition")


def run(argv, **more):
    r = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True,
                       timeout=TOOL_SECONDS, env=dict(os.environ, LC_ALL="C"),
                       **more)
    return r.returncode, r.stdout, r.stderr


def failed(status, err):
    e = os.strerror(errno.ENOENT).encode()
    if e in err:
        raise Wrong("ENOENT of what is there: %r" % err[:300])
    raise OSError(errno.EIO, "status %d: %r" % (status, err[-300:]))


def any_folder(m, rng):
    """One with a few files below it."""
    for _ in range(50):
        path = rng.choice(m.tree.folders)
        files = m.tree.below(path)
        if path and 0 < len(files) <= FILES_MAX:
            return path, files
    path = max(m.tree.folders, key=len)
    return path, m.tree.below(path)


def below(f, folder):
    return f.path[len(folder) + 1:]


def compare_tree(m, top, folder, files, is_whole):
    """A copy below top against the model."""
    extra = {os.path.relpath(os.path.join(d, name), top)
             for d, _, names in os.walk(top) for name in names} - \
        {below(f, folder) for f in files}
    if is_whole and extra:      # one that failed leaves temporary files
        raise Wrong("copied, but not in %r: %r" % (folder, sorted(extra)[:5]))
    for f in files:
        try:
            with open(os.path.join(top, below(f, folder)), "rb") as src:
                got = src.read()
        except FileNotFoundError:
            if is_whole:
                raise Wrong("not copied: %r" % f.path)
            continue
        if is_whole:
            same_whole(m, f, got)
        elif not f.data.startswith(got) and got.strip(b"\0"):
            raise Wrong("copied with wrong bytes: %r" % f.path)


def tool_tar(c, m, rng):
    folder, files = any_folder(m, rng)
    status, out, err = run(["tar", "-C", full(m, folder), "-cf", "-", "."])
    if status:
        failed(status, err)
    got = {}
    with tarfile.open(fileobj=io.BytesIO(out), errors="surrogateescape") as t:
        for member in t:
            if member.isfile():
                got[os.fsencode(member.name)[2:]] = t.extractfile(member).read()
    if set(got) != {below(f, folder) for f in files}:
        raise Wrong("tar of %r has other names" % folder)
    for f in files:
        same_whole(m, f, got[below(f, folder)])
    return folder


def copy_by(c, m, rng, argv):
    folder, files = any_folder(m, rng)
    out = os.fsencode(os.path.join(c.scratch, "copy"))
    shutil.rmtree(out, ignore_errors=True)
    status, _, err = run(argv + [full(m, folder) + b"/.", out])
    try:
        compare_tree(m, out, folder, files, status == 0)
    finally:
        shutil.rmtree(out, ignore_errors=True)
    if status:
        failed(status, err)
    return folder


def tool_cp(c, m, rng):
    return copy_by(c, m, rng, ["cp", "-a"])


def tool_rsync(c, m, rng):
    return copy_by(c, m, rng, ["rsync", "-a"])


def tool_find(c, m, rng):
    folder, files = any_folder(m, rng)
    status, out, err = run(["find", full(m, folder), "-type", "f", "-printf",
                            "%T@ %P\\0"])
    if status:
        failed(status, err)
    got = {}
    for line in out.split(b"\0")[:-1]:
        when, _, name = line.partition(b" ")
        got[name] = int(float(when))
    if got != {below(f, folder): f.mtime for f in files}:
        raise Wrong("find in %r: %d files, not %d, or other times" % (
            folder, len(got), len(files)))
    return folder


def tool_grep(c, m, rng):
    folder, files = any_folder(m, rng)
    word = rng.choice(WORDS)
    status, out, err = run(["grep", "-rlaZF", word, "."],
                           cwd=full(m, folder))
    if status > 1:
        failed(status, err)
    got = {name[2:] for name in out.split(b"\0")[:-1]}
    if got != {below(f, folder) for f in files if word in f.data}:
        raise Wrong("grep %r in %r finds other files" % (word, folder))
    return folder


def tool_sha1sum(c, m, rng):
    folder, files = any_folder(m, rng)
    files = rng.sample(files, min(len(files), 20))
    status, out, err = run(["sha1sum", "-z"] + [full(m, f.path) for f in files])
    want = {full(m, f.path): hashlib.sha1(f.data).hexdigest() for f in files}
    got = {line[42:]: line[:40].decode() for line in out.split(b"\0")[:-1]}
    for path, digest in got.items():
        if want[path] != digest:
            raise Wrong("sha1sum of %r differs" % path)
    if status:
        failed(status, err)
    if len(got) != len(want):
        raise Wrong("sha1sum of %d files, not %d" % (len(got), len(want)))
    return folder


def tool_cat(c, m, rng):
    folder, files = any_folder(m, rng)
    files = rng.sample(files, min(len(files), 20))
    status, out, err = run(["cat"] + [full(m, f.path) for f in files])
    if status:
        failed(status, err)
    if out != b"".join(f.data for f in files):
        raise Wrong("cat of %d files in %r differs" % (len(files), folder))
    return folder


def tool_dd(c, m, rng):
    f = rng.choice(m.tree.files)
    size, skip = rng.choice((100, 4096, 10000)), rng.randrange(4)
    status, out, err = run([b"dd", b"if=" + full(m, f.path), b"bs=%d" % size,
                            b"skip=%d" % skip, b"status=none"])
    if status:
        failed(status, err)
    if out != f.data[size * skip:]:
        raise Wrong("dd bs=%d skip=%d of %r differs" % (size, skip, f.path))
    return f.path


def tool_ls(c, m, rng):
    folder = rng.choice(m.tree.folders)
    status, out, err = run(["ls", "-la", "--zero", full(m, folder)])
    if status:
        failed(status, err)
    lines = [l for l in out.split(b"\0") if l[:1] in (b"-", b"d")]
    if len(lines) != len(m.tree.dirs[folder]) + 2:
        raise Wrong("ls -la of %r has %d lines" % (folder, len(lines)))
    return folder


TOOLS = (tool_tar, tool_cp, tool_rsync, tool_find, tool_grep, tool_sha1sum,
         tool_cat, tool_dd, tool_ls)
