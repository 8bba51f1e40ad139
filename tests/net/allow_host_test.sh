#!/bin/sh
# allow_host_test.sh - mounts, as mount(8) makes them, of what is on one server and
# leads to another: -o allow_host.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/net/lib.sh"

mkdir -p "$T/www" "$T/there" "$T/bin" "$T/m"
"$mkcrawl" --records 30 --hostile 0 --page-bytes 500 --warc --bare "$T/crawl" \
	>/dev/null || exit 1
archive=$(find "$T/crawl" -name '*.warc.gz' | head -n 1)
cp "$archive" "$T/www/a.warc.gz"
cp "$archive" "$T/there/b.warc.gz"
start_faultd there "$T/there" --log "$T/there.log" || skip_all "no server"
there=http://localhost:$port
start_faultd faultd "$T/www" || skip_all "no server"
ln -s "$crawlfs" "$T/bin/mount.crawlfs"
helper() { timeout 60 "$T/bin/mount.crawlfs" "$@"; }
ends() { umount "$T/m" && wait_for daemon_ended "$T/m"; }
asked() { [ -s "$T/there.log" ]; }
printf '{"profile": "multi-wacz-package", "resources": [{"name": "a", "path": "a.warc.gz", "bytes": 9}, {"name": "b", "path": "%s", "bytes": 9}]}\n' \
	"$there/b.warc.gz" >"$T/www/l.json"
printf '{"profile": "multi-wacz-package", "resources": [{"name": "b", "path": "%s", "bytes": 9}]}\n' \
	"$there/b.warc.gz" >"$T/www/b.json"

# mounts LIST OPTIONS
mounts() {
	: >"$T/there.log"
	rm -rf "$T/cache"
	status 0 helper "$url/$1" "$T/m" -o "views=raw${2:+,}$2" || return
	note_mount m
}
has_pages() { [ "$(find "$T/m" -type f -exec cat {} + | wc -c)" -gt 1000 ]; }
try "without it" mounts l.json ""
try "the other server is not asked" not asked
try "a warning says which" complains "'$there/b.warc.gz' is left out: it is on another server"
try "ended" ends
try "where all is elsewhere" status 1 helper "$url/b.json" "$T/m"
try "nothing is mounted" is_unmounted "$T/m"
for hosts in localhost a.example:localhost 'LOCALHOST:*.example.org'; do
	try "allow_host=$hosts" mounts b.json "allow_host=$hosts"
	try "$hosts: the other server is asked" asked
	try "$hosts: its pages are there" has_pages
	try "$hosts: nothing is said" not test -s "$T/err"
	try "$hosts: ended" ends
done
for hosts in '*' '*.localhost' other.example; do
	try "allow_host=$hosts" mounts l.json "allow_host=$hosts"
	try "$hosts: the other server is not asked" not asked
	try "$hosts: which is said" complains "is left out"
	try "$hosts: ended" ends
done
try "no list of hosts" status 2 helper "$url/l.json" "$T/m" -o "allow_host=a b"
# a comma ends the option
try "the next word is none of its hosts" status 2 helper "$url/l.json" "$T/m" \
	-o "allow_host=a.example,localhost"
finish
