#!/bin/sh
# life_test.sh - how mounts begin and end, signals, caches that cannot be
# written, memory.
# SPDX-License-Identifier: GPL-3.0-or-later
# Under nohup, or in the background, signals are ignored, by all that is started
# too: the mounts tested here are to hear them.
if [ -z "${SIGNALS_ARE_HEARD:-}" ]; then
	SIGNALS_ARE_HEARD=yes exec python3 -c 'import os, signal, sys
for s in signal.SIGINT, signal.SIGHUP, signal.SIGTERM:
    signal.signal(s, signal.SIG_DFL)
os.execv("/bin/sh", ["sh"] + sys.argv[1:])' "$0" "$@"
fi
export SIGNALS_ARE_HEARD
. "$CFS_SRCDIR/tests/mount/lib.sh"

"$mkcrawl" --records 300 --page-bytes 500 --warc "$T/c" >/dev/null || exit 1
source=$T/c
mkdir "$T/m" "$T/m2"
page() { find "$1" -type f ! -name '*.meta' ! -name '*.txt' -size +0 | sort | sed -n 3p; }
# ---- begin ----

try "mount goes to the background" timeout 60 "$crawlfs" mount "$source" "$T/m"
# Holds I6.
try "and is mounted by then" is_mounted "$T/m"
note_mount m
first=$(page "$T/m")
try "and serves" sha1 "$first"
sum=$(sha1 "$first")
pages=$(($(find "$T/m" -type f | wc -l) / 3))	# each has two more names
try "one daemon" same "$(daemon_of "$T/m" | wc -l)" 1
try "which has no terminal nor our folder" same \
	"$(readlink "/proc/$(daemon_of "$T/m")/cwd")" /
# completes FOLDER WORD ANSWER: of umount, in FOLDER
completes() {
	(cd "$1" && "$crawlfs" complete -- umount "$2") | tail -n +2 | cut -f 1 |
		grep -cxF -- "$3"
}
try "umount completes it by its path" completes / "$T/m" "$T/m"
try "and from where one is" completes "$T" "" m
try "and by its first letter there" completes "$T" m m
try "and from beside it" completes "$T/m2" ../ ../m
try "and from elsewhere" completes /proc "" "$T/m"
try "but not below another folder" not completes "$T/m2" ./ "$T/m"
try "umount ends it" "$crawlfs" umount "$T/m"
try "unmounted" is_unmounted "$T/m"
try "ended" wait_for daemon_ended "$T/m"
try "umount of what is not mounted is 1" sh -c '"$1" umount "$2"; [ $? -eq 1 ]' \
	sh "$crawlfs" "$T/m"

bad_mount() {	# bad_mount NAME STATUS ARGUMENT...
	bad_name=$1 bad_status=$2
	shift 2
	timeout 60 "$crawlfs" mount "$@" >"$T/out" 2>"$T/err"
	try "$bad_name: status" same $? "$bad_status"
	# Holds I6.
	try "$bad_name: told on stderr" test -s "$T/err"
	try "$bad_name: nothing on stdout" not test -s "$T/out"
}
bad_mount "no such source" 1 "$T/nothing" "$T/m"
bad_mount "no such mount point" 1 "$source" "$T/nowhere"
bad_mount "a file as mount point" 1 "$source" "$T/out"
bad_mount "no arguments" 2
bad_mount "no mount point" 2 "$source"
bad_mount "an unknown option" 2 "$source" "$T/m" --nonsense
bad_mount "an unknown view" 2 "$source" "$T/m" -o views=nonsense
try "nothing is mounted" is_unmounted "$T/m"

# Both at once: one stands, and hides no other.
for round in 1 2 3 4 5; do
	"$crawlfs" mount "$source" "$T/m" 2>"$T/err.1" &
	one=$!
	"$crawlfs" mount "$source" "$T/m" 2>"$T/err.2" &
	other=$!
	wait $one
	statuses=$?
	wait $other
	statuses=$statuses$?
	case $statuses in
	01|10) ok "two at once, $round: one is refused" ;;
	*) fail "two at once, $round: statuses $statuses" ;;
	esac
	try "two at once, $round: said" grep -qE \
		"being mounted there|mounted there already" "$T/err.1" "$T/err.2"
	try "two at once, $round: one mount" same 1 \
		"$(grep -c " $T/m fuse" /proc/self/mounts)"
	"$crawlfs" umount "$T/m"
	try "two at once, $round: ended" wait_for daemon_ended "$T/m"
done

# ---- two processes until the mount stands ----

# A server that accepts and never answers holds a mount where it opens its
# source, for as long as it takes.
python3 -c 'import os, socket, sys, time
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen(64)
with open(sys.argv[1] + ".new", "w") as f:
    f.write(str(s.getsockname()[1]))
os.rename(sys.argv[1] + ".new", sys.argv[1])
time.sleep(1000)' "$T/port" &
server=$!
wait_for test -s "$T/port"
stalled="http://127.0.0.1:$(cat "$T/port")/x.cfx"
behind_of() { cat "/proc/$1/task/$1/children"; }
has_behind() { [ -n "$(behind_of "$1")" ]; }
# A sanitizer has a child for a moment, too; only ours has a thread that fetches.
is_opening() {
	grep '^Threads:' "/proc/$(behind_of "$1" | tr -d ' ')/status" |
		grep -qv '[^0-9]1$'
}
start_stalled() {	# sets $front and $behind
	timeout --foreground 120 "$crawlfs" mount "$stalled" "$T/m" 2>"$T/err" &
	wait_for has_behind $! || return 1
	front=$(behind_of $! | tr -d ' ')
	wait_for is_opening "$front" || return 1
	behind=$(behind_of "$front" | tr -d ' ')
}
ends_with() {	# ends_with STATUS: of the process in front
	wait $!
	same $? "$1"
}

for signal in TERM HUP; do
	start_stalled
	kill -$signal "$front"
	try "SIG$signal while it opens: status" ends_with 130
	try "SIG$signal while it opens: reported once" same \
		"$(cat "$T/err")" "crawlfs: interrupted"
	try "SIG$signal while it opens: nothing is left" has_ended "$behind"
done
start_stalled
bad_mount "a crawl is being mounted there" 1 "$source" "$T/m"
try "a crawl is being mounted there: said" complains "being mounted there"
kill -TERM "$front"
ends_with 130
wait_for has_ended "$behind"
start_stalled
kill -KILL "$front"
try "the process in front is killed: status" ends_with 137
try "the other ends, too" wait_for has_ended "$behind"
start_stalled
kill -KILL "$behind"
try "the process behind is killed: status" ends_with 137
try "the other ends, too" has_ended "$front"
try "Ctrl-C while it opens" python3 -c 'import os, pty, signal, sys, time
pid, fd = pty.fork()
if pid == 0:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.execv(sys.argv[1], sys.argv[1:])
def is_opening():	# the process behind, which has a thread that fetches
    try:
        return any("\nThreads:\t1\n" not in open(f"/proc/{p}/status").read()
                   for p in open(f"/proc/{pid}/task/{pid}/children").read().split())
    except OSError:
        return False
while not is_opening():
    time.sleep(0.01)
os.write(fd, b"\x03")
out = b""
try:
    while (got := os.read(fd, 4096)):
        out += got
except OSError:
    pass
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
assert status == 130, status
assert out.count(b"interrupted") == 1, out' "$crawlfs" mount "$stalled" "$T/m"
try "nothing is mounted" is_unmounted "$T/m"

# A script's background job, which its shell has ignore Ctrl-C: ended by it all
# the same, before the mount stands and after.
cat >"$T/script" <<'END'
"$1" mount -f "$2" "$3" 2>"$4.err" &
echo $! >"$4.new"
mv "$4.new" "$4.pid"
wait
END
cat >"$T/terminal.py" <<'END'
import os, pty, signal, sys, time
pid, fd = pty.fork()
if pid == 0:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.execv("/bin/sh", ["sh"] + sys.argv[2:])
while not os.path.exists(sys.argv[1]):
    time.sleep(0.01)
os.write(fd, b"\x03")
try:
    while os.read(fd, 4096):
        pass
except OSError:
    pass
os.waitpid(pid, 0)
END
start_script() {	# start_script SOURCE: sets $script and $job
	rm -f "$T/job.pid" "$T/ctrl_c"
	python3 "$T/terminal.py" "$T/ctrl_c" "$T/script" "$crawlfs" "$1" \
		"$T/m" "$T/job" &
	script=$!
	wait_for test -s "$T/job.pid" && job=$(cat "$T/job.pid")
}
has_socket() { find "/proc/$job/fd" -lname 'socket:*' | grep -q .; }
ctrl_c() { : >"$T/ctrl_c" && wait_for has_ended "$job" && ended_with 0 $script; }
start_script "$stalled"
try "a script's job opens its source" wait_for has_socket
try "Ctrl-C ends it" ctrl_c
try "which it reports" same "$(cat "$T/job.err")" "crawlfs: interrupted"
kill $server
start_script "$source"
# Holds I4.
try "a script's mount stands" wait_for is_mounted "$T/m"
# Holds I4.
try "Ctrl-C ends it, too" ctrl_c
try "and unmounts" is_unmounted "$T/m"
# nohup, and who ignores Ctrl-C alone, mean it
job_with() {	# job_with SIGNALS: ignored by a mount; sets $job
	python3 -c 'import os, signal, sys
for name in "HUP", "INT", "QUIT":
    signal.signal(getattr(signal, "SIG" + name), signal.SIG_IGN
                  if name in sys.argv[1].split() else signal.SIG_DFL)
os.execv(sys.argv[2], sys.argv[2:])' "$1" "$crawlfs" mount -f "$source" "$T/m" &
	job=$!
	wait_for is_mounted "$T/m"
}
ignores() {
	python3 -c 'import signal, sys
mask = int(next(line.split()[1] for line in open(f"/proc/{sys.argv[1]}/status")
                if line.startswith("SigIgn")), 16)
print(" ".join(name for name in ("HUP", "INT", "QUIT")
               if mask >> (getattr(signal, "SIG" + name) - 1) & 1))' "$job"
}
for ignored in "HUP INT QUIT" INT; do
	job_with "$ignored"
	try "ignoring $ignored: it stays so" same "$(ignores)" "$ignored"
	kill -TERM $job
	try "SIGTERM ends it" ended_with 0 $job
	try "and unmounts" is_unmounted "$T/m"
done

rm -rf "$T/cache/crawlfs/index"
closed_mount() { timeout 60 "$crawlfs" mount "$1" "$T/m" <&- >&- 2>&-; }
try "with nothing open it mounts" closed_mount "$source"
note_mount m
try "keeps the index it made" test -n "$(ls "$T/cache/crawlfs/index")"
try "and serves" same "$(sha1 "$(page "$T/m")")" "$sum"
"$crawlfs" umount "$T/m"
wait_for daemon_ended "$T/m"
closed_mount "$T/out"
try "with nothing open it fails" same $? 1

# ---- end ----

for signal in TERM INT HUP; do
	interruptible "$crawlfs" mount "$source" "$T/m" && note_mount m
	kill -$signal "$(daemon_of "$T/m")"
	# Holds I4.
	try "SIG$signal unmounts" wait_for is_unmounted "$T/m"
	try "SIG$signal ends it" wait_for daemon_ended "$T/m"
done
"$crawlfs" mount "$source" "$T/m" && note_mount m
exec 8<"$(page "$T/m")"
kill -TERM "$(daemon_of "$T/m")"
# Holds I4.
try "SIGTERM with a file open" wait_for daemon_ended "$T/m"
exec 8<&-
umount -l "$T/m" 2>/dev/null

"$crawlfs" mount "$source" "$T/m" && note_mount m
ls -la "$T/m" >/dev/null	# what the kernel knows of it outlives it
kill -9 "$(daemon_of "$T/m")"
wait_for daemon_ended "$T/m"
try "kill -9 leaves a stale mount" sh -c \
	'ls "$0/new" 2>&1 | grep -q "not connected"' "$T/m"
# Holds I5.
try "which the next mount recovers" timeout 60 "$crawlfs" mount "$source" "$T/m"
note_mount m
try "and serves" same "$(sha1 "$(page "$T/m")")" "$sum"
try "mounted once" same "$(grep -c " $T/m fuse" /proc/self/mounts)" 1
"$crawlfs" umount "$T/m"
try "unmounted" wait_for is_unmounted "$T/m"
"$crawlfs" mount "$source" "$T/m" && note_mount m
kill -9 "$(daemon_of "$T/m")"
wait_for daemon_ended "$T/m"
# Holds I5.
try "umount removes a stale mount" "$crawlfs" umount "$T/m"
try "unmounted" is_unmounted "$T/m"

# ---- a daemon that does not answer ----

try "mounts" start_mount s "$source"
find "$T/s" -type f >"$T/paths"
cold=$(sed -n 20p "$T/paths")
daemon=$(pid_of s)
freeze "$daemon"
start cat "$cold" >/dev/null 2>&1
is_waiting() { grep -q '^Name:.cat$' "$1" && grep -q '^State:.[SD]' "$1"; }
try "the reader waits" wait_for is_waiting "/proc/$started/status"
kill -INT $started
kill -CONT "$daemon"
# Holds I3.
try "and is free when interrupted" wait_for has_ended $started
try "by the signal" ended_with 130 $started
# Holds I3.
try "everybody else is served" sha1 "$cold"
try "ends well" stop_mount s

# ---- many at once, two mounts of one source ----

try "mounts" start_mount a "$source"
try "mounts once more" start_mount b "$source"
find "$T/a" -type f | sort >"$T/paths"
xargs sha1sum <"$T/paths" | sed "s|$T/a||" >"$T/sums.a"
find "$T/b" -type f | sort | xargs -P 8 -n 20 sha1sum | sed "s|$T/b||" |
	sort -k2 >"$T/sums.b"
sort -k2 "$T/sums.a" | cmp -s - "$T/sums.b"
# Holds P1.
try "eight readers see the same" same $? 0
# Holds P1.
try "600 files open at once" python3 -c 'import os, sys
paths = open(sys.argv[1]).read().split("\n")[:-1]
fds = [os.open(p, os.O_RDONLY) for p in paths[:600]]
sizes = [os.fstat(f).st_size for f in fds]
# Holds C4, K6, L1, P3, P4.
got = [len(os.read(f, 1 << 22)) for f in reversed(fds)][::-1]
assert sizes == got, "sizes"
again = [os.open(paths[0], os.O_RDONLY) for _ in range(300)]
assert len({os.read(f, 1 << 22) for f in again}) == 1' "$T/paths"
try "one ends well" stop_mount a
try "the other serves on" sha1 "$(page "$T/b")"
try "and ends well" stop_mount b

# ---- caches ----

log_of() { tail -n 5 "$T/$1.log"; }
export XDG_CACHE_HOME="$T/readonly"
mkdir "$T/readonly"
mount -t tmpfs -o ro none "$T/readonly"
try "mounts with a cache that cannot be written" start_mount ro "$source"
try "and says so" grep -q "not kept" "$T/ro.log"
try "and serves" same "$(sha1 "$(page "$T/ro")")" "$sum"
try "ends well" stop_mount ro
umount "$T/readonly"
export XDG_CACHE_HOME="$T/full"
mkdir "$T/full"
mount -t tmpfs -o size=4k none "$T/full"
try "mounts with a cache that is full" start_mount full "$source"
try "and says so" test -s "$T/full.log"
try "and serves" same "$(sha1 "$(page "$T/full")")" "$sum"
try "ends well" stop_mount full
try "leaves nothing behind in it" same "$(find "$T/full" -type f)" ""
umount "$T/full"
: >"$T/afile"
export XDG_CACHE_HOME="$T/afile/below"
try "mounts with a cache below a file" start_mount af "$source"
try "and serves" same "$(sha1 "$(page "$T/af")")" "$sum"
try "ends well" stop_mount af
export XDG_CACHE_HOME="$T/cache"

# an index that was kept, and then harmed
damage_kept() {	# damage_kept OFFSET: one byte of it; -1: all but a few are cut
	python3 -c 'import sys
at = int(sys.argv[2])
with open(sys.argv[1], "r+b") as f:
    if at < 0:
        f.truncate(100)
    else:
        f.seek(at)
        was = f.read(1)[0]
        f.seek(at)
        f.write(bytes([was ^ 0x10]))' "$kept" "$1"
}
rm -rf "$T/cache/crawlfs/index"
try "mounts" start_mount k "$source"
try "ends well" stop_mount k
kept=$(ls -d "$T/cache/crawlfs/index"/*)
cp "$kept" "$T/kept"
for at in 3 9 40 6000 -1; do
	damage_kept $at
	: >"$T/k.log"
	try "a kept index with damage at $at mounts" start_mount k "$source"
	try "with one warning" same "$(grep -c "it is rebuilt" "$T/k.log")" 1
	try "and serves" same "$(sha1 "$(page "$T/k")")" "$sum"
	try "ends well" stop_mount k
	try "the index is whole again" cmp "$kept" "$T/kept"
done
: >"$T/k.log"
try "mounts" start_mount k "$source"
try "without a warning" not grep -q . "$T/k.log"
try "ends well" stop_mount k

# ---- mount -t crawlfs, fstab ----

if [ ! -e /sbin/mount.crawlfs ] && [ -w /sbin ] && has_program mount; then
	ln -s "$crawlfs" /sbin/mount.crawlfs
	trap 'rm -f /sbin/mount.crawlfs; clean_up' EXIT
	mkdir -p "$T/fs"
	try "mount -t crawlfs" timeout 60 mount -t crawlfs "$source" "$T/fs"
	note_mount fs
	try "serves" same "$(sha1 "$(page "$T/fs")")" "$sum"
	try "umount" umount "$T/fs"
	wait_for daemon_ended "$T/fs"
	try "with options" timeout 60 mount -t crawlfs \
		-o views=raw,noatime,nodev,allow_other,mem=32M "$source" "$T/fs"
	note_mount fs
	try "which count" same "$(find "$T/fs" -type f | wc -l)" "$pages"
	umount "$T/fs"
	wait_for daemon_ended "$T/fs"
	echo "$source $T/fs crawlfs noauto,ro,user,_netdev,x-systemd.automount 0 0" \
		>"$T/fstab"
	try "by a line of fstab" timeout 60 mount -T "$T/fstab" "$T/fs"
	note_mount fs
	try "serves" same "$(sha1 "$(page "$T/fs")")" "$sum"
	umount "$T/fs"
	rm -f /sbin/mount.crawlfs
	trap clean_up EXIT
else
	skip "mount -t crawlfs: /sbin/mount.crawlfs is there, or /sbin not writable"
fi

# ---- memory ----

"$mkcrawl" --records 20000 --page-bytes 100 --shape dirs=400 --warc --bare \
	--level 1 "$T/big" >/dev/null || exit 1
try "one thread: mounts" start_mount one -o threads=1 "$T/big"
try "one thread: serves" test "$(find "$T/one" -size +100k | wc -l)" = 0
try "one thread: ends well" stop_mount one
# what a sanitizer keeps of freed memory is not ours
ASAN_OPTIONS="${ASAN_OPTIONS:-}:quarantine_size_mb=1"
ASAN_OPTIONS="$ASAN_OPTIONS:thread_local_quarantine_size_kb=64"
export ASAN_OPTIONS
try "60,000 names mount" start_mount big -o mem=16M "$T/big"
rss() { awk '/^VmRSS/ { print $2 }' "/proc/$(pid_of big)/status"; }
names=$(find "$T/big" | wc -l)
try "60,000 names are there" test "$names" -gt 60000
# The mount lies over the folder of the archives themselves.
find "$T/big" -type f ! -name '*.txt' ! -name '*.meta' | head -n 50 >"$T/pages"
try "mounted over its own folder it serves" sh -c \
	'tr "\n" "\0" <"$0" | xargs -0 cat >/dev/null' "$T/pages"
# Caches and allocators settle in the first passes.  Of the eight after them,
# ten bytes lost for a name would be 4.8 MB.
passes() {
	for pass in $(seq "$1"); do
		find "$T/big" -size +100k >/dev/null
		echo 2 2>/dev/null >/proc/sys/vm/drop_caches
	done
}
passes 4
before=$(rss)
passes 8
after=$(rss)
echo "resident after four passes $before KiB, after twelve $after KiB"
try "memory is flat" test $((after - before)) -lt 4096
try "ends well" stop_mount big
finish
