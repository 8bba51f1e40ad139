#!/bin/sh
# union_test.sh - several crawls as one tree, against the reference model.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$CFS_SRCDIR/tests/mount/lib.sh"

# urls SEED SHARE: URLs of which members share some, with few times and several
# states, so that times of one page are often equal.
urls() {
	awk -v seed="$1" -v share="$2" 'BEGIN { srand(seed) }
	rand() < share {
		time = 20240101000000 + int(rand() * 6)
		status = rand() < 0.7 ? 200 : rand() < 0.5 ? 404 : 301
		printf "%s\t%d\t%d\tresponse\n", $0, time, status
		if (rand() < 0.1)
			printf "%s\t%d\t200\tresponse\n", $0, time + 2
	}' "$T/urls"
}
# make_member N SHARE: $T/mN, a crawl of its own, with its index in it
make_member() {
	urls "$1" "$2" >"$T/list"
	"$mkcrawl" --warc --bare --urls "$T/list" --page-bytes 120 --seed "$1" \
		"$T/m$1" >/dev/null &&
		"$crawlfs" index -q -o "$T/m$1/i.cfx" "$T/m$1"
}
# list SEPARATOR NAME N...: a file of each of these members
list() {
	list_file=$1
	shift
	list_out=
	for list_n; do
		list_out=${list_out:+$list_out,}$T/m$list_n/$list_file
	done
	echo "$list_out"
}
# everything NAME MEMBER...: the tree of a union is the model's
everything() {
	name=$1
	shift
	manifests=$(list manifest.tsv "$@")
	try "$name: mounts" start_mount "$name" "$(list i.cfx "$@")"
	is_mounted "$T/$name" || return
	try "$name: find sees the model's tree, every body right" \
		check tree --least 100 "$manifests" "$T/$name"
	try "$name: look-up agrees with the listing" \
		check agree --least 100 "$T/$name"
	try "$name: full forms resolve, others do not" \
		check lookups "$manifests" "$T/$name"
	try "$name: every look-up as the model has it" \
		python3 "$model/check_mount.py" "$T/$name" "$manifests"
	find "$T/$name" -printf '%i %P\n' >"$T/inodes.$name"
	try "$name: again" remount "$name" "$(list i.cfx "$@")"
	find "$T/$name" -printf '%i %P\n' >"$T/again"
	try "$name: inodes are the same" cmp "$T/inodes.$name" "$T/again"
	try "$name: the daemon ends well" stop_mount "$name"
}

python3 "$model/hostile_urls.py" --seed 7 --count 500 >"$T/urls"
for i in 1 2 3 4; do
	make_member $i 0.5 || exit 1
done
everything two 1 2
everything four 3 1 4 2
everything same 1 1 1

# the words of the command line
mkdir "$T/merged" "$T/alone"
try "mount --merge" start_mount merged --merge "$T/m1/i.cfx" "$T/m2/i.cfx"
find "$T/merged" -printf '%i %P\n' >"$T/again"
try "is the list A,B" cmp "$T/inodes.two" "$T/again"
try "the daemon ends well" stop_mount merged
try "a union of one" start_mount merged --merge "$T/m1/i.cfx"
try "and that one alone" start_mount alone "$T/m1/i.cfx"
find "$T/merged" -printf '%i %P\n' >"$T/a"
find "$T/alone" -printf '%i %P\n' >"$T/b"
try "have the same inodes" cmp "$T/a" "$T/b"
stop_mount merged
stop_mount alone
finish
