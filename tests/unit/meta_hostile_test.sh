#!/bin/sh
# meta_hostile_test.sh - .meta of hostile pages: time, memory, always JSON
# (meta_hostile.py).
# SPDX-License-Identifier: GPL-3.0-or-later
set -u
if ! command -v python3 >/dev/null; then
	echo "SKIP: no python3"
	exit 77
fi
exec timeout 300 python3 "$CFS_SRCDIR/tests/unit/meta_hostile.py" \
	"$CFS_BUILDDIR/tests/unit/meta_dump" "$CFS_SRCDIR"
