#!/bin/sh
# pages_test.sh - the pages for people of crawlfs serve: what is in them, that
# names of a crawl are no markup, and what axe-core says of them.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/serve/lib.sh"

downloads() { python3 "$serve_dir/download_check.py" "$@"; }
pages() { python3 "$serve_dir/pages_check.py" "$@"; }
# axe PATH...: what it says of pages of the server
axe() {
	if find_axe; then
		try "axe-core finds nothing, light and dark, wide, narrow and zoomed" \
			python3 "$serve_dir/axe_check.py" "$axe" "$T" "$url" "$@"
	else
		skip "axe-core: $install_problem"
	fi
}

pages make "$T" || exit 1
"$crawlfs" index -q -o "$T/crawl.cfx" "$T/crawl.warc.gz" || exit 1

try "a crawl" start_server one "$T/crawl.cfx"
for what in overview tree page compare search hostile; do
	try "$what" pages $what "$url"
done
# Holds H22.
try "download" downloads whole "$url" "" "$T/crawl.warc.gz"
axe / /tree/com/example/ /tree/com/example/many/_/d/ \
	/tree/org/example/evil/_/ /page/com/example/site/_/story%23 \
	/open/com/example/site/_/story%23 /page/com/example/often/_/page%23 \
	/page/com/example/site/_/pic.svg /page/com/example/play/_/sound.wav \
	/tree/ "/tree/com/example/many/_/d/?page=2&sort=size&order=desc" \
	"/tree/com/example/many/_/d/?filter=nowhere" /tree/?page=99 \
	"/page/com/example/often/_/page?year=2010&month=3" \
	/page/com/example/play/_/film.mp4 /page/net/example/deep/_/a/b%20b/c/d/x%252Fy \
	/open/com/example/site/_/pic.svg /page/com/example/play/_/a/framed \
	"/search?q=" "/search?q=http://site.example.com/story&at=2020" \
	"/search?status=404" "/search?q=com.example" "/search?q=nowhere" \
	"/compare?a=com/example/site/_/story%231&b=com/example/site/_/story%232" \
	"/compare?a=com/example/site/_/pic.svg&b=com/example/play/_/sound.wav" \
	/compare?a=x /page/com/example/nowhere /tree/nowhere/
try "it ends" stop_server one
"$mkcrawl" --warc --bare --records 20 --seed 3 "$T/other" >/dev/null || exit 1
try "two crawls" start_server two "$T/other" "$T/crawl.cfx"
for what in overview page compare; do
	try "two crawls: $what" pages $what "$url" crawl
done
if has_program curl; then
	curl -s "${url}tree/" >"$T/crawls"
	try "two crawls: how many captures each has" same \
		"$(sed -n 's|.*>crawl/<.*<td>\([0-9,]*\)<.*|\1|p' "$T/crawls" |
			tr -d ,)" "$("$crawlfs" lookup "$T/crawl.cfx" / | wc -l)"
else
	skip "two crawls: there is no curl"
fi
axe "/?crawl=crawl" /tree/ "/search?q=com.example" \
	/page/crawl/com/example/site/_/story%23
# Holds H22.
try "two crawls: download" downloads whole "$url" crawl "$T/crawl.warc.gz"
try "two crawls: it ends" stop_server two

# an archive that cannot be read any more, with a name that is markup
mkdir "$T/<b>" && cp "$T/crawl.warc.gz" "$T/<b>/<b>.warc.gz"
cp "$(find "$T/other" -name '*.gz' | sed 1q)" "$T/<b>/gone.warc.gz"
"$crawlfs" index -q -o "$T/lost.cfx" "$T/<b>" || exit 1
rm "$T/<b>/gone.warc.gz"
printf '\377\377\377\377' | dd of="$T/<b>/<b>.warc.gz" bs=1 seek=200 conv=notrunc 2>"$T/err"
"$crawlfs" verify -q --report="$T/lost.cfx.verify" "$T/lost.cfx" 2>"$T/err"
truncate -s 10 "$T/<b>/<b>.warc.gz"
try "an archive that is damaged" start_server lost --download-size=off "$T/lost.cfx"
# Holds H8.
try "failures are pages for people, where these are" pages failures "$url"
axe / /page/com/example/site/_/story%23 /page/com/example/site/_/pic.svg \
	/open/com/example/site/_/story%23 /tree/com/example/ \
	"/compare?a=com/example/site/_/story%231&b=com/example/site/_/story%232"
try "that ends, too" stop_server lost

mkdir "$T/hurt" && cp "$T/crawl.cfx" "$T/crawl.warc.gz" "$T/hurt"
"$crawlfs" lookup --json "$T/crawl.cfx" http://site.example.com/pic.svg |
	python3 -c 'import json, sys
at = json.load(sys.stdin)
f = open(sys.argv[1], "r+b")
f.seek(at["offset"] + at["length"] // 2)
f.write(b"wrong")' "$T/hurt/crawl.warc.gz" || fail "a record is damaged"
try "a record that is damaged" start_server hurt "$T/hurt/crawl.cfx"
# Holds H22.
try "a download without it says so" downloads incomplete "$url" com/example/site/ yes
try "another does not" downloads incomplete "$url" com/example/often/ no
try "it ends as well" stop_server hurt

# ---- nothing is picked ----
try "a time before all captures" start_server before --at=1990 "$T/crawl.cfx"
if has_program curl; then
	says() { curl -s "$url$1" | grep -q "$2"; }
	try "the overview says that nothing is there" says "" \
		"There are no captures"
	try "hosts say that they are those of the whole crawl" says tree/ \
		"some may have nothing at that time"
fi
axe / /tree/ /tree/com/example/site/_/ "/search?q=story"
try "it ends, too" stop_server before

# what is left of a base URL is in front of all links
try "a base URL" start_server base --base-url=https://crawl.example/a/ \
	--replay-url=https://replay.example/web/ --download-size=20k \
	"$T/crawl.cfx"
# Holds H22.
try "downloads of a limited size" downloads limit "$url"
if has_program curl; then
	curl -s "${url}tree/com/example/" >"$T/based"
	try "links begin with its path" same "$(grep -o \
		'\(href\|action\)="/[a-z]*' "$T/based" | sort -u | tr '\n' ' ')" \
		'action="/a href="/a '
	try "pages of a domain can be filtered" sh -c 'grep -q \
		"href=\"/a/search?host=\*.example.com\">By type" "$1" &&
		curl -s "$2search?host=*.example.com" | grep -q \
		"name=\"host\" value=\"\*.example.com\""' sh "$T/based" "$url"
	curl -s "${url}page/com/example/often/_/page" >"$T/based"
	for what in metrics view/com/example/site/_/pic.svg.headers; do
		try "browsers show $what" same "text/plain" "$(curl -s -o "$T/shown" \
			-H 'Accept: text/html' -w '%{content_type}' "$url$what" |
			sed 's/;.*//')"
	done
	try "and a capture leads to its replay" grep -q \
		'href="https://replay.example/web/[0-9]\{14\}/http://often.example.com/page"' \
		"$T/based"
	axe /page/com/example/often/_/page
else
	skip "a base URL: there is no curl"
fi
try "it ends as well" stop_server base
finish
