#!/usr/bin/env python3
"""spark_job.py - the rows of a crawl through Spark's Python data source.

usage: spark_job.py MASTER SOURCE PARTS OUT
       spark_job.py MASTER SOURCE PARTS OUT CODE TEXTS [CONDITION OUT2 LOG]...

Writes all rows as JSON lines to the folder OUT; with CODE, only two fields. CODE
is a file of Python that makes the Parquet files TEXTS, which become JSON lines in
TEXTS.json. The rows for which Spark's CONDITION holds are written to OUT2; LOG, a
file to which $CRAWLFS writes its words, is emptied before, and copied to
OUT2.words.  Rows come through Unix sockets with CODE, else through those of TCP.
SPDX-License-Identifier: GPL-3.0-or-later
"""
import shutil
import sys

from pyspark.sql import SparkSession

import crawlfs.spark

master, source, parts, out = sys.argv[1:5]
spark = (SparkSession.builder.master(master)
         .config("spark.ui.enabled", "false")
         .config("spark.driver.bindAddress", "127.0.0.1")
         .config("spark.driver.host", "127.0.0.1")
         .config("spark.sql.session.timeZone", "America/New_York")
         .config("spark.sql.warehouse.dir", out + ".warehouse")
         .config("spark.python.unix.domain.socket.enabled",
                 str(len(sys.argv) > 5).lower())
         .getOrCreate())
crawlfs.spark.register(spark)


def crawl():
    return (spark.read.format("crawlfs").option("source", source)
            .option("parts", parts))


def write(rows, folder):
    (rows.write.option("timestampFormat", "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX")
     .json(folder))


if len(sys.argv) == 5:
    write(crawl().load(), out)
else:
    print("partitions:", crawl().load().rdd.getNumPartitions())
    few = crawl().schema("status int, url string").load()
    write(few, out)
    with open(sys.argv[5], encoding="utf-8") as f:
        exec(f.read())
    texts = sys.argv[6]
    spark.read.parquet(texts).write.json(texts + ".json")
for condition, out2, log in zip(*[iter(sys.argv[7:])] * 3):
    open(log, "w").close()
    write(crawl().load().where(condition), out2)
    shutil.copy(log, out2 + ".words")
spark.stop()
