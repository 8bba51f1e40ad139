#!/usr/bin/env python3
"""wheel_check.py - a wheel of contrib/mkwheel: its tag, what it records, the
libraries in it, their licences, and that its program runs.

    wheel_check.py FILE.whl FOLDER      which it is unpacked in

SPDX-License-Identifier: GPL-3.0-or-later
"""
import base64
import csv
import glob
import hashlib
import os
import re
import subprocess
import sys
import zipfile

SYSTEM = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0",
          "librt.so.1", "libresolv.so.2", "ld-linux-x86-64.so.2",
          "ld-linux-aarch64.so.1"}


def need(ok, what):
    if not ok:
        sys.exit("wheel_check: %s" % (what,))


def text_of(folder, name):
    with open(os.path.join(folder, name), "rb") as f:
        return f.read()


def check_record(folder, info):
    rows = list(csv.reader(text_of(info, "RECORD").decode().splitlines()))
    named = {row[0] for row in rows}
    there = {os.path.relpath(os.path.join(at, name), folder)
             for at, _, names in os.walk(folder) for name in names}
    need(named == there, "RECORD: %s" % sorted(named ^ there)[:4])
    for name, digest, size in rows:
        data = text_of(folder, name)
        wanted = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
        need(name.endswith("/RECORD") or (digest, size) == (
            "sha256=" + wanted.decode().rstrip("="), str(len(data))), name)


def check_programs(programs, libraries, tag):
    """The tag is that of the newest glibc that is asked for, and all that is
    loaded is in the wheel."""
    newest = (0, 0)
    for path in programs:
        told = subprocess.run(["objdump", "-p", path], text=True, check=True,
                              stdout=subprocess.PIPE).stdout
        newest = max([newest] + [(int(a), int(b)) for a, b in re.findall(
            r"GLIBC_(\d+)\.(\d+)", told)])
        loads = set(re.findall(r"NEEDED +(\S+)", told))
        need(loads <= libraries | SYSTEM, (path, loads - libraries - SYSTEM))
        paths = re.findall(r"(?:RPATH|RUNPATH) +(\S+)", told)
        need(paths == ([] if "/lib/crawlfs/" in path else
                       ["$ORIGIN/../lib/crawlfs"]), (path, paths))
    need("manylinux_%d_%d_" % newest in tag, (tag, newest))


def check_licences(info, libraries):
    """Each library has a row, the copyright file of its package, and the
    licences that this refers to."""
    texts = {name: text_of(info + "/licenses", name)
             for name in os.listdir(info + "/licenses")}
    rows = [line.split() for line in texts["LIBRARIES"].decode().splitlines()]
    need({row[0] for row in rows[1:]} == libraries, "LIBRARIES")
    for _, package, version, _ in rows[1:]:
        need(version and texts.get(package + ".copyright") == text_of(
            "/usr/share/doc/" + package, "copyright"), package)
    for name, text in texts.items():
        for other in re.findall(rb"common-licenses/([A-Z]+-[0-9.]*[0-9])", text):
            need(other.decode() in texts, (name, other))
    need(b"GNU GENERAL PUBLIC LICENSE" in texts["COPYING"], "COPYING")


def main(wheel, folder):
    tag = os.path.basename(wheel)[:-len(".whl")].split("-", 2)[2]
    with zipfile.ZipFile(wheel) as z:
        z.extractall(folder)
    info, = glob.glob(folder + "/*.dist-info")
    data, = glob.glob(folder + "/*.data")
    need("Tag: %s\n" % tag in text_of(info, "WHEEL").decode(), tag)
    check_record(folder, info)
    libraries = set(os.listdir(data + "/data/lib/crawlfs"))
    # as pip puts them
    os.rename(data + "/scripts", data + "/data/bin")
    programs = glob.glob(data + "/data/lib/crawlfs/*") + [
        path for path in glob.glob(data + "/data/bin/*") +
        glob.glob(data + "/data/libexec/*")
        if text_of(".", path)[:4] == b"\x7fELF"]
    check_programs(programs, libraries, tag)
    check_licences(info, libraries)
    program = data + "/data/bin/crawlfs"
    os.chmod(program, 0o755)
    told = subprocess.run([program, "version"], stdout=subprocess.PIPE,
                          check=True, text=True).stdout
    need("Version: " + told.split()[1] + "\n" in text_of(
        info, "METADATA").decode(), told)


if __name__ == "__main__":
    main(*sys.argv[1:])
