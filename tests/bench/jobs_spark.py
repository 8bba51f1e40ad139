#!/usr/bin/env python3
"""jobs_spark.py - jobs of Spark over archives: the text of all pages by
crawlfs.spark, and how often each word occurs, by crawlfs and by warcio.

usage: jobs_spark.py ROUNDS PARTS FOLDER WARC_FOLDER WET_FOLDER JOB...

Runs each job ROUNDS times, in turns, in one local session of Spark, which has
been warmed up by one round that does not count. Prints a line "JOB SECONDS
ANSWER" for each; outputs are written to FOLDER.

spark           url and text of the pages in WARC_FOLDER as JSON lines, PARTS
                partitions of crawlfs.spark
spark-sum       rows and their length, which Spark adds up
words-wet       words of the texts in WET_FOLDER, read by warcio, one task a file:
                what cc-pyspark's word count does
words-crawlfs   words of the texts of the pages in WARC_FOLDER, which crawlfs
                makes, one task a part
SPDX-License-Identifier: GPL-3.0-or-later
"""
import collections
import operator
import os
import re
import shutil
import sys
import time

from pyspark.sql import SparkSession

import crawlfs
import crawlfs.spark

WORD = re.compile(r"\w+")


def words_of(texts):
    counts = collections.Counter()
    for text in texts:
        counts.update(word.lower() for word in WORD.findall(text))
    return counts.items()


def texts_of_wet(paths):
    from warcio.archiveiterator import ArchiveIterator
    for path in paths:
        with open(path, "rb") as f:
            for record in ArchiveIterator(f):
                if record.rec_type == "conversion":
                    yield record.content_stream().read().decode("utf-8")


def texts_of_parts(source, parts):
    def texts(numbers):
        for k in numbers:
            for row in crawlfs.read(source, fields=["text"], part=(k, parts)):
                if "text" in row:
                    yield row["text"]
    return texts


def answer(counts):
    """words, those that differ, and how often the most frequent one occurs"""
    all_counts = counts.values().collect()
    return "%d,%d,%d" % (sum(all_counts), len(all_counts), max(all_counts))


def main():
    rounds, parts = int(sys.argv[1]), int(sys.argv[2])
    folder, warcs, wets = sys.argv[3:6]
    spark = (SparkSession.builder.master("local[*]")
             .config("spark.ui.enabled", "false")
             .config("spark.driver.bindAddress", "127.0.0.1")
             .config("spark.driver.host", "127.0.0.1")
             .config("spark.sql.warehouse.dir", folder + "/warehouse")
             .config("spark.python.unix.domain.socket.enabled", "true")
             .getOrCreate())
    spark.sparkContext.setLogLevel("ERROR")
    crawlfs.spark.register(spark)
    context = spark.sparkContext
    wet_files = sorted(os.path.join(wets, name) for name in os.listdir(wets))

    def load():
        return (spark.read.format("crawlfs").option("source", warcs)
                .option("parts", parts).schema("url string, text string")
                .load())

    def rows_sum():
        row = load().selectExpr("count(url)", "sum(length(url))",
                                "sum(length(text))").first()
        return "%d,%d,%d" % tuple(row)

    def rows():
        out = folder + "/rows"
        shutil.rmtree(out, ignore_errors=True)
        load().write.json(out)
        n = 0
        for name in os.listdir(out):
            if name.endswith(".json"):
                with open(os.path.join(out, name), "rb") as f:
                    n += sum(1 for _ in f)
        return n

    def words_wet():
        return answer(context.parallelize(wet_files, len(wet_files))
                      .mapPartitions(lambda p: words_of(texts_of_wet(p)))
                      .reduceByKey(operator.add))

    def words_crawlfs():
        texts = texts_of_parts(warcs, parts)
        return answer(context.parallelize(range(1, parts + 1), parts)
                      .mapPartitions(lambda k: words_of(texts(k)))
                      .reduceByKey(operator.add))

    jobs = {"spark": rows, "spark-sum": rows_sum, "words-wet": words_wet,
            "words-crawlfs": words_crawlfs}
    for i in range(-1, rounds):
        for name in sys.argv[6:]:
            began = time.monotonic()
            what = jobs[name]()
            if i >= 0:
                print(name, "%.3f" % (time.monotonic() - began), what,
                      flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
