#!/bin/sh
# samples_test.sh - crawlfs serve shows every byte of real samples as a mount
# does.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=root
. "$CFS_SRCDIR/tests/serve/lib.sh"

[ -d "$CFS_DATA/warc" ] || skip_all "no samples in $CFS_DATA"
SAMPLE_MAX=3000000	# bytes; with sanitizers longer ones take minutes
SOURCES_MAX=32
set --
for sample in "$CFS_DATA"/warc/*/* "$CFS_DATA"/warczst/* "$CFS_DATA"/arc/* \
	"$CFS_DATA"/wacz/* "$CFS_DATA"/wet/*; do
	[ $# -lt $SOURCES_MAX ] || break
	[ -f "$sample" ] && [ "$(stat -c %s "$sample")" -lt $SAMPLE_MAX ] || continue
	"$crawlfs" ls "$sample" 2>/dev/null | grep -q . || continue
	set -- "$@" "$sample"
done
[ $# -gt 1 ] || skip_all "no small samples in $CFS_DATA"
try "$# samples are mounted" start_mount all "$@"
try "and served" start_server all "$@"
try "all names and bytes are the mount's" ask mount "$url" "$T/all"
try "the server ends" stop_server all
try "the mount ends" stop_mount all
finish
