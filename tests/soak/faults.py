#!/usr/bin/env python3
# faults.py - what goes wrong in the soak test, and is put right again.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A fault is a class with on() and off().  While it is on, and until
# its effects have ended, operations on its mount may fail, but may never show
# anything wrong.  Its effects have ended when, with no operation on the mount,
#
#     - no request of the daemon is under way any more, and it takes no server
#       to be down, which a probe has to tell it (E21; .crawlfs/stats says both),
#     - a page that the kernel has forgotten can be read, and
#     - the quarter of a second is over for which doc/semantics.md (E5) lets a
#       failure be repeated, or the half minute for which an object that a server
#       lacked is not asked for again (E58).
#
# From then on everything must be right, without a new mount.
"""Faults of archives, servers, caches, memory and processes."""

import errno
import os
import random
import shutil
import signal
import subprocess
import time

from daemons import ctl, wait_for

ALLOWED = {errno.EIO, errno.ETIMEDOUT}
MEMORY = {errno.ENOMEM}
DEAD = {errno.ENOTCONN, errno.ECONNABORTED, errno.ECONNREFUSED}


class Fault:
    allowed = ALLOWED
    name = None
    changes = False         # files held open may stay stale
    flips = False           # wrong bytes may be kept where no checksum is
    remounts = False
    remembered = 0.3        # seconds

    def __init__(self, m, rng):
        self.m, self.rng = m, rng

    def archives(self, top):
        return sorted(os.path.join(d, f) for d, _, files in os.walk(top)
                      for f in files if f.endswith(".gz"))


# ---- archives and indexes on disk ----

class FileFault(Fault):
    """Changes one file in place, and puts the bytes back."""
    what = ".gz"

    def folder(self):
        return self.m.folder or self.m.www

    def pick(self):
        files = sorted(os.path.join(d, f) for d, _, names in
                       os.walk(self.folder()) for f in names
                       if f.endswith(self.what))
        return self.rng.choice(files)

    def on(self):
        self.path = self.pick()
        self.stat = os.stat(self.path)
        with open(self.path, "rb") as f:
            self.bytes = f.read()
        self.harm()

    def off(self):
        with open(self.path, "r+b") as f:
            f.write(self.bytes)
            f.truncate()
        self.keep_time()

    def keep_time(self):
        os.utime(self.path, ns=(self.stat.st_atime_ns, self.stat.st_mtime_ns))


class Cut(FileFault):
    name = "archive truncated"

    def harm(self):
        os.truncate(self.path, self.rng.randrange(len(self.bytes)))
        self.keep_time()


class Damaged(FileFault):
    name = "archive damaged"
    flips = True

    def harm(self):
        with open(self.path, "r+b") as f:
            for _ in range(self.rng.randrange(1, 30)):
                at = self.rng.randrange(len(self.bytes))
                f.seek(at)
                f.write(bytes([self.bytes[at] ^ 1 << self.rng.randrange(8)]))
        self.keep_time()


class Gone(FileFault):
    name = "archive gone"

    def harm(self):
        os.rename(self.path, self.path + ".away")

    def off(self):
        os.rename(self.path + ".away", self.path)


class Swapped(Gone):
    name = "archive replaced"
    changes = True

    def harm(self):
        other = self.rng.choice([f for f in self.archives(self.folder())
                                 if f != self.path] or [self.path])
        shutil.copyfile(other, self.path + ".new")
        os.rename(self.path, self.path + ".away")
        os.rename(self.path + ".new", self.path)


class IndexDamaged(Damaged):
    name = "index damaged"
    what = ".cfx"


class IndexCut(Cut):
    name = "index truncated"
    what = ".cfx"


# ---- servers ----

class Rule(Fault):
    """faultd.py's faults, by their names."""
    kind, values = None, ("",)

    def on(self):
        match = self.m.rule
        if self.rng.random() < 0.5:
            match += r".*\.gz"
        self.match = match
        words = {"fault": self.kind, "match": match,
                 "value": self.rng.choice(self.values)}
        if self.rng.random() < 0.3:
            words["count"] = self.rng.randrange(1, 20)
        ctl(self.m.port, "rule", **words)

    def off(self):
        ctl(self.m.port, "drop", match=self.match)


def rule(kind, *values, **more):
    return type("Rule_" + kind.replace("-", "_"), (Rule,), dict(
        more, kind=kind, name="server: " + kind, values=values or ("",)))


RULES = [
    rule("stall"), rule("stall-body"), rule("reset"), rule("reset-body"),
    rule("truncate"), rule("slow", "2000", "30000"), rule("late", "300", "2500"),
    rule("status", "500", "503", "503,1", "429,1", "404", "403", "410", "416"),
    rule("whole"), rule("shift"), rule("lie"), rule("short"), rule("more"),
    rule("no-range"), rule("no-total"), rule("encoding", "gzip"),
    rule("garbage"), rule("long-head"),
    rule("flip", "200", "5000", "100000", flips=True),
    rule("etag", '"another"', changes=True), rule("grown", "1", changes=True),
]
# Bytes in place of a range are throttling (E59): the server then gets one request
# at a time, after a pause of at most a minute, which a timeout may not outlast.
for kind in RULES:
    if kind.name == "server: whole":
        kind.remembered = 60.5


class ServerStops(Fault):
    name = "server stalls"

    def on(self):
        self.m.nginx.send(signal.SIGSTOP)

    def off(self):
        self.m.nginx.send(signal.SIGCONT)


class ServerDown(Fault):
    name = "server down"

    def on(self):
        self.m.nginx.stop()

    def off(self):
        self.m.nginx.start()


class ObjectChanged(Swapped):
    name = "object changed"
    changes = True


class ObjectCut(Cut):
    name = "object truncated"
    changes = True


class ObjectGone(Gone):
    name = "object gone"
    remembered = 30.5


# ---- the cache folder ----

class CacheFull(Fault):
    name = "cache: disk full"

    def on(self):
        self.path = os.path.join(self.m.cache, "fill")
        with open(self.path, "wb", buffering=0) as f:
            try:
                while True:
                    f.write(bytes(1 << 16))
            except OSError:
                pass

    def off(self):
        os.unlink(self.path)


class CacheDamaged(Fault):
    name = "cache: files damaged"

    def segments(self):
        return sorted(os.path.join(d, f) for d, _, files in
                      os.walk(self.m.cache) for f in files if f != "fill")

    def on(self):
        for path in self.segments():
            try:
                with open(path, "r+b") as f:
                    size = f.seek(0, os.SEEK_END)
                    for _ in range(8 if size else 0):
                        f.seek(self.rng.randrange(size))
                        f.write(bytes([self.rng.randrange(256)]))
            except FileNotFoundError:
                pass

    def off(self):
        pass


class CacheCut(CacheDamaged):
    name = "cache: files truncated"

    def on(self):
        for path in self.segments():
            try:
                os.truncate(path, self.rng.randrange(
                    os.path.getsize(path) + 1))
            except FileNotFoundError:
                pass


class CacheRemoved(CacheDamaged):
    name = "cache: files removed"

    def on(self):
        for path in self.segments():
            if self.rng.random() < 0.7:
                try:
                    os.unlink(path)
                except FileNotFoundError:
                    pass


class CacheReadOnly(Fault):
    name = "cache: read-only"

    def on(self):
        subprocess.run(["mount", "-o", "remount,ro", self.m.cache],
                       stderr=subprocess.DEVNULL)

    def off(self):
        subprocess.run(["mount", "-o", "remount,rw", self.m.cache],
                       check=True)


# ---- memory and processes ----

class MemoryRefused(Fault):
    name = "memory refused"
    allowed = ALLOWED | MEMORY

    def on(self):
        self.m.set_control(self.rng.choice((3, 10, 50, 300, 3000)))

    def off(self):
        self.m.set_control(0)


class Frozen(Fault):
    """Readers wait; nothing fails for it."""
    name = "daemon stopped for a moment"
    allowed = set()

    def on(self):
        self.m.process.send_signal(signal.SIGSTOP)
        time.sleep(self.rng.random())
        self.m.process.send_signal(signal.SIGCONT)

    def off(self):
        pass


class Killed(Fault):
    """kill -9, and a new mount over what it leaves."""
    name = "daemon killed, mounted again"
    allowed = ALLOWED | DEAD
    remounts = True

    def on(self):
        self.m.kill()

    def off(self):
        self.m.clear_dead()
        self.m.start()


class Remounted(Fault):
    """In good order: nobody is there meanwhile, and the daemon ends with 0."""
    name = "mounted again"
    allowed = set()
    remounts = True

    def on(self):
        pass

    def off(self):
        wrong = self.m.unmount()
        if wrong:
            self.m.failed(wrong)
        self.m.start()


def faults_for(m):
    """The faults that can befall a mount, by what there is of it."""
    out = [Frozen, Killed, Remounted]
    if m.folder:
        out += [Cut, Damaged, Gone, Swapped] * 2 + [IndexDamaged, IndexCut] * \
            (m.has_index and not m.folder_is_source)
    if m.rule:
        out += RULES
    if m.nginx:
        out += [ServerStops, ServerDown] * 2
    if m.www:
        out += [ObjectChanged, ObjectCut, ObjectGone]
    if m.is_remote and m.keeps:
        out += [CacheDamaged, CacheCut, CacheRemoved]
    if m.is_small:
        out += [CacheFull, CacheFull, CacheReadOnly]
    if m.control:
        out += [MemoryRefused] * max(4, len(out) // 2)
    return out


# Each kind by a number, for the figures.
KINDS = [Cut, Damaged, Gone, Swapped, IndexDamaged, IndexCut] + RULES + [
    ServerStops, ServerDown, ObjectChanged, ObjectCut, ObjectGone, CacheFull,
    CacheDamaged, CacheCut, CacheRemoved, CacheReadOnly, MemoryRefused, Frozen,
    Killed, Remounted]


class Controller:
    """Faults of one mount, one after the other, in a thread of its own.  Which
    they are does not depend on how long one takes: each has random numbers of
    its own."""

    def __init__(self, soak, m):
        self.soak, self.m, self.rng, self.count = soak, m, None, 0
        self.board, self.n = soak.board, m.number
        a = soak.args
        self.kinds = [k for k in faults_for(m)
                      if a.just in k.name and not (a.without and
                                                   a.without in k.name)]

    def run(self):
        try:
            while self.kinds and not self.soak.ending:
                self.one()
        except Exception as e:
            self.soak.violation("%s: %s: %s" % (self.m.name,
                                                type(e).__name__, e))
            self.soak.ending = True

    def wait_ops(self, n, seconds):
        """Until so many more operations were done on the mount."""
        end, want = time.monotonic() + seconds, self.board.done_on(self.n) + n
        while not self.soak.ending and self.board.done_on(self.n) < want and \
                time.monotonic() < end:
            time.sleep(0.02)

    def one(self):
        a = self.soak.args
        self.count += 1
        self.rng = random.Random("%s/faults/%s/%d" % (a.seed, self.m.name,
                                                      self.count))
        self.wait_ops(self.rng.randrange(*a.quiet), 30)
        if self.soak.ending:
            return
        kind = self.rng.choice(self.kinds)
        fault = kind(self.m, self.rng)
        self.soak.note("%s: %s" % (self.m.name, kind.name))
        b = self.board
        b.fault[self.n] = KINDS.index(kind)
        b.epoch[self.n] += 1
        b.changed[self.n] += kind.changes
        b.flips[self.n] |= kind.flips
        fault.on()
        self.wait_ops(self.rng.randrange(*a.faulty), a.fault_seconds)
        self.end(kind, fault)

    def end(self, kind, fault):
        b, m = self.board, self.m
        if kind.remounts:
            self.board.close_gate(self.n)
            b.drop_held(self.n)
            fault.off()
        else:
            fault.off()
            self.board.close_gate(self.n)
        b.changed[self.n] += kind.changes
        if self.settle(kind) and self.soak.is_right(m, self.rng, kind.name):
            self.soak.count_fault(kind)
        b.epoch[self.n] += 1
        b.gate[self.n] = 0
        self.soak.note("%s: over: %s" % (m.name, kind.name))

    def settle(self, kind):
        """Until the effects have ended: False if they do not."""
        m = self.m
        wait_for("%s: no request under way" % m.name,
                 lambda: m.in_flight() == 0)
        wait_for("%s: a page can be read, and its servers are up" % m.name,
                 lambda: self.soak.can_read(m, self.rng) and
                 m.servers_are_up())
        wait_for("%s: no request under way" % m.name,
                 lambda: m.in_flight() == 0)
        time.sleep(kind.remembered)
        return True
