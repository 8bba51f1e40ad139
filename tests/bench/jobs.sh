#!/bin/bash
# jobs.sh - a job of four parts by Spark, Slurm and xargs beside one export of
# the whole; and the words of all pages counted by Spark, as cc-pyspark does and
# from crawlfs; in one run, by wall time.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# usage: CFS_BUILDDIR=BUILD bash jobs.sh [PARTY...]
#
# The archives are the pages of views.sh, repeated to JOBS_MB (1000) of .warc.gz
# in eight files. Prints a table, medians of JOBS_RUNS (3); the parties take
# turns, but for those of Spark, which have one session after the others.  With
# PARTY, only these, and one, which they are compared with.
#
#   one            crawlfs export of url and text to a file, all processors
#   xargs          4 parts by xargs, as many at a time as there are processors
#   slurm          crawlfs-slurm export -n 4 on a Slurm of one node, with waiting
#                  in its queue and with the job that joins the parts
#   slurm-parts    the same into a folder of parts
#   spark          4 partitions of crawlfs.spark, written as JSON lines by Spark
#   spark-sum      4 partitions, whose urls and texts Spark measures
#   words-wet      words in files of WET, which warcio reads
#   words-crawlfs  words in the text that crawlfs makes of the WARC files
#
# Engines are installed below $CFS_INSTALLED (tests/installed of the build folder).
set -u
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd) || exit 1
scale=jobs runs=${JOBS_RUNS:-3} only='' need_mb=6000 can_mount=''
# shellcheck source-path=SCRIPTDIR
{
	. "$here/lib.sh"
	. "$here/data.sh"
	. "$here/views.sh"
	. "$here/parts.sh"
	. "$CFS_SRCDIR/tests/cluster/slurm.sh"
}
set_work "${BENCH_DIR:-}"
end_jobs() {
	[ -z "${SLURM_CONF:-}" ] || stop_slurm >/dev/null 2>&1
	cleanup
}
trap end_jobs EXIT
export CRAWLFS=$crawlfs
asked="${*:-xargs slurm slurm-parts spark spark-sum words-wet words-crawlfs}"
# asked_of PARTY...: those of them that are asked for
asked_of() {
	local party
	for party; do
		[[ " $asked " != *" $party "* ]] || printf '%s ' "$party"
	done
}
rows=$work/tmp/rows warcs=$work/archives wets=$work/wet

# The archive of html-crawl-4 has 9 MB.
make_archives() {
	local bytes copies i j
	need_html_crawl 4 || return
	bytes=$(stat -c %s "$work/html-crawl-4/pages.warc.gz")
	copies=$((${JOBS_MB:-1000} * 1000000 / bytes / 8 + 1))
	rm -rf "$warcs" "$wets" && mkdir -p "$warcs" "$wets" || return
	for ((i = 0; i < 8; i++)); do
		for ((j = 0; j < copies; j++)); do
			cat "$work/html-crawl-4/pages.warc.gz"
		done >"$warcs/$i.warc.gz" || return
		"$crawlfs" export -q -o "$wets/$i.warc.wet.gz" \
			"$warcs/$i.warc.gz" || return
	done
}

# run_PARTY: leaves rows in files of the folder $rows
run_one() {
	"$crawlfs" export -q --fields=url,text -o "$rows/all.jsonl" "$warcs"
}
run_xargs() {
	seq 4 | xargs -P "$(nproc)" -I K "$crawlfs" export "$warcs" -q \
		--fields=url,text --part=K/4 --threads=1 -o "$rows/K.jsonl"
}
submit_export() {	# submit_export OUTPUT
	bash "$CFS_SRCDIR/contrib/cluster/crawlfs-slurm" export -n 4 --wait \
		-o "$1" --fields=url,text --threads=1 "$warcs"
}
run_slurm() { submit_export "$rows/all.jsonl"; }
run_slurm-parts() { submit_export "$rows/parts.jsonl/"; }
rows_written() {
	find "$rows" -name '*.jsonl' -type f ! -path '*.parts/*' -exec cat {} + |
		wc -l
}
run_party() {
	local TIMEFORMAT=%R
	rm -rf "$rows" && mkdir "$rows" || die "no room"
	sample wall "$1" "$({ time "run_$1" >"$work/tmp/log" 2>&1; } 2>&1)"
	sample answer "$1" "$(rows_written)"
}

# spark_rounds PARTY...: adds the samples of a session
spark_rounds() {
	find_peers spark setuptools wheel pyspark==4.3.0 pyarrow==26.0.1 pandas==3.1.1 ||
		return
	"$installed/spark/bin/python" -m pip install -q --target \
		"$work/tmp/warcio" warcio==1.8.1 >&2 || return
	export SPARK_LOCAL_IP=127.0.0.1 SPARK_LOCAL_DIRS=$work/tmp/local
	export PYSPARK_PYTHON=$installed/spark/bin/python
	export PYTHONPATH=$CFS_SRCDIR/contrib/python:$work/tmp/warcio
	mkdir -p "$work/tmp/spark" && cd "$work/tmp/spark" || return
	"$PYSPARK_PYTHON" "$here/jobs_spark.py" "$runs" 4 "$work/tmp/spark" \
		"$warcs" "$wets" "$@" >"$work/tmp/rounds" 2>"$work/tmp/log" ||
		die "Spark: $(tail -n 5 "$work/tmp/log")"
	while read -r job seconds answer; do
		sample wall "$job" "$seconds"
		sample answer "$job" "$answer"
	done <"$work/tmp/rounds"
}

once archives make_archives || die "cannot make archives"
parties="one $(asked_of xargs)" of_slurm=$(asked_of slurm slurm-parts)
of_spark=$(asked_of spark spark-sum words-wet words-crawlfs)
missing=$(slurm_missing)
if [ -z "$of_slurm" ]; then
	:
elif [ -n "$missing" ]; then
	say "no Slurm: no" $missing
elif start_slurm "$work/tmp/slurm" 1 "$(nproc)"; then
	parties="$parties $of_slurm"
fi
for ((i = 0; i < runs; i++)); do
	for party in $parties; do run_party "$party"; done
done
if [ -z "$of_spark" ]; then
	:
elif ! has_program java; then
	say "no Spark: there is no java"
elif spark_rounds $of_spark; then
	parties="$parties $of_spark"
else
	say "no Spark: its registry is not reached"
fi

printf '# %s; %s processors: %s; %s bytes of WARC, %s of WET; medians of %s runs\n' \
	"$("$crawlfs" version | head -n 1)" "$(nproc)" \
	"$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" \
	"$(cat "$warcs"/* | wc -c)" "$(cat "$wets"/* | wc -c)" "$runs"
printf 'party\tanswer\twall_s\trate of one\n'
for party in $parties; do
	printf '%s\t%s\t%s\t%s\n' "$party" \
		"$(sort -u "$work/samples/answer/$party" | tr '\n' ' ')" \
		"$(middle wall "$party")" \
		"$(ratio "$(middle wall one)" "$(middle wall "$party")")"
done
