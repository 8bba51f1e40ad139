#!/bin/sh
# pick_test.sh - crawlfs index picks the captures that the manifest of a made-up
# crawl says it should.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/mount/lib.sh"

"$mkcrawl" --warc --hostile 0 --records 600 "$T/crawl" >/dev/null || exit 1
"$crawlfs" index -q --no-views -o "$T/all.cfx" "$T/crawl" || exit 1
first=$(tail -n +2 "$T/crawl/manifest.tsv" | cut -f 3 | sort | sed -n 200p)

# wanted EXPRESSION: captures of the manifest; url, kind, t (14 digits), status
count='import csv, sys
from urllib.parse import urlsplit
rows = csv.reader(open(sys.argv[1]), delimiter="\t", quoting=csv.QUOTE_NONE)
next(rows)
n = 0
for url, kind, t, status, *_ in rows:
    # conversions and resources have none: they count as 200
    status = 200 if status == "-" else int(status)
    host = urlsplit(url).hostname or ""
    n += bool(eval(sys.argv[2]))
print(n)'
wanted() { python3 -c "$count" "$T/crawl/manifest.tsv" "$1"; }
# picked OPTION...: captures in the index
picked() {
	rm -f "$T/some.cfx"
	"$crawlfs" index --no-views -o "$T/some.cfx" "$@" >"$T/report" 2>&1
	sed -n 's/^.*some\.cfx: \([0-9]*\) captures\{0,1\} of.*/\1/p' "$T/report"
}
# picks NAME EXPRESSION OPTION...
picks() {
	picks_name=$1
	picks_n=$(wanted "$2")
	shift 2
	try "there are some, and others: $picks_name" \
		[ "$picks_n" -gt 0 -a "$picks_n" -lt 600 ]
	try "$picks_name" same "$(picked "$@" "$T/crawl")" "$picks_n"
}
picks "by status" 'status == 200' --status=200
picks "by class of statuses" '300 <= status < 500' --status=3xx,400-499
picks "since" "t >= '$first'" --from="$first"
picks "until" "t <= '$first'" --to="$first"
picks "by the domain" 'host.endswith(".com")' --prefix=com
picks "by domains" 'host.endswith((".org", ".net"))' --prefix=org --prefix=net
picks "by all of them" \
	"status == 200 and t >= '$first' and host.endswith('.com')" \
	--status=200 --from="$first" --prefix=com
try "what is left out is reported" grep -q "not what was asked for" "$T/report"

try "none is an error" status 1 "$crawlfs" index -o "$T/none.cfx" \
	--prefix=zz.none "$T/crawl"
try "which leaves no file" absent "$T/none.cfx"
try "a condition that cannot be read is refused" status 2 "$crawlfs" index \
	-o "$T/none.cfx" --status=good "$T/crawl"
try "and named" complains "option '--status': 'good'"
finish
