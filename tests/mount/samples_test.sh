#!/bin/sh
# samples_test.sh - every real sample mounted, against the independent reader.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

[ -d "$CFS_DATA/arc" ] || skip_all "no real samples in CFS_DATA"

# one FILE MUST: mounts it and compares.  MUST no: what the independent
# reader cannot read either only has to be refused or served without harm.
one() {
	name=${1#"$CFS_DATA/"}
	rm -rf "$T/mounts/m" "$T/m.log"
	if start_mount m "$1" >"$T/start.log" 2>&1; then
		try "$name" check sample --$2 "$1" "$T/m"
		try "$name: the daemon ends well" stop_mount m
		return
	fi
	wait "$mount_pid"
	status=$?
	rm -f "$T/mounts/m"
	if [ "$status" -ne 1 ] || ! no_report m || [ ! -s "$T/m.log" ]; then
		fail "$name: not mounted, status $status"
		tail -n 30 "$T/m.log"
	elif check sample --nothing "$1" "$T" >"$T/case.log"; then
		ok "$name: refused, with nothing in it"
	else
		fail "$name: refused: $(tail -n 1 "$T/m.log")"
		cat "$T/case.log"
	fi
}

find "$CFS_DATA/arc" "$CFS_DATA/warc" -type f | sort >"$T/good"
# Judged by hand: heads that are none to the letter, where the reader above
# takes all for the body.  NAME, PATH, and a command that makes the body.
judged() {
	try "$1 mounts" start_mount m "$CFS_DATA/$1"
	shift_path=$2
	shift 2
	"$@" >"$T/want"
	try "${shift_path##*/}: head and body told apart" cmp "$T/want" \
		"$T/m/$shift_path"
	try "the daemon ends well" stop_mount m
}
body_of_hello() { tail -c 33 "$CFS_DATA/arc/webarchive/hello-world.arc" | head -c 31; }
while read -r file <&3; do
	case $file in
	*/hello-world.arc|*/negative_content_length.arc.gz) ;;
	*/jhove/invalid-*) one "$file" bad ;;
	*) one "$file" good ;;
	esac
done 3<"$T/good"
judged arc/webarchive/hello-world.arc edu/dryswamp/www/_/index.html body_of_hello
judged arc/CDX-Writer/negative_content_length.arc.gz \
	com/diggheadlines/_/robots.txt true
find "$CFS_DATA/malformed" -type f \( -name '*arc*' -o -name '*.wet.gz' \) |
	sort >"$T/bad"
while read -r file <&3; do
	one "$file" bad
done 3<"$T/bad"
try "there were samples" test "$(cat "$T/good" "$T/bad" | wc -l)" -gt 20
finish
