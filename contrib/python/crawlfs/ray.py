# ray.py - a crawl as a Ray dataset, whose read tasks are parts of it.
# SPDX-License-Identifier: GPL-3.0-or-later
"""A crawl as a Ray dataset.

>>> import crawlfs.ray
>>> pages = crawlfs.ray.read("/shared/crawl", fields="url,text", parts=400)
>>> pages.filter(lambda row: row["text"]).write_json("/shared/texts")

crawlfs and this package must be installed on all nodes, and the source must
have the same name on all of them.
"""
from __future__ import annotations

from functools import partial
from typing import Any, Iterator, List, Optional

import pyarrow as pa
import ray.data
from ray.data.block import BlockMetadata
from ray.data.datasource import Datasource, ReadTask

from .rows import Words, command


def read(source: Words, prefix: Words = None, *, parts: Optional[int] = None,
         **how: Any) -> "ray.data.Dataset":
    """The captures of a crawl as a dataset.

    parts
        the number of read tasks; by default Ray decides. A task that is tried
        again reads the same part.

    The other parameters are those of :func:`crawlfs.arrow.read`; ``threads`` is
    1 by default, since a read task has one processor.
    """
    return ray.data.read_datasource(CrawlfsDatasource(source, prefix, **how),
                                    override_num_blocks=parts)


class CrawlfsDatasource(Datasource):
    """What :func:`read` hands to Ray."""

    def __init__(self, source: Words, prefix: Words = None,
                 **how: Any) -> None:
        super().__init__()
        how.setdefault("threads", 1)
        command(source, prefix, **_of_command(how))     # wrong values now
        self._read = partial(_tables, source, prefix, **how)

    def estimate_inmemory_data_size(self) -> Optional[int]:
        return None                 # nobody knows before all was read

    def get_read_tasks(self, parallelism: int,
                       per_task_row_limit: Optional[int] = None,
                       *_: Any, **__: Any) -> List[ReadTask]:
        limit = ({} if per_task_row_limit is None else
                 {"per_task_row_limit": per_task_row_limit})
        return [ReadTask(partial(self._read, part=(k, parallelism)),
                         BlockMetadata(None, None, None, None), **limit)
                for k in range(1, parallelism + 1)]


def _of_command(how: Any) -> Any:
    return {name: value for name, value in how.items()
            if name not in ("columns", "errors", "batch_bytes")}


def _tables(*args: Any, **how: Any) -> Iterator[pa.Table]:
    from . import arrow
    is_empty = True
    for batch in arrow.read(*args, **how):
        is_empty = False
        yield pa.Table.from_batches([batch])
    if is_empty:                    # Ray wants a block, which has the columns
        columns = how.get("columns")
        none = arrow.schema(how.get("fields")).empty_table()
        yield none if columns is None else none.select(list(columns))
