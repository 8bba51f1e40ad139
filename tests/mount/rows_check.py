#!/usr/bin/env python3
# rows_check.py - checks rows of crawlfs export; makes archives for them.
#
#     rows_check.py order ROWS SORTED   SORTED has the rows of ROWS, in the order of
#                                       archives and of places in them
#     rows_check.py even WHOLE PART...  the parts together are the whole, and have
#                                       equal numbers of rows, but for one
#     rows_check.py damage FROM TO      copies an archive of members with one of them
#                                       damaged, and prints where that one begins
#     rows_check.py place ROWS OFFSET   one row has an error, at that offset
#     rows_check.py serve FOLDER BYTES FILE   a server of files that stops sending in
#                                       the middle, behind so many bytes of a file;
#                                       FILE gets its port
#     rows_check.py last ROWS           the last row, and no other, has an error
# SPDX-License-Identifier: GPL-3.0-or-later
import http.server
import json
import os
import re
import sys
import threading
import zlib


def lines(path):
    with open(path, "rb") as f:
        return f.read().splitlines()


def order(rows, in_order):
    a, b = lines(rows), lines(in_order)
    assert sorted(a) == sorted(b) and b
    places = [(r["archive"], r["offset"]) for r in map(json.loads, b)]
    assert places == sorted(places)


def even(whole, *parts):
    every = [lines(p) for p in parts]
    assert sum(every, []) == lines(whole)
    sizes = [len(p) for p in every]
    print(sizes)
    assert min(sizes) > 3 and max(sizes) - min(sizes) <= 1


def members(data):
    at = 0
    while at < len(data):
        z = zlib.decompressobj(31)
        z.decompress(data[at:])
        n = len(data) - at - len(z.unused_data)
        yield at, n
        at += n


def damage(path, to):
    with open(path, "rb") as f:
        data = bytearray(f.read())
    all_members = list(members(bytes(data)))
    at, n = [m for m in all_members[len(all_members) // 2:] if m[1] > 2000][0]
    data[at + n // 2:at + n // 2 + 64] = b"\xff" * 64
    with open(to, "wb") as f:
        f.write(data)
    print(at)


def place(rows, offset):
    wrong = [r for r in map(json.loads, lines(rows)) if "error" in r]
    print(wrong)
    assert [r["offset"] for r in wrong] == [int(offset)]
    assert wrong[0]["archive"].endswith("x.warc.gz") and "url" not in wrong[0]


def last(rows):
    wrong = ["error" in r for r in map(json.loads, lines(rows))]
    assert wrong[-1] and not any(wrong[:-1]), wrong


class Stalls(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    folder, limit = "", 0

    def log_message(self, *_):
        pass

    def handle(self):
        try:
            super().handle()
        except OSError:                 # the client has given up
            pass

    def do_GET(self):
        try:
            with open(self.folder + self.path, "rb") as f:
                data = f.read()
        except OSError:
            self.send_error(404)
            return
        asked = re.match(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        first, end = 0, len(data)
        if asked:
            first = int(asked[1])
            end = min(end, int(asked[2]) + 1) if asked[2] else end
            self.send_response(206)
            self.send_header("Content-Range", "bytes %d-%d/%d" % (
                first, end - 1, len(data)))
        else:
            self.send_response(200)
        self.send_header("ETag", '"1"')
        self.send_header("Content-Length", str(end - first))
        self.end_headers()
        self.wfile.write(data[first:max(first, min(end, self.limit))])
        self.wfile.flush()
        if end > self.limit:
            threading.Event().wait()


def serve(folder, limit, port):
    Stalls.folder, Stalls.limit = folder, int(limit)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Stalls)
    server.daemon_threads = True
    with open(port + ".tmp", "w") as f:
        f.write(str(server.server_port))
    os.rename(port + ".tmp", port)
    server.serve_forever()


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
