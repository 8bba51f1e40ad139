#!/bin/sh
# rules_test.sh - crawlfs serve and the rules of HTTP: conditions and ranges of
# all routes, frames with two readings, other sites, time, validators.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/serve/lib.sh"
rules() { python3 "$serve_dir/rules_check.py" "$@"; }

try "an archive" rules make "$T/crawl"
try "it is served" start_server one "$T/crawl"
rules late "$url" >"$T/late.out" 2>&1 &
late=$!
# Holds H11.
try "conditions, as RFC 9110 has them" rules matrix "$url"
# Holds H10.
try "frames, as RFC 9112 has them" rules framing "$url"
# Holds H13.
try "other sites see nothing" rules foreign "$url"

# ---- validators ----
# The server has files open, and knows records.
try "what its files are known by" rules tags "$url" "$T/1"
try "the archive is written to" rules rewrite "$T/crawl" "some words" "same words"
try "other bytes" rules tags "$url" "$T/2"
# Holds H12.
try "another tag at once" rules changed "$T/1" "$T/2" /records/a.warc
ended() { wait $late || { cat "$T/late.out"; return 1; }; }
# Holds H14.
try "requests that drip end" ended
try "it ends" stop_server one
try "it is served again" start_server two "$T/crawl"
try "what it shows now" rules tags "$url" "$T/3"
# Holds H12.
try "another tag, another time" rules changed "$T/1" "$T/3" \
	/dav/example/a/_/p /view/example/a/_/p.txt /dav/example/a/_/p%231
try "nothing else has changed" rules changed "$T/2" "$T/3"
try "it ends" stop_server two
try "a text by another program" rules wet "$T/crawl"
try "it is served" start_server three "$T/crawl"
try "what it shows now" rules tags "$url" "$T/4"
# Holds H12.
try "another text, another tag" rules changed "$T/3" "$T/4"
try "it ends" stop_server three

# ---- one URL ----
try "a crawl of three years" rules times "$T/a" a
try "another of two" rules times "$T/b" b
try "it is served" start_server times "$T/a"
# Holds H15.
try "one URL in all spellings" rules same "$url" "$crawlfs" "$T/a"
try "it ends" stop_server times
try "both are served" start_server both "$T/a" "$T/b"
# Holds H15.
try "one URL of two crawls" rules same "$url" "$crawlfs" "$T/a" "$T/b"
try "it ends" stop_server both

# ---- memory ----
bulk_index() {
	"$crawlfs" index -q --no-views -o "$T/bulk.cfx" "$T/bulk"
}
# Holds H16.
try "many pages, and records that inflate to much" rules bulk "$T/bulk"
try "an index" bulk_index
try "it is served with little memory" start_server bulk --mem=64M "$T/bulk.cfx"
bulk_pid=$(cat "$T/bulk.pid")
# SANITIZED: its memory is no measure
if [ "$(ldd "$crawlfs" | grep -c asan)" != 0 ]; then
	# Holds H16.
	skip "clients that do not read: a sanitizer needs more memory"
else
	try "clients that do not read" rules unread "$url" "$bulk_pid"
fi
try "records that inflate to much" rules inflate "$url" "$bulk_pid"
try "it ends" stop_server bulk

# ---- nobody reads what it prints ----
closed_output() {
	"$crawlfs" serve --listen=127.0.0.1:0 "$T/crawl" >&- 2>"$T/closed.log" &
	closed=$!
	# it has opened its socket once it reads the crawl
	wait_for listens_to "$closed"
	kill "$closed"
	wait "$closed"
}
listens_to() { ls -l "/proc/$1/fd" 2>/dev/null | grep -q 'socket:' &&
	[ "$(ls "/proc/$1/task" | wc -l)" -gt 2 ]; }
try "standard output is closed: status 0" closed_output
finish
