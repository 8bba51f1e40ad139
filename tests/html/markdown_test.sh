#!/bin/sh
# markdown_test.sh - .md pages mean what their HTML says, by two renderers of
# Markdown (commonmark.js and markdown-it, installed once a build folder).
# SPDX-License-Identifier: GPL-3.0-or-later
set -u
home=$CFS_BUILDDIR/tests/html/npm
for program in node npm; do
	if ! command -v "$program" >/dev/null 2>&1; then
		echo "SKIP: there is no $program"
		exit 77
	fi
done
if [ ! -d "$home/node_modules/markdown-it" ]; then
	mkdir -p "$home"
	timeout 90 npm install --prefix "$home" --no-audit --no-fund \
		commonmark@0.31.2 markdown-it@14.1.0 parse5@7.2.1 \
		>"$home/npm.log" 2>&1 || rm -rf "$home/node_modules"
fi
if [ ! -d "$home/node_modules/markdown-it" ]; then
	echo "SKIP: npm cannot give commonmark, markdown-it and parse5"
	exit 77
fi
exec node "$CFS_SRCDIR/tests/html/markdown_check.mjs" \
	"$CFS_BUILDDIR/tests/bench/views" "$home/node_modules" 300
