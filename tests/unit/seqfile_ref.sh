#!/bin/sh
# seqfile_ref.sh - compares what seqfile.c makes of SequenceFiles, written here
# and real, with what an independent reader makes of them.
# SPDX-License-Identifier: GPL-3.0-or-later
set -u
dump=$CFS_BUILDDIR/tests/unit/seqfile_dump
ref=$CFS_SRCDIR/tests/seqfile_ref.py
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0
compared=0

fail() {
	echo "FAIL: $*"
	failed=1
}

# Both must print the same.
same() {
	timeout 60 "$dump" "$1" >"$tmp/got" 2>"$tmp/err" || fail "status of $1"
	python3 "$ref" dump "$1" >"$tmp/want" || fail "the reference and $1"
	cmp "$tmp/want" "$tmp/got" && [ ! -s "$tmp/err" ] || fail "$1"
	compared=$((compared + 1))
}

# A damaged copy: nothing but pairs of the whole file, most of them, and a
# word about it.
most() {
	whole=$tmp/files/good-${1#*/bad-*-}
	timeout 60 "$dump" "$1" >"$tmp/got" 2>"$tmp/err" || fail "status of $1"
	grep -q '^damaged: ' "$tmp/err" || fail "no damage told: $1"
	python3 "$ref" dump "$whole" | sort >"$tmp/want"
	sort "$tmp/got" | comm -23 - "$tmp/want" >"$tmp/extra"
	[ ! -s "$tmp/extra" ] || fail "made-up pairs in $1"
	[ "$(wc -l <"$tmp/got")" -ge 170 ] || fail "$(wc -l <"$tmp/got") of 300 pairs in $1"
	compared=$((compared + 1))
}

# A codec that is not there is named.
refused() {
	"$dump" "$1" >"$tmp/got" 2>"$tmp/err" && fail "$1 was taken"
	grep -q "unsupported: codec '[a-zA-Z.]*$2'" "$tmp/err" || fail "$1: $(cat "$tmp/err")"
	[ ! -s "$tmp/got" ] || fail "pairs from $1"
	compared=$((compared + 1))
}

mkdir "$tmp/files"
python3 "$ref" make "$tmp/files" || exit 1
for f in "$tmp"/files/good-*; do
	same "$f"
done
for f in "$tmp"/files/bad-*; do
	most "$f"
done

if [ -d "$CFS_DATA/sequencefile" ]; then
	for f in $(find "$CFS_DATA/sequencefile" -type f ! -name '*.crc' | sort); do
		case $f in
		*_snappy.*) refused "$f" SnappyCodec ;;
		*_bzip2.*) refused "$f" BZip2Codec ;;
		*_zstd.*) refused "$f" ZStandardCodec ;;
		*) same "$f" ;;
		esac
	done
else
	echo "SKIP: no samples in $CFS_DATA"
fi
echo "$compared files compared"
exit $failed
