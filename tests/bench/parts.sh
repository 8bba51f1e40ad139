# parts.sh - part of bench.sh: jobs over mounts of pieces of a crawl, beside the
# same job over one mount.
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2154,SC2034	# variables of the other parts

pieces_n=4

# Those that stand when a run is interrupted.
end_pieces() {
	local d
	for d in "$work"/tmp/piece*; do
		! mountpoint -q "$d" || detach "$d"
	done
}

# Jobs of one process, as they are typed; each prints one number.
job_grep() { grep -rcF thread "$1" | awk -F: '{ n += $NF } END { print n }'; }
job_wc_txt() { find "$1" -type f -name '*.txt' -exec cat {} + | wc -w; }

# run_pieces JOB N: over N mounts at the same time, which stand already; sets
# $seconds, and $answer to the sum of what they print
run_pieces() {
	local k pids=() from to
	from=$(date +%s%N)
	for ((k = 1; k <= $2; k++)); do
		"job_$1" "$work/tmp/piece$k" >"$work/tmp/answer$k" &
		pids+=($!)
	done
	wait "${pids[@]}"
	to=$(date +%s%N)
	seconds=$(awk -v n=$((to - from)) 'BEGIN { printf "%.6f", n / 1e9 }')
	answer=$(cat "$work"/tmp/answer[0-9]* | awk '{ n += $1 } END { print n }')
	rm -f "$work"/tmp/answer[0-9]*
}

# time_pieces JOB N: from cold mounts of N pieces
time_pieces() {
	local k pids=()
	for ((k = 1; k <= $2; k++)); do
		mnt=$work/tmp/piece$k
		mkdir -p "$mnt"
		start_crawlfs cat "views=raw:txt,part=$k/$2"
		pids+=("$mount_pid")
	done
	run_pieces "$1" "$2"
	for ((k = 1; k <= $2; k++)); do
		mnt=$work/tmp/piece$k mount_pid=${pids[k - 1]}
		unmount
	done
	mnt=$work/mnt
}

bench_parts() {
	local job i whole
	[ -n "$can_mount" ] || return 0
	for job in grep wc_txt; do
		want "part/${job//_/-}" || continue
		need_crawl cat
		for ((i = 0; i < runs; i++)); do
			time_pieces "$job" 1
			whole=$answer
			sample "part/${job//_/-}" one "$(rate "$(pages cat)" "$seconds")"
			time_pieces "$job" "$pieces_n"
			[ "$answer" = "$whole" ] ||
				die "$pieces_n pieces give $answer, the whole $whole"
			sample "part/${job//_/-}" pieces \
				"$(rate "$(pages cat)" "$seconds")"
		done
		row "part/${job//_/-}" pages/s pieces one \
			"a job on each of $pieces_n pieces, beside one on the whole; $(nproc) processors"
	done
}
