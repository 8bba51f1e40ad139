#!/usr/bin/env python3
"""replay_site.py - a small site in an archive, as browsers load sites.

    replay_site.py FOLDER
        FOLDER/warc/site.warc.gz, and the same archive in FOLDER/wacz/site.wacz

What a page loads has a colour of its own, of which SQUARE pixels or more are
seen if it was found.  When the page has loaded all, its root element says so
in data-done.
SPDX-License-Identifier: GPL-3.0-or-later
"""
import base64
import gzip
import hashlib
import json
import os
import struct
import sys
import zipfile
import zlib

HOST = "http://www.site.example"
PAGE = HOST + "/"
SIDE = 40
SQUARE = SIDE * SIDE
OLD, NEW = "2020-03-04T05:06:07Z", "2022-03-04T05:06:07Z"
# what shows which colour: what was loaded, and by what
COLOURS = {
    "the page's own style": (250, 240, 200),
    "a style sheet": (200, 30, 40),
    "one that a style sheet imports": (30, 160, 60),
    "a picture of a style sheet": (20, 60, 220),
    "a picture": (240, 120, 0),
    "a picture behind a redirect": (120, 0, 160),
    "a picture that is a revisit": (0, 170, 190),
    "a drawing": (90, 90, 20),
    "a frame": (10, 110, 110),
    "what a script added": (220, 0, 200),
    "what a script fetched": (60, 60, 60),
}


def css(what):
    return "rgb(%d, %d, %d)" % COLOURS[what]


def picture(what):
    """A PNG of one colour."""
    line = b"\0" + bytes(COLOURS[what]) * SIDE

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(
            ">I", zlib.crc32(kind + data))

    return (b"\x89PNG\r\n\x1a\n" +
            chunk(b"IHDR", struct.pack(">IIBBBBB", SIDE, SIDE, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(line * SIDE)) + chunk(b"IEND", b""))


def page(year):
    return ("""<!doctype html><html lang=en><head><meta charset=iso-8859-1>
<title>The site of %d</title><link rel=stylesheet href=/style.css>
<style>body { margin: 0; background: %s; font: 16px monospace }
.s { width: %dpx; height: %dpx; display: inline-block; border: 0 }</style>
</head><body><h1>D\xe9j\xe0 vu in %d</h1>
<div class="s one"></div><div class="s two"></div><div class="s three"></div>
<img class=s src="pic/a.png" alt=a><img class=s src="/moved" alt=b>
<img class=s src="//img.site.example/again.png" alt=c>
<img class=s src="pic/d.svg?a=1&amp;b=%%C3%%A9" alt=d>
<iframe class=s src="frame.html"></iframe><p id=added></p>
<script src="app.js"></script></body></html>""" % (
    year, css("the page's own style"), SIDE, SIDE, year)).encode("latin-1")


SCRIPT = """
var square = function (colour) {
  var e = document.createElement("div");
  e.className = "s";
  e.style.background = colour;
  document.getElementById("added").append(e);
};
square("%s");
var loaded = new Promise(function (done) {
  window.addEventListener("load", done);
});
fetch("/data.json?x=1").then(function (r) { return r.json(); })
  .then(function (data) { square(data.colour); return loaded; })
  .then(function () { document.documentElement.dataset.done = "yes"; });
""" % css("what a script added")


def chunked(body):
    out = b""
    for i in range(0, len(body), 7):
        out += b"%x\r\n%s\r\n" % (len(body[i:i + 7]), body[i:i + 7])
    return out + b"0\r\n\r\n"


def digest(data):
    return "sha1:" + base64.b32encode(hashlib.sha1(data).digest()).decode()


def record(kind, url, when, block, *more):
    fields = ["WARC/1.0", "WARC-Type: " + kind, "WARC-Target-URI: " + url,
              "WARC-Date: " + when, "WARC-Record-ID: <urn:uuid:%08x-0000-4000-"
              "8000-%012x>" % (zlib.crc32(url.encode()),
                               zlib.crc32((when + kind).encode())),
              "Content-Type: application/http; msgtype=response",
              "Content-Length: %d" % len(block)]
    return gzip.compress("\r\n".join(fields + list(more)).encode() +
                         b"\r\n\r\n" + block + b"\r\n\r\n", 9, mtime=0)


def message(status, mime, body, how=""):
    head = "HTTP/1.1 %s\r\nContent-Type: %s\r\n" % (status, mime)
    if how == "gzip":
        body = gzip.compress(body, 9, mtime=0)
        head += "Content-Encoding: gzip\r\n"
    if how == "chunked":
        head, body = head + "Transfer-Encoding: chunked\r\n", chunked(body)
    elif how.startswith("/"):
        head += "Location: %s\r\nContent-Length: 0\r\n" % how
    else:
        head += "Content-Length: %d\r\n" % len(body)
    return head.encode() + b"\r\n" + body, body


# (URL, time, status, type, body, how it is stored)
FILES = [
    (PAGE, OLD, "200 OK", "text/html", page(2020), "gzip"),
    (PAGE, NEW, "200 OK", "text/html", page(2022), "chunked"),
    (HOST + "/style.css", OLD, "200 OK", "text/css", (
        "@import 'more/two.css';\n.one { background: %s }\n"
        ".three { background: url(pic/bg.png) }\n" % css(
            "a style sheet")).encode(), "gzip"),
    (HOST + "/more/two.css", OLD, "200 OK", "text/css", (
        ".two { background: %s }" % css(
            "one that a style sheet imports")).encode(), ""),
    (HOST + "/pic/bg.png", OLD, "200 OK", "image/png",
     picture("a picture of a style sheet"), ""),
    (HOST + "/pic/a.png", OLD, "200 OK", "image/png", picture("a picture"),
     "chunked"),
    (HOST + "/moved", OLD, "302 Found", "text/plain", b"", "/pic/b.png"),
    (HOST + "/pic/b.png", OLD, "200 OK", "image/png",
     picture("a picture behind a redirect"), ""),
    ("http://img.site.example/again.png", OLD, "200 OK", "image/png",
     picture("a picture that is a revisit"), ""),
    ("http://img.site.example/again.png", NEW, "200 OK", "image/png",
     picture("a picture that is a revisit"), "revisit"),
    (HOST + "/pic/d.svg?a=1&b=%C3%A9", OLD, "200 OK", "image/svg+xml", (
        '<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d">'
        '<rect width="100%%" height="100%%" fill="%s"/></svg>' % (
            SIDE, SIDE, css("a drawing"))).encode(), "gzip"),
    (HOST + "/frame.html", OLD, "200 OK", "text/html; charset=utf-8", (
        "<!doctype html><title>frame</title><body style='background: %s'>"
        "" % css("a frame")).encode(), ""),
    (HOST + "/app.js", OLD, "200 OK", "application/javascript",
     SCRIPT.encode(), ""),
    (HOST + "/data.json?x=1", OLD, "200 OK", "application/json", json.dumps(
        {"colour": css("what a script fetched")}).encode(), "chunked"),
]


# the same again: at another time, and under another URL
FILES += [(url, NEW) + rest for url, when, *rest in FILES
          if url in (HOST + "/style.css", HOST + "/pic/a.png") for rest in [
              tuple(rest)]]
FILES.append((HOST + "/again.html", NEW) + FILES[0][2:])
SAME = 3


def stamp(when):
    return "".join(c for c in when if c.isdigit())


def key(url):
    """The SURT of a URL of this site."""
    host, _, path = url.partition("://")[2].lower().partition("/")
    return ",".join(reversed(host.removeprefix("www.").split("."))) + \
        ")/" + path


def make_warc():
    """The archive, and lines of CDXJ for it."""
    out, lines = b"", []
    for url, when, status, mime, body, how in FILES:
        block, stored = message(status, mime, body,
                                "" if how == "revisit" else how)
        more = ["WARC-Payload-Digest: " + digest(stored)]
        kind = "response"
        if how == "revisit":
            block, kind = block[:len(block) - len(stored)], "revisit"
            more += ["WARC-Profile: http://netpreserve.org/warc/1.0/revisit/"
                     "identical-payload-digest",
                     "WARC-Refers-To-Target-URI: " + url,
                     "WARC-Refers-To-Date: " + OLD]
        member = record(kind, url, when, block, *more)
        lines.append("%s %s %s" % (key(url), stamp(when), json.dumps({
            "url": url, "status": status[:3], "digest": more[0].split(": ")[1],
            "mime": "warc/revisit" if kind == "revisit" else
                    mime.partition(";")[0],
            "length": str(len(member)), "offset": str(len(out)),
            "filename": "site.warc.gz"})))
        out += member
    return out, "".join(line + "\n" for line in sorted(lines))


def make_wacz(path, warc, lines):
    pages = "".join(json.dumps(v) + "\n" for v in (
        {"format": "json-pages-1.0", "id": "pages", "title": "All pages"},
        {"id": "1", "url": PAGE, "ts": OLD, "title": "The site of 2020"}))
    parts = [("archive/site.warc.gz", warc), ("indexes/index.cdx",
                                              lines.encode()),
             ("pages/pages.jsonl", pages.encode())]
    about = json.dumps({
        "profile": "data-package", "wacz_version": "1.1.1", "created": NEW,
        "resources": [{"name": os.path.basename(name), "path": name,
                       "hash": "sha256:" + hashlib.sha256(data).hexdigest(),
                       "bytes": len(data)} for name, data in parts]}).encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as z:
        for name, data in parts + [("datapackage.json", about)]:
            z.writestr(zipfile.ZipInfo(name, (2022, 3, 4, 5, 6, 8)), data)


def main(folder):
    warc, lines = make_warc()
    for name in "warc", "wacz":
        os.makedirs(os.path.join(folder, name))
    with open(os.path.join(folder, "warc", "site.warc.gz"), "wb") as f:
        f.write(warc)
    make_wacz(os.path.join(folder, "wacz", "site.wacz"), warc, lines)


if __name__ == "__main__":
    main(sys.argv[1])
