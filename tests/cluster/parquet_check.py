#!/usr/bin/env python3
# parquet_check.py - reads Parquet files of crawlfs export by pyarrow.
#
#     parquet_check.py same ROWS FILE...   together they have the JSON lines ROWS
#     parquet_check.py types FILE          its columns have the documented types
#     parquet_check.py groups FILE N       it has N row groups or more
#     parquet_check.py notes FILE KEY=VALUE...   its metadata have these
#     parquet_check.py codec FILE NAME     all columns are compressed so
#     parquet_check.py select FILE OUT N   OUT gets N rows, and columns besides
#     parquet_check.py selected ROWS OUT GOT   GOT has its rows, and these columns
#     parquet_check.py ranges FILE         the least and greatest `surt` of its
#                                          row groups lead to few of them
# SPDX-License-Identifier: GPL-3.0-or-later
import base64
import datetime
import json
import sys

import pyarrow as pa
import pyarrow.parquet as pq

LINK = ("href", "type", "text", "rel", "title", "alt")
REVISIT = ("url", "timestamp", "record_id")
TYPES = {"timestamp": pa.timestamp("us", "UTC"), "status": pa.int32(),
         "offset": pa.int64(), "length": pa.int64(), "simhash": pa.int64(),
         "language_score": pa.float64(), "body": pa.binary(),
         "languages": pa.list_(pa.string()),
         "revisit_of": pa.struct([(name, pa.string()) for name in REVISIT]),
         "headers": pa.list_(pa.struct([("name", pa.string()),
                                        ("value", pa.string())])),
         "links": pa.list_(pa.struct([(name, pa.string())
                                      for name in LINK]))}


def value(name, v):
    """What a field of JSON lines is in Parquet, as Python has it."""
    if name == "timestamp":
        v, _, fraction = v.rstrip("Z").partition(".")
        return datetime.datetime.strptime(
            v + "." + (fraction + "000000")[:6] + "+0000",
            "%Y-%m-%dT%H:%M:%S.%f%z")
    if name == "body":
        return base64.b64decode(v)
    if name == "headers":
        return [{"name": a, "value": b} for a, b in v]
    if name == "revisit_of":
        return {member: v.get(member) for member in REVISIT}
    if name == "links":
        return [{member: link.get(member) for member in LINK} for link in v]
    return v


def same(rows, *files):
    with open(rows, encoding="utf-8") as f:
        wanted = [{k: value(k, v) for k, v in json.loads(line).items()}
                  for line in f]
    got = [row for name in files for row in pq.read_table(name).to_pylist()]
    assert len(got) == len(wanted), (len(got), len(wanted))
    for a, b in zip(got, wanted):
        a = {k: json.loads(v) if k in ("meta", "robots") else v
             for k, v in a.items()
             if v is not None}
        assert a == b, [(k, a.get(k), b.get(k)) for k in set(a) | set(b)
                        if a.get(k) != b.get(k)]
    print(len(got), "rows")


def types(name):
    schema = pq.read_schema(name)
    print(schema)
    for field in schema:
        assert field.type.equals(TYPES.get(field.name, pa.string())), field


def groups(name, least):
    n = pq.ParquetFile(name).metadata.num_row_groups
    print(n)
    assert n >= int(least)


def notes(name, *wanted):
    got = pq.ParquetFile(name).metadata.metadata
    print(got)
    for word in wanted:
        key, _, text = word.partition("=")
        assert got[key.encode()] == text.encode(), key


def chunks(name):
    metadata = pq.ParquetFile(name).metadata
    for i in range(metadata.num_row_groups):
        group = metadata.row_group(i)
        yield [group.column(k) for k in range(group.num_columns)]


def codec(name, wanted):
    got = {c.compression for columns in chunks(name) for c in columns}
    assert got == {wanted}, got


def ranges(name):
    groups = [c.statistics for columns in chunks(name) for c in columns
              if c.path_in_schema == "surt"]
    assert len(groups) > 2, "one row group"
    keys = pq.read_table(name, columns=["surt"])["surt"].to_pylist()
    reads = sum(g.min <= key <= g.max for g in groups for key in keys)
    print("of %d groups a key needs %.2f" % (len(groups), reads / len(keys)))
    assert reads < 1.5 * len(keys)


def select(source, out, number):
    """Some rows, with two columns besides."""
    table = pq.read_table(source).slice(0, int(number))
    scores = [i / 8 for i in range(table.num_rows)]
    table = table.append_column("score", pa.array(scores))
    table = table.append_column("note", pa.array(["\u00e9\"%s" % s
                                                  for s in scores]))
    pq.write_table(table, out)


def selected(rows, source, got):
    """The rows GOT of a selection made by select."""
    with open(rows, encoding="utf-8") as f:
        texts = {(row["archive"], row["offset"]): row.get("text")
                 for row in map(json.loads, f)}
    want = {(row["archive"], row["offset"]):
            {"score": row["score"], "note": row["note"]}
            for row in pq.read_table(source).to_pylist()}
    with open(got, encoding="utf-8") as f:
        found = list(map(json.loads, f))
    assert len(found) == len(want), len(found)
    for row in found:
        place = row["archive"], row["offset"]
        assert row["selection"] == want[place], row
        assert texts[place] in (None, row.get("text")), row
        assert "text" not in row["meta"]["selection"]


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
