#!/bin/sh
# union_test.sh - several crawls as one tree, against the reference model.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

# urls SEED SHARE: URLs of which members share some, with few times and several
# states, so that times of one page are often equal.
urls() {
	awk -v seed="$1" -v share="$2" 'BEGIN { srand(seed) }
	rand() < share {
		time = 20240101000000 + int(rand() * 6)
		status = rand() < 0.7 ? 200 : rand() < 0.5 ? 404 : 301
		printf "%s\t%d\t%d\tresponse\n", $0, time, status
		if (rand() < 0.1)
			printf "%s\t%d\t200\tresponse\n", $0, time + 2
	}' "$T/urls"
}
# make_member N SHARE: $T/mN, a crawl of its own, with its index in it
make_member() {
	urls "$1" "$2" >"$T/list"
	"$mkcrawl" --warc --bare --urls "$T/list" --page-bytes 120 --seed "$1" \
		"$T/m$1" >/dev/null &&
		"$crawlfs" index -q -o "$T/m$1/i.cfx" "$T/m$1"
}
# list SEPARATOR NAME N...: a file of each of these members
list() {
	list_file=$1
	shift
	list_out=
	for list_n; do
		list_out=${list_out:+$list_out,}$T/m$list_n/$list_file
	done
	echo "$list_out"
}
# everything NAME MEMBER...: the tree of a union is the model's
everything() {
	name=$1
	shift
	manifests=$(list manifest.tsv "$@")
	try "$name: mounts" start_mount "$name" "$(list i.cfx "$@")"
	is_mounted "$T/$name" || return
	# Holds M1.
	try "$name: find sees the model's tree, every body right" \
		check tree --least 100 "$manifests" "$T/$name"
	try "$name: look-up agrees with the listing" \
		check agree --least 100 "$T/$name"
	try "$name: full forms resolve, others do not" \
		check lookups "$manifests" "$T/$name"
	try "$name: every look-up as the model has it" \
		python3 "$model/check_mount.py" "$T/$name" "$manifests"
	find "$T/$name" -printf '%i %P\n' >"$T/inodes.$name"
	try "$name: again" remount "$name" "$(list i.cfx "$@")"
	find "$T/$name" -printf '%i %P\n' >"$T/again"
	# Holds M3.
	try "$name: inodes are the same" cmp "$T/inodes.$name" "$T/again"
	try "$name: the daemon ends well" stop_mount "$name"
}

python3 "$model/hostile_urls.py" --seed 7 --count 500 >"$T/urls"
for i in 1 2 3 4; do
	make_member $i 0.5 || exit 1
done
everything two 1 2
everything four 3 1 4 2
everything same 1 1 1

# the words of the command line
mkdir "$T/merged" "$T/alone"
try "mount --merge" start_mount merged --merge "$T/m1/i.cfx" "$T/m2/i.cfx"
find "$T/merged" -printf '%i %P\n' >"$T/again"
try "is the list A,B" cmp "$T/inodes.two" "$T/again"
try "the daemon ends well" stop_mount merged
try "a union of one" start_mount merged --merge "$T/m1/i.cfx"
try "and that one alone" start_mount alone "$T/m1/i.cfx"
find "$T/merged" -printf '%i %P\n' >"$T/a"
find "$T/alone" -printf '%i %P\n' >"$T/b"
# Holds M3.
try "have the same inodes" cmp "$T/a" "$T/b"
stop_mount merged
stop_mount alone

# ---- lines: CDXJ, ZipNum ----

make_lines() { python3 "$model/cdx_model.py" make "$@" >/dev/null; }
# same_lines NAME MANIFESTS OPTION...: mounts with these and compares
same_lines() {
	lines_name=$1 lines_manifests=$2
	shift 2
	start_mount "$lines_name" "$@" || return 1
	python3 "$model/cdx_model.py" check --sample 200 "$T/$lines_name" \
		"$lines_manifests"
	lines_status=$?
	stop_mount "$lines_name" && return $lines_status
}

mkdir -p "$T/idx/deeper"
make_lines cdxj "$T/m1/manifest.tsv" "$T/idx/a.cdxj"
make_lines cdxj "$T/m2/manifest.tsv" "$T/idx/deeper/b.cdxj"
try "a folder of indexes, a folder of archives for each" same_lines lines \
	"$(list manifest.tsv 1 2)" -o "data=$T/m1\\,$T/m2" "$T/idx"

# 31 lists of one crawl, some captures in several of them, some members empty
mkdir "$T/many"
manifests=
for i in 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 20 21 22 23 \
	24 25 26 27 28 29 30 31; do
	awk -v n="$i" '(NR + int(NR / 50)) % 29 == n % 29 || NR % 97 == n' \
		"$T/m3/manifest.tsv" >"$T/m3/$i.tsv"
	make_lines cdxj "$T/m3/$i.tsv" "$T/many/$i.cdxj"
	manifests=${manifests:+$manifests,}$T/m3/$i.tsv
done
# Holds M4.
try "31 members, captures that several list" same_lines many "$manifests" \
	-o "data=$T/m3" "$T/many"
cp "$T/many/01.cdxj" "$T/many/32.cdxj"
try "32 are refused" status 1 "$crawlfs" ls "$T/many"
try "with the way out" complains "crawlfs index"

# Common Crawl's by name: two halves of one crawl
for crawl in 2023-06 2023-14; do
	awk -v half=$crawl 'NR % 3 == (half == "2023-06") || NR % 3 == 2' \
		"$T/m4/manifest.tsv" >"$T/m4/$crawl.tsv"
	make_lines zipnum "$T/m4/$crawl.tsv" \
		"$T/m4/cc-index/collections/CC-MAIN-$crawl/indexes" --lines 9
done
halves=$T/m4/2023-06.tsv,$T/m4/2023-14.tsv
try "crawls by name" same_lines names "$halves" --base="$T/m4" --merge \
	CC-MAIN-2023-06,CC-MAIN-2023-14
try "crawls by a pattern" same_lines pattern "$halves" --base="$T/m4" \
	'CC-MAIN-2023-[01]*'
try "a pattern of no crawl" status 1 "$crawlfs" ls 'CC-MAIN-1999-*'
try "is named" complains "CC-MAIN-1999-"

# ---- other commands ----

both=$(list i.cfx 1 2)
sed -n 's/\\x.*//; s|^\(http://[a-z0-9./]*\)\t.*|\1|p' "$T/m1/manifest.tsv" \
	"$T/m2/manifest.tsv" | sort | uniq -d >"$T/shared"
url=$(sed -n 1p "$T/shared")
"$crawlfs" lookup "$T/m1/i.cfx" "$url" >"$T/a"
"$crawlfs" lookup "$T/m2/i.cfx" "$url" >>"$T/a"
"$crawlfs" lookup "$both" "$url" >"$T/b"
try "lookup: the captures of both, by time" \
	same "$(sort -s -k2,2 "$T/a" | cut -d' ' -f2)" "$(cut -d' ' -f2 "$T/b")"
try "path and url are inverse" same "$url" \
	"$("$crawlfs" url "$both" "$("$crawlfs" path "$both" "$url")")"
try "cat gives what the mount does" sh -c '
	"$1" cat "$2" "$3" >"$4/a" && "$1" cat "$2" "$("$1" path "$2" "$3")" \
		>"$4/b" && [ -s "$4/a" ] && cmp "$4/a" "$4/b"' - \
	"$crawlfs" "$both" "$url" "$T"
try "ls lists what find finds" sh -c '
	"$1" ls -R "$2" | wc -l >"$3/a"
	wc -l <"$3/inodes.two" | awk "{ print \$1 - 1 }" >"$3/b"
	cmp "$3/a" "$3/b"' - "$crawlfs" "$both" "$T"
# archives of the two have equal names, and are two
try "copy takes the records of both" \
	"$crawlfs" copy -q "$both" "$url*" -o "$T/copy.warc.gz"
try "as many as there are" same "$("$crawlfs" lookup "$both" "$url*" | wc -l)" \
	"$("$crawlfs" lookup "$T/copy.warc.gz" "$url*" | wc -l)"
try "check counts the archives of both" same 2 "$("$crawlfs" check "$both" \
	"$url" | sed -n 's/^files  *//p')"

# ---- one without a page ----

printf 'WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 0\r\n\r\n\r\n\r\n' \
	>"$T/none.warc"
try "beside a source without a page" start_mount bare "$T/m1/i.cfx" "$T/none.warc"
try "both are folders" same "$(ls "$T/bare" | tr '\n' ' ')" "i none "
try "that one is empty" same "$(ls "$T/bare/none")" ""
try "and it is told" grep -q 'none.warc: no page is there' "$T/bare.log"
try "which ends well" stop_mount bare
try "as one tree" start_mount bare --merge "$T/m1/i.cfx" "$T/none.warc"
try "has the other's pages" same "$(ls "$T/bare")" "$("$crawlfs" ls \
	"$T/m1/i.cfx" | tr -d /)"
try "and ends well" stop_mount bare
try "none with a page" status 1 "$crawlfs" mount "$T/none.warc" "$T/none.warc" \
	"$T/bare"
try "is refused" complains "no source has a page"

# ---- refused ----

try "mixed key forms" status 1 "$crawlfs" ls "$T/m1/i.cfx,$T/idx/a.cdxj"
try "say how to convert" complains "SURT keys.*crawlfs index -o"
try "mixed with a folder" status 1 "$crawlfs" ls "$T/m1,$T/idx/a.cdxj"
try "which is named, not its kept index" complains "has SURT keys, and '$T/m1' has"
try "a member that is missing" status 1 "$crawlfs" ls "$T/m1/i.cfx,$T/none.cfx"
try "is named" complains "none.cfx"
try "a list of folders that does not fit" status 2 "$crawlfs" ls \
	--data="$T/m1,$T/m2,$T/m3" "$both"
cp "$T/m1/i.cfx" "$T/m1/comma,i.cfx"
try "a file of that very name goes first" "$crawlfs" ls "$T/m1/comma,i.cfx"

# A member that cannot be read is no member without the page.
cp "$T/m2/i.cfx" "$T/m2/bad.cfx"
start_mount broken "$T/m1/i.cfx,$T/m2/bad.cfx"
: >"$T/m2/bad.cfx"
# Holds M5.
try "a member that has gone is EIO, not a missing page" sh -c '
	ls "$1" 2>&1 | grep -q "Input/output error"' - "$T/broken/com"
stop_mount broken
finish
