#!/bin/sh
# partfolder_test.sh - crawlfs-part in a folder where others were first: they
# cannot have files emptied, or mounts of this user taken away.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

[ "$(id -u)" = 0 ] && command -v setpriv >/dev/null ||
	skip_all "needs root and setpriv"
chmod 711 "$T"
"$mkcrawl" --seed 1 --records 20 --hosts 2 --warc "$T/crawl" >/dev/null || exit 1
mkdir "$T/tmp" "$T/root" "$T/root/mnt"
chmod 1777 "$T/tmp"
echo important >"$T/root/file"
mount -t tmpfs none "$T/root/mnt" || skip_all "no mounts"
echo data >"$T/root/mnt/data"
own=$T/tmp/crawlfs-part-0

part() {
	TMPDIR=$T/tmp CRAWLFS=$crawlfs bash "$CFS_SRCDIR/contrib/cluster/crawlfs-part" \
		1/1 "$T/crawl" -- 'ls | head -n 1' >"$T/out" 2>"$T/err"
}
other() { setpriv --reuid=65534 --regid=65534 --clear-groups sh -c "$1"; }
unharmed() {
	[ "$(cat "$T/root/file")" = important ] && [ -e "$T/root/mnt/data" ] &&
		[ -s "$T/out" ] && ! grep -q "$T/tmp" /proc/self/mounts
}
links() {
	ln -s "$T/root/file" "$1/begin"
	ln -s "$T/root/mnt" "$1/x"
	: >"$1/x.lock"
}

other "mkdir -m 755 $own && ln -s $T/root/file $own/begin && : >$own/x.lock &&
	ln -s $T/root/mnt $own/x && chmod 777 $own"
# Holds K72.
try "a folder that another user has made is not used" part
try "nothing of it has a consequence" unharmed
try "this is told" grep -q "crawlfs-part-0 is not used" "$T/err"
rm -rf "$own"

other "ln -s $T/root $own"
# Holds K72.
try "nor is a link" part
try "nothing comes of the link" unharmed
try "what it leads to is as it was" [ ! -e "$T/root/begin" ]
rm -f "$own"

mkdir "$own"
links "$own"
chmod 777 "$own"
try "nor is a folder in which all can write" part
try "nothing comes of what is in that" unharmed
rm -rf "$own"

try "a folder of one's own is made" part
try "it works" unharmed
try "and used again" part
try "without a word of others" not grep -q "not used" "$T/err"
try "only it remains" [ "$(ls "$T/tmp")" = crawlfs-part-0 ]

chmod 777 "$T/tmp"
try "folders in which others can replace it are refused" status 75 part
chmod 1777 "$T/tmp"
umount "$T/root/mnt"
finish
