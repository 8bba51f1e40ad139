#!/usr/bin/env python3
"""make_selection.py - a CSV as Athena answers a query: N rows of captures.

    make_selection.py N FILE
    make_selection.py read FILE     prints the number of rows that csv reads

SPDX-License-Identifier: GPL-3.0-or-later
"""
import csv
import random
import sys

NAMES = ("url", "warc_filename", "warc_record_offset", "warc_record_length", "fetch_time", "fetch_status",
         "content_mime_detected", "content_digest", "content_languages")
BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
ARCHIVE = ("crawl-data/CC-MAIN-2026-05/segments/17690000000%02d.%d/warc/"
           "CC-MAIN-20260115%06d-20260115204454-%05d.warc.gz")


def main():
    if sys.argv[1] == "read":
        with open(sys.argv[2], newline="") as f:
            print(sum(1 for _ in csv.reader(f)) - 1)
        return
    r = random.Random(7)
    archives = [ARCHIVE % (i % 100, i % 90, i, i) for i in range(9000)]
    with open(sys.argv[2], "w", newline="") as f:
        out = csv.writer(f, quoting=csv.QUOTE_ALL, lineterminator="\n")
        out.writerow(NAMES)
        for i in range(int(sys.argv[1])):
            out.writerow(("https://www.filler-%d.es/%x/%x.html" % (r.randrange(60000), r.randrange(65536), i),
                          r.choice(archives), r.randrange(1 << 30), r.randrange(500, 200000),
                          "2026-01-%02d %02d:%02d:%02d.000" % (r.randrange(1, 30), r.randrange(24), r.randrange(60),
                                                               r.randrange(60)),
                          200, "text/html", "".join(r.choices(BASE32, k=32)), "spa"))


if __name__ == "__main__":
    main()
