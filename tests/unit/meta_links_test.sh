#!/bin/sh
# meta_links_test.sh - links and meta tags of real pages, against Python's
# reader (meta_links.py).
# SPDX-License-Identifier: GPL-3.0-or-later
set -u
pages=$CFS_DATA/textextract/article-extraction-benchmark

if [ ! -d "$pages" ]; then
	echo "SKIP: no real pages in $CFS_DATA"
	exit 77
fi
if ! command -v python3 >/dev/null; then
	echo "SKIP: no python3"
	exit 77
fi
exec timeout 300 python3 "$CFS_SRCDIR/tests/unit/meta_links.py" \
	"$CFS_BUILDDIR/tests/unit/meta_dump" "$pages"
