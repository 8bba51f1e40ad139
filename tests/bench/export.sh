# export.sh - part of bench.sh: the rows of a crawl.
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2154,SC2034	# variables of the other parts
#
# The archives are the pages of views.sh, export_mb of them in several files,
# each page a member.  Rates are those of the archives, by wall time, on all
# processors:
#   crawlfs    crawlfs export in the order of archives, without an index
#   gunzip     gzip -dc of the same files, which uses one processor
# and rows a second, of what an index knows, in its order:
#   export/index   url, status and mime of lookup_ns captures
# and a job of parts beside one export of the whole, both on all processors:
#   export/xargs   4 parts by xargs, as many at a time as there are processors,
#                  each with one thread; both write files

# The archives, as $work/export/*.warc.gz
need_export() { need_html_crawl 12 && once export make_export; }
make_export() {
	local one=$work/html-crawl-12/pages.warc.gz d=$work/export i n
	n=$((export_mb * 1000000 / $(stat -c %s "$one") + 1))
	rm -rf "$d" && mkdir -p "$d" || return
	for ((i = 0; i < n; i++)); do
		cp "$one" "$d/$(printf 'pages-%03d' $i).warc.gz" || return
	done
}

# wall COMMAND...: its seconds
wall() {
	local TIMEFORMAT=%R
	{ time "$@" >/dev/null 2>"$work/tmp/log" </dev/null; } 2>&1
}

# export_row WORKLOAD OPTION...
export_row() {
	local name=export/$1 bytes i
	shift
	want "$name" || return 0
	need_export
	bytes=$(cat "$work"/export/*.warc.gz | wc -c)
	for ((i = 0; i < runs; i++)); do
		sample "$name" crawlfs "$(mega "$bytes" "$(wall \
			"$crawlfs" export "$work/export" -q "$@")")"
		sample "$name" gunzip "$(mega "$bytes" "$(wall \
			gzip -dc "$work"/export/*.warc.gz)")"
	done
	row "$name" MB/s crawlfs gunzip "aim 2; $bytes bytes of archives"
}

# export_whole, export_parts: the text of all pages into $work/tmp/rows
export_whole() {
	"$crawlfs" export "$work/export" -q --fields=url,text \
		-o "$work/tmp/rows/all.jsonl"
}
export_parts() {
	seq 4 | xargs -P "$(nproc)" -I K "$crawlfs" export "$work/export" -q \
		--fields=url,text --part=K/4 --threads=1 \
		-o "$work/tmp/rows/K.jsonl"
}
export_xargs_row() {
	local i way bytes
	want export/xargs || return 0
	need_export
	bytes=$(cat "$work"/export/*.warc.gz | wc -c)
	for ((i = 0; i < runs; i++)); do
		for way in parts whole; do
			rm -rf "$work/tmp/rows" && mkdir "$work/tmp/rows"
			sample export/xargs $way \
				"$(mega "$bytes" "$(wall export_$way)")"
			cat "$work"/tmp/rows/*.jsonl | wc -l >"$work/tmp/n.$way"
		done
		cmp -s "$work/tmp/n.parts" "$work/tmp/n.whole" ||
			die "export/xargs: other rows"
	done
	row export/xargs MB/s parts whole "aim 0.9; $bytes bytes of archives"
}

export_index_row() {
	local n i
	want export/index || return 0
	n=${lookup_ns##* }
	[ "$n" -le 1000000 ] || n=1000000
	once "export-$n" make_export_index "$n"
	for ((i = 0; i < runs; i++)); do
		sample export/index crawlfs "$(rate "$n" "$(wall "$crawlfs" \
			export "$work/export-$n.cfx" -q --fields=url,status,mime)")"
		sample export/index aim 1000000
	done
	row export/index rows/s crawlfs aim "$n captures"
}
make_export_index() {
	local d=$work/export-$1
	"$mkcrawl" --warc --bare --records "$1" --page-bytes 200 --level 1 \
		"$d" >/dev/null && "$crawlfs" index -q --no-views -o "$d.cfx" "$d"
}

bench_export() {
	export_row jsonl
	export_row wet --format=wet
	export_row jsonl.gz --format=jsonl.gz
	export_xargs_row
	export_index_row
}
