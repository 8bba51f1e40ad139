# summary.sh - part of bench.sh: what a crawl contains, counted from its index.
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2154	# variables of the other parts
#
#   summary/index    captures of the largest of lookup_ns, in a crawlfs index
#   summary/memory   its greatest memory

bench_summary() {
	local n=${lookup_ns##* } i result
	want summary/index || want summary/memory || return 0
	once "summary-$n" make_summary_index "$n"
	for ((i = 0; i < runs; i++)); do
		result=$("$clients" peak "$crawlfs" summary -q \
			"$work/summary-$n.cfx") || die "summary fails"
		sample summary/index crawlfs "$(rate "$n" "${result#* }")"
		sample summary/memory crawlfs "${result% *}"
		sample summary/index aim 3000000
		sample summary/memory aim $((320 * 1024))
	done
	row summary/index captures/s crawlfs aim "$n captures"
	row summary/memory KiB crawlfs aim \
		"less is better; --mem of 256M, and 64 MiB for counts"
}
make_summary_index() {
	"$CFS_BUILDDIR/tests/bench/cdxlines" "$1" >"$work/tmp/summary.cdx" &&
		"$crawlfs" index -q -o "$work/summary-$1.cfx" \
			"$work/tmp/summary.cdx" 2>"$work/tmp/summary.log"
	rm -f "$work/tmp/summary.cdx"
	[ -s "$work/summary-$1.cfx" ]
}
