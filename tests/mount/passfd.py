#!/usr/bin/env python3
# passfd.py - mounts, and has a program without any privilege serve the mount.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     passfd.py [--uid N] [--no-mount] [--file FILE] --options WORDS FOLDER
#             COMMAND...
#
# Opens /dev/fuse, mounts it on FOLDER (as mount.fuse does, fuse(4)) and runs
# COMMAND, in which the word FD stands for the number of the descriptor.  That
# is what a driver of Kubernetes' Container Storage Interface does: it has the
# privilege to mount, the program that serves has none.  COMMAND runs as user N
# without capabilities and without /dev/fuse.  Unmounts at its end; exits as it
# does.
#
#   --no-mount   passes a descriptor that nobody has mounted
#   --file FILE  passes FILE instead
#   --options    those of mount(2), in which fd=N is the descriptor
import argparse
import ctypes
import os
import subprocess
import sys

libc = ctypes.CDLL(None, use_errno=True)
MS_RDONLY, MS_NOSUID, MS_NODEV, MNT_DETACH = 1, 2, 4, 2
PR_SET_NO_NEW_PRIVS = 38


def mount(fd, folder, options):
    options = options.replace("fd=N", f"fd={fd}")
    if libc.mount(b"crawl", folder.encode(), b"fuse.crawlfs",
                  MS_RDONLY | MS_NOSUID | MS_NODEV, options.encode()) != 0:
        sys.exit("mount: " + os.strerror(ctypes.get_errno()))


def drop(uid):
    """In the child: another user, and no way back."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        os._exit(70)


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--uid", type=int)
    a.add_argument("--no-mount", action="store_true")
    a.add_argument("--file", default="/dev/fuse")
    a.add_argument("--options", required=True)
    a.add_argument("folder")
    a.add_argument("command", nargs=argparse.REMAINDER)
    o = a.parse_args()
    fd = os.open(o.file, os.O_RDWR)
    mounts = not o.no_mount and o.file == "/dev/fuse"
    if mounts:
        mount(fd, o.folder, o.options)
    command = [w.replace("FD", str(fd)) for w in o.command]
    child = subprocess.Popen(
        command, pass_fds=[fd],
        preexec_fn=None if o.uid is None else lambda: drop(o.uid))
    os.close(fd)
    status = child.wait()
    if mounts:
        libc.umount2(o.folder.encode(), MNT_DETACH)
    sys.exit(status if status >= 0 else 128 - status)


if __name__ == "__main__":
    main()
