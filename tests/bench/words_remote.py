#!/usr/bin/env python3
"""words_remote.py - what a search costs where index and list are on a server.

usage: words_remote.py CRAWLFS FOLDER INDEX RUNS [MS]

INDEX is the name of an index in FOLDER, with a list of words and its archives
beside it.  tests/net/faultd.py serves FOLDER and answers after MS (50).  Each
run has an empty cache.  Prints rows: query, pages found, requests, bytes
fetched, and the median seconds to the first line and to the end.
SPDX-License-Identifier: GPL-3.0-or-later
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time

import words_peers

FAULTD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "net",
                      "faultd.py")


def counts(port):
    """Requests and bytes since the last call."""
    line = subprocess.run([sys.executable, FAULTD, "ctl", port, "counts"],
                          check=True, stdout=subprocess.PIPE).stdout.split()
    return int(line[1]), int(line[3])


def search(crawlfs, port, index, options):
    with tempfile.TemporaryDirectory() as cache:
        counts(port)
        start = time.monotonic()
        p = subprocess.Popen([crawlfs, "grep", "--cache=" + cache, *options,
                              "http://127.0.0.1:%s/%s" % (port, index)],
                             stdout=subprocess.PIPE)
        n, first = 0, None
        for _ in p.stdout:
            first = first or time.monotonic() - start
            n += 1
        p.wait()
        whole = time.monotonic() - start
    return (n, *counts(port), first or whole, whole)


def main():
    crawlfs, folder, index, runs = sys.argv[1:5]
    delay = sys.argv[5] if len(sys.argv) > 5 else "50"
    texts = list(words_peers.rows_of(crawlfs, os.path.join(folder, index)))
    print("%d texts, %d bytes" % (len(texts), sum(map(len, texts))))
    server = subprocess.Popen([sys.executable, FAULTD, "serve", folder,
                               "--delay", delay], stdout=subprocess.PIPE)
    port = server.stdout.readline().split()[1].decode()
    try:
        for name, kind, words in words_peers.choose(texts):
            if kind == "expression" or len(words) > 1 and kind == "word":
                continue
            options = words_peers.options_of(kind, words)[0]
            all_runs = [search(crawlfs, port, index, options)
                        for _ in range(int(runs))]
            middle = [statistics.median(r[i] for r in all_runs)
                      for i in range(5)]
            print("%s\t%d\t%d\t%d\t%.2f\t%.2f" % (name, *middle), flush=True)
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
