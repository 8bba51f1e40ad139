#!/usr/bin/env python3
# callers.py - asks a mount of its own, as one of several kinds of callers.
# SPDX-License-Identifier: GPL-3.0-or-later
"""callers.py CRAWLFS SOURCE FOLDER PAGE BODY exact|estimated CALLER

Mounts SOURCE on FOLDER, and does statfs, getattr, open and read of PAGE there, whose
bytes are those of the file BODY, as CALLER does.  What is not answered is named after
a minute; then the process that serves is ended, which frees its callers.  Exits with
77 if CALLER cannot be had here.
"""
import ctypes
import os
import platform
import select
import shutil
import signal
import subprocess
import sys
import time

import passfd

SECONDS = 60		# which no answer takes
NOBODY = 65534
PR_SET_DUMPABLE = 4
PASSED = ["setpriv"]	# a descriptor is passed to an ordinary user
NO_PROC = 'umount -l /proc; exec "$@"'
FAN_REPORT_FID, FAN_MARK_ADD, FAN_OPEN, AT_FDCWD = 0x200, 1, 0x20, -100
USTAT = {"x86_64": 136}.get(platform.machine())
libc = ctypes.CDLL(None, use_errno=True)

# who asks: (how crawlfs is started, options, how the caller is started)
CALLERS = {
    "root": ([], "", []),
    "another user": ([], "allow_other", []),
    "amid signals": ([], "", []),
    "outside the PID namespace": (
        ["unshare", "-p", "--fork", "--kill-child"], "", []),
    "in a PID namespace": ([], "", ["unshare", "-p", "--fork"]),
    "of crawlfs without CAP_SYS_PTRACE": (
        ["setpriv", "--bounding-set", "-sys_ptrace"], "", []),
    "of crawlfs without /proc": (
        ["unshare", "-m", "sh", "-c", NO_PROC, "sh"], "", ["nsenter", "-m"]),
    "not dumpable": (PASSED, "", []),
    "root, of a user's mount": (PASSED, "", []),
    "overlay": ([], "", []),
    "fanotify": ([], "", []),
    "ustat": ([], "", []),
}


# ---- the caller, a process of its own: a line for each thing that was answered


def note(what):
    print(what, flush=True)


def become(who):
    if who in ("another user", "not dumpable"):
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    if who == "not dumpable":
        libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    if who == "amid signals":
        signal.signal(signal.SIGALRM, lambda *_: None)
        signal.siginterrupt(signal.SIGALRM, False)
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)


def lay_over(folder):
    """An overlay over the mount, beside it: its folder."""
    base = folder + ".over"
    for d in ("u", "w", "o"):
        os.makedirs(base + "/" + d, exist_ok=True)
    if subprocess.run(
            ["mount", "-i", "-t", "overlay", "-o",
             "lowerdir=%s,upperdir=%s/u,workdir=%s/w" % (folder, base, base),
             "none", base + "/o"]).returncode != 0:
        sys.exit(77)
    return base + "/o"


def statfs(who, folder):
    """statfs(2) itself, or what else makes the kernel send STATFS."""
    if who == "fanotify":
        fd = libc.fanotify_init(FAN_REPORT_FID, 0)
        if fd < 0:
            sys.exit(77)
        libc.fanotify_mark(fd, FAN_MARK_ADD, ctypes.c_uint64(FAN_OPEN),
                           AT_FDCWD, folder.encode())
    elif who == "ustat":
        if USTAT is None:
            sys.exit(77)
        libc.syscall(USTAT, os.stat(folder).st_dev,
                     ctypes.create_string_buffer(64))
    for _ in range(200 if who == "amid signals" else 1):
        assert os.statvfs(".").f_namemax == 255
    signal.setitimer(signal.ITIMER_REAL, 0)


def ask(who, folder, page, body, sizes):
    os.chdir(folder)
    if who == "overlay":
        os.chdir(lay_over(folder))
    with open(body, "rb") as f:
        want = f.read()
    become(who)
    note("ready")
    statfs(who, folder)
    note("statfs")
    size = os.stat(page).st_size
    assert size == len(want) or sizes == "estimated", size
    note("getattr")
    fd = os.open(page, os.O_RDONLY)
    note("open")
    got = os.read(fd, len(want) + 1)
    assert got == want, (len(got), len(want))
    os.close(fd)
    note("read")
    os.chdir("/")
    if who == "overlay":
        assert subprocess.run(["umount", folder + ".over/o"]).returncode == 0


# ---- the mount ----


def serve(crawlfs, source, folder, who):
    before, options, _ = CALLERS[who]
    words = ["mount", "-f", "--log=stderr", "-o", "cache_size=0"]
    if options:
        words += ["-o", options]
    if before is not PASSED:
        return subprocess.Popen(before + [crawlfs, *words, source, folder])
    fd = os.open("/dev/fuse", os.O_RDWR)
    passfd.mount(fd, folder, "fd=N,rootmode=40000,user_id=0,group_id=0,"
                 "allow_other,default_permissions")
    p = subprocess.Popen([crawlfs, *words, source, "/dev/fd/%d" % fd],
                         pass_fds=[fd], preexec_fn=lambda: passfd.drop(NOBODY))
    os.close(fd)
    return p


def stands(p, folder):
    try:
        with open("/proc/%d/mounts" % p.pid) as f:
            return any(line.split()[1] == folder for line in f)
    except OSError:
        return False


def asked(command):
    """Runs the caller; what was not answered, or None."""
    left = ["ready", "statfs", "getattr", "open", "read", "the end"]
    p = subprocess.Popen(command, stdout=subprocess.PIPE)
    end = time.monotonic() + SECONDS
    while left and select.select([p.stdout], [], [],
                                 end - time.monotonic())[0]:
        word = os.read(p.stdout.fileno(), 4096).decode()
        if not word:
            if p.wait() == 77:
                sys.exit(77)
            return left[0] if left != ["the end"] or p.wait() else None
        for w in word.split():
            assert w == left.pop(0), w
    return left[0] + ", for a minute"


def main(crawlfs, source, folder, page, body, sizes, who):
    before, _, inside = CALLERS[who]
    for program in before[:1] + inside[:1]:
        if shutil.which(program) is None:
            sys.exit(77)
    p = serve(crawlfs, source, folder, who)
    while not stands(p, folder) and p.poll() is None:
        time.sleep(0.02)
    if p.poll() is not None:
        sys.exit(77)
    if inside[:1] == ["nsenter"]:
        inside = inside + ["-t", str(p.pid)]
    missing = asked(inside + [sys.executable, __file__, "ask", who, folder, page,
                              body, sizes])
    p.send_signal(signal.SIGKILL if missing else signal.SIGTERM)
    if inside[:1] != ["nsenter"]:	# unshare passes no signal on
        subprocess.run(["umount", "-l", folder], stderr=subprocess.DEVNULL)
    try:
        ended = p.wait(SECONDS)
    except subprocess.TimeoutExpired:
        p.kill()
        ended = "no end"
    subprocess.run(["umount", "-l", folder + ".over/o"],
                   stderr=subprocess.DEVNULL)
    if missing:
        sys.exit("not answered: " + missing)
    if ended != 0 and not before:	# else unshare's status, not ours
        sys.exit("the mount ended with %s" % ended)


if sys.argv[1] == "ask":
    ask(*sys.argv[2:])
else:
    main(*sys.argv[1:])
