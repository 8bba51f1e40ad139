# merge.sh - part of bench.sh: indexes merged into one, beside sort -m of the
# lines that they were made of.
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2154	# variables of the other parts

merge_parts=8

# Some captures in parts: lines in order, and an index of them, of each.
need_merge() { once merge make_merge; }
make_merge() {
	local d=$work/merge i
	rm -rf "$d"
	mkdir -p "$d" && "$cdxlines" "$merge_n" >"$d/lines" &&
		split -n "r/$merge_parts" -d -a 1 "$d/lines" "$d/part" || return
	rm -f "$d/lines"
	for ((i = 0; i < merge_parts; i++)); do
		sort -o "$d/part$i.cdx" "$d/part$i" && rm "$d/part$i" &&
			"$crawlfs" index -q -o "$d/part$i.cfx" "$d/part$i.cdx" ||
			return
	done
}

# merge_one PARTY: prints "STATUS SECONDS"
merge_one() {
	local d=$work/merge
	case $1 in
	crawlfs)
		rm -f "$d/all.cfx"
		"$clients" time "$crawlfs" index -q -o "$d/all.cfx" \
			"$d"/part?.cfx
		;;
	sort-m) "$clients" time sort -m -o "$d/all.cdx" "$d"/part?.cdx ;;
	esac
}

bench_merge() {
	local i party suffix result bytes
	[[ -z $only || merge/captures =~ $only || merge/bytes =~ $only ]] ||
		return 0
	need_merge
	for ((i = 0; i < runs; i++)); do
		for party in crawlfs sort-m; do
			suffix=cfx
			[ "$party" = crawlfs ] || suffix=cdx
			result=$(merge_one "$party") || die "cannot merge"
			[ "${result% *}" = 0 ] || die "$party: cannot merge"
			bytes=$(cat "$work/merge"/part?."$suffix" | wc -c)
			sample merge/captures "$party" \
				"$(rate "$merge_n" "${result#* }")"
			sample merge/bytes "$party" \
				"$(mega "$bytes" "${result#* }")"
		done
	done
	[ "$("$crawlfs" lookup "$work/merge/all.cfx" com org net de uk jp |
		wc -l)" = "$(wc -l <"$work/merge/all.cdx")" ] ||
		die "captures are missing"
	row merge/captures captures/s crawlfs sort-m \
		"$merge_parts indexes of $merge_n captures; sort -m of their lines"
	row merge/bytes MB/s crawlfs sort-m \
		"the same, by the bytes that each reads"
	rm -f "$work/merge/all.cfx" "$work/merge/all.cdx"
}
