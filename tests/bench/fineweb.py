#!/usr/bin/env python3
"""fineweb.py - what FineWeb's filters keep of pages, by the form of their text.

    fineweb.py CRAWLFS DEV [STEP]

DEV is WCXB's dev split, dev.tar.xz.  An archive is made of its pages, of every
STEPth one by number (all), and their texts are found by `crawlfs export` (text, markdown,
main), by taking the markup of markdown off with a few expressions, and by the
recipe of datatrove for FineWeb: its reader of WARC files and trafilatura.

Prints how many documents of each form datatrove's filters for FineWeb keep
(Gopher repetition and quality, C4 without the rule of terminal punctuation,
FineWeb quality, one behind the other; the filters of URLs and languages, which do
not depend on the text's form, are left out), and which filter drops the others.
Then the processor time a page of the recipe and of `crawlfs export --fields=main`,
without that of the same program on an archive without pages.

Needs datatrove, trafilatura, spacy, nltk and warcio (PyPI); fineweb.sh installs
them.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import collections
import json
import os
import re
import resource
import subprocess
import sys
import tarfile
import tempfile

FIELDS = ("text", "markdown", "main")
RUNS = 3                # of crawlfs, which is over soon
TIMEOUT = 30            # seconds for a page, so that no page is lost to load


# ---- the archive ----

def record(number, url, body):
    http = (b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
            b"Content-Length: %d\r\n\r\n" % len(body)) + body
    return (b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\n"
            b"WARC-Date: 2025-11-01T00:00:00Z\r\n"
            b"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-%012d>\r\n"
            b"Content-Type: application/http;msgtype=response\r\n"
            b"Content-Length: %d\r\n\r\n" % (url.encode(), number, len(http))
            ) + http + b"\r\n\r\n"


def make_archive(dev, path, step):
    pages, urls = {}, {}
    with tarfile.open(dev) as tar:
        for member in tar:
            name, kind = os.path.splitext(os.path.basename(member.name))
            if kind == ".html":
                pages[name] = tar.extractfile(member).read()
            elif kind == ".json":
                urls[name] = json.load(tar.extractfile(member)).get("url")
    with open(path, "wb") as out:
        for name in sorted(pages)[::step]:
            url = re.sub(r"[^!-~]", "", urls.get(name) or "")
            out.write(record(int(name), url or "http://example.org/" + name,
                             pages[name]))


# ---- texts ----

def unmarked(s):
    """Markdown without its markup, as anyone would take it off."""
    s = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", s)
    s = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", s)
    s = re.sub(r"(?m)^[ >]*(#+ |[-*+] |\d+[.)] )", "", s)
    s = re.sub(r"(?m)^[-|: ]+$", "", s)
    s = re.sub(r"(?m)^[>| ]+|\|", " ", s)
    return re.sub(r"[*_`\\]+", "", s)


def export(crawlfs, archive, fields):
    return subprocess.run([crawlfs, "export", "-q", "--threads=1",
                           "--order=archive", "--fields=" + fields, archive],
                          check=True, stdout=subprocess.PIPE).stdout


def recipe(archive, out):
    """What datatrove's example for FineWeb does with an archive."""
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.extractors import Trafilatura
    from datatrove.pipeline.readers import WarcReader
    from datatrove.pipeline.writers import JsonlWriter
    LocalPipelineExecutor(
        [WarcReader(os.path.dirname(archive),
                    glob_pattern=os.path.basename(archive), compression=None),
         Trafilatura(favour_precision=True, timeout=TIMEOUT),
         JsonlWriter(out, compression=None)],
        tasks=1, logging_dir=out + ".log").run()


def seconds_of(what):
    """Of processor time, of the processes that it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    what()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime +
            after.ru_stime - before.ru_stime)


def run_recipe(archive, out):
    subprocess.run([sys.executable, __file__, "recipe", archive, out],
                   check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


def texts_of_recipe(out):
    texts = []
    for name in os.listdir(out):
        with open(os.path.join(out, name)) as f:
            texts += [json.loads(line)["text"] for line in f]
    return texts


# ---- filters ----

def filters():
    from datatrove.pipeline.filters import (C4QualityFilter,
                                            FineWebQualityFilter,
                                            GopherQualityFilter,
                                            GopherRepetitionFilter)
    return (GopherRepetitionFilter(), GopherQualityFilter(),
            C4QualityFilter(filter_no_terminal_punct=False),
            FineWebQualityFilter())


def reason(steps, text):
    """Which filter drops a text; None: it is kept.  Filters may change it."""
    from datatrove.data import Document
    document = Document(text=text, id="0")
    for step in steps:
        result = step.filter(document)
        if isinstance(result, tuple) and not result[0]:
            return "%s: %s" % (type(step).__name__, result[1])
        if not result:
            return type(step).__name__
    return None


def judge(name, texts, steps, pages):
    texts = [t for t in texts if t and t.strip()]
    why = collections.Counter(reason(steps, t) for t in texts)
    kept = why.pop(None, 0)
    print("%-22s %5d with text, %4d kept, %4.1f %% of %d" %
          (name, len(texts), kept, 100 * kept / pages, pages))
    print("    dropped: " + ", ".join("%s %d" % x for x in why.most_common(6)))
    sys.stdout.flush()


def rate(what, archive, empty, pages, runs=1):
    """Milliseconds of processor time a page."""
    start = min(seconds_of(lambda: what(empty)) for _ in range(runs))
    whole = min(seconds_of(lambda: what(archive)) for _ in range(runs))
    return (whole - start) * 1000 / pages


def main(crawlfs, dev, step="1"):
    with tempfile.TemporaryDirectory() as folder:
        archive = os.path.join(folder, "pages.warc")
        empty = os.path.join(folder, "empty.warc")
        make_archive(dev, archive, int(step))
        with open(empty, "wb") as f:
            f.write(record(1, "http://example.org/", b""))
        rows = [json.loads(line) for line in
                export(crawlfs, archive, ",".join(FIELDS)).splitlines()]
        steps = filters()
        for field in FIELDS:
            judge(field, [r.get(field) for r in rows], steps, len(rows))
        judge("markdown, unmarked",
              [unmarked(r.get("markdown", "")) for r in rows], steps, len(rows))
        out = os.path.join(folder, "recipe")
        theirs = rate(lambda a: run_recipe(a, out if a == archive else out + ".0"),
                      archive, empty, len(rows))
        judge("datatrove's recipe", texts_of_recipe(out), steps, len(rows))
        ours = rate(lambda a: export(crawlfs, a, "url,main"), archive, empty,
                    len(rows), RUNS)
        print("processor time a page: datatrove's recipe %.2f ms, crawlfs "
              "%.3f ms: %.0f times" % (theirs, ours, theirs / ours))


if __name__ == "__main__":
    if sys.argv[1] == "recipe":
        recipe(*sys.argv[2:])
    else:
        main(*sys.argv[1:])
