#!/bin/sh
# missing_test.sh - an index whose archives are not there is not mounted, unless
# that is asked for; where some are not there a line says so.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"
HINT="with -o data=FOLDER"

"$mkcrawl" --warc --bare --records 600 --hostile 0 --page-bytes 1500 \
	--archive-bytes 30000 "$T/c" >/dev/null || exit 1
mkdir "$T/a" "$T/flat"
find "$T/c/crawl-data" -name '*.warc.gz' -exec mv {} "$T/a" \;
n=$(ls "$T/a" | wc -l)
looked=$((n < 16 ? n : 16))
"$crawlfs" index -q --no-views -o "$T/a/i.cfx" "$T/a" || exit 1
"$crawlfs" index -q --format=cdxj -o "$T/a/i.cdxj" "$T/a/i.cfx" || exit 1
"$crawlfs" index -q --format=zipnum -o "$T/a/zip" "$T/a/i.cfx" || exit 1
mkdir "$T/zip"
cp -r "$T/a/zip/." "$T/zip"
cp "$T/a/i.cfx" "$T/a/i.cdxj" "$T/flat"
# lines out of order, which get an index when they are mounted, and an index that
# was made of lines
sort -r "$T/a/i.cdxj" >"$T/flat/unsorted.cdxj"
gzip -c "$T/flat/unsorted.cdxj" >"$T/flat/unsorted.cdxj.gz"
"$crawlfs" index -q -o "$T/flat/lines.cfx" "$T/flat/i.cdxj" 2>/dev/null || exit 1
# a crawl as trivio has it
"$mkcrawl" --records 200 --hostile 0 --page-bytes 400 --arc --pbtree "$T/p" \
	>/dev/null || exit 1

# refuses NAME SOURCE [OPTION...]: with one line that says what to do
refuses() {
	name=$1 source=$2
	shift 2
	mkdir -p "$T/m"
	try "$name: refused" status 1 timeout 60 "$crawlfs" mount "$source" "$T/m" "$@"
	try "$name: one line" same 1 "$(wc -l <"$T/err")"
	# Holds N24.
	try "$name: its sentence" complains \
		"its archives are not there, '.*' for one: .* $HINT, .* -o missing=ok"
	try "$name: not mounted" is_unmounted "$T/m"
}
pages() { find "$T/$1" -type f ! -name '*.txt' ! -name '*.meta' | wc -l; }
quietly() { [ ! -s "$T/$1.log" ] || { cat "$T/$1.log"; return 1; }; }
# mounts NAME SOURCE OPTION...: without a word, and is a tree
mounts() {
	name=$1 source=$2
	shift 2
	: >"$T/m.log"
	try "$name: mounted" start_mount m "$@" "$source"
	try "$name: nothing is said" quietly m
	try "$name: is a tree" test "$(pages m)" -gt 0
	try "$name: ended" stop_mount m
}

# ---- none is there ----

for of in flat/i.cfx flat/i.cdxj flat/unsorted.cdxj flat/unsorted.cdxj.gz \
	flat/lines.cfx zip/cluster.idx; do
	refuses "$of" "$T/$of"
	# Holds N24.
	mounts "$of, missing=ok" "$T/$of" -o missing=ok
	mounts "$of, --missing=ok" "$T/$of" --missing=ok
	mounts "$of, data=" "$T/$of" -o "data=$T/a"
	refuses "$of, another folder" "$T/$of" -o "data=$T/zip"
done
mounts "beside it" "$T/a/i.cfx" -o views=raw
mkdir "$T/tree"
cp "$T/p/parse-output/url-index.1356128792" "$T/tree/tree"
refuses "a PB-tree" "$T/tree/tree"
mounts "a PB-tree, missing=ok" "$T/tree/tree" -o missing=ok
mounts "a PB-tree, data=" "$T/tree/tree" -o "data=$T/p"
refuses "a part" "$T/flat/i.cfx" -o part=2/3
refuses "of some time" "$T/flat/i.cfx" -o from=1999
refuses "a union" "$T/flat/i.cfx,$T/flat/i.cfx"
mkdir "$T/two"
try "one of two, side by side: refused" status 1 "$crawlfs" mount \
	"$T/a/i.cfx" "$T/flat/i.cfx" "$T/two"
try "which one" complains "$T/flat/i.cfx: its archives are not there"

# Commands that need no archives do without.
try "ls" status 0 "$crawlfs" ls "$T/flat/i.cfx"
try "lookup" status 0 "$crawlfs" lookup "$T/flat/i.cfx" / --limit=1

# Those that do need them say what to do behind what could not be read.
url=$("$crawlfs" lookup "$T/flat/i.cfx" / --limit=1 |
	sed 's/.*"url": "\([^"]*\)".*/\1/')
fails() {	# STATUS COMMAND...
	want=$1
	shift
	try "$1: fails" status "$want" "$crawlfs" "$@"
	try "$1: what to do" complains \
		"i.cfx: its archives are not there: .* with --data=FOLDER"
}
says_nothing_of_data() { ! grep -q -e --data "$T/err"; }
fails 1 cat "$T/flat/i.cfx" "$url"
fails 2 grep a "$T/flat/i.cfx"
fails 1 export -q "$T/flat/i.cfx" --fields=url,text -o -
fails 1 copy "$T/flat/i.cfx" / -o "$T/copied.warc.gz"
try "grep -s: status" status 2 "$crawlfs" grep -s a "$T/flat/i.cfx"
try "grep -s: nothing is said" says_nothing_of_data
try "rows that need no archives" status 0 "$crawlfs" export -q "$T/flat/i.cfx" \
	--order=index --fields=url -o -
try "another failure, with archives" status 1 "$crawlfs" cat "$T/a/i.cfx" \
	http://not.example/
try "nothing is said of them" says_nothing_of_data

# ---- some are there ----

some=$(ls "$T/a"/*.warc.gz | head -n 1)
cp "$some" "$T/flat"
try "some: mounted" start_mount m "$T/flat/i.cfx"
try "one line" same 1 "$(wc -l <"$T/m.log")"
# Holds N24.
try "how many, and what to do" grep -Eq "^crawlfs: warning: .*/i.cfx: \
$((looked - 1)) of $looked archives looked for are not there, '.*' for one: .* $HINT" "$T/m.log"
try "ended" stop_mount m
mounts "some, missing=ok" "$T/flat/i.cfx" -o missing=ok
try "some of a union's" start_mount m "$T/a/i.cfx,$T/flat/i.cfx"
try "ended" stop_mount m
try "a word that is wrong" status 2 "$crawlfs" mount "$T/flat/i.cfx" "$T/m" \
	-o missing=never

# ---- members of a WACZ that is away ----

mkdir "$T/w"
python3 - "$T/w/x.wacz" "$some" <<'EOT'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as z:
    z.write(sys.argv[2], "archive/a.warc.gz")
EOT
try "a WACZ is indexed" "$crawlfs" index -q -o "$T/w/w.cfx" "$T/w/x.wacz"
mounts "in its WACZ" "$T/w/w.cfx"
mv "$T/w/x.wacz" "$T/w/away"
refuses "its WACZ is away" "$T/w/w.cfx"

finish
