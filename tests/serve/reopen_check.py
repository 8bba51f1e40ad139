"""reopen_check.py - indexes that grow while crawlfs serve has them.

    reopen_check.py make FOLDER            archives, and an index of the first
    reopen_check.py grow FOLDER URL PID LOG

grow adds archives to the index while threads ask for pages: each reply must be
the whole page, of a state of the index that was there, and never of one before
the last.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import gzip
import http.client
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.parse

CRAWLFS = os.environ["CFS_BUILDDIR"] + "/crawlfs"
STATES = 5
BIG = b"".join(b"line %d of a long page\n" % i for i in range(400000))


def record(url, year, body):
    block = (b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
             b"Content-Length: %d\r\n\r\n" % len(body)) + body
    return gzip.compress(
        b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: %d-01-01T00:00:00Z\r\n"
        b"WARC-Target-URI: %s\r\nWARC-Record-ID: <urn:x:%s/%d>\r\n"
        b"Content-Type: application/http; msgtype=response\r\n"
        b"Content-Length: %d\r\n\r\n%s\r\n\r\n" %
        (year, url, url, year, len(block), block), 1)


def body_of(state):
    return b"state %d\n" % state * (10 + state)


def archive(folder, state):
    with open(f"{folder}/{state}.warc.gz", "wb") as f:
        f.write(record(b"http://both.example/", 2000 + state, body_of(state)))
        f.write(record(b"http://only%d.example/" % state, 2000, b"here"))
        if state == 0:
            f.write(record(b"http://long.example/", 2000, BIG))


def index(folder, last, *options):
    subprocess.run([CRAWLFS, "index", "-q", *options, "-o", folder + "/i.cfx",
                    "--base=" + folder] +
                   [f"{folder}/{i}.warc.gz" for i in range(last + 1)],
                   check=True)


def ask(base, path, first=None):
    """The reply and its body; first: called when some of it was read."""
    where = urllib.parse.urlsplit(base)
    c = http.client.HTTPConnection(where.netloc, timeout=100)
    try:
        c.request("GET", path)
        r = c.getresponse()
        data = b""
        if first is not None:
            data = r.read(1000)
            first()
        return r, data + r.read()
    finally:
        c.close()


def get(base, path, first=None):
    """The status and the body."""
    r, body = ask(base, path, first)
    return r.status, body


def get_newest(base):
    to, _ = ask(base, "/web/http://both.example/")
    assert to.status == 302, to.status
    return get(base, to.getheader("Location"))


class Asker(threading.Thread):
    def __init__(self, base, how):
        super().__init__()
        self.base, self.how = base, how
        self.fault, self.n, self.is_over, self.state = None, 0, False, 0
        self.start()

    def run(self):
        try:
            while not self.is_over:
                self.how(self)
                self.n += 1
        except Exception as e:
            self.fault = repr(e)

    def newest(self):
        status, body = get_newest(self.base)
        state = [i for i in range(STATES) if body == body_of(i)]
        assert status == 200 and state, (status, body[:80])
        assert state[0] >= self.state, (state, self.state)
        self.state = state[0]

    def first(self):
        status, body = get(self.base, "/view/example/only0/_/_index")
        assert status == 200 and body == b"here", (status, body[:80])

    def long(self):
        status, body = get(self.base, "/view/example/long/_/_index")
        assert status == 200 and body == BIG, (status, len(body))

    def rows(self):
        status, body = get(self.base, "/cdx?url=http://both.example/")
        assert status == 200, status
        assert self.state < body.count(b"\n") <= STATES, body
        self.state = body.count(b"\n") - 1


def wait_for(what):
    end = time.monotonic() + 60
    while not what():
        assert time.monotonic() < end, "waited for too long"
        time.sleep(0.05)


def grow(folder, base, pid, log):
    has_begun, may_end = threading.Event(), threading.Event()
    slow = []

    def hold():
        has_begun.set()
        may_end.wait(100)
    reader = threading.Thread(target=lambda: slow.append(get(
        base, "/view/example/long/_/_index", hold)))
    reader.start()
    has_begun.wait(60)
    askers = [Asker(base, how) for how in (Asker.newest, Asker.first,
                                           Asker.long, Asker.rows)]
    for state in range(1, STATES):
        index(folder, state, "--update")
        # the first one is found by looking at the file
        if state > 1:
            os.kill(pid, signal.SIGHUP)
        wait_for(lambda: get(base, f"/view/example/only{state}/_/_index") ==
                 (200, b"here"))
    with open(folder + "/bad", "w") as f:
        f.write("no index\n")
    os.rename(folder + "/i.cfx", folder + "/good")
    os.rename(folder + "/bad", folder + "/i.cfx")
    os.kill(pid, signal.SIGHUP)
    wait_for(lambda: "not opened again" in open(log).read())
    assert get_newest(base) == (200, body_of(STATES - 1))
    os.rename(folder + "/good", folder + "/i.cfx")
    counts = [a.n for a in askers]
    wait_for(lambda: all(a.n > n or a.fault
                         for a, n in zip(askers, counts)))
    for a in askers:
        a.is_over = True
        a.join()
        assert a.fault is None, (a.how.__name__, a.fault)
    may_end.set()
    reader.join()
    assert slow == [(200, BIG)], "a slow reader got something else"


def main():
    if sys.argv[1] == "make":
        for state in range(STATES):
            archive(sys.argv[2], state)
        index(sys.argv[2], 0)
    else:
        grow(sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5])


main()
