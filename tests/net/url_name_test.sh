#!/bin/sh
# url_name_test.sh - archives at URLs with escapes, a query or a fragment: in
# an index, and asked for by a mount exactly as they were given.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/net/lib.sh"

"$mkcrawl" --records 60 --hostile 0 --warc --bare "$T/crawl" >/dev/null || exit 1
archive=$(find "$T/crawl" -name '*.warc.gz' | head -n 1)
odd='a%20b#1?.warc.gz'
mkdir -p "$T/www/d/e f" "$T/www/x/q"
cp "$archive" "$T/www/x.warc.gz"
cp "$archive" "$T/www/d/e f/y z.warc.gz"
cp "$archive" "$T/www/$odd"
start_faultd faultd "$T/www" --log "$T/log" || skip_all "no server"
"$crawlfs" index -q -o "$T/want.cfx" "$archive"
"$crawlfs" ls -R "$T/want.cfx" >"$T/names"
page=$("$crawlfs" lookup "$T/want.cfx" / | sed -n '20s/.*"url": "\([^"]*\)".*/\1/p')
"$crawlfs" cat "$T/want.cfx" "$page" >"$T/page"
"$crawlfs" cat --view=record "$T/want.cfx" "$page" >"$T/record"
try "a page" [ -s "$T/page" ]

asked() { sed -n 's|.* GET \([^ ]*\) .*|\1|p' "$T/log" | sort -u; }
# all_of SOURCE OPTION...: names, a page, a record
all_of() {
	"$crawlfs" ls -R "$@" >"$T/got" && cmp "$T/got" "$T/names" &&
		"$crawlfs" cat "$@" "$page" | cmp - "$T/page" &&
		"$crawlfs" cat --view=record "$@" "$page" | cmp - "$T/record"
}
# lines_of INDEX: with names of archives as they are, which lookup does not show
lines_of() { "$crawlfs" index -q --force -o "$T/lines.cdxj" "$1" 2>/dev/null; }
# one URL-PART NAME FOLDER-PART: an index of it, by that name; all requests
# are for that URL, byte for byte
one() {
	: >"$T/log"
	try "index of $1" "$crawlfs" index -q -o "$T/i.cfx" "$url/$1"
	lines_of "$T/i.cfx"
	try "its name in it" grep -qF "\"filename\": \"$2\"" "$T/lines.cdxj"
	"$crawlfs" cache clear >/dev/null
	try "a mount by it" all_of "--data=$url/$3" "$T/i.cfx"
	try "at its URL" all_of "$url/$1"
	asked >"$T/got"
	try "is asked for as it was given" same "/${1%%#*}" "$(cat "$T/got")"
}
one x.warc.gz x.warc.gz ''
one 'x.warc.gz#top' x.warc.gz ''
one 'x.warc.gz?token=1&X-Sig=a%2Fb%2f+c' './x.warc.gz?token=1&X-Sig=a%2Fb%2f+c' ''
one 'x.warc.gz?u=http://h/../y' './x.warc.gz?u=http:\\\\h\\..\\y' ''
one 'x%2Ewarc.gz' './x%2Ewarc.gz' ''
one 'd/e%20f/y%20z.warc.gz' 'y z.warc.gz' 'd/e%20f'
one 'd%2Fe%20f/y%20z.warc.gz?1' './y%20z.warc.gz?1' 'd%2Fe%20f'
one 'a%2520b%231%3F.warc.gz' "$odd" ''

# several, whose folders are part of the names
try "several, of which one is not there" status 1 "$crawlfs" index -q -o "$T/i.cfx" "$url/x.warc.gz?t=/1" "$url/d/e%20f/y%20z.warc.gz" "$url/d/e%20f/y%2520.warc.gz" "$url/d%2Fe%20f/y%20z.warc.gz"
lines_of "$T/i.cfx"
sed -n 's/.*"filename": \([^,}]*\).*/\1/p' "$T/lines.cdxj" | sort -u >"$T/got"
printf '%s\n' '"./d%2Fe%20f/y%20z.warc.gz"' '"./x.warc.gz?t=\\1"' '"d/e f/y z.warc.gz"' | sort >"$T/want"
try "their names" cmp "$T/want" "$T/got"
try "their pages" sh -c "'$crawlfs' cat '--data=$url' '$T/i.cfx' '$page' | cmp - '$T/page'"
# what was downloaded under such a name is found, too
cp "$archive" "$T/x.warc.gz?t=1"
"$crawlfs" index -q -o "$T/i.cfx" "$url/x.warc.gz?t=1" 2>/dev/null
try "a copy on this machine" all_of "--data=$T" "$T/i.cfx"
# lists name files, not URLs
printf '%s\n' "$odd" >"$T/l.paths"
try "a list" "$crawlfs" index -q --base="$url" -o "$T/i.cfx" "$T/l.paths"
try "its mount" all_of "--data=$url" "$T/i.cfx"

# a file of that name on this machine
mkdir "$T/odd"
cp "$archive" "$T/odd/$odd"
try "a local file" "$crawlfs" index -q -o "$T/odd/i.cfx" "$T/odd/$odd"
try "its mount, too" all_of "$T/odd/i.cfx"
try "the same from the server" all_of "--data=$url" "$T/odd/i.cfx"
try "without an index" all_of "$T/odd/$odd"

# a CDX at such a URL: archives beside it
cat >"$T/www/d/e f/l.cdx" <<E2
com,example)/z 20140101010101 http://example.com/z text/html 200 - - - 900 0 y%20z.warc.gz
com,example)/a 20140101010101 http://example.com/a text/html 200 - - - 900 0 sub/y.warc.gz
E2
try "a CDX" "$crawlfs" index -q -o "$T/i.cfx" "$url/d/e%20f/l.cdx?t=1" "$url/x.warc.gz?t=2"
"$crawlfs" lookup "$T/i.cfx" http://example.com/a http://example.com/z | sed 's/.*"filename": \(.*\)}/\1/' >"$T/got"
printf '%s\n' '"d/e f/sub/y.warc.gz"' '"d/e f/y%20z.warc.gz"' >"$T/want"
try "the names of its archives" cmp "$T/want" "$T/got"
try "a CDX, opened" sh -c "'$crawlfs' lookup '$url/d/e%20f/l.cdx?t=1' com | wc -l | grep -qx 2"

# URLs that cannot be kept
long=$(head -c 5000 /dev/zero | tr '\0' x)
"$crawlfs" index -q -o "$T/i.cfx" "$url/x.warc.gz?$long" "$url/x.warc.gz" 2>"$T/err"
try "one too long is reported" grep -q "left out: its name is not possible in an index" "$T/err"
try "the others are indexed" all_of "--data=$url" "$T/i.cfx"
finish
