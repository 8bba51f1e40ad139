#!/usr/bin/env python3
# deadline.py - system calls at the same time, and how long each of them takes.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     deadline.py MOST CALL...
#
# CALL is [AFTER@]WHAT=PATH: after so many seconds does WHAT: stat, open, list
# (opendir and getdents), or read (open, then read from the beginning).  Prints a
# line a call in the order given, "WHAT RESULT SECONDS": an error's name or "ok"
# and the SHA-1 of what was read; how long the longest system call took.  Status
# 1 if that was more than MOST seconds, and as many more as this program itself
# was late meanwhile: a machine that is busy is no fault of the call's.
import errno
import hashlib
import os
import sys
import threading
import time


class Timer:
    longest = 0

    def call(self, f, *args):
        start = time.monotonic()
        try:
            return f(*args)
        finally:
            self.longest = max(self.longest, time.monotonic() - start)


class Lateness(threading.Thread):
    """By how much sleeps of 50 ms have lasted too long, all in all."""
    seconds, is_over = 0, False

    def run(self):
        while not self.is_over:
            start = time.monotonic()
            time.sleep(0.05)
            self.seconds += max(0, time.monotonic() - start - 0.06)


def read(timer, path):
    fd, digest = timer.call(os.open, path, os.O_RDONLY), hashlib.sha1()
    while True:
        data = timer.call(os.read, fd, 1 << 17)
        if not data:
            return " " + digest.hexdigest()
        digest.update(data)


def call(text, lines, i):
    what, _, path = text.partition("=")
    after, _, what = what.rpartition("@")
    time.sleep(float(after or 0))
    result, timer = "ok", Timer()
    try:
        if what == "read":
            result += read(timer, path)
        elif what == "open":
            timer.call(os.open, path, os.O_RDONLY)
        elif what == "list":
            timer.call(os.listdir, path)
        else:
            timer.call(os.stat, path)
    except OSError as e:
        result = errno.errorcode[e.errno]
    lines[i] = (what, result, timer.longest)


def main():
    most, calls = float(sys.argv[1]), sys.argv[2:]
    lines = [("?", "none", 1e9)] * len(calls)
    threads = [threading.Thread(target=call, args=(c, lines, i))
               for i, c in enumerate(calls)]
    late = Lateness()
    for t in threads + [late]:
        t.start()
    for t in threads:
        t.join()
    late.is_over = True
    late.join()
    for line in lines:
        print("%s %s %.3f" % line)
    sys.exit(max(line[2] for line in lines) > most + late.seconds)


main()
