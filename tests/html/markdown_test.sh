#!/bin/sh
# markdown_test.sh - .md pages mean what their HTML says, by two renderers of
# Markdown (commonmark.js and markdown-it).
# SPDX-License-Identifier: GPL-3.0-or-later
set -u
. "$CFS_SRCDIR/tests/installed.sh"
npm_packages markdown commonmark@0.31.2 markdown-it@14.1.0 parse5@7.2.1 || {
	echo "SKIP: commonmark, markdown-it and parse5: $install_problem"
	exit 77
}
exec node "$CFS_SRCDIR/tests/html/markdown_check.mjs" \
	"$CFS_BUILDDIR/tests/bench/views" "$npm_folder/node_modules" 300
