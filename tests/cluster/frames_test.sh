#!/bin/sh
# frames_test.sh - contrib/python with pyarrow, pandas, polars, DuckDB and Hugging
# Face's datasets, in a session whose zone is New York; its types, by mypy.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/mount/lib.sh"
. "$CFS_SRCDIR/tests/cluster/engines.sh"

find_engine frames pyarrow==26.0.1 pandas==3.1.1 polars==2.1.0 duckdb==2.0.1 \
	datasets==5.2.0 mypy==2.4.1 pyarrow-stubs==20.0.0.20260819
export TZ=America/New_York HF_HOME="$T/hf" HF_HUB_OFFLINE=1
export XDG_CACHE_HOME="$T/cache"
cat >"$T/noted" <<END
#!/bin/sh
echo "\$*" >>"$T/log"
exec "$crawlfs" "\$@"
END
chmod +x "$T/noted"
export CRAWLFS="$T/noted"
frames() { "$python" "$CFS_SRCDIR/tests/cluster/frames_check.py" "$@"; }
make_rows 600
python3 "$CFS_SRCDIR/tests/cluster/odd_links.py" "$T/odd.warc"

# ---- values ----

mkdir "$T/all"
cp -r "$crawl" "$T/odd.warc" "$T/all" && "$crawlfs" export -q "$T/all" >"$T/all.jsonl"
if find_duckdb; then
	"$crawlfs" export -q "$T/all" -o "$T/all.parquet"
	# Holds R3.
	try "instants in every library" frames zones "$T/all" "$T/all.jsonl" \
		"$T/all.parquet"
else
	skip "zones: $install_problem"
fi
"$crawlfs" export -q "$T/odd.warc" --fields=url,headers,links,meta >"$T/odd.jsonl"
try "headers and links are structs" frames structs "$T/odd.warc" "$T/odd.jsonl"
try "polars reads what a query needs" frames scan "$crawl" "$T/one.jsonl" "$T/log"
make_damaged
try "rows and errors are counted" frames counts "$T/bad"

# ---- what crawlfs-cluster(7) has ----

manual duckdb >"$T/manual-duckdb.py"
by_duckdb() {
	"$python" "$T/manual-duckdb.py" | tr -d '[]() ' >"$T/got"
	jq -r '[.status, .length] | @tsv' "$T/one.jsonl" |
		awk -F '\t' '{ n[$1] += $2 }
		END { for (s in n) print (s == "" ? "None" : s), n[s] }' | sort |
		awk '{ printf "%s%s,%s", (NR > 1 ? "," : ""), $1, $2 }
		END { print "" }' | cmp - "$T/got"
}
try "DuckDB's query" by_duckdb
manual pandas >"$T/manual-pandas.py"
by_pandas() {
	"$python" "$T/manual-pandas.py" | awk 'NF == 2 && $2 + 0 > 0 {
		print $1, $2 + 0 }' | sort >"$T/got"
	jq -r '[.host, .text // ""] | @json' "$T/one.jsonl" | python3 -c '
import collections, json, sys
words = collections.Counter()
for host, text in map(json.loads, sys.stdin):
    words[host] += len(text.split())
print("".join("%s %d\n" % w for w in words.items() if w[1]), end="")' |
		sort >"$T/want-words"
	test "$(wc -l <"$T/got")" -gt 3 && grep -Fvxf "$T/want-words" "$T/got" &&
		return 1
	test -s "$T/got"
}
try "words of each host by pandas" by_pandas
manual polars >"$T/manual-polars.py"
try "that of polars" "$python" "$T/manual-polars.py"
in_parquet() {
	"$python" -c 'import json, sys
import pandas
texts = pandas.read_parquet(sys.argv[1])
rows = [json.loads(line) for line in open(sys.argv[2], encoding="utf-8")]
rows = [row for row in rows if row.get("mime") == "text/html"]
assert len(rows) > 100
assert list(texts["url"]) == [row["url"] for row in rows]
assert list(texts["text"].fillna("")) == [row.get("text", "") for row in rows]
' "$T/shared/texts.parquet" "$T/one.jsonl"
}
try "and its Parquet has the rows" in_parquet
manual datasets >"$T/manual-datasets.py"
try "datasets by parts" frames shards "$T/manual-datasets.py" "$T/one.jsonl"
manual torch >"$T/manual-torch.py"
try "torch's workers" frames workers "$T/manual-torch.py" "$T/one.jsonl"

# ---- types ----

checked() {
	(cd "$1" && shift && MYPYPATH="$T/packages" "$python" -m mypy --strict --cache-dir "$T/mypy" \
		--config-file "$CFS_SRCDIR/contrib/python/pyproject.toml" "$@")
}
try "types of the package" checked "$CFS_SRCDIR/contrib/python" crawlfs
refused() {	# the lines that mypy refuses are those marked, and no others
	user=$CFS_SRCDIR/tests/cluster/frames_user.py
	checked "$T" "$user" | sed -n 's/.*frames_user.py:\([0-9]*\): error.*/\1/p' |
		sort -un >"$T/refused"
	grep -n '# wrong' "$user" | sed 's/:.*//' | cmp - "$T/refused"
}
try "types of a user's program" refused
finish
