#!/bin/sh
# selection_url_test.sh - selections on a server, and selections whose archives
# are on one: what is fetched, and when.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=user
. "$CFS_SRCDIR/tests/net/lib.sh"

"$mkcrawl" --warc --hostile 0 --records 200 --archive-bytes 200000 --bare \
	"$T/www" >/dev/null || exit 1
start_faultd faultd "$T/www" || skip_all "no server"
tables=$T/www/tables
mkdir "$tables"
make='import csv, sys
rows = csv.reader(open(sys.argv[1]), delimiter="\t", quoting=csv.QUOTE_NONE)
next(rows)
out = csv.writer(open(sys.argv[2], "w"), quoting=csv.QUOTE_ALL)
out.writerow(sys.argv[4].split(","))
for url, kind, t, status, archive, offset, length, *_ in rows:
    if kind == "response":
        row = [sys.argv[3] + archive, offset, length, url, t]
        out.writerow(row[:len(sys.argv[4].split(","))])'
# table FILE PREFIX COLUMNS
table() { python3 -c "$make" "$T/www/manifest.tsv" "$1" "$2" "$3"; }
columns=filename,offset,length,url,timestamp
table "$tables/names.csv" "" $columns
table "$tables/offsets.csv" "" filename,offset,length
table "$tables/urls.csv" "$url/" warc_url,offset,length,url,timestamp
gzip -k "$tables/names.csv"
page=$(tail -n +2 "$T/www/manifest.tsv" | awk -F'\t' \
	'$2 == "response" && $4 == 200 { print $1 "\t" $8; exit }')
sum=${page#*	} page=${page%	*}
pages=$(tail -n +2 "$T/www/manifest.tsv" | cut -f 2 | grep -c response)
# serves SOURCE [OPTION...]: the page, whole, after the names were listed
# without a request.
serves() {
	start_mount mnt "$@" || return 1
	quiet=$(requests)
	find "$T/mnt" >/dev/null
	quiet=$(requests)
	serves_path=$("$crawlfs" path "$tables/names.csv" "$page") &&
		got=$(sha1 "$T/mnt/$serves_path")
	asked=$(requests)
	stop_mount mnt
	echo "$quiet requests to list, $asked to read"
	same "$quiet" 0 && same "$got" "$sum" && [ "$asked" -le 3 ]
}
requests >/dev/null
# Holds L11.
try "a selection of names, and where they are" serves "$tables/names.csv" \
	-o "data=$url"
# Holds L11.
try "one of URLs" serves "$tables/urls.csv"
try "an index that knows where they are" "$crawlfs" index -q --base="$url/" \
	-o "$T/a.cfx" "$tables/names.csv"
requests >/dev/null
try "and needs no option" serves "$T/a.cfx"
try "one of URLs, too" "$crawlfs" index -q -o "$T/b.cfx" "$tables/urls.csv"
requests >/dev/null
try "which is found there" serves "$T/b.cfx"

# On the server itself.
bytes=$(wc -c <"$tables/names.csv.gz")
bytes_sent >/dev/null
try "a selection at its URL" "$crawlfs" index -q --base="$url" -o "$T/c.cfx" \
	"$url/tables/names.csv.gz"
n=$(bytes_sent)
try "is fetched once: $n bytes of $bytes" [ "$n" -le $((bytes + 17000)) ]
try "is what it is here" cmp "$T/a.cfx" "$T/c.cfx"
try "mounts" serves "$url/tables/names.csv.gz" -o "data=$url"

# Parquet there is copied before it is read.
if find_duckdb; then
	python3 "$CFS_SRCDIR/tests/mount/duckdb_alone.py" "$CRAWLFS_DUCKDB" \
		"COPY (FROM '$tables/names.csv') TO '$tables/names.parquet'" \
		>/dev/null
	try "Parquet on the server" serves "$url/tables/names.parquet" \
		-o "data=$url"
	try "and as an index" status 0 "$crawlfs" index -o "$T/c.cfx" \
		"$url/tables/names.parquet"
	try "has all its rows" grep -q ": $pages captures" "$T/err"
else
	skip "Parquet: $install_problem"
fi

# Rows without a URL: their records are read.
requests >/dev/null
try "rows without a URL" status 0 "$crawlfs" index --base="$url" \
	-o "$T/d.cfx" "$tables/offsets.csv"
try "are all there" grep -q ": $pages captures of" "$T/err"
n=$(requests)
try "a few requests each: $n for $pages" [ "$n" -le $((2 * pages + 20)) ]
requests >/dev/null
try "and are served" serves "$T/d.cfx"
rule fault=stall match=warc skip=20
start "$crawlfs" index -q --timeout=3600 --base="$url" -o "$T/e.cfx" \
	"$tables/offsets.csv" 2>"$T/err"
try "a server that stalls is waited for" wait_for has_stalled
kill -INT $started
try "Ctrl-C ends that" ended_with 130 $started
try "and leaves nothing" absent "$T/e.cfx"
rule fault=status value=404 match=warc
try "archives that are not there" status 1 "$crawlfs" index --base="$url" \
	-o "$T/e.cfx" "$tables/offsets.csv"
try "are reported by lines" complains 'offsets.csv: line 2: has no URL, and its record cannot be read'
stop_server faultd
try "a server that is gone is no damage" status 1 "$crawlfs" index \
	--timeout=3 --base="$url" -o "$T/e.cfx" "$tables/offsets.csv"
try "but an end" not grep -q 'line 3' "$T/err"
try "without an index" absent "$T/e.cfx"

# Names lead to Common Crawl's servers, which nothing here asks.
try "an index of names" "$crawlfs" index -q -o "$T/f.cfx" "$tables/names.csv"
try "is of archives there" grep -aq 'https://data.commoncrawl.org' "$T/f.cfx"
finish
