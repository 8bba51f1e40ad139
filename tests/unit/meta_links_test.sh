#!/bin/sh
# meta_links_test.sh - links and meta tags of real pages, against Python's
# reader (meta_links.py).
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/mount/lib.sh"
pages=$CFS_DATA/textextract/article-extraction-benchmark

[ -d "$pages" ] || skip_all "no real pages in $CFS_DATA"
python3 "$CFS_SRCDIR/tests/unit/meta_links.py" \
	"$CFS_BUILDDIR/tests/unit/meta_dump" "$pages"
