#!/bin/sh
# zipnum_write_test.sh - crawlfs index --format=zipnum and cdxj: what is written
# beside an independent reading of the archives, whatever the input; mounted.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

crawl=$T/crawl
"$mkcrawl" --records 8000 --hostile 30 --page-bytes 600 --arc --warc \
	--archive-bytes 400000 "$crawl" >/dev/null || exit 1
archives=$(find "$crawl" -name '*arc.gz')
lines() { python3 "$here/zipnum_check.py" "$@"; }
index() { "$crawlfs" index -q "$@"; }
zipnum() { index --format=zipnum "$@"; }
# shellcheck disable=SC2086
lines lines "$crawl" $archives >"$T/want" || exit 1
try "there is something to index" [ "$(wc -l <"$T/want")" -gt 15000 ]
# holds FOLDER [SHARDS]: the captures of the archives, and nothing else
holds() {
	lines read "$@" >"$T/got" && cmp "$T/want" "$T/got"
}
# same_by HOW A B: two files of lines, as zipnum_check.py HOW leaves them
same_by() {
	lines "$1" <"$2" >"$T/a" && lines "$1" <"$3" >"$T/b" &&
		[ -s "$T/a" ] && cmp "$T/a" "$T/b"
}

# ---- archives in ----

try "a cluster of archives" zipnum -o "$crawl/zip" --base="$crawl" "$crawl"
try "has all captures, in order, in the form of Common Crawl's" \
	holds "$crawl/zip" 1
try "nothing else is in its folder" same \
	"$(ls -A "$crawl/zip" | tr '\n' ' ')" \
	"cdx-00000.gz cluster.idx cluster.loc "
try "lines alone" index --format=cdxj -o "$crawl/all.cdxj" "$crawl"
try "are the same ones" cmp "$T/want" "$crawl/all.cdxj"

# ---- shards, threads and memory ----

for shards in 1 3 6; do
	try "$shards shards asked for" zipnum --shards=$shards --base="$crawl" \
		-o "$crawl/zip$shards" "$crawl"
	try "$shards shards have the same captures" holds "$crawl/zip$shards" \
		$shards
done
try "a hundred asked for" zipnum --shards=100 --base="$crawl" \
	-o "$crawl/zip100" "$crawl"
try "are as many as there are members" holds "$crawl/zip100" 6
try "--shards of another format" status 2 index -o "$T/x.cfx" --shards=3 "$crawl"
for options in --threads=1 --threads=7 "--threads=3 --memory=1M"; do
	# shellcheck disable=SC2086
	try "once more with $options" zipnum $options --shards=3 \
		--base="$crawl" -o "$T/again" "$crawl"
	try "the same bytes with $options" diff -r "$crawl/zip3" "$T/again"
done
rm -r "$T/again"

# ---- other inputs ----

cdxj() { index --format=cdxj --base="$crawl" -o "$crawl/out.cdxj" "$@"; }
index --no-views -o "$crawl/all.cfx" "$crawl" || exit 1
try "a crawlfs index" cdxj "$crawl/all.cfx"
try "has the same captures" same_by bare "$T/want" "$crawl/out.cdxj"
try "a cluster" zipnum --base="$crawl/zip3" -o "$T/again" \
	"$crawl/zip3/cluster.idx"
try "the same cluster again" diff -r "$crawl/zip" "$T/again"
mv "$crawl/all.cdxj" "$crawl/whole.cdxj"
awk 'NR % 3 == 0' "$crawl/whole.cdxj" >"$crawl/a.cdxj"
awk 'NR % 3 != 0' "$crawl/whole.cdxj" | gzip >"$crawl/b.cdxj.gz"
try "two files of lines" cdxj "$crawl/a.cdxj" "$crawl/b.cdxj.gz"
try "are the captures of both" cmp "$T/want" "$crawl/out.cdxj"
try "lines, and all of the archives that they are of" cdxj "$crawl/a.cdxj" \
	"$crawl"
try "each capture is there once" cmp "$T/want" "$crawl/out.cdxj"
try "a prefix of a cluster" index --format=cdxj --base="$crawl/zip3" \
	--prefix=com -o "$crawl/com.cdxj" "$crawl/zip3/cluster.idx"
try "is its stretch of lines" sh -c 'grep "^com," "$1" | cmp - "$2"' - \
	"$T/want" "$crawl/com.cdxj"

# large files are cut for threads, also one whose legend only its front has
try "lines by many threads" cdxj --threads=7 "$crawl/whole.cdxj"
try "are all there" cmp "$T/want" "$crawl/out.cdxj"
awk 'BEGIN {
	print " CDX N b a m s k r M V S g"
	for (i = 0; i < 50000; i++)
		printf "com,example)/%d 20240101000000 http://example.com/%d " \
			"text/html 200 - - - %d 700 a%d.warc.gz\n", i, i,
			i * 700, i / 9000
}' >"$T/legend.cdx"
awk 'BEGIN {
	for (i = 0; i < 50000; i++)
		printf "com,example)/%d a%d.warc.gz %d 700\n", i, i / 9000,
			i * 700
}' | sort >"$T/places"
try "a CDX with a legend, by many threads" index --format=cdxj --threads=7 \
	-o "$T/legend.cdxj" "$T/legend.cdx"
lines places <"$T/legend.cdxj" >"$T/got"
try "has the offsets of its column" cmp "$T/places" "$T/got"
"$mkcrawl" --records 900 --hostile 0 --arc --pbtree "$T/arc" >/dev/null || exit 1
try "archives of a PB-tree" index --format=cdxj --base="$T/arc/parse-output" \
	-o "$T/arc/archives.cdxj" "$T/arc/parse-output/segment"
try "a PB-tree" index --format=cdxj --base="$T/arc/parse-output" \
	-o "$T/arc/tree.cdxj" "$T/arc/parse-output/url-index.1356128792"
try "names the same records" same_by places "$T/arc/archives.cdxj" \
	"$T/arc/tree.cdxj"

# ---- lines of others ----

real=${CFS_DATA:-/nonexistent}/cdx/common_crawl/CC-MAIN-2021-43.cdxj
if [ -e "$real" ]; then
	mkdir "$T/real"
	shuf --random-source="$real" "$real" >"$T/real/some.cdxj"
	sort "$real" >"$T/sorted"
	try "lines of Common Crawl" index --format=cdxj -o "$T/real/out.cdxj" \
		"$T/real/some.cdxj"
	try "real lines stay as they are" cmp "$T/sorted" "$T/real/out.cdxj"
	lines csv <"$T/real/some.cdxj" >"$T/real/some.csv"
	try "a selection of these captures" index --format=cdxj \
		-o "$T/real/rows.cdxj" "$T/real/some.csv"
	try "gives the same lines" cmp "$T/sorted" "$T/real/rows.cdxj"
	index -o "$T/real/rows.cfx" "$T/real/some.csv"
	for input in some.csv rows.cfx; do
		try "$input: lines do not say where Common Crawl is" status 0 \
			index --format=cdxj -o "$T/real/home.cdxj" \
			"$T/real/$input"
		try "$input: that is reported" complains \
			"with -o data=https://data.commoncrawl.org$"
	done
	try "an index of rows names the same archives" same_by places \
		"$T/sorted" "$T/real/home.cdxj"
else
	skip "real lines stay as they are: not in CFS_DATA"
fi

# ---- mounted ----

tree() { (cd "$T/m" && find . -type f -name '*html' -printf '%P %i %T@\n' | sort); }
try "the cluster mounts" start_mount m -o "data=$crawl" "$crawl/zip/cluster.idx"
tree >"$T/tree"
try "has files" [ "$(wc -l <"$T/tree")" -gt 1000 ]
# texts of other records have no lines
awk -F '\t' '$2 != "conversion"' "$crawl/manifest.tsv" >"$crawl/lines.tsv"
try "the model's tree, and its bodies" python3 "$model/cdx_model.py" check \
	--sample 300 "$T/m" "$crawl/lines.tsv"
try "the daemon ends well" stop_mount m

# ---- what is there already ----

mkdir "$T/taken"
echo "not an index" >"$T/taken/cluster.idx"
try "a file that is no cluster.idx is kept" status 1 zipnum -o "$T/taken" "$crawl"
try "the reason is given" complains "exists and is not an index"
try "nothing else has come" same "$(ls -A "$T/taken")" cluster.idx
try "--force replaces it" zipnum --force --base="$crawl" -o "$T/taken" "$crawl"
try "by a cluster" holds "$T/taken"
cp -r "$crawl/zip6" "$T/grow"
try "six shards are replaced by one" zipnum --base="$crawl" -o "$T/grow" "$crawl"
try "and none is left over" diff -r "$crawl/zip" "$T/grow"
echo keep >"$T/file"
try "a file in the place of the folder" status 1 zipnum -o "$T/file" "$crawl"
try "stays" same "$(cat "$T/file")" keep
try "no input" status 1 zipnum -o "$T/none" "$T/file"
try "leaves no folder" absent "$T/none"

# ---- a full disk ----

mkdir "$T/small"
mount -t tmpfs -o size=1500k none "$T/small" || exit 1
cp -r "$crawl/zip6" "$T/small/zip"
try "a full disk" status 1 zipnum --base="$crawl" -o "$T/small/zip" "$crawl"
try "is reported" complains "No space left on device"
try "the old cluster stays" diff -r "$crawl/zip6" "$T/small/zip"
try "a full disk, a new folder" status 1 zipnum --base="$crawl" \
	-o "$T/small/new" "$crawl"
try "is not left" absent "$T/small/new"

# ---- interrupted, killed ----

# part_way SIGNAL FOLDER: the signal comes once something was written; 1: it was
# done before
part_way() {
	start "$crawlfs" index -q --threads=1 --memory=1M --shards=6 \
		--format=zipnum --base="$crawl" -o "$2" "$crawl"
	wait_for written_or_ended "$2" $started
	kill -"$1" $started 2>/dev/null
	wait $started
	ended=$?
	[ $ended -ne 0 ]
}
written_or_ended() {
	ls -A "$1" 2>/dev/null | grep -q '^\.crawlfs-.*tmp' || has_ended "$2"
}
if part_way INT "$T/int" 2>"$T/err"; then
	try "interrupted: status" same $ended 130
	try "interrupted: nothing is left" absent "$T/int"
else
	skip "interrupted: it was done before the signal came"
fi
cp -r "$crawl/zip" "$T/killed"
whole_or_none() { [ ! -e "$T/killed/cluster.idx" ] || holds "$T/killed"; }
for n in 1 2 3 4 5 6; do
	start "$crawlfs" index -q --shards=$((n % 4 + 1)) --format=zipnum \
		--base="$crawl" -o "$T/killed" "$crawl"
	sleep "0.0$((n * 7 % 10))" && kill -9 $started 2>/dev/null
	wait $started 2>/dev/null
	try "a whole cluster or none, killed $n times" whole_or_none
done
try "after that, once more" zipnum --base="$crawl" -o "$T/killed" "$crawl"
try "is as if nothing had been" holds "$T/killed"
finish
