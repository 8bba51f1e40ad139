#!/bin/sh
# hung_test.sh - commands on a mount whose process is stopped say so and end.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

"$mkcrawl" --records 30 --page-bytes 500 --warc "$T/c" >/dev/null || exit 1
source=$T/c
mkdir "$T/m"
ln -s "$T/s" "$T/link"
# soon STATUS COMMAND...: it ends by itself, and says something about silence
soon() {
	soon_status=$1
	shift
	status "$soon_status" timeout 60 "$@" || return 1
	complains "does not answer"
}
stopped() { grep -q '^State:.T' "/proc/$1/status"; }
hold() {	# hold NAME: stops the daemon
	freeze "$(pid_of "$1")"
	wait_for stopped "$(pid_of "$1")"
}

try "mounts" start_mount s "$source"
file=$(find "$T/s" -type f | sed -n 3p)
dir=$(dirname "$file")
url=$("$crawlfs" url "$file")
try "url by a link" same "$("$crawlfs" url "$T/link${file#"$T/s"}")" "$url"
hold s
try "mount" soon 1 "$crawlfs" mount "$source" "$T/s"
# Holds I21.
try "mount says how" complains "crawlfs umount"
try "mount by a link" soon 1 "$crawlfs" mount "$source" "$T/link/"
# Holds I21.
try "mount --replace" soon 1 "$crawlfs" mount --replace "$source" "$T/s"
try "mount below it" soon 1 "$crawlfs" mount "$source" "$dir"
# Holds I21.
try "url of a file" soon 1 "$crawlfs" url "$file"
try "url by a link" soon 1 "$crawlfs" url "$T/link${file#"$T/s"}"
try "it is as it was" is_mounted "$T/s"
kill -CONT "$(pid_of s)"
try "going on, it serves" same "$("$crawlfs" url "$file")" "$url"
hold s
try "umount" soon 0 "$crawlfs" umount "$T/s/"
try "nothing is mounted" is_unmounted "$T/s"
try "another mount takes its place" timeout 60 "$crawlfs" mount "$source" "$T/s"
try "and serves" same "$("$crawlfs" url "$file")" "$url"
kill -CONT "$(pid_of s)"
try "the old one ends" ended_with 0 "$(pid_of s)"
note_mount s
"$crawlfs" umount "$T/s"

try "mounts" start_mount s "$source"
exec 8<"$file"
hold s
try "umount in use, by a relative path" sh -c 'cd "$1" && timeout 60 "$2" \
	umount ./m/../s 2>"$1/err" && grep -q "does not answer" "$1/err"' \
	sh "$T" "$crawlfs"
try "nothing is mounted" is_unmounted "$T/s"
exec 8<&-
kill -CONT "$(pid_of s)"
try "it ends" ended_with 0 "$(pid_of s)"

# Other mounts are not disturbed, nor commands on them.
try "mounts" start_mount s "$source"
try "mounts another one" start_mount t "$source"
hold s
try "url in the other one" timeout 60 "$crawlfs" url "$T/t${file#"$T/s"}"
try "umount of it" timeout 60 "$crawlfs" umount "$T/t"
kill -CONT "$(pid_of s)"
try "ends well" stop_mount s
finish
