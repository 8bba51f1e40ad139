#!/bin/sh
# pbtree_test.sh - PB-trees beside their archives, made up and real.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"
helper=$CFS_BUILDDIR/tests/mount/pbtree_helper
ref=$CFS_SRCDIR/tests/pbtree_ref.py
BLOCK=65536 VALUE=32	# as published

# ---- made up ----

python3 "$model/hostile_urls.py" --seed 4 --count 900 >"$T/urls"
"$mkcrawl" --records 500 --hostile 30 --page-bytes 600 --arc --pbtree \
	--archive-bytes 150000 "$T/web" >/dev/null || exit 1
"$mkcrawl" --arc --pbtree --urls "$T/urls" --page-bytes 200 "$T/odd" \
	>/dev/null || exit 1
for crawl in web odd; do
	tree=$T/$crawl/parse-output/url-index.1356128792
	manifest=$T/$crawl/manifest.tsv
	try "$crawl mounts" start_mount m "$tree"
	try "$crawl: the model's tree" check tree --pbtree --base parse-output \
		--least 300 "$manifest" "$T/m"
	try "$crawl: again cold" remount m "$tree"
	try "$crawl: look-up agrees with the listing" check agree "$T/m"
	try "$crawl: again cold" remount m "$tree"
	try "$crawl: full forms resolve, others do not" check lookups --pbtree \
		--base parse-output "$manifest" "$T/m"
	try "$crawl: every look-up as the model has it" \
		python3 "$model/check_mount.py" --pbtree --base parse-output \
		"$T/m" "$manifest"
	find "$T/m" -printf '%i %P\n' | sort -k2 >"$T/inodes"
	try "$crawl: again" remount m "$tree"
	find "$T/m" -printf '%i %P\n' | sort -k2 >"$T/inodes2"
	# Holds N12.
	try "$crawl: inode numbers hold" cmp "$T/inodes" "$T/inodes2"
	cut -d' ' -f1 "$T/inodes" | sort | uniq -d >"$T/twice"
	try "$crawl: no inode number twice" not test -s "$T/twice"
	try "$crawl: the daemon ends well" stop_mount m
done

# the tree elsewhere, as published: projects/url-index/FILE, or -o data
mkdir -p "$T/web/projects/url-index"
mv "$T/web/parse-output/url-index.1356128792" "$T/web/projects/url-index/"
tree=$T/web/projects/url-index/url-index.1356128792
for data in "$T/web" "$T/web/parse-output"; do
	try "mounts with -o data=${data##*/}" start_mount m -o "data=$data" "$tree"
	try "the model's tree" check tree --pbtree --base parse-output \
		"$T/web/manifest.tsv" "$T/m"
	try "ends well" stop_mount m
done
try "mounts as published" start_mount m "$tree"
try "the model's tree as published" check tree --pbtree --base parse-output \
	"$T/web/manifest.tsv" "$T/m"
try "ends well" stop_mount m

# ---- other indexes out of it ----

# Its keys have neither the fragments of URLs nor times: records that have both
# are those that an index of it names.
for path in /a '/a#part' '/b?q#x' /c/; do
	printf 'http://example.org%s\t20120102030405\t200\tresponse\n' "$path"
done >"$T/urls"
"$mkcrawl" --arc --pbtree --urls "$T/urls" --page-bytes 200 "$T/few" \
	>/dev/null || exit 1
archives=$T/few/parse-output
bodies=$(awk -F '\t' '!/^#/ { print $8 }' "$T/few/manifest.tsv" | sort)
# all_of SOURCE: exported, verified and copied, it has all pages and no error
all_of() {
	same "$bodies" "$("$crawlfs" export -q --fields=body,error "$1" |
		python3 -c 'import base64, hashlib, json, sys
for row in map(json.loads, sys.stdin):
    body = base64.b64decode(row.get("body", ""))
    print(row.get("error") or hashlib.sha1(body).hexdigest())' | sort)" &&
		"$crawlfs" verify -q "$1" &&
		"$crawlfs" copy -q --force "$1" / \
			-o "$T/copy.arc.gz" &&
		same 4 "$("$crawlfs" lookup "$T/copy.arc.gz" | wc -l)"
}
for made in x.cfx x.cdxj; do
	"$crawlfs" index -q -o "$T/$made" "$archives/url-index.1356128792" ||
		exit 1
	# Holds C18.
	try "$made of a PB-tree has its pages" all_of "$T/$made"
done
# Holds C18.
try "and so has the PB-tree" all_of "$archives/url-index.1356128792"

# ---- real ----

blocks=$CFS_DATA/pbtree/CommonCrawlDocumentDownload
record=$CFS_DATA/arc/CommonCrawlDocumentDownload/record.arc.gz
if [ ! -e "$blocks/block0.bin" ] || [ ! -e "$record" ]; then
	skip "the real blocks and record: not in CFS_DATA"
	finish
fi
real=$T/real/parse-output
archive=$real/segment/1346876860567/1346913882801_2221.arc.gz
mkdir -p "${archive%/*}"
python3 "$ref" items $BLOCK $VALUE "$blocks"/block*.bin "$T/items"
try "builds a tree of the real entries" "$helper" $BLOCK "$T/items" \
	"$real/url-index"
python3 "$ref" build $BLOCK $VALUE "$T/items" "$T/ref.tree"
try "byte for byte as the reference builds it" cmp "$real/url-index" "$T/ref.tree"
truncate -s 38232533 "$archive"
cat "$record" >>"$archive"
truncate -s 100000000 "$archive"
page='110/200/86/167/_/Portals/7/PTO/AHS%20PTO%20Minutes%209-2009.doc'
# an independent inflate: gzip, and everything after the empty line but one LF
gzip -dc "$record" >"$T/inflated"
python3 -c 'import sys
data = open(sys.argv[1], "rb").read()
body = data[data.index(b"\r\n\r\n") + 4:-1]
open(sys.argv[2], "wb").write(body)' "$T/inflated" "$T/body"
try "the body has 54272 bytes" same "$(wc -c <"$T/body")" 54272
try "the real tree mounts" start_mount m -o missing=ok "$real/url-index"
try "cat gives the document" sh -c 'cat "$1" | cmp - "$2"' sh "$T/m/$page" \
	"$T/body"
try "its size" same "$(stat -c %s "$T/m/$page")" 54272
# Holds T2.
try "its time, of the archive" same "$(stat -c %Y "$T/m/$page")" 1346913882
try "its metadata" python3 -c 'import json, sys
json.load(open(sys.argv[1], "rb"))' "$T/m/$page.meta"
try "its record" sh -c 'cmp "$1" "$2"' sh "$T/m/$page.arc.gz" "$record"
# Holds E3.
try "all names are there, all others are EIO" check keys "$T/items" "$T/m" \
	"$page" 54272 "$(sha1 "$T/body")"
# Holds E4.
try "a missing archive is told" grep -q 'arc.gz' "$T/m.log"
try "the document without FUSE" sh -c '"$1" cat "$2" "$3" | cmp - "$4"' sh \
	"$crawlfs" "$real/url-index" "$page" "$T/body"
try "the document by its URL" sh -c '"$1" cat "$2" "$3" | cmp - "$4"' sh \
	"$crawlfs" "$real/url-index" \
	'http://167.86.200.110/Portals/7/PTO/AHS%20PTO%20Minutes%209-2009.doc' \
	"$T/body"
try "the daemon ends well" stop_mount m
finish
