#!/bin/sh
# deploy_test.sh - what crawlfs-deploy(7) promises: mounts that another program
# has made, service managers, handles of NFS servers over a remount.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"
look() { python3 "$here/promises.py" "$@"; }
contrib=$CFS_SRCDIR/contrib
nobody=65534

"$mkcrawl" --records 150 --page-bytes 3000 --warc "$T/crawl" >/dev/null || exit 1
# another user reads it, and the program
chmod 755 "$T" && chmod -R a+rX "$T/crawl" && mkdir "$T/bin" "$T/own-cache" &&
	cp "$crawlfs" "$T/bin/crawlfs" && chown $nobody "$T/own-cache" || exit 1
crawlfs=$T/bin/crawlfs

# ---- a descriptor that is passed in ----

# The strings in the steps of the manual, one behind the other, are the options.
options=$(from_manual crawlfs-deploy.7 steps | sed -n 's/^ *"\(.*\)"[,)]*$/\1/p' | tr -d '\n')
served=$(from_manual crawlfs-deploy.7 descriptor | sed -e "s,^crawlfs,$crawlfs," \
	-e "s,SOURCE,$T/crawl/crawl-data," -e 's,/N$,/FD,')
# pass [OPTION...] FOLDER ARGUMENT...: crawlfs mount, by passfd.py
pass() {
	python3 "$here/passfd.py" --uid $nobody --options "$options" "$@"
}
unprivileged() {	# unprivileged OPTION...: serves $T/passed
	# shellcheck disable=SC2086
	pass "$@" "$T/passed" env HOME=/nonexistent \
		XDG_CACHE_HOME="$T/own-cache" $served
}
mkdir "$T/passed"
unprivileged >"$T/passed.log" 2>&1 &
passer=$!
echo "$passer $T/passed" >"$T/mounts/passed"
serves() { [ -s "$T/passed/.crawlfs/version" ]; }
try "a descriptor is served" wait_for serves
# the first number that was free
server=$(for fd in 3 4 5 6 7 8 9; do daemon_of "/dev/fd/$fd"; done)
try "by a process without privileges" grep -q '^CapEff:.0*$' "/proc/$server/status"
try "the tree is the model's, every body right" check tree --least 100 \
	--base crawl-data "$T/crawl/manifest.tsv" "$T/passed"
kill "$server"
try "it ends when asked to" ended_with 0 "$passer"
rm -f "$T/mounts/passed"
try "with nothing to complain of" no_report passed

try "a descriptor that nobody mounted" status 1 unprivileged --no-mount
try "with the reason" complains "/dev/fd/.*is not mounted"
try "a descriptor of something else" status 2 unprivileged --file /dev/null
try "with the name of the device" complains "not of /dev/fuse"
for word in /dev/fd/99 /dev/fd/1 /dev/fd/ /dev/fd/3x /dev/fd/-1; do
	try "$word" status 2 "$crawlfs" mount -f "$T/crawl" $word
done
try "a descriptor cannot be replaced" status 2 pass "$T/passed" \
	"$crawlfs" mount -f --replace "$T/crawl/crawl-data" /dev/fd/FD

# ---- in the background ----

# A script's lock is not held by the mount that it has made.
holds_nothing() {
	for held in "/proc/$(daemon_of "$T/back")"/fd/*; do
		case $(readlink "$held") in
		"$T/lock") echo "$held"; return 1 ;;
		esac
	done
}
mkdir "$T/back"
exec 8>"$T/lock"
try "in the background" "$crawlfs" mount "$T/crawl" "$T/back"
exec 8>&-
note_mount back
try "it holds no descriptor of the script" holds_nothing
try "it ends" "$crawlfs" umount "$T/back"
try "by itself" wait_for daemon_ended "$T/back"
rm -f "$T/mounts/back"

# ---- service managers ----

cat >"$T/notified.py" <<'END'
# notified.py SOCKET FILE: appends each datagram to FILE, a line each
import socket
import sys
name = sys.argv[1]
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(('\0' + name[1:]) if name[0] == '@' else name)
with open(sys.argv[2], 'a', buffering=1) as out:
    print('listens', file=out)
    while True:
        text = s.recv(4096).decode()
        print(text.replace('\n', ' '), file=out)
        if text == 'STOPPING=1':
            break
END
said() { grep -q "$1" "$T/said"; }
for socket in "$T/notify" "@crawlfs-test-$$"; do
	rm -f "$T/said"
	python3 "$T/notified.py" "$socket" "$T/said" &
	listener=$!
	try "$socket is there" wait_for said listens
	NOTIFY_SOCKET=$socket
	export NOTIFY_SOCKET
	try "mounted" start_mount service "$T/crawl"
	unset NOTIFY_SOCKET
	try "a service manager hears of it" wait_for said \
		"^READY=1 MAINPID=$(pid_of service)\$"
	kill "$(pid_of service)"
	try "and of the end" ended_with 0 "$listener"
	try "which comes" ended_with 0 "$(pid_of service)"
	rm -f "$T/mounts/service"
done
NOTIFY_SOCKET=$T/nobody-listens
export NOTIFY_SOCKET
try "nobody listens" start_mount service "$T/crawl"
unset NOTIFY_SOCKET
try "and nothing comes of that" stop_mount service

if has_program systemd-analyze; then
	mkdir "$T/units"
	sed "s#\([=-]\)crawlfs #\1$crawlfs #" \
		"$contrib/systemd/crawlfs@.service" >"$T/units/crawlfs@x.service"
	sed "s#=crawlfs serve#=$crawlfs serve#" \
		"$contrib/systemd/crawlfs-serve@.service" \
		>"$T/units/crawlfs-serve@x.service"
	cp "$contrib/systemd/crawlfs-serve@.socket" \
		"$T/units/crawlfs-serve@x.socket"
	cp "$contrib"/systemd/*mount "$T/units"
	for unit in "$T"/units/*; do
		try "${unit##*/}: systemd takes it" env -u NOTIFY_SOCKET \
			systemd-analyze verify --man=no "$unit"
	done
	# exposed UNIT MOST: tells by how much, of 10; older ones cannot tell
	exposed() {
		systemd-analyze security --offline=true "$T/units/$1" |
			sed -n 's/.*exposure level for .*: \([0-9.]*\).*/\1/p' |
			awk -v most="$2" '{ print; bad = $1 > most } END { exit !NR || bad }'
	}
	if systemd-analyze --help | grep -q -e --offline; then
		# Holds K72.
		try "a mount has no right that it does not need" \
			exposed crawlfs@x.service 4.5
		try "nor has a server" exposed crawlfs-serve@x.service 1.5
	else
		skip "rights of units: systemd-analyze is too old"
	fi
else
	skip "units: there is no systemd-analyze"
fi

# ---- health ----

health=$contrib/container/crawlfs-health
mkdir "$T/a b"
try "health: mounted" start_mount ab "$T/crawl"
mount --bind "$T/ab" "$T/a b" || exit 1
try "health: a crawl that answers" status 0 "$health" "$T/a b"
try "health: no crawl" status 1 "$health" "$T/crawl"
try "health: with the folder" complains "$T/crawl: no answer"
# The mounts of this test only, whatever else is mounted on the machine.
alone() {
	unshare -m sh -c 'while read -r _ folder type _; do
		case $type:$folder in
		fuse.crawlfs:'"$T"'/*) ;;
		fuse.crawlfs:*) umount -l "$(printf "%b" "$folder")" ;;
		esac
	done </proc/self/mounts
	exec "$@"' alone "$@"
}
try "health: all that are mounted, with spaces in their names" status 0 \
	alone "$health"
freeze "$(pid_of ab)"
try "health: a mount that does not answer" status 1 "$health" "$T/a b"
kill -CONT "$(pid_of ab)"
try "health: answers again" status 0 "$health" "$T/a b"

umount "$T/a b"

# What container's first processes are, by their numbers.
start "$crawlfs" serve --listen="127.0.0.1:$(free_port)" "$T/crawl"
served=$started
try "health: a server" wait_for "$health" "--pid=$served"
freeze "$served"
try "health: one that does not answer" status 1 "$health" "--pid=$served"
try "health: by its address" complains '127.0.0.1:[0-9]*/: no answer'
kill -CONT "$served"
try "health: answers again" status 0 "$health" "--pid=$served"
kill "$served"
mkfifo "$T/records"
exec 8<>"$T/records"
start sh -c 'exec "$0" export - <"$1"' "$crawlfs" "$T/records" >"$T/rows"
try "health: an export" wait_for "$health" "--pid=$started"
kill -STOP "$started"
try "health: one that is stopped" status 1 "$health" "--pid=$started"
kill -CONT "$started"
kill "$started"
wait "$started"
exec 8>&-
try "health: one that has ended" status 1 "$health" "--pid=$started"
try "health: another program" status 1 "$health" "--pid=$$"

# The image: what its file copies is there, and what it names is installed.
dockerfile=$contrib/container/Dockerfile
copied() {
	sed -n 's/^COPY \([^-].*\) [^ ]*$/\1/p' "$dockerfile" | tr ' ' '\n' |
		while read -r name; do
			[ -e "$CFS_SRCDIR/$name" ] || echo "$name"
		done >"$T/absent"
	same "$(cat "$T/absent")" ""
}
try "image: what it is made of is there" copied
in_order() {	# the user comes behind all that root does, and is the one made
	awk '/^FROM/ { user = "" } /^USER/ { user = $2; next }
	/^(RUN|COPY)/ && user != "" { exit 1 }
	END { exit user != "crawlfs" }' "$dockerfile" &&
		grep -q 'useradd .* crawlfs$' "$dockerfile"
}
try "image: it does not run as root" in_order
kept() {	# .dockerignore leaves out no file of the sources
	(cd "$CFS_SRCDIR" && [ -d .git ] || return 0
	sed '/^#/d' .dockerignore | while read -r pattern; do
		git ls-files -- ":(glob)$pattern" ":(glob)$pattern/**"
	done) >"$T/left-out"
	same "$(cat "$T/left-out")" ""
}
try "image: all sources are in its context" kept

# ---- handles, as an NFS server keeps them ----

try "handles are kept" look save_handles "$T/ab" "$T/handles"
try "the mount is replaced by a new one" remount ab "$T/crawl"
# Holds N17.
try "files by handles of the mount before" look saved_handles "$T/ab" \
	"$T/handles"
try "unmounted" stop_mount ab
finish
