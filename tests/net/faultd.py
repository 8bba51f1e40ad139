#!/usr/bin/env python3
# faultd.py - an HTTP server of files that fails on purpose, for tests.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     faultd.py serve FOLDER [--port N] [--delay MS] [--log FILE]
#         prints "port N" once it listens on 127.0.0.1; with --cert FILE (key and
#         certificate) a second line, for https, with the same rules
#     faultd.py ctl PORT WORD [name=value...]       prints the answer
#
# It serves ranges of the files below FOLDER with ETag (of size and mtime) and
# Last-Modified, keeps connections, and adds --delay to each answer.  It is a
# proxy for CONNECT, too, whose path is "HOST:PORT": faults reset, status and
# stall keep the tunnel from being made, and `cut` ends it behind VALUE bytes.
#
# Control words:
#     rule fault=F [match=REGEX] [skip=N] [count=N] [every=N] [value=V]
#             requests whose path matches get fault F: after the first N
#             (skip), for N requests (count; 0: always), or each N-th
#             (every).  First rule wins.
#     clear                   no rules, no delay
#     drop match=REGEX        no rules of exactly this match
#     delay value=MS          of every answer from now on
#     log                     the log so far (the last 200,000 lines), and
#                             empties it: one line each,
#                             "SECONDS METHOD PATH RANGE STATUS BYTES FAULT"
#     counts                  "requests N bytes N parallel N connections N"
#                             since the last one (parallel: most at a time)
#     stalls                  how many requests have met the fault `stall` or
#                             `late` since the last `clear`
#
# Faults:
#     stall         takes the request and never answers
#     stall-body    half of the body, then nothing more
#     reset         resets the connection instead of an answer
#     reset-body    half of the body, then resets
#     truncate      half of the body, then closes in good order
#     slow          the body, VALUE bytes a second
#     late          the answer after VALUE ms
#     status        status VALUE, "CODE" or "CODE,RETRY-AFTER"
#     error         a refusal of S3: status, code and message VALUE,
#                   "STATUS CODE MESSAGE"
#     whole         200 and the whole file
#     whole-open    the same without a length, the connection closed after it
#     page          a page of HTML, by status VALUE
#     text          200 and some words that are no page
#     shift         206 of the bytes one further on, and says so
#     lie           206 that says the right range and sends one byte less
#     flip          206 in which one byte of VALUE, and at least one, is wrong
#     short         206 of one byte less than was asked, and says so
#     more          206 that sends 100 bytes more than it says
#     less          206 of VALUE bytes at most, and says so
#     earlier       206 from up to VALUE bytes before, and says so
#     further       206 of all up to the end, and says so
#     no-range      206 without Content-Range
#     no-total      Content-Range without the total; VALUE "silent": nor does
#                   416 say it
#     no-etag       neither ETag nor Last-Modified
#     etag          ETag VALUE
#     grown         a total VALUE bytes larger
#     encoding      Content-Encoding: VALUE
#     redirect      302 to VALUE (%p: the path asked for); "CODE,URL": by CODE
#     signed        403 unless signed (AWS signature version 4) with the key
#                   and secret VALUE, "KEY:SECRET", and no other trouble
#     region        301 and x-amz-bucket-region unless signed for region VALUE
#     region-text   400 and its text tells, as from S3 when it is asked elsewhere
#     long-head     a head that does not end
#     garbage       bytes that are no HTTP
import argparse
import asyncio
import collections
import email.utils
import hashlib
import hmac
import os
import random
import re
import socket
import ssl
import struct
import sys
import time
import urllib.parse
import urllib.request

LINES_MAX = 200000      # of the log: a long run asks for none of it


class State:
    def __init__(self, folder, delay, log):
        self.folder, self.delay = os.path.realpath(folder), delay
        self.rules, self.log_file = [], log
        self.lines = collections.deque(maxlen=LINES_MAX)
        self.reset_counts()
        self.now = self.stalls = 0
        self.start = time.monotonic()

    def reset_counts(self):
        self.requests = self.bytes = self.parallel = self.connections = 0

    def fault_of(self, path):
        for r in self.rules:
            if not re.search(r["match"], path):
                continue
            r["seen"] += 1
            if r["seen"] <= r["skip"]:
                continue
            if r["count"] and r["seen"] > r["skip"] + r["count"]:
                continue
            if r["seen"] % r["every"]:
                continue
            return r["fault"], r["value"]
        return "", ""

    def log(self, method, path, rng, status, n, fault):
        line = "%.3f %s %s %s %s %d %s" % (time.monotonic() - self.start, method,
                                           path, rng or "-", status, n,
                                           fault or "-")
        self.lines.append(line)
        if self.log_file:
            self.log_file.write(line + "\n")
            self.log_file.flush()


def control(state, target):
    word, _, query = target[3:].partition("?")
    q = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
    if word == "rule":
        state.rules.append({"fault": q["fault"], "match": q.get("match", "."),
                            "skip": int(q.get("skip", 0)), "seen": 0,
                            "count": int(q.get("count", 0)),
                            "every": int(q.get("every", 1)),
                            "value": q.get("value", "")})
    elif word == "clear":
        state.rules, state.delay, state.stalls = [], 0, 0
    elif word == "drop":
        state.rules = [r for r in state.rules if r["match"] != q["match"]]
    elif word == "delay":
        state.delay = float(q["value"])
    elif word == "log":
        text = "".join(l + "\n" for l in state.lines)
        state.lines.clear()
        return text
    elif word == "counts":
        text = "requests %d bytes %d parallel %d connections %d\n" % (
            state.requests, state.bytes, state.parallel, state.connections)
        state.reset_counts()
        return text
    elif word == "stalls":
        return "%d\n" % state.stalls
    else:
        return "unknown\n"
    return ""


class Reset(Exception):
    pass


class Close(Exception):
    pass


def parse_range(text, size):
    m = re.fullmatch(r"bytes=(\d*)-(\d*)", text or "")
    if not m or m.group(1) + m.group(2) == "":
        return None
    if m.group(1) == "":
        n = int(m.group(2))
        return (max(0, size - n), size - 1) if n and size else "none"
    a = int(m.group(1))
    b = min(int(m.group(2)) if m.group(2) else size - 1, size - 1)
    return (a, b) if a < size and a <= b else "none"


REASONS = {200: "OK", 206: "Partial Content", 302: "Found", 404: "Not Found",
           416: "Range Not Satisfiable", 503: "Slow Down"}


def head(status, fields):
    text = "HTTP/1.1 %d %s\r\n" % (status, REASONS.get(status, "Status"))
    return (text + "".join("%s: %s\r\n" % f for f in fields) + "\r\n").encode()


def plain(status, text, more=()):
    body = text.encode()
    return status, [("Content-Length", len(body))] + list(more), body


def file_of(state, path):
    name = urllib.parse.unquote(path.partition("?")[0]).lstrip("/")
    if name.endswith("/"):
        name += "index.html"
    full = os.path.realpath(os.path.join(state.folder, name))
    if not full.startswith(state.folder) or not os.path.isfile(full):
        return None
    return full


def flipped(body, step):
    """Wrong bytes at places that differ from one answer to the next."""
    out = bytearray(body)
    for at in range(random.randrange(min(step, len(out)) or 1), len(out), step):
        out[at] ^= 1 << random.randrange(8)
    return bytes(out)


def is_signed(path, fields, key, secret):
    """AWS signature version 4 of a GET, from the documents of Amazon S3"""
    m = re.fullmatch(r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d+)/([^/]+)/s3/"
                     r"aws4_request, ?SignedHeaders=([^,]+), ?Signature=(\w+)",
                     fields.get("authorization", ""))
    if not m or m.group(1) != key:
        return False
    _, day, region, names, signature = m.groups()
    if not {"host", "x-amz-date", "x-amz-content-sha256"} <= set(names.split(";")):
        return False
    # each x-amz- field must be among those that are signed
    if any(f.startswith("x-amz-") and f not in names.split(";") for f in fields):
        return False
    path, _, query = path.partition("?")
    canonical = "\n".join(
        ["GET", path, query] +
        ["%s:%s" % (n, " ".join(fields.get(n, "").split()))
         for n in names.split(";")] +
        ["", names, fields["x-amz-content-sha256"]])
    scope = "%s/%s/s3/aws4_request" % (day, region)
    text = "\n".join(["AWS4-HMAC-SHA256", fields["x-amz-date"], scope,
                      hashlib.sha256(canonical.encode()).hexdigest()])
    k = ("AWS4" + secret).encode()
    for word in (day, region, "s3", "aws4_request"):
        k = hmac.new(k, word.encode(), hashlib.sha256).digest()
    return hmac.new(k, text.encode(), hashlib.sha256).hexdigest() == signature


def answer(state, path, fields, fault, value):
    """status, head fields, body of a request"""
    if fault == "signed" and not is_signed(path, fields, *value.split(":", 1)):
        return plain(403, "<Error><Code>SignatureDoesNotMatch</Code></Error>\n")
    if fault == "status":
        code, _, wait = value.partition(",")
        return plain(int(code), "no\n", [("Retry-After", wait)] if wait else [])
    if fault == "error":
        code, word, text = value.split(" ", 2)
        return plain(int(code), '<?xml version="1.0" encoding="UTF-8"?>\n'
                     "<Error><Code>%s</Code><Message>%s</Message></Error>"
                     % (word, text))
    if fault == "page":
        body = "<!DOCTYPE html>\n<html><body>The request could not be satisfied."
        return plain(int(value or 200), body, [("Content-Type", "text/html")])
    if fault == "text":
        return plain(200, '{"wait": true}', [("Content-Type", "text/plain")])
    if fault == "region" and not re.search(
            "Credential=[^/]+/[0-9]+/%s/s3" % value,
            fields.get("authorization", "")):
        return plain(301, "<Code>PermanentRedirect</Code>\n",
                     [("x-amz-bucket-region", value)])
    if fault == "region-text" and not re.search(
            "Credential=[^/]+/[0-9]+/%s/s3" % re.escape(value),
            fields.get("authorization", "")):
        return plain(400, '<?xml version="1.0"?><Error><Code>Authorization'
                     "HeaderMalformed</Code><Message>expecting '%s'</Message>"
                     "<Region>%s</Region></Error>" % (value, value))
    if fault == "redirect":
        code, comma, rest = value.partition(",")
        if not comma:
            code, rest = "302", value
        return plain(int(code), "", [("Location", rest.replace("%p", path))])
    full = file_of(state, path)
    if full is None:
        return plain(404, "not here\n")
    st = os.stat(full)
    size = st.st_size
    more = [("Accept-Ranges", "bytes")]
    if fault != "no-etag":
        more += [("ETag", '"%x-%x"' % (size, st.st_mtime_ns)),
                 ("Last-Modified", email.utils.formatdate(st.st_mtime,
                                                          usegmt=True))]
    if fault == "etag":
        more[1] = ("ETag", value)
    if fault == "encoding":
        more.append(("Content-Encoding", value))
    total = size + (int(value or 1) if fault == "grown" else 0)
    rng = parse_range(fields.get("range"), size)
    if rng is None or fault in ("whole", "whole-open"):
        with open(full, "rb") as f:
            body = f.read()
        if fault == "whole-open":
            return 200, more + [("Connection", "close")], body
        return 200, more + [("Content-Length", len(body))], body
    if rng == "none":
        return plain(416, "no such range\n", [] if value == "silent" else
                     [("Content-Range", "bytes */%d" % total)])
    a, b = rng
    if fault == "shift":
        a, b = a + 1, b + 1
    if fault == "short" and b > a:
        b -= 1
    elif fault == "less":
        b = min(b, a + int(value) - 1)
    elif fault == "earlier":
        a -= min(a, int(value))
    elif fault == "further":
        b = size - 1
    with open(full, "rb") as f:
        f.seek(a)
        body = f.read(b - a + 1)
    if fault == "lie":
        body = body[:-1]
    elif fault == "flip":
        body = flipped(body, int(value or 1000))
    elif fault == "more":
        body += b"x" * 100
    if fault != "no-range":
        more.append(("Content-Range", "bytes %d-%d/%s" % (
            a, b, "*" if fault == "no-total" else total)))
    return 206, more + [("Content-Length", b - a + 1)], body


async def send_body(w, body, fault, value):
    if fault == "slow":
        rate = max(1, int(value or 1000))
        step = max(1, rate // 20)
        for i in range(0, len(body), step):
            w.write(body[i:i + step])
            await w.drain()
            await asyncio.sleep(step / rate)
        return
    if fault in ("stall-body", "reset-body", "truncate"):
        w.write(body[:len(body) // 2])
        await w.drain()
        if fault == "stall-body":
            await asyncio.sleep(3600)
        if fault == "reset-body":
            await asyncio.sleep(0.05)
            raise Reset
        raise Close
    w.write(body)
    await w.drain()
    if fault in ("whole-open", "lie", "more"):
        raise Close


async def copy(r, w, most):
    try:
        while most > 0:
            part = await r.read(min(65536, most))
            if not part:
                break
            most -= len(part)
            w.write(part)
            await w.drain()
    except ConnectionError:
        pass
    finally:
        w.close()


async def tunnel(r, w, path, fault, value):
    host, _, port = path.rpartition(":")
    there_r, there_w = await asyncio.open_connection(host, int(port))
    w.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
    await asyncio.gather(copy(r, there_w, sys.maxsize), copy(
        there_r, w, int(value) if fault == "cut" else sys.maxsize))


async def one(state, r, w, first):
    """one request; False at the end of the connection"""
    line = await r.readline()
    if not line:
        return False
    method, path, _ = line.decode("latin-1").split(None, 2)
    fields = {}
    while True:
        line = (await r.readline()).decode("latin-1").strip()
        if not line:
            break
        name, _, v = line.partition(":")
        fields[name.lower()] = v.strip()
    if path.startswith("/_/"):
        body = control(state, path).encode()
        w.write(head(200, [("Content-Length", len(body))]) + body)
        await w.drain()
        return True
    fault, value = state.fault_of(path)
    state.requests += 1
    state.connections += first
    state.now += 1
    state.parallel = max(state.parallel, state.now)
    status = n = 0
    try:
        if state.delay:
            await asyncio.sleep(state.delay / 1000)
        if fault in ("late", "stall"):
            state.stalls += 1
        if fault == "late":
            await asyncio.sleep(float(value) / 1000)
        if fault == "stall":
            await asyncio.sleep(3600)
        if fault == "reset":
            raise Reset
        if fault == "garbage":
            w.write(b"\x00\x01\x02 what?\r\n\r\n")
            await w.drain()
            raise Close
        if fault == "long-head":
            w.write(b"HTTP/1.1 206 Partial Content\r\n")
            for i in range(3000):
                w.write(b"X-Field-%d: %s\r\n" % (i, b"y" * 80))
                await w.drain()
            raise Close
        if method == "CONNECT" and fault != "status":
            await tunnel(r, w, path, fault, value)
            return False
        status, more, body = answer(state, path, fields, fault, value)
        w.write(head(status, more))
        n = len(body)
        if method != "HEAD":
            await send_body(w, body, fault, value)
        state.bytes += n
    finally:
        state.now -= 1
        state.log(method, path, fields.get("range"), status, n, fault)
    return True


async def connection(state, r, w):
    sock = w.get_extra_info("socket")
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        first = True
        while await one(state, r, w, first):
            first = False
    except Reset:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                        struct.pack("ii", 1, 0))
    except (Close, ConnectionError, ValueError, asyncio.IncompleteReadError):
        pass
    finally:
        w.close()


async def serve(a):
    log = open(a.log, "a", encoding="latin-1") if a.log else None
    state = State(a.folder, a.delay, log)
    server = await asyncio.start_server(lambda r, w: connection(state, r, w),
                                        "127.0.0.1", a.port, backlog=512)
    print("port %d" % server.sockets[0].getsockname()[1], flush=True)
    if a.cert:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(a.cert)
        secure = await asyncio.start_server(
            lambda r, w: connection(state, r, w), "127.0.0.1", 0, backlog=512,
            ssl=context)
        print("https %d" % secure.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


def ctl(a):
    q = urllib.parse.urlencode([tuple(w.split("=", 1)) for w in a.words])
    url = "http://127.0.0.1:%d/_/%s?%s" % (a.port, a.word, q)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    sys.stdout.write(opener.open(url, timeout=20).read().decode("latin-1"))


def main():
    p = argparse.ArgumentParser()
    sub = p.add_subparsers(dest="what", required=True)
    s = sub.add_parser("serve")
    s.add_argument("folder")
    s.add_argument("--port", type=int, default=0)
    s.add_argument("--delay", type=float, default=0)
    s.add_argument("--log")
    s.add_argument("--cert")
    c = sub.add_parser("ctl")
    c.add_argument("port", type=int)
    c.add_argument("word")
    c.add_argument("words", nargs="*")
    a = p.parse_args()
    if a.what == "ctl":
        ctl(a)
    else:
        try:
            asyncio.run(serve(a))
        except KeyboardInterrupt:
            pass


if __name__ == "__main__":
    main()
