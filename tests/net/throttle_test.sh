#!/bin/sh
# throttle_test.sh - servers that refuse for a moment what they have, in each way
# that is known of them: every kind of file and every command goes on.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/net/lib.sh"

www=$T/www
"$mkcrawl" --records 150 --hostile 0 --page-bytes 2000 --archive-bytes 60000 --warc "$www" >/dev/null || exit 1
manifest=$www/manifest.tsv
cdx_model() { python3 "$model/cdx_model.py" "$@"; }
mkdir "$www/zip"
cdx_model make zipnum "$manifest" "$www/zip" --lines 10 --shards 2 || exit 1
(cd "$www" && "$crawlfs" index -q --no-views -o w.cfx crawl-data && find crawl-data -name '*.warc.gz' | sort >x.paths) || exit 1
start_faultd faultd "$www" || skip_all "no server"

# What is right, by the manifest alone.
grep -v '^#' "$manifest" | cut -f 1 | sort >"$T/urls"
captures=$(wc -l <"$T/urls")
rows_are_right() {	# rows_are_right FILE: each URL once, and no error
	python3 - "$1" <<'END' | sort | cmp - "$T/urls"
import json, sys
for line in open(sys.argv[1]):
    row = json.loads(line)
    print(row.get("error") or row["url"])
END
}
records_of() {	# records_of FILE: the captures in a WARC file
	zcat "$1" | grep -a -c '^WARC-Type: \(response\|revisit\|resource\)'
}

# Each command reads what the matched kind of file is needed for.
run_export() {
	rm -f "$T/out.jsonl"
	case $kind in
	list) source=x.paths more= ;;
	index) source=w.cfx more=--order=index ;;
	archive) source=w.cfx more=--order=index ;;
	cluster) source=zip/cluster.idx more=--order=index ;;
	esac
	# shellcheck disable=SC2086
	"$crawlfs" export -q $more --base="$url" --cache="$T/c" --fields=url,text,error -o "$T/out.jsonl" "$url/$source" &&
		rows_are_right "$T/out.jsonl"
}
run_copy() {
	rm -f "$T/out.warc.gz"
	"$crawlfs" copy -q --records=captures --base="$url" --cache="$T/c" -o "$T/out.warc.gz" "$url/w.cfx" / &&
		same "$captures" "$(records_of "$T/out.warc.gz")"
}
run_lookup() {
	"$crawlfs" lookup --cache="$T/c" "$url/zip/cluster.idx" --prefix=/ >"$T/out" &&
		same "$captures" "$(wc -l <"$T/out")"
}
run_mount() {
	start_mount m -o "cache=$T/c,data=$url,readahead=off" "$url/zip/cluster.idx" &&
		cdx_model check --sample 40 "$T/m" "$manifest"
	mount_rc=$?
	stop_mount m && return $mount_rc
}
pattern_of() {
	case $1 in
	index) echo 'w[.]cfx' ;;
	cluster) echo 'cluster[.]idx|cdx-0' ;;
	archive) echo 'warc[.]gz' ;;
	list) echo 'x[.]paths' ;;
	esac
}
was_met() { ctl "$port" log | grep -q " $1\$"; }

# passes FAULT VALUE SKIP COUNT KIND COMMAND: it goes on as if nothing were.
passes() {
	fault=$1 kind=$5
	ctl "$port" clear
	ctl "$port" rule fault=page match=blocked
	ctl "$port" rule "fault=$fault" "value=$2" "skip=$3" "count=$4" "match=$(pattern_of "$kind")"
	ctl "$port" log >/dev/null
	rm -rf "$T/c"
	# Holds E59.
	try "$fault $2, $4 times, of $kind: $6" "run_$6"
	try "which it met" was_met "$fault"
}
# Each fault, with one kind of file and one command after the other.
kinds="archive cluster index archive list cluster"
next() {
	# shellcheck disable=SC2086
	set -- $kinds
	kind=$1
	shift
	kinds="$* $kind"
}
for what in 'page 403' 'page 200' 'error 403_AccessDenied_Access_Denied' \
	'error 503_SlowDown_Reduce' 'status 429' 'status 429,1' 'status 503' \
	'text x' "redirect $url/blocked" 'truncate x' 'reset x' 'reset-body x'; do
	fault=${what%% *} value=$(echo "${what#* }" | tr _ ' ')
	for command in export mount copy lookup; do
		next
		case $command in
		mount) [ "$kind" = archive ] || kind=cluster ;;
		copy) [ "$kind" = index ] || kind=archive ;;
		lookup) kind=cluster ;;
		esac
		# a first answer with a code of S3 is final, and words may be
		# a list
		case "$kind $value" in
		'list 403 A'* | 'index 403 A'* | 'list x') kind=archive ;;
		esac
		case $kind in
		list | index) skip=0 ;;	# read by one request
		*) skip=1 ;;
		esac
		passes "$fault" "$value" $skip 1 "$kind" $command
	done
done
passes page 403 3 3 archive export
passes error "403 AccessDenied Access Denied" 0 3 archive export

# ---- what does not pass ----

# refused COUNT WORDS COMMAND...: fails with these words, after few requests.
refused() {
	refused_most=$1 refused_words=$2
	shift 2
	counts >/dev/null
	rm -rf "$T/c"
	"$@" >"$T/out" 2>"$T/err" && return 1
	cat "$T/err"
	refused_requests=$(requests)
	grep -q "$refused_words" "$T/err" || return 1
	[ "$refused_requests" -le "$refused_most" ] ||
		{ echo "$refused_requests requests"; return 1; }
}
rule fault=page value=200
# Holds E59.
try "a page for all there is" refused 6 "sends a page in place of the file" "$crawlfs" ls --cache="$T/c" "$url/w.cfx"
# Holds E59.
try "is nowhere in the cache" not grep -r -q "could not be satisfied" "$T/c"
rule fault=error value="403 AccessDenied Access Denied"
# Holds E59.
try "no access at all is told at once" refused 1 "AccessDenied" "$crawlfs" ls --cache="$T/c" "$url/w.cfx"

# ends_in_trouble COMMAND...: an export or a copy to $T/cut.*
ends_in_trouble() {
	"$@" >"$T/out" 2>"$T/err"
	trouble_rc=$?
	cat "$T/err"
	[ $trouble_rc -ne 0 ] && [ -s "$T/err" ]
}
# resumes NAME COMMAND...: what NAME checks is there once the trouble is over.
resumes() {
	resumes_file=$1
	shift
	# Holds E61.
	try "refused for good: $1" ends_in_trouble "$@"
	# Holds E61.
	try "has no final name" not test -e "$resumes_file"
	ctl "$port" clear
	# Holds E61.
	try "the same command completes it" "$@"
}
in_trouble() { rm -rf "$T/c"; ctl "$port" clear; ctl "$port" rule "$@"; }
export_cut() { "$crawlfs" export -q --base="$url" --cache="$T/c" --timeout=3 --fields=url,text,error -o "$T/cut.jsonl" "$@"; }
export_by_index() { export_cut --order=index "$url/w.cfx"; }
export_by_archive() { export_cut "$url/x.paths"; }
copy_cut() { "$crawlfs" copy -q --records=captures --base="$url" --cache="$T/c" --timeout=3 -o "$T/cut.warc.gz" "$url/w.cfx" /; }
for rules in "fault=page value=403 skip=3" "fault=page value=200 skip=3" "fault=status value=503" \
	"fault=error value=403_AccessDenied_x"; do
	rules=$(echo "$rules" | sed 's/_/ /g')
	for how in index archive; do
		first=${rules%% *} rest=${rules#* }
		case $rest in
		*skip=*) in_trouble match='warc[.]gz' "$first" "${rest%% *}" "${rest#* }" ;;
		*) in_trouble match='warc[.]gz' "$first" "$rest" ;;
		esac
		resumes "$T/cut.jsonl" export_by_$how
		try "all rows are there, without an error" rows_are_right "$T/cut.jsonl"
		rm -f "$T/cut.jsonl"
	done
done
in_trouble fault=page value=403 skip=2 match='warc[.]gz'
resumes "$T/cut.warc.gz" copy_cut
try "all records are there" same "$captures" "$(records_of "$T/cut.warc.gz")"

# an archive here that cannot be read for now
one=$(sed -n 2p "$www/x.paths")
mv "$www/$one" "$T/away" && mkdir "$www/$one"
export_here() { "$crawlfs" export -q --order=index --fields=url,text,error -o "$T/cut.jsonl" "$www/w.cfx"; }
try "a disk in trouble" ends_in_trouble export_here
try "gives no file its final name" not test -e "$T/cut.jsonl"
rmdir "$www/$one" && mv "$T/away" "$www/$one"
try "and is resumed" export_here
try "to all rows" rows_are_right "$T/cut.jsonl"

# ---- what is not there ----

rule fault=status value=404 match='warc[.]gz'
archives=$(wc -l <"$www/x.paths")
counts_404() { ctl "$port" log | grep -c ' 404 [0-9]* status$'; }
few_404() { same yes "$([ "$(counts_404)" -le $((4 * archives)) ] && echo yes)"; }
ctl "$port" log >/dev/null
try "mount an index without archives" start_mount m -o "cache=$T/c5" --base="$url" "$url/w.cfx"
for pass in 1 2; do
	find "$T/m" -path "$T/m/.crawlfs" -prune -o -type f -print0 | xargs -0 cat >/dev/null 2>&1
done
# Holds E58.
try "each is asked for once, or by those under way" few_404
try "unmount" stop_mount m
"$crawlfs" export -q --order=index --cache="$T/c6" --base="$url" --fields=url,text -o "$T/lacking.jsonl" "$url/w.cfx" >"$T/out" 2>&1
# Holds E61.
try "an export without archives is whole, with damage" same 1 $?
try "an error for each capture" same "$captures" "$(grep -c '"error"' "$T/lacking.jsonl")"
# Holds E58.
try "and asks as seldom" few_404
finish
