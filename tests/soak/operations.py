#!/usr/bin/env python3
# operations.py - single operations of the soak test: system calls, checked.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# An operation is a function of (context, mount, random numbers).  It returns
# the path it was about, raises OSError for a failure of crawlfs, which counts
# if no fault explains it, and Wrong for what no fault explains.
"""Random system calls, every byte compared."""

import errno
import gzip
import json
import mmap
import os
import signal
import stat
import subprocess
import sys
import time

from world import Wrong

CHUNKS = (1, 7, 512, 1009, 4096, 65536, 1 << 20)
HELD_MAX = 24           # files a worker keeps open


def full(m, path):
    return os.path.join(os.fsencode(m.where), path)


def any_file(m, rng):
    """A file, listed or not; m.about names it where the operation fails."""
    f = some_file(m, rng)
    m.about = f.path
    return f


def some_file(m, rng):
    files = m.tree.more if rng.random() < 0.12 and m.tree.more else m.tree.files
    f = files[rng.randrange(len(files))]
    if f.view != "raw" and rng.random() < 0.4:      # rather a page
        f = m.tree.files[rng.randrange(len(m.tree.files))]
    return f


def same(m, f, got, at=0):
    """got is what f has from `at` on, as far as it goes."""
    if f.data[at:at + len(got)] == got:
        return
    if f.view == "record" and m.saw_flips():
        return      # whole ones are compared by same_record
    for i, b in enumerate(got):
        if at + i >= len(f.data) or f.data[at + i] != b:
            raise Wrong("wrong byte at %d of %r (%d bytes): %r" % (
                at + i, f.path, len(f.data), got[i:i + 24]))


def is_same_record(f, got):
    """Of a member in which a wrong byte was sent: the head of gzip is covered
    by no checksum, what it holds is."""
    try:
        return gzip.decompress(got) == gzip.decompress(f.data)
    except (OSError, EOFError, ValueError):
        return False


def same_whole(m, f, got):
    if got == f.data:
        return
    if f.view == "record" and m.saw_flips() and is_same_record(f, got):
        return
    if len(got) != len(f.data) and f.data.startswith(got):
        raise Wrong("short: %d of %d bytes of %r, and no error" % (
            len(got), len(f.data), f.path))
    at = next((i for i, (a, b) in enumerate(zip(got, f.data)) if a != b),
              min(len(got), len(f.data)))
    raise Wrong("%d bytes, wrong from %d on, of %r (%d bytes)" % (
        len(got), at, f.path, len(f.data)))


def check_size(m, f, fd):
    size = os.fstat(fd).st_size
    if size == len(f.data):
        return
    text = "open, and %d bytes by fstat, of %r (%d bytes)" % (
        size, f.path, len(f.data))
    # A size that no index has and that cannot be found out now: there is room
    # for it, and reading fails; no byte is made up.
    got = os.pread(fd, size, 0)
    if size > len(f.data) and f.data.startswith(got):
        raise OSError(errno.EIO, text)
    raise Wrong(text)


def open_checked(m, f):
    """Whatever fails, nothing stays open: a daemon ends with its last file."""
    fd = os.open(full(m, f.path), os.O_RDONLY | os.O_CLOEXEC)
    try:
        check_size(m, f, fd)
    except BaseException:
        os.close(fd)
        raise
    return fd


def forget_pages(fd, rng):
    """Often the kernel's pages go, so that crawlfs is asked again."""
    if rng.random() < 0.6:
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)


def read_all(fd, chunk):
    return b"".join(iter(lambda: os.read(fd, chunk), b""))


def op_read(c, m, rng):
    f = any_file(m, rng)
    chunk = rng.choice(CHUNKS[2:] if len(f.data) > 20000 else CHUNKS)
    fd = open_checked(m, f)
    try:
        forget_pages(fd, rng)
        same_whole(m, f, read_all(fd, chunk))
    finally:
        os.close(fd)
    return f.path


def some_preads(m, f, fd, rng):
    for _ in range(rng.randrange(1, 6)):
        at = rng.randrange(len(f.data) + 10)
        n = rng.choice((1, 100, 4096, 20000))
        end = min(at + n, len(f.data))
        got = os.pread(fd, n, at)
        same(m, f, got, at)
        while at + len(got) < end:      # the kernel gives what it has
            more = os.pread(fd, end - at - len(got), at + len(got))
            if not more:
                raise Wrong("pread of %d at %d ends after %d of %r (%d bytes)"
                            % (n, at, len(got), f.path, len(f.data)))
            same(m, f, more, at + len(got))
            got += more


def op_pread(c, m, rng):
    f = any_file(m, rng)
    fd = open_checked(m, f)
    try:
        forget_pages(fd, rng)
        some_preads(m, f, fd, rng)
    finally:
        os.close(fd)
    return f.path


def op_held(c, m, rng):
    """A file that was opened long ago."""
    held = c.held.setdefault(m.number, [])
    if len(held) < HELD_MAX // len(c.mounts) + 2 or rng.random() < 0.1:
        f = any_file(m, rng)
        held.append((f, open_checked(m, f), c.board.changed[m.number]))
    f, fd, changed = held[rng.randrange(len(held))]
    try:
        forget_pages(fd, rng)
        some_preads(m, f, fd, rng)
    except OSError:
        held.remove((f, fd, changed))
        os.close(fd)
        if changed != c.board.changed[m.number]:
            c.stale += 1        # it has the state of another object
            return f.path
        raise
    if len(held) > HELD_MAX // len(c.mounts) + 2:
        _, fd, _ = held.pop(0)
        os.close(fd)
    return f.path


def op_stat(c, m, rng):
    if rng.random() < 0.2:
        path = rng.choice(m.tree.folders)
        st = os.lstat(full(m, path))
        if not stat.S_ISDIR(st.st_mode):
            raise Wrong("%r is no directory" % path)
        return path
    f = any_file(m, rng)
    st = os.lstat(full(m, f.path))
    if not stat.S_ISREG(st.st_mode) or int(st.st_mtime) != f.mtime or \
            st.st_mode & 0o777 != 0o444:
        raise Wrong("stat of %r: %r" % (f.path, st))
    if not m.is_remote and st.st_size != len(f.data):
        raise (OSError if st.st_size > len(f.data) else
               Wrong)(errno.EIO, "stat of %r: %d bytes, not %d" % (
                   f.path, st.st_size, len(f.data)))
    return f.path


def check_names(m, path, got):
    want = m.tree.dirs[path]
    if got != want:
        raise Wrong("names in %r: missing %r, not expected %r" % (
            path, sorted(set(want) - set(got))[:5],
            sorted(k for k in got if got[k] != want.get(k))[:5]))


def op_list(c, m, rng):
    path = rng.choice(m.tree.folders)
    with os.scandir(full(m, path) if path else os.fsencode(m.where)) as it:
        got = {e.name: e.is_dir(follow_symlinks=False) for e in it}
    check_names(m, path, got)
    return path


def op_absent(c, m, rng):
    folder = rng.choice(m.tree.folders)
    name = b"no-such-%x" % rng.randrange(1 << 40)
    path = folder + b"/" + name if folder else name
    try:
        os.lstat(full(m, path))
    except FileNotFoundError:
        return path
    raise Wrong("%r is there" % path)


def op_write(c, m, rng):
    f = any_file(m, rng)
    path = full(m, f.path)
    try:
        rng.choice((lambda: os.open(path, os.O_WRONLY),
                    lambda: os.truncate(path, 0), lambda: os.unlink(path),
                    lambda: os.rename(path, path + b"x"),
                    lambda: os.mkdir(path + b"-new"),
                    lambda: os.chmod(path, 0o777)))()
    except OSError as e:
        if e.errno != errno.EROFS:
            raise
        return f.path
    raise Wrong("%r was written to" % f.path)


def op_sendfile(c, m, rng):
    f = any_file(m, rng)
    fd = open_checked(m, f)
    out = os.memfd_create("out")
    try:
        forget_pages(fd, rng)
        while os.sendfile(out, fd, None, 1 << 20):
            pass
        same_whole(m, f, os.pread(out, os.fstat(out).st_size, 0))
    finally:
        os.close(out)
        os.close(fd)
    return f.path


def op_xattr(c, m, rng):
    if "xattr" not in m.options:
        return op_stat(c, m, rng)
    f = rng.choice(m.tree.files)
    got = os.getxattr(full(m, f.path), b"user.xdg.origin.url")
    if got != f.capture.url:
        raise Wrong("URL of %r: %r" % (f.path, got))
    got = os.getxattr(full(m, f.path), b"user.crawlfs.timestamp")
    if got.decode() != f.capture.timestamp:
        raise Wrong("timestamp of %r: %r" % (f.path, got))
    return f.path


def op_stats(c, m, rng):
    with open(full(m, b".crawlfs/stats"), "rb") as src:
        json.loads(src.read())
    return b".crawlfs/stats"


# ---- in processes of their own ----

def in_child(work):
    """Runs work() in a child; its exit status: 0 right, 1 wrong, 2 an error.
    A signal is a negative one."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        work()
        code = 0
    except OSError:
        code = 2
    except Wrong as e:
        sys.stderr.write("%s\n" % e)
    finally:
        os._exit(code)


def op_mmap(c, m, rng):
    """A page that cannot be had is SIGBUS, so a child looks."""
    f = any_file(m, rng)

    def work():
        fd = open_checked(m, f)
        forget_pages(fd, rng)
        if f.data:
            with mmap.mmap(fd, len(f.data), prot=mmap.PROT_READ) as p:
                same_whole(m, f, bytes(p))

    pid = in_child(work)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code in (2, -signal.SIGBUS):
        raise OSError(errno.EIO, "mmap: status %d" % code)
    if code:
        raise Wrong("mmap of %r: status %d" % (f.path, code))
    return f.path


def op_kill(c, m, rng):
    """Readers that are killed at any moment leave nothing behind."""
    files = [any_file(m, rng) for _ in range(30)]

    def work():
        for f in files:
            fd = os.open(full(m, f.path), os.O_RDONLY)
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
            same(m, f, read_all(fd, 4096))
            os.close(fd)

    pid = in_child(work)
    time.sleep(rng.random() * 0.03)
    try:
        os.kill(pid, rng.choice((signal.SIGKILL, signal.SIGKILL,
                                 signal.SIGTERM)))
    except ProcessLookupError:
        pass
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code == 1:
        raise Wrong("a reader that was killed saw wrong bytes")
    if code == 2:
        raise OSError(errno.EIO, "a reader failed before it was killed")
    if code < 0:
        c.killed += 1
    return files[0].path


OPERATIONS = (
    (30, op_read), (22, op_pread), (10, op_held), (16, op_stat), (9, op_list),
    (5, op_absent), (1, op_write), (2, op_sendfile), (3, op_xattr),
    (0.3, op_stats), (0.25, op_mmap), (0.3, op_kill),
)
