#!/bin/sh
# textscore.sh - the .txt view against texts that people chose, and against
# other extractors (textscore.py prints the table and knows the floor).
# SPDX-License-Identifier: GPL-3.0-or-later
set -u
data=$CFS_DATA/textextract/article-extraction-benchmark
if [ ! -e "$data/ground-truth.json" ]; then
	echo "SKIP: no article pages in $CFS_DATA"
	exit 77
fi
if ! command -v python3 >/dev/null; then
	echo "SKIP: no python3"
	exit 77
fi
exec python3 "$CFS_SRCDIR/tests/textscore.py" \
	"$CFS_BUILDDIR/tests/bench/views" "$data"
