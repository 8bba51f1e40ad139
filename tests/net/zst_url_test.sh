#!/bin/sh
# zst_url_test.sh - .warc.zst on a server: the dictionary is fetched once, records
# by their ranges.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/net/lib.sh"

zst() { python3 "$CFS_SRCDIR/tests/zst_crawl.py" "$@"; }
"$mkcrawl" --records 400 --warc --hostile 0 "$T/c" >/dev/null || exit 1
gz=$(find "$T/c" -name '*.warc.gz')
mkdir "$T/www" "$T/local"
cp "$gz" "$T/a.warc.gz"
for form in spec dict rawdict noid; do
	zst make $form "$gz" "$T/www/$form.warc.zst" || skip_all "libzstd does not load"
done
start_faultd faultd "$T/www" || skip_all "no server"
views=raw:meta:txt
start_mount gz -o views=$views "$T/a.warc.gz" || exit 1

# by a URL: read once, to make an index
for form in spec dict; do
	try "$form: mounts by its URL" start_mount zst -o views=$views \
		"$url/$form.warc.zst"
	try "$form: the tree of the .warc.gz" zst same "$T" gz zst
	try "the daemon ends well" stop_mount zst
done

# by an index that is here: what is asked of the archive, page by page
find "$T/gz" -type f ! -name '*.meta' ! -name '*.txt' | sort |
	awk 'NR % 40 == 1' | sed "s|$T/gz/||" >"$T/some"
log_of() { ctl "$port" log | grep -F "/$1.warc.zst"; }
reads() {	# reads FORM DICT_REQUESTS: a range a page, and the dictionary
	try "$1: mounted by an index" start_mount far -o "cache=$T/cache,readahead=off" \
		-o "data=$url" "$T/local/$1.cfx" || return
	ctl "$port" log >/dev/null
	while read -r page; do
		cmp -s "$T/gz/$page" "$T/far/$page" || echo "$page"
	done <"$T/some" >"$T/differ"
	log_of "$1" >"$T/log"
	try "$1: the pages" same "" "$(cat "$T/differ")"
	try "$1: $2 requests for the dictionary" same "$2" \
		"$(grep -c ' bytes=0-' "$T/log")"
	try "$1: and one a page at most" [ "$(wc -l <"$T/log")" -le \
		$(($(wc -l <"$T/some") + $2)) ]
	try "the daemon ends well" stop_mount far
}
for form in spec dict rawdict noid; do
	(cd "$T/www" && "$crawlfs" index -q --no-views -o "$T/local/$form.cfx" \
		$form.warc.zst 2>/dev/null)
done
reads spec 0
reads dict 1
reads rawdict 1
reads noid 1

# records as they are, and copies
start_mount far -o "data=$url,views=record" "$T/local/dict.cfx"
try "record views" zst views "$T/far" "$T/www/dict.warc.zst" \
	"$T/www/dict.warc.zst.tsv" far
try "the daemon ends well" stop_mount far
for to in zst gz; do
	try "copied to .warc.$to" "$crawlfs" copy -q --data="$url" \
		--records=captures -o "$T/copy.warc.$to" "$T/local/dict.cfx" \
		$("$crawlfs" ls "$T/local/dict.cfx" | tr -d /)
done
try "... byte for byte" zst kept "$T/copy.warc.zst" "$T/www/dict.warc.zst"
zst records "$T/a.warc.gz" | grep -E ' (response|resource|revisit)' >"$T/want"
zst records "$T/copy.warc.gz" >"$T/has"
try "... every record" same "" "$(comm -13 "$T/has" "$T/want")"
stop_mount gz
finish
