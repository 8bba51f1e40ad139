#!/usr/bin/env python3
# litmus_front.py - lets litmus(1) test a server that cannot be written to.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     litmus_front.py URL          prints its own URL, and serves until killed
#
# litmus begins by making a folder, and tests nothing if it cannot.  Here the
# folder "litmus" can be made and deleted, in name only: it is the root of the
# tree that URL has at /dav/.  Everything else is passed on.
import http.client
import http.server
import socketserver
import sys
import urllib.parse

BEHIND = urllib.parse.urlsplit(sys.argv[1]).netloc


class Front(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, headers=(), body=b""):
        self.send_response(status)
        for name, value in headers:
            if name.lower() not in ("content-length", "transfer-encoding",
                                    "connection", "date", "server"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(b"" if self.command == "HEAD" else body)

    def handle_any(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        folder = self.path.rstrip("/") == "/dav/litmus"
        if folder and self.command in ("MKCOL", "DELETE"):
            return self.answer(201)
        con = http.client.HTTPConnection(BEHIND, timeout=60)
        headers = {k: v for k, v in self.headers.items()
                   if k.lower() not in ("host", "connection", "te")}
        con.request(self.command,
                    self.path.replace("/dav/litmus/", "/dav/", 1), body,
                    headers)
        r = con.getresponse()
        got = r.read().replace(b"<D:href>/dav/", b"<D:href>/dav/litmus/")
        return self.answer(r.status, r.getheaders(), got)

    def __getattr__(self, name):
        if name.startswith("do_"):
            return self.handle_any
        raise AttributeError(name)

    def log_message(self, *_):
        pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


with Server(("127.0.0.1", 0), Front) as server:
    print("http://127.0.0.1:%d/dav/" % server.server_port, flush=True)
    server.serve_forever()
