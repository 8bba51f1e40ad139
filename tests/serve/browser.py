"""browser.py - headless Chromium for tests: pages are opened, what they load is
noted, pictures are taken and read.

Spoken to over a pair of pipes, in Chrome's DevTools protocol: messages of JSON,
each with a NUL behind it.  Needs nothing but Python.
SPDX-License-Identifier: GPL-3.0-or-later
"""
import base64
import json
import os
import select
import shutil
import signal
import struct
import subprocess
import time
import zlib

NAMES = "chromium", "chromium-browser", "google-chrome"
# Nothing leaves the machine: no name is known but those of this machine.
ONLY_HERE = ("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, "
             "EXCLUDE 127.0.0.1")
# Chromium reads messages from descriptor 3, and writes them to 4.
WITH_PIPES = 'a=$1 b=$2; shift 2; eval "exec \\"\\$@\\" 3<&$a 4>&$b"'

# How often a page is opened before it counts as one that does not load.
LOADS = 3


class BrowserFault(Exception):
    pass


def find():
    for name in NAMES:
        path = shutil.which(name)
        if path:
            return path
    return None


class Browser:
    """One Chromium with one page.  To be used in a `with`."""

    def __init__(self, folder, width=640, height=480, seconds=120):
        self.seconds = seconds
        down, self.out = os.pipe()
        self.back, up = os.pipe()
        self.log = os.path.join(folder, "chromium.log")
        command = [
            "sh", "-c", WITH_PIPES, "sh", str(down), str(up), find(),
            "--headless=new", "--no-sandbox",
            "--disable-gpu", "--hide-scrollbars", "--no-first-run",
            "--disable-dev-shm-usage", "--force-device-scale-factor=1",
            "--window-size=%d,%d" % (width, height), ONLY_HERE,
            "--user-data-dir=" + os.path.join(folder, "profile"),
            "--remote-debugging-pipe", "about:blank"]
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                command, pass_fds=(down, up), stdout=log, stderr=log,
                stdin=subprocess.DEVNULL, start_new_session=True)
        os.close(down)
        os.close(up)
        self.rest, self.events, self.last = b"", [], 0
        self.session = None
        try:
            self.attach(width, height)
        except BaseException:
            self.__exit__()
            raise

    def attach(self, width, height):
        self.wait_for(self.targets, "a page")
        self.session = self.call("Target.attachToTarget", flatten=True,
                                 targetId=self.targets()[0])["sessionId"]
        self.call("Emulation.setDeviceMetricsOverride", width=width,
                  height=height, deviceScaleFactor=1, mobile=False)
        for domain in "Page", "Network", "Runtime":
            self.call(domain + ".enable")
        self.call("Network.setCacheDisabled", cacheDisabled=True)

    def targets(self):
        return [t["targetId"] for t in
                self.call("Target.getTargets")["targetInfos"]
                if t["type"] == "page"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # the group is Chromium's own: it was started as the leader of one
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        os.close(self.out)
        os.close(self.back)

    def read_message(self, until):
        while b"\0" not in self.rest:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.back], [], [], left)[0]:
                return None
            piece = os.read(self.back, 1 << 20)
            if not piece:
                with open(self.log, "rb") as f:
                    raise BrowserFault("Chromium ended: %r" % f.read()[-400:])
            self.rest += piece
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **params):
        self.last += 1
        message = {"id": self.last, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        until = time.monotonic() + self.seconds
        while True:
            got = self.read_message(until)
            if got is None:
                raise BrowserFault("no answer to " + method)
            if got.get("id") == self.last:
                if "error" in got:
                    raise BrowserFault("%s: %s" % (method, got["error"]))
                return got["result"]
            if "method" in got:
                self.events.append(got)

    def wait_for(self, is_so, what, seconds=None):
        """Until is_so() is true, which is asked after each event, and ten times
        a second."""
        until = time.monotonic() + (seconds or self.seconds)
        while not is_so():
            if time.monotonic() > until:
                raise BrowserFault("in vain: %s; no answer to %s; %s" % (
                    what, self.unanswered("")[:5], self.events[-2:]))
            got = self.read_message(min(until, time.monotonic() + 0.1))
            if got is not None and "method" in got:
                self.events.append(got)

    def value(self, expression):
        """What an expression is in the page; None if it throws."""
        got = self.call("Runtime.evaluate", expression=expression,
                        returnByValue=True, awaitPromise=True)
        return got["result"].get("value")

    def open(self, url):
        self.events = []
        got = self.call("Page.navigate", url=url)
        if "errorText" in got:
            raise BrowserFault("%s: %s" % (url, got["errorText"]))

    def open_until(self, url, is_so, what):
        """Opens a page and waits until is_so() is true.  As a reader would, it
        is opened anew where nothing more comes."""
        for _ in range(LOADS - 1):
            try:
                self.open(url)
                self.wait_for(is_so, what, self.seconds / LOADS)
                return
            except BrowserFault as fault:
                print("opened anew:", fault)
        self.open(url)
        self.wait_for(is_so, what)

    def unanswered(self, below):
        """The URLs that begin so, were asked for, and have no answer. (The
        scripts of workers never have one, here.)"""
        asked = {e["params"]["requestId"]: e["params"]["request"]["url"]
                 for e in self.events
                 if e["method"] == "Network.requestWillBeSent" and
                 e["params"]["request"]["url"].startswith(below)}
        for e in self.events:
            if e["method"] in ("Network.loadingFinished",
                               "Network.loadingFailed"):
                asked.pop(e["params"]["requestId"], None)
        return list(asked.values())

    def answers(self):
        """(URL, request's ID, status, type) of what the page has loaded since
        open(), in order."""
        done = {e["params"]["requestId"] for e in self.events
                if e["method"] == "Network.loadingFinished"}
        return [(e["params"]["response"]["url"], e["params"]["requestId"],
                 e["params"]["response"]["status"],
                 e["params"]["response"]["mimeType"])
                for e in self.events
                if e["method"] == "Network.responseReceived" and
                e["params"]["requestId"] in done]

    def body(self, request):
        got = self.call("Network.getResponseBody", requestId=request)
        return base64.b64decode(got["body"]) if got["base64Encoded"] else \
            got["body"].encode("utf-8", "surrogatepass")

    def picture(self):
        """A PNG of the window, once nothing in it moves any more."""
        until, last = time.monotonic() + self.seconds, None
        while time.monotonic() < until:
            png = base64.b64decode(self.call("Page.captureScreenshot",
                                             format="png")["data"])
            if png == last:
                return png
            last = png
            time.sleep(0.3)
        raise BrowserFault("the page does not stand still")


def unfilter(line, above, kind, bpp):
    """One line of a PNG, by its filter (PNG 1.2, section 6)."""
    for i, byte in enumerate(line):
        a = line[i - bpp] if i >= bpp else 0
        b = above[i]
        c = above[i - bpp] if i >= bpp else 0
        if kind == 1:
            p = a
        elif kind == 2:
            p = b
        elif kind == 3:
            p = (a + b) >> 1
        else:
            p = min((abs(b - c), 0, a), (abs(a - c), 1, b),
                    (abs(a + b - 2 * c), 2, c))[2]
        line[i] = (byte + p) & 255


def pixels(png):
    """(width, height, bytes a pixel, rows) of a PNG of 8 bits, RGB or RGBA, not
    interlaced, as Chromium makes."""
    if png[:8] != b"\x89PNG\r\n\x1a\n":
        raise BrowserFault("no PNG: %r" % png[:16])
    at, data = 8, b""
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at:at + 8])
        if kind == b"IHDR":
            width, height, bits, colour, _, _, interlace = struct.unpack(
                ">IIBBBBB", png[at + 8:at + 8 + size])
            if bits != 8 or colour not in (2, 6) or interlace:
                raise BrowserFault("another kind of PNG")
        elif kind == b"IDAT":
            data += png[at + 8:at + 8 + size]
        at += 12 + size
    bpp = {2: 3, 6: 4}[colour]
    data, stride = zlib.decompress(data), width * bpp
    rows, above = [], bytes(stride)
    for y in range(height):
        kind = data[y * (stride + 1)]
        line = bytearray(data[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        if kind:
            unfilter(line, above, kind, bpp)
        rows.append(bytes(line))
        above = line
    return width, height, bpp, rows


def differing(one, other):
    """How many pixels of two PNGs differ; -1: they have not the same size."""
    if one == other:
        return 0
    a, b = pixels(one), pixels(other)
    if a[:2] != b[:2]:
        return -1
    return sum(x[i * a[2]:i * a[2] + 3] != y[i * b[2]:i * b[2] + 3]
               for x, y in zip(a[3], b[3]) if x != y or a[2] != b[2]
               for i in range(a[0]))


def colours(png):
    """How many pixels there are of each colour."""
    counts = {}
    _, _, bpp, rows = pixels(png)
    for row in rows:
        for i in range(0, len(row), bpp):
            counts[row[i:i + 3]] = counts.get(row[i:i + 3], 0) + 1
    return counts
