#!/bin/sh
# model_test.sh - the reference model against examples written by hand, and
# over generated crawls: every capture has exactly one name.
# SPDX-License-Identifier: GPL-3.0-or-later
set -u
export PYTHONDONTWRITEBYTECODE=1
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }
mkcrawl=$CFS_BUILDDIR/crawlfs-mkcrawl
model=$CFS_SRCDIR/tests/model
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0

try() {
	name=$1
	shift
	if "$@" >"$dir/log" 2>&1; then
		echo "ok: $name"
	else
		failed=$((failed + 1))
		echo "FAILED: $name"
		tail -n 20 "$dir/log"
	fi
}

# one_name OPTION...: as many raw files as captures that are in the tree.
one_name() {
	python3 "$model/tree_model.py" --views raw "$@" >"$dir/tree" || return 1
	python3 "$model/tree_model.py" --path "$@" >"$dir/paths" || return 1
	files=$(cut -f3 "$dir/tree" | grep -vc -- -)
	captures=$(cut -f3 "$dir/paths" | grep -vcx -- -)
	echo "$files files, $captures captures in the tree"
	test "$files" -gt 100 && test "$files" -eq "$captures" &&
		cut -f1 "$dir/tree" | sort | uniq -d >"$dir/twice" &&
		! test -s "$dir/twice"
}

try "the rules' own examples" python3 "$model/tree_model.py" --selftest
for seed in 1 2 3 4; do
	python3 "$model/hostile_urls.py" --seed $seed --count 1500 >"$dir/urls"
	for format in arc warc; do
		try "hostile URLs, seed $seed, $format" \
			"$mkcrawl" --$format --urls "$dir/urls" --seed $seed \
			--page-bytes 300 "$dir/$format$seed"
		try "their bodies" python3 "$model/record_reader.py" check \
			"$dir/$format$seed/manifest.tsv"
		try "their names" one_name "$dir/$format$seed/manifest.tsv"
	done
	try "their names in a PB-tree" one_name --pbtree \
		"$dir/arc$seed/manifest.tsv"
done
exit $((failed > 0))
