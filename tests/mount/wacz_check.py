#!/usr/bin/env python3
# wacz_check.py - what the lists of pages in a WACZ say, against .meta.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     wacz_check.py FILE MOUNT      prints how many views show a page's id or
#                                   title, and what is wrong
"""Compares the member `wacz` of metadata views with pages/*.jsonl."""

import datetime
import io
import json
import os
import sys
import zipfile


def moment(text):
    text = text.replace("Z", "+00:00")
    return int(datetime.datetime.fromisoformat(text).timestamp())


def pages_of(f):
    """{URL: [page]} of a WACZ, or of those in it."""
    out = {}
    with zipfile.ZipFile(f) as z:
        for name in z.namelist():
            if name.endswith(".wacz"):
                for url, pages in pages_of(io.BytesIO(z.read(name))).items():
                    out.setdefault(url, []).extend(pages)
            if not name.startswith("pages/") or not name.endswith(".jsonl"):
                continue
            for line in z.read(name).decode("utf-8", "replace").splitlines():
                page = json.loads(line)
                if "url" in page and ("id" in page or "title" in page):
                    out.setdefault(page["url"].split("#")[0], []).append(page)
    return out


def main(path, mount):
    pages = pages_of(path)
    shown = faults = 0
    for folder, _, names in os.walk(mount):
        for name in names:
            if not name.endswith(".meta"):
                continue
            view = os.path.join(folder, name)
            with open(view, "rb") as f:
                text = f.read()
            meta = json.loads(text)
            info = meta["crawlfs"]
            when = int(datetime.datetime.strptime(
                info["timestamp"] + "+0000", "%Y%m%d%H%M%S%z").timestamp())
            want = min(pages.get(info["url"], []), default=None,
                       key=lambda p: abs(moment(p["ts"]) - when))
            if want is not None:
                want = {k: want[k] for k in ("id", "title", "ts")
                        if want.get(k)}
                shown += 1
            if meta.get("wacz") != want or os.stat(view).st_size != len(text):
                faults += 1
                print("%s: %r, not %r" % (view, meta.get("wacz"), want))
    print("%d shown, %d faults" % (shown, faults))
    return 1 if faults else 0


sys.exit(main(*sys.argv[1:]))
