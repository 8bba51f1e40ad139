#!/bin/sh
# records_test.sh - .crawlfs/records serves archives that the index names, and no
# others that lie beside them.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

mkdir "$T/a" "$T/a/sub" "$T/x" "$T/y" "$T/out"
python3 "$here/lower_crawl.py" "$T/a/one.warc.gz" "$T/want" || exit 1
"$mkcrawl" --records 20 --page-bytes 500 --warc --bare "$T/made" >/dev/null
find "$T/made" -name '*.warc.gz' -exec mv {} "$T/a/sub/two.warc.gz" \;
[ -s "$T/a/sub/two.warc.gz" ] || exit 1
# of the same pages, which no index names
cp "$T/a/one.warc.gz" "$T/a/foreign.warc.gz"
cp "$T/a/one.warc.gz" "$T/out/outside.warc.gz"
ln -s "$T/out/outside.warc.gz" "$T/a/link.warc.gz"
first() {	# the first record, and the second member's, by Python
	python3 -c 'import sys, zlib
data = open(sys.argv[1], "rb").read()
for skip in range(int(sys.argv[2])):
    d = zlib.decompressobj(31)
    d.decompress(data)
    data = d.unused_data
sys.stdout.buffer.write(zlib.decompressobj(31).decompress(data)[:-4])' "$@"
}
second() {	# where the second member of an archive begins
	python3 -c 'import sys, zlib
data = open(sys.argv[1], "rb").read()
d = zlib.decompressobj(31)
d.decompress(data)
print(len(data) - len(d.unused_data))' "$1"
}
at=$(second "$T/a/one.warc.gz")
first "$T/a/one.warc.gz" 0 >"$T/first"
first "$T/a/one.warc.gz" 1 >"$T/second"
first "$T/a/sub/two.warc.gz" 0 >"$T/two"

"$crawlfs" index -q --base="$T/a" -o "$T/x/one.cfx" "$T/a/one.warc.gz" &&
	"$crawlfs" index -q --base="$T/a" -o "$T/y/two.cfx" \
		"$T/a/sub/two.warc.gz" &&
	"$crawlfs" index -q --base="$T/a" -o "$T/x/both.cdxj" \
		"$T/a/one.warc.gz" "$T/a/sub/two.warc.gz" &&
	"$crawlfs" index -q --format=zipnum --base="$T/a" -o "$T/x/z" \
		"$T/a/one.warc.gz" "$T/a/sub/two.warc.gz" || exit 1
serves() {	# serves NAME: what is named, and nothing else
	r=$T/m/.crawlfs/records
	for name in foreign.warc.gz link.warc.gz outside.warc.gz \
		../out/outside.warc.gz sub/../foreign.warc.gz \
		sub/../../out/outside.warc.gz; do
		# Holds N20.
		try "$1: $name" absent "$r/$name/0" "$r/$name/$at" "$r/$name/0.1"
		# Holds N20.
		try "$1: $name cannot be read" not cat "$r/$name/0"
	done
	try "$1: a record" cmp "$r/one.warc.gz/$at" "$T/second"
	try "$1: the first one" cmp "$r/one.warc.gz/0" "$T/first"
	try "$1: none begins there" absent "$r/one.warc.gz/1"
}
mount_it() {
	start_mount m -o "data=$T/a,allow_other" "$@"
}
mount_it "$T/x/one.cfx"
serves "crawlfs index"
try "an archive of another index" absent "$T/m/.crawlfs/records/sub/two.warc.gz/0"
try "ends well" stop_mount m
for index in both.cdxj z; do
	mount_it "$T/x/$index"
	serves $index
	try "$index: in a folder" cmp "$T/m/.crawlfs/records/sub/two.warc.gz/0" \
		"$T/two"
	try "ends well" stop_mount m
done
mount_it --merge "$T/x/one.cfx" "$T/y/two.cfx"
serves "one tree of two"
try "one tree of two: the other's" cmp \
	"$T/m/.crawlfs/records/sub/two.warc.gz/0" "$T/two"
try "ends well" stop_mount m
if has_program setpriv; then
	mount_it "$T/x/one.cfx"
	chmod 755 "$T"
	try "others read a record" sh -c 'setpriv --reuid 65534 --clear-groups \
		cat "$1/m/.crawlfs/records/one.warc.gz/0" | cmp - "$1/first"' \
		sh "$T"
	try "and no foreign one" not setpriv --reuid 65534 --clear-groups \
		cat "$T/m/.crawlfs/records/foreign.warc.gz/0"
	try "ends well" stop_mount m
fi
finish
