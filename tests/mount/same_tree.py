"""same_tree.py - the crawl of crawlfs-mkcrawl in other containers.

    same_tree.py SOURCE OUT

SOURCE is a folder with .warc.gz files and manifest.tsv.  OUT gets zst/ with
the same files as .warc.zst, crawl.wacz, and selection.csv.  gzip, zip and zstd
are those of Python and zstd(1).

SPDX-License-Identifier: GPL-3.0-or-later
"""
import csv
import json
import os
import subprocess
import sys
import zipfile
import zlib


def records(data):
    """The inflated members of a gzip file."""
    while data:
        z = zlib.decompressobj(31)
        yield z.decompress(data)
        data = z.unused_data


def digests(data):
    """WARC-Payload-Digest by the offset of the record; without its "sha1:"."""
    found, rest = {}, data
    for record in records(data):
        z = zlib.decompressobj(31)
        at = len(data) - len(rest)
        z.decompress(rest)
        rest = z.unused_data
        for line in record.split(b"\r\n\r\n")[0].split(b"\r\n"):
            name, _, value = line.partition(b":")
            if name.lower() == b"warc-payload-digest":
                found[at] = value.strip().decode().replace("sha1:", "")
    return found


def write_zst(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as out:
        for record in records(data):
            out.write(subprocess.run(["zstd", "-q", "-3", "-c"], input=record,
                                     stdout=subprocess.PIPE,
                                     check=True).stdout)


def write_selection(path, manifest, digest_of):
    rows = csv.reader(open(manifest, encoding="utf-8",
                           errors="surrogateescape"),
                      delimiter="\t", quoting=csv.QUOTE_NONE)
    next(rows)
    with open(path, "w", encoding="utf-8", errors="surrogateescape",
              newline="") as f:
        out = csv.writer(f, quoting=csv.QUOTE_ALL)
        out.writerow(["url", "fetch_time", "fetch_status", "warc_filename",
                      "warc_record_offset", "warc_record_length",
                      "content_digest", "content_mime_type"])
        for url, kind, time, status, archive, offset, length, *_ in rows:
            stamp = "%s-%s-%s %s:%s:%s.000" % (
                time[:4], time[4:6], time[6:8], time[8:10], time[10:12],
                time[12:])
            # what an index counts as 200 has no status of its own
            out.writerow([url, stamp, "200" if status == "-" else status,
                          archive, offset, length,
                          digest_of[archive].get(int(offset), ""),
                          "warc/revisit" if kind == "revisit" else ""])


def main():
    source, out = sys.argv[1:]
    os.makedirs(out, exist_ok=True)
    digest_of = {}
    with zipfile.ZipFile(os.path.join(out, "crawl.wacz"), "w",
                         zipfile.ZIP_STORED) as wacz:
        for folder, _, names in sorted(os.walk(source)):
            for name in sorted(names):
                if not name.endswith(".warc.gz"):
                    continue
                path = os.path.join(folder, name)
                data = open(path, "rb").read()
                inside = os.path.relpath(path, source)
                write_zst(os.path.join(out, "zst", inside[:-3] + ".zst"),
                          data)
                digest_of[inside] = digests(data)
                wacz.writestr("archive/" + name, data)
        wacz.writestr("datapackage.json", json.dumps(
            {"profile": "data-package", "resources": []}))
    write_selection(os.path.join(out, "selection.csv"),
                    os.path.join(source, "manifest.tsv"), digest_of)


main()
