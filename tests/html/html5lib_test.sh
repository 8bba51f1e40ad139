#!/bin/sh
# html5lib_test.sh - the HTML tokenizer against html5lib's tests (html5lib.py
# says which cases do not apply, and why).
# SPDX-License-Identifier: GPL-3.0-or-later
set -u
cases=$CFS_DATA/html5lib-tests/tokenizer
if [ ! -d "$cases" ]; then
	echo "SKIP: no html5lib-tests in $CFS_DATA"
	exit 77
fi
if ! command -v python3 >/dev/null; then
	echo "SKIP: no python3"
	exit 77
fi
exec python3 "$CFS_SRCDIR/tests/html/html5lib.py" \
	"$CFS_BUILDDIR/tests/html/tokens" "$cases"
