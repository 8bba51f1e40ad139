#!/usr/bin/env python3
# signals_check.py - runs the program under signals and limits.
# SPDX-License-Identifier: GPL-3.0-or-later
"""signals_check.py signal NAME TIMES PROGRAM ARGUMENT...
       runs it, "@" in the arguments being a URL at which a server accepts and
       never answers; once it has connected it gets the signal, TIMES times
   signals_check.py limit BYTES PROGRAM ARGUMENT...
       runs it with files limited to BYTES (ulimit -f), which "@" in the
       arguments stands for
   signals_check.py run PROGRAM ARGUMENT...
       runs it with no signal ignored, as a shell without job control has it

The first two print its status, negative if a signal killed it, and its lines of standard
error other than warnings."""
import os
import resource
import signal
import socket
import subprocess
import sys


def usual_signals():
    for sig in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(sig, signal.SIG_DFL)


def report(child, errors):
    print(child.returncode)
    for line in errors.decode().splitlines():
        if not line.startswith("crawlfs: warning: "):
            print(line)


def run(argv, before):
    return subprocess.Popen(argv, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            preexec_fn=before)


def with_signal(sig, times, argv):
    server = socket.socket()
    server.bind(("127.0.0.1", 0))
    server.listen(8)
    server.settimeout(100)
    url = "http://127.0.0.1:%d/x.warc.gz" % server.getsockname()[1]
    child = run([url if a == "@" else a for a in argv], usual_signals)
    held = server.accept()
    for _ in range(times):
        child.send_signal(sig)
    report(child, child.communicate(timeout=100)[1])
    held[0].close()


def with_limit(size, argv):
    def before():
        usual_signals()
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    child = run([a.replace("@", str(size)) for a in argv], before)
    report(child, child.communicate(timeout=100)[1])


if sys.argv[1] == "signal":
    with_signal(getattr(signal, "SIG" + sys.argv[2]), int(sys.argv[3]),
                sys.argv[4:])
elif sys.argv[1] == "run":
    usual_signals()
    os.execv(sys.argv[2], sys.argv[2:])
else:
    with_limit(int(sys.argv[2]), sys.argv[3:])
