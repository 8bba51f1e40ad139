#!/bin/sh
# hostile_test.sh - inputs made to cost much more than they are: they are read in
# time, refused in a line, or ended by SIGTERM with nothing left behind.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=no
. "$CFS_SRCDIR/tests/mount/lib.sh"
make() { python3 "$here/hostile_inputs.py" "$@"; }
mkdir "$T/tmp"
export TMPDIR=$T/tmp

# ---- JSON: strings of escapes ----

# Of 2 MB each; what took the square of that took minutes.
for kind in metadata pages package; do
	make "json-$kind" 2000000 "$T/$kind.wacz" || exit 1
	# Holds L70.
	try "escapes in $kind are read" \
		timeout 120 "$crawlfs" index -q -o "$T/o.cfx" "$T/$kind.wacz"
done

# ---- SIGTERM ----

# ends NAME FILE: index is sent SIGTERM once it reads the file.
reads() { ls -l "/proc/$started/fd" | grep -q "$1"; }
ends() {
	make "$1" 128 "$T/long.warc.gz" || return 1
	rm -f "$T"/o.cfx*
	start "$crawlfs" index -q -o "$T/o.cfx" "$T/long.warc.gz"
	try "a huge $1 is begun" wait_for reads long.warc.gz
	kill -TERM "$started"
	wait "$started"
	# Holds L70.
	try "a huge $1 ends with SIGTERM" same $? 130
	# Holds L70.
	try "a huge $1 leaves nothing behind" same "" \
		"$(ls -A "$T/tmp"; ls "$T" | grep 'o[.]cfx')"
}
for kind in html feed charset; do ends $kind; done

# ---- ZIP files that are more than they seem ----

# Memory is bounded where the program says itself what it takes.
sanitized=$(ldd "$crawlfs" | grep -c asan)
index_of() {	# index_of KIND NUMBER...: within 500 MB
	make "$@" "$T/z.wacz" || return 1
	rm -f "$T"/o.cfx*
	(
		[ "$sanitized" != 0 ] || ulimit -v 500000
		timeout 120 "$crawlfs" index -q -o "$T/o.cfx" "$T/z.wacz"
	) >"$T/out" 2>"$T/err"
	echo $? >"$T/rc"
	tail -n 3 "$T/err" | cut -c 1-200
	[ "$(cat "$T/rc")" -le 1 ]
}
rc_is() { same "$(cat "$T/rc")" "$1"; }
in_cache() { find "$XDG_CACHE_HOME" -type f -path '*/inflated/*' | wc -l; }
# Holds L71.
try "names of one WACZ are one WACZ" index_of nested 500 20000
try "and so are those in it" rc_is 1
try "which is said in one line" complains '19999 names stand for members'
rm -rf "$XDG_CACHE_HOME"
try "one archive of many names is indexed" index_of repeated 5000
try "it is" rc_is 0
# Holds L71.
try "it is inflated once" same "$(in_cache)" 1
# Holds L71.
try "archives that overlap are refused" index_of overlapping 1000
try "with 1" rc_is 1
try "in a line, and one of the whole" same "$(wc -l <"$T/err")" 2
try "and the reason" complains 'members of the ZIP file overlap'
# Holds L71.
try "long names of a WACZ are not taken a million times" index_of paths 4 5000
try "and the rest is said to be left out" complains 'MiB of names inside: the others are left out'
try "WACZ files in each other are opened up to a bound" index_of inside 2 30
try "all of them" rc_is 0
# Holds L71.
try "a size that deflate cannot make is refused" index_of claims
try "for what it is" complains 'cannot be as long as the ZIP directory says'
rm -rf "$XDG_CACHE_HOME"
try "many compressed archives are read in time" index_of packed 3000
try "all 3,000 are" same "$(in_cache)" 3000

# ---- bytes in the cache that have changed ----

rm -rf "$XDG_CACHE_HOME"
make packed 1 "$T/p.wacz" && "$crawlfs" index -q -o "$T/p.cfx" "$T/p.wacz" 2>"$T/err"
page() { "$crawlfs" cat "$T/p.cfx" http://a.example/x 2>"$T/err"; }
page >"$T/page.want"
changed=$(find "$XDG_CACHE_HOME" -type f -path '*/inflated/*')
try "the cache is sound" status 0 "$crawlfs" cache verify
make flip -5 "$changed"
# Holds K70.
try "an inflated archive that changed is found" status 1 "$crawlfs" cache verify
try "and named" grep -q "inflated/${changed##*/}: .*changed" "$T/out"
page >"$T/page.got"
# Holds K70.
try "it is not served" cmp "$T/page.want" "$T/page.got"
# Holds K70.
try "but inflated again" complains 'it is inflated again'
try "the damage is told until it is dropped" status 1 "$crawlfs" cache verify
try "dropped" status 1 "$crawlfs" cache verify --drop
try "and gone" status 0 "$crawlfs" cache verify
"$mkcrawl" --records 300 --seed 3 --warc "$T/crawl" >"$T/out" || exit 1
"$crawlfs" ls "$T/crawl" >"$T/ls.want" 2>"$T/err"
kept=$(find "$XDG_CACHE_HOME" -name '*.cfx')
# Holds K70.
try "a kept index is read by cache verify" status 0 "$crawlfs" cache verify
try "and said to be" grep -q '1 kept index, .* all are sound' "$T/out"
for at in 700 5000 -30 -3000; do
	cp "$kept" "$T/kept"
	make flip $at "$kept"
	# Holds K70.
	try "a byte of it that changed is found ($at)" status 1 "$crawlfs" cache verify
	cp "$T/kept" "$kept"
done
make flip -3000 "$kept"
try "it is dropped" status 1 "$crawlfs" cache verify --drop
try "and made again" eval '"$crawlfs" ls "$T/crawl" 2>"$T/err" | cmp - "$T/ls.want"'

# ---- files in the way ----

# What copy, verify and index find under their temporary names is not theirs
# unless it says so.
[ -e "$T/crawl/plain.cfx" ] || "$crawlfs" index -q -o "$T/crawl/plain.cfx" "$T/crawl" || exit 1
printf 'precious\n' >"$T/precious"
cp "$T/precious" "$T/precious.want"
copy() { "$crawlfs" copy -q -o "$T/copy.warc.gz" "$@" "$T/crawl/plain.cfx" org/; }
spared() {	# spared FILE: it is there, and so is what it may lead to
	[ -e "$1" ] && cmp "$T/precious" "$T/precious.want" && cmp "$1" "$T/precious"
}
in_the_way() {	# in_the_way HOW FILE: copy refuses it, with and without --force
	rm -f "$T"/copy.warc.gz*
	case $1 in
	file) cp "$T/precious" "$T/$2" ;;
	link) ln -s "$T/precious" "$T/$2" ;;
	name) ln "$T/precious" "$T/$2" ;;
	esac
	# Holds I70.
	try "a $1 at ${2#copy.} is refused" status 1 copy
	try "a $1 at ${2#copy.} is named in a line" complains "$2: is in the way"
	try "a $1 at ${2#copy.} is refused with --force" status 1 copy --force
	# Holds I70.
	try "a $1 at ${2#copy.} is spared" spared "$T/$2"
	try "a $1 at ${2#copy.} stays alone" absent "$T/copy.warc.gz"
	rm -f "$T/$2"
}
for suffix in part journal; do
	in_the_way file copy.warc.gz.$suffix
	in_the_way link copy.warc.gz.$suffix
	in_the_way name copy.warc.gz.$suffix
done
rm -f "$T"/copy.warc.gz*
ln -s "$T/nowhere" "$T/copy.warc.gz.part"
# Holds I70.
try "a link to nothing is refused" status 1 copy
try "and nothing is made there" absent "$T/nowhere"
rm -f "$T"/copy.warc.gz*
try "without them it copies" copy
try "and leaves none" absent "$T/copy.warc.gz.part" "$T/copy.warc.gz.journal"
verify() { "$crawlfs" verify -q --report="$T/report" "$T/crawl/plain.cfx"; }
cp "$T/precious" "$T/report.ids"
# Holds I70.
try "a file at REPORT.ids is refused" status 1 verify
try "and spared" spared "$T/report.ids"
rm -f "$T"/report*
ln -s "$T/precious" "$T/report"
# Holds I70.
try "a link for a report is refused" status 1 verify
try "and what it leads to is spared" cmp "$T/precious" "$T/precious.want"
rm -f "$T"/report*

# ---- whose the cache folder is ----

# A crawl without an index, which is kept in the cache if that may be used.
used() {	# used FOLDER: by ls, quietly
	status 0 "$crawlfs" ls --cache="$1" "$T/crawl" && [ ! -s "$T/err" ] &&
		[ -n "$(find "$1/" -name '*.cfx')" ]
}
unused() {	# unused FOLDER WHY: a line says why, and nothing is put there
	find "$1/" | sort >"$T/before"
	status 0 "$crawlfs" ls --cache="$1" "$T/crawl" &&
		complains "$2: the cache folder is not used" &&
		same "$(grep -c 'is not used' "$T/err")" 1 &&
		cmp "$T/out" "$T/ls.want" && find "$1/" | sort | cmp - "$T/before"
}
rm -f "$T/crawl/plain.cfx"
"$crawlfs" ls "$T/crawl" >"$T/ls.want" 2>"$T/err"
c=$T/mine
try "a cache folder is made, and used" used "$c"
chmod 777 "$c"
# Holds K71.
try "one that all can write to is not" unused "$c" "others can write to it"
try "nor looked at by cache" status 1 "$crawlfs" cache verify --cache="$c"
try "nor cleared" status 1 "$crawlfs" cache clear --cache="$c"
chmod 755 "$c"
try "it is used again when it is closed" used "$c"
chmod 777 "$c/index"
try "one with a folder that all can write to is not" unused "$c" "others can write to it"
chmod 700 "$c/index"
kept=$(find "$c" -name '*.cfx')
chmod 755 "$c/index"
chmod 666 "$kept"
try "one with a file that all can write to is not" unused "$c" "others can write to it"
chmod 700 "$c/index"
try "unless they cannot reach it" used "$c"
chmod 644 "$kept"
mv "$kept" "$T/elsewhere.cfx"
ln -s "$T/elsewhere.cfx" "$kept"
# Holds K71.
try "one with a link in it is not" unused "$c" "is a link"
rm "$kept"
mv "$c/index" "$T/elsewhere"
ln -s "$T/elsewhere" "$c/index"
try "one with a link for a folder is not" unused "$c" "is a link"
rm -rf "$c"
mkdir -m 777 "$T/open"
mkdir -m 700 "$T/open/mine"
# Holds K71.
try "one that others can replace is not" unused "$T/open/mine" "others can replace what is in it"
chmod 1777 "$T/open"
try "one in a sticky folder is" used "$T/open/mine"
ln -s "$T/open/mine" "$T/linked"
try "a link to the folder is followed" used "$T/linked"
if [ "$(id -u)" = 0 ]; then
	chown 12345 "$T/open/mine"
	# Holds K71.
	try "one of another user is not" unused "$T/open/mine" "belongs to another user"
	chown 0 "$T/open/mine"
	chown -R 12345 "$T/open/mine/index"
	try "one with a file of another user is not" unused "$T/open/mine" "belongs to another user"
	rm -rf "$T/open/mine"
	chown 12345 "$T/open"
	mkdir -m 700 "$T/open/mine"
	# Holds K71.
	try "root uses none in the home of a user" unused "$T/open/mine" "belongs to another user"
	chown 0 "$T/open"
	rm -rf "$T/open/mine"
	mkdir -m 770 "$T/open/mine"
	chgrp 12345 "$T/open/mine"
	try "one that a group can write to is not" unused "$T/open/mine" "others can write to it"
else
	skip "owners: they need root"
fi
finish
