# lib.sh - part of bench.sh: messages, samples, medians, the table.
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2154,SC2034	# variables of the other parts
#
# On top of tests/mount/lib.sh (wait_for, has_ended, has_program, clean_up).

: "${CFS_BUILDDIR:=.}" "${CFS_SRCDIR:=$here/../..}"
CFS_BUILDDIR=$(cd "$CFS_BUILDDIR" && pwd) || exit 1
CFS_SRCDIR=$(cd "$CFS_SRCDIR" && pwd) || exit 1
NEED_MOUNT=no TIME_LIMIT=0
. "$CFS_SRCDIR/tests/mount/lib.sh"
here=$CFS_SRCDIR/tests/bench
# a mount's time is measured: 10 ms between two looks
WAIT_STEP=0.01 WAIT_STEPS=100

say() { printf 'bench: %s\n' "$*" >&2; }
die() {
	say "$*"
	exit 1
}

# find_peers NAME PACKAGE...: $installed/NAME/bin/python has them; 1 if they are
# not to be had
find_peers() {
	pip_folder=$installed/$1
	install_once "$1" "${*:2}" install_peers "${@:2}" || {
		say "$1: $install_problem"
		return 1
	}
}
# an old pip fails at extras of lxml
install_peers() { pip_install -U pip && pip_install "$@"; }

# want NAME: is that workload asked for?
want() { [ -z "$only" ] || [[ $1 =~ $only ]]; }
# want_any PREFIX WORKLOAD...: one of them, cold or warm
want_any() {
	local prefix=$1 w
	shift
	for w; do
		if want "$prefix/$w/cold" || want "$prefix/$w/warm"; then
			return 0
		fi
	done
	return 1
}

# sample WORKLOAD PARTY VALUE
sample() {
	mkdir -p "$work/samples/$1" &&
		printf '%s\n' "$3" >>"$work/samples/$1/$2"
}
# rate COUNT SECONDS; mega BYTES SECONDS
rate() { awk -v n="$1" -v s="$2" 'BEGIN { printf "%.1f", (s > 0) ? n / s : 0 }'; }
mega() { rate "$(awk -v n="$1" 'BEGIN { print n / 1000000 }')" "$2"; }

ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }

start_table() {
	{
		printf '# %s, %s runs, scale %s\n' \
			"$("$crawlfs" version 2>/dev/null | head -n 1)" "$runs" \
			"$scale"
		printf '# %s processors: %s; %s MB; %s %s; %s\n' "$(nproc)" \
			"$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" \
			"$(free -m | awk 'NR == 2 { print $2 }')" \
			"$(uname -s)" "$(uname -r)" \
			"native is $(findmnt -n -o FSTYPE -T "$work")"
		name_images | sed 's/^/# /'
		printf 'workload\tsubject\treference\tunit\tsubject_median\t'
		printf 'reference_median\tratio\truns\tratio_min\tratio_max\tnote\n'
	} >"$out" || die "cannot write '$out'"
}

# row WORKLOAD UNIT SUBJECT REFERENCE NOTE: from the samples of both
row() {
	local s=$work/samples/$1/$3 r=$work/samples/$1/$4
	want "$1" || return 0
	if [ ! -s "$s" ] || [ ! -s "$r" ]; then
		return 0
	fi
	paste "$s" "$r" | awk -v OFS='\t' -v w="$1" -v unit="$2" -v subject="$3" \
		-v reference="$4" -v note="$5" "$median_awk"'
		{ s[NR] = $1; r[NR] = $2; q[NR] = ($2 > 0) ? $1 / $2 : 0 }
		END {
			a = median(s, NR); b = median(r, NR)
			median(q, NR)
			print w, subject, reference, unit,
				sprintf("%.10g", a), sprintf("%.10g", b),
				sprintf("%.3f", (b > 0) ? a / b : 0), NR,
				sprintf("%.3f", q[1]), sprintf("%.3f", q[NR]), note
		}' | tee -a "$out" | show_row
}
# Sorts v[1..n] in place.
median_awk='
	function median(v, n,  i, j, t) {
		for (i = 2; i <= n; i++)
			for (j = i; j > 1 && v[j - 1] > v[j]; j--) {
				t = v[j]; v[j] = v[j - 1]; v[j - 1] = t
			}
		return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
	}'
# middle WORKLOAD PARTY: the median of its samples
middle() {
	awk "$median_awk"'{ v[NR] = $1 } END { print median(v, NR) }' \
		"$work/samples/$1/$2"
}
show_row() {
	awk -F '\t' '{ printf "%-26s %9s %-10s %14s %14s  %-10s [%s..%s]\n",
		$1, $7, "of " $3, $5, $6, $4, $9, $10 }' >&2
}

# ---- clean-up ----

mount_pid=
server_pid=
serve_pid= files_pid=	# crawlfs serve, and the server beside it
mnt=

# One mount stands at a time.
is_gone() { ! mountpoint -q "$1" || umount "$1"; }
unmount() {
	[ -n "$mnt" ] || return 0
	WAIT_SECONDS=5 wait_for is_gone "$mnt" || detach "$mnt"
	if [ -n "$mount_pid" ]; then
		wait "$mount_pid"
		mount_pid=
	fi
}

end_serve() {
	[ -n "$serve_pid$files_pid" ] || return 0
	# shellcheck disable=SC2086	# one of them, or both
	{
		kill $serve_pid $files_pid
		wait $serve_pid $files_pid
	} 2>/dev/null
	serve_pid= files_pid=
}

cleanup() {
	trap - EXIT
	if [ -n "$mount_pid" ] && ! mountpoint -q "$mnt"; then
		kill "$mount_pid" 2>/dev/null
	fi
	unmount
	end_pieces
	[ -z "$server_pid" ] || kill "$server_pid" 2>/dev/null
	end_serve
	rm -rf "$work/samples" "$work/tmp"
	[ "${BENCH_KEEP:-}" = 1 ] || rm -rf "$work"
	# The folder above is ours unless the user named it.
	[ -n "${BENCH_DIR:-}" ] || [ "${BENCH_KEEP:-}" = 1 ] || rmdir "$top"
	clean_up
}

# set_work DIR: everything we write but the table lies in $work.
set_work() {
	if [ -n "$1" ]; then
		mkdir -p "$1" || exit 1
		top=$(cd "$1" && pwd)
	elif [ "${BENCH_KEEP:-}" = 1 ]; then
		top=${TMPDIR:-/tmp}/crawlfs-bench
		mkdir -p "$top" || exit 1
	else
		top=$(mktemp -d "${TMPDIR:-/tmp}/crawlfs-bench.XXXXXX") || exit 1
	fi
	work=$top/$scale
	mnt=$work/mnt
	mkdir -p "$mnt" "$work/tmp" || exit 1
	rm -rf "$work/samples"
	export XDG_CACHE_HOME=$work/cache
	local free_mb
	free_mb=$(df -Pm "$work" | awk 'NR == 2 { print $4 }')
	if [ "$free_mb" -lt "$need_mb" ] && [ ! -e "$work/flat.done" ]; then
		die "$work has $free_mb MB free, $need_mb are needed (BENCH_DIR)"
	fi
}
