# dask.py - a crawl as a Dask bag or data frame, whose partitions are its parts.
# SPDX-License-Identifier: GPL-3.0-or-later
"""A crawl as a Dask bag of dicts, or as a data frame.

>>> import crawlfs.dask
>>> pages = crawlfs.dask.bag("/shared/crawl", parts=400, fields="url,text")
>>> pages.filter(lambda row: "text" in row).count().compute()
>>> frame = crawlfs.dask.dataframe("/shared/crawl", parts=400)

crawlfs and this package must be installed where workers run, and the source
must have the same name there.
"""
from __future__ import annotations

from typing import Any, Iterator, Tuple

from .rows import Row, Words, read


def bag(source: Words, prefix: Words = None, *, parts: int,
        **how: Any) -> Any:
    """The captures of a crawl as a ``dask.bag.Bag`` of dicts.

    parts
        the number of partitions; one that is computed again has the same rows

    The other parameters are those of :func:`crawlfs.read`; ``threads`` is 1 by
    default, since Dask computes a partition on each processor.
    """
    import dask.bag
    how.setdefault("threads", 1)
    numbers = dask.bag.from_sequence(range(1, parts + 1), npartitions=parts)
    return numbers.map_partitions(_rows, parts, source, prefix, how)


def _rows(numbers: Any, parts: int, source: Words, prefix: Words,
          how: Any) -> Iterator[Row]:
    for k in numbers:
        yield from read(source, prefix, part=(k, parts), **how)


def dataframe(source: Words, prefix: Words = None, *, parts: int,
              fields: Any = None, **how: Any) -> Any:
    """The captures of a crawl as a ``dask.dataframe.DataFrame`` whose columns
    are of Arrow's types (pandas.ArrowDtype).

    The parameters are those of :func:`bag`, and of :func:`crawlfs.arrow.read`.
    """
    import dask.dataframe
    how.setdefault("threads", 1)
    numbers = [(k, parts) for k in range(1, parts + 1)]
    return dask.dataframe.from_map(_frame, numbers, source=source,
                                   prefix=prefix, fields=fields, how=how,
                                   meta=_frame(None, fields=fields, how=how))


def _frame(part: Any, source: Words = None, prefix: Words = None,
           fields: Any = None, how: Any = None) -> Any:
    """One partition; an empty one, if part is None."""
    import pandas
    import pyarrow as pa
    from . import arrow
    names = how.get("columns")
    schema = arrow.schema(fields)
    if names is not None:
        schema = pa.schema([schema.field(name) for name in names])
    batches = ([] if part is None else
               arrow.read(source, prefix, fields=fields, part=part, **how))
    return pa.Table.from_batches(batches, schema).to_pandas(
        types_mapper=pandas.ArrowDtype)
