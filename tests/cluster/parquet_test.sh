#!/bin/sh
# parquet_test.sh - crawlfs export as Parquet: the values as another reader has
# them, parts, row groups, and what is left when it is stopped.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/mount/lib.sh"
. "$CFS_SRCDIR/tests/cluster/engines.sh"

export XDG_CACHE_HOME="$T/cache"
make_rows 500
export_rows() { timeout 120 "$crawlfs" export "$crawl" -q "$@"; }

# ---- without the library ----

no_library() {
	status 3 export_rows -o "$T/x.parquet" && same "$(wc -l <"$T/err")" 1 &&
		complains "$1" && complains jsonl.gz && absent "$T/x.parquet" "$T"/x.*
}
none_at() { CRAWLFS_DUCKDB=$T/none.so no_library none.so; }
try "without DuckDB's library a line says so" none_at
try "it is not compressed once more" status 2 export_rows -o "$T/x.parquet.gz"
try "nor by its format" status 2 export_rows -o "$T/x.parquet" --format=parquet.zst
find_duckdb || {
	skip "Parquet: $install_problem"
	finish
}
find_engine parquet pyarrow
parquet() { "$python" "$CFS_SRCDIR/tests/cluster/parquet_check.py" "$@"; }

# ---- values ----

every=url,surt,host,domain,timestamp,record_type,record_id,revisit_of,ip,status,redirect
every=$every,mime,mime_detected,charset,html_lang,languages,language_score,digest,archive
every=$every,offset,length,path,canonical,title,author,published,description,robots
every=$every,text,markdown,html,body,headers,links,meta,request,simhash,truncated
try "rows" status 0 export_rows -o "$T/a.parquet"
try "are those of JSON lines" parquet same "$T/one.jsonl" "$T/a.parquet"
for order in index archive; do
	export_rows --order=$order --fields=$every >"$T/every.jsonl"
	try "every field, by $order" status 0 export_rows --order=$order \
		--fields=$every -o "$T/$order.parquet"
	try "is that of JSON lines" parquet same "$T/every.jsonl" "$T/$order.parquet"
done
try "a wrong value would be noticed" not parquet same "$T/one.jsonl" \
	"$T/archive.parquet"
# Holds R3, R6.
try "columns have types" parquet types "$T/index.parquet"
try "the file says what it was made of" parquet notes "$T/index.parquet" \
	"crawlfs.version=$("$crawlfs" version | sed -n '1s/crawlfs //p')" \
	"crawlfs.source=$crawl" crawlfs.order=index \
	"crawlfs.options=--order=index --fields=$every"
for codec in zstd=ZSTD snappy=SNAPPY gzip=GZIP none=UNCOMPRESSED; do
	try "compressed as $codec" status 0 export_rows -o "$T/c.parquet" --force \
		--compression=${codec%=*}
	try "are all columns" parquet codec "$T/c.parquet" ${codec#*=}
	try "with the same rows" parquet same "$T/one.jsonl" "$T/c.parquet"
done
try "JSON lines have no such choice" status 2 export_rows --compression=gzip
for k in 1 2 3; do
	export_rows --part=$k/3 -o "$T/part.$k.parquet"
done
try "parts" parquet same "$T/one.jsonl" "$T"/part.?.parquet
export_rows com.no-such-domain -o "$T/none.parquet" 2>/dev/null
: >"$T/none.jsonl"
try "no rows at all" parquet same "$T/none.jsonl" "$T/none.parquet"
"$mkcrawl" --records 300 --page-bytes 40000 "$T/large" >/dev/null || exit 1
try "little memory" status 0 timeout 120 "$crawlfs" export "$T/large" -q --mem=32M \
	--fields=surt,html,body -o "$T/few.parquet"
try "makes small row groups" parquet groups "$T/few.parquet" 2
"$crawlfs" export "$T/large" -q --mem=32M --order=index --fields=surt,html,body \
	-o "$T/sorted.parquet" || exit 1
try "which hold a range of keys each, by index" parquet ranges "$T/sorted.parquet"
try "other than those by archive" not parquet ranges "$T/few.parquet"
python3 "$CFS_SRCDIR/tests/cluster/odd_links.py" "$T/odd.warc"
try "headers and links that are odd" status 0 timeout 120 "$crawlfs" export -q \
	"$T/odd.warc" --fields=url,headers,links,meta -o "$T/odd.parquet"
timeout 120 "$crawlfs" export -q "$T/odd.warc" --fields=url,headers,links,meta \
	>"$T/odd.jsonl"
try "are as in JSON lines" parquet same "$T/odd.jsonl" "$T/odd.parquet"
try "and there are 10,000 on a page" rows where "$T/odd.jsonl" \
	"len(r.get('links', [])) == 10000"
to_stdout() { export_rows --format=parquet | cmp - "$T/a.parquet"; }
try "standard output has the same bytes" to_stdout
try "the same bytes again" status 0 export_rows --threads=3 -o "$T/b.parquet"
try "whatever the threads" cmp "$T/a.parquet" "$T/b.parquet"

# ---- as a source ----

of_selection=archive,offset,text,meta,selection
parquet select "$T/a.parquet" "$T/picked.parquet" 40 || exit 1
try "rows are a selection" status 0 timeout 120 "$crawlfs" export -q \
	--data="$crawl" "$T/picked.parquet" --fields=$of_selection
cp "$T/out" "$T/selected.jsonl"
# Holds R8.
try "with columns of their own" parquet selected "$T/one.jsonl" \
	"$T/picked.parquet" "$T/selected.jsonl"
head -n 9 "$T/one.jsonl" >"$T/nine.jsonl"
try "so are JSON lines" status 0 timeout 120 "$crawlfs" export -q --data="$crawl" \
	"$T/nine.jsonl" --fields=url,text,selection
nine() {
	jq -c '{url, text} | del(..|nulls)' "$T/nine.jsonl" | sort | cmp - "$T/out.sorted"
}
sort "$T/out" >"$T/out.sorted"
try "without any" nine

# ---- what is there, and what is left ----

try "a file that is there" status 3 export_rows -o "$T/a.parquet"
try "is told" complains "force"
try "and stays" cmp "$T/a.parquet" "$T/b.parquet"
try "--force replaces it" status 0 export_rows --fields=url -o "$T/b.parquet" --force
try "by another one" not cmp -s "$T/a.parquet" "$T/b.parquet"
killed() {	# again and again, then to its end
	tries=0
	while [ $tries -lt 8 ] && [ ! -e "$T/k.parquet" ]; do
		tries=$((tries + 1))
		start "$crawlfs" export "$crawl" -q -o "$T/k.parquet" --threads=1
		sleep 0.$((tries % 9 + 2))
		kill -KILL $started 2>/dev/null
		wait $started 2>/dev/null
	done
	[ -e "$T/k.parquet" ] || export_rows -o "$T/k.parquet" || return
	cmp "$T/k.parquet" "$T/a.parquet"
}
try "killed again and again" killed
# what a run leaves that was killed while the file was made of its rows
left() {
	(ulimit -f 64 && export_rows -o "$T/l.parquet") 2>"$T/err"
	absent "$T/l.parquet" && export_rows -o "$T/l.parquet" &&
		cmp "$T/l.parquet" "$T/a.parquet"
}
try "without room for the file" left
try "nothing else is left" absent "$T"/*.rows* "$T"/*.part "$T"/*.journal
finish
