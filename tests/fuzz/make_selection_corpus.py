#!/usr/bin/env python3
# Writes the corpora of fuzz_csv, fuzz_tsv and fuzz_jsonl into the folder given
# (default: corpus beside this file).
#
# SPDX-License-Identifier: GPL-3.0-or-later
import json
import os
import sys

NAMES = ["url", "warc_filename", "warc_record_offset", "warc_record_length", "fetch_time", "note"]
ROWS = [["http://a.example/", "crawl-data/a.warc.gz", "12", "345", "2018-10-16 09:12:33.000", 'q "x", y'],
        ["https://b.example/x?y=1", "b.warc.gz", "0", "7.0", "20181016091233", "two\nlines\r\nand \t a tab"],
        ["", "https://data.commoncrawl.org/c.warc.gz", "1", "2", "", ""]]


def quoted(rows, end="\n", delimiter=","):
    return "".join(delimiter.join('"%s"' % v.replace('"', '""') for v in row) + end for row in rows)


CSV = {
    "quoted.csv": quoted([NAMES] + ROWS), "crlf.csv": "\ufeff" + quoted([NAMES] + ROWS, "\r\n"),
    "plain.csv": "filename,offset,length\na,1,2\nb,3,4", "damaged.csv": 'a,b\n"1"x,2\n1\n3,"4\n5,6\n,\n',
    "same.csv": "a,a,a_2,a\n1,2,3,4\n", "quotes.csv": 'a\n""""\n"\n', "blank.csv": "\n\n,\n\n",
    "semicolons.csv": "filename;offset;length\n1;2;3\n", "empty.csv": "",
}
TSV = {
    "plain.tsv": "filename\toffset\tlength\na\t1\t2\n", "quoted.tsv": quoted([NAMES] + ROWS, "\n", "\t"),
    "no-quotes.tsv": 'a\tb\n"x\t2\n"y" z\t4\r\n5\t"\n', "damaged.tsv": 'a\tb\n"x\n1\t2\t3\n',
}
JSONL = {
    "array.json": json.dumps([dict(zip(NAMES, row)) for row in ROWS]),
    "rows.json": json.dumps([NAMES] + [list(row) for row in ROWS], indent=1),
    "odd.json": '[{"a":"]}\\""},[1],{"a":[}]},2,{}]x',
    "rows.jsonl": "".join(json.dumps(dict(zip(NAMES, row))) + "\n" for row in ROWS),
    "typed.jsonl": '{"offset": 1, "length": 2.0, "filename": "a", "x": [1, {"y": null}], "z": 1e400, "n": NaN}\r\n',
    "damaged.jsonl": '[1]\n{"a":1\n{"a"}\n{"a":1}x\n{"a":}\n{"a":1,}\n\n{}\n{"a":"\\u00',
    "deep.jsonl": '{"offset":1,"length":1,"filename":"a","d":' + "[" * 40 + "]" * 40 + "}\n",
    "escapes.jsonl": '{"\\u006fffset":"1","length":"1","filename":"\\/a","e":"\\u0000\\ud800\\ud83d\\ude00"}',
}


def main():
    here = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus")
    for folder, items in (("csv", CSV), ("tsv", TSV), ("jsonl", JSONL)):
        os.makedirs(os.path.join(here, folder), exist_ok=True)
        for name, text in items.items():
            with open(os.path.join(here, folder, name), "wb") as f:
                f.write(text.encode())


main()
