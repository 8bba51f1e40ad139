#!/usr/bin/env python3
# parquet_check.py - reads Parquet files of crawlfs export by pyarrow.
#
#     parquet_check.py same ROWS FILE...   together they have the JSON lines ROWS
#     parquet_check.py types FILE          its columns have the documented types
#     parquet_check.py groups FILE N       it has N row groups or more
# SPDX-License-Identifier: GPL-3.0-or-later
import base64
import datetime
import json
import sys

import pyarrow as pa
import pyarrow.parquet as pq

TYPES = {"timestamp": pa.timestamp("us", "UTC"), "status": pa.int32(),
         "offset": pa.int64(), "length": pa.int64(), "body": pa.binary()}
JSON = ("headers", "links", "meta")


def value(name, v):
    """What a field of JSON lines is in Parquet, as Python has it."""
    if name == "timestamp":
        v, _, fraction = v.rstrip("Z").partition(".")
        return datetime.datetime.strptime(
            v + "." + (fraction + "000000")[:6] + "+0000",
            "%Y-%m-%dT%H:%M:%S.%f%z")
    if name == "body":
        return base64.b64decode(v)
    return v


def same(rows, *files):
    with open(rows, encoding="utf-8") as f:
        wanted = [{k: value(k, v) for k, v in json.loads(line).items()}
                  for line in f]
    got = [row for name in files for row in pq.read_table(name).to_pylist()]
    assert len(got) == len(wanted), (len(got), len(wanted))
    for a, b in zip(got, wanted):
        a = {k: json.loads(v) if k in JSON else v for k, v in a.items()
             if v is not None}
        assert a == b, [(k, a.get(k), b.get(k)) for k in set(a) | set(b)
                        if a.get(k) != b.get(k)]
    print(len(got), "rows")


def types(name):
    schema = pq.read_schema(name)
    print(schema)
    for field in schema:
        if field.name == "languages":
            assert field.type.value_type == pa.string()
        else:
            assert field.type == TYPES.get(field.name, pa.string()), field


def groups(name, least):
    n = pq.ParquetFile(name).metadata.num_row_groups
    print(n)
    assert n >= int(least)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
