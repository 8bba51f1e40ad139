# huge50.sh - part of bench.sh: fifty million captures from a CDX, indexed in
# bounded memory, mounted, and listed.
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2154	# variables of the other parts
#
# One run each: ten minutes and 35 GB of disk in the full scale.  sort(1) puts
# the same lines in order, in as much memory.

cdxlines=$CFS_BUILDDIR/tests/bench/cdxlines

# lines_free N: is there room for N lines, and for sorting them?
lines_free() {
	[ "$(df -Pm "$work" | awk 'NR == 2 { print $4 }')" -gt \
		$(($1 * 7 / 10000)) ]
}

# peak_of NAME PARTY N COMMAND...: its rate and its memory
peak_of() {
	local name=$1 party=$2 n=$3 result
	shift 3
	result=$("$clients" peak "$@") || die "$name: $party fails"
	sample "$name" "$party" "$(rate "$n" "${result#* }")"
	sample "$name-memory" "$party" "${result% *}"
}

# find_all NAME PARTY INDEX N: every file of a fresh mount
find_all() {
	start_daemon "$crawlfs" mount "$3" "$mnt" -f \
		-o "views=raw,missing=ok,mem=${mem_mib}M"
	# shellcheck disable=SC2016	# for the shell that is timed
	run_clients "$1" "$2" "$4" time sh -c \
		'[ "$(find "$1" -type f | wc -l)" = "$2" ]' sh "$mnt" "$4"
	[ "$2" != crawlfs ] || beyond "$1-memory" "$(status_kib VmHWM)"
	leave
}

bench_huge50() {
	local n=$huge50_n few=$((huge50_n / 100)) lines=$work/tmp/huge50.cdx
	[[ -z $only || huge50/index =~ $only || huge50/find =~ $only ]] ||
		return 0
	lines_free "$n" || {
		say "no room for huge50/ in '$work'"
		return 0
	}
	"$cdxlines" "$n" >"$lines" || die "cannot write '$lines'"
	peak_of huge50/index sort "$n" sort -S "${huge50_mb}M" -T "$work/tmp" \
		"$lines"
	peak_of huge50/index crawlfs "$n" "$crawlfs" index -q \
		--memory="${huge50_mb}M" -o "$work/tmp/huge50.cfx" "$lines"
	"$cdxlines" "$few" >"$lines"
	"$crawlfs" index -q -o "$work/tmp/few.cfx" "$lines" ||
		die "cannot index a few lines"
	rm -f "$lines"
	sample huge50/index-memory aim $((huge50_mb * 1024))
	sample huge50/bytes crawlfs "$(awk -v n="$n" -v b="$(stat -c %s \
		"$work/tmp/huge50.cfx")" 'BEGIN { printf "%.2f", b / n }')"
	sample huge50/bytes aim 40
	row huge50/index captures/s crawlfs sort \
		"$n lines of CDX in no order; sort -S ${huge50_mb}M of them"
	row huge50/index-memory KiB crawlfs aim \
		"less is better; peak RSS with --memory=${huge50_mb}M"
	row huge50/bytes bytes/capture crawlfs aim "less is better; aim 40"
	[ -n "$can_mount" ] || return 0
	find_all huge50/find hundredth "$work/tmp/few.cfx" "$few"
	find_all huge50/find crawlfs "$work/tmp/huge50.cfx" "$n"
	row huge50/find files/s crawlfs hundredth \
		"find -type f of $n files, against $few, fresh mounts"
	row huge50/find-memory KiB crawlfs aim \
		"less is better; peak RSS beyond -o mem=${mem_mib}M, aim 64 MiB"
	rm -f "$work/tmp/huge50.cfx" "$work/tmp/few.cfx"
}
