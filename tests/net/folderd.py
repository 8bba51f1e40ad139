#!/usr/bin/env python3
"""folderd.py - Python's own file server, which lists folders.

usage: folderd.py FOLDER [--ranges]

prints "port N"; a line a request goes to standard error: what was asked for,
and its Range.  --ranges: answers them, as the server of Python does not.
SPDX-License-Identifier: GPL-3.0-or-later
"""
import http.server
import os
import re
import sys


class Handler(http.server.SimpleHTTPRequestHandler):
    left = -1

    def log_message(self, format, *args):
        pass

    def log_request(self, code="-", size="-"):
        # at once: threads that print would mix their lines
        line = "%s %s\n" % (self.requestline, self.headers.get("Range"))
        os.write(2, line.encode())

    def send_head(self):
        m = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        path = self.translate_path(self.path)
        if "--ranges" not in sys.argv or not m or not os.path.isfile(path):
            return super().send_head()
        size = os.stat(path).st_size
        a, b = int(m.group(1)), min(int(m.group(2)), size - 1)
        f = open(path, "rb")
        f.seek(a)
        self.left = b + 1 - a
        self.send_response(206)
        self.send_header("Content-Length", str(self.left))
        self.send_header("Content-Range", "bytes %d-%d/%d" % (a, b, size))
        self.send_header("Last-Modified",
                         self.date_time_string(os.stat(path).st_mtime))
        self.end_headers()
        return f

    def copyfile(self, source, outputfile):
        outputfile.write(source.read(self.left))
        self.left = -1


os.chdir(sys.argv[1])
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print("port %d" % server.server_address[1], flush=True)
server.serve_forever()
