#!/bin/bash
# members.sh - one tree of 31 indexes on a server whose answers are late: how
# long until the first page is there, and how many requests that takes.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# usage: CFS_BUILDDIR=BUILD bash members.sh
#
# MEMBERS (31) crawls of MEMBERS_RECORDS (20000) captures each, of the same
# hosts, with an index each, are on one nginx (remote.sh), which answers at once,
# after 10 and after 50 ms. Each run has a fresh mount and no cache; a table of
# medians of MEMBERS_RUNS (5):
#   mount        until the mount stands
#   first ls     then, of the root
#   first page   then, of the first byte of one page
#   next pages   of the first byte of a page, median of 20 in no order
# with one member beside all of them; and the requests of all that.
set -u
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd) || exit 1
scale=members runs=${MEMBERS_RUNS:-5} only='' need_mb=2000
# shellcheck source-path=SCRIPTDIR
{
	. "$here/lib.sh"
	. "$here/data.sh"
	. "$here/parties.sh"
	. "$here/parts.sh"
	. "$here/remote.sh"
}
set_work "${BENCH_DIR:-}"
trap cleanup EXIT
clients=$CFS_BUILDDIR/tests/bench/clients
members=${MEMBERS:-31} records=${MEMBERS_RECORDS:-20000}

make_members() {
	local d=$work/www i
	rm -rf "$d" && mkdir -p "$d" || return
	for ((i = 1; i <= members; i++)); do
		"$mkcrawl" --warc --bare --records "$records" --hosts 50 \
			--hostile 0 --page-bytes 400 --seed "$i" "$d/c$i" \
			>"$work/tmp/log" &&
			"$crawlfs" index -q --no-views -o "$d/m$i.cfx" "$d/c$i" ||
			return
	done
	some_pages
}
# Pages of the first member that are pages of files, in no order
some_pages() {
	start_daemon "$crawlfs" mount "$work/www/m1.cfx" "$mnt" -f -o views=raw
	(cd "$mnt" && find . -type f -name '*.html' -size +0) >"$work/tmp/all"
	unmount
	shuf --random-source="$work/www/m1.cfx" "$work/tmp/all" | head -n 21 \
		>"$work/pages"
	[ "$(wc -l <"$work/pages")" = 21 ]
}
since() { awk -v a="$1" -v b="$(date +%s%N)" 'BEGIN { print (b - a) / 1e6 }'; }
# one_run COUNT DELAY
one_run() {
	local list began name=$1-$2
	list=$(seq -s , -f "http://127.0.0.1:$((server_port + $2))/m%g.cfx" 1 "$1")
	rm -rf "$XDG_CACHE_HOME"
	log_mark
	began=$(date +%s%N)
	start_daemon "$crawlfs" mount "$list" "$mnt" -f -o views=raw
	sample "$name" mount "$(since "$began")"
	began=$(date +%s%N)
	ls "$mnt" >/dev/null
	sample "$name" "first ls" "$(since "$began")"
	began=$(date +%s%N)
	head -c 1 "$mnt/$(head -n 1 "$work/pages")" >"$work/tmp/byte" &&
		[ -s "$work/tmp/byte" ] || die "the first page cannot be read"
	sample "$name" "first page" "$(since "$began")"
	tail -n +2 "$work/pages" >"$work/tmp/next"
	sample "$name" "next pages" "$("$clients" first "$mnt" "$work/tmp/next" |
		awk '{ print $2 * 1000 }')"
	unmount
	log_count
	sample "$name" requests "$requests"
	sample "$name" bytes "$bytes"
}

find_remote || die "there is no nginx"
once members make_members
start_server || die "nginx does not start"
for ((i = 0; i < runs; i++)); do
	for count in 1 "$members"; do
		for delay in $remote_delays; do one_run "$count" "$delay"; done
	done
done
printf '# %s; %s processors: %s; members of %s captures; medians of %s runs\n' \
	"$("$crawlfs" version | head -n 1)" "$(nproc)" \
	"$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" \
	"$records" "$runs"
printf 'members\tdelay_ms\tmount_ms\tfirst ls_ms\tfirst page_ms\tnext page_ms\trequests\tbytes\n'
for count in 1 "$members"; do
	for delay in $remote_delays; do
		printf '%s\t%s' "$count" "$delay"
		for what in mount "first ls" "first page" "next pages" requests \
			bytes; do
			printf '\t%.0f' "$(middle "$count-$delay" "$what")"
		done
		echo
	done
done
