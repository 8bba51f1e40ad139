#!/bin/sh
# part_url_test.sh - parts of indexes on nginx: what mounting one costs, and
# that all of them together fetch hardly more than a mount of the whole.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/net/lib.sh"

www=$T/www
mkdir -p "$www/zip"
python3 -c 'for i in range(120000):
    key, url = "h%03d)/d%02d/p%06d" % (i // 2000, i // 100 % 20, i), ""
    print("com,example,%s 20240101000000 {\"url\": \"http://%s.example.com/%s\","
          " \"filename\": \"a/CC-%02d.warc.gz\", \"offset\": \"%d\","
          " \"length\": \"1234\", \"status\": \"200\","
          " \"mime\": \"text/html\"}" % (key, key[:4], key[6:], i % 90, i * 1300))
' >"$www/lines.cdxj"
"$crawlfs" index -q -o "$www/lines.cfx" "$www/lines.cdxj" || exit 1
"$mkcrawl" --arc --pbtree --records 30000 --page-bytes 60 --level 1 \
	"$www/arcs" >/dev/null || exit 1
"$crawlfs" index -q --format=zipnum -o "$www/zip" "$www/lines.cdxj" || exit 1
start_nginx nginx "$www" || skip_all "no nginx"
log=$T/nginx-nginx/access.log
forget() { : >"$log"; }
requests_made() { grep -c GET "$log"; }
at_most() { [ "$1" -le "$2" ] || { echo "$1, at most $2"; return 1; }; }
names() {	# names MOUNT: what it lists, and that it could
	(cd "$T/$1" && find . -type f) >"$T/$1.names"
}

# parts NAME PATH: of four, each with a cache of its own as on another machine
parts() {
	url=$http_url/$2 listed=0
	forget
	try "$1: mount" start_mount whole \
		-o "views=raw,data=$http_url,cache=$T/cache-$1-0" "$url"
	opening=$(requests_made)
	try "$1: list" names whole
	all=$(requests_made) sum=0
	stop_mount whole >/dev/null
	: >"$T/parts.names"
	for k in 1 2 3 4; do
		forget
		try "$1: mount $k/4" start_mount "part$k" \
			-o "views=raw,part=$k/4,data=$http_url,cache=$T/cache-$1-$k" \
			"$url"
		# Holds W5.
		try "$1: a request for each of its ends" at_most \
			"$(requests_made)" $((opening + (k > 1) + (k < 4)))
		echo "# $1: mounted by $(requests_made) requests, the whole by $opening"
		try "$1: list $k/4" names "part$k"
		cat "$T/part$k.names" >>"$T/parts.names"
		sum=$((sum + $(requests_made)))
		stop_mount "part$k" >/dev/null
	done
	echo "# $1: $all requests for all names, $sum by parts"
	try "$1: there are names" [ "$(wc -l <"$T/whole.names")" -gt 20000 ]
	sort "$T/whole.names" >"$T/a"
	sort "$T/parts.names" >"$T/b"
	try "$1: those of the parts are those of the whole" cmp "$T/a" "$T/b"
	# on top: opening three times more; of each part its ends, the first
	# folders, and what a listing has asked for ahead when it comes to the
	# end (src/index/ahead.h)
	# Holds W5.
	try "$1: hardly more requests" at_most "$sum" \
		$((all + 3 * opening + 4 * (2 + 6 + 16)))
}
parts cfx lines.cfx
parts PB-tree arcs/parse-output/url-index.1356128792
parts CDX lines.cdxj
parts ZipNum zip/cluster.idx
finish
