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

# ---- prefixes as people type them (typed_test.sh has the rules) ----

# some URL...: an archive of pages, $T/NAME: a WARC each, in folder NAME
pages() {
	pages_of=$1
	shift
	printf '%s\n' "$@" >"$T/urls"
	"$mkcrawl" --warc --urls "$T/urls" --page-bytes 100 "$T/$pages_of" \
		>/dev/null
}
# takes NAME PREFIX 'URL...' INPUT...: those are picked, and no others
takes() {
	takes_name=$1 takes_prefix=$2
	printf '%s\n' $3 | sort >"$T/want"
	shift 3
	rm -f "$T/some.cfx"
	try "$takes_name" status 0 "$crawlfs" index -q --no-views \
		-o "$T/some.cfx" --prefix="$takes_prefix" "$@"
	cp "$T/err" "$T/said"
	"$crawlfs" lookup "$T/some.cfx" com cn org 2>/dev/null |
		sed 's/.*"url": "\([^"]*\)".*/\1/' | sort >"$T/got"
	try "$takes_name: what it stands for" cmp "$T/want" "$T/got"
}
says() { [ "$(grep -c "taken for the prefix '$1'" "$T/said")" = 1 ]; }
silent() { [ ! -s "$T/said" ]; }

a=http://www.example.com/a b=http://example.com/b c=http://other.org/c
pages typed "$a" "$b" "$c" || exit 1
"$crawlfs" index -q --no-views -o "$T/typed.cfx" "$T/typed" || exit 1
for from in typed typed.cfx; do
	takes "$from: a domain as usual" example.com "$a $b" "$T/$from"
	try "it says so" says com.example
	takes "$from: a host as usual, and a path" www.example.com/a "$a" \
		"$T/$from"
	try "it says so" says com.example.www/a
	takes "$from: a SURT" 'com,example)/' "$a $b" "$T/$from"
	try "it says so" says com.example
	takes "$from: a pasted URL" "$a#part" "$a" "$T/$from"
	takes "$from: reversed" com.example "$a $b" "$T/$from"
	try "it says nothing" silent
done
takes "*.example.com" '*.example.com' "$a $b" "$T/typed"
try "it says nothing of it" silent
takes "HOST/*" 'example.com/*' "$b" "$T/typed.cfx"
try "*.example.com/a is refused" status 2 "$crawlfs" index -q -o "$T/none.cfx" \
	--prefix='*.example.com/a' "$T/typed"

# com.cn is cn.com where there is one
cn=http://www.cn.com/ com=http://www.com.cn/
pages cn "$cn" && pages com "$com" && pages both "$cn" "$com" || exit 1
for crawl in cn com both; do
	"$crawlfs" index -q --no-views -o "$T/$crawl.cfx" "$T/$crawl" || exit 1
done
takes "the other reading alone" com.cn "$com" "$T/com"
try "it says so" says cn.com
takes "the first reading goes before it" com.cn "$cn" "$T/both"
try "it says nothing" silent
takes "in an index" com.cn "$cn" "$T/both.cfx"
takes "in two indexes" com.cn "$cn" "$T/com.cfx" "$T/cn.cfx"
takes "in archives and an index" com.cn "$cn" "$T/com" "$T/cn.cfx"
takes "in an index and archives" com.cn "$cn" "$T/com.cfx" "$T/cn"
try "it says nothing" silent

# keys of a CDX lack www and upper case
cat >"$T/www.cdxj" <<'END'
com,example)/a 20200101000000 {"url": "http://www.example.com/A", "length": "5", "offset": "0", "filename": "t.warc.gz"}
com,example)/b 20200101000000 {"url": "http://example.com/b", "length": "5", "offset": "9", "filename": "t.warc.gz"}
END
takes "CDX: a host with www" com.example.www http://www.example.com/A \
	"$T/www.cdxj"
takes "CDX: a path in upper case" com.example.www/A http://www.example.com/A \
	"$T/www.cdxj"
takes "CDX: a domain as usual" example.com \
	"http://www.example.com/A http://example.com/b" "$T/www.cdxj"

# hosts of a PB-tree may be in upper case
cat >"$T/urls" <<'END'
http://WWW.Example.com/1
http://www.EXAMPLE.com/2
http://EXAMPLE.COM/3
http://example.com/4
http://examples.com/5
http://Examples.com/6
http://Exam.com/7
http://other.org/8
END
"$mkcrawl" --arc --pbtree --page-bytes 100 --urls "$T/urls" "$T/case" \
	>/dev/null || exit 1
tree=$T/case/parse-output/url-index.1356128792
www="http://WWW.Example.com/1 http://www.EXAMPLE.com/2"
all="$www http://EXAMPLE.COM/3 http://example.com/4"
takes "PB-tree: hosts in upper case" com.example "$all" "$tree"
takes "PB-tree: typed in upper case" COM.Example "$all" "$tree"
takes "PB-tree: a host" com.example.www/ "$www" "$tree"
finish
