# data.sh - part of bench.sh: the crawls, and the trees they are compared with.
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2154,SC2034	# variables of the other parts

# Sets: dirs and flat for listings, cat for reading, web for building, huge;
# small and wild for both, in many small folders; far for reading from a server
# (remote.sh).
set_scale() {
	scale=$1
	case $scale in
	full)
		dirs_n=2000 files_n=100 flat_n=1000000
		small_dirs=110000 wild_n=1000000
		cat_dirs=200 cat_files=100 web_n=29000 web_archive=25000000
		huge_bytes=67108864 export_mb=200 lookup_ns='100000 1000000 10000000'
		huge50_n=50000000 huge50_mb=1024 merge_n=4000000
		words_n=200000 million_n=1000000
		union_n=1200000 union_cat_n=20000 captures_n=100000
		mem_large=411 mem_many=64 mem_bytes=20
		far_dirs=20 far_files=100
		lookup_count=100000 pdf_docs=1000
		selection_rows=1000000 stat_count=20000 need_mb=15000 default_runs=5
		;;
	small)
		dirs_n=20 files_n=100 flat_n=10000
		small_dirs=1100 wild_n=10000
		cat_dirs=2 cat_files=100 web_n=290 web_archive=250000
		huge_bytes=671088 export_mb=12 lookup_ns='1000 10000 100000'
		huge50_n=500000 huge50_mb=16 merge_n=40000
		words_n=3000 million_n=20000
		union_n=12000 union_cat_n=1000 captures_n=1000
		mem_large=66 mem_many=8 mem_bytes=3
		far_dirs=2 far_files=100
		lookup_count=1000 pdf_docs=40
		selection_rows=10000 stat_count=200 need_mb=400 default_runs=2
		;;
	*) die "BENCH_SCALE is 'full' or 'small', not '$scale'" ;;
	esac
	limit_pool=256		# pages that the limit inflates in turn
	list_bytes=400		# mean of a page in dirs, flat, small and wild
	cat_bytes=70000		# in cat and web: of a page of today's web
}

# pages SET; folders SET
pages() {
	case $1 in
	dirs*) echo $((dirs_n * files_n)) ;;
	flat*) echo "$flat_n" ;;
	cat*) echo $((cat_dirs * cat_files)) ;;
	small) echo $((2 * small_dirs)) ;;
	esac
}

# Below the top of a mount or native tree: where the pages are.
inside() {
	case $1 in
	dirs*) echo com/example/dirs/_ ;;
	flat*) echo com/example/flat/_/pages ;;
	cat* | small) echo com/example/dirs/_ ;;
	wild) echo . ;;
	esac
}

# once NAME COMMAND...: unless it was done, and kept, before
once() {
	local name=$1
	shift
	[ -e "$work/$name.done" ] && return 0
	say "making $name"
	"$@" || die "cannot make $name"
	: >"$work/$name.done"
}

# The crawl of a set, and its index.
need_crawl() { once "$1" make_crawl "$1"; }
make_crawl() {
	local set=$1 d=$work/$1
	rm -rf "$d"
	case $set in
	dirs) mk --shape "dirs=$dirs_n" --bare --records "$(pages dirs)" \
		--page-bytes "$list_bytes" "$d" ;;
	flat) mk --shape flat --bare --records "$flat_n" \
		--page-bytes "$list_bytes" "$d" ;;
	small) mk --shape "dirs=$small_dirs" --bare --records "$(pages small)" \
		--page-bytes "$list_bytes" "$d" ;;
	wild) mk --bare --records "$wild_n" --page-bytes "$list_bytes" "$d" ;;
	cat) mk --shape "dirs=$cat_dirs" --records "$(pages cat)" \
		--page-bytes "$cat_bytes" "$d" ;;
	web) mk --shape web --records "$web_n" --page-bytes "$cat_bytes" \
		--archive-bytes "$web_archive" "$d" ;;
	huge) make_huge "$d" ;;
	esac || return
	[ "$set" = web ] || "$crawlfs" index -q -o "$work/$set.cfx" "$d"
}
mk() { "$mkcrawl" --warc "$@" >/dev/null; }

# One record with a body of $huge_bytes: text of the web set.
make_huge() {
	local body=$work/tmp/body head=$work/tmp/head
	need_crawl web
	mkdir -p "$1" || return
	find "$work/web" -name '*.warc.gz' -print0 | sort -z |
		xargs -0 gzip -dc 2>/dev/null | head -c "$huge_bytes" >"$body"
	[ "$(stat -c %s "$body")" = "$huge_bytes" ] || return
	printf 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %s\r\n\r\n' \
		"$huge_bytes" >"$head"
	{
		printf 'WARC/1.0\r\nWARC-Type: response\r\n'
		printf 'WARC-Record-ID: <urn:uuid:%s>\r\n' \
			00000000-0000-4000-8000-000000000001
		printf 'WARC-Date: 2024-02-20T00:00:00Z\r\n'
		printf 'WARC-Target-URI: http://huge.example.com/body.txt\r\n'
		printf 'Content-Type: application/http; msgtype=response\r\n'
		printf 'Content-Length: %s\r\n\r\n' \
			$((huge_bytes + $(stat -c %s "$head")))
		cat "$head" "$body"
		printf '\r\n\r\n'
	} | gzip -6 >"$1/huge.warc.gz"
	rm -f "$body" "$head"
}

# need_native SET VIEWS: $work/native-SET.  Holes in dirs and flat.
need_native() {
	need_crawl "${1%3}"
	once "native-$1" make_native "$1" "$2"
}
make_native() {
	local to=$work/native-$1
	rm -rf "$to"
	mkdir "$to" && start_crawlfs "${1%3}" "$2" || return
	case $1 in
	dirs* | flat*) "$clients" shadow "$mnt" "$to" >/dev/null ;;
	*) cp -r "$mnt/." "$to" ;;
	esac || return
	unmount
	sync
}

# Mean bytes of a page of a set.
mean_bytes() {
	awk -F '\t' 'NR > 1 { n += $9 } END { print int(n / (NR - 1)) }' \
		"$work/$1/manifest.tsv"
}
body_bytes() {
	awk -F '\t' 'NR > 1 { n += $9 } END { printf "%.0f", n }' \
		"$work/$1/manifest.tsv"
}
# Mean bytes of a record of a set, compressed.
mean_record() {
	awk -F '\t' 'NR > 1 { n += $7 } END { print int(n / (NR - 1)) }' \
		"$work/$1/manifest.tsv"
}

# need_pages SET: $work/pages-SET, text for the limit's pages
need_pages() { once "pages-$1" make_pages "$1"; }
make_pages() {
	local want_bytes=$((limit_pool * $(mean_bytes "$1"))) to=$work/pages-$1
	rm -f "$to"
	while [ ! -f "$to" ] || [ "$(stat -c %s "$to")" -lt "$want_bytes" ]; do
		find "$work/native-$1" -type f -print0 | sort -z |
			head -z -n 2000 | xargs -0 cat >>"$to" || return
	done
}

# need_lists: names of the pages of cat, in order and shuffled, below
# inside(), for crawlfs and its like (.crawl) and for the limit (.limit)
need_lists() { once lists make_lists; }
make_lists() {
	local kind
	awk -v d="$cat_dirs" -v f="$cat_files" -v dir="$work" 'BEGIN {
		for (i = 0; i < d; i++) for (j = 0; j < f; j++) {
			printf "d%06d/p%07d.html\n", i, j > (dir "/list.crawl")
			printf "d%06d/f%07d.html\n", i, j > (dir "/list.limit")
		}
	}' || return
	for kind in crawl limit; do
		shuf --random-source="$work/list.crawl" "$work/list.$kind" \
			>"$work/shuffled.$kind" || return
	done
}

# need_shape SET: $work/SET.shape, of the tree below inside(): folders, files,
# all names, the mean length of a file's name (13, the least that the limit takes)
need_shape() { once "$1.shape" make_shape "$1"; }
make_shape() {
	find "$work/native-$1/$(inside "$1")" -mindepth 1 -printf '%y %f\0' |
		tr '\n\0' ' \n' | awk '
			/^d/ { dirs++ }
			/^f/ { files++; bytes += length($0) - 2 }
			END {
				mean = int(bytes / files + 0.5)
				print dirs, files, NR, mean < 13 ? 13 : mean
			}
		' >"$work/$1.shape"
}
