#!/bin/sh
# address_space_test.sh - with little address space (ulimit -v) single files fail,
# and the mount goes on.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

grep -q 'enable-sanitizers' "$CFS_BUILDDIR/config.status" 2>/dev/null &&
	"$CFS_BUILDDIR/config.status" --config | grep -q enable-sanitizers &&
	skip_all "sanitizers take all of the address space"
cat >"$T/check.py" <<'END'
import errno
import gzip
import os
import resource
import subprocess
import sys
import time

crawlfs, top, limits = sys.argv[1], sys.argv[2], int(sys.argv[3])
point = top + "/m"
# no charset is declared: all detectors are asked
words = ("Прекрасный день, сказал он, и пошёл домой. ", "Ελληνικά κείμενα. ")
charsets = ("windows-1251", "koi8-r", "iso-8859-5", "iso-8859-7")
bodies = []


def make():
    with open(top + "/a.warc.gz", "wb") as out:
        for i in range(64):
            charset = charsets[i % 4]
            body = (words[charset == "iso-8859-7"] * (i % 7 + 1)).encode(
                charset, "replace") + b"%d\n" % i
            head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
            bodies.append(body)
            out.write(gzip.compress(
                b"WARC/1.0\r\nWARC-Type: response\r\n"
                b"WARC-Date: 2024-02-20T21:14:37Z\r\n"
                b"Content-Type: application/http\r\nContent-Length: %d\r\n"
                b"WARC-Target-URI: http://h.example/%d\r\n\r\n%s%s\r\n\r\n" %
                (len(head + body), i, head, body), mtime=0))
    subprocess.run([crawlfs, "index", "-q", "--format=cdxj", "--base=" + top,
                    "-o", top + "/a.cdxj", top + "/a.warc.gz"], check=True)


def stands():
    with open("/proc/mounts") as f:
        return any(line.split()[1] == point for line in f)


def mount(kib):
    def limit():
        if kib:
            resource.setrlimit(resource.RLIMIT_AS, (kib << 10, kib << 10))
    p = subprocess.Popen([crawlfs, "mount", "-qf", "-o", "cache_size=0,data=" +
                          top, top + "/a.cdxj", point], preexec_fn=limit)
    while not stands() and p.poll() is None:
        time.sleep(0.02)
    return p


def read_all():
    """How many files could not be read."""
    failed = 0
    for i, body in enumerate(bodies):
        for view in ("", ".txt", ".meta"):
            try:
                with open(point + "/example/h/_/%d%s" % (i, view), "rb") as f:
                    got = f.read()
                assert view or got == body, (i, got)
            except OSError as x:
                assert x.errno in (errno.ENOMEM, errno.EIO), x
                failed += 1
    return failed


def end(p):
    subprocess.run(["umount", "-l", point], stderr=subprocess.DEVNULL)
    p.wait()


def main():
    make()
    p = mount(0)
    read_all()
    with open("/proc/%d/status" % p.pid) as f:
        most = next(int(s.split()[1]) for s in f if s.startswith("VmPeak"))
    end(p)
    least = most // 16
    while most - least > 1000:	# with which it can be mounted
        kib = (least + most) // 2
        p = mount(kib)
        least, most = (kib, most) if p.returncode else (least, kib)
        end(p)
    bad = failures = 0
    for kib in range(most, most + 1000 * limits, 1000):
        p = mount(kib)
        if p.returncode is not None:
            continue
        failed = read_all()
        failures += failed
        time.sleep(0.05)
        if p.poll() is not None:
            print("%d KiB: ended with %s" % (kib, p.returncode))
            bad += 1
        end(p)
    print("%d files could not be read" % failures)
    sys.exit(bad > 0)


main()
END
mkdir "$T/m"
# Holds L15.
try "the mount goes on" python3 "$T/check.py" "$crawlfs" "$T" 16
cat "$T/case.log"
finish
