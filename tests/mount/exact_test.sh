#!/bin/sh
# exact_test.sh - sizes that an index knows, as it is built by default, are those
# of the bytes; and how it was built does not matter.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

sizes() { python3 "$here/sides_check.py" sizes "$@"; }

# exact NAME LEAST SOURCE...: at least so many files, all of them exact
exact() {
	exact_name=$1 exact_least=$2
	shift 2
	try "$exact_name mounts" start_mount m -o xattr "$@"
	# Holds S4.
	try "$exact_name: sizes are exact" sizes "$T/m" "$exact_least"
	try "$exact_name: the daemon ends well" stop_mount m
}

# ---- made-up crawls: odd URLs, revisits, encodings ----

"$mkcrawl" --records 700 --hostile 15 --page-bytes 9000 --seed 5 --arc --warc \
	"$T/crawl" >/dev/null || exit 1
exact "a folder" 2000 "$T/crawl"
"$mkcrawl" --records 200 --plain --page-bytes 3000 --seed 6 --warc "$T/plain" \
	>/dev/null || exit 1
exact "archives without compression" 600 "$T/plain"

# ---- threads, memory and cuts leave no trace ----

"$mkcrawl" --records 600 --page-bytes 60000 --seed 8 --warc "$T/large" \
	>/dev/null || exit 1
large=$(find "$T/large" -name '*.warc.gz')
try "one archive, to be cut" test "$(stat -c %s "$large")" -gt 4000000
for how in --threads=1 --threads=2 --threads=5 '--threads=3 --memory=1M'; do
	# shellcheck disable=SC2086	# words
	try "$how" "$crawlfs" index -q --force $how -o "$T/large/i.cfx" "$T/large"
	[ -e "$T/first.cfx" ] || cp "$T/large/i.cfx" "$T/first.cfx"
	try "$how: the same index" cmp "$T/first.cfx" "$T/large/i.cfx"
done
exact "a large archive" 1800 "$T/large/i.cfx"

# ---- no room for the second of the two files that revisits need ----

try "an index with revisits" "$crawlfs" index -q -o "$T/i.cfx" "$T/crawl"
mkdir "$T/full"
mount -t tmpfs -o size=$(($(stat -c %s "$T/i.cfx") * 3 / 2)) none "$T/full" ||
	fail "tmpfs"
try "a full disk is reported" status 1 "$crawlfs" index -q --base="$T" \
	-o "$T/full/i.cfx" "$T/crawl"
try "as that" complains 'No space left'
try "and nothing is left there" same "" "$(ls -A "$T/full")"
umount "$T/full"

# ---- real samples ----

# links_to FOLDER FILE...: all of them in one folder
links_to() {
	mkdir "$1"
	link_folder=$1 links=0
	shift
	for link_file; do
		links=$((links + 1))
		ln -s "$link_file" "$link_folder/$links-${link_file##*/}"
	done
}
if [ -d "$CFS_DATA/warc" ]; then
	# shellcheck disable=SC2046	# no blanks in their names
	links_to "$T/samples" $(find "$CFS_DATA/arc" "$CFS_DATA/warc" \
		"$CFS_DATA/wat" "$CFS_DATA/wet" -type f | sort)
	exact "the samples" 1000 "$T/samples"
	# shellcheck disable=SC2046
	links_to "$T/malformed" $(find "$CFS_DATA/malformed" -type f \
		\( -name '*arc*' -o -name '*.wet.gz' \) | sort)
	exact "malformed samples" 10 "$T/malformed"
else
	skip "no real samples in CFS_DATA"
fi
finish
