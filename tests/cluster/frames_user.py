"""frames_user.py - a program of a user, for a type checker; see frames_test.sh.

A line with `wrong` is one that it has to refuse.
SPDX-License-Identifier: GPL-3.0-or-later
"""
import polars as pl

import crawlfs
import crawlfs.arrow
import crawlfs.polars

with crawlfs.read("crawl", ["com", "org"], fields="url,text", part=(1, 4),
                  status=[200, "300-399"], errors="skip") as rows:
    for row in rows:
        print(row["url"], row.get("text", ""))
print(rows.rows + rows.errors)

how: crawlfs.Options = {"mime": "text/html", "from_": "2024"}
pages = crawlfs.arrow.read("crawl", columns=["url"], **how)
frame: pl.LazyFrame = crawlfs.polars.scan("crawl", **how)

crawlfs.read("crawl", parts=4)  # wrong
crawlfs.read("crawl", part=1)  # wrong
crawlfs.read("crawl", errors="maybe")  # wrong
crawlfs.arrow.read("crawl", batch_bytes="1M")  # wrong
crawlfs.polars.scan("crawl", threads=[1])  # wrong
