#!/bin/sh
# damaged_index_test.sh - a damaged block of an index means the same to every
# reader, whatever the format: all else is there, the block is named, the status
# is 1; a listing goes on behind it and ends with EIO.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

export XDG_CACHE_HOME="$T/cache"
damaged() {
	format=$1 damage=$2
	shift 2
	python3 "$here/damaged_index.py" $format $damage "$crawlfs" "$T" "$@"
}
try "indexes" python3 "$here/damaged_index.py" make "$crawlfs" "$T"

for format in cfx cdxj zipnum pbtree union both part pick; do
	for damage in first middle last two inner swapped; do
		case $damage-$format in
		inner-cdxj | inner-zipnum) continue ;;	# have no such block
		swapped-pbtree) readers="places lookup summary check copy cfx
			serve ls" ;;
		swapped-*) continue ;;	# a checksum, or the order of lines
		middle-*) readers="rows hosts sorted_rows lookup grep summary check verify
			copy cdxj zipnum cfx serve ls" ;;
		*) readers="rows hosts lookup summary cfx ls" ;;
		esac
		[ $format = cfx ] && readers="$readers joined"
		[ $format = pbtree ] && readers="$readers pbtree"
		# Holds E8.
		try "$format, $damage: readers" damaged $format $damage $readers
		try "$format, $damage: mounts" start_mount m \
			"$(sed -n 1p "$T/args")" \
			-o "views=raw,$(sed 1d "$T/args")"
		# Holds E8.
		try "$format, $damage: listing" damaged $format $damage mount
		try "$format, $damage: ends" stop_mount m
	done
done
# Holds E8.
try "a block's number of entries is told by the others" \
	damaged cfx head joined rows cfx
# Holds E8.
try "two of them are not" damaged cfx heads refused
finish
