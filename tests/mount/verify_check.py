#!/usr/bin/env python3
"""verify_check.py - an independent reader of archives, for verify_test.sh.

usage: verify_check.py make FOLDER
           writes a.warc, a.warc.gz, a.cdxj and a.wacz: records with digests of
           all kinds, and where each of them is (a.places, JSON)
       verify_check.py compare REPORT FOLDER...
           every digest of the WARC files below is found to be right or wrong
           here as in the report, and a file that does not hold one record
           after the other has damage of another kind in it
       verify_check.py flip CRAWLFS FOLDER
           one byte of what `make` wrote is changed, in many places: each is
           found and named, and nothing else
       verify_check.py killed CRAWLFS SOURCE WHOLE
           a run that is killed, with its report cut off anywhere, is resumed:
           the report becomes WHOLE, that of a run that was not stopped
       verify_check.py places REPORT KIND ARCHIVE OFFSET [URL]
           the report has that finding and no other

Only Python's standard library reads archives and computes digests here.
SPDX-License-Identifier: GPL-3.0-or-later
"""
import base64
import gzip
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
import zlib

ALGORITHMS = {"md5": 16, "sha1": 20, "sha256": 32, "sha384": 48, "sha512": 64}


# ---- reading ------------------------------------------------------------

class Odd(Exception):
    """not one record after the other"""


def members(data):
    """(offset, length, plain bytes) of each gzip member"""
    at = 0
    while at < len(data):
        z = zlib.decompressobj(31)
        try:
            plain = z.decompress(data[at:])
        except zlib.error as e:
            raise Odd(str(e)) from e
        if not z.eof:
            raise Odd("cut off")
        n = len(data) - at - len(z.unused_data)
        yield at, n, plain
        at += n


def flat(path):
    """all plain bytes, and the place of each stretch of them"""
    with open(path, "rb") as f:
        data = f.read()
    if data[:2] != b"\x1f\x8b":
        return data, None
    out, places = io.BytesIO(), []
    for at, _, plain in members(data):
        places.append((out.tell(), at))
        out.write(plain)
    return out.getvalue(), places


def fields(head):
    found = []
    for line in re.sub(rb"\r*\n[ \t]+", b" ", head).split(b"\n")[1:]:
        name, colon, value = line.partition(b":")
        if colon:
            found.append((name.strip().lower().decode("latin-1"),
                          value.strip().decode("latin-1")))
    return found


def first(found, name):
    return next((v for n, v in found if n == name), "")


def split(block):
    """head and body of an HTTP message"""
    m = re.search(rb"\r*\n\r*\n", block)
    return (block[:m.end()], block[m.end():]) if m else (block, b"")


def unchunked(body):
    out, at = b"", 0
    while True:
        m = re.compile(rb"([0-9a-fA-F]+)[ \t]*(;[^\n]*)?\r\n").match(body, at)
        if m is None:
            return None
        n, at = int(m.group(1), 16), m.end()
        if n == 0:
            return out
        if len(body) < at + n + 2:
            return None
        out += body[at:at + n]
        at += n + 2


def inflated(body):
    for wbits in (31, 15, -15):
        try:
            return zlib.decompress(body, wbits)
        except zlib.error:
            pass
    return None


def readings(found, block):
    """what a payload digest may be of"""
    kind = first(found, "warc-type").lower()
    is_http = first(found, "content-type").lower().startswith(
        "application/http")
    if kind == "request" or (kind in ("resource", "conversion") and is_http):
        yield block
        if is_http:
            yield split(block)[1]
        return
    is_response = kind in ("response", "revisit") and (
        is_http or not first(found, "content-type")) and re.match(
            rb"HTTP(/[0-9.]+)? ", block)
    if not is_response:
        yield block
        return
    head, body = split(block)
    yield body
    plain = body
    if "chunked" in first(fields(head), "transfer-encoding").lower():
        plain = unchunked(body)
    if plain is None:
        plain = body
    yield plain
    if first(fields(head), "content-encoding"):
        more = inflated(plain)
        if more is not None:
            yield more


def is_right(digest, data):
    """None: of an algorithm that is not known"""
    label, _, value = digest.partition(":")
    name = label.lower().replace("-", "")
    if name not in ALGORITHMS:
        return None
    want = hashlib.new(name, data).digest()
    value = value.strip().rstrip("=")
    return value.lower() == want.hex() or \
        value.upper() == base64.b32encode(want).decode().rstrip("=") or \
        value.translate({45: 43, 95: 47}) == \
        base64.b64encode(want).decode().rstrip("=")


def is_defined(found, block):
    """Does the standard define a payload of this record?"""
    kind = first(found, "warc-type").lower()
    is_http = first(found, "content-type").lower().startswith(
        "application/http")
    return kind in ("resource", "conversion") or (
        kind in ("response", "request") and
        (is_http or block.startswith(b"HTTP/")))


def records(path):
    """(offset, fields, block) of each record of a WARC file"""
    data, places = flat(path)
    at = 0
    while True:
        while data[at:at + 1] in (b"\r", b"\n"):
            at += 1
        if at >= len(data) > 0 and not data.strip():
            raise Odd("no record")
        if at >= len(data):
            if data and not data.strip():
                raise Odd("no record")
            return
        m = re.compile(rb"(?i)WARC/[0-9][^\n]*\n").match(data, at)
        end = re.compile(rb"\n\r*\n").search(data, at)
        if m is None or end is None:
            raise Odd("no header at %d" % at)
        found = fields(data[at:end.end()])
        n = first(found, "content-length")
        if not n.isdigit() or end.end() + int(n) > len(data):
            raise Odd("no length at %d" % at)
        block = data[end.end():end.end() + int(n)]
        offset = at if places is None else max(
            (p for p in places if p[0] <= at))[1]
        at = end.end() + int(n)
        if at < len(data) and data[at:at + 1] not in (b"\r", b"\n") and \
                not re.compile(rb"(?i)WARC/").match(data, at):
            raise Odd("junk at %d" % at)
        yield offset, found, block


def wrong_digests(path):
    """(offset, kind) of what is wrong, and how many digests there are"""
    bad, n = [], 0
    for offset, found, block in records(path):
        digest = first(found, "warc-block-digest")
        right = is_right(digest, block) if digest else None
        n += right is not None
        if right is False:
            bad.append((offset, "block-digest"))
        digest = first(found, "warc-payload-digest")
        if not digest or first(found, "warc-type").lower() == "revisit" or \
                first(found, "warc-segment-number"):
            continue
        all_of = [is_right(digest, b) for b in readings(found, block)]
        if not any(all_of) and not is_defined(found, block):
            continue
        n += all_of[0] is not None
        if all_of[0] is not None and not any(all_of):
            bad.append((offset, "payload-digest"))
    return bad, n


# ---- comparing ----------------------------------------------------------

def load(report):
    """findings, and the last line"""
    with open(report, encoding="utf-8") as f:
        lines = [json.loads(line) for line in f]
    assert "crawlfs_verify" in lines[0], lines[0]
    assert "end" in lines[-1], "the report has no end"
    return [x for x in lines if "kind" in x], lines[-1]


def compare(report, *folders):
    findings, end = load(report)
    by_archive, digests, files, odd = {}, 0, 0, 0
    for f in findings:
        by_archive.setdefault(f["archive"], []).append(f)
    faults = []
    for folder in folders:
        for base, _, names in sorted(os.walk(folder)):
            for name in sorted(names):
                path = os.path.realpath(os.path.join(base, name))
                if not re.search(r"\.(warc|wat|wet)(\.gz)?$", name):
                    continue
                files += 1
                here = by_archive.get(path, [])
                got = sorted((f["offset"], f["kind"]) for f in here
                             if f["kind"].endswith("digest"))
                other = [f for f in here if not f["kind"].endswith("digest")]
                try:
                    want, n = wrong_digests(path)
                except Odd as e:
                    odd += 1
                    if not other:
                        faults.append("%s: %s: no damage found" % (path, e))
                    continue
                digests += n
                if got != sorted(want):
                    faults.append("%s: %s, not %s" % (path, got, want))
                if other:
                    faults.append("%s: %s" % (path, other))
    for fault in faults:
        print(fault)
    print("%d files, %d digests, %d files with damage of other kinds" %
          (files, digests, odd))
    assert files > 0 and digests > 0
    compared = sum(end[k][v] for k in ("block", "payload")
                   for v in ("matched", "differed"))
    if odd == 0 and compared != digests:
        faults.append("%d digests compared, not %d" % (compared, digests))
        print(faults[-1])
    return len(faults) > 0


def places(report, kind, archive, offset, url=None):
    findings, _ = load(report)
    print(findings)
    return not (len(findings) == 1 and findings[0]["kind"] == kind and
                findings[0]["archive"].endswith(archive) and
                findings[0]["offset"] == int(offset) and
                (url is None or findings[0]["url"] == url))


# ---- making -------------------------------------------------------------

def digest_of(i, data):
    """label and value in one of the ways that are met"""
    name = sorted(ALGORITHMS)[i % len(ALGORITHMS)]
    raw = hashlib.new(name, data).digest()
    label = name if i % 3 else re.sub("sha", "SHA-", name)
    if i % 2:
        return "%s:%s" % (label, raw.hex())
    return "%s:%s" % (label, base64.b32encode(raw).decode())


def made_records():
    """(URL, kind, header, block) of each, in order"""
    for i in range(24):
        url = "http://example.com/page%02d" % i
        body = (b"<p>%d</p>\n" % i) * (20 + i)
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
        stored = body
        if i % 4 == 1:
            stored = b"".join(b"%x\r\n%s\r\n" % (len(c), c) for c in (
                body[:50], body[50:])) + b"0\r\n\r\n"
            head += b"Transfer-Encoding: chunked\r\n"
        elif i % 4 == 2:
            stored = gzip.compress(body, mtime=0)
            head += b"Content-Encoding: gzip\r\n"
        payload = body if i % 8 >= 4 else stored
        yield url, "response", head + b"\r\n" + stored, payload
        if i % 6 == 0:
            yield url, "request", b"GET / HTTP/1.1\r\nHost: example.com" \
                b"\r\n\r\n", None
        if i % 6 == 3:
            yield url, "metadata", b"fetchTimeMs: %d\r\n" % i, None


def made():
    """the records' bytes, and what the index says of them"""
    types = {"response": "application/http; msgtype=response",
             "request": "application/http; msgtype=request",
             "metadata": "application/warc-fields"}
    for i, (url, kind, block, payload) in enumerate(made_records()):
        head = ("WARC/1.0\r\nWARC-Type: %s\r\n"
                "WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-%012d>\r\n"
                "WARC-Date: 2024-02-03T04:05:%02dZ\r\n"
                "WARC-Target-URI: %s\r\nContent-Type: %s\r\n"
                "WARC-Block-Digest: %s\r\n" % (
                    kind, i, i, url, types[kind], digest_of(i, block)))
        if payload is not None:
            head += "WARC-Payload-Digest: %s\r\n" % digest_of(i + 1, payload)
        head += "Content-Length: %d\r\n\r\n" % len(block)
        sha1 = None if payload is None else \
            base64.b32encode(hashlib.sha1(payload).digest()).decode()
        yield url, "202402030405%02d" % i, sha1, \
            head.encode() + block + b"\r\n\r\n"


def make(folder):
    os.makedirs(folder, exist_ok=True)
    where = {"a.warc": [], "a.warc.gz": []}
    lines = []
    with open(os.path.join(folder, "a.warc"), "wb") as plain, \
            open(os.path.join(folder, "a.warc.gz"), "wb") as packed:
        for url, time, sha1, record in made():
            member = gzip.compress(record, mtime=0)
            if sha1 is not None:
                lines.append("com,example)%s %s %s\n" % (
                    url[len("http://example.com"):], time, json.dumps({
                        "url": url, "mime": "text/html", "status": "200",
                        "digest": sha1, "length": str(len(member)),
                        "offset": str(packed.tell()),
                        "filename": "a.warc.gz"})))
            where["a.warc"].append((plain.tell(), len(record), url))
            where["a.warc.gz"].append((packed.tell(), len(member), url))
            plain.write(record)
            packed.write(member)
    with open(os.path.join(folder, "a.cdxj"), "w", encoding="ascii") as f:
        f.writelines(sorted(lines))
    with open(os.path.join(folder, "a.places"), "w", encoding="ascii") as f:
        json.dump(where, f)
    make_wacz(folder)
    return 0


def write_wacz(path, files):
    """with hashes that are right"""
    files = dict(files)
    files["datapackage.json"] = json.dumps({
        "profile": "data-package", "resources": [
            {"name": os.path.basename(n), "path": n, "bytes": len(b),
             "hash": "sha256:" + hashlib.sha256(b).hexdigest()}
            for n, b in files.items()]}).encode()
    files["datapackage-digest.json"] = json.dumps({
        "path": "datapackage.json", "hash": "sha256:" + hashlib.sha256(
            files["datapackage.json"]).hexdigest()}).encode()
    with zipfile.ZipFile(path, "w") as z:
        for name, data in files.items():
            z.writestr(zipfile.ZipInfo(name), data)


def make_wacz(folder):
    files = {}
    for name, inside in (("a.warc.gz", "archive/a.warc.gz"),
                         ("a.cdxj", "indexes/index.cdxj")):
        with open(os.path.join(folder, name), "rb") as f:
            files[inside] = f.read()
    files["pages/pages.jsonl"] = b'{"format": "json-pages-1.0"}\n' \
        b'{"url": "http://example.com/page00", "title": "Page"}\n'
    write_wacz(os.path.join(folder, "a.wacz"), files)


# ---- one byte -----------------------------------------------------------

class Flips:
    def __init__(self, crawlfs, folder):
        self.crawlfs = crawlfs
        self.folder = os.path.realpath(folder)
        self.work = os.path.join(self.folder, "flipped")
        self.faults, self.n = [], 0
        with open(os.path.join(folder, "a.places"), encoding="ascii") as f:
            self.where = json.load(f)

    def read(self, name):
        with open(os.path.join(self.folder, name), "rb") as f:
            return f.read()

    def findings(self, name, at, to, source):
        """what is found with one byte of a file changed"""
        shutil.rmtree(self.work, ignore_errors=True)
        os.mkdir(self.work)
        for other in {"a.warc", "a.warc.gz", "a.cdxj", "a.wacz"} & {
                name, "a.warc.gz" if source == "a.cdxj" else name}:
            data = bytearray(self.read(other))
            if other == name:
                data[at] = data[at] ^ 1 if to is None else to
            with open(os.path.join(self.work, other), "wb") as f:
                f.write(data)
        if source == "a.cdxj":
            with open(os.path.join(self.work, "a.cdxj"), "wb") as f:
                data = bytearray(self.read("a.cdxj"))
                if name == "a.cdxj":
                    data[at] = data[at] ^ 1 if to is None else to
                f.write(data)
        report = os.path.join(self.work, "report")
        p = subprocess.run([self.crawlfs, "verify", "-q", "--report=" + report,
                            os.path.join(self.work, source)],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           check=False)
        if p.returncode not in (0, 1):
            return p.returncode, [p.stderr.decode()]
        got = load(report)[0]
        return p.returncode, [(os.path.basename(f["archive"]), f["offset"],
                               f["kind"], f["url"]) for f in got]

    def expect(self, name, at, want, source=None, to=None, url_counts=True):
        """want: the sets of findings, one of which it must be"""
        self.n += 1
        code, got = self.findings(name, at, to, source or name)
        if not url_counts:
            got = [f[:3] + ("",) for f in got]
        if code != 1 or not any(set(got) == set(w) for w in want):
            self.faults.append("%s, byte %d: status %d, %s, not %s" % (
                name, at, code, got, want))

    def members(self):
        """gzip data, checksum, size, magic"""
        name = "a.warc.gz"
        for offset, length, url in self.where[name][::6]:
            for at in (0, 1, 30, length // 2, length - 8, length - 5,
                       length - 4, length - 1):
                # what is left of the data may not tell the URL; a file whose
                # first bytes are none of gzip's is not compressed
                kind = "member" if offset + at > 1 else "record"
                self.expect(name, offset + at, [
                    [(name, offset, kind, u)]
                    for u in (url, "" if at < length - 8 else url)],
                            url_counts=at >= length - 8)

    def plain(self):
        """headers, payloads and chunks of what is not compressed"""
        name, data = "a.warc", self.read("a.warc")
        for offset, length, url in self.where[name][::2]:
            record = data[offset:offset + length]
            block = record.index(b"\r\n\r\n") + 4
            both = [(name, offset, "block-digest", url)]
            if b"Payload" in record[:block]:
                both.append((name, offset, "payload-digest", url))
            for field, want in ((b"WARC-Block-Digest: ", both[:1]),
                                (b"WARC-Payload-Digest: ", both[1:])):
                at = record.find(field, 0, block)
                if at >= 0:
                    at = record.index(b":", at + len(field)) + 3
                    self.expect(name, offset + at, [want])
            if len(both) == 2:
                body = record.index(b"\r\n\r\n", block) + 4
                self.expect(name, offset + (body + length) // 2, [both])
            if b"chunked" in record:
                at = record.index(b"\r\n\r\n", block) + 4
                self.expect(name, offset + at, [both])
            at = record.index(b"Content-Length: ") + 16
            self.expect(name, offset + at, [
                [(name, offset, kind, u) for kind in kinds]
                for kinds in (("record",), ("length",), ("record", "length"))
                for u in (url, "")])

    def index(self):
        """the places, times, URLs and digests of an index"""
        data, name = self.read("a.cdxj"), "a.cdxj"
        places = {u: o for o, _, u in reversed(self.where["a.warc.gz"])}
        lines = data.splitlines(True)
        for n in range(0, len(lines), 4):
            at, line = sum(map(len, lines[:n])), lines[n]
            entry = json.loads(line[line.index(b"{"):])
            offset, url = places[entry["url"]], entry["url"]
            digits = line.index(b'"offset": "') + 11
            wrong = int(entry["offset"]) ^ 1 if len(entry["offset"]) == 1 \
                else int(entry["offset"][:-1] +
                         chr(ord(entry["offset"][-1]) ^ 1))
            self.expect(name, at + digits + len(entry["offset"]) - 1, [
                [("a.warc.gz", wrong, "index-offset", url)]], name)
            digits = line.index(b'"length": "') + 11
            self.expect(name, at + digits, [
                [("a.warc.gz", offset, "index-length", url)]], name)
            to = line.index(b"/page", line.index(b"{")) + 5
            self.expect(name, at + to, [
                [("a.warc.gz", offset, "index-url", url)]], name)
            digits = line.index(b" 2024") + 14
            self.expect(name, at + digits, [
                [("a.warc.gz", offset, "index-time", url)]], name)
            digits = line.index(b'"digest": "') + 13
            to = ord("A") if line[digits:digits + 1] != b"A" else ord("B")
            self.expect(name, at + digits, [
                [("a.warc.gz", offset, "index-digest", url)]], name, to)

    def wacz(self):
        """the files of a WACZ, and its chain of hashes"""
        name, data = "a.wacz", self.read("a.wacz")
        archive = data.index(self.read("a.warc.gz"))
        offset, length, url = self.where["a.warc.gz"][5]
        damaged = ("a.warc.gz", 0, "package", "")
        self.expect(name, archive + offset + length - 8, [
            [damaged, ("a.warc.gz", offset, "member", url)]])
        self.expect(name, data.index(b'"title": "Page"') + 11, [
            [("pages.jsonl", 0, "package", "")]])
        self.expect(name, data.index(b'"bytes": ') + 9, [
            [("datapackage.json", 0, "package", "")]])
        at = data.index(b'"hash": "sha256:') + 20
        self.expect(name, at, [
            [("datapackage.json", 0, "package", ""), damaged]],
            to=ord("0") if data[at:at + 1] != b"0" else ord("1"))
        at = data.rindex(b'"hash": "sha256:') + 20
        self.expect(name, at, [[("datapackage.json", 0, "package", "")]],
                    to=ord("0") if data[at:at + 1] != b"0" else ord("1"))


def flip(crawlfs, folder):
    f = Flips(crawlfs, folder)
    f.members()
    f.plain()
    f.index()
    f.wacz()
    for fault in f.faults:
        print(fault)
    print("%d bytes changed, %d faults" % (f.n, len(f.faults)))
    shutil.rmtree(f.work, ignore_errors=True)
    return len(f.faults) > 0


# ---- killed -------------------------------------------------------------

def count_done(path):
    try:
        with open(path, "rb") as f:
            return f.read().count(b'\n{"done":')
    except FileNotFoundError:
        return 0


def kill_one(crawlfs, source, report):
    """kills a run after its first parts; False: it was too fast"""
    for name in (report, report + ".ids"):
        if os.path.exists(name):
            os.unlink(name)
    with subprocess.Popen([crawlfs, "verify", "-q", "--threads=1",
                           "--report=" + report, source],
                          stderr=subprocess.DEVNULL) as p:
        while count_done(report) < 3 and p.poll() is None:
            pass
        p.kill()
        p.wait()
    with open(report, "rb") as f:
        return b'\n{"end":' not in f.read()


def resume(crawlfs, source, report, whole, at):
    """what was resumed of a report that is cut off"""
    with open(report, "r+b") as f:
        f.truncate(at)
    p = subprocess.run([crawlfs, "verify", "--report=" + report, source],
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       check=False)
    with open(report, "rb") as f:
        same = f.read() == whole
    left = os.path.exists(report + ".ids")
    found = re.search(rb"by earlier run +([0-9]+)", p.stdout)
    if not same or left or p.returncode != 1:
        print("cut off at %d: status %d, the same %s, ids left %s\n%s" % (
            at, p.returncode, same, left, p.stderr.decode()[-500:]))
        return None
    return int(found.group(1)) if found else 0


def killed(crawlfs, source, whole):
    with open(whole, "rb") as f:
        want = f.read()
    report = whole + ".killed"
    for _ in range(50):
        if kill_one(crawlfs, source, report):
            break
    else:
        print("no run could be killed")
        return 1
    with open(report, "rb") as f:
        state = f.read()
    with open(report + ".ids", "rb") as f:
        ids = f.read()
    ends = [m.end() for m in re.finditer(rb"\n", state)]
    resumed, faults = [], 0
    for at in sorted({0, 5, ends[0] - 1, ends[0], ends[1] - 1, ends[1],
                      ends[1] + 1, len(state) // 2, ends[-1] - 1, ends[-1],
                      len(state)}):
        with open(report, "wb") as f:
            f.write(state)
        with open(report + ".ids", "wb") as f:
            f.write(ids)
        n = resume(crawlfs, source, report, want, at)
        faults += n is None
        resumed.append(n or 0)
    print("records resumed:", resumed)
    return faults > 0 or resumed != sorted(resumed) or resumed[-1] == 0


if __name__ == "__main__":
    sys.exit({"make": make, "compare": compare, "flip": flip, "killed": killed,
              "places": places}[sys.argv[1]](*sys.argv[2:]))
