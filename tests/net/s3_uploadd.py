#!/usr/bin/env python3
# s3_uploadd.py - an S3 server for uploads that takes nobody's word.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     s3_uploadd.py FOLDER [--region R] [--page N] [--opaque] [--no-list]
#                   [--terse] [--all-keys] [--payer] [--no-plus]
#
# prints "port N"; the key and the secret are UPLOADER / s3cr+t/k=y.  Objects
# are FOLDER/BUCKET/KEY, BUCKET exists if the folder does.  Checked are: the
# signature (version 4) of each request, the SHA-256 and the MD5 of its body,
# ETags, sizes and numbers of parts as they are put together.
#
#   --page N    parts, or objects, in one answer that lists them
#   --opaque    ETags are no MD5s, as with encrypted buckets
#   --no-list   parts cannot be listed
#   --terse     objects are listed without their ETags and times
#   --all-keys  all objects are listed, whichever prefix is asked for
#   --no-plus   identifiers of uploads have no plus sign
#   --payer     who asks must say that he pays (x-amz-request-payer: requester)
#
# FOLDER/_log has a line a request; faults are files in FOLDER:
#   _busy N     the next N requests that write get a 503
#   _gone N     after N more parts every connection is closed
#   _mute N     the next N completions happen, but nobody hears of it
#   _late N     the next N completions begin with 200 and fail
#   _spoil N    the next N parts arrive damaged
#   _stall N    the next N parts get no answer for a minute
"""An S3 server that checks uploads, independent of crawlfs."""

import argparse
import base64
import hashlib
import hmac
import http.server
import os
import re
import sys
import threading
import time
import urllib.parse
import xml.etree.ElementTree as ET

KEY, SECRET = "UPLOADER", "s3cr+t/k=y"
PART_MIN = 5 << 20
NS = "http://s3.amazonaws.com/doc/2006-03-01/"
LOCK = threading.RLock()


class Refused(Exception):
    def __init__(self, status, code, message=""):
        super().__init__(code)
        self.status, self.code, self.message = status, code, message


class Closed(Exception):
    pass


def quote(s, safe=""):
    return urllib.parse.quote(s, safe="-_.~" + safe)


def check_signature(h, opt, sha):
    m = re.fullmatch(r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d+)/([^/]+)/s3/"
                     r"aws4_request, ?SignedHeaders=([^,]+), ?Signature=(\w+)",
                     h.headers.get("Authorization", ""))
    if not m:
        raise Refused(403, "AccessDenied", "Anonymous")
    key, day, region, names, signature = m.groups()
    if key != KEY:
        raise Refused(403, "InvalidAccessKeyId")
    if region != opt.region:
        raise Refused(400, "AuthorizationHeaderMalformed",
                      "expecting '%s'" % opt.region)
    signed = names.split(";")
    if not {"host", "x-amz-date", "x-amz-content-sha256"} <= set(signed) or \
            any(f.lower().startswith("x-amz-") and f.lower() not in signed
                for f in h.headers):
        raise Refused(403, "AccessDenied", "unsigned headers")
    path, _, query = h.path.partition("?")
    pairs = urllib.parse.parse_qsl(query, keep_blank_values=True)
    canonical = "\n".join(
        [h.command, quote(urllib.parse.unquote(path), "/"),
         "&".join(sorted("%s=%s" % (quote(a), quote(b)) for a, b in pairs))] +
        ["%s:%s" % (n, " ".join(h.headers.get(n, "").split()))
         for n in signed] + ["", names, sha])
    scope = "%s/%s/s3/aws4_request" % (day, region)
    text = "\n".join(["AWS4-HMAC-SHA256", h.headers["x-amz-date"], scope,
                      hashlib.sha256(canonical.encode()).hexdigest()])
    k = ("AWS4" + SECRET).encode()
    for word in (day, region, "s3", "aws4_request"):
        k = hmac.new(k, word.encode(), hashlib.sha256).digest()
    if hmac.new(k, text.encode(), hashlib.sha256).hexdigest() != signature:
        raise Refused(403, "SignatureDoesNotMatch")


def take_fault(opt, name, only_look=False):
    """true while the counter in the file lasts"""
    path = os.path.join(opt.folder, "_" + name)
    with LOCK:
        try:
            with open(path, encoding="ascii") as f:
                n = int(f.read())
        except (OSError, ValueError):
            return False
        if n > 0 and not only_look:
            with open(path, "w", encoding="ascii") as f:
                f.write("%d\n" % (n - 1))
        return n > 0


class Upload:
    def __init__(self, path, meta):
        self.path, self.meta = path, meta
        self.parts = {}


UPLOADS = {}
ETAGS = {}
METAS = {}      # what the x-amz-meta- fields of an object's upload were


def etag_of(opt, data):
    md5 = hashlib.md5(data).hexdigest()
    return hashlib.md5(os.urandom(9)).hexdigest() if opt.opaque else md5


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    opt = None

    def log_message(self, format, *args):
        pass

    def say(self, status, body=b"", fields=()):
        # first, since who has the answer may read the log
        with LOCK, open(os.path.join(self.opt.folder, "_log"), "a",
                        encoding="latin-1") as f:
            f.write("%s %s %d\n" % (self.command, self.path, status))
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def say_xml(self, name, inner, status=200):
        self.say(status, ('<?xml version="1.0" encoding="UTF-8"?>\n'
                          '<%s xmlns="%s">%s</%s>' % (name, NS, inner, name)
                          ).encode(), [("Content-Type", "application/xml")])

    def handle_one(self):
        n = int(self.headers.get("Content-Length", "0"))
        body = self.rfile.read(n)
        try:
            self.serve(body)
        except Refused as e:
            more = ""
            if e.code == "AuthorizationHeaderMalformed":
                more = "<Region>%s</Region>" % self.opt.region
            self.say(e.status, ("<Error><Code>%s</Code><Message>%s</Message>%s"
                                "</Error>" % (e.code, e.message, more)).encode())
        except Closed:
            self.close_connection = True

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = handle_one

    def meta(self):
        return [(n, v) for n, v in self.headers.items()
                if n.lower().startswith("x-amz-meta-")]

    def serve(self, body):
        opt = self.opt
        gone = os.path.join(opt.folder, "_gone")
        if os.path.exists(gone) and not take_fault(opt, "gone", True):
            raise Closed
        if "partNumber" in self.path and take_fault(opt, "stall"):
            time.sleep(60)
            raise Closed
        sha = self.headers.get("x-amz-content-sha256", "")
        check_signature(self, opt, sha)
        if (self.headers.get("x-amz-request-payer", "") !=
                ("requester" if opt.payer else "")):
            raise Refused(403, "AccessDenied", "payer")
        if self.command not in ("GET", "HEAD") and take_fault(opt, "busy"):
            raise Refused(503, "SlowDown", "Please reduce your request rate.")
        if "partNumber" in self.path and take_fault(opt, "spoil"):
            body = body[:-1] + bytes([body[-1] ^ 1])
        if sha != "UNSIGNED-PAYLOAD" and \
                hashlib.sha256(body).hexdigest() != sha:
            raise Refused(400, "XAmzContentSHA256Mismatch")
        md5 = self.headers.get("Content-MD5")
        if md5 and base64.b64decode(md5) != hashlib.md5(body).digest():
            raise Refused(400, "BadDigest")
        path, _, query = self.path.partition("?")
        query = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
        path = urllib.parse.unquote(path)
        bucket = os.path.join(opt.folder, path.split("/")[1])
        if not os.path.isdir(bucket):
            raise Refused(404, "NoSuchBucket")
        if query.get("list-type") == "2" and path.count("/") == 2:
            return self.list_objects(bucket, query)
        full = opt.folder + path
        if "uploads" in query and self.command == "POST":
            return self.initiate(full)
        if "uploadId" in query:
            return self.multipart(full, query, body)
        if self.command == "PUT":
            self.store(full, body, etag_of(opt, body), self.meta())
            return self.say(200, b"", [("ETag", '"%s"' % ETAGS[full])])
        return self.get(full)

    def store(self, full, body, etag, meta):
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full + "~", "wb") as f:
            f.write(body)
        os.rename(full + "~", full)
        ETAGS[full], METAS[full] = etag, meta

    def get(self, full):
        if not os.path.isfile(full):
            raise Refused(404, "NoSuchKey")
        with open(full, "rb") as f:
            body = f.read()
        fields = METAS.get(full, []) + [
            ("ETag", '"%s"' % ETAGS.get(full, "x"))]
        m = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if not m:
            return self.say(200, body, fields)
        a, b = int(m.group(1)), min(int(m.group(2)), len(body) - 1)
        if a > b:
            return self.say(416, b"", [("Content-Range", "bytes */%d" %
                                        len(body))])
        return self.say(206, body[a:b + 1], fields + [
            ("Content-Range", "bytes %d-%d/%d" % (a, b, len(body)))])

    def list_objects(self, bucket, query):
        keys = sorted(os.path.relpath(os.path.join(top, name), bucket)
                      for top, _, names in os.walk(bucket) for name in names)
        if not self.opt.all_keys:
            keys = [k for k in keys if k.startswith(query.get("prefix", ""))]
        # tokens of real ones have such characters
        token = query.get("continuation-token")
        if token is not None:
            after = base64.b64decode(token.removeprefix("+/")).decode()
            keys = [k for k in keys if k > after]
        keys = [k for k in keys if k > query.get("start-after", "")]
        page, is_cut = keys[:self.opt.page], len(keys) > self.opt.page
        inner = "<IsTruncated>%s</IsTruncated>" % str(is_cut).lower()
        if is_cut:
            inner += "<NextContinuationToken>+/%s</NextContinuationToken>" % \
                base64.b64encode(page[-1].encode()).decode()
        if query.get("encoding-type") == "url":
            inner += "<EncodingType>url</EncodingType>"
        for key in page:
            st = os.stat(os.path.join(bucket, key))
            state = "" if self.opt.terse else (
                "<LastModified>%s</LastModified><ETag>&quot;%s&quot;</ETag>" %
                (time.strftime("%Y-%m-%dT%H:%M:%S.000Z",
                               time.gmtime(st.st_mtime)),
                 ETAGS.get(os.path.join(bucket, key), "x")))
            inner += ("<Contents><Key>%s</Key>%s<Size>%d</Size></Contents>" %
                      (urllib.parse.quote_plus(key), state, st.st_size))
        self.say_xml("ListBucketResult", inner)

    def initiate(self, full):
        # identifiers of real ones have such characters
        name = "up.%s_/%s-=" % (os.urandom(12).hex(),
                                "" if self.opt.no_plus else "+")
        with LOCK:
            UPLOADS[name] = Upload(full, self.meta())
        self.say_xml("InitiateMultipartUploadResult",
                     "<Bucket>b</Bucket><Key>k</Key><UploadId>%s</UploadId>" %
                     name)

    def multipart(self, full, query, body):
        if self.command == "GET" and self.opt.no_list:
            raise Refused(405, "MethodNotAllowed")
        with LOCK:
            up = UPLOADS.get(query["uploadId"])
        if up is None or up.path != full:
            raise Refused(404, "NoSuchUpload")
        if self.command == "PUT":
            etag = etag_of(self.opt, body)
            number = int(query["partNumber"])
            if not 1 <= number <= 10000:
                raise Refused(400, "InvalidArgument")
            with LOCK:
                up.parts[number] = (body, etag)
            self.say(200, b"", [("ETag", '"%s"' % etag)])
            take_fault(self.opt, "gone")
        elif self.command == "GET":
            self.list_parts(up, int(query.get("part-number-marker", "0")))
        elif self.command == "DELETE":
            with LOCK:
                del UPLOADS[query["uploadId"]]
            self.say(204)
        else:
            self.complete(query["uploadId"], up, body)

    def list_parts(self, up, after):
        numbers = sorted(n for n in up.parts if n > after)
        page = numbers[:self.opt.page]
        text = "<IsTruncated>%s</IsTruncated>" % (
            "true" if len(page) < len(numbers) else "false")
        if page:
            text += "<NextPartNumberMarker>%d</NextPartNumberMarker>" % page[-1]
        for n in page:
            text += ("<Part><PartNumber>%d</PartNumber><LastModified>2026-01-01"
                     "</LastModified><ETag>&quot;%s&quot;</ETag><Size>%d</Size>"
                     "</Part>" % (n, up.parts[n][1], len(up.parts[n][0])))
        self.say_xml("ListPartsResult", text)

    def complete(self, name, up, body):
        named = [(int(p.find("PartNumber").text),
                  p.find("ETag").text.strip('"'))
                 for p in ET.fromstring(body).findall("Part")]
        if named != sorted(named) or not named:
            raise Refused(400, "InvalidPartOrder")
        for i, (n, etag) in enumerate(named):
            if n not in up.parts or up.parts[n][1] != etag:
                raise Refused(400, "InvalidPart", "part %d" % n)
            if i + 1 < len(named) and len(up.parts[n][0]) < PART_MIN:
                raise Refused(400, "EntityTooSmall")
        if take_fault(self.opt, "late"):
            return self.say(200, b"  \n<Error><Code>InternalError</Code></Error>"
                            .lstrip())
        md5s = b"".join(hashlib.md5(up.parts[n][0]).digest() for n, _ in named)
        etag = "%s-%d" % (hashlib.md5(md5s).hexdigest(), len(named))
        self.store(up.path, b"".join(up.parts[n][0] for n, _ in named), etag,
                   up.meta)
        with LOCK:
            del UPLOADS[name]
        if take_fault(self.opt, "mute"):
            raise Closed
        return self.say_xml("CompleteMultipartUploadResult",
                            "<ETag>&quot;%s&quot;</ETag>" % etag)


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("folder")
    p.add_argument("--region", default="us-east-1")
    p.add_argument("--page", type=int, default=1000)
    p.add_argument("--opaque", action="store_true")
    p.add_argument("--payer", action="store_true")
    p.add_argument("--no-list", action="store_true")
    p.add_argument("--terse", action="store_true")
    p.add_argument("--all-keys", action="store_true")
    p.add_argument("--no-plus", action="store_true")
    Handler.opt = p.parse_args()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print("port %d" % server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    sys.exit(main())
