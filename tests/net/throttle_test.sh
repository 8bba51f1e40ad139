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

# ---- what passes: each fault x each command, which reads each kind of file ----
#
# The commands run side by side, each below a name of its own at the server, so
# that each has its own fault, and waits at the same time as the others.

commands="export mount copy lookup index verify"
for command in $commands; do
	ln -s . "$www/$command"
done
# Each takes the matched kind of file from $here, and writes $T/$command.*.
run_export() {
	rm -f "$T/export.jsonl"
	fields=url,text,error
	case $kind in
	list) set -- --base="$here" "$here/x.paths" ;;
	index | archive) set -- --order=index --base="$here" "$here/w.cfx" ;;
	cluster)	# which does not find what revisits refer to
		fields=url
		set -- --order=index --data="$here" "$here/zip/cluster.idx"
		;;
	esac
	"$crawlfs" export -q --timeout=30 --cache="$T/c.export" --fields=$fields -o "$T/export.jsonl" "$@" &&
		rows_are_right "$T/export.jsonl"
}
run_copy() {
	rm -f "$T/copy.warc.gz"
	"$crawlfs" copy -q --timeout=30 --records=captures --base="$here" --cache="$T/c.copy" -o "$T/copy.warc.gz" "$here/w.cfx" / &&
		same "$captures" "$(records_of "$T/copy.warc.gz")"
}
run_lookup() {
	"$crawlfs" lookup --timeout=30 --cache="$T/c.lookup" "$here/zip/cluster.idx" --prefix=/ >"$T/lookup" &&
		same "$captures" "$(wc -l <"$T/lookup")"
}
run_mount() {
	start_mount m -o "cache=$T/c.mount,data=$here,readahead=off,timeout=30" "$here/zip/cluster.idx" &&
		cdx_model check --sample 40 "$T/m" "$manifest"
	mount_rc=$?
	stop_mount m && return $mount_rc
}
run_index() {
	rm -f "$T/index.cfx"
	XDG_CACHE_HOME=$T/c.index "$crawlfs" index -q --timeout=30 --no-views --base="$here" -o "$T/index.cfx" "$here/x.paths" &&
		same "$captures" "$("$crawlfs" lookup "$T/index.cfx" --prefix=/ | wc -l)"
}
run_verify() {
	"$crawlfs" verify --json --timeout=30 --cache="$T/c.verify" --base="$here" "$here/w.cfx" / >"$T/verify" &&
		same "$captures" "$(jq .records "$T/verify")"
}
pattern_of() {
	case $1 in
	index) echo 'w[.]cfx' ;;
	cluster) echo 'cluster[.]idx|cdx-0' ;;
	archive) echo 'warc[.]gz' ;;
	list) echo 'x[.]paths' ;;
	esac
}
# kinds_of COMMAND: the files that it reads
kinds_of() {
	case $1 in
	export) echo "archive index cluster list" ;;
	mount) echo "cluster archive" ;;
	lookup) echo "cluster" ;;
	index) echo "archive list" ;;
	*) echo "archive index" ;;
	esac
}
# rule_of FAULT VALUE: that of $kind, for $command alone.  The first request for
# an index or a list may be its only one; others are served before.
rule_of() {
	case $kind in
	list | index) skip=0 ;;
	*) skip=1 ;;
	esac
	ctl "$port" rule "fault=$1" "value=$2" "skip=$skip" count=1 "match=^/$command/.*($(pattern_of $kind))"
}
asked_of() {	# asked_of COMMAND: requests below its name
	grep -c " /$1/" "$T/log"
}
# passes FAULT VALUE: all commands go on as if nothing were.
passes() {
	ctl "$port" clear
	ctl "$port" rule fault=page match=blocked
	ctl "$port" log >/dev/null
	for command in $commands; do
		# another kind of file in each round
		# shellcheck disable=SC2046
		set -- "$1" "$2" $(kinds_of $command)
		shift $((2 + round % ($# - 2)))
		kind=$1 here=$url/$command
		set -- "$fault" "$value"
		# a first answer with a code of S3 is final, and words may be
		# a list
		case "$kind $value" in
		'list 403 A'* | 'index 403 A'* | 'list x' | 'index x') kind=archive ;;
		esac
		rule_of "$1" "$2"
		rm -rf "$T/c.$command" "$T/$command.rc"
		echo "$kind" >"$T/$command.kind"
		(run_$command >"$T/$command.said" 2>&1; echo $? >"$T/$command.rc") &
		pids="$pids $!"
	done
	# shellcheck disable=SC2086
	wait $pids
	pids=
	ctl "$port" log >"$T/log"
	for command in $commands; do
		# Holds E59.
		try "$1 $2, of $(cat "$T/$command.kind"): $command" goes_on $command
		try "which it met" was_met $command $1
	done
}
was_met() {	# was_met COMMAND FAULT; a request that stalls has no line
	case $2 in
	stall) has_stalled 6 ;;
	*) grep -q " /$1/.* $2\$" "$T/log" ;;
	esac
}
goes_on() {
	cat "$T/$1.said"
	asked_of "$1"
	[ "$(cat "$T/$1.rc")" = 0 ] && [ "$(asked_of "$1")" -lt $((2 * captures)) ]
}
pids=
# THROTTLE_TURNS=4 has each fault meet each kind of file by each command; by
# default it meets one, another one than the fault before.
turn=0
while [ $turn -lt "${THROTTLE_TURNS:-1}" ]; do
number=0
for what in 'page 403' 'page 200' 'error 403_AccessDenied_Access_Denied' \
	'error 503_SlowDown_Reduce' 'status 429' 'status 429,1' 'status 503' \
	'text x' "redirect $url/blocked" 'truncate x' 'reset x' 'reset-body x' \
	'slow 20000' 'stall x'; do
	fault=${what%% *} value=$(echo "${what#* }" | tr _ ' ')
	round=$((number + turn)) number=$((number + 1))
	passes "$fault" "$value"
done
turn=$((turn + 1))
done

# the summary of a refused export, as text and as JSON, beside what was served
rm -rf "$T/c.rate" "$T/rate.jsonl"
rule fault=status value=503 skip=1 count=2 'match=warc[.]gz'
ctl "$port" rule fault=page value=403 skip=1 count=1 'match=warc[.]gz'
rate_export() { "$crawlfs" export --force --fields=url,text --errors=ok --order=index --cache="$T/c.rate" --base="$url" -o "$T/rate.jsonl" "$@" "$url/w.cfx"; }
rate_as_json() { rate_export --json >"$T/rate.json"; }
counts >/dev/null
try "an export that is refused now and then" rate_as_json
rate_is() { same "$2" "$(jq -c ".servers[0] | $1" "$T/rate.json")"; }
try "reports how often it asked" rate_is .requests "$(requests)"
try "and the refusals" rate_is '[.slow_down, .forbidden]' '[2,1]'
try "and how few requests at a time that led to" rate_is '[.parallel_least, .parallel_max]' '[32,64]'
try "the name of the server" rate_is .name "\"$url\""
rm -rf "$T/c.rate"
counts >/dev/null
rule fault=status value=503 skip=1 count=1 'match=warc[.]gz'
rate_export 2>"$T/rate.text"
try "in words" grep -q "^  $url: $(requests) requests, .*B, 1 refusal, at least 32 of 64 at a time$" "$T/rate.text"
# as the manual has it, with other numbers
form=$(from_manual crawlfs-network.7 summary | sed -e 's/refusals/refusal/' \
	-e 's/: 8124 /: [0-9]+ /' -e 's/5\.2 GB/[0-9.]+ [kM]?B/' -e 's/31/1/' -e 's/ 4 of/ 32 of/' \
	-e "s,https://example.org,$url,")
try "in these words" grep -q -xE "  $form" "$T/rate.text"

# three times in a row, at once and after some were served
url=$url/export
run_again() {	# run_again FAULT VALUE SKIP: an export
	ctl "$port" clear
	ctl "$port" rule "fault=$1" "value=$2" "skip=$3" count=3 'match=warc[.]gz'
	rm -rf "$T/c.export"
	run_export
}
here=$url kind=archive
# Holds E59.
try "page 403, three times: export" run_again page 403 3
# Holds E59.
try "AccessDenied, three times: export" run_again error "403 AccessDenied Access Denied" 0
words_once() {	# words that may be a list, for what has just come as a range
	ctl "$port" clear
	ctl "$port" rule fault=text skip=1 count=1 'match=cluster[.]idx'
	rm -rf "$T/c.export"
	kind=cluster
	run_export
}
# Holds E59.
try "words in place of the beginning of an index: export" words_once
kind=archive

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

# ---- verify: what is refused is no damage, and read when it is not ----

one=$(sed -n 2p "$www/x.paths")
verify_report() {	# to $T/verify.json, with its status in $T/verify.rc
	"$crawlfs" verify -q --json --base="$url" --report="$T/report.$1" "$url/w.cfx" >"$T/verify.json" 2>"$T/err"
	echo $? >"$T/verify.rc"
}
verify_is() { same "$1" "$(cat "$T/verify.rc") $(jq -c '[.archives, .archives_unread, .damage]' "$T/verify.json")"; }
archives_asked() { ctl "$port" log | grep 'warc[.]gz bytes=0-16383' | cut -d' ' -f3 | sed 's,.*/crawl-data,crawl-data,' | sort; }
for form in jsonl csv; do
	in_trouble fault=error value='403 AllAccessDisabled x' "match=${one##*/}"
	verify_report $form
	# Holds E63.
	try "verify counts what it was refused by itself" verify_is "1 [5,1,0]"
	ctl "$port" clear
	archives_asked >/dev/null
	verify_report $form
	# Holds E63.
	try "the same command verifies all" verify_is "0 [5,0,0]"
	# Holds E63.
	try "by reading that archive alone" same "$one" "$(archives_asked)"
	grep -q '^[^,]*,unread,' "$T/report.$form" && echo "still unread" >>"$T/err"
	try "and says nothing more of it" same "" "$(cat "$T/err")"
done
try "each archive has one row that is filed" same 5 "$(grep -c ',pass,' "$T/report.csv")"
in_trouble fault=status value=404 "match=${one##*/}"
verify_report csv
try "an archive that is missing is damage" verify_is "1 [5,0,1]"
ctl "$port" clear

# ---- index: an archive that is refused leaves it unfinished ----

index_it() {	# index_it OPTION...: $T/ix.cfx, with its status in $index_rc
	rm -rf "$T/c.index"
	XDG_CACHE_HOME=$T/c.index "$crawlfs" index -q --timeout=4 --no-views --base="$url" -o "$T/ix.cfx" "$@" "$www/x.paths" >"$T/out" 2>&1
	index_rc=$?
}
has_all() { "$crawlfs" lookup --data="$www" "$1" --prefix=/ 2>&1 | cmp - "$T/looked_up"; }
"$crawlfs" lookup "$www/w.cfx" --prefix=/ >"$T/looked_up"
for what in 'error 403_AllAccessDisabled_x 0' 'reset x 1' 'truncate x 1'; do
	set -- $what
	in_trouble "fault=$1" "value=$(echo "$2" | tr _ ' ')" "skip=$3" "match=${one##*/}"
	index_it
	# Holds E64.
	try "index: $1: status" same 1 $index_rc
	# Holds E64.
	try "has no final name" not test -e "$T/ix.cfx"
	try "but lies in a .part" test -s "$T/ix.cfx.part"
	ctl "$port" clear
	archives_asked >/dev/null
	index_it
	# Holds E64.
	try "the same command completes it" same 0 $index_rc
	# Holds E64.
	try "by reading that archive alone" same "$one" "$(archives_asked)"
	try "to all captures" has_all "$T/ix.cfx"
	try "no .part is left" not test -e "$T/ix.cfx.part"
	rm -f "$T/ix.cfx"
done
in_trouble fault=error value='403 AllAccessDisabled x' "match=${one##*/}"
# no_index OPTION...: neither an index nor the beginning of one
no_index() {
	index_it "$@"
	[ $index_rc -eq 1 ] && [ ! -e "$T/ix.cfx" ] && [ ! -e "$T/ix.cfx.part" ]
}
# Holds E64.
try "a pick cannot be resumed: nothing is made" no_index --prefix=com
echo mine >"$T/ix.cfx.part"
index_it
try "a file of another kind stays" same "1 mine" "$index_rc $(cat "$T/ix.cfx.part")"
rm "$T/ix.cfx.part"
index_it --errors=ok
# Holds E64.
try "--errors=ok makes the index" test -s "$T/ix.cfx"
try "by status 1" same 1 $index_rc
ctl "$port" clear
index_it --update
try "its update reads what was refused" has_all "$T/ix.cfx"

# ---- what is resumed asks for what is missing only ----

# The cache is new: what is asked for is seen at the server.
last=$(tail -n 1 "$www/x.paths")
asks_for_rest() {	# asks_for_rest COMMAND...: of archives, the last alone
	rm -rf "$T/c" "$T"/cut.*
	in_trouble fault=status value=503 "match=${last##*/}"
	"$@" >"$T/out" 2>&1 && return 1
	ctl "$port" clear
	rm -rf "$T/c"
	ctl "$port" log >/dev/null
	"$@" || return
	ctl "$port" log | grep 'warc[.]gz' | grep -v 'bytes=0-0 ' | cut -d' ' -f3 | sed 's,.*/crawl-data,crawl-data,' | sort -u >"$T/asked"
	same "$last" "$(cat "$T/asked")"
}
try "a resumed export asks for what is missing only" asks_for_rest export_by_archive
try "so does a resumed copy" asks_for_rest copy_cut

# an archive here that cannot be read for now: a link that leads to itself
mv "$www/$one" "$T/away" && ln -s "${one##*/}" "$www/$one"
export_here() { "$crawlfs" export -q --order=index --fields=url,text,error -o "$T/cut.jsonl" "$www/w.cfx"; }
try "a disk in trouble" ends_in_trouble export_here
try "gives no file its final name" not test -e "$T/cut.jsonl"
rm "$www/$one" && mv "$T/away" "$www/$one"
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
