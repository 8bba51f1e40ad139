# views.sh - part of bench.sh: text and metadata of pages.
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2154,SC2034	# variables of the other parts
#
# The pages are BENCH_HTML/*.html, else the article pages below CFS_DATA, else
# some of the cat set.  All but views/mount is processor time, on one core: of
# the views made in one process (tests/bench/views), of Gumbo parsing the same
# bytes there and freeing the tree, of lynx and w3m started for each page.

views_seconds=2		# for one sample

# The pages as $work/html/*.html
need_html() { once html make_html; }
make_html() {
	local d=$work/html f n=0
	local real=${CFS_DATA:-$here/../../../shared/data}
	real=$real/textextract/article-extraction-benchmark
	rm -rf "$d" && mkdir -p "$d" || return
	if [ -n "${BENCH_HTML:-}" ]; then
		cp "$BENCH_HTML"/*.html "$d"
	elif ls "$real"/*.html.gz >/dev/null 2>&1; then
		for f in "$real"/*.html.gz; do
			gzip -dc "$f" >"$d/$(basename "$f" .gz)" || return
		done
	else
		[ -n "$can_mount" ] || return
		need_native cat views=raw
		find "$work/native-cat" -type f | sort | head -n 200 |
			while read -r f; do
				n=$((n + 1))
				cp "$f" "$d/$n.html" || return
			done
	fi
	ls "$d"/*.html >/dev/null
}

# need_html_crawl N: the same as records of one archive, each N times, and its
# index, html-crawl-N.cfx.
need_html_crawl() { need_html && once "html-crawl-$1" make_html_crawl "$1"; }
make_html_crawl() {
	local f i n=0 d=$work/html-crawl-$1 bytes
	rm -rf "$d" && mkdir -p "$d" || return
	for ((i = 1; i <= $1; i++)); do
		for f in "$work"/html/*.html; do
			n=$((n + 1))
			bytes=$(stat -c %s "$f")
			{
				printf 'WARC/1.0\r\nWARC-Type: response\r\n'
				printf 'WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-%012d>\r\n' $n
				printf 'WARC-Date: 2024-02-20T00:00:00Z\r\n'
				printf 'WARC-Target-URI: http://www.example.com/%d/%d.html\r\n' $i $n
				printf 'Content-Type: application/http; msgtype=response\r\n'
				printf 'Content-Length: %d\r\n\r\n' $((bytes + 44))
				printf 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n'
				cat "$f"
				printf '\r\n\r\n'
			} | gzip -6 >>"$d/pages.warc.gz" || return
		done
	done
	"$crawlfs" index -q -o "$d.cfx" "$d"
}

# cpu COMMAND...: its processor seconds
cpu() {
	local TIMEFORMAT='%U %S'
	{ time "$@" >/dev/null 2>"$work/tmp/log" </dev/null; } 2>&1 |
		awk '{ print $1 + $2 }'
}
each_page() {
	local f
	for f in "$work"/html/*.html; do
		"$@" "$f"
	done
}

# view_sample MODE WORKLOAD PARTY
view_sample() {
	local n bytes seconds
	read -r n bytes seconds < <("$views" "$1" "$views_seconds" \
		"$work"/html/*.html) || die "views $1 failed"
	sample "$2" "$3" "$(mega "$bytes" "$seconds")"
}
dump_sample() {
	local party=$1
	shift
	sample views/txt "$party" "$(mega "$html_bytes" "$(cpu each_page "$@")")"
}

# hostile_sample VIEW: the worst of all kinds of pages of 10 MiB
hostile_sample() {
	python3 "$here/hostile_pages.py" cost "$views" "$1" "$work/hostile" \
		>"$work/tmp/costs" || die "hostile_pages.py failed"
	sample "views/hostile-$1" crawlfs \
		"$(awk '$1 > worst { worst = $1 } END { print worst }' "$work/tmp/costs")"
	sample "views/hostile-$1" aim 0.1
	sample "views/hostile-$1-memory" crawlfs \
		"$(awk '$2 > worst { worst = $2 } END { print worst }' "$work/tmp/costs")"
	sample "views/hostile-$1-memory" aim 64
}
make_hostile() { python3 "$here/hostile_pages.py" pages "$work/hostile" 10; }
bench_hostile() {
	local i view
	want views/hostile-txt || want views/hostile-meta ||
		want views/hostile-md || return 0
	once hostile make_hostile
	for ((i = 0; i < runs; i++)); do
		for view in txt meta md; do hostile_sample $view; done
	done
	for view in txt meta md; do
		row "views/hostile-$view" s/MiB crawlfs aim \
			"less is better: the worst kind of page, 10 MiB each"
		row "views/hostile-$view-memory" MiB crawlfs aim \
			"less is better: above what a small page takes"
	done
}

bench_views() {
	local i party html_bytes html_pages note has_gumbo=
	pkg-config --exists gumbo 2>/dev/null && has_gumbo=yes
	if want views/txt || want views/meta || want views/mount ||
	   want views/mount-long; then
		need_html
		html_bytes=$(cat "$work"/html/*.html | wc -c)
		html_pages=$(find "$work/html" -name '*.html' | wc -l)
		note="$html_pages pages, $html_bytes bytes, one core"
	fi
	if want views/txt || want views/meta; then
		for ((i = 0; i < runs; i++)); do
			for party in txt meta; do
				view_sample $party "views/$party" crawlfs
				[ -z "$has_gumbo" ] ||
					view_sample gumbo "views/$party" gumbo
			done
			command -v lynx >/dev/null &&
				dump_sample lynx lynx -dump -nolist -force_html
			command -v w3m >/dev/null &&
				dump_sample w3m w3m -dump -T text/html
		done
		row views/txt MB/s crawlfs gumbo "aim 10; $note"
		row views/txt MB/s crawlfs lynx "a process for each page; $note"
		row views/txt MB/s crawlfs w3m "a process for each page; $note"
		row views/meta MB/s crawlfs gumbo "aim 6; $note"
	fi
	bench_hostile
	bench_views_mount
}

# Every .txt, .meta and .md of a fresh mount, read with cat: of few pages, where most
# of the time is the beginning, and of many.
bench_views_mount() {
	[ -n "$can_mount" ] || return 0
	views_mount views/mount 4
	views_mount views/mount-long 40
}
views_mount() {		# views_mount WORKLOAD N
	local i view n
	want "$1" || return 0
	need_html_crawl "$2"
	n=$(($2 * html_pages))
	for ((i = 0; i < runs; i++)); do
		for view in raw txt meta md; do
			start_crawlfs "html-crawl-$2" "views=$view"
			run_clients "$1" $view $n \
				drain find "$mnt" -type f -exec cat {} +
			leave
		done
	done
	row "$1" pages/s txt raw "$n pages, cat of all; raw is the pages themselves"
	row "$1" pages/s meta raw "$n pages, cat of all; raw is the pages themselves"
	row "$1" pages/s md txt "aim 0.5; $n pages, cat of all"
}
