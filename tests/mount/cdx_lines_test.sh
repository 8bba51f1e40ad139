#!/bin/sh
# cdx_lines_test.sh - damaged lines of a CDX are told at each use of it, whether
# it is read in place or made into an index first.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/mount/lib.sh"

BAD=4
mkdir "$T/c" "$T/c/zip"
"$mkcrawl" --warc --bare --records 300 "$T/c" >/dev/null || exit 1
ln -s ../crawl-data "$T/c/zip/crawl-data"
"$crawlfs" index -q --format=cdxj -o "$T/c/good.cdxj" "$T/c/crawl-data" || exit 1
# Lines: one cut, one with another's key, one behind all, one longer than any
# may be; and one without an end.
python3 - "$T/c" <<'EOF'
import gzip, random, sys

folder = sys.argv[1] + "/"
lines = open(folder + "good.cdxj", "rb").read().splitlines()
key = lines[200].split(b" ")[0]
lines[60:60] = [lines[60][:40]]
lines[202:202] = [key + b' 20240101000000 {"url":',
                  key + b' 20240101000001 {"url": "http://x/' +
                  b"x" * 600000 + b'"}']
lines.append(b"zz,last)/ 2024")

def put(name, lines):
    data = b"\n".join(lines) + b"\n"
    open(folder + name, "wb").write(data)
    with open(folder + name + ".gz", "wb") as out:
        out.write(gzip.compress(data))

put("sorted.cdxj", lines)
# a cluster has no such member
short = [x if len(x) < 300000 else x[:60] for x in lines]
with open(folder + "zip/cluster.idx", "wb") as index, \
        open(folder + "zip/cdx-00000.gz", "wb") as shard:
    for i in range(0, len(short), 50):
        member = gzip.compress(b"\n".join(short[i:i + 50]) + b"\n")
        first = b" ".join(short[i].split(b" ")[:2])
        index.write(b"%s\tcdx-00000.gz\t%d\t%d\t%d\n"
                    % (first, shard.tell(), len(member), i // 50 + 1))
        shard.write(member)
random.Random(1).shuffle(lines)
put("shuffled.cdxj", lines)
EOF

errors() { zcat "$T/$1.jsonl.gz" | grep -c '"error":'; }

# told SOURCE WHEN: each command says it, and ends with 1 where lines are
# missing from what it gives.
told() {
	name=$(basename "$1") && name="$name, $2" && rm -f "$T"/o.*
	try "$name: export" status 1 "$crawlfs" export -q --fields=url,error \
		-o "$T/o.jsonl.gz" "$1"
	try "$name: a row for each" same "$(errors o)" $BAD
	try "$name: copy" status 1 "$crawlfs" copy -q -o "$T/o.warc.gz" "$1" /
	try "$name: verify" status 1 "$crawlfs" verify "$1"
	try "$name: which lists each" same "$(grep -c ': index: ' "$T/err")" \
		$BAD
	try "$name: lookup" status 0 "$crawlfs" lookup "$1" /
	try "$name: has the others" same "$(wc -l <"$T/out")" "$good"
}
good=$("$crawlfs" lookup "$T/c/good.cdxj" / | wc -l)
for source in sorted.cdxj sorted.cdxj.gz zip/cluster.idx shuffled.cdxj \
	shuffled.cdxj.gz; do
	told "$T/c/$source" "first"
	told "$T/c/$source" "again"
done

# The same of an index that was made of it, and of one that was merged.
index() { "$crawlfs" index -q -o "$@" 2>/dev/null; }
for source in sorted.cdxj sorted.cdxj.gz shuffled.cdxj.gz zip/cluster.idx; do
	rm -f "$T"/c/i.cfx "$T/c/m.cfx"
	try "$source as an index" index "$T/c/i.cfx" "$T/c/$source"
	told "$T/c/i.cfx" "of $source"
	try "$source merged" index "$T/c/m.cfx" "$T/c/i.cfx"
	told "$T/c/m.cfx" "of $source"
done

# Each is in one of the parts.
parts() {
	for k in 1 2 3 4; do
		"$crawlfs" export -q --fields=url,error --part=$k/4 \
			-o "$T/p$k.jsonl.gz" "$1" 2>/dev/null
		errors "p$k"
		rm -f "$T/p$k.jsonl.gz"
	done | awk '{ n += $1 } END { print n }'
}
for source in sorted.cdxj zip/cluster.idx shuffled.cdxj; do
	try "$source in parts" same "$(parts "$T/c/$source")" $BAD
done

# What has no such line is not blamed.
try "a good one: export" status 0 "$crawlfs" export -q --fields=url,error \
	-o "$T/g.jsonl.gz" "$T/c/good.cdxj"
try "copy" status 0 "$crawlfs" copy -q -o "$T/g.warc.gz" "$T/c/good.cdxj" /
try "verify" status 0 "$crawlfs" verify "$T/c/good.cdxj"
page=$(sed -n '150s/.*"url": "\([^"]*\)".*/\1/p' "$T/c/good.cdxj")
try "a page elsewhere in it" status 0 "$crawlfs" copy -q \
	-o "$T/h.warc.gz" "$T/c/sorted.cdxj" "$page"
finish
