#!/bin/sh
# sides_test.sh - the crawl's own text and metadata, mounted.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

sides() { python3 "$here/sides_check.py" "$@"; }
make_crawl() { mkdir "$T/$1" && python3 "$CFS_SRCDIR/tests/side_crawl.py" "$1" "$T/$1"; }
index() { "$crawlfs" index --force -o "$T/$1/i.cfx" "$T/$1"; }
cat_same() {	# cat_same YEAR: crawlfs cat, as the mount
	"$crawlfs" cat "$T/$1/i.cfx" org/a/_/_index --view=txt >"$T/got" &&
		cmp "$T/got" "$T/m/org/a/_/_index.txt"
}
says() { grep -q "$1" "$T/m.log" || { tail -n 5 "$T/m.log"; return 1; }; }
change() {	# change FILE FROM TO: of the same length
	python3 - "$@" <<'END'
import sys
name, old, new = sys.argv[1], sys.argv[2].encode(), sys.argv[3].encode()
data = open(name, "rb").read()
assert len(old) == len(new) and old in data
open(name, "wb").write(data.replace(old, new))
END
}

# Every name that listxattr(2) gives has a value.
listed_are_there() {
	python3 -c 'import os, sys
n = 0
for folder, _, files in os.walk(sys.argv[1]):
    for f in files:
        path = os.path.join(folder, f)
        for name in os.listxattr(path):
            os.getxattr(path, name)
            n += 1
assert n > 50, n' "$1"
}

for year in 2012 2024; do
	try "$year: crawl made" make_crawl $year
	try "$year: indexed" index $year
	try "$year: mounts" start_mount m -o xattr "$T/$year/i.cfx"
	# Holds E10.
	try "$year: attributes that are listed are there" listed_are_there "$T/m"
	# Holds C8.
	try "$year: its own text and metadata" sides same "$T/$year" "$T/m"
	[ $year = 2024 ] || try "2012: cat does the same" cat_same 2012
	try "$year: the daemon ends well" stop_mount m
	suffix=warc.gz
	[ $year = 2024 ] || suffix=arc.gz
	try "$year: pages without a record are not copied" "$crawlfs" copy \
		"$T/$year/i.cfx" org -o "$T/copy.$suffix"
	# without an index of its own
	try "$year: the folder mounts" start_mount m -o xattr "$T/$year"
	try "$year: the same of the folder" sides same "$T/$year" "$T/m"
	try "$year: the daemon ends well" stop_mount m
	# sizes of views
	try "$year: indexed without views" "$crawlfs" index --force --no-views \
		-o "$T/$year/i.cfx" "$T/$year"
	try "$year: mounts without views" start_mount m -o xattr "$T/$year/i.cfx"
	try "$year: sizes not known beforehand" not sides sizes "$T/m"
	try "$year: the daemon ends well" stop_mount m
	try "$year: indexed with views" index "$year"
	try "$year: mounts with views" start_mount m -o xattr "$T/$year/i.cfx"
	# Holds S4.
	try "$year: sizes known beforehand" sides sizes "$T/m"
	try "$year: the daemon ends well" stop_mount m
	try "$year: mounts compact" start_mount m -o xattr,meta=compact "$T/$year/i.cfx"
	try "$year: the same with views" sides same "$T/$year" "$T/m"
	try "$year: the daemon ends well" stop_mount m
done

# ---- what is not there, damaged or another's: no other text in its place ----
folder=$T/2012/segment/1346823845675
start_mount m -o xattr "$T/2012/i.cfx" || fail "mounts again"
change "$folder/textData-00004" http://only.org/text http://only.org/tuxt
# Holds E6.
try "another page's text is refused" sides fails "$T/m" org/only/_/text.txt org/only/_/text
try "the log says so" says "textData-00004.*holds 'http://only.org/tuxt' there"
mv "$folder/metadata-00004" "$folder/x"
# Holds E6.
try "missing metadata is an error" sides fails "$T/m" org/a/_/twice.meta
try "the log names the file" says "metadata-00004"
try "the page itself is there" test -s "$T/m/org/a/_/twice"
printf 'XXXXXXXX' | dd of="$folder/textData-00003" bs=1 seek=300 conv=notrunc 2>/dev/null
# Holds E6.
try "damaged text is an error" sides fails "$T/m" org/a/_/_index.txt
try "the daemon ends well" stop_mount m
mv "$folder/x" "$folder/metadata-00004"

# ---- text alone ----
mkdir "$T/alone"
cp "$folder/textData-00004" "$T/alone/"
try "a textData file mounts" start_mount m "$T/alone/textData-00004"
try "its text is a page" grep -q 'partition 4' "$T/m/org/a/_/twice"
try "the daemon ends well" stop_mount m
cp "$T/2024/wet/CC-1.warc.wet.gz" "$T/alone/"
try "a WET file mounts" start_mount m -o xattr "$T/alone/CC-1.warc.wet.gz"
try "its text is served as it is" cmp "$T/m/org/a/_/x.txt" "$T/m/org/a/_/x"
try "the daemon ends well" stop_mount m

# ---- real samples ----
if [ -d "$CFS_DATA/wet" ]; then
	mkdir "$T/real"
	cp "$CFS_DATA"/warc/whirlwind-python/*.gz "$CFS_DATA"/wat/whirlwind-python/*.gz \
		"$CFS_DATA"/wet/whirlwind-python/*.gz "$T/real/"
	try "WARC, WAT and WET of a real page" start_mount m -o xattr "$T/real"
	page=$T/m/org/wikipedia/an/_/wiki/Escopete
	try "the text is that of the WET file" same 4456 "$(wc -c <"$page.txt")"
	try "it says so" same crawl "$(python3 -c 'import os, sys
print(os.getxattr(sys.argv[1], "user.crawlfs.view_from").decode())' "$page.txt")"
	try "there is one capture" not test -e "$page#1"
	try "the daemon ends well" stop_mount m
	# 50 published metadata records, put into a file as the crawl did
	mkdir "$T/meta"
	try "published metadata: made" python3 "$CFS_SRCDIR/tests/side_crawl.py" \
		published "$T/meta" "$CFS_DATA"/metadata2012/*/metadata-00000.rows1-50.tsv
	try "published metadata mounts" start_mount m -o xattr "$T/meta/metadata-00000"
	# Holds C8.
	try "published metadata, byte for byte" sides same "$T/meta" "$T/m"
	try "the daemon ends well" stop_mount m
	mkdir "$T/nutch"
	cp "$CFS_DATA"/sequencefile/*/*parse_text*data "$T/nutch/"
	try "other SequenceFiles are left out" not "$crawlfs" index -o "$T/n.cfx" "$T/nutch"
else
	skip "real samples: none in CFS_DATA"
fi
finish
