#!/bin/bash
# peers_text.sh - full text of the same archives by crawlfs and by peers from
# their registries, in one run: pages a second, processor and wall time.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# usage: CFS_BUILDDIR=BUILD bash peers_text.sh [ARCHIVE...]
#
# Without archives: the real pages below CFS_DATA, or generated ones, as views.sh
# has them, repeated to PEERS_MB (200) of .warc.gz in ten files.  Prints a table,
# medians of PEERS_RUNS (3); the parties take turns.
#
#   crawlfs       crawlfs export --fields=text, on all processors
#   crawlfs-1     the same with one thread
#   gzip          gzip -dc of the archives
#   resiliparse   FastWARC 2 and Resiliparse 2, full text, one process
#   warcio        warcio and html.parser, one process
#
# PEERS_PYTHON names those of Python's that take part (both).  They are installed
# below $CFS_INSTALLED (tests/installed of the build folder).  "cpu" is the processor time of the process and its children.
set -u
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd) || exit 1
scale=peers runs=${PEERS_RUNS:-3} only='' need_mb=1000 can_mount=''
# shellcheck source-path=SCRIPTDIR
{
	. "$here/lib.sh"
	. "$here/data.sh"
	. "$here/views.sh"
	. "$here/parts.sh"
}
set_work "${BENCH_DIR:-}"
trap cleanup EXIT

# The ten archives of build/articles have 40 MB; so many copies are wanted.
make_archives() {
	local bytes copies i
	need_html_crawl 4 || return
	bytes=$(stat -c %s "$work/html-crawl-4/pages.warc.gz")
	copies=$((${PEERS_MB:-200} * 1000000 / bytes / 10 + 1))
	mkdir -p "$work/archives"
	for ((i = 0; i < 10; i++)); do
		for ((j = 0; j < copies; j++)); do
			cat "$work/html-crawl-4/pages.warc.gz"
		done >"$work/archives/$i.warc.gz" || return
	done
}
archives=("$@")
if [ ${#archives[@]} -eq 0 ]; then
	once archives make_archives || die "cannot make archives"
	archives=("$work"/archives/*.warc.gz)
fi

parties='crawlfs crawlfs-1 gzip'
if find_peers peers fastwarc==2.0.0 resiliparse==2.0.0 warcio==1.8.1; then
	parties="$parties ${PEERS_PYTHON:-resiliparse warcio}"
else
	say "no FastWARC, Resiliparse and warcio: their registry is not reached"
fi

# one PARTY: its output is a file $work/tmp/PARTY
one() {
	case $1 in
	crawlfs) "$crawlfs" export -q --fields=mime,text "${archives[@]}" ;;
	crawlfs-1) "$crawlfs" export -q --threads=1 --fields=mime,text \
		"${archives[@]}" ;;
	gzip) gzip -dc "${archives[@]}" | wc -c ;;
	*) "$installed/peers/bin/python" "$here/peers_text.py" "$1" \
		"${archives[@]}" ;;
	esac
}
# pages PARTY: how many texts it made
pages() {
	case $1 in
	crawlfs*) grep -c '"text":' "$work/tmp/$1" ;;
	gzip) echo "$pages_of_crawlfs" ;;
	*) cut -d' ' -f1 "$work/tmp/$1" ;;
	esac
}
run_party() {
	local TIMEFORMAT='%R %U %S' wall user system n
	read -r wall user system < <({ time one "$1" >"$work/tmp/$1" \
		2>"$work/tmp/log"; } 2>&1)
	n=$(pages "$1")
	[ "${n:-0}" -gt 0 ] || die "$1 fails: $(tail -n 1 "$work/tmp/log")"
	sample wall "$1" "$wall"
	sample cpu "$1" "$(awk -v u="$user" -v s="$system" 'BEGIN { print u + s }')"
	sample pages "$1" "$n"
	[ "$1" != crawlfs ] || pages_of_crawlfs=$n
}
for ((i = 0; i < runs; i++)); do
	for party in $parties; do run_party "$party"; done
done

printf '# %s; %s processors: %s; %s archives, %s bytes; medians of %s runs\n' \
	"$("$crawlfs" version | head -n 1)" "$(nproc)" \
	"$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" \
	"${#archives[@]}" "$(cat "${archives[@]}" | wc -c)" "$runs"
printf 'party\ttexts\twall_s\tcpu_s\ttexts/s\ttexts/cpu_s\n'
for party in $parties; do
	awk -v OFS='\t' -v p="$party" -v n="$(middle pages "$party")" \
		-v w="$(middle wall "$party")" -v c="$(middle cpu "$party")" \
		'BEGIN { print p, n, w, c, sprintf("%.0f", n / w), sprintf("%.0f", n / c) }'
done
