# remote.sh - part of bench.sh: a crawl on a server whose answers are late.
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2154,SC2034	# variables of the other parts
#
# One nginx on loopback serves the same pages twice: as archive and index, for
# crawlfs and curl, and unpacked with index pages, for httpdirfs and rclone.
# On three ports it answers at once, after 10 and after 50 ms (nginx's echo
# module; connecting is not delayed).
#
#   crawlfs       views=raw; crawlfs-off: with readahead=off
#   httpdirfs     as it comes, but for --no-range-check, without which it gives
#                 up on nginx here; mounted at the folder of folders, because
#                 it shows none that is named "_"
#   rclone        rclone mount of the http remote, as it comes; same place
#   curl          the byte range of each record, one after the other in one
#                 process and connection; for ls the folder's index page
#   curl-parallel the same, at most 64 at a time
#
# Every run has a fresh mount and a fresh cache, one for each of: cat of a page
# and then the first byte of others; ls; grep -r.  Those that ask for one page
# after the other get fewer folders for grep -r; the notes say how many, and
# the rows are pages a second.  Requests and bytes are what nginx's log says of
# the slowest port, bytes with the heads of answers; those of grep -r are in
# proportion to all pages.

remote_delays='0 10 50'
remote_slowest=50
remote_first=20		# pages for one median of first bytes

# ---- the crawl, its index, its pages as files, its ranges ----

far_root() { echo "$work/www/tree"; }
need_far() { once far make_far; }
make_far() {
	local d=$work/www n=$((far_dirs * far_files))
	rm -rf "$d" && mkdir -p "$d" || return
	mk --shape "dirs=$far_dirs" --records "$n" --page-bytes "$cat_bytes" \
		"$d/far" &&
		"$crawlfs" index -q -o "$d/far.cfx" "$d/far" || return
	start_daemon "$crawlfs" mount "$d/far.cfx" "$mnt" -f -o views=raw
	cp -r "$mnt/com/example/dirs/_" "$d/tree" || return
	unmount
	[ "$(find "$d/tree" -type f | wc -l)" = "$n" ] || return
	# page, archive, first and last byte, in the order of the tree
	awk -F '\t' -v OFS='\t' '$2 == "response" && $4 == 200 {
		sub("^http://[^/]*/", "", $1)
		print $1, $5, $6, $6 + $7 - 1
	}' "$d/far/manifest.tsv" | sort >"$work/far.ranges"
	[ "$(wc -l <"$work/far.ranges")" = "$n" ] || return
	# compressed bytes are random, if not at the start
	find "$d/far" -name '*.warc.gz' | head -n 1 | xargs tail -c +10000 \
		>"$work/tmp/random" || return
	shuf --random-source="$work/tmp/random" "$work/far.ranges" \
		>"$work/far.shuffled"
}

# ---- the server ----

# find_remote: who is here; sets remote_peers
find_remote() {
	local party
	remote_peers=
	for party in nginx curl; do
		command -v "$party" >/dev/null && continue
		say "no $party: the rows remote/ are left out"
		return 1
	done
	find_newer httpdirfs rclone
	for party in httpdirfs rclone; do
		if command -v "$party" >/dev/null; then
			remote_peers="$remote_peers $party"
			"$party" --version 2>&1 |
				sed -n '/[0-9][.][0-9]/{s/^/# /p;q}' >>"$out"
		else
			say "no $party: its rows are left out"
		fi
	done
	remote_echo=$(nginx -V 2>&1 |
		sed -n 's/.*--modules-path=\([^ ]*\).*/\1/p')/ngx_http_echo_module.so
	if [ ! -e "$remote_echo" ]; then
		say "nginx has no echo module: only remote/*-0 is measured"
		remote_delays=0 remote_slowest=0
	fi
}

# server_conf PORT: the delay is added to the port
server_conf() {
	local d=$work/server delay
	[ "$remote_delays" = 0 ] || echo "load_module $remote_echo;"
	cat <<EOF
daemon off;
worker_processes 1;
pid $d/pid;
error_log $d/error.log;
user $(id -un);
events { worker_connections 1024; }
http {
	log_format bench '\$request_method \$status \$bytes_sent \$http_range \$uri';
	access_log $d/access.log bench;
	$(nginx_folders "$d")
	keepalive_requests 1000000;
	sendfile on;
	autoindex on;
	root $work/www;
EOF
	for delay in $remote_delays; do
		echo "server { listen 127.0.0.1:$(($1 + delay));"
		[ "$delay" = 0 ] || echo "location / {" \
			"echo_sleep $(ratio "$delay" 1000); echo_exec @file; }" \
			"location @file { }"
		echo "}"
	done
	echo "}"
}

start_server() {
	local d=$work/server
	rm -rf "$d" && mkdir -p "$d" || return
	wait_for serves && return 0
	cat "$d/log" "$d/error.log" >&2
	return 1
}
# serves: it listens; it is started (again, at another port) if it does not run
serves() {
	if [ -z "$server_pid" ] || has_ended "$server_pid"; then
		server_port=$((20000 + RANDOM % 10000))
		! listens $server_port || return
		server_conf $server_port >"$d/conf"
		nginx -c "$d/conf" -e "$d/error.log" >"$d/log" 2>&1 &
		server_pid=$!
	fi
	listens $((server_port + remote_slowest))
}

# What it was asked since log_mark: $requests, $bytes.  Lines are written a
# moment after the last byte of an answer.
log_mark() {
	sleep 0.1
	log_from=$(wc -l <"$work/server/access.log")
}
log_count() {
	sleep 0.1
	read -r requests bytes < <(tail -n "+$((log_from + 1))" \
		"$work/server/access.log" |
		awk '{ n++; b += $3 } END { printf "%d %.0f\n", n, b }')
}
# log_sample KIND PARTY [FACTOR]
log_sample() {
	log_count
	sample "remote/requests-$1" "$2" "$((requests * ${3:-1}))"
	sample "remote/bytes-$1" "$2" "$((bytes * ${3:-1}))"
}

# ---- the parties ----

enter_remote() {
	local url=http://127.0.0.1:$((server_port + $2))
	rm -rf "$XDG_CACHE_HOME"
	mkdir -p "$XDG_CACHE_HOME"
	root=$mnt
	case $1 in
	crawlfs | crawlfs-off)
		local options=views=raw
		[ "$1" = crawlfs ] || options=$options,readahead=off
		root=$mnt/com/example/dirs/_
		start_daemon "$crawlfs" mount "$url/far.cfx" "$mnt" -f \
			-o "$options"
		;;
	httpdirfs)
		start_daemon httpdirfs --no-range-check -f "$url/tree/" "$mnt"
		;;
	rclone)
		start_daemon rclone --config /dev/null \
			--cache-dir "$XDG_CACHE_HOME/rclone" \
			--http-url "$url/tree/" mount :http: "$mnt" --read-only
		;;
	curl*) root=$url/tree ;;
	esac
}
leave_remote() {
	case $1 in
	curl*) ;;
	*) unmount ;;
	esac
}

# curl_ranges DELAY: lines of far.ranges into a configuration of curl
curl_ranges() {
	awk -F '\t' -v url="http://127.0.0.1:$((server_port + $1))/far" '
		NR > 1 { print "next" }
		{
			printf "url = \"%s/%s\"\nrange = %s-%s\n", url, $2, $3, $4
			print "output = \"/dev/null\"\nsilent\nfail"
			print "write-out = \"%{time_starttransfer}\\n\""
		}'
}

# timed NAME PARTY ARG...: a sample in milliseconds
timed() {
	local name=$1 party=$2 result
	shift 2
	result=$("$clients" time "$@") || die "$name on $party: cannot be run"
	[ "${result% *}" = 0 ] || die "$name on $party: '$*' failed"
	sample "$name" "$party" "$(in_ms "${result#* }")"
}
in_ms() { awk -v s="$1" 'BEGIN { printf "%.2f", s * 1000 }'; }

# ---- one page, and the first bytes of others ----

remote_pages() {
	local party=$1 delay=$2 t0 page list=$work/tmp/list conf=$work/tmp/conf
	page=$(head -n 1 "$work/far.shuffled" | cut -f 1)
	sed -n "2,$((remote_first + 1))p" "$work/far.shuffled" >"$work/tmp/some"
	cut -f 1 "$work/tmp/some" >"$list"
	log_mark
	t0=$EPOCHREALTIME
	enter_remote "$party" "$delay"
	sample "remote/mount-$delay" "$party" "$(in_ms \
		"$(awk -v a="$t0" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }')")"
	if [ "$delay" = $remote_slowest ] && [ "$party" != curl ]; then
		log_sample mount "$party"
	fi
	log_mark
	case $party in
	curl)
		head -n 1 "$work/far.shuffled" | curl_ranges "$delay" >"$conf"
		timed "remote/cat-$delay" "$party" curl -K "$conf"
		;;
	*) timed "remote/cat-$delay" "$party" cat "$root/$page" ;;
	esac
	[ "$delay" != $remote_slowest ] || log_sample cat "$party"
	remote_first_bytes "$party" "$delay"
	leave_remote "$party"
}
remote_first_bytes() {
	local party=$1 delay=$2 name=remote/first-byte-$2 result
	log_mark
	case $party in
	curl)
		curl_ranges "$delay" <"$work/tmp/some" >"$work/tmp/conf"
		result=$(curl -K "$work/tmp/conf" |
			awk "$median_awk"'{ v[NR] = $1 } END { print median(v, NR) }')
		;;
	*)
		result=$("$clients" first "$root" "$work/tmp/list") ||
			die "$name on $party: the reader failed"
		result=${result#* }
		;;
	esac
	sample "$name" "$party" "$(in_ms "$result")"
	[ "$delay" != $remote_slowest ] || log_sample first-bytes "$party"
}

# ---- a folder ----

remote_ls() {
	local party=$1 delay=$2 name=remote/ls-$2
	enter_remote "$party" "$delay"
	log_mark
	case $party in
	curl) timed "$name" curl curl -sf -o /dev/null "$root/d000001/" ;;
	*) timed "$name" "$party" ls "$root/d000001" ;;
	esac
	[ "$delay" != $remote_slowest ] || log_sample ls "$party"
	leave_remote "$party"
}

# ---- all pages ----

# How many folders PARTY reads at DELAY.
remote_folders() {
	local n=$far_dirs
	case $1:$2 in
	httpdirfs:*) n=1 ;;
	crawlfs:* | curl-parallel:*) ;;
	*:0) n=10 ;;
	*:10) n=4 ;;
	*) n=2 ;;
	esac
	echo $((n < far_dirs ? n : far_dirs))
}

remote_grep() {
	local party=$1 delay=$2 name=remote/grep-$2 n i conf=$work/tmp/conf
	local folders=() args=() result want_bytes
	n=$(remote_folders "$party" "$delay")
	for ((i = 0; i < n; i++)); do
		folders+=("$(printf 'd%06d' $i)")
	done
	enter_remote "$party" "$delay"
	log_mark
	case $party in
	curl*)
		head -n $((n * far_files)) "$work/far.ranges" |
			curl_ranges "$delay" >"$conf"
		args=(curl --no-progress-meter -K "$conf")
		[ "$party" = curl ] || args+=(--parallel --parallel-max 64)
		run_clients "$name" "$party" $((n * far_files)) time "${args[@]}"
		;;
	*)
		want_bytes=$(cd "$(far_root)" &&
			grep -rcF thread "${folders[@]}" | wc -c)
		result=$("$clients" drain env -C "$root" \
			grep -rcF thread "${folders[@]}") ||
			die "$name on $party: the reader failed"
		[ "${result% *}" = "$want_bytes" ] ||
			die "$name on $party: other output than of the files"
		sample "$name" "$party" \
			"$(rate $((n * far_files)) "${result#* }")"
		;;
	esac
	[ "$delay" != $remote_slowest ] ||
		log_sample grep "$party" $((far_dirs / n))
	leave_remote "$party"
}

# ---- the rows ----

# want_remote DELAY KIND...: timed at that delay, or counted
want_remote() {
	local delay=$1 kind
	shift
	for kind; do
		want "remote/$kind-$delay" && return 0
		[ "$delay" = $remote_slowest ] || continue
		if want "remote/requests-$kind" || want "remote/bytes-$kind"; then
			return 0
		fi
	done
	return 1
}

# remote_row WORKLOAD UNIT NOTE: crawlfs against every other party
remote_row() {
	local party
	for party in $remote_peers curl curl-parallel; do
		row "remote/$1" "$2" crawlfs "$party" "$3"
	done
}

bench_remote() {
	local i delay party ready=
	[ -n "$can_mount" ] || return 0
	for delay in $remote_delays; do
		want_remote "$delay" mount cat first-byte first-bytes ls grep \
			readahead && ready=1
	done
	[ -n "$ready" ] && find_remote || return 0
	unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
	need_far
	start_server || die "nginx does not start"
	for delay in $remote_delays; do
		for ((i = 0; i < runs; i++)); do
			remote_turn "$delay"
		done
		remote_rows "$delay"
	done
	remote_counts
	kill "$server_pid" && wait "$server_pid"
	server_pid=
}
remote_turn() {
	local delay=$1 party
	if want_remote "$delay" mount cat first-byte first-bytes; then
		for party in crawlfs $remote_peers curl; do
			remote_pages "$party" "$delay"
		done
	fi
	if want_remote "$delay" ls; then
		for party in crawlfs $remote_peers curl; do
			remote_ls "$party" "$delay"
		done
	fi
	if want_remote "$delay" grep readahead; then
		for party in crawlfs crawlfs-off $remote_peers curl curl-parallel; do
			remote_grep "$party" "$delay"
		done
	fi
}
remote_rows() {
	local delay=$1 party n s=$work/samples/remote
	local all=$((far_dirs * far_files)) less="less is better"
	for party in $remote_peers; do
		row "remote/mount-$delay" ms crawlfs "$party" "$less"
	done
	remote_row "cat-$delay" ms "$less; the first page after mounting"
	remote_row "first-byte-$delay" ms \
		"$less; median of $remote_first random pages, after one cat"
	remote_row "ls-$delay" ms \
		"$less; first ls after mounting, $far_files files; curl: index page"
	for party in $remote_peers curl curl-parallel; do
		n=$(($(remote_folders "$party" "$delay") * far_files))
		row "remote/grep-$delay" pages/s crawlfs "$party" \
			"$all pages against $n"
	done
	[ -e "$s/grep-$delay" ] || return 0
	mkdir -p "$s/readahead-$delay" &&
		cp "$s/grep-$delay/"crawlfs{,-off} "$s/readahead-$delay"
	n=$(($(remote_folders crawlfs-off "$delay") * far_files))
	row "remote/readahead-$delay" pages/s crawlfs crawlfs-off \
		"$([ "$delay" != 50 ] || echo 'aim 20; ')grep -r, $all pages against $n"
}
remote_counts() {
	local kind unit note
	for kind in mount cat ls first-bytes grep; do
		case $kind in
		mount) note="until mounted, before anything was read" ;;
		cat) note="cat of the first page" ;;
		ls) note="first ls of a folder of $far_files" ;;
		first-bytes) note="first byte of $remote_first random pages" ;;
		grep) note="grep -r of $((far_dirs * far_files)) pages" ;;
		esac
		for unit in requests bytes; do
			remote_row "$unit-$kind" "$unit" "less is better; $note"
		done
		row "remote/requests-$kind" requests crawlfs crawlfs-off \
			"less is better; $note"
		row "remote/bytes-$kind" bytes crawlfs crawlfs-off \
			"less is better; $note"
	done
}
