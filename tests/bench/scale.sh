#!/bin/bash
# scale.sh - one index of very many captures on one machine: how time, memory
# and bytes grow with their number.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# usage: CFS_BUILDDIR=BUILD bash scale.sh [CAPTURES...]
#
# For each number (50000000 and 200000000): lines of CDX in no order, as
# tests/bench/cdxlines makes them, in SCALE_PARTS (8) files of gzip, and then one
# line of the table a step, one run each:
#   index      crawlfs index of the files, --memory=SCALE_MEMORY (1G)
#   parts      an index of each of the files, one after the other
#   merge      one index of these
#   mount      from the command to the first `ls` of the root, -o mem=256M
#   look-ups   stat of 1,000 of the pages, in no order, by their paths
#   find       find -type f below the host that has the most pages
#   find again the same once more
#   summary    crawlfs summary --json
#   export     crawlfs export --fields=url, of all captures
#   union: ... these steps from mount to "find again" of one tree of the indexes
#              of all files (mount --merge)
# SCALE_UNION=1 makes only parts and union.
# "answer" is bytes of the index for each capture, pages found, or captures
# counted, of which those of the same name must be equal. Of the mount the
# processor time is that of the server alone, and the peak is its own.
#
# 200,000,000 captures need 60 GB below BENCH_DIR and about an hour.
set -u
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd) || exit 1
scale=scale runs=1 only='' need_mb=1000
# shellcheck source-path=SCRIPTDIR
{
	. "$here/lib.sh"
	. "$here/data.sh"
	. "$here/parties.sh"
	. "$here/parts.sh"
}
set_work "${BENCH_DIR:-}"
trap cleanup EXIT
memory=${SCALE_MEMORY:-1G} parts=${SCALE_PARTS:-8}
only_union=${SCALE_UNION:-}
cdxlines=$CFS_BUILDDIR/tests/bench/cdxlines
clients=$CFS_BUILDDIR/tests/bench/clients
# shellcheck disable=SC2016	# for Python
measure='import resource, subprocess, sys, time
began = time.monotonic()
status = subprocess.call(sys.argv[2:], stdout=open(sys.argv[1], "wb"))
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print("%.1f\t%.1f\t%d" % (time.monotonic() - began,
                          used.ru_utime + used.ru_stime, used.ru_maxrss >> 10))
sys.exit(status)'

# told STEP ANSWER WALL-CPU-PEAK
told() { printf '%s\t%s\t%s\t%s\n' "$n" "$1" "$3" "$2"; }
# step NAME COMMAND...: its figures in $figures, its output in $work/tmp/out
step() {
	local name=$1
	shift
	figures=$(python3 -c "$measure" "$work/tmp/out" "$@" \
		2>"$work/tmp/log") || die "$name: $(tail -n 2 "$work/tmp/log")"
}
bytes_a_capture() {
	awk -v n="$n" -v b="$(stat -c %s "$1")" 'BEGIN { printf "%.2f", b / n }'
}

make_lines() {
	local d=$work/lines-$n
	rm -rf "$d" && mkdir -p "$d" || return
	# shellcheck disable=SC2016	# for the shell that split starts
	"$cdxlines" "$n" | (cd "$d" && split -l $(((n + parts - 1) / parts)) \
		-d -a 2 --filter='gzip -1 >$FILE.cdx.gz' - part)
}
make_parts() {
	local part
	for part in "$d"/part??.cdx.gz; do
		"$crawlfs" index -q --memory="$memory" \
			-o "${part%.cdx.gz}.cfx" "$part" || return
	done
}
one_index() {
	step index "$crawlfs" index -q --memory="$memory" -o "$d/all.cfx" \
		"$d"/part??.cdx.gz
	told index "$(bytes_a_capture "$d/all.cfx")" "$figures"
}
index_parts() {
	export -f make_parts
	export crawlfs memory d
	step parts bash -c make_parts
	told parts "" "$figures"
}
merge_parts() {
	step merge "$crawlfs" index -q --memory="$memory" -o "$d/merged.cfx" \
		"$d"/part??.cfx
	told merge "$(bytes_a_capture "$d/merged.cfx")" "$figures"
}

# The server's processor seconds, and the greatest memory it had, in MiB
server_cpu() {
	awk -v hz="$(getconf CLK_TCK)" '{ sub(".*\\) ", "")
		print ($12 + $13) / hz }' "/proc/$mount_pid/stat"
}
server_peak() {
	awk '/^VmHWM/ { print int($2 / 1024) }' "/proc/$mount_pid/status"
}
# mounted NAME COMMAND...: in the mount
mounted() {
	local name=$1 cpu
	shift
	cpu=$(server_cpu)
	step "$name" "$@"
	figures="${figures%%	*}	$(awk -v a="$cpu" -v b="$(server_cpu)" \
		'BEGIN { printf "%.1f", b - a }')	$(server_peak)"
}
some_pages() {	# the lines are in no order: the first ones are a sample
	gzip -dc "$d/part00.cdx.gz" | head -n 1000 | cut -d' ' -f3 |
		xargs "$crawlfs" path "$d/part00.cfx" >"$work/tmp/paths"
	[ "$(wc -l <"$work/tmp/paths")" = 1000 ]
}
largest_host() { echo com/aboutabout0; }
# mount_steps PREFIX INDEX...
mount_steps() {
	local began prefix=$1
	shift
	began=$(date +%s%N)
	start_daemon "$crawlfs" mount --merge "$@" "$mnt" -f \
		-o views=raw,missing=ok,mem=256M
	ls "$mnt" >"$work/tmp/out"
	told "${prefix}mount" "$(wc -l <"$work/tmp/out") names" "$(awk -v a="$began" \
		-v b="$(date +%s%N)" 'BEGIN { printf "%.2f", (b - a) / 1e9 }'
		)	$(server_cpu)	$(server_peak)"
	mounted look-ups "$clients" stat "$mnt" "$work/tmp/paths" 1
	told "${prefix}look-ups" "$(cut -d' ' -f1 "$work/tmp/out")" "$figures"
	for step in find "find again"; do
		mounted "$step" find "$mnt/$(largest_host)" -type f
		told "$prefix$step" "$(wc -l <"$work/tmp/out")" "$figures"
	done
	unmount
}
whole_steps() {
	step summary "$crawlfs" summary --json "$d/all.cfx"
	told summary "$(grep -om 1 '"captures": *[0-9]*' "$work/tmp/out" |
		grep -o '[0-9]*$')" "$figures"
	step export bash -c "'$crawlfs' export -q --fields=url \
		'$d/all.cfx' | wc -l"
	told export "$(cat "$work/tmp/out")" "$figures"
}

printf '# %s; %s processors: %s; %s MB; --memory=%s\n' \
	"$("$crawlfs" version | head -n 1)" "$(nproc)" \
	"$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" \
	"$(free -m | awk 'NR == 2 { print $2 }')" "$memory"
printf 'captures\tstep\twall_s\tcpu_s\tpeak_MiB\tanswer\n'
[ $# -gt 0 ] || set -- 50000000 200000000
for n; do
	d=$work/lines-$n
	once "lines-$n" make_lines || die "cannot make lines"
	index_parts
	some_pages || die "cannot find pages: $(tail -n 1 "$work/tmp/paths")"
	if [ -z "$only_union" ]; then
		one_index
		merge_parts
		mount_steps '' "$d/all.cfx"
		whole_steps
	fi
	mount_steps 'union: ' "$d"/part??.cfx
	rm -rf "$d" "$work/lines-$n.done"
done
