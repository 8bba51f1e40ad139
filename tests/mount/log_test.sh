#!/bin/sh
# log_test.sh - where -o log= takes the log of a mount: files, standard error,
# syslog, the journal; and that none of them can hold a mount up.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"
line="a.warc.gz: cannot open: No such file or directory"

"$mkcrawl" --warc --bare --records 40 --hostile 0 --page-bytes 300 "$T/c" \
	>/dev/null || exit 1
find "$T/c/crawl-data" -name '*.warc.gz' -exec mv {} "$T/a.warc.gz" \;
"$crawlfs" index -q -o "$T/i.cfx" "$T/a.warc.gz" || exit 1
mv "$T/a.warc.gz" "$T/away"
cp "$T/away" "$T/a.warc.gz"

# mount_behind NAME OPTION...: in the background, by itself.  No page is loaded
# ahead, while the archive is back, that is to fail next.
mount_behind() {
	behind=$1
	shift
	mkdir -p "$T/$behind"
	"$crawlfs" mount "$T/i.cfx" "$T/$behind" -o readahead=off "$@" ||
		return 1
	note_mount "$behind"
}
page_of() { find "$1" -type f ! -name '*.txt' ! -name '*.meta' | sort | sed -n "$2p"; }
# fails NAME [N]: the N-th page cannot be read, as the archive is away.
fails() {
	rm -f "$T/a.warc.gz"
	not cat "$(page_of "$T/$1" "${2:-1}")"
	cp "$T/away" "$T/a.warc.gz"
}
# fails_until_ten NAME LOG: until there is a line of ten failures.
fails_until_ten() {
	for page in 2 3 4 5 6 7 8 9 10 11; do
		fails "$1" $page || return 1
		! grep -q "^20.*: $T/$line (10 such failures so far)$" "$2" || return 0
	done
	cat "$2"
	return 1
}
ends() {
	umount "$T/$1"
	wait_for daemon_ended "$T/$1"
}
lines_of() { grep -c "$line" "$1"; }

# ---- a file ----

cd "$T" || exit 1
mkdir logs
try "a file: mounted" mount_behind m -o log=logs/m.log
cd / || exit 1
try "it is there" test -f "$T/logs/m.log"
try "not for all to read" same 640 "$(stat -c %a "$T/logs/m.log")"
try "a page fails" fails m
# Holds N23.
try "a line: time, process, cause" grep -Eqx \
	"20[0-9-]{8}T[0-9:]{8}Z crawlfs\[$(daemon_of "$T/m")\]: $T/$line" "$T/logs/m.log"
try "one" same 1 "$(wc -l <"$T/logs/m.log")"
# as logrotate does it: renamed, truncated, its folder renamed
mv "$T/logs/m.log" "$T/logs/m.log.1"
# Holds N23.
try "renamed: goes on in a new one" fails_until_ten m "$T/logs/m.log"
try "and the old one stays" same 1 "$(wc -l <"$T/logs/m.log.1")"
: >"$T/logs/m.log"
mv "$T/logs" "$T/elsewhere"
fails m 20 >"$T/out" 2>&1
try "ended" ends m
# Holds N23.
try "truncated: goes on at the start" grep -aEq "^20.*such failures in all\)$" \
	"$T/elsewhere/m.log"
try "one line, and no hole" same 1 "$(tr -d '\0' <"$T/elsewhere/m.log" | wc -l)"
try "appended to" mount_behind m -o "log=$T/elsewhere/m.log"
fails m >"$T/out" 2>&1
try "two lines" same 2 "$(wc -l <"$T/elsewhere/m.log")"
try "ended" ends m

# A file below the mount point is the one that was there before.
mkdir "$T/m2"
try "below the mount point: mounted" mount_behind m2 -o "log=$T/m2/x.log"
try "fails" fails m2
try "ended" ends m2
try "it has the line" same 2 "$(lines_of "$T/m2/x.log")"

# ---- what must not hold a mount up ----

mkdir "$T/full"
if mount -t tmpfs -o size=8k none "$T/full" 2>/dev/null; then
	# Holds N23.
	try "a full disk: mounted" mount_behind m3 -o "log=$T/full/m.log"
	head -c 100000 /dev/zero >"$T/full/fill" 2>/dev/null
	try "fails as usual" fails m3
	try "nothing is logged" same 0 "$(stat -c %s "$T/full/m.log")"
	rm "$T/full/fill"
	try "room again: the next line is whole" fails_until_ten m3 "$T/full/m.log"
	try "ended" ends m3
	umount "$T/full"
else
	skip "a full disk: no tmpfs"
fi
try "/dev/full: mounted" mount_behind m3 -o log=/dev/full
try "fails as usual" fails m3
try "ended" ends m3
mkfifo "$T/pipe"
exec 9<>"$T/pipe"
python3 -c 'import os, sys
os.set_blocking(9, False)
try:
    while os.write(9, b"x" * 4096): pass
except BlockingIOError: pass'
# Holds N23.
try "a pipe that is full: mounted" mount_behind m3 -o "log=$T/pipe"
try "fails as usual" timeout 60 sh -c "rm '$T/a.warc.gz'; ! cat '$(page_of "$T/m3" 1)'"
cp "$T/away" "$T/a.warc.gz"
try "ended" ends m3
exec 9>&-

# ---- files that cannot be ----

mkdir "$T/m4"
try "no folder: refused" status 1 "$crawlfs" mount "$T/i.cfx" "$T/m4" \
	-o "log=$T/none/x.log"
try "with the reason" complains "option 'log': cannot write to '$T/none/x.log': No such file"
try "a folder: refused" status 1 "$crawlfs" mount "$T/i.cfx" "$T/m4" -o "log=$T"
try "no name: refused" status 1 "$crawlfs" mount "$T/i.cfx" "$T/m4" -o log=
try "not mounted" is_unmounted "$T/m4"

# ---- standard error ----

mkdir "$T/m5"
"$crawlfs" mount "$T/i.cfx" "$T/m5" -o log=stderr 2>"$T/err5"
note_mount m5
try "stderr of a daemon: fails" fails m5
try "as commands write it" grep -qx "crawlfs: $T/$line" "$T/err5"
try "ended" ends m5
try "in the foreground: mounted" start_mount m5 -o log=stderr "$T/i.cfx"
try "fails" fails m5
try "the same" grep -qx "crawlfs: $T/$line" "$T/m5.log"
try "ended" stop_mount m5
before=$(lines_of "$T/m5.log")
try "a file in the foreground: mounted" start_mount m5 -o "log=$T/f.log" \
	"$T/i.cfx"
fails m5 >"$T/out" 2>&1
try "goes there" same 1 "$(lines_of "$T/f.log")"
try "ended" stop_mount m5
try "only" same "$before" "$(lines_of "$T/m5.log")"

# ---- syslog and the journal: sockets of our own in a /run and /dev of our own

listener='import os, socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
open(sys.argv[2] + ".ready", "w").close()
while True:
    got = s.recv(65536)
    with open(sys.argv[2], "ab") as f:
        f.write(got + b"--\n")'
# own SOCKET OUT WORD: mounts with log=WORD, reads a page that fails, unmounts
cat >"$T/own.sh" <<EOT
set -e
mount --make-rprivate /
mkdir -p "$T/dev" "$T/m6" "$T/kept"
mount --rbind /dev "$T/dev"
mount -t tmpfs none /run
if [ "\$3" = syslog ] || [ "\$4" = alone ]; then
	mount -t tmpfs none /dev
	for n in fuse null zero urandom; do touch /dev/\$n; mount --bind "$T/dev/\$n" /dev/\$n; done
fi
mkdir -p "\${1%/*}"
python3 -c '$listener' "\$1" "\$2" &
listening=\$!
trap 'kill \$listening' EXIT
until [ -e "\$2.ready" ]; do sleep 0.05; done
"$crawlfs" mount "$T/i.cfx" "$T/m6" -o views=raw,log="\$3"
rm "$T/a.warc.gz"
! cat "\$(find "$T/m6" -type f | head -n 1)"
umount "$T/m6"
until grep -aq "in all" "\$2"; do sleep 0.05; done
EOT
own() {
	rm -f "$2" "$2.ready"
	timeout 100 unshare -m sh "$T/own.sh" "$@" >"$T/own.log" 2>&1
	own_status=$?
	cp "$T/away" "$T/a.warc.gz"
	cat "$T/own.log"
	return $own_status
}
if unshare -m true 2>/dev/null; then
	# Holds N23.
	try "syslog" own /dev/log "$T/syslog" syslog
	try "an error of the daemons, with a process" grep -aEq \
		"^<27>.*crawlfs\[[0-9]+\]: $T/$line" "$T/syslog"
	# Holds N23.
	try "the journal" own /run/systemd/journal/socket "$T/journal" journal
	try "its fields" grep -aqx "MESSAGE=$T/$line" "$T/journal"
	try "an error" grep -aqx "PRIORITY=3" "$T/journal"
	try "of crawlfs" grep -aqx "SYSLOG_IDENTIFIER=crawlfs" "$T/journal"
	try "of this mount" grep -aqx "CRAWLFS_MOUNTPOINT=$T/m6" "$T/journal"
	# Holds N23.
	try "no journal: syslog" own /dev/log "$T/syslog" journal alone
	try "has the line" grep -aq "crawlfs.*$line" "$T/syslog"
	try "and it was said" grep -q "there is no journal: notices go to syslog" \
		"$T/own.log"
else
	skip "syslog and the journal: unshare is not permitted"
fi

finish
