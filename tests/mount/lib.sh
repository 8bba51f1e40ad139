# lib.sh - what the mounted tests share; sourced by them.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Each test script has a temporary folder $T, a cache of its own, and real FUSE
# mounts that end with it whatever happens.  A case is one line, "ok: NAME",
# "FAILED: NAME" or "SKIP: NAME: why"; finish prints the counts.
#
# The daemons run with -f in the background, so that their process number and
# their exit status (1 after a sanitizer's report) are known.

set -u
export LC_ALL=C PYTHONDONTWRITEBYTECODE=1
crawlfs=$CFS_BUILDDIR/crawlfs
mkcrawl=$CFS_BUILDDIR/crawlfs-mkcrawl
model=$CFS_SRCDIR/tests/model
here=$CFS_SRCDIR/tests/mount
passed=0 failed=0 skipped=0
TIME_LIMIT=${TIME_LIMIT:-400}		# seconds, for the whole script

ok() {
	passed=$((passed + 1))
	echo "ok: $*"
}
fail() {
	failed=$((failed + 1))
	echo "FAILED: $*"
}
skip() {
	skipped=$((skipped + 1))
	echo "SKIP: $*"
}
skip_all() {
	echo "SKIP: $*"
	exit 77
}

# try NAME COMMAND...: a case; what the command said is shown when it fails.
try() {
	case_name=$1
	shift
	if "$@" >"$T/case.log" 2>&1; then
		ok "$case_name"
	else
		fail "$case_name"
		tail -n 25 "$T/case.log"
	fi
}
not() { ! "$@"; }
same() {	# same A B: two strings
	[ "$1" = "$2" ] || { echo "'$1' is not '$2'"; return 1; }
}
has_program() { command -v "$1" >/dev/null 2>&1; }
check() { python3 "$here/mountcheck.py" "$@"; }
sha1() { sha1sum "$1" | cut -d' ' -f1; }

# until_true SECONDS COMMAND...: polls.
until_true() {
	polls=$(($1 * 20))
	shift
	while ! "$@" >/dev/null 2>&1; do
		polls=$((polls - 1))
		[ "$polls" -gt 0 ] || return 1
		sleep 0.05
	done
}
is_mounted() { grep -q " $1 fuse" /proc/self/mounts; }
has_ended() { ! kill -0 "$1" 2>/dev/null || grep -q '^State:.Z' "/proc/$1/status"; }
mounted_or_ended() { is_mounted "$1" || has_ended "$2"; }

# ---- mounts: one file $T/mounts/NAME per mount, holding pid and folder ----

# start_mount NAME [OPTION...] SOURCE...: mounts on $T/NAME; the daemon's
# words go to $T/NAME.log.
start_mount() {
	mount_name=$1
	shift
	mkdir -p "$T/$mount_name"
	"$crawlfs" mount "$@" "$T/$mount_name" -f >>"$T/$mount_name.log" 2>&1 &
	mount_pid=$!
	echo "$mount_pid $T/$mount_name" >"$T/mounts/$mount_name"
	until_true 60 mounted_or_ended "$T/$mount_name" "$mount_pid"
	is_mounted "$T/$mount_name" && return 0
	echo "not mounted: $*"
	tail -n 25 "$T/$mount_name.log"
	return 1
}
pid_of() { cut -d' ' -f1 "$T/mounts/$1"; }
no_report() { ! grep -aE 'Sanitizer|runtime error' "$T/$1.log"; }

# stop_mount NAME: unmounts; the daemon must end by itself, with status 0.
stop_mount() {
	ending_pid=$(pid_of "$1") || return 1
	umount "$T/$1" 2>/dev/null || umount -l "$T/$1"
	until_true 30 has_ended "$ending_pid" || {
		echo "the daemon $ending_pid does not end"
		return 1
	}
	wait "$ending_pid"
	ending_status=$?
	rm -f "$T/mounts/$1"
	[ "$ending_status" -eq 0 ] && no_report "$1" && return 0
	echo "the daemon ended with $ending_status"
	grep -aE -A 22 -m 1 'Sanitizer|runtime error' "$T/$1.log" ||
		tail -n 20 "$T/$1.log"
	return 1
}
remount() {	# remount NAME ARGUMENT...: a cold mount again
	stop_mount "$1" && start_mount "$@"
}

end_mounts() {
	for ending in "$T"/mounts/*; do
		[ -e "$ending" ] || continue
		read -r ending_pid ending_where <"$ending"
		umount -l "$ending_where" 2>/dev/null
		[ -z "$ending_pid" ] || kill -CONT "$ending_pid" 2>/dev/null
		[ -z "$ending_pid" ] || kill "$ending_pid" 2>/dev/null
	done
	# what crawlfs put in the background itself
	while read -r _ ending_where ending_type _; do
		case $ending_where:$ending_type in
		"$T"/*:fuse*|"$T"/*:tmpfs) umount -l "$ending_where" ;;
		esac
	done </proc/self/mounts
}
clean_up() {
	trap - EXIT
	[ -z "${watchdog-}" ] || kill "$watchdog" 2>/dev/null
	end_mounts
	wait 2>/dev/null
	rm -rf "$T"
}

finish() {
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" -eq 0 ] || exit 1
	[ "$passed" -gt 0 ] || exit 77
	exit 0
}

# ---- what there must be ----

[ -x "$crawlfs" ] || skip_all "there is no $crawlfs"
[ "$(id -u)" = 0 ] || skip_all "mounted tests need root"
[ -c /dev/fuse ] || skip_all "there is no /dev/fuse"
(: <>/dev/fuse) 2>/dev/null || skip_all "/dev/fuse cannot be opened"
for program in python3 umount; do
	has_program $program || skip_all "there is no $program"
done

T=$(mktemp -d "${TMPDIR:-/tmp}/crawlfs-test.XXXXXX") || exit 1
T=$(cd "$T" && pwd -P)
mkdir "$T/mounts" "$T/probe"
trap clean_up EXIT
trap 'exit 1' INT TERM HUP
export XDG_CACHE_HOME="$T/cache"
mount -t tmpfs none "$T/probe" 2>/dev/null ||
	skip_all "mounting is not permitted here"
umount "$T/probe"

# A test that hangs ends: its daemons first, so that its readers come free.
(
	trap 'exit 0' TERM
	sleep "$TIME_LIMIT" >/dev/null 2>&1 &
	trap "kill $!; exit 0" TERM
	wait $!
	echo "FAILED: not done after $TIME_LIMIT seconds"
	end_mounts
	kill $$
) &
watchdog=$!
