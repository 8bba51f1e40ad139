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

# ---- the list of files can be wrong ----

tree=$T/tree
mkdir "$tree"
(cd "$CFS_SRCDIR" && tar cf - HACKING cache contrib doc fuse src tests/house) |
	(cd "$tree" && tar xf - && chmod -R u+w .)
sed -i '1s/ - .*/ - something else./' "$tree/src/base/buf.h"
python3 "$CFS_SRCDIR/tests/house/house.py" "$tree" >"$T/faults"
try "a sentence that HACKING's list does not have is a fault" \
	grep "^FAILED: HACKING's list lacks 'buf.\[ch\] *something else'" "$T/faults"
try "contrib/filemap puts it there" \
	python3 "$tree/contrib/filemap" --write "$tree"
python3 "$CFS_SRCDIR/tests/house/house.py" "$tree" >"$T/faults"
try "which is right then" not grep "HACKING's list" "$T/faults"
finish
