# captures.sh - part of bench.sh: one page of many captures, beside as many pages
# of one capture each.
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2154,SC2034	# variables of the other parts

captures_forms='cfx cdx zipnum union'
captures_kinds='find ls-l lookup dates'

# The minute that a capture is made in; months have 28 days.
captures_awk='
	function when(i) {
		return sprintf("%04d%02d%02d%02d%02d00",
			2001 + int(i / 483840), 1 + int(i / 40320) % 12,
			1 + int(i / 1440) % 28, int(i / 60) % 24, i % 60)
	}'

# captures_lines PARTY FIRST STEP: captures FIRST, FIRST + STEP, ... of the page,
# or the pages of these numbers, each a minute after the one before; as CDXJ, in
# order
captures_lines() {
	awk -v party="$1" -v first="$2" -v step="$3" -v n="$captures_n" \
		"$captures_awk"'
		BEGIN {
			for (i = first; i < n; i += step) {
				path = party == "pages" ? sprintf("p%07d", i) : ""
				printf "com,example)/%s %s {\"url\": " \
					"\"http://example.com/%s\", \"status\": \"200\", " \
					"\"mime\": \"text/html\", \"length\": \"500\", " \
					"\"offset\": \"%d\", \"filename\": \"a.warc.gz\"}\n",
					path, when(i), path, 500 * i
			}
		}'
}

need_captures() { once captures make_captures; }
make_captures() {
	local d=$work/captures party
	rm -rf "$d"
	mkdir "$d" || return
	for party in captures pages; do
		captures_lines $party 0 1 >"$d/$party.cdxj" &&
			captures_lines $party 0 2 >"$d/$party.0.cdxj" &&
			captures_lines $party 1 2 >"$d/$party.1.cdxj" &&
			"$crawlfs" index -q -o "$d/$party.cfx" "$d/$party.cdxj" &&
			"$crawlfs" index -q --format=zipnum \
				-o "$d/$party.zipnum" "$d/$party.cdxj" || return
	done 2>"$work/tmp/captures.err"
}

# captures_source PARTY FORM
captures_source() {
	local d=$work/captures
	case $2 in
	cfx) echo "$d/$1.cfx" ;;
	cdx) echo "$d/$1.cdxj" ;;
	zipnum) echo "$d/$1.zipnum" ;;
	union) echo "$d/$1.0.cdxj,$d/$1.1.cdxj" ;;
	esac
}

# One name for each capture, of the second it was made in.
captures_dates() {
	awk -v party="$1" -v n="$captures_n" "$captures_awk"'
		BEGIN {
			name = "_index"
			for (i = 0; i < n; i++) {
				if (party == "pages")
					name = sprintf("p%07d", i)
				printf "%s#@%s\n", name, when(i)
			}
		}'
}

captures_find() { find "$mnt" -type f; }
captures_ls_l() { ls -l "$mnt/com/example/_"; }
captures_lookup() { "$crawlfs" lookup "$1" com.example; }
captures_stat() {
	xargs -d '\n' -n 1000 env -C "$mnt/com/example/_" stat -c %i \
		<"$work/tmp/captures.names"
}

# captures_run KIND FORM PARTY: one party's job on a cold mount
captures_run() {
	local kind=$1 source from to fn
	source=$(captures_source "$3" "$2")
	fn=captures_${kind//-/_}
	if [ "$kind" = dates ]; then
		captures_dates "$3" >"$work/tmp/captures.names"
		fn=captures_stat
	fi
	[ "$kind" = lookup ] || start_daemon "$crawlfs" mount \
		-o views=raw,missing=ok "$source" "$mnt" -f
	from=$(date +%s%N)
	"$fn" "$source" >"$work/tmp/captures.lines" || die "$kind of $source failed"
	to=$(date +%s%N)
	[ "$kind" = lookup ] || unmount
	[ "$(wc -l <"$work/tmp/captures.lines")" -ge "$captures_n" ] ||
		die "$kind of $source: too few lines"
	sample "captures/$2-$kind" "$3" "$(rate "$captures_n" \
		"$(awk -v n=$((to - from)) 'BEGIN { print n / 1e9 }')")"
}

bench_captures() {
	local kind form i
	for form in $captures_forms; do
		for kind in $captures_kinds; do
			want "captures/$form-$kind" || continue
			[ "$kind" = lookup ] || [ -n "$can_mount" ] || continue
			need_captures
			for ((i = 0; i < runs; i++)); do
				captures_run "$kind" "$form" captures
				captures_run "$kind" "$form" pages
			done
			row "captures/$form-$kind" captures/s captures pages \
				"aim 0.5; $captures_n captures of one page, beside as many pages"
		done
	done
	rm -f "$work"/tmp/captures.*
}
