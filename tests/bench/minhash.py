#!/usr/bin/env python3
"""minhash.py - datatrove's MinHash over the main content that crawlfs exports.

    minhash.py CRAWLFS DEV.tar.xz

An archive is made of the pages of WCXB's dev split, and of copies of each
fortieth, in which a paragraph is added before </body>.  `crawlfs export
--fields=url,main` writes JSON lines, which datatrove's JsonlReader reads;
signatures, buckets, clusters and the filter are datatrove's own, as in its
example.  Prints how many documents go in and come out, and how many of the
copies are found.

Needs what fineweb.sh installs (xxhash before 4: datatrove 0.10.1 hashes
strings).

SPDX-License-Identifier: GPL-3.0-or-later
"""
import json
import os
import sys
import tarfile
import tempfile

import fineweb

EVERY = 40
ADDED = b"<p>This copy was made for a test, and has a paragraph more.</p>"


def make_archive(dev, path):
    """Returns the numbers of pages and of copies."""
    pages = copies = 0
    with tarfile.open(dev) as tar, open(path, "wb") as out:
        for member in tar:
            if not member.name.endswith(".html"):
                continue
            page = tar.extractfile(member).read()
            url = "http://example.org/%d" % pages
            out.write(fineweb.record(2 * pages, url, page))
            at = page.rfind(b"</body>")
            if pages % EVERY == 0 and at >= 0:
                out.write(fineweb.record(2 * pages + 1, url + "/copy",
                                         page[:at] + ADDED + page[at:]))
                copies += 1
            pages += 1
    return pages, copies


def export(crawlfs, archive, path):
    """Writes the rows that have a text.  Returns their URLs."""
    urls = []
    with open(path, "w", encoding="utf-8") as out:
        for line in fineweb.export(crawlfs, archive, "url,main").splitlines():
            row = json.loads(line)
            if (row.get("main") or "").strip():
                urls.append(row["url"])
                out.write(json.dumps(row) + "\n")
    return urls


def deduplicate(folder):
    """Returns the URLs of what is left."""
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.dedup import (MinhashDedupBuckets,
                                          MinhashDedupCluster,
                                          MinhashDedupFilter,
                                          MinhashDedupSignature)
    from datatrove.pipeline.dedup.minhash import MinhashConfig
    from datatrove.pipeline.readers import JsonlReader
    from datatrove.pipeline.writers import JsonlWriter

    def place(name):
        return os.path.join(folder, name)

    config = MinhashConfig()
    reader = JsonlReader(place("in"), text_key="main", id_key="url")
    steps = (
        (1, [reader, MinhashDedupSignature(place("signatures"),
                                           config=config)]),
        (config.num_buckets,
         [MinhashDedupBuckets(place("signatures"), place("buckets"),
                              config=config)]),
        (1, [MinhashDedupCluster(place("buckets"), place("remove"),
                                 config=config)]),
        (1, [reader, MinhashDedupFilter(place("remove")),
             JsonlWriter(place("out"), compression=None)]))
    for i, (tasks, pipeline) in enumerate(steps):
        LocalPipelineExecutor(pipeline, tasks=tasks, workers=1,
                              logging_dir=place("log%d" % i)).run()
    left = set()
    for name in os.listdir(place("out")):
        with open(os.path.join(place("out"), name), encoding="utf-8") as f:
            left |= {json.loads(line)["id"] for line in f}
    return left


def main(crawlfs, dev):
    with tempfile.TemporaryDirectory() as folder:
        archive = os.path.join(folder, "pages.warc")
        pages, copies = make_archive(dev, archive)
        os.mkdir(os.path.join(folder, "in"))
        urls = export(crawlfs, archive, os.path.join(folder, "in/rows.jsonl"))
        left = deduplicate(folder)
    planted = {u for u in urls if u.endswith("/copy")}
    # of two near copies either may be the one that is kept
    found = {u for u in planted
             if u not in left or u[:-len("/copy")] not in left}
    print("%d pages and %d copies: %d with main content, %d left; %d of %d "
          "copies with main content are found"
          % (pages, copies, len(urls), len(left), len(found), len(planted)))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
