#!/bin/sh
# part_test.sh - the pieces of -o part=K/N: each page is in one of them, by the
# name and inode, and with the bytes, that it has in the whole.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"
cdx_model() { python3 "$model/cdx_model.py" "$@"; }

"$mkcrawl" --arc --warc --pbtree --records 3000 --page-bytes 500 "$T/crawl" \
	>/dev/null || exit 1
manifest=$T/crawl/manifest.tsv

# pieces NAME N OPTIONS SOURCE: the whole, and all of its pieces
pieces() {
	pieces_name=$1 pieces_n=$2
	shift 2
	tops=
	for k in $(seq "$pieces_n"); do
		try "$pieces_name: mount $k/$pieces_n" \
			start_mount "$k" -o "$1,part=$k/$pieces_n" "$2"
		tops="$tops $T/$k"
	done
	try "$pieces_name: $pieces_n pieces are the whole" \
		python3 "$here/part_check.py" "$T/whole" $tops
	grep '^#' "$T/case.log"
	for k in $(seq "$pieces_n"); do
		stop_mount "$k" >/dev/null || fail "$pieces_name: unmount $k"
	done
}
# source NAME OPTIONS SOURCE N...
whole_and_pieces() {
	source_name=$1 source_options=$2 source=$3
	shift 3
	try "$source_name: mount" start_mount whole -o "$source_options" "$source"
	for n; do
		pieces "$source_name" "$n" "$source_options" "$source"
	done
	try "$source_name: unmount" stop_mount whole
}
views=views=raw:meta:txt:headers
"$crawlfs" index -q -o "$T/w.cfx" "$T/crawl/crawl-data" || exit 1
whole_and_pieces cfx $views "$T/w.cfx" 1 2 3 7 50

# ---- options ----

for bad in 0/4 5/4 1/0 0/0 /4 1/ 1 '' -1/4 1/4x 1.5/4 2/1/3 +1/4 ' 1/4'; do
	try "refused: '$bad'" status 2 "$crawlfs" ls --part="$bad" "$T/w.cfx"
	try "with the reason: '$bad'" complains "is not K/N"
done
for bad in 1/100000 1/99999999999999999999999 99999999999999999999/4; do
	try "refused: $bad" status 2 "$crawlfs" mount -o part=$bad "$T/w.cfx" "$T"
	try "with the reason: $bad" complains "99999 pieces at most"
done
finish
