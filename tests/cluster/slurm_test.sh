#!/bin/sh
# slurm_test.sh - contrib/cluster/crawlfs-slurm on a Slurm of its own: an index
# of 8 tasks is the one that one machine makes, whatever is killed meanwhile.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/net/lib.sh"
. "$CFS_SRCDIR/tests/cluster/slurm.sh"
. "$CFS_SRCDIR/tests/cluster/slice.sh"

missing=$(slurm_missing)
[ -z "$missing" ] || skip_all "Slurm is not here: no $(echo $missing)"
job() { bash "$CFS_SRCDIR/contrib/cluster/crawlfs-slurm" "$@"; }

"$mkcrawl" --records 600 --page-bytes 2000 --archive-bytes 150000 "$T/crawl" \
	>"$T/made" || exit 1
"$crawlfs" index -q -o "$T/one.cfx" "$T/crawl" || exit 1
trap 'stop_slurm >/dev/null 2>&1; net_clean_up' EXIT
try "a Slurm of 4 nodes" start_slurm "$T/slurm" 4 3
if [ "$failed" -gt 0 ]; then
	tail -n 5 "$T"/slurm/*.log
	finish
fi

# rows_are FILE ARGUMENT...: of an export in the order of an index
rows_are() {
	rows_file=$1
	shift
	"$crawlfs" export -q "$@" | cmp - "$rows_file" && [ -s "$rows_file" ]
}

# ---- an index ----

export CRAWLFS="$crawlfs"
export TMPDIR="$T/tmp"		# of jobs, which keep a folder there
mkdir "$TMPDIR"
index=$T/all.cfx
parts=$index.parts
equal() { cmp "$T/one.cfx" "$index" && [ -e "$parts/_SUCCESS" ]; }
try "what would be submitted" status 0 job index -n 8 -o "$index" --dry-run \
	"$T/crawl"
try "an array of 8" complains "--array=1-8"
try "and nothing else was done" absent "$parts" "$index"
try "8 tasks and a merge" job index -n 8 -o "$index" --wait "$T/crawl"
try "make the index of one machine" equal
try "again: nothing is left to do but the merge" status 0 job index -n 8 \
	-o "$index" --wait "$T/crawl"
try "and no task was submitted" not grep -q tasks "$T/out"
try "another job in the same folder" status 2 job index -n 4 -o "$index" \
	"$T/crawl"
try "is refused" complains "has the parts of another job"

# Tasks that wait at a gate before they begin: hold; they begin with open_gate.
cat >"$T/gated" <<END
#!/bin/sh
echo \$\$ >>"$T/began"
while [ -e "$T/gate" ]; do sleep 0.05; done
exec "$crawlfs" "\$@"
END
chmod +x "$T/gated"
begun() { [ "$(wc -l <"$T/began")" -ge "$1" ]; }
# submit_held: all 8 tasks have begun, and wait
submit_held() {
	rm -rf "$parts" "$index" "$T/began"
	: >"$T/began"
	: >"$T/gate"
	CRAWLFS=$T/gated job index -n 8 -o "$index" "$T/crawl" &&
		wait_for begun 8
}
open_gate() { rm "$T/gate"; }
# all_ended: nothing runs or waits; what was put back starts at once
all_ended() { wait_for start_requeued; }

try "8 tasks, held" submit_held
kill -9 "$(sed -n 5p "$T/began")"
open_gate
try "one is killed" all_ended
try "there is no index" absent "$index" "$parts/_SUCCESS"
try "the job says which part is missing" grep -Eq \
	'parts [1-8] of 8 are missing.*crawlfs-slurm index -n 8' \
	"$parts/log/merge.log"
try "the same command again" status 0 job index -n 8 -o "$index" --wait \
	"$T/crawl"
try "submits one task" grep -Eq 'tasks [1-8]\)' "$T/out"
try "and completes it" equal

lose_node() {
	kill_node n2
	sleep 7		# a job younger than that is not missed for a minute
	start_node n2
}
try "8 tasks, held" submit_held
try "a node is killed with its tasks, and comes back" lose_node
open_gate
try "its tasks are put back" all_ended
# Holds W6.
try "and the index is the same" equal

begun_again() { start_requeued; begun "$1"; }
down() {	# the others have room for what is put back
	n=$(squeue -h -t R -w n2 | wc -l)
	kill -9 "$(slurm_pid slurmd.n2)" &&
		scontrol update NodeName=n2 State=DOWN Reason=test &&
		wait_for begun_again $((8 + n)) && [ "$n" -gt 0 ]
}
try "8 tasks, held" submit_held
try "a node's daemon is killed: its tasks run twice" down
open_gate
try "both attempts end" all_ended
try "and the index is the same" equal
start_node n2
scontrol update NodeName=n2 State=RESUME 2>/dev/null

# The controller writes what has changed some seconds later: a change that is
# made once all tasks run is saved together with them.
is_saved() { [ -n "$(find "$T/slurm/state/job_state" -newer "$T/running")" ]; }
restart_controller() {
	: >"$T/running"
	scontrol update "JobId=$(squeue -h -t PD -o %A)" Comment=running &&
		wait_for is_saved && kill -9 "$(slurm_pid slurmctld)" &&
		start_controller && wait_for squeue -h
}
try "8 tasks, held" submit_held
try "the controller is killed, and comes back" restart_controller
open_gate
try "all ends" all_ended
try "and the index is the same" equal

# ---- a command on parts ----

sums='find . -type f ! -name "*.meta" ! -name "*.txt" -print0 | sort -z |
	xargs -0 sha1sum'
all_sums() { (cd "$T/m" && sh -c "$sums") | sort; }
start_mount m "$T/one.cfx"
all_sums >"$T/want"
PATH=$CFS_SRCDIR/contrib/jobs:$PATH
tags "$T/m" >"$T/tags" 2>/dev/null
stop_mount m
try "there are pages" [ "$(wc -l <"$T/want")" -gt 500 ]
try "a command on 5 parts" job run -n 5 -o "$T/sums" --wait "$T/one.cfx" -- \
	"$sums"
sort "$T/sums" >"$T/got"
try "has the pages of all, each once" cmp "$T/want" "$T/got"
in_order() {
	for k in 1 2 3 4 5; do
		bash "$CFS_SRCDIR/contrib/cluster/crawlfs-part" $k/5 "$T/one.cfx" \
			-- "$sums" || return 1
	done >"$T/local"
	cmp "$T/local" "$T/sums"
}
try "in the order of the parts" in_order
try "a command that fails" status 1 job run -n 3 -o "$T/bad" --wait \
	"$T/one.cfx" -- sh -c 'echo x; exit $((CRAWLFS_PART == 2))'
try "leaves a part out" complains "parts 2 of 3 are missing"
try "and no output" absent "$T/bad"
try "unless all is well" job run -n 3 -o "$T/bad2" --any-status --wait \
	"$T/one.cfx" -- grep -rl 'no such words'
try "outputs that are put together by a command" job run -n 3 -o "$T/count" \
	--wait --merge="awk '{ n += \$1 } END { print n }'" "$T/one.cfx" -- \
	'find . -type f ! -name "*.meta" ! -name "*.txt" | wc -l'
try "are" same "$(cat "$T/count")" "$(wc -l <"$T/want")"
# as crawlfs-cluster(7) has it; what tags counts is compared in jobs_test
try "a job of contrib/jobs, its counts added up" job run -n 3 -o "$T/tags.all" \
	--wait --merge=merge-counts "$T/one.cfx" -- tags .
try "counts what it counts in the whole" cmp "$T/tags" "$T/tags.all"
try "which is something" [ "$(wc -l <"$T/tags")" -gt 5 ]

# ---- rows ----

for end in jsonl jsonl.gz warc.wet.gz; do
	rows=$T/rows.$end
	rows_of() { "$crawlfs" export -q --format="$(echo "${end#warc.}")" "$@"; }
	try "rows of 4 tasks, .$end" job export -n 4 -o "$rows" --wait "$T/crawl"
	for k in 1 2 3 4; do
		rows_of --part=$k/4 "$T/crawl"
	done >"$T/parts.rows"
	try "are the parts, one behind the other" cmp "$T/parts.rows" "$rows"
	mv "$rows" "$T/$end.rows"
done
try "with fields, of a prefix" job export -n 2 -o "$T/few.jsonl" --wait \
	--fields=url,status "$T/one.cfx" org
try "are those of one run" rows_are "$T/few.jsonl" --fields=url,status \
	"$T/one.cfx" org
try "rows as a folder of parts" job export -n 4 -o "$T/rows.jsonl/" --wait \
	"$T/crawl"
try "are the same" sh -c 'cat "$1"/part-*-of-00004.jsonl | cmp - "$2"' - \
	"$T/rows.jsonl" "$T/jsonl.rows"
try "what else is there has a name that readers pass over" same \
	"$(ls "$T/rows.jsonl" | grep -v '^part-' | tr '\n' ' ')" \
	"_SUCCESS _job _log "
rm "$T/rows.jsonl/part-00002-of-00004.jsonl"
: >"$T/stamp"
try "a part that is missing is made again" job export -n 4 \
	-o "$T/rows.jsonl/" --wait "$T/crawl"
try "alone" same "$(find "$T/rows.jsonl" -newer "$T/stamp" -name 'part-*' |
	wc -l)" 1
try "and the same" sh -c 'cat "$1"/part-*.jsonl | cmp - "$2"' - \
	"$T/rows.jsonl" "$T/jsonl.rows"
sized() { job export -n 3 -o "$T/sized/" --format=jsonl --file-size=40K "$@"; }
try "a folder of files of bounded size" sized --wait "$T/crawl"
sized_are_rows() {
	for k in 1 2 3; do
		"$crawlfs" export -q --part=$k/3 "$T/crawl"
	done >"$T/three.rows"
	cat "$T/sized"/part-*.jsonl | cmp - "$T/three.rows" &&
		[ "$(ls "$T/sized"/part-*-of-00003-*.jsonl | wc -l)" -gt 6 ] &&
		[ -e "$T/sized/_SUCCESS" ]
}
try "has the rows of all parts" sized_are_rows
rm "$T/sized/_SUCCESS-00002-of-00003" "$T/sized"/part-00002-*
try "a part that is gone" status 0 sized --wait "$T/crawl"
try "is submitted alone" grep -q 'tasks 2)' "$T/out"
try "and is the same" sized_are_rows
try "another size is other work" status 2 job export -n 3 -o "$T/sized/" \
	--format=jsonl --file-size=50K "$T/crawl"
export AWS_ACCESS_KEY_ID=UPLOADER AWS_SECRET_ACCESS_KEY="s3cr+t/k=y"
mkdir -p "$T/up.d/things"
plus=
signs_plus || plus=--no-plus
to_s3() {
	(cd "$T" && job export -n 3 -o s3://things/rows/ --format=jsonl.gz \
		--file-size=40K --endpoint="$url" --tmp="$T/tmp" --wait "$T/crawl")
}
s3_has_rows() {
	zcat "$T/up.d/things/rows"/part-*.jsonl.gz | cmp - "$T/three.rows" &&
		[ -e "$T/up.d/things/rows/_SUCCESS" ]
}
if start_server up python3 "$CFS_SRCDIR/tests/net/s3_uploadd.py" "$T/up.d" $plus; then
	try "a folder in S3" to_s3
	try "has the rows of all parts" s3_has_rows
else
	skip "a folder in S3: no server"
fi
try "an object in S3" status 2 job export -n 3 -o s3://things/x.jsonl "$T/crawl"
try "is refused" complains "needs a / behind it"
try "a folder for an index" status 2 job index -n 2 -o "$T/x/" "$T/crawl"
try "is refused" complains "only export writes a folder"
try "a name without a format" status 2 job export -n 2 -o "$T/rows" "$T/crawl"
try "is refused" complains "does not end in"

# ---- a slice of a crawl, from a server that refuses now and then ----

try "pages in one language, by a table of 10,000 rows" make_slice 10000 400
# slice_job COMMAND...: its texts by 6 tasks
slice_job() {
	"$@" export -n 6 -o "$slice/isl.jsonl" --wait --errors=ok --threads=1 \
		--fields=url,timestamp,text --cache="$slice/cache" "$slice/isl.cfx"
}
start_slice
CRAWLFS=$slice/noting slice_job job >"$slice/job.log" 2>&1 &
slice_submitted=$!
try "two of six tasks are killed while they read" kill_slice 6
wait $slice_submitted
try "there are no rows" absent "$slice/isl.jsonl"
refuse_every 7
try "the same command, where one request in seven is refused" slice_job job
try "the rows are those of all archives that are in this language" slice_has "$slice/isl.jsonl"
try "though the server refused" slice_was_refused

try "nothing is mounted" sh -c '! grep "crawlfs-part-" /proc/self/mounts'
finish
