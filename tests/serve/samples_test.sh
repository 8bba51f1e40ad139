#!/bin/sh
# samples_test.sh - crawlfs serve shows every byte of real samples as a mount
# does.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=root
ABSENT=error	# as serve answers
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
# sums FOLDER: SHA-1 and name of every file that can be read
sums() (
	cd "$1" || exit
	find . -type f ! -path './.crawlfs/*' ! -path './lost+found/*' \
		-print0 | sort -z | xargs -0 sha1sum 2>/dev/null
)
same_sums() { sums "$1" >"$T/other.sums"; diff "$T/all.sums" "$T/other.sums"; }
copies() {
	rclone --config /dev/null copy --retries 1 \
		--low-level-retries 1 \
		":webdav,url='${url}dav/':" "$T/copied"
	same_sums "$T/copied"
}
sums "$T/all" >"$T/all.sums"
if has_program rclone; then
	try "rclone copies the same bytes" copies
else
	skip "rclone: it is not installed"
fi
if has_davfs; then
	try "davfs2 mounts" davfs "${url}dav/" "$T/dav"
	try "davfs2 shows the same bytes" same_sums "$T/dav"
	try "davfs2 ends" undavfs "$T/dav"
else
	skip "davfs2: it is not installed, or cannot mount here"
fi
try "the server ends" stop_server all
try "the mount ends" stop_mount all
finish
