#!/bin/sh
# fstab_test.sh - how mount(8) and mount.fuse3(8) call the program, with every
# option of fstab(5), and to remount.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

"$mkcrawl" --records 30 --page-bytes 500 --warc "$T/c" >/dev/null || exit 1
source=$T/c
m=$T/m
mkdir "$m" "$T/bin" "$T/other"
ln -s "$crawlfs" "$T/bin/crawlfs"
ln -s "$crawlfs" "$T/bin/mount.crawlfs"
helper() { timeout 60 "$T/bin/mount.crawlfs" "$@"; }
ends() { umount "$m" && wait_for daemon_ended "$m"; }
mounted_with() { grep " $m fuse.crawlfs " /proc/self/mounts | grep -q "[ ,]$1[ ,]"; }
pages() { find "$m" -type f | wc -l; }

# ---- every option that is none of a file system's own: mount(8) ----

for option in async sync dirsync atime noatime diratime nodiratime relatime \
	norelatime strictatime nostrictatime lazytime nolazytime dev nodev \
	suid nosuid exec noexec auto noauto defaults user user=root nouser \
	users group nogroup owner noowner _netdev nofail iversion noiversion \
	mand nomand silent loud ro rw symfollow nosymfollow comment=text \
	x-systemd.automount,x-systemd.requires=network.target X-mount.mkdir; do
	# Holds I22.
	try "-o $option" status 0 helper "$source" "$m" -o "$option"
	try "-o $option: nothing is said" not test -s "$T/err"
	note_mount m
	case $option in
	nodev|nosuid|noexec|nosymfollow)
		try "-o $option: has it" mounted_with "$option" ;;
	esac
	ends
done
number=$("$crawlfs" mount "$source" "$m" && pages && ends)
try "rw is refused where a person types it" status 2 "$crawlfs" mount -o rw \
	"$source" "$m"
try "an unknown one is quoted as usual" status 2 helper "$source" "$m" -o ro,odd
try "so" complains "'odd'"
try "and left out with -s" status 0 helper "$source" "$m" -s -o ro,odd
ends

helper "$source" "$m" -o \
	"ro,allow_other,base=https://ann:hidden@host.example/x?key=hidden"
note_mount m
try "options are shown to all" grep -q '"base=https://host.example/x"' \
	"$m/.crawlfs/config"
try "and no secret of theirs" not grep -rq hidden "$m/.crawlfs/config" \
	"$m/.crawlfs/stats" "$m/.crawlfs/errors"
try "nor in the table of mounts" not grep -q "$m .*hidden" /proc/self/mounts
ends

# ---- mount.fuse3(8) ----

PATH=$T/bin:$PATH
fuse_mount() {	# as a program of its own, which finds ours on PATH
	timeout 60 mount.fuse3 "$@" && note_mount m
}
if has_program mount.fuse3; then
	# Holds I22.
	try "type fuse.crawlfs" fuse_mount "$source" "$m" -t fuse.crawlfs
	try "serves" same "$(pages)" "$number"
	ends
	try "with options" fuse_mount "$source" "$m" -t fuse.crawlfs \
		-o ro,nofail,views=raw,noexec
	try "they count" same "$(pages)" $((number / 3))
	try "one of the kernel's" mounted_with noexec
	ends
	try "crawlfs#SOURCE" fuse_mount "crawlfs#$source" "$m" -o ro
	try "serves" same "$(pages)" "$number"
	ends
else
	skip "mount.fuse3: there is none"
fi
if has_program mount.fuse3 && [ -e /sbin/mount.fuse ] &&
   [ ! -e /sbin/crawlfs ] && ln -s "$crawlfs" /sbin/crawlfs; then
	trap 'rm -f /sbin/crawlfs; clean_up' EXIT
	try "mount -t fuse.crawlfs" timeout 60 mount -t fuse.crawlfs \
		-o noauto,nofail,_netdev,views=raw "$source" "$m"
	note_mount m
	try "serves" same "$(pages)" $((number / 3))
	try "mount -o remount" status 0 timeout 60 mount -o remount,noexec "$m"
	try "has the flag" mounted_with noexec
	ends
	echo "$source $m fuse.crawlfs users,ro,nofail,comment=x 0 0" >"$T/fstab"
	try "by a line of fstab" timeout 60 mount -T "$T/fstab" "$m"
	note_mount m
	try "serves" same "$(pages)" "$number"
	try "remount by that line" timeout 60 mount -T "$T/fstab" -o remount "$m"
	ends
	rm -f /sbin/crawlfs
	trap clean_up EXIT
else
	skip "mount -t fuse.crawlfs: no /sbin/mount.fuse, or a crawlfs in /sbin"
fi
try "a command is a command" status 1 crawlfs ls "$T/nothing" -l
try "a word that is none" status 2 crawlfs lss "$source"
try "is one that is none" complains "unknown command 'lss'"

# ---- remount ----

helper "$source" "$m" -o views=raw,allow_other,nosuid
note_mount m
again() { status "$1" helper "$source" "$m" -o "remount,$2"; }
try "remount: nothing new" again 0 ro
try "remount: options it has" again 0 ro,views=raw,allow_other,nosuid
try "remount: what the table of mounts says" again 0 \
	"$(sed -n "s|.* $m fuse.crawlfs \([^ ]*\) .*|\1|p" /proc/self/mounts)"
# Holds I22.
try "remount: a flag" again 0 noexec,suid
try "is set" mounted_with noexec
try "is taken back" not mounted_with nosuid
try "remount: rw" again 0 rw
try "it is said to stay as it is" complains "stays read-only"
try "and is" mounted_with ro
# Holds I22.
try "remount: other views" again 2 views=raw:txt
try "is refused in words" complains "option 'views=raw:txt' cannot change"
try "remount: another option" again 2 size=exact
try "remount: allow_root" again 2 allow_root
try "remount: unknown" again 2 odd
try "remount: a flag with what cannot change" again 2 exec,size=exact
# Holds I22.
try "changes nothing" mounted_with noexec
try "serves" same "$(pages)" $((number / 3))
freeze "$(daemon_of "$m")"
try "remount of a mount that does not answer" again 1 ro
try "says so" complains "does not answer"
kill -CONT "$(daemon_of "$m")"
ends
try "remount of what is not mounted" again 1 ro
try "says so" complains "is not a crawlfs mount"
try "remount of a folder that is not there" status 1 helper "$source" \
	"$T/nowhere" -o remount
finish
