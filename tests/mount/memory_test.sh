#!/bin/sh
# memory_test.sh - a mount keeps to -o mem=, whatever is read, by however many.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Measured with a crawl of pages that are larger than the ceiling: compressible
# and not, chunked and gzipped by the server, and 32 of 3 MB that are read at one
# time.  What is read is compared with what Python has put in (memory_check.py).
#
# The account's own figures are those of .crawlfs/stats.  Resident memory is what
# the kernel says of the daemon; with a sanitizer, whose own memory is large and
# which keeps what is freed, it says nothing, and is left out.

. "$CFS_SRCDIR/tests/mount/lib.sh"

memory() { python3 "$here/memory_check.py" "$@"; }
keeps_to() { memory keeps "$T/$1" "$(pid_of "$1")" "$2"; }

memory make "$T/crawl.warc.gz" "$T/sums" || exit 1
"$crawlfs" index -q -o "$T/crawl.cfx" "$T/crawl.warc.gz" || exit 1
memory resident "$crawlfs" ||
	skip "resident memory: a sanitizer's own cannot be told from crawlfs's"

try "mounts" start_mount m64 -o mem=64M,views=raw:meta:txt:record "$T/crawl.cfx"
# Holds L12.
try "pages larger than mem=" memory read "$T/m64" "$T/sums" large
# Holds L12.
try "32 readers at one time" memory crowd "$T/m64" "$T/sums"
# Holds L12.
try "text and metadata of them all" memory views "$T/m64" "*"
try "members as the archive has them" memory members "$T/m64" "$T/crawl.warc.gz"
# Holds L12.
try "32 files that stay open" memory held "$T/m64" "$T/sums"
# Holds L12.
try "no more memory than mem= was used" keeps_to m64 64
try "unmounts" stop_mount m64

# Less than a page has: what a view has read of it leaves memory.
try "mem=16M: mounts" start_mount m16 -o mem=16M,views=raw:meta:txt \
	"$T/crawl.cfx"
try "text and metadata of large pages" memory views "$T/m16" large
try "they do not stay in memory" memory peak "$(pid_of m16)" 16
try "mem=16M: unmounts" stop_mount m16

# Indexing: the index is the same, whatever the memory.
indexes() {
	memory child 128 "$crawlfs" index -q --memory=64M -o "$T/small.cfx" \
		"$T/crawl.warc.gz" && cmp "$T/crawl.cfx" "$T/small.cfx"
}
# Holds L12.
try "index keeps to --memory=" indexes
ls "$T"/.crawlfs* 2>/dev/null >"$T/left"
try "and leaves no file" not test -s "$T/left"
memory revisits "$T/revisits.warc.gz" || exit 1
measures() {		# sizes of revisits, as a mount would serve them
	"$crawlfs" index -q --memory=1G -o "$T/again.cfx" \
		"$T/revisits.warc.gz" &&
		memory child 128 "$crawlfs" index -q --memory=64M \
			-o "$T/again64.cfx" "$T/revisits.warc.gz" &&
		cmp "$T/again.cfx" "$T/again64.cfx"
}
try "and when it measures revisits" measures
lines() {
	memory child 128 "$crawlfs" index -q --memory=64M -o "$T/small.cdxj" \
		"$T/crawl.warc.gz" && memory digests "$T/small.cdxj" "$T/sums"
}
# Holds L12.
try "digests of long pages are right in CDXJ" lines
verifies() {
	memory child 128 "$crawlfs" verify -q --mem=64M "$T/crawl.warc.gz"
}
# Holds L12.
try "verify keeps to --mem=" verifies
try "mounted without an index" start_mount first -o mem=64M "$T/crawl.warc.gz"
# Holds L12.
try "making one kept to mem=" memory peak "$(pid_of first)" 64
try "unmounts" stop_mount first

# What a record is inflated to on the disk goes soon after its last reader, even if
# nobody reads anything else.
python3 - "$T/zeros.warc.gz" <<'END' || exit 1
import gzip, sys
with open(sys.argv[1], "wb") as out:
    for i in range(6):
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/x\r\n\r\n"
        body = bytes(40 << 20)
        out.write(gzip.compress(
            b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: "
            b"http://h.example/%d\r\nWARC-Date: 2024-02-20T21:14:37Z\r\n"
            b"Content-Type: application/http\r\nContent-Length: %d\r\n\r\n"
            % (i, len(head + body)) + head + body + b"\r\n\r\n", 1, mtime=0))
END
"$crawlfs" index -q --no-views -o "$T/zeros.cfx" "$T/zeros.warc.gz" || exit 1
try "records on the disk: mounts" start_mount zeros -o mem=16M "$T/zeros.cfx"
begins() {
	for i in 0 1 2 3 4 5; do
		[ "$(head -c 1 "$T/zeros/example/h/_/$i" | wc -c)" = 1 ] || return 1
	done
}
# 128 MiB may stay, to be used again
holds_few() {
	find "/proc/$(pid_of zeros)/fd" -lname '*(deleted)' \
		-exec stat -L -c %b {} + |
		awk '{ n += $1 / 2048 } END { print n; exit n > 128 }'
}
try "their beginnings are read" begins
try "their files go when they are closed" wait_for holds_few
try "records on the disk: unmounts" stop_mount zeros

# A folder without room, and none at all.
mkdir "$T/tiny" && mount -t tmpfs -o size=4m,mode=700 none "$T/tiny"
try "no room: mounts" start_mount full -o "mem=16M,cache=$T/tiny" \
	"$T/crawl.cfx"
# Holds L12.
try "no room for a large page: an error" memory fails "$T/full" large EIO
# Holds L12.
try "it says why" grep -q 'no room for' "$T/full.log"
try "no room: smaller pages are read" memory read "$T/full" "$T/sums" small
try "no room: unmounts" stop_mount full
# There is nothing wrong with the archive: it is not left out, and no damage.
"$mkcrawl" --warc --bare --records 10 "$T/other" >/dev/null || exit 1
no_room() {
	"$crawlfs" index -q --memory=64M -o "$T/tiny/new.cfx" \
		"$T/crawl.warc.gz" "$T/other" 2>"$T/why"
	[ $? -gt 0 ] && [ -z "$(ls "$T/tiny" | grep -v '^crawlfs$')" ]
}
# Holds L12.
try "no room: index fails, and leaves nothing" no_room
try "it says why, and where" grep -q "$T/tiny.*no room for a record" "$T/why"
not_verified() {
	TMPDIR=$T/tiny "$crawlfs" verify --mem=64M "$T/crawl.warc.gz" \
		>"$T/out" 2>"$T/why"
	[ $? -eq 1 ] && ! grep -q "^damage" "$T/out" &&
		grep "no room for a record" "$T/why"
}
try "no room: verify fails, and reports no damage" not_verified
memory decoded "$T/decoded.warc" || exit 1
try "the digest of a body that is long once decoded" \
	memory child 96 "$crawlfs" verify -q --mem=16M "$T/decoded.warc"
not_decoded() {
	TMPDIR=$T/tiny "$crawlfs" verify --mem=16M "$T/decoded.warc" \
		>"$T/out" 2>"$T/why"
	[ $? -eq 1 ] && ! grep -q "^damage" "$T/out" && cat "$T/why" &&
		grep -q "$T/tiny" "$T/why"
}
try "no room to decode it: verify fails, and reports no damage" not_decoded
finish
