#!/usr/bin/env python3
"""ray_job.py - the rows of a crawl through Ray Data, of a Ray of its own.

usage: ray_job.py SOURCE PARTS OUT TEMP CODE TEXTS

Writes all rows to the file OUT. CODE is a file of Python that makes the Parquet
files TEXTS, which become JSON lines in TEXTS.json.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import json
import sys

import ray

import crawlfs.ray


def start_ray(temp):
    """Ray gives its own processes 30 seconds, which a busy machine exceeds."""
    for attempt in range(5):
        try:
            return ray.init(address="local", num_cpus=2,
                            include_dashboard=False, _temp_dir=temp,
                            object_store_memory=200 << 20,
                            _node_ip_address="127.0.0.1")
        except Exception as e:
            print("attempt %d: %s" % (attempt, e))
            ray.shutdown()
    sys.exit("Ray does not start")


def write(dataset, path):
    with open(path, "w", encoding="utf-8") as f:
        for row in dataset.iter_rows():
            f.write(json.dumps(row, default=str) + "\n")


source, parts, out, temp, code, texts = sys.argv[1:]
start_ray(temp)
rows = crawlfs.ray.read(source, parts=int(parts))
write(rows, out)
with open(code, encoding="utf-8") as f:
    exec(f.read())
write(ray.data.read_parquet(texts), texts + ".json")
ray.shutdown()
