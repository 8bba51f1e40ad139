#!/usr/bin/env python3
"""dask_job.py - the rows of a crawl through Dask distributed, with two workers
that are processes of their own.

usage: dask_job.py SOURCE PARTS OUT CODE

Writes all rows to files in the folder OUT, and runs CODE, a file of Python.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import json
import sys

import dask
from dask.distributed import Client, LocalCluster

import crawlfs.dask


def main():
    source, parts, out, code = sys.argv[1:]
    dask.config.set({"distributed.comm.retry.count": 3})
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True,
                      host="127.0.0.1", dashboard_address=None) as cluster, \
            Client(cluster):
        rows = crawlfs.dask.bag(source, parts=int(parts))
        rows.map(json.dumps).to_textfiles(out + "/*.jsonl")
        frame = crawlfs.dask.dataframe(source, parts=2,
                                       fields="url,status,length")
        print("partitions:", rows.npartitions, frame.npartitions)
        print("frame:", len(frame), int(frame["length"].sum().compute()),
              list(frame.columns))
        with open(code, encoding="utf-8") as f:
            exec(f.read(), {})


if __name__ == "__main__":
    main()
