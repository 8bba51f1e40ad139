# lib.sh - what all test scripts share; sourced by them.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Each test script has a temporary folder $T, a cache of its own, and real FUSE
# mounts that end with it whatever happens.  A case is one line, "ok: NAME",
# "FAILED: NAME" or "SKIP: NAME: why"; finish prints the counts.
#
# The daemons run with -f in the background, so that their process number and
# their exit status (1 after a sanitizer's report) are known.
#
# Set before this file:
#   NEED_MOUNT   root (default): skips itself where root cannot mount; user:
#                where this user cannot; no: the script mounts nothing
#   ABSENT       what mounts show of revisits without their original: empty
#                (default: models take them for empty files) or error
#   TIME_LIMIT   seconds after which the script is ended as failed (default
#                900; 0: never)
#
# Waits are for events: wait_for gives up after WAIT_SECONDS, which no machine
# needs, so that a test does not depend on how fast the machine is.

. "$CFS_SRCDIR/tests/installed.sh"

set -u
export LC_ALL=C PYTHONDONTWRITEBYTECODE=1
crawlfs=$CFS_BUILDDIR/crawlfs
mkcrawl=$CFS_BUILDDIR/crawlfs-mkcrawl
model=$CFS_SRCDIR/tests/model
here=$CFS_SRCDIR/tests/mount
passed=0 failed=0 skipped=0
NEED_MOUNT=${NEED_MOUNT:-root}
TIME_LIMIT=${TIME_LIMIT:-900}
ABSENT=${ABSENT:-empty}
WAIT_SECONDS=120
WAIT_STEP=0.05 WAIT_STEPS=20	# between two looks; so many are a second

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
# python_cases SCRIPT ARGUMENT...: the cases that it prints, a line each.
python_cases() {
	python3 "$@" >"$T/cases" 2>&1 || fail "${1##*/} ended early"
	while read -r case_how case_name; do
		case $case_how in
		ok:) ok "$case_name" ;;
		FAILED:) fail "$case_name" ;;
		*) echo "$case_how $case_name" ;;
		esac
	done <"$T/cases"
}
not() { ! "$@"; }
same() {	# same A B: two strings
	[ "$1" = "$2" ] || { echo "'$1' is not '$2'"; return 1; }
}
# status N COMMAND...: the command's exit status; what it says is shown, and kept
# in $T/out and $T/err.
status() {
	status_wanted=$1
	shift
	"$@" >"$T/out" 2>"$T/err"
	status_got=$?
	cat "$T/err"
	same $status_got "$status_wanted"
}
# complains PATTERN: a line of $T/err matches.
complains() { grep -q -- "$1" "$T/err" || { cat "$T/err"; return 1; }; }
absent() {	# absent FILE...: none of them is there
	for absent_file; do
		[ ! -e "$absent_file" ] || { echo "$absent_file"; return 1; }
	done
}
has_program() { command -v "$1" >/dev/null 2>&1; }
check() { python3 "$here/mountcheck.py" "$@"; }
# from_manual PAGE NAME: what it has behind the comment "run: NAME", word for word
from_manual() {
	sed -n '/^\.\\" run: '"$2"'$/,/^\.Ed$/p' "$CFS_SRCDIR/man/$1" |
		sed -e '1,2d' -e '$d' -e 's/\\e/\\/g'
}
# nginx_folders FOLDER: directives that keep nginx's temporary files below it.
nginx_folders() {
	for nginx_use in client_body proxy fastcgi uwsgi scgi; do
		echo "${nginx_use}_temp_path $1/$nginx_use;"
	done
}
sha1() { sha1sum "$1" | cut -d' ' -f1; }

# find_duckdb: CRAWLFS_DUCKDB names DuckDB's library; 1: $install_problem says why
# not.
find_duckdb() {
	getduckdb=$CFS_SRCDIR/contrib/getduckdb
	if [ -z "${CRAWLFS_DUCKDB:-}" ]; then
		install_once duckdb "$(sed -n 's/^version=//p' "$getduckdb")" \
			timeout "$INSTALL_SECONDS" sh "$getduckdb" \
			"$installed/duckdb" || return 1
		CRAWLFS_DUCKDB=$installed/duckdb/libduckdb.so
	fi
	export CRAWLFS_DUCKDB
}

# find_parquet: parquet is parquet_tool.mjs; 1: $install_problem says why not.
parquet() { node "$here/parquet_tool.mjs" "$installed/hyparquet" "$@"; }
find_parquet() {
	npm_packages hyparquet hyparquet@1.31.5 hyparquet-writer@0.17.0 \
		hyparquet-compressors@1.1.2
}

# find_wacz_tools: $wacz_tools has wacz, warcio and fastwarc; 1: $install_problem
# says why not.
find_wacz_tools() {
	pip_packages wacz wacz==0.6.0 warcio==1.8.1 FastWARC==2.0.1 &&
		wacz_tools=$pip_folder/bin
}

# find_warcio_js: $npm_folder has it; 1: $install_problem says why not.
find_warcio_js() { npm_packages warcio warcio@2.4.11; }

# find_metrics_parser: $metrics_python has prometheus_client; 1: $install_problem
# says why not.
find_metrics_parser() {
	pip_packages metrics prometheus_client==0.21.1 &&
		metrics_python=$pip_folder/bin/python
}

# ---- waiting, and processes in the background ----

# wait_for COMMAND...: until the command is true.
wait_for() {
	polls=$((WAIT_SECONDS * WAIT_STEPS))
	while ! "$@" >/dev/null 2>&1; do
		polls=$((polls - 1))
		[ "$polls" -gt 0 ] || { echo "waited in vain: $*"; return 1; }
		sleep "$WAIT_STEP"
	done
}
# freeze PID: stops a process, and waits until all of its threads stand still: one
# that runs may still answer a request.
stand_still() { not grep -qv '^T' <<END
$(sed 's/.*) //' "/proc/$1/task/"*/stat)
END
}
freeze() { kill -STOP "$1" && wait_for stand_still "$1"; }
# free_ports N: ports on which nobody listens, nor will soon; free_port: one
free_ports() { python3 "$CFS_SRCDIR/tests/mount/free_ports.py" "$1"; }
free_port() { free_ports 1; }
listens() {	# listens PORT
	python3 -c 'import socket, sys
socket.create_connection(("127.0.0.1", int(sys.argv[1])), 1)' "$1" 2>/dev/null
}
# interruptible COMMAND...: INT is not ignored there, as it is by all that a shell
# starts with &.
with_int='import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])'
interruptible() { python3 -c "$with_int" "$@"; }
# start COMMAND...: in the background, its number in $started.
start() {
	python3 -c "$with_int" "$@" &
	started=$!
}
# ended_with N PROCESS: it ends by itself, with that status.
ended_with() {
	wait_for has_ended "$2" || return 1
	wait "$2"
	same $? "$1"
}
is_mounted() { grep -q " $1 fuse" /proc/self/mounts; }
has_ended() { ! kill -0 "$1" 2>/dev/null || grep -q '^State:.Z' "/proc/$1/status"; }
is_unmounted() { ! is_mounted "$1"; }
mounted_or_ended() { is_mounted "$1" || has_ended "$2"; }

# ---- mounts: one file $T/mounts/NAME per mount, holding pid and folder ----

# start_mount NAME [OPTION...] SOURCE...: mounts on $T/NAME; the daemon's
# words go to $T/NAME.log.
start_mount() {
	mount_name=$1
	shift
	mkdir -p "$T/$mount_name"
	"$crawlfs" mount -q --absent="$ABSENT" "$@" "$T/$mount_name" -f \
		>>"$T/$mount_name.log" 2>&1 &
	mount_pid=$!
	echo "$mount_pid $T/$mount_name" >"$T/mounts/$mount_name"
	wait_for mounted_or_ended "$T/$mount_name" "$mount_pid"
	is_mounted "$T/$mount_name" && return 0
	echo "not mounted: $*"
	tail -n 25 "$T/$mount_name.log"
	return 1
}
detach() { umount -l "$1" 2>/dev/null || fusermount3 -uz "$1" 2>/dev/null; }
pid_of() { cut -d' ' -f1 "$T/mounts/$1"; }
no_report() { ! grep -aE 'Sanitizer|runtime error' "$T/$1.log"; }

# stop_mount NAME: unmounts; the daemon must end by itself, with status 0.
stop_mount() {
	ending_pid=$(pid_of "$1") || return 1
	umount "$T/$1" 2>/dev/null || detach "$T/$1"
	wait_for has_ended "$ending_pid" || {
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

# Daemons that went to the background by themselves: daemon_of FOLDER prints the
# number of the one that serves it, by its command line, and only one of ours.
daemon_of() {
	for daemon_dir in /proc/[0-9]*; do
		[ "$(readlink "$daemon_dir/exe" 2>/dev/null)" = \
			"$(readlink -f "$crawlfs")" ] &&
			tr '\0' '\n' <"$daemon_dir/cmdline" 2>/dev/null |
				grep -qxF -- "$1" && echo "${daemon_dir#/proc/}"
	done
}
daemon_ended() { [ -z "$(daemon_of "$1")" ]; }
# note_mount NAME: it ends with the test, as one of start_mount.
note_mount() { echo "$(daemon_of "$T/$1") $T/$1" >"$T/mounts/$1"; }

end_mounts() {
	for ending in "$T"/mounts/*; do
		[ -e "$ending" ] || continue
		read -r ending_pid ending_where <"$ending"
		detach "$ending_where"
		[ -z "$ending_pid" ] || kill -CONT "$ending_pid" 2>/dev/null
		[ -z "$ending_pid" ] || kill "$ending_pid" 2>/dev/null
	done
	# what crawlfs put in the background itself
	while read -r _ ending_where ending_type _; do
		ending_where=$(printf '%b' "$ending_where")	# \040: a space
		case $ending_where:$ending_type in
		"$T"/*:fuse*|"$T"/*:tmpfs) detach "$ending_where" ;;
		esac
	done </proc/self/mounts
}
# A shell that has only just been started may lose a signal.
end_watchdog() {
	until has_ended "$watchdog"; do
		kill "$watchdog" 2>/dev/null
		sleep "$WAIT_STEP"
	done
}
clean_up() {
	trap - EXIT
	[ -z "${watchdog-}" ] || end_watchdog
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
has_program python3 || skip_all "there is no python3"
# A python3 that is a script, as pyenv's, starts twenty programs at each call.
if [ "$(head -c 2 "$(command -v python3)")" = '#!' ]; then
	python_is=$(python3 -c 'import sys; print(sys.executable)')
	PATH=${python_is%/*}:$PATH
fi
case $NEED_MOUNT in
root) [ "$(id -u)" = 0 ] || skip_all "mounted tests need root" ;;
user) has_program fusermount3 || skip_all "there is no fusermount3" ;;
esac
if [ "$NEED_MOUNT" != no ]; then
	[ -c /dev/fuse ] || skip_all "there is no /dev/fuse"
	(: <>/dev/fuse) 2>/dev/null || skip_all "/dev/fuse cannot be opened"
	has_program umount || skip_all "there is no umount"
fi

T=$(mktemp -d "${TMPDIR:-/tmp}/crawlfs-test.XXXXXX") || exit 1
T=$(cd "$T" && pwd -P)
mkdir "$T/mounts"
trap clean_up EXIT
trap 'exit 1' INT TERM HUP
export XDG_CACHE_HOME="$T/cache"
if [ "$NEED_MOUNT" = root ]; then
	mkdir "$T/probe"
	mount -t tmpfs none "$T/probe" 2>/dev/null ||
		skip_all "mounting is not permitted here"
	umount "$T/probe"
fi

# A test that hangs ends: its daemons first, so that its readers come free.
watch() {
	trap 'exit 0' TERM
	sleep "$TIME_LIMIT" >/dev/null 2>&1 &
	trap "kill $!; exit 0" TERM
	wait $!
	echo "FAILED: not done after $TIME_LIMIT seconds"
	end_mounts
	kill $$
	# the shell ends when the program that it waits for has ended
	pkill -P $$
}
if [ "$TIME_LIMIT" -gt 0 ]; then
	watch &
	watchdog=$!
fi
