#!/bin/sh
# operands_test.sh - operands that name nothing, and answers that are empty, in
# every command that takes them.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/mount/lib.sh"

export XDG_CACHE_HOME="$T/cache"
python_cases "$here/operands_check.py" "$crawlfs" "$T/w"
finish
