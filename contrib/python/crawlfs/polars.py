# polars.py - a crawl as a lazy frame of polars, which reads what a query needs.
# SPDX-License-Identifier: GPL-3.0-or-later
"""A crawl as a ``polars.LazyFrame``.

>>> import polars as pl
>>> import crawlfs.polars
>>> pages = crawlfs.polars.scan("/shared/crawl")
>>> pages.filter(pl.col("status") == 200).select("url", "text").collect()

Only the fields that a query uses are made, and reading ends when it has enough
rows.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Iterator, List, Optional, cast

import polars as pl
from polars.io.plugins import register_io_source

from . import arrow
from .rows import Options, Words, planned

if TYPE_CHECKING:
    from typing_extensions import Unpack


def scan(source: Words, prefix: Words = None,
         **how: Unpack[Options]) -> pl.LazyFrame:
    """The captures of a crawl; the parameters are those of
    :func:`crawlfs.read`. The frame is read again whenever it is collected."""
    fields = how.get("fields")
    if fields is not None and not isinstance(fields, str):
        how["fields"] = list(fields)
    planned(source, prefix, how)        # what is wrong is said now
    empty = pl.from_arrow(arrow.schema(how.get("fields")).empty_table())

    def frames(columns: Optional[List[str]], predicate: Optional[pl.Expr],
               n_rows: Optional[int], batch_size: Optional[int]
               ) -> Iterator[pl.DataFrame]:
        wanted: Options = {**how}
        if columns is not None:
            wanted["fields"] = columns or ["error"]
        with arrow.read(source, prefix, columns=columns, **wanted) as batches:
            for batch in batches:
                frame = cast(pl.DataFrame, pl.from_arrow(batch))
                if n_rows is not None:
                    frame = frame.head(n_rows)
                    n_rows -= frame.height
                yield frame if predicate is None else frame.filter(predicate)
                if n_rows == 0:
                    break

    return register_io_source(frames, schema=cast(pl.DataFrame, empty).schema)
