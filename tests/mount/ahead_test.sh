#!/bin/sh
# ahead_test.sh - files that a program reads in order are ready before it opens
# them; what is not read in order is not loaded in vain, and no byte differs.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

"$mkcrawl" --warc --bare --hostile 0 --records 400 --page-bytes 3000 "$T/crawl" \
	>/dev/null || exit 1
"$crawlfs" index -q -o "$T/crawl.cfx" "$T/crawl" || exit 1
many=no
[ "$(getconf _NPROCESSORS_ONLN)" -gt 1 ] && many=yes

# prepared EXPRESSION: of n files made ready, u used.
prepared() {
	python3 -c 'import json, sys
s = json.load(open(sys.argv[2] + "/.crawlfs/stats"))["sources"][0]
n, u = s.get("prepared", 0), s.get("prepared_used", 0)
print("prepared", n, "used", u)
sys.exit(not eval(sys.argv[1]))' "$1" "$T/m"
}
# pages [VIEW]: every page, in the order of the tree
pages() {
	find "$T/m" -path "$T/m/.crawlfs" -prune -o -type f -name "*.meta" \
		-print | sed "s/\.meta\$/${1:-}/"
}
each() { xargs -d '\n' -n 1 cat; }	# a process each: the threads keep up

try "mount without reading ahead" start_mount m -o readahead=off "$T/crawl.cfx"
for view in "" .txt .meta; do
	pages $view >"$T/names$view"
	each <"$T/names$view" >"$T/plain$view"
done
try "nothing is made ready then" prepared "n == 0"
try "ends well" stop_mount m

for view in "" .txt .meta; do
	try "mount" start_mount m "$T/crawl.cfx"
	each <"$T/names$view" >"$T/ahead$view"
	try "the same bytes, in order: ${view:-raw}" \
		cmp "$T/plain$view" "$T/ahead$view"
	if [ $many = yes ]; then
		try "and most files were ready: ${view:-raw}" \
			prepared "u > 100 and n - u < 150"
	else
		skip "most files were ready: ${view:-raw}: one processor"
	fi
	try "ends well" stop_mount m
done

try "mount" start_mount m "$T/crawl.cfx"
awk 'NR % 7 == 0' "$T/names" | each >/dev/null
shuf --random-source="$T/plain" "$T/names.txt" | each >/dev/null
try "little is made ready for reads in no order" prepared "n < 60"
try "ends well" stop_mount m

try "mount" start_mount m "$T/crawl.cfx"
readers=
for part in 0 1 2 3; do
	awk "NR % 4 == $part" "$T/names.txt" | each >"$T/part.$part" &
	readers="$readers $!"
	awk "int(NR / 100) == $part" "$T/names.meta" | each >"$T/run.$part" &
	readers="$readers $!"
done
wait $readers
for part in 0 1 2 3; do
	awk "NR % 4 == $part" "$T/names.txt" | xargs -d '\n' cat >"$T/again"
	try "the same bytes for eight readers at once, $part" \
		cmp "$T/part.$part" "$T/again"
	awk "int(NR / 100) == $part" "$T/names.meta" | xargs -d '\n' cat \
		>"$T/again"
	try "of each its stretch, $part" cmp "$T/run.$part" "$T/again"
done
try "ends well" stop_mount m

finish
