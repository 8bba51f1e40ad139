#!/bin/sh
# kills_test.sh - tasks of an index array, two attempts at one part at once, and
# its merge are killed at any instant, and started again: the index is the same.
# CFS_KILLS is how often (20).
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/mount/lib.sh"

kills=${CFS_KILLS:-20}
"$mkcrawl" --records 400 --page-bytes 2000 --archive-bytes 150000 "$T/crawl" \
	>"$T/made" || exit 1
"$crawlfs" index -q -o "$T/one.cfx" "$T/crawl" || exit 1
cat >"$T/kills.py" <<'END'
"""kills.py CRAWLFS FOLDER KILLS: until so many attempts were killed, builds
FOLDER/all.cfx of 8 parts, again and again, and compares each with one.cfx.

An instant is drawn over the time that an attempt takes when nobody kills it, so
that it may be anywhere in it, on any machine."""
import os
import random
import shutil
import signal
import subprocess
import sys
import time

crawlfs, top, kills = sys.argv[1], sys.argv[2], int(sys.argv[3])
parts, index = top + "/parts", top + "/all.cfx"
tasks = [["--part=%d/8" % k, "-o", parts, top + "/crawl"]
         for k in range(1, 9)] + [["-o", index, parts]]
draw = random.Random(11)
whole = open(top + "/one.cfx", "rb").read()
took = {}
killed = builds = 0


def start(task):
    return subprocess.Popen([crawlfs, "index", "-q"] + task)


def is_part(task):
    return task[0].startswith("--part")


def attempt(task):
    """One or two attempts at once; true if one of them has ended well."""
    global killed
    key = is_part(task)
    began = time.monotonic()
    running = [start(task) for _ in range(draw.choice((1, 1, 2)))]
    doomed = [p for p in running
              if killed < kills and key in took and draw.random() < 0.6]
    if doomed:
        time.sleep(draw.random() * took[key] * 1.1)
    for p in doomed:
        p.send_signal(signal.SIGKILL)
    ends = [p.wait() for p in running]
    killed += ends.count(-signal.SIGKILL)
    assert all(e in (0, -signal.SIGKILL) for e in ends), (task, ends)
    if not doomed and len(running) == 1:
        took[key] = time.monotonic() - began
    return 0 in ends


while killed < kills or builds < 2:
    shutil.rmtree(parts, ignore_errors=True)
    if os.path.exists(index):
        os.unlink(index)
    todo = tasks[:-1]
    draw.shuffle(todo)
    for task in todo + tasks[-1:]:
        while not attempt(task):
            if not is_part(task) and os.path.exists(index):
                assert open(index, "rb").read() == whole
            if os.path.exists(parts + "/_SUCCESS"):
                assert open(index, "rb").read() == whole
    assert open(index, "rb").read() == whole, "another index"
    left = [n for n in os.listdir(parts) if not n.startswith("part-0")]
    assert left == ["_SUCCESS"], left
    builds += 1
print("%d attempts killed in %d builds" % (killed, builds))
END
# Holds W6.
try "$kills kills" python3 "$T/kills.py" "$crawlfs" "$T" "$kills"
cat "$T/case.log"
finish
