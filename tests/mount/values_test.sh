#!/bin/sh
# values_test.sh - crawlfs export: URLs that are not UTF-8, control characters,
# fractions of seconds, in every format and order.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/mount/lib.sh"

export XDG_CACHE_HOME="$T/cache"
python_cases "$here/values_check.py" "$crawlfs" "$T/w"
finish
