#!/bin/sh
# told_test.sh - a mount says in one line what it shows; damage that an index knows
# is told each time, by lookup and summary too.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

mkdir "$T/f" "$T/whole" "$T/m"
python3 - "$T" <<'END' || exit 1
import gzip, sys

def record(n, body):
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    return gzip.compress(
        b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: 2024-02-20T21:14:37Z\r\n"
        b"Content-Type: application/http\r\nContent-Length: %d\r\n"
        b"WARC-Target-URI: http://told.example/%d\r\n\r\n%s%s\r\n\r\n" %
        (len(head + body), n, head, body), mtime=0)

top = sys.argv[1]
good = b"".join(record(i, b"page %d" % i) for i in range(7))
cut = b"".join(record(i, b"%d, " % i * 3000) for i in range(7, 11))
for name, data in (("whole/a.warc.gz", good), ("f/a.warc.gz", good),
                   ("f/cut.warc.gz", cut[:-40]), ("f/no.warc.gz", b"none\n")):
    with open("%s/%s" % (top, name), "wb") as f:
        f.write(data)
END
"$crawlfs" index -q -o "$T/f.cfx" "$T/f" 2>/dev/null
"$crawlfs" index -q -o "$T/whole.cfx" "$T/whole" || exit 1
"$crawlfs" index -q --format=cdxj --base="$T/whole" -o "$T/whole/a.cdxj" \
	"$T/whole/a.warc.gz" || exit 1

# says ARGUMENT...: what a mount that goes to the background says, in $T/err
says() {
	status 0 "$crawlfs" mount "$@" "$T/m" && "$crawlfs" umount "$T/m" &&
		same "" "$(cat "$T/out")"
}
lines() { same "$1" "$(wc -l <"$T/err")"; }

for source in f f.cfx; do
	for turn in 1 2 3; do
		try "mount $turn of $source" says "$T/$source"
		[ "$turn" -gt 1 ] || continue
		# Holds E31.
		try "mount $turn of $source: its damage" complains \
			": 11 captures; 2 damaged places in 2 archives (.crawlfs/errors"
		try "mount $turn of $source: one line" lines 1
	done
	try "mount -q of $source" says -q "$T/$source"
	try "mount -q of $source: its damage" complains "2 damaged places"
	for command in lookup summary; do
		try "$command of $source" status 0 "$crawlfs" $command \
			"$T/$source" example
		# Holds E31.
		try "$command of $source: its damage" complains \
			"$source: 2 damaged places in 2 archives ('crawlfs verify'"
		try "$command of $source: one line" lines 1
	done
done
"$crawlfs" serve --listen=127.0.0.1:0 "$T/f.cfx" >"$T/served" 2>"$T/err" &
server=$!
wait_for grep -q 'serving on' "$T/served"
# Holds E31.
try "serve: its damage" complains "f.cfx: 2 damaged places in 2 archives"
kill "$server"
wait_for has_ended "$server"
try "lookup of several" status 0 "$crawlfs" lookup "$T/f.cfx" \
	http://told.example/1 http://told.example/2
try "lookup of several: one line" lines 1

try "a whole one" says "$T/whole.cfx"
# Holds E31.
try "what is mounted" same "crawlfs: $T/whole.cfx on $T/m: 7 captures" \
	"$(cat "$T/err")"
try "a whole one, -q" says -q "$T/whole.cfx"
try "nothing is said" lines 0
try "of a whole one lookup" status 0 "$crawlfs" lookup "$T/whole.cfx" example
try "says nothing" lines 0
try "what is picked" says --status=404 "$T/whole.cfx"
try "what is picked is said" complains ": what is picked of 7 captures$"
try "several" says "$T/whole.cfx" "$T/f.cfx"
try "several are counted" complains ": 2 sources on $T/m: 18 captures; 2 dam"
# Holds S2.
try "sizes that are estimates" says "$T/whole/a.cdxj"
try "sizes that are estimates: told" complains "sizes are estimates .*size=exact"
try "sizes made exact" says -o size=exact "$T/whole/a.cdxj"
try "sizes made exact: nothing is told" not complains estimate
finish
