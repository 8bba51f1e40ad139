#!/usr/bin/env python3
# hopd.py - an HTTP server of files on any address, which redirects, for tests.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     hopd.py ADDRESS FOLDER LOG [CERTIFICATE]
#
# Prints "port N" once it listens.  /to/URL (its bytes as they are) is redirected
# to URL, or to the URL of the file FOLDER/hop, if URL is "hop"; other paths are
# files below FOLDER, of which it serves ranges, as a proxy for all hosts too.  Each request is a line of LOG:
# "METHOD PATH HOST AUTHORIZATION", "-" for what it does not have.
import http.server
import os
import socket
import ssl
import sys
import urllib.parse

address, folder, log = sys.argv[1:4]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, fields, body):
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        with open(log, "a") as f:
            f.write("GET %s %s %s\n" % (
                self.path, self.headers.get("Host", "-"),
                self.headers.get("Authorization", "-")))
        path = self.path
        if path.startswith("http://"):		# it is a proxy
            path = "/" + path[7:].partition("/")[2]
        if path.startswith("/to/"):
            to = path[4:]
            if to == "hop":
                to = open(os.path.join(folder, "hop")).read().strip()
            return self.answer(302, [("Location", to)], b"")
        name = urllib.parse.unquote(path.split("?")[0]).lstrip("/")
        try:
            with open(os.path.join(folder, name), "rb") as f:
                body = f.read()
        except OSError:
            return self.answer(404, [], b"not here\n")
        first, _, last = self.headers["Range"][6:].partition("-")
        part = body[int(first):int(last) + 1]
        if not part:
            return self.answer(416, [("Content-Range",
                                      "bytes */%d" % len(body))], b"")
        self.answer(206, [("Content-Range", "bytes %s-%d/%d" % (
            first, int(first) + len(part) - 1, len(body)))], part)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    address_family = socket.AF_INET6 if ":" in address else socket.AF_INET


server = Server((address, 0), Handler)
if len(sys.argv) > 4:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[4])
    server.socket = context.wrap_socket(server.socket, server_side=True)
print("port", server.server_address[1], flush=True)
server.serve_forever()
