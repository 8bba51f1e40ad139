# datatrove.py - a reader for datatrove's pipelines, whose rank is the part.
# SPDX-License-Identifier: GPL-3.0-or-later
"""A reader for datatrove.

>>> from datatrove.executor import LocalPipelineExecutor
>>> from datatrove.pipeline.writers import JsonlWriter
>>> from crawlfs.datatrove import CrawlfsReader
>>> LocalPipelineExecutor(
...     [CrawlfsReader("/shared/crawl", mime="text/html"),
...      JsonlWriter("/shared/texts")],
...     tasks=400, logging_dir="/shared/logs").run()

Task ``rank`` of ``world_size`` reads that part of the crawl, so that a run that
is resumed, or started again for some ranks, reads the same documents.
"""
from __future__ import annotations

from typing import Any, Callable, Dict, Optional

from datatrove.data import DocumentsPipeline
from datatrove.pipeline.readers.base import BaseReader
from datatrove.utils.logging import logger

from .fields import DEFAULT_FIELDS, FIELDS
from .rows import Row, Words, command, place_of, read

LOGGED = 100                # errors of a task that the log has one by one


class CrawlfsReader(BaseReader):
    """Yields the captures of a crawl that have text as datatrove's documents.

    The text is that of the field ``text_key``: of ``main``, the main content as
    plain text, which filters for training data are made for; ``text`` has the
    menus of a page, too. If no ``fields`` are named, rows have the usual ones,
    with that field in place of ``text``.

    The ``id`` of a document is ARCHIVE/OFFSET of its record; the other fields
    of its row are its ``metadata``. limit, skip, adapter, text_key, id_key and
    default_metadata are those of datatrove's readers; the other parameters are
    those of :func:`crawlfs.read`, of which ``threads`` is 1 by default, since a
    task has one processor.

    A row with an ``error`` is counted in the statistics (``errors``), and logged
    with its archive and offset; it is a document only if it has text, and never
    with ``errors="skip"``.
    """

    name = "crawlfs"

    def __init__(self, source: Words, prefix: Words = None, *,
                 limit: int = -1, skip: int = 0,
                 adapter: Optional[Callable[..., Any]] = None,
                 text_key: str = "main", id_key: str = "id",
                 default_metadata: Optional[Dict[str, Any]] = None,
                 **how: Any) -> None:
        super().__init__(limit, skip, adapter, text_key, id_key,
                         default_metadata)
        how.setdefault("threads", 1)
        if text_key in FIELDS and how.get("fields") is None:
            how["fields"] = [name for name in DEFAULT_FIELDS
                             if name != "text" or adapter] + [text_key]
        self.errors = 0
        self.is_plain = adapter is None
        self.skips_errors = how.get("errors") == "skip"
        if self.skips_errors:       # they are counted here
            how["errors"] = "keep"
        command(source, prefix, **{name: value for name, value in how.items()
                                   if name != "errors"})
        self.source = source
        self.prefix = prefix
        self.how = how

    def run(self, data: DocumentsPipeline = None, rank: int = 0,
            world_size: int = 1) -> DocumentsPipeline:
        if data:
            yield from data
        count = 0
        rows = read(self.source, self.prefix, part=(rank + 1, world_size),
                    **self.how)
        for n, row in enumerate(rows):
            if 0 <= self.limit <= count - self.skip:
                break
            if "error" in row and not self.takes(row):
                continue
            if self.is_plain and not row.get(self.text_key):
                self.stat_update("without_text")    # pictures, say
                continue
            document = self.get_document_from_dict(
                row, str(row.get("archive", "crawl")), row.get("offset", n))
            if document is None:
                continue
            count += 1
            if count <= self.skip:
                continue
            self.update_doc_stats(document)
            yield document

    def takes(self, row: Row) -> bool:
        """Counts and logs a row with an error. False if it is no document."""
        self.stat_update("errors")
        self.errors += 1
        if self.errors <= LOGGED:
            logger.warning("%s: error: %s" % (place_of(row), row["error"]))
        elif self.errors == LOGGED + 1:
            logger.warning("more errors, which are counted only")
        return not self.skips_errors and bool(row.get(self.text_key))
