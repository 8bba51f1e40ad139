#!/bin/sh
# readdir_test.sh - positions, inode numbers, huge listings, many readers.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"
helper=$CFS_BUILDDIR/tests/mount/readdir_helper

# everything DIRECTORY: inode number and path, also of full forms
everything() { find "$1" -printf '%i %y %P\n' | sort -k3; }
directories() { find "$1" -type d -print0 | sort -z; }

"$mkcrawl" --records 20000 --page-bytes 150 --shape flat --warc --bare \
	"$T/c.flat" >/dev/null || exit 1
python3 "$model/hostile_urls.py" --seed 9 --count 1500 >"$T/urls"
"$mkcrawl" --warc --urls "$T/urls" --page-bytes 150 "$T/c.odd" >/dev/null || exit 1

# a directory of 60,000 names
try "flat mounts" start_mount flat "$T/c.flat"
big=$(find "$T/flat" -type d -name pages)
$helper list 1048576 "$big" >"$T/big.list"
try "60,000 names, and two dots" same "$(wc -l <"$T/big.list")" 60002
listed_ahead() {
	python3 -c 'import json, sys
print(json.load(open(sys.argv[1]))["operations"]["listed_ahead"])' \
		"$T/$1/.crawlfs/stats"
}
try "some parts of it before the kernel asked" \
	test "$(listed_ahead flat)" -gt 0
# Holds N13.
try "each once" same "$(cut -d' ' -f3- "$T/big.list" | sort -u | wc -l)" 60002
for bytes in 300 4096 32768; do
	$helper list $bytes "$big" >"$T/big.again"
	try "the same with a buffer of $bytes bytes" cmp "$T/big.list" \
		"$T/big.again"
done
# Holds N13.
try "positions hold" $helper seek 4096 "$big" "$T/big.list"
try "positions hold in small steps" $helper seek 300 "$big" "$T/big.list"
# Holds N13.
try "two readers in turn" $helper two 2000 30000 "$big"
# Holds N13.
try "again from the beginning" $helper rewind 4096 "$big"
try "ls -f sees it" same "$(ls -f "$big" | wc -l)" 60002
everything "$T/flat" >"$T/flat.all"
try "remounts" remount flat "$T/c.flat"
# Holds N13.
try "positions hold after a remount" $helper seek 4096 "$big" "$T/big.list"
$helper list 32768 "$big" >"$T/big.again"
# Holds C1.
try "the listing is the same after a remount" cmp "$T/big.list" "$T/big.again"
everything "$T/flat" >"$T/flat.again"
# Holds N12.
try "inode numbers are the same after a remount" cmp "$T/flat.all" \
	"$T/flat.again"
cut -d' ' -f1 "$T/flat.all" | sort | uniq -d >"$T/twice"
# Holds N12.
try "no inode number twice" not test -s "$T/twice"
try "flat: the daemon ends well" stop_mount flat

# many odd directories
try "odd mounts" start_mount odd "$T/c.odd"
everything "$T/odd" >"$T/odd.all"
directories "$T/odd" >"$T/dirs"
try "a hundred odd directories" \
	test "$(tr -cd '\0' <"$T/dirs" | wc -c)" -gt 100
try "are listed" $helper save "$T/dirs" "$T/dirs.list"
try "positions hold in each" $helper seek-all 4096 "$T/dirs" "$T/dirs.list"
# Holds N13.
try "each opened by its file handle" $helper handles "$T/dirs"
try "remounts" remount odd "$T/c.odd"
try "they hold after a remount" $helper seek-all 2048 "$T/dirs" "$T/dirs.list"
everything "$T/odd" >"$T/odd.again"
try "inode numbers are the same after a remount" cmp "$T/odd.all" "$T/odd.again"

# many at once, from a cold mount
try "remounts" remount odd "$T/c.odd"
find "$T/odd" -print0 >"$T/odd.paths"
try "remounts" remount odd "$T/c.odd"
# Holds P1.
try "twelve threads see the same" $helper threads 12 "$T/odd.paths"

# the kernel forgets while we walk
if echo 2 2>/dev/null >/proc/sys/vm/drop_caches; then
	(while :; do
		echo 2 >/proc/sys/vm/drop_caches
		sleep 0.2
	done) &
	storm=$!
	for pass in 1 2 3; do
		everything "$T/odd" >"$T/odd.again"
		# Holds C1.
		try "forgotten while walking, pass $pass" cmp "$T/odd.all" \
			"$T/odd.again"
	done
	# Holds P1.
	try "forgotten while reading" $helper threads 6 "$T/odd.paths"
	kill $storm
	wait $storm 2>/dev/null
	try "FORGET was sent" grep -Eq '"forget": *[1-9]' "$T/odd/.crawlfs/stats"
else
	skip "forgetting: /proc/sys/vm/drop_caches cannot be written"
fi
try "odd: the daemon ends well" stop_mount odd
finish
