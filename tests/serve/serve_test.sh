#!/bin/sh
# serve_test.sh - crawlfs serve: its tree, fields of HTTP, CDX server, records,
# and clients that mean no good.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/serve/lib.sh"

"$mkcrawl" --warc --records 120 --hosts 4 --hostile 25 --page-bytes 3000 \
	"$T/crawl" >/dev/null || exit 1
manifest=$T/crawl/manifest.tsv

# ---- the command ----
try "it starts" start_server one "$T/crawl/crawl-data"
port=${url##*:}
port=${port%/}
in_use() {
	status 2 "$crawlfs" serve --listen="127.0.0.1:$port" \
		"$T/crawl/crawl-data" && complains 'in use'
}
try "a port in use: status 2" in_use
for bad in x 127.0.0.1 127.0.0.1:99999 127.0.0.1:x ::1:80 :; do
	try "--listen=$bad: status 2" status 2 "$crawlfs" serve \
		--listen="$bad" "$T/crawl/crawl-data"
done
for option in base-url replay-url; do
	try "--$option=x: status 2" status 2 "$crawlfs" serve --$option=x \
		"$T/crawl/crawl-data"
done
try "no such SOURCE: status 1" status 1 "$crawlfs" serve --listen=127.0.0.1:0 \
	"$T/nothing"

# ---- what it answers ----
# Holds H1, H3.
try "the tree is the model's" ask tree "$url" "$manifest" crawl-data
# Holds H3.
try "ranges, conditions, methods" ask fields "$url" "$manifest" crawl-data
# Holds H6.
try "CDX server" ask cdx "$url" "$manifest" crawl-data
# Holds H4.
try "archives and records" ask records "$url" "$manifest" crawl-data
# Holds H3, H4, H5.
try "odd requests" ask odd "$url" "$manifest" crawl-data
# Holds H7.
try "/metrics is OpenMetrics" python3 "$here/metrics_check.py" "${url}metrics" \
	'm["crawlfs_sources"] == 1 and m["crawlfs_http_requests_total{status=\"4xx\"}"] > 0'
if find_metrics_parser; then
	# Holds H7.
	try "prometheus_client finds the same of it" "$metrics_python" \
		"$here/metrics_check.py" --parser "${url}metrics"
else
	skip "prometheus_client: $install_problem"
fi
# Holds H5.
try "a crowd of 300" ask crowd "$url" 300
try "SIGTERM ends it" stop_server one

# ---- sizes that the index does not know ----
no_sizes() {
	"$crawlfs" index -q --no-views -o "$T/no-views.cfx" \
		--base="$T/crawl/crawl-data" "$T/crawl/crawl-data"
}
try "an index without sizes" no_sizes
try "it is served" start_server guess "$T/no-views.cfx" \
	--data="$T/crawl/crawl-data"
try "sizes that are found by reading" ask tree "$url" "$manifest" crawl-data
try "it ends" stop_server guess

# ---- other ways to start it ----
names() {
	curl -s -X PROPFIND -H 'Depth: 1' "${url}dav/" |
		sed -n 's/.*<D:href>\([^<]*\).*/\1/p' | tr '\n' ' '
}
try "sources side by side" start_server side "$T/crawl/crawl-data" \
	"$T/crawl/crawl-data"
if has_program curl; then
	try "their names" same "$(names)" \
		"/dav/ /dav/crawl-data/ /dav/crawl-data~2/ "
	try "an archive of the second" same "$(curl -s \
		"${url}cdx?url=*.com&limit=1&sort=reverse&fl=filename&output=text" |
		cut -d/ -f1)" crawl-data~2
else
	skip "names of sources: there is no curl"
fi
try "SIGINT ends it" stop_server side INT
try "a base URL" start_server base --base-url=https://crawl.example/a/ \
	"$T/crawl/crawl-data"
if has_program curl; then
	try "its host is answered" same "$(curl -s -o "$T/links" -w '%{http_code}' \
		-H 'Host: crawl.example' "${url}dav")" 301
	try "links begin with its path" same "$(curl -si "${url}dav" |
		tr -d '\r' | sed -n 's/^Location: //p')" /a/dav/
	# the server in front may leave it in requests
	for way in a/dav/:200 a/tree/:200 a/:200 ab/tree/:404 a/a/:404; do
		try "${way%:*} is ${way#*:}" same "$(curl -s -o "$T/links" \
			-w '%{http_code}' "$url${way%:*}")" "${way#*:}"
	done
fi
try "it ends while a client waits" stop_server base

# ---- expressions ----
i=0
while [ $i -lt 50 ]; do
	echo "example,long)/$i 20140101000000 $(printf \
		'http://long.example/%01000d!%d' 0 $i | tr 0 a) text/html" \
		"200 - - - 100 $((i * 100)) x.warc.gz"
	i=$((i + 1))
done | LC_ALL=C sort >"$T/long.cdx"
try "long URLs, one thread" start_server explode --threads=1 \
	--missing=ok "$T/long.cdx"
# Holds H6.
try "expressions that explode stop nobody" ask explode "$url"
try "it ends" stop_server explode

# ---- damage ----
index_before() {
	"$crawlfs" index -q -o "$T/before.cfx" "$T/intact" --base="$T/intact"
}
"$mkcrawl" --warc --records 120 --hosts 4 --hostile 0 --page-bytes 3000 \
	"$T/other" >/dev/null
mkdir "$T/intact"
find "$T/other/crawl-data" -name '*.warc.gz' -exec cp {} "$T/intact/" \;
try "an index" index_before
for archive in "$T"/intact/*.warc.gz; do
	middle=$(($(stat -c %s "$archive") / 2))
	dd if=/dev/zero of="$archive" bs=1 seek=$middle count=3000 \
		conv=notrunc 2>/dev/null
done
try "a damaged archive is served" start_server bad "$T/before.cfx" \
	--data="$T/intact"
# Holds H2.
try "what is damaged is 502" ask broken "$url"
try "it ends" stop_server bad

# ---- what takes long, or waits ----
ask make "$T/own"
try "a long record is served" start_server long "$T/own/long"
try "each field once" ask long "$url" /dav/example/a/_/long 1500000
try "it ends" stop_server long

# ---- CDX of several crawls ----
for how in "" --merge; do
	# shellcheck disable=SC2086	# none
	try "two crawls $how" start_server order $how "$T/own/a" "$T/own/b"
	# Holds H6.
	try "captures in the order of time, with digests" ask order "$url"
	try "it ends" stop_server order
done

# ---- archives on a server ----
start python3 "$CFS_SRCDIR/tests/net/faultd.py" serve "$T" \
	>"$T/faultd.out"
echo "$started" >"$T/faultd.pid"
far_listens() { grep -q '^port' "$T/faultd.out"; }
wait_for far_listens
far=$(sed -n 's/^port //p' "$T/faultd.out")
try "an index" "$crawlfs" index -q -o "$T/far.cfx" "$T/other/crawl-data"
try "archives on a server" start_server far "$T/far.cfx" --cache-size=0 \
	--data="http://127.0.0.1:$far" --timeout=100 --readahead=off
# Holds H2, H5, H22.
try "requests that wait for it stop nobody" ask stalled "$url" \
	"$T/other/manifest.tsv" crawl-data "$far"
try "it ends" stop_server far

# Larger than what the sockets of both sides hold.
mkdir "$T/long"
"$mkcrawl" --warc --records 300 --hosts 1 --hostile 0 --page-bytes 100000 \
	--level 1 "$T/made" >/dev/null
find "$T/made/crawl-data" -name '*.warc.gz' -exec cp {} "$T/long/long.warc.gz" \;
try "a long archive" start_server long "$T/long"
try "a body that breaks off does not look complete" ask short "$url" \
	"$T/long/long.warc.gz"
try "it ends" stop_server long

# ---- an index that grows ----
mkdir "$T/grows"
python3 "$serve_dir/reopen_check.py" make "$T/grows"
try "an index that will grow" start_server grows "$T/grows/i.cfx"
# Holds H21.
try "it is opened again, and no request notices" python3 \
	"$serve_dir/reopen_check.py" grow "$T/grows" "$url" \
	"$(cat "$T/grows.pid")" "$T/grows.log"
try "it ends" stop_server grows
finish
