#!/bin/sh
# hostile_test.sh - inputs made to cost much more than they are: they are read in
# time, refused in a line, or ended by SIGTERM with nothing left behind.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/mount/lib.sh"
make() { python3 "$here/hostile_inputs.py" "$@"; }
mkdir "$T/tmp"
export TMPDIR=$T/tmp

# ---- JSON: strings of escapes ----

# Of 2 MB each; what took the square of that took minutes.
for kind in metadata pages package; do
	make "json-$kind" 2000000 "$T/$kind.wacz" || exit 1
	try "escapes in $kind are read" \
		timeout 120 "$crawlfs" index -q -o "$T/o.cfx" "$T/$kind.wacz"
done

# ---- SIGTERM ----

# ends NAME FILE: index is sent SIGTERM once it reads the file.
reads() { ls -l "/proc/$started/fd" | grep -q "$1"; }
ends() {
	make "$1" 128 "$T/long.warc.gz" || return 1
	rm -f "$T"/o.cfx*
	start "$crawlfs" index -q -o "$T/o.cfx" "$T/long.warc.gz"
	try "a huge $1 is begun" wait_for reads long.warc.gz
	kill -TERM "$started"
	wait "$started"
	try "a huge $1 ends with SIGTERM" same $? 130
	try "a huge $1 leaves nothing behind" same "" \
		"$(ls -A "$T/tmp"; ls "$T" | grep 'o[.]cfx')"
}
for kind in html feed charset; do ends $kind; done

# ---- what was found once ----

cases=${CFS_DATA:-}/reports3-hostile
right() { CRAWLFS=$crawlfs timeout 300 sh "$cases/$1.sh" >"$T/said"; grep -qx RIGHT "$T/said" || { cat "$T/said"; return 1; }; }
if [ ! -e "$cases/lib.sh" ]; then
	skip "reports3-hostile: there are no samples"
elif ldd "$crawlfs" | grep -q asan; then
	skip "reports3-hostile: its limits are not those of sanitizers"
else
	for name in json-quadratic json-sigterm; do
		try "$name" right $name
	done
fi
finish
