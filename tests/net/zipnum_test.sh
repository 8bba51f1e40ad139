#!/bin/sh
# zipnum_test.sh - a ZipNum cluster and its archives on nginx, mounted by URL
# and by the name of a crawl, with a cold cache, and then without the server.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/net/lib.sh"

# Laid out as Common Crawl's bucket is; the cluster is not crawlfs's work.
www=$T/www
name=CC-MAIN-2024-10
indexes=cc-index/collections/$name/indexes
manifest=$www/manifest.tsv
"$mkcrawl" --records 1500 --hostile 0 --page-bytes 2000 --archive-bytes 300000 \
	--warc "$www" >/dev/null || exit 1
mkdir -p "$www/$indexes"
cdx_model() { python3 "$model/cdx_model.py" "$@"; }
cdx_model make zipnum "$manifest" "$www/$indexes" --lines 25 --shards 3 || exit 1
cp -r "$www/$indexes" "$www/zip"
start_nginx nginx "$www" || skip_all "no nginx"
log=$T/nginx-nginx/access.log
count() {	# count PATTERN: requests whose log line has it
	grep -c "$1" "$log"
}
bytes() {	# bytes PATTERN: sent in answer to them
	grep "$1" "$log" | sed 's/.*" [0-9]* \([0-9]*\).*/\1/' |
		awk '{ n += $1 } END { print n + 0 }'
}
forget() { : >"$log"; }
at_most() {
	[ "$1" -le "$2" ] && [ "$1" -gt 0 ] || { echo "$1, at most $2"; return 1; }
}
each_shard_at_most() {
	for shard in 0 1 2; do
		at_most "$(count "GET /$2/cdx-0000$shard.gz")" "$1" || return 1
	done
}
no_whole_file() {	# all answers are ranges: 206, or 304, 404, 416
	! grep -v '" \(206\|304\|404\|416\) ' "$log"
}
pages() { cdx_model check --sample 150 "$T/$1" "$manifest"; }

# ---- by its URL ----

cache=cache=$T/c1
forget
try "mount cluster.idx by its URL" start_mount zip -o "$cache,data=$http_url" "$http_url/zip/cluster.idx"
try "mounting reads no archive" same 0 "$(count '/crawl-data/')"
try "and no shard, or one" test "$(count '/zip/cdx-')" -le 2
forget
try "all names, and pages by their SHA-1" pages zip
all=$(count GET)
echo "# $all requests, $(count '/zip/cdx-') of shards, $(count cluster.idx) of cluster.idx"
# 1,500 lines by 25 in three shards: 20 blocks in each
try "each block of a shard is fetched once" each_shard_at_most 20 zip
try "hardly any for cluster.idx" test "$(count cluster.idx)" -le 2
try "no file is fetched whole" no_whole_file
forget
try "the same once more" pages zip
try "needs no shard" same 0 "$(count '/zip/')"
try "and no archive" same 0 "$(count '/crawl-data/')"
try "unmount" stop_mount zip

forget
try "a second mount" start_mount zip -o "$cache,data=$http_url" "$http_url/zip/cluster.idx"
try "shows the same" pages zip
try "asks whether files changed, and for no byte of shards" same 0 "$(grep '/zip/cdx-' "$log" | grep -c -v '" 304 \|bytes=0-0\| 206 1 ')"
try "unmount it" stop_mount zip

# ---- by the crawl's name ----

forget
try "mount $name from a copy" start_mount named -o "cache=$T/c2" --base="$http_url" $name
try "its pages" pages named
try "its index is where Common Crawl has it" test "$(count "$indexes/cdx-00001.gz")" -gt 0
grep -r -l -i -m 1 "<title>" "$T/named/com" >"$T/with-title" 2>/dev/null
try "ls" test "$(find "$T/named" -maxdepth 1 -mindepth 1 | wc -l)" -gt 3
try "grep -r finds pages ($(wc -l <"$T/with-title"))" test "$(wc -l <"$T/with-title")" -gt 50
try "unmount it, too" stop_mount named

lookup() { "$crawlfs" lookup "$@" com; }
lookup "$www/$indexes/cluster.idx" >"$T/a"
try "lookup by name" sh -c "'$crawlfs' lookup --cache='$T/c3' --base='$http_url' $name com | cmp - '$T/a'"
try "found some" test "$(wc -l <"$T/a")" -gt 50
url=$(sed -n '20s/.*"url": *"\([^"]*\)".*/\1/p' "$T/a")
"$crawlfs" cat --base="$www" $name "$url" >"$T/page"
forget
try "crawlfs cat, cold" sh -c "'$crawlfs' cat --cache='$T/c4' --base='$http_url' $name '$url' | cmp - '$T/page'"
try "by few requests: $(count GET)" at_most "$(count GET)" 8
"$crawlfs" cat --base="$www" --view=txt $name "$url" >"$T/text"
try "its text ($(wc -c <"$T/text") bytes)" sh -c "[ -s '$T/text' ] && '$crawlfs' cat --cache='$T/c4' --base='$http_url' --view=txt $name '$url' | cmp - '$T/text'"
# Holds K1.
try "crawlfs ls" sh -c "'$crawlfs' ls --cache='$T/c4' --base='$http_url' $name com | cmp - <<E
\$('$crawlfs' ls '$www/$indexes/cluster.idx' com)
E"
try "a crawl the copy has not" sh -c "'$crawlfs' ls --cache='$T/c4' --base='$http_url' CC-MAIN-2023-50 2>&1 | grep 'not there'"

# ---- an index of a part of it ----

forget
try "an index of all" "$crawlfs" index -q --no-views -o "$T/whole.cfx" \
	"$http_url/zip/cluster.idx"
all=$(bytes '/zip/cdx-')
forget
try "an index of one domain" "$crawlfs" index -q --no-views -o "$T/com.cfx" \
	--prefix=com.berhoertatofor "$http_url/zip/cluster.idx"
some=$(bytes '/zip/cdx-')
echo "# $some bytes of shards, $all for all of them"
try "which reads little of the shards" test "$some" -gt 0 -a "$some" -lt $((all / 3))
try "and no shard whole" no_whole_file
# but for paths: an index orders captures of one key by its own archives
lines() { "$crawlfs" lookup "$1" "$2" | sed 's/"path": "[^"]*", //' | sort; }
same_lines() {
	lines "$T/whole.cfx" "$1" >"$T/a"
	lines "$T/$2.cfx" "$1" >"$T/b"
	[ -s "$T/a" ] && cmp "$T/a" "$T/b"
}
try "has what all has of it" same_lines com.berhoertatofor com
try "and nothing else" same "$(lines "$T/com.cfx" org 2>/dev/null)" ""
try "an index of several prefixes" "$crawlfs" index -q --no-views \
	-o "$T/several.cfx" --prefix=org,com.berhoertatofor --prefix=com \
	"$http_url/zip/cluster.idx"
try "has all of each, once" same_lines com several
try "of each" same_lines org several

# ---- without the server ----

stop_server nginx
try "mount with the server stopped" start_mount off -o "$cache,data=$http_url,timeout=5" "$http_url/zip/cluster.idx"
try "what was read is there" pages off
try "unmount the last" stop_mount off

# ---- a folder that is too large to be listed ----

mkdir "$T/bigwww"
python3 "$net/big_zipnum.py" "$T/bigwww" 16000 >/dev/null || exit 1
start_faultd big "$T/bigwww" || skip_all "no server"
max=3000000
# listed N COMMAND...: it lists some of N names, says why not all, and has not
# fetched more than a listing may.
listed() {
	listed_all=$1
	shift
	counts >/dev/null
	"$@" >"$T/names" 2>"$T/err" && return 1
	listed_bytes=$(bytes_sent) listed_n=$(wc -l <"$T/names")
	cat "$T/err"
	echo "$listed_n names, $listed_bytes bytes"
	[ "$listed_n" -gt ${least:-1000} ] && [ "$listed_n" -lt "$listed_all" ] &&
		[ "$listed_bytes" -lt $max ]
}
about() {	# about N: an estimate of the 16,000 hosts
	[ "$1" -gt 12000 ] && [ "$1" -lt 20000 ] || { echo "$1"; false; }
}
named() { tr -d , <"$1" | sed -n 's/.*about \([0-9]*\) names in [0-9.]* MB.*/\1/p'; }
ls_big() { "$crawlfs" ls --cache="$T/c6" --list-max=$1 "$url/cluster.idx" com; }
# Holds L73.
try "ls of a large folder" listed 16000 ls_big $max
try "says how large it is" about "$(named "$T/err")"
sort "$T/names" >"$T/a"
try "in order, none twice" sh -c "sort -u '$T/a' | cmp - '$T/names'"
ls_big $max >"$T/b" 2>/dev/null
try "and the same from the cache" cmp "$T/b" "$T/names"
try "by no request" test "$(requests)" -le 3
# An estimate would fetch more than the listing may.
ls_small() { "$crawlfs" ls --cache="$T/c9" --list-max=1M "$url/cluster.idx" com; }
max=1048576 least=100
try "with a limit below what an estimate fetches" listed 16000 ls_small
try "says that it is too large" grep -q 'more of the index.*list_max=1.0 MB' "$T/err"
max=3000000 least=
ls_big off >"$T/names"
try "off: all" same 16000 "$(wc -l <"$T/names")"
ls_big 20M >"$T/names"
try "a limit that is larger than the folder: all" same 16000 "$(wc -l <"$T/names")"
# Holds L73.
try "mount it" start_mount big -o "cache=$T/c7,missing=ok,xattr,list_max=$max" "$url/cluster.idx"
# the manual's command, by Python: the program may not be here
getfattr() {
	python3 -c 'import os, sys; print(os.getxattr(*sys.argv[1:]).decode())' "$4" "$3"
}
estimate=$(eval "$(from_manual crawlfs-network.7 names | sed -n "s,/mnt/crawl,$T/big,; s/^[$] //p")")
try "an attribute has about its names" about "$estimate"
try "ls of the folder" listed 16000 ls -U "$T/big/com"
try "which is too large a file" grep -q 'File too large' "$T/err"
try "errors has its size" about "$(named "$T/big/.crawlfs/errors")"
counts >/dev/null
find "$T/big" -path "$T/big/.crawlfs" -prune -o -print >"$T/names" 2>"$T/err"
try "find goes on with what it has" same yes "$([ "$(wc -l <"$T/names")" -gt 10000 ] && echo yes)"
try "and fetches hardly more" test "$(bytes_sent)" -lt $max
du -s "$T/big" >"$T/names" 2>"$T/err"
try "and du" test "$(bytes_sent)" -lt $max
try "other folders are whole" same 9 "$(ls "$T/big/net/few/_" | wc -l)"
try "and the last page of this" test -e "$T/big/com/h0015999/_/p1"
try "unmount it" stop_mount big
try "mount without a limit" start_mount big -o "cache=$T/c8,missing=ok,list_max=off" "$url/cluster.idx"
rule fault=slow match=cdx-0 value=200
timeout -s INT -k 20 0.5 ls -U "$T/big/com" >"$T/names" 2>&1
# Holds I3.
try "a listing is interrupted at any moment" same 124 $?
ctl "$port" clear
try "unmount that, too" stop_mount big
finish
