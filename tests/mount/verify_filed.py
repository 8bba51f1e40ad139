"""verify_filed.py - reports as archives file them, beside what was made.

    verify_filed.py made CRAWLFS FOLDER WARC   archives of known state, in both
                                               forms
    verify_filed.py same LINES CSV PREMIS      the three forms of one run

SPDX-License-Identifier: GPL-3.0-or-later
"""
import csv
import json
import os
import re
import shutil
import subprocess
import sys

ODD = 'odd, "name"\n.warc.gz'


def read_csv(path):
    """What it says of archives, and findings."""
    with open(path, newline="", encoding="utf-8") as f:
        text = f.read()
    rows = list(csv.DictReader(text.splitlines(keepends=True)))
    assert text.count("\r\n") == len(rows) + 1, "rows do not end in CR LF"
    archives, findings = {}, []
    for row in rows:
        if row["outcome"] == "finding":
            findings.append(tuple(row[k] for k in FIELDS))
        else:
            assert row["archive"] not in archives, row
            archives[row["archive"]] = (
                row["outcome"], int(row["records"]), int(row["bytes"]),
                int(row["findings"]))
            assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ",
                                row["verified"]), row
    return archives, findings


FIELDS = "archive", "offset", "url", "kind", "expected", "found"


def read_premis(path):
    archives, findings = {}, []
    with open(path, encoding="ascii") as f:
        premis = json.load(f)["premis"]
    assert premis["agent"]["agentName"] == "crawlfs verify", premis["agent"]
    ids = [e["eventIdentifier"]["eventIdentifierValue"]
           for e in premis["event"]]
    assert ids == list(range(1, len(ids) + 1)), ids
    for e in premis["event"]:
        assert e["eventType"] == "fixity check", e
        of = e["linkingObjectIdentifier"]
        details = e["eventOutcomeDetail"]
        archives[of["linkingObjectIdentifierValue"]] = (
            e["eventOutcome"], e["records"], of["size"], len(details))
        findings += [tuple(str(d[k]) for k in FIELDS) for d in details]
    return archives, findings


def run(crawlfs, *args):
    return subprocess.run([crawlfs, "verify", "-q", *args],
                          stderr=subprocess.DEVNULL, check=False).returncode


def made(crawlfs, folder, warc):
    os.makedirs(folder)
    size = os.path.getsize(warc)
    for name in ODD, "sound.warc.gz", "short.warc.gz", "gone.warc.gz":
        shutil.copy(warc, os.path.join(folder, name))
    index = os.path.join(folder, "i.cfx")
    subprocess.run([crawlfs, "index", "-q", "-o", index, "--base=" + folder,
                    folder], check=True)
    os.remove(os.path.join(folder, "gone.warc.gz"))
    os.truncate(os.path.join(folder, "short.warc.gz"), size - 1)
    for form, read in ("report.csv", read_csv), ("a.premis.json", read_premis):
        path = os.path.join(folder, form)
        for _ in range(2):		# the second one replaces it
            assert run(crawlfs, "--report=" + path, index) == 1, form
            assert not os.path.exists(path + ".run"), "a rest is left"
        archives, findings = read(path)
        for name, outcome in ((ODD, "pass"), ("sound.warc.gz", "pass"),
                              ("short.warc.gz", "fail"),
                              ("gone.warc.gz", "missing")):
            got = [v for k, v in archives.items() if k.endswith(name)]
            assert len(got) == 1 and got[0][0] == outcome, (name, archives)
            if outcome == "pass":
                assert got[0][1:] == (32, size, 0), (name, got)
        assert len(archives) == 4, archives
        kinds = sorted({f[3] for f in findings})
        assert kinds == ["archive", "member"], findings
    lines = os.path.join(folder, "lines")
    assert run(crawlfs, "--report=" + lines, index) == 1
    with open(path + ".run", "w") as f:
        f.write("not a report\n")
    assert run(crawlfs, "--report=" + path, index) == 2, "it was replaced"


def same(lines, as_csv, premis):
    want, archives = [], {}
    with open(lines, encoding="utf-8") as f:
        for line in map(json.loads, f):
            if "kind" in line:
                want.append(tuple(str(line[k]) for k in FIELDS))
            elif "done" in line:
                a = archives.setdefault(line["done"], [0, 0, 0])
                for i, k in enumerate(("records", "bytes", "damage")):
                    a[i] += line[k]
    assert want and len(archives) > 1, "there is nothing to compare"
    for got, findings in read_csv(as_csv), read_premis(premis):
        assert findings == want, (len(findings), len(want))
        assert {k: list(v[1:]) for k, v in got.items()} == archives, got


if __name__ == "__main__":
    {"made": made, "same": same}[sys.argv[1]](*sys.argv[2:])
