#!/bin/sh
# ray_test.sh - crawlfs.ray on Ray: the rows of all parts are those of one run,
# also when a worker is killed.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/mount/lib.sh"
. "$CFS_SRCDIR/tests/cluster/engines.sh"

find_engine ray 'ray==2.60.0' 'pyarrow==26.0.1' 'pandas==3.1.1' \
	fsspec 'typing_extensions==4.15.0'
export RAY_USAGE_STATS_ENABLED=0 RAY_raylet_start_wait_time_s=120
make_rows 600
manual ray >"$T/manual.py"
job_killed ray:: "$python" "$CFS_SRCDIR/tests/cluster/ray_job.py" "$crawl" 4 \
	"$T/out" "$T/ray" "$T/manual.py" "$T/shared/texts"
jq -c '{url, title, text}' "$T/one.jsonl" >"$T/want"
try "what crawlfs-cluster(7) has" rows same "$T/want" "$T/shared/texts.json"
finish
