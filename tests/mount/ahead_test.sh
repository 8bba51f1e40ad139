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
# stats EXPRESSION: of stored files, reads, bytes.
stats() {
	python3 -c 'import json, sys
o = json.load(open(sys.argv[2] + "/.crawlfs/stats"))["operations"]
stored, reads, bytes = o["stored"], o["read"], o["bytes"]
print("stored", stored, "read", reads, "bytes", bytes)
sys.exit(not eval(sys.argv[1]))' "$1" "$T/m"
}
# found: what is in every file, a process each, folder by folder.
found() {
	find "$T/m" -type f -exec cat {} \;
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
	# Holds K9.
	try "the same bytes, in order: ${view:-raw}" \
		cmp "$T/plain$view" "$T/ahead$view"
	if [ $many = yes ]; then
		# Holds K9.
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
# Holds K9.
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

# Files of short listings: they are in the kernel's page cache before they are
# read, and so are not asked for.
try "mount without reading ahead" start_mount m -o views=raw,readahead=off \
	"$T/crawl.cfx"
found >"$T/plain.found"
files=$(find "$T/m" -type f | wc -l)
try "nothing is stored then" stats "stored == 0"
try "ends well" stop_mount m

try "mount" start_mount m -o views=raw "$T/crawl.cfx"
found >"$T/ahead.found"
# Holds K9.
try "the same bytes, folder by folder" cmp "$T/plain.found" "$T/ahead.found"
if [ $many = yes ]; then
	# Holds K9.
	try "and many files were stored" stats "stored > $files / 5"
	# Holds K9.
	try "which were not asked for" stats "reads < $files - stored + 20"
else
	skip "many files were stored: one processor"
fi
try "bytes of stored files are counted" \
	stats "bytes == $(wc -c <"$T/plain.found")"
try "ends well" stop_mount m

# reads_then_lists: a program that reads the first 150 files, and lists the rest.
# How many files had been stored when it began to?
reads_then_lists() {
	python3 -c 'import json, os, sys, time
n = 0
for folder, _, files in os.walk(sys.argv[1]):
    time.sleep(0.002)
    for name in files:
        n += 1
        if n <= 150:
            time.sleep(0.002)
            open(os.path.join(folder, name), "rb").read()
        elif n == 151:
            ops = json.load(open(sys.argv[1] + "/.crawlfs/stats"))
            print(ops["operations"]["stored"])' "$T/m"
}
try "mount" start_mount m -o views=raw "$T/crawl.cfx"
before=$(reads_then_lists)
[ $many = no ] || try "files are stored for a program that reads" \
	test "$before" -gt 0
# Holds K9.
try "and few when it only lists" stats "stored - $before <= 32"
try "ends well" stop_mount m

# Long listings: what one reader who reads all will read next is stored while it
# waits for its READ.
"$mkcrawl" --warc --bare --hostile 0 --shape dirs=3 --records 900 \
	--page-bytes 40000 "$T/long" >/dev/null || exit 1
"$crawlfs" index -q -o "$T/long.cfx" "$T/long" || exit 1
# walk [EVERY [READERS]]: lists each folder with nodes, as grep -r does, and then
# reads every page in it, or every so many, by so many threads in turn; prints
# their digest
walk() {
	python3 - "$T/m/com" "${1:-1}" "${2:-1}" <<-'END'
		import concurrent.futures as cf, hashlib, os, sys, time
		every, readers = int(sys.argv[2]), int(sys.argv[3])
		pools = [cf.ThreadPoolExecutor(1) for _ in range(readers)]
		total, n = hashlib.sha1(), 0
		def read(path):
		    with open(path, "rb", buffering=0) as f:
		        return f.read(1 << 20)
		for folder, below, files in sorted(os.walk(sys.argv[1])):
		    for name in sorted(files):
		        os.stat(os.path.join(folder, name))
		    for name in sorted(files)[::every]:
		        pool = pools[n % readers]
		        total.update(pool.submit(read, os.path.join(folder, name)).result())
		        n += 1
		        time.sleep(0.001)	# for the threads that load ahead
		print(total.hexdigest())
	END
}
try "mount without reading ahead" start_mount m -o views=raw,readahead=off \
	"$T/long.cfx"
walk >"$T/plain.long"
walk 2 >"$T/plain.second"
try "nothing is stored then" stats "stored == 0"
try "ends well" stop_mount m
try "long listings: mount" start_mount m -o views=raw "$T/long.cfx"
walk >"$T/ahead.long"
try "the same bytes" cmp "$T/plain.long" "$T/ahead.long"
if [ $many = yes ]; then
	try "and files were stored for one reader" stats "stored > 90"
	try "which sent no READ for them" stats "reads <= 2 * (900 - stored)"
else
	skip "files were stored for one reader: one processor"
fi
try "ends well" stop_mount m
try "long listings: mount" start_mount m -o views=raw "$T/long.cfx"
walk 2 >"$T/ahead.second"
try "the same bytes of every second" cmp "$T/plain.second" "$T/ahead.second"
try "none is stored for a reader that passes over pages" stats "stored == 0"
try "ends well" stop_mount m
try "long listings: mount" start_mount m -o views=raw "$T/long.cfx"
walk 1 2 >"$T/ahead.two"
try "the same bytes by two in turn" cmp "$T/plain.long" "$T/ahead.two"
try "none is stored while two read" stats "stored == 0"
try "ends well" stop_mount m

try "mount with one thread" start_mount m -o views=raw,threads=1 "$T/crawl.cfx"
found >"$T/alone.found"
try "the same bytes" cmp "$T/plain.found" "$T/alone.found"
try "and nothing is stored" stats "stored == 0"
try "ends well" stop_mount m

finish
