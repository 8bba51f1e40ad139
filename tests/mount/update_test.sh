#!/bin/sh
# update_test.sh - crawlfs index --update, and folders that gain files between
# two mounts: only what is new or has changed is read.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

index() { "$crawlfs" index -q "$@"; }
C=$T/all F=$T/folder
python3 "$CFS_SRCDIR/tests/grow_crawl.py" "$C" || exit 1
mkdir "$F"
add() { for name; do cp -p "$C/$name.warc.gz" "$F"; done; }
update() { "$crawlfs" index --update -o "$T/m.cfx" "$@" "$F" 2>"$T/report"; }
# as_new: the updated index is that of the folder
as_new() { index -o "$T/new.cfx" "$F" && cmp "$T/new.cfx" "$T/m.cfx"; }
both() {	# both NAME OPTION...
	both_name=$1
	shift
	try "update, $both_name" update "$@"
	# Holds I9.
	try "the same bytes as of all, $both_name" as_new
}
says() { grep -q -- "$1" "$T/report" || { cat "$T/report"; return 1; }; }

add z-pages m-revisits wet
both "the first time"
add wat
both "a file more"
try "the others are not read again" says "3 files not read again"
add a-pages shots far
both "what the old ones waited for" --threads=8
try "the old ones are not read again" says "4 files not read again"
rm "$F/z-pages.warc.gz" "$F/wet.warc.gz"
both "files that have gone" --threads=1
add z-pages wet twice
both "and come again" --threads=2
before=$(stat -c %i:%Y "$T/m.cfx")
try "nothing to do" update
try "is said" says "nothing has changed"
try "and the file left alone" same "$(stat -c %i:%Y "$T/m.cfx")" "$before"
cat "$C/shots.warc.gz" "$C/far.warc.gz" >"$F/far.warc.gz"
both "a file that has changed"
cp "$F/far.warc.gz" "$T/far" && cp "$T/far" "$F/far.warc.gz"
both "a file with another time only"
python3 -c 'import gzip, sys
with open(sys.argv[1], "ab") as f:
    f.write(gzip.compress(b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: mailto:a@b\r\n"
        b"WARC-Date: 2024-01-01T00:00:00Z\r\nContent-Length: 0\r\n\r\n\r\n\r\n"))' \
	"$F/twice.warc.gz"
both "what has no place in the tree"
rm "$F/twice.warc.gz"
both "is not counted any more"

# What has the same size and time is not looked at: zeros in its place.
zeros() {
	cp -p "$1" "$T/saved" &&
		head -c "$(stat -c %s "$1")" /dev/zero >"$1" &&
		touch -r "$T/saved" "$1"
}
add twice
zeros "$F/a-pages.warc.gz"
# Holds I10.
try "an old file is not read" update
cp -p "$T/saved" "$F/a-pages.warc.gz"
# (revisits of its pages could not be measured)
try "its pages are there" sh -c '"$1" lookup "$2" org | grep -q page-3.html' sh \
	"$crawlfs" "$T/m.cfx"

rm "$T/m.cfx"
try "an index without joins" index --final -o "$T/m.cfx" "$F"
both "all is read where joins are not kept"
head -c 6000 "$T/new.cfx" >"$T/m.cfx"
both "and where the old index is damaged"
try "an index is added, not updated with" status 2 "$crawlfs" index --update \
	-o "$T/m.cfx" "$T/new.cfx" "$F"
try "of all captures only" status 2 "$crawlfs" index --update -o "$T/m.cfx" \
	--status=200 "$F"
rm -r "${F:?}"/*
try "nothing left is an error" status 1 update
try "and the old one stays" cmp "$T/new.cfx" "$T/m.cfx"

# ---- killed, interrupted, without room ----

"$mkcrawl" --warc --bare --records 3000 --page-bytes 2000 \
	--archive-bytes 400000 "$T/big" >/dev/null || exit 1
half() {	# half of its archives, linked
	rm -rf "$T/half" && mkdir "$T/half" &&
		find "$T/big" -name '*[02468].warc.gz' -exec ln {} "$T/half" \;
}
half || exit 1
index -o "$T/half.cfx" "$T/half" || exit 1
find "$T/big" -name '*.warc.gz' -exec ln -f {} "$T/half" \;
index -o "$T/full.cfx" "$T/half" || exit 1
whole() { cmp -s "$T/half.cfx" "$T/k.cfx" || cmp "$T/full.cfx" "$T/k.cfx"; }
kill_some() {
	for ms in 1 3 6 10 15 20 30 40 60 80 120 200; do
		cp "$T/half.cfx" "$T/k.cfx"
		"$crawlfs" index -q --update -o "$T/k.cfx" "$T/half" &
		pid=$!
		python3 -c "import time; time.sleep($ms / 1000)"
		kill -"$1" $pid 2>/dev/null
		wait $pid
		whole || return 1
	done
}
# Holds I9.
try "killed at any time: one or the other" kill_some KILL
try "interrupted at any time: one or the other" kill_some INT
try "then updated" index --update -o "$T/k.cfx" "$T/half"
try "it is the new one" cmp "$T/full.cfx" "$T/k.cfx"
try "nothing is left behind" same \
	"$(find "$T" -maxdepth 1 -name '.crawlfs*')" ""
mkdir "$T/small"
if mount -t tmpfs -o size=200k tmpfs "$T/small" 2>/dev/null; then
	cp "$T/half.cfx" "$T/small/k.cfx" || exit 1
	head -c 60000 /dev/zero >"$T/small/fill"
	try "no room is an error" status 1 "$crawlfs" index -q --update \
		-o "$T/small/k.cfx" --base="$T" "$T/half"
	try "and leaves the old one" cmp "$T/half.cfx" "$T/small/k.cfx"
	umount "$T/small"
else
	skip "a full disk: tmpfs cannot be mounted"
fi

# ---- a folder that is mounted ----

add z-pages wet
mounted() {	# mounted NAME PATTERN: files of the mount whose names match
	try "mount, $1" start_mount m "$F"
	n=$(find "$T/m" -type f -name "$2" | wc -l)
	try "ends well, $1" stop_mount m
}
mounted "two files" 'page-*.html'
# (the texts of 15 pages of the other are pages themselves)
try "its pages" same "$n" 75
zeros "$F/z-pages.warc.gz"
add a-pages
mounted "a file more" 'page-*.html'
# Holds I10.
try "its pages, the others not read again" same "$n" 120
rm "$F/a-pages.warc.gz"
mounted "a file less" 'page-*.html'
try "and no others" same "$n" 75
cp -p "$T/saved" "$F/z-pages.warc.gz"
try "one index is kept" same "$(find "$T" -path '*index/*.cfx' | wc -l)" 1
for kept in $(find "$T" -path '*index/*.cfx'); do head -c 5000 "$kept" >"$T/x"; cp "$T/x" "$kept"; done
add shots
mounted "the kept one is damaged" 'page-*.html'
try "all is read again, screenshots too" same "$n" 84

# ---- a file that may not be read yet ----

chmod 755 "$T" "$F" && mkdir "$T/own-cache" "$T/bin" &&
	cp "$crawlfs" "$T/bin/crawlfs" && chown 65534 "$T/own-cache" &&
	chmod 644 "$F"/* && chmod 0 "$F/wet.warc.gz" && echo secret >"$F/notes" &&
	chmod 0 "$F/notes" && mkdir -m 0 "$F/lost+found" || exit 1
as_nobody() {
	setpriv --reuid=65534 --clear-groups env XDG_CACHE_HOME="$T/own-cache" \
		HOME=/nonexistent "$T/bin/crawlfs" "$@"
}
kept() { (cd "$T/own-cache/crawlfs/index" && stat -c '%n %i %Y' -- *.cfx); }
if as_nobody version >/dev/null 2>&1; then
	try "a file may not be read" status 0 as_nobody lookup "$F" org
	try "which is said" complains "wet.warc.gz: .*ermission"
	cp "$T/out" "$T/without"
	before=$(kept)
	try "once more" status 0 as_nobody lookup "$F" org
	# Holds E22.
	try "which is said again" complains "wet.warc.gz: .*ermission"
	try "the rest is there" cmp "$T/without" "$T/out"
	# Holds E22.
	try "and nothing was written" same "$before" "$(kept)"
	chmod 644 "$F/wet.warc.gz"
	zeros "$F/z-pages.warc.gz"
	try "it may be read" status 0 as_nobody lookup "$F" org
	cp -p "$T/saved" "$F/z-pages.warc.gz"
	cp "$T/out" "$T/with"
	# Holds E22.
	try "and is, the others not again" status 0 as_nobody lookup "$F" org
	try "one index is kept" same 1 "$(kept | wc -l)"
	try "other files and folders are not waited for" not complains "notes\|lost"
	rm -r "$T/own-cache/crawlfs"
	try "all at once" status 0 as_nobody lookup "$F" org
	try "is the same" cmp "$T/out" "$T/with"
	try "which is more than without" not cmp -s "$T/out" "$T/without"
else
	skip "another user: setpriv cannot start crawlfs"
fi
finish
