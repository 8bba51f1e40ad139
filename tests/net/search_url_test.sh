#!/bin/sh
# search_url_test.sh - searches in a crawl on a server, whose list of words is
# there, is not there, or does not come.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/net/lib.sh"
found() { python3 "$here/found_check.py" "$@"; }
"$crawlfs" index --help | grep -q -e --words || skip_all "no lists of words"
m=$T/m

mkdir "$T/www" "$T/www/crawl"
found make "$T/www/crawl" 5 || exit 1
"$crawlfs" index -q --words -o "$T/www/1.cfx" "$T/www/crawl" || exit 1
start_faultd faultd "$T/www" || skip_all "no server"

# Holds Q1.
try "mounted" start_mount m "$url/1.cfx"
try "what matches" found tree "$m" "$m"
few_requests() {	# a word, with the opening of the list
	start_mount m -o cache_size=0 "$url/1.cfx" && ls "$m" && counts &&
		ls "$m/.crawlfs/search/anchor" || return 1
	asked=$(requests)
	stop_mount m && { [ "$asked" -le 4 ] || { echo "$asked"; return 1; }; }
}
try "unmounted" stop_mount m
try "a word takes at most four requests" few_requests

fails() {	# fails TEXT: a query does, with it, and not for want of a list
	status 2 ls "$m/.crawlfs/search/$1" && complains "$2"
}
try "mounted without a cache" start_mount m -o cache_size=0,timeout=5 \
	"$url/1.cfx"
rule fault=status value=503 match='cfw$'
# Holds Q8.
try "a list that does not come is an error" fails keel \
	"timed out\|Input/output error"
ctl "$port" clear
try "and comes later" found tree "$m" "$m"
try "unmounted" stop_mount m

# Holds K9.
reads_hits_ahead() {	# by one process, which lists the folders, too
	grep -r . "$m/.crawlfs/search/keel" >"$T/out" &&
		[ "$(stat_of m cache.ahead_streams)" = 1 ] &&
		[ "$(stat_of m cache.ahead_used)" -ge 4 ]
}
try "mounted, and far away" start_mount m -o cache_size=0 "$url/1.cfx"
ctl "$port" delay value=20
try "hits are read ahead" reads_hits_ahead
ctl "$port" clear
try "unmounted" stop_mount m

# a phrase reads texts, for which the server is silent
interrupted() {
	rule fault=stall match='warc$'
	ls "$m/.crawlfs/search/\"quay rudder\"" >"$T/out" 2>&1 &
	reader=$!
	wait_for has_stalled && kill -INT "$reader" && kill "$reader"
	wait_for has_ended "$reader"
	ctl "$port" clear
}
try "mounted to be asked for a phrase" start_mount m -o \
	cache_size=0,timeout=600 "$url/1.cfx"
# Holds I3.
try "a reader who is killed does not wait" interrupted
try "the phrase is found later" wait_for ls \
	"$m/.crawlfs/search/\"quay rudder\""
try "unmounted" stop_mount m

# grep over the server prints what it prints of the files, and says which pages
# did not come
search() { "$crawlfs" grep --cache="$T/$1" -e 'k[a-e]' "$url/1.cfx"; }
"$crawlfs" grep -e 'k[a-e]' "$T/www/1.cfx" >"$T/local"
search new >"$T/remote" 2>"$T/err"
try "grep over the server" cmp "$T/local" "$T/remote"
rule fault=status value=404 match='warc$'
try "pages that do not come are errors" status 2 search other
try "... which are reported" [ -s "$T/err" ]
ctl "$port" clear

rm "$T/www/1.cfw"
try "mounted without a list" start_mount m -o cache_size=0 "$url/1.cfx"
# Holds Q7.
try "ENODATA" fails mast "No data available"
try "errors says which, and how to make one" grep \
	"1.cfw.*crawlfs index --words" "$m/.crawlfs/errors"
try "unmounted" stop_mount m
finish
