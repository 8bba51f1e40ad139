#!/bin/sh
# narrow_test.sh - of pages that a program does not read few are fetched, by the
# log of the server.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/net/lib.sh"

# 1,600 pages of 20 hosts; those of a folder are in many archives.  Of eight
# pages two are .html, one .pdf; of a hundred one is .csv.
python3 - "$T/urls" <<'END'
import random, sys
tails = [".html", ".jpg", ".php?id=7", "/", ".html", ".gif", ".pdf", ".css"]
urls = ["http://h%02d.example/d%d/p%04d%s" % (
            i // 80, i // 40 % 2, i, ".csv" if i % 100 == 1 else tails[i % 8])
        for i in range(1600)]
random.Random(1).shuffle(urls)
open(sys.argv[1], "w").write("".join(u + "\n" for u in urls))
END
www=$T/www pages=1600
"$mkcrawl" --warc --bare --urls "$T/urls" --records $pages --page-bytes 3000 \
	--archive-bytes 60000 "$www" >/dev/null || exit 1
"$crawlfs" index -q -o "$www/all.cfx" "$www/crawl-data" || exit 1
start_nginx nginx "$www" || skip_all "no server"
log=$nginx_dir/access.log

# of URL-SUFFIX: "N BYTES" of the records of such pages, and the largest
of() {
	awk -F'\t' -v end="$1" '!/^#/ && substr($1, length($1) - length(end) + 1) == end {
		n++; bytes += $7; if ($7 > most) most = $7 }
		END { print n + 0, bytes + 0, most + 0 }' "$www/manifest.tsv"
}
# fetched: "N BYTES" of archives since the last time
fetched() {
	wait_for settled far
	awk '/warc.gz HTTP/ { n++; bytes += $10 } END { print n + 0, bytes + 0 }' \
		"$log"
	: >"$log"
}
mount_cold() {
	rm -rf "$T/cache/crawlfs/blocks"
	start_mount far "$@" "$http_url/all.cfx" &&
		find "$T/far" -type f >/dev/null && fetched >/dev/null
}
figures_add_up() {	# what was fetched ahead is used, wasted or unread
	cat "$T/far/.crawlfs/stats" >"$T/stats"
	python3 - "$T/stats" <<'END'
import json, sys
c = json.load(open(sys.argv[1]))["sources"][0]["cache"]
print({k: v for k, v in c.items() if "ahead" in k})
sys.exit(c["ahead"] != c["ahead_used"] + c["ahead_wasted"] + c["ahead_unread"])
END
}
# narrow SUFFIX EXTRA COMMAND...: it reads pages of that suffix, each is fetched
# once, and EXTRA others at most
narrow() {
	narrow_suffix=$1 narrow_extra=$2
	shift 2
	"$@" >"$T/out" || return 1
	fetched >"$T/fetched"
	read -r n bytes <"$T/fetched"
	of "$narrow_suffix" >"$T/wanted"
	read -r wanted_n wanted_bytes _ <"$T/wanted"
	of "" >"$T/wanted"
	read -r _ _ most <"$T/wanted"
	echo "$n records of $bytes bytes; wanted: $wanted_n of $wanted_bytes"
	figures_add_up || return 1
	# near ones are one request, with what is between them
	[ "$n" -ge $((wanted_n / 2)) ] &&
		[ "$n" -le $((wanted_n + narrow_extra)) ] &&
		[ "$bytes" -le $((wanted_bytes + narrow_extra * most)) ]
}
in_far() { (cd "$T/far" && eval "$1"); }

try "mount" mount_cold -o views=raw
# Holds K10.
try "grep --include" narrow .html 36 \
	in_far "grep -r nosuchword --include='*.html' .; [ \$? -eq 1 ]"
echo "# $(cat "$T/fetched") of $(of .html)"
try "most of them ahead" [ "$(stat_of far cache.misses)" -le $(($(of .html | cut -d' ' -f1) / 4)) ]
try "unmount" stop_mount far

try "mount for find" mount_cold -o views=raw
# Holds K10.
try "find -exec" narrow .pdf 36 in_far "find . -name '*.pdf' -exec cat {} +"
echo "# $(cat "$T/fetched") of $(of .pdf)"
try "and then all the rest" narrow "" 24 in_far "find . -type f -exec cat {} +"
try "unmount find's" stop_mount far

try "mount for what is far apart" mount_cold -o views=raw
# Holds K10.
try "pages far apart" narrow .csv 4 in_far "find . -name '*.csv' -exec cat {} +"
try "unmount that" stop_mount far

try "mount with all views" mount_cold
# Holds K10.
try "texts are of all pages" narrow "" 24 \
	in_far "grep -r nosuchword --include='*.txt' .; [ \$? -eq 1 ]"
try "nearly all ahead" [ "$(stat_of far cache.misses)" -le $((pages / 20)) ]
try "unmount the texts" stop_mount far

# ---- the end of a part ----

in_part() {
	find "$T/far" -type f | sed "s|^$T/far/||" >"$T/names"
	in_far "find . -type f -exec cat {} +" >/dev/null
	fetched >"$T/fetched"
	wc -l <"$T/names"
	cat "$T/fetched"
	read -r n _ <"$T/fetched"
	# near ones are one request
	[ "$n" -gt 100 ] && [ "$n" -le "$(wc -l <"$T/names")" ] &&
		figures_add_up && [ "$(stat_of far cache.ahead_unread)" -le 1 ]
}
try "mount a part" mount_cold -o views=raw,part=2/5
# Holds K11.
try "no page behind its end" in_part
try "the end" stop_mount far
finish
