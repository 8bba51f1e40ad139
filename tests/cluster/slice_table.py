#!/usr/bin/env python3
"""slice_table.py - a columnar index with many rows, of which few are wanted.

    slice_table.py make ROWS CAPTURES TABLE     writes columns of Common Crawl's
            index, with its types where TABLE ends in .parquet (by pyarrow), else
            CSV; CAPTURES are lines of `crawlfs lookup --json`
    slice_table.py rows                         prints rows of JSON in one form
    slice_table.py wanted CAPTURES EXPORTED     prints the rows that a job for
            Icelandic has to give, out of an export of all archives

Every second capture is in Icelandic, and every fourth one in a second language,
too.  The other rows are of archives that do not exist.  Rows lie in no order.
SPDX-License-Identifier: GPL-3.0-or-later
"""
import csv
import datetime
import json
import random
import sys

COLUMNS = ("url", "fetch_time", "content_languages", "warc_filename",
           "warc_record_offset", "warc_record_length")
OTHERS = ("eng", "deu", "rus", "dan", "nor,eng", "fra", "zho", "")
ARCHIVE = "crawl-data/CC-MAIN-2024-10/segments/%d.9/warc/CC-MAIN-%05d.warc.gz"


def captures(path):
    """Those with a body of their own: a revisit's may not be wanted."""
    with open(path, encoding="utf-8") as f:
        return [c for c in map(json.loads, f) if c["record_type"] != "revisit"]


def languages(i):
    return ("isl", "dan", "isl,eng", "eng")[i % 4]


def filler(r, i):
    n = r.randrange(90000)
    return ("https://www.filler-%d.example/%d.html" % (r.randrange(60000), i),
            "2024-02-20 21:00:00", r.choice(OTHERS), ARCHIVE % (n % 100, n),
            r.randrange(1 << 30), r.randrange(500, 200000))


def make(rows, path, table):
    r = random.Random(11)
    real = [(c["url"], c["timestamp"].replace("T", " ").rstrip("Z"),
             languages(i), c["archive"], c["offset"], c["length"])
            for i, c in enumerate(captures(path))]
    at = dict(zip(r.sample(range(rows), len(real)), real))
    made = (at.get(i) or filler(r, i) for i in range(rows))
    if table.endswith(".parquet"):
        write_parquet(table, made)
        return
    with open(table, "w", newline="", encoding="utf-8") as f:
        out = csv.writer(f, lineterminator="\n")
        out.writerow(COLUMNS)
        out.writerows(made)


def write_parquet(table, rows):
    import pyarrow as pa
    from pyarrow import parquet
    types = dict.fromkeys(COLUMNS, pa.string())
    types.update(fetch_time=pa.timestamp("ms"), warc_record_offset=pa.int32(),
                 warc_record_length=pa.int32())
    schema = pa.schema(list(types.items()))
    time = datetime.datetime.fromisoformat
    with parquet.ParquetWriter(table, schema, compression="gzip") as out:
        while True:
            group = [row for row, _ in zip(rows, range(100000))]
            if not group:
                break
            columns = [list(c) for c in zip(*group)]
            columns[1] = [time(t) for t in columns[1]]
            out.write_table(pa.Table.from_arrays(
                [pa.array(c, f.type) for c, f in zip(columns, schema)],
                schema=schema))


def wanted(path, exported):
    keys = {(c["archive"].rsplit("/", 1)[1], c["offset"])
            for i, c in enumerate(captures(path)) if "isl" in languages(i)}
    with open(exported, encoding="utf-8") as f:
        for line in f:
            row = json.loads(line)
            if (row["archive"].rsplit("/", 1)[1], row["offset"]) in keys:
                print(json.dumps([row["url"], row["timestamp"],
                                  row.get("text")]))


def rows():
    for line in sys.stdin:
        row = json.loads(line)
        print(json.dumps([row["url"], row["timestamp"], row.get("text")]))


if sys.argv[1] == "rows":
    rows()
elif sys.argv[1] == "make":
    make(int(sys.argv[2]), sys.argv[3], sys.argv[4])
else:
    wanted(sys.argv[2], sys.argv[3])
