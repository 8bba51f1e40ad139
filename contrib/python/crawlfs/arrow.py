# arrow.py - rows as batches of Apache Arrow, without a Python object a value.
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows as batches of Apache Arrow (pyarrow), which engines take as they are.

JSON lines are parsed by pyarrow. Only fields that it does not know how to read
(``body``, ``links``, ``meta``) cost a Python object for each value.
"""
from __future__ import annotations

import json
from typing import Any, Dict, Iterable, Iterator, List, Optional, Union

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pj

from .fields import FIELDS, schema as schema_of
from .rows import (HAS_ERRORS, CrawlfsError, Rows, Skipped, Words,
                   check_sources, command, decoded, place_of)

TYPES: Dict[str, pa.DataType] = {
    "string": pa.string(),
    "time": pa.timestamp("us", "UTC"),
    "int": pa.int32(),
    "long": pa.int64(),
    "binary": pa.binary(),
    "list<string>": pa.list_(pa.string()),
    "list<list<string>>": pa.list_(pa.list_(pa.string())),
    "struct<url,timestamp,record_id>": pa.struct(
        [(name, pa.string()) for name in ("url", "timestamp", "record_id")]),
    "json": pa.string(),            # a JSON text
}
# What a column has in JSON, where it differs.
AS_READ = {"time": pa.string()}
NANOSECONDS = r"(\.\d{6})\d+"
#: About so many bytes of JSON lines make a batch.
BATCH_BYTES = 4 << 20


def schema(fields: Union[None, str, Iterable[str]] = None) -> pa.Schema:
    """The schema of rows that have these fields."""
    return pa.schema([pa.field(name, TYPES[kind])
                      for name, kind in schema_of(fields).items()])


def read(source: Words, prefix: Words = None, *,
         fields: Union[None, str, Iterable[str]] = None,
         columns: Optional[Iterable[str]] = None, errors: str = "keep",
         batch_bytes: int = BATCH_BYTES, **how: Any
         ) -> Iterator[pa.RecordBatch]:
    """Yields the captures of a crawl in record batches.

    The parameters are those of :func:`crawlfs.read`, and

    columns
        the names of the columns, in their order; by default those of
        :func:`schema`
    batch_bytes
        about so many bytes of JSON lines make a batch

    What a row lacks is null. ``links`` and ``meta`` are JSON texts.
    """
    if errors not in ("keep", "skip", "raise"):
        raise ValueError("errors is 'keep', 'skip' or 'raise', not %r" % errors)
    whole = schema(fields)
    words = command(source, prefix, fields=fields, **how)
    check_sources(source)
    names = list(columns) if columns is not None else whole.names
    return _read(words, whole, names, errors, batch_bytes)


def _read(words: List[str], whole: pa.Schema, names: List[str], errors: str,
          batch_bytes: int) -> Iterator[pa.RecordBatch]:
    by_rows = any(FIELDS[name] in ("json", "binary") for name in whole.names)
    read = pa.schema([field.with_type(AS_READ.get(FIELDS[field.name],
                                                  field.type))
                      for field in whole])
    skipped = Skipped()
    try:
        with Rows(words) as lines:
            for block in lines.blocks(batch_bytes):
                table = _with_instants(
                    (_by_rows if by_rows else _by_pyarrow)(block, read), whole)
                if errors != "keep":
                    table = _without_errors(table, errors, skipped)
                yield from table.select(names).combine_chunks().to_batches()
    finally:
        skipped.warn()


def _by_pyarrow(block: bytes, whole: pa.Schema) -> pa.Table:
    # one block for the parser: it refuses rows that are longer than one
    return pj.read_json(
        pa.BufferReader(block),
        pj.ReadOptions(use_threads=False, block_size=len(block) + 1),
        pj.ParseOptions(explicit_schema=whole,
                        unexpected_field_behavior="ignore"))


def _by_rows(block: bytes, whole: pa.Schema) -> pa.Table:
    rows = [decoded(line) for line in block.splitlines()]
    for name in whole.names:
        if FIELDS[name] == "json":
            for row in rows:
                if name in row:
                    row[name] = json.dumps(row[name], ensure_ascii=False,
                                           separators=(",", ":"))
    return pa.Table.from_pylist(rows, schema=whole)


def _with_instants(table: pa.Table, whole: pa.Schema) -> pa.Table:
    for i, name in enumerate(whole.names):
        if FIELDS[name] == "time":
            text = pc.replace_substring_regex(table[name], NANOSECONDS, r"\1")
            table = table.set_column(i, whole.field(name),
                                     text.cast(TYPES["time"]))
    return table


def _without_errors(table: pa.Table, errors: str,
                    skipped: Skipped) -> pa.Table:
    good = pc.is_null(table["error"])
    if pc.all(good).as_py():
        return table
    places = [name for name in ("url", "archive", "offset", "error")
              if name in table.column_names]
    for row in table.filter(pc.invert(good)).select(places).to_pylist():
        if errors == "raise":
            raise CrawlfsError("%s: %s" % (place_of(row), row["error"]),
                               HAS_ERRORS)
        skipped.add(row)
    return table.filter(good)
