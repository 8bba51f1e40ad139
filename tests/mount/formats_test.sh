#!/bin/sh
# formats_test.sh - the table of crawlfs-index(1): every input, written in every
# format, as independent readers find it.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/mount/lib.sh"

# Holds I23.
python_cases "$here/formats_check.py" "$crawlfs" "$T"
finish
