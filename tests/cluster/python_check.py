#!/usr/bin/env python3
"""python_check.py - looks at contrib/python; see python_test.sh.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import base64
import dataclasses
import datetime
import json
import os
import subprocess
import sys
import tempfile
import warnings

import crawlfs
from crawlfs import pushed as conditions


def run(*args):
    return subprocess.run([os.environ["CRAWLFS"], *args], check=True,
                          stdout=subprocess.PIPE).stdout


def raised(status, words, function):
    try:
        function()
    except crawlfs.CrawlfsError as e:
        assert e.status == status, (e.status, str(e))
        assert words in str(e), str(e)
        return
    raise AssertionError("nothing was raised")


def rows(crawl, one):
    with open(one, encoding="utf-8") as f:
        want = [json.loads(line) for line in f]
    assert len(want) > 500 and list(crawlfs.read(crawl)) == want
    assert [list(r) for r in crawlfs.read(crawl)] == [list(r) for r in want]


def parts(crawl, n):
    whole = list(map(json.dumps, crawlfs.read(crawl)))
    got = [list(map(json.dumps, crawlfs.read(crawl, part=(k, int(n)))))
           for k in range(1, int(n) + 1)]
    assert all(got), [len(p) for p in got]
    assert sorted(sum(got, [])) == sorted(whole)
    assert got[1] == list(map(json.dumps, crawlfs.read(crawl, part="2/4")))


def fields(crawl):
    """Each field is known to the program, and is of its type."""
    kinds = {"string": str, "time": str, "int": int, "long": int, "binary": bytes,
             "double": float,
             "struct<url,timestamp,record_id>": dict,
             "list<string>": list, "pairs": list, "links": list,
             "json": (list, dict)}
    unknown = []
    folder = tempfile.TemporaryDirectory()
    similar = os.path.join(folder.name, "similar.cfx")
    run("index", "-q", "--simhash", "-o", similar, crawl)
    for name, kind in crawlfs.schema(crawlfs.FIELDS).items():
        try:
            for row in crawlfs.read(similar if name == "cluster" else crawl,
                                    fields=["url", name]):
                if name in row:
                    assert isinstance(row[name], kinds[kind]), (name, row)
        except crawlfs.CrawlfsError as e:
            assert "unknown field" in str(e), str(e)
            unknown.append(name)
    print("not known to the program:", unknown)
    assert set(unknown) <= {"markdown"}
    folder.cleanup()
    names = [n for r in crawlfs.read(crawl) for n in r]
    assert set(names) <= set(crawlfs.DEFAULT_FIELDS), set(names)
    assert list(crawlfs.schema("status,url")) == ["url", "status", "error"]


def body(crawl):
    want = [json.loads(line) for line in
            run("export", "--fields=body", crawl).splitlines()]
    got = list(crawlfs.read(crawl, fields="body"))
    assert len(got) == len(want) > 500
    for a, b in zip(got, want):
        assert ("body" in a) == ("body" in b)
        assert a.get("body", b"") == base64.b64decode(b.get("body", ""))


def prefix(crawl):
    want = [r for r in crawlfs.read(crawl) if r.get("surt", "").startswith(
        ("com,", "org,"))]
    got = list(crawlfs.read(crawl, ["com", "org"]))
    assert len(want) > 100 and got == want, (len(got), len(want))
    assert list(crawlfs.read(crawl, "com.no-such-domain")) == []


def failure(folder, crawl):
    def read(*args, **how):
        return lambda: list(crawlfs.read(*args, **how))
    raised(3, "No such file", read(folder + "/none"))
    raised(3, "No such file", read([crawl, folder + "/none"]))
    raised(2, "part", read(crawl, part="5/4"))
    raised(2, "order", read(crawl, order="sideways"))
    for wrong in ({"fields": "url,nothing"}, {"errors": "maybe"}):
        try:
            crawlfs.read(crawl, **wrong)
        except ValueError:
            continue
        raise AssertionError(wrong)
    for wrong, meant in (({"fields": "url,titel"}, "'title'"),
                         ({"mim": "pdf"}, "'mime'")):
        try:
            list(crawlfs.read(crawl, **wrong))
        except (TypeError, ValueError) as e:
            assert "did you mean " + meant in str(e), str(e)
            continue
        raise AssertionError(wrong)


def errors(bad):
    kept = list(crawlfs.read(bad))
    wrong = [r for r in kept if "error" in r]
    assert wrong and len(kept) > len(wrong)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert list(crawlfs.read(bad, errors="skip")) == [
            r for r in kept if "error" not in r]
        assert list(crawlfs.read(bad, status="200", errors="skip"))
    said = [str(w.message) for w in said]
    assert len(said) == 2, said     # once for each reading
    assert "left out %d row" % len(wrong) in said[0], said
    assert wrong[0]["archive"] in said[0] and wrong[0]["error"] in said[0], said
    assert " at %d: " % wrong[0]["offset"] in said[0], said
    raised(1, wrong[0]["error"],
           lambda: list(crawlfs.read(bad, errors="raise")))


def closed(crawl, ended):
    reader = crawlfs.read(crawl)
    assert next(reader) == {"url": "http://a.example/"}
    reader.close()
    assert os.path.exists(ended)


def killed(crawl):
    reader = crawlfs.read(crawl)
    next(reader)
    raised(-9, "SIGKILL", lambda: next(reader))


def none(crawl):
    raised(127, "is not there", lambda: list(crawlfs.read(crawl)))


@dataclasses.dataclass
class Compared:
    attribute: tuple
    value: object


def pushed():
    def of(*filters, **how):
        known = [type(what, (Compared,), {})((column,), value)
                 for what, column, value in filters]
        more = conditions.pushed(how, known)
        return {k: v for k, v in more.items() if how.get(k) != v}
    cases = [
        ([("EqualTo", "status", 200)], {"status": "200"}),
        ([("In", "status", (200, 404, 405))], {"status": "200,404-405"}),
        ([("GreaterThan", "status", 299), ("LessThan", "status", 400)],
         {"status": "300-399"}),
        ([("EqualTo", "status", 5)], {}),
        ([("EqualTo", "mime", "Text/HTML")], {"mime": "text/html"}),
        ([("EqualTo", "mime", "text/*")], {}),
        ([("EqualTo", "mime", "text/html; charset=x")], {}),
        ([("EqualTo", "timestamp", "2024-02-29T12:34:56Z")],
         {"from_": "20240229123456", "to": "20240229123456"}),
        ([("GreaterThan", "timestamp", "2024"),
          ("LessThan", "timestamp", "2024-03")],
         {"from_": "2024", "to": "202403"}),
        ([("EqualTo", "timestamp", datetime.datetime(
            2024, 2, 29, 7, 34, 56, 789000, datetime.timezone(
                datetime.timedelta(hours=-5))))],
         {"from_": "20240229123456", "to": "20240229123456"}),
        ([("EqualTo", "timestamp", datetime.datetime(2024, 2, 29))], {}),
        ([("LessThan", "timestamp", "2024-13")], {}),
        ([("LessThan", "timestamp", "x")], {}),
        ([("EqualTo", "url", "http://a.example/x.warc.gz")],
         {"prefix": ["http://a.example/x.warc.gz*"]}),
        ([("StringStartsWith", "url", "http://a.example/")],
         {"prefix": ["http://a.example/*"]}),
        ([("StringStartsWith", "url", "http://a.exam")], {}),
        ([("StringStartsWith", "url", "http://a.example/%41")], {}),
        ([("EqualTo", "title", "x")], {}),
        ([("IsNotNull", "status", None)], {}),
        ([("Not", "status", 200)], {}),
    ]
    for filters, want in cases:
        assert of(*filters) == want, (filters, of(*filters))
    assert of(("EqualTo", "status", 200), status="404") == {}
    assert of(("EqualTo", "url", "http://a.example/"), prefix=["com"]) == {}
    assert of(("LessThan", "timestamp", "2024"), at="2012") == {}


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
