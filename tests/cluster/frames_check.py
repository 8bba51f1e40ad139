#!/usr/bin/env python3
"""frames_check.py - rows in libraries of data frames; see frames_test.sh.

usage: frames_check.py zones SOURCE ROWS PARQUET
       frames_check.py counts BAD
       frames_check.py scan SOURCE ROWS LOG
       frames_check.py structs SOURCE ROWS
       frames_check.py shards CODE ROWS
       frames_check.py workers CODE ROWS

ROWS are the JSON lines of `crawlfs export`, read by Python alone; LOG gets the
words of each command; CODE makes `pages`. The session's zone is that of TZ.
SPDX-License-Identifier: GPL-3.0-or-later
"""
import datetime
import json
import os
import sys
import types
import warnings
import zoneinfo

import crawlfs
from crawlfs import arrow

LINK = ("href", "type", "text", "rel", "title", "alt")


def rows_of(name):
    with open(name, encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def instant(text):
    seconds, _, fraction = text.rstrip("Z").partition(".")
    whole = datetime.datetime.strptime(seconds + "+0000", "%Y-%m-%dT%H:%M:%S%z")
    return (int(whole.timestamp()) * 1000000 +
            int((fraction + "000000")[:6]))


def zones(source, rows, parquet):
    """Every library has the same instants, and shows them in the zone."""
    import datasets
    import duckdb
    import pandas
    import polars
    import pyarrow.parquet
    zone = zoneinfo.ZoneInfo(os.environ["TZ"])
    want = sorted(instant(row["timestamp"]) for row in rows_of(rows))
    local = sorted(datetime.datetime.fromtimestamp(t // 1000000, zone)
                   .strftime("%Y-%m-%d %H:%M:%S") for t in want)
    assert any(t % 1000000 for t in want), "no fraction"

    def stream():
        return arrow.read(source, fields="url,timestamp")

    def same(name, got, shown=None):
        got = sorted(int(t.timestamp()) * 1000000 + t.microsecond for t in got)
        assert got == want, (name, got[:3], want[:3])
        assert shown is None or sorted(shown) == local, (name, shown[:3])

    table = pyarrow.table(stream())
    same("pyarrow", table["timestamp"].to_pylist())
    same("pyarrow", pyarrow.parquet.read_table(parquet)["timestamp"].to_pylist())
    for frame in (table.to_pandas(), pandas.read_parquet(parquet),
                  pandas.DataFrame.from_arrow(stream())):
        same("pandas", frame["timestamp"].dt.to_pydatetime(),
             list(frame["timestamp"].dt.tz_convert(os.environ["TZ"])
                  .dt.strftime("%Y-%m-%d %H:%M:%S")))
    for frame in (polars.DataFrame(stream()), polars.read_parquet(parquet),
                  polars.scan_parquet(parquet).collect()):
        same("polars", frame["timestamp"].to_list(),
             frame["timestamp"].dt.convert_time_zone(os.environ["TZ"])
             .dt.strftime("%Y-%m-%d %H:%M:%S").to_list())
    pages = stream()
    con = duckdb.connect()
    con.execute("SET TimeZone = '%s'" % os.environ["TZ"])
    for name in ("pages", "'%s'" % parquet):
        got = con.execute("SELECT timestamp, strftime(timestamp, "
                          "'%%Y-%%m-%%d %%H:%%M:%%S') FROM %s" % name)
        got = got.fetchall()
        same("DuckDB", [a for a, _ in got], [b for _, b in got])
    for pages in (datasets.Dataset.from_parquet(parquet, cache_dir=parquet + ".hf"),
                  datasets.Dataset(pyarrow.table(stream()))):
        same("datasets", [row["timestamp"] for row in pages])


def counts(bad):
    """Behind the loop a reader says how many rows there were."""
    for read in (crawlfs.read, arrow.read):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            kept, skipped = read(bad), read(bad, errors="skip")
            n = sum(getattr(b, "num_rows", 1) for b in kept)
            m = sum(getattr(b, "num_rows", 1) for b in skipped)
        assert kept.errors == skipped.errors > 0
        assert kept.rows == skipped.rows == n == m + kept.errors, (n, m)
    with crawlfs.read(bad) as begun:
        next(begun)
    assert begun.rows == 1 and list(begun) == []


def scan(source, rows, log):
    import polars as pl
    import crawlfs.polars
    want = rows_of(rows)
    pages = crawlfs.polars.scan(source)
    assert pages.collect_schema() == pl.from_arrow(
        arrow.schema().empty_table()).schema

    def words():
        with open(log, encoding="utf-8") as f:
            got = f.read()
        open(log, "w", encoding="utf-8").close()
        return got

    words()
    got = pages.filter(pl.col("status") == 200).select("url", "length").collect()
    assert sorted(got.rows()) == sorted((r["url"], r["length"]) for r in want
                                        if r.get("status") == 200)
    assert "--fields=url,status,length" in words().replace(
        "url,length,status", "url,status,length")
    assert pages.head(7).collect().height == 7
    assert pages.select(pl.len()).collect().item() == len(want)
    assert pages.collect().height == len(want) and pages.collect().width > 10
    try:
        crawlfs.polars.scan(source, fields="nothing")
    except ValueError:
        return
    raise AssertionError("an unknown field")


def structs(source, rows):
    table = arrow.read(source, fields="url,headers,links,meta")
    got = [row for batch in table for row in batch.to_pylist()]
    want = rows_of(rows)
    assert len(got) == len(want)
    for a, b in zip(got, want):
        assert a["url"] == b["url"]
        assert a["headers"] == [{"name": n, "value": v} for n, v in b["headers"]]
        links = b.get("links")
        assert a["links"] == (links and [{m: link.get(m) for m in LINK}
                                         for link in links])
        assert json.loads(a["meta"]) == b["meta"]


def shards(code, rows):
    """What crawlfs-cluster(7) has for datasets."""
    import datasets
    space = {}
    with open(code, encoding="utf-8") as f:
        exec(f.read(), space)
    pages = space["pages"]
    want = sorted((r["url"], str(r.get("text"))) for r in rows_of(rows))
    assert isinstance(pages, datasets.IterableDataset)
    assert pages.num_shards == 8, pages.num_shards
    assert sorted((r["url"], str(r["text"])) for r in pages) == want
    of_nodes = [[r["url"] for r in pages.shard(4, i)] for i in range(4)]
    assert all(of_nodes)
    assert sorted(sum(of_nodes, [])) == [url for url, _ in want]


def workers(code, rows):
    """What it has for torch's DataLoader, by a stand-in of torch that follows
    its protocol: get_worker_info() has the id of a worker and their number."""
    torch = types.ModuleType("torch")
    torch.utils = types.ModuleType("torch.utils")
    data = torch.utils.data = types.ModuleType("torch.utils.data")
    data.IterableDataset = type("IterableDataset", (), {})
    data.get_worker_info = lambda: info
    sys.modules.update({"torch": torch, "torch.utils": torch.utils,
                        "torch.utils.data": data})
    space = {}
    with open(code, encoding="utf-8") as f:
        exec(f.read(), space)
    want = sorted(r["url"] for r in rows_of(rows))
    info = None
    assert sorted(r["url"] for r in space["pages"]) == want
    got = []
    for k in range(3):
        info = types.SimpleNamespace(id=k, num_workers=3)
        mine = [r["url"] for r in space["pages"]]
        assert mine
        got += mine
    assert sorted(got) == want


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
