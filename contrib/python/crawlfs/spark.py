# spark.py - a data source for Spark 4, whose partitions are parts of a crawl.
# SPDX-License-Identifier: GPL-3.0-or-later
"""A Python Data Source for Spark 4.0 and later.

>>> import crawlfs.spark
>>> crawlfs.spark.register(spark)
>>> pages = (spark.read.format("crawlfs")
...          .option("source", "/shared/crawl")
...          .option("parts", 400)
...          .load())
>>> pages.where("status = 200 and mime = 'text/html'").select("url", "text")

Options (``source`` must be given):

===========  ==============================================================
source       what ``crawlfs export`` reads; several: one a line
prefix       only what is below these; several: one a line
fields       names with commas; by default those of the schema, if one is
             given, or :data:`crawlfs.DEFAULT_FIELDS`
parts        the number of partitions; by default four for each processor
             that Spark has when the source is registered
order, status, mime, language, from, to, at, dedup
             as the options of ``crawlfs export``
errors       ``keep``, ``skip`` or ``raise`` rows with an error
threads      how many threads make the rows of a partition; 1 by default,
             since Spark computes one on each processor
program      the program on the workers
===========  ==============================================================

With Spark 4.1 and later, conditions on ``status``, ``mime``, ``timestamp`` and
``url`` are handed to the program, which then skips what they exclude. Spark
applies them, too, so that the rows are the same.

crawlfs and this package must be installed on all nodes, and the source must
have the same name on all of them.
"""
from __future__ import annotations

from typing import Any, Dict, Iterable, Iterator, List, Optional, Sequence, Type

from pyspark.sql.datasource import (DataSource, DataSourceReader,
                                    InputPartition)
from pyspark.sql.types import (ArrayType, BinaryType, DataType, DoubleType,
                               IntegerType, LongType, StringType, StructField, StructType,
                               TimestampType)

from .fields import FIELDS, STRUCTS, field_names, schema as schema_of
from .pushed import pushed

#: Partitions, where the number of processors is unknown.
PARTS = 32
PUSHDOWN = "spark.sql.python.filterPushdown.enabled"

def _structs(members: Iterable[str]) -> DataType:
    return ArrayType(StructType([StructField(name, StringType())
                                 for name in members]))


TYPES: Dict[str, DataType] = {
    "string": StringType(),
    "time": TimestampType(),
    "int": IntegerType(),
    "long": LongType(),
    "double": DoubleType(),
    "binary": BinaryType(),
    "list<string>": ArrayType(StringType()),
    "struct<url,timestamp,record_id>": StructType(
        [StructField(name, StringType())
         for name in ("url", "timestamp", "record_id")]),
    "pairs": _structs(STRUCTS["pairs"]),
    "links": _structs(STRUCTS["links"]),
    "json": StringType(),
}
#: Options with the names of parameters of crawlfs.read.
WORDS = ("order", "status", "mime", "language", "to", "at", "dedup", "errors",
         "threads", "program")
KNOWN = WORDS + ("source", "prefix", "fields", "parts", "from")


class CrawlfsReader(DataSourceReader):
    """Reads one crawl; a partition is a part of it."""

    def __init__(self, columns: Sequence[str], parts: int,
                 how: Dict[str, Any]) -> None:
        self.columns = list(columns)
        self.parts = parts
        self.how = how

    def partitions(self) -> Sequence[InputPartition]:
        return [InputPartition(k) for k in range(1, self.parts + 1)]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        from . import arrow
        return arrow.read(part=(partition.value, self.parts),
                          columns=self.columns, **self.how)


class PushingReader(CrawlfsReader):
    """The same, which takes conditions over. Spark 4.1 refuses a reader that
    can do it while its configuration does not allow it."""

    def pushFilters(self, filters: List[Any]) -> Iterator[Any]:
        self.how = pushed(self.how, filters)
        yield from filters          # Spark still applies all of them


class CrawlfsDataSource(DataSource):
    """The format ``crawlfs``. :func:`register` registers it."""

    reader_type: Type[CrawlfsReader] = CrawlfsReader
    parts = PARTS

    def __init__(self, options: Dict[str, str]) -> None:
        super().__init__(options)
        given = {name.lower(): value for name, value in options.items()}
        for name in given:
            if name not in KNOWN:
                raise ValueError("unknown option '%s' of crawlfs" % name)
        self.given = given

    @classmethod
    def name(cls) -> str:
        return "crawlfs"

    def schema(self) -> StructType:
        return struct(schema_of(self.given.get("fields")))

    def reader(self, schema: StructType) -> DataSourceReader:
        parts = int(self.given.get("parts", self.parts))
        if parts < 1:
            raise ValueError("option 'parts' is %d" % parts)
        check(schema)
        names = field_names(schema.fieldNames())
        how: Dict[str, Any] = {"source": self.lines("source"),
                               "prefix": self.lines("prefix"),
                               "fields": names,
                               "from_": self.given.get("from"),
                               "threads": "1"}
        how.update((name, self.given[name]) for name in WORDS
                   if name in self.given)
        if not how["source"]:
            raise ValueError("option 'source' is missing")
        return self.reader_type(schema.fieldNames(), parts, how)

    def lines(self, name: str) -> List[str]:
        return [line for line in self.given.get(name, "").split("\n") if line]


class PushingDataSource(CrawlfsDataSource):
    """The same, whose reader takes conditions over."""

    reader_type = PushingReader


def struct(fields: Dict[str, str]) -> StructType:
    """Spark's form of a schema of the package."""
    return StructType([StructField(name, TYPES[kind])
                       for name, kind in fields.items()])


def check(schema: StructType) -> None:
    """Raises ValueError unless all columns of a schema are fields."""
    for column in schema.fields:
        if column.name not in FIELDS:
            raise ValueError("unknown field '%s'" % column.name)
        kind = TYPES[FIELDS[column.name]]
        if column.dataType != kind:
            raise ValueError("field '%s' is of type %s, not %s" % (
                column.name, kind.simpleString(),
                column.dataType.simpleString()))


def register(spark: Any, *, parts: Optional[int] = None,
             pushdown: bool = True) -> None:
    """Registers the format ``crawlfs`` in a Spark session.

    parts
        partitions, where the option ``parts`` is not given
    pushdown
        hand conditions to the program, where Spark can do it (4.1); this sets
        ``spark.sql.python.filterPushdown.enabled`` in the session
    """
    can_push = pushdown and hasattr(DataSourceReader, "pushFilters")
    base: Type[CrawlfsDataSource] = CrawlfsDataSource
    if can_push:
        spark.conf.set(PUSHDOWN, "true")
        base = PushingDataSource
    spark.dataSource.register(
        type(base.__name__, (base,), {"parts": parts or _parts(spark)}))


def _parts(spark: Any) -> int:
    try:
        return 4 * int(spark.sparkContext.defaultParallelism)
    except Exception:               # Spark Connect has no context
        return PARTS
