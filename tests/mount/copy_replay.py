#!/usr/bin/env python3
# copy_replay.py - does pywb replay a copy as it replays its source?
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     copy_replay.py TEMPORARY FOLDER COPY   with the python that has pywb
import os
import subprocess
import sys

from gevent import monkey
monkey.patch_all()
from pywb.apps.frontendapp import FrontEndApp                  # noqa: E402
from werkzeug.test import Client                                # noqa: E402


def collection(folder, archives):
    """An app on an index of its own of these archives."""
    os.makedirs(folder)
    index = os.path.join(folder, "index.cdxj")
    subprocess.run([os.path.join(os.path.dirname(sys.executable),
                                 "cdx-indexer"), "--sort", "--cdxj", "-o",
                    index, *archives], check=True)
    path = os.path.join(folder, "config.yaml")
    with open(path, "w", encoding="utf-8") as f:
        f.write("collections:\n  all:\n    index: %s\n"
                "    archive_paths: %s/\n" % (
                    index, os.path.dirname(archives[0])))
    os.chdir(folder)
    return FrontEndApp(config_file=path), index


def main(temporary, source, copy):
    archives = sorted(os.path.join(source, n) for n in os.listdir(source))
    one, index = collection(os.path.join(temporary, "of-source"), archives)
    two, _ = collection(os.path.join(temporary, "of-copy"), [copy])
    one, two = Client(one), Client(two)
    n = 0
    for line in open(index, encoding="utf-8"):
        url = line.split('"url": "')[1].split('"')[0]
        path = "/all/%sid_/%s" % (line.split(" ")[1], url)
        a, b = (app.get(path, headers={"Accept-Encoding": "identity"})
                for app in (one, two))
        n += 1
        assert (a.status_code, a.data, a.headers.get("Content-Type")) == \
            (b.status_code, b.data, b.headers.get("Content-Type")), \
            (url, a.status_code, b.status_code, len(a.data), len(b.data))
        assert a.status_code == (404 if "other-status" in url else 200), \
            (url, a.status_code)
    assert n > 30, n
    print(n)


main(*sys.argv[1:])
