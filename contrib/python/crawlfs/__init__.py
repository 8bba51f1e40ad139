# __init__.py - the package crawlfs: the captures of a crawl as rows.
# SPDX-License-Identifier: GPL-3.0-or-later
"""The captures of a web crawl as rows, by running ``crawlfs export``.

>>> import crawlfs
>>> for row in crawlfs.read("crawl.warc.gz", fields=["url", "text"]):
...     print(row["url"], len(row.get("text", "")))

The program does the work; this package starts it and reads its JSON lines. It
needs neither FUSE nor root, and has no dependencies. The modules for engines
import their engine, and nothing else does:

* :mod:`crawlfs.arrow`: batches of Apache Arrow (pyarrow), which polars, DuckDB
  and pandas take, too
* :mod:`crawlfs.polars`: a lazy frame of polars
* :mod:`crawlfs.spark`: a data source for Spark 4
* :mod:`crawlfs.ray`: a Ray dataset
* :mod:`crawlfs.dask`: a Dask bag or data frame
* :mod:`crawlfs.datatrove`: a reader for datatrove's pipelines

All of them divide a crawl by ``part=(k, n)``: the k-th of n parts, which are
disjoint, together are the whole, and are the same however often they are read.
"""
from .fields import DEFAULT_FIELDS, FIELDS, schema
from .rows import (CrawlfsError, CrawlfsWarning, Options, Reader, Row, Rows,
                   command, read)

__all__ = ["CrawlfsError", "CrawlfsWarning", "DEFAULT_FIELDS", "FIELDS",
           "Options", "Reader", "Row", "Rows", "command", "read", "schema"]
