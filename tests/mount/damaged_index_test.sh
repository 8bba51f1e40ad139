#!/bin/sh
# damaged_index_test.sh - a damaged block of an index means the same to every
# reader, whatever the format: all else is there, the block is named, the status
# is 1; a listing goes on behind it and ends with EIO.
# SPDX-License-Identifier: GPL-3.0-or-later
TIME_LIMIT=1800
. "$CFS_SRCDIR/tests/mount/lib.sh"

export XDG_CACHE_HOME="$T/cache"
damaged() { python3 "$here/damaged_index.py" "$@"; }
try "indexes" damaged make "$crawlfs" "$T"

for format in cfx cdxj zipnum pbtree union part pick; do
	for damage in first middle last two inner; do
		case $damage-$format in
		inner-cdxj | inner-zipnum) continue ;;	# have no such block
		middle-*) readers="rows sorted_rows lookup summary check verify
			copy cdxj zipnum cfx ls" ;;
		*) readers="rows lookup summary ls" ;;
		esac
		# a listing of several indexes ends at the damage
		[ $format = union ] && readers=${readers% ls}
		for reader in $readers; do
			try "$format, $damage: $reader" damaged $format $damage \
				"$crawlfs" "$T" $reader
		done
		[ $format = union ] && continue
		damaged $format $damage "$crawlfs" "$T" source >"$T/args"
		source=$(sed -n 1p "$T/args")
		options=$(sed 1d "$T/args" | paste -sd,)
		try "$format, $damage: mounts" start_mount m "$source" \
			-o "views=raw,$options"
		try "$format, $damage: listing" damaged $format $damage \
			"$crawlfs" "$T" mount
		try "$format, $damage: ends" stop_mount m
	done
done
finish
