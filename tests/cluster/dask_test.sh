#!/bin/sh
# dask_test.sh - crawlfs.dask on Dask distributed: the rows of all partitions are
# those of one run, also when a worker is killed.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/mount/lib.sh"
. "$CFS_SRCDIR/tests/cluster/engines.sh"

find_engine dask 'distributed==2026.8.0' 'dask==2026.8.0' 'pyarrow==26.0.1' \
	'pandas==3.1.1'
make_rows 600
cd "$T" || exit 1		# where workers keep their folders
manual dask >"$T/manual.py"
job_killed spawn_main "$python" "$CFS_SRCDIR/tests/cluster/dask_job.py" \
	"$crawl" 4 "$T/out" "$T/manual.py"
try "a partition for each part" grep -q 'partitions: 4 2' "$T/job.log"
lengths=$(jq -s -r '"\(length) \(map(.length // 0) | add)"' "$T/one.jsonl")
try "the data frame has as many rows, and bytes of records" grep -q \
	"frame: $lengths \['url', 'status', 'length', 'error'\]" "$T/job.log"
top=$(jq -r '(.surt // "") | sub("\\).*"; "")' "$T/one.jsonl" | sort | uniq -c |
	sort -nr | awk 'NR <= 10 { print $1 }')
try "what crawlfs-cluster(7) has: hosts" same "$(echo $top)" "$(sed -n \
	"s/), ('/) ('/g; /^\[('/s/[^0-9]*, \([0-9]*\))/\1 /gp" "$T/job.log" |
	tr -d '[]' | xargs)"
bytes=$(jq -r 'select(.status == 200) | .length // 0' "$T/one.jsonl" |
	awk '{ n += $1 } END { print n }')
try "and bytes by status" grep -Eq "^200 +$bytes\$" "$T/job.log"
finish
