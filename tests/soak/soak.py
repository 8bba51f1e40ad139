#!/usr/bin/env python3
# soak.py - the driver of the soak test; soak.sh starts it.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     soak.py --top FOLDER --port PORT --nginx NAME:PORT [--seed N]
#             [--operations N] [--minutes M] [--workers N] ...
#
# Workers do random operations on all mounts (operations.py, tools.py) and
# compare every byte with the model (world.py), while each mount has faults of
# its own, one after the other (faults.py).  Operation SEQ of worker W is made
# by the seed, W and SEQ alone: --only W/SEQ does that one on sound mounts.
#
# FOLDER/soak/ has worker-W.log (one line an operation: SEQ, kind, mount, path,
# result), faults.log and violations.log.  Exit status 1 after any violation: a
# wrong byte, name or size; an error that no fault explains; a fault whose
# effects do not end; a daemon that ends, hangs, leaks files or threads; a
# sanitizer's report.
"""The soak test."""

import argparse
import ctypes
import errno
import gc
import os
import random
import signal
import subprocess
import sys
import threading
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import daemons                                                  # noqa: E402
import faults                                                   # noqa: E402
import operations                                               # noqa: E402
import tools                                                    # noqa: E402
import world                                                    # noqa: E402
from daemons import Mount, Stuck                                # noqa: E402

LOG_BYTES = 30 << 20            # of a worker's log, then it begins again
TOOL_SHARE = 0.004              # of operations that are whole programs
OPS = [f for _, f in operations.OPERATIONS]
WEIGHTS = [w for w, _ in operations.OPERATIONS]
KINDS = OPS + list(tools.TOOLS)


# ---- workers ----

class Worker:
    """Also the context of its operations."""

    def __init__(self, soak, number):
        self.soak, self.number, self.board = soak, number, soak.board
        self.mounts, self.held = soak.mounts, {}
        self.scratch = os.path.join(soak.dir, "scratch-%d" % number)
        os.makedirs(self.scratch, exist_ok=True)
        self.stale = self.killed = self.silent = 0
        self.log = None

    def open_log(self):
        self.log = open(os.path.join(self.soak.dir, "worker-%d.log" %
                                     self.number), "w", errors="backslashreplace")

    def write(self, seq, kind, m, what, result):
        if self.log.tell() > LOG_BYTES:
            self.log.close()
            os.replace(self.log.name, self.log.name + ".old")
            self.open_log()
        self.log.write("%d %s %s %r %s\n" % (seq, kind, m.name, what, result))

    def choose(self, seq):
        """What operation `seq` is: mount, function, random numbers."""
        rng = random.Random("%s/%d/%d" % (self.soak.args.seed, self.number,
                                          seq))
        m = self.mounts[rng.randrange(len(self.mounts))]
        if rng.random() < self.soak.args.tools:
            return m, rng.choice(tools.TOOLS), rng
        return m, rng.choices(OPS, WEIGHTS)[0], rng

    def close_held(self, m):
        for _, fd, _ in self.held.pop(m.number, ()):
            os.close(fd)
        self.board.acked[self.number][m.number] = self.board.reset[m.number]

    def obey(self):
        row = self.board.acked[self.number]
        for m in self.mounts:
            if row[m.number] != self.board.reset[m.number]:
                self.close_held(m)

    def one(self, seq):
        m, op, rng = self.choose(seq)
        b, w, n = self.board, self.number, m.number
        b.seq[w], b.since[w] = seq, time.monotonic()
        b.at[w] = n + 1
        if b.gate[n]:
            b.at[w] = 0
            return False
        epoch, fault = b.epoch[n], b.fault[n]
        m.about, result = None, "ok"
        try:
            m.about = op(self, m, rng)
        except OSError as e:
            result = self.failure(m, e, epoch, fault)
        except Exception as e:
            result = "VIOLATION: %s: %s" % (type(e).__name__, e)
            if not isinstance(e, world.Wrong):
                result += "\n" + traceback.format_exc()
        b.at[w] = 0
        b.ops[w][n] += 1
        self.soak.kinds[w][KINDS.index(op)] += 1
        self.write(seq, op.__name__, m, m.about, result)
        if result.startswith("VIOLATION"):
            b.wrong[w] += 1
            self.log.flush()
            self.soak.violation("worker %d/%d: %s of %r on %s: %s (fault: %s)" % (
                w, seq, op.__name__, m.about, m.name, result,
                faults.KINDS[b.fault[n]].name if epoch % 2 else "none"))
        return True

    def failure(self, m, e, epoch, fault):
        """Of an operation: is there a fault to explain it?"""
        b, n = self.board, m.number
        name = errno.errorcode.get(e.errno, str(e.errno))
        if epoch % 2 == 0 and b.epoch[n] == epoch:
            if self.soak.is_silence(m, e, b.since[self.number]):
                self.silent += 1
                return name
            return "VIOLATION: unexpected %s: %s" % (name, e)
        if epoch % 2 == 0:
            fault = b.fault[n]
        if e.errno not in faults.KINDS[fault].allowed:
            return "VIOLATION: %s, not an error of '%s': %s" % (
                name, faults.KINDS[fault].name, e)
        self.soak.allowed[self.number][fault] += 1
        return name

    def run(self):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        self.open_log()
        seq = 0
        while not self.board.stop[0]:
            seq += 1
            self.obey()
            if not self.one(seq):
                time.sleep(0.001)
        for m in self.mounts:
            self.close_held(m)
        self.log.close()
        self.soak.extra[self.number][0] = self.stale
        self.soak.extra[self.number][1] = self.killed
        self.soak.extra[self.number][2] = self.silent


# ---- the whole ----

class Soak:
    def __init__(self, args):
        self.args, self.ending = args, False
        self.dir = os.path.join(args.top, "soak")
        os.makedirs(self.dir, exist_ok=True)
        os.makedirs(os.path.join(args.top, "mounts"), exist_ok=True)
        self.lock = threading.Lock()
        self.bad, self.faulted = 0, {}
        self.begin = time.monotonic()
        self.faults_log = open(os.path.join(self.dir, "faults.log"), "w")
        self.mounts, self.for_model = [], None

    def note(self, text):
        with self.lock:
            self.faults_log.write("%.2f %d operations: %s\n" % (
                time.monotonic() - self.begin, self.board.done(), text))
            self.faults_log.flush()

    def violation(self, text):
        """From any process or thread."""
        line = "VIOLATION at %.2f s: %s\n" % (time.monotonic() - self.begin,
                                             text)
        fd = os.open(os.path.join(self.dir, "violations.log"),
                     os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        os.write(fd, line.encode("utf-8", "backslashreplace"))
        os.close(fd)
        sys.stdout.write(line[:2000])
        sys.stdout.flush()
        self.bad += 1

    def count_fault(self, kind):
        with self.lock:
            self.faulted[kind] = self.faulted.get(kind, 0) + 1

    # ---- what must be right ----

    def can_read(self, m, rng):
        f = rng.choice(m.tree.files)
        try:
            fd = os.open(operations.full(m, f.path), os.O_RDONLY)
            try:
                os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
                operations.read_all(fd, 65536)
            finally:
                os.close(fd)
        except OSError:
            return False
        return True

    def read_now(self, m, f):
        fd = operations.open_checked(m, f)
        try:
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
            operations.same_whole(m, f, operations.read_all(fd, 65536))
        finally:
            os.close(fd)

    def is_silence(self, m, e, since):
        """Did a read fail since its server was silent by itself?"""
        return e.errno in faults.ALLOWED and self.board.was_silent(m, since)

    def is_right(self, m, rng, after, every=False):
        """Files of each archive and some folders, or all, without mercy."""
        by, since = {}, time.monotonic()
        for f in m.tree.files:
            by.setdefault((f.capture.member, f.capture.archive), []).append(f)
        try:
            for files in by.values():
                for f in files if every else rng.sample(files,
                                                        min(4, len(files))):
                    what = f.path
                    self.read_now(m, f)
            folders = m.tree.folders if every else \
                rng.sample(m.tree.folders, min(5, len(m.tree.folders)))
            for what in folders:
                where = operations.full(m, what) if what else \
                    os.fsencode(m.where)
                with os.scandir(where) as it:
                    operations.check_names(m, what, {
                        e.name: e.is_dir(follow_symlinks=False) for e in it})
            return True
        except (OSError, world.Wrong) as e:
            if isinstance(e, OSError) and self.is_silence(m, e, since):
                daemons.wait_for(m.name + ": its server is up",
                                 m.servers_are_up)
                return self.is_right(m, rng, after, every)
            self.violation("%s: after '%s' is over: %r: %s: %s" % (
                m.name, after, what, type(e).__name__, e))
            return False

    # ---- the mounts ----

    def add(self, m):
        if self.args.mounts and m.name not in self.args.mounts.split(","):
            return m
        m.number = len(self.mounts)
        m.failed = self.violation
        self.mounts.append(m)
        m.prepare()
        m.start()
        return m

    def make_mounts(self):
        a, top = self.args, self.args.top
        data = lambda name: os.path.join(top, "data", name)     # noqa: E731
        whole = world.tree_of([data("a") + "/manifest.tsv"])
        both = world.tree_of([data("a") + "/manifest.tsv",
                              data("b") + "/manifest.tsv"])
        local = dict(has_index=True, keeps=False, folder_is_source=False)
        # the model has no body for a revisit without its original
        mem = "absent=empty,mem=%s," % a.mem

        def crawl(name, source, options="", tree=whole, **more):
            return self.add(Mount(name, top, tree, source, mem + options,
                                  **dict(local, **more)))

        cfx = crawl("cfx", data("cfx") + "/crawl.cfx", "xattr",
                    folder=data("cfx"))
        world.learn(whole, self.started(cfx).where)
        crawl("folder", data("folder"), folder=data("folder"),
              folder_is_source=True)
        union = crawl("union", "%s/a/crawl.cfx,%s/b/crawl.cfx" % (
            data("union"), data("union")), tree=both, folder=data("union"))
        if union.process:
            world.learn(both, union.where)
        if not a.mounts or "part" in a.mounts.split(","):
            self.add_part(crawl, data, whole)
        far = dict(is_remote=True, keeps=True, port=a.port)
        url = "http://127.0.0.1:%d/" % a.port
        timeout = "timeout=%d" % daemons.TIMEOUT
        far_options = timeout + ",cache_size=3m"
        crawl("far", url + "far/crawl.cfx", far_options,
              rule="^/far/", www=data("www/far"), **far)
        crawl("small", url + "small/crawl.cfx", far_options,
              rule="^/small/", is_small=True, **far)
        crawl("data", data("cfx2") + "/crawl.cfx",
              timeout + ",cache_size=0,data=%sdata" % url, rule="^/data/",
              **dict(far, keeps=False))
        self.add_nginx(crawl, data, far_options)
        crawl("memory", data("memory") + "/crawl.cfx", folder=data("memory"),
              control=os.path.join(top, "control-memory"))
        crawl("memory-far", url + "memory/crawl.cfx",
              far_options, rule="^/memory/",
              control=os.path.join(top, "control-memory-far"), **far)

    def started(self, m):
        """A mount that is not among those asked for, for the model alone."""
        if not m.process:
            m.prepare()
            m.start()
            self.for_model = m
        return m

    def add_part(self, crawl, data, whole):
        """The pieces of a crawl are the whole; the second of them stays."""
        parts, seen = [], []
        for k in (1, 2):
            m = Mount("part-%d" % k, self.args.top, whole,
                      data("part") + "/crawl.cfx", "part=%d/2" % k)
            m.prepare()
            m.start()
            seen.append(world.names_below(m.where))
            parts.append(m)
        for m in parts:
            m.unmount()
        files = [{p for p in s if p in whole.at} for s in seen]
        if files[0] & files[1] or files[0] | files[1] != \
                {f.path for f in whole.files}:
            self.violation("the pieces are not the whole")
        # captures of a piece are not counted, and sizes of .headers then are
        # estimates unless they are asked for
        crawl("part", data("part") + "/crawl.cfx", "part=2/2,size=exact",
              tree=whole.piece(seen[1]), folder=data("part"))

    def add_nginx(self, crawl, data, options):
        if not self.args.nginx:
            return
        name, _, port = self.args.nginx.partition(":")
        server = daemons.Nginx(self.args.top, name, int(port))
        crawl("nginx", self.args.nginx_url + "/nginx/crawl.cfx",
              options, nginx=server, www=data("www/nginx"),
              is_remote=True, keeps=True, is_small=True)

    # ---- running ----

    def prepare(self):
        self.board = None
        self.make_mounts()
        if self.for_model:
            self.for_model.unmount()
        n, k = self.args.workers, len(self.mounts)
        self.board = daemons.Board(n, k)
        self.kinds = daemons.shared(ctypes.c_int64, n, len(KINDS))
        self.allowed = daemons.shared(ctypes.c_int64, n, len(faults.KINDS))
        self.extra = daemons.shared(ctypes.c_int64, n, 3)
        for m in self.mounts:
            m.board = self.board
        self.lie()
        self.witness = daemons.Witness(self, self.args.port)
        rng = random.Random("%s/begin" % self.args.seed)
        for m in self.mounts:
            self.is_right(m, rng, "the beginning", every=not m.is_remote and
                          not self.args.lie)
            m.first = m.figures()
        if self.args.lie == "hang":
            self.mounts[0].process.send_signal(signal.SIGSTOP)

    def silence(self):
        """faultd stops for longer than a mount waits for it."""
        with open(os.path.join(self.args.top, "servers/faultd")) as f:
            pid = int(f.read())
        daemons.wait_for("operations", self.board.done)
        os.kill(pid, signal.SIGSTOP)
        time.sleep(daemons.TIMEOUT + 2)
        os.kill(pid, signal.SIGCONT)

    def lie(self):
        """So that the test of the test sees violations."""
        if self.args.lie == "model":
            rng = random.Random(self.args.seed)
            f = rng.choice([f for f in self.mounts[0].tree.files if f.data])
            f.data = f.data[:-1] + bytes([f.data[-1] ^ 1])
        elif self.args.lie == "daemon":
            for m in self.mounts:
                m.set_control(lie_in=200)
        elif self.args.lie == "error":
            for d, _, files in os.walk(self.mounts[0].folder):
                for name in files:
                    if name.endswith(".gz"):
                        os.truncate(os.path.join(d, name), 3000)

    def start_workers(self):
        gc.freeze()
        self.children = []
        for w in range(self.args.workers):
            pid = os.fork()
            if pid == 0:
                code = 1
                try:
                    Worker(self, w).run()
                    code = 0
                except BaseException:
                    self.violation("worker %d: %s" % (w,
                                                      traceback.format_exc()))
                finally:
                    os._exit(code)
            self.children.append(pid)

    def start_faults(self):
        out = []
        for m in self.mounts:
            c = faults.Controller(self, m)
            t = threading.Thread(target=c.run, daemon=True)
            t.start()
            out.append(t)
        return out

    def hanging(self):
        """Operations that take longer than they may."""
        now = time.monotonic()
        for w in self.board.workers:
            if self.board.at[w] and now - self.board.since[w] > \
                    self.args.watchdog:
                m = self.mounts[self.board.at[w] - 1]
                yield w, m

    def is_over(self):
        a = self.args
        if any(self.board.wrong[w] for w in self.board.workers) and \
                not a.keep_going:
            return True
        return self.board.done() >= a.operations or \
            time.monotonic() - self.begin > a.minutes * 60 or self.ending

    def watch(self):
        shown = time.monotonic()
        while not self.is_over():
            time.sleep(0.2)
            for w, m in self.hanging():
                self.violation("%s: operation %d/%d hangs:\n%s" % (
                    m.name, w, self.board.seq[w],
                    daemons.stacks(m.process.pid)))
                m.process.kill()        # lets the worker go
                self.ending = True
            if time.monotonic() - shown > self.args.progress:
                shown = time.monotonic()
                print("# %d s: %d operations, %d faults, %d violations" % (
                    shown - self.begin, self.board.done(),
                    sum(self.faulted.values()), self.bad +
                    sum(self.board.wrong)), flush=True)

    def finish(self, controllers):
        """The last faults end, then the workers, then all is compared."""
        self.ending = True
        for m, t in zip(self.mounts, controllers):
            t.join(daemons.WAIT_SECONDS + 60)
            if t.is_alive():
                self.violation("%s: a fault does not end" % m.name)
                m.process.kill()
        self.board.stop[0] = 1
        for pid in self.children:
            if os.waitpid(pid, 0)[1] != 0:
                self.violation("a worker failed")
        rng = random.Random("%s/end" % self.args.seed)
        for m in self.mounts:
            if not m.is_alive():
                self.violation("%s: its daemon has ended:\n%s" % (m.name,
                                                                  m.tail()))
                m.clear_dead()
                continue
            self.is_right(m, rng, "the end", every=not m.is_remote)
            m.last = m.figures()
            self.check_figures(m)
            wrong = m.unmount()
            if wrong:
                self.violation(wrong)
            for line in m.reports():
                self.violation("%s: %s" % (m.name, os.fsdecode(line)))

    def check_figures(self, m):
        archives = len({f.capture.archive for f in m.tree.files})
        if m.last.files > m.first.files + archives + daemons.KEEP_FILES:
            self.violation("%s: %d open files, %d at first" % (
                m.name, m.last.files, m.first.files))
        if m.last.threads > m.first.threads + 32:
            self.violation("%s: %d threads, %d at first" % (
                m.name, m.last.threads, m.first.threads))
        if self.args.rss and m.peak > self.args.rss << 10:
            self.violation("%s: %d KiB of memory" % (m.name, m.peak))

    # ---- figures ----

    def rows(self, names, *columns):
        """Those that are not 0, and the names of the others."""
        none = []
        for name, *values in zip(names, *columns):
            if any(values):
                print("%-32s" % name + "".join(" %10d" % v for v in values))
            else:
                none.append(name)
        if none:
            print("none: " + ", ".join(none))

    def table(self):
        took = time.monotonic() - self.begin
        w = self.board.workers
        done = self.board.done()
        sums = lambda rows: [sum(c) for c in zip(*rows)]        # noqa: E731
        stale, killed, silent = sums(self.extra)
        print("\n%-32s %10s" % ("operation", "done"))
        self.rows([op.__name__.replace("_", " ", 1) for op in KINDS] +
                  ["readers killed"], sums(self.kinds) + [killed])
        print("\n%-32s %10s %10s" % ("fault", "times", "failures"))
        self.rows([k.name for k in faults.KINDS] + ["faultd was silent"],
                  [self.faulted.get(k, 0) for k in faults.KINDS] +
                  [self.witness.times],
                  sums(self.allowed) + [silent])
        refused = [m for m in self.mounts if m.control]
        self.rows([m.name + ": allocations refused" for m in refused],
                  [m.counted()[0] for m in refused])
        self.table_of_daemons()
        print("\nseed %s, %d workers, %.1f minutes, %d operations (%.0f a "
              "second), %d faults, %d failures allowed, %d stale files" % (
                  self.args.seed, len(w), took / 60, done, done / took,
                  sum(self.faulted.values()), sum(sums(self.allowed)), stale))

    def table_of_daemons(self):
        print("\n%-14s %5s %12s %15s %15s" % ("daemon", "lives", "peak MiB",
                                              "files", "threads"))
        for m in self.mounts:
            if m.first and m.last:
                print("%-14s %5d %12.1f %7d -> %4d %7d -> %4d" % (
                    m.name, m.lives, m.peak / 1024, m.first.files,
                    m.last.files, m.first.threads, m.last.threads))

    def run(self):
        self.prepare()
        if self.args.only:
            return self.run_only()
        self.begin = time.monotonic()
        self.start_workers()
        self.witness.start()
        if self.args.lie == "silent":
            threading.Thread(target=self.silence, daemon=True).start()
        controllers = self.start_faults() if self.args.faults else []
        self.watch()
        self.finish(controllers)
        self.table()
        bad = self.bad + sum(self.board.wrong)
        print("%d violations" % bad)
        return 1 if bad else 0

    def run_only(self):
        w, _, seq = self.args.only.partition("/")
        worker = Worker(self, int(w))
        worker.number = 0
        worker.open_log()
        worker.choose = Worker(self, int(w)).choose
        worker.one(int(seq))
        worker.log.close()
        with open(worker.log.name) as f:
            print(f.read())
        for m in self.mounts:
            worker.close_held(m)
            m.unmount()
        return 1 if sum(self.board.wrong) else 0


def span(text):
    low, _, high = text.partition("-")
    return int(low), int(high)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--top", required=True)
    p.add_argument("--port", type=int, required=True)
    p.add_argument("--nginx", default="")
    p.add_argument("--nginx-url", default="")
    p.add_argument("--seed", default="1")
    p.add_argument("--operations", type=int, default=1000000)
    p.add_argument("--minutes", type=float, default=1e9)
    p.add_argument("--workers", type=int, default=4)
    p.add_argument("--tools", type=float, default=TOOL_SHARE)
    p.add_argument("--mem", default="1m")
    p.add_argument("--quiet", type=span, default=(20, 500),
                   help="operations on a mount between faults")
    p.add_argument("--faulty", type=span, default=(20, 400),
                   help="operations during one")
    p.add_argument("--fault-seconds", type=float, default=8)
    p.add_argument("--watchdog", type=float, default=300)
    p.add_argument("--progress", type=float, default=60)
    p.add_argument("--rss", type=int, default=0, help="MiB a daemon may have")
    p.add_argument("--no-faults", dest="faults", action="store_false")
    p.add_argument("--keep-going", action="store_true")
    p.add_argument("--mounts", default="", help="only these, A,B,C")
    p.add_argument("--just", default="", help="only faults of this name")
    p.add_argument("--without", default="", help="no faults of this name")
    p.add_argument("--lie", choices=("model", "daemon", "error", "hang",
                                       "silent"))
    p.add_argument("--only")
    sys.exit(Soak(p.parse_args()).run())


if __name__ == "__main__":
    main()
