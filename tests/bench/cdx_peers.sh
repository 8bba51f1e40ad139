#!/bin/bash
# cdx_peers.sh - indexes of the same archives by crawlfs and by pywb's indexers,
# and the CDX server of crawlfs beside that of pywb, in one run: rates by wall
# time and by processor time.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# usage: CFS_BUILDDIR=BUILD bash cdx_peers.sh
#
# Prints two tables, medians of PEERS_RUNS (3); the parties take turns.
#
# Indexes of PEERS_RECORDS (10000) captures in WARC files of 20 KB a page, that
# crawlfs-mkcrawl makes:
#   crawlfs        crawlfs index, with the sizes of .txt and .meta: what a mount
#                  of the archives makes
#   crawlfs-cdxj   lines of CDXJ, on all processors
#   crawlfs-cdxj-1 the same with one thread
#   cdx-indexer    of pywb, lines of CDXJ, sorted
#   cdxj-indexer   the same
# Captures of one URL, and of all URLs below a host, in an index of PEERS_LINES
# (1000000) captures, by 8 connections and by one:
#   crawlfs        crawlfs serve of a crawlfs index
#   pywb           wayback, of the same lines as CDXJ
# and the captures of that host by programs that people run, one process each:
#   toolkit          cdx_toolkit, from crawlfs serve (from wayback it does not
#                    end: that has no pages, and cdx_toolkit asks for the next)
#   lookup           crawlfs lookup --json of the index itself, without a server
# The lines of all must be equal, as tests/serve/cdx_lines.py has it.
set -u
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd) || exit 1
scale=cdx runs=${PEERS_RUNS:-3} only='' need_mb=1500 can_mount=''
# shellcheck source-path=SCRIPTDIR
{
	. "$here/lib.sh"
	. "$here/data.sh"
	. "$here/parts.sh"
	. "$here/serve.sh"
}
set_work "${BENCH_DIR:-}"
trap cleanup EXIT
find_peers cdx-peers pywb==2.10.0 cdxj-indexer==1.5.0 cdx_toolkit==0.9.39 ||
	die "no pywb, cdxj-indexer and cdx_toolkit: their registry is not reached"
has_program h2load || die "there is no h2load"
peers=$installed/cdx-peers/bin
records=${PEERS_RECORDS:-10000} captures=${PEERS_LINES:-1000000}
# URLs that are asked for in a run, and how often: the faster one is measured for
# long enough, too.
urls=2000
declare -A rounds=([crawlfs]=10 [pywb]=1)
cdx_lines() {
	python3 "$CFS_SRCDIR/tests/serve/cdx_lines.py" "$@" >"$work/tmp/lines" ||
		die "$(tail -n 20 "$work/tmp/lines")"
}

# ---- indexes ----

make_crawl() {
	rm -rf "$work/crawl"
	"$mkcrawl" --warc --records "$records" --page-bytes 20000 --hostile 0 \
		--bare "$work/crawl" >"$work/tmp/log"
}
index_by() {	# index_by PARTY FILE
	case $1 in
	crawlfs) "$crawlfs" index -q -o "$2.cfx" "$work/crawl/crawl-data" ;;
	crawlfs-cdxj) "$crawlfs" index -q -o "$2.cdxj" "$work/crawl/crawl-data" ;;
	crawlfs-cdxj-1) "$crawlfs" index -q --threads=1 -o "$2.cdxj" \
		"$work/crawl/crawl-data" ;;
	cdx-indexer) "$peers/cdx-indexer" -s -j -r -o "$2.cdxj" \
		"$work/crawl/crawl-data" ;;
	# it does not look into folders below
	cdxj-indexer) find "$work/crawl/crawl-data" -name '*.warc.gz' -print0 |
		xargs -0 "$peers/cdxj-indexer" -s -o "$2.cdxj" ;;
	esac
}
index_run() {
	local TIMEFORMAT='%R %U %S' wall user system
	rm -f "$work/tmp/$1".*
	read -r wall user system < <({ time index_by "$1" "$work/tmp/$1" \
		>"$work/tmp/log" 2>&1; } 2>&1)
	ls "$work/tmp/$1".* >/dev/null 2>&1 || die "$1: $(tail "$work/tmp/log")"
	sample wall "$1" "$wall"
	sample cpu "$1" "$(awk -v u="$user" -v s="$system" 'BEGIN { print u + s }')"
}
indexers='crawlfs crawlfs-cdxj crawlfs-cdxj-1 cdx-indexer cdxj-indexer'
once crawl make_crawl
for ((i = 0; i < runs; i++)); do
	for party in $indexers; do index_run "$party"; done
done
for party in cdx-indexer cdxj-indexer; do
	cdx_lines files "$party" "$work/tmp/crawlfs-cdxj.cdxj" \
		"$work/tmp/$party.cdxj"
	say "lines of crawlfs and $party: $(cat "$work/tmp/lines")"
done
printf '# %s; %s processors: %s; %s captures, %s bytes of archives; medians of %s runs\n' \
	"$("$crawlfs" version | head -n 1)" "$(nproc)" \
	"$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" \
	"$records" "$(find "$work/crawl/crawl-data" -type f -print0 |
		du -bc --files0-from=- | tail -n 1 | cut -f1)" "$runs"
printf 'party\twall_s\tcpu_s\tcaptures/s\tcaptures/cpu_s\n'
for party in $indexers; do
	awk -v OFS='\t' -v p="$party" -v n="$records" \
		-v w="$(middle wall "$party")" -v c="$(middle cpu "$party")" \
		'BEGIN { print p, w, c, sprintf("%.0f", n / w), sprintf("%.0f", n / c) }'
done

# ---- servers ----

make_lines() {
	"$CFS_BUILDDIR/tests/bench/cdxlines" "$captures" >"$work/tmp/lines.cdx" &&
		"$crawlfs" index -q -o "$work/lines.cfx" "$work/tmp/lines.cdx" \
			2>"$work/tmp/log" &&
		"$crawlfs" index -q -o "$work/lines.cdxj" "$work/tmp/lines.cdx" \
			2>"$work/tmp/log"
	rm -f "$work/tmp/lines.cdx"
	# each so many-th, in no order
	awk -v step=$((captures / urls)) 'NR % step == 0 {
		sub("^.*\"url\": \"", ""); sub("\".*", ""); print }' \
		"$work/lines.cdxj" | shuf --random-source="$work/lines.cdxj" \
		>"$work/urls"
	[ -s "$work/urls" ]
}
start_servers() {
	local port
	"$crawlfs" serve --missing=ok --listen=127.0.0.1:0 "$work/lines.cfx" \
		>"$work/tmp/serve.log" 2>&1 &
	serve_pid=$!
	WAIT_SECONDS=60 wait_for grep -q '^serving on' "$work/tmp/serve.log" ||
		die "crawlfs serve: $(cat "$work/tmp/serve.log")"
	crawlfs_url=$(sed -n 's/^serving on //p' "$work/tmp/serve.log")cdx
	port=$(free_port)
	printf 'collections:\n  c:\n    index: %s\n    archive_paths: %s/\n' \
		"$work/lines.cdxj" "$work" >"$work/tmp/config.yaml"
	(cd "$work/tmp" && exec "$peers/wayback" -p "$port") \
		>"$work/tmp/pywb.log" 2>&1 &
	files_pid=$!
	pywb_url=http://127.0.0.1:$port/c/cdx
	WAIT_SECONDS=60 wait_for curl -s -o /dev/null "$pywb_url" ||
		die "pywb: $(tail "$work/tmp/pywb.log")"
}
# server_cpu PARTY: the processor seconds of its server
server_cpu() {
	local pid=$serve_pid
	[ "$1" = crawlfs ] || pid=$files_pid
	awk -v hz="$(getconf CLK_TCK)" '{ sub(".*\\) ", "")
		print ($12 + $13) / hz }' "/proc/$pid/stat"
}
look_up() {	# look_up URL REQUESTS: requests a second
	local text
	sed "s|^|$1?url=|" "$work/urls" >"$work/tmp/asked"
	text=$(h2load --h1 -t 1 -c 8 -n "$2" -i "$work/tmp/asked" 2>&1)
	grep -q "^status codes: $2 2xx" <<<"$text" ||
		die "h2load $1: $(tail -n 8 <<<"$text")"
	sed -n 's|^finished in .*, \([0-9.]*\) req/s.*|\1|p' <<<"$text"
}
list_host() {	# list_host URL: rows a second
	local text
	text=$(curl -sf -o "$work/tmp/rows" -w '%{time_total}' \
		"$1?url=$host/*") || die "curl $1 fails"
	rate "$(wc -l <"$work/tmp/rows")" "$text"
}
serve_run() {	# serve_run PARTY
	local url=${1}_url n=$((urls * rounds[$1])) cpu rows
	cpu=$(server_cpu "$1")
	sample requests "$1" "$(look_up "${!url}" "$n")"
	sample requests-cpu "$1" "$(rate "$n" "$(awk -v a="$cpu" \
		-v b="$(server_cpu "$1")" 'BEGIN { print b - a }')")"
	cpu=$(server_cpu "$1")
	for _ in 1 2 3; do
		sample rows "$1" "$(list_host "${!url}")"
	done
	rows=$((3 * $(wc -l <"$work/tmp/rows")))
	sample rows-cpu "$1" "$(rate "$rows" "$(awk -v a="$cpu" \
		-v b="$(server_cpu "$1")" 'BEGIN { print b - a }')")"
}
once lines make_lines
host=$(sed -n 's|^http://www\.\([^/]*\)/.*|\1|p' "$work/urls" | sort |
	uniq -c | sort -rn | awk 'NR == 1 { print $2 }')
start_servers
queries="url=$host/*"
for one in $(head -n 100 "$work/urls"); do queries="$queries url=$one"; done
# shellcheck disable=SC2086	# words
cdx_lines servers "$crawlfs_url" "$pywb_url" $queries
say "rows of crawlfs and pywb: $(cat "$work/tmp/lines")"
# clients_run PARTY: rows a second, from start to end of a process
clients_run() {
	local TIMEFORMAT=%R seconds
	case $1 in
	lookup) set -- "$1" "$crawlfs" lookup --json "$work/lines.cfx" "$host/" ;;
	*) set -- "$1" "$peers/python" -c 'import sys, cdx_toolkit
for row in cdx_toolkit.CDXFetcher(source=sys.argv[1]).iter(sys.argv[2]):
    print(row["url"], row["timestamp"])' "$crawlfs_url" \
			"$host/*" ;;
	esac
	seconds=$({ time timeout 120 "${@:2}" >"$work/tmp/$1" 2>"$work/tmp/log"; } 2>&1)
	[ -s "$work/tmp/$1" ] || die "$1: $(tail -n 3 "$work/tmp/log")"
	sample clients-rows "$1" "$(wc -l <"$work/tmp/$1")"
	sample clients "$1" "$(rate "$(wc -l <"$work/tmp/$1")" "$seconds")"
}
for ((i = 0; i < runs; i++)); do
	for party in crawlfs pywb; do serve_run "$party"; done
	for party in toolkit lookup; do
		clients_run "$party"
	done
done
end_serve
printf '# %s captures in the index; %s of one host\n' "$captures" \
	"$(wc -l <"$work/tmp/rows")"
printf 'party\trequests/s\trequests/cpu_s\trows/s\trows/cpu_s\n'
for party in crawlfs pywb; do
	printf '%s\t%.0f\t%.0f\t%.0f\t%.0f\n' "$party" \
		"$(middle requests "$party")" "$(middle requests-cpu "$party")" \
		"$(middle rows "$party")" "$(middle rows-cpu "$party")"
done
printf 'party\trows\trows/s\n'
for party in toolkit lookup; do
	printf '%s\t%.0f\t%.0f\n' "$party" "$(middle clients-rows "$party")" \
		"$(middle clients "$party")"
done
