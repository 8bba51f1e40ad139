#!/bin/sh
# reports_test.sh - what other people's bug reports are about: archives, mounts,
# servers, attacks.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

[ -d "${CFS_DATA:-/nonexistent}/reports3" ] ||
	skip_all "no archives of bug reports in CFS_DATA"

archive() {
	rm -rf "$T/scratch"
	mkdir "$T/scratch"
	timeout 300 python3 "$here/reports_check.py" row "$CFS_DATA" "$1" \
		"$crawlfs" "$T/scratch"
	archive_status=$?
	detach "$T/scratch/mnt" 2>/dev/null
	return $archive_status
}
python3 "$here/reports_check.py" list "$CFS_DATA" >"$T/files"
while read -r file <&3; do
	# Holds B3, B6.
	try "$file" archive "$file"
done 3<"$T/files"

# scenario FOLDER/NAME: a script that prints RIGHT or WRONG as its last line.
scenario() {
	CRAWLFS=$crawlfs timeout 300 sh "$CFS_DATA/$1.sh" </dev/null \
		>"$T/scenario" 2>&1
	cat "$T/scenario"
	same "$(tail -n 1 "$T/scenario")" RIGHT
}
for file in "$CFS_DATA"/reports3-servers/*.sh "$CFS_DATA"/reports3-hostile/*.sh; do
	name=${file#"$CFS_DATA/"}
	case ${name##*/} in
	lib.sh|\*.sh) ;;
	overlay-estimates.sh)	# S2: an overlay takes a mount with size=exact
		skip "$name: estimates below an overlay (callers_test has it)" ;;
	nested-wacz.sh)	# limits the address space
		if [ "$(ldd "$crawlfs" | grep -c asan)" != 0 ]; then
			skip "$name: a sanitizer needs more than it allows"
		else
			try "$name" scenario "${name%.sh}"
		fi ;;
	*) try "$name" scenario "${name%.sh}" ;;
	esac
done
try "there were archives" test -s "$T/files"
finish
