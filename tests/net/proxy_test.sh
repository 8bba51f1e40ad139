#!/bin/sh
# proxy_test.sh - contrib/proxy/nginx.conf: what one machine has fetched through
# it no other fetches again.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/net/lib.sh"
has_program nginx || skip_all "there is no nginx"

"$mkcrawl" --records 120 --page-bytes 40000 --warc "$T/crawl" >/dev/null || exit 1
"$crawlfs" index -q -o "$T/crawl/i.cfx" "$T/crawl/crawl-data" || exit 1
try "a server" start_nginx origin "$T/crawl"
origin_log=$nginx_dir/access.log

# The file as it is shipped, with addresses of this test.
cache_dir=$T/nginx-proxy
cache_port=$(free_port)
mkdir -p "$cache_dir"
{
	cat <<END
daemon off;
worker_processes 1;
pid $cache_dir/pid;
error_log $cache_dir/error.log;
user $(id -un);
events { }
http {
	access_log off;
	$(nginx_folders "$cache_dir")
END
	sed -e "s#/var/cache/nginx/crawl#$cache_dir/kept#" \
		-e "s#listen 8080#listen 127.0.0.1:$cache_port#" \
		-e "s#https://data.commoncrawl.org#$http_url#" \
		"$CFS_SRCDIR/contrib/proxy/nginx.conf"
	echo "}"
} >"$cache_dir/conf"
nginx -c "$cache_dir/conf" -e "$cache_dir/error.log" >"$cache_dir/log" 2>&1 &
echo $! >"$T/servers/proxy"
try "the cache before it" wait_for listens "$cache_port"

asked() { wc -l <"$origin_log"; }
# machine NAME: mounts with a cache folder of its own, and reads all
machine() {
	start_mount "$1" -o "cache=$T/cache-$1" \
		"http://127.0.0.1:$cache_port/i.cfx" &&
	check tree --least 100 --base crawl-data "$T/crawl/manifest.tsv" \
		"$T/$1"
}
try "one machine reads all, every body right" machine first
try "its cache has bytes" test "$(stat_of first cache.request_bytes)" -gt 100000
asked_first=$(asked)
try "the server was asked" test "$asked_first" -gt 0
try "another machine reads all" machine second
try "from the cache alone" same "$(asked)" "$asked_first"
try "the first ends" stop_mount first
try "the second ends" stop_mount second
finish
