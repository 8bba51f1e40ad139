# loop.sh - part of bench.sh: the loop that receives the kernel's requests,
# beside libfuse's (-o request_loop=libfuse).
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2154	# variables of the other parts
#
#   loop/find-size, loop/grep, loop/txt, loop/cat, loop/cat-2
#     files a second of processor time, that of the programs and of the mount
#     together: a fresh mount of the set "cat" each, where nothing is cached but
#     the archives by the kernel.  cat-2 is two programs at a time.

loop_kinds='find-size grep txt cat cat-2'

# Prints the ticks that the mount has used.
mount_ticks() {
	sed 's/^.*) //' "/proc/$mount_pid/stat" | awk '{ print $12 + $13 }'
}

# all_of SUFFIX PROCESSES: cat of each page, or of the view of that name
all_of() {
	sed "s|\$|$1|" "$work/list.crawl" >"$work/tmp/names"
	env -C "$root" xargs -P "$2" -n 500 -a "$work/tmp/names" cat
}
loop_work() {
	case $1 in
	find-size) find "$root" -size +1k ;;
	grep) grep -rc zzqq "$root" ;;
	txt) all_of .txt 1 ;;
	cat) all_of '' 1 ;;
	cat-2) all_of '' 2 ;;
	esac >/dev/null
}

# loop_run KIND LOOP
loop_run() {
	local views=raw ticks seconds
	[ "$1" != txt ] || views=raw:txt
	enter crawlfs cat "views=$views,cache_size=0,request_loop=$2"
	ticks=$(mount_ticks)
	seconds=$(cpu loop_work "$1")
	ticks=$(($(mount_ticks) - ticks))
	sample "loop/$1" "$2" "$(rate "$(pages cat)" "$(awk -v s="$seconds" \
		-v t="$ticks" -v hz="$(getconf CLK_TCK)" \
		'BEGIN { print s + t / hz }')")"
	leave
}

bench_loop() {
	local kind i loop
	[ -n "$can_mount" ] || return 0
	for kind in $loop_kinds; do
		want "loop/$kind" || continue
		need_crawl cat
		need_lists
		for ((i = 0; i < runs; i++)); do
			for loop in own libfuse; do
				loop_run "$kind" "$loop"
			done
		done
		row "loop/$kind" files/cpu-s own libfuse "processor time"
	done
}
