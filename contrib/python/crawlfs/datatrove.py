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

from .rows import Words, command, read


class CrawlfsReader(BaseReader):
    """Yields the captures of a crawl that have text as datatrove's documents.

    The ``id`` of a document is ARCHIVE/OFFSET of its record; the other fields
    of its row are its ``metadata``. limit, skip, adapter, text_key, id_key and
    default_metadata are those of datatrove's readers; the other parameters are
    those of :func:`crawlfs.read`, of which ``threads`` is 1 by default, since a
    task has one processor.
    """

    name = "crawlfs"

    def __init__(self, source: Words, prefix: Words = None, *,
                 limit: int = -1, skip: int = 0,
                 adapter: Optional[Callable[..., Any]] = None,
                 text_key: str = "text", id_key: str = "id",
                 default_metadata: Optional[Dict[str, Any]] = None,
                 **how: Any) -> None:
        super().__init__(limit, skip, adapter, text_key, id_key,
                         default_metadata)
        how.setdefault("threads", 1)
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
            document = self.get_document_from_dict(
                row, str(row.get("archive", "crawl")), row.get("offset", n))
            if document is None:
                continue
            count += 1
            if count <= self.skip:
                continue
            self.update_doc_stats(document)
            yield document
