# slices.sh - part of bench.sh: rows of a fifth of a crawl on a server.
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2154,SC2034	# variables of the other parts
#
# The crawl and the server are those of remote.sh.
#
#   crawlfs       export of url and text, in the order of archives
#   curl          the same plan: ranges within 256 KiB of one another as one, of
#                 at most 2 MiB and eight times what is wanted; 64 at a time,
#                 and nothing is made of the bytes
#   curl-each     each record by itself, likewise
#
# Rows are pages a second at each delay; and, at the slowest, requests, and
# bytes that came for each byte that is wanted.

# slice_ranges: lines of far.ranges that are wanted, in the order of archives
slice_ranges() {
	awk -F '\t' 'substr($1, 2, 6) % 5 == 0' "$work/far.ranges" |
		sort -t "$(printf '\t')" -k 2,2 -k 3,3n
}
slice_joined() {
	awk -F '\t' -v OFS='\t' '
		function put() { if (n) print "-", archive, from, to - 1 }
		{
			end = ($4 + 1 > to) ? $4 + 1 : to
			if (n && $2 == archive && $3 - to <= 262144 &&
			    end - from <= 2097152 &&
			    end - from <= 8 * (wanted + $4 + 1 - $3)) {
				wanted += $4 + 1 - $3
				to = end
				next
			}
			put()
			n++
			archive = $2; from = $3; to = $4 + 1; wanted = to - from
		}
		END { put() }'
}

slice_run() {
	local party=$1 delay=$2 url=http://127.0.0.1:$((server_port + $2))
	local name=slices/pages-$2 dir args=()
	rm -rf "$XDG_CACHE_HOME" && mkdir -p "$XDG_CACHE_HOME"
	case $party in
	crawlfs)
		args=("$crawlfs" export -q --force --order=archive
			--fields=url,text -o "$work/tmp/slice.jsonl"
			"$url/far.cfx")
		for dir in $(cut -c 1-7 "$work/far.slice" | sort -u); do
			args+=("com/example/dirs/_/$dir")
		done
		;;
	curl) curl_ranges "$delay" <"$work/far.joined" >"$work/tmp/conf" ;;
	curl-each) curl_ranges "$delay" <"$work/far.slice" >"$work/tmp/conf" ;;
	esac
	[ "$party" = crawlfs ] || args=(curl --no-progress-meter --parallel
		--parallel-max 64 -K "$work/tmp/conf")
	log_mark
	run_clients "$name" "$party" "$slice_pages" time "${args[@]}"
	[ "$delay" = $remote_slowest ] || return 0
	log_count
	sample slices/requests "$party" "$requests"
	sample slices/fetched "$party" "$(ratio "$bytes" "$slice_bytes")"
	[ "$party" != crawlfs ] ||
		[ "$(wc -l <"$work/tmp/slice.jsonl")" = "$slice_pages" ] ||
		die "$name: other rows than pages"
}

bench_slices() {
	local i delay party row ready=
	for row in requests fetched pages-0 pages-10 pages-50; do
		! want "slices/$row" || ready=1
	done
	[ -n "$ready" ] && find_remote || return 0
	unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
	need_far
	slice_ranges >"$work/far.slice"
	slice_joined <"$work/far.slice" >"$work/far.joined"
	slice_pages=$(wc -l <"$work/far.slice")
	slice_bytes=$(awk -F '\t' '{ n += $4 + 1 - $3 } END { print n }' \
		"$work/far.slice")
	start_server || die "nginx does not start"
	for delay in $remote_delays; do
		for ((i = 0; i < runs; i++)); do
			for party in crawlfs curl curl-each; do
				slice_run $party "$delay"
			done
		done
		for party in curl curl-each; do
			row "slices/pages-$delay" pages/s crawlfs $party \
				"rows of $slice_pages pages of $((far_dirs * far_files))"
		done
	done
	for party in curl curl-each; do
		row slices/requests requests crawlfs $party "less is better"
		row slices/fetched ratio crawlfs $party \
			"less is better; bytes fetched to bytes wanted"
	done
	kill "$server_pid" && wait "$server_pid"
	server_pid=
}
