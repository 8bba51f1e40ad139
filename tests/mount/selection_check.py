#!/usr/bin/env python3
"""selection_check.py - selections in every form, and mounts of them compared
with what Python's csv, json and gzip read.

    selection_check.py make MANIFEST FOLDER
    selection_check.py check MOUNT DATA TABLE [--damaged LINE,LINE...]

make writes the responses of a made-up crawl as selections: all the forms that
crawlfs is said to read.  check reads TABLE (a file, or a folder of parts) and
the records below DATA, and compares each .meta and each body of the mount:
every row that is a capture is there once, nothing else is, and its other
columns are under `selection`.  --damaged: lines that hold no row.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import argparse
import csv
import functools
import gzip
import io
import json
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "model"))
import record_reader  # noqa: E402

csv.field_size_limit(1 << 24)
NEEDED = [["warc_url", "source_uri", "warc_filename", "filename"],
          ["warc_record_offset", "offset"], ["warc_record_length", "length"], ["url", "warc_target_uri", "original"]]
BASES = ["https://data.commoncrawl.org/", "s3://commoncrawl/"]


# ---- making ----

def captures(manifest):
    with open(manifest, encoding="utf-8", errors="replace", newline="\n") as f:
        names = f.readline().lstrip("#").rstrip("\n").split("\t")
        for line in f:
            row = dict(zip(names, line.rstrip("\n").split("\t")))
            if row["kind"] == "response" and not {"\\", "\ufffd"} & set(row["url"]):
                yield row


def spark_time(t):
    return "%s-%s-%sT%s:%s:%s.000Z" % (t[:4], t[4:6], t[6:8], t[8:10], t[10:12], t[12:])


def athena_time(t):
    return spark_time(t).replace("T", " ").rstrip("Z")


def odd_text(r, i):
    """A column that users join: quotes, line ends, delimiters, no ASCII."""
    return ["plain", 'with "quotes"', "two\nlines", "a,b;c\td", "\u00e9\u4e2d\U0001f600", "", "line\r\nend",
            '"', "\n\n", "x" * r.randrange(300), "%d" % i][i % 11]


def athena(v):
    return "" if v is None else '"%s"' % str(v).replace('"', '""')


def write_csv(path, names, rows, end="\n", delimiter=",", mark=b"", quote=athena):
    lines = [delimiter.join(quote(n) for n in names)]
    lines += [delimiter.join(quote(row[n]) for n in names) for row in rows]
    with open(path, "wb") as f:
        f.write(mark + (end.join(lines) + end).encode())


def minimal(v):
    """Quotes only where they must be, as DuckDB and Spark write."""
    v = "" if v is None else str(v)
    return athena(v) if any(c in v for c in '",\n\r;\t') else v


def packed(path, *command):
    subprocess.run([*command, path], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def write_jsonl(path, rows, nulls=True):
    with open(path, "w", newline="\n") as f:
        for row in rows:
            f.write(json.dumps({k: v for k, v in row.items() if nulls or v is not None},
                               ensure_ascii=len(row["url"]) % 2 == 0) + "\n")


def make(manifest, folder):
    r = random.Random(5)
    base = list(captures(manifest))
    r.shuffle(base)
    rows = [{"rank": i * 7 % 1000, "url": c["url"], "warc_filename": c["archive"],
             "warc_record_offset": int(c["offset"]), "warc_record_length": int(c["length"]),
             "fetch_time": athena_time(c["timestamp"]), "fetch_status": int(c["status"]),
             "content_mime_detected": "text/html" if i % 5 else None,
             "note": odd_text(r, i)} for i, c in enumerate(base)]
    names = list(rows[0])
    write_csv(folder + "/athena.csv", names, rows)
    write_csv(folder + "/crlf-bom.csv", names[::-1], rows, end="\r\n", mark=b"\xef\xbb\xbf")
    write_csv(folder + "/minimal.csv", names, rows, quote=minimal)
    write_csv(folder + "/semicolons.csv", names, rows, delimiter=";", quote=minimal)
    write_csv(folder + "/twice.csv", names, rows + rows[::-1])
    flat = [{**row, "note": " ".join(row["note"].split()), "rank": '"%d' % row["rank"]} for row in rows]
    write_csv(folder + "/plain.tsv", names, flat, delimiter="\t", quote=lambda v: "" if v is None else str(v))
    write_csv(folder + "/quoted.tsv", names, rows, delimiter="\t", quote=minimal)
    packed(folder + "/plain.tsv", "gzip", "-k")
    packed(folder + "/minimal.csv", "zstd", "-q", "-k")
    typed = [{**row, "fetch_time": spark_time(c["timestamp"]), "big": 2 ** 70 + i, "score": i / 8,
              "good": i % 2 == 0, "none": None, "langs": ["spa", {"x": [1, {}]}]}
             for i, (row, c) in enumerate(zip(rows, base))]
    write_jsonl(folder + "/spark.jsonl", typed, nulls=False)
    write_jsonl(folder + "/duckdb.json", typed)
    packed(folder + "/duckdb.json", "gzip", "-k")
    # as pandas writes them, and as a CDX server answers
    for name, options in (("records.json", {}), ("indented.json", {"indent": 4})):
        with open(folder + "/" + name, "w") as f:
            json.dump(typed, f, **options)
    with open(folder + "/server.json", "w") as f:
        f.write("[" + ",\n".join(json.dumps(row) for row in [
            ["timestamp", "original", "statuscode", "length", "offset", "filename", "x"]] + [
            [c["timestamp"], c["url"], c["status"], c["length"], c["offset"], c["archive"], i]
            for i, c in enumerate(base)]) + "]\n")
    packed(folder + "/records.json", "gzip", "-k")
    cdx = [{"urlkey": "x)/%d" % (-i % 977), "timestamp": c["timestamp"], "url": c["url"], "mime": "text/html",
            "mime-detected": "text/html", "status": c["status"], "length": c["length"], "offset": c["offset"],
            "filename": c["archive"], "languages": "eng"} for i, c in enumerate(base)]
    write_jsonl(folder + "/cdxt.jsonl", cdx)
    # in order, but not beside its archives
    write_jsonl(folder + "/sorted.jsonl", sorted(cdx, key=lambda row: row["urlkey"]))
    urls = [{"WARC_URL": BASES[i % 2] + c["archive"], "warc_filename": "a label", "Warc_Record_Offset": c["offset"],
             "warc_record_length": c["length"] + ".0", "URL": c["url"]} for i, c in enumerate(base)]
    write_csv(folder + "/urls.csv", list(urls[0]), urls)
    write_csv(folder + "/offsets.csv", ["warc_filename", "warc_record_offset", "warc_record_length"], rows)
    os.makedirs(folder + "/parts/_temporary")
    for i in range(5):
        write_jsonl(folder + "/parts/part-%05d-c000.json" % i, typed[i::5], nulls=False)
    for name in ("_SUCCESS", "._SUCCESS.crc"):
        open(folder + "/parts/" + name, "w").close()
    for name in ("_temporary/part-0.json", ".part-00000-c000.json.crc", "_old.json"):
        write_jsonl(folder + "/parts/" + name, [{**typed[0], "url": "http://hidden.example/"}])
    packed(folder + "/parts/part-00001-c000.json", "gzip")


# ---- checking ----

def read_bytes(path):
    with open(path, "rb") as f:
        data = f.read()
    if data[:2] == b"\x1f\x8b":
        return gzip.decompress(data)
    if data[:4] == b"\x28\xb5\x2f\xfd":
        return subprocess.run(["zstd", "-dc", path], check=True, stdout=subprocess.PIPE).stdout
    return data


def table_rows(path, damaged):
    """The rows of a file, as dicts in the order of columns."""
    text = read_bytes(path).decode("utf-8-sig")
    if text.startswith("["):
        rows = json.loads(text)
        yield from rows if isinstance(rows[0], dict) else (dict(zip(rows[0], row)) for row in rows[1:])
        return
    if text.startswith("{"):
        for number, line in enumerate(text.split("\n"), 1):
            if line and number not in damaged:
                yield json.loads(line)
        return
    first = text.split("\n", 1)[0]
    delimiter = max(",\t;", key=first.count)
    if delimiter == "\t" and 'quoted' not in path:
        lines = text.rstrip("\n").split("\n")
        for line in lines[1:]:
            yield dict(zip(lines[0].split("\t"), line.split("\t")))
        return
    if damaged:
        text = "".join(line for n, line in enumerate(text.splitlines(True), 1) if n not in damaged)
    yield from csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)


def tables(path):
    if not os.path.isdir(path):
        return [path]
    return [os.path.join(path, n) for n in sorted(os.listdir(path)) if n[0] not in "._"]


def pick(row, names):
    """Name and value of the column that counts."""
    for want in names:
        for name in row:
            if name.lower() == want and row[name] not in (None, "", "-"):
                return name, row[name]
    return None, None


def place_of(row):
    taken = [pick(row, names) for names in NEEDED]
    archive, offset, length, _ = [v for _, v in taken]
    for base in BASES:
        if archive.startswith(base):
            archive = archive[len(base):]
    rest = {k: v for k, v in row.items() if k not in [n for n, _ in taken]}
    number = [int(float(v)) if isinstance(v, str) and "." in v else int(v) for v in (offset, length)]
    return (archive, *number), rest


@functools.cache
def others(data, archive):
    """The bodies that revisits in an archive may have."""
    return record_reader.bodies_by_reference([os.path.join(data, archive)])


def check(mount, data, table, damaged):
    want = {}
    for path in tables(table):
        for row in table_rows(path, damaged):
            place, rest = place_of(row)
            want.setdefault(place, (row, rest))
    seen = set()
    for folder, _, names in os.walk(os.fsencode(mount)):
        for name in names:
            if not name.endswith(b".meta"):
                continue
            path = os.path.join(folder, name)
            with open(path, "rb") as f:
                text = f.read()
            assert os.stat(path).st_size == len(text), path
            meta = json.loads(text)
            own = meta["crawlfs"]
            place = (own["archive"], own["offset"], own["length"])
            assert place in want, "%r is in no row" % (place,)
            assert place not in seen, "%r is there twice" % (place,)
            seen.add(place)
            row, rest = want[place]
            assert meta.get("selection", {}) == rest, (path, meta.get("selection"), rest)
            assert list(meta.get("selection", {})) == list(rest), path
            rec = record_reader.read_record(os.path.join(data, place[0]), place[1], place[2])
            url = pick(row, NEEDED[3])[1]
            assert url is None or own["url"] == url, (own["url"], url)
            assert os.fsencode(own["url"]) == rec.url, (own["url"], rec.url)
            page = path[:-len(b".meta")]
            body = rec.body
            if rec.kind == "revisit":
                digest = record_reader.field(rec.warc, b"warc-payload-digest")
                body = others(data, place[0]).get(b"digest:" + digest, b"")
            with open(page + b"#" if os.path.isdir(page) else page, "rb") as f:
                assert f.read() == body, path
    missing = set(want) - seen
    assert not missing, "not in the mount: %r" % sorted(missing)[:3]
    print("%d captures" % len(seen))


def main():
    p = argparse.ArgumentParser()
    sub = p.add_subparsers(dest="what", required=True)
    m = sub.add_parser("make")
    m.add_argument("manifest")
    m.add_argument("folder")
    c = sub.add_parser("check")
    c.add_argument("mount")
    c.add_argument("data")
    c.add_argument("table")
    c.add_argument("--damaged", default="")
    o = p.parse_args()
    if o.what == "make":
        make(o.manifest, o.folder)
    else:
        check(o.mount, o.data, o.table, {int(n) for n in o.damaged.split(",") if n})


if __name__ == "__main__":
    main()
