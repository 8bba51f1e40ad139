#!/bin/sh
# mcp_test.sh - crawlfs mcp, and /mcp of crawlfs serve: the tools, the protocol,
# hostile pages and hostile messages, and the official client.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/serve/lib.sh"
check=$serve_dir/mcp_check.py
mcp() { python3 "$check" "$@"; }

mkdir "$T/pages" "$T/other" || exit 1
mcp make "$T/pages" || exit 1
"$mkcrawl" --warc --records 20 --hosts 1 "$T/other" >/dev/null || exit 1
pages=$T/pages/pages.warc.gz
"$crawlfs" index -q -o "$T/pages.cfx" "$pages" || exit 1
tools="read hostile list captures grep compare refused"

# ---- on a pipe ----

# Holds H18.
# Holds H19.
for what in $tools; do
	try "$what" mcp "$what" "$crawlfs" "$pages"
done
for what in $tools; do
	try "$what, of two crawls" mcp "$what" "$crawlfs" \
		"$pages|$T/other/crawl-data"
done
for what in protocol messages random pipe cancel hang close; do
	try "$what" mcp "$what" "$crawlfs" "$pages"
done

try "search, without a list of words" mcp no-words "$crawlfs" "$T/pages.cfx"
"$crawlfs" index -q --format=zipnum -o "$T/zipnum" "$pages" || exit 1
printf 'damage' | dd of="$T/zipnum/cdx-00000.gz" bs=1 seek=30 conv=notrunc 2>/dev/null
try "a block that is damaged is told" mcp holes "$crawlfs" "$T/zipnum"
if "$crawlfs" index --help | grep -q -e --words; then
	"$crawlfs" index -q --words -o "$T/pages/pages.cfx" "$pages" || exit 1
	try "search" mcp search "$crawlfs" "$T/pages/pages.cfx"
	try "grep, by a list" mcp grep "$crawlfs" "$T/pages/pages.cfx"
	try "search, of two crawls" mcp search "$crawlfs" \
		"$T/pages/pages.cfx|$T/other/crawl-data"
else
	skip "search: no lists of words"
fi

# ---- by HTTP ----

try "a server" start_server one "$pages"
for what in $tools protocol http; do
	try "$what, by HTTP" mcp "$what" "$crawlfs" "$pages" "$url"
done

# ---- the official client ----

client() {	# client python|SOURCE-or-URL
	"$pip_folder/bin/python" "$serve_dir/mcp_client.py" "$crawlfs" "$1"
}
if pip_packages mcp mcp; then
	try "the official client" client "$pages"
	try "the official client, by HTTP" client "${url}mcp"
else
	skip "the official client: $install_problem"
fi
inspect() {	# inspect ARGUMENT...: what it prints is JSON with a tool or text
	"$npm_folder/node_modules/.bin/mcp-inspector" --cli "$@" >"$T/inspect" &&
		grep -q "$wanted" "$T/inspect"
}
if npm_packages mcp-inspector @modelcontextprotocol/inspector; then
	wanted='"name": "captures"'
	try "the inspector" inspect "$crawlfs" mcp "$pages" --method tools/list
	wanted='two'
	try "the inspector reads" inspect "$crawlfs" mcp "$pages" \
		--method tools/call --tool-name read \
		--tool-arg path=http://a.example/short.txt
else
	skip "the inspector: $install_problem"
fi
try "the server ends" stop_server one
finish
