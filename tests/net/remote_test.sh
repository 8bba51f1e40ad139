#!/bin/sh
# remote_test.sh - a crawl on a server, mounted: the cache, and reading ahead.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/net/lib.sh"

pages=2000
mkdir "$T/www"
"$mkcrawl" --warc --bare --records $pages --hostile 0 --page-bytes 4000 \
	"$T/www" >/dev/null || skip_all "no crawl to mount"
"$crawlfs" index --final -o "$T/www/crawl.cfx" "$T/www/crawl-data" 2>/dev/null ||
	skip_all "no index of the crawl"
start_faultd faultd "$T/www" || skip_all "no server"

# The same names and bytes as the local mount has.
same_as_local() {
	(cd "$T/local" && find . -type f ! -name '*.txt' | sed -n '1~7p') >"$T/names"
	[ "$(wc -l <"$T/names")" -gt 400 ] || return 1
	while read -r name; do
		cmp "$T/local/$name" "$T/$1/$name" || return 1
	done <"$T/names"
	(cd "$T/local" && find .) >"$T/a"
	(cd "$T/$1" && find .) >"$T/b"
	cmp "$T/a" "$T/b"
}

start_mount local "$T/www/crawl.cfx" || exit 1

# ---- the cache ----

mount_cold() {
	rm -rf "$T/cache/crawlfs/blocks"
	start_mount "$@"
}
try "mounts a URL" mount_cold far "$url/crawl.cfx"
# Holds C6.
try "shows what a local mount shows" same_as_local far
try "the server's answers are counted" eval '[ "$(requests)" -gt 100 ]'
try "ends" stop_mount far
warm_without_network() {
	ctl "$port" rule fault=status value=503 && start_mount far "$url/crawl.cfx" &&
		same_as_local far && stop_mount far && ctl "$port" clear
}
# Holds K1.
try "warm, it needs no answer from the server" warm_without_network
stop_server faultd
# Holds K1.
try "warm, it needs no server" start_mount far "$url/crawl.cfx"
try "and shows the same" same_as_local far
not_cached() {	# a page that was not read: EIO, and not "no such file"
	all=$(pages_of far | wc -l)
	failed_reads=0
	pages_of far >"$T/all"
	while read -r page; do
		cat "$page" >/dev/null 2>"$T/err" || {
			grep -q 'Input/output error\|timed out' "$T/err" || return 1
			failed_reads=$((failed_reads + 1))
			break
		}
	done <"$T/all"
	[ "$all" -gt 1000 ] && [ "$failed_reads" -gt 0 ]
}
# Holds E1.
try "what is not cached is an error, and stays in the tree" not_cached
try "ends without the server" stop_mount far

# A server that sends wrong bytes for a while: what fails its checksum is not
# kept, in memory or on disk.
start_faultd flips "$T/www" || skip_all "no server"
flips() {
	mount_cold flips "$url/crawl.cfx" && pages_of flips >"$T/all" || return 1
	rule fault=flip match='.*gz' value=40
	sed -n '1~100p' "$T/all" >"$T/some"
	while read -r page; do
		cat "$page" >"$T/page" 2>"$T/err" && return 1
	done <"$T/some"
	ctl "$port" clear
}
rights() {
	while read -r page; do
		cmp "$page" "$T/local/${page#"$T/flips/"}" || return 1
	done <"$T/some"
}
# Holds K2.
try "wrong bytes of a server are errors" flips
# Holds K2.
try "and are not kept" rights
try "ends" stop_mount flips
stop_server flips

# ---- commands ----

start_faultd plain "$T/www" || skip_all "no server"
some_url=$(cut -f1 "$T/www/manifest.tsv" | sed -n 50p)
same_by_url() {	# same_by_url COMMAND ARGUMENT...: as on the local index
	word=$1
	shift
	"$crawlfs" "$word" "$T/www/crawl.cfx" "$@" >"$T/a" &&
		"$crawlfs" "$word" "$url/crawl.cfx" "$@" >"$T/b" &&
		[ -s "$T/a" ] && cmp "$T/a" "$T/b"
}
try "ls of a URL" same_by_url ls -R com
try "cat of a URL" same_by_url cat "$some_url"
try "lookup in a URL" same_by_url lookup "$some_url"
try "path in a URL" same_by_url path "$some_url"
# A small index is one request, and a page another.
two_requests() {
	"$crawlfs" cache clear && counts >/dev/null &&
		"$crawlfs" cat "$url/crawl.cfx" "$some_url" | cmp - "$T/a" &&
		same 2 "$(requests)"
}
some_url=$(awk -F '\t' '$2 == "response" && NR > 50 { print $1; exit }' \
	"$T/www/manifest.tsv")
"$crawlfs" cat "$T/www/crawl.cfx" "$some_url" >"$T/a"
try "a page by two requests, the index being of $(wc -c <"$T/www/crawl.cfx") bytes" two_requests
# A larger one is two: what opening tells is not enough, so all the rest.
three_requests() {
	mkdir "$T/www/larger" &&
		"$mkcrawl" --warc --bare --records 20000 --page-bytes 200 \
			"$T/www/larger" >/dev/null &&
		"$crawlfs" index -q --final -o "$T/www/larger/crawl.cfx" \
			"$T/www/larger/crawl-data" || return 1
	index_bytes=$(wc -c <"$T/www/larger/crawl.cfx")
	larger_url=$(awk -F '\t' '$2 == "response" && NR > 9000 { print $1; exit }' \
		"$T/www/larger/manifest.tsv")
	"$crawlfs" cat "$T/www/larger/crawl.cfx" "$larger_url" >"$T/a" &&
		counts >/dev/null &&
		"$crawlfs" cat "$url/larger/crawl.cfx" "$larger_url" |
			cmp - "$T/a" && [ "$index_bytes" -gt 300000 ] &&
		[ "$index_bytes" -lt 1000000 ] && same 3 "$(requests)"
}
try "by three, if it is larger" three_requests
echo "# $index_bytes bytes"
# What is kept for archives that come later is not fetched.
without_joins() {
	"$crawlfs" index -q -o "$T/www/larger/joins.cfx" \
		"$T/www/larger/crawl-data" &&
		counts >/dev/null &&
		"$crawlfs" cat "$url/larger/joins.cfx" "$larger_url" |
			cmp - "$T/a" && [ "$(requests)" -le 3 ]
}
try "by no more, if it can grow, too" without_joins
data_url() {
	start_mount data "$T/www/crawl.cfx" -o "data=$url" &&
		same_as_local data && stop_mount data
}
try "a local index of archives at a URL" data_url
nothing_on_disk() {
	rm -rf "$T/cache/crawlfs" &&
		start_mount data "$url/crawl.cfx" -o cache_size=0 &&
		same_as_local data && stop_mount data &&
		[ ! -e "$T/cache/crawlfs/blocks" ]
}
# Holds K4.
try "cache_size=0 keeps nothing" nothing_on_disk
fill_again() { start_mount data "$url/crawl.cfx" && same_as_local data && stop_mount data; }
try "and reads the same" fill_again

# ---- crawlfs cache ----

info_says() { "$crawlfs" cache info | tee "$T/info" && grep -q "$1" "$T/info"; }
try "cache info" info_says '^holds  *[1-9][0-9]* bytes in [1-9][0-9]* ranges'
verify() { "$crawlfs" cache verify "$@" | tee "$T/verify"; }
sound() { verify && grep -q 'all are sound' "$T/verify"; }
try "cache verify finds nothing" sound
damaged() {
	for segment in "$T"/cache/crawlfs/blocks/*.seg; do
		printf damage |
			dd of="$segment" bs=1 seek=50000 conv=notrunc 2>/dev/null
	done
	"$crawlfs" cache verify >"$T/verify"
	[ $? -eq 1 ] && grep -q 'offset .* damaged' "$T/verify"
}
try "cache verify finds damage" damaged
dropped() {
	"$crawlfs" cache verify --drop >/dev/null
	sound
}
try "cache verify --drop" dropped
cleared() {
	"$crawlfs" cache clear && info_says '^size  *0 bytes' &&
		[ -z "$(find "$T/cache/crawlfs/blocks" -name '*.seg')" ] &&
		sound && not "$crawlfs" cache info --cache="$T/nothing"
}
try "cache clear" cleared
kinds() {
	mkdir -p "$T/kinds/index" &&
		XDG_CACHE_HOME=$T/kinds-home start_mount data "$T/www/crawl-data" &&
		stop_mount data &&
		cp "$T/kinds-home/crawlfs/index/"*.cfx "$T/kinds/index/" &&
		echo '[]' >"$T/kinds/collinfo.json" && : >"$T/kinds/index/x.tmp" &&
		"$crawlfs" cache info --cache="$T/kinds" | tee "$T/info" &&
		grep -q "^indexes  *$(cat "$T/kinds/index/"* | wc -c) bytes .* in 2 files" "$T/info" &&
		grep -q '^list  *3 bytes .* in 1 file:' "$T/info" &&
		"$crawlfs" cache clear --cache="$T/kinds" | grep '^2 files deleted' &&
		[ "$(find "$T/kinds" -type f)" = "$T/kinds/index/x.tmp" ]
}
try "indexes and the list of crawls, but not what is being written" kinds
wrong_words() {
	for words in "" "x" "info x" "clear --drop"; do
		# shellcheck disable=SC2086
		"$crawlfs" cache $words 2>"$T/err"
		[ $? -eq 2 ] && [ -s "$T/err" ] || return 1
	done
}
try "cache: wrong words" wrong_words

# ---- reading ahead ----

off_ms=0

start_faultd slow "$T/www" --delay 50 || skip_all "no server"
grep_pages() { grep -r nosuchword --include='*[!ta]' "$T/$1"; [ $? -eq 1 ]; }
off_time() {	# milliseconds for all pages, from some
	mount_cold far -o readahead=off "$url/crawl.cfx" || return 1
	pages_of far | head -60 >"$T/some"
	counts >/dev/null
	ms_of xargs -a "$T/some" cat >/dev/null || return 1
	off_ms=$((ms * pages / 60))
	counts | tee "$T/counts"
	grep -q 'parallel 1 ' "$T/counts" && stop_mount far
}
try "without, pages come one by one" off_time
on_time() {
	mount_cold far "$url/crawl.cfx" || return 1
	pages_of far >/dev/null
	counts >/dev/null
	ms_of grep_pages far || return 1
	on_ms=$ms
	counts | tee "$T/counts"
	ahead=$(stat_of far cache.ahead) ahead_used=$(stat_of far cache.ahead_used)
	misses=$(stat_of far cache.misses)
	stop_mount far && start_mount far "$url/crawl.cfx" &&
		pages_of far >/dev/null && ms_of grep_pages far &&
		hidden "$off_ms" 20 "$on_ms" "$ms"
}
# Holds K9.
try "grep -r takes a twentieth of the time" on_time
cat "$T/case.log"
few_requests() {	# no page twice
	read -r _ n _ bytes _ <"$T/counts"
	archive=$(find "$T/www" -name '*.warc.gz' -size +100k -exec cat {} + | wc -c)
	echo "$n requests, $bytes bytes of $archive"
	[ "$n" -le $pages ] && [ "$bytes" -le $((archive + archive / 10)) ]
}
# Holds K8.
try "and asks for nothing twice" few_requests
used() {
	echo "$ahead ahead, $ahead_used used"
	[ "$ahead_used" -ge $((ahead * 9 / 10)) ] &&
		[ "$misses" -le $((pages / 20)) ]
}
try "what was read ahead was used" used
try "ends" stop_mount far

# cost PATTERN...: requests and bytes of 200 reads of $T/some
cost() {
	mount_cold far "$@" "$url/crawl.cfx" || return 1
	pages_of far >/dev/null
	counts >/dev/null
	xargs cat <"$T/some" >/dev/null || return 1
	wait_for settled far
	counts | cut -d' ' -f1-4 | tee "$T/cost"
	stop_mount far
}
random_costs_nothing() {
	pages_of local | shuf -n 150 --random-source="$T/www/manifest.tsv" |
		sed "s|^$T/local|$T/far|" >"$T/some"
	cost -o readahead=off && mv "$T/cost" "$T/cost.off" && cost &&
		cmp "$T/cost.off" "$T/cost"
}
# Holds K8.
try "random reads cost no more than without" random_costs_nothing

# in_parallel COMMAND: it reads pages, most of them ahead of it
in_parallel() {
	mount_cold far "$url/crawl.cfx" || return 1
	counts >/dev/null
	(cd "$T/far" && eval "$1") >/dev/null || return 1
	counts | tee "$T/counts"
	read -r _ n _ _ _ most _ <"$T/counts"
	asked=$(stat_of far cache.misses)
	echo "$asked of $n not ahead"
	[ "$most" -ge 16 ] && [ "$asked" -le $((n / 4)) ] && stop_mount far
}
first='find . -type f | head -600'
# Holds K9.
try "tar, page by page with .meta and .txt" \
	in_parallel "$first | tar c -T - | cat"
try "find -exec cat" in_parallel \
	"find . -type f -name '*[!ta]' -exec cat {} \\; | head -c 1500000"
try "only the metadata" in_parallel \
	"find . -name '*.meta' | head -200 | xargs cat"
try "some left out" in_parallel \
	"find . -type f ! -name '*.meta' ! -name '*.txt' | sed -n '1~3p' | head -200 | xargs cat"
# One folder of many pages: the index is read block after block.
listed_ahead() {
	mkdir "$T/www/flat" &&
		"$mkcrawl" --warc --bare --shape flat --records 120000 \
			--page-bytes 50 "$T/www/flat" >/dev/null &&
		"$crawlfs" index -q --no-views -o "$T/www/flat/crawl.cfx" \
			"$T/www/flat/crawl-data" &&
		mount_cold far "$url/flat/crawl.cfx" || return 1
	counts >/dev/null
	[ "$(find "$T/far" | wc -l)" -gt 360000 ] || return 1
	counts | tee "$T/counts"
	read -r _ n _ bytes _ <"$T/counts"
	waited=$(stat_of far cache.misses)
	echo "$waited waited for"
	[ "$waited" -le 6 ] && [ "$n" -lt 40 ] &&
		[ "$bytes" -le "$(wc -c <"$T/www/flat/crawl.cfx")" ] &&
		stop_mount far
}
try "a long listing fetches the index ahead" listed_ahead
interrupted() {
	mount_cold far -o timeout=3600 "$url/crawl.cfx" &&
		ctl "$port" rule fault=stall match=warc || return 1
	start cat "$(pages_of far | head -1)" >/dev/null 2>&1
	wait_for has_stalled && kill -INT $started && ended_with 130 $started &&
		stop_mount far
}
# Holds I4.
try "a stalled server does not hold up a reader or the end" interrupted

# reads PID: it is in a call for its first open file; ranges that lie near one
# another may be one request to the server.
reads() { [ "$(cut -d' ' -f2 "/proc/$1/syscall")" = 0x3 ]; }
# More readers wait for the server than the machine has processors: who asks
# for what is at hand is served, and each of them can be stopped.
many_wait() {
	mount_cold far -o timeout=3600 "$url/crawl.cfx" && ctl "$port" clear && find "$T/far" >/dev/null &&
		ctl "$port" rule fault=stall match=warc || return 1
	pages_of far | head -n 12 >"$T/twelve"
	readers=
	while read -r page; do
		start cat "$page" >/dev/null 2>&1
		readers="$readers $started"
	done <"$T/twelve"
	wait_for has_stalled || return 1
	for pid in $readers; do
		wait_for reads "$pid" && continue
		head -n 99 "/proc/$pid/syscall" "/proc/$pid/status"
		wait "$pid"
		echo "it ended with $?"
		return 1
	done
	cat "$T/far/.crawlfs/version" >/dev/null && ls "$T/far" >/dev/null || return 1
	for pid in $readers; do
		kill -0 "$pid" && kill -INT "$pid" && ended_with 130 "$pid" || return 1
	done
	stop_mount far
}
# Holds P2.
try "twelve readers on a stalled server hold up nobody" many_wait

stop_mount local
finish
