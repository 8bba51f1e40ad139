#!/bin/sh
# down_test.sh - a server that is down: few requests, failures at once, one line
# in the log, and it comes back by itself.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/net/lib.sh"

pages=300 www=$T/www
"$mkcrawl" --warc --bare --records $pages --hostile 0 --page-bytes 3000 \
	--archive-bytes 30000 "$www" >/dev/null || exit 1
"$crawlfs" index -q -o "$www/all.cfx" "$www/crawl-data" || exit 1
start_faultd live "$www" || skip_all "no server"

# server WORD: a figure of the server in .crawlfs/stats
server() {
	python3 - "$T/far/.crawlfs/stats" "$url" "$1" <<'END'
import json, sys
stats, url, word = sys.argv[1:]
h = next(h for h in json.load(open(stats))["servers"] if h["name"] == url)
print(h.get(word, "-"))
END
}
is_state() { same "$1" "$(server state)"; }
idle() { same 00 "$(server in_flight)$(server queued)"; }
# grep_all: reads all pages, of which none can be read; sets $asked, how many
# requests that took, and $lost, how many pages failed (some are in memory)
grep_all() {
	asked=$(server requests)
	grep -r nosuchword "$T/far" 2>"$T/err"
	lost=$(wc -l <"$T/err")
	wait_for idle
	asked=$(($(server requests) - asked))
	echo "$lost of $pages failed, $asked requests: $(head -n 3 "$T/err")"
	cat "$T/far.log"
	[ "$lost" -ge $((pages - 20)) ]
}
# mounted [OPTION...]: a mount whose index and one page were read
mounted() {
	rm -rf "$T/cache/crawlfs/blocks"
	: >"$T/far.log"
	start_mount far -o views=raw "$@" "$url/all.cfx" &&
		find "$T/far" -type f >"$T/pages" &&
		[ "$(wc -l <"$T/pages")" -eq $pages ] &&
		page=$(sed -n 7p "$T/pages") && last=$(sed -n '$p' "$T/pages") &&
		cat "$page" >/dev/null && wait_for idle
}
logged() { grep -c "$1" "$T/far.log"; }
# said_once: one line for the outage, and readers' failures are few lines
said_once() {
	cat "$T/far.log"
	same 1 "$(logged 'requests fail at once until it answers')" &&
		[ "$(wc -l <"$T/far.log")" -le $((10 + $(server next_probe_ms) / 1000)) ]
}
comes_back() {
	wait_for cmp -s "$last" "$T/bytes" && is_state up &&
		same 1 "$(logged 'answers again')"
}
restart() { start_faultd live "$www" --port "$port"; }

# ---- its process has ended ----

try "mount" mounted -o readahead=off
try "a server that is up" is_state up
cat "$last" >"$T/bytes"
try "unmount" stop_mount far
try "mount again, cold" mounted -o readahead=off
stop_server live
# Holds E21.
try "grep -r ends, every page failed" grep_all
# the tries of the first page, and probes after 1, 2, 4 s and so on
# Holds E21.
try "with few requests ($asked)" [ "$asked" -le 24 ]
try "the state is shown" is_state down
try "and which requests were refused" [ "$(server refused)" -ge $((pages - 24)) ]
# Holds E21.
try "one line in the log" said_once
restart
# Holds E21.
try "it comes back by itself" comes_back
try "all pages can be read" status 1 grep -r nosuchword "$T/far"
try "unmount it" stop_mount far

try "with pages read ahead" mounted
stop_server live
try "grep -r ends, too" grep_all
try "with a try or some for each place ahead ($asked)" [ "$asked" -le 700 ]
restart
try "comes back, too" comes_back
try "unmount that" stop_mount far

# ---- it is there, and does not answer ----

try "mount with a short timeout" mounted -o readahead=off,timeout=3
rule fault=stall match=warc.gz
# Holds E21.
try "grep -r of a stalled server ends" grep_all
try "with some requests ($asked)" [ "$asked" -le 24 ]
ctl "$port" clear
try "a stalled server comes back" comes_back
rule fault=status value=500 match=warc.gz
# Holds E21.
try "grep -r of a server with errors ends" grep_all
try "with a few requests ($asked)" [ "$asked" -le 32 ]
ctl "$port" clear
try "unmount the stalled one" stop_mount far

# ---- its packets are lost ----

# A queue of connections that is full takes no more: the packets are dropped.
cat >"$T/hole.py" <<'END'
import select, socket, sys, time
listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.bind(("127.0.0.1", int(sys.argv[1])))
listener.listen(0)
kept = []
for i in range(16):
    s = socket.socket()
    s.setblocking(False)
    s.connect_ex(listener.getsockname())
    kept.append(s)
    if not select.select([], [s], [], 1)[1]:
        break
print("port %d" % listener.getsockname()[1], flush=True)
time.sleep(3600)
END
try "mount before packets are lost" mounted -o readahead=off,timeout=3
stop_server live
start_server hole python3 "$T/hole.py" "$port"
start cat "$page.headers" "$last" >/dev/null 2>&1
reader=$started
wait_for is_state failing
kill -KILL "$reader"
try "a reader that is killed is gone at once" wait_for has_ended "$reader"
try "while its request was under way" not is_state up
# Holds E21.
try "grep -r ends without packets" grep_all
try "with few tries ($asked)" [ "$asked" -le 16 ]
stop_server hole
restart
try "back again" comes_back
try "the end" stop_mount far
finish
