#!/bin/sh
# sizes_test.sh - guessed sizes never show in the bytes that are read.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

# Many files, so that some sizes that were learnt are forgotten again.
"$mkcrawl" --records 2000 --warc --page-bytes 6000 --seed 7 "$T/w" >/dev/null ||
	exit 1
"$crawlfs" index -q --no-views -o "$T/w.cfx" "$T/w" || exit 1

try "mount" start_mount m "$T/w.cfx"
mkdir "$T/copy"
try "cat reads everything" sh -c "
	cd '$T/m' && find . -type d -exec mkdir -p '$T/copy/{}' \; &&
	find . -type f -exec sh -c 'for f; do cat \"\$f\" >\"$T/copy/\$f\" || exit 1; done' sh {} +"
try "so does a fresh mount" remount m "$T/w.cfx"
try "whoever does not ask reads the same" python3 \
	"$CFS_SRCDIR/tests/mount/sizes_check.py" "$T/m" "$T/copy"
try "unmount" stop_mount m
try "sizes that are exact" start_mount m -o size=exact "$T/w.cfx"
try "are those of the bytes" sh -c "
	cd '$T/m' && find . -type f -printf '%s %P\n' | sort >'$T/a'
	cd '$T/copy' && find . -type f -printf '%s %P\n' | sort | cmp - '$T/a'"
try "unmount it" stop_mount m
finish
