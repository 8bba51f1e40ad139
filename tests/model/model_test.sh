#!/bin/sh
# model_test.sh - the reference model against examples written by hand, and
# over generated crawls: every capture has exactly one name.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/mount/lib.sh"

# one_name OPTION...: as many raw files as captures that are in the tree.
one_name() {
	python3 "$model/tree_model.py" --views raw "$@" >"$T/tree" || return 1
	python3 "$model/tree_model.py" --path "$@" >"$T/paths" || return 1
	files=$(cut -f3 "$T/tree" | grep -vc -- -)
	captures=$(cut -f3 "$T/paths" | grep -vcx -- -)
	echo "$files files, $captures captures in the tree"
	test "$files" -gt 100 && test "$files" -eq "$captures" &&
		cut -f1 "$T/tree" | sort | uniq -d >"$T/twice" &&
		! test -s "$T/twice"
}

try "the rules' own examples" python3 "$model/tree_model.py" --selftest
for seed in 1 2 3 4; do
	python3 "$model/hostile_urls.py" --seed $seed --count 1500 >"$T/urls"
	for format in arc warc; do
		try "hostile URLs, seed $seed, $format" \
			"$mkcrawl" --$format --urls "$T/urls" --seed $seed \
			--page-bytes 300 "$T/$format$seed"
		try "their bodies" python3 "$model/record_reader.py" check \
			"$T/$format$seed/manifest.tsv"
		try "their names" one_name "$T/$format$seed/manifest.tsv"
	done
	try "their names in a PB-tree" one_name --pbtree \
		"$T/arc$seed/manifest.tsv"
done
finish
