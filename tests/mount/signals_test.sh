#!/bin/sh
# signals_test.sh - signals whose default is death, and files that may not grow:
# commands and mounts end cleanly, and leave nothing behind.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

"$mkcrawl" --records 300 --page-bytes 500 --warc "$T/c" >/dev/null || exit 1
source=$T/c
mkdir "$T/d" "$T/m"
signals="TERM INT HUP QUIT USR1 USR2 ALRM XCPU VTALRM PROF IO PWR"
under() { timeout 100 python3 "$here/signals_check.py" "$@" >"$T/said"; }
said() { same "$(cat "$T/said")" "$1"; }
sums() {
	find "$1" -type f | sort | tr '\n' '\0' | xargs -0 cat | sha1sum
}
nothing_in() { same "$(find "$1" ! -type d)" ""; }

# ---- while a command works ----

interrupted="130
crawlfs: interrupted"
for signal in $signals; do
	under signal $signal 1 "$crawlfs" index -q -o "$T/d/x.cfx" "$source" @
	# Holds I20.
	try "index, SIG$signal" said "$interrupted"
	try "index, SIG$signal: nothing is left" nothing_in "$T/d"
done
for signal in QUIT USR1 XCPU; do
	under signal $signal 1 "$crawlfs" ls "--cache=$T/d/cache" @
	try "ls, SIG$signal" said "$interrupted"
	under signal $signal 1 "$crawlfs" mount @ "$T/m"
	try "mount, SIG$signal" said "$interrupted"
	try "mount, SIG$signal: nothing is mounted" is_unmounted "$T/m"
	under signal $signal 1 "$crawlfs" mount -f @ "$T/m"
	try "mount -f, SIG$signal" said "$interrupted"
done
under signal XCPU 9 "$crawlfs" index -q -o "$T/d/x.cfx" "$source" @
try "a limit of CPU time that was reached some time ago" said "$interrupted"
try "nothing is left" nothing_in "$T/d"

# ---- while a mount stands ----

for signal in $signals; do
	python3 "$here/signals_check.py" run "$crawlfs" mount "$source" "$T/m"
	note_mount m
	kill -$signal "$(daemon_of "$T/m")"
	# Holds I20.
	try "SIG$signal ends a mount" wait_for daemon_ended "$T/m"
	try "SIG$signal unmounts" is_unmounted "$T/m"
done

# ---- files that may not grow ----

one_line() {	# a failure, told in one line
	[ "$(sed -n 1p "$T/said")" = 1 ] && [ "$(wc -l <"$T/said")" = 2 ] &&
		grep -q '^crawlfs: .*File too large' "$T/said" && return
	cat "$T/said"
	return 1
}
"$crawlfs" index -q -o "$T/c.cfx" "$source" || exit 1
start_mount s "$T/c.cfx" || exit 1
sums=$(sums "$T/s")
stop_mount s
for bytes in 0 1 5000; do
	for format in cfx cdxj zipnum; do
		under limit $bytes "$crawlfs" index -q --format=$format \
			-o "$T/d/@.$format" "$source"
		try "index of $format, $bytes bytes" one_line
	done
	# Holds I20.
	try "index, $bytes bytes: nothing is left" nothing_in "$T/d"
done
under limit 0 "$crawlfs" index -q --part=1/2 -o "$T/d/@.part" "$source"
try "a part of an index" one_line
for bytes in 0 20; do
	under limit $bytes "$crawlfs" verify -q --report="$T/d/r" "$source"
	try "verify, $bytes bytes" one_line
	try "verify, $bytes bytes: nothing is left" nothing_in "$T/d"
done
# What is not a whole record cannot be resumed, what is there is not touched.
for bytes in 0 20 300 5000; do
	under limit $bytes "$crawlfs" copy -q -o "$T/d/c.warc.gz" "$T/c.cfx" /
	try "copy, $bytes bytes" one_line
	try "copy, $bytes bytes: nothing is left" nothing_in "$T/d"
done
printf 'somebody' >"$T/d/c.warc.gz.part"
under limit 20 "$crawlfs" copy -q -o "$T/d/c.warc.gz" "$T/c.cfx" /
try "a file in the way of a copy" grep -q 'is in the way' "$T/said"
try "is what it was" same somebody "$(cat "$T/d/c.warc.gz.part")"
rm -f "$T/d/c.warc.gz.part"
try "nothing is beside it" nothing_in "$T/d"
# An index that cannot be kept, or be in any file, is done without.
start_mount first -o "cache=$T/kept" "$source" || exit 1
warned() {	# warned FILE: one line of it is a warning, and it has no other
	[ "$(wc -l <"$1")" = 1 ] &&
		grep -q '^crawlfs: warning: .*: File too large: the index is not kept$' "$1" && return
	cat "$1"
	return 1
}
"$crawlfs" ls --cache="$T/kept" "$source" >"$T/want"
try "its tree" test -s "$T/want"
for bytes in 0 20 5000; do
	under limit $bytes "$crawlfs" ls --cache="$T/d/ls" "$source"
	try "ls at first use, $bytes bytes" said 0
done
sh -c 'ulimit -f 0; exec "$@"' sh "$crawlfs" ls --cache="$T/d/ls" "$source" 2>&1 |
	cat >"$T/both"
grep '^crawlfs: ' "$T/both" >"$T/warnings"
try "one warning" warned "$T/warnings"
grep -v '^crawlfs: ' "$T/both" >"$T/got"
try "the same tree" cmp "$T/got" "$T/want"
under limit 0 "$crawlfs" copy -q --cache="$T/d/copy" -o "$T/d/c.warc.gz" \
	"$source" /
try "copy at first use" one_line
under limit 0 "$crawlfs" mount -q -o "cache=$T/d/mount" "$source" "$T/m"
try "mount at first use" said 0
note_mount m
try "it serves" same "$(sums "$T/m")" "$(sums "$T/first")"
try "it ends" "$crawlfs" umount "$T/m"
stop_mount first
try "nothing is left" nothing_in "$T/d"
under limit 0 "$crawlfs" mount -q -o "cache=$T/d/mount" "$T/c.cfx" "$T/m"
# Holds I20.
try "a mount that need not write" said 0
note_mount m
try "serves" same "$(sums "$T/m")" "$sums"
try "ends" "$crawlfs" umount "$T/m"

finish
