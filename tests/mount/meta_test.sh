#!/bin/sh
# meta_test.sh - .meta through mounts, pretty and with meta=compact: always one
# JSON object, and the same that crawlfs cat writes.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

# both SOURCE: mounted in both forms and compared
both() {
	try "${1##*/} mounts" start_mount pretty "$1"
	try "${1##*/} mounts, compact" start_mount compact -o meta=compact "$1"
	# Holds C7.
	try "${1##*/}: every .meta is JSON" python3 "$here/meta_check.py" \
		"$T/pretty" "$T/compact" "$crawlfs" "$1"
	cat "$T/case.log"
	cp "$T/case.log" "$T/md5.log"
	try "the daemon ends well" stop_mount pretty
	try "the compact one too" stop_mount compact
}

try "a crawl is made" "$mkcrawl" --records 300 \
	--page-bytes 900 --warc --arc "$T/crawl"
both "$T/crawl"
if [ -d "$CFS_DATA/arc" ]; then
	both "$CFS_DATA/arc"
	try "two have the crawler's own MD5" \
		grep -q "2 with the crawler's own MD5" "$T/md5.log"
	both "$CFS_DATA/warc"
else
	skip "real samples: none in CFS_DATA"
fi
try "meta=other is refused" not "$crawlfs" mount -o meta=other "$T/crawl" "$T"
finish
