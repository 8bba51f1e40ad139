#!/bin/sh
# datatrove_test.sh - crawlfs.datatrove in datatrove's local executor: documents
# of all tasks are those of one run, also when the run was killed and resumed.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/mount/lib.sh"
. "$CFS_SRCDIR/tests/cluster/engines.sh"

find_engine datatrove 'datatrove[io]==0.10.1'
make_rows 600
# documents: what the rows with main content become
"$crawlfs" export -q --fields=main "$crawl" >"$T/main.jsonl" || exit 1
jq -c -n --slurpfile a "$T/one.jsonl" --slurpfile b "$T/main.jsonl" '
	[$a, $b] | transpose[] | (.[0] | del(.text)) + .[1] |
	select((.main // "") != "") |
	{text: .main, id: "\(.archive)/\(.offset)", metadata: del(.main)}' \
	>"$T/want"
try "there are documents" test "$(wc -l <"$T/want")" -gt 400
make_gate 3/4
export CRAWLFS="$T/gated"
manual datatrove >"$T/manual.py"
start "$python" "$T/manual.py" >"$T/job.log" 2>&1
job=$started
completed() { find "$T/shared/logs/completions" -type f 2>/dev/null | wc -l; }
is_stuck() { hangs_or_ended $job && [ "$(completed)" -eq 3 ]; }
try "three tasks are completed, one hangs" wait_for is_stuck
# the executor and its workers, which are of one session with this script
ended_all() {
	kill -9 $job $(cat /proc/$job/task/*/children) "$(cat "$T/hanging")"
	wait $job 2>/dev/null
	[ -d "$T/shared/texts" ]
}
try "the run is killed" ended_all
try "the same command again" status 0 "$python" "$T/manual.py"
tail -n 3 "$T/err"
try "read the part again that was not completed" attempted 2
try "the documents are those of one run" rows same "$T/want" "$T/shared/texts"

# ---- a damaged archive ----

mkdir "$T/bad"
first=$(find "$crawl" -name '*.gz' | sort | head -n 1)
head -c -50 "$first" >"$T/bad/${first##*/}"
cat >"$T/bad.py" <<END
import sys
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.writers import JsonlWriter
from crawlfs.datatrove import CrawlfsReader

if __name__ == "__main__":
    for errors in "keep", "skip":
        LocalPipelineExecutor(
            [CrawlfsReader("$T/bad", errors=errors),
             JsonlWriter("$T/bad." + errors)],
            tasks=1, logging_dir="$T/bad.log." + errors).run()
    from crawlfs import read
    wanted = {row["url"]: row["text"] for row in read("$T/shared/crawl")
              if row.get("text")}
    got = {d.metadata["url"]: d.text for d in
           CrawlfsReader("$T/shared/crawl", text_key="text").run()}
    assert got == wanted and len(got) > 300
    assert "main" not in next(iter(CrawlfsReader(
        "$T/shared/crawl", text_key="text").run())).metadata
END
export CRAWLFS="$crawlfs"
try "of a damaged archive" status 0 "$python" "$T/bad.py"
for errors in keep skip; do
	# Holds R5.
	try "the log names it, errors=$errors" grep -rqE \
		"${first##*/} at [0-9]+: error: " "$T/bad.log.$errors"
	try "it is counted, errors=$errors" grep -rqE '"errors": ' \
		"$T/bad.log.$errors/stats.json"
	try "nothing else is warned of, errors=$errors" not \
		grep -rq "without text, skipping" "$T/bad.log.$errors"
done
finish
