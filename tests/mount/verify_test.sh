#!/bin/sh
# verify_test.sh - crawlfs verify: what is damaged is found and named, and nothing
# else; reports are the same each time, also those of runs that were killed.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/net/lib.sh"

vcheck() { python3 "$here/verify_check.py" "$@"; }
wcheck() { python3 "$here/verify_wacz.py" "$@"; }
# figure NAME N FILE: the table says so; of a check, what matched and differed.
figure() { same "$(sed -n "s/^$1  *\([0-9]*\).*/\1/p" "$3")" "$2"; }
row() {
	same "$(sed -n "s/^$1  *[0-9]*  *\([0-9]*\)  *\([0-9]*\)  *\([0-9]*\)  *[0-9]*$/\1 \2 \3/p" "$5")" \
		"$2 $3 $4"
}
quiet() { "$crawlfs" verify -q "$@"; }

# ---- made records, all digests and codings ----

vcheck make "$T/made" || exit 1
for f in a.warc a.warc.gz a.wacz; do
	try "$f is sound" status 0 "$crawlfs" verify "$T/made/$f"
	try "$f: all block digests" row "block digests" 32 0 0 "$T/out"
	try "$f: all payload digests" row "payload digests" 24 0 8 "$T/out"
done
try "the files of a WACZ" row "package files" 4 0 0 "$T/out"
try "the rows of its list" row "index entries" 24 0 0 "$T/out"
try "no response is without one" figure "not in index" 0 "$T/out"
try "an index is sound" status 0 "$crawlfs" verify "$T/made/a.cdxj"
try "its entries" row "index entries" 24 0 0 "$T/out"
try "every record, requests and metadata too" figure records 32 "$T/out"
# Holds I11.
try "one byte changed is found, and nothing else" \
	vcheck flip "$crawlfs" "$T/made"
# Holds I11.
try "one row of a list in a WACZ changed is found, and nothing else" \
	wcheck rows "$crawlfs" "$T/made"

# ---- revisits of records of ARC files ----

mkdir "$T/mixed"
python3 - "$T/mixed" <<'EOF' || exit 1
import sys

page = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nthe page\n"
line = b"1 0 test\nURL IP-address Archive-date Content-type Archive-length\n"
with open(sys.argv[1] + "/a.arc", "wb") as f:
    f.write(b"filedesc://a.arc 0.0.0.0 20120101000000 text/plain %d\n%s\n" %
            (len(line), line))
    f.write(b"http://a.example/ 192.0.2.1 20120101000000 text/plain %d\n%s\n" %
            (len(page), page))
for name, year in ("b", 2012), ("c", 2013):
    with open(sys.argv[1] + "/" + name + ".warc", "w", newline="") as f:
        f.write("WARC/1.0\r\nWARC-Type: revisit\r\n"
                "WARC-Target-URI: http://a.example/\r\n"
                "WARC-Date: 2014-01-01T00:00:00Z\r\n"
                "WARC-Record-ID: <urn:x:%s>\r\n"
                "WARC-Profile: http://netpreserve.org/warc/1.0/revisit/"
                "identical-payload-digest\r\n"
                "WARC-Refers-To-Target-URI: http://a.example/\r\n"
                "WARC-Refers-To-Date: %d-01-01T00:00:00Z\r\n"
                "Content-Length: 0\r\n\r\n\r\n\r\n" % (name, year))
EOF
try "a revisit of a record of an ARC file has its body" status 0 quiet \
	"$T/mixed/a.arc,$T/mixed/b.warc"
try "one of another time has none" status 1 quiet \
	"$T/mixed/a.arc,$T/mixed/c.warc"

# ---- a coded body, as far as it is there ----

# bare LESS: a response whose gzip body lacks so many bytes at its end
bare() {
	python3 - "$T/bare$1.warc.gz" "$1" <<'EOF'
import gzip
import sys

body = gzip.compress(b"all of it\n", mtime=0)
body = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + \
    body[:len(body) - int(sys.argv[2])]
head = ("WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:x:1>\r\n"
        "WARC-Date: 2024-05-06T07:08:09Z\r\nWARC-Target-URI: http://a.example/b"
        "\r\nContent-Type: application/http;msgtype=response\r\n"
        "Content-Length: %d\r\n\r\n" % len(body))
with open(sys.argv[1], "wb") as f:
    f.write(gzip.compress(head.encode() + body + b"\r\n\r\n", mtime=0))
EOF
}
for less in 0 1 5 8 9; do bare $less; done
try "a body with its checksum" status 0 "$crawlfs" verify "$T/bare0.warc.gz"
try "nothing is absent" row checksums 1 0 0 "$T/out"
for less in 1 5 8; do
	# Holds B3.
	try "a body whose checksum lacks $less bytes is whole" same \
		"$("$crawlfs" cat "$T/bare$less.warc.gz" http://a.example/b)" \
		"all of it"
	try "and no damage" status 0 "$crawlfs" verify "$T/bare$less.warc.gz"
	try "but counted" row checksums 1 0 1 "$T/out"
done
try "one whose data lack a byte is damage" status 1 "$crawlfs" verify \
	"$T/bare9.warc.gz"
try "and so found" figure damage 1 "$T/out"

# ---- what breaks the standards ----

mkdir "$T/strict"
# Holds I12.
try "--strict, rule by rule" python3 "$here/strict_check.py" "$crawlfs" \
	"$T/strict"
unknown() {
	sed 's/^\(WARC-Date: .*\)$/\1\nWARC-Payload-Digest: crc32:12345678\r/' \
		"$T/plain.warc" >"$T/crc.warc"
	"$crawlfs" verify --json "$T/crc.warc" | jq -e '.checks.payload_digests |
		.absent == 0 and .not_comparable == 1' >/dev/null
}
zcat "$T/bare0.warc.gz" >"$T/plain.warc"
try "an unknown algorithm has a column of its own" unknown

# ---- other sources ----

mkdir "$T/shelf"
cp "$T/made/a.warc.gz" "$T/shelf/one.warc.gz"
cp "$T/made/a.warc" "$T/shelf/two.warc"
"$crawlfs" index -q -o "$T/shelf.cfx" "$T/shelf" || exit 1
"$crawlfs" index -q --format=zipnum -o "$T/zipnum" --base="$T" "$T/shelf"
"$crawlfs" index -q --format=cdxj -o "$T/one.cdxj" "$T/shelf/one.warc.gz"
"$crawlfs" index -q -o "$T/wacz.cfx" "$T/made/a.wacz" || exit 1
try "a folder" status 0 "$crawlfs" verify "$T/shelf"
try "records that are there twice are counted" figure repeated 32 "$T/out"
try "and are no damage" figure damage 0 "$T/out"
try "a crawlfs index" status 0 "$crawlfs" verify "$T/shelf.cfx"
try "its entries match" row "index entries" 48 0 0 "$T/out"
try "of its archives all records are read" figure records 64 "$T/out"
try "a ZipNum cluster" status 0 "$crawlfs" verify --data="$T" \
	"$T/zipnum/cluster.idx"
try "its entries match, too" row "index entries" 48 0 0 "$T/out"
try "a union" status 0 "$crawlfs" verify "$T/shelf.cfx,$T/wacz.cfx"
try "the entries of both" row "index entries" 72 0 0 "$T/out"
try "an index of a WACZ" status 0 "$crawlfs" verify "$T/wacz.cfx"
try "places in the WACZ match" row "index entries" 24 0 0 "$T/out"
try "and its files" row "package files" 4 0 0 "$T/out"
try "captures below a prefix" status 0 "$crawlfs" verify "$T/shelf.cfx" \
	com.example/page03 com.example/page07
try "only those are read" figure records 4 "$T/out"
try "and compared" row "index entries" 4 0 0 "$T/out"
try "captures of a time" status 0 "$crawlfs" verify --to=20240203040509 \
	"$T/shelf.cfx"
# requests and metadata take numbers, and so seconds, too
try "only of that" figure records 14 "$T/out"
try "captures of a WACZ below a prefix" status 0 "$crawlfs" verify \
	"$T/made/a.wacz" com.example/page03
try "one of them" figure records 1 "$T/out"
try "a prefix that nothing is below" status 1 quiet "$T/shelf.cfx" org.gnu
"$mkcrawl" --arc --pbtree --records 300 "$T/arc" >/dev/null || exit 1
try "a PB-tree" status 0 "$crawlfs" verify \
	"$T/arc/parse-output/url-index.1356128792"
try "its entries are found" same 0 "$(sed -n 's/^index entries  *[0-9]*  *[0-9]*  *\([0-9]*\).*/\1/p' "$T/out")"

tree_index="$T/arc/parse-output/url-index.1356128792"
quiet --report="$T/report.jsonl" "$tree_index" || exit 1
quiet --report=- "$tree_index" >"$T/dash.jsonl" || exit 1
try "--report=- is the report" cmp "$T/report.jsonl" "$T/dash.jsonl"
try "and nothing else" status 2 "$crawlfs" verify --report=- --json \
	"$tree_index"

# an index whose archive is not there, or is another one
mkdir "$T/gone"
cp "$T/shelf.cfx" "$T/gone/"
try "archives that are not there" status 1 "$crawlfs" verify \
	--report="$T/gone.jsonl" "$T/gone/shelf.cfx"
try "their entries are not compared" row "index entries" 0 0 48 "$T/out"
try "one finding each" figure damage 2 "$T/out"
mkdir "$T/gone/shelf"
cp "$T/shelf/one.warc.gz" "$T/gone/shelf/"
try "one of two is there" status 1 quiet "$T/gone/shelf.cfx" \
	--report="$T/gone.jsonl"
try "the other is named" vcheck places "$T/gone.jsonl" archive two.warc 0

# ---- reports ----

"$mkcrawl" --warc --records 20000 --page-bytes 800 \
	--archive-bytes 4000000 "$T/crawl" >/dev/null || exit 1
find "$T/crawl" -name '*.warc.gz' | sort | xargs cat >"$T/whole.warc.gz"
# some damage in it, for lines in the report
python3 - "$T/crawl" <<'EOF'
import glob
import os
import sys
names = sorted(glob.glob(os.path.join(sys.argv[1], "**", "*.warc.gz"),
                         recursive=True))
assert len(names) > 5, names
for name in names[::2]:
    with open(name, "r+b") as f:
        f.seek(os.path.getsize(name) // 2)
        f.write(b"\xff\xff\xff")
# one that is cut in several stretches
with open(os.path.join(sys.argv[1], "large.warc.gz"), "wb") as f:
    for name in names:
        f.write(open(name, "rb").read())
EOF
for n in 1 7; do
	try "20,000 records with $n threads" status 1 quiet --threads="$n" \
		--report="$T/report.$n" "$T/crawl"
done
try "large files are cut" test "$(grep -c '"done":.*large.warc.gz' "$T/report.1")" -gt 1
# Holds I11.
try "the same report with 7 threads" cmp "$T/report.1" "$T/report.7"
# Holds I11.
try "killed at any place, it is resumed" vcheck killed "$crawlfs" "$T/crawl" \
	"$T/report.1"
try "after its end it begins afresh" status 1 "$crawlfs" verify \
	--report="$T/report.7" "$T/crawl"
try "nothing is resumed" not grep -q 'earlier run' "$T/out"
try "with the same report" cmp "$T/report.1" "$T/report.7"

# ---- as archives file them ----

filed() { python3 "$here/verify_filed.py" "$@"; }
# Holds I11.
try "sound, damaged and missing archives, in CSV and PREMIS" \
	filed made "$crawlfs" "$T/filed" "$T/made/a.warc.gz"
for form in csv premis.json; do
	try "a report in $form" status 1 quiet --report="$T/report.$form" \
		"$T/crawl"
done
# Holds I11.
try "each finding of each archive is in them" filed same "$T/report.1" \
	"$T/report.csv" "$T/report.premis.json"

# a cut inside a record: the archive that it holds has members of its own
mkdir "$T/inner"
python3 "$here/export_make.py" inner "$T/inner/x.warc.gz" 4
"$crawlfs" index -q --threads=1 -o "$T/inner.cfx" "$T/inner" >/dev/null
for n in 1 3; do
	try "an archive in an archive, $n threads" status 0 "$crawlfs" verify \
		--threads="$n" --report="$T/inner.$n" "$T/inner"
	try "has its own records alone" figure records 301 "$T/out"
	try "nothing is told of those inside" test ! -s "$T/err"
	try "and as its index says, $n threads" status 0 "$crawlfs" verify \
		--threads="$n" "$T/inner.cfx"
	try "which has all of them" row "index entries" 301 0 0 "$T/out"
done

# a WACZ, with a list in which much is wrong
set -- $(wcheck large "$T/large.wacz" 400 "$T/whole.warc.gz")
try "a large WACZ" test "$#" = 3
for n in 1 7; do
	try "its list with $n threads" status 1 "$crawlfs" verify \
		--threads="$n" --report="$T/list.$n" "$T/large.wacz"
done
try "right rows, and wrong ones" row "index entries" "$1" "$2" 0 "$T/out"
try "those are the damage" figure damage "$2" "$T/out"
try "responses without a row are counted" figure "not in index" "$3" "$T/out"
try "its archive is cut" test "$(grep -c '"done":.*whole.warc.gz' "$T/list.1")" -gt 1
try "the list's report with 7 threads" cmp "$T/list.1" "$T/list.7"
try "killed at any place, a WACZ is resumed" vcheck killed "$crawlfs" \
	"$T/large.wacz" "$T/list.1"

# rows without end, all of them wrong: memory does not grow with them
wcheck flood "$T/flood.wacz" 400000
most_kib() {
	python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[2:], stderr=subprocess.DEVNULL)
most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(most, "KiB")
sys.exit(most > int(sys.argv[1]))' "$@"
}
if python3 "$here/memory_check.py" resident "$crawlfs"; then
	try "400,000 rows of no archive in 110 MiB" most_kib 112640 \
		"$crawlfs" verify -q "$T/flood.wacz"
else
	skip "resident memory: a sanitizer's own cannot be told from crawlfs's"
fi

# a crawlfs index with damage in it: the entries of one block are not compared
"$crawlfs" index -q -o "$T/crawl.cfx" "$T/crawl/crawl-data" 2>/dev/null
python3 - "$T/crawl.cfx" <<'EOF'
import os
import sys
with open(sys.argv[1], "r+b") as f:
    f.seek(os.path.getsize(sys.argv[1]) // 3)
    byte = f.read(1)
    f.seek(-1, 1)
    f.write(bytes([byte[0] ^ 1]))
EOF
try "an index with damage" status 1 "$crawlfs" verify \
	--report="$T/index.jsonl" "$T/crawl.cfx"
try "is named" test "$(grep -c '"archive":".*/crawl.cfx",.*"kind":"index"' \
	"$T/index.jsonl")" = 1
compared=$(sed -n 's/^index entries  *[0-9]*  *\([0-9]*\) .*/\1/p' "$T/out")
try "the other blocks are compared" test "$compared" -gt 10000

# stopped, changed, and resumed: only what has changed is verified again
python3 - "$T/report.1" "$T/report.3" <<'EOF'
import sys
lines = open(sys.argv[1], "rb").read().splitlines(True)
open(sys.argv[2], "wb").write(b"".join(lines[:-1]))
EOF
first=$(sed -n '/"done":/{s/.*"done":"\([^"]*\)".*/\1/p;q}' "$T/report.3")
touch -d 2001-02-03 "$first"
: >"$T/report.3.ids"
try "hashes that are missing" status 1 quiet --report="$T/report.3" "$T/crawl"
try "it says so" complains 'report.3.ids: is missing or cut off'
mv "$T/report.3" "$T/report.4"
python3 - "$crawlfs" "$T/crawl" "$T/report.5" "$first" <<'EOF' || fail "a run is killed"
import os
import subprocess
import sys
sys.path.insert(0, os.path.join(os.environ["CFS_SRCDIR"], "tests/mount"))
import verify_check
crawlfs, crawl, report, first = sys.argv[1:]
ok = any(verify_check.kill_one(crawlfs, crawl, report) for _ in range(50))
os.utime(first, (1, 1))
sys.exit(not ok)
EOF
try "an archive has changed" status 1 "$crawlfs" verify \
	--report="$T/report.5" "$T/crawl"
try "it says which" complains "$(basename "$first"): has changed since"
try "the others are resumed" grep -q 'earlier run' "$T/out"
sort "$T/report.5" | grep -v '"done"' >"$T/sorted.5"
sort "$T/report.4" | grep -v '"done"' >"$T/sorted.4"
try "with the same findings in the end" cmp "$T/sorted.4" "$T/sorted.5"
try "and each archive once" same \
	"$(grep -o '"done":"[^"]*","from":[0-9]*' "$T/report.5" | sort | uniq -d)" ""

try "another command" status 1 quiet --report="$T/report.5" "$T/crawl/large.warc.gz"
head -n 3 "$T/report.4" >"$T/report.6"
try "the report of another command" status 0 quiet --report="$T/report.6" \
	"$T/made/a.warc"
try "begins afresh" complains 'is the report of another command'
# the words in REPORT.ids of version 2 were other ones
sed '1s/"crawlfs_verify":4/"crawlfs_verify":3/; /"end"/d' "$T/report.1" \
	>"$T/report.8"
head -c 100000 /dev/zero >"$T/report.8.ids"
try "the report of an older version" status 1 quiet --report="$T/report.8" \
	"$T/crawl"
try "begins afresh, too" complains 'report.8: is the report of another'
sort "$T/report.8" | grep -v '"done"' >"$T/sorted.8"
try "with the findings of a fresh one" cmp "$T/sorted.5" "$T/sorted.8"
echo "my notes" >"$T/notes"
try "a file that is no report" status 2 quiet --report="$T/notes" "$T/made/a.warc"
try "is left as it is" same "$(cat "$T/notes")" "my notes"
try "nothing is left beside it" absent "$T/notes.ids"
try "no file at all" status 2 quiet --report=/dev/null "$T/made/a.warc"

# Ctrl-C
start "$crawlfs" verify -q --threads=1 --report="$T/report.7" "$T/crawl" \
	2>"$T/int.err"
wait_for grep -q '"done"' "$T/report.7"
kill -INT "$started"
wait "$started"
stopped=$?
if [ $stopped -eq 130 ]; then
	ok "interrupted: status 130"
	try "it says what to do" grep -q 'the same command resumes' "$T/int.err"
else	# it had ended
	try "interrupted too late" same $stopped 1
fi

# a disk that is full
if [ "$(id -u)" = 0 ] && mkdir "$T/small" &&
   mount -t tmpfs -o size=8k none "$T/small" 2>/dev/null; then
	try "a full disk" status 1 quiet --report="$T/small/report" "$T/crawl"
	try "is said" complains 'small/report.*: cannot write: No space left'
	umount "$T/small"
fi

# ---- from a server ----

cp "$T/made/a.wacz" "$T/made/rows/x.wacz" "$T/shelf/"
start_faultd server "$T/shelf" || exit 1
url=http://127.0.0.1:$port
try "a WACZ on a server" status 0 "$crawlfs" verify "$url/a.wacz"
try "its list, too" row "index entries" 24 0 0 "$T/out"
try "one with a wrong row" status 1 "$crawlfs" verify "$url/x.wacz"
try "which is found" row "index entries" 23 1 0 "$T/out"
rm "$T/shelf/a.wacz" "$T/shelf/x.wacz"
"$crawlfs" index -q -o "$T/shelf/all.cfx" "$T/shelf"
for f in one.warc.gz two.warc all.cfx; do
	try "$f on a server" status 0 quiet "$url/$f"
done
try "below a prefix" status 0 "$crawlfs" verify "$url/all.cfx" \
	com.example/page03
try "only that" figure records 2 "$T/out"
quiet --report="$T/far" "$url/all.cfx"
ctl "$port" rule fault=status match=two.warc value=500 >/dev/null
try "a server that fails ends the run" status 1 quiet --timeout=2 \
	--cache="$T/cache2" --report="$T/far2" "$url/all.cfx"
try "it is no damage" not grep -q '"kind"' "$T/far2"
ctl "$port" clear >/dev/null
try "later it is resumed" status 0 "$crawlfs" verify --cache="$T/cache2" \
	--report="$T/far2" "$url/all.cfx"
try "behind what was verified" figure '  by earlier run' 32 "$T/out"
try "with the report of one run" cmp "$T/far" "$T/far2"
stop_server server

# bytes that the cache folder has of an archive, which has another by now
damage() {	# damage FILE: a byte of the member of page03, whose offset is printed
	python3 - "$T/made/a.places" "$1" <<'EOF'
import json
import sys
where = json.load(open(sys.argv[1]))["a.warc.gz"]
at, n, _ = next(w for w in where if w[2].endswith("page03"))
with open(sys.argv[2], "r+b") as f:
    f.seek(at + n - 8)
    byte = f.read(1)
    f.seek(-1, 1)
    f.write(bytes([byte[0] ^ 1]))
print(at)
EOF
}
if has_program nginx && has_program openssl; then
	nginx_extra="location = /two.warc { if (-f $T/busy) { return 503; } }"
	try "nginx" start_nginx nginx "$T/shelf"
	try "all in the cache" status 0 "$crawlfs" copy -q \
		--cache="$T/cache3" -o "$T/copy.warc.gz" "$http_url/all.cfx" com
	damaged=$(damage "$T/shelf/one.warc.gz")
	touch -d 2001-02-03 "$T/shelf/one.warc.gz"
	try "what the server has is verified" status 1 quiet \
		--cache="$T/cache3" --report="$T/anew" "$http_url/all.cfx"
	try "not what the cache has" vcheck places "$T/anew" member \
		one.warc.gz "$damaged"

	# stopped at two.warc, and resumed when one.warc.gz is another: in full,
	# and below a prefix
	for below in "" "com.example/page03 com.example/page07"; do
		rm -f "$T/asked" "$T/asked.2"
		cp "$T/made/a.warc.gz" "$T/shelf/one.warc.gz"
		: >"$T/busy"
		far() {	# far STATUS REPORT
			status "$1" "$crawlfs" verify --timeout=1 --threads=1 \
				--report="$2" "$http_url/all.cfx" $below
		}
		try "stopped${below:+, $below}" far 1 "$T/asked"
		cp "$T/asked" "$T/asked.2"
		cp "$T/asked.ids" "$T/asked.2.ids"
		rm "$T/busy"
		try "resumed, nothing has changed" far 0 "$T/asked"
		try "it says nothing" not complains 'has changed'
		try "and goes on" grep -q 'earlier run' "$T/out"
		damage "$T/shelf/one.warc.gz" >/dev/null
		touch -d 2001-02-03 "$T/shelf/one.warc.gz"
		: >"$T/busy"
		try "resumed and stopped, one has changed" far 1 "$T/asked.2"
		try "that is said" complains 'one.warc.gz: has changed since'
		try "it is verified anew" test "$(grep -c '"kind"' "$T/asked.2")" = 1
		rm "$T/busy"
		try "resumed again" far 1 "$T/asked.2"
		try "behind that" grep -q 'earlier run' "$T/out"
		try "the report has the new state alone" vcheck places \
			"$T/asked.2" member one.warc.gz "$damaged"
		try "and each part once" same "$(grep -o \
			'"done":"[^"]*","from":[0-9]*' "$T/asked.2" | sort |
			uniq -d)" ""
	done
else
	skip "servers whose archives change: there is no nginx, or no openssl"
fi

# ---- real samples ----

if [ -d "${CFS_DATA:-/nonexistent}/warc" ]; then
	for d in warc wet wat malformed; do
		quiet --report="$T/$d.jsonl" "$CFS_DATA/$d" 2>/dev/null
		try "samples: $d" vcheck compare "$T/$d.jsonl" "$CFS_DATA/$d"
	done
	for d in arc warczst wacz cdx; do
		"$crawlfs" index -q -o "$T/$d.cfx" --base="$CFS_DATA" \
			"$CFS_DATA/$d" 2>/dev/null || continue
		"$crawlfs" verify --data="$CFS_DATA" "$T/$d.cfx" \
			>"$T/$d.table" 2>/dev/null
		try "samples: every entry of an index of $d" same 0 \
			"$(sed -n 's/^index entries  *[0-9]*  *[0-9]*  *\([0-9]*\).*/\1/p' "$T/$d.table")"
	done
	for d in example.cdxj example.cdx iana.cdxj iana.cdx post-test.cdx; do
		try "samples: $d" status 0 quiet --data="$CFS_DATA/warc/pywb" \
			"$CFS_DATA/cdx/pywb/$d"
	done
	try "samples: originals that are not there" status 1 quiet \
		--data="$CFS_DATA/warc/pywb" "$CFS_DATA/cdx/pywb/dupes.cdx"
	try "samples: how many" complains '8 revisits without a body'
else
	skip "samples: there are none in CFS_DATA"
fi
finish
