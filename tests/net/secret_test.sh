#!/bin/sh
# secret_test.sh - queries of URLs, which may be keys (presigned URLs): sent, and
# shown nowhere, whatever the URL is of.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/net/lib.sh"

mkdir -p "$T/www/d" "$T/local"
"$mkcrawl" --records 30 --hostile 0 --page-bytes 500 --warc --bare "$T/crawl" >/dev/null || exit 1
archive=$(find "$T/crawl" -name '*.warc.gz' | head -n 1)
cp "$archive" "$T/www/p.warc.gz"
cp "$archive" "$T/www/d/p.warc.gz"
start_faultd faultd "$T/www" --log "$T/log" || skip_all "no server"
key=X-Amz-Signature=SeCrEt0123
cp "$archive" "$T/local/p.warc.gz"
"$crawlfs" index -q -o "$T/local/i.cfx" "$T/local/p.warc.gz"
"$crawlfs" index -q -o "$T/www/i.cfx" --base="$T/www" "$T/www/p.warc.gz"
"$crawlfs" index -q -o "$T/www/i.cdxj" --base="$T/www" "$T/www/p.warc.gz"
page=$("$crawlfs" lookup "$T/local/i.cfx" / | sed -n '9s/.*"url": "\([^"]*\)".*/\1/p')
"$crawlfs" cat "$T/local/i.cfx" "$page" >"$T/page"

in_ps='127.0.0.1.*?\.\.\.'
shown_nowhere() { ! grep -a -e SeCrEt "$@"; }
sent() { grep -q "$key" "$T/log"; }
one_page() { find "$T/$1" -type f ! -name '*.meta' ! -name '*.txt' | sort | sed -n 1p; }

# what WORD...: a mount by these words
one() {
	what=$1
	shift
	: >"$T/m.log"
	: >"$T/log"
	try "$what: mounts" start_mount m "$@"
	page_at=$(one_page m)
	cat "$page_at" "$page_at.meta" >"$T/got" 2>&1
	try "$what: has read" test -s "$T/got"
	try "$what: the query is sent" wait_for sent	# logged behind the answer
	tr '\0' ' ' <"/proc/$(pid_of m)/cmdline" >"$T/cmdline"
	# Holds U60.
	try "$what: not in ps" shown_nowhere "$T/cmdline"
	try "$what: which has the rest" grep -q "$in_ps" "$T/cmdline"
	cat /proc/self/mounts >"$T/mounts.txt"
	# Holds U60.
	try "$what: not among the mounts" shown_nowhere "$T/mounts.txt"
	cat "$T/m/.crawlfs/config" "$T/m/.crawlfs/stats" "$T/m/.crawlfs/errors" >"$T/control"
	# Holds U60.
	try "$what: not in .crawlfs" shown_nowhere "$T/control"
	getfattr -d "$page_at" >"$T/attrs" 2>/dev/null
	# Holds U60.
	try "$what: not in the page" shown_nowhere "$T/got" "$T/attrs"
	find "$T/m" >"$T/found"
	# Holds U60.
	try "$what: not in a name" shown_nowhere "$T/found"
	try "$what: ends well" stop_mount m
	# Holds U60.
	try "$what: not in the log" shown_nowhere "$T/m.log"
	try "$what: nor in the cache" not grep -rqa SeCrEt "$XDG_CACHE_HOME/crawlfs/blocks"
	"$crawlfs" cache clear >/dev/null
}
one "an archive" "$url/p.warc.gz?$key"
one "an index" "$url/i.cfx?$key"
one "a CDX" "$url/i.cdxj?a=1&$key"
one "a list as one tree" "$url/p.warc.gz?$key,$url/d/p.warc.gz?b=2&$key"
one "two side by side" "$url/p.warc.gz?$key" "$url/d/p.warc.gz?x=/$key"
"$crawlfs" index -q -o "$T/i.cfx" "$url/p.warc.gz?$key" 2>"$T/err"
try "an index of it: not in its notices" shown_nowhere "$T/err"
# Holds U60.
try "its mode" same 600 "$(stat -c %a "$T/i.cfx")"
"$crawlfs" index -q -o "$T/i.cdxj" "$T/i.cfx" 2>/dev/null
try "that of lines" same 600 "$(stat -c %a "$T/i.cdxj")"
"$crawlfs" index -q --format=zipnum -o "$T/z" "$T/i.cfx" 2>/dev/null
try "those of a cluster" same "600 600 600" "$(stat -c %a "$T/z"/* | tr '\n' ' ' | sed 's/ $//')"
umask 022
"$crawlfs" index -q -o "$T/j.cfx" "$url/p.warc.gz" 2>/dev/null
try "one without queries is for all" same 644 "$(stat -c %a "$T/j.cfx")"
in_ps="data=$url"
one "archives with queries" "-odata=$url,xattr" "$T/i.cfx"
try "a page by it" sh -c "'$crawlfs' cat --data='$url' '$T/i.cfx' '$page' | cmp - '$T/page'"
rule fault=status value=404 match=warc.gz
: >"$T/m.log"
try "archives that are gone: mounts" start_mount m -o missing=ok "-odata=$url" "$T/i.cfx"
find "$T/m" -type f -exec cat {} + >/dev/null 2>"$T/failed"
cat "$T/m/.crawlfs/errors" >"$T/control"
try "failures" grep -q '404.*p.warc.gz?\.\.\.\|p.warc.gz?\.\.\..*404' "$T/control"
# Holds U60.
try "do not show it" shown_nowhere "$T/control" "$T/failed"
try "they are logged" stop_mount m
try "without it" shown_nowhere "$T/m.log"
try "with the rest" grep -q 'p.warc.gz?\.\.\.' "$T/m.log"
"$crawlfs" lookup "$T/i.cfx" / >"$T/lines"
try "lookup shows the archive" grep -q '"filename": "./p.warc.gz?\.\.\."' "$T/lines"
try "without it, too" shown_nowhere "$T/lines"

# refuses STATUS WHAT WORD...: what is said of it
refuses() {
	try "$2" status "$1" "$crawlfs" "$3" "$4" "$5"
	try "$2: said" complains '127.0.0.1'
	# Holds U60.
	try "$2: without it" shown_nowhere "$T/out" "$T/err"
}
refuses 1 "what is not there" ls "$url/p.warc.gz?$key" -R
refuses 1 "a port that is none" ls "http://127.0.0.1:port/?$key" -R
refuses 2 "an unknown option" ls "--datum=http://127.0.0.1/?$key" x
refuses 2 "a value that is none" ls "--mem=http://127.0.0.1/?$key" x
refuses 1 "an index of nothing" index "-o$T/none.cfx" "$url/p.warc.gz?$key"
refuses 1 "a verification" verify "$url/p.warc.gz?$key" -q
finish
