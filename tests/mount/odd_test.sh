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
	# Holds B1, B4, T12.
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
odd warc_dates dates.warc
odd warc_dates dates.warc.gz
# Holds T12.
try "a malformed date: one warning a file" warned 1 \
	'dates.warc.gz: offset [0-9]*: a record has no valid date'
odd warc_heads heads.warc
odd warc_heads heads.warc.gz
# Holds B2.
try "an interim response: the status is the final one" same \
	"$("$crawlfs" lookup "$T/d/heads.warc.gz" http://heads.example.org/i2 |
		grep -c '"status": "200"')" 1
for kind in warc_lengths warc_lengths_shared; do
	odd $kind lengths.warc
	# Holds B4.
	try "$kind: reported" warned 10 'lengths.warc: .* declared [0-9]* bytes'
	odd $kind lengths.warc.gz
	# Holds B4.
	try "$kind, gzip: reported" warned 10 \
		'lengths.warc.gz: .* declared [0-9]* bytes'
	# Holds B4.
	try "$kind: found by verify" same "$("$crawlfs" verify \
		"$T/d/lengths.warc.gz" 2>&1 | grep -c ' declared ')" 10
done
odd warc_counts_separator separator.warc
# Holds B4.
try "a length that counts the separator: one warning a file" warned 1 \
	'separator.warc: .*counts what separates records'
odd warc_counts_separator separator.warc.gz
odd warc_segments segments.warc.gz
odd warc_segments segments.warc
try "a segmented record: one warning" warned 1 \
	'1 record in segments, of which some are missing'
try "a segmented record: counted" warned 1 '1 record incomplete: segments'
try "segments that continue others: counted" warned 1 \
	'1 segment left out: the record'
incomplete() {
	"$crawlfs" cat --view=meta "$T/d/segments.warc" \
		"http://segments.example.org/$1" | grep -c '"incomplete"'
}
try "a segmented record: its metadata say so" same "$(incomplete two)" 1
try "a record in one segment is whole" same "$(incomplete one)" 0
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
odd holds_indexes holds.warc
odd holds_indexes holds.warc.gz

# A CDXJ file, too large to be searched whole, that is called like an archive.
python3 - "$T/large.warc.cdxj" <<'END'
import sys
with open(sys.argv[1], "w") as f:
    for i in range(40000):
        f.write('com,a%06d)/ 2014 {"url":"http://a%06d.com/","status":"200",'
                '"mime":"text/html","length":"100","offset":"1",'
                '"filename":"a.warc.gz"}\n' % (i, i))
END
try "an index that is called an archive: ls" same \
	"$("$crawlfs" ls "$T/large.warc.cdxj")" com/
try "an index that is called an archive: index" status 0 \
	"$crawlfs" index -o "$T/large.cfx" "$T/large.warc.cdxj"
try "an index that is called an archive: all of it" \
	grep -q '40000 captures\|40,000 captures' "$T/err"

# ---- cut off by the end of the file ----

# cut_off KIND FILE: the archive ends inside the record of the page "cut".
cut_off() {
	python3 "$here/odd_archives.py" "$1" "$T/$2" >"$T/want" || return 1
	grep -v /cut "$T/want" >"$T/want.whole"
	start_mount m "$T/$2"
}
cut_page=org/example/cut/_/cut
# read_to_cut MOUNT [mmap]: what there is is read, by pieces of all sizes, then
# reading fails; its size leaves room for that.  At least so many bytes.
read_to_cut() {
	python3 - "$1/$cut_page" "$T/want" "$2" <<'END'
import errno, json, os, sys
path, want, least = sys.argv[1:]
body = [json.loads(line.split("\t")[2]).encode() for line in open(want)
        if "/cut\t" in line][0]
for size in 1 << 20, 131072, 5000, 4096, 999:
    fd = os.open(path, os.O_RDONLY)
    got = b""
    try:
        while (piece := os.read(fd, size)):
            got += piece
        sys.exit("read to an end of %d bytes" % len(got))
    except OSError as e:
        if e.errno != errno.EIO:
            raise
    if os.fstat(fd).st_size <= len(got):
        sys.exit("size %d leaves no room" % os.fstat(fd).st_size)
    try:
        if os.pread(fd, 1, len(got) - 1) != got[-1:]:
            sys.exit("another byte")
        os.pread(fd, 1, len(got))
        sys.exit("a byte behind the end")
    except OSError:
        pass
    os.close(fd)
    if not body.startswith(got) or len(got) < int(least):
        sys.exit("%d bytes of %d" % (len(got), len(body)))
END
}
mapping_fails() {	# touching what is not there is SIGBUS, not zeros
	python3 - "$1/$cut_page" <<'END'
import mmap, os, sys
with open(sys.argv[1], "rb") as f:
    m = mmap.mmap(f.fileno(), 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ)
    m[:]
END
	same $? 135
}
says_truncated() {
	python3 -c 'import json, sys
sys.exit(json.load(sys.stdin)["download_truncated"] is not True)' \
		<"$1/$cut_page.meta"
}
others_whole() {
	while IFS="$(printf '\t')" read -r path _ body; do
		printf '%s' "$body" | python3 -c 'import json, sys
sys.stdout.write(json.load(sys.stdin))' | cmp - "$1/$path" || return 1
	done <"$T/want.whole"
}
is_refused() { not cat "$1" >"$T/a" 2>/dev/null && [ ! -s "$T/a" ]; }
cat_fails() {	# what there is, and a sentence that names the archive
	status 1 "$crawlfs" cat "$1" http://cut.example.org/cut &&
		[ -s "$T/out" ] && complains "${1##*/}.*ends inside this record"
}
for how in "cut_member x.warc.gz 30000" "cut_trailer x.warc.gz 100000" \
	"cut_plain x.warc 30000" "cut_plain_arc x.arc 30000" \
	"cut_shared x.warc.gz 30000"; do
	set -- $how
	rm -rf "$T"/x.*
	try "$1: mounts" cut_off "$1" "$2"
	for time in first again; do
		# Holds E11.
		try "$1: the beginning, then an error ($time)" read_to_cut \
			"$T/m" "$3"
	done
	# Holds E11.
	try "$1: mapped" mapping_fails "$T/m"
	# Holds E11.
	try "$1: .meta says truncated" says_truncated "$T/m"
	try "$1: the other pages" others_whole "$T/m"
	try "$1: with exact sizes" remount m -o size=exact "$T/$2"
	# Holds E11.
	try "$1: no short file then" not cat "$T/m/$cut_page"
	try "$1: ends well" stop_mount m
	try "$1: cat" cat_fails "$T/$2"
done
try "a member with less than declared: made" make short x.warc.gz
try "a member with less than declared: mounts" start_mount m "$T/x.warc.gz"
# Holds E16.
try "a member with less than declared: as it is" pages_are "$T/m" "$T/want"
try "a member with less than declared: ends well" stop_mount m
try "a wrong checksum: made" make bad_checksum x.warc.gz
try "a wrong checksum: mounts" start_mount m "$T/x.warc.gz"
# Holds E15.
try "a wrong checksum: not indexed" pages_are "$T/m" "$T/want"
try "a wrong checksum: ends well" stop_mount m
for how in bad_shared_checksum bad_shared_data; do
	try "$how: made" make $how s.warc.gz
	try "$how: mounts" start_mount m "$T/s.warc.gz"
	# Holds E15.
	try "$how: no page of that member" pages_are "$T/m" "$T/want"
	try "$how: ends well" stop_mount m
done
python3 - "$T/x.warc.gz" "$T/x.cdxj" <<'END'
import sys
data = open(sys.argv[1], "rb").read()
starts = [i for i in range(len(data)) if data.startswith(b"\x1f\x8b\x08\0", i)]
with open(sys.argv[2], "w") as f:
    f.write('org,example,cut)/cut 20200101000000 {"url": '
            '"http://cut.example.org/cut", "mime": "text/html", "status": '
            '"200", "length": "%d", "offset": "%d", "filename": "x.warc.gz"}\n'
            % (len(data) - starts[-1], starts[-1]))
END
try "a wrong checksum in an index: mounts" start_mount m "$T/x.cdxj"
for view in "" .meta .txt "#.headers" "#.warc.gz"; do
	# Holds E15.
	try "a wrong checksum in an index: no byte of '$view'" is_refused \
		"$T/m/$cut_page$view"
done
try "a wrong checksum in an index: ends well" stop_mount m

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

# ---- a crawl that is mounted in its own folder ----
"$mkcrawl" --records 30 --warc --bare "$T/own" >/dev/null || exit 1
left_out() { cat "$T/out" "$T/err" | grep 'left out: not an archive'; }
try "a folder" status 0 "$crawlfs" index -o "$T/own.cfx" "$T/own"
others=$(left_out)
mkdir "$T/own/mnt"
inside() {
	"$crawlfs" mount -q "$T/own" "$T/own/mnt" &&
		echo "$(daemon_of "$T/own/mnt") $T/own/mnt" >"$T/mounts/inside"
}
try "mounts in itself" inside
again() {
	status 0 "$crawlfs" index -o "$T/own2.cfx" "$T/own" || return 1
	same "$others" "$(left_out)" && cmp "$T/own.cfx" "$T/own2.cfx"
}
try "its index is without that tree" again
try "is unmounted" "$crawlfs" umount "$T/own/mnt"
rm -f "$T/mounts/inside"
finish
