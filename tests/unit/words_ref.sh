#!/bin/sh
# words_ref.sh - compares lists of words, and what they answer, with those of an
# independent writer and model.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/mount/lib.sh"
dump=$CFS_BUILDDIR/tests/unit/words_dump
ref=$CFS_SRCDIR/tests/words_ref.py

# The same bytes, and the same answers.
agree() {
	"$dump" "$1.texts" "$T/got.cfw" <"$1.queries" >"$T/got" &&
		python3 "$ref" write "$T/want.cfw" <"$1.texts" &&
		cmp "$T/want.cfw" "$T/got.cfw" || return 1
	python3 "$ref" ask "$1.texts" <"$1.queries" >"$T/want" || return 1
	echo "$(grep -c '[0-9]' "$T/want") of $(wc -l <"$T/want") queries found"
	cmp "$T/want" "$T/got" &&
		{ [ ! -s "$1.texts" ] || grep -q "[0-9]" "$T/want"; }
}

# It reads what was written.
readable() {
	python3 "$ref" show "$T/got.cfw" >"$T/shown" && [ -s "$T/shown" ]
}

python3 "$CFS_SRCDIR/tests/unit/words_texts.py" "$T" || exit 1
for f in "$T"/*.texts; do
	name=${f##*/}
	try "${name%.texts}" agree "${f%.texts}"
	try "${name%.texts} read" readable
done
finish
