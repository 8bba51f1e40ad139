#!/bin/sh
# golden_test.sh - what views contain has a version, which changes when they do.
#
# Sizes of views that an index keeps are those of this version: one that changes
# without it would make mounts show wrong sizes.  To make golden.tsv anew:
#
#     GOLDEN=tests/mount/golden.tsv, and CFS_SRCDIR and CFS_BUILDDIR as make sets
#     them, sh tests/mount/golden_test.sh
#
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

golden() { python3 "$here/golden_pages.py" "$@"; }
version=$(sed -n 's/^#define CFS_VIEW_VERSION \([0-9]*\).*/\1/p' \
	"$CFS_SRCDIR/src/view/view.h")

mkdir "$T/d"
try "made" golden make "$T/d/golden.warc.gz"
try "mounts" start_mount m -o views=raw:txt:meta:md:headers "$T/d/golden.warc.gz"
if [ -n "${GOLDEN-}" ]; then
	golden print "$T/m" "$version" >"$GOLDEN"
fi
try "views are those of their version" golden compare "$T/m" "$version" \
	"$here/golden.tsv"
try "a view that is not is told" sh -c 'sed "/^data.json.txt/s/\t.*/\t0/" "$1" >"$2"' - \
	"$here/golden.tsv" "$T/golden.tsv"
try "a view that is not is told: refused" not golden compare "$T/m" "$version" \
	"$T/golden.tsv"
try "another version of the same views: refused" not golden compare "$T/m" \
	$((version + 1)) "$here/golden.tsv"
try "ends well" stop_mount m
finish
