# mem.sh - part of bench.sh: the resident memory of a mount beside its -o mem=.
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2154,SC2034	# variables of the other parts
#
#   mem/local-M, mem/remote-M   -o mem=M, archives here or on a server: pages of
#       431 MB, compressible and not (that of 108 MB), chunked and gzipped; then
#       as many readers at one time as there are pages of 20 MB (64); the text and
#       metadata of the long ones; at last all pages of 20 MB in order
#   mem/union-M   find of a union of twelve indexes
#
# The reference is what the manual promises: mem= and 64 MiB.

mem_sizes='64 128 256 1024'

need_mem() { once mem make_mem; }
make_mem() {
	local d=$work/mem
	rm -rf "$d" && mkdir -p "$d/www" || return
	MEMORY_LARGE=$mem_large MEMORY_MANY="$mem_many $mem_bytes" \
		python3 "$CFS_SRCDIR/tests/mount/memory_check.py" make \
		"$d/www/crawl.warc.gz" "$d/sums" &&
		"$crawlfs" index -q -o "$d/crawl.cfx" "$d/www/crawl.warc.gz"
}

# mem_server: nginx serves the archive on $server_port
mem_server() {
	local d=$work/mem
	server_port=$((20000 + RANDOM % 10000))
	cat >"$d/conf" <<-END
		daemon off; master_process off; worker_processes 1;
		pid $d/pid; error_log $d/error.log;
		events { worker_connections 512; }
		http { access_log off; $(nginx_folders "$d")
		server { listen 127.0.0.1:$server_port; root $d; } }
	END
	nginx -c "$d/conf" -e "$d/error.log" >"$d/log" 2>&1 &
	server_pid=$!
	wait_for listens "$server_port"
}
end_mem_server() {
	[ -z "$server_pid" ] || kill "$server_pid"
	server_pid=
}

mem_reads() {
	local check="python3 $CFS_SRCDIR/tests/mount/memory_check.py"
	$check read "$mnt" "$work/mem/sums" large &&
		$check crowd "$mnt" "$work/mem/sums" &&
		$check views "$mnt" large &&
		$check read "$mnt" "$work/mem/sums" many
}

# mem_peak WORKLOAD MIB: the daemon's, beside what may be
mem_peak() {
	sample "$1" crawlfs "$(awk '$1 == "VmHWM:" {
		printf "%.1f", $2 / 1024 }' "/proc/$mount_pid/status")"
	sample "$1" promise $(($2 + 64))
	unmount
	row "$1" MiB crawlfs promise "less is better; $3"
}

mem_row() {
	local name=mem/$1-$2 options=mem=${2}M
	want "$name" || return 0
	need_mem
	if [ "$1" = remote ]; then
		mem_server || die "nginx does not start"
		options="$options,data=http://127.0.0.1:$server_port/"
	fi
	XDG_CACHE_HOME=$work/mem/cache start_crawlfs mem/crawl "$options"
	mem_reads || die "other bytes, or none"
	mem_peak "$name" "$2" \
		"pages of $mem_large MiB, $mem_many readers of $mem_bytes MiB each"
	end_mem_server
	rm -rf "$work/mem/cache"
}

mem_union() {
	local name=mem/union-$1
	want "$name" || return 0
	need_union
	start_daemon "$crawlfs" mount --merge -o "mem=${1}M" \
		"$work"/union/m??.cfx "$mnt" -f
	find "$mnt" -size +0 >/dev/null
	mem_peak "$name" "$1" "find of $union_members indexes as one tree"
}

bench_mem() {
	local m
	[ -n "$can_mount" ] || return 0
	for m in $mem_sizes; do
		mem_row local "$m"
		[ -z "$(command -v nginx)" ] || mem_row remote "$m"
		mem_union "$m"
	done
}
