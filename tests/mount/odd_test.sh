#!/bin/sh
# odd_test.sh - archives with what no specification allows: the pages are there.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

# pages_are MOUNT EXPECTED: path, time and body of every page, and no other.
pages_are() {
	python3 - "$1" "$2" <<'END'
import datetime, json, os, sys
root, expected = sys.argv[1:]
want = {}
for line in open(expected):
    path, time, body = line.rstrip("\n").split("\t")
    want[path] = (time, json.loads(body).encode())
got = {}
for folder, _, names in os.walk(root):
    for name in names:
        path = os.path.join(folder, name)
        if not name.endswith((".meta", ".txt")):
            time = datetime.datetime.fromtimestamp(
                os.stat(path).st_mtime, datetime.timezone.utc)
            got[os.path.relpath(path, root)] = (
                time.strftime("%Y%m%d%H%M%S"), open(path, "rb").read())
for path in sorted(want.keys() | got.keys()):
    if want.get(path) != got.get(path):
        print(path, "want", want.get(path), "got", got.get(path))
sys.exit(want != got)
END
}
make() { python3 "$here/odd_archives.py" "$1" "$T/$2" >"$T/want"; }

# odd KIND FILE: the archive mounts alone, and in a folder, with its pages.
odd() {
	rm -rf "$T/d"
	mkdir "$T/d"
	try "$2: made" make "$1" "$2"
	try "$2: mounts alone" start_mount m "$T/$2"
	try "$2: the pages" pages_are "$T/m" "$T/want"
	try "$2: ends well" stop_mount m
	mv "$T/$2" "$T/d"
	try "$2: mounts in a folder" start_mount m "$T/d"
	try "$2: the pages, in a folder" pages_are "$T/m" "$T/want"
	try "$2: ends well, in a folder" stop_mount m
}
warned() {	# warned COUNT PATTERN: so many lines of the index build
	"$crawlfs" index --force -o "$T/d/x.cfx" "$T/d" >"$T/out" 2>"$T/err" ||
		return 1
	same "$(cat "$T/out" "$T/err" | grep -c -- "$2")" "$1"
}

odd arc_dates dates.arc.gz
try "a date that is none: one warning a file" warned 1 \
	'dates.arc.gz: offset [0-9]*: a record has no valid date'
odd arc_dates dates.arc
odd arc_versions versions.arc.gz
odd arc_versions versions.arc
odd warc_empty empty.warc.gz
odd warc_folded folded.warc.gz
odd wet_part part.warc.wet.gz
try "a conversion record without a URI: with its place" warned 1 \
	'part.warc.wet.gz: offset [0-9]*: a response or conversion without a URI'
try "a conversion record without a URI: counted" warned 1 \
	'1 record left out: without a URI'
odd wet_part part.wet
cp "$T/d/part.wet" "$T/part of a text file"
try "a name that says nothing" start_mount m "$T/part of a text file"
try "a name that says nothing: the pages" pages_are "$T/m" "$T/want"
try "a name that says nothing: ends well" stop_mount m

odd warc_revisits revisits.warc.gz

# A browser's crawl, out of the file that it came in: revisits of one page by
# others have its body.
extract() {
	python3 - "$1" "$T/trix.warc.gz" >"$T/pairs" <<'END'
import gzip, io, re, sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
data = b"".join(z.read(n) for n in z.namelist()
                if re.match(r"archive/.*\.warc\.gz$", n))
open(sys.argv[2], "wb").write(data)
heads, stream = [], gzip.GzipFile(fileobj=io.BytesIO(data))
while stream.readline().startswith(b"WARC/"):
    head = {}
    while (line := stream.readline().strip()):
        name, _, value = line.partition(b":")
        head[name.decode().lower()] = value.strip().decode()
    heads.append(head)
    stream.read(int(head["content-length"]))
    stream.read(4)
there = {h["warc-target-uri"] for h in heads if h["warc-type"] == "response"}
for head in heads:
    to = head.get("warc-refers-to-target-uri")
    if head["warc-type"] == "revisit" and to in there:
        print(head["warc-target-uri"], to)
END
}
same_as_target() {
	[ -s "$T/pairs" ] || return 1
	while read -r uri to; do
		"$crawlfs" cat "$T/trix.warc.gz" "$uri" >"$T/a" &&
			"$crawlfs" cat "$T/trix.warc.gz" "$to" >"$T/b" &&
			[ -s "$T/b" ] && cmp "$T/a" "$T/b" || return 1
	done <"$T/pairs"
}
trix=$CFS_DATA/wacz/browsertrix/example.wacz
if [ -e "$trix" ]; then
	try "a browser's crawl: it has revisits" extract "$trix"
	try "a browser's crawl: they have their bodies" same_as_target
else
	skip "a browser's crawl: not in CFS_DATA"
fi
finish
