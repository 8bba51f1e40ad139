#!/bin/sh
# urls_test.sh - URLs that are spelled oddly, or of other schemes than http,
# https and ftp: their places in the tree, or why they have none.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

archive() { python3 "$here/urls_archive.py" "$@"; }

# ---- what has no place ----

index() { "$crawlfs" index -o "$T/$1.cfx" "$T/$1.warc.gz" >"$T/out" 2>"$T/err"; }
counts() { grep -q -F -- "$1" "$T/err" || { cat "$T/out" "$T/err"; return 1; }; }

archive "$T/mixed.warc.gz" http://a.org/ urn:a urn:b URN:c about:blank \
	mailto:a@a.org a.org/x '"http://a.org/"' warcinfo:http://a.org/info
try "what has no place: indexed" index mixed
# Holds N41.
try "schemes are counted by name" counts \
	"  5 records left out: of other schemes (urn: 3, about: 1, mailto: 1)"
# Holds N41.
try "so are URLs without one" counts "  2 records left out: the URL has no scheme in front"
try "and other records" counts \
	"  1 record left out: of other kinds (warcinfo, requests, ...)"

refused() { not index "$1" && complains "$2"; }
archive "$T/schemes.warc.gz" urn:a urn:b dns:c.org
# Holds N41.
try "nothing is left: the schemes are the reason" refused schemes \
	'in 1 archive: 3 records of other schemes (urn: 2, dns: 1)$'
archive "$T/none.warc.gz" www.a.org/ //a.org/x
try "nothing is left: no URL has a scheme" refused none \
	'in 1 archive: 2 URLs without a scheme in front$'
archive "$T/hostless.warc.gz" http:///?a http://a.org/
try "without a host: indexed" index hostless
try "a URL without a host says so" counts \
	"  1 capture left out: the URL has no host"
archive "$T/other.warc.gz" http://a.org/ gemini://a.org/
try "lines have no other schemes" "$crawlfs" index -q -o "$T/o.cdxj" \
	"$T/other.warc.gz"
try "they are left out" same "$(wc -l <"$T/o.cdxj")" 1

# ---- what has one ----

set -- 'http:/a.org/one' 'https:a.org/two' 'http:///a.org/three' \
	'http:\\a.org\b\four?c\d' 'http://a.org\five' \
	'http://a.org/b\eight' 'ftp:/a.org:21/nine' \
	'gemini://a.org/docs/' 'gopher://a.org:70/0/about' 's3://my.bucket/k' \
	'file:///C:/x y/z' 'file:/var/x' 'chrome-extension://abc/j.js' \
	'WSS://A.org/socket' 'http://a.org/'
archive "$T/odd.warc.gz" "$@"
cat >"$T/want" <<'END'
chrome-extension:/abc/_/j.js
file:/_/C:/x y/z
file:/_/var/x
gemini:/org/a/_/docs/_index
gopher:/org/a/_/0/about
org/a/_/_index
org/a/_/b\eight
org/a/_/b/four?c\d
org/a/_/five
org/a/_/nine
org/a/_/one
org/a/_/three
org/a/_/two
s3:/bucket/my/_/k
wss:/org/a/_/socket
END
pages() {
	(cd "$T/m" && find . -type f ! -name '*.meta' ! -name '*.txt') |
		cut -c3- | sort >"$T/got"
	sort "$T/want" | diff - "$T/got"
}
try "odd URLs: mounted" start_mount m "$T/odd.warc.gz"
# Holds N40, N41.
try "odd URLs: their places" pages
bodies() {	# by URL and by path, and the URL is the record's own
	for url; do
		path=$("$crawlfs" path "$T/odd.warc.gz" "$url") &&
			same "$(cat "$T/m/$path")" "$url" &&
			same "$("$crawlfs" url "$T/odd.warc.gz" "$path")" "$url" &&
			same "$("$crawlfs" cat "$T/odd.warc.gz" "$path")" "$url" &&
			grep -q '"user_agent"\|"content"\|"mime_type"' \
				"$T/m/$path.meta" || return 1
	done
}
# Holds N40.
try "odd URLs: path and url are inverse, each with its body" bodies "$@"
try "odd URLs: end well" stop_mount m
found() {	# found TYPED URL
	same "$("$crawlfs" cat "$T/odd.warc.gz" "$1" 2>&1)" "$2"
}
# Holds N40.
try "typed with one slash" found http:/a.org/one http:/a.org/one
try "typed in full" found http://a.org/one http:/a.org/one
try "typed with backslashes" found 'https:\\a.org\two' https:a.org/two
try "typed in quotes" found '"http://a.org/one"' http:/a.org/one
try "typed in brackets" found '<gemini://a.org/docs/>' gemini://a.org/docs/
try "typed with a fragment" found 'gemini://a.org/docs/#x' gemini://a.org/docs/
try "a path of the tree that looks like a URL" found file:/_/var/x file:/var/x
try "a part of another scheme" same \
	"$("$crawlfs" lookup "$T/odd.warc.gz" 'gemini://a.org/*' | wc -l)" 1
try "picked by its URL" "$crawlfs" index -q -o "$T/p.cfx" \
	--prefix='gopher://a.org/*' "$T/odd.warc.gz"
try "and nothing else" same "$("$crawlfs" ls -R --data="$T" "$T/p.cfx" | tail -n 1)" \
	gopher:/org/a/_/0/about.txt

# ---- the field of a CDX ----

cdx() {
	printf '%s\n' ' CDX N b a m s k r M S V g' \
		"org,a)/two 20240506070801 $1 text/plain - - - - - $2 odd.warc.gz"
}
offset=$("$crawlfs" lookup "$T/odd.warc.gz" https:a.org/two |
	sed 's/.*"offset": "\([0-9]*\)".*/\1/')
for url in https:a.org/two '<https:a.org/two>' 'https:\\a.org\two' //a.org/two \
	a.org/two; do
	cdx "$url" "$offset" >"$T/u.cdx"
	# Holds N40.
	try "in a CDX: $url" same \
		"$("$crawlfs" index -q -o "$T/u.cfx" "$T/u.cdx" &&
			"$crawlfs" cat "$T/u.cfx" http://a.org/two)" https:a.org/two
done
finish
