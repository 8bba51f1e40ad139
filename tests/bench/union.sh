# union.sh - part of bench.sh: twelve crawls as one tree, beside one index of the
# same captures.
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2154,SC2034	# variables of the other parts

union_members=12

# Archives of some pages, an index of all, and one of each twelfth.
need_union() { once union make_union; }
make_union() {
	local d=$work/union i
	rm -rf "$d"
	"$mkcrawl" --warc --bare --records "$union_n" --page-bytes 300 \
		--archive-bytes $((union_n * 8)) "$d" >/dev/null &&
		find "$d" -name '*.warc.gz' | sort >"$d/archives" &&
		split -n "r/$union_members" -d -a 2 "$d/archives" "$d/list" ||
		return
	"$crawlfs" index -q -o "$d/all.cfx" "$d/crawl-data" || return
	for ((i = 0; i < union_members; i++)); do
		xargs "$crawlfs" index -q -o "$(printf '%s/m%02d.cfx' "$d" $i)" \
			<"$(printf '%s/list%02d' "$d" $i)" || return
	done
}

union_mount() {
	if [ "$1" = union ]; then
		start_daemon "$crawlfs" mount --merge "$work"/union/m??.cfx \
			"$mnt" -f
	else
		start_crawlfs union/all
	fi
}

# Pages to read: of the same name and size in both.  Of captures of one second
# the order is by member in one and by archive in the other; a revisit that names
# its original by its digest alone finds that in the index of all only.
need_union_pages() {
	local d=$work/union party
	need_union
	[ ! -s "$d/pages" ] || return 0
	for party in union one; do
		union_mount $party
		(cd "$mnt" && find com -type f ! -name '*.txt' ! -name '*.meta' \
			-printf '%p\t%s\n') | sort >"$d/sizes.$party"
		unmount
	done
	comm -12 "$d/sizes.union" "$d/sizes.one" | head -n "$union_cat_n" |
		cut -f1 | tr '\n' '\0' >"$d/pages"
	[ "$(tr -cd '\0' <"$d/pages" | wc -c)" = "$union_cat_n" ] ||
		die "too few pages are the same"
}

union_find() { find "$mnt" -type f; }
union_ls_lR() { ls -lR "$mnt"; }
union_cat() { (cd "$mnt" && xargs -0 cat <"$work/union/pages"); }

# One party's job on a cold mount.
union_run() {
	local kind=$1 party=$2 from to
	union_mount "$party"
	from=$(date +%s%N)
	"union_$kind" >"$work/tmp/union.$party" || die "$kind on $party failed"
	to=$(date +%s%N)
	unmount
	sample "union/${kind/_/-}" "$party" "$(rate \
		"$(wc -l <"$work/tmp/union.$party")" \
		"$(awk -v n=$((to - from)) 'BEGIN { print n / 1e9 }')")"
}

bench_union() {
	local kind i
	[ -n "$can_mount" ] || return 0
	for kind in find ls_lR cat; do
		want "union/${kind/_/-}" || continue
		need_union
		[ $kind != cat ] || need_union_pages
		for ((i = 0; i < runs; i++)); do
			union_run $kind union
			union_run $kind one
			[ $kind != cat ] ||
				[ "$(wc -c <"$work/tmp/union.union")" = \
				"$(wc -c <"$work/tmp/union.one")" ] ||
				die "other bytes"
		done
		row "union/${kind/_/-}" lines/s union one \
			"aim 0.8; $union_members indexes of $union_n captures in all, beside one"
	done
	rm -f "$work"/tmp/union.*
}
