#!/bin/sh
# meta2012_test.sh - .meta against the metadata that the crawl of 2012 itself
# published (meta2012.py).
# SPDX-License-Identifier: GPL-3.0-or-later
set -u
rows=$CFS_DATA/metadata2012/common-crawl-quick-hacks/metadata-00000.rows1-50.tsv

if [ ! -f "$rows" ]; then
	echo "SKIP: no real metadata in $CFS_DATA"
	exit 77
fi
if ! command -v python3 >/dev/null; then
	echo "SKIP: no python3"
	exit 77
fi
exec timeout 300 python3 "$CFS_SRCDIR/tests/unit/meta2012.py" \
	"$CFS_BUILDDIR/tests/unit/meta_dump" "$rows" "$CFS_SRCDIR"
