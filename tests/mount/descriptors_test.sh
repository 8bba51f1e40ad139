#!/bin/sh
# descriptors_test.sh - with few descriptors, and many archives, no file is an error
# and nothing is damaged.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

python3 - "$T" <<'END' || exit 1
import gzip, os, sys

for c in range(6):
    folder = "%s/c%d" % (sys.argv[1], c)
    os.mkdir(folder)
    for i in range(60):
        body = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" \
            b"page %d of %d\n" % (i, c)
        with open("%s/a%03d.warc.gz" % (folder, i), "wb") as f:
            f.write(gzip.compress(
                b"WARC/1.0\r\nWARC-Type: response\r\n"
                b"WARC-Date: 2024-02-20T21:14:37Z\r\n"
                b"Content-Type: application/http\r\nContent-Length: %d\r\n"
                b"WARC-Target-URI: http://c%d.example/%d\r\n\r\n%s\r\n\r\n" %
                (len(body), c, i, body), mtime=0))
END
for c in 0 1 2 3 4 5; do
	"$crawlfs" index -q -o "$T/c$c.cfx" "$T/c$c" || exit 1
done

# limited SOFT HARD COMMAND...: with so many descriptors
limits='import os, resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[1]), int(sys.argv[2])))
os.execv(sys.argv[3], sys.argv[3:])'
limited() {
	python3 -c "$limits" "$@"
}
# all_pages FOLDER SOURCE...: each page of them has its bytes; others are errors
all_pages() {
	python3 - "$@" <<'END'
import sys

bad = 0
for c in sys.argv[2:]:
    for i in range(60):
        path = sys.argv[1] + ("/c%s" % c if len(sys.argv) > 3 else "") + \
            "/example/c%s/_/%d" % (c, i)
        try:
            with open(path, "rb") as f:
                bad += f.read() != b"page %d of %s\n" % (i, c.encode())
        except OSError as x:
            bad += 1
            print(path, x)
sys.exit(bad > 0)
END
}
hard=$(ulimit -H -n)
[ "$hard" != unlimited ] || hard=4096

# mounts NAME SOFT HARD SOURCE...
mounts() {
	name=$1 soft=$2 most=$3
	shift 3
	sources= numbers=
	for c; do
		sources="$sources $T/c$c.cfx" numbers="$numbers $c"
	done
	mkdir -p "$T/m"
	limited "$soft" "$most" "$crawlfs" mount -qf $sources "$T/m" \
		>>"$T/m.log" 2>&1 &
	mount_pid=$!
	echo "$mount_pid $T/m" >"$T/mounts/m"
	wait_for mounted_or_ended "$T/m" "$mount_pid"
	# Holds L14.
	try "$name: all pages" all_pages "$T/m" $numbers
	try "$name: no failure" not grep -q . "$T/m/.crawlfs/errors"
	try "$name: ends well" stop_mount m
}
mounts "one source, 40 descriptors" 40 40 0
mounts "six sources, 80 descriptors" 80 80 0 1 2 3 4 5
mounts "six sources, a soft limit" 40 "$hard" 0 1 2 3 4 5

# ---- commands ----

for n in 32 48; do
	try "index, $n descriptors" status 0 limited $n $n "$crawlfs" index -q \
		-o "$T/few.cfx" "$T/c0"
	try "index, $n descriptors: nothing is damaged" test ! -s "$T/err"
	# Holds L14.
	try "index, $n descriptors: the same" cmp "$T/few.cfx" "$T/c0.cfx"
	rm -f "$T/few.cfx"
	try "verify, $n descriptors" status 0 limited $n $n "$crawlfs" verify -q \
		"$T/c0.cfx"
	for order in archive index; do
		try "export, $order, $n descriptors" status 0 limited $n $n \
			"$crawlfs" export --order=$order --fields=url,text \
			"$T/c0.cfx"
		# Holds L14.
		try "export, $order, $n descriptors: all rows" same 60 \
			"$(grep -c '"text":"page' "$T/out")"
	done
done

# ---- serve ----

# no function, so that $! is the server
python3 -c "$limits" 64 64 "$crawlfs" serve --listen=127.0.0.1:0 "$T/c0.cfx" \
	"$T/c1.cfx" "$T/c2.cfx" >"$T/served" 2>&1 &
server=$!
wait_for grep -q 'serving on' "$T/served"
# Holds L14.
try "serve: all pages" python3 - "$(sed -n \
	's|.*serving on http://\([^/]*\)/.*|\1|p' "$T/served")" <<'END'
import http.client, sys

c = http.client.HTTPConnection(sys.argv[1])
bad = 0
for k in range(3):
    for i in range(60):
        c.request("GET", "/dav/c%d/example/c%d/_/%d" % (k, k, i))
        r = c.getresponse()
        got = r.read()
        if r.status != 200 or got != b"page %d of %d\n" % (i, k):
            bad += 1
            print(k, i, r.status)
sys.exit(bad > 0)
END
kill "$server"
try "serve: ends" ended_with 0 "$server"
finish
