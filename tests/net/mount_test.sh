#!/bin/sh
# mount_test.sh - crawls on a server, mounted and read from the command line.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/net/lib.sh"

# A folder laid out as Common Crawl's: archives, an index, the PB-tree of 2012.
www=$T/www
"$mkcrawl" --records 400 --hostile 5 --page-bytes 3000 --warc "$www" >/dev/null || exit 1
"$mkcrawl" --records 300 --seed 2 --hostile 0 --page-bytes 2000 --arc --pbtree "$T/arc" >/dev/null || exit 1
mkdir -p "$www/projects/url-index"
mv "$T/arc/parse-output" "$www/"
mv "$www/parse-output/url-index.1356128792" "$www/projects/url-index/"
(cd "$www" && "$crawlfs" index -q -o warc.cfx crawl-data 2>"$T/err") || { cat "$T/err"; exit 1; }
warc=$(cd "$www" && find crawl-data -name '*.warc.gz' | head -n 1)
echo "$warc" >"$T/names"
gzip -c "$T/names" >"$www/warc.paths.gz"
start_faultd faultd "$www" || skip_all "no server"
# same_tree A B: every name, every byte.  Not by diff -r, which believes the
# sizes from before a file was opened.
sums() {
	(cd "$T/$1" && find . -type f ! -name "${2:-}" | sort |
		xargs -d '\n' sha1sum)
}
same_tree() {
	sums "$1" "${3:-}" >"$T/a"
	sums "$2" "${3:-}" >"$T/b"
	[ "$(wc -l <"$T/a")" -gt 100 ] && diff "$T/a" "$T/b"
}

# ---- an index with its archives beside it ----

try "mount files" start_mount here "$www/warc.cfx"
try "mount their URL" start_mount there "$url/warc.cfx"
# Holds C6.
try "it is the same tree" same_tree here there
counts=$(requests)
try "read again it needs no request" sh -c "cat \$(find '$T/there' -type f | head -n 20) >/dev/null; [ \$(python3 '$net/faultd.py' ctl $port counts | cut -d' ' -f2) -eq 0 ]"
echo "# $counts requests"
try "unmount" stop_mount there
try "the archives elsewhere (data=)" start_mount there -o "data=$url,cache=$T/c2" "$www/warc.cfx"
try "the same tree" same_tree here there
try "unmount it" stop_mount there

# ---- archives and lists ----

try "an archive by its URL" start_mount there -o "cache=$T/c3" "$url/$warc"
try "is the same tree, but for its name in the metadata" same_tree here there "*.meta"
try "unmount the archive" stop_mount there
ctl "$port" counts >/dev/null
# Holds C3.
try "the index is kept" start_mount there -o "cache=$T/c3" "$url/$warc"
try "and used: $(requests) requests" stop_mount there
try "a list by its URL" start_mount there -o "cache=$T/c4,base=$url" "$url/warc.paths.gz"
try "it is that tree, too" same_tree here there
try "unmount the list" stop_mount there
try "unmount the files" stop_mount here

# ---- the PB-tree of 2012, by name ----

pb=$www/projects/url-index/url-index.1356128792
try "the PB-tree's file" start_mount here "$pb"
try "its URL" start_mount there -o "cache=$T/c5" "$url/projects/url-index/url-index.1356128792"
# Holds C6.
try "are one tree" same_tree here there
try "unmount its URL" stop_mount there
try "its name" start_mount there -o "cache=$T/c6,base=$url" url-index.1356128792
try "is that tree" same_tree here there
try "unmount its name" stop_mount there
try "unmount its file" stop_mount here
top=$("$crawlfs" ls "$pb" | head -n 1 | tr -d /)
page=$("$crawlfs" lookup "$pb" "$top" | head -n 1 | sed 's/.*"url": *"\([^"]*\)".*/\1/')
ctl "$port" counts >/dev/null
try "a page of it by crawlfs cat ($page)" sh -c "
	'$crawlfs' cat '$pb' '$page' >'$T/a' &&
	'$crawlfs' cat --base='$url' --cache='$T/c7' url-index.1356128792 '$page' >'$T/b' && cmp '$T/a' '$T/b'"
n=$(requests)
try "by $n requests" [ "$n" -le 8 ]
try "crawlfs ls" sh -c "'$crawlfs' ls '$pb' >'$T/a'; '$crawlfs' ls --cache='$T/c7' --base='$url' url-index.1356128792 | cmp - '$T/a'"
try "crawlfs lookup" sh -c "'$crawlfs' lookup '$pb' $top >'$T/a'; '$crawlfs' lookup --cache='$T/c7' --base='$url/' url-index.1356128792 $top | cmp - '$T/a'"

# ---- a crawl of Common Crawl's by its name: ZipNum, below --base ----

zip=$www/cc-index/collections/CC-MAIN-2024-10/indexes
mkdir -p "$zip"
python3 "$model/cdx_model.py" make zipnum "$www/manifest.tsv" "$zip" --lines 20 ||
	fail "the model makes no ZipNum index"
try "a ZipNum index's file" start_mount here -o "data=$www" "$zip/cluster.idx"
try "its crawl's name" start_mount there -o "cache=$T/c10,base=$url" CC-MAIN-2024-10
try "is one tree with it" same_tree here there
try "unmount the name" stop_mount there
try "its URL, without data=" start_mount there -o "cache=$T/c11" "$url/cc-index/collections/CC-MAIN-2024-10/indexes/cluster.idx"
try "is the same" same_tree here there
try "unmount the URL" stop_mount there
try "a copy on this machine by name" start_mount there -o "base=$www" CC-MAIN-2024-10
try "is the same, too" same_tree here there
try "unmount the copy" stop_mount there
try "nothing was looked for in vain" not sh -c "python3 '$net/faultd.py' ctl $port log | grep ' 404 '"

# ---- over TLS, by HTTP/2, from nginx ----

if start_nginx nginx "$www" >"$T/err"; then
	try "over https" start_mount there -o "cache=$T/c12" "$https_url/cc-index/collections/CC-MAIN-2024-10/indexes/cluster.idx"
	try "the same tree by HTTP/2" same_tree here there
	try "it was HTTP/2" sh -c "grep -c 'HTTP/2.0\" 206' '$T/nginx-nginx/access.log'"
	try "unmount it from nginx" stop_mount there
else
	skip "over https: $(cat "$T/err")"
fi
try "unmount the ZipNum index" stop_mount here

# ---- when it fails ----

try "a missing index" sh -c "'$crawlfs' ls '$url/none.cfx' 2>&1 | grep 'is not there (status 404)'"
try "no server" sh -c "'$crawlfs' ls --timeout=1 'http://127.0.0.1:$(free_port)/x.cfx' 2>&1 | grep -i 'connect'"
try "a page that is no index" sh -c "'$crawlfs' ls '$url/warc.cfx/../names' 2>&1 | grep 'not there'"
try "mount once more, to wait for an hour" start_mount there -o "cache=$T/c8,timeout=3600" "$url/warc.cfx"
file=$(pages_of there | head -n 1)
ctl "$port" rule fault=stall match=warc.gz
start cat "$file" >/dev/null 2>"$T/err"
try "a reader waits for a server that stalls" wait_for has_stalled
kill -KILL $started
# Holds I3.
try "killed, it is free" wait_for has_ended $started
try "unmount that" stop_mount there
try "mount to wait for some seconds" start_mount there -o "cache=$T/c8,timeout=4" "$url/warc.cfx"
try "a read ends at its deadline" not sh -c 'cat "$1" 2>"$2"' sh "$file" "$T/err"
try "with a timeout" grep -q "timed out" "$T/err"
ctl "$port" clear
# what took that long is told again for a moment
# Holds E5.
try "and works again when the server does" wait_for cat "$file"
ctl "$port" rule fault=status value=404 match=warc.gz
other=$(pages_of there | tail -n 1)
cat "$other" >/dev/null 2>"$T/err"
# Holds E2.
try "a missing archive is an error of input, not a missing file" grep -q "Input/output error" "$T/err"
ctl "$port" clear
# Holds E5.
try "and is not remembered for long" wait_for cat "$other"
try "unmount the last" stop_mount there

# in the background, as daemons are
mkdir -p "$T/back"
try "in the background" "$crawlfs" mount -o "cache=$T/c9" "$url/warc.cfx" "$T/back"
try "it reads" sh -c "find '$T/back' -type f | head -n 30 | xargs -d '\n' cat | wc -c | grep -v '^0$'"
try "unmount it, too" "$crawlfs" umount "$T/back"
finish
