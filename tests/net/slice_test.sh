#!/bin/sh
# slice_test.sh - rows of a part of an archive on a server: records that lie near
# one another come by one request, and not much comes besides.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/net/lib.sh"

mkdir "$T/www"
"$mkcrawl" --records 3000 --warc --page-bytes 9000 "$T/www/crawl" >/dev/null || exit 1
"$crawlfs" index -q --base="$T/www" -o "$T/www/i.cfx" "$T/www/crawl" || exit 1
start_faultd slice "$T/www" || skip_all "no server"
# rows SOURCE ORDER PREFIX; some rows have an error
rows() {
	timeout 100 "$crawlfs" export -q --order="$2" --fields=url,text \
		--errors=ok --cache="$T/cache" "$1" "$3"
}
bytes_of() {	# of the records of a prefix, as they are stored
	"$crawlfs" lookup --json "$T/www/i.cfx" "$1" |
		jq -s 'map(.length) | add'
}
# slice ORDER PREFIX [ORDER_HERE]: fetched within bounds: $asked, $sent, $n rows
slice() {
	rm -rf "$T/cache"
	rows "$T/www/i.cfx" "${3:-$1}" "$2" >"$T/want" || return
	counts >/dev/null
	rows "$url/i.cfx" "$1" "$2" >"$T/got" || return
	counts >"$T/counts"
	asked=$(cut -d' ' -f2 "$T/counts") sent=$(cut -d' ' -f4 "$T/counts")
	n=$(wc -l <"$T/got")
	cmp "$T/want" "$T/got" && [ "$n" -gt 100 ]
}
few() { [ $((asked * 4)) -lt "$n" ] || { echo "$asked requests, $n rows"; false; }; }
wanted=$(bytes_of com)
# 8 bytes for each that is wanted, and the index
bounded() {
	most=$((8 * wanted + $(wc -c <"$T/www/i.cfx") + 200000))
	[ "$sent" -lt $most ] || { echo "$sent bytes of $wanted"; false; }
}
try "a slice in the order of archives" slice archive com
# Holds K12.
try "takes few requests" few
try "and no more than some times its bytes" bounded
fewer() { [ $((asked * 100)) -lt "$n" ] || { echo "$asked requests, $n rows"; false; }; }
try "all of a crawl of small records" slice archive com,org,net
try "takes a request for a hundred of them" fewer
# Holds K12.
try "its order, where it is left open" slice auto com archive
try "takes few requests" few
grepped() {	# SOURCE
	timeout 100 "$crawlfs" grep -s -c '' --cache="$T/cache" "$1" com
	[ $? -le 2 ]
}
grep_is_same() {
	rm -rf "$T/cache"
	grepped "$T/www/i.cfx" >"$T/want" && counts >/dev/null &&
		grepped "$url/i.cfx" >"$T/got" && cmp "$T/want" "$T/got" &&
		[ -s "$T/want" ]
}
try "grep of a slice" grep_is_same
counts >"$T/counts"
asked=$(cut -d' ' -f2 "$T/counts") n=$(wc -l <"$T/got")
try "has a request less than pages" [ "$asked" -lt "$n" ]
copied() {	# copied SOURCE: the captures of a slice, as they came
	rm -rf "$T/cache" "$T/copy.warc.gz"
	timeout 100 "$crawlfs" copy -q --records=captures --cache="$T/cache" \
		-o "$T/copy.warc.gz" "$1" com
	n=$(zcat "$T/copy.warc.gz" | grep -a -c '^WARC-Type: \(response\|revisit\|resource\)')
}
copy_is_same() {
	copied "$T/www/i.cfx"
	here=$n
	counts >/dev/null
	copied "$url/i.cfx"
	counts >"$T/counts"
	asked=$(cut -d' ' -f2 "$T/counts") sent=$(cut -d' ' -f4 "$T/counts")
	same "$here" "$n" && [ "$n" -gt 100 ]
}
# Holds K12.
try "copy of a slice" copy_is_same
try "takes few requests" few
try "and bounded bytes" bounded
verified() {	# verified SOURCE
	rm -rf "$T/cache"
	timeout 100 "$crawlfs" verify --json --cache="$T/cache" "$1" com |
		jq -c '[.records, .checks.payload_digests.matched]'
}
verify_is_same() {
	verified "$T/www/i.cfx" >"$T/want"
	counts >/dev/null
	verified "$url/i.cfx" >"$T/got"
	counts >"$T/counts"
	asked=$(cut -d' ' -f2 "$T/counts") sent=$(cut -d' ' -f4 "$T/counts")
	cat "$T/got"
	cmp "$T/want" "$T/got" && ! grep -q null "$T/got"
}
# Holds K12.
try "verify of a slice" verify_is_same
try "takes few requests" few
try "and bounded bytes" bounded
try "a slice in the order of the tree" slice index com
try "has a request less than rows" [ "$asked" -lt "$n" ]
try "and bounded bytes" bounded

# ---- sources x parts: the rows of no order that is given are those of the tree's
# order, whatever the order and the part that they come in ----

mkdir "$T/www/zip"
python3 "$model/cdx_model.py" make zipnum "$T/www/crawl/manifest.tsv" "$T/www/zip" \
	--lines 50 --shards 3 || exit 1
sed 's,\tcrawl-data/,\tcrawl/crawl-data/,' "$T/www/crawl/manifest.tsv" >"$T/manifest"
python3 "$model/cdx_model.py" make cdxj "$T/manifest" "$T/www/i.cdxj" || exit 1
# an index with a damaged block, another one, and lines of a selection in no order
cp "$T/www/i.cfx" "$T/www/bad.cfx"
printf 'damaged' | dd of="$T/www/bad.cfx" bs=1 seek=$((65536 + 999)) conv=notrunc 2>/dev/null
"$crawlfs" index -q --no-views --base="$T/www" -o "$T/www/j.cfx" "$T/www/crawl" || exit 1
"$crawlfs" export -q --fields=url,timestamp,archive,offset,length "$T/www/i.cfx" com 2>/dev/null |
	jq -r 'select(.archive) | [.url, (.timestamp | gsub("[^0-9]"; "")), 200, .archive, .offset, .length] | @csv' |
	sort -t, -k6,6n -k1,1 >"$T/rows.csv"
{ echo "url,fetch_time,fetch_status,warc_filename,warc_record_offset,warc_record_length"; cat "$T/rows.csv"; } >"$T/want.csv"
# exported ORDER OPTION... SOURCE [PREFIX]: sorted rows
exported() {
	exported_order=$1
	shift
	timeout 100 "$crawlfs" export -q --order="$exported_order" --errors=ok \
		--fields=url,timestamp,offset,text,error --cache="$T/cache" "$@" \
		2>/dev/null >"$T/exported" || return
	sort "$T/exported"
}
all_rows() {	# all_rows ARGUMENT...
	exported index "$@" >"$T/want" && test "$(wc -l <"$T/want")" -gt 100 &&
		exported auto "$@" >"$T/got" && cmp "$T/want" "$T/got" &&
		for part in 1/3 2/3 3/3; do
			exported auto --part=$part "$@" || return
		done | sort | cmp "$T/want" -
}
set -- "$url/i.cfx com" "$url/i.cfx com org" "$url/zip/cluster.idx com" \
	"$url/i.cdxj com" "--base=$url $T/want.csv" "--data=$url $T/www/i.cfx" \
	"$url/bad.cfx com net org" "$url/i.cfx,$url/j.cfx com" "--at=20240221 $url/i.cfx com"
for source; do
	# shellcheck disable=SC2086
	try "rows of $(echo "$source" | sed "s,$url\|$T,,g")" all_rows $source
done

# An export that is resumed with the archives elsewhere has other batches, and
# another order: it begins again.
"$mkcrawl" --records 600 --warc --page-bytes 3000 --archive-bytes 300000 "$T/www/few" >/dev/null &&
	"$crawlfs" index -q --base="$T/www" -o "$T/few.cfx" "$T/www/few" || exit 1
last=$(find "$T/www/few" -name '*.warc.gz' | sort | tail -n 1)
few_rows() {	# few_rows ARGUMENT...
	timeout 100 "$crawlfs" export -q --fields=url,timestamp,offset,text \
		--errors=ok --timeout=2 --cache="$T/cache" "$@" "$T/few.cfx" /
}
moves() {
	rm -rf "$T/cache" "$T/moved.jsonl"
	rule fault=status value=403 "match=${last##*/}"
	few_rows --data="$1" -o "$T/moved.jsonl"
	same "3 yes" "$? $([ -s "$T/moved.jsonl.part" ] && echo yes)" &&
		ctl "$port" clear && few_rows --data="$2" -o "$T/moved.jsonl" &&
		few_rows --data="$T/www" | sort >"$T/want" &&
		sort "$T/moved.jsonl" | cmp "$T/want" -
}
# Holds E61.
try "an export that is resumed where the archives are" moves "$url" "$T/www"
try "and where they are not yet" moves "$url" "$url"
finish
