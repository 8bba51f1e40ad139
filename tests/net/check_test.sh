#!/bin/sh
# check_test.sh - crawlfs check: how large the archives on a server are, and how
# many requests it takes to know.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/net/lib.sh"

export XDG_CACHE_HOME="$T/xdg"
"$mkcrawl" --warc --bare --records 3000 --archive-bytes 300000 "$T/www" >/dev/null ||
	skip_all "no crawl"
"$crawlfs" index -q -o "$T/www/i.cfx" "$T/www/crawl-data" || skip_all "no index"
# 1,500 archives that hold nothing: number i has i bytes more than 1,000
mkdir "$T/www/many"
python3 - "$T/www/many" <<'E2'
import sys
with open(sys.argv[1] + "/many.cdxj", "w") as out:
    for i in range(1500):
        name = "a%04d.warc.gz" % i
        with open("%s/%s" % (sys.argv[1], name), "wb") as f:
            f.truncate(1000 + i)
        out.write('com,example)/%04d 20200101000000 {"url": "http://example.com/%04d", '
                  '"mime": "text/html", "status": "200", "length": "10", '
                  '"offset": "0", "filename": "%s"}\n' % (i, i, name))
E2
start_faultd faultd "$T/www" || skip_all "no server"

check() { timeout 200 "$crawlfs" check "$@"; }
says() {	# says LINE-BEGINNING: of what check printed
	grep -q "^$1" "$T/out" || { cat "$T/out" "$T/err"; return 1; }
}
asked() {	# requests for archives since the last time
	ctl "$port" log | grep -c 'warc.gz'
}
checked() { check "$@" >"$T/out" 2>"$T/err" || { cat "$T/out" "$T/err"; return 1; }; }

archives=$(find "$T/www/crawl-data" -name '*.gz' | wc -l)
bytes=$(find "$T/www/crawl-data" -name '*.gz' -printf '%s\n' | awk '{ n += $1 } END { print n }')
hosts=$("$crawlfs" ls "$T/www/i.cfx")
asked >/dev/null
try "there are some archives" test "$archives" -gt 20
# shellcheck disable=SC2086
try "a remote crawl is checked" checked "$url/i.cfx" $hosts --cache="$T/c1"
try "every archive is in it" says "files        $archives\$"
try "with its size" says "source       $bytes bytes"
try "nothing is guessed" not grep -q "taken as" "$T/out"
try "a request for each" same "$archives" "$(asked)"
# shellcheck disable=SC2086
try "again" checked "$url/i.cfx" $hosts --cache="$T/c1"
try "the same" says "source       $bytes bytes"
try "without a request" same 0 "$(asked)"
cp "$T/out" "$T/before"
check "$T/www/i.cfx" $hosts >"$T/out"
try "as of the same files here" cmp "$T/before" "$T/out"

# ---- what is not to be had ----

gone=$(find "$T/www/crawl-data" -name '*.gz' | sort | head -n 1)
ctl "$port" rule fault=status "match=${gone##*/}" value=404 >/dev/null
# shellcheck disable=SC2086
try "one is not there" checked "$url/i.cfx" $hosts --cache="$T/c2"
try "it is guessed" says "source       $((bytes - $(wc -c <"$gone") + 100000000)) bytes (.*; 1 file counted as 100 MB each)"
ctl "$port" clear >/dev/null
ctl "$port" rule fault=status match=warc.gz value=403 >/dev/null
asked >/dev/null
# shellcheck disable=SC2086
try "all are refused" checked "$url/i.cfx" $hosts --cache="$T/c3" --timeout=3
try "and guessed" says "source       ${archives}00000000 bytes (.*; $archives files counted as 100 MB each)"
try "it says why" grep -q "sizes of archives are not available: .*403\|sizes of archives are not available: .*in time" "$T/err"
ctl "$port" clear >/dev/null

# ---- many ----

asked >/dev/null
try "1,500 archives" checked "$url/many/many.cdxj" com --cache="$T/c4"
try "are all counted" says "files        1500\$"
try "a hundred are asked for" same 100 "$(asked)"
try "it says so" says "source .*; 1400 files counted as the mean of 100)"
near() {	# the sum is 2,624,250; every fifteenth of them is a fair sample
	sum=$(sed -n 's/^source *\([0-9]*\) bytes.*/\1/p' "$T/out")
	[ "$sum" -gt 2580000 ] && [ "$sum" -lt 2670000 ]
}
try "and is near the truth" near
ctl "$port" rule fault=stall match=warc.gz >/dev/null
start "$crawlfs" check "$url/many/many.cdxj" com --timeout=3600 \
	--cache="$T/c5" >"$T/out" 2>"$T/err"
try "a server without answers is waited for" wait_for has_stalled 20
kill -INT $started
try "Ctrl-C ends it" ended_with 130 $started
stop_server faultd
try "without the server" checked "$url/i.cfx" com --cache="$T/c1" --timeout=3
try "what is kept is known" not grep -q "taken as" "$T/out"
finish
