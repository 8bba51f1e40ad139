#!/usr/bin/env python3
"""rows_check.py - compares rows, whatever wrote them.

usage: rows_check.py same WANTED GOT...
       rows_check.py whole PART...
       rows_check.py where FILE EXPRESSION

same: the rows of WANTED are those of all GOT together, each as often as there.
whole: no PART is empty, and no row is in two of them.
where: prints the rows of FILE for which EXPRESSION, of the row r, holds.

Files have JSON lines; a folder stands for the files in it whose names do not
begin with a dot or '_'. Rows are compared as JSON with sorted names, times as
instants, and without what is null, which is how engines say that a field is unknown.
SPDX-License-Identifier: GPL-3.0-or-later
"""
import collections
import datetime
import gzip
import json
import os
import sys


def files_of(paths):
    for path in paths:
        if not os.path.isdir(path):
            yield path
            continue
        for name in sorted(os.listdir(path)):
            if name[0] not in "._" and not name.endswith(".crc"):
                yield os.path.join(path, name)


def rows_of(path):
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8", newline="\n") as f:
        for line in f:
            yield canonical(json.loads(line))


def canonical(row):
    if row.get("timestamp"):    # an instant, in whatever zone and precision
        time = row["timestamp"].replace("Z", "+00:00").replace(" ", "T")
        row["timestamp"] = datetime.datetime.fromisoformat(time).timestamp()
    return json.dumps(known(row), sort_keys=True, ensure_ascii=False)


def known(value):
    """It, without what is null in structs."""
    if not isinstance(value, dict):
        return value
    return {k: known(v) for k, v in value.items() if v is not None}


def same(wanted, *got):
    want = collections.Counter(rows_of(wanted))
    have = collections.Counter(r for p in files_of(got) for r in rows_of(p))
    for what, rows in (("missing", want - have), ("too many", have - want)):
        for row in sorted(rows)[:3]:
            print("%s: %s" % (what, row))
    print("%d rows, wanted %d" % (sum(have.values()), sum(want.values())))
    return want == have and want


def whole(*parts):
    rows = [list(rows_of(p)) for p in parts]
    print([len(r) for r in rows])
    every = [row for r in rows for row in r]
    return all(rows) and len(every) == len(set(every))


def where(path, expression):
    with open(path, encoding="utf-8") as f:
        for line in f:
            if eval(expression, {"r": json.loads(line)}):
                sys.stdout.write(line)
    return True


if __name__ == "__main__":
    verbs = {"same": same, "whole": whole, "where": where}
    if len(sys.argv) < 3 or sys.argv[1] not in verbs:
        sys.exit(__doc__)
    sys.exit(0 if verbs[sys.argv[1]](*sys.argv[2:]) else 1)
