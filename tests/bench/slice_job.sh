#!/bin/sh
# slice_job.sh - the texts of all pages in one language by a job of Slurm: chosen
# by a columnar index, from a server that refuses one request in fifty, while
# tasks are killed; and what a page costs in processor time.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# usage: CFS_SRCDIR=TREE CFS_BUILDDIR=BUILD sh tests/bench/slice_job.sh
#
# SLICE_ROWS (1000000) is the size of the table, SLICE_PAGES (20000) that of the
# crawl, of which half is wanted, SLICE_TASKS (8) the number of tasks.  Needs root
# for Slurm.  The table is of Parquet, where pyarrow and DuckDB's library can be
# had, else of CSV.  Ends with 0 if the rows are those of the archives, byte for byte.
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/net/lib.sh"
. "$CFS_SRCDIR/tests/cluster/slurm.sh"
. "$CFS_SRCDIR/tests/cluster/slice.sh"

missing=$(slurm_missing)
[ -z "$missing" ] || skip_all "Slurm is not here: no $(echo $missing)"
tasks=${SLICE_TASKS:-8}
trap 'stop_slurm >/dev/null 2>&1; net_clean_up' EXIT
start_slurm "$T/slurm" 2 "$tasks" || { echo "Slurm does not start"; exit 1; }
suffix=csv
if find_duckdb && pip_packages slice pyarrow==22.0.0; then
	suffix=parquet python=$pip_folder/bin/python
fi
make_slice "${SLICE_ROWS:-1000000}" "${SLICE_PAGES:-20000}" $suffix || exit 1
echo "${SLICE_ROWS:-1000000} rows of a table, $suffix, $(wc -c <"$slice_table") bytes"
wanted=$(wc -l <"$slice/want")

# cost COMMAND...: seconds of processor and of the clock
cost() {
	python3 - "$@" <<'END'
import resource, subprocess, sys, time
began = time.monotonic()
rc = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)
r = resource.getrusage(resource.RUSAGE_CHILDREN)
print("%.2f %.2f" % (r.ru_utime + r.ru_stime, time.monotonic() - began))
sys.exit(rc)
END
}
job() {
	bash "$CFS_SRCDIR/contrib/cluster/crawlfs-slurm" export -n "$tasks" --wait \
		-o "$slice/isl.jsonl" --errors=ok --threads=1 \
		--fields=url,timestamp,text --cache="$slice/cache" "$slice/isl.cfx"
}
set -- $(cost "$crawlfs" index -q --base="$url" --language=isl -o "$slice/again.cfx" "$slice_table")
echo "index of $wanted captures by the table: $1 s of processor"
set -- $(cost "$crawlfs" export -q --errors=ok --threads=1 --fields=url,timestamp,text \
	--cache="$slice/cache.one" -o "$slice/one.jsonl" "$slice/isl.cfx")
echo "one run without faults: $wanted documents, $1 s of processor, $2 s;" \
	"$(awk "BEGIN { print int($wanted / $1) }") documents a processor second"
try "its rows are those of the archives" slice_has "$slice/one.jsonl"

export CRAWLFS="$crawlfs" TMPDIR="$T/tmp"
mkdir "$TMPDIR"
start_slice
CRAWLFS=$slice/noting job >"$slice/job.log" 2>&1 &
submitted=$!
try "two of $tasks tasks are killed" kill_slice "$tasks"
refuse_every 50
wait $submitted
ms_of job >"$slice/job.log" || cat "$slice/job.log"
echo "the tasks that were killed, again: $ms ms, $(slice_refusals) refusals of $(wc -l <"$slice/log") requests"
try "the rows are those of the archives" slice_has "$slice/isl.jsonl"
finish
