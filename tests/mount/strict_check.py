#!/usr/bin/env python3
"""strict_check.py CRAWLFS FOLDER - each record that breaks a rule of ISO 28500
or of HTTP is told by `verify --strict`, and by that kind; what is right is not,
and without --strict none of it is damage that the record itself does not show.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import gzip
import json
import os
import subprocess
import sys

crawlfs, folder = sys.argv[1:]
URL = "http://a.example/p"
BODY = b"<p>twelve</p>"
HTTP = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(BODY) + BODY
GET = b"GET /p HTTP/1.1\r\nHost: a.example\r\n\r\n"
FIELDS = {
    "WARC-Type": "response", "WARC-Record-ID": "<urn:uuid:1>",
    "WARC-Date": "2024-05-06T07:08:09Z", "WARC-Target-URI": URL,
    "Content-Type": "application/http;msgtype=response",
}


def record(block=HTTP, version="1.0", more="", **changes):
    head = dict(FIELDS, **{k.replace("_", "-"): v for k, v in changes.items()})
    lines = "".join("%s: %s\r\n" % (k, v) for k, v in head.items()
                    if v is not None)
    return ("WARC/%s\r\n%s%sContent-Length: %d\r\n\r\n" %
            (version, lines, more, len(block))).encode() + block + b"\r\n\r\n"


def http(line, body, *fields):
    return "\r\n".join([line, *fields, "", ""]).encode() + body


REQUEST = {"WARC_Type": "request",
           "Content_Type": "application/http;msgtype=request"}
NO_HTTP = {"WARC_Type": "resource", "Content_Type": "text/html"}
CASES = [           # name, kinds that are found, the archive
    ("whole", [], record()),
    ("1.1 with a fraction", [],
     record(version="1.1", WARC_Date="2024-05-06T07:08:09.123Z")),
    ("1.1 of a day", [], record(version="1.1", WARC_Date="2024-05-06")),
    ("1.0 with a fraction", ["date"],
     record(WARC_Date="2024-05-06T07:08:09.123Z")),
    ("month 13", ["date"], record(WARC_Date="2024-13-06T07:08:09Z")),
    ("14 digits", ["date"], record(WARC_Date="20240506070809")),
    ("an offset", ["date"], record(WARC_Date="2024-05-06T07:08:09+01:00")),
    ("no date", ["field"], record(WARC_Date=None)),
    ("no type", ["field"], record(WARC_Type=None)),
    ("no id", ["field"], record(WARC_Record_ID=None)),
    ("id without brackets", ["field"], record(WARC_Record_ID="urn:uuid:1")),
    ("id that is no URI", ["field"], record(WARC_Record_ID="<one>")),
    ("no URL", ["field"], record(WARC_Target_URI=None)),
    ("warcinfo without a URL", [],
     record(b"software: x\r\n", WARC_Type="warcinfo", WARC_Target_URI=None,
            Content_Type="application/warc-fields")),
    ("two dates", ["field"],
     record(more="WARC-Date: 2024-05-06T07:08:09Z\r\n")),
    ("two concurrent records", [],
     record(more="WARC-Concurrent-To: <urn:x:2>\r\n"
            "WARC-Concurrent-To: <urn:x:3>\r\n")),
    ("a folded field", [], record(more="X-Note: a\r\n b: c\r\n\td\r\n")),
    ("a line that is no field", ["field"], record(more="nonsense\r\n")),
    ("continuation without its number", ["field", "field"],
     record(BODY, WARC_Type="continuation", Content_Type=None)),
    ("revisit without a profile", ["field"],
     record(b"", WARC_Type="revisit",
            more="WARC-Payload-Digest: sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"
            "\r\n")),
    ("an unknown algorithm", ["digest"],
     record(more="WARC-Block-Digest: crc32:12345678\r\n")),
    ("no HTTP", ["http"], record(b"this is no head\r\n\r\n")),
    ("no status", ["http"], record(b"HTTP/1.1\r\n\r\n")),
    ("no request", ["http"], record(b"hello\r\n\r\n", **REQUEST)),
    ("a request", [], record(GET, **REQUEST)),
    ("a resource", [], record(BODY, **NO_HTTP)),
    ("too short a body", ["http-length"],
     record(http("HTTP/1.1 200 OK", BODY, "Content-Length: 5000"))),
    ("too long a body", ["http-length"],
     record(http("HTTP/1.1 200 OK", BODY, "Content-Length: 3"))),
    ("a declared truncation", [],
     record(http("HTTP/1.1 200 OK", BODY, "Content-Length: 5000"),
            more="WARC-Truncated: length\r\n")),
    ("not modified", [],
     record(http("HTTP/1.1 304 Not Modified", b"", "Content-Length: 5000"))),
    ("chunks", [],
     record(http("HTTP/1.1 200 OK", b"3\r\nabc\r\n0\r\n\r\n",
                 "Transfer-Encoding: chunked", "Content-Length: 5000"))),
    ("the same record twice", [], record() * 2),
    ("an id twice, with other blocks", "reused",
     record() + record(http("HTTP/1.1 200 OK", b"other"))),
]


def verify(path, *options):
    report = os.path.join(folder, "report")
    if os.path.exists(report):
        os.unlink(report)
    done = subprocess.run([crawlfs, "verify", "--json", "--report=" + report,
                           *options, path], capture_output=True, timeout=60)
    with open(report) as f:
        lines = [json.loads(line) for line in f]
    return (done.returncode, json.loads(done.stdout),
            [line["kind"] for line in lines if "kind" in line])


failed = 0
for name, want, data in CASES:
    path = os.path.join(folder, "case.warc.gz")
    with open(path, "wb") as f:
        for part in data.split(b"WARC/")[1:]:
            f.write(gzip.compress(b"WARC/" + part, mtime=0))
    status, table, kinds = verify(path, "--strict")
    right = (kinds == [] and table["reused_ids"] == 1 and status == 1
             if want == "reused" else kinds == want and
             status == (1 if want else 0) and table["reused_ids"] == 0)
    usual, _, plain = verify(path)
    right = right and plain == [] and usual == 0
    if not right:
        print("FAILED: %s: %s %s, without --strict %s" % (name, status, kinds,
                                                          plain))
        failed += 1
print("%d cases, %d failed" % (len(CASES), failed))
sys.exit(failed > 0)
