#!/bin/sh
# gone_test.sh - indexes and shards that vanish from their server under a mount.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/net/lib.sh"

www=$T/www
"$mkcrawl" --records 40000 --hostile 0 --page-bytes 100 --warc "$www" >/dev/null || exit 1
(cd "$www" && "$crawlfs" index -q -o w.cfx crawl-data &&
	"$mkcrawl" --records 300 --hostile 0 --page-bytes 100 --arc --pbtree . >/dev/null &&
	for top in $("$crawlfs" ls w.cfx | grep '[a-z]/' | tr -d /); do
		"$crawlfs" lookup w.cfx "$top" || exit 1
	done | LC_ALL=C sort >w.cdxj) || exit 1
start_faultd faultd "$www" || skip_all "no server"

# Folders and files by their names, without what stat(2) says of them.
names() { (cd "$1" && find . | sort); }

for index in w.cfx w.cdxj parse-output/url-index.1356128792; do
	try "$index mounts" start_mount here "$www/$index"
	try "$index: its URL mounts" start_mount there -o "cache=$T/c.${index##*/},mem=1M" "$url/$index"
	names "$T/here" >"$T/here.names" 2>"$T/err"
	top=$(sed -n 's,^\./\([a-z]*\)$,\1,p' "$T/here.names" | tail -n 1)
	ctl "$port" rule fault=status value=404 match=$index
	ls "$T/there" >"$T/out" 2>"$T/err"
	# Holds E1.
	try "$index: gone, a listing fails" grep -q "Input/output error" "$T/err"
	ls "$T/there/$top/" >"$T/out" 2>"$T/err"
	# Holds E1.
	try "$index: so does a look-up" grep -q "Input/output error" "$T/err"
	ctl "$port" clear
	wait_for ls "$T/there" >/dev/null 2>&1	# it is known to be gone
	names "$T/there" >"$T/there.names"
	try "$index: back, all is there" cmp "$T/here.names" "$T/there.names"
	try "$index: unmounts" stop_mount there
	# Holds T3.
	try "$index: time is the index's from the first" start_mount there -o "cache=$T/d.${index##*/}" "$url/$index"
	# Holds T3.
	try "$index: as it is on disk" same "$(stat -c %Y "$T/there")" "$(stat -c %Y "$T/here")"
	try "$index: ends" stop_mount there
	try "$index: the file, too" stop_mount here
done
finish
