#!/bin/sh
# news_test.sh - crawls of Common Crawl that have no index: CC-NEWS by month and
# by year, and CC-SUPPLEMENTAL, by index or by list.  Their archives are read
# once, and new ones are added.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/net/lib.sh"

"$mkcrawl" --records 900 --warc --page-bytes 900 --archive-bytes 60000 \
	"$T/made" >/dev/null || exit 1
# month YYYY/MM FROM TO: archives number FROM to TO are those of a month
month() {
	dir=crawl-data/CC-NEWS/$1
	mkdir -p "$T/www/$dir"
	find "$T/made" -name '*.warc.gz' | sort | sed -n "$2,$3p" |
		while read -r f; do
			ln "$f" "$T/www/$dir/" 2>/dev/null
			echo "$dir/${f##*/}"
		done >"$T/list"
	gzip -c "$T/list" >"$T/www/$dir/warc.paths.gz"
}
n=$(find "$T/made" -name '*.warc.gz' | wc -l)
try "there are archives" [ "$n" -ge 6 ]
month 2024/04 1 2
month 2024/05 3 4
month 2024/11 5 6
start_faultd news "$T/www" || skip_all "no server"
# rows_of NAME [OPTION...]: the captures of a crawl by its name
rows_of() {
	timeout 100 "$crawlfs" export -q --order=index --base="$url" \
		--cache="$T/cache" --fields=url,timestamp,digest "$@"
}
# want FROM TO: the same of these archives, on this machine
want() {
	find "$T/made" -name '*.warc.gz' | sort | sed -n "$1,$2p" |
		xargs "$crawlfs" export -q --fields=url,timestamp,digest |
		sed "s,sha1:,,; s,[.][0-9]*Z,Z," | sort
}
has() {	# has NAME FROM TO
	rows_of "$1" >"$T/rows" && sed "s,sha1:,,; s,[.][0-9]*Z,Z," "$T/rows" | sort >"$T/got" &&
		want "$2" "$3" >"$T/want" && [ -s "$T/want" ] &&
		diff "$T/want" "$T/got"
}

# Holds T23.
try "a month" has CC-NEWS-2024-05 3 4
# read_archives: how many archives were asked for more than their beginning
read_archives() { ctl "$port" log | grep -o '[^/]*[.]warc[.]gz' | sort -u | wc -l; }
read_archives >/dev/null
try "again" has CC-NEWS-2024-05 3 4
try "a year is its months" has CC-NEWS-2024 1 6
want 1 6 >"$T/want"
try "a copy on this machine" sh -c '"$1" export -q --order=index \
	--base="$2" --cache="$3" --fields=url,timestamp,digest CC-NEWS-2024 |
	sed "s,sha1:,,; s,[.][0-9]*Z,Z," | sort | cmp - "$4"' - "$crawlfs" "$T/www" "$T/cache2" "$T/want"
rows_of CC-NEWS-2024-05 --fields=url >/dev/null
read_archives >/dev/null
rows_of CC-NEWS-2024-05 --fields=url >"$T/urls"
try "what was read is kept" same 0 "$(read_archives)"
month 2024/05 3 6
rows_of CC-NEWS-2024-05 --fields=url >"$T/urls.grown"
try "of a month that has grown, the new archives are read" same 2 \
	"$(read_archives)"
try "and are there" [ "$(wc -l <"$T/urls.grown")" -gt "$(wc -l <"$T/urls")" ]
try "with all others" has CC-NEWS-2024-05 3 6
try "a month that is not there" status 3 rows_of CC-NEWS-2024-07
try "is told" complains "CC-NEWS-2024-07.*not there, below $url"
try "a year that is not there" status 3 rows_of CC-NEWS-2019
try "is told" complains "none of its months is there"
try "a month that cannot be" status 3 rows_of CC-NEWS-2024-13
try "is told" complains "'crawlfs collections' lists the crawls"

# ---- a crawl with an index, or with a list alone ----

dir=crawl-data/CC-SUPPLEMENTAL-2026-22
mkdir -p "$T/www/$dir/segments"
find "$T/made" -name '*.warc.gz' | sort | sed -n 1,2p | while read -r f; do
	ln "$f" "$T/www/$dir/segments/"
	echo "$dir/segments/${f##*/}"
done | gzip >"$T/www/$dir/warc.paths.gz"
try "CC-SUPPLEMENTAL by its list" has CC-SUPPLEMENTAL-2026-22 1 2
cdx=cc-index/collections/CC-SUPPLEMENTAL-2026-22/indexes
mkdir -p "$T/www/$cdx"
"$crawlfs" index -q --format=zipnum --base="$T/www" -o "$T/www/$cdx" \
	"$T/www/$dir/segments" || exit 1
try "and by its index" has CC-SUPPLEMENTAL-2026-22 1 2
try "none of that name" status 3 rows_of CC-SUPPLEMENTAL-2025-01
try "is told" complains "not there, below $url"

finish
