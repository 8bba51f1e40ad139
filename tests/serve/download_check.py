#!/usr/bin/env python3
"""download_check.py - folders and pages as WARC and WACZ, read by zipfile and
gzip, and compared with the records that pages_check.py made.

    download_check.py whole URL NAME ARCHIVE    below NAME, or "" for one crawl
    download_check.py limit URL                 of 20 kB
SPDX-License-Identifier: GPL-3.0-or-later
"""
import gzip
import io
import sys
import zipfile

from pages_check import STORY, need, run, same


def warc_records(data):
    """(type, URL, date, block) of each record of a .warc.gz."""
    text, out = gzip.decompress(data), []
    while text:
        head, text = text.split(b"\r\n\r\n", 1)
        fields = dict(line.split(b": ", 1) for line in head.split(b"\r\n")[1:])
        n = int(fields[b"Content-Length"])
        out.append((fields[b"WARC-Type"], fields.get(b"WARC-Target-URI"),
                    fields.get(b"WARC-Date"), text[:n]))
        same("behind a record", text[n:n + 4], b"\r\n\r\n")
        text = text[n + 4:]
    return out


def copied_records(data):
    """Those behind the record that describes the copy."""
    records = warc_records(data)
    same("the first record", records[0][0], b"warcinfo")
    return sorted(records[1:])


def check_download(client, name, archive):
    """A folder and a page as WARC and WACZ: the records of the crawl that are
    of it, and no others."""
    top = name + "/" if name else ""
    with open(archive, "rb") as f:
        made = warc_records(f.read())
    site = [r for r in made if b"//site.example.com/" in r[1]]
    story = [r for r in site if r[1] == b"http://site.example.com/story"]
    same("what was made", (len(site), len(story)), (len(STORY) + 3, len(STORY)))
    for path, wanted, at, file in (
            ("com/example/site/", site, "tree/%scom/example/site/_/", "site"),
            ("com/example/site/_/story%232", story, "page/%scom/example/site/_/"
             "story%%232", "site.example.com_story_2")):
        r, body = client.get("/download/" + top + path + "?format=warc")
        same(path, (r.status, r.getheader("Content-Type"),
                    int(r.getheader("Content-Length"))),
             (200, "application/warc", len(body)))
        same(path, copied_records(body), sorted(wanted))
        need(('filename="' + file) in r.getheader("Content-Disposition") and
             ".warc.gz" in r.getheader("Content-Disposition"),
             r.getheader("Content-Disposition"))
        r, body = client.get("/download/" + top + path)
        same(path, r.getheader("Content-Type"), "application/wacz")
        with zipfile.ZipFile(io.BytesIO(body)) as z:
            same(path, z.testzip(), None)
            inner = [n for n in z.namelist() if n.startswith("archive/")]
            same(path, [copied_records(z.read(n)) for n in inner],
                 [sorted(wanted)])
        links = client.page("/" + at % top).find("a", rel="nofollow")
        same("links", len(links), 2)
        same("a link", client.get(links[1][1]["href"])[0].status, 200)
    client.failure("/download/%scom/nowhere/" % top, 404)
    client.failure("/download/%s?format=zip" % top, 400)
    if name:
        client.failure("/download/", 400)


def check_limit(client):
    """A limit, which the folder of 1,203 pages is beyond and a page is not."""
    r = client.failure("/download/com/example/many/", 400)
    need("more than 20 kB" in r.find("p", id="reason")[0][2], "the reason")
    same("a page", client.get("/download/com/example/site/_/pic.svg")[0].status,
         200)


def check_incomplete(client, at, lacks):
    """A copy without what cannot be read does not look whole."""
    for form, suffix in ("warc", ".warc.gz"), ("wacz", ".wacz"):
        r, _ = client.get("/download/%s?format=%s" % (at, form))
        same("status", r.status, 200)
        same(at, "-incomplete%s\"" % suffix in
             r.getheader("Content-Disposition"), lacks == "yes")


def main(argv):
    return run({"whole": check_download, "limit": check_limit,
                "incomplete": check_incomplete}[argv[0]], *argv[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
