#!/bin/sh
# cache_group_test.sh - a cache folder that two users of a group share, and when it
# is refused.
# SPDX-License-Identifier: GPL-3.0-or-later
NEED_MOUNT=root
. "$CFS_SRCDIR/tests/mount/lib.sh"

"$mkcrawl" --warc --bare --records 60 --hostile 0 --page-bytes 400 "$T/crawl" \
	>/dev/null || exit 1
rm -f "$T/crawl/plain.cfx"
mkdir "$T/bin"
cp "$crawlfs" "$T/bin/crawlfs" && chmod -R a+rX "$T/bin" "$T/crawl" && chmod 755 "$T"
group=54321 ann=54001 bob=54002 eve=54003
as() {	# as USER GROUPS ARGUMENT...: of the groups, or of none (-)
	as_user=$1 as_groups=--groups=$2
	[ "$2" != - ] || as_groups=--clear-groups
	shift 2
	setpriv --reuid="$as_user" --regid="$as_user" "$as_groups" \
		env HOME=/nonexistent "$T/bin/crawlfs" "$@"
}
as $ann $group version >/dev/null 2>&1 || skip_all "setpriv cannot start crawlfs"
c=$T/shared
fresh() { rm -rf "$c"; install -d -m 2770 -g $group "$c"; }
kept() { find "$c" -name '*.cfx' -printf '%u %i %m %G\n'; }
"$crawlfs" ls --cache="$T/none" "$T/crawl" >"$T/want" || exit 1

# unused NAME WHY USER GROUPS OPTION...
unused() {
	name=$1 why=$2 user=$3 groups=$4
	shift 4
	try "$name" status 0 as "$user" "$groups" ls --cache="$c" "$@" "$T/crawl"
	try "$name: not used, one line says why" same 1 "$(grep -c \
		"$why: the cache folder is not used" "$T/err")"
	try "$name: the same tree" cmp "$T/out" "$T/want"
	try "$name: nothing is put there" same "" "$(kept)"
}
# used NAME USER [OPTION...]: without a word
used() {
	name=$1 user=$2
	shift 2
	try "$name" status 0 as "$user" $group ls --cache="$c" --cache-group "$@" \
		"$T/crawl"
	try "$name: without a word" not grep . "$T/err"
	try "$name: the same tree" cmp "$T/out" "$T/want"
}

fresh
# Holds K71.
unused "without the option" "others can write to it, its group (see cache_group)" \
	$ann $group
chmod 2775 "$c"
# Holds K71.
unused "of another group" "others can write to it" $eve - --cache-group
fresh
used "the first of the group" $ann
first=$(kept)
try "the group may read and write" same "$ann $group" \
	"$(find "$c" -name '*.cfx' -perm -660 ! -perm -2 -printf '%U %G')"
try "its folders hand the group on" same "2770 $group" \
	"$(find "$c/index" -maxdepth 0 -printf '%m %G')"
# Holds K71.
used "the second" $bob
try "what the first has made" same "$first" "$(kept)"
touch -d '2001-01-01' "$T/crawl/crawl-data" "$(find "$T/crawl" -name '*.warc.gz' | head -n 1)"
used "the second after a change" $bob
try "the second's takes its place" same "$bob" "$(find "$c" -name '*.cfx' -printf '%U')"
used "the first again" $ann
try "which is the second's" same "$bob" "$(find "$c" -name '*.cfx' -printf '%U')"
try "cache info" status 0 as $ann $group cache info --cache="$c" --cache-group
try "cache info without it is refused" status 1 as $ann $group cache info --cache="$c"
try "cache clear of another's" status 0 as $ann $group cache clear --cache="$c" \
	--cache-group
try "is clear" same "" "$(kept)"

# ---- a mount ----

try "mounted, as root, which is not of the group" start_mount m \
	-o "cache=$c,cache_group" "$T/crawl"
try "which is said" grep -q "not used" "$T/m.log"
try "ended" stop_mount m
setpriv --groups=0,$group "$T/bin/crawlfs" mount -q -o "cache=$c,cache_group" \
	"$T/crawl" "$T/m" 2>"$T/m.log"
note_mount m
try "mounted by a member" is_mounted "$T/m"
try "without a word" not grep . "$T/m.log"
try "it is in the options" grep -q cache_group "$T/m/.crawlfs/config"
try "ended, too" "$crawlfs" umount "$T/m"
try "root's index" same "0 $group" "$(find "$c" -name '*.cfx' -perm -660 -printf '%U %G')"
used "is read by another" $bob

# ---- what others can do is refused with the option, too ----

fresh
chmod 2777 "$c"
unused "everybody can write" "others can write to it" $ann $group --cache-group
fresh
chmod g-s "$c"
# Holds K71.
unused "no setgid" "would not be of its group (chmod g+s)" $ann $group --cache-group
fresh
install -d -m 2777 -g $group "$c/index"
unused "a folder in it that everybody can write to" "others can write to it" $ann \
	$group --cache-group
fresh
install -d -m 0770 -g 0 "$c/index"
unused "a folder in it of another group" "others can write to it" $ann $group \
	--cache-group
fresh
ln -s "$T/none/index" "$c/index"
# Holds K71.
unused "a link" "is a link" $ann $group --cache-group
fresh
if has_program setfacl && setfacl -m u:$eve:rwx "$c" 2>/dev/null; then
	unused "an access list" "others can write to it" $ann $group --cache-group
else
	skip "an access list: there is no setfacl"
fi
rm -rf "$c"
used "one that is not there is made, for the user alone" 0
try "and is closed" same 700 "$(stat -c %a "$c")"

finish
