#!/bin/sh
# start_damage_test.sh - damage at the beginning of an archive costs what is
# damaged, whatever the archive is reached by.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

has_program zstd || skip_all "there is no zstd"
export crawlfs XDG_CACHE_HOME="$T/cache"
damage() { python3 "$here/start_damage.py" "$@"; }
mkdir "$T/s"
damage make "$T/s" >"$T/cases" || exit 1

# every kind of damage, and what is no archive
while read -r name what; do
	if [ "$what" = refused ]; then
		# Holds E30.
		try "$name: one sentence" damage refused "$T/s" "$name"
	else
		# Holds E30.
		try "$name: alone" damage check "$T/s" "$name" alone
	fi
done <"$T/cases"

# every way, of each kind of archive
for name in gz-flip gz-html gz-cut-back arc-gz-nuls zst-flip dict-html \
	dict-magic two-gz-plain plain-log plain-page plain-cut-100 arc-filedesc; do
	for way in index folder list wacz verify; do
		# Holds E30.
		try "$name: $way" damage check "$T/s" "$name" $way
	done
	file=$(find "$T/s/$name" -maxdepth 1 -type f ! -name '.*')
	try "$name: mounts" start_mount m "$file"
	try "$name: the pages" damage pages "$T/s" "$name" "$T/m"
	try "$name: ends well" stop_mount m
done
finish
