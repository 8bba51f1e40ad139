#!/bin/sh
# hadoop_test.sh - contrib/cluster/crawlfs-rows as a mapper of Hadoop Streaming:
# the files of all tasks are the parts, also when a task was attempted twice.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/mount/lib.sh"
. "$CFS_SRCDIR/tests/cluster/engines.sh"
. "$CFS_SRCDIR/tests/cluster/hadoop.sh"

for program in java mvn; do
	has_program $program || skip_all "hadoop: there is no $program"
done
find_hadoop || skip_all "hadoop: $install_problem"
make_rows 600
mapper="bash $CFS_SRCDIR/contrib/cluster/crawlfs-rows"

# ---- the mapper alone ----

export CRAWLFS="$crawlfs"
mkdir "$T/parts"
for k in 1 2 3 4; do
	"$crawlfs" export -q --part=$k/4 "$crawl" >"$T/parts/$k"
done
by_hand() {
	printf '0\t1/4\n4\t2/4\n' | $mapper "$crawl" >"$T/got" &&
		cat "$T/parts/1" "$T/parts/2" | cmp - "$T/got"
}
try "lines with offsets, as Hadoop sends them" by_hand
try "options, and fields" sh -c 'echo 1/1 | "$@" --fields=url | grep -c "^{\"url"' \
	sh $mapper "$crawl"
try "a line without a part" status 2 sh -c 'echo x | "$@"' sh $mapper "$crawl"
try "is refused" complains "does not end in K/N"
try "no such crawl" status 3 sh -c 'echo 1/4 | "$@"' sh $mapper "$T/none"
try "is a failure" complains "No such file"
mkdir "$T/bad"
head -c 100000 "$(find "$crawl" -name '*.warc.gz' | head -n 1)" \
	>"$T/bad/cut.warc.gz"
try "a record that cannot be read is none" status 0 sh -c 'echo 1/1 | "$@"' sh \
	$mapper "$T/bad"
try "its row has the error" grep -q '"error":' "$T/out"

# ---- Hadoop ----

trap 'stop_hadoop; clean_up' EXIT
try "a Hadoop of one node" start_hadoop "$T/hadoop"
# hadoop: what stands for the program of that name in what the manual has
hadoop() {
	case $1 in
	fs) cat >"$4" ;;		# -put - FILE
	jar) shift 2
		java_of_hadoop org.apache.hadoop.streaming.HadoopStreaming \
			$hadoop_options -D mapreduce.map.memory.mb=512 \
			-D yarn.app.mapreduce.am.resource.mb=512 "$@" \
			-cmdenv CRAWLFS="$CRAWLFS" ;;
	esac
}
manual hadoop | sed "s,'crawlfs-rows ,'$mapper ," >"$T/manual.sh"
cd "$T" || exit 1
streaming() { . "$T/manual.sh"; }
make_gate 3/4
CRAWLFS=$T/gated
streaming >"$T/job.log" 2>&1 &
job=$!
try "a task is killed" kill_above YarnChild $job
try "the job ends well" ended_well $job
try "it was attempted twice" attempted 2
sums() { sha1sum "$@" | cut -d' ' -f1 | sort; }
try "the files of tasks are the parts, byte for byte" same \
	"$(sums "$T"/rows/part-*)" "$(sums "$T"/parts/*)"
try "the rows are those of one run" rows same "$T/one.jsonl" "$T/rows"
finish
