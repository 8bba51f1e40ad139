#!/bin/sh
# selection_test.sh - selections, in all their forms, against what Python reads:
# every row a page, its other columns in .meta.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=user
. "$CFS_SRCDIR/tests/mount/lib.sh"
. "$CFS_SRCDIR/tests/mount/selections.sh"

# lines FILE: of FILE that were reported.
lines() { echo $(sed -n "s/.*$1: line \([0-9]*\): .*/\1/p" "$T/err"); }

make_selections 500
for name in athena.csv crlf-bom.csv minimal.csv minimal.csv.zst semicolons.csv \
	twice.csv plain.tsv plain.tsv.gz quoted.tsv spark.jsonl duckdb.json \
	duckdb.json.gz records.json records.json.gz indented.json \
	server.json cdxt.jsonl sorted.jsonl urls.csv offsets.csv parts; do
	try "$name" shows "$tables/$name" "$tables/$name" "$crawl"
done

# Beside its archives it is a CDX, whose keys are what they are.
cp "$tables/sorted.jsonl" "$crawl/cdx.jsonl"
try "beside its archives, lines in order are an index" same \
	"$("$crawlfs" ls "$crawl/cdx.jsonl")" "x/"
rm -f "$crawl/cdx.jsonl"

# An index of one or several, which depends on nothing but the rows.
try "an index" "$crawlfs" index -q -o "$T/a.cfx" "$tables/athena.csv"
try "mounted" shows "$T/a.cfx" "$tables/athena.csv" "$crawl"
"$crawlfs" index -q --threads=1 -o "$T/b.cfx" "$tables/athena.csv"
try "the same by one thread" cmp "$T/a.cfx" "$T/b.cfx"
try "of the same rows twice" status 0 "$crawlfs" index -o "$T/b.cfx" "$tables/twice.csv"
try "which is said" grep -q 'left out: it is there already' "$T/err"
try "of parts one by one" "$crawlfs" index -q -o "$T/b.cfx" \
	"$tables"/parts/part-*
try "have the same pages" shows "$T/b.cfx" "$tables/parts" "$crawl"
try "picked by status" status 0 "$crawlfs" index --status=404 -o "$T/b.cfx" \
	"$tables/athena.csv"
want=$(cut -f 2,4 "$crawl/manifest.tsv" | grep -c '^response	404$')
try "has only those" same "$(captures)" "$want"
try "without URL and archives, it is none" status 1 "$crawlfs" index \
	--base="$T" -o "$T/none.cfx" "$tables/offsets.csv"
try "and the line is named" complains 'offsets.csv: line 2: has no URL'
try "with them, it is one" "$crawlfs" index -q --base="$crawl" -o "$T/b.cfx" \
	"$tables/offsets.csv"
try "which is the one of the archives" shows "$T/b.cfx" "$tables/offsets.csv" \
	"$crawl"

# Damage: reported with file and line, and the rest is there.
{
	sed -n 1,3p "$tables/athena.csv"
	echo 'one,cell'					# 4
	sed -n 2,3p "$tables/athena.csv" |
		sed 's/^"[0-9]*","[^"]*"/"1","http:\/\/b.example\/"/'
	echo '"1","http://q.example/"x,"a","1","2",,,,'	# 7
	echo '"1","http://o.example/","a","offset","2",,,,'	# 8
	echo '"1","http://o.example/",,"1","2",,,,'		# 9
	echo '"1","http://o.example/","../a.warc.gz","1","2",,,,'	# 10
	echo '"1","http://o.example/","a","1","0",,,,'		# 11
	echo '"1","http://never.closed/'			# 12
	sed -n 2,3p "$tables/athena.csv" |
		sed 's/^"[0-9]*","[^"]*"/"1","http:\/\/c.example\/"/'
} >"$T/damaged.csv"
try "damaged rows" status 0 "$crawlfs" index -o "$T/b.cfx" "$T/damaged.csv"
# Holds E17.
try "are named by their lines" same "$(lines damaged.csv)" "4 7 8 9 10 11 12"
try "are counted" grep -q '7 damaged places in 1 file' "$T/err"
# Holds E17.
try "and the others are there" same "$(captures)" 6
{
	sed -n 1,2p "$tables/duckdb.json"
	echo '{"url": "http://x.example/", "warc_filename"'	# 3
	echo '["url"]'						# 4
	sed -n 3p "$tables/duckdb.json"
	echo '{"url": "http://x.example/"}'			# 6
} >"$T/damaged.jsonl"
# Whoever uses the index later is told, too, by all ways.
try "which a later use says" status 0 "$crawlfs" lookup "$T/b.cfx" example
try "with their number" complains '7 damaged places in 1 archive'
try "rows have them" status 1 "$crawlfs" export -q --data="$crawl" \
	--fields=url,error -o "$T/damaged.jsonl.gz" "$T/b.cfx"
try "each one" same "$(zcat "$T/damaged.jsonl.gz" |
	grep -c '"error":"damaged.csv: line ')" 7
try "a copy lacks them" status 1 "$crawlfs" copy -q --data="$crawl" \
	-o "$T/damaged.warc.gz" "$T/b.cfx" example
try "verify finds them" status 1 "$crawlfs" verify -q --data="$crawl" "$T/b.cfx"
try "each one, too" same "$(grep -c 'index: damaged.csv: line ' "$T/err")" 7
try "and so does the selection itself" status 0 "$crawlfs" lookup \
	"$T/damaged.csv" example
try "at every use" status 0 "$crawlfs" lookup "$T/damaged.csv" example
try "which is said by one line" complains '7 damaged places in 1 archive'

# Also of a table without a good row, beside archives.
{ sed -n 1p "$T/damaged.csv"; sed -n 8,9p "$T/damaged.csv"; } >"$T/allbad.csv"
try "only damaged rows, beside archives" status 0 "$crawlfs" index -q \
	--base="$crawl" -o "$crawl/allbad.cfx" "$T/allbad.csv" "$crawl"
try "are known later" status 1 "$crawlfs" verify -q "$crawl/allbad.cfx"
try "each of them" same "$(grep -c 'index: allbad.csv: line ' "$T/err")" 2
rm -f "$crawl/allbad.cfx"
# The first 16 are named, however long the table's name is; others are counted.
long=$T/$(printf '%0200d' 0).csv
{ sed -n 1p "$T/damaged.csv"; for i in 1 2 3 4 5 6 7 8 9 10; do
	sed -n 8,9p "$T/damaged.csv"; done; } >"$long"
try "twenty in a table with a long name" status 0 "$crawlfs" index -q \
	--base="$crawl" -o "$crawl/allbad.cfx" "$long" "$crawl"
try "are known later" status 1 "$crawlfs" verify -q "$crawl/allbad.cfx"
try "sixteen of them by their lines" same "$(grep -c 'index: 0*: line ' "$T/err")" 16
try "and that there are more" complains 'index: more is damaged behind it'
rm -f "$crawl/allbad.cfx"

# Parts of an index have what each of them found, and add up.
in_parts() {
	mkdir "$T/bad" && cp "$T/damaged.csv" "$T/bad/one.csv" &&
		sed '1,30s/record_offset": *"*[0-9]/&x/' "$tables/spark.jsonl" \
			>"$T/bad/two.jsonl" &&
		cp "$tables/minimal.csv" "$T/bad/three.csv" || return 1
	"$crawlfs" index -q --base="$crawl" -o "$T/bad.cfx" "$T/bad" || return 1
	for bad_part in 2 3 1; do
		"$crawlfs" index -q --base="$crawl" --part=$bad_part/3 \
			-o "$T/badparts" "$T/bad" || return 1
	done
	"$crawlfs" index -q --base="$crawl" -o "$T/badparts.cfx" "$T/badparts"
}
mkdir "$T/badparts"
try "damaged rows in parts" in_parts
try "are those of the whole" cmp "$T/bad.cfx" "$T/badparts.cfx"

try "damaged lines of JSON" status 0 "$crawlfs" index -o "$T/b.cfx" "$T/damaged.jsonl"
# Holds E17.
try "are named by theirs" same "$(lines damaged.jsonl)" "3 4 6"
head -c 5000 "$tables/plain.tsv.gz" >"$T/cut.tsv.gz"
try "a file cut short" status 0 "$crawlfs" index -o "$T/b.cfx" "$T/cut.tsv.gz"
try "is said to be" complains 'cut.tsv.gz: line .*ends inside'
# Holds E17.
try "and read up to there" [ "$(captures)" -gt 50 ]

# A row that lies: found out when it is opened, and only it.
{
	sed -n 1,2p "$tables/athena.csv"
	sed -n 3p "$tables/athena.csv" |
		sed 's/^"[0-9]*","[^"]*"/"1","http:\/\/liar.example\/a"/'
} >"$T/liar.csv"
liar() {
	start_mount mnt -o "data=$crawl" "$T/liar.csv" || return 1
	ls "$mnt/example/liar/_/a" &&
		not cat "$mnt/example/liar/_/a" 2>"$T/said" &&
		grep -q 'Input/output error' "$T/said" &&
		grep -q "not the page the index says" "$T/mnt.log" &&
		same "$(find "$mnt" -type f -name '*.meta' -exec cat {} + \
			2>/dev/null | grep -c '"selection"')" 1
	liar=$?
	stop_mount mnt && return $liar
}
# Holds E17.
try "a row of another URL's record is EIO" liar

# A copy does not have the record of another page in place of a row's.
{
	sed -n 1,2p "$tables/athena.csv"
	sed -n 2p "$tables/athena.csv" |
		sed 's/^"[0-9]*","[^"]*"/"1","http:\/\/liar.example\/a"/'
	sed -n 3p "$tables/athena.csv" |
		sed 's/^"[0-9]*","[^"]*"/"1","http:\/\/liar.example\/b"/'
} >"$T/liars.csv"
# Holds E17.
try "a copy without them" status 1 "$crawlfs" copy --base="$crawl" \
	--records=captures -o "$T/liars.warc.gz" "$T/liars.csv" it,example
try "which are counted" grep -q '2 records left out: not readable' "$T/err"
try "and one row's record" same "$("$crawlfs" export -q --fields=url \
	"$T/liars.warc.gz" | wc -l)" 1
try "row by row, too" status 1 "$crawlfs" copy --base="$crawl" \
	--records=captures -o "$T/liar.warc.gz" "$T/liar.csv" it,example
try "has the one" same "$("$crawlfs" export -q --fields=url \
	"$T/liar.warc.gz" | wc -l)" 1

# Rows without a place in the tree are told, too, as often as they are used.
row() { sed -n 2p "$tables/athena.csv" | sed "s|^\"[0-9]*\",\"[^\"]*\"|\"1\",\"$1\"|"; }
{
	sed -n 1,2p "$tables/athena.csv"
	row mailto:a@b.example					# 3
	row "http://long.example/$(printf '%09000d' 0)"		# 4
	row "http://deep.example$(printf '/a%.0s' $(seq 3000))"	# 5
	sed -n 3p "$tables/athena.csv"
} >"$T/placeless.csv"
for turn in "at first" again; do
	rm -f "$T"/placeless.*z
	try "no place, $turn: export" status 1 "$crawlfs" export -q \
		--base="$crawl" --fields=url,error \
		-o "$T/placeless.jsonl.gz" "$T/placeless.csv"
	try "a row for each" same "$(zcat "$T/placeless.jsonl.gz" |
		grep -o '"error":"line [0-9]*: [^"]*' | cut -d '"' -f 4)" \
		"line 3: the URL has no place in the tree
line 4: the URL is too long
line 5: the path is too deep"
	try "and for the others" same "$(zcat "$T/placeless.jsonl.gz" |
		grep -c '"url"')" 2
	try "copy" status 1 "$crawlfs" copy -q --base="$crawl" \
		-o "$T/placeless.warc.gz" "$T/placeless.csv" /
	try "verify" status 1 "$crawlfs" verify -q --base="$crawl" \
		"$T/placeless.csv"
done

# Nor is a record about a page, or about an archive, that of a page.
about=$(sed -n 2p "$tables/plain.tsv" | cut -f 3)
python3 -c 'import sys, zlib
z = zlib.decompressobj(31)
data = open(sys.argv[1], "rb").read()
assert b"WARC-Type: warcinfo\r\n" in z.decompress(data)
print("url,warc_filename,warc_record_offset,warc_record_length\n"
      "http://about.example/,%s,0,%d"
      % (sys.argv[2], len(data) - len(z.unused_data)))' "$crawl/$about" "$about" \
	>"$T/about.csv"
try "what is about an archive is no page" status 1 "$crawlfs" export -q \
	--base="$crawl" --fields=url,body "$T/about.csv"
try "which its row says" complains 'the record there is not that of a page'
try "and a copy" status 1 "$crawlfs" copy -q --base="$crawl" \
	-o "$T/about.warc.gz" "$T/about.csv" example
try "and verify" status 1 "$crawlfs" verify -q --base="$crawl" "$T/about.csv"

# What is none, and what cannot be.
printf 'url,offset,length\nhttp://a.example/,1,2\n' >"$T/none.csv"
try "a table without archives is none" status 1 "$crawlfs" index -o \
	"$T/none.cfx" "$T/none.csv"
try "and its column is named" complains \
	'none.csv: CSV without the column warc_filename$'
gzip -c "$T/none.csv" >"$T/none.csv.gz"
printf '{"url": "http://a.example/", "offset": 1}\n' >"$T/none.jsonl"
printf '[["urlkey","timestamp","original","length"],\n["a","2012","b","1"]]' >"$T/none.json"
printf '[1, 2]' >"$T/other.json"
lacks() {	# lacks FILE WHAT
	try "$1: refused" status 1 "$crawlfs" ls "$T/$1"
	try "$1: what is missing" complains "$1: $2\$"
}
lacks none.csv 'CSV without the column warc_filename'
lacks none.csv.gz 'CSV without the column warc_filename'
lacks none.jsonl 'JSON lines without the columns warc_filename, warc_record_length'
lacks none.json 'a JSON array without the columns warc_filename, warc_record_offset'
lacks other.json 'JSON that lists no captures'
try "archives beside it need a place for all" status 2 "$crawlfs" index \
	-o "$T/none.cfx" "$tables/athena.csv" "$crawl"
try "which --base gives" "$crawlfs" index -q --base="$crawl" \
	-o "$crawl/both.cfx" "$tables/athena.csv" "$crawl"
try "a PB-tree has no places for WARC files" status 1 "$crawlfs" index \
	--format=pbtree -o "$T/none.pb" "$tables/athena.csv"
try "nothing is left of them" absent "$T/none.cfx" "$T/none.pb"

real=${CFS_DATA:-/nonexistent}/columnar/selections
if [ -d "$real" ]; then
	for name in real.csv real.tsv real.jsonl real-cdxnames.jsonl \
		real-offsets.tsv.gz; do
		try "sample $name" shows "$real/$name" "$real/$name" "$CFS_DATA"
	done
	try "sample spanish.csv" status 0 "$crawlfs" index -o "$T/b.cfx" \
		"$real/spanish.csv"
	try "has all its rows" same "$(captures)" \
		"$(python3 -c 'import csv, sys
print(sum(1 for _ in csv.reader(open(sys.argv[1]))) - 1)' "$real/spanish.csv")"
else
	skip "no real samples in CFS_DATA"
fi
finish
