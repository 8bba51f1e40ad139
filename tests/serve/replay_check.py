#!/usr/bin/env python3
# replay_check.py - cdx_toolkit and pywb, on top of crawlfs serve.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     replay_check.py toolkit URL MANIFEST     URL of crawlfs
#     replay_check.py pywb URL MANIFEST        URL of a collection of pywb
import collections
import hashlib
import http.client
import os
import sys
import time
import urllib.parse

sys.path.insert(0, os.path.join(os.environ["CFS_SRCDIR"], "tests", "model"))
import record_reader                                            # noqa: E402


def stamp(k):
    return time.strftime("%Y%m%d%H%M%S", time.gmtime(k.time))


def toolkit(url, manifest):
    import cdx_toolkit
    caps = record_reader.read_manifest(manifest)
    hosts = {urllib.parse.urlsplit(k.url).netloc for k in caps}
    cdx = cdx_toolkit.CDXFetcher(source=url + "cdx",
                                 warc_download_prefix=url + "records")
    got = collections.Counter()
    one = None
    for host in {h.decode().removeprefix("www.") for h in hosts}:
        for row in cdx.iter(host + "/*"):
            got[row["url"].encode(), row["timestamp"]] += 1
            if row["status"] == "200" and row["mime"] != "warc/revisit":
                one = row
    want = collections.Counter((k.url, stamp(k)) for k in caps)
    if got != want:
        sys.exit("%d rows, not %d: %s, %s" % (
            sum(got.values()), sum(want.values()),
            list((want - got).items())[:3], list((got - want).items())[:3]))
    body = one.fetch_warc_record().content_stream().read()
    sums = {k.sha1 for k in caps if k.url == one["url"].encode()}
    if hashlib.sha1(body).hexdigest() not in sums:
        sys.exit("another body for " + one["url"])


def pywb(url, manifest):
    at = urllib.parse.urlsplit(url)
    con = http.client.HTTPConnection(at.netloc, timeout=60)
    seen = 0
    for k in record_reader.read_manifest(manifest):
        if k.kind == "revisit" or k.status != 200:
            continue
        con.request("GET", "%s/%sid_/%s" % (at.path, stamp(k), k.url.decode()),
                    headers={"Accept-Encoding": "identity"})
        r = con.getresponse()
        body = r.read()
        if r.status != 200 or hashlib.sha1(body).hexdigest() != k.sha1:
            sys.exit("%s: status %d, %d bytes, not %d" % (
                k.url, r.status, len(body), k.body_bytes))
        seen += 1
    if seen < 20:
        sys.exit("only %d pages" % seen)


{"toolkit": toolkit, "pywb": pywb}[sys.argv[1]](*sys.argv[2:])
