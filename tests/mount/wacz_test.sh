#!/bin/sh
# wacz_test.sh - WACZ files on this machine, against the independent reader.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

[ -d "$CFS_DATA/wacz" ] || skip_all "no real samples in CFS_DATA"

# ---- every sample ----

find "$CFS_DATA/wacz" -type f -name '*.wacz' ! -name 'invalid*' | sort >"$T/good"
while read -r file <&3; do
	name=${file#"$CFS_DATA/"}
	rm -rf "$T/m.log" "$T/cache"
	try "$name mounts" start_mount m "$file"
	try "$name: pages, and their bytes" check sample --good "$file" "$T/m"
	try "$name: titles of pages" python3 "$here/wacz_check.py" "$file" "$T/m"
	echo "$name: $(tail -n 1 "$T/case.log")"
	try "$name: the daemon ends well" stop_mount m
done 3<"$T/good"
try "there were samples" test "$(wc -l <"$T/good")" -gt 2

for file in "$CFS_DATA"/wacz/*/invalid*; do
	[ -e "$file" ] || continue
	try "${file##*/} is refused" status 1 "$crawlfs" ls "$file"
	try "and said why" complains "without archives: it holds datapackage.json"
done
finish
