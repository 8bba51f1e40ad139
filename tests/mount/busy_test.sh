#!/bin/sh
# busy_test.sh - hostile pages, read by many at once, keep nobody else waiting.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

mkdir "$T/pages"
python3 "$here/busy_helper.py" make "$T/pages" 10 || exit 1
"$crawlfs" index -q --no-views -o "$T/estimates.cfx" "$T/pages" || exit 1

# busy NAME OPTION...: small pages come while text and metadata of hostile ones
# are made, which OPEN, LOOKUP or READ waits for
busy() {
	busy_name=$1
	shift
	try "mount: $busy_name" start_mount m "$@"
	for view in txt meta; do
		# Holds I3, P5.
		try "small pages come meanwhile: .$view, $busy_name" \
			python3 "$here/busy_helper.py" read "$T/m" $view
		grep "^\.$view" "$T/case.log"
	done
}
busy "files are opened" "$T/estimates.cfx"
try "ends well" stop_mount m
busy "sizes are measured, by one thread" -o size=exact,threads=1 \
	"$T/estimates.cfx"
try "ends well" stop_mount m
busy "the index has the sizes" "$T/pages"
try "ends well" stop_mount m
try "mount" start_mount m "$T/pages"
python3 "$here/busy_helper.py" start "$T/m" meta 2>/dev/null
kill -TERM "$(pid_of m)"
try "ends while pages are made" ended_with 0 "$(pid_of m)"
finish
