#!/bin/sh
# grep_equal.sh - compares crawlfs grep with GNU grep 3.8 over the same texts,
# for patterns by chance (tests/mount/grep_check.py, random).
# SPDX-License-Identifier: GPL-3.0-or-later
#
# usage: grep_equal.sh FOLDER FIRST-LAST [SOURCE...]
#
# FOLDER keeps what is made once: an archive of 20,000 texts, at most 1,200
# bytes of each, first those of the SOURCEs, then of pages that crawlfs-mkcrawl
# makes; its index with a list of words; and the files of a mount of it.  Each
# pattern is made of its number alone, so that several runs can divide them.
: "${CFS_BUILDDIR:=.}" "${CFS_SRCDIR:=$(dirname "$0")/../..}" "${SEED:=1}"
crawlfs=$CFS_BUILDDIR/crawlfs
check() { python3 "$CFS_SRCDIR/tests/mount/grep_check.py" "$@"; }

work=$1 patterns=$2
shift 2
mkdir -p "$work" || exit 2
work=$(cd "$work" && pwd)
LC_ALL=C.UTF-8
export LC_ALL

rows() {
	for source; do
		"$crawlfs" export -q --force --fields=text --order=archive \
			-o "$work/rows.jsonl" "$source" >"$work/log" 2>&1
		cat "$work"/rows.jsonl*
		rm -f "$work"/rows.jsonl*
	done
}

if [ ! -e "$work/tree.list" ]; then
	"$CFS_BUILDDIR/crawlfs-mkcrawl" --warc --bare --records 21000 \
		--page-bytes 2500 --hostile 0 --seed 11 "$work/crawl" \
		>"$work/log" || exit 2
	rows "$@" "$work/crawl" | check texts "$work/pages.warc" 20000 1200 &&
		"$crawlfs" index -q --force --words -o "$work/pages.cfx" \
			"$work/pages.warc" || exit 2
	mkdir -p "$work/mnt" "$work/tree"
	"$crawlfs" mount "$work/pages.warc" "$work/mnt" -o views=txt || exit 2
	(cd "$work/mnt" && find . -type f | sed 's|^\./||' >"$work/tree.tmp" &&
		cp -r . "$work/tree")
	fusermount3 -u "$work/mnt" && mv "$work/tree.tmp" "$work/tree.list" ||
		exit 2
fi
check random "$crawlfs" "$work/pages.cfx" "$work/tree" txt "$patterns" "$SEED"
