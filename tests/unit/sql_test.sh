#!/bin/sh
# sql_test.sh - runs sql_test with DuckDB's library, or without it.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/mount/lib.sh"

find_duckdb || echo "SKIP: most of it: $install_problem"
"$CFS_BUILDDIR/tests/unit/sql_test"
