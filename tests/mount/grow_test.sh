#!/bin/sh
# grow_test.sh - indexes that grow: what is added in any order, or in one go, is
# one index, byte for byte, and a mount of it shows what belongs together.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

index() { "$crawlfs" index -q "$@"; }

# ---- in any order, with any threads ----

C=$T/crawl
python3 "$CFS_SRCDIR/tests/grow_crawl.py" "$C" || exit 1
try "all in one go" index -o "$T/one.cfx" "$C"
for threads in 1 2 8; do
	try "with $threads threads" index --threads=$threads \
		-o "$T/threads.cfx" "$C"
	# Holds I9.
	try "the same bytes with $threads threads" cmp "$T/one.cfx" \
		"$T/threads.cfx"
done

for file in "$C"/*.warc.gz; do
	name=${file##*/}
	index -o "$T/${name%.warc.gz}.part.cfx" "$file" 2>>"$T/case.log" ||
		index --no-views -o "$T/${name%.warc.gz}.part.cfx" "$file" || :
done
merged() {	# merged NAME PART...: their merge is the index of all
	merged_name=$1
	shift
	try "$merged_name" index -o "$T/merged.cfx" "$@"
	try "the same bytes: $merged_name" cmp "$T/one.cfx" "$T/merged.cfx"
}
cd "$T" || exit 1
# requests alone make no index
try "a file of requests alone is none" absent "$T/far.part.cfx"
all="a-pages m-revisits shots twice wat wet z-pages"
parts=
back=
for name in $all; do
	parts="$parts $name.part.cfx"
	back="$name.part.cfx $back"
done
merged "parts, and a file" $parts "$C/far.warc.gz"
# Holds I9.
merged "parts backwards" "$C/far.warc.gz" $back
merged "parts of which some are there twice" $parts $parts "$C/far.warc.gz"
merged "parts and files, half of them in both" wet.part.cfx shots.part.cfx "$C"

# grown ORDER...: an index that grows file by file is the index of all
grown() {
	rm -f "$T/all.cfx"
	for file; do
		if [ -e "$T/all.cfx" ]; then
			index -o "$T/all.cfx" "$T/all.cfx" "$C/$file.warc.gz"
		else
			index -o "$T/all.cfx" "$C/$file.warc.gz"
		fi || return 1
	done
	cmp "$T/one.cfx" "$T/all.cfx"
}
# Holds I9.
try "file by file" grown a-pages far m-revisits shots twice wat wet z-pages
try "backwards" grown z-pages wet wat twice shots m-revisits far a-pages
try "revisits and texts first" grown m-revisits wat wet shots z-pages far \
	a-pages twice

shows() {	# shows MOUNT: what expect.tsv says
	while IFS="$(printf '\t')" read -r path sha1; do
		got=$(sha1sum <"$1/$path") || return 1
		same "$path ${got%% *}" "$path $sha1" || return 1
	done <"$C/expect.tsv"
}
try "mount" start_mount m "$T/all.cfx"
try "records are with their pages" shows "$T/m"
try "every file can be read" sh -c 'find "$1" -type f -print0 |
	xargs -0 cat >/dev/null' sh "$T/m"
try "ends well" stop_mount m

# below another folder
mkdir "$T/up" "$T/up/sub" && cp -p "$C"/*.warc.gz "$T/up/sub"
(cd "$T/up/sub" && for name in $all; do
	index -o "$name.cfx" "$name.warc.gz" || exit 1
done) || exit 1
try "indexes of a folder below" index -o "$T/up/above.cfx" "$T/up/sub"/*.cfx \
	"$T/up/sub/far.warc.gz"
try "in one go" index -o "$T/up/one.cfx" "$T/up/sub"
try "the same bytes" cmp "$T/up/one.cfx" "$T/up/above.cfx"

# ---- every kind of input ----

# pieces NAME FOLDER INPUT...: indexes of one input each, merged forwards and
# backwards, are the index of all, with $options
pieces() {
	pieces_in=$2
	try "$1" pieced "$@"
	try "$1, backwards" cmp "$pieces_in/one.cfx" "$pieces_in/back.cfx"
}
pieced() {
	shift 2
	rm -f "$pieces_in"/*.cfx
	index $options -o "$pieces_in/one.cfx" "$@" || return 1
	pieces_n=0 pieces_all= pieces_back=
	for input; do
		pieces_n=$((pieces_n + 1))
		piece=$pieces_in/$pieces_n.cfx
		index $options -o "$piece" "$input" || return 1
		pieces_all="$pieces_all $piece"
		pieces_back="$piece $pieces_back"
	done
	index $merged -o "$pieces_in/all.cfx" $pieces_all &&
		index $merged -o "$pieces_in/back.cfx" $pieces_back &&
		cmp "$pieces_in/one.cfx" "$pieces_in/all.cfx"
}
options= merged=

mkdir "$T/2012" "$T/2024" "$T/waczs" "$T/bodies" "$T/segments" "$T/browser"
for year in 2012 2024; do
	python3 "$CFS_SRCDIR/tests/side_crawl.py" $year "$T/$year" || exit 1
	pieces "texts and metadata of $year" "$T/$year" \
		$(find "$T/$year" -type f ! -name '*.json' | sort)
done
mkdir "$T/2012/segment/1346823840000"
cp -p "$T/2012/segment/1346823845675/"*.arc.gz \
	"$T/2012/segment/1346823840000"
pieces "metadata of 2012 whose archives are there twice" "$T/2012" \
	$(find "$T/2012" -type f ! -name '*.json' ! -name '*.cfx' | sort)
python3 "$CFS_SRCDIR/tests/make_wacz.py" --host a.made --archives 3 \
	"$T/waczs/a.wacz" 30 "$T/bodies" &&
	python3 "$CFS_SRCDIR/tests/make_wacz.py" --host b.made --deflate \
		"$T/waczs/b.wacz" 10 "$T/bodies" || exit 1
pieces "WACZ files" "$T/waczs" "$T/waczs"/*.wacz
python3 "$here/segments_check.py" make "$T/segments" || exit 1
pieces "records in segments" "$T/segments" "$T/segments"/*.warc*
python3 "$here/related_check.py" make "$T/browser" || exit 1
pieces "requests without a page, and a browser's records" "$T/browser" \
	"$T/browser"/*.warc*

"$mkcrawl" --records 400 --page-bytes 2000 --archive-bytes 100000 "$T/made" \
	>"$T/out" || exit 1
archives=$(find "$T/made" -name '*.warc.gz' | sort)
pieces "pages, revisits, requests" "$T/made" $archives
options=--no-views merged=--no-views
pieces "without the sizes of views" "$T/made" $archives
options="--prefix=com,org --status=200 --mime=html,text/plain" merged=
pieces "captures picked, and texts" "$T/made" $archives
options=
n=0
for archive in $archives; do
	n=$((n + 1))
	index --no-views --base="$T/made" -o "$T/made/x.cfx" "$archive" &&
		"$crawlfs" lookup "$T/made/x.cfx" com org net 2>>"$T/case.log" |
			sort >"$T/made/$n.cdxj"
done
try "there are CDX files" [ $n -gt 2 ]
pieces "CDX files" "$T/made" "$T/made"/*.cdxj
pieces "CDX files and the archives that they name" "$T/made" \
	"$T/made"/*.cdxj $archives
mkdir "$T/tables"
python3 "$here/selection_check.py" make "$T/made/manifest.tsv" "$T/tables" ||
	exit 1
options=--base=$T/made
pieces "selections, of which some have the same rows" "$T/tables" \
	"$T/tables/athena.csv" "$T/tables/spark.jsonl" "$T/tables/plain.tsv" \
	"$T/tables/twice.csv" "$T/tables/offsets.csv"
options=
"$mkcrawl" --arc --pbtree --records 300 --archive-bytes 60000 \
	--page-bytes 600 "$T/pbtree" >"$T/out" || exit 1
pieces "a PB-tree and the archives that it names" "$T/pbtree" \
	$(find "$T/pbtree" -type f ! -name manifest.tsv | sort)

# ---- the old one stays ----

cp "$T/one.cfx" "$T/keep.cfx"
kept() { cmp "$T/one.cfx" "$T/keep.cfx" && same "$(find "$T" -maxdepth 1 \
	-name '.crawlfs*')" ""; }
try "nothing to add is an error" status 1 index -o "$T/keep.cfx" \
	"$T/keep.cfx" "$T/nothing.warc.gz"
try "and leaves the old one" kept
head -c 5000 "$T/one.cfx" >"$T/cut.cfx"
cp "$T/cut.cfx" "$T/cut-too.cfx"
try "a damaged one does not become the new files alone" status 1 index \
	-o "$T/cut.cfx" "$T/cut.cfx" "$C/wet.warc.gz"
try "and is named" complains cut.cfx
try "and stays as it is" cmp "$T/cut.cfx" "$T/cut-too.cfx"
echo text >"$T/text.cfx"
try "what is no index does not either" status 1 index --force -o "$T/text.cfx" \
	"$T/text.cfx" "$C/wet.warc.gz"
try "and stays" same "$(cat "$T/text.cfx")" text
try "nor does what is not there" status 1 index -o "$T/none.cfx" \
	"$T/none.cfx" "$C/wet.warc.gz"
try "and nothing appears" absent "$T/none.cfx"
ln -s one.cfx "$T/link.cfx"
try "the old one by another name" sh -c '"$1" index -q -o "$2/keep.cfx" \
	"$2/./keep.cfx" "$2/crawl/a-pages.warc.gz"' sh "$crawlfs" "$T"
try "has all it had" kept

# ---- older versions ----

# An index of an older version has its number in byte 8 of the header.
for version in 1 2 3; do
	index -o "$T/now.cfx" "$C/wet.warc.gz"
	printf "\\$version" | dd of="$T/now.cfx" bs=1 seek=8 conv=notrunc \
		2>/dev/null
	mv "$T/now.cfx" "$T/older.cfx"
	cp "$T/older.cfx" "$T/older-too.cfx"
	for command in ls "index -q -o $T/new.cfx" \
		"index -q -o $T/older.cfx $C/far.warc.gz"; do
		try "version $version is refused by ${command%% *}" status 1 \
			"$crawlfs" $command "$T/older.cfx"
		try "in one line" same 1 "$(wc -l <"$T/err")"
		try "that says how to rebuild it" complains "version \
$version, which is no longer read: rebuild it from its archives with \
'crawlfs index'"
	done
	try "and stays as it is" cmp "$T/older.cfx" "$T/older-too.cfx"
	try "nothing is made of it" absent "$T/new.cfx"
	try "a folder is listed" env XDG_CACHE_HOME="$T/cache" "$crawlfs" ls "$C"
	cp "$T/case.log" "$T/listed"
	kept=$(find "$T/cache" -name '*.cfx')
	printf "\\$version" | dd of="$kept" bs=1 seek=8 conv=notrunc 2>/dev/null
	try "its index of version $version is rebuilt" status 0 \
		env XDG_CACHE_HOME="$T/cache" "$crawlfs" ls "$C"
	try "which is said" complains "it is rebuilt"
	try "and lists the same" cmp "$T/listed" "$T/out"
	try "by a new index" same 4 "$(od -A n -t u1 -j 8 -N 1 "$kept" |
		tr -d ' ')"
done
finish
