"""memory_check.py - makes pages larger than a mount's memory, and reads them.

SPDX-License-Identifier: GPL-3.0-or-later

    make ARCHIVE SUMS     the archive, and the digest and size of each body
    read MOUNT SUMS WHICH   those in the folder of host WHICH, one by one
    crowd MOUNT SUMS      one reader a page, all at a time, from host `many`
    held MOUNT SUMS       all of them opened, then read in turn, piece by piece
    views MOUNT HOST      .txt and .meta of its pages can be read (`*`: of all)
    members MOUNT ARCHIVE   the members are those of the archive
    fails MOUNT WHICH ERRNO   reading these pages does
    keeps MOUNT PID MIB   no more than that was used, by .crawlfs/stats, or was
                          ever resident of the daemon, and 64 MiB for itself
    peak PID MIB          the second half of that
    decoded ARCHIVE       one page, short as archived and long once decoded, of
                          which it has the digest
    revisits ARCHIVE      a long page, and eight revisits of it elsewhere
    digests CDXJ SUMS     lines of bodies that are archived as they are have theirs
    child MIB COMMAND...  runs it; it had no more than that resident
    resident PROGRAM      can the latter be told?  Not with a sanitizer
"""
import base64
import errno
import glob
import hashlib
import json
import os
import random
import resource
import sys
import threading
import zlib

MB = 1 << 20
# tests/bench/mem.sh measures larger ones
LARGE = int(os.environ.get("MEMORY_LARGE", "66")) * MB
MANY, MANY_BYTES = (int(n) for n in
                    os.environ.get("MEMORY_MANY", "32 3").split())
MANY_BYTES *= MB
PIECE = 128 * 1024


def text(n):
    """Compressible, as pages are."""
    line = b"<p>" + b"The quick brown fox jumps over the lazy dog. " * 20
    block = (line + b"</p>\n") * (MB // len(line))
    while n > 0:
        yield block[:n]
        n -= len(block[:n])


def noise(n, seed):
    r = random.Random(seed)
    while n > 0:
        yield r.randbytes(min(n, MB))
        n -= MB


def chunked(pieces):
    for p in pieces:
        yield b"%x\r\n" % len(p) + p + b"\r\n"
    yield b"0\r\n\r\n"


def zipped(pieces, window):
    z = zlib.compressobj(1, zlib.DEFLATED, window)
    for p in pieces:
        yield z.compress(p)
    yield z.flush()


def pages():
    """(host, name, MIME type, further header, stored pieces, plain pieces)"""
    def plain(host, name, mime, make):
        return host, name, mime, b"", make, make

    yield plain("large", "text.html", b"text/html", lambda: text(LARGE))
    yield plain("large", "plain.txt", b"text/plain", lambda: text(LARGE))
    yield plain("large", "noise.bin", b"application/octet-stream",
                lambda: noise(LARGE // 4, 1))
    yield ("large", "chunked.html", b"text/html",
           b"Transfer-Encoding: chunked\r\n",
           lambda: chunked(text(LARGE)), lambda: text(LARGE))
    yield ("large", "gzip.html", b"text/html", b"Content-Encoding: gzip\r\n",
           lambda: zipped(text(LARGE), 31), lambda: text(LARGE))
    for i in range(MANY):
        yield plain("many", "page%02d.html" % i, b"text/html",
                    lambda i=i: iter([*noise(MANY_BYTES // 8, i),
                                      *text(MANY_BYTES * 7 // 8)]))
    yield plain("small", "page.html", b"text/html", lambda: text(20000))


def record(url, mime, header, stored):
    head = (b"HTTP/1.1 200 OK\r\nContent-Type: " + mime + b"\r\n" + header +
            b"\r\n")
    n = sum(len(p) for p in stored()) + len(head)
    yield (b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: " + url +
           b"\r\nWARC-Date: 2024-01-01T00:00:00Z\r\nWARC-Record-ID: "
           b"<urn:uuid:%032x>\r\n"
           b"Content-Type: application/http; msgtype=response\r\n"
           b"Content-Length: %d\r\n\r\n" % (zlib.crc32(url), n) + head)
    yield from stored()
    yield b"\r\n\r\n"


def make(archive, sums):
    found = {}
    with open(archive, "wb") as out:
        for host, name, mime, header, stored, plain in pages():
            url = "http://%s.example.com/%s" % (host, name)
            for piece in zipped(record(url.encode(), mime, header, stored),
                                31):
                out.write(piece)
            digest = hashlib.sha1()
            n = 0
            for p in plain():
                digest.update(p)
                n += len(p)
            found["com/example/%s/_/%s" % (host, name)] = [
                digest.hexdigest(), n]
    with open(sums, "w", encoding="utf-8") as out:
        json.dump(found, out)


def digest_of(path):
    digest = hashlib.sha1()
    n = 0
    with open(path, "rb", buffering=0) as f:
        while True:
            p = f.read(PIECE)
            if not p:
                return [digest.hexdigest(), n]
            digest.update(p)
            n += len(p)


def listed(sums, host):
    with open(sums, encoding="utf-8") as f:
        found = json.load(f)
    return {k: v for k, v in found.items() if "/%s/" % host in k}


def read(mount, sums, host):
    for path, want in listed(sums, host).items():
        got = digest_of(mount + "/" + path)
        if got != want:
            sys.exit("%s: %s, not %s" % (path, got, want))


def crowd(mount, sums):
    pages_of = listed(sums, "many")
    got = {}
    gate = threading.Barrier(len(pages_of))

    def reader(path):
        gate.wait()
        got[path] = digest_of(mount + "/" + path)

    threads = [threading.Thread(target=reader, args=(p,)) for p in pages_of]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if got != pages_of:
        sys.exit("other bytes, or none: %d of %d" % (len(got), len(pages_of)))


def held(mount, sums):
    pages_of = listed(sums, "many")
    files = {p: open(mount + "/" + p, "rb", buffering=0) for p in pages_of}
    got = {p: [hashlib.sha1(), 0] for p in pages_of}
    left = set(pages_of)
    while left:
        for path in sorted(left):
            piece = files[path].read(8 * PIECE)
            if not piece:
                left.remove(path)
                files[path].close()
            got[path][0].update(piece)
            got[path][1] += len(piece)
    if {p: [d.hexdigest(), n] for p, (d, n) in got.items()} != pages_of:
        sys.exit("other bytes")


def views(mount, host):
    pages_of = "%s/com/example/%s/_/*." % (mount, host)
    for path in sorted(glob.glob(pages_of + "txt") +
                       glob.glob(pages_of + "meta")):
        if digest_of(path)[1] == 0 and "noise" not in path:
            sys.exit(path + " is empty")


def members(mount, archive):
    """Together they are the archive, in whatever order."""
    total = 0
    for path in glob.glob(mount + "/com/example/*/_/*.warc.gz"):
        with open(path, "rb") as f:
            if f.read(2) != b"\x1f\x8b":
                sys.exit(path + " is no gzip member")
        total += digest_of(path)[1]
    if total != os.path.getsize(archive):
        sys.exit("%d bytes, not %d" % (total, os.path.getsize(archive)))


def fails(mount, host, name):
    for path in glob.glob("%s/com/example/%s/_/*.html" % (mount, host)):
        try:
            digest_of(path)
        except OSError as e:
            if e.errno == getattr(errno, name):
                continue
            raise
        sys.exit(path + " was read")


def has_sanitizer(program):
    with open(program, "rb") as f:
        code = f.read()
    return b"__asan_init" in code or b"__tsan_init" in code


def resident(program):
    if has_sanitizer(program):
        sys.exit(1)


def peak_kib(pid):
    with open("/proc/%s/status" % pid, encoding="ascii") as f:
        return next(int(line.split()[1]) for line in f
                    if line.startswith("VmHWM:"))


def keeps(mount, pid, mib):
    account(mount, mib)
    peak(pid, mib)


def peak(pid, mib):
    if has_sanitizer("/proc/%s/exe" % pid):
        return
    print("%d KiB were resident" % peak_kib(pid))
    if peak_kib(pid) > (int(mib) + 64) * 1024:
        sys.exit("more than %s and 64 MiB" % mib)


def decoded(archive):
    plain = b"".join(noise(3 * MB // 2, 2)) + bytes(LARGE)
    body = b"".join(zipped([plain], 31))
    head = (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
            b"Content-Encoding: gzip\r\n\r\n")
    digest = base64.b32encode(hashlib.sha1(plain).digest())
    with open(archive, "wb") as out:
        out.write(b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: "
                  b"http://example.com/\r\nWARC-Date: 2024-01-01T00:00:00Z\r\n"
                  b"WARC-Payload-Digest: sha1:" + digest + b"\r\n"
                  b"Content-Type: application/http; msgtype=response\r\n"
                  b"Content-Length: %d\r\n\r\n" % (len(head) + len(body)) +
                  head + body + b"\r\n\r\n")


def revisits(archive):
    url = b"http://example.com/long"
    with open(archive, "wb") as out:
        for piece in zipped(record(url, b"text/html", b"",
                                   lambda: text(2 * LARGE)), 31):
            out.write(piece)
        for i in range(8):
            head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
            again = (b"WARC/1.0\r\nWARC-Type: revisit\r\nWARC-Target-URI: "
                     b"http://example.com/again%d\r\n"
                     b"WARC-Date: 2024-02-0%dT00:00:00Z\r\n"
                     b"WARC-Profile: http://netpreserve.org/warc/1.0/revisit/"
                     b"identical-payload-digest\r\n"
                     b"WARC-Refers-To-Target-URI: %s\r\n"
                     b"WARC-Refers-To-Date: 2024-01-01T00:00:00Z\r\n"
                     b"Content-Type: application/http; msgtype=response\r\n"
                     b"Content-Length: %d\r\n\r\n" %
                     (i, i + 1, url, len(head)) + head + b"\r\n\r\n")
            for piece in zipped([again], 31):
                out.write(piece)


def digests(cdxj, sums):
    with open(sums, encoding="utf-8") as f:
        want = {path.replace("/_/", "/").split("/", 2)[2]: digest[0]
                for path, digest in json.load(f).items()}
    n = 0
    with open(cdxj, encoding="utf-8") as f:
        for line in f:
            row = json.loads(line.split(" ", 2)[2])
            host, name = row["url"][len("http://"):].split("/")
            if name in ("chunked.html", "gzip.html"):
                continue
            has = base64.b32decode(row["digest"].split(":")[-1]).hex()
            if has != want[host.split(".")[0] + "/" + name]:
                sys.exit(row["url"])
            n += 1
    if n != len(want) - 2:
        sys.exit("%d lines" % n)


def child(mib, *command):
    status = os.spawnvp(os.P_WAIT, command[0], command)
    kib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print("%d KiB were resident" % kib)
    if status != 0:
        sys.exit("exit status %d" % status)
    if kib > int(mib) * 1024 and not has_sanitizer(command[0]):
        sys.exit("more than %s MiB" % mib)


def account(mount, mib):
    with open(mount + "/.crawlfs/stats", encoding="utf-8") as f:
        memory = json.load(f)["memory"]
    print(memory)
    if memory["most"] > int(mib) * MB or memory["max"] > int(mib) * MB:
        sys.exit("more than %s MiB" % mib)
    if memory["loading"] + memory["waiting"] > 0:
        sys.exit("loads that do not end")
    if memory["used"] != sum(memory[k] for k in (
            "index", "records", "views", "remote")):
        sys.exit("the kinds do not add up")


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
