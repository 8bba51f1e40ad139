#!/bin/sh
# meta2012_test.sh - .meta against the metadata that the crawl of 2012 itself
# published (meta2012.py).
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/mount/lib.sh"
rows=$CFS_DATA/metadata2012/common-crawl-quick-hacks/metadata-00000.rows1-50.tsv

[ -f "$rows" ] || skip_all "no real metadata in $CFS_DATA"
python3 "$CFS_SRCDIR/tests/unit/meta2012.py" \
	"$CFS_BUILDDIR/tests/unit/meta_dump" "$rows" "$CFS_SRCDIR"
