#!/bin/sh
# house_test.sh - the source tree keeps the rules of HACKING (house.py).
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/mount/lib.sh"

python3 "$CFS_SRCDIR/tests/house/house.py" "$CFS_SRCDIR" "$CFS_BUILDDIR" \
	>"$T/faults" 2>"$T/err"
while IFS= read -r line; do
	case $line in
	ok:*) ok "${line#ok: }" ;;
	*) fail "${line#FAILED: }" ;;
	esac
done <"$T/faults"
try "the checks themselves do not fail" not test -s "$T/err"

# ---- a file says what it is ----

# Each check reads all of the tree: so this one has the files of three folders.
tree=$T/tree
(cd "$CFS_SRCDIR" && find cache fuse src -type d) |
	sed "s|^|$tree/|" | xargs mkdir -p
(cd "$CFS_SRCDIR" && tar cf - HACKING contrib doc src/base src/codec src/url \
	tests/house) |
	(cd "$tree" && tar xf - && chmod -R u+w .)
try "the list of files has the first sentence of one" sh -c \
	'python3 "$0/contrib/filemap" "$0" | grep "^    buf.\[ch\] .*buffer"' \
	"$tree"
sed -i '1s/.*/\/* A buffer./' "$tree/src/base/buf.h"
python3 "$CFS_SRCDIR/tests/house/house.py" "$tree" >"$T/faults"
try "a file that does not say what it is is a fault" \
	grep "^FAILED: buf.\[ch\] does not say what it is" "$T/faults"

# ---- conditional operators ----

# Adds a function that returns $1 to a file of the copy, and checks that.
adds() {
	cp "$CFS_SRCDIR/src/base/text.c" "$tree/src/base/text.c"
	printf '\nstatic int added(int a)\n{\n\treturn %s;\n}\n' "$1" \
		>>"$tree/src/base/text.c"
	python3 "$tree/tests/house/house.py" "$tree" >"$T/faults"
}

sed -i 's/^TERNARY_PAIRS_MAX = .*/TERNARY_PAIRS_MAX = 0/' \
	"$tree/tests/house/house.py"
adds "a == 1 ? 1 : a == 2 ? 2 : a == 3 ? 3 : 4"
try "a statement with three '?' is a fault" \
	grep "^FAILED: src/base/text.c:[0-9]*: a statement with 3 '?'" "$T/faults"
adds "a == 1 ? 1 : a == 2 ? 2 : 3"
try "one with two counts against a maximum" \
	grep "^FAILED: [0-9]* statements with two '?', more than 0" "$T/faults"
try "--report says where it is" sh -c 'python3 "$0/tests/house/house.py" \
	--report "$0" | grep "^two .* in a statement: src/base/text.c:"' "$tree"
adds "a == '?' ? \"?\"[0] : '?' /* ? */"
try "a '?' in a string, a character or a comment does not count" sh -c \
	'! python3 "$0/tests/house/house.py" --report "$0" |
		grep "in a statement: src/base/text.c:"' "$tree"

# ---- comments ----

# Adds a comment to a file of the copy, and checks that.
comments() {
	cp "$CFS_SRCDIR/src/base/text.c" "$tree/src/base/text.c"
	printf '\n/* %s */\n' "$1" >>"$tree/src/base/text.c"
	python3 "$tree/tests/house/house.py" "$tree" >"$T/faults"
}

for comment in "Of two texts the longer one." "who calls it" \
	"What there is.  Is it?"; do
	comments "$comment"
	try "a comment without a subject is a fault: $comment" \
		grep "^FAILED: src/base/text.c:[0-9]*: a comment begins with" \
		"$T/faults"
done
comments "What if there is none?"
try "a question is not" not grep "a comment begins with" "$T/faults"

# ---- what nothing uses ----

cp "$CFS_SRCDIR/src/base/text.c" "$tree/src/base/text.c"
printf '\n#define USED_BY_NOBODY 1\n/* USED_BY_NOBODY */\n' >>"$tree/src/base/text.c"
printf '\nint cfs_alone(int a)\n{\n\treturn a ? cfs_alone(0) : 0;\n}\n' \
	>>"$tree/src/base/text.c"
sed -i 's/^#endif$/int cfs_left_over(int a);\nint cfs_alone(int a);\n\n&/' \
	"$tree/src/base/text.h"
python3 "$tree/tests/house/house.py" "$tree" >"$T/faults"
try "a macro that nothing uses is a fault" \
	grep "^FAILED: src/base/text.c: nothing uses USED_BY_NOBODY" "$T/faults"
try "so is a function" \
	grep "^FAILED: src/base/text.h: nothing calls cfs_left_over" "$T/faults"
try "and one that only its own file uses" \
	grep "^FAILED: src/base/text.h: only one file uses cfs_alone" "$T/faults"
cp "$CFS_SRCDIR/src/base/text.c" "$CFS_SRCDIR/src/base/text.h" "$tree/src/base/"

# ---- headers with one user ----

for file in url/path.c codec/gzip.c; do
	printf '#ifndef CFS_LONE_H\n#define CFS_LONE_H\n#endif\n' \
		>"$tree/src/base/lone.h"
	sed -i '0,/^#include "/s//#include "base\/lone.h"\n&/' "$tree/src/$file"
	python3 "$tree/tests/house/house.py" --report "$tree" >"$T/$(basename $file)"
done
try "a header with one user is reported" \
	grep "at most one user: src/base/lone.h (src/url/path.c)" "$T/path.c"
try "one with two is not" not grep "src/base/lone.h" "$T/gzip.c"
sed -i 's/^LONE_HEADERS_MAX = .*/LONE_HEADERS_MAX = 0/' \
	"$tree/tests/house/house.py"
python3 "$tree/tests/house/house.py" "$tree" >"$T/faults"
try "they count against a maximum" \
	grep "^FAILED: [0-9]* headers with at most one user, more than 0: " \
	"$T/faults"
finish
