#!/bin/sh
# cdx_repeats_test.sh - lines of a CDX that name one record are one capture, in a
# mount of it as in an index that is built of it.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

mkdir "$T/c"
python3 "$here/cdx_repeats.py" make "$T/c" || exit 1
captures=$(wc -l <"$T/c/once.cdxj")
tree() { python3 "$here/cdx_repeats.py" tree "$T/c" "$T/$1"; }

# of NAME SOURCE [OPTION...]: its tree is that of the index of all lines
of() {
	name=$1 source=$2
	shift 2
	try "$name: mounted" start_mount m -o views=raw,data="$T/c" "$@" "$source"
	# Holds N2.
	try "$name: each capture once, with its bytes" tree m
	cp "$T/case.log" "$T/tree"
	try "$name: the names and bytes of the index" cmp "$T/tree" "$T/index.tree"
	try "$name: ended" stop_mount m
	case $source in
	*,*) ;;		# lookup takes one source
	*)	try "$name: lookup" same "$captures" \
			"$("$crawlfs" lookup "$source" / | wc -l)"
		try "$name: lookup --from" same "$("$crawlfs" lookup --from=20140102 \
			"$T/c/once.cdxj" / | wc -l)" "$("$crawlfs" lookup \
			--from=20140102 "$source" / | wc -l)" ;;
	esac
}

try "the index of all lines" "$crawlfs" index -q -o "$T/c/all.cfx" \
	"$T/c/plain.cdxj"
try "it is mounted" start_mount i -o views=raw "$T/c/all.cfx"
try "it has each capture once" tree i
cp "$T/case.log" "$T/index.tree"
try "it has as many as there are" same "$captures" \
	"$("$crawlfs" lookup "$T/c/all.cfx" / | wc -l)"
try "ended" stop_mount i

of "CDXJ" "$T/c/plain.cdxj"
of "CDX" "$T/c/plain.cdx"
of "compressed CDXJ" "$T/c/small.cdxj.gz"
of "ZipNum" "$T/c/zip/cluster.idx"
of "no repeats" "$T/c/once.cdxj"
of "a union" "$T/c/plain.cdxj,$T/c/zip/cluster.idx"
of "a union of one that has none" "$T/c/once.cdxj,$T/c/zip/cluster.idx"

# Pieces hold what the whole holds, each capture in one of them.
parts() {
	for k in 1 2 3; do
		"$crawlfs" lookup --part=$k/3 "$1" /	# a part may be empty
	done | wc -l
}
for source in plain.cdxj zip/cluster.idx; do
	try "$source in parts" same "$captures" "$(parts "$T/c/$source")"
done

finish
