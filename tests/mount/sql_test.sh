#!/bin/sh
# sql_test.sh - Parquet files and --sql: mounts of them against what hyparquet
# reads; what a query may do; and both without DuckDB's library.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=user
. "$CFS_SRCDIR/tests/mount/lib.sh"
. "$CFS_SRCDIR/tests/mount/selections.sh"

# pages INDEX: its files; the time of folders is the index's.
pages() { "$crawlfs" ls -lR "$1" | grep -v '/$'; }
# query SQL [OPTION...]: an index of it.
query() {
	sql=$1
	shift
	"$crawlfs" index -o "$T/q.cfx" --base="$crawl" --sql="$sql" "$@"
}
# refuses STATUS WHY SQL [OPTION...]: and leaves nothing behind.
refuses() {
	wanted=$1 why=$2
	shift 2
	rm -f "$T/q.cfx"
	status "$wanted" query "$@" && complains "$why" &&
		absent "$T/q.cfx" "$T"/.crawlfs-sql-* "$T"/out*.made
}

make_selections 300

# ---- without the library ----

# no_library COMMAND...: what it says is one line that says how to get it.
no_library() {
	CRAWLFS_DUCKDB='' LD_LIBRARY_PATH='' status 1 "$@" &&
		grep -q 'contrib/getduckdb' "$T/err" &&
		same "$(wc -l <"$T/err")" 1
}
printf 'PAR1 and no more' >"$T/any.parquet"
if [ -z "$(ldconfig -p 2>/dev/null | grep libduckdb)" ]; then
	try "Parquet without DuckDB" no_library "$crawlfs" index \
		-o "$T/q.cfx" "$T/any.parquet"
	try "SQL without DuckDB" no_library query "SELECT 1"
	try "a mount without DuckDB" no_library "$crawlfs" ls "$T/any.parquet"
fi
CRAWLFS_DUCKDB=$T/none.so status 1 query "SELECT 1"
try "the wrong one is named" complains "none.so"
CRAWLFS_DUCKDB=$T/none.so
export CRAWLFS_DUCKDB
try "CSV needs none of it" "$crawlfs" index -q -o "$T/csv.cfx" \
	"$tables/athena.csv"
unset CRAWLFS_DUCKDB
find_duckdb || {
	skip "Parquet and SQL: $install_problem"
	finish
}

# ---- SQL ----

cd "$tables" || exit 1
missing=$(grep -c '"fetch_status": 404' duckdb.json)
everything="SELECT url, warc_filename, warc_record_offset, warc_record_length,
	rank, fetch_status, note FROM read_json('duckdb.json')"
python3 - duckdb.json >"$T/some.jsonl" <<'END'
import json, sys
for line in open(sys.argv[1]):
    row = json.loads(line)
    if row["fetch_status"] == 200 and row["rank"] % 2:
        row["twice"] = row["rank"] * 2
        row["list"] = [row["rank"], None]
        row["object"] = {"a": row["note"]}
        row["day"] = row["fetch_time"][:10]
        for name in ("fetch_time", "content_mime_detected", "big", "score", "good", "none", "langs"):
            del row[name]
        print(json.dumps(row))
END
some="SELECT rank, url, warc_filename, warc_record_offset, warc_record_length,
	fetch_status, note, rank * 2 AS twice, [rank, NULL] AS list,
	{a: note} AS object, fetch_time::DATE AS \"day\"
	FROM read_json('duckdb.json') WHERE fetch_status = 200 AND rank % 2 = 1"
try "a query" status 0 query "$some"
try "has as many captures" same "$(captures)" "$(wc -l <"$T/some.jsonl")"
try "is said to be one" grep -q 'captures\{0,1\} of a query$' "$T/err"
try "mounted" shows "$T/q.cfx" "$T/some.jsonl"
"$crawlfs" index -q -o "$T/csv.cfx" --base="$crawl" athena.csv
TZ=America/New_York try "of a CSV, times with a zone" status 0 query "SELECT *
	REPLACE (fetch_time::TIMESTAMP AT TIME ZONE 'UTC' AS fetch_time)
	FROM read_csv('athena.csv', quote='\"')"
pages "$T/csv.cfx" >"$T/csv.ls"
pages "$T/q.cfx" >"$T/q.ls"
try "are UTC" cmp "$T/csv.ls" "$T/q.ls"
try "and known" grep -q ' 20[0-9][0-9]-' "$T/q.ls"
try "beside a file" status 0 query "$everything WHERE fetch_status = 404" \
	"$T/some.jsonl"
try "has the captures of both" same "$(captures)" \
	$(($(wc -l <"$T/some.jsonl") + missing))
try "picked" status 0 query "$everything" --status=404
try "has only those" same "$(captures)" $missing
try "no captures" refuses 1 "no page to index" "$everything LIMIT 0"

try "not SQL" refuses 2 "Parser Error" "SELEC 1"
try "no selection" refuses 2 \
	"is without the columns warc_filename, warc_record_offset, warc_record_length" \
	"SELECT 1 AS url"
try "a column is missing" refuses 2 "is without the column warc_record_length\$" \
	"SELECT 'a' AS filename, 1 AS offset"
try "two statements" refuses 2 "one SELECT is needed, not 2" \
	"$everything; COPY (SELECT 1) TO '$T/out.made'"
# Holds E19.
try "EXPORT" refuses 2 "single SELECT" "EXPORT DATABASE '$T/out.made'"
try "COPY" refuses 2 "single SELECT" "COPY (SELECT 1) TO 'out.made'"
try "ATTACH" refuses 2 "single SELECT" "ATTACH '$T/out.made'"
try "a value that cannot be" refuses 1 "Conversion Error" \
	"SELECT *, note::INTEGER FROM read_json('duckdb.json')"
cd "$T" || exit 1
# Threads that fail at once stop each other: the cause is told all the same.
python3 - "$T" <<'END'
import sys
for k in range(4):
    with open("%s/bad%d.csv" % (sys.argv[1], k), "w") as f:
        f.write("url,warc_filename,warc_record_offset,warc_record_length,n\n")
        for i in range(200000):
            f.write("http://a.example/%d/%d,f.warc.gz,%d,5,%s\n" % (
                k, i, i, "x" if i % 70000 == 69999 else i))
END
for run in 1 2 3 4 5; do
	query "SELECT * REPLACE (n::INTEGER AS n) FROM
		read_csv('bad*.csv', all_varchar=true)" --force --threads=4 2>&1
done >"$T/said"
try "a value that cannot be, met by several threads" same \
	"$(grep -c 'Conversion Error' "$T/said")" 5
rm -f "$T/q.cfx" "$T"/bad?.csv
# Holds E19.
try "files elsewhere" refuses 2 "Permission Error.*--tables=FOLDER" \
	"FROM read_csv('/etc/passwd')"
mkdir "$T/empty"
cd "$T/empty" || exit 1
elsewhere="SELECT * FROM read_json('$tables/duckdb.json')"
# Holds E19.
try "tables elsewhere" refuses 2 "Permission Error" "$elsewhere"
try "are allowed" query "$elsewhere" --tables="$T/crawl" --tables="$tables" -q
try "no folder" refuses 2 "'$T/none' is not a folder" "$elsewhere" \
	--tables="$T/none"
status 2 "$crawlfs" index -o "$T/x.cfx" --tables="$T" "$tables/athena.csv"
try "folders without SQL" complains "of use to --sql only"
try "not a PB-tree" refuses 1 "PB-tree" "$elsewhere" --tables="$tables" \
	--format=pbtree -o "$T/q.pb"

# Ctrl-C, while the query runs, which it would for days.
endless() {
	rm -rf "$T/int" && mkdir "$T/int"
	# a shell's background ignores SIGINT
	env --default-signal=INT "$crawlfs" index -o "$T/int/q.cfx" \
		--sql="$1" >"$T/int.log" 2>&1 &
	endless=$!
	wait_for has_begun "$T/int" || {
		kill -KILL $endless
		return 1
	}
	sleep 0.3		# or it ends before the query, which is right, too
	kill -INT $endless
	wait $endless
	same $? 130 && same "$(ls -A "$T/int")" ""
}
has_begun() { [ -n "$(ls -A "$1")" ]; }
rows="SELECT 'http://a.example/' || i AS url, 'a.warc.gz' AS filename,
	i AS \"offset\", 1 AS length"
try "Ctrl-C in a query" endless "$rows FROM range(1000000000000) t(i) WHERE i < 0"
try "Ctrl-C in its rows" endless "$rows FROM range(1000000000000) t(i)"

# A query that fails when rows have come: they are kept, as those of a file are
# that is damaged.
failing="$rows FROM range(300000) t(i)
	WHERE CASE WHEN i = 299999 THEN error('row' || i) ELSE true END"
# Holds E20.
try "fails after rows" status 0 "$crawlfs" index -o "$T/f.cfx" --threads=1 \
	--sql="$failing"
try "which is told" complains 'SQL: row [0-9]*: .*row299999'
try "and counted" grep -q '1 damaged place' "$T/err"
# Holds E20.
try "the rows are there" test "$(sed -n 's/^.*f\.cfx: \([0-9]*\) captures.*/\1/p' \
	"$T/err")" -gt 1000

# What a process leaves that is killed, the next one removes; and nothing that is
# in use.
leaves() {
	rm -rf "$T/int" && mkdir "$T/int"
	"$crawlfs" index -q -o "$T/int/q.cfx" --sql="$1" >"$T/int.log" 2>&1 &
	endless=$!
	wait_for has_begun "$T/int" &&
		wait_for test -n "$(ls -A "$T/int")" &&
		touch "$(find "$T/int" -name '.crawlfs-sql-*')/left"
}
run_beside() { "$crawlfs" index -q --force -o "$T/int/b.cfx" --sql="$rows FROM range(3) t(i)"; }
sql_folders() { find "$T/int" -name '.crawlfs-sql-*' | wc -l; }
try "a query runs" leaves "$rows FROM range(1000000000000) t(i) WHERE i < 0"
try "another one beside it" run_beside
try "leaves its folder alone" same "$(sql_folders)" 1
kill -KILL $endless
wait $endless 2>/dev/null
try "a killed one leaves a folder" same "$(sql_folders)" 1
# Holds E20.
try "until the next one" run_beside
try "which removes it" same "$(sql_folders)" 0

# A million rows in the memory allowed: what it takes, and how fast.
million() {
	python3 "$here/duckdb_alone.py" "$CRAWLFS_DUCKDB" "COPY ($rows
		FROM range(1000000) t(i)) TO '$T/m.parquet'" &&
	alone=$(python3 "$here/duckdb_alone.py" "$CRAWLFS_DUCKDB" \
		"FROM '$T/m.parquet'") &&
	python3 - "$crawlfs" "$T/m.cfx" "$T/m.parquet" "$alone" <<'END'
import resource, subprocess, sys, time
start = time.monotonic()
subprocess.run([sys.argv[1], "index", "-q", "--memory=64M", "-o", *sys.argv[2:4]], check=True)
seconds = time.monotonic() - start
most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
print("an index: %d rows/s, %d MiB; DuckDB alone: %d rows/s"
      % (1000000 / seconds, most, 1000000 / float(sys.argv[4])))
assert most < 700
END
}
try "a million rows" million
cat "$T/case.log"
cd "$T" || exit 1

# ---- Parquet ----

find_parquet || {
	skip "Parquet: hyparquet: $install_problem"
	finish
}

python3 - "$tables/spark.jsonl" >"$T/typed.jsonl" <<'END'
import json, sys
for i, line in enumerate(open(sys.argv[1])):
    row = json.loads(line)
    row["big"] = 2 ** 40 + i
    row.setdefault("content_mime_detected", None)
    if i == 0:
        names = list(row)
    print(json.dumps({n: row.get(n) for n in names}))
END
for codec in UNCOMPRESSED SNAPPY GZIP; do
	parquet make "$T/typed.jsonl" "$T/$codec.parquet" $codec 100
	parquet rows "$T/$codec.parquet" >"$T/$codec.jsonl"
	try "as many rows" same "$(wc -l <"$T/$codec.jsonl")" \
		"$(wc -l <"$T/typed.jsonl")"
	try "$codec" shows "$T/$codec.parquet" "$T/$codec.jsonl"
done
gzip -k "$T/SNAPPY.parquet"
try "compressed once more" shows "$T/SNAPPY.parquet.gz" "$T/SNAPPY.jsonl"
cp "$T/SNAPPY.parquet" "$T/it's [1]*?.parquet"
try "a name of odd characters" shows "$T/it's [1]*?.parquet" "$T/SNAPPY.jsonl"

# Parts in folders that hold columns, as Spark writes them.
split -n r/3 "$T/typed.jsonl" "$T/part."
n=0
for part in "$T"/part.*; do
	folder=$T/parts/crawl=CC-MAIN-2026-99/subset=warc$n
	mkdir -p "$folder"
	parquet make "$part" "$folder/part-0000$n-c000.snappy.parquet"
	parquet rows "$folder/part-0000$n-c000.snappy.parquet" \
		crawl=CC-MAIN-2026-99 "subset=warc$n" >>"$T/parts.jsonl"
	cp "$T/any.parquet" "$folder/_part.parquet"
	n=$((n + 1))
done
touch "$T/parts/_SUCCESS" "$T/parts/.part.parquet.crc"
try "a folder of parts" shows "$T/parts" "$T/parts.jsonl"
try "a query of it" status 0 query "FROM 'parts/**/part-*.parquet'"
try "mounted" shows "$T/q.cfx" "$T/parts.jsonl"
"$crawlfs" index -q --threads=1 -o "$T/1.cfx" --base="$crawl" "$T/parts"
"$crawlfs" index -q --threads=4 -o "$T/4.cfx" --base="$crawl" "$T/parts"
try "an index that threads do not change" cmp "$T/1.cfx" "$T/4.cfx"

# Damage costs what is damaged.
mkdir "$T/bad"
head -c 5000 "$T/SNAPPY.parquet" >"$T/bad/part-0.parquet"
cp "$T/SNAPPY.parquet" "$T/bad/part-1.parquet"
python3 - "$T/GZIP.parquet" "$T/bad/part-2.parquet" <<'END'
import sys
b = bytearray(open(sys.argv[1], "rb").read())
b[len(b) * 3 // 8:len(b) // 2] = b"\x55" * (len(b) // 2 - len(b) * 3 // 8)
open(sys.argv[2], "wb").write(b)
END
printf '{"a": 1}\n' >"$T/a.jsonl"
parquet make "$T/a.jsonl" "$T/bad/part-3.parquet"
try "damaged parts" status 0 "$crawlfs" index -o "$T/b.cfx" "$T/bad"
# Holds E18.
try "are named" complains 'part-0.parquet: '
# Holds E18.
try "with the row" complains 'part-2.parquet: row 101: '
try "as is what is none" complains 'part-3.parquet: is not a selection'
try "are counted" grep -q '3 damaged places in 3 files' "$T/err"
try "and the others are there" same "$(captures)" "$(wc -l <"$T/typed.jsonl")"
rm "$T/bad/part-1.parquet"
try "damage in one row group" status 0 "$crawlfs" index -o "$T/b.cfx" "$T/bad"
# Holds E18.
try "costs that one" same "$(captures)" $(($(wc -l <"$T/typed.jsonl") - 100))
try "nothing temporary is left" absent "$T"/.crawlfs-sql-*

# ---- real ones ----

real=${CFS_DATA:-/nonexistent}/columnar
if [ ! -d "$real" ]; then
	skip "no real samples in CFS_DATA"
	finish
fi
for file in "$real"/selections/*.parquet; do
	name=${file##*/}
	parquet rows "$file" >"$T/real.jsonl"
	try "sample $name" status 0 "$crawlfs" index -o "$T/b.cfx" "$file"
	try "has all its rows" same "$(captures)" "$(wc -l <"$T/real.jsonl")"
	case $name in
	real*) try "mounted" shows "$file" "$T/real.jsonl" "$CFS_DATA" ;;
	esac
done
for folder in "$real"/*/; do
	find "$folder" -name 'part-*.parquet' >"$T/list"
	[ -s "$T/list" ] || continue
	while read -r file; do
		parquet rows "$file"
	done <"$T/list" >"$T/real.jsonl"
	try "sample ${folder#"$real"}" status 0 "$crawlfs" index \
		-o "$T/b.cfx" "$folder"
	try "has all its rows" same "$(captures)" "$(wc -l <"$T/real.jsonl")"
	pages "$T/b.cfx" >"$T/b.ls"
	[ ! -e "$T/real.ls" ] ||
		try "the same pages as the other writer's" \
			cmp "$T/real.ls" "$T/b.ls"
	mv "$T/b.ls" "$T/real.ls"
done
finish
