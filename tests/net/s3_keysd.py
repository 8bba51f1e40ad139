#!/usr/bin/env python3
# s3_keysd.py - an S3 server that accepts some credentials, and the servers that
# give credentials out, for tests.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     s3_keysd.py FOLDER      prints "port N" once it listens on 127.0.0.1
#
# Objects are files below FOLDER/s3.  FOLDER/rules is JSON, read for each request:
#     accept    "KEY:SECRET" or "KEY:SECRET:TOKEN": signed by that, or refused
#     payer     what x-amz-request-payer must be: "requester", or "" for none
#     refusal   "STATUS CODE" of what is refused (403 InvalidAccessKeyId)
#     then      {NAME: TEXT}: what is written to FOLDER/NAME before a refusal is
#               answered; a NAME of "rules" replaces the rules
#     late_ms   before an answer of S3
#     pages     of a list of objects: {TOKEN: {"keys": {KEY: BYTES}, "next": TOKEN}},
#               the first one by the token ""
#     give      "KEY:SECRET:TOKEN" that the others give out
#     token     what a container must send as Authorization
#     busy      how many requests of the log a container answers with 503
#     ttl       seconds until what is given out ends (3600)
#     role      name of the instance's role; "": there is none
# FOLDER/log has a line for each request: "METHOD PATH WHO", WHO being the key of
# the signature or "-".
import datetime
import http.server
import json
import os
import re
import sys
import time
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import faultd  # noqa: E402

top = sys.argv[1]


def rules():
    with open(os.path.join(top, "rules")) as f:
        return json.load(f)


def given(r, token_name):
    key, secret, token = r["give"].split(":")
    end = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(
        seconds=r.get("ttl", 3600))
    return {"Code": "Success", "AccessKeyId": key, "SecretAccessKey": secret,
            token_name: token, "Expiration": end.strftime("%Y-%m-%dT%H:%M:%SZ")}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def out(self, status, body, head=()):
        m = re.search(r"Credential=([^/]+)/", self.headers.get("Authorization", ""))
        with open(os.path.join(top, "log"), "a") as f:
            f.write("%s %s %s\n" % (self.command, self.path,
                                    m.group(1) if m else "-"))
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        for name, value in head:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def refuse(self, status, code):
        self.out(status, ("<?xml version=\"1.0\"?><Error><Code>%s</Code><Message>"
                          "text of %s</Message></Error>" % (code, code)).encode())

    def refuse_and_change(self, r):
        for name, text in r.get("then", {}).items():
            if name == "rules":
                text = json.dumps(text)
            path = os.path.join(top, name)
            with open(path + ".new", "w") as f:
                f.write(text)
            os.rename(path + ".new", path)
        status, code = r.get("refusal", "403 InvalidAccessKeyId").split()
        self.refuse(int(status), code)

    def is_accepted(self, r):
        if "accept" not in r:
            return True
        key, secret, token = (r["accept"] + ":").split(":")[:3]
        fields = {k.lower(): v for k, v in self.headers.items()}
        return (faultd.is_signed(self.path, fields, key, secret) and
                self.headers.get("x-amz-security-token", "") == token)

    def do_GET(self):
        r = rules()
        if (self.path.startswith(("/container", "/latest/")) and
                "x-amz-request-payer" in self.headers):
            return self.out(400, b"{}")
        if self.path == "/container":
            if self.headers.get("Authorization", "") != r.get("token", ""):
                return self.out(401, b"{}")
            with open(os.path.join(top, "log")) as f:
                if len(f.readlines()) < r.get("busy", 0):
                    return self.out(503, b"{}")
            return self.out(200, json.dumps(given(r, "Token")).encode())
        if self.path.startswith("/latest/"):
            return self.metadata(r)
        time.sleep(r.get("late_ms", 0) / 1000)
        if not self.is_accepted(r):
            return self.refuse_and_change(r)
        if self.headers.get("x-amz-request-payer", "") != r.get("payer", ""):
            return self.refuse(403, "AccessDenied")
        query = dict(urllib.parse.parse_qsl(self.path.partition("?")[2]))
        if query.get("list-type") == "2":
            return self.list(r["pages"][query.get("continuation-token", "")])
        path = os.path.join(top, "s3") + urllib.parse.unquote(
            self.path.partition("?")[0])
        if not os.path.isfile(path):
            return self.refuse(404, "NoSuchKey")
        with open(path, "rb") as f:
            body = f.read()
        status, fields, part = faultd_part(body, self.headers.get("Range"))
        self.out(status, part, fields)

    def list(self, page):
        keys = "".join("<Contents><Key>%s</Key><Size>%d</Size><ETag>e</ETag></Contents>"
                       % (urllib.parse.quote(k), n) for k, n in page["keys"].items())
        more = "next" in page
        self.out(200, ("<ListBucketResult><EncodingType>url</EncodingType>%s"
                       "<IsTruncated>%s</IsTruncated>%s</ListBucketResult>" % (
                           keys, str(more).lower(),
                           "<NextContinuationToken>%s</NextContinuationToken>"
                           % page["next"] if more else "")).encode())

    def metadata(self, r):
        roles = "/latest/meta-data/iam/security-credentials/"
        if self.headers.get("X-aws-ec2-metadata-token") != "a-token==":
            return self.out(401, b"")
        if self.path == roles and r.get("role"):
            return self.out(200, (r["role"] + "\n").encode())
        if r.get("role") and self.path == roles + r["role"]:
            return self.out(200, json.dumps(given(r, "Token"), indent=2).encode())
        self.out(404, b"none")

    def do_PUT(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        ttl = self.headers.get("X-aws-ec2-metadata-token-ttl-seconds")
        if self.path != "/latest/api/token" or ttl is None:
            return self.out(400, b"")
        self.out(200, b"a-token==")

    def do_POST(self):
        form = dict(urllib.parse.parse_qsl(self.rfile.read(
            int(self.headers["Content-Length"])).decode()))
        r = rules()
        self.path += "?" + form["Action"]
        wanted = {k: v for k, v in r.get("form", {}).items() if form.get(k) != v}
        if wanted or form.get("Version") != "2011-06-15":
            return self.out(400, (
                '<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">'
                "<Error><Type>Sender</Type><Code>InvalidIdentityToken</Code>"
                "<Message>No %s</Message></Error></ErrorResponse>"
                % " ".join(wanted)).encode())
        g = given(r, "SessionToken")
        self.out(200, ("<%sResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/"
                       "\"><%sResult><Credentials>%s</Credentials></%sResult>"
                       "</%sResponse>" % ((form["Action"],) * 2 + ("".join(
                           "<%s>%s</%s>" % (k, v, k) for k, v in g.items()
                           if k != "Code"),) + (form["Action"],) * 2)).encode())


def faultd_part(body, text):
    rng = faultd.parse_range(text, len(body))
    if rng == "none":
        return 416, [("Content-Range", "bytes */%d" % len(body))], b""
    if rng is None:
        return 200, [("ETag", '"e"')], body
    a, b = rng
    return 206, [("ETag", '"e"'), ("Content-Range", "bytes %d-%d/%d" % (
        a, b, len(body)))], body[a:b + 1]


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print("port", server.server_address[1], flush=True)
server.serve_forever()
