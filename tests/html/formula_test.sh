#!/bin/sh
# formula_test.sh - formulas of .md mean what their MathML says, by KaTeX.
# SPDX-License-Identifier: GPL-3.0-or-later
set -u
. "$CFS_SRCDIR/tests/installed.sh"
npm_packages formula katex@0.16.11 markdown-it@14.1.0 markdown-it-texmath@1.0.0 \
	parse5@7.2.1 || {
	echo "SKIP: katex, markdown-it, texmath and parse5: $install_problem"
	exit 77
}
exec node "$CFS_SRCDIR/tests/html/formula_check.mjs" \
	"$CFS_BUILDDIR/tests/bench/views" "$npm_folder/node_modules" 1000
