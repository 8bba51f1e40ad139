#!/bin/sh
# spark_test.sh - crawlfs.spark on Spark: the rows of all partitions are those of
# one run, also when an executor is killed; conditions are pushed down.
#
# A slice is of a table of SLICE_ROWS (10000) rows, of Parquet where DuckDB's
# library can be had, and a crawl of SLICE_PAGES (400), of whose server one request
# in SLICE_REFUSED (7) is refused; at full size these are 1000000, 20000 and 50.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/net/lib.sh"
. "$CFS_SRCDIR/tests/cluster/engines.sh"
. "$CFS_SRCDIR/tests/cluster/slice.sh"

has_program java || skip_all "spark: there is no java"
find_engine spark 'pyspark==4.3.0' 'pyarrow==26.0.1' 'pandas==3.1.1'
export SPARK_LOCAL_IP=127.0.0.1 SPARK_LOCAL_DIRS="$T/local" PYSPARK_PYTHON="$python"
SPARK_HOME=$("$python" -c 'import os, pyspark
print(os.path.dirname(pyspark.__file__))')
export SPARK_HOME
make_rows 600
cd "$T" || exit 1		# Spark's workers write to where they begin
spark_job="$CFS_SRCDIR/tests/cluster/spark_job.py"

# Pages in one language, chosen by a table, whose server refuses now and then,
# while an executor is killed.
suffix=csv
find_duckdb && suffix=parquet
make_slice "${SLICE_ROWS:-10000}" "${SLICE_PAGES:-400}" $suffix || exit 1
echo "# a table of $(wc -c <"$slice_table") bytes, $suffix"
"$crawlfs" export -q --errors=ok --cache="$T/cache.one" "$slice/isl.cfx" >"$T/slice.jsonl"
try "rows of a slice without faults" slice_has "$T/slice.jsonl"
mv "$T/one.jsonl" "$T/crawl.jsonl" && cp "$T/slice.jsonl" "$T/one.jsonl"
refuse_every "${SLICE_REFUSED:-7}"
export XDG_CACHE_HOME="$T/cache.spark"
job_killed CoarseGrainedExecutorBackend "$python" "$spark_job" \
	'local-cluster[2,1,1024]' "$slice/isl.cfx" 4 "$T/out"
try "though the server refused" slice_was_refused
mv "$T/crawl.jsonl" "$T/one.jsonl"

# ---- conditions ----

if ! "$crawlfs" export --help | grep -q -e --status; then
	skip "conditions: crawlfs export has no --status"
	finish
fi

cat >"$T/noted" <<END
#!/bin/sh
echo "\$*" >>"$T/log"
exec "$crawlfs" "\$@"
END
chmod +x "$T/noted"
host=$(jq -r .url "$T/one.jsonl" | sed -n 's,\(http://[^/]*/\).*,\1,p' | sort |
	uniq -c | sort -n | sed -n '$s/.* //p')
time=$(jq -r .timestamp "$T/one.jsonl" | sort | sed -n 300p)
# conditions: Spark's, Python's, and what the program is given
cat >"$T/conditions" <<END
status = 200	r.get("status") == 200	--status=200
status >= 300 and status < 500	300 <= r.get("status", 0) < 500	--status=300-499
mime = 'text/html'	r.get("mime") == "text/html"	--mime=text/html
timestamp >= '$time'	r["timestamp"] >= "$time"	--from=$(echo "$time" | tr -dc 0-9)
url like '$host%'	r["url"].startswith("$host")	$host[*]
END
set --
while IFS="	" read -r condition _; do
	set -- "$@" "$condition" "$T/where-$#" "$T/log"
done <"$T/conditions"
conditions_run() {
	CRAWLFS=$T/noted "$python" "$spark_job" 'local[2]' "$crawl" 3 \
		"$T/few" "$T/manual.py" "$T/shared/texts" "$@" >"$T/job.log"
}
manual spark >"$T/manual.py"
try "a job with conditions" conditions_run "$@"
try "a partition for each part" grep -q 'partitions: 3' "$T/job.log"
jq -c '{url, status}' "$T/one.jsonl" >"$T/want"
try "only the fields of a schema" rows same "$T/want" "$T/few"
jq -c 'select(.status == 200 and .mime == "text/html") | {url, title, text}' \
	"$T/one.jsonl" >"$T/want"
try "what crawlfs-cluster(7) has" rows same "$T/want" "$T/shared/texts.json"
i=0
while IFS="	" read -r condition python_form option; do
	out=$T/where-$i
	i=$((i + 3))
	rows where "$T/one.jsonl" "$python_form" >"$T/want"
	# Holds R3.
	try "rows for which $condition" rows same "$T/want" "$out"
	try "are picked by the program" grep -q -e "$option" "$out.words"
	try "by one thread a partition" sh -c '! grep -v -e --threads=1 "$1"' - \
		"$out.words"
done <"$T/conditions"
finish
