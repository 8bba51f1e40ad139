"""front.py - connections of the checks to crawlfs serve, or to what stands in
front of it with TLS and a password.

A URL of https has the name and the password in it, and is reached on this
machine whatever host it names; FRONT_CA in the environment is the certificate
that this host must show.
SPDX-License-Identifier: GPL-3.0-or-later
"""
import base64
import http.client
import os
import socket
import ssl
from urllib.parse import urlsplit


class FrontConnection(http.client.HTTPSConnection):
    def connect(self):
        plain = socket.create_connection(("127.0.0.1", self.port),
                                         self.timeout)
        context = ssl.create_default_context(cafile=os.environ["FRONT_CA"])
        self.sock = context.wrap_socket(plain, server_hostname=self.host)


def connect(url):
    """A connection, and the fields that each of its requests needs."""
    at = urlsplit(url)
    if at.scheme != "https":
        return http.client.HTTPConnection(at.hostname, at.port,
                                          timeout=120), {}
    fields = {}
    if at.username:
        word = "%s:%s" % (at.username, at.password)
        fields["Authorization"] = "Basic " + base64.b64encode(
            word.encode()).decode()
    return FrontConnection(at.hostname, at.port, timeout=120), fields


def ask_for(host, path):
    """A connection on which a file was asked for."""
    s = socket.create_connection(host.rsplit(":", 1), timeout=20)
    s.sendall(b"GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n" % path.encode())
    return s
