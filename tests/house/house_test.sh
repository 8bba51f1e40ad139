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
finish
