#!/usr/bin/env python3
# jobs_check.py - what the jobs of contrib/jobs should count.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     jobs_check.py make FOLDER
#         an archive whose pages have what the jobs count and what they must
#         not, and the selection of it
#     jobs_check.py wat FOLDER
#         two pages with links, and metadata of one of them that is no JSON
#     jobs_check.py count JOB [--captures] [--mount FOLDER] [OPTION] FOLDER
#         the lines that JOB prints of the archives below FOLDER.  The pages
#         and their heads are read from the archives; text and links, too, by
#         the standard library's HTML parser, or with --mount from the .txt
#         and .meta of that mount, by the names that the model has for them.
#     jobs_check.py names FOLDER SUFFIX
#         the full form of each page, as the model has it, each with a NUL
"""Counts what the jobs count, another way."""

import argparse
import collections
import csv
import gzip
import html.parser
import json
import os
import re
import sys
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "model"))
import record_reader                                            # noqa: E402
import tree_model                                               # noqa: E402

HOST = "http://jobs.example"
CRLF = "\r\n"
BYTES = ("utf-8", "surrogateescape")


# ---- make ----

def head(*fields):
    return ["HTTP/1.1 200 OK"] + list(fields)


def page(title, body):
    return "<html><head><title>%s</title></head><body>%s</body></html>" % (
        title, body)


HTML = head("Server: Apache/2.2.3 (CentOS)", "Content-Type: text/html")
PLAIN = head("Server: nginx", "Content-Type: text/plain; charset=utf-8")


def odd_pages():
    """(URL, head, body) of pages; without a head no HTTP was spoken."""
    # names that look like views, and the reverse
    for name in ("robots", "robots.txt", "robots.txt.txt", "a", "a.txt",
                 "a.meta", "a.txt.meta", "b/c", "b", "b.headers", "b%23",
                 "c#1", "c##2", "d#", "-n", "e=f", "x y 'q' \"z\" *", "x=1",
                 "long" + 300 * "n", "long" + 300 * "#", "_index", ""):
        yield "/" + name, HTML, page(
            "words of " + re.sub("[^a-z]", " ", name[:40]),
            "<p>Here <B>IS</B> one@two.example</p>"
            "<a href='/%d'>to\t%s</a>" % (len(name), name[:9].replace("<", "")))
    # words
    yield "/words", PLAIN, (
        "Don't don\u2019t \u201cquoted\u201d \u00abquoted\u00bb caf\u00e9 Caf\u00e9"
        " CAF\u00c9 na\u00efve\u2014dash 3.14 \u4f60\u597d\uff0c\u4e16\u754c\u3002"
        " \u0645\u06cc\u200c\u0631\u0648\u0645\u060c \U0001f600smile x\u00d7y "
        "\u0928\u092e\u0938\u094d\u0924\u0947\u0964 \u30c6\u30b9\u30c8\u30fb\u30c6\n")
    yield "/noend", PLAIN, "last"
    yield "/nobegin", PLAIN, "first"
    yield "/longword", PLAIN, "w" * 200 + " " + "v" * 201 + " " + \
        "u" * 100000 + " \u4e00" * 3 + "\u4e01" * 90 + "\uff0c" + "\u4e02" * 4
    yield "/nul", PLAIN, "one\0two\0\0three"
    yield "/latin1", head("Content-Type: text/plain; charset=iso-8859-1"), \
        b"caf\xe9 a\xa0b \xabc\xbb \xb5m \xaa \xba \xd7 \xf7 \xe7a"
    # addresses
    yield "/mail", PLAIN, (
        "joe@example.com, Joe@Example.COM. <ann+tag@mail.example.org>\n"
        "a@b @c d@ e@f.g h@i..jk l@m.no@p.qr .dot.@x.yz -dash@x.yz "
        "logo@2x.png u_n%d@sub-domain.example.museum ex@127.0.0.1 "
        "mailto:m@n.op?subject=x q@r.st's \u00fc@v.wx t@-u.vw\n" + "a" * 500000 +
        "@b.cd " + "z" * 250 + "@y.zz\n" + 60000 * "k@" + "\n")
    yield "/mailto", HTML, page("mailto", "<a href='mailto:link@only.example'>x"
                                "</a> &#106;im&#64;entity.example")
    # tags and their types
    tags = page("t", "<P><p class=x><BR/><br><!-- <hidden> --><x-y><a:b><1>"
                "< b><" + "t" * 64 + "><" + "s" * 65 + "><script>if (a<b)"
                "</script><\n<i\n>")
    for i, kind in enumerate(("text/html", "TEXT/HTML; charset=utf-8",
                              "application/xhtml+xml", "text/html ;x",
                              "text/htmlx", "text/xml", "image/png",
                              "x/y; a=text/html")):
        yield "/tags/%d" % i, head("Content-Type: " + kind,
                                   "Server: Apache-Coyote/1.1"), tags
    yield "/tags/lower", ["HTTP/1.0 200 OK", "content-type:text/html",
                          "X: content-type: text/plain"], tags
    yield "/tags/end", HTML, "<html><"
    yield "/tags/begin", HTML, "b>no<i>"
    # servers
    for i, fields in enumerate((
            ["Server: Microsoft-IIS/6.0"], ["SERVER:  nginx"], ["Server:"],
            ["Server: A b c", "Server: other"], ["X-Server: no"], [],
            ["Server: (odd)"], ["Server: Two\tWords"], ["Server: [x]/1"],
            ["X: a", "server : spaced"])):
        yield "/server/%d" % i, head("Content-Type: text/plain", *fields), "x"
    # PDF
    for i, kind in enumerate(("application/pdf", "Application/PDF; x=y",
                              "application/x-pdf", "application/pdfx",
                              "application/octet-stream")):
        yield "/p d f/%d.pdf" % i, head("Content-Type: " + kind), b"%PDF-1.4 \0\xff"
    yield "/p d f", head("Content-Type: application/pdf"), "also a folder"
    # captures
    for i in range(3):
        yield "/often", HTML, page("often%d" % i, "<h%d>many%d@x.yz<a href="
                                   "//h%d.example:80/>l</a>" % (i + 1, i, i))
    # links
    yield "/links", HTML, page("links", (
        "<a href='http://User@Other.EXAMPLE:8080/p?q=@z'>up &amp; down</a> "
        "<a href='http://other.example./'>dot</a> <a href='#f'>f</a>"
        "<a href='ftp://ftp.example/'> </a> <img src='//img.example/i'>"
        "<a href='http://[2001:db8::1]:80/'>v6</a> <a href='http://[2001:db8::1]/'>"
        "v6</a> <a href='https://other.example/a\\b'>back</a>"
        "<area href='http://area.example'><a href='news:x'>n</a>"))
    # no HTTP, and bytes that are no text
    yield "/resource", None, "<a>resource words</a>"
    yield "/binary", head("Content-Type: image/jpeg"), bytes(range(256)) * 40


def warc_record(kind, url, second, block, content_type):
    return (("WARC/1.0\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\n"
             "WARC-Date: 2024-02-20T12:%02d:%02dZ\r\nWARC-Record-ID: "
             "<urn:uuid:%032x>\r\nContent-Type: %s\r\nContent-Length: %d"
             "\r\n\r\n" % (kind, url, second // 60, second % 60, second,
                           content_type, len(block))).encode() +
            block + b"\r\n\r\n")


def make(folder):
    os.makedirs(folder)
    path = os.path.join(folder, "jobs.warc.gz")
    rows = []
    codes = ["spa", "eng,spa", "cat", "", "zho,eng,deu"]
    with open(path, "wb") as f:
        for i, (name, fields, body) in enumerate(odd_pages()):
            if isinstance(body, str):
                body = body.encode()
            block, kind = body, "text/html"
            if fields is not None:
                block = (CRLF.join(fields) + CRLF * 2).encode() + body
                kind = "application/http; msgtype=response"
            member = gzip.compress(warc_record(
                "response" if fields else "resource", HOST + name, i, block,
                kind))
            rows.append((HOST + name, "jobs.warc.gz", f.tell(), len(member),
                         codes[i % 5], "2024-02-20 12:%02d:%02d.000" %
                         (i // 60, i % 60), 200))
            f.write(member)
    with open(os.path.join(folder, "..", "selection.csv"), "w",
              newline="") as f:
        out = csv.writer(f)
        out.writerow(("url", "warc_filename", "warc_record_offset",
                      "warc_record_length", "content_languages", "fetch_time",
                      "fetch_status"))
        out.writerows(rows)


def wat(folder):
    os.makedirs(folder)
    crlf = b"\r\n\r\n"
    with open(os.path.join(folder, "CC-1.warc.gz"), "wb") as f:
        for i, name in enumerate(("before", "odd", "later")):
            f.write(gzip.compress(warc_record(
                "response", HOST + "/" + name, i + 1, b"HTTP/1.1 200 OK\r\n"
                b"Content-Type: text/html" + crlf + b"<a href='/x'>l</a>",
                "application/http; msgtype=response")))
    meta = {"Envelope": {"WARC-Header-Metadata": {
        "WARC-Type": "response", "WARC-Date": "2024-02-20T12:00:02Z"}}}
    record = warc_record("metadata", HOST + "/odd", 9, json.dumps(meta).encode() +
                         b'\n{"content": [1, {"x', "application/json")
    record = record.replace(b"Content-Type", b"WARC-Refers-To: <urn:uuid:%032x>"
                            b"\r\nContent-Type" % 2, 1)
    with open(os.path.join(folder, "CC-1.warc.wat.gz"), "wb") as f:
        f.write(gzip.compress(record))


# ---- pages ----

class Capture:
    def __init__(self, number, archive, offset, rec):
        self.number, self.archive, self.offset = number, archive, offset
        self.rec, self.url, self.kind = rec, rec.url, rec.kind
        self.time, self.status = rec.time, rec.status
        self.sha1, self.body_bytes, self.member = "", 0, 0
        self.body = rec.body

    def fields(self, name):
        return [v.decode("latin-1") for k, v in self.rec.http if k == name]

    def has_type(self, *kinds):
        return any(v.split(";")[0].strip().lower() in kinds
                   for v in self.fields(b"content-type"))


def read_captures(folder):
    paths = sorted(os.path.join(base, n) for base, _, names in os.walk(folder)
                   for n in names if re.search(r"\.w?arc(\.gz)?$", n))
    found = []
    bodies = record_reader.bodies_by_reference(paths)
    for path in paths:
        for offset, _, rec in record_reader.records(path):
            if rec.kind not in ("arc", "response", "resource", "revisit",
                                "conversion"):
                continue
            c = Capture(len(found), os.path.relpath(path, folder), offset, rec)
            if rec.kind == "revisit":
                c.body = b""
                for name in (b"refers-to", b"payload-digest"):
                    v = record_reader.field(rec.warc, b"warc-" + name)
                    key = (b"id:" if name == b"refers-to" else b"digest:") + \
                        (v or b"")
                    if key in bodies:
                        c.body = bodies[key]
                        break
            found.append(c)
    return found


def pages(folder, every):
    """(listed path, Capture) in the order of the model's paths."""
    model = tree_model.Model(read_captures(folder))
    chosen = set()
    todo = [model.root]
    while todo:
        d = todo.pop()
        todo.extend(d.dirs.values())
        if d.marker is not None:
            todo.append(d.marker)
        for captures in d.pages.values():
            chosen.update(captures if every else [model.preferred(captures)])
    out = [(path, what[0]) for path, what in model.walk(("raw",))
           if not isinstance(what, tree_model.Directory) and what[0] in chosen]
    return sorted(out, key=lambda p: p[0])


def full_form(path):
    """NAME# or NAME#N of a listed page."""
    end = re.search(rb"#+(\d*)$", path)
    if end and (len(end.group()) - len(end.group(1))) % 2:
        return path
    return path + b"#"


# ---- text and links ----

BLOCKS = ("head", "title", "body", "p", "br", "h1", "h2", "h3")


class Reader(html.parser.HTMLParser):
    def __init__(self, base):
        super().__init__()
        self.base, self.text, self.links = base, [], []
        self.hidden, self.link = 0, None

    def handle_starttag(self, tag, attrs):
        self.hidden += tag in ("script", "style")
        self.text.append(" " if tag in BLOCKS else "")
        at = dict(attrs)
        name = {"img": "src", "a": "href", "area": "href"}.get(tag)
        if name in at and not at[name].startswith("#"):
            kind = at.get("type", tag)
            self.link = [kind, urllib.parse.urljoin(self.base, at[name]), ""]
            self.links.append(self.link)

    def handle_endtag(self, tag):
        self.hidden -= tag in ("script", "style")
        self.text.append(" " if tag in BLOCKS else "")
        self.link = None if tag == "a" else self.link

    def handle_data(self, data):
        if not self.hidden:
            self.text.append(data)
        if self.link:
            self.link[2] += data


class Content:
    """Text and metadata of pages."""

    def __init__(self, mount):
        self.mount = mount and os.fsencode(mount)

    def view(self, path, suffix):
        with open(os.path.join(self.mount, full_form(path) + suffix), "rb") as f:
            return f.read().decode(*BYTES)

    def parsed(self, capture):
        r = Reader(capture.url.decode())
        if any(re.match("text/|application/xhtml", v, re.I)
               for v in capture.fields(b"content-type")) or \
                not capture.rec.http and b"<a>" in capture.body:
            r.feed(capture.body.decode("latin-1"))
            r.close()
        return r

    def text(self, path, capture):
        if self.mount:
            return self.view(path, b".txt")
        if capture.has_type("text/plain"):
            latin = "iso-8859-1" in capture.fields(b"content-type")[0]
            return capture.body.decode("windows-1252" if latin else "utf-8")
        return "".join(self.parsed(capture).text)

    def links(self, path, capture):
        """The page's URL, [(type, target, text)]"""
        if not self.mount:
            return capture.url.decode(), self.parsed(capture).links
        meta = json.loads(self.view(path, b".meta"))
        return meta["crawlfs"]["url"], [(n.get("type"), n["href"], n.get("text", ""))
                for n in meta.get("content", {}).get("links", [])]


# ---- the jobs ----

SEPARATE = [(0x80, 0xa9), (0xab, 0xb4), (0xb6, 0xb9), (0xbb, 0xbf),
            (0xd7, 0xd7), (0xf7, 0xf7), (0x60c, 0x60c), (0x61b, 0x61b),
            (0x61f, 0x61f), (0x6d4, 0x6d4), (0x964, 0x965), (0x2000, 0x200b),
            (0x200e, 0x2bff), (0x2e00, 0x2e7f), (0x3000, 0x3004),
            (0x3008, 0x3020), (0x30fb, 0x30fb), (0xfe10, 0xfe1f),
            (0xfe30, 0xfe6f), (0xfeff, 0xfeff), (0xff01, 0xff0f),
            (0xff1a, 0xff20), (0xff3b, 0xff40), (0xff5b, 0xff65),
            (0xfffd, 0xfffd), (0x1f000, 0x1faff)]
SEPARATOR = re.compile("[\0-/:-@[-`{-\x7f" + "".join(
    "%s-%s" % (chr(a), chr(b)) for a, b in SEPARATE) + "]+")
LOWER = {c: c + 32 for c in range(65, 91)}
MAIL = re.compile(r"[A-Za-z0-9@._%+-]+", re.A)
ADDRESS = re.compile(r"[a-z0-9._%+-]+@[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,}")
PICTURES = ("png", "gif", "jpg", "jpeg", "svg", "webp", "css", "js")


def count_words(text):
    return [w for w in SEPARATOR.split(text.translate(LOWER))
            if w and len(w.encode(*BYTES)) <= 200]


def count_mail(text):
    for word in MAIL.findall(text):
        word = re.sub(r"[^a-z0-9]+$", "", word.lower().lstrip(".-"))
        if len(word) <= 254 and ADDRESS.fullmatch(word) and \
                word.rsplit(".", 1)[1] not in PICTURES:
            yield word


def count_tags(body):
    for tag in re.findall(rb"<([A-Za-z][A-Za-z0-9:-]*)", body):
        if len(tag) <= 64:
            yield tag.decode().lower()


def server_of(capture, full):
    name = " ".join(re.split("[\x01-\x20]+", (capture.fields(b"server") +
                                              [""])[0])).strip(" ")
    if not full:
        name = re.split(r"[ /(\[]", name)[0]
    return name or "-"


def host_of(url):
    m = re.match(r"(?:https?|ftp)://([^/?#\\]*)", url, re.I)
    if not m:
        return ""
    host = m.group(1).rsplit("@", 1)[-1]
    return re.sub(r"(?<=[^:])(:[^:\]]*)?$", "", host).rstrip(".").lower()


def escaped(s):
    for a, b in (("\\", "\\\\"), ("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r")):
        s = s.replace(a, b)
    return s


def values(opt, content):
    """What is counted; of tables, the lines."""
    every = {"tags", "servers", "words", "mail", "links", "graph", "pdfs",
             "languages"}
    assert opt.job in every
    languages = {}
    if opt.selection:
        with open(opt.selection, newline="") as f:
            for row in csv.DictReader(f):
                languages[int(row["warc_record_offset"])] = \
                    row["content_languages"] or "-"
    for path, c in pages(opt.folder, opt.captures):
        if opt.job == "tags":
            if c.has_type("text/html", "application/xhtml+xml"):
                yield from count_tags(c.body)
        elif opt.job == "servers":
            if c.rec.http_head:
                yield server_of(c, opt.full)
        elif opt.job == "words":
            yield from count_words(content.text(path, c))
        elif opt.job == "mail":
            yield from count_mail(c.body.decode("latin-1") if opt.source else
                                  content.text(path, c))
        elif opt.job == "languages":
            got = languages.get(c.offset, "-")
            yield from got.split(",") if opt.each else [got]
        elif opt.job == "pdfs":
            if c.has_type("application/pdf", "application/x-pdf"):
                yield "%s\t%d\t%s" % (c.url.decode(), len(c.body),
                                      escaped(opt.prefix + path.decode()))
        else:
            yield from of_links(opt, content, path, c)


def of_links(opt, content, path, c):
    url, links = content.links(path, c)
    for kind, target, text in links:
        if not opt.all and kind not in ("a", "area", "frame", "iframe"):
            continue
        if opt.job == "links":
            yield "%s\t%s\t%s" % (escaped(url), escaped(target), escaped(
                text if opt.mount else text.strip(" \t")))
        else:
            to = host_of(target)
            if to and host_of(url) and (opt.self or to != host_of(url)):
                yield host_of(url) + "\t" + to


def count(opt):
    found = values(opt, Content(opt.mount))
    if opt.job in ("links", "pdfs"):
        lines = list(found)
    else:
        n = collections.Counter(found)
        lines = ["%d\t%s" % (k, v) for v, k in sorted(
            n.items(), key=lambda i: (-i[1], i[0].encode(*BYTES)))]
    for line in lines:
        sys.stdout.buffer.write(line.encode(*BYTES) + b"\n")


def main():
    p = argparse.ArgumentParser()
    sub = p.add_subparsers(dest="command", required=True)
    sub.add_parser("make").add_argument("folder")
    sub.add_parser("wat").add_argument("folder")
    q = sub.add_parser("names")
    q.add_argument("folder")
    q.add_argument("suffix")
    q = sub.add_parser("count")
    q.add_argument("job")
    for name in ("captures", "full", "source", "all", "self", "each"):
        q.add_argument("--" + name, action="store_true")
    for name in ("mount", "selection", "prefix"):
        q.add_argument("--" + name, default="")
    q.add_argument("folder")
    opt = p.parse_args()
    if opt.command == "make":
        make(opt.folder)
    elif opt.command == "wat":
        wat(opt.folder)
    elif opt.command == "count":
        count(opt)
    else:
        for path, _ in pages(opt.folder, False):
            sys.stdout.buffer.write(full_form(path) + opt.suffix.encode() +
                                    b"\0")


if __name__ == "__main__":
    main()
