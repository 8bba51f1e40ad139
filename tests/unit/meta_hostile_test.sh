#!/bin/sh
# meta_hostile_test.sh - .meta of hostile pages: time, memory, always JSON
# (meta_hostile.py).
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/mount/lib.sh"
python3 "$CFS_SRCDIR/tests/unit/meta_hostile.py" \
	"$CFS_BUILDDIR/tests/unit/meta_dump" "$CFS_SRCDIR"
