#!/bin/sh
# segments_test.sh - records in segments are one page, wherever these lie.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

check() { python3 "$here/segments_check.py" "$@"; }
index() { "$crawlfs" index "$@" >"$T/out" 2>"$T/err"; }
says() { grep -q -- "$1" "$T/out" "$T/err"; }
pages_of() {	# pages_of OPTIONS SOURCE: all pages, mounted with these
	start_mount m -o "$1" "$2" && check pages "$T/m" && stop_mount m
}

mkdir "$T/d" "$T/d2"
try "made" check make "$T/d"
# Holds B5.
try "a folder" pages_of mem=32M "$T/d"
try "a folder, in little memory" pages_of mem=16M "$T/d"

try "an index" index -o "$T/d/all.cfx" "$T/d"
try "segments that were joined are counted" says '7[0-9] segments joined'
# Holds B5.
try "records that lack some are counted" says '3 records incomplete'
# Holds B5.
try "segments without a record are counted" says '[67] segments left out'
# Holds B5.
try "one warning" same "$(grep -c warning: "$T/err")" 1
# Holds B5.
try "the index" pages_of mem=32M "$T/d/all.cfx"
try "verify" "$crawlfs" verify -q "$T/d/all.cfx"

try "grown: the first archive" index -o "$T/d/grown.cfx" "$T/d/a.warc.gz"
try "grown: another" index --update -o "$T/d/grown.cfx" "$T/d/a.warc.gz" \
	"$T/d/b.warc.gz"
try "grown: a third" index --update -o "$T/d/grown.cfx" "$T/d/a.warc.gz" \
	"$T/d/b.warc.gz" "$T/d/c.warc"
try "grown: the pages" pages_of mem=32M "$T/d/grown.cfx"
index --force -o "$T/d/all.cfx" "$T/d/a.warc.gz" "$T/d/b.warc.gz" "$T/d/c.warc"
try "grown: as made at once" cmp "$T/d/all.cfx" "$T/d/grown.cfx"
try "an archive is gone: the index without it" index --update \
	-o "$T/d/grown.cfx" "$T/d/a.warc.gz" "$T/d/c.warc"
index --force -o "$T/d/two.cfx" "$T/d/a.warc.gz" "$T/d/c.warc"
lists() { "$crawlfs" ls -l "$1" http://segments.example.org/ >"$T/list.$2"; }
try "an archive is gone: its list" lists "$T/d/grown.cfx" 1
try "an archive is gone: that of a new index" lists "$T/d/two.cfx" 2
try "an archive is gone: they are the same" cmp "$T/list.1" "$T/list.2"
try "an archive is gone: mounts" start_mount m "$T/d/grown.cfx"
try "an archive is gone: what is whole" check pages "$T/m" near many twice
try "an archive is gone: ends well" stop_mount m

parts() {
	mkdir "$T/p"
	for k in 1 2 3; do
		index --part=$k/3 -o "$T/p" "$T/d/a.warc.gz" "$T/d/b.warc.gz" \
			"$T/d/c.warc" || return 1
	done
	index -o "$T/merged.cfx" "$T/p"
}
try "parts: made" parts
try "parts: the pages" pages_of mem=32M "$T/merged.cfx"
apart() {
	for a in a.warc.gz b.warc.gz c.warc; do
		index -o "$T/d/$a.cfx" "$T/d/$a" || return 1
	done
	index -o "$T/d/sum.cfx" "$T/d/a.warc.gz.cfx" "$T/d/b.warc.gz.cfx" \
		"$T/d/c.warc.cfx"
}
try "three indexes: merged" apart
try "three indexes: the pages" pages_of mem=32M "$T/d/sum.cfx"
try "three indexes: as made at once" cmp "$T/d/all.cfx" "$T/d/sum.cfx"
cat_is() {
	"$crawlfs" cat "$1" "http://segments.example.org/$2" >"$T/out" &&
		same "$(wc -c <"$T/out")" "$3"
}
try "cat" cat_is "$T/d/all.cfx" three 30000
try "cat of a copy" cat_is "$T/d/all.cfx" again 30000

copied() {
	mkdir "$T/copy" && "$crawlfs" copy -q -o "$T/copy/all.warc.gz" \
		"$T/d/all.cfx" org.example 2>"$T/err"
}
try "a copy has the segments too" copied
try "a copy: the pages" pages_of mem=32M "$T/copy/all.warc.gz"

mkdir "$T/tiny" && mount -t tmpfs -o size=200k,mode=700 none "$T/tiny"
try "no room: mounts" start_mount m -o "mem=16M,cache=$T/tiny" "$T/d/all.cfx"
try "no room for a long record: an error" not cat \
	"$T/m/org/example/segments/_/long" >"$T/out"
try "no room: shorter ones are read" check pages "$T/m" three near again
try "no room: ends well" stop_mount m
umount "$T/tiny"

# What the index names cannot be read any more.
cp "$T/d/all.cfx" "$T/d/a.warc.gz" "$T/d/c.warc" "$T/d2"
try "a segment's archive is missing: mounts" start_mount m "$T/d2/all.cfx"
try "a segment's archive is missing: the beginning, then an error" \
	check broken "$T/m" endless 200000
try "a segment's archive is missing: other pages" check pages "$T/m" near twice
try "a segment's archive is missing: ends well" stop_mount m
swap() {	# it says that it continues another record
	sed 's/\(Origin-ID: <urn:uuid:near\)-1>/\1-7>/' "$T/d/c.warc" \
		>"$T/d2/c.warc"
}
try "a segment of another record: made" swap
try "a segment of another record: mounts" start_mount m "$T/d2/all.cfx"
try "a segment of another record: the beginning, then an error" \
	check broken "$T/m" near 200000
try "a segment of another record: ends well" stop_mount m
finish
