#!/usr/bin/env python3
"""json_check.py - the output of --json, and the paths that lookup prints.

    json_check.py keys WHAT [FILE]
        FILE (standard input) is what a command printed: documents and lines
        with the keys that the manuals promise, each of its type, and nothing
        but ASCII without control characters
    json_check.py paths --least N MANIFEST MOUNT LINES OBJECTS
        every path in what lookup printed (LINES: CDXJ; OBJECTS: --json) opens
        in the mount (-o xattr), and is that view of that capture
    json_check.py listing MOUNT LINES
        every path in what `ls -R --json` printed is there, of that type, and of
        that size unless it is an estimate; and nothing else is there

SPDX-License-Identifier: GPL-3.0-or-later
"""
import argparse
import hashlib
import json
import os
import re
import stat
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "model"))
import record_reader                                            # noqa: E402
from mountcheck import Faults, find, read_all                         # noqa: E402

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\Z")


def time(v):
    return isinstance(v, str) and TIME.match(v) is not None


def count(v):
    return type(v) is int and v >= 0


def text(v):
    return isinstance(v, str) and v != ""


def number(v):
    return type(v) in (int, float) and v >= 0


def flag(v):
    return type(v) is bool


def words(v):
    return isinstance(v, list) and len(v) > 0 and all(map(text, v))


def obj(keys):
    return lambda v: isinstance(v, dict) and wrong_keys(v, keys) is None


def each(of):
    return lambda v: isinstance(v, list) and all(map(of, v))


def group(more):
    return obj({"keys": count, "lacks?": count, "rows": each(obj({
        "key": text, "captures": count, "bytes": count, "lacks?": count,
        **more}))})


FILES = {"files": count, "bytes": count}
CHECKED = dict(FILES, damaged_files=count)
COMPARED = {"compared": count, "matched": count, "differed": count,
            "absent": count, "not_comparable": count}
SERVER = {
    "name": text, "state": text, "failing_ms?": count, "next_probe_ms?": count,
    **dict.fromkeys((
        "requests", "bytes", "received_bytes", "retries", "failures", "refused",
        "forbidden", "slow_down", "in_flight", "queued", "parallel",
        "parallel_least", "parallel_max", "p50_us", "p90_us", "p99_us"), count),
    "http2": flag}
# Keys with a `?` need not be there; no other keys may be.  A key is never
# removed from this table: scripts of users read it.
KEYS = {
    "lookup": {
        "url": text, "surt?": text, "host?": text, "domain?": text,
        "timestamp?": time, "record_type?": text,
        "status?": count, "mime?": text, "languages?": words, "digest?": text,
        "archive": text,
        "offset": count, "length": count, "path": text, "path_meta": text,
        "path_txt": text},
    "ls": {
        "path": text, "name": text,
        "type": lambda v: v in ("file", "directory"), "view?": text,
        "size?": count, "size_is_estimate?": flag, "time?": time},
    "grep": {
        "path": text, "url": text, "line?": count, "offset?": count,
        "context?": flag, "text?": text, "count?": count},
    "check": {
        "archives": count, "pages": count, "captures": count,
        "source_bytes": count, "archives_as_mean": count,
        "archives_guessed": count, "destination_bytes": count},
    "summary": {
        "source": text, "captures": count, "pages": count, "hosts": count,
        "domains": count, "bytes": count, "without_bytes": count,
        "body_bytes": count, "bodies": count, "first?": time, "last?": time,
        "strips_www": flag, "suffix_list?": text,
        **dict.fromkeys(("by_domain", "by_host"), group({"pages": count})),
        **dict.fromkeys(("by_type", "by_status", "by_language", "by_year"),
                        group({})),
        "by_word?": group({}),
        "largest": each(obj({
            "url": text, "bytes": count, "timestamp?": time, "status?": count,
            "mime?": text, "archive": text, "offset": count}))},
    "verify": {
        "archives": count, "records": count, "records_resumed": count,
        "bytes": count, "checks": obj({
            "checksums": obj(COMPARED), "lengths": obj(COMPARED),
            "block_digests": obj(COMPARED), "payload_digests": obj(COMPARED),
            "index_entries": obj(COMPARED), "package_files": obj(COMPARED)}),
        "damage": count, "archives_unread": count, "repeated": count,
        "reused_ids": count,
        "not_in_index?": count,
        "bodies_cut": count, "without_body": count,
        "seconds": number, "servers?": each(obj(SERVER))},
    "export": {
        "output": text, "format": text, "complete": flag, "skipped": flag,
        "resumed": flag, "rows": count, "rows_with_error": count,
        "files?": count, "message?": text, "seconds": number,
        "servers?": each(obj(SERVER))},
    "copy": {
        "output": text, "records": count, "bytes": count,
        "records_resumed": count, "captures": count, "related": count,
        "originals": count, "unreadable": count, "other_format": count,
        "not_records": count, "without_body": count,
        "original_unreadable": count, "revisits_made": count, "bodies_cut": count,
        "seconds": number, "servers?": each(obj(SERVER))},
    "cache-info": {
        "folder": text, "files": count, "files_in_use": count, "bytes": count,
        "ranges": count, "range_bytes": count, "oldest?": time,
        "indexes": obj(FILES), "inflated": obj(FILES), "sizes": count,
        "list": obj(FILES), "uploads": each(obj({
            "name": text, "bytes": count, "last_written": time}))},
    "cache-verify": {
        "damage": each(obj({"file": text, "offset": count, "what": text})),
        "sound": flag, "ranges": count, "range_bytes": count,
        "damaged_ranges": count, "damaged_range_indexes": count,
        "indexes": obj(CHECKED), "inflated": obj(CHECKED)},
    "cache-clear": {
        "deleted_files": count, "files_in_use": count, "uploads_left": count,
        "upload_bytes": count},
    "search": {
        "query": text, "pages": count, "captures": count, "unread": count,
        "texts_left": count, "complete": flag, "message?": text, "page": count, "last_page": count,
        **dict.fromkeys(("by_host", "by_type", "by_year", "by_language"),
                        each(obj({"key": text, "pages": count}))),
        "near?": words, "results": each(obj({
            "url": text, "path": text, "title?": text, "timestamp?": time,
            "status?": count, "mime?": text, "languages?": words,
            "captures": count, "matching": count, "error?": text,
            "lines": each(obj({
                "line": count,
                "parts": lambda v: isinstance(v, list) and len(v) % 2 == 1 and
                all(isinstance(p, str) for p in v)}))}))},
    "collections": {
        "collections": each(obj({"name": text, "from?": time, "to?": time,
                                 "title?": text}))},
    "version": {
        "version": text, "archives": words, "indexes": words,
        "selections": words, "sources": words, "encodings": words,
        "libraries": obj(dict.fromkeys((
            "fuse", "zlib", "libdeflate", "zstd", "brotli", "icu",
            "pcre2", "psl", "nettle", "xxhash", "curl"), text, ) | {
                "uchardet": lambda v: v is None or text(v), "cld2?": text,
                "microhttpd?": text}),
        "tls?": text, "http2": flag, "languages": flag},
}
LINES = ("lookup", "ls", "grep")


def wrong_keys(v, keys):
    """What is wrong with the object v, or None."""
    known = {k.rstrip("?") for k in keys}
    for k in v:
        if k not in known:
            return "an unknown key: %r" % k
    for k, is_right in keys.items():
        name = k.rstrip("?")
        if name in v and not is_right(v[name]):
            return "%r: %r" % (name, v[name])
        if name not in v and not k.endswith("?"):
            return "no %r" % name
    return None


def no_repeats(pairs):
    v = dict(pairs)
    assert len(v) == len(pairs), pairs
    return v


def check_keys(opt):
    with open(opt.file, "rb") if opt.file else sys.stdin.buffer as f:
        out = f.read()
    faults = Faults()
    is_lines = opt.what in LINES
    if not out.endswith(b"\n") or re.search(rb"[^\n -~]", out):
        faults.add("not lines of ASCII: %r", out[-200:])
    parts = out.split(b"\n")[:-1] if is_lines else [out]
    for one in parts:
        v = json.loads(one, object_pairs_hook=no_repeats)
        wrong = wrong_keys(v, KEYS[opt.what])
        if wrong is not None:
            faults.add("%s: in %r", wrong, one[:2000])
    return faults.end("%s: %d" % (opt.what, len(parts))) or not parts


def bytes_of(path):
    return path.encode("utf-8", "surrogateescape")


def get(path, name):
    return os.getxattr(path, "user." + name).decode("utf-8", "surrogateescape")


def check_paths(opt):
    """Each capture by its archive and offset, which the attributes state."""
    known = {}
    for c in record_reader.read_manifest(opt.manifest):
        known.setdefault(c.offset, []).append(c)
    faults = Faults()
    with open(opt.lines, encoding="ascii") as f:
        cdxj = [json.loads(line.split(" ", 2)[2]) for line in f]
    with open(opt.objects, encoding="ascii") as f:
        objects = [json.loads(line) for line in f]
    if len(cdxj) != len(objects) or len(objects) < opt.least:
        faults.add("%d lines, %d objects", len(cdxj), len(objects))
    seen = set()
    for line, o in zip(cdxj, objects):
        for a, b in (("path", "path"), ("path_meta", "path_meta"),
                     ("path_txt", "path_txt"), ("filename", "archive"),
                     ("url", "url")):
            if line[a] != o[b]:
                faults.add("%r: %r and %r", a, line[a], o[b])
        if (int(line["offset"]), int(line["length"])) != (
                o["offset"], o["length"]):
            faults.add("the place of %r", o)
        captures = [c for c in known.get(o["offset"], []) if
                    o["archive"].endswith(c.archive) or
                    c.archive.endswith(o["archive"])]
        if opt.manifest and not captures:
            faults.add("no such capture: %r", o)
            continue
        for view in "path", "path_meta", "path_txt":
            path = os.path.join(os.fsencode(opt.mount), bytes_of(o[view]))
            seen.add(path)
            body, failed = read_all(path)
            if failed is not None:
                faults.add("%r: errno %d", path, failed)
                continue
            place = get(path, "crawlfs.archive"), get(path, "crawlfs.offset")
            if (o["archive"] not in place[0] and
                    place[0] not in o["archive"]) or \
                    int(place[1]) != o["offset"]:
                faults.add("%r is of %r, not of %r", path, place, o)
            if view == "path":
                got = len(body), hashlib.sha1(body).hexdigest()
                want = [(c.body_bytes, c.sha1) for c in captures]
                if got not in want:
                    faults.add("%r: %r, not %r", path, got, want)
            elif view == "path_meta":
                own = json.loads(body)["crawlfs"]
                if own["offset"] != o["offset"]:
                    faults.add("%r is of %r", path, own)
            elif get(path, "mime_type") != "text/plain":
                faults.add("%r has no text: %r", path, get(path, "mime_type"))
    if len(seen) != 3 * len(objects):
        faults.add("%d paths of %d captures", len(seen), len(objects))
    return faults.end("%d paths" % len(seen))


def check_listing(opt):
    faults = Faults()
    root = os.fsencode(opt.mount)
    listed = set()
    with open(opt.lines, encoding="ascii") as f:
        for line in f:
            o = json.loads(line)
            path = os.path.join(root, bytes_of(o["path"]))
            listed.add(path)
            st = os.lstat(path)
            if stat.S_ISDIR(st.st_mode) != (o["type"] == "directory"):
                faults.add("the type of %r", o)
            if bytes_of(o["name"]) != os.path.basename(path):
                faults.add("the name of %r", o)
            if o["type"] == "file" and not o["size_is_estimate"]:
                n = len(read_all(path)[0])
                # a body that is absent has 1 byte, and is empty where the
                # mount is told so (lib.sh)
                if n != o["size"] and (n, o["size"]) != (0, 1):
                    faults.add("%r has %d bytes", o, n)
    for path in {os.path.join(root, p) for p in find(opt.mount)} ^ listed:
        faults.add("%r is in one of them only", path)
    return faults.end("%d listed" % len(listed))


def main():
    p = argparse.ArgumentParser(description=__doc__)
    sub = p.add_subparsers(dest="do", required=True)
    s = sub.add_parser("keys")
    s.add_argument("what", choices=KEYS)
    s.add_argument("file", nargs="?")
    s.set_defaults(run=check_keys)
    s = sub.add_parser("paths")
    s.add_argument("--least", type=int, required=True)
    for name in "manifest", "mount", "lines", "objects":
        s.add_argument(name)
    s.set_defaults(run=check_paths)
    s = sub.add_parser("listing")
    for name in "mount", "lines":
        s.add_argument(name)
    s.set_defaults(run=check_listing)
    opt = p.parse_args()
    return opt.run(opt)


if __name__ == "__main__":
    sys.exit(main())
