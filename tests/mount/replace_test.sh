#!/bin/sh
# replace_test.sh - mount --replace: a new state of a crawl in place of a mount
# that is in use.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

"$mkcrawl" --records 60 --page-bytes 500 --warc "$T/old" >/dev/null || exit 1
"$mkcrawl" --records 90 --page-bytes 500 --warc --seed 2 "$T/new" >/dev/null ||
	exit 1
mkdir "$T/m"
files() { find "$T/m" -type f | wc -l; }
aside() { find /tmp -maxdepth 1 -name 'crawlfs-??????' -newer "$T/m" | wc -l; }
replace() { timeout 60 "$crawlfs" mount --replace "$@" "$T/m" 2>"$T/err"; }

try "nothing is mounted there: it is mounted" replace "$T/old"
note_mount m
first=$(daemon_of "$T/m")
old=$(files)
page=$(find "$T/m" -type f ! -name '*.meta' ! -name '*.txt' -size +0 | head -n 1)
sum=$(sha1 "$page")
try "without --replace: refused" not "$crawlfs" mount "$T/new" "$T/m"

# no moment is without a mount
(while [ ! -e "$T/stop" ]; do
	stat "$T/m/.crawlfs/version" >/dev/null 2>>"$T/gaps" ||
		echo gap >>"$T/gaps"
done) &
reader=$!
exec 9<"$page"
replace "$T/new" 9<&-	# which the daemon would keep open
status=$?
if [ $status -ne 0 ] && grep -q 'Linux 6.5' "$T/err"; then
	touch "$T/stop"
	wait $reader
	exec 9<&-
	# Holds C1.
	try "an old kernel: the mount is as it was" same "$(sha1 "$page")" "$sum"
	try "unmount" "$crawlfs" umount "$T/m"
	skip "mounts are replaced: $(cat "$T/err")"
	finish
fi
try "in place of another" same $status 0
new=$(files)
try "the new one is seen" test "$new" -gt "$old"
try "it is one mount" same 1 "$(grep -c " $T/m fuse" /proc/self/mounts)"
# Holds C1.
try "what was open stays open" same "$(sha1 - <&9)" "$sum"
exec 9<&-
try "then the old process ends" wait_for has_ended "$first"
for round in 1 2 3 4 5; do
	try "back, $round" replace "$T/old"
	try "the old is seen, $round" same "$(files)" "$old"
	try "and again, $round" replace "$T/new"
	try "the new is seen, $round" same "$(files)" "$new"
done
touch "$T/stop"
wait $reader
# Holds C1.
try "it was there at every moment" not test -s "$T/gaps"
is_alone() { [ "$(daemon_of "$T/m" | wc -l)" -eq 1 ]; }
try "one process is left" wait_for is_alone

# what fails leaves the old one
try "no such source" not replace "$T/nothing"
: >"$T/bad.cfx"
try "an empty file" not replace "$T/bad.cfx"
try "the mount is as it was" same "$(files)" "$new"
try "no folder is left" same "$(aside)" 0

# it ends as other mounts do
note_mount m
now=$(daemon_of "$T/m" | head -n 1)
kill -TERM "$now"
try "SIGTERM ends it" wait_for has_ended "$now"
try "and unmounts" is_unmounted "$T/m"
try "mount" replace "$T/old"
start_front() {
	"$crawlfs" mount -f --replace "$T/new" "$T/m" 2>"$T/err" &
	front=$!
	wait_for has_new
}
has_new() { [ "$(files)" = "$new" ]; }
try "in the foreground" start_front
try "umount ends that" "$crawlfs" umount "$T/m"
try "its process too" wait_for has_ended "$front"
wait "$front"
try "exit status" same $? 0
try "unmounted" is_unmounted "$T/m"
finish
