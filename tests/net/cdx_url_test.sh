#!/bin/sh
# cdx_url_test.sh - CDX files and a ZipNum cluster on a server: indexes made of
# them, by crawlfs index and when they are opened.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/net/lib.sh"

"$mkcrawl" --records 300 --hostile 0 --warc --archive-bytes 100000 "$T/www" >/dev/null || exit 1
start_faultd faultd "$T/www" || skip_all "no server"
(cd "$T/www" && find crawl-data -name '*.warc.gz' | sort) >"$T/plain.paths"
first=$(head -n 1 "$T/plain.paths")
captures() { "$crawlfs" lookup "$1" /; }
cdx_lines() { python3 "$net/cdx_lines.py" "$@"; }
same_lines() { captures "$1" | cdx_lines compare "$2"; }
size_of() { wc -c <"$1"; }
cdx_lines make 4000 >"$T/www/c.cdx"
gzip -k "$T/www/c.cdx"
cdx_lines shards "$T/www/zip" 6000 || fail "a cluster"
mkdir -p "$T/www/s3/bucket"
for name in c.cdx c.cdx.gz; do
	ctl "$port" counts >/dev/null
	try "crawlfs index of $name" "$crawlfs" index -q -o "$T/c.cfx" --base="$url" "$url/$name"
	n=$(bytes_sent)
	try "it is its lines" same_lines "$T/c.cfx" "$T/www/$name"
	try "fetched once: $n bytes of $(size_of "$T/www/$name")" [ "$n" -le $(($(size_of "$T/www/$name") + 70000)) ]
	try "$name at its URL, which gets an index" same_lines "$url/$name" "$T/www/$name"
	try "as on this machine" same_lines "$T/www/$name" "$T/www/$name"
done
# of what is not in order nothing can be left out
for name in c.cdx c.cdx.gz; do
	ctl "$port" counts >/dev/null
	try "a part of $name" "$crawlfs" index -q -o "$T/c.cfx" --base="$url" --prefix=example "$url/$name"
	n=$(bytes_sent)
	try "fetched once for it: $n bytes of $(size_of "$T/www/$name")" [ "$n" -le $(($(size_of "$T/www/$name") + 70000)) ]
done
ctl "$port" counts >/dev/null
try "a cluster.idx" "$crawlfs" index -q -o "$T/c.cfx" --base="$url/zip" "$url/zip/cluster.idx"
n=$(bytes_sent) all=$(cat "$T"/www/zip/cluster.idx "$T"/www/zip/*.gz | wc -c)
try "it is its lines, too" same_lines "$T/c.cfx" "$T/www/zip/all.cdx"
try "its shards are fetched once: $n bytes of $all" [ "$n" -le $((all + 70000)) ]
try "several files" "$crawlfs" index -q -o "$T/c.cfx" --base="$url" "$url/c.cdx.gz" "$url/$first" "$T/plain.paths"
try "one index for all" sh -c "'$crawlfs' lookup '$T/c.cfx' example | grep -c ^example,h | grep -qx 4000 && '$crawlfs' lookup '$T/c.cfx' com | grep -q ."

# one that is too large to be inflated in memory at each mount
cdx_lines make 36000 800 | gzip -1 >"$T/www/big.cdx.gz"
try "a large one ($(size_of "$T/www/big.cdx.gz") bytes)" [ "$(size_of "$T/www/big.cdx.gz")" -gt 17000000 ]
ctl "$port" counts >/dev/null
look() { "$crawlfs" lookup "$url/big.cdx.gz" http://h7.example/* >"$T/got"; }
try "is looked up by an index" look
gzip -dc "$T/www/big.cdx.gz" | grep -c ' http://h7\.example/p' >"$T/count"
try "that has its lines" [ "$(wc -l <"$T/got")" -eq "$(cat "$T/count")" ]
n=$(bytes_sent)
# and looked at: 64 KiB as an index may be, and a little to see what it is
try "fetched once: $n bytes" [ "$n" -le $(($(size_of "$T/www/big.cdx.gz") + 130000)) ]
look
n=$(requests)
try "the index is kept: $n requests" [ "$n" -le 2 ]
cdx_lines make 37000 800 | gzip -1 >"$T/www/big.cdx.gz"
try "of a changed file" look
n=$(bytes_sent)
try "it is made again" [ "$n" -gt 17000000 ]
try "and the old one is dropped" [ "$(ls "$XDG_CACHE_HOME/crawlfs/index" | grep -c "$(ls -t "$XDG_CACHE_HOME/crawlfs/index" | sed -n '1s/-.*//p')")" -eq 1 ]
ctl "$port" rule fault=stall match=big skip=4
start "$crawlfs" index -q --timeout=3600 -o "$T/stall.cfx" "$url/big.cdx.gz" 2>"$T/err"
try "a server that stalls is waited for" wait_for has_stalled
kill -TERM $started
try "a signal ends that" ended_with 130 $started
ctl "$port" clear
ctl "$port" rule fault=status value=500 match=big
try "--timeout is obeyed" not "$crawlfs" index -q --timeout=2 -o "$T/stall.cfx" "$url/big.cdx.gz"
ctl "$port" clear
ctl "$port" rule fault=etag value='"x"' match=big skip=6
try "one that changes meanwhile makes none" not "$crawlfs" index -q -o "$T/stall.cfx" "$url/big.cdx.gz"
try "nothing is left" [ ! -e "$T/stall.cfx" ]
ctl "$port" clear
finish
