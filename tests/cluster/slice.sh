# slice.sh - a job on a slice of a crawl: the texts of all pages in Icelandic,
# chosen by a columnar index, from a server that refuses now and then.  Sourced
# after tests/net/lib.sh.
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154

slice_py=$CFS_SRCDIR/tests/cluster/slice_table.py

# make_slice ROWS PAGES [SUFFIX]: in $slice a crawl of that many pages, a table of
# that many rows, $slice/table.SUFFIX (csv; parquet takes a $python that has
# pyarrow, and DuckDB's library), its server, an index of the pages that are wanted; and $slice/want,
# what an export of all archives here has of these.  1: it cannot be made.
make_slice() {
	slice=$T/slice
	slice_table=$slice/table.${3:-csv}
	mkdir "$slice"
	"$mkcrawl" --records "$2" --hostile 0 --page-bytes 8000 \
		--archive-bytes 40000 --warc "$slice/www" >/dev/null &&
		(cd "$slice/www" && "$crawlfs" index -q --no-views -o ../all.cfx --base=. crawl-data 2>/dev/null) &&
		"$crawlfs" lookup --json --data="$slice/www" "$slice/all.cfx" --prefix=/ >"$slice/captures" &&
		"${python:-python3}" "$slice_py" make "$1" "$slice/captures" "$slice_table" &&
		"$crawlfs" export -q --errors=ok --fields=url,timestamp,archive,offset,text \
			-o "$slice/exported.jsonl" "$slice/www/crawl-data" &&
		python3 "$slice_py" wanted "$slice/captures" "$slice/exported.jsonl" | sort >"$slice/want" &&
		start_faultd slice "$slice/www" &&
		"$crawlfs" index -q --base="$url" -o "$slice/isl.cfx" --language=isl "$slice_table"
}
# refuse_every N: one request in N for an archive is refused, in three ways by
# turns
refuse_every() {
	ctl "$port" clear
	ctl "$port" rule fault=status value=429 "every=$((3 * $1))" 'match=warc[.]gz'
	ctl "$port" rule fault=error 'value=503 SlowDown x' "every=$((3 * $1 - 1))" 'match=warc[.]gz'
	ctl "$port" rule fault=error 'value=403 AccessDenied x' "every=$((3 * $1 - 2))" 'match=warc[.]gz'
	ctl "$port" log >/dev/null
}
# slice_has FILE...: the rows in them are those that are wanted
slice_has() {
	cat "$@" | python3 "$slice_py" rows | sort | cmp - "$slice/want"
}
slice_refusals() { ctl "$port" log >"$slice/log"; grep -c ' \(429\|503\|403\) ' "$slice/log"; }
slice_was_refused() { [ "$(slice_refusals)" -gt 0 ]; }
# A program for tasks that notes their process numbers in $slice/pids.
slice_noting() {
	: >"$slice/pids"
	cat >"$slice/noting" <<END
#!/bin/sh
echo \$\$ >>"$slice/pids"
exec "$crawlfs" "\$@"
END
	chmod +x "$slice/noting"
}
slice_begun() { [ "$(wc -l <"$slice/pids")" -ge "$1" ]; }
# start_slice: the first requests for archives wait, so that the tasks that send
# them can be killed meanwhile
start_slice() {
	ctl "$port" clear
	ctl "$port" rule fault=late value=4000 count=30 'match=warc[.]gz'
	slice_noting
}
# kill_slice N: two of N tasks that run are killed, by their numbers
kill_slice() {
	wait_for slice_begun "$1" || return
	for slice_pid in $(sed -n '1p;3p' "$slice/pids"); do
		kill -9 "$slice_pid" || return
	done
}
