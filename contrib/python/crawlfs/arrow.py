# arrow.py - rows as batches of Apache Arrow, without a Python object a value.
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows as batches of Apache Arrow (pyarrow), which engines take as they are.

JSON lines are parsed by pyarrow. Only fields that it does not know how to read
(those of BY_ROWS) cost a Python object for each value.
"""
from __future__ import annotations

import json
from typing import (TYPE_CHECKING, Any, Dict, Generator, Iterable,
                    Iterator, List, Optional, Union)

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pj

from .fields import FIELDS, STRUCTS, schema as schema_of
from .rows import (HAS_ERRORS, CrawlfsError, Options, Row, Rows, Skipped,
                   Words, decoded, place_of, planned)

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _structs(members: Iterable[str]) -> pa.DataType:
    return pa.list_(pa.struct([(name, pa.string()) for name in members]))


TYPES: Dict[str, pa.DataType] = {
    "string": pa.string(),
    "time": pa.timestamp("us", "UTC"),
    "int": pa.int32(),
    "long": pa.int64(),
    "double": pa.float64(),
    "binary": pa.binary(),
    "list<string>": pa.list_(pa.string()),
    "struct<url,timestamp,record_id>": pa.struct(
        [(name, pa.string()) for name in ("url", "timestamp", "record_id")]),
    "pairs": _structs(STRUCTS["pairs"]),
    "links": _structs(STRUCTS["links"]),
    "json": pa.string(),            # a JSON text
}
#: The types that pyarrow does not read as they are.
BY_ROWS = ("binary", "json", "links", "pairs")
# What a column has in JSON, where it differs.
AS_READ = {"time": pa.string()}
NANOSECONDS = r"(\.\d{6})\d+"
#: About so many bytes of JSON lines make a batch.
BATCH_BYTES = 4 << 20


def schema(fields: Union[None, str, Iterable[str]] = None) -> pa.Schema:
    """The schema of rows that have these fields."""
    return pa.schema([pa.field(name, TYPES[kind])
                      for name, kind in schema_of(fields).items()])


class Batches(Iterator[pa.RecordBatch]):
    """The rows of a crawl in record batches: an iterator, a context manager,
    and a stream of Arrow's C interface, which polars, DuckDB, pandas and
    ``pyarrow.table`` take as it is.

    ``schema`` is that of the batches; ``rows`` and ``errors`` count as those of
    :class:`crawlfs.Reader` do. The program ends when the batches are
    exhausted, or by :meth:`close`.
    """

    def __init__(self, words: List[str], whole: pa.Schema, names: List[str],
                 errors: str, batch_bytes: int) -> None:
        self.rows = self.errors = 0
        self.schema = pa.schema([whole.field(name) for name in names])
        self._whole = whole
        self._on_error = errors
        self._batches = self._read(words, batch_bytes)

    def __enter__(self) -> "Batches":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __next__(self) -> pa.RecordBatch:
        return next(self._batches)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        reader: Any = pa.RecordBatchReader.from_batches(self.schema, self)
        return reader.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> Any:
        return self.schema.__arrow_c_schema__()

    def close(self) -> None:
        """Ends the program, and says how many rows were left out."""
        self._batches.close()

    def _read(self, words: List[str], batch_bytes: int
              ) -> Generator[pa.RecordBatch, None, None]:
        by_rows = any(FIELDS[name] in BY_ROWS for name in self._whole.names)
        read = pa.schema([field.with_type(AS_READ.get(FIELDS[field.name],
                                                      field.type))
                          for field in self._whole])
        skipped = Skipped()
        try:
            with Rows(words) as lines:
                for block in lines.blocks(batch_bytes):
                    table = _with_instants(
                        (_by_rows if by_rows else _by_pyarrow)(block, read),
                        self._whole)
                    self.rows += table.num_rows
                    table = self._without_errors(table, skipped)
                    yield from (table.select(self.schema.names)
                                .combine_chunks().to_batches())
        finally:
            skipped.warn()

    def _without_errors(self, table: pa.Table, skipped: Skipped) -> pa.Table:
        good = pc.is_null(table["error"])
        wrong = table.num_rows - table["error"].null_count
        self.errors += wrong
        if wrong == 0 or self._on_error == "keep":
            return table
        places = [name for name in ("url", "archive", "offset", "error")
                  if name in table.column_names]
        for row in table.filter(pc.invert(good)).select(places).to_pylist():
            if self._on_error == "raise":
                raise CrawlfsError("%s: %s" % (place_of(row), row["error"]),
                                   HAS_ERRORS)
            skipped.add(row)
        return table.filter(good)


def read(source: Words, prefix: Words = None, *,
         columns: Optional[Iterable[str]] = None,
         batch_bytes: int = BATCH_BYTES, **how: Unpack[Options]) -> Batches:
    """Yields the captures of a crawl in record batches.

    The parameters are those of :func:`crawlfs.read`, and

    columns
        the names of the columns, in their order; by default those of
        :func:`schema`
    batch_bytes
        about so many bytes of JSON lines make a batch

    What a row lacks is null. ``meta`` is a JSON text.
    """
    whole = schema(how.get("fields"))
    words, errors = planned(source, prefix, how)
    names = list(columns) if columns is not None else whole.names
    return Batches(words, whole, names, errors, batch_bytes)


def _by_pyarrow(block: bytes, whole: pa.Schema) -> pa.Table:
    lines: Any = pa.BufferReader(block)
    # one block for the parser: it refuses rows that are longer than one
    return pj.read_json(
        lines,
        pj.ReadOptions(use_threads=False, block_size=len(block) + 1),
        pj.ParseOptions(explicit_schema=whole,
                        unexpected_field_behavior="ignore"))


def _by_rows(block: bytes, whole: pa.Schema) -> pa.Table:
    rows = [decoded(line) for line in block.splitlines()]
    for name in whole.names:
        if FIELDS[name] in AS_COLUMN:
            for row in rows:
                if name in row:
                    row[name] = AS_COLUMN[FIELDS[name]](row[name])
    return pa.Table.from_pylist(rows, schema=whole)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _pairs(value: Any) -> List[Row]:
    return [dict(zip(STRUCTS["pairs"], pair)) for pair in value]


def _link(value: Any) -> Row:
    """The members of a link that are texts; a companion may have others."""
    if not isinstance(value, dict):
        return {}
    return {name: v if isinstance(v, str) else _json(v)
            for name, v in value.items()
            if name in STRUCTS["links"] and not isinstance(v, (dict, list))}


def _links(value: Any) -> List[Row]:
    return [_link(v) for v in value] if isinstance(value, list) else []


AS_COLUMN = {"json": _json, "pairs": _pairs, "links": _links}


def _with_instants(table: pa.Table, whole: pa.Schema) -> pa.Table:
    for i, name in enumerate(whole.names):
        if FIELDS[name] == "time":
            text = pc.replace_substring_regex(table[name], NANOSECONDS, r"\1")
            table = table.set_column(i, whole.field(name),
                                     text.cast(TYPES["time"]))
    return table
