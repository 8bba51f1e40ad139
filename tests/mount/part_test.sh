#!/bin/sh
# part_test.sh - the parts of -o part=K/N: each page is in one of them, by the
# name and inode, and with the bytes, that it has in the whole.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"
cdx_model() { python3 "$model/cdx_model.py" "$@"; }

"$mkcrawl" --arc --warc --pbtree --records 600 --page-bytes 500 "$T/crawl" \
	>/dev/null || exit 1
manifest=$T/crawl/manifest.tsv

# parts NAME N OPTIONS SOURCE: the whole, and all of its parts
parts() {
	parts_name=$1 parts_n=$2
	shift 2
	tops=
	for k in $(seq "$parts_n"); do
		try "$parts_name: mount $k/$parts_n" \
			start_mount "$k" -o "$1,part=$k/$parts_n" "$2"
		tops="$tops $T/$k"
	done
	# Holds W1, W2, W3.
	try "$parts_name: $parts_n parts are the whole" \
		python3 "$here/part_check.py" "$T/whole" $tops
	grep '^#' "$T/case.log"
	for k in $(seq "$parts_n"); do
		stop_mount "$k" >/dev/null || fail "$parts_name: unmount $k"
	done
}
# source NAME OPTIONS SOURCE N...
whole_and_parts() {
	source_name=$1 source_options=$2 source=$3
	shift 3
	try "$source_name: mount" start_mount whole -o "$source_options" "$source"
	for n; do
		parts "$source_name" "$n" "$source_options" "$source"
	done
	try "$source_name: unmount" stop_mount whole
}
views=views=raw:meta:txt:headers
"$crawlfs" index -q -o "$T/w.cfx" "$T/crawl/crawl-data" || exit 1
cdx_model make cdxj "$manifest" "$T/w.cdxj"
cdx_model make zipnum "$manifest" "$T/zip" --lines 25 --shards 3
whole_and_parts cfx $views "$T/w.cfx" 1 4
whole_and_parts PB-tree $views "$T"/crawl/parse-output/url-index.* 2
whole_and_parts CDX "$views,data=$T/crawl" "$T/w.cdxj" 2
whole_and_parts ZipNum "$views,data=$T/crawl" "$T/zip/cluster.idx" 2
whole_and_parts folder $views "$T/crawl/crawl-data" 2

# ---- odd pages ----

# tests/unit/tree_test.c cuts such trees at every key.
# Pages that are directories too, names that their views take from others, ports
# (further keys of a page in CDX and PB-trees), captures of one page.
python3 -c 'import sys
a, b, c = "http://a.example/", "http://a.example:8080/", "https://s.a.example/"
urls = [a, a + "a", a + "a/", a + "a/b", a + "a/b/c", a + "a.txt", a + "a.meta",
        a + "a.txt/d", a + "b?q=1/2", a + "." , a + "x/..", a + "%2E",
        a + "L" * 300, a + "L" * 300 + "/x", a + "L" * 300 + ".txt",
        a + "_index", a + "late/c", b + "late/a", b + "late/b", b + "late/c",
        b + "a", b + "a/b", b + "only/a", b, c, c + "a", c + "a/",
        "http://a.example-b.org/", "http://www.a.example/a"]
for i, url in enumerate(urls):
    for n in range(3 if i % 7 == 0 else 1):
        print("%s\t201%d0101000000\t%d" % (url, n, 200 if n < 2 else 404))
' >"$T/urls"
"$mkcrawl" --arc --warc --pbtree --urls "$T/urls" --page-bytes 200 "$T/odd" \
	>/dev/null || exit 1
"$crawlfs" index -q -o "$T/odd.cfx" "$T/odd/crawl-data" || exit 1
cdx_model make cdx "$T/odd/manifest.tsv" "$T/odd.cdx"
cdx_model make zipnum "$T/odd/manifest.tsv" "$T/oddzip" --lines 3
whole_and_parts "ZipNum, odd pages" "$views,data=$T/odd" \
	"$T/oddzip/cluster.idx" 3
whole_and_parts "of some time" $views,to=2010 "$T/odd.cfx" 3
whole_and_parts "CDX, of some time" "$views,from=2011,data=$T/odd" \
	"$T/odd.cdx" 13
head -n 4 "$T/urls" >"$T/four"
"$mkcrawl" --warc --urls "$T/four" --page-bytes 200 "$T/few" >/dev/null &&
	"$crawlfs" index -q -o "$T/few.cfx" "$T/few" || exit 1
try "more parts than entries" same "$(for k in $(seq 12); do
	"$crawlfs" ls -R --part="$k/12" "$T/few.cfx"; done | grep '[^/]$' | sort)" \
	"$("$crawlfs" ls -R "$T/few.cfx" | grep '[^/]$' | sort)"

# ---- several crawls as one ----

for i in 1 2 3; do
	"$mkcrawl" --warc --records 250 --page-bytes 100 \
		--start "20${i}20101000000" "$T/u$i" >/dev/null || exit 1
	"$crawlfs" index -q -o "$T/u$i.cfx" "$T/u$i" || exit 1
	cdx_model make cdxj "$T/u$i/manifest.tsv" "$T/u$i/u.cdxj"
done
whole_and_parts union $views "$T/u1.cfx,$T/u2.cfx,$T/u3.cfx" 3
whole_and_parts "union of CDX files" "$views" \
	"$T/u1/u.cdxj,$T/u2/u.cdxj,$T/u3/u.cdxj" 2
whole_and_parts "union of some time" $views,at=2015 "$T/u3.cfx,$T/u1.cfx" 2

# ---- commands ----

# captures SOURCE [OPTION...]: all of them, as lookup has them
captures() {
	captures_of=$1
	shift
	"$crawlfs" lookup "$@" "$captures_of" /
}
for source in u1.cfx u1/u.cdxj odd.cdx; do
	captures "$T/$source" --data="$T/${source%%[./]*}" | sort >"$T/a"
	for k in 1 2 3; do
		captures "$T/$source" --data="$T/${source%%[./]*}" --part=$k/3
	done | sort >"$T/b"
	try "there are captures: $source" [ -s "$T/a" ]
	try "lookup of all parts: $source" cmp "$T/a" "$T/b"
done
# copied OPTION...: the records of a copy
copied() {
	"$crawlfs" copy --records=captures -q --force "$@" "$T/u1.cfx" com,org,net,example \
		-o "$T/some.warc.gz" 2>/dev/null
	gzip -dc "$T/some.warc.gz" | grep -a '^WARC-Target-URI:' | sort
}
copied >"$T/a"
for k in 1 2 3; do copied --part=$k/3; done | sort >"$T/b"
try "there are records" [ "$(wc -l <"$T/a")" -gt 100 ]
try "copies of all parts" cmp "$T/a" "$T/b"
pages() {	# pages OPTION...: as check counts them
	"$crawlfs" check "$@" "$T/u1.cfx" com org net example 2>/dev/null |
		awk '$1 == "pages" { print $2 }'
}
try "there are pages" [ "$(pages)" -gt 50 ]
try "check of all parts" same "$(($(pages --part=1/3) + $(pages --part=2/3) +
	$(pages --part=3/3)))" "$(pages)"
mkdir "$T/copy"
cp "$T/u1.cfx" "$T/copy/other-name.cfx"
# Holds W4.
try "a copy elsewhere is cut alike" same \
	"$("$crawlfs" ls -R --part=2/5 "$T/u1.cfx" | sha1sum)" \
	"$("$crawlfs" ls -R --part=2/5 "$T/copy/other-name.cfx" | sha1sum)"
try "a part of a mount" start_mount whole -o part=2/5 "$T/u1.cfx"
try ".crawlfs/config has the part" \
	grep -q '"part": "2/5"' "$T/whole/.crawlfs/config"
try "unmount the part" stop_mount whole

# ---- a page of several blocks ----

python3 -c 'for i in range(9000):
    print("http://h.example/%s\t%d" % ("p%d" % i if i % 3 else "big",
          20100000000000 + (i % 12 + 1) * 100000000 + (i % 28 + 1) * 1000000 +
          i % 60))' >"$T/urls"
"$mkcrawl" --warc --urls "$T/urls" --page-bytes 60 "$T/many" >/dev/null || exit 1
"$crawlfs" index -q --no-views -o "$T/many.cfx" "$T/many" || exit 1
whole_and_parts "a page of several blocks" views=raw "$T/many.cfx" 3

# ---- options ----

for bad in 0/4 5/4 1/0 0/0 /4 1/ 1 '' -1/4 1/4x 1.5/4 2/1/3 +1/4 ' 1/4'; do
	try "refused: '$bad'" status 2 "$crawlfs" ls --part="$bad" "$T/w.cfx"
	try "with the reason: '$bad'" complains "is not K/N"
done
for bad in 1/100000 1/99999999999999999999999 99999999999999999999/4; do
	try "refused: $bad" status 2 "$crawlfs" mount -o part=$bad "$T/w.cfx" "$T"
	try "with the reason: $bad" complains "99999 parts at most"
done
finish
