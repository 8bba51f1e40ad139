#!/bin/sh
# soak_test.sh - a short soak test, and whether it would find what is wrong.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/soak/lib.sh"

soak_prepare 150 11 || skip_all "no crawl or no server"
# short ARGUMENT...: faults follow each other quickly.
short() {
	soak --seed 11 --quiet 5-60 --faulty 5-60 --fault-seconds 1 \
		--operations 3000 "$@" >"$T/soak.out" 2>&1
}
says() {	# says PATTERN: a line of what the run said
	grep -qE "$1" "$T/soak.out" || { cat "$T/soak.out"; return 1; }
}
sound() {
	short "$@" && says "^0 violations" && return
	cat "$T/soak.out"
	grep -E '^VIOLATION|Error' "$T/soak.out" | head -n 9
	return 1
}
# finds SENTENCE ARGUMENT...: a run that must fail, with that violation
finds() {
	finds_what=$1
	shift
	not short "$@" && says "^VIOLATION.*($finds_what)"
}

try "3000 operations under faults" sound
grep -E '^(seed|#)' "$T/soak.out"
silent_sound() {
	sound --lie silent --mounts data --no-faults &&
		says '^faultd was silent +[1-9][0-9]* +[1-9]'
}
try "a server that is silent by itself is told from that" silent_sound
try "a wrong byte of the model is found" \
	finds "wrong from|wrong byte" --lie model --mounts cfx --no-faults
try "a wrong byte of the daemon is found" \
	finds "wrong from|wrong byte" --lie daemon --mounts memory --no-faults
try "a daemon that hangs is found, and ended" \
	finds "operation .* hangs" --lie hang --mounts cfx,folder --no-faults --watchdog 2
try "an error that no fault explains is found" \
	finds "unexpected EIO" --lie error --mounts cfx --no-faults
finish
