# serve.sh - part of bench.sh: crawlfs serve beside a server of files.
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2154,SC2086	# variables of the other parts; none
#
#   serve/pages    the pages of views.sh over 8 connections of h2load, HTTP/1.1:
#                  crawlfs serve of the archive and its index, beside nginx of
#                  the same pages unpacked.  Each connection asks for the pages
#                  from the first one on, as many as its part of the requests.
#                  Both have sent these once.
#   serve/memory   the greatest memory of crawlfs serve with --mem=64M, for the
#                  same pages over 64 connections
#   serve/search-rare, -common, -phrase
#                  milliseconds of a page of results for a word that is on few
#                  pages of crawlfs-mkcrawl, for one that is on many, and for a
#                  phrase of two that are, each once before; beside the aim for
#                  a word
# The first two are left out where there is no h2load (Debian: nghttp2-client) or nginx.

SERVE_REPEATS=5		# of all pages, in a run

need_served() { need_html_crawl 45 && once served make_served; }
# The pages as files, and their paths.
make_served() {
	local d=$work/served
	rm -rf "$d" && mkdir -p "$d/files" || return
	start_crawlfs html-crawl-45 views=raw
	cp -r "$mnt/." "$d/files/"
	leave
	(cd "$d/files" && find com -type f) >"$d/paths"
	[ -s "$d/paths" ]
}

# hits URL CONNECTIONS: requests a second; fails unless all are answered by 200
hits() {
	local n=$((SERVE_REPEATS * served)) text
	sed "s|^|$1/|" "$work/served/paths" >"$work/tmp/urls"
	text=$(h2load --h1 -t 1 -c "$2" -n "$n" -i "$work/tmp/urls" 2>&1)
	grep -q "^status codes: $n 2xx" <<<"$text" ||
		die "h2load $1: $(tail -n 8 <<<"$text")"
	sed -n 's|^finished in .*, \([0-9.]*\) req/s.*|\1|p' <<<"$text"
}

# start_crawlfs_serve SET [OPTION...]
start_crawlfs_serve() {
	local set=$1
	shift
	"$crawlfs" serve --listen=127.0.0.1:0 "$@" "$work/$set.cfx" >"$work/tmp/serve.log" 2>&1 &
	serve_pid=$!
	for _ in $(seq 300); do
		serve_url=$(grep -o 'http://[0-9.:]*' "$work/tmp/serve.log" |
			head -n 1)
		[ -z "$serve_url" ] || return 0
		sleep 0.1
	done
	die "crawlfs serve: $(cat "$work/tmp/serve.log")"
}
start_file_server() {
	local port
	port=$(free_port)
	cat >"$work/tmp/files.conf" <<-E
		daemon off; user $(id -un); worker_processes auto; pid $work/tmp/files.pid;
		events { }
		http { access_log off; keepalive_requests 1000000; sendfile on;
			open_file_cache max=10000;
			server { listen 127.0.0.1:$port; root $work/served/files; } }
	E
	nginx -c "$work/tmp/files.conf" -e "$work/tmp/files.err" \
		>"$work/tmp/files.log" 2>&1 &
	files_pid=$!
	files_url=http://127.0.0.1:$port
	for _ in $(seq 300); do
		curl -s -o /dev/null "$files_url/" && return
		sleep 0.1
	done
	die "nginx: $(cat "$work/tmp/files.err")"
}

# A crawl with a list of words, and three queries: the words of its texts that
# are on the fewest and the most pages out of a thousand, and two words that
# follow one another.
need_searched() { once searched make_searched; }
make_searched() {
	local d=$work/searched
	rm -rf "$d" && "$mkcrawl" --warc --bare --records "$searched_n" \
		--hostile 0 --page-bytes 5000 "$d" >"$work/tmp/log" &&
		rm "$d/manifest.tsv" &&
		"$crawlfs" index -q --words -o "$d.cfx" "$d" &&
		"$crawlfs" export -q --order=archive --fields=text "$d" |
		head -n 1000 | python3 "$here/words_to_find.py" >"$d.queries" &&
		[ "$(wc -l <"$d.queries")" = 3 ]
}

# search_ms QUERY: milliseconds of a page of results, which must find something
search_ms() {
	curl -s -G -o "$work/tmp/found" -w '%{time_total}' --data-urlencode \
		"q=$1" -d in=words "$serve_url/search" |
		awk '{ printf "%.2f", 1000 * $1 }'
	grep -q '<mark>' "$work/tmp/found" || die "nothing found: $1"
}

bench_searches() {
	local i name query
	want serve/search-rare || want serve/search-common ||
		want serve/search-phrase || return 0
	searched_n=2000
	[ "$scale" = small ] || searched_n=200000
	need_searched
	start_crawlfs_serve searched
	while IFS="	" read -r name query; do
		search_ms "$query" >/dev/null
		for ((i = 0; i < runs; i++)); do
			sample "serve/search-$name" crawlfs \
				"$(search_ms "$query")"
			sample "serve/search-$name" aim 50
		done
		row "serve/search-$name" ms crawlfs aim "less is better; $(sed -n \
			's/.*id="total" value="\([0-9]*\)".*/\1/p' \
			"$work/tmp/found") of $searched_n captures"
	done <"$work/searched.queries"
	end_serve
}

bench_serve() {
	bench_searches
	bench_pages
}

bench_pages() {
	local i
	want serve/pages || want serve/memory || return 0
	if ! has_program h2load || ! has_program nginx; then
		say "no h2load or nginx: serve/ is left out"
		return 0
	fi
	need_served
	served=$(wc -l <"$work/served/paths")
	start_crawlfs_serve html-crawl-45
	start_file_server
	hits "$serve_url/dav" 8 >/dev/null
	hits "$files_url" 8 >/dev/null
	for ((i = 0; i < runs; i++)); do
		sample serve/pages crawlfs "$(hits "$serve_url/dav" 8)"
		sample serve/pages nginx "$(hits "$files_url" 8)"
	done
	end_serve
	start_crawlfs_serve html-crawl-45 --mem=64M
	hits "$serve_url/dav" 64 >/dev/null
	sample serve/memory crawlfs \
		"$(awk '/^VmHWM/ { print $2 }' "/proc/$serve_pid/status")"
	sample serve/memory aim $((128 * 1024))
	end_serve
	row serve/pages requests/s crawlfs nginx \
		"aim 0.8; $served pages, 8 connections"
	row serve/memory KiB crawlfs aim "less is better; --mem=64M and 64 MiB"
}
