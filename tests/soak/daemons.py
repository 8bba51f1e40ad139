#!/usr/bin/env python3
# daemons.py - the mounts of the soak test and the servers behind them.
# SPDX-License-Identifier: GPL-3.0-or-later
"""Daemons, servers, and what the processes of the test share."""

import ctypes
import json
import mmap
import os
import re
import signal
import struct
import subprocess
import threading
import time
import urllib.parse
import urllib.request

WAIT_SECONDS = 180      # for an event that must come
STEP = 0.02
KEEP_FILES = 64         # open files that a daemon may have gained
TIMEOUT = 4             # seconds, of mounts through a server
PATIENCE = TIMEOUT / 3  # of one request without a byte


class Stuck(Exception):
    """An event that must come does not."""


def wait_for(what, done, seconds=WAIT_SECONDS):
    end = time.monotonic() + seconds
    while not done():
        if time.monotonic() > end:
            raise Stuck("waited in vain: " + what)
        time.sleep(STEP)


def shared(kind, *shape):
    """An array that forked processes share, all 0; rows where it has two
    dimensions.  Each cell has one writer."""
    cell = kind * shape[-1]
    whole = cell * shape[0] if len(shape) == 2 else cell
    return whole.from_buffer(mmap.mmap(-1, ctypes.sizeof(whole)))


class Board:
    """What the controller of faults and the workers tell each other.

    epoch[m]    odd while a fault may make operations on mount m fail
    gate[m]     1: no new operation on m begins
    reset[m]    grows when files held open on m are to be closed
    fault[m]    which one, by its number; flips[m]: has it sent wrong bytes?
    changed[m]  grows when an object of m is another: files held open may stay
                stale
    at[w]       the mount worker w works on, + 1; since[w]: from when on
    acked[w][m] the reset[m] that worker w has obeyed
    ops[w][m]   operations that worker w has done on m
    heard       when faultd answered last (Witness); silent: from when to when
                it was silent last
    """

    def __init__(self, workers, mounts):
        i, d = ctypes.c_int64, ctypes.c_double
        self.epoch, self.gate = shared(i, mounts), shared(i, mounts)
        self.flips, self.fault = shared(i, mounts), shared(i, mounts)
        self.reset, self.changed = shared(i, mounts), shared(i, mounts)
        self.at, self.since = shared(i, workers), shared(d, workers)
        self.seq = shared(i, workers)
        self.acked, self.ops = shared(i, workers, mounts), \
            shared(i, workers, mounts)
        self.stop = shared(i, 1)
        self.heard, self.silent = shared(d, 1), shared(d, 2)
        self.wrong = shared(i, workers)
        self.workers = range(workers)

    def done_on(self, m):
        return sum(self.ops[w][m] for w in self.workers)

    def done(self):
        return sum(sum(row) for row in self.ops)

    def close_gate(self, m):
        """Ends with no worker on m."""
        self.gate[m] = 1
        wait_for("workers leave mount %d" % m,
                 lambda: all(self.at[w] != m + 1 for w in self.workers))

    def drop_held(self, m):
        self.reset[m] += 1
        want = self.reset[m]
        wait_for("files on mount %d are closed" % m, lambda: self.stop[0] or
                 all(self.acked[w][m] == want for w in self.workers))

    def was_silent(self, m, since):
        """Was the server of mount m silent from `since` on, or so shortly
        before that the mount may still take it to be down?  It asks again after
        pauses that are as long as those before together, and a second (E21)."""
        if not m.rule:
            return False
        begin, end = self.silent
        return time.monotonic() - self.heard[0] > PATIENCE or \
            since < 2 * end - begin + 1


# ---- mounts ----

def status_of(pid):
    out = {}
    try:
        with open("/proc/%d/status" % pid) as f:
            for line in f:
                name, _, value = line.partition(":")
                out[name] = value.split()
    except OSError:
        pass
    return out


class Figures:
    """Of a daemon: memory in KiB, open files, threads."""

    def __init__(self, pid):
        s = status_of(pid)
        self.peak = int(s.get("VmHWM", ["0"])[0])
        self.rss = int(s.get("VmRSS", ["0"])[0])
        self.threads = int(s.get("Threads", ["0"])[0])
        try:
            self.files = len(os.listdir("/proc/%d/fd" % pid))
        except OSError:
            self.files = 0


class Mount:
    """One mount and its daemon.

    options     after -o; source: as crawlfs takes it
    folder      of archives that local faults may damage, or None
    cache       its cache folder; is_small: a tmpfs that can be filled
    rule        what faultd knows its objects by, or None
    control     of crawlfs-soak, or None
    """

    def __init__(self, name, top, tree, source, options="", **more):
        self.name, self.top, self.tree = name, top, tree
        self.source, self.options = source, options
        self.where = os.path.join(top, "at", name)
        self.cache = os.path.join(top, "cache-" + name)
        self.log = os.path.join(top, name + ".log")
        self.folder = self.rule = self.nginx = self.control = self.www = None
        self.is_small = self.is_remote = False
        self.program = "crawlfs"
        self.__dict__.update(more)
        self.peak = self.lives = 0
        self.first = self.last = None
        self.process = None
        self.number = self.board = None

    def saw_flips(self):
        """Has a server sent it wrong bytes?  A cache may keep some that no
        checksum covers: those of the head of a gzip member."""
        return self.board.flips[self.number]

    def prepare(self):
        os.makedirs(self.where, exist_ok=True)
        os.makedirs(self.cache, exist_ok=True)
        if self.is_small:
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "none",
                            self.cache], check=True)
        if self.control:
            with open(self.control, "wb") as f:
                f.write(bytes(24))

    def start(self):
        env = dict(os.environ, XDG_CACHE_HOME=self.cache + "-home")
        if self.control:
            env["CRAWLFS_SOAK_CONTROL"] = self.control
        options = "cache=" + self.cache
        if self.options:
            options += "," + self.options
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [os.path.join(os.environ["CFS_BUILDDIR"],
                              "tests/soak/crawlfs-soak" if self.control
                              else "crawlfs"), "mount", "-f", "-o", options,
                 self.source, self.where], stdout=log, stderr=log, env=env,
                stdin=subprocess.DEVNULL, start_new_session=True)
        self.note()
        wait_for(self.name + " mounts", lambda: self.is_mounted() or
                 self.process.poll() is not None)
        if not self.is_mounted():
            raise Stuck("%s does not mount:\n%s" % (self.name, self.tail()))
        self.lives += 1

    def note(self):
        """So that tests/mount/lib.sh ends it, whatever happens here."""
        with open(os.path.join(self.top, "mounts", self.name), "w") as f:
            f.write("%d %s\n" % (self.process.pid, self.where))

    def is_mounted(self):
        with open("/proc/self/mounts", "rb") as f:
            return (" %s fuse" % self.where).encode() in f.read()

    def is_alive(self):
        return self.process is not None and self.process.poll() is None

    def tail(self):
        with open(self.log, "rb") as f:
            return os.fsdecode(f.read()[-4000:])

    def figures(self):
        f = Figures(self.process.pid)
        self.peak = max(self.peak, f.peak)
        return f

    def unmount(self):
        """The daemon must end by itself, with 0.  None, or what is wrong."""
        self.figures()
        subprocess.run(["umount", self.where], stderr=subprocess.DEVNULL)
        if self.is_mounted():
            subprocess.run(["umount", "-l", self.where],
                           stderr=subprocess.DEVNULL)
        if not self.has_ended():
            return "%s does not end:\n%s" % (self.name,
                                             stacks(self.process.pid))
        if self.process.returncode != 0:
            return "%s ended with %d:\n%s" % (
                self.name, self.process.returncode, self.tail())
        return None

    def has_ended(self):
        """Within the time that it may take.  A mount that another namespace
        has a copy of lives on there: then a signal must end its daemon."""
        for _ in range(10):
            try:
                wait_for(self.name + " ends", lambda: not self.is_alive(),
                         WAIT_SECONDS / 10)
                return True
            except Stuck:
                pid = foreign_namespace()
                if pid:
                    print("# %s may be mounted in the namespace of process %d"
                          % (self.name, pid), flush=True)
                    self.process.terminate()
        return False

    def kill(self):
        self.figures()
        self.process.kill()
        self.process.wait()

    def clear_dead(self):
        subprocess.run(["umount", "-l", self.where],
                       stderr=subprocess.DEVNULL)

    def stats(self):
        with open(os.path.join(self.where, ".crawlfs/stats")) as f:
            return json.load(f)

    def in_flight(self):
        def find(v):
            if isinstance(v, dict):
                return sum(x if k == "in_flight" and isinstance(x, int) else
                           find(x) for k, x in v.items())
            return sum(map(find, v)) if isinstance(v, list) else 0
        return find(self.stats())

    def servers_are_up(self):
        return all(s.get("state", "up") == "up" for s in
                   self.stats().get("servers", ()))

    def reports(self):
        """Lines of sanitizers in its log."""
        with open(self.log, "rb") as f:
            return re.findall(rb".*(?:Sanitizer|runtime error).*", f.read())

    def set_control(self, refuse_in=0, lie_in=0):
        with open(self.control, "r+b") as f:
            f.write(struct.pack("=II", refuse_in, lie_in))

    def counted(self):
        """(allocations refused, wrong replies) of crawlfs-soak."""
        with open(self.control, "rb") as f:
            return struct.unpack("=IIQQ", f.read(24))[2:]


def foreign_namespace():
    """A process with mounts of its own, or 0."""
    own = os.readlink("/proc/self/ns/mnt")
    for name in os.listdir("/proc"):
        try:
            if name.isdigit() and os.readlink("/proc/%s/exe" % name) and \
                    os.readlink("/proc/%s/ns/mnt" % name) != own:
                return int(name)
        except OSError:
            pass
    return 0


def stacks(pid):
    """The stacks of a process, where something here can show them."""
    for command in (["gdb", "-p", str(pid), "-batch", "-ex",
                     "thread apply all bt 30"], ["eu-stack", "-p", str(pid)]):
        try:
            r = subprocess.run(command, capture_output=True, timeout=120)
            return r.stdout.decode("utf-8", "replace")
        except (OSError, subprocess.TimeoutExpired):
            pass
    return "no gdb and no eu-stack: no stacks\n"


# ---- servers ----

def ctl(port, word, **words):
    url = "http://127.0.0.1:%d/_/%s?%s" % (port, word,
                                           urllib.parse.urlencode(words))
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    return opener.open(url, timeout=60).read().decode()


class Witness(threading.Thread):
    """Asks faultd, all the time, for what no fault concerns.  Where the machine
    stands still, or the server has to wait for its disk, that takes as long as
    for the mounts, and their reads fail as they should: faultd is one process of
    one thread."""

    def __init__(self, soak, port):
        super().__init__(daemon=True)
        self.soak, self.board, self.port = soak, soak.board, port
        self.times = 0
        self.board.heard[0] = float("inf")      # before it begins

    def run(self):
        heard = self.board.heard
        heard[0] = time.monotonic()
        while True:
            time.sleep(0.1)
            try:
                ctl(self.port, "stalls")
            except OSError:
                continue
            before, heard[0] = heard[0], time.monotonic()
            if heard[0] - before > PATIENCE:
                self.board.silent[:] = before, heard[0]
                self.times += 1
                self.soak.note("faultd was silent for %.1f s" % (
                    heard[0] - before))


class Nginx:
    """The server that tests/net/lib.sh has started."""

    def __init__(self, top, name, port):
        self.dir, self.port = os.path.join(top, "nginx-" + name), port
        self.note = os.path.join(top, "servers", name)
        self.command = ["nginx", "-c", self.dir + "/conf", "-e",
                        self.dir + "/error.log"]
        self.process = None

    def pids(self):
        with open(self.note) as f:
            master = int(f.read())
        with open("/proc/%d/task/%d/children" % (master, master)) as f:
            return [master] + [int(p) for p in f.read().split()]

    def send(self, which):
        for pid in self.pids():
            os.kill(pid, which)

    def stop(self):
        pids = self.pids()
        os.kill(pids[0], signal.SIGTERM)
        wait_for("nginx ends", lambda: not self.listens())
        if self.process is not None:
            self.process.wait()

    def start(self):
        with open(self.dir + "/log", "ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log,
                                            stderr=log)
        with open(self.note, "w") as f:
            f.write("%d\n" % self.process.pid)
        wait_for("nginx begins", self.listens)

    def listens(self):
        import socket
        try:
            socket.create_connection(("127.0.0.1", self.port), 5).close()
            return True
        except OSError:
            return False
