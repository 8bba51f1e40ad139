#!/bin/sh
# seqfile_ref.sh - compares what seqfile.c makes of SequenceFiles, written here
# and real, with what an independent reader makes of them.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/mount/lib.sh"
dump=$CFS_BUILDDIR/tests/unit/seqfile_dump
ref=$CFS_SRCDIR/tests/seqfile_ref.py

# Both print the same.
agree() {
	"$dump" "$1" >"$T/got" 2>"$T/err" && python3 "$ref" dump "$1" >"$T/want" &&
		cmp "$T/want" "$T/got" && [ ! -s "$T/err" ]
}

# A damaged copy: nothing but pairs of the whole file, most of them, and a
# word about it.
most() {
	whole=$T/files/good-${1#*/bad-*-}
	"$dump" "$1" >"$T/got" 2>"$T/err" && complains '^damaged: ' || return 1
	python3 "$ref" dump "$whole" | sort >"$T/want"
	sort "$T/got" | comm -23 - "$T/want" >"$T/extra"
	echo "$(wc -l <"$T/got") of 300 pairs, $(wc -l <"$T/extra") made up"
	[ ! -s "$T/extra" ] && [ "$(wc -l <"$T/got")" -ge 170 ]
}

# A codec that is not there is named.
refused() {
	! "$dump" "$1" >"$T/got" 2>"$T/err" && [ ! -s "$T/got" ] &&
		complains "unsupported: codec '[a-zA-Z.]*$2'"
}

mkdir "$T/files"
python3 "$ref" make "$T/files" || exit 1
for f in "$T"/files/good-*; do
	try "${f##*/}" agree "$f"
done
for f in "$T"/files/bad-*; do
	try "${f##*/}" most "$f"
done

if [ -d "$CFS_DATA/sequencefile" ]; then
	for f in $(find "$CFS_DATA/sequencefile" -type f ! -name '*.crc' | sort); do
		name=${f#"$CFS_DATA/"}
		case $f in
		*_snappy.*) try "$name" refused "$f" SnappyCodec ;;
		*_bzip2.*) try "$name" refused "$f" BZip2Codec ;;
		*_zstd.*) try "$name" refused "$f" ZStandardCodec ;;
		*) try "$name" agree "$f" ;;
		esac
	done
else
	skip "no samples in $CFS_DATA"
fi
finish
