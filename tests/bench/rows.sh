# rows.sh - part of bench.sh: the workloads and their rows.
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2154,SC2034	# variables of the other parts

# run_clients WORKLOAD PARTY COUNT ARG...: one sample, COUNT a second; a COUNT
# of "count" or "mega" takes what the driver counted, or its millions; "shape"
# is as many as the party shows of the set that the workload is named after
run_clients() {
	local name=$1 party=$2 count=$3 result n seconds
	shift 3
	result=$("$clients" "$@") || die "$name on $party: the reader failed"
	n=${result% *}
	seconds=${result#* }
	if [ "$1" = time ] && [ "$n" != 0 ]; then
		die "$name on $party: '${*:2}' failed"
	fi
	case $count in
	count) sample "$name" "$party" "$(rate "$n" "$seconds")" ;;
	mega) sample "$name" "$party" "$(mega "$n" "$seconds")" ;;
	shape)
		n=${name#*/}
		n=$(shape_of "$party" "${name%%/*}" "${n%/*}")
		sample "$name" "$party" "$(rate "$n" "$seconds")"
		;;
	*) sample "$name" "$party" "$(rate "$count" "$seconds")" ;;
	esac
}

# take_turns WORKLOAD SET VIEWS COUNT FUNCTION: samples of every party, cold
# and warm.  FUNCTION puts the driver's arguments into $args.
take_turns() {
	local name=$1 set=$2 views=$3 count=$4 fn=$5 i party
	for ((i = 0; i < runs; i++)); do
		for party in $(parties "$set"); do
			enter "$party" "$set" "$views"
			"$fn" "$party"
			run_clients "$name/cold" "$party" "$count" "${args[@]}"
			run_clients "$name/warm" "$party" "$count" "${args[@]}"
			leave
		done
	done
}

# rows_of WORKLOAD SET UNIT [NOTE]: crawlfs against every other party
rows_of() {
	local heat party note
	for heat in cold warm; do
		for party in $(parties "$2"); do
			note=${4:-}
			[ "$party" = limit ] || note=
			[ "$party" = crawlfs ] ||
				row "$1/$heat" "$3" crawlfs "$party" "$note"
		done
	done
}

# ---- listings ----

args_find_type() { args=(time find "$root" -type f); }
args_find_size() { args=(time find "$root" -size +0); }
args_ls_f() { args=(time ls -fR "$root"); }
args_ls_lR() { args=(time ls -lR "$root"); }
args_ls_lR_inside() { args=(time env -C "$root" ls -lR); }
args_getdents() { args=(getdents "$root" 32768); }

list_kinds='find-type find-size ls-f ls-lR ls-lR-inside'

# check_trees SET VIEWS NAMES: every party shows so many files
check_trees() {
	local party n
	for party in $(parties "$1"); do
		enter "$party" "$1" "$2"
		n=$(find "$root" -type f | wc -l)
		leave
		[ "$n" = "$3" ] || die "$party shows $n files of $1, not $3"
	done
}

# What the project aims at, of the limit.
list_aim() {
	case $1 in
	flat*) echo "aim 0.5" ;;
	*/find-* | */ls-lR*) echo "aim 0.8" ;;
	esac
}

# list_set SET VIEWS NAMES KIND...
list_set() {
	local set=$1 views=$2 names=$3 kind kinds=
	shift 3
	for kind; do
		want_any "$set" "$kind" && kinds="$kinds $kind"
	done
	[ -n "$kinds" ] || return 0
	need_crawl "${set%3}"
	if [ "$set" != flat3 ]; then
		need_native "$set" "$views"
		need_images "$set"
	fi
	check_trees "$set" "$views" "$names"
	for kind in $kinds; do
		take_turns "$set/$kind" "$set" "$views" "$names" \
			"args_${kind//-/_}"
		rows_of "$set/$kind" "$set" names/s "$(list_aim "$set/$kind")"
	done
}

bench_listings() {
	[ -n "$can_mount" ] || return 0
	# shellcheck disable=SC2086	# words
	list_set dirs views=raw "$(pages dirs)" $list_kinds
	# shellcheck disable=SC2086
	list_set flat views=raw "$(pages flat)" $list_kinds getdents
	# shellcheck disable=SC2086
	list_set dirs3 '' $((3 * $(pages dirs))) $list_kinds
	list_set flat3 '' $((3 * $(pages flat))) find-type ls-f
}

# ---- many small folders ----

args_du() { args=(time du -s "$root"); }

small_kinds='find-type find-size ls-lR du grep'

# shape_of PARTY SET KIND: how many files (grep) or names a party shows.  The
# limit's tree of wild has a few more or less than the others.
shape_of() {
	local dirs files names name_bytes
	read -r dirs files names name_bytes <"$work/$2.shape"
	if [ "$1" = limit ] && [ "$2" = wild ]; then
		files=$((dirs * ((files + dirs / 2) / dirs)))
		names=$((dirs + files))
	fi
	if [ "$3" = grep ]; then
		echo "$files"
	else
		echo "$names"
	fi
}

# small_set SET: find, ls, du and grep -r
small_set() {
	local set=$1 kind kinds= party n wanted
	for kind in $small_kinds; do
		want_any "$set" "$kind" && kinds="$kinds $kind"
	done
	[ -n "$kinds" ] || return 0
	need_crawl "$set"
	need_native "$set" views=raw
	need_shape "$set"
	need_pages "$set"
	for party in $(parties "$set"); do
		enter "$party" "$set" views=raw
		n=$(find "$root" -mindepth 1 -printf x | wc -c)
		leave
		wanted=$(shape_of "$party" "$set" find-type)
		[ "$n" = "$wanted" ] || die "$party shows $n names of $set, not $wanted"
	done
	for kind in $kinds; do
		# what is best for the limit, in folders of a few files
		limit_rdplus=always
		[ "$kind" != find-type ] || limit_rdplus=adapt
		take_turns "$set/$kind" "$set" views=raw shape \
			"args_${kind//-/_}"
		rows_of "$set/$kind" "$set" "$([ "$kind" = grep ] &&
			echo files/s || echo names/s)" \
			"aim 0.85 cold, 0.7 warm; $(shape_note "$set")"
	done
	limit_rdplus=
}
shape_note() {
	local dirs files names name_bytes
	read -r dirs files names name_bytes <"$work/$1.shape"
	echo "$files files in $dirs folders"
}

bench_small() {
	[ -n "$can_mount" ] || return 0
	small_set small
	small_set wild
}

# ---- reading ----

# list_for PARTY KIND: the list that party understands
list_for() {
	case $1 in
	limit) echo "$work/$2.limit" ;;
	*) echo "$work/$2.crawl" ;;
	esac
}
args_cat_1() { args=(readall "$root" "$(list_for "$1" list)" 1); }
args_cat_2() { args=(readall "$root" "$(list_for "$1" list)" 2); }
args_open_4k_1() { args=(read4k "$root" "$(list_for "$1" shuffled)" 1); }
args_open_4k_2() { args=(read4k "$root" "$(list_for "$1" shuffled)" 2); }
args_stat_1() { args=(stat "$root" "$(list_for "$1" shuffled)" 1); }
args_stat_2() { args=(stat "$root" "$(list_for "$1" shuffled)" 2); }
# xargs_cat PARTY PROCESSES: cat itself, a hundred names at a time
xargs_cat() {
	args=(time env -C "$root" xargs -P "$2" -n 100
		-a "$(list_for "$1" list)" cat)
}
args_xargs_cat() { xargs_cat "$1" 1; }
args_xargs_P2_cat() { xargs_cat "$1" 2; }
args_grep() { args=(drain grep -rcF thread "$root"); }
args_tar() { args=(drain tar cf - -C "$root" .); }

read_kinds='cat-1 cat-2 xargs-cat xargs-P2-cat open-4k-1 open-4k-2 stat-1 stat-2
	grep tar'

read_note() {
	local z
	# shellcheck disable=SC2046	# words
	z=$(BENCH_PAGES=$work/pages-cat "$limit" $(limit_inflates) \
		--size "$(mean_bytes cat)" /nonexistent 2>&1 |
		sed -n 's/^records: [0-9]* -> //p')
	echo "aim 0.85 for cat; page $(mean_bytes cat) bytes from" \
		"$(mean_record cat); limit: from ${z:-? bytes}"
}

bench_reading() {
	local kind note=
	[ -n "$can_mount" ] || return 0
	# shellcheck disable=SC2086	# words
	if want_any read $read_kinds || want disk/cat-1; then
		need_crawl cat
		need_native cat views=raw
		need_images cat
		need_lists
		need_pages cat
		check_bytes
		[ -z "$limit" ] || note=$(read_note)
	fi
	for kind in $read_kinds; do
		want_any read "$kind" || continue
		take_turns "read/$kind" cat views=raw "$(pages cat)" \
			"args_${kind//-/_}"
		rows_of "read/$kind" cat files/s "$note"
	done
	bench_disk
	bench_huge
}

# The copy is whole: as many bytes as were put into the archives.
check_bytes() {
	local n
	n=$(find "$work/native-cat" -type f -printf '%s\n' |
		awk '{ n += $1 } END { printf "%.0f", n }')
	[ "$n" = "$(body_bytes cat)" ] ||
		die "native-cat has $n bytes, the crawl $(body_bytes cat)"
}

# Nothing in memory, not even archives and native files.
bench_disk() {
	local i party drop=3
	want disk/cat-1 || return 0
	for ((i = 0; i < runs; i++)); do
		for party in $(parties cat); do
			[ "$party" != limit ] || continue
			enter "$party" cat views=raw
			args_cat_1 "$party"
			run_clients disk/cat-1 "$party" "$(pages cat)" "${args[@]}"
			leave
		done
	done
	row disk/cat-1 files/s crawlfs native "page cache dropped too"
	row disk/cat-1 files/s crawlfs squashfuse "page cache dropped too"
}

args_huge() {
	args=(seq "$mnt/com/example/huge/_/body.txt")
	case $1 in
	native) args=(seq "$work/native-huge/com/example/huge/_/body.txt") ;;
	limit) args=(seq "$mnt/ONE") ;;
	esac
}
bench_huge() {
	local i
	want_any huge sequential || return 0
	need_crawl huge
	need_native huge views=raw
	need_images huge
	take_turns huge/sequential huge views=raw mega args_huge
	for ((i = 0; i < runs; i++)); do
		run_clients huge/sequential/cold gzip-dc mega \
			drain gzip -dc "$work/huge/huge.warc.gz"
	done
	rows_of huge/sequential huge MB/s "the limit inflates nothing here"
	row huge/sequential/cold MB/s crawlfs gzip-dc "$huge_bytes bytes, one member"
}

# ---- building ----

# build_one PARTY FOLDER FILE...: prints "STATUS SECONDS"
build_one() {
	local party=$1 folder=$2
	shift 2
	case $party in
	crawlfs | no-views)
		"$clients" time "$crawlfs" index --threads 2 \
			"--${party/crawlfs/views}" -o "$work/tmp/web.cfx" "$folder"
		;;
	gzip-dc) "$clients" time gzip -dc "$@" ;;
	gzip-dc-P2)
		printf '%s\n' "$@" >"$work/tmp/archives"
		"$clients" time xargs -a "$work/tmp/archives" -P 2 -n 1 gzip -dc
		;;
	esac
}

# The real pages of views/, in ten equal archives: a build is to take longer
# than it takes to begin and to end it.
make_articles() {
	local i d=$work/articles
	need_html_crawl 4 && rm -rf "$d" && mkdir "$d" || return
	for i in 0 1 2 3 4 5 6 7 8 9; do
		cp "$work/html-crawl-4/pages.warc.gz" "$d/$i.warc.gz" || return
	done
}
bench_articles() {
	local d=$work/articles bytes i party result
	want build/articles || return 0
	once articles make_articles
	bytes=$(cat "$d"/*.warc.gz | wc -c)
	for ((i = 0; i < runs; i++)); do
		for party in crawlfs no-views gzip-dc; do
			rm -f "$work/tmp/web.cfx"
			result=$(build_one "$party" "$d" "$d"/*.warc.gz \
				2>"$work/tmp/log")
			[ "${result% *}" = 0 ] || die "$party fails on real pages"
			sample build/articles "$party" "$(mega "$bytes" "${result#* }")"
		done
	done
	for party in crawlfs no-views; do
		row build/articles MB/s "$party" gzip-dc \
			"aim above 1; $bytes bytes of .warc.gz, 2 threads"
	done
}

bench_building() {
	local files bytes captures i party result
	bench_articles
	if ! want build/MB && ! want build/captures && ! want build/bytes; then
		return 0
	fi
	need_crawl web
	mapfile -t files < <(find "$work/web" -name '*.warc.gz' | sort)
	bytes=$(cat "${files[@]}" | wc -c)	# and they are in memory now
	captures=$(($(wc -l <"$work/web/manifest.tsv") - 1))
	for ((i = 0; i < runs; i++)); do
		for party in crawlfs no-views gzip-dc gzip-dc-P2; do
			rm -f "$work/tmp/web.cfx"
			result=$(build_one "$party" "$work/web" "${files[@]}" 2>"$work/tmp/log")
			[ "${result% *}" = 0 ] || die "$party fails on the web set"
			sample build/MB "$party" "$(mega "$bytes" "${result#* }")"
			sample build/captures "$party" \
				"$(rate "$captures" "${result#* }")"
			[ "$party" != crawlfs ] || build_bytes
		done
	done
	for party in gzip-dc gzip-dc-P2; do
		row build/MB MB/s crawlfs "$party" \
			"aim above 1; $bytes bytes of .warc.gz, 2 threads"
		row build/captures captures/s crawlfs "$party" \
			"$captures captures, 2 threads"
		row build/MB MB/s no-views "$party" "--no-views, 2 threads"
	done
	row build/bytes bytes/capture crawlfs aim "less is better; aim 40"
}
build_bytes() {
	sample build/bytes crawlfs "$(awk -v b="$(stat -c %s "$work/tmp/web.cfx")" \
		-v n="$captures" 'BEGIN { printf "%.2f", b / n }')"
	sample build/bytes aim 40
}

# ---- lookups ----

need_keys() { once "keys-$1-$2" make_keys "$1" "$2"; }
make_keys() {
	"$lookups" build "$1" "$2" "$work/keys-$2.$1" >/dev/null
}

# look_up KIND FORMAT MIB: a party for each number of keys
look_up() {
	local kind=$1 format=$2 mib=$3 n first depth0 depth name files=()
	name=lookup/$format-$kind-cache$mib
	want "$name" || return 0
	for n in $lookup_ns; do
		need_keys "$format" "$n"
		files+=("$n" "$work/keys-$n.$format")
	done
	while read -r n count seconds; do
		sample "$name" "$n" "$(rate "$count" "$seconds")"
	done < <("$lookups" "$kind" "$lookup_count" "$runs" "$mib" "${files[@]}")
	first=${lookup_ns%% *}
	depth0=$("$lookups" depth "$work/keys-$first.$format")
	for n in ${lookup_ns#* }; do
		depth=$("$lookups" depth "$work/keys-$n.$format")
		row "$name" lookups/s "$n" "$first" \
			"aim $(ratio "$depth0" "$depth"); depth $depth against $depth0; $mib MiB of blocks"
	done
}

bench_lookups() {
	local format kind
	for format in cfx pbtree; do
		for kind in hit miss tree; do
			look_up "$kind" "$format" 2048
		done
		look_up hit "$format" 64
		stat_keys "$format"
	done
}

# The same through a mount: stat of random pages, cold.
stat_keys() {
	local format=$1 i n name=lookup/$1-stat first=${lookup_ns%% *}
	if [ -z "$can_mount" ] || ! want "$name"; then
		return 0
	fi
	for n in $lookup_ns; do
		need_keys "$format" "$n"
		"$lookups" paths "$n" "$stat_count" >"$work/tmp/paths-$n"
	done
	for ((i = 0; i < runs; i++)); do
		for n in $lookup_ns; do
			start_daemon "$crawlfs" mount "$work/keys-$n.$format" \
				"$mnt" -f -o missing=ok
			run_clients "$name" "$n" "$stat_count" \
				stat "$mnt" "$work/tmp/paths-$n" 1
			leave
		done
	done
	for n in ${lookup_ns#* }; do
		row "$name" files/s "$n" "$first" \
			"$stat_count random pages through a fresh mount"
	done
}

# ---- memory ----

# status_kib FIELD: of the daemon
status_kib() { awk -v f="$1:" '$1 == f { print $2 }' "/proc/$mount_pid/status"; }
peak_reset() { echo 5 >"/proc/$mount_pid/clear_refs"; }

mem_mib=16	# -o mem=: so little that the caches are full

# beyond NAME KIB: what is above -o mem=, against the aim of 64 MiB
beyond() {
	sample "$1" crawlfs $(($2 > mem_mib * 1024 ? $2 - mem_mib * 1024 : 0))
	sample "$1" aim 65536
}

# memory_of NAME SET COMMAND...: before it, and the peak while it runs
memory_of() {
	local name=$1 set=$2 i before peak
	shift 2
	want "memory/$name" || want memory/flat-find-growth || return 0
	need_crawl "$set"
	for ((i = 0; i < runs; i++)); do
		start_crawlfs "$set" "views=raw,mem=${mem_mib}M"
		find "$mnt" -maxdepth 1 >/dev/null
		before=$(status_kib VmRSS)
		peak_reset
		"$@" >/dev/null || die "memory of $name: the reader failed"
		peak=$(status_kib VmHWM)
		sample "memory/$name-start" crawlfs "$before"
		beyond "memory/$name" "$peak"
		sample "memory/$name-peak" crawlfs "$peak"
		sample "memory/$name-peak" before "$before"
		leave
	done
	row "memory/$name" KiB crawlfs aim \
		"less is better; peak RSS beyond -o mem=${mem_mib}M, aim 64 MiB"
	row "memory/$name-peak" KiB crawlfs before \
		"less is better; peak RSS against RSS after mounting"
}
read_every_page() { find "$mnt" -type f -exec cat {} +; }

bench_memory() {
	[ -n "$can_mount" ] || return 0
	memory_of dirs-find dirs find "$mnt" -size +0
	memory_of flat-find flat find "$mnt" -size +0
	memory_of cat cat read_every_page
	local s=$work/samples/memory
	want memory/flat-find-growth || return 0
	mkdir -p "$s/flat-find-growth" &&
		cp "$s/flat-find-peak/crawlfs" "$s/flat-find-growth/" &&
		cp "$s/dirs-find-peak/crawlfs" "$s/flat-find-growth/dirs"
	row memory/flat-find-growth KiB crawlfs dirs \
		"less is better; peak RSS, find of $(pages flat) pages against $(pages dirs)"
}

# ---- starting ----

# time_start PARTY: from the command to the end of the first ls
time_start() {
	local result
	case $1 in
	crawlfs) set -- "$crawlfs" mount "$work/dirs" "$mnt" ;;
	crawlfs-index) set -- "$crawlfs" mount "$work/dirs.cfx" "$mnt" ;;
	squashfuse) set -- "$squashfuse" "$work/dirs.squashfs" "$mnt" ;;
	esac
	# shellcheck disable=SC2016	# for the shell that is timed
	result=$("$clients" time sh -c \
		'm=$1; shift; "$@" </dev/null && ls "$m"' sh "$mnt" "$@") ||
		die "cannot time the start"
	[ "${result% *}" = 0 ] || die "cannot mount: $*"
	unmount
	echo "${result#* }"
}

bench_starting() {
	local i party
	if [ -z "$can_mount" ] || [ -z "$squashfuse" ] || ! want start; then
		return 0
	fi
	need_native dirs views=raw
	need_image dirs squashfuse
	time_start crawlfs >/dev/null	# the index is built and kept
	for ((i = 0; i < runs; i++)); do
		for party in crawlfs crawlfs-index squashfuse; do
			sample start "$party" "$(time_start "$party" |
				awk '{ printf "%.1f", $1 * 1000 }')"
		done
	done
	row start ms crawlfs squashfuse \
		"less is better; archives, index kept, to the end of the first ls"
	row start ms crawlfs-index squashfuse \
		"less is better; an index, to the end of the first ls"
}
