#!/bin/sh
# merge_test.sh - indexes among the inputs of crawlfs index: what is merged is
# what one index of all archives has.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

"$mkcrawl" --warc --records 900 --page-bytes 3000 --archive-bytes 600000 \
	"$T/crawl" >/dev/null || exit 1
find "$T/crawl" -name '*.warc.gz' | sort >"$T/archives"
n=0
while read -r archive; do
	n=$((n + 1))
	"$crawlfs" index -q -o "$T/part-$n.cfx" "$archive" || exit 1
done <"$T/archives"
try "there are several archives" [ $n -gt 2 ]
"$crawlfs" index -q -o "$T/all.cfx" "$T/crawl" || exit 1

# captures INDEX: all captures, and where they lie
captures() { "$crawlfs" lookup "$1" com org net br a 23 2>/dev/null | sort; }
# files INDEX: sizes, times and names of files, but of revisits
files() {
	"$crawlfs" ls -lR "$1" | grep -av '^d' |
		awk -v skip="$T/revisits" 'BEGIN {
			while ((getline line < skip) > 0) left[line] = 1
		} { line = $0; sub(/^[^ ]+ +[^ ]+ +[^ ]+ +[^ ]+ +/, "", line)
		    sub(/#[0-9]+/, "", line)
		    sub(/\.(meta|txt)$/, "", line)
		    if (!(line in left)) print }'
}
# Of a revisit whose original is in another archive an index of one archive
# knows nothing; the files of its page are left out.
awk -F '\t' '$2 == "revisit" { print $1 }' "$T/crawl/manifest.tsv" |
	while read -r url; do
		"$crawlfs" path "$T/all.cfx" "$url" 2>/dev/null |
			sed 's/#[0-9]*//'
	done >"$T/revisits"
same_files() { files "$1" >"$T/a"; files "$2" >"$T/b"; cmp "$T/a" "$T/b"; }
same_captures() {
	captures "$1" >"$T/a"
	captures "$2" >"$T/b"
	[ -s "$T/a" ] && cmp "$T/a" "$T/b"
}
all_parts() { "$crawlfs" index -q -o "$T/merged.cfx" "$T"/part-*.cfx; }

try "indexes of single archives are merged" all_parts
try "the same captures" same_captures "$T/all.cfx" "$T/merged.cfx"
try "the same files, sizes and times" same_files "$T/all.cfx" "$T/merged.cfx"
cp "$T/merged.cfx" "$T/first.cfx"
all_parts
try "merging again gives the same bytes" cmp "$T/first.cfx" "$T/merged.cfx"

mix() {
	"$crawlfs" index -o "$T/mixed.cfx" "$T/part-1.cfx" "$T/part-2.cfx" \
		$(tail -n +2 "$T/archives") 2>"$T/report"
}
try "an index and archives, one of them in both" mix
try "the same captures of both" same_captures "$T/all.cfx" "$T/mixed.cfx"
try "what is there twice is reported" grep -q "in several of the indexes" \
	"$T/report"
try "no part of the work is left behind" \
	same "$(find "$T" -maxdepth 1 -name '.crawlfs-index*')" ""

picked() {
	"$crawlfs" index -q -o "$T/some.cfx" --prefix=com --status=200 \
		"$T/all.cfx" &&
	"$crawlfs" index -q -o "$T/scan.cfx" --prefix=com --status=200 \
		"$T/crawl"
}
try "captures are picked out of an index" picked
try "the same as out of archives" same_captures "$T/some.cfx" "$T/scan.cfx"
try "none is an error" status 1 "$crawlfs" index -o "$T/none.cfx" \
	--prefix=zz.none "$T/all.cfx"

# below another folder: names, and sizes of metadata, which holds them
mkdir "$T/sub" "$T/up"
cp -r "$T/crawl" "$T/sub/crawl"
"$crawlfs" index -q -o "$T/sub/in.cfx" "$T/sub/crawl" || exit 1
try "an index in a folder below" "$crawlfs" index -q -o "$T/above.cfx" \
	"$T/sub/in.cfx"
try "an index elsewhere is refused" status 2 "$crawlfs" index -q \
	-o "$T/up/out.cfx" "$T/sub/in.cfx"
try "with what to do" complains "give a --base=FOLDER"
try "as it says" "$crawlfs" index -q -o "$T/up/out.cfx" --base="$T" \
	"$T/sub/in.cfx"
for index in merged above some; do
	try "mount $index" start_mount m "$T/$index.cfx"
	try "every file can be read, $index" sh -c \
		'find "$1" -type f -print0 | xargs -0 cat | cmp -n 1 - /dev/zero ||
		 ! find "$1" -type f -print0 | xargs -0 cat 2>&1 >/dev/null |
			grep .' sh "$T/m"
	try "ends well, $index" stop_mount m
done

# places INDEX PREFIX: URLs, and where they lie
places() {
	"$crawlfs" lookup "$1" "$2" 2>/dev/null |
		python3 -c 'import json, sys
for line in sys.stdin:
    row = json.loads(line[line.index("{"):])
    print(row["url"], row["filename"], row["offset"], row["length"])' |
		sort
}
same_places() {
	places "$1" "$3" >"$T/a"
	places "$2" "$3" >"$T/b"
	[ -s "$T/a" ] && cmp "$T/a" "$T/b"
}
# hosts in upper case are hosts of their own in a PB-tree
"$mkcrawl" --arc --pbtree --hostile 0 --records 500 "$T/arc" >/dev/null || exit 1
tree=$(find "$T/arc" -name 'url-index.*')
of=${tree%/*}
try "a PB-tree is turned into a crawlfs index" "$crawlfs" index -q \
	-o "$of/tree.cfx" "$tree"
try "or a part of it" "$crawlfs" index -q -o "$of/org.cfx" --prefix=org "$tree"
"$crawlfs" index -q --no-views -o "$of/arc.cfx" "$of/segment" || exit 1
try "all places" same_places "$of/arc.cfx" "$of/tree.cfx" com
try "all of the part" same_places "$of/arc.cfx" "$of/org.cfx" org
try "and nothing else" same "$(places "$of/org.cfx" com)" ""

try "a PB-tree has no places for WARC files" status 1 "$crawlfs" index -q \
	--format=pbtree -o "$T/none.pb" "$T/all.cfx"
try "which are named" complains "warc.gz: left out: a PB-tree knows only"
head -c 5000 "$T/all.cfx" >"$T/cut.cfx"
try "an index that was cut is refused" status 1 "$crawlfs" index -q \
	-o "$T/none.cfx" "$T/part-1.cfx" "$T/cut.cfx"
try "and named" complains "cut.cfx"
try "and nothing is written" absent "$T/none.cfx" "$T/none.pb"
finish
