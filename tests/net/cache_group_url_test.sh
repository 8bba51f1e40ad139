#!/bin/sh
# cache_group_url_test.sh - a cache folder of a group: what one user has fetched
# another has, and both write there.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/net/lib.sh"

mkdir -p "$T/www" "$T/bin"
"$mkcrawl" --records 40 --hostile 0 --page-bytes 800 --warc --bare "$T/crawl" >/dev/null ||
	exit 1
cp "$(find "$T/crawl" -name '*.warc.gz' | head -n 1)" "$T/www/a.warc.gz"
cp "$T/www/a.warc.gz" "$T/www/b.warc.gz"
"$crawlfs" index -q -o "$T/www/i.cfx" "$T/www/a.warc.gz" || exit 1
"$crawlfs" lookup "$T/www/i.cfx" / | sed 's/.*"url": "\([^"]*\)".*/\1/' | sort -u >"$T/urls"
one=$(sed -n 1p "$T/urls") other=$(sed -n 9p "$T/urls")
cp "$crawlfs" "$T/bin/crawlfs" && chmod -R a+rX "$T/bin" && chmod 755 "$T"
start_faultd faultd "$T/www" --log "$T/log" || skip_all "no server"
group=54321 ann=54001 bob=54002 c=$T/shared
as() {	# as USER ARGUMENT...
	as_user=$1
	shift
	setpriv --reuid="$as_user" --regid="$as_user" --groups=$group \
		env HOME=/nonexistent "$T/bin/crawlfs" "$@"
}
as $ann version >/dev/null 2>&1 || skip_all "setpriv cannot start crawlfs"
install -d -m 2770 -g $group "$c"
cat_as() { as "$1" cat --cache="$c" --cache-group "$url/i.cfx" "$2" >"$T/got" 2>"$T/err"; }
asked() { grep -c a.warc.gz "$T/log"; }
segments() { find "$c/blocks" -name '*.seg' -printf '%U\n' | sort | uniq -c | tr -s ' '; }

"$crawlfs" cat "$T/www/i.cfx" "$one" >"$T/want"
try "the first" cat_as $ann "$one"
try "has it" cmp "$T/got" "$T/want"
try "without a word" test ! -s "$T/err"
: >"$T/log"
try "the second" cat_as $bob "$one"
try "has it, too" cmp "$T/got" "$T/want"
try "without a word, too" test ! -s "$T/err"
try "the archive is not asked for again" same 0 "$(asked)"
"$crawlfs" cat "$T/www/i.cfx" "$other" >"$T/want"
try "the second, another page" cat_as $bob "$other"
try "which is fetched" test "$(asked)" -gt 0
: >"$T/log"
try "the first has that" cat_as $ann "$other"
try "its bytes" cmp "$T/got" "$T/want"
try "not asked for again" same 0 "$(asked)"
try "in one segment, to which both append" same " 1 $ann" "$(segments)"
try "nobody else reads it" same "" "$(find "$c" -type f -perm /7 -path '*/blocks/*')"
try "verify by the second" status 0 as $bob cache verify --cache="$c" --cache-group
try "clear by the second" status 0 as $bob cache clear --cache="$c" --cache-group
try "nothing is left" same "" "$(find "$c" -name '*.seg')"
finish
